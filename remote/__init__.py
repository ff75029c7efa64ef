"""The cluster as an object. No Qt, no TensorFlow."""
