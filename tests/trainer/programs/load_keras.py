"""Prints the accuracy of a ``.keras`` file on the synthetic test split, as JSON.

``python -m tests.trainer.programs.load_keras FILE CODE``: Keras alone, nothing of the trainer but
the data.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import keras
import numpy as np

from trainer.data import synthetic
from trainer.data.kinds import DEFAULTS

if __name__ == "__main__":
    model = keras.models.load_model(sys.argv[1])
    test = synthetic.load(Path(), 1, DEFAULTS).test
    outputs = model.predict(np.asarray(test.images, np.float32) / 255, verbose=0)
    right = outputs.argmax(1) == np.asarray(test.labels)
    print(json.dumps({"accuracy": float(right.mean()), "layers": len(model.layers)}))
