"""Any spec and any checkpoint is used or refused in one sentence, before a step is taken."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trainer.test_checkpoints import DENSE, save
from trainer.checkpoints import CheckpointStore
from trainer.failures import BadSpec
from trainer.spec import ClusterSpec, DatasetSpec, TaskId, TaskSpec, TrainingSpec, to_json
from trainer.task import read_spec

GOOD = to_json(
    TaskSpec(
        run_id="run",
        task=TaskId("worker", 1),
        cluster=ClusterSpec(ps=("127.0.0.1:1",), worker=("127.0.0.1:2", "127.0.0.1:3")),
        training=TrainingSpec(dataset=DatasetSpec(name="mnist", path="/data")),
        data_dir="/data",
        checkpoint_dir="/checkpoints",
    )
)
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -(10**400), 2**63, -1, 0, 1e308, -0.0]),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["worker:1", "lamb", "a.b:c", "ps:-1", "127.0.0.1:99999", "\ud800", "x\ny"]),
    st.lists(st.one_of(st.text(max_size=5), st.integers(), st.none()), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
)
FEW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def places(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all values in nested mappings."""
    for key, inner in value.items():
        yield (*path, key)
        if isinstance(inner, dict):
            yield from places(inner, (*path, key))


def changed(value: dict[str, Any], path: tuple[str, ...], new: Any) -> dict[str, Any]:
    inner = new if len(path) == 1 else changed(value[path[0]], path[1:], new)
    return {**value, path[0]: inner}


def assert_one_sentence(text: str) -> None:
    assert text.isprintable(), text
    assert 10 < len(text) < 2000


@FEW
@given(
    changes=st.lists(st.tuples(st.sampled_from(list(places(GOOD))), ODD), min_size=1, max_size=3),
    unknown=st.booleans(),
)
def test_that_any_spec_is_used_or_refused_in_one_sentence(
    tmp_path: Path, changes: list[tuple[tuple[str, ...], Any]], unknown: bool
) -> None:
    spec = GOOD
    for place, new in sorted(changes, key=lambda change: -len(change[0])):
        spec = changed(spec, place, new)
    if unknown:
        spec = {**spec, "surprise\n": 1}
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(spec), encoding="utf-8")
    try:
        found = read_spec(path)
    except BadSpec as refused:
        assert_one_sentence(str(refused))
        return
    assert not unknown
    assert not list(found.training.problems())
    assert to_json(found)  # it can travel on


@pytest.mark.parametrize("content", [b"\0", b"\xff\xfe{", b"nul", b'{"a":' * 3000, b'"x"', b"NaN"])
def test_that_any_bytes_are_no_spec_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "spec.json"
    path.write_bytes(content)
    with pytest.raises(BadSpec) as refused:
        read_spec(path)
    assert_one_sentence(str(refused.value))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    save(folder, 3)
    return folder


def look_at(folder: Path) -> CheckpointStore:
    """A store that was asked for everything; whatever it found is sound."""
    store = CheckpointStore(folder, "run B", DENSE, tensorflow="2.21.0")
    try:
        store.check()
    except BadSpec as refused:
        assert_one_sentence(str(refused))
        return store
    found = store.load()
    if found is not None:
        assert 0 <= found[1].step <= 10**12
        for (_, shape), array in zip(DENSE.variables, found[1].arrays["parameters"], strict=True):
            assert array.shape == shape
            assert array.dtype == np.float32
    for why in store.passed_over.values():
        assert why
        assert "\n" not in why
    return store


@FEW
@given(
    place=st.floats(0, 1, exclude_max=True),
    noise=st.binary(min_size=1, max_size=8),
    cut=st.integers(0, 400),
)
def test_that_damaged_arrays_are_used_or_passed_over(
    saved: Path, tmp_path: Path, place: float, noise: bytes, cut: int
) -> None:
    folder = tmp_path / "c"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(saved, folder)
    (path,) = folder.glob("*.npz")
    content = bytearray(path.read_bytes())
    # Most of the file are the arrays themselves: half of the damage goes to the directory.
    at = int(place * len(content)) if cut % 2 else len(content) - 1 - int(place * 1200)
    content[at : at + len(noise)] = noise
    del content[len(content) - cut :]
    path.write_bytes(content)
    manifest = path.with_suffix(".json")
    told = json.loads(manifest.read_bytes())
    manifest.write_text(json.dumps({**told, "bytes": len(content)}))
    look_at(folder)


@FEW
@given(data=st.data(), new=ODD)
def test_that_an_odd_manifest_is_used_or_passed_over(
    saved: Path, tmp_path: Path, data: st.DataObject, new: Any
) -> None:
    folder = tmp_path / "c"
    if not folder.exists():
        shutil.copytree(saved, folder)
    manifest = folder / "step-000000000003.json"
    told = json.loads((saved / manifest.name).read_bytes())
    path = data.draw(st.sampled_from(list(places(told))))
    manifest.write_text(json.dumps(changed(told, path, new)), encoding="utf-8")
    look_at(folder)


def test_that_what_is_passed_over_is_told_with_its_reason(weird_path: Path) -> None:
    """Zero bytes, a folder for a file, another type, a lacking file; the sound one is used."""
    store = save(weird_path, 1, 2, 3)
    names = [f"step-{step:012d}" for step in (1, 2, 3, 4, 5)]
    (weird_path / f"{names[1]}.npz").unlink()
    (weird_path / f"{names[2]}.npz").write_bytes(b"")
    (weird_path / f"{names[3]}.json").mkdir()
    told = json.loads((weird_path / f"{names[0]}.json").read_bytes())
    first, second = (np.zeros(shape, np.float64) for _, shape in DENSE.variables)
    with (weird_path / f"{names[4]}.npz").open("wb") as file:
        np.savez(file, **{"parameters/0": first, "parameters/1": second})  # type: ignore[arg-type]
    size = (weird_path / f"{names[4]}.npz").stat().st_size
    told = {**told, "step": 5, "bytes": size, "arrays": ["parameters"]}
    (weird_path / f"{names[4]}.json").write_text(json.dumps(told))
    found = store.load()
    assert found is not None
    assert found[0].step == 1
    why = {name.removesuffix(".npz"): text for name, text in store.passed_over.items()}
    assert set(why) == set(names[1:])
    assert why[names[1]] == "No such file or directory"
    assert "it has 0 bytes, and its manifest says" in why[names[2]]
    assert why[names[3]] == "Is a directory"
    assert "is float64 512x10 in it, not float32 512x10" in why[names[4]]
