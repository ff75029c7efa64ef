"""A run leaves one history as a file and is in another exactly as it was."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.errors import Cancelled, ClewError
from remote.export import bundle, content
from remote.export.bundle import write_bundle
from remote.export.importing import import_bundle
from remote.history import Batch, EventAssembler, FilePart, History, Remark, RunRecord, TaskRecord
from remote.history.transfer import RunRows
from remote.session import replay
from tests.remote.export.run_rows import ID, W0, all_rows, fill, filled
from trainer.events import Body, Event, Notice, Steps, encode


@pytest.fixture
def here(tmp_path: Path) -> Iterator[History]:
    with closing(filled(tmp_path / "hère 'a'" / "history.db")) as history:
        yield history


@pytest.fixture
def there(tmp_path: Path) -> Iterator[History]:
    with closing(History(tmp_path / "there" / "history.db")) as history:
        yield history


def test_that_an_imported_run_has_the_same_rows_and_replays_the_same(
    here: History, there: History, tmp_path: Path
) -> None:
    file = write_bundle(here, ID, tmp_path / "ä b.clewrun")
    found = import_bundle(there, file)
    assert found.added
    assert found.run_id == ID
    assert all_rows(there) == all_rows(here)
    assert list(replay(there, ID)) == list(replay(here, ID))
    remark, old = there.remark(ID), here.remark(ID)
    assert (remark.note, remark.tags) == (old.note, old.tags)
    assert remark.imported_at is not None
    assert not there.overview()[0].going_on


def test_that_the_same_run_twice_changes_nothing(here: History, tmp_path: Path) -> None:
    file = write_bundle(here, ID, tmp_path / "a.clewrun")
    here.set_note(ID, "written later")
    assert not import_bundle(here, file).added
    assert here.remark(ID).note == "written later"
    assert here.remark(ID).imported_at is None


def test_that_another_run_of_the_same_name_is_told(
    here: History, there: History, tmp_path: Path
) -> None:
    fill(there, steps=20)
    before = all_rows(there)
    file = write_bundle(here, ID, tmp_path / "a.clewrun")
    with pytest.raises(ClewError, match="already, with other content") as error:
        import_bundle(there, file)
    assert "Delete that run first" in str(error.value)
    assert all_rows(there) == before


def test_that_a_bundle_has_no_secrets_and_no_place_of_this_computer(tmp_path: Path) -> None:
    with closing(History(tmp_path / "h.db")) as history:
        profile = (
            "clew: 1\nenvironment:\n  setup:\n    - export HF_TOKEN=hunter2 && make\n"
            "    - 'pip config set x https://ana:hunter2@example.org/simple'\n"
        )
        training = json.dumps(
            {"command": ["python", "t.py", "--api-key=hunter2", "--token", "hunter2"], "steps": 3}
        )
        path = str(tmp_path / "private" / "lab.yaml")
        record = RunRecord(
            run_id=ID, name="", started_at=1.0, profile=profile, profile_path=path,
            training=training,
        )  # fmt: skip
        history.add_run(record, [])
        file = write_bundle(history, ID, tmp_path / "a.clewrun")
        with zipfile.ZipFile(file) as archive:
            everything = b"".join(archive.read(name) for name in archive.namelist())
        assert b"hunter2" not in everything
        assert b"private" not in everything
        assert b"&& make" in everything
        assert not import_bundle(history, file).added  # what was removed makes no other run of it


def test_that_a_cancelled_bundle_leaves_what_was_there(here: History, tmp_path: Path) -> None:
    target = tmp_path / "a.clewrun"
    target.write_bytes(b"older")
    with pytest.raises(Cancelled):
        write_bundle(here, ID, target, cancelled=lambda: True)
    assert target.read_bytes() == b"older"
    assert [path.name for path in tmp_path.glob(".clew*")] == []


def test_that_a_cancelled_import_leaves_nothing(
    here: History, there: History, tmp_path: Path
) -> None:
    file = write_bundle(here, ID, tmp_path / "a.clewrun")
    asked = 0

    def later() -> bool:
        nonlocal asked
        asked += 1
        return asked > 12

    with pytest.raises(Cancelled):
        import_bundle(there, file, cancelled=later)
    assert there.runs() == []
    assert sorted(p.name for p in there.path.parent.iterdir() if p.is_dir()) == []
    assert import_bundle(there, file).added


def test_that_progress_comes_to_its_end(here: History, there: History, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    file = write_bundle(here, ID, tmp_path / "a.clewrun")
    import_bundle(there, file, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_that_a_place_that_cannot_be_written_is_told(here: History, tmp_path: Path) -> None:
    with pytest.raises(ClewError, match="cannot be written"):
        write_bundle(here, ID, tmp_path / "no such folder" / "a.clewrun")


texts = st.text(st.characters(codec="utf-8"), max_size=30)
floats = st.floats(allow_nan=True, allow_infinity=True)
times = st.floats(-1e10, 1e10)


@settings(max_examples=6, deadline=None)
@given(
    name=texts,
    losses=st.lists(floats, max_size=5),
    words=st.lists(texts, max_size=3),
    ats=st.lists(times, min_size=8, max_size=8),
    log=st.lists(st.binary(min_size=1, max_size=20), max_size=4),
    note=texts,
)
def test_that_any_run_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    losses: list[float],
    words: list[str],
    ats: list[float],
    log: list[bytes],
    note: str,
) -> None:
    folder = tmp_path_factory.mktemp("any")
    bodies: list[Body] = [Steps(steps=(i,), losses=(x,), times=(1.0,), examples=1, window_s=1.0)
              for i, x in enumerate(losses)]  # fmt: skip
    bodies += [Notice(level="info", text=text) for text in words]
    data = b"".join(
        encode(Event(t=1.0, seq=seq, attempt=1, body=body)) for seq, body in enumerate(bodies)
    )
    with closing(History(folder / "a.db")) as one, closing(History(folder / "b.db")) as other:
        one.add_run(RunRecord(run_id=ID, name=name, started_at=ats[0]), [
            TaskRecord(task=W0, node=name, root=note)
        ])  # fmt: skip
        placed = EventAssembler().feed(0, data)
        places = [sum(map(len, log[:at])) for at in range(len(log))]
        one.append(ID, Batch(files=[
            FilePart(task=W0, file="events", generation=0, offset=len(data),
                     events=list(zip(ats, placed, strict=False))),
            FilePart(task=W0, file="log", generation=3, offset=sum(map(len, log)),
                     log=list(zip(places, log, strict=True))),
        ]))  # fmt: skip
        one.set_note(ID, note)
        import_bundle(other, write_bundle(one, ID, folder / "x.clewrun"))
        assert all_rows(other) == all_rows(one)
        assert other.remark(ID).note == one.remark(ID).note


def test_that_a_bundle_of_an_older_clew_is_taken_and_is_the_same_run(
    here: History, there: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first(rows: RunRows, remark: Remark) -> Iterator[content.Entry]:
        return content.entries(rows, remark, 1)

    monkeypatch.setattr(bundle, "VERSION", 1)
    monkeypatch.setattr(bundle, "entries", first)
    file = write_bundle(here, ID, tmp_path / "old.clewrun")
    assert not import_bundle(here, file).added, "it is the run that it was made of"
    assert import_bundle(there, file).added
    assert not import_bundle(there, file).added
    old, new = all_rows(here), all_rows(there)
    assert new["events worker:0"] == old["events worker:0"]
    assert [s.t for s in there.samples(ID)] == [s.t for s in here.samples(ID)]
    assert {(s.boot, s.tick) for s in there.samples(ID)} == {("", None)}
