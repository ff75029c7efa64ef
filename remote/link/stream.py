"""Turns frames that come unasked into stream items, and acknowledges what was taken."""

from __future__ import annotations

from collections.abc import Callable

from remote.errors import LinkLost
from remote.link import decode
from remote.link.decode import Reader
from remote.link.items import DrainedData, NoteData, SampleData, StreamItem
from remote.node import wire
from trainer.events import Level

OnStream = Callable[[StreamItem], None]


class Stream:
    """Takes frames on the link's reader thread.

    Args:
        send: puts a frame on the wire.
        clock_offset_s: node clock minus desktop clock, now.
    """

    def __init__(
        self,
        on_stream: OnStream,
        send: Callable[[wire.Message], None],
        clock_offset_s: Callable[[], float],
    ) -> None:
        self._on_stream = on_stream
        self._send = send
        self._clock_offset_s = clock_offset_s
        self.follows: dict[str, int] = {}
        """Run id -> number of its latest follow request; what belongs to another is dropped."""

    def take(self, data: Reader, message: wire.Message, payload: bytes) -> bool:
        """Whether the frame was one of a stream. Raises LinkLost for nonsense."""
        if "data" in message:
            self._take_file(data, payload)
        elif "state" in message:
            if data.whole("state") == self.follows.get(data.text("run")):
                self._on_stream(decode.state_data(data))
        elif "drained" in message:
            run_id = data.text("run")
            if data.whole("drained") == self.follows.get(run_id):
                self._on_stream(DrainedData(run_id=run_id, node=data.node))
        elif "sample" in message:
            inner = Reader(message["sample"], data.node)
            sample = decode.sample(inner, self._clock_offset_s())
            self._on_stream(SampleData(sample=sample))
        elif "control" in message:
            lease = Reader(message["control"], data.node)
            self._on_stream(decode.control_data(lease, data.text("run")))
        elif "note" in message:
            level: Level = "warning" if data.text("level") == "warning" else "info"
            self._on_stream(NoteData(level=level, text=data.text("note")))
        else:
            return False
        return True

    def _take_file(self, data: Reader, payload: bytes) -> None:
        number = data.whole("data")
        item = decode.file_data(data, payload)
        if number != self.follows.get(item.run_id):
            return  # sent before that follow was replaced or ended
        self._on_stream(item)
        end = item.offset + len(payload)
        took = {"took": number, "task": str(item.task), "file": item.file, "offset": end}
        try:
            self._send(took)
        except LinkLost:
            return  # closed meanwhile; the reader ends by itself
