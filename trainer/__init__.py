"""The training job: what runs on the nodes. Needs the standard library, NumPy and TensorFlow."""
