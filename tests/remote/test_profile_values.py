"""A value is what its field needs, however YAML would have guessed it."""

from __future__ import annotations

import pytest

from remote.errors import ProfileError
from remote.profile import Profile, build, loads
from remote.profile.convert import number, whole, yes_no


def profile_of(text: str) -> Profile:
    return loads(f"clew: 1\n{text}\n").profile


@pytest.mark.parametrize(
    "text",
    ["1.10", "NO", "on", "0123", "010", "2024-05-01", "1234e56", "12:00:00", "10:20:30:40:50:59",
     "22:22", "y", "inf", "=", "08"],
)  # fmt: skip
def test_that_a_text_stays_the_text_that_was_written(text: str) -> None:
    assert profile_of(f"name: {text}").name == text
    assert profile_of(f"ssh: {{user: '{text}'}}").ssh.user == text
    assert (
        profile_of(f"environment: {{variables: {{A: {text}}}}}").environment.variables["A"] == text
    )


def test_that_a_user_called_on_is_not_true() -> None:
    assert profile_of("ssh:\n  user: on").ssh.user == "on"


@pytest.mark.parametrize(
    ("written", "meant"),
    [("1e-3", 0.001), ("1E-6", 1e-6), (".9", 0.9), ("0.1", 0.1), ("1.", 1.0), ("'1e-3'", 0.001)],
)
def test_that_a_number_is_read_however_it_is_written(written: str, meant: float) -> None:
    training = profile_of(f"training: {{optimizer: {{learning_rate: {written}}}}}").training
    assert training.optimizer.learning_rate == meant


@pytest.mark.parametrize(
    ("written", "meant"), [("0123", 123), ("010", 10), ("08", 8), ("1e4", 10000), ("2_000", 2000)]
)
def test_that_a_whole_number_is_decimal(written: str, meant: int) -> None:
    assert profile_of(f"training: {{steps: {written}}}").training.steps == meant


@pytest.mark.parametrize("written", ["22:22", "0x16", "2222a", "1.5", "true", "inf", "''", "[1]"])
def test_that_what_is_no_whole_number_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(ProfileError, match="whole number like 2222"):
        profile_of(f"nodes: [{{host: a, port: {written}}}]")


@pytest.mark.parametrize("written", ["inf", ".nan", "-.inf", "1e999", "fast", "0,1", "10%", "１"])
def test_that_a_number_must_be_finite(written: str) -> None:
    with pytest.raises(ProfileError, match=r"must be a number like 0\.01"):
        profile_of(f"training:\n  optimizer:\n    learning_rate: {written}")


def test_that_ports_are_no_times() -> None:
    with pytest.raises(ProfileError, match=r"must be a mapping like \{first: 2220\}, not a list"):
        profile_of("ports: [22:22, 2222:22]")


@pytest.mark.parametrize("word", ["", "~", "null", "NULL"])
def test_that_an_empty_value_is_the_default(word: str) -> None:
    profile = profile_of(f"name: {word}\nssh: {word}\nnodes: [{{host: a, port: {word}}}]")
    assert profile == build({"nodes": ["a"]})


def test_that_quoted_null_is_a_text() -> None:
    assert profile_of("ssh: {user: 'null'}").ssh.user == "null"


@pytest.mark.parametrize(
    ("written", "meant"),
    [("all", "all"), ("none", "none"), ("[0, 1]", (0, 1)), ('"0"', (0,)), ("0", (0,)),
     ('"0,1"', (0, 1)), ("[]", "none"), ("[01]", (1,))],
)  # fmt: skip
def test_that_gpus_are_a_word_or_numbers(written: str, meant: object) -> None:
    assert profile_of(f"nodes: [{{host: a, gpus: {written}}}]").nodes[0].gpus == meant


@pytest.mark.parametrize("written", ["some", "[-1]", "[0, 0]", "[a]", "no", "{a: 1}", "[1.5]"])
def test_that_other_gpus_are_refused(written: str) -> None:
    with pytest.raises(ProfileError, match=r"like \[0, 1\]"):
        profile_of(f"nodes: [{{host: a, gpus: {written}}}]")


def test_that_a_node_may_be_a_host_alone() -> None:
    nodes = profile_of("nodes: [gpu001, 2001:db8::5, 0123]").nodes
    assert [node.host for node in nodes] == ["gpu001", "2001:db8::5", "0123"]
    assert [node.name for node in nodes] == ["gpu001", "2001:db8::5", "0123"]


@pytest.mark.parametrize(
    "host",
    ["a b", "-oProxyCommand=x", "$(touch x)", "a;b", "ana@gpu1", "gpu1:22", "[::1]", "gpu[01-04]",
     "a/b", "a\\tb", "a'b", "`x`", "*", "a\\u202eb"],
)  # fmt: skip
def test_that_a_host_holds_nothing_that_a_shell_or_ssh_takes_otherwise(host: str) -> None:
    for key in ("host", "address"):
        other = "" if key == "host" else "host: h, "
        with pytest.raises(ProfileError) as caught:
            profile_of(f'nodes: [{{{other}{key}: "{host}"}}]')
        assert [issue.key for issue in caught.value.issues] == [f"nodes.0.{key}"]


@pytest.mark.parametrize("user", ["-l", "a b", "$(x)", "a;b", "a\\\\"])
def test_that_a_user_is_one_that_ssh_takes(user: str) -> None:
    with pytest.raises(ProfileError, match="must be a login name like ana"):
        profile_of(f'ssh: {{user: "{user}"}}')


@pytest.mark.parametrize("jump", ["ana:geheim@bastion", "-x", "a,,b", "ssh://a", "a:0", "a:x"])
def test_that_a_jump_is_hosts_without_passwords(jump: str) -> None:
    with pytest.raises(ProfileError) as caught:
        profile_of(f'ssh: {{jump: "{jump}"}}')
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    "path",
    [
        "/home/Krzyś/.ssh/id_ed25519",
        "C:\\Users\\用户\\.ssh\\config",
        "/home/e\u0301tude/clew/key",
        '/home/alice/emoji-🚀/it\'s "quoted" $HOME `x`/a',
        "~/.ssh/id_ed25519",
    ],
)
def test_that_odd_paths_are_kept_as_written(path: str) -> None:
    assert build({"ssh": {"identity_file": path}}).ssh.identity_file == path
    assert build({"training": {"dataset": {"path": path}}}).training.dataset.path == path


@pytest.mark.parametrize(
    "data",
    [
        {"name": "a\x1b[31mred"},
        {"name": "a\nb"},
        {"nodes": [{"host": "a", "name": "a\x00"}]},
        {"nodes": [{"host": "a", "name": "-rf"}]},
        {"nodes": [{"host": "a", "name": "../x"}]},
        {"nodes": [{"host": "a", "name": ".."}]},
        {"storage": {"root": ""}},
        {"storage": {"root": "relative/folder"}},
        {"storage": {"root": "~/a/../../etc"}},
        {"environment": {"setup": ["a\nb"]}},
        {"environment": {"variables": {"1A": "x"}}},
        {"environment": {"variables": {"A": "x\x00"}}},
        {"environment": {"python": "--version"}},
        {"ssh": {"identity_file": "/home/alice/line\nbreak"}},
    ],
)
def test_that_a_value_that_would_do_harm_later_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ProfileError) as caught:
        build(data)
    assert len(caught.value.issues) == 1
    assert not any(ord(c) < 32 for c in str(caught.value))


def test_that_long_values_are_shown_short() -> None:
    with pytest.raises(ProfileError) as caught:
        build({"training": {"model": "x" * 5000}})
    assert len(str(caught.value)) < 200


def test_that_data_of_a_form_is_checked_like_a_file() -> None:
    with pytest.raises(ProfileError) as caught:
        build({"nodes": [{"host": "a", "prot": 1}], "training": {"optimizer": {"lr": 1}}})
    assert [(i.line, i.key) for i in caught.value.issues] == [
        (0, "nodes.0.prot"),
        (0, "training.optimizer.lr"),
    ]
    assert "did you mean nodes.0.port?" in caught.value.issues[0].message


def test_that_none_is_the_default_in_data_of_a_form() -> None:
    data = {"name": None, "ssh": None, "nodes": [{"host": "a", "gpus": None, "name": None}]}
    assert build(data) == build({"nodes": ["a"]})
    with pytest.raises(ProfileError, match="must be a text"):
        build({"environment": {"variables": {"A": None}}})


@pytest.mark.parametrize("word", ["yes", "On", "TRUE", "y", "no", "off", "False", "N"])
def test_that_yes_and_no_have_many_words(word: str) -> None:
    assert yes_no(word) is (word.casefold() in ("yes", "on", "true", "y"))


@pytest.mark.parametrize("value", ["", "maybe", "1", None, ["yes"]])
def test_that_anything_else_is_neither_yes_nor_no(value: object) -> None:
    with pytest.raises(ValueError, match="must be yes or no"):
        yes_no(value)


def test_that_true_is_no_number() -> None:
    with pytest.raises(ValueError, match="must be a number"):
        number(True, 1)
    with pytest.raises(ValueError, match="must be a whole number"):
        whole(True, 1)


def test_that_a_profile_cannot_be_changed() -> None:
    profile = build({"nodes": ["a"]})
    with pytest.raises(ValueError, match="frozen"):
        profile.name = "b"


def test_that_packages_are_requirements_of_an_index_and_nothing_else() -> None:
    good = [
        "tensorflow==2.21.*",
        "keras[a, b-c]>=3,<4",
        "numpy",
        "jax ; python_version < '3.12' and sys_platform == \"linux\"",
    ]
    profile = build({"environment": {"packages": good, "wheels": "desktop"}})
    assert profile.environment.packages == tuple(good)
    hostile = [
        "--index-url=http://x", "-r/etc/passwd", "x @ http://y/z.whl", "git+ssh://x/y", "../x",
        "/x", ".", "x.whl", "x-1.tar.gz", "x;rm -rf", "$(id)", "`id`", "x==1;os_name == '`id`'",
        "a b", "x\n--pre", "x==1 --hash=sha256:0", "x[", "x[a;b]", "x==", "x==$(id)", "\u0130x", "",
        "x\\y", "x==1; python_version < '3' or __import__('os')", "file:x", "x" * 200,
    ]  # fmt: skip
    for one in hostile:
        with pytest.raises(ProfileError, match=r"environment\.packages\.1"):
            build({"environment": {"packages": ["numpy", one]}})
    with pytest.raises(ProfileError, match=r'once: "Tensor_Flow==1" and "tensor-flow>2"'):
        build({"environment": {"packages": ["Tensor_Flow==1", "tensor-flow>2"]}})
    with pytest.raises(ProfileError, match="must be one of auto, index, desktop"):
        build({"environment": {"wheels": "pypi"}})
    with pytest.raises(ProfileError, match=r'list like \["tensorflow==2\.21\.\*"\]'):
        build({"environment": {"packages": "tensorflow"}})
