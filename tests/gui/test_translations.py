"""Every text of the window can be translated, and is; what nodes say is known by its form."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTranslator
from pytestqt.qtbot import QtBot

from gui import language, said
from gui.texts import elapsed_text, value_text
from gui.window import MainWindow
from remote.limits import Pace, find_limit
from remote.updates import Spent
from tests.support import translations
from tests.support.translations import places
from trainer.spec import TaskId

ROOT = translations.ROOT


@pytest.fixture
def spanish() -> Iterator[None]:
    """Texts that are made from now on are Spanish."""
    language.choose("es")
    yield
    language.choose("en")


def test_that_every_text_has_a_spanish_translation() -> None:
    wanted = translations.texts()
    known = translations.translated("es")
    missing = [f"{where} {text.source!r}" for text, where in wanted.items() if text not in known]
    assert not missing, "python -m tests.support.translations, then fill the .ts file"
    assert not known.keys() - wanted.keys(), "texts that are gone: run the same command"


def test_that_translations_have_the_same_places_and_shapes() -> None:
    for text, forms in translations.translated("es").items():
        assert len(forms) == (2 if text.plural else 1), text
        for form in forms:
            if text.plural:
                assert places(form) <= places(text.source) | {"run"}, text
            else:
                assert sorted(_places(form)) == sorted(_places(text.source)), text
            for part in ("\t", "(*.", "\n"):
                assert form.count(part) == text.source.count(part), text
            assert form.count("&") == text.source.count("&"), text
            assert form[0].isspace() == text.source[0].isspace(), text
            assert form[-1].isspace() == text.source[-1].isspace(), text


def _places(text: str) -> list[str]:
    return re.findall(r"\{[^{}]*\}", text)


def test_that_the_compiled_file_says_what_the_source_says() -> None:
    translator = QTranslator()
    assert translator.load(str(translations.FOLDER / "clew_es.qm"))
    for text, forms in translations.translated("es").items():
        for number, form in zip((1, 2), forms, strict=False):
            count = number if text.plural else -1
            found = translator.translate(language.CONTEXT, text.source, text.about or None, count)
            assert found == form, "python -m tests.support.translations"


ALLOWED = frozenset(
    {
        "revert to what is saved", "add a Slurm cluster", "restore the draft", "slurm partition",
        "-t ssh",
        "Apache License 2.0", "BoardPainter", "CPU", "CPUs", "CUDA_VISIBLE_DEVICES", "Clew",
        "DBUS_SESSION_BUS_ADDRESS", "English", "Español", "Fusion", "GB", "GPU", "GPUs", "GiB",
        "MB", "MB/s", "NVIDIA", "PNG", "Parameter servers", "Python", "RUN", "SSH config",
        "TF_CONFIG", "TRAY", "TensorFlow", "a ring needs room", "a stop that takes long",
        "add a task", "columns must be even", "compare runs", "delete runs", "end of a run",
        "found runs", "has a place, but", "import hosts", "is on", "no QApplication yet",
        "open run", "place automatically", "place the rest", "run details", "s at most",
        "ssh config", "take control",
    }
)  # fmt: skip
"""Names, and words that nobody sees: of programmer's errors, topics, undo steps and threads."""
COMMAND_LINE = {"entry.py", "past_run.py", "render.py", "stylesheet.py"}
"""What is not part of the window."""
_UNSEEN = re.compile(
    r"(Ctrl|Alt|Shift|F\d+|Esc|Del|Tab|Space|Enter|End|[A-Z])([+., \t]|$)"
    r"|<qt>|([0-9a-f]{6} )+|Q[A-Z]\w+[:#]|[(?\\#]"
)


def test_that_no_text_of_the_window_is_left_unwrapped() -> None:
    left = [
        f"{path.name}:{line} {text!r}"
        for path in sorted((ROOT / "gui").glob("*.py"))
        if path.name not in COMMAND_LINE
        for line, text in _unwrapped(ast.parse(path.read_text("utf-8")))
    ]
    assert not left, f"wrap them in tr(), or add them to ALLOWED if nobody sees them: {left}"


def _unwrapped(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Literals that look like words for people, outside of ``tr`` and of what takes no words."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        for part in _no_words(node):
            skipped.update(id(inner) for inner in ast.walk(part))
    for node in ast.walk(tree):
        if id(node) in skipped or not isinstance(node, ast.Constant):
            continue
        text = node.value
        if isinstance(text, str) and _looks_seen(text):
            yield node.lineno, text


def _looks_seen(text: str) -> bool:
    words = re.search(r"[A-Za-z]{2,}", text) is not None
    lead = text.lstrip()[:1]
    looks = " " in text.strip() or lead.isupper() or lead == "&"
    return words and looks and text.strip(" :=–") not in ALLOWED and not _UNSEEN.match(text.strip())


_TAKE_NO_WORDS = {
    "setObjectName", "setProperty", "setStyleSheet", "getattr", "compile", "cast", "set_tone",
    "color", "glyph", "run_in_background", "QKeySequence", "RuntimeError", "ValueError",
}  # fmt: skip


def _no_words(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of ``node`` in which literals are not words of the window."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node
    for name in ("annotation", "returns"):
        part = getattr(node, name, None)
        if isinstance(part, ast.AST):
            yield part
    if isinstance(node, ast.Subscript):
        yield node.slice
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        if name in ("tr", "plural", "mark"):
            yield from node.args
        elif name in _TAKE_NO_WORDS:
            yield node


@pytest.mark.usefixtures("spanish")
def test_that_numbers_and_plurals_follow_the_language() -> None:
    assert language.plural("{n} node", "{n} nodes", 1) == "1 nodo"
    assert language.plural("{n} node", "{n} nodes", 3) == "3 nodos"
    assert value_text(12_500) == "12.500"
    assert value_text(0.25) == "0,25"
    assert elapsed_text(3.25, 0.01) == "3,25 s"
    assert language.tr("Step of {total:,}", total=20_000) == "Paso de 20.000"


def test_that_english_has_its_plurals_without_a_file() -> None:
    assert language.plural("{n} node", "{n} nodes", 1) == "1 node"
    assert language.plural("{n} node", "{n} nodes", 0) == "0 nodes"
    assert value_text(12_500) == "12,500"


@pytest.mark.usefixtures("spanish")
def test_that_what_limits_a_run_is_said_in_spanish() -> None:
    seen = set()
    for part in ("compute", "exchange", "input", "wait", "other"):
        spent = Spent(
            **{"window_s": 1.0, f"{part}_s": 0.9} if part != "other" else {"window_s": 1.0}
        )
        limit = find_limit({TaskId("worker", 0): Pace(spent=spent, steps=5)}, sync=False)
        assert limit is not None
        assert said.said(limit.text) != limit.text
        assert not limit.remedy or said.said(limit.remedy) != limit.remedy
        seen.add(limit.part)
    assert len(seen) > 3


@pytest.mark.usefixtures("spanish")
def test_that_names_and_unknown_sentences_stay_as_they_are() -> None:
    assert said.said("Training-01: nobody knows this") == "Training-01: nobody knows this"
    text = said.said("worker:0 on Runs is stalled: no step since 10:00:01, usually one every 3.5 s")
    assert "Runs" in text
    assert "3,5 s" in text
    assert said.said("waiting for worker:1 on gpu {x} to save") == (
        "esperando a que guarde worker:1 on gpu {x}"
    )


def test_that_the_known_forms_are_those_that_are_said() -> None:
    """Each longer piece of a form stands in the code that says it."""
    told = "\n".join(_literals())
    for template in said.TEMPLATES:
        for piece in re.split(r"\{\w+\}%?|[.;:()] ?|, ", template):
            words = piece.strip(" .")  # the first or last one may vary, as ahead and behind do
            known = any(
                part in told for part in (words, words.partition(" ")[2], words.rpartition(" ")[0])
            )
            assert len(words) < 15 or known, f"{template!r}: nobody says it"


def _literals() -> Iterator[str]:
    for folder in ("remote", "trainer"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def test_that_the_language_is_kept_and_said_in_that_language(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.choose_language("es")
    assert window.settings.language == "es"
    assert [n.text for n in window.controller.notices.open] == [
        "La ventana estará en español a partir del próximo inicio."
    ]
    window.choose_language("en")
    assert [n.text for n in window.controller.notices.open] == ["The window stays in English."]


STARTED = """
import sys
sys.path.insert(0, ".")
from PySide6.QtCore import QSettings
QSettings.setDefaultFormat(QSettings.Format.IniFormat)
QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, sys.argv[1])
from gui.app import make_application, use_language
app = make_application(["clew"])
assert not any(n in sys.modules for n in ("gui.window", "gui.actions", "gui.settings"))
QSettings().setValue("language", "es")
use_language(app)
from gui.window import MainWindow
window = MainWindow()
window.show()
for key in ("start", "cluster", "training", "live", "logs", "runs"):
    window.controller.document.new()
    window.show_page(key) if key != "start" else None
    app.processEvents()
from PySide6.QtWidgets import QAbstractButton, QLabel, QMessageBox
texts = [a.text() for a in window.actions_by_name.values()]
texts += [w.text() for w in window.findChildren(QAbstractButton) + window.findChildren(QLabel)]
texts += [w.accessibleName() for w in window.findChildren(QAbstractButton)]
box = QMessageBox(QMessageBox.Icon.NoIcon, "", "", QMessageBox.StandardButton.Cancel)
texts.append(box.button(QMessageBox.StandardButton.Cancel).text())
import re
for action in window.menuBar().actions():
    entries = [one.text() for one in action.menu().actions() if not one.isSeparator()]
    letters = [re.search("&(.)", text)[1].lower() for text in entries]
    assert len(set(letters)) == len(letters), entries
bar = [re.search("&(.)", action.text())[1].lower() for action in window.menuBar().actions()]
assert len(set(bar)) == len(bar), bar
print("\\n".join(texts))
import os; sys.stdout.flush(); os._exit(0)
"""


def test_that_a_window_that_starts_in_spanish_has_no_english_left(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARTED, str(tmp_path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    shown = set(done.stdout.splitlines())
    assert {"&Lanzar", "En vivo", "Añadir nodo"} <= shown
    assert any(text.replace("&", "") == "Cancelar" for text in shown)
    same = {t for t, forms in translations.translated("es").items() if t.source in forms}
    english = {text.source for text in translations.texts() if text not in same}
    assert not shown & english - {"Plan"}
