"""Wheels for another computer's Python, fetched by this one's pip."""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.bundle import Tree
from remote.errors import Cancelled, ClewError, NodeError
from remote.facts import BasePython
from remote.wheels import WheelStore, tags
from tests.support.wheel_index import Index, Wheel, serving

NODE = BasePython(
    executable="/usr/bin/python3",
    version="3.12.4",
    machine="aarch64",
    libc="glibc 2.31",
    soabi="cpython-312-aarch64-linux-gnu",
    free_threaded=False,
    ensurepip=True,
    markers={
        "implementation_name": "cpython",
        "implementation_version": "3.12.4",
        "os_name": "posix",
        "platform_machine": "aarch64",
        "platform_python_implementation": "CPython",
        "platform_release": "6.1",
        "platform_system": "Linux",
        "platform_version": "#1",
        "python_full_version": "3.12.4",
        "python_version": "3.12",
        "sys_platform": "linux",
    },
)
FITS = "cp312-cp312-manylinux_2_28_aarch64"
TOP = Wheel(
    "clew_top",
    needs=[
        'clew-arm; platform_machine == "aarch64"',
        'clew-absent; platform_machine == "x86_64"',
        'clew-absent; python_version < "3.12"',
    ],
)
ARM = Wheel("clew_arm", "1.0", tag=FITS)
TOO_NEW = Wheel("clew_arm", "2.0", tag="cp312-cp312-manylinux_2_38_aarch64")


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    with serving(TOP, ARM, TOO_NEW) as found:
        monkeypatch.setenv("PIP_INDEX_URL", found.url)
        yield found


def get(store: WheelStore, *packages: str, base: BasePython = NODE) -> Tree:
    return store.get(packages, base, lambda done, total: None, lambda: False)


def test_that_what_fits_the_node_is_fetched_once_and_known_again(
    index: Index, weird_path: Path
) -> None:
    store, trees = WheelStore(weird_path), list[Tree]()
    # Equal nodes: a kernel's build is nothing that a wheel depends on.
    twin = dataclasses.replace(NODE, markers={**NODE.markers, "platform_release": "6.2"})
    threads = [
        threading.Thread(target=lambda base=base: trees.append(get(store, "clew-top", base=base)))
        for base in (NODE, twin)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [file.path for file in trees[0].files] == [ARM.filename, TOP.filename]
    assert trees[0].id == trees[1].id
    assert (index.fetched(TOP), index.fetched(ARM), index.fetched(TOO_NEW)) == (1, 1, 0)
    assert store.digests(["clew-top"]) == (trees[0].id.digest,)
    assert store.digests(["clew-arm"]) == ()
    assert [path.name for path in weird_path.iterdir() if path.name.startswith(".")] == []


def test_that_what_cannot_be_fetched_is_one_sentence(index: Index, tmp_path: Path) -> None:
    with pytest.raises(ClewError, match=r"on this computer: .*clew-missing that fits Python 3\.12"):
        get(WheelStore(tmp_path), "clew-missing")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Cancelled):
        WheelStore(tmp_path).get(["clew-top"], NODE, lambda done, total: None, lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_that_a_python_without_pip_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(ClewError, match="has no pip to fetch wheels with") as caught:
        get(WheelStore(tmp_path), "clew-top")
    assert "ensurepip" in caught.value.remedy


def test_that_platforms_are_those_that_pip_would_take_on_the_node() -> None:
    assert tags.platforms(NODE)[:2] == ["manylinux_2_31_aarch64", "manylinux_2_30_aarch64"]
    assert tags.platforms(NODE)[-3:] == [
        "manylinux_2_17_aarch64",
        "manylinux2014_aarch64",
        "linux_aarch64",
    ]
    intel = dataclasses.replace(NODE, machine="x86_64")
    assert tags.platforms(intel)[-2:] == ["manylinux1_x86_64", "linux_x86_64"]
    musl = dataclasses.replace(NODE, libc="", soabi="cpython-312-aarch64-linux-musl")
    assert tags.platforms(musl)[0] == "musllinux_1_2_aarch64"
    free = tags.options(dataclasses.replace(NODE, free_threaded=True, version="3.13.1"))
    assert free[free.index("--abi") + 1] == "cp313t"
    other = dataclasses.replace(NODE, markers={"implementation_name": "pypy"})
    with pytest.raises(NodeError, match="CPython only"):
        tags.options(other)
