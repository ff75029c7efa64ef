"""What a stranger puts into a bundle: one sentence each, and the history stays as it was."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from remote.errors import ClewError
from remote.export.bundle import write_bundle
from remote.export.importing import import_bundle
from remote.history import History
from tests.remote.export.run_rows import ID, filled

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    """An empty history, and so it stays: each refusal looks."""
    with closing(History(tmp_path_factory.mktemp("there") / "history.db")) as history:
        yield history


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("here")
    with closing(filled(folder / "here.db")) as history:
        return write_bundle(history, ID, folder / "good.clewrun").read_bytes()


@pytest.fixture
def good(original: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "good.clewrun"
    path.write_bytes(original)
    return path


def contents(path: Path) -> Files:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, files: Files, *, honest: bool = True, **manifest: Any) -> Path:
    """A bundle of ``files``; with ``honest`` its manifest has their hashes."""
    files = dict(files)
    head = {**json.loads(files.pop("manifest.json", b"{}")), **manifest}
    if honest:
        head["files"] = {
            n: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for n, data in files.items()
        }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr("manifest.json", json.dumps(head))
    return path


def refused(history: History, path: Path) -> str:
    """The sentence that an import ends with; nothing is left of it."""
    with pytest.raises(ClewError) as error:
        import_bundle(history, path)
    assert history.runs() == []
    assert history.remarks() == {}
    assert [p.name for p in history.path.parent.iterdir() if p.is_dir()] == []
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_that_a_file_that_is_cut_is_told(there: History, good: Path, share: float) -> None:
    data = good.read_bytes()
    good.write_bytes(data[: int(len(data) * share)])
    assert "is no run bundle, or only a part of one" in refused(there, good)


def test_that_a_bundle_that_was_written_over_is_told(there: History, good: Path) -> None:
    data = bytearray(good.read_bytes())
    with zipfile.ZipFile(good) as archive:
        name = next(n for n in archive.namelist() if n.startswith("events/worker"))
        at = archive.getinfo(name).header_offset + 200
    data[at : at + 40] = os.urandom(40)
    good.write_bytes(data)
    assert "is damaged" in refused(there, good)


def test_that_content_of_another_hash_is_told(there: History, good: Path, tmp_path: Path) -> None:
    files = contents(good)
    files["profile.yaml"] = files["profile.yaml"].replace(b"clew: 1", b"clew: 2")
    bad = written(tmp_path / "bad.clewrun", files, honest=False)
    assert "profile.yaml is not what was written" in refused(there, bad)


def test_that_a_newer_version_is_told(there: History, good: Path, tmp_path: Path) -> None:
    bad = written(tmp_path / "bad.clewrun", contents(good), clewrun=3)
    assert "newer Clew (bundle version 3). Install the newest" in refused(there, bad)


@pytest.mark.parametrize(
    "name", ["../../.bashrc", "/etc/passwd", "events/../../x.jsonl", "C:\\x", "a.py", "events/x"]
)
def test_that_names_beyond_the_known_ones_are_told(
    there: History, good: Path, tmp_path: Path, name: str
) -> None:
    bad = written(tmp_path / "bad.clewrun", contents(good) | {name: b"x"})
    assert "is no run bundle: it names" in refused(there, bad)
    assert not (tmp_path / "x.jsonl").exists()


def test_that_a_bomb_is_not_unpacked(there: History, good: Path, tmp_path: Path) -> None:
    bomb = contents(good) | {"log/worker-0.bin": bytes(120 << 20)}
    bad = written(tmp_path / "bad.clewrun", bomb)
    assert bad.stat().st_size < 1 << 20
    assert "would unpack to far more" in refused(there, bad)


def test_that_a_size_that_lies_does_not_get_past(
    there: History, good: Path, tmp_path: Path
) -> None:
    files = contents(good)
    bad = written(tmp_path / "bad.clewrun", files)
    data = bytearray(bad.read_bytes())
    # The central directory says one byte only; the data are as long as ever.
    at = data.rfind(b"profile.yaml")
    data[at - 22 : at - 18] = (1).to_bytes(4, "little")
    bad.write_bytes(data)
    assert "another size than its manifest says" in refused(there, bad)


def test_that_a_name_that_is_there_twice_is_told(
    there: History, good: Path, tmp_path: Path
) -> None:
    bad = written(tmp_path / "bad.clewrun", contents(good))
    with zipfile.ZipFile(bad, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("run.json", b"{}")
    assert "the same name twice" in refused(there, bad)


Change = Callable[[Files], object]
SAMPLE = (
    b'{"cpu_percent":null,"memory_used_bytes":null,"memory_total_bytes":null,"gpus":[],'
    b'"gpu_note":""}'
)


def sample(body: bytes, boot: bytes = b'"b"', tick: bytes = b"1.0") -> bytes:
    return b'["n",1.0,%s,%s,%s]\n' % (body, boot, tick)


def put(name: str, data: bytes) -> Change:
    return lambda files: files.update({name: data})


def edit(file: str, /, **values: Any) -> Change:
    def change(files: Files) -> None:
        data = json.loads(files[file])
        data.update(values)
        files[file] = json.dumps(data).encode()

    return change


def edit_task(**values: Any) -> Change:
    def change(files: Files) -> None:
        data = json.loads(files["tasks.json"])
        data[1].update(values)
        files["tasks.json"] = json.dumps(data).encode()

    return change


@pytest.mark.parametrize(
    "change",
    [
        edit("run.json", id="20200101-0000-aaaa"),
        edit("run.json", state="glorious"),
        edit("run.json", started_at="soon"),
        edit("run.json", started_at=1e300),
        edit("run.json", name="x" * 100_000),
        edit("run.json", name="\ud800"),
        edit("run.json", result={"run_id": ID}),
        edit("run.json", surprise=1),
        put("run.json", b"[" * 100_000),
        put("run.json", b'{"id": NaN}'),
        put("run.json", b"\xff\xfe"),
        edit_task(task="worker:00"),
        edit_task(task="../../x:0"),
        edit_task(task="ps:0"),
        edit_task(attempt=1 << 70),
        edit_task(gpus="all"),
        edit_task(files=[["passwd", 0, 0, 0]]),
        edit_task(files=[["log", 0, 0, 0]]),
        edit_task(files=[["log", 0, 0, 0, "no hex"]]),
        edit_task(files=[["log", 0, 0, 0, "00" * 513]]),
        edit_task(files=[["log", 0, 0, 0, 7]]),
        put("tasks.json", b"[]"),
        put("tasks.json", b"7"),
        put("events/worker-0.jsonl", b'[0,0,1.0,"no event"]\n'),
        put("events/worker-0.jsonl", b"[0,0]\n"),
        put("events/worker-0.jsonl", b"[0,0,1.0"),
        put("events/worker-0.jsonl", b"x" * (9 << 20)),
        put("log/worker-0.json", b"[[0,0,99999]]"),
        put("log/worker-0.json", b"[[0,0,-1]]"),
        put("log/worker-0.json", b"[]"),
        put("log/worker-0.json", b'[["a"]]'),
        put("samples.jsonl", sample(b'{"gpus":[]}')),
        put("samples.jsonl", sample(b'{"gpus":[{"uuid":1}]}')),
        put("samples.jsonl", sample(SAMPLE)[: -len(b',"b",1.0]\n')] + b"]\n"),
        put("samples.jsonl", sample(SAMPLE, boot=b"7")),
        put("samples.jsonl", sample(SAMPLE, tick=b"1e300")),
        put("samples.jsonl", sample(SAMPLE, tick=b'"soon"')),
        put("marks.jsonl", b'[1.0,"party","",""]\n'),
        put("marks.jsonl", b'[1.0,"failure","nobody",""]\n'),
        put("remark.json", b'{"note":1}'),
        lambda files: files.pop("samples.jsonl"),
        lambda files: files.pop("run.json"),
    ],
)
def test_that_values_of_the_wrong_kind_are_told(
    there: History, good: Path, tmp_path: Path, change: Change
) -> None:
    files = contents(good)
    change(files)
    bad = written(tmp_path / "bad.clewrun", files)
    assert "is no run bundle" in refused(there, bad)


def test_that_two_events_of_one_number_are_told(there: History, good: Path, tmp_path: Path) -> None:
    files = contents(good)
    first = files["events/worker-0.jsonl"].split(b"\n")[0]
    files["events/worker-0.jsonl"] += first.replace(b"[0,0,", b"[0,99999999,", 1) + b"\n"
    bad = written(tmp_path / "bad.clewrun", files)
    assert "it has the same thing twice" in refused(there, bad)


@pytest.mark.parametrize("kind", ["folder", "pipe", "nothing", "text"])
def test_that_what_is_no_file_of_this_kind_is_told(
    there: History, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "odd 'x'.clewrun"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "text":
        path.write_text("clew: 1\n")
    text = refused(there, path)
    assert {"folder": "is no file", "pipe": "is no file"}.get(kind, "no") in text


def test_that_a_manifest_that_is_none_is_told(there: History, tmp_path: Path) -> None:
    for text in (b"[]", b"{", b'{"clewrun": "1"}', b'{"clewrun": 1, "run": "../x", "files": {}}'):
        path = tmp_path / "bad.clewrun"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("manifest.json", text)
        assert "is no run bundle" in refused(there, path)


def test_that_a_good_sample_is_one(there: History, good: Path, tmp_path: Path) -> None:
    """So that what is refused above is refused for what was changed in it."""
    files = contents(good)
    put("samples.jsonl", sample(SAMPLE))(files)
    found = import_bundle(there, written(tmp_path / "good.clewrun", files))
    assert found.added
    assert [(s.boot, s.tick) for s in there.samples(ID)] == [("b", 1.0)]
    there.delete(ID)
