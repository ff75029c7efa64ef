"""IDX files made of anything: read, or refused in one sentence."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trainer.data.idx import IMAGES, LABELS, read_idx
from trainer.failures import BadData


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.sampled_from([IMAGES, LABELS]),
    st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 4), max_size=3),
    st.binary(max_size=60),
    st.integers(0, 3),
    st.integers(0, 40),
)
def test_that_any_bytes_are_images_or_refused(
    tmp_path: Path, magic: int, dims: list[int], rest: bytes, packed: int, cut: int
) -> None:
    content = struct.pack(f">{1 + len(dims)}I", magic, *dims) + rest
    if packed == 3:
        content = rest
    elif packed:
        content = gzip.compress(content)[: None if packed == 1 else -cut]
    path = tmp_path / "train-images-idx3-ubyte.gz"
    path.write_bytes(content)
    refused = ""
    try:
        idx = read_idx(path, IMAGES)
    except BadData as error:
        refused = str(error)
    if refused:
        assert str(path) in refused
        assert "\n" not in refused
    else:
        assert len(idx.dims) == 3
        assert len(idx.data) == idx.dims[0] * idx.dims[1] * idx.dims[2]
