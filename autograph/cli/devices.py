"""Lists the devices that programs can run on."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

import autograph as ag
from autograph.cli.failure import Status

__all__ = ["SUMMARY", "add_arguments", "execute"]

SUMMARY = "the devices that programs can run on"


def add_arguments(parser: ArgumentParser) -> None:
    """Declares what `autograph devices` takes."""
    parser.add_argument("--json", action="store_true", help="print a JSON list of names")


def execute(options: Namespace) -> Status:
    """Runs `autograph devices`."""
    names = [str(device) for device in ag.list_devices()]
    print(json.dumps(names) if options.json else "\n".join(names))
    return Status.DONE
