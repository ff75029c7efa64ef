"""Our own reading of ssh_config files, on files that trip others up."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.ssh.config_file import ConfigFiles, ConfigLookup, all_lines, look_up, match_exec_files
from remote.ssh.config_lines import split_words

FILES = Path(__file__).resolve().parents[2] / "fixtures" / "ssh_config"


@pytest.fixture
def home(weird_path: Path) -> Path:
    (weird_path / ".ssh").mkdir()
    return weird_path


def files(home: Path, name: str) -> ConfigFiles:
    return ConfigFiles(home=home, user=FILES / name, system=None)


def find(config: ConfigFiles, host: str) -> ConfigLookup:
    return look_up(config, host, "me", {})


def write(home: Path, text: str) -> ConfigFiles:
    (home / "config").write_text(text)
    return ConfigFiles(home=home, user=home / "config", system=None)


def test_that_includes_are_followed(home: Path) -> None:
    folder = home / ".ssh"
    (folder / "conf.d").mkdir()
    shutil.copy(FILES / "include.config", folder / "config")
    shutil.copy(FILES / "10-lab.conf", folder / "conf.d" / "10-lab.conf")
    shutil.copy(FILES / "lab-only.inc", folder / "conf.d" / "lab-only.inc")
    shutil.copy(FILES / "loop.conf", folder / "loop.conf")
    config = ConfigFiles(home=home, user=folder / "config", system=None)
    here = find(config, "gpu-here")
    assert here.options == {"hostname": ["192.0.2.10"], "user": ["alice"]}
    lab = find(config, "lab-gpu01")
    assert lab.options == {
        "hostname": ["192.0.2.21"],
        "user": ["bob"],
        "port": ["2222"],
        "identityfile": ["~/.ssh/lab_ed25519"],
    }
    looped = find(config, "loop-host")
    assert looped.options["hostname"] == ["192.0.2.66"]
    loop = folder / "loop.conf"
    assert looped.problems == [f"{loop}: line 2: this Include leads back to {loop} and is left out"]


@pytest.mark.parametrize(
    ("host", "options"),
    [
        ("gpu01", {"hostname": "192.0.2.11", "port": "2222"}),
        (
            "gpu02",
            {"hostname": "192.0.2.12", "user": "alice", "identityfile": "~/My Keys/id_ed25519"},
        ),
        ("192.0.2.13", {"user": "bob"}),
        ("gpu04", {"hostname": "192.0.2.14", "identityfile": "~/.ssh/k4"}),
        ("gpu05", {"hostname": "192.0.2.15"}),
        (
            "gpu06",
            {"hostname": "2001:db8::16", "addressfamily": "inet6", "hostkeyalias": "gpu06-key"},
        ),
    ],
)
def test_that_odd_lines_are_read(home: Path, host: str, options: dict[str, str]) -> None:
    lookup = find(files(home, "lexical.config"), host)
    assert lookup.options == {key: [value] for key, value in options.items()}


def test_that_a_bad_line_costs_one_line_and_is_reported(home: Path) -> None:
    config = files(home, "lexical.config")
    assert find(config, "gpu05").problems == [
        f"{config.user}: line 16: User has no value",
        f"{config.user}: line 18: 'ssh' is not a port",
    ]


@pytest.mark.parametrize(
    ("name", "host", "address"),
    [
        ("lexical-bom.config", "gpu07", "192.0.2.17"),
        ("lexical-utf16.config", "gpu08", "192.0.2.18"),
    ],
)
def test_that_files_with_a_byte_order_mark_are_read(
    home: Path, name: str, host: str, address: str
) -> None:
    assert find(files(home, name), host).options["hostname"] == [address]


def test_that_the_first_value_wins_and_identity_files_add_up(home: Path) -> None:
    options = find(files(home, "import-list.config"), "gpu01").options
    assert options["user"] == ["alice"]
    assert options["port"] == ["2200"]
    assert options["hostname"] == ["%h.lab.example"]
    assert options["identitiesonly"] == ["yes"]
    assert [Path(path).name for path in options["identityfile"]] == [
        "lab_ed25519",
        "second_key",
        "id_ed25519",
    ]


def test_that_a_negated_pattern_keeps_a_host_out(home: Path) -> None:
    options = find(files(home, "import-list.config"), "gpu99").options
    assert "user" not in options
    assert options["hostname"] == ["192.0.2.99"]


def test_that_match_exec_runs_nothing(home: Path) -> None:
    config = files(home, "match-exec.config")
    proof = Path("/tmp/clew-import-ran")
    proof.unlink(missing_ok=True)
    lookup = find(config, "gpu01")
    assert not proof.exists()
    assert lookup.options == {"hostname": ["192.0.2.11"], "user": ["alice"]}
    assert [line.number for line in lookup.commands] == [1, 4]
    assert match_exec_files(all_lines(config)) == [config.user]


@pytest.mark.parametrize(
    ("criteria", "applies"),
    [
        ("all", True),
        ("host gpu*", True),
        ("host other,gpu01", True),
        ("host !gpu01,*", False),
        ("!host gpu01", False),
        ("originalhost gpu01 user me", True),
        ("user root", False),
        ("localuser me", True),
        ("canonical", False),
        ("final all", True),
        ('exec "true"', False),
        ('!exec "true"', False),
        ("tagged x", False),
        ("unheard-of x", False),
        ("", False),
        ("host=gpu01", True),
    ],
)
def test_that_match_criteria_hold_as_openssh_has_them(
    home: Path, criteria: str, applies: bool
) -> None:
    config = write(home, f"Match {criteria}\n  User matched\n")
    assert ("user" in find(config, "gpu01").options) is applies


def test_that_a_jump_and_a_command_exclude_each_other(home: Path) -> None:
    config = write(home, "ProxyCommand nc %h %p\nProxyJump other\n")
    assert find(config, "gpu01").options == {"proxycommand": ["nc %h %p"]}
    config = write(home, "ProxyJump none\nProxyCommand nc %h %p\n")
    assert find(config, "gpu01").options == {"proxyjump": ["none"]}


@pytest.mark.parametrize(
    "text",
    [
        'Match exec "true"',
        "match !exec=true",
        '"Match"\t"exec" true',
        "Match host a\rexec true",
        'Match host gpu exec "say "hi" twice" "',
        "Match=exec true",
        "#" * (5 << 20),
    ],
)
def test_that_no_way_to_write_a_command_is_missed(home: Path, text: str) -> None:
    config = write(home, f"Host x\n{text}\n")
    assert match_exec_files(all_lines(config)) == [config.user]


def test_that_other_lines_are_not_taken_for_commands(home: Path) -> None:
    assert (
        match_exec_files(all_lines(write(home, "Host exec\nMatch user exec,x\n#Match exec x\n")))
        == []
    )


def test_that_a_missing_file_says_nothing(home: Path) -> None:
    lookup = find(ConfigFiles(home=home, user=home / "absent", system=None), "gpu01")
    assert lookup.options == {}
    assert lookup.problems == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a b\tc", ["a", "b", "c"]),
        ("'a b' \"c d\"", ["a b", "c d"]),
        ("a #b c", ["a"]),
        ("a#b", ["a#b"]),
        (r"a\ b \"c\"", ["a b", '"c"']),
        ("one # Bob's", ["one"]),
        ("", []),
    ],
)
def test_that_words_are_split_as_openssh_does(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@given(st.binary(max_size=300))
def test_that_any_file_is_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any_config"
    path.write_bytes(b"Host *\n" + data.replace(b"nclude", b"xclude"))
    look_up(ConfigFiles(home=path.parent, user=path, system=None), "gpu01", "me", {})
