"""What is wrong with a profile's file is said with line, key and what to do, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from remote.errors import Issue, ProfileError
from remote.profile import load, loads
from tests.support.waiting import within

FILES = Path(__file__).parents[1] / "fixtures" / "yaml"


def issues_of(source: str | bytes) -> tuple[Issue, ...]:
    with pytest.raises(ProfileError) as caught:
        loads(source, "lab.yaml")
    return caught.value.issues


def test_that_every_issue_is_told_at_once_with_its_place() -> None:
    found = issues_of(
        "clew: 1\n"
        "nodes:\n"
        "  - {host: gpu001, port: 22:22}\n"
        "  - {host: -oProxyCommand=x}\n"
        "  - {port: 99999}\n"
        "environment: {setup: module load}\n"
        "training:\n"
        "  optimizer: {learning_rate: fast}\n"
        "  stpes: 500\n"
        "  workers: 0\n"
    )
    assert [(i.line, i.key) for i in found] == [
        (3, "nodes.0.port"),
        (4, "nodes.1.host"),
        (5, "nodes.2.host"),
        (5, "nodes.2.port"),
        (6, "environment.setup"),
        (8, "training.optimizer.learning_rate"),
        (9, "training.stpes"),
        (10, "training.workers"),
    ]
    assert 'must be a whole number like 2222, not "22:22"' in found[0].message
    assert "must not begin with a dash" in found[1].message
    assert "did you mean training.steps?" in found[6].message


def test_that_an_issue_reads_as_one_line_that_an_editor_can_jump_to() -> None:
    with pytest.raises(ProfileError) as caught:
        loads("clew: 1\nnodes:\n- host: a\n  prot: 22\n", "lab.yaml")
    assert str(caught.value) == (
        "lab.yaml:4:3: nodes.0.prot: unknown key, did you mean nodes.0.port?"
    )


@pytest.mark.parametrize(
    ("file", "line", "words"),
    [
        ("duplicate.yaml", 10, "lines 7 and 10"),
        ("unknown-same-version.yaml", 4, "did you mean nodes.0.port?"),
        ("unsafe.yaml", 3, "has no place in a profile"),
        ("custom-tag.yaml", 3, 'the YAML tag "!Node" has no place'),
        ("two-documents.yaml", 3, "a second document begins here"),
        ("not-a-mapping.yaml", 1, "not with a list"),
        ("deep.yaml", 1, "nested more than 32 levels deep"),
        ("latin1.yaml", 2, 'not UTF-8 (byte 18, line 2): read as Latin-1 the line is "name: café"'),
        ("tab.yaml", 3, "line 3 starts with a tab; use blanks"),
        ("nbsp.yaml", 2, "line 2 has a no-break blank (U+00A0)"),
        ("escape-char.yaml", 2, "line 2 holds the control character U+001B"),
        ("special-plain.yaml", 3, '"%h" begins with a character that means something to YAML'),
    ],
)
def test_that_a_file_that_is_no_profile_is_refused_in_a_sentence(
    file: str, line: int, words: str
) -> None:
    with pytest.raises(ProfileError) as caught:
        load(FILES / file)
    assert caught.value.issues[0].line == line
    assert words in caught.value.issues[0].message
    assert str(caught.value).startswith(f"{file}:{line}:")
    assert not Path("/tmp/clew-yaml-ran").exists()


def test_that_each_value_that_needs_quotes_is_named() -> None:
    found = issues_of((FILES / "special-plain.yaml").read_bytes())
    assert [issue.line for issue in found] == [3, 4, 5, 6]
    assert all("put this value in quotes" in issue.message for issue in found)


def test_that_two_nodes_of_one_name_are_refused() -> None:
    found = issues_of("clew: 1\nnodes:\n  - {name: gpu01, host: a}\n  - {name: gpu01, host: b}\n")
    assert [(i.line, i.key) for i in found] == [(4, "nodes.1.name")]
    assert "is also nodes.0" in found[0].message


def test_that_composed_and_decomposed_accents_are_one_name() -> None:
    found = issues_of("clew: 1\nnodes: [n\u00e9, {host: b, name: ne\u0301}]\n")
    assert "is also nodes.0" in found[0].message


def test_that_the_version_is_required_and_named() -> None:
    assert "add clew: 1" in issues_of("nodes: [a]\n")[0].message
    assert "the version is written clew: 1" in issues_of("version: 1\n")[0].message
    assert "clew: 1" in issues_of("clew: 1.10\n")[0].message


def test_that_a_newer_profile_opens_read_only() -> None:
    loaded = load(FILES / "newer.yaml")
    assert loaded.read_only
    assert "made by a newer Clew, version 99" in loaded.warnings[0].message
    assert [node.name for node in loaded.profile.nodes] == ["gpu01"]


def test_that_what_a_newer_profile_says_otherwise_is_left_out() -> None:
    loaded = loads("clew: 2\nnodes: [{host: a, port: auto}, {fabric: x}]\nname: lab\n")
    assert loaded.read_only
    assert [(node.host, node.port) for node in loaded.profile.nodes] == [("a", None)]
    assert loaded.profile.name == "lab"


def test_that_an_unknown_key_that_is_like_no_other_is_a_warning() -> None:
    loaded = loads("clew: 1\ncolour: teal\nnodes: [a]\n")
    assert [(w.line, w.key) for w in loaded.warnings] == [(2, "colour")]


def test_that_a_key_in_the_wrong_place_is_shown_its_place() -> None:
    assert "did you mean training.batch_size?" in issues_of("clew: 1\nbatch_size: 3\n")[0].message
    found = issues_of("clew: 1\nnodes: [{host: a, ssh: {user: x}}]\n")
    assert "did you mean ssh, at the top of the file?" in found[0].message


@pytest.mark.parametrize(
    "text",
    [
        "ssh: {password: hunter2}",
        "nodes: [{host: a, passphrase: hunter2}]",
        "plugin: {deep: [{authToken: hunter2}]}",
        "api_key: hunter2",
        "environment: {variables: {HF_TOKEN: hunter2}}",
    ],
)
def test_that_a_secret_is_refused_and_not_repeated(text: str) -> None:
    (issue,) = issues_of(f"clew: 1\n{text}\n")
    assert issue.line == 2
    assert "a secret has no place in a profile" in issue.message
    assert "hunter2" not in issue.text("lab.yaml")


def test_that_tokenizers_are_no_tokens() -> None:
    source = 'clew: 1\nenvironment: {variables: {TOKENIZERS_PARALLELISM: "false"}}\n'
    assert loads(source).profile.environment.variables == {"TOKENIZERS_PARALLELISM": "false"}


def test_that_no_nodes_is_a_warning() -> None:
    assert [w.key for w in loads("clew: 1\n").warnings] == ["nodes"]


@pytest.mark.parametrize("source", [b"", b"# only a comment\n", b"---\n"])
def test_that_an_empty_file_is_told_what_a_small_profile_is(source: bytes) -> None:
    assert "the profile is empty" in issues_of(source)[0].message
    assert "clew: 1\nnodes: [gpu001]" in issues_of(source)[0].message


@pytest.mark.parametrize("file", ["bom-crlf.yaml", "utf16.yaml"])
def test_that_other_unicode_encodings_are_read(file: str) -> None:
    assert load(FILES / file).profile.name in ("café 实验室", "é")


def test_that_utf_16_without_a_mark_is_read() -> None:
    for codec in ("utf-16-le", "utf-16-be"):
        assert loads("clew: 1\nname: é\n".encode(codec)).profile.name == "é"


def test_that_a_latin_1_file_can_be_opened_as_such() -> None:
    assert load(FILES / "latin1.yaml", encoding="latin-1").profile.name == "café"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("clew: 1\nname: 'lab\n", "the quote that opens here is never closed"),
        ("clew: 1\nnodes: [a\nname: b\n", "needs a comma or ]"),
        ("clew: 1\nssh:\n   user: a\n  port: 2\n", "indentation"),
        ("clew: 1\nname:\tlab\n", "has a tab before the value"),
        ('clew: 1\nname: "C:\\x"\n', "a backslash in"),
        ("clew: 1\njust words\n", "write key: value"),
        ("clew: 1\nname: &a lab\n", "YAML anchor"),
        ("clew: 1\nname: *a\n", "put this value in quotes"),
        ("clew: 1\nssh:\n  <<: {user: a}\n", "<< (merging) is not used"),
        ("clew: 1\n? [a]\n: b\n", "a key must be a text"),
        ("clew: 1\nname: a\u2028b\n", "U+2028"),
    ],
)
def test_that_a_slip_in_the_syntax_is_explained_without_tokens(source: str, words: str) -> None:
    found = issues_of(source)
    assert words in found[0].message
    assert found[0].line >= 2


def test_that_aliases_cannot_blow_up() -> None:
    bomb = "clew: 1\na: &a [x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 8)}]\n" for i in range(9)
    )
    assert all("YAML" in issue.message for issue in issues_of(bomb))


def test_that_a_file_of_another_kind_is_refused_at_once() -> None:
    with within(5):
        assert "larger than 1 MiB" in issues_of(b"a: b\n" * 300_000)[0].message
        assert issues_of(b"[" * 500_000)[0].message.startswith("is nested")


@pytest.mark.parametrize("path", ["/dev/zero", "/", "/nowhere/é.yaml", "a\0b"])
def test_that_what_is_no_file_is_said_so(path: str) -> None:
    with pytest.raises(ProfileError, match="cannot read profile"):
        load(path)
