"""Prints as JSON what importing TensorFlow for a role loads, and what can be imported after it.

``python -m tests.trainer.programs.imported keras|ps [own]``.
"""

from __future__ import annotations

import importlib
import json
import sys

from trainer.runtime import import_tensorflow

HEAVY = ("keras", "scipy", "h5py", "sklearn", "PIL", "pandas", "matplotlib")

if __name__ == "__main__":
    import_tensorflow(keras="keras" in sys.argv, own_code="own" in sys.argv)
    loaded = [name for name in HEAVY if name in sys.modules]
    later = importlib.import_module("scipy.sparse").__name__
    print(json.dumps({"loaded": loaded, "later": later}))
