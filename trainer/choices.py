"""The parts of a training spec, and how each choice says what it takes.

Pure standard library: the desktop reads this through :mod:`trainer.spec`. A field's metadata:
``help``; ``choices``; ``own``: instead of a choice, ``package.module:function`` may stand there;
``min``, ``max`` and ``unit``; ``folder``: it is a folder on the desktop; ``empty``: what an
empty value means, in words; ``refused``: why some well-known names are no choice.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

MODELS = ("mnist_cnn", "mlp", "resnet50", "inception_v3")
DATASETS = ("mnist", "cifar10", "imagenet", "digits", "synthetic")
DATASETS_WITHOUT_FILES = frozenset({"synthetic"})
SIZED_DATASETS = frozenset({"imagenet", "synthetic"})
"""Data sets whose images have the size that is asked for."""
DISTORTED_DATASETS = frozenset({"imagenet"})
"""Data sets that are decoded, cropped and flipped while training goes on."""
OPTIMIZERS = (
    "sgd",
    "momentum",
    "rmsprop",
    "adam",
    "adamw",
    "nadam",
    "adamax",
    "lion",
    "adagrad",
    "adadelta",
    "ftrl",
)
_ONE_BY_ONE = "it looks at variables one by one, and the ps hold them packed"
KERAS_ONLY = {
    "lamb": _ONE_BY_ONE,
    "adafactor": _ONE_BY_ONE,
    "muon": _ONE_BY_ONE,
    "schedule_free_adamw": "it evaluates other variables than it trains",
    "loss_scale_optimizer": "mixed_precision chooses a precision that needs no scaled loss",
}
"""Optimizers of Keras that are no choice here, and why."""
RESTART_POLICIES = ("on-failure", "exit-code", "never")
"""Named and meant as in Kubeflow's TFJob; its Always would repeat what is done."""
SCHEDULES = ("constant", "step", "exponential", "cosine")
CROSS_ENTROPY = "cross_entropy"
LOSSES = (
    CROSS_ENTROPY,
    "sparse_categorical_crossentropy",
    "categorical_crossentropy",
    "binary_crossentropy",
    "mean_squared_error",
    "mean_absolute_error",
    "huber",
    "log_cosh",
    "poisson",
    "kl_divergence",
    "hinge",
    "squared_hinge",
    "categorical_hinge",
)
_IDENTIFIER = r"[^\W\d]\w*"
_OWN = re.compile(rf"{_IDENTIFIER}(\.{_IDENTIFIER})*:{_IDENTIFIER}")


class SpecProblem(NamedTuple):
    """One thing wrong with a spec: ``path`` is dotted (``optimizer.learning_rate``)."""

    path: str
    message: str


def is_own(name: str) -> bool:
    """Whether ``name`` is ``package.module:function`` rather than one of ours."""
    return _OWN.fullmatch(name) is not None


def choice(
    default: str,
    choices: tuple[str, ...],
    help: str,
    *,
    own: bool = False,
    refused: Mapping[str, str] | None = None,
) -> Any:
    """A field that takes one of ``choices``; with ``own``, a function of the user's as well.

    ``refused`` says of well-known names why they are no choice.
    """
    metadata = {"choices": choices, "help": help, "own": own, "refused": refused or {}}
    return field(default=default, metadata=metadata)


def number(
    default: float | None, low: float, high: float, help: str, unit: str = "", empty: str = ""
) -> Any:
    """A field that takes a number within limits; ``empty`` says what None means."""
    metadata = {"min": low, "max": high, "help": help, "unit": unit, "empty": empty}
    return field(default=default, metadata=metadata)


def yes_no(help: str) -> Any:
    """A field that is off where nothing is said."""
    return field(default=False, metadata={"help": help})


@dataclass(frozen=True, kw_only=True, slots=True)
class DatasetSpec:
    """Which examples to train on, and where their files are."""

    name: str = choice(
        "synthetic",
        DATASETS,
        "The kind of data set, or your own as package.module:function.",
        own=True,
    )
    path: str | None = field(
        default=None,
        metadata={
            "help": "Folder that holds the data set's files.",
            "folder": True,
            "empty": "none",
        },
    )
    on: Literal["desktop", "node"] = field(
        default="desktop",
        metadata={
            "choices": ("desktop", "node"),
            "help": "desktop: the folder is here and is sent to the nodes; "
            "node: every node has it at this path.",
        },
    )
    image_size: int | None = number(
        None, 8, 2048, "Side of the square images of imagenet (empty: 224) and synthetic.", "px"
    )
    max_bad_files: int = number(
        100, 0, 10**9, "Image files that cannot be used and are skipped before the run ends."
    )
    truncated: Literal["skip", "use"] = field(
        default="skip",
        metadata={
            "choices": ("skip", "use"),
            "help": "What to do with a JPEG whose end is missing: skip it, or use it with the "
            "missing part gray.",
        },
    )
    color_distortion: bool = yes_no(
        "Change brightness, saturation, hue and contrast of imagenet's training images at random, "
        "as Inception was trained; crops and flips are random in any case."
    )

    @property
    def needs_files(self) -> bool:
        """Whether there is a folder to look at and to send; one's own function may do without."""
        if is_own(self.name):
            return bool(self.path)
        return self.name not in DATASETS_WITHOUT_FILES

    def problems(self) -> Iterator[SpecProblem]:
        if self.needs_files and not self.path:
            message = f"{self.name} needs path: the folder that holds its files"
            yield SpecProblem("dataset.path", message)
        if self.image_size is not None and self.name not in SIZED_DATASETS:
            message = f"{self.name} has images of one size; leave it out"
            yield SpecProblem("dataset.image_size", message)
        if self.color_distortion and self.name not in DISTORTED_DATASETS:
            message = f"only images of {', '.join(sorted(DISTORTED_DATASETS))} are distorted"
            yield SpecProblem("dataset.color_distortion", f"{message}; leave it out")


@dataclass(frozen=True, kw_only=True, slots=True)
class OptimizerSpec:
    """How a gradient changes the variables."""

    name: str = choice(
        "momentum", OPTIMIZERS, "The update rule, as Keras 3 defines it.", refused=KERAS_ONLY
    )
    learning_rate: float = number(0.01, 1e-9, 1e3, "Step size; never scaled silently.")
    momentum: float = number(0.9, 0.0, 0.9999, "Decay of past gradients; used by momentum.")
    schedule: str = choice(
        "constant",
        SCHEDULES,
        "How the step size changes. step: times decay_rate every decay_steps; exponential: the "
        "same, smoothly; cosine: down to final_fraction of it within decay_steps.",
    )
    warmup_steps: int = number(
        0, 0, 10**12, "The step size grows from 0 over these global steps; the schedule follows."
    )
    decay_steps: int | None = number(
        None, 1, 10**12, "Global steps of the schedule.", empty="the rest of the run"
    )
    decay_rate: float = number(0.1, 1e-9, 1.0, "Factor of the schedules step and exponential.")
    final_fraction: float = number(0.0, 0.0, 1.0, "Where cosine ends, as part of the step size.")
    scale_with_workers: Literal["none", "linear", "sqrt"] = field(
        default="none",
        metadata={
            "choices": ("none", "linear", "sqrt"),
            "help": "Multiply the step size by the number of workers, by its square root, or not. "
            "The run says the number that comes out.",
        },
    )
    weight_decay: float = number(
        0.0,
        0.0,
        10.0,
        "Part of every variable taken off in a step, times the step size; adam with it is adamw, "
        "which takes 0.004 where nothing is said.",
    )
    clip_norm: float | None = number(
        None, 1e-9, 1e9, "Longest gradient: the norm over all variables of the model.", empty="off"
    )
    clip_value: float | None = number(
        None, 1e-9, 1e9, "Largest value of a gradient, by magnitude.", empty="off"
    )

    def problems(self) -> Iterator[SpecProblem]:
        if self.schedule == "step" and self.decay_steps is None:
            yield SpecProblem("optimizer.decay_steps", "the schedule step needs it, like 1000")
        if self.clip_norm is not None and self.clip_value is not None:
            yield SpecProblem("optimizer.clip_value", "give clip_norm or clip_value, not both")


@dataclass(frozen=True, kw_only=True, slots=True)
class EarlyStopSpec:
    """When a run ends before its last step; looked at after each evaluation."""

    accuracy: float | None = number(
        None, 0.0, 1.0, "Stop once the test accuracy is this high.", empty="off"
    )
    loss: float | None = number(
        None, -1e30, 1e30, "Stop once the test loss is this low.", empty="off"
    )
    patience: int | None = number(
        None, 1, 10**6, "Stop after so many evaluations without a lower test loss.", empty="off"
    )

    @property
    def is_on(self) -> bool:
        return not self.accuracy is self.loss is self.patience is None


@dataclass(frozen=True, kw_only=True, slots=True)
class RestartSpec:
    """What happens when a task's process dies."""

    max: int = number(3, 0, 1000, "How often a task is started again before the run fails.")
    policy: str = choice(
        "on-failure",
        RESTART_POLICIES,
        "Which ends are tried again. on-failure: all but those that no restart can mend; "
        "exit-code: only signals and statuses from 128 on, those from 1 to 127 are final; "
        "never: none.",
        refused={"always": "a task that ends with status 0 has done its work"},
    )
    backoff_s: float = number(
        1.0, 0.1, 3600.0, "Pause before the first restart; it doubles with each that fails.", "s"
    )
    backoff_cap_s: float = number(30.0, 0.1, 86400.0, "The longest pause before a restart.", "s")
    reset_after_s: float = number(
        600.0, 1.0, 86400.0 * 30, "After running so long, the pauses begin anew.", "s"
    )

    def problems(self) -> Iterator[SpecProblem]:
        if self.backoff_cap_s < self.backoff_s:
            message = f"must be at least backoff_s, {self.backoff_s:g}"
            yield SpecProblem("restart.backoff_cap_s", message)


def limit_problems(spec: Any, path: str) -> Iterator[SpecProblem]:
    """Values of ``spec`` and its parts that are no choice or outside their limits."""
    for f in dataclasses.fields(spec):
        value, where = getattr(spec, f.name), f"{path}{f.name}"
        if dataclasses.is_dataclass(value):
            yield from limit_problems(value, f"{where}.")
        elif value is not None and "choices" in f.metadata and value not in f.metadata["choices"]:
            if not (f.metadata.get("own") and is_own(value)):
                known = wanted(f.metadata)
                why = f.metadata.get("refused", {}).get(value, "")
                yield SpecProblem(where, f"must be {known}, not {value!r}{why and ': '}{why}")
        elif value is not None and "min" in f.metadata:
            low, high = f.metadata["min"], f.metadata["max"]
            if not low <= value <= high:
                found = f"{value:g}" if abs(value) < 1e300 else "a number too large"
                yield SpecProblem(where, f"must be between {low:g} and {high:g}, not {found}")


def wanted(metadata: Any) -> str:
    """The choices of a field in words."""
    choices = metadata["choices"]
    known = choices[0] if len(choices) == 1 else f"one of {', '.join(choices)}"
    return f"{known}, or your own package.module:function" if metadata.get("own") else known
