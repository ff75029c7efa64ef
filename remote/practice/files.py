"""The files of a practice cluster: keys, known hosts, a data set and a profile."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from remote.errors import ClewError
from remote.ssh.tokens import local_user

HOST = "127.0.0.1"
DIGITS = "digits.csv.gz"
INSTALL = 'Install what the practice cluster needs: pip install "clew[demo]"'


def copy_digits(folder: Path) -> None:
    """Copy scikit-learn's handwritten digits to ``folder``, without importing scikit-learn.

    Raises:
        ClewError: scikit-learn is not installed.
    """
    spec = importlib.util.find_spec("sklearn")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    for place in places:
        source = Path(place) / "datasets" / "data" / DIGITS
        if source.is_file():
            folder.mkdir(exist_ok=True)
            target = folder / DIGITS
            if not target.exists() or target.stat().st_size != source.stat().st_size:
                shutil.copyfile(source, target)
            return
    raise ClewError("the handwritten digits of scikit-learn are not here", remedy=INSTALL)


def write_known_hosts(path: Path, keys: Sequence[tuple[int, str]]) -> None:
    """One line per node: its port on this computer and ``type base64`` of its host key."""
    path.write_text("".join(f"[{HOST}]:{port} {key}\n" for port, key in keys), encoding="ascii")


def write_profile(
    path: Path, *, identity: Path, data: Path, nodes: Sequence[tuple[str, int]]
) -> None:
    """A profile of all nodes (name and port): 1 ps, 2 workers, the digits, 4000 steps."""
    lines = [
        "clew: 1",
        "name: practice",
        f"ssh: {{user: {_text(local_user())}, identity_file: {_text(identity)}}}",
        "nodes:",
    ]
    for name, port in nodes:
        lines += [
            f"  - host: {HOST}",
            f"    name: {name}",
            f"    port: {port}",
            f"    address: {HOST}",
            "    gpus: none",
        ]
    lines += [
        "environment:",
        f"  python: {_text(sys.executable)}",
        "training:",
        f"  dataset: {{name: digits, path: {_text(data)}, on: desktop}}",
        f"  workers: {min(2, len(nodes))}",
        "  ps: 1",
        "  steps: 4000",
        "  optimizer: {learning_rate: 0.003}",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def is_current(profile: Path) -> bool:
    """Whether the profile is there and its Python is the one that runs now.

    Another environment, or one that has been made anew elsewhere, has left its own path there.
    """
    try:
        return _text(sys.executable) in profile.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False


def _text(value: object) -> str:
    """A YAML double-quoted text: JSON's is one."""
    return json.dumps(str(value), ensure_ascii=False)
