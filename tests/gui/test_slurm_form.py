"""The form of a Slurm cluster: every choice of the profile, its mistakes, what the cluster has."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from gui.cluster_page import ClusterPage
from gui.enabling import WHY
from gui.node_table import ADDRESS, HOST, USER
from gui.palette_entries import window_entries
from gui.slurm_data import NO_BOARD, changed, value_of
from gui.slurm_form import SlurmForm
from gui.training_page import TrainingPage
from gui.window import MainWindow
from remote import profile
from remote.link import Partition, SlurmLook
from remote.profile import SlurmCluster
from remote.updates import NodeUpdate

LOOK = SlurmLook(
    version="23.02.7",
    cluster="lab",
    partitions=(
        Partition(
            name="gpu", default=True, up=True, time_limit_s=7200.0, nodes=8, nodes_free=3,
            cpus_per_node=16, memory_mb=131072, gpus={"a100": 16, "v100": 8},
            gpus_free={"a100": 5}, gpus_per_node={"a100": 4, "v100": 2},
        ),
        Partition(
            name="debug", default=False, up=False, time_limit_s=None, nodes=1, nodes_free=0,
            cpus_per_node=0, memory_mb=0, gpus={}, gpus_free={}, gpus_per_node={},
        ),
    ),
)  # fmt: skip


@pytest.fixture
def page(window: MainWindow) -> ClusterPage:
    """The Cluster page after "Add a Slurm cluster…" at the start."""
    window.start_page.slurm_button.click()
    found = window.page("cluster")
    assert isinstance(found, ClusterPage)
    assert window.current_page == "cluster"
    return found


def typed(qtbot: QtBot, form: SlurmForm, key: str, text: str) -> None:
    widget = form.fields[key].input
    if isinstance(widget, QComboBox):
        widget.setEditText(text)
    else:
        widget.selectAll()
        qtbot.keyClick(widget, Qt.Key.Key_Delete)
        qtbot.keyClicks(widget, text)
        widget.editingFinished.emit()


def test_that_every_choice_of_the_profile_has_a_field_with_help(page: ClusterPage) -> None:
    asked = {key.removeprefix("login.") for key in page.slurm.fields}
    assert asked >= set(SlurmCluster.model_fields) - {"login"}
    for key, field in page.slurm.fields.items():
        assert field.info.help, key
        assert field.input.accessibleName()


def test_that_what_is_typed_is_the_profile_and_comes_back(
    page: ClusterPage, window: MainWindow, qtbot: QtBot, odd_path: Path
) -> None:
    form, document = page.slurm, window.controller.document
    values = {
        "login.host": "login1", "login.user": "ana", "nodes": "2", "gpus_per_node": "4",
        "gpu_type": "a100", "cpus_per_task": "16", "memory": "64G", "time": "1-12:00:00",
        "partition": "gpu", "account": "physics", "qos": "high", "constraint": "a100&nvlink",
        "reservation": "course", "address": "{host}-ib0",
        "extra": "--exclusive --mail-user=ana@lab.edu",
    }  # fmt: skip
    for key, text in values.items():
        typed(qtbot, form, key, text)
    assert document.profile is not None, document.issues
    slurm = document.profile.cluster.slurm
    assert slurm is not None
    assert (slurm.login.host, slurm.login.user, slurm.nodes, slurm.gpus_per_node) == (
        "login1", "ana", 2, 4,
    )  # fmt: skip
    assert slurm.extra == ("--exclusive", "--mail-user=ana@lab.edu")
    path = odd_path / "slurm.yaml"
    document.save(path)
    assert window.open_profile(str(path))
    assert {key: form.fields[key].raw() for key in values} == values
    assert profile.load(path).profile == document.profile


def test_that_mistakes_are_beside_their_fields(
    page: ClusterPage, window: MainWindow, qtbot: QtBot
) -> None:
    form = page.slurm
    typed(qtbot, form, "login.host", "login1")
    for key, text, words in (
        ("time", "soon", "ust be minutes"),
        ("memory", "much", "ust be a size"),
        ("gpu_type", "a100", "gpus_per_node"),
        ("extra", "--job-name=x", "--job-name"),
        ("nodes", "0", "between"),
    ):
        typed(qtbot, form, key, text)
        assert words in form.fields[key].note.text(), key
        assert window.controller.document.profile is None
        typed(qtbot, form, key, "")
        assert form.fields[key].note.text() == form.fields[key].info.help
    assert window.controller.document.profile is not None


def test_that_undo_goes_through_the_document(
    page: ClusterPage, window: MainWindow, qtbot: QtBot
) -> None:
    form, actions = page.slurm, window.actions_by_name
    typed(qtbot, form, "login.host", "login1")
    typed(qtbot, form, "partition", "gpu")
    window.controller.document.seal()
    typed(qtbot, form, "nodes", "3")
    actions["undo"].trigger()
    assert form.fields["nodes"].raw() is None
    assert form.fields["partition"].raw() == "gpu"
    actions["redo"].trigger()
    assert form.fields["nodes"].raw() == "3"


def test_that_the_cluster_s_partitions_can_be_chosen_and_are_held_against_the_job(
    page: ClusterPage, window: MainWindow, qtbot: QtBot
) -> None:
    form, document = page.slurm, window.controller.document
    typed(qtbot, form, "login.host", "login1")
    before = document.data
    form.show_look(LOOK)
    assert document.data == before, "what the cluster has is no edit"
    table = form.partitions
    cells = [table.item(0, column) for column in range(table.columnCount())]
    texts = [cell.text() for cell in cells if cell is not None]
    assert texts == ["gpu (default)", "3 of 8", "5 of 16 a100, 0 of 8 v100", "2:00:00", "16",
                     "128 GiB"]  # fmt: skip
    box = form.fields["partition"].input
    assert isinstance(box, QComboBox)
    assert [box.itemText(i) for i in range(box.count())] == ["", "gpu", "debug"]
    assert "takes a job of one node" in form.fit.text()
    typed(qtbot, form, "gpus_per_node", "6")
    assert "at most" in form.fit.text()
    table.itemActivated.emit(table.item(1, 0))
    assert document.slurm is not None
    assert document.slurm["partition"] == "debug"
    assert "down" in form.fit.text()
    typed(qtbot, form, "partition", "not listed")
    assert box.currentText() == "not listed"


def test_that_the_login_is_a_row_and_lent_nodes_come_and_go(
    page: ClusterPage, window: MainWindow, qtbot: QtBot
) -> None:
    typed(qtbot, page.slurm, "login.host", "login1")
    model, nodes = page.model, window.controller.models.nodes
    assert [model.name(row) for row in range(model.rowCount())] == ["login1"]
    model.setData(model.index(0, USER), "ana", Qt.ItemDataRole.EditRole)
    assert page.slurm.fields["login.user"].raw() == "ana"
    assert not model.flags(model.index(0, ADDRESS)) & Qt.ItemFlag.ItemIsEditable
    nodes.apply(NodeUpdate(node="gpu01", state="ready"))
    page.refresh(0.0)
    assert [model.name(row) for row in range(model.rowCount())] == ["login1", "gpu01"]
    assert not model.flags(model.index(1, HOST)) & Qt.ItemFlag.ItemIsEditable
    assert page.ssh_command(1) == "ssh -l ana -- login1 -t ssh gpu01"
    assert nodes.keep_only(["login1"])
    assert not nodes.keep_only(["login1"])
    page.refresh(1.0)
    assert model.rowCount() == 1


def test_that_what_does_not_apply_says_why(
    page: ClusterPage, window: MainWindow, qtbot: QtBot
) -> None:
    typed(qtbot, page.slurm, "login.host", "login1")
    for name in ("add_node", "import_hosts"):
        assert "Slurm gives the nodes" in window.actions_by_name[name].property(WHY)
    assert not page.add_button.isEnabled()
    assert "Slurm" in page.remove_button.toolTip()
    assert not window.controller.why_not_connect()
    window.show_page("training")
    training = window.page("training")
    assert isinstance(training, TrainingPage)
    assert training.plan_card.empty.text() == NO_BOARD


def test_that_a_page_that_is_made_later_is_no_different(window: MainWindow) -> None:
    window.controller.document.new({"cluster": {"slurm": {"login": "login1"}}})
    page = window.page("cluster")
    assert isinstance(page, ClusterPage)
    assert not page.add_button.isEnabled()
    assert not page.slurm.isHidden()


def test_that_an_empty_login_is_no_mistake_but_the_next_step(
    page: ClusterPage, window: MainWindow
) -> None:
    assert "Type the host name" in window.controller.why_not_connect()
    assert page.model.is_new(0)


def test_that_the_palette_has_it_and_a_profile_of_nodes_is_left_alone(
    window: MainWindow, profile_file: Path
) -> None:
    assert window.open_profile(str(profile_file))
    before = profile_file.read_bytes()
    entry = next(e for e in window_entries(window) if "Slurm" in e.title)
    entry.do()
    document = window.controller.document
    assert document.path is None
    assert document.slurm == {"login": ""}
    assert profile_file.read_bytes() == before


def test_that_an_open_profile_without_nodes_becomes_one_and_undo_takes_it_back(
    window: MainWindow,
) -> None:
    document = window.controller.document
    document.new({"training": {"batch_size": "16"}})
    window.actions_by_name["add_slurm"].trigger()
    assert document.slurm == {"login": ""}
    assert document.training() == {"batch_size": "16"}
    window.actions_by_name["undo"].trigger()
    assert document.slurm is None


@pytest.mark.parametrize("login", ["login1", {"host": "login1", "port": 22, "jump": "gate"}])
def test_that_a_login_keeps_what_the_form_does_not_show(login: object) -> None:
    slurm = changed({"login": login, "nodes": 2}, "login.user", "ana")
    assert value_of(slurm, "login.host") == "login1"
    assert value_of(slurm, "login.user") == "ana"
    if isinstance(login, dict):
        assert slurm["login"]["jump"] == "gate"
    assert changed(slurm, "login.user", None)["login"] == login
