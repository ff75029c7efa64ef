"""What runs inside TensorFlow: packed variables on the ps, the training graph, the run's board."""
