"""Times in all of Slurm's forms, and reasons in words that say whether a job will start."""

from __future__ import annotations

import time

import pytest

from remote.node.slurm import commands, jobids, reasons, states, times
from tests.support.slurm_tables import FOLDER


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 1800), ("5:30", 330), ("2:00:00", 7200), ("02:00:00", 7200), ("1-0", 86400),
        ("1-12", 129600), ("1-12:30", 131400), ("1-00:00:01", 86401), ("90:00", 5400),
        ("100:00:00", 360000), (" 5 ", 300), ("UNLIMITED", None), ("infinite", None),
        ("INFINITE", None), ("-1", None), ("0", None), ("0:00", None),
    ],
)  # fmt: skip
def test_that_every_form_of_a_limit_is_read(text: str, seconds: int | None) -> None:
    assert times.limit(text) == (True, seconds)


@pytest.mark.parametrize(
    "text", ["", "x", "5m", "1:2:3:4", "1-", "-5", "1-2-3", "1-1:1:1:1", "1.5", "٣", "NOT_SET"]
)
def test_that_what_is_no_limit_is_none(text: str) -> None:
    assert times.limit(text) == (False, None)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7-15:37:35", 661055), ("0:00", 0), ("-8-08:00:00", 0), ("-5:00", 0), ("1:00:00", 3600),
        ("UNLIMITED", None), ("INVALID", None), ("NOT_SET", None), ("N/A", None), ("", None),
    ],
)  # fmt: skip
def test_that_times_that_are_shown_are_read(text: str, seconds: int | None) -> None:
    assert times.duration_s(text) == seconds


def test_that_moments_are_the_nodes_local_time() -> None:
    assert times.moment("2026-12-01T02:58:49") == time.mktime((2026, 12, 1, 2, 58, 49, 0, 0, -1))
    assert times.moment("1796093929") == 1796093929.0
    for text in ("N/A", "Unknown", "None", "", "2026-13-01T00:00:00", "02:58:49"):
        assert times.moment(text) is None


@pytest.mark.parametrize(
    ("reason", "words", "will_start"),
    [
        (
            "(ReqNodeNotAvail, UnavailableNodes:gpu[01-04,07])",
            "a required node is down or reserved: gpu01-04, gpu07",
            None,
        ),
        ("ReqNodeNotAvail, UnavailableNodes:", "a required node is down or reserved", None),
        (
            "ReqNodeNotAvail, Reserved for maintenance",
            "its nodes are reserved for maintenance",
            True,
        ),
        (
            "(Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority "
            "partitions)",
            "the nodes it needs are down, drained or reserved for jobs of higher priority",
            None,
        ),
        ("Priority", "jobs of higher priority come first", True),
        ("(Resources)", "waits until nodes are free", True),
        ("None", "", True),
        ("(null)", "", None),
        ("JobHeldUser", "is held by you; scontrol release lets it go", False),
        ("launch failed requeued held", "could not be launched, and is held", False),
        ("PartitionTimeLimit", "asks for more time than the partition allows", False),
        ("DependencyNeverSatisfied", "the job it waits for cannot end as it must", False),
        (
            "QOSMaxGRESPerUser",
            "the quality of service uses as much (GPUs) as it may at a time",
            True,
        ),
        (
            "QOSMaxWallDurationPerJobLimit",
            "asks for more time than is allowed",
            False,
        ),
        (
            "AssocMaxNodePerJobLimit",
            "asks for more (nodes) than your account allows for one job",
            False,
        ),
        ("AssocMaxJobsLimit", "your account has as many jobs as it may have", True),
        ("MaxGRESPerAccount", "your account uses as much (GPUs) as it may at a time", True),
        ("QOSMinGRES", "asks for less (GPUs) than the quality of service wants", False),
        (
            "AssocGrpCPURunMinutesLimit",
            "your account has no time left for processors: its budget is used up",
            None,
        ),
        ("SomethingNewIn2030", "SomethingNewIn2030", None),
        ("site plugin says: come back, later", "site plugin says: come back, later", None),
    ],
)
def test_that_reasons_are_explained(reason: str, words: str, will_start: bool | None) -> None:
    assert reasons.explain(reason) == (words, will_start)


def test_that_columns_with_blanks_bars_and_commas_stay_whole() -> None:
    text = (FOLDER / "squeue-delimited.txt").read_text(encoding="utf-8")
    found = [line.split(commands.FIELD) for line in text.splitlines()]
    assert [len(row) for row in found] == [10, 10]
    assert found[0][2] == "my train|v2"
    assert jobids.parse(found[0][0]).text == "812001"
    assert [states.job_state(row[4]).state for row in found] == ["waiting", "running"]
    assert times.duration_s(found[1][5]) == 661055
    assert times.duration_s(found[1][6]) == 720000
    assert reasons.explain(found[0][9]).words.endswith(": gpu01-04, gpu07")


def test_that_one_odd_record_does_not_hide_the_others() -> None:
    sep, rec = commands.FIELD, commands.RECORD
    answer = f"{rec}1{sep}a\nb{sep}x|y z\n{rec}odd\n{rec}3{sep}c{sep}d{sep}e\n"
    assert commands.fields(answer, 3) == [["1", "a\nb", "x|y z"], ["3", "c", f"d{sep}e"]]
    assert commands.fields("slurm: a greeting\n", 3) == []
