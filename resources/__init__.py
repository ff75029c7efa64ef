"""Icons, colours and example profiles: data only, read with :mod:`importlib.resources`."""
