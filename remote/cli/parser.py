"""The arguments of every command."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TypeAlias

from remote.cli.anyorder import CommandParser
from remote.cli.version import version

EPILOG = """\
RUN is a run's id, its beginning or its last letters, or `last`.
Exit status: 0 good, 1 the run or a node failed, 2 the input is wrong, 130 stopped by the user.
"""


def build_parser() -> argparse.ArgumentParser:
    """All commands with their options; ``command`` names the chosen one."""
    parser = argparse.ArgumentParser(
        prog="clew",
        description="Train TensorFlow models on GPU machines that you reach over SSH. "
        "Without a command, the window opens (with a profile, if one is named: clew PROFILE).",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"clew {version()}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=CommandParser
    )
    _add_hosts(commands)
    _add_check(commands)
    _add_provision(commands)
    _add_sweep(commands)
    _add_run(commands)
    _add_run_commands(commands)
    _add_logs(commands)
    _add_export(commands)
    _add_import(commands)
    _add_data(commands)
    _add_scaling(commands)
    _add_study(commands)
    _add_demo(commands)
    return parser


COMMANDS = (
    "hosts",
    "check",
    "provision",
    "sweep",
    "run",
    "status",
    "logs",
    "attach",
    "stop",
    "runs",
    "export",
    "import",
    "data",
    "scaling",
    "study",
    "demo",
)
"""What distinguishes a command from the path of a profile."""

CHARTS = ("loss", "accuracy", "throughput", "time", "utilization")
"""The charts of a run."""

Commands: TypeAlias = "argparse._SubParsersAction[CommandParser]"


def _command(commands: Commands, name: str, help: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help, description=help)
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    return parser


def _add_profile(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("profile", type=Path, metavar="PROFILE", help="a YAML file")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change one value of the profile, like training.steps=500; may be repeated",
    )


def _add_hosts(commands: Commands) -> None:
    parser = _command(
        commands,
        "hosts",
        "List the hosts of ~/.ssh/config, or make a profile of them; runs nothing.",
    )
    parser.add_argument(
        "host",
        nargs="*",
        default=[],
        metavar="HOST",
        help="only these; patterns like 'gpu*' and '!gpu9' too",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="read this file instead")
    parser.add_argument(
        "--save", type=Path, metavar="PROFILE", help="write a new profile with these hosts as nodes"
    )


def _add_check(commands: Commands) -> None:
    parser = _command(commands, "check", "Connect to all nodes and see whether they can train.")
    _add_profile(parser)
    parser.add_argument(
        "--hello",
        action="store_true",
        help="also add two vectors through TensorFlow on every device of every node",
    )
    parser.add_argument("--all", action="store_true", help="tell what is well, too")


def _add_provision(commands: Commands) -> None:
    parser = _command(
        commands,
        "provision",
        "Make the environments of environment.packages now instead of at launch.",
    )
    _add_profile(parser)
    parser.add_argument(
        "--prune",
        action="store_true",
        help="instead, remove environments that neither this profile nor a task needs; asks first",
    )
    parser.add_argument("--yes", action="store_true", help="with --prune: do not ask")


def _add_sweep(commands: Commands) -> None:
    parser = _command(
        commands, "sweep", "Find what runs have left on the nodes; remove what you confirm."
    )
    _add_profile(parser)
    parser.add_argument(
        "--yes", action="store_true", help="do not ask: remove all that nobody can need any more"
    )


def _add_run(commands: Commands) -> None:
    parser = _command(commands, "run", "Start a run and watch it to its end.")
    _add_profile(parser)
    parser.add_argument("--name", default="", help="what to call the run")
    parser.add_argument(
        "--detach", action="store_true", help="return once the tasks are started; they go on"
    )


def _add_run_commands(commands: Commands) -> None:
    for name, what, needs_run in (
        ("status", "How a run stands, as its nodes say; of the last run, if none is named.", False),
        ("attach", "Watch a run that was started earlier; Ctrl-C leaves it going.", True),
        ("stop", "Stop a run on all its nodes.", True),
    ):
        parser = _command(commands, name, what)
        count = None if needs_run else "?"
        parser.add_argument("run", metavar="RUN", nargs=count, default="last", help="which run")
        parser.add_argument(
            "--profile",
            type=Path,
            metavar="FILE",
            help="reach the nodes as this profile says, also for a run that was started elsewhere",
        )
        if name == "stop":
            _add_depths(parser)
            parser.add_argument(
                "--take-control",
                action="store_true",
                help="also where another desktop controls the run",
            )
            _add_withdrawal(parser)
    _add_runs(commands)


def _add_runs(commands: Commands) -> None:
    parser = _command(
        commands, "runs", "List the runs on record here, or on the nodes of PROFILE; newest first."
    )
    parser.add_argument(
        "profile",
        type=Path,
        nargs="?",
        metavar="PROFILE",
        help="ask these nodes, whoever started the runs",
    )
    parser.add_argument(
        "--limit", type=_limit, default=200, metavar="N", help="how many (200); 0: all"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="instead, read the whole history through; one that is damaged is set aside",
    )


def _add_withdrawal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--withdraw",
        action="append",
        default=[],
        metavar="NODE",
        help="instead, give up a node that is gone for good: nothing waits for it; asks first",
    )
    parser.add_argument("--yes", action="store_true", help="with --withdraw: do not ask")


def _add_depths(parser: argparse.ArgumentParser) -> None:
    depths = parser.add_mutually_exclusive_group()
    for flag, what in (
        ("after-checkpoint", "let the chief save first, for up to five minutes (the default)"),
        ("now", "let tasks end by themselves for a few seconds, then kill them"),
        ("force", "kill all processes at once; what was not saved is lost"),
    ):
        depth = flag.removeprefix("after-")
        depths.add_argument(f"--{flag}", dest="depth", action="store_const", const=depth, help=what)
    parser.set_defaults(depth="checkpoint")


def _add_logs(commands: Commands) -> None:
    parser = _command(commands, "logs", "Show what the tasks of a run wrote.")
    parser.add_argument("run", metavar="RUN", help="which run")
    parser.add_argument(
        "task",
        nargs="*",
        default=[],
        metavar="TASK",
        help="only these: worker:0, ps:1, or worker for all",
    )
    parser.add_argument("--merged", action="store_true", help="all tasks' lines by time, with it")
    parser.add_argument("--follow", action="store_true", help="go on until the run ends, or Ctrl-C")
    parser.add_argument("--grep", metavar="RE", help="only lines in which this is found")
    parser.add_argument(
        "--level",
        choices=("debug", "info", "warning", "error"),
        help="only lines of this level or graver",
    )
    parser.add_argument("--raw", action="store_true", help="one task's bytes as they were written")
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="reach the nodes as this profile says"
    )


def _add_export(commands: Commands) -> None:
    parser = _command(commands, "export", "Write a recorded run to files.")
    parser.add_argument("run", metavar="RUN", help="which run")
    parser.add_argument(
        "--csv", type=Path, metavar="DIR", help="tables of steps, rates, samples, …"
    )
    parser.add_argument("--png", type=Path, metavar="FILE", help="a picture of its charts")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="the same, as a drawing")
    parser.add_argument(
        "--chart", choices=CHARTS, help="with --png or --svg: only this chart, not all"
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="one HTML file to read, print or send"
    )
    parser.add_argument(
        "--bundle",
        type=Path,
        metavar="FILE",
        help="the whole run as one .clewrun file, which any Clew opens: clew import FILE",
    )


def _add_import(commands: Commands) -> None:
    parser = _command(commands, "import", "Take the run of a .clewrun file into the history.")
    parser.add_argument("file", type=Path, metavar="FILE", help="made by clew export --bundle")


def _add_data(commands: Commands) -> None:
    parser = _command(
        commands, "data", "Pack folders of images, train/<class>/*, as TFRecord shards."
    )
    parser.add_argument("action", choices=("build",), help="what to do")
    parser.add_argument("source", type=Path, metavar="SOURCE", help="the folder of images")
    parser.add_argument(
        "destination", type=Path, metavar="DEST", help="a new folder, or an unfinished one's"
    )
    parser.add_argument("--shards", type=_count, metavar="N", help="how many shards for training")
    parser.add_argument(
        "--max-bad", type=_limit, metavar="N", help="how many files may be unusable before it stops"
    )


def _add_scaling(commands: Commands) -> None:
    parser = _command(
        commands, "scaling", "Tell how many workers the links of the parameter servers carry."
    )
    parser.add_argument(
        "--parameters", type=_positive, required=True, metavar="N", help="of the model, like 25.6e6"
    )
    parser.add_argument(
        "--step",
        type=_positive,
        required=True,
        metavar="S",
        help="seconds a worker computes a step",
    )
    parser.add_argument(
        "--link", type=_positive, default=10.0, metavar="GBIT", help="Gbit/s of a machine (10)"
    )
    parser.add_argument("--ps", type=_count, default=1, metavar="N", help="how many ps (1)")
    parser.add_argument(
        "--workers", type=_count, default=64, metavar="N", help="the most to look at (64)"
    )
    parser.add_argument("--sync", action="store_true", help="synchronous training")
    parser.add_argument(
        "--alongside", action="store_true", help="the ps are on the machines of workers"
    )
    parser.add_argument("--bfloat16", action="store_true", help="2 bytes travel for each, not 4")


def _add_study(commands: Commands) -> None:
    parser = _command(
        commands, "study", "Run the same training over several sizes of the cluster, and compare."
    )
    parser.add_argument("profile", type=Path, metavar="PROFILE", nargs="?", help="a YAML file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as in run")
    parser.add_argument("--name", default="", help="what to call the study and its runs")
    parser.add_argument(
        "--workers", type=_counts, metavar="N,N", help="numbers of workers (1, 2, 4, … nodes)"
    )
    parser.add_argument("--ps", type=_counts, metavar="N,N", help="numbers of ps (the profile's)")
    parser.add_argument(
        "--no-single", action="store_true", help="without the baseline, a single process"
    )
    parser.add_argument("--repeats", type=_count, default=3, metavar="N", help="of each size (3)")
    parser.add_argument(
        "--target", type=_share, metavar="A", help="also the time to this accuracy, like 0.98"
    )
    parser.add_argument("--resume", metavar="STUDY", help="go on with a study, or `last`")
    parser.add_argument("--show", metavar="STUDY", help="show what a study has given so far")


def _add_demo(commands: Commands) -> None:
    parser = _command(commands, "demo", "A run on a practice cluster on this computer.")
    parser.add_argument(
        "--headless",
        action="store_true",
        help="without a window; so it is where there is no display",
    )
    parser.add_argument("--nodes", type=_count, default=3, metavar="N", help="how many nodes (3)")
    parser.add_argument("--steps", type=_count, metavar="N", help="how many steps to train")
    parser.add_argument("--png", type=Path, metavar="FILE", help="where the charts' picture goes")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def _positive(text: str) -> float:
    value = _number(text)
    if not 0 < value < 1e30:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return value


def _counts(text: str) -> list[int]:
    return [_count(part) for part in text.split(",")]


def _share(text: str) -> float:
    value = _number(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not an accuracy above 0, at most 1")
    return value


def _limit(text: str) -> int:
    value = _whole(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return value


def _count(text: str) -> int:
    value = _whole(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return value
