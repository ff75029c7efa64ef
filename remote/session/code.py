"""The user's own code before the launch: is what the training names in the folder."""

from __future__ import annotations

from remote.bundle import Tree
from remote.errors import DataError
from trainer.spec import TrainingSpec, is_own


def check_code(training: TrainingSpec, tree: Tree) -> None:
    """Look for the modules that ``training`` names, by their files; nothing is run here.

    A module of which no part is in the folder may be installed on the nodes, and is looked for
    there.

    Raises:
        DataError: a package is in the folder and the module is not in it.
    """
    paths = {file.path for file in tree.files}
    if training.command:
        return
    for key, name in (("model", training.model), ("dataset.name", training.dataset.name)):
        if not is_own(name):
            continue
        module = name.partition(":")[0].split(".")
        first = module[0]
        known = f"{first}.py" in paths or any(path.startswith(f"{first}/") for path in paths)
        path = "/".join(module)
        if known and not {f"{path}.py", f"{path}/__init__.py"} & paths:
            raise DataError(
                f"{training.code} has no module {'.'.join(module)}: there is neither {path}.py "
                f"nor {path}/__init__.py",
                remedy=f"Correct training.{key} or training.code in the profile.",
            )
