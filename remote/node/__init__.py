"""The half of ``remote`` that runs on a node: standard library only, Python 3.6 or newer."""
