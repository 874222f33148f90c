"""The command line: one file per command, each a line in `command.COMMANDS`."""

from autograph.cli.command import main

__all__ = ["main"]
