"""`autograph COMMAND ...`: reads the arguments and runs the command."""

from __future__ import annotations

import os
import sys
import traceback
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from autograph.cli import bench, demo, devices, diff, dump, explain, export, graph, run
from autograph.cli.failure import CommandError, Status

__all__ = ["COMMANDS", "main"]

# Each module has `SUMMARY`, `add_arguments(parser)` and `execute(options) -> Status`.
COMMANDS = {
    "dump": dump,
    "diff": diff,
    "graph": graph,
    "explain": explain,
    "run": run,
    "export": export,
    "devices": devices,
    "bench": bench,
    "demo": demo,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and gives the exit status (see `Status`)."""
    options = _parser().parse_args(arguments)
    try:
        return _execute(options)
    except CommandError as error:
        if options.traceback and error.__cause__ is not None:
            traceback.print_exception(error.__cause__)
        print(f"autograph {options.command}: error: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    except BrokenPipeError:
        # The reader has gone, as in `autograph dump x | head`: nothing is left to tell it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Status.REFUSED


def _execute(options: Namespace) -> Status:
    status: Status = options.execute(options)
    sys.stdout.flush()
    return status


class _ShowVersion(Action):
    """Looks the version up when it is asked for: reading package metadata costs milliseconds."""

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        try:
            print(version("autograph-numpy"))
        except PackageNotFoundError:
            parser.error("the package is not installed; run `pip install -e .` in its folder")
        parser.exit()


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="autograph",
        description="Converts Python functions over arrays to graphs, and shows every stage.",
        epilog="Exit status: 0 done, 1 some code was refused, 2 wrong use.",
    )
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="print it and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        command = commands.add_parser(name, help=module.SUMMARY, description=module.__doc__)
        module.add_arguments(command)
        command.add_argument(
            "--traceback", action="store_true", help="with an error, show where it was raised"
        )
        command.set_defaults(execute=module.execute)
    return parser
