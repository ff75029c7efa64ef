"""The command line. Needs no Qt and no TensorFlow."""

from remote.cli.main import main

__all__ = ["main"]
