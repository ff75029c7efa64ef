"""What the chief tells every ps of a sync run before training, as one text. No TensorFlow."""

from __future__ import annotations

import json
from typing import NamedTuple

Shapes = tuple[tuple[str, tuple[int, ...]], ...]


class Orders(NamedTuple):
    """``mark`` is new each time that variables were set; training goes on from ``step``.

    ``variables`` and ``state`` are the names and shapes that every process' layout follows from.
    """

    mark: str
    step: int
    steps: int
    variables: Shapes
    state: Shapes

    def as_text(self) -> str:
        return json.dumps(self._asdict())

    @classmethod
    def parse(cls, text: str) -> Orders:
        """Read what :meth:`as_text` wrote."""
        found = json.loads(text)
        variables, state = (
            tuple((name, tuple(shape)) for name, shape in found[key])
            for key in ("variables", "state")
        )
        return cls(found["mark"], found["step"], found["steps"], variables, state)
