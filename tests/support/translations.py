"""The window's texts, as its source has them, and their translations in Qt's files.

``python -m tests.support.translations`` brings ``resources/translations/*.ts`` up to date with the
source, keeps what is translated, names what is not, and makes the ``.qm`` files of the window.
"""

from __future__ import annotations

import ast
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import PySide6

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = ("es",)
CONTEXT = "clew"
_FUNCTIONS = ("tr", "mark", "plural")


class Text(NamedTuple):
    """One text of the source; with ``plural`` it has a form for each number."""

    source: str
    about: str = ""
    plural: bool = False


class Wrong(Exception):
    """A call that cannot be translated, and where it is."""


def texts() -> dict[Text, str]:
    """All texts that can be translated, and where each is first."""
    found: dict[Text, str] = {}
    for path in sorted((ROOT / "gui").glob("*.py")):
        for text, line in _called(path):
            found.setdefault(text, f"gui/{path.name}:{line}")
    for source in told_elsewhere():
        found.setdefault(Text(source), "")
    return found


def _called(path: Path) -> Iterator[tuple[Text, int]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id not in _FUNCTIONS or (path.name == "language.py" and not node.args):
            continue
        literals = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        if node.func.id == "plural":
            if len(literals) < 2:
                raise Wrong(f"{path.name}:{node.lineno}: both forms must be literal texts")
            yield Text(str(literals[1]), plural=True), node.lineno
        elif literals and isinstance(node.args[0], ast.Constant):
            about = str(literals[1]) if len(literals) > 1 else ""
            yield Text(str(literals[0]), about), node.lineno


def told_elsewhere() -> Iterator[str]:
    """Texts that the window shows and that tables below it have."""
    from gui.fields import spec_fields
    from remote.causes import PATTERNS
    from remote.wording import HOW_WORDS, LEFTOVER_KINDS

    for info in spec_fields():
        yield from (part for part in (info.label, info.help, info.unit, info.empty) if part)
    for pattern in PATTERNS:
        yield from (part for part in (pattern.kind, pattern.meaning, pattern.remedy) if part)
    yield from HOW_WORDS.values()
    yield from LEFTOVER_KINDS.values()


def places(text: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def translated(code: str) -> dict[Text, list[str]]:
    """What the ``.ts`` file of a language has: one form, or one for each number."""
    path = FOLDER / f"clew_{code}.ts"
    if not path.exists():
        return {}
    found = {}
    for message in ElementTree.parse(path).iter("message"):
        translation = message.find("translation")
        assert translation is not None
        forms = [form.text or "" for form in translation.iter("numerusform")]
        done = forms or [translation.text or ""]
        if translation.get("type") != "unfinished" and all(done):
            key = Text(message.findtext("source", ""), message.findtext("comment", ""), bool(forms))
            found[key] = done
    return found


def write(code: str, wanted: dict[Text, str], known: dict[Text, list[str]]) -> list[Text]:
    """Write a language's ``.ts`` with ``wanted`` only; returns what has no translation."""
    root = ElementTree.Element("TS", version="2.1", language=code, sourcelanguage="en")
    context = ElementTree.SubElement(root, "context")
    ElementTree.SubElement(context, "name").text = CONTEXT
    for text in sorted(wanted):
        message = ElementTree.SubElement(context, "message")
        if text.plural:
            message.set("numerus", "yes")
        ElementTree.SubElement(message, "source").text = text.source
        if text.about:
            ElementTree.SubElement(message, "comment").text = text.about
        translation = ElementTree.SubElement(message, "translation")
        forms = known.get(text)
        if forms is None:
            translation.set("type", "unfinished")
        if text.plural:
            for form in forms or ("", ""):
                ElementTree.SubElement(translation, "numerusform").text = form
        else:
            translation.text = forms[0] if forms else ""
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    path = FOLDER / f"clew_{code}.ts"
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', "utf-8")
    return [text for text in sorted(wanted) if text not in known]


def compile_all() -> None:
    """Make the ``.qm`` files, with the compiler that PySide6 brings."""
    compiler = Path(PySide6.__file__).parent / "lrelease"
    for code in LANGUAGES:
        files = [str(FOLDER / f"clew_{code}.ts"), "-qm", str(FOLDER / f"clew_{code}.qm")]
        subprocess.run([str(compiler), "-silent", *files], check=True)


def main() -> int:
    """Update all languages; ends with 1 when something is not translated."""
    FOLDER.mkdir(exist_ok=True)
    wanted, missing = texts(), 0
    for code in LANGUAGES:
        for text in write(code, wanted, translated(code)):
            missing += 1
            sys.stdout.write(f"{code}: not translated: {text.source!r} {wanted[text]}\n")
    compile_all()
    sys.stdout.write(f"{len(wanted)} texts, {missing} not translated\n")
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
