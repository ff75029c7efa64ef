"""What is said of a run when it has ended."""

from __future__ import annotations

from gui.language import tr
from gui.notices import Notice, Notices
from gui.said import said
from gui.words import end_words
from remote.updates import ResultUpdate

END_TOPIC = "end of a run"


def tell_end(notices: Notices, result: ResultUpdate) -> None:
    """How it ended, and what is left of it on the nodes."""
    if result.left_behind:
        left = "; ".join(f"{item.node}: {said(item.what)}" for item in result.left_behind[:4])
        notices.error(
            tr("The run ended, but something is left: {left}", left=left),
            tr(
                "Connect again, which ends what waits, or: clew stop {run_id}", run_id=result.run_id
            ),
        )
    if result.state == "failed":
        words = (
            tr("The run failed: {reason}", reason=said(result.reason))
            if result.reason
            else tr("The run failed")
        )
        notices.add(Notice("error", words, topic=END_TOPIC))
    elif not result.left_behind:
        notices.add(Notice("info", end_words(result), topic=END_TOPIC))
