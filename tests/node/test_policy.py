"""Which ends are tried again, and after how long."""

import pytest

from remote.node.policy import Restarts
from trainer.choices import RESTART_POLICIES
from trainer.spec import EXIT_LOST_PEER, FINAL_EXITS, RETRIED_EXITS


def restarts(policy: str, **more: float) -> Restarts:
    settings = {"max": 3, "policy": policy, "backoff_s": 1.0, "backoff_cap_s": 30.0, **more}
    return Restarts(settings, FINAL_EXITS, RETRIED_EXITS)


@pytest.mark.parametrize(
    ("policy", "exit_code", "signal_number", "again"),
    [
        ("on-failure", 1, None, True),
        ("on-failure", 127, None, True),
        ("on-failure", None, 9, True),
        ("on-failure", None, None, True),
        ("exit-code", 1, None, False),
        ("exit-code", 127, None, False),
        ("exit-code", 128, None, True),
        ("exit-code", 137, None, True),
        ("exit-code", None, 9, True),
        ("exit-code", None, None, True),
        ("exit-code", EXIT_LOST_PEER, None, True),
        ("never", 1, None, False),
        ("never", None, 9, False),
    ],
)
def test_that_the_class_of_an_end_decides(
    policy: str, exit_code: int | None, signal_number: int | None, again: bool
) -> None:
    why = restarts(policy).why_final(exit_code, signal_number)
    assert (why is None) == again
    assert again or (why and policy in why), "what is not tried again says by which rule"


@pytest.mark.parametrize("policy", RESTART_POLICIES)
@pytest.mark.parametrize("exit_code", sorted(FINAL_EXITS))
def test_that_what_no_restart_can_mend_is_final_whatever_the_policy(
    policy: str, exit_code: int
) -> None:
    assert restarts(policy).why_final(exit_code, None) == ""


def test_that_pauses_grow_to_a_limit_and_begin_anew_after_a_good_while() -> None:
    policy = restarts("on-failure", reset_after_s=600.0)
    pauses, in_a_row = [], 0
    for ran_s in (1.0, 2.0, 599.0, 5.0, 5.0, 5.0, 5.0, 600.0, 1.0):
        in_a_row = policy.in_a_row(in_a_row, ran_s)
        pauses.append(policy.pause_s(in_a_row))
    assert pauses == [1, 2, 4, 8, 16, 30, 30, 1, 2]
    assert policy.pause_s(10**6) == 30


def test_that_settings_of_an_earlier_version_are_on_failure() -> None:
    old = Restarts({"max": 1, "backoff_s": 1.0, "backoff_cap_s": 2.0}, ())
    assert old.why_final(1, None) is None
