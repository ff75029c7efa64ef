"""Job ids are texts: none of their forms makes Clew lose a job, or cancel a cluster."""

from __future__ import annotations

import pytest

from remote.node.refused import Refused
from remote.node.slurm import jobids
from tests.support.slurm_tables import rows

TABLE = rows("job-ids.tsv", 4)
SUBMITS = [row for row in TABLE if row[3].startswith(("submit", "parsable"))]
IDS = [row for row in TABLE if row not in SUBMITS]


@pytest.mark.parametrize(("text", "kept", "cluster", "kind"), SUBMITS, ids=[r[0] for r in SUBMITS])
def test_that_sbatchs_answer_gives_id_and_cluster(
    text: str, kept: str, cluster: str, kind: str
) -> None:
    job = jobids.submitted(text.replace("\\n", "\n") + "\n")
    assert job is not None
    assert (job.text, job.cluster) == (kept, cluster)


@pytest.mark.parametrize(("text", "kept", "cluster", "kind"), IDS, ids=[row[0] for row in IDS])
def test_that_every_form_of_an_id_is_understood(
    text: str, kept: str, cluster: str, kind: str
) -> None:
    job = jobids.parse(text)
    assert (job.text, job.cluster) == (kept, cluster)
    words = kind.replace(",", "").split()
    if words[0] == "pending":
        assert (job.kind, job.tasks) == ("array", int(words[-2]))
    if words[0] == "heterogeneous":
        assert (job.kind, job.parent) == ("heterogeneous part", kept.partition("+")[0])
    if words[0] == "step":
        assert job.step == text.rpartition(".")[2]


@pytest.mark.parametrize(
    ("text", "parent", "kind", "tasks"),
    [
        ("12_[0-20:4]", "12", "array", 6),
        ("12_[7]", "12", "array", 1),
        ("12_[1-3,5,...]", "12", "array", None),
        ("12_[5-3]", "12", "array", None),
        ("12_4+1", "12", "heterogeneous part", None),
        ("12+0.batch", "12", "heterogeneous part", None),
        ("12.extern", "12", "job", None),
        ("12;two", "12", "job", None),
    ],
)
def test_that_parts_have_a_parent(text: str, parent: str, kind: str, tasks: int | None) -> None:
    job = jobids.parse(text)
    assert (job.parent, job.tasks) == (parent, tasks)
    assert job.kind in (kind, "array task")


@pytest.mark.parametrize(
    "text", ["", "nautilus", "12;a b", "-1", "1e5", "12_", "12_[", "١٢", "1 2"]
)
def test_that_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        jobids.parse(text)


@pytest.mark.parametrize(
    ("said", "job"),
    [
        ("Welcome!\n42\nRequest charged to project x\n", "42"),
        ("sbatch: Warning: 3 things\n75168975;slaking\n", "75168975"),
        ("Submitted batch job 7\nSubmitted batch job 8\n", "8"),
        ("4711 jobs are waiting\n", None),
        ("Submitted batch job x\n", None),
        ("", None),
    ],
)
def test_that_noise_around_sbatchs_answer_is_no_id(said: str, job: str | None) -> None:
    found = jobids.submitted(said)
    assert (found.text if found else None) == job


def test_that_ids_sort_as_numbers_and_others_come_last() -> None:
    ids = ["2214592513", "99", "100_2", "100_10", "nautilus", "100"]
    assert sorted(ids, key=jobids.order) == [
        "99",
        "100",
        "100_2",
        "100_10",
        "2214592513",
        "nautilus",
    ]
