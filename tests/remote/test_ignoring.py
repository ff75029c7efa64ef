"""What a folder's pattern files leave out stays on the desktop."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from remote.bundle import code_tree, folder_tree
from remote.errors import DataError

NAMES = ("a", "b.log", "build", "keep.log", "ü x")


def made(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def paths(folder: Path) -> list[str]:
    return [file.path for file in code_tree(folder).files]


def test_that_code_stays_here_that_git_or_clew_leave_out(weird_path: Path) -> None:
    folder = made(
        weird_path,
        {
            ".gitignore": "*.log\n/out/\n!keep.log\nsecret.env\n",
            ".clewignore": "big/\n!secret.env\n",
            "sub/.gitignore": "local.py\n",
            "train.py": "",
            "a.log": "",
            "keep.log": "",
            "out/x.py": "",
            "sub/out/x.py": "",
            "sub/local.py": "",
            "local.py": "",
            "big/weights.bin": "",
            "secret.env": "",
        },
    )
    assert paths(folder) == ["keep.log", "local.py", "secret.env", "sub/out/x.py", "train.py"]


def test_that_a_data_set_minds_only_clewignore(weird_path: Path) -> None:
    folder = made(
        weird_path,
        {".gitignore": "*\n", ".clewignore": "raw/\n", "raw/1.tif": "", "train/1.png": ""},
    )
    assert [f.path for f in folder_tree(folder, "d").files] == [".gitignore", "train/1.png"]


@pytest.mark.parametrize("line", ["!", "\\", "[z-a]"])
def test_that_a_line_that_is_no_pattern_is_said(tmp_path: Path, line: str) -> None:
    made(tmp_path, {".clewignore": f"ok\n{line}\n", "a.py": ""})
    with pytest.raises(DataError, match=r"\.clewignore holds a line that is no pattern") as caught:
        code_tree(tmp_path)
    assert caught.value.remedy


def test_that_a_pattern_file_in_another_encoding_is_read(tmp_path: Path) -> None:
    made(tmp_path, {"a.py": "", "b.log": ""})
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbf*.log\r\nl\xe4b\r\n")
    assert paths(tmp_path) == ["a.py"]


PATTERNS = st.lists(
    st.sampled_from(
        [
            "*",
            "!*",
            "!*/",
            "!*.log",
            "!build/",
            "build/**",
            "a",
            "/a",
            "a/",
            "build/",
            "*.log",
            "!keep.log",
            "**/a",
        ]
    ),
    max_size=4,
)


@example(top=[], inner=["build/**", "!*.log"])
@example(top=["*", "!*/", "!*.log"], inner=["!*", "build/"])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(top=PATTERNS, inner=PATTERNS)
def test_that_it_agrees_with_git(
    tmp_path_factory: pytest.TempPathFactory, top: list[str], inner: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("git")
    files = {f"{d}{name}": "" for d in ("", "build/", "a-dir/", "a-dir/build/") for name in NAMES}
    files = {k: v for k, v in files.items() if k not in ("build", "a-dir/build")}
    made(folder, {**files, ".gitignore": "\n".join(top), "a-dir/.gitignore": "\n".join(inner)})
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--others", "--exclude-standard"],
        cwd=folder,
        check=True,
        capture_output=True,
    ).stdout.decode()
    by_git = {name for name in listed.split("\0") if name and not name.endswith(".gitignore")}
    try:
        ours = set(paths(folder))
    except DataError:  # nothing is left of it
        ours = set()
    assert ours == by_git
