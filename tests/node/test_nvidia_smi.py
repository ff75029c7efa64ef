"""nvidia-smi's words and gaps: no value is not zero, and no message is a GPU."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.node import nvidia_smi
from remote.node.nvidia_smi import Gpu, explain, parse, refused_fields

FIXTURES = Path(__file__).parents[1] / "fixtures" / "nvidia_smi"
MIB = 1024 * 1024
NOUNITS_FIELDS = (
    "index",
    "name",
    "utilization.gpu",
    "memory.used",
    "memory.total",
    "temperature.gpu",
    "fan.speed",
    "power.draw",
)


def read(name: str) -> str:
    return (FIXTURES / name).read_text()


def transcripts() -> dict[str, str]:
    """Letter -> text of each recorded failure."""
    found: dict[str, str] = {}
    letter = ""
    for line in read("whole-command-fails.txt").splitlines():
        if line.startswith("### "):
            letter = line[4]
            found[letter] = ""
        else:
            found[letter] += line + "\n"
    return found


def test_that_six_rows_are_six_gpus_with_gaps_where_there_is_no_number() -> None:
    gpus = parse(read("placeholders.csv"))
    assert [gpu.index for gpu in gpus] == [0, 1, 2, 3, 4, 5]
    assert [gpu.utilization_percent for gpu in gpus] == [37, None, 100, None, 93, 12]
    assert [gpu.power_watts for gpu in gpus] == [61.22, None, None, None, 99.0, None]
    assert gpus[0].memory_used_bytes == 1024 * MIB
    assert gpus[0].memory_total_bytes == 40960 * MIB
    assert gpus[5].name == "NVIDIA GH200 480GB"
    assert [bool(gpu.warning) for gpu in gpus] == [False, False, True, False, False, False]
    assert "Unknown Error" in gpus[2].warning


def test_that_output_without_units_and_header_is_read_by_the_fields_asked_for() -> None:
    assert parse(read("placeholders-nounits.csv"), NOUNITS_FIELDS) == [
        gpu for gpu in parse(read("placeholders.csv")) if gpu.index < 2
    ]
    assert parse(read("placeholders-nounits.csv")) == [], "columns are not guessed"


def test_that_mig_keeps_the_parents_and_says_why_there_are_no_values() -> None:
    gpus = parse(read("mig-query.csv"))
    assert [gpu.uuid[-2:] for gpu in gpus] == ["01", "02"]
    for gpu in gpus:
        assert gpu.utilization_percent is None
        assert gpu.memory_used_bytes is None
        assert "not available with MIG" in gpu.warning
        assert "does not let your account read" in gpu.warning
    assert gpus[0].temperature_c == 47
    assert parse(read("mig-list.txt")) == []


@pytest.mark.parametrize(
    "word", ["[Unknown Error]", "ERR!", "[GPU requires reset]", "[GPU is lost]"]
)
def test_that_a_fault_marks_its_gpu_only(word: str) -> None:
    text = f"index, name, utilization.gpu [%]\n0, A, {word}\n1, B, 5 %\n"
    first, second = parse(text)
    assert first.utilization_percent is None
    assert first.warning
    assert (second.utilization_percent, second.warning) == (5, "")


@pytest.mark.parametrize(
    "cell", ["nan", "inf", "1e400", "1_000", "-5 %", "101 %", "3 apples", "１２"]
)
def test_that_odd_numbers_are_no_values(cell: str) -> None:
    (gpu,) = parse(f"index, name, utilization.gpu [%]\n0, A, {cell}\n")
    assert gpu.utilization_percent is None


def test_that_failures_are_put_into_words_and_make_no_gpu() -> None:
    words = transcripts()
    expected = {
        "a": (18, "driver", "reboot"),
        "b": (6, "none", "no NVIDIA GPU here"),
        "c": (9, "driver", "driver is not loaded"),
        "d": (1, "lost", "0000:0B:00.0 fell off the bus"),
        "e": (255, "lost", "0000:02:00.0 fell off the bus"),
        "f": (127, "none", "no NVIDIA GPU here"),
    }
    assert set(words) == set(expected)
    for letter, (status, kind, reason) in expected.items():
        assert parse(words[letter]) == []
        assert parse("index, name, memory.used\n" + words[letter]) == []
        failure = explain(status, words[letter])
        assert failure.kind == kind
        assert reason in failure.reason
    assert explain(None, "").kind == "none"
    assert explain(1, "").reason
    assert parse(read("table.txt")) == []


def test_that_the_words_decide_where_the_status_is_lost() -> None:
    words = transcripts()
    kinds = {letter: explain(1, words[letter]).kind for letter in "abc"}
    assert kinds == {"a": "driver", "b": "none", "c": "driver"}


def test_that_a_field_that_the_driver_does_not_know_is_named() -> None:
    assert refused_fields(read("unknown-field.txt")) == ["power.draw.instant"]
    assert refused_fields("all is well") == []


def test_that_rows_are_grouped_by_repetition_and_half_a_line_is_none() -> None:
    ticks = nvidia_smi.Ticks()
    assert ticks.line("index, name, utilization.gpu [%]") is None
    assert ticks.line("0, A, 1 %") is None
    assert ticks.line("1, B") is None, "a row that is not whole"
    assert ticks.line("1, B, 2 %") is None
    reading = ticks.line("0, A, 3 %")
    assert reading is not None
    assert [gpu.utilization_percent for gpu in reading] == [1, 2]
    assert [gpu.utilization_percent for gpu in ticks.quiet() or ()] == [3]
    assert ticks.quiet() is None
    assert ticks.messages == ["1, B"]
    ticks.line("0, A, 4 %")
    again = ticks.line("index, name, utilization.gpu [%]")
    assert again is not None
    assert len(again) == 1


def test_that_a_name_with_a_comma_and_windows_line_ends_are_read() -> None:
    (gpu,) = parse("index, name, utilization.gpu [%]\r\n0, Quadro, the old, 7 %\r\n")
    assert (gpu.name, gpu.utilization_percent) == ("Quadro, the old", 7)


CELLS = st.one_of(
    st.sampled_from(["0", "1", "37 %", "[N/A]", "", "ERR!", "9000 MiB", "61.22 W", "-1", "nan"]),
    st.text(max_size=12),
)
ROWS = st.lists(CELLS, min_size=1, max_size=11).map(", ".join)


@given(st.lists(ROWS, max_size=8), st.booleans())
def test_that_no_output_raises_and_nothing_is_invented(rows: list[str], header: bool) -> None:
    lines = [", ".join(nvidia_smi.FIELDS)] if header else []
    text = "\n".join(lines + rows)
    gpus = parse(text)
    assert len(gpus) <= len(text.splitlines())
    assert len({gpu.index for gpu in gpus}) == len(gpus)
    for gpu in gpus:
        check(gpu, text)
    explain(1, text)


def check(gpu: Gpu, text: str) -> None:
    """Every value of a GPU stands in the text."""
    assert str(gpu.index) in text
    assert gpu.utilization_percent is None or 0 <= gpu.utilization_percent <= 100
    for used in (gpu.memory_used_bytes, gpu.memory_total_bytes):
        assert used is None or used >= 0
    assert "\n" not in gpu.name
    assert gpu.name.isprintable()


@given(st.text(max_size=300))
def test_that_a_stream_of_anything_is_survived(text: str) -> None:
    ticks = nvidia_smi.Ticks()
    for line in text.split("\n"):
        ticks.line(line)
    ticks.quiet()
    assert len(ticks.messages) <= 20
