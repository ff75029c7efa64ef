"""Tables of Slurm's texts and what they mean, one case a line, tabs between the columns."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "fixtures" / "slurm"


def rows(name: str, columns: int) -> list[list[str]]:
    """The cases of a table; columns that are missing at the end are empty."""
    found = []
    for line in (FOLDER / name).read_text(encoding="utf-8").split("\n"):
        if line.startswith("#") or not line:
            continue
        cells = line.split("\t")
        found.append((cells + [""] * columns)[:columns])
    return found
