"""The bytes between a desktop and its agent on a node.

A frame is ``>II`` (JSON length, payload length), a JSON object, then the raw payload. Both ends
refuse frames over the limits below. The first frame comes from the agent:

``{"clew": 1, "hello": {...}}``
    protocol version and who the agent is.

From then on, in any order and interleaved:

``{"id": n, "op": name, "args": {...}}`` [payload]     desktop asks; ``op`` as in ``agent.OPS``
``{"id": n, "ok": value}``                             the answer
``{"id": n, "error": {"what": ..., "remedy": ...}}``   the node cannot; one sentence each
``{"ping": n}`` / ``{"pong": n, "t": epoch}``          heartbeat, answered by the main loop
``{"up": n, "got": 0, "have": bool, "kept": files, "kept_bytes": b}``   an upload (request n): the
    node has it all, or so many files from its start and so many bytes of the next one
``{"up": n, "file": path, "size": b, "sha256": hex, "from": b}`` [payload]    next file
``{"up": n}`` [payload]                                more bytes of that file
``{"up": n, "end": true}`` / ``{"up": n, "abort": true}``         the upload is complete, or off
``{"up": n, "got": cost}``                             the agent has taken frames of so much cost
``{"data": k, "run", "task", "file", "offset", "reset"}`` [payload]    bytes of a followed file
``{"took": k, "task", "file", "offset"}``              the desktop has taken them up to ``offset``
``{"state": k, "run", "task", "record", "alive"}``     a task's record or its liveness changed
``{"drained": k, "run"}``                              all that was there has been sent, said once
``{"sample": {...}}``                                  telemetry
``{"note": text, "level": level}``                     one sentence for the user

``k`` counts ``follow`` requests, so that what belongs to a replaced one is told apart. Texts are
Unicode; names of files that are not UTF-8 travel as lone surrogates (PEP 383).
"""

import json
import struct
from typing import Any, Dict, List, Tuple, Union

VERSION = 1
CHUNK_BYTES = 256 * 1024
"""Most payload bytes that a writer puts into one frame."""
MAX_JSON_BYTES = 16 * 1024 * 1024
MAX_PAYLOAD_BYTES = 4 * 1024 * 1024
FOLLOW_WINDOW_BYTES = 256 * 1024
"""Most bytes of one followed file that are under way, not yet taken by the desktop."""
UPLOAD_WINDOW_BYTES = 2 * 1024 * 1024
"""Most of one upload that is under way, each frame counted as its payload and FRAME_COST."""
FRAME_COST = 512

_HEADER = struct.Struct(">II")
Message = Dict[str, Any]
Frame = Tuple[Message, bytes]


class WireError(Exception):
    """What arrived is not a frame."""


def pack(message: Message, payload: bytes = b"") -> bytes:
    """One frame as bytes."""
    text = json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii")
    if len(text) > MAX_JSON_BYTES or len(payload) > MAX_PAYLOAD_BYTES:
        raise WireError("a frame of %d + %d bytes is too long" % (len(text), len(payload)))
    return _HEADER.pack(len(text), len(payload)) + text + payload


class FrameReader:
    """Cuts a byte stream into frames, however the bytes arrive."""

    def __init__(self) -> None:
        self._begun = bytearray()

    def feed(self, data: Union[bytes, memoryview]) -> List[Frame]:
        """Take ``data`` and give every frame that is complete. Raises :class:`WireError`."""
        frames: List[Frame] = []
        view, at = memoryview(data), 0
        while at < len(view):
            if not self._begun:
                size = _frame_bytes(view, at)
                if size <= len(view) - at:
                    frames.append(_frame(view, at))
                    at += size
                    continue
            # Only what belongs to the frame that is begun: the rest is not copied twice.
            more = _frame_bytes(self._begun, 0) - len(self._begun)
            self._begun += view[at : at + more]
            at += more
            if _frame_bytes(self._begun, 0) == len(self._begun):
                begun, self._begun = self._begun, bytearray()
                frames.append(_frame(memoryview(begun), 0))
        return frames


def _frame_bytes(data: Union[bytearray, memoryview], at: int) -> int:
    """The size of the frame at ``at``, or of its header while that is not complete."""
    if len(data) - at < _HEADER.size:
        return _HEADER.size
    json_bytes, payload_bytes = _HEADER.unpack_from(data, at)
    if json_bytes > MAX_JSON_BYTES or payload_bytes > MAX_PAYLOAD_BYTES:
        raise WireError("a frame of %d + %d bytes is too long" % (json_bytes, payload_bytes))
    return _HEADER.size + int(json_bytes) + int(payload_bytes)


def _frame(data: memoryview, at: int) -> Frame:
    json_bytes, payload_bytes = _HEADER.unpack_from(data, at)
    start = at + _HEADER.size
    middle = start + json_bytes
    return _message(bytes(data[start:middle])), bytes(data[middle : middle + payload_bytes])


def _message(text: bytes) -> Message:
    try:
        message = json.loads(text.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise WireError("not JSON: %s" % error)
    if not isinstance(message, dict):
        raise WireError("not an object")
    return message


def _refuse(constant: str) -> Any:
    raise WireError("%s is not JSON" % constant)
