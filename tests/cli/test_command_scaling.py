"""``clew scaling``: from a model and a link to the number of workers that it carries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import clew

RESNET = ("--parameters", "25.6e6", "--step", "0.7")


def test_that_it_says_where_the_links_are_full(tmp_path: Path) -> None:
    done = clew("scaling", *RESNET, "--json", data=tmp_path)
    assert done.returncode == 0, done.stderr
    *rows, result = map(json.loads, done.stdout.splitlines())
    assert result["saturating_workers"] == pytest.approx(2 + 0.7 * 1.25e9 / 102.4e6, abs=0.01)
    rates = {row["workers"]: row["steps_per_s"] for row in rows}
    assert list(rates) == [1, 2, 4, 8, 16, 32, 64]
    assert rates[8] == pytest.approx(8 * rates[1], rel=0.02)
    assert rates[64] == pytest.approx(1.25e9 / 102.4e6, rel=0.02)


def test_that_it_is_readable_and_knows_every_choice(tmp_path: Path) -> None:
    choices = ("--ps", "2", "--link", "1", "--sync", "--alongside", "--bfloat16", "--workers", "4")
    done = clew("scaling", *RESNET, *choices, data=tmp_path)
    assert done.returncode == 0, done.stderr
    first, *rows = done.stdout.splitlines()
    assert first.startswith("51.2 MB each way")
    assert "2 ps, 1 Gbit/s each" in first
    assert len(rows) == 3
    assert all("% of ideal" in row for row in rows)


@pytest.mark.parametrize("wrong", ["0", "-3", "nan", "inf", "many"])
def test_that_a_number_that_is_none_is_wrong_input(wrong: str, tmp_path: Path) -> None:
    done = clew("scaling", "--parameters", "1e6", f"--step={wrong}", data=tmp_path)
    assert done.returncode == 2
    assert "--step" in done.stderr
