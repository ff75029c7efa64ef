"""Colours of training images change at random where that is wanted, by the published formulas."""

from __future__ import annotations

import colorsys
from pathlib import Path

import numpy as np
import pytest

from tests.trainer.decoding import Ask
from tests.trainer.image_files import write_tree
from trainer.data.colors import BRIGHTNESS, CONTRAST, HUE, SATURATION, Colors, random_colors
from trainer.spec import DatasetSpec, TrainingSpec

IMAGE = np.random.default_rng(5).integers(0, 256, (6, 5, 3), np.uint8)
CHANGES = [random_colors(f"key {k}") for k in range(8)]


def as_published(image: np.ndarray, colors: Colors) -> np.ndarray:
    """The same with the standard library's colour conversions."""
    values = image / 255 + colors.brightness
    if colors.contrast_first:
        values = contrasted(values, colors.contrast)
    pixels = [colored(tuple(pixel), colors) for pixel in values.reshape(-1, 3)]
    values = np.array(pixels).reshape(image.shape)
    if not colors.contrast_first:
        values = contrasted(values, colors.contrast)
    return np.clip(values, 0, 1) * 255


def contrasted(values: np.ndarray, factor: float) -> np.ndarray:
    means = values.mean((0, 1))
    result: np.ndarray = (values - means) * factor + means
    return result


def colored(pixel: tuple[float, ...], colors: Colors) -> tuple[float, float, float]:
    hue, saturation, value = colorsys.rgb_to_hsv(*pixel)
    saturation = min(max(saturation * colors.saturation, 0.0), 1.0)
    return colorsys.hsv_to_rgb((hue + colors.hue) % 1.0, saturation, value)


@pytest.mark.tf
def test_that_colours_change_by_the_published_formulas(ask: Ask, odd_path: Path) -> None:
    """Where no value leaves 0..1 on the way; and evaluation sees the colours as they are."""
    image = IMAGE // 3 + 80
    changes = [
        c._replace(contrast=0.5 + c.contrast / 3, brightness=c.brightness / 2) for c in CHANGES
    ]
    folder = str(write_tree(odd_path, classes=3, each=8, validation=1))
    plain = {"folder": folder, "ask": "train", "batches": 3, "batch_size": 8}
    test = {"folder": folder, "ask": "test"}
    colors, kept, changed, again, seen, unseen = ask(
        {"ask": "colors", "image": image.tolist(), "changes": changes},
        plain,
        {**plain, "color_distortion": True},
        {**plain, "color_distortion": True, "threads": 3},
        test,
        {**test, "color_distortion": True},
    )
    for found, change in zip(colors["images"], changes, strict=True):
        assert np.abs(np.array(found) - as_published(image, change)).max() < 1.6
    assert changed["labels"] == kept["labels"]
    assert changed["digest"] == again["digest"] != kept["digest"]
    assert seen["digest"] == unseen["digest"]


def test_that_random_colours_stay_within_their_limits() -> None:
    many = [random_colors(f"{k}") for k in range(500)]
    for name, (low, high) in {
        "brightness": (-BRIGHTNESS, BRIGHTNESS),
        "hue": (-HUE, HUE),
        "saturation": SATURATION,
        "contrast": CONTRAST,
    }.items():
        values = [getattr(colors, name) for colors in many]
        assert low <= min(values) < low + (high - low) / 20
        assert high >= max(values) > high - (high - low) / 20
    assert 150 < sum(colors.contrast_first for colors in many) < 350


def test_that_distortion_is_for_images_that_are_decoded() -> None:
    spec = TrainingSpec(dataset=DatasetSpec(name="mnist", path="/data", color_distortion=True))
    (problem,) = spec.problems()
    assert problem.path == "dataset.color_distortion"
    assert "imagenet" in problem.message
    dataset = DatasetSpec(name="imagenet", path="/data", color_distortion=True)
    assert TrainingSpec(dataset=dataset).problems() == []
