"""Environments made on real sshd nodes that reach no package index but the tests' own."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from remote.checks import Finding
from remote.errors import ProfileError
from remote.profile import Profile, build, save
from remote.session import provision_all
from remote.updates import LogUpdate, NodeUpdate, NoticeUpdate, Progress
from tests.support.commands import clew, objects, start_clew
from tests.support.sessions import watched
from tests.support.sshd import NodeOptions, SshdNodes, why_no_nodes
from tests.support.waiting import until
from tests.support.wheel_index import Index, Wheel, serving

SMALL = Wheel("clew_small", needs=["clew-large"])
LARGE = Wheel("clew_large", "2.1", filler_bytes=300_000)
FULL = 2
CLOSED = "http://127.0.0.1:9/simple/"
PROGRAM = (
    "import os, clew_small, clew_large, trainer; "
    "trainer.report(step=1, loss=0.5, examples=1); "
    "print('has', clew_large.VERSION, 'from', os.path.dirname(clew_large.__file__))"
)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshdNodes]:
    reason = why_no_nodes()
    if reason is not None:
        pytest.skip(reason)
    options = {FULL: NodeOptions(home_tmpfs="3m")}
    with SshdNodes(tmp_path_factory.mktemp("nodes"), count=3, options=options) as found:
        yield found


@pytest.fixture
def index(nodes: SshdNodes) -> Iterator[Index]:
    """An index that the nodes reach, and this computer too."""
    with serving(SMALL, LARGE, address=nodes.node(0).ip.rpartition(".")[0] + ".1") as found:
        yield found


def profile(nodes: SshdNodes, url: str, *indices: int, **changes: object) -> Profile:
    """A command on these nodes, in an environment that has what the command imports."""
    listed = [{"host": nodes.node(i).ip, "name": nodes.node(i).name} for i in indices]
    return build(
        {
            "name": "provision",
            "ssh": {"user": "root", "identity_file": str(nodes.client_key)},
            "nodes": listed,
            "environment": {
                "python": sys.executable,
                "packages": ["clew-small"],
                # pip takes an index without https only from this computer, or by name.
                "variables": {"PIP_INDEX_URL": url, "PIP_TRUSTED_HOST": urlsplit(url).hostname},
                **dict(changes.pop("environment", {})),  # type: ignore[call-overload]
            },
            "training": {
                "command": ["python", "-c", PROGRAM],
                "workers": len(indices),
                "ps": 0,
                **dict(changes.pop("training", {})),  # type: ignore[call-overload]
            },
            **changes,
        }
    )


def test_that_nodes_with_one_disk_share_what_one_of_them_made_and_train_in_it(
    nodes: SshdNodes, index: Index, tmp_path: Path, weird_path: Path
) -> None:
    root = str(weird_path / "root")
    wanted = profile(nodes, index.url, 0, 1, storage={"root": root})
    with watched(wanted, tmp_path, known_hosts=[nodes.known_hosts]) as w:
        end = w.session.check().wait(60)
        assert end is not None
        assert end.problems == 0, w.of(Finding)
        said = [one.what for one in w.of(Finding) if one.topic == "python"]
        assert len(said) == 2
        assert all("the environment is made from it at launch" in what for what in said)
        result = w.session.launch().wait(200)
        assert result is not None
        assert (result.state, result.reason) == ("finished", ""), result.reason
        assert (index.fetched(SMALL), index.fetched(LARGE)) == (1, 1)
        w.wait_for(lambda w: sum("has 2.1" in u.text for u in w.of(LogUpdate)) == 2, 20)
        log = "".join(update.text for update in w.of(LogUpdate))
        facts = w.session.facts()
        pythons = {known.python for known in facts.values()}
        (python,) = pythons
        assert python.startswith(f"{root}/env/")
        assert f"from {Path(python).parents[1]}/lib/" in log
        assert all(known.environment == "ready" for known in facts.values())
        told = {(p.action, p.unit) for p in w.of(Progress)}
        assert ("environment: installing packages", "steps") in told
        assert ("environment: fetching packages", "bytes") in told
        assert w.of(NodeUpdate)[-1].detail == ""


def test_that_a_cut_launch_goes_on_and_packages_without_tensorflow_are_told(
    nodes: SshdNodes, index: Index, tmp_path: Path
) -> None:
    wanted = profile(
        nodes,
        index.url,
        0,
        training={"command": [], "dataset": {"name": "synthetic"}, "ps": 1},
    )
    index.held.add(LARGE.filename)

    def cut() -> None:
        assert index.holding.wait(100)
        until(lambda: any(nodes.node(0).home.rglob(f"wheels/{SMALL.filename}")))
        index.held.clear()
        assert nodes.kill_connections(0) > 0
        index.release.set()

    cutting = threading.Thread(target=cut)
    cutting.start()
    with watched(wanted, tmp_path, known_hosts=[nodes.known_hosts]) as w:
        result = w.session.launch().wait(200)
        cutting.join()
        assert result is not None
        # It went on after the broken connection, and what had come by then did not come again.
        assert index.fetched(SMALL) == 1
        assert index.fetched(LARGE) in (1, 2)  # it may all have come before its pip was ended
        assert result.state == "failed"
        assert "there is no TensorFlow" in result.reason
        assert "environment.packages" in result.reason
    # Ahead of time it is told at once: the environment is there now.
    path, trust = tmp_path / "p.yaml", {"CLEW_KNOWN_HOSTS": str(nodes.known_hosts)}
    save(profile(nodes, index.url, 0), path, None)
    done = clew("provision", "--json", path, data=tmp_path, **trust)
    assert done.returncode == 0, done.stderr
    made = [item for item in objects(done.stdout) if item["type"] == "environment"]
    assert [item["node"] for item in made] == [nodes.node(0).name]
    asked = sum(index.asked.values())
    folder = Path(made[0]["python"]).parents[1]
    assert folder.is_dir()
    # What the profile names stays, and goes once it names something else.
    done = clew("provision", "--prune", "--yes", path, data=tmp_path, **trust)
    assert (done.returncode, folder.is_dir()) == (0, True)
    assert "nothing to remove" in done.stderr
    save(profile(nodes, index.url, 0, environment={"packages": ["clew-large"]}), path, None)
    done = clew("provision", "--prune", path, data=tmp_path, **trust)
    assert (done.returncode, folder.is_dir()) == (0, True)
    assert "clew-small" in done.stdout
    assert "Nothing was removed" in done.stderr
    done = clew("provision", "--prune", "--yes", path, data=tmp_path, **trust)
    assert (done.returncode, folder.is_dir()) == (0, False)
    assert sum(index.asked.values()) == asked


def test_that_a_node_without_an_index_gets_wheels_from_here_and_a_full_disk_is_named(
    nodes: SshdNodes, index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", index.url)
    monkeypatch.setenv("PIP_TRUSTED_HOST", str(urlsplit(index.url).hostname))
    monkeypatch.setenv("CLEW_DATA_DIR", str(tmp_path))
    wanted = profile(nodes, CLOSED, 1, FULL)
    with watched(wanted, tmp_path, known_hosts=[nodes.known_hosts]) as w:
        outcome = provision_all(w.session, lambda: False)
        name, full = nodes.node(1).name, nodes.node(FULL).name
        assert list(outcome.succeeded) == [name], outcome.failed
        assert list(outcome.failed) == [full]
        assert "no space left" in str(outcome.failed[full])
        assert "storage.root" in outcome.failed[full].remedy
        facts = w.session.facts()[name]
        assert (facts.environment, facts.python) == ("ready", outcome.succeeded[name])
        assert (index.fetched(SMALL), index.fetched(LARGE)) == (1, 1)
        notices = [n.text for n in w.of(NoticeUpdate) if n.node == name]
        assert any("index does not answer" in text and "sent" in text for text in notices)
        root = w.session.facts()[full].root
        kept = w.session.nodes[full].link().environments.listed(root)
        assert kept == []
        again = provision_all(w.session, lambda: False)
        assert again.succeeded == outcome.succeeded
        assert index.fetched(SMALL) == 1


def test_that_ctrl_c_ends_it_and_leaves_nothing_on_the_node(
    nodes: SshdNodes, index: Index, tmp_path: Path
) -> None:
    index.held.add(LARGE.filename)
    path, trust = tmp_path / "p.yaml", {"CLEW_KNOWN_HOSTS": str(nodes.known_hosts)}
    save(profile(nodes, index.url, 1, storage={"root": str(tmp_path / "root")}), path, None)
    with start_clew("provision", path, data=tmp_path, **trust) as process:
        assert index.holding.wait(100)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=100)
    assert process.returncode == 130
    assert f"{nodes.node(1).name} environment: fetching packages" in output
    assert list((tmp_path / "root" / "env").iterdir()) == []


def test_that_a_profile_without_packages_has_nothing_to_provision(
    nodes: SshdNodes, tmp_path: Path
) -> None:
    wanted = profile(nodes, CLOSED, 0, environment={"packages": []})
    with (
        watched(wanted, tmp_path, known_hosts=[nodes.known_hosts], ready=False) as w,
        pytest.raises(ProfileError, match=r"no environment\.packages"),
    ):
        provision_all(w.session, lambda: False)
