"""``--set`` changes single values as if they stood in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from remote.errors import ProfileError
from remote.profile import Profile, build, dumps, load, loads, override, to_data

EXAMPLES = Path(__file__).parents[2] / "resources" / "profiles"


@pytest.fixture
def profile() -> Profile:
    return build(
        {
            "nodes": ["gpu001", {"host": "gpu002", "port": 2222}],
            "environment": {"setup": ["a", "b"], "variables": {"A": "1"}},
            "training": {"dataset": {"name": "digits", "path": "/d"}, "epochs": 2},
        }
    )


def test_that_values_are_set_by_their_dotted_key(profile: Profile) -> None:
    changed = override(
        profile,
        [
            "nodes.0.port=0222",
            "nodes.1.gpus=[0, 1]",
            "training.optimizer.learning_rate=1e-3",
            "training.dataset.path=/data/a: b #c",
            "environment.setup.1=module load x",
            "environment.variables.B=on",
            "name='quoted'",
        ],
    )
    assert changed.nodes[0].port == 222
    assert changed.nodes[1].gpus == (0, 1)
    assert changed.nodes[1].port == 2222
    assert changed.training.optimizer.learning_rate == 0.001
    assert changed.training.dataset.path == "/data/a: b #c"
    assert changed.environment.setup == ("a", "module load x")
    assert changed.environment.variables == {"A": "1", "B": "on"}
    assert changed.name == "quoted"


def test_that_steps_and_epochs_replace_each_other(profile: Profile) -> None:
    by_steps = override(profile, ["training.steps=500"])
    assert (by_steps.training.steps, by_steps.training.epochs) == (500, None)
    by_epochs = override(by_steps, ["training.epochs=1.5"])
    assert (by_epochs.training.steps, by_epochs.training.epochs) == (None, 1.5)


def test_that_an_empty_value_is_the_default(profile: Profile) -> None:
    changed = override(profile, ["nodes.1.port=", "training.epochs=", "environment.variables.A="])
    assert changed.nodes[1].port is None
    assert changed.training.epochs is None
    assert changed.environment.variables == {"A": ""}


def test_that_auto_is_a_word_for_as_many_workers_as_fit(profile: Profile) -> None:
    two = override(profile, ["training.workers=2"])
    assert two.training.workers == 2
    assert override(two, ["training.workers=auto"]).training.workers is None


def test_that_the_profile_itself_stays(profile: Profile) -> None:
    before = profile.model_copy(deep=True)
    override(profile, ["environment.variables.A=2", "nodes.0.port=1"])
    assert profile == before


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("training.stpes=5", "--set training.stpes=5: unknown key, did you mean training.steps?"),
        ("steps=5", "did you mean training.steps?"),
        ("colour=teal", "unknown key; there are name, ssh, cluster, nodes"),
        ("training.steps", "must be KEY=VALUE"),
        ("training.steps=many", '--set training.steps=many: must be a whole number like 2000'),
        ("training.batch_size=0", "--set training.batch_size=0: must be between 1 and"),
        ("nodes.7.port=1", "7 is not one of the numbers of this list: 0 to 1"),
        ("nodes.x=1", "x is not one of the numbers"),
        ("nodes.0.gpus=[0, 1", "needs a comma or ]"),
        ("training.steps.x=1", "training.steps has no keys below it"),
        ("training.optimizer={name: adam, lr: 1}", "lr: unknown key, did you mean"),
        ("nodes.0=-x", "must not begin with a dash"),
        ("=1", "unknown key"),
        ("a..b=1", "unknown key"),
    ],
)  # fmt: skip
def test_that_a_wrong_assignment_is_explained(
    profile: Profile, assignment: str, words: str
) -> None:
    with pytest.raises(ProfileError) as caught:
        override(profile, [assignment])
    assert words in str(caught.value)


def test_that_all_wrong_assignments_are_told_at_once(profile: Profile) -> None:
    with pytest.raises(ProfileError) as caught:
        override(profile, ["a=1", "training.model=x", "training.seed=x"])
    assert [issue.key for issue in caught.value.issues] == [
        "--set a=1",
        "--set training.model=x",
        "--set training.seed=x",
    ]


def test_that_a_secret_is_refused_and_not_repeated(profile: Profile) -> None:
    with pytest.raises(ProfileError, match="a secret has no place") as caught:
        override(profile, ["ssh.password=hunter2"])
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("name", ["lab.yaml", "minimal.yaml"])
def test_that_the_example_profiles_load(name: str) -> None:
    loaded = load(EXAMPLES / name)
    assert loaded.warnings == ()
    assert loaded.profile.nodes[0].host == "gpu001"


def test_that_the_example_of_slurm_loads() -> None:
    loaded = load(EXAMPLES / "slurm.yaml")
    assert loaded.warnings == ()
    slurm = loaded.profile.cluster.slurm
    assert slurm is not None
    assert (slurm.login.host, slurm.nodes, slurm.time) == ("login1", 2, "8:00:00")


def test_that_the_lab_example_says_what_it_means() -> None:
    profile = load(EXAMPLES / "lab.yaml").profile
    assert [node.gpus for node in profile.nodes] == ["all", (0, 1), "none"]
    assert profile.training.dataset.on == "node"
    assert profile.training.epochs == 2


WHOLE = """
clew: 1
name: lab
ssh: {user: ana, identity_file: ~/.ssh/id_ed25519, jump: bastion}
nodes:
  - host: gpu001
    port: 2222
    address: gpu001-ib0
    gpus: all
  - host: gpu002
environment:
  python: ~/venvs/tf/bin/python
  setup: ["module load cuda/12.4"]
  variables: {OMP_NUM_THREADS: "4"}
storage: {root: ~/.clew}
ports: {first: 2220}
training:
  model: mnist_cnn
  dataset: {name: mnist, path: /data/mnist, on: desktop}
  update: async
  replication: between-graph
  worker_per: gpu
  workers: auto
  ps: 1
  ps_placement: alongside
  batch_size: 64
  optimizer: {name: momentum, learning_rate: 0.01}
  steps: 2000
  seed: 1
  checkpoint_every_s: 60
  restart: {max: 3}
"""


def test_that_every_key_of_the_format_is_read() -> None:
    loaded = loads(WHOLE)
    assert loaded.warnings == ()
    profile = loaded.profile
    assert (profile.ssh.user, profile.ssh.jump) == ("ana", "bastion")
    assert (profile.nodes[0].port, profile.nodes[0].address) == (2222, "gpu001-ib0")
    assert profile.environment.variables == {"OMP_NUM_THREADS": "4"}
    assert (profile.training.steps, profile.training.workers) == (2000, None)
    assert loads(dumps(profile)).profile == profile
    assert "ports" not in to_data(profile)  # 2220 is the default
