"""The window's language: its texts in English, and as Qt's translations have them.

Texts are English in the source, and become those of the chosen language where ``tr`` and ``plural``
are called: many of them while a module is loaded. So the language is chosen once, before any module
that has texts is imported, and another choice holds from the next start.
"""

from __future__ import annotations

import string
from importlib.resources import files
from typing import Literal

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

Language = Literal["system", "en", "es"]
LANGUAGES: tuple[Language, ...] = ("system", "en", "es")
CONTEXT = "clew"
"""The one context of all texts in the files of translations."""


class _Chosen:
    """The language in use; ``catalog`` is None for English."""

    code = "en"
    catalog: QTranslator | None = None
    qt: QTranslator | None = None


def language_title(language: Language) -> str:
    """What a choice is called: languages by their own names."""
    return {"en": "English", "es": "Español"}.get(language) or tr("Language of the system")


def resolve(language: Language) -> str:
    """``en`` or ``es``: of the system's languages the first that there is."""
    if language != "system":
        return language
    for name in QLocale.system().uiLanguages():
        code = name.replace("_", "-").split("-")[0].lower()
        if code in LANGUAGES:
            return code
    return "en"


def choose(language: Language) -> str:
    """Use a language for all texts that are made from now on; returns its code."""
    code = resolve(language)
    _Chosen.code, _Chosen.catalog = code, _catalog(code)
    QLocale.setDefault(QLocale(QLocale.Language.Spanish if code == "es" else QLocale.Language.C))
    return code


def current() -> str:
    """The code of the language in use."""
    return _Chosen.code


def install(app: QCoreApplication) -> None:
    """Give Qt's own texts, such as those of file dialogs, the same language."""
    if _Chosen.code == "en":
        return
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    translator = QTranslator(app)
    if translator.load(f"qtbase_{_Chosen.code}", folder):
        app.installTranslator(translator)
        _Chosen.qt = translator


def tr(text: str, about: str = "", **values: object) -> str:
    """``text`` in the chosen language, with ``{name}`` replaced by ``values``.

    Args:
        about: tells two texts apart that are the same in English and not elsewhere.
    """
    found = _found(text, about)
    return _PROSE.vformat(found, (), values) if values else found


def in_language(code: str, text: str) -> str:
    """``text`` in another language than the window's."""
    catalog = _catalog(code)
    return catalog.translate(CONTEXT, text) or text if catalog is not None else text


def plural(one: str, many: str, count: int, **values: object) -> str:
    """``one`` or ``many`` by ``count``, which is ``{n}`` in both; each language has its rule."""
    found = _found(many, "", count) if _Chosen.catalog is not None else many
    if found == many and count == 1:
        found = one
    return _PROSE.vformat(found, (), {"n": count, **values})


def mark(text: str) -> str:
    """``text`` as it is: says that it is translated later, where it is shown."""
    return text


def localized(number: str) -> str:
    """A number as English writes it (``12,500.5``) as the chosen language does."""
    return number.translate(_SWAP) if _Chosen.code == "es" else number


def day_text(month: int, day: int) -> str:
    """``Nov 30``, as the chosen language writes it."""
    code = _Chosen.code
    locale = QLocale(QLocale.Language.Spanish if code == "es" else QLocale.Language.C)
    name = locale.monthName(month, QLocale.FormatType.ShortFormat)
    return f"{day} {name}" if code == "es" else f"{name} {day:02d}"


def _found(text: str, about: str, count: int = -1) -> str:
    if _Chosen.catalog is None or not text:
        return text
    return _Chosen.catalog.translate(CONTEXT, text, about or None, count) or text


def _catalog(code: str) -> QTranslator | None:
    if code == "en":
        return None
    data = files("resources").joinpath("translations").joinpath(f"clew_{code}.qm").read_bytes()
    translator = QTranslator()
    # Qt reads from these bytes for as long as the translator lives.
    translator.setProperty("data", data)
    return translator if translator.load(data) else None


class _Prose(string.Formatter):
    """Fills texts; numbers with a format are written as the language writes them."""

    def format_field(self, value: object, format_spec: str) -> str:
        text = str(super().format_field(value, format_spec))
        if format_spec and isinstance(value, (int, float)):
            return localized(text)
        return text


_PROSE = _Prose()
_SWAP = str.maketrans(",.", ".,")
