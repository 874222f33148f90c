"""How a command fails: exit statuses, and the error that becomes one line on stderr."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import IntEnum

__all__ = ["CommandError", "Status", "suggestion"]


class Status(IntEnum):
    """What the exit status of a command says."""

    DONE = 0
    REFUSED = 1  # the command did its work, but some code could not be converted
    WRONG_USE = 2  # a bad path, a syntax error, a wrong spec; argparse's own status too
    INTERRUPTED = 130


class CommandError(Exception):
    """What stops a command; its message is all that the user sees."""

    def __init__(self, message: str, status: Status = Status.WRONG_USE) -> None:
        super().__init__(message)
        self.status = status


def suggestion(wrong: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the nearest known ones, or nothing.

    >>> suggestion("nwton", ["newton", "secant"])
    '; did you mean newton?'
    """
    near = get_close_matches(wrong, list(known), n=3)
    return f"; did you mean {' or '.join(near)}?" if near else ""
