"""The window's sentences about the present state: rail, status bar, and the next step. No Qt."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from gui.language import localized, plural, tr
from gui.run_model import RunModel
from gui.said import said
from gui.texts import elapsed_text

if TYPE_CHECKING:
    from gui.controller import Controller
    from gui.document import Document
    from remote.updates import ResultUpdate


def rail_states(controller: Controller) -> dict[str, str]:
    """One short phrase for each page."""
    if not controller.document.is_open:
        return {}
    run = controller.models.run
    return {
        "cluster": _cluster_phrase(controller),
        "training": _training_phrase(controller),
        "live": run_phrase(run),
        "logs": tr("{count} tasks", count=len(run.logs)) if run is not None and run.logs else "",
    }


def _training_phrase(controller: Controller) -> str:
    training = controller.training()
    if training is None:
        return tr("has mistakes") if controller.document.issues_under("training") else ""
    if training.command:
        return shlex.join(training.command)
    return f"{training.model} · {training.dataset.name}"


def _cluster_phrase(controller: Controller) -> str:
    counts, total = controller.models.nodes.counts(), len(controller.models.nodes.nodes)
    if not total:
        return tr("no nodes yet")
    if counts.get("disconnected", 0) == total:
        return tr("not connected")
    return tr("{ready} of {total} ready", ready=counts.get("ready", 0), total=total)


def run_phrase(run: RunModel | None) -> str:
    if run is None:
        return tr("no run yet")
    if run.state in ("training", "finished", "stopped", "failed") and run.step:
        return f"{said(run.state)}, {localized(f'{run.step:,}')}"
    return said(run.state)


def status_sentence(controller: Controller, now: float) -> str:
    """What is going on, or what to do next."""
    document = controller.document
    run = controller.models.run
    waiting = controller.prompter.waiting
    if waiting:
        if len(waiting) == 1:
            return tr("{node} is waiting for your answer.", node=waiting[0])
        more = len(waiting) - 1
        return tr("{node} and {more} more are waiting for your answer.", node=waiting[0], more=more)
    if controller.busy:
        return controller.busy
    if not document.is_open:
        return tr("Open a profile, make one of your SSH hosts, or try the practice cluster.")
    if run is not None and run.live and not run.ended:
        about = f" {said(run.detail)}" if run.detail else ""
        if run.controlled_from:
            about += tr(
                ", watched only: controlled from {controlled_from}",
                controlled_from=run.controlled_from,
            )
        return tr(
            "Run {run_id}: {state}, {time} so far.{rest}",
            run_id=run.run_id,
            state=said(run.state),
            time=elapsed_text(run.elapsed_s(now)),
            rest=about,
        )
    if document.only_new_rows:
        return tr("Type the host name of the new node.")
    if document.issues:
        count = len(document.issues)
        return plural(
            "The profile has a mistake: {first}",
            "The profile has {n} mistakes: {first}",
            count,
            first=said(document.issues[0].text()),
        )
    if not controller.connected:
        return controller.why_not_connect() or tr("Ready to connect to the nodes.")
    return controller.why_not_launch().split("\n")[0] or tr(
        "All nodes are ready. Launch when you are."
    )


def fix_words(document: Document) -> str:
    """What to do about the first mistake of the profile."""
    issue = document.issues[0]
    if document.only_new_rows:
        return tr("Type the host name of the new node first.")
    return tr("Fix the profile first: {mistake}", mistake=said(issue.text()))


def end_words(result: ResultUpdate) -> str:
    """How a run ended well."""
    step = result.global_step
    if result.state == "finished":
        return tr("The run is finished at step {step:,}. Nothing is left on the nodes.", step=step)
    if result.state == "stopped":
        return tr("The run is stopped at step {step:,}. Nothing is left on the nodes.", step=step)
    return tr("The run has ended at step {step:,}. Nothing is left on the nodes.", step=step)


def primary_action(controller: Controller) -> str:
    """The one button that is the next step."""
    if controller.run_active:
        return "stop"
    if not controller.why_not_launch():
        return "launch"
    return "" if controller.why_not_connect() or controller.connected else "connect"
