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
``{"sample": {...}}``                                  telemetry
``{"relay": n}`` [payload]                             bytes of a process behind this agent (request
    n), either way: from the desktop what it reads, from the agent what it writes
``{"relay": n, "took": b}``                            either end passed on so many bytes in all
``{"relay": n, "end": true}`` / ``{"relay": n, "kill": true}``    desktop: it is not wanted any more
``{"relay": n, "said": text}``                         agent: the end of its standard error
``{"relay": n, "end": true, "said": text, "lost": text}``    agent: it is over, or out of reach
``{"note": text, "level": level}``                     one sentence for the user

``k`` counts ``follow`` requests, so that what belongs to a replaced one is told apart. Texts are
Unicode; names of files that are not UTF-8 travel as lone surrogates (PEP 383).
"""

import json
import struct
from typing import Any, Dict, Iterator, List, Tuple

VERSION = 1
CHUNK_BYTES = 256 * 1024
"""Most payload bytes that a writer puts into one frame."""
MAX_JSON_BYTES = 16 * 1024 * 1024
MAX_PAYLOAD_BYTES = 4 * 1024 * 1024
FOLLOW_WINDOW_BYTES = 256 * 1024
"""Most bytes of one followed file that are under way, not yet taken by the desktop."""
UPLOAD_WINDOW_BYTES = 2 * 1024 * 1024
"""Most of one upload that is under way, each frame counted as its payload and FRAME_COST."""
RELAY_WINDOW_BYTES = 1024 * 1024
"""Most bytes of one relay and one direction that are under way, not yet passed on."""
RELAY_PIECE_BYTES = 32 * 1024
"""Most bytes of a relay in one frame: relays that share a connection take turns."""
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
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take ``data`` and give every frame that is complete. Raises :class:`WireError`."""
        self._buffer += data
        frames: List[Frame] = []
        start = 0
        while len(self._buffer) - start >= _HEADER.size:
            json_bytes, payload_bytes = _HEADER.unpack_from(self._buffer, start)
            if json_bytes > MAX_JSON_BYTES or payload_bytes > MAX_PAYLOAD_BYTES:
                raise WireError(
                    "a frame of %d + %d bytes is too long" % (json_bytes, payload_bytes)
                )
            middle = start + _HEADER.size + json_bytes
            if len(self._buffer) < middle + payload_bytes:
                break
            text = bytes(self._buffer[start + _HEADER.size : middle])
            payload = bytes(self._buffer[middle : middle + payload_bytes])
            frames.append((_message(text), payload))
            start = middle + payload_bytes
        del self._buffer[:start]
        return iter(frames)


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
