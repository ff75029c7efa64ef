"""Mixed precision: bfloat16 where the GPU computes in it, float32 everywhere else."""

from __future__ import annotations

FIRST_CAPABILITY = (8, 0)
"""CUDA compute capability of the first GPUs with bfloat16 (Ampere)."""


def choose_precision(wanted: bool) -> None:
    """Set Keras' policy for models that are built from here on. Imports Keras.

    Variables, gradients and what travels stay float32; losses are computed in float32.
    """
    import keras

    policy = "mixed_bfloat16" if wanted and not why_not() else "float32"
    keras.config.set_dtype_policy(policy)


def why_not() -> str:
    """Why this process computes in float32 all the same, in one sentence; empty: it need not."""
    import tensorflow as tf

    gpus = tf.config.list_physical_devices("GPU")
    if not gpus:
        return "mixed precision needs a GPU, and this worker has none; it computes in float32"
    for gpu in gpus:
        details = tf.config.experimental.get_device_details(gpu)
        capability = details.get("compute_capability")
        if capability is None or tuple(capability) < FIRST_CAPABILITY:
            name = details.get("device_name", gpu.name)
            return f"{name} has no bfloat16 (compute capability 8.0 on); it computes in float32"
    return ""
