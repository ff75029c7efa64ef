"""A model of one's own whose outputs do not fit is refused before a step, for the right reason."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.trainer.cluster import LIMIT_S, REPOSITORY

pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]
ONE = "and one tensor of outputs is wanted"
EACH = "it takes one output for each class"
GRADIENTS = "floating-point numbers are wanted"
SAID: dict[str, list[str]] = {
    "picture": ["outputs of shape 28x28x10", EACH, "flatten or pool before the last layer"],
    "picture_1": ["outputs of shape 28x28x1", EACH],
    "picture_hot": ["loss categorical_crossentropy", "outputs of shape 28x28x10", EACH],
    "picture_mse": ["outputs of shape 28x28x1", "outputs of the labels' shape, one number"],
    "stretched": ["outputs of shape 10", "outputs of the labels' shape, one number"],
    "vector": ["outputs of shape one number", EACH],
    "few": ["tells 3 classes apart and the data set has 10"],
    "yes_or_no": ["it is for two classes and the data set has 10"],
    "scalar": ["one number for the whole batch"],
    "mixed_up": ["returns 128 for a batch of 64"],
    "two": ["odd_models:two returns a list of 2", ONE],
    "named": ["returns a dict of 1", ONE],
    "nothing": ["returns nothing", ONE],
    "class_numbers": ["returns int", GRADIENTS],
    "yes": ["returns bool", GRADIENTS],
    "complex": ["returns complex64", GRADIENTS],
    "text": ["returns string", GRADIENTS],
    "ragged": ["returns a RaggedTensor", ONE],
    "cut_off": ["no variable of the model has a part in its outputs"],
    "two_inputs": ["has 2 inputs"],
    "coloured": ["ValueError: red\\x07; correct that code"],
}


@pytest.fixture(scope="module")
def said() -> dict[str, str | None]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.trainer.programs.model_outputs"],
        cwd=REPOSITORY,
        capture_output=True,
        timeout=LIMIT_S,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
    )
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, str | None] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", SAID)
def test_that_outputs_that_do_not_fit_are_told(said: dict[str, str | None], name: str) -> None:
    text = said[name] or ""
    for words in SAID[name]:
        assert words in text
    assert "\n" not in text
    assert "\x1b" not in text


def test_that_all_others_train(said: dict[str, str | None]) -> None:
    fine = {name for name, text in said.items() if text is None}
    assert fine == {"fine", "half", "lists", "column", "number"}
    assert set(said) == fine | set(SAID)
