"""Choosing the window's language: kept for the next start, and said in that language already."""

from __future__ import annotations

from gui.language import Language, in_language, mark, resolve
from gui.notices import Notice, Notices
from gui.settings import Settings

_TOPIC = "language"
_FROM_NEXT_START = mark("The window is in English from the next start on.")
_ALREADY = mark("The window stays in English.")


def choose_language(settings: Settings, notices: Notices, language: Language, now: str) -> None:
    """Remember ``language``; the window has it from the next start on.

    Args:
        now: the code of the language that the window is in.
    """
    settings.language = language
    settings.sync()
    code = resolve(language)
    text = _ALREADY if code == now else _FROM_NEXT_START
    notices.dismiss_topic(_TOPIC)
    notices.add(Notice("info", in_language(code, text), topic=_TOPIC))
