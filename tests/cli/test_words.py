"""What a node has, and what went wrong, in words that read as sentences."""

from __future__ import annotations

import dataclasses

from remote.cli.progress import RunProgress
from remote.cli.text import facts_text, progress_text
from remote.errors import NodeError
from remote.facts import Gpu
from remote.updates import Progress, TaskUpdate
from tests.support.facts import node_facts
from trainer.spec import TaskId, TrainingSpec

GPU = Gpu(index=0, uuid="GPU-0", name="A100", memory_total_bytes=None)
FACTS = node_facts("gpu001", (GPU,))


def test_that_a_lost_gpu_is_marked() -> None:
    lost = dataclasses.replace(GPU, index=1, name="GPU 1", lost=True)
    facts = dataclasses.replace(FACTS, gpus=(GPU, lost))
    assert facts_text(facts) == "Python 3.11.2, TensorFlow 2.21.0, A100, GPU 1: lost"


def test_that_the_line_has_a_total_once_the_chief_has_said_it() -> None:
    progress = RunProgress(TrainingSpec(epochs=2))
    assert "step 0  " in progress.line() + "  "
    update = TaskUpdate(
        run_id="r", task=TaskId("worker", 0), node="n", state="training", total_steps=1200
    )
    progress.update(update)
    assert "step 0/1,200" in progress.line()


def test_that_a_sentence_has_one_full_stop_however_its_parts_end() -> None:
    for what in ("it is not available", "it is not available."):
        assert str(NodeError(what, remedy="Ask.")) == "it is not available. Ask."
    assert str(NodeError("it is not available.")) == "it is not available."


def test_that_what_is_missing_is_named_and_nothing_is_empty() -> None:
    note = "no NVIDIA GPU here (there is no nvidia-smi)"
    bare = dataclasses.replace(
        FACTS, python_version="", tensorflow_version=None, gpus=(), gpu_note=note
    )
    assert facts_text(bare) == f"no Python, {note}"
    without = dataclasses.replace(FACTS, tensorflow_version=None)
    assert facts_text(without) == "Python 3.11.2, no TensorFlow, A100"
    silent = dataclasses.replace(FACTS, gpus=(), gpu_note="nvidia-smi said nothing")
    assert facts_text(silent).endswith("no GPU: nvidia-smi said nothing")


def test_that_steps_are_counted_and_bytes_are_measured() -> None:
    sent = Progress(node="n", action="a", done=1_000_000, total=4_000_000, rate=1e6)
    assert progress_text(sent) == "1.0 MB of 4.0 MB, 1.0 MB/s, 3.0 s left"
    assert (
        progress_text(Progress(node="n", action="a", done=3, total=40, unit="steps")) == "3 of 40"
    )


def test_that_an_environment_that_is_not_made_yet_is_no_missing_tensorflow() -> None:
    facts = dataclasses.replace(FACTS, tensorflow_version=None, environment="missing")
    assert facts_text(facts) == "Python 3.11.2, environment not made yet, A100"
