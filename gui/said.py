"""What nodes, runs and checks say, in the window's language.

Their sentences are made below the window and stay English there: on the command line, in files and
in the history. The window knows those that it shows most by their form; what it does not know stays
as it is. Names of nodes, tasks and files are taken over as they are.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from gui.language import current, localized, mark, tr

STATES = (
    mark("disconnected"), mark("connecting"), mark("checking"), mark("ready"), mark("unusable"),
    mark("unreachable"),
    mark("queued"),
    mark("pending"), mark("preparing"), mark("starting"), mark("waiting"),
    mark("training"), mark("stalled"), mark("restarting"), mark("stopping"), mark("finished"),
    mark("failed"), mark("stopped"), mark("unknown"), mark("evaluating"), mark("saving"),
    mark("slowest"), mark("fastest"), mark("gpu"), mark("disk"), mark("clock"), mark("login"),
    mark("home"),
    mark("limits"), mark("proxy"), mark("reach"), mark("data"), mark("ports"), mark("hello"),
    mark("computing"), mark("push and pull"), mark("input"), mark("other things than its steps"),
    mark("the user"), mark("your code"), mark("data set"),
)  # fmt: skip
"""Words that stand alone."""

TEMPLATES = (
    # What limits the run.
    mark("Push and pull take {n}% of the time: the ps or the network limit the run."),
    mark("Workers wait {n}% of the time for the average of a step."),
    mark(
        "{task} holds the others up: they wait for it {n}% of the time. "
        "Most of its own goes into {part}."
    ),
    mark("Workers wait {n}% of the time for the next batch."),
    mark("{task} waits {n}% of the time for the next batch."),
    mark("{task} makes {n}% of the others' steps; most of its time goes into {part}."),
    mark(
        "{n}% of the workers' time goes into other things than steps, "
        "such as evaluation and checkpoints."
    ),
    mark("Computing takes {n}% of the time: the devices limit the run."),
    mark("Computing takes {n}% of the time, but the GPUs are used {m}% only."),
    mark("A larger batch_size, another ps or wire: bfloat16 make it less."),
    mark("A larger batch_size makes fewer steps; another ps applies them faster."),
    mark("See what else runs on its node, or leave the slowest out with backup_workers."),
    mark("Data on the node's own disk, TFRecord shards (clew data) or more cores help."),
    mark("See what else runs on its node."),
    mark("A larger batch_size gives each step more to compute at once."),
    # Stops and ends.
    mark("stopped by the user"),
    mark("stopped from elsewhere"),
    mark("waiting for {tasks} and {n} more to save, killed in {m} s at the latest"),
    mark("waiting for {tasks} and {n} more to end, killed in {m} s at the latest"),
    mark("waiting for {tasks} to save, killed in {m} s at the latest"),
    mark("waiting for {tasks} to end, killed in {m} s at the latest"),
    mark("waiting for {tasks} to save"),
    mark("waiting for {tasks} to end"),
    mark("waiting for {tasks}, being killed"),
    mark("stops when {node} is heard again"),
    mark("stops when {nodes} are heard again"),
    mark("{task} on {node} failed: {why}"),
    mark("stopped while preparing"),
    mark("stopped before it was started"),
    mark("run {run} is stopped; nothing of it is left"),
    mark("run {run} was stopped, but {why}"),
    mark("stopping run {run}, as ordered on {when}"),
    mark("a task could not be started"),
    mark("the nodes have changed since this was planned"),
    mark("Look at the new plan."),
    mark("see its log"),
    mark("cause not found"),
    mark("{node}, where {task} ran, does not answer"),
    mark("nothing on record says what happened to {task} on {node}"),
    mark("nothing on record says which task it was"),
    # Tasks.
    mark("before its first step: the model is being compiled"),
    mark("no step since {at}, usually one every {n} s"),
    mark("{task} on {node} is stalled: {why}"),
    mark("{task} on {node} makes steps again, after {n} s without one"),
    mark("{task} on {node} is not heard from"),
    mark("{task} on {node} is {state}"),
    mark("Look at its log, and at what else uses its node."),
    mark("was killed (signal {n}, memory ran out)"),
    mark("was killed (signal {n})"),
    mark("ended with exit status {n}"),
    mark("ended with exit status {n}; its last words: {text}"),
    mark("was cut off"),
    mark("was not started"),
    mark("was killed by the node because memory ran out"),
    mark("was killed by the node (signal 9), probably out of memory"),
    mark("out of memory"),
    # Nodes and connections.
    mark("Connect again."),
    mark("Connect again"),
    mark("not connected"),
    mark("the connection to the agent ended"),
    mark("starting the agent"),
    mark("the environment is made at launch"),
    mark("the SSH connection broke"),
    mark("the connection was closed"),
    mark("{place} refused the connection: no SSH server listens there"),
    mark("{place} did not answer within {n} s"),
    mark("the login as {login} was refused ({why})"),
    mark("the login as {login} was cancelled ({why})"),
    mark(
        "Check the user, and that the node has your public key (ssh-copy-id) or takes your password"
    ),
    mark("Check that the node is up"),
    mark("the host key {key} of {host} was not accepted"),
    mark("Do not connect; ask the administrator"),
    mark("reading your code here"),
    mark("reading the data set here"),
    mark("looking for the run on its nodes"),
    mark("sending the trainer"),
    mark("TensorFlow starts"),
    mark("environment: fetching wheels here"),
    mark("environment: sending wheels"),
    # Checks.
    mark("looking at Python, GPUs and ports"),
    mark("looking at disks, limits and GPUs"),
    mark("dialling the other nodes"),
    mark("sending to {node}"),
    mark("the hello was left out: no node is ready"),
    mark("Make it with `clew provision`, and check again."),
    mark("the data set {name} is here and whole"),
    mark("there is no GPU; tasks here run on the CPU"),
    mark("GPU {gpu} is in use: {who}"),
    mark("Ask them, or leave it out of gpus."),
    mark("Stop it: clew stop {run}."),
    mark("the NVIDIA driver is {driver}, and CUDA 12 needs {oldest} or newer"),
    mark("Ask the administrator for a newer driver; TensorFlow will see no GPU before."),
    mark("logged in as {user} on {host}, {n} ms away"),
    mark("logged in as {user} on {host}"),
    mark("the login shell is {shell}"),
    mark("Python {version} at {path} has TensorFlow {tensorflow}"),
    mark("the clock is {time} ahead of this computer's (± {error})"),
    mark("the clock is {time} behind this computer's (± {error})"),
    mark("Set up NTP on the node or here; Clew's charts take the difference into account."),
    mark("limits of a task: {limits}"),
    mark("a task may open only {n} files"),
    mark("Ask the administrator to raise nofile in /etc/security/limits.conf."),
    mark("no proxy variable is set that gRPC would follow"),
    mark("{name} is set for tasks, so TensorFlow would dial {host} through that proxy"),
    mark("runs and checkpoints go to {path} ({free} free)"),
    mark("the data set is in {path} ({free} free)"),
    mark("the home is {path} ({free} free)"),
    mark("temporary files go to {path} ({free} free)"),
    mark("runs and checkpoints go to {path}, and there is only {free} free"),
    mark("the home is {path}, and there is only {free} free"),
    mark("temporary files go to {path}, and there is only {free} free"),
    mark("Free some space there."),
    mark("Free some space there, or set storage.root in the profile to another disk."),
    mark("Look at that mount on the node."),
    mark("{ports}: every task gets the one it is to have"),
    mark("End that program, or set ports.first in the profile to another number."),
    mark("the way from {node} to {other} is slow: {speed}"),
    mark("See that address names the fast network; that link bounds every step."),
    mark("{task} gets no answer from {place}: a firewall drops it, or nothing is there"),
    mark(
        "{task} is refused by {place}: a firewall rejects it, or the address is another machine's"
    ),
    mark("Open TCP port {port} between the nodes in the firewall, or {remedy}."),
    mark("the one way that the run needs is open"),
    mark("all {n} ways that the run needs are open"),
    mark(
        "all {n} ways that the run needs are open; longest round trip {time} ms ({node} to {other})"
    ),
    mark(
        "all {n} ways that the run needs are open; longest round trip {time} ms "
        "({node} to {other}), least throughput {rate} ({third} to {fourth})"
    ),
    mark("each node has a folder of its own"),
    mark("{nodes} share {folder}; what is sent is sent to all"),
    mark("all nodes have TensorFlow {version}"),
    mark("the nodes' TensorFlow versions differ ({versions})"),
    mark("Install one version on all nodes, or set environment.python to a common one."),
    mark("the nodes' clocks agree to {n} ms"),
    mark("the clock of {node} is {n} s ahead of that of {other}"),
    mark("Set up NTP on both."),
    mark("by {at}"),
    mark("no NVIDIA GPU here (there is no nvidia-smi)"),
    # Plans.
    mark("there are no nodes. Add at least one to the profile"),
    mark("{node}: not connected. Connect to it, or take it out of the profile"),
    mark("{node}: {n} workers share {m} CPUs"),
    mark("{node}: {tasks} has no GPU and is slower than the others"),
    mark("{node}: no task uses its {devices}"),
    mark("{task} has no place. Give it one, or place all tasks automatically"),
    mark("{task}: there is no node {node}. Place it on another"),
    mark("{node}: {task} shares it with {tasks}, though ps_placement is dedicated"),
    mark("a check is going on"),
    mark("Cancel it, or wait for its end."),
    mark("Stop it, or wait for its end."),
    mark("run {run} has not ended yet"),
)
_TRANSLATED = frozenset({"part", "state", "why"})
"""Places of templates that hold such sentences or words themselves."""
_NUMBERS = frozenset({"n", "m", "time", "free", "rate", "error"})
_PLACE = re.compile(r"\\\{(\w+)\\\}")


def said(text: str) -> str:
    """``text`` in the window's language; as it is where its form is not known."""
    return text if current() == "en" or not text else _said(str(text))


@lru_cache(maxsize=4096)
def _said(text: str) -> str:
    found = _whole(text)
    if found is not None:
        return found
    parts = re.split(r"(?<=[.:;]) ", text)
    if len(parts) > 1:
        return " ".join(_whole(part) or part for part in parts)
    return text


def _whole(text: str) -> str | None:
    exact = tr(text)
    if exact != text:
        return exact
    for form, template in _forms():
        match = form.fullmatch(text)
        if match is not None:
            return tr(template, **{k: _value(k, v) for k, v in match.groupdict().items()})
    return None


def _value(name: str, text: str) -> str:
    if name in _TRANSLATED:
        return said(text)
    return localized(text) if name in _NUMBERS else text


@cache
def _forms() -> list[tuple[re.Pattern[str], str]]:
    """Forms with places, the longest first: the most particular one counts."""
    forms = []
    for template in sorted(TEMPLATES, key=len, reverse=True):
        if "{" not in template:
            continue
        form = _PLACE.sub(_place, re.escape(template))
        forms.append((re.compile(form, re.DOTALL), template))
    return forms


def _place(match: re.Match[str]) -> str:
    name = match[1]
    return rf"(?P<{name}>[\d.,]+)" if name in ("n", "m") else rf"(?P<{name}>.+?)"
