"""Places follow their nodes while these are edited, and come back when that is taken back."""

from __future__ import annotations

from typing import Any

import pytest

from gui.document import Document
from gui.followed import followed

PLACES = {"worker:0": "gpu001/0", "worker:1": "gpu002/1", "ps:0": "gpu001"}


@pytest.mark.parametrize(
    ("after", "wanted"),
    [
        (["new", "gpu002"], {"worker:0": "new/0", "worker:1": "gpu002/1", "ps:0": "new"}),
        (["gpu002", "gpu001"], PLACES),
        (["gpu002"], {"worker:1": "gpu002/1"}),
        (["gpu001", "gpu002", "gpu003"], PLACES),
        ([], {}),
    ],
)
def test_that_places_follow_their_nodes(after: list[str], wanted: dict[str, Any]) -> None:
    before = [{"host": "gpu001"}, {"host": "gpu002"}]
    assert followed(PLACES, before, [{"host": name} for name in after]) == wanted


def test_that_a_name_is_followed_before_the_host() -> None:
    before, after = [{"host": "h", "name": "gpu001"}], [{"host": "h", "name": "b"}]
    assert followed({"ps:0": "gpu001"}, before, after) == {"ps:0": "b"}
    assert followed({"ps:0": "gpu001"}, before, [{"host": "x", "name": "gpu001"}]) == {
        "ps:0": "gpu001"
    }


def test_that_an_edit_of_nodes_keeps_the_profile_right_and_is_one_step() -> None:
    document = Document()
    document.new({"nodes": [{"host": "gpu001"}, {"host": "gpu002"}], "placement": dict(PLACES)})
    document.set_nodes([{"host": "gpu001", "name": "one"}, {"host": "gpu002"}], "rename")
    assert document.placement == {"ps:0": "one", "worker:0": "one/0", "worker:1": "gpu002/1"}
    document.seal()
    document.set_nodes([{"host": "gpu002"}], "remove")
    assert document.placement == {"worker:1": "gpu002/1"}
    document.undo()
    document.undo()
    assert document.placement == {key: PLACES[key] for key in ("ps:0", "worker:0", "worker:1")}


def test_that_nodes_can_be_connected_while_a_place_is_wrong() -> None:
    document = Document()
    document.new({"nodes": [{"host": "gpu001"}], "placement": {"ps:0": "gpu001/0"}})
    assert document.profile is None
    assert document.placement is None
    assert document.connectable is not None
    assert document.connectable.placement == {}
