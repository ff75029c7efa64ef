"""What goes wrong in a user's function is one sentence with the file and the line of their code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from trainer import data
from trainer.data.kinds import Options
from trainer.failures import BadData, BadSpec
from trainer.own_code import OwnFunction


@pytest.fixture
def code(weird_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for modules, which are forgotten afterwards."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    before = set(sys.modules)
    yield weird_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def sentence(code: Path, name: str, **given: object) -> str:
    with pytest.raises(BadSpec) as caught:
        OwnFunction("model", name, str(code))(given)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(f"model {name} ")
    return text


def test_that_an_exception_names_file_line_and_message(code: Path) -> None:
    (code / "net").mkdir()
    (code / "net/__init__.py").touch()
    (code / "net/build.py").write_text(
        "import json\n\ndef make():\n    return json.loads(\n        'no\\njson')\n"
    )
    text = sentence(code, "net.build:make")
    assert f"failed at {code}/net/build.py line 4: JSONDecodeError: Expecting value" in text


def test_that_the_log_has_the_whole_traceback_beside_the_sentence(
    code: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (code / "deep.py").write_text(
        "import json\n\ndef inner(text):\n    return json.loads(text)\n\n"
        "def make():\n    try:\n        return inner('no json')\n"
        "    except ValueError as error:\n        raise RuntimeError('bad «net»') from error\n"
    )
    text = sentence(code, "deep:make")
    assert "deep.py line 10: RuntimeError: bad «net»" in text
    log = capfd.readouterr().err
    assert log.count("Traceback (most recent call last):") == 2
    assert f'File "{code}/deep.py", line 4, in inner' in log
    assert "return inner('no json')" in log
    assert "json.decoder.JSONDecodeError: Expecting value" in log, "what it came from"
    assert log.rstrip().endswith("RuntimeError: bad «net»")
    assert "own_code.py" not in log.partition("direct cause")[2], "not how Clew calls it"


def test_that_a_module_that_cannot_be_read_names_its_line(code: Path) -> None:
    (code / "broken.py").write_text("x = 1\ndef make(:\n")
    assert f"{code}/broken.py line 2: SyntaxError" in sentence(code, "broken:make")
    (code / "needs.py").write_text("\nimport no_such_package_anywhere\n")
    text = sentence(code, "needs:make")
    assert f"{code}/needs.py line 2: ModuleNotFoundError" in text
    (code / "exits.py").write_text("raise SystemExit(3)\n")
    assert "SystemExit: 3" in sentence(code, "exits:make")


def test_that_what_is_not_there_is_told(code: Path) -> None:
    (code / "net_a.py").write_text("make = 3\n")
    assert f"{code} has no module nowhere_at_all" in sentence(code, "nowhere_at_all.b:make")
    assert "has no function build" in sentence(code, "net_a:build")
    assert "has something else called make" in sentence(code, "net_a:make")


def test_that_a_function_gets_what_it_asks_for_and_no_more(code: Path) -> None:
    (code / "net_b.py").write_text(
        "def none(): return 0\n"
        "def some(classes): return classes\n"
        "def all(**rest): return sorted(rest)\n"
        "def more(depth): return depth\n"
    )
    given = {"input_shape": (2,), "classes": 7}
    call = {n: OwnFunction("model", f"net_b:{n}", str(code)) for n in ("none", "some", "all")}
    assert call["none"](given) == 0
    assert call["some"](given) == 7
    assert call["all"](given) == ["classes", "input_shape"]
    assert "wants depth" in sentence(code, "net_b:more", **given)


def test_that_the_folder_stays_as_it_was_sent(code: Path) -> None:
    (code / "net_c.py").write_text("def make(): return 1\n")
    OwnFunction("model", "net_c:make", str(code))({})
    assert [p.name for p in code.iterdir()] == ["net_c.py"]


GOOD = """
import numpy as np
def load(path, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(30, 4))
    return (x[:20], (x[:20, :1] > 0)), (x[20:], (x[20:, :1] > 0))
"""


def test_that_a_data_set_of_ones_own_is_taken_as_it_is(code: Path) -> None:
    (code / "my_data.py").write_text(GOOD)
    options = Options(code_dir=str(code))
    dataset = data.load("my_data:load", None, 3, options)
    assert (len(dataset.train), len(dataset.test)) == (20, 10)
    assert (dataset.shape, dataset.classes, dataset.scale) == ((4,), 2, 1.0)
    assert dataset.format == ("float32", "int32", ())
    again = data.load("my_data:load", str(code), 3, options)
    assert np.array_equal(dataset.train.images, again.train.images)
    assert data.check("my_data:load", None, options).train == 20


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 3", "must return (x_train, y_train), (x_test, y_test)"),
        ("return (next(iter(())) for _ in 'ab'), 1", "must return (x_train"),  # a RuntimeError
        ("return (a, a[:1]), (a, a)", "5 examples and 1 labels as x_train and y_train"),
        ("return (a, a), (a[:0], a[:0])", "no example as x_test"),
        ("return (a, a - 1), (a, a)", "label -1"),
        ("return (a, a), (b, a)", "examples of different shapes"),
        ("return (['x'] * 5, a), (a, a)", "it must be an array of numbers"),
        ("return (a, a * 2**40), (a, a)", "do not fit into 32 bits"),
        ("raise OSError('disk')", "line 5: OSError: disk"),
    ],
)
def test_that_what_is_no_data_set_is_told(code: Path, body: str, words: str) -> None:
    text = (
        f"import numpy as np\na = np.arange(5)\nb = np.zeros((5, 2), int)\ndef load():\n {body}\n"
    )
    (code / "my_bad.py").write_text(text)
    with pytest.raises(BadData) as caught:
        data.load("my_bad:load", None, 0, Options(code_dir=str(code)))
    assert words in str(caught.value)
