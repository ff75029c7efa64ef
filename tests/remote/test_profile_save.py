"""Saving loses nothing: not the old file, its mode, its link, its line ends, nor unknown keys."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from remote.errors import ProfileError
from remote.profile import build, load, loads, save
from tests.support.waiting import PATIENCE_S

REPO = Path(__file__).parents[2]
FILES = REPO / "tests" / "fixtures" / "yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / 'Ömer Çelik\'s "実験室" $HOME'
    made.mkdir()
    return made


def temporary_files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith(".")]


def test_that_only_what_differs_from_the_defaults_is_written(folder: Path) -> None:
    path = folder / "lab.yaml"
    save(build({"nodes": ["a"], "ports": {"first": 2220}, "training": {"steps": 5}}), path)
    assert yaml.safe_load(path.read_text("utf-8")) == {
        "clew": 1,
        "nodes": [{"host": "a"}],
        "training": {"steps": 5},
    }


def test_that_the_result_is_what_loading_gives(folder: Path) -> None:
    path = folder / "lab.yaml"
    saved = save(build({"name": "実験室 🚀", "nodes": ["a"]}), path)
    assert saved == load(path)


def test_that_unknown_keys_are_kept_where_they_were(folder: Path) -> None:
    path = folder / "lab.yaml"
    path.write_text(
        "clew: 1\ncolour: teal\nnodes:\n- {host: a, rack: 07}\n- {host: b, rack: '08'}\n"
        "storage: {quota: 1.50}\n"
    )
    loaded = load(path)
    turned = loaded.profile.model_copy(update={"nodes": loaded.profile.nodes[::-1]})
    save(turned, path, loaded)
    assert yaml.load(path.read_text(), yaml.BaseLoader) == {
        "clew": "1",
        "colour": "teal",
        "nodes": [{"host": "b", "rack": "08"}, {"host": "a", "rack": "07"}],
        "storage": {"quota": "1.50"},
    }
    assert "rack: 07" in path.read_text()  # as it was written, without quotes


def test_that_mode_link_and_line_ends_stay(folder: Path) -> None:
    real, link = folder / "real.yaml", folder / "link.yaml"
    real.write_bytes(b"\xef\xbb\xbfclew: 1\r\nname: caf\xc3\xa9\r\n")
    real.chmod(0o640)
    link.symlink_to("real.yaml")
    loaded = load(link)
    save(loaded.profile.model_copy(update={"nodes": build({"nodes": ["a"]}).nodes}), link, loaded)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert real.read_bytes() == "clew: 1\r\nname: café\r\nnodes:\r\n- host: a\r\n".encode()
    assert sorted(os.listdir(folder)) == ["link.yaml", "real.yaml"]


def test_that_a_file_with_comments_is_copied_before(folder: Path) -> None:
    path = folder / "lab.yaml"
    before = "clew: 1\nname: 'a # b'   # the lab\n"
    path.write_text(before)
    saved = save(load(path).profile, path)
    assert (folder / "lab.yaml.bak").read_text() == before
    path.with_name("lab.yaml.bak").unlink()
    save(saved.profile, path, saved)  # now the file has no comments
    assert not (folder / "lab.yaml.bak").exists()
    assert load(path).profile.name == "a # b"


def test_that_a_file_that_is_no_profile_is_copied_before(folder: Path) -> None:
    path = folder / "lab.yaml"
    path.write_bytes(b"\xff broken")
    save(build({}), path)
    assert (folder / "lab.yaml.bak").read_bytes() == b"\xff broken"


def test_that_a_profile_of_a_newer_clew_is_never_overwritten(folder: Path) -> None:
    path = folder / "newer.yaml"
    before = (FILES / "newer.yaml").read_bytes()
    path.write_bytes(before)
    loaded = load(path)
    with pytest.raises(ProfileError, match="made by a newer Clew"):
        save(loaded.profile, path, loaded)
    with pytest.raises(ProfileError, match="made by a newer Clew"):
        save(loaded.profile, folder / "other.yaml", loaded)
    with pytest.raises(ProfileError, match="made by a newer Clew"):
        save(build({}), path)
    assert path.read_bytes() == before
    assert os.listdir(folder) == ["newer.yaml"]


def test_that_a_new_file_gets_the_mode_that_the_user_wants(folder: Path) -> None:
    old = os.umask(0o027)
    try:
        save(build({}), folder / "a.yaml")
    finally:
        os.umask(old)
    assert stat.S_IMODE((folder / "a.yaml").stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ["missing/lab.yaml", "x" * 300, ".", "a\0b"])
def test_that_a_place_that_takes_no_file_is_said_so(folder: Path, name: str) -> None:
    with pytest.raises(ProfileError, match=r"cannot (save|read profile)"):
        save(build({}), f"{folder}/{name}")
    assert os.listdir(folder) == []


SMALL_DISK = """
import resource, sys
from remote.errors import ProfileError
from remote.profile import build, save
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    save(build({"nodes": [f"gpu{i}" for i in range(50)]}), sys.argv[1])
except ProfileError as error:
    print(error)
"""


def test_that_the_old_file_stays_when_the_new_one_cannot_be_written(folder: Path) -> None:
    path = folder / "lab.yaml"
    path.write_text("clew: 1\nname: old\n")
    done = run(SMALL_DISK, str(path))
    assert "cannot save" in done
    assert path.read_text() == "clew: 1\nname: old\n"
    assert temporary_files(folder) == []


PLAIN_LOCALE = """
import sys
from remote.errors import ProfileError
from remote.profile import load, loads, save
loaded = load(sys.argv[1])
save(loaded.profile, sys.argv[1] + ".copy", loaded)
assert load(sys.argv[1] + ".copy").profile == loaded.profile
try:
    load(sys.argv[2])
except ProfileError as error:
    sys.stdout.buffer.write(str(error).encode("utf-8"))
"""


def test_that_it_works_under_the_c_locale(folder: Path) -> None:
    path = folder / "実験室.yaml"
    path.write_bytes((FILES / "bom-crlf.yaml").read_bytes())
    said = run(PLAIN_LOCALE, str(path), str(FILES / "latin1.yaml"))
    assert 'read as Latin-1 the line is "name: café"' in said
    assert loads((folder / "実験室.yaml.copy").read_bytes()).profile.name == "café 实验室"


def run(script: str, *arguments: str) -> str:
    environment = {
        "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(REPO),
    }  # fmt: skip
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done.stdout.decode("utf-8")


def test_that_a_write_protected_file_is_not_replaced(folder: Path) -> None:
    path = folder / "lab.yaml"
    path.write_text("clew: 1\n")
    path.chmod(0o444)
    with pytest.raises(ProfileError, match="write-protected"):
        save(build({"name": "new"}), path)
    assert path.read_text() == "clew: 1\n"
