"""Turns image files into RGB squares with TensorFlow, several at a time, off the training graph.

It has its own graph and its own local session with its own threads, so that no training step waits
for it, and sees no GPU. A few JPEGs travel in one call; each decodes only the part that is used,
at 1/2, 1/4 or 1/8 of its size where that is still large enough. On two cores this took 0.8 ms of
processor time for a photograph at 224 pixels; a ``tf.data`` pipeline took 0.6 ms, but when one
file is bad it does not say which.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from trainer.data.colors import Colors, Recoloring
from trainer.data.crops import Window
from trainer.data.image_kinds import MAX_PIXELS, inspect
from trainer.data.jpeg import JpegError, size_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

TOGETHER = 8
"""Images in one call: more saves nothing."""
_RATIOS = (8, 4, 2, 1)
_JPEG = b"\xff\xd8\xff"


class Wanted(NamedTuple):
    """One image file's content, what part of it is used, given its height and width, and how its
    colours are changed."""

    data: bytes
    window: Callable[[int, int], Window]
    colors: Colors | None = None


class _Job(NamedTuple):
    place: int
    data: bytes
    window: Window
    ratio: int


class Decoder:
    """Decodes to ``[size, size, 3]``. Thread-safe; makes its graph at the first use."""

    def __init__(self, size: int, *, threads: int, use_truncated: bool) -> None:
        self.size = size
        self._threads = threads
        self._use_truncated = use_truncated
        self._lock = threading.Lock()
        self._graph: _Graph | None = None

    def decode(self, wanted: Sequence[Wanted]) -> list[Image | None]:
        """One image for each, or None where the file cannot be decoded."""
        graph = self._made_graph()
        images: list[Image | None] = [None] * len(wanted)
        jobs: dict[int, list[_Job]] = {}
        for place, (data, window, _) in enumerate(wanted):
            if data.startswith(_JPEG):
                job = self._plan(place, data, window)
                if job is not None:
                    jobs.setdefault(job.ratio, []).append(job)
            else:
                images[place] = self._decode_other(graph, data, window)
        for ratio, group in jobs.items():
            for start in range(0, len(group), TOGETHER):
                self._decode_jpegs(graph, ratio, group[start : start + TOGETHER], images)
        for place, each in enumerate(wanted):
            if each.colors is not None and images[place] is not None:
                images[place] = graph.recolored(images[place], each.colors)
        return images

    def _plan(
        self, place: int, data: bytes, window_of: Callable[[int, int], Window]
    ) -> _Job | None:
        try:
            height, width = size_of(data)
        except JpegError:
            return None
        if height * width > MAX_PIXELS:
            return None
        window = window_of(height, width)
        smaller = min(window.height, window.width)
        ratio = next((r for r in _RATIOS if smaller >= r * self.size), 1)
        return _Job(place, data, window, ratio)

    def _decode_jpegs(
        self, graph: _Graph, ratio: int, jobs: list[_Job], images: list[Image | None]
    ) -> None:
        contents = [job.data for job in jobs]
        windows = [[value // ratio for value in job.window[:4]] for job in jobs]
        try:
            decoded = graph.jpegs(ratio, len(jobs))(*contents, *windows)
        except graph.error:
            if len(jobs) > 1:  # one of them is bad: which?
                for job in jobs:
                    self._decode_jpegs(graph, ratio, [job], images)
            return
        for job, image in zip(jobs, decoded, strict=True):
            images[job.place] = image[:, ::-1] if job.window.flip else image

    def _decode_other(
        self, graph: _Graph, data: bytes, window_of: Callable[[int, int], Window]
    ) -> Image | None:
        """PNG, GIF (its first frame), BMP and WebP: rare, so in two calls."""
        if not inspect(data, deep=False).usable:
            return None
        try:
            whole = graph.any_image(data)
        except graph.error:
            return None
        top, left, height, width, flip = window_of(*whole.shape[:2])
        image: Image = graph.resize(whole[top : top + height, left : left + width])
        return image[:, ::-1] if flip else image

    def _made_graph(self) -> _Graph:
        with self._lock:
            if self._graph is None:
                self._graph = _Graph(self.size, self._threads, self._use_truncated)
            return self._graph


class _Graph:
    """The operations and the session; ``error`` is what they raise for a bad file."""

    def __init__(self, size: int, threads: int, use_truncated: bool) -> None:
        import tensorflow.compat.v1 as tf

        self.error: type[Exception] = tf.errors.InvalidArgumentError
        self._size = size
        self._lock = threading.Lock()
        self._calls: dict[tuple[int, int], Any] = {}
        with tf.Graph().as_default(), tf.device("/cpu:0"):
            self._contents = [tf.placeholder(tf.string, []) for _ in range(TOGETHER)]
            self._windows = [tf.placeholder(tf.int32, [4]) for _ in range(TOGETHER)]
            self._jpegs = {r: self._add_jpegs(r, use_truncated) for r in _RATIOS}
            other = tf.io.decode_image(self._contents[0], channels=3, expand_animations=False)
            whole = tf.placeholder(tf.uint8, [None, None, 3])
            resized = self._resize(whole)
            self.recolored = Recoloring()
            # Each image has one thread: there are always more images to work on.
            config = tf.ConfigProto(
                intra_op_parallelism_threads=1,
                inter_op_parallelism_threads=threads,
                use_per_session_threads=True,
                device_count={"GPU": 0},
            )
            self._session = tf.Session(config=config)
        self.recolored.open(self._session)
        self.any_image: Any = self._session.make_callable(other, feed_list=self._contents[:1])
        self.resize: Any = self._session.make_callable(resized, feed_list=[whole])

    def jpegs(self, ratio: int, count: int) -> Any:
        """The call for ``count`` contents, then as many windows; returns the images."""
        with self._lock:
            call = self._calls.get((ratio, count))
            if call is None:
                feeds = [*self._contents[:count], *self._windows[:count]]
                call = self._session.make_callable(self._jpegs[ratio][:count], feed_list=feeds)
                self._calls[ratio, count] = call
            return call

    def _add_jpegs(self, ratio: int, use_truncated: bool) -> list[Any]:
        import tensorflow.compat.v1 as tf

        return [
            self._resize(
                tf.image.decode_and_crop_jpeg(
                    contents,
                    window,
                    channels=3,
                    ratio=ratio,
                    fancy_upscaling=False,
                    try_recover_truncated=use_truncated,
                    dct_method="INTEGER_FAST",
                )
            )
            for contents, window in zip(self._contents, self._windows, strict=True)
        ]

    def _resize(self, image: Any) -> Any:
        import tensorflow.compat.v1 as tf

        resized = tf.raw_ops.ResizeBilinear(
            images=image[None], size=[self._size, self._size], half_pixel_centers=True
        )[0]
        return tf.cast(resized + 0.5, tf.uint8)
