"""Makes ``remote.node`` importable from sources that came over the wire; nothing is written.

This file's own source is run by the few lines that the desktop passes to ``python -c``. Modules
are compiled when they are first imported, so an agent pays only for what it is asked to do.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from typing import Any, Dict, Optional, Sequence


class MemoryFinder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds and loads modules in a mapping from module name to source."""

    def __init__(self, sources: Dict[str, str]) -> None:
        self._sources = sources

    def is_package(self, fullname: str) -> bool:
        return any(name.startswith(fullname + ".") for name in self._sources)

    def get_source(self, fullname: str) -> Optional[str]:
        return self._sources.get(fullname)

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if fullname not in self._sources:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin="clew:" + fullname)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        return None

    def exec_module(self, module: Any) -> None:
        name = module.__name__
        exec(compile(self._sources[name], "clew:" + name, "exec"), module.__dict__)  # noqa: S102


def start(bundle: Dict[str, Any]) -> None:
    """Install the bundle's sources and run the agent until its desktop is gone."""
    # The current folder must not be able to stand in for the standard library.
    sys.path[:] = [entry for entry in sys.path if entry not in ("", ".")]
    sys.meta_path.insert(0, MemoryFinder(bundle["sources"]))
    from remote.node import agent

    agent.main(bundle["node"])
