"""The launch form is the spec: every field, every limit, there and back."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from gui.fields import FieldInfo, spec_fields
from gui.specform import SpecForm
from gui.window import MainWindow
from remote import profile
from trainer.spec import (
    DATASETS,
    LOSSES,
    MODELS,
    OPTIMIZERS,
    DatasetSpec,
    OptimizerSpec,
    RestartSpec,
    TrainingSpec,
    to_json,
)


def flat(data: dict[str, Any], prefix: str = "") -> set[str]:
    keys: set[str] = set()
    for key, value in data.items():
        keys |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}"}
    return keys


@pytest.fixture
def form(qtbot: QtBot) -> SpecForm:
    found = SpecForm()
    qtbot.addWidget(found)
    return found


def test_that_every_choice_of_the_spec_has_a_field(form: SpecForm) -> None:
    assert set(form.fields) == flat(to_json(TrainingSpec()))
    for info in spec_fields():
        field = form.fields[info.key]
        assert info.help, info.key
        assert field.input.accessibleName()
        if info.choices:
            assert isinstance(field.input, QComboBox)
            shown = [field.input.itemText(i) for i in range(field.input.count())]
            assert tuple(shown) == info.choices


specs = st.builds(
    TrainingSpec,
    dataset=st.builds(
        DatasetSpec,
        name=st.sampled_from(DATASETS),
        path=st.sampled_from(["/data/mnist", "/läb/a 'b' \"c\""]),
        on=st.sampled_from(["desktop", "node"]),
    ),
    optimizer=st.builds(
        OptimizerSpec, name=st.sampled_from(OPTIMIZERS), learning_rate=st.floats(1e-6, 10.0)
    ),
    restart=st.builds(RestartSpec, max=st.integers(0, 9)),
    worker_per=st.sampled_from(["gpu", "node"]),
    workers=st.none() | st.integers(1, 64),
    ps=st.integers(1, 8),
    ps_placement=st.sampled_from(["alongside", "dedicated"]),
    batch_size=st.integers(1, 4096),
    seed=st.integers(0, 2**31 - 1),
    checkpoint_every_s=st.floats(1.0, 3600.0),
    model=st.sampled_from([*MODELS, "nets.big:build", "größe:netz"]),
    loss=st.sampled_from(LOSSES),
    command=st.sampled_from([(), ("python", "train it.py", "--name=it's"), ("a", "", '"')]),
    export=st.booleans(),
    mixed_precision=st.booleans(),
    resume_from=st.none() | st.sampled_from(["/läb/a 'b'"]),
).flatmap(
    lambda spec: st.one_of(
        st.just(spec),
        st.integers(1, 10**6).map(lambda n: dataclasses.replace(spec, steps=n)),
        st.floats(0.1, 100.0).map(lambda n: dataclasses.replace(spec, epochs=n)),
    )
)


@given(spec=specs)
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)
def test_that_a_training_shown_and_read_back_is_equal(form: SpecForm, spec: TrainingSpec) -> None:
    data = profile.to_data(profile.Profile(training=spec)).get("training", {})
    form.show_data(data)
    read = profile.build({"training": form.data()}).training
    for info in spec_fields():
        assert _value(read, info) == pytest.approx(_value(spec, info)), info.key


def _value(spec: TrainingSpec, info: FieldInfo) -> Any:
    value: Any = spec
    for part in info.key.split("."):
        value = getattr(value, part)
    return value


def test_that_defaults_are_left_out_and_one_length_counts(form: SpecForm) -> None:
    form.show_data({})
    assert form.data() == {}
    form.show_data({"steps": 500})
    assert form.data() == {"steps": "500"}
    form.length.setCurrentIndex(1)
    epochs = form.fields["epochs"].input
    assert isinstance(epochs, QLineEdit)
    epochs.setText("2")
    assert form.data() == {"epochs": "2"}


def test_that_a_mistake_is_told_beside_its_field(window: MainWindow, profile_file: Any) -> None:
    window.open_profile(str(profile_file))
    window.show_page("training")
    page = window.pages["training"]
    field = page.form.fields["batch_size"]  # type: ignore[attr-defined]
    field.input.setText("0")
    field.edited.emit()
    document = window.controller.document
    assert document.profile is None
    assert "between 1" in field.note.text()
    assert "batch_size" in window.controller.why_not_launch()
    assert not window.actions_by_name["launch"].isEnabled()
    field.input.setText("many")
    field.edited.emit()
    assert "whole number" in field.note.text()
    field.input.setText("128")
    field.edited.emit()
    assert document.profile is not None
    assert document.profile.training.batch_size == 128
    assert field.note.text() == field.info.help
