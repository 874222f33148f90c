"""How a command fails: exit statuses, and the error that becomes one line on stderr."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from enum import IntEnum

from runtime.origins import origin_of_error

__all__ = ["CommandError", "Status", "in_one_line", "suggestion"]


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


@contextmanager
def in_one_line(status: Status = Status.WRONG_USE) -> Iterator[None]:
    """Makes one line of what the user's code raises; `--traceback` shows the rest."""
    try:
        yield
    except CommandError:
        raise
    except SyntaxError as error:
        place = ":".join(str(x) for x in (error.filename, error.lineno) if x is not None)
        raise CommandError(f"{place}: {error.msg}".removeprefix(": "), status) from error
    except (Exception, SystemExit) as error:
        origin = origin_of_error(error)
        place = "" if origin is None else f"{origin.filename}:{origin.lineno}: "
        words = str(error).partition("\n")[0]
        said = f"{place}{type(error).__name__}{': ' if words else ''}{words}"
        raise CommandError(f"{said} (--traceback shows how it came to this)", status) from error
