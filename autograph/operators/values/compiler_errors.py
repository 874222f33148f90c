"""Exceptions that come of mistakes of the compiler's, told from those of the user's function.

What an operator raises for the user it raises by `raise`, or by calling what the user called. An
`assert` that does not hold, an item, an attribute or a name that is not there, and an unpacking
that fails in the code of an operator are mistakes of ours: no `except` of the user's may take them.
So are an attribute or name that is not there in any other code of ours, and what it goes through at
once that is not of one length. Operators that do themselves what the user wrote, like `thing[key]`,
are marked `as_written`.
"""

from __future__ import annotations

import dis
import linecache
import os
import traceback
from collections.abc import Callable
from types import CodeType, TracebackType
from typing import Any, TypeVar

import runtime
from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import origin_of_error

__all__ = ["as_written", "refuse_own"]

F = TypeVar("F", bound=Callable[..., Any])

_OPERATORS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_OURS = (os.path.dirname(os.path.dirname(_OPERATORS)) + os.sep,
         os.path.dirname(os.path.abspath(runtime.__file__)) + os.sep)  # fmt: skip
# How the names of instructions begin that take or set an item, an attribute or a name, or unpack.
_NO_CALLS = ("BINARY_S", "STORE_", "DELETE_", "LOAD_", "UNPACK_")
# The trace of a function that calls itself is in one more body with each call, or in several.
_DEEP = 12
# So many calls of ours follow on each other where we go through what holds itself only.
_OF_RING = 100
_as_written: set[CodeType] = set()


def as_written(function: F) -> F:
    """Mark an operator that does itself what the user wrote: what it raises is the user's."""
    _as_written.add(function.__code__)
    return function


def refuse_own(error: BaseException) -> None:
    """Raise a StagingError for an exception that is a mistake of ours.

    So is Python's limit, where many staged bodies lie in each other: the user's calls end. And so
    it is where we go through what holds itself.
    """
    if isinstance(error, RecursionError) and _is_in_ring(error):
        raise StagingError(
            "the graph does not know how to stand for a list, dict or object that holds itself",
            "close the ring outside of the function, or set it in branches and loops of no data",
            origin=origin_of_error(error),
        ) from None
    if isinstance(error, RecursionError) and _is_deep():
        raise StagingError(
            "functions, branches and loops that are traced within each other are more than Python "
            "allows",
            "write a function that calls itself as a loop, or let it take numbers and arrays, or "
            "its depth as a Python number",
            origin=origin_of_error(error),
        ) from None
    step = error.__traceback__
    if step is None:
        return
    while step.tb_next is not None:
        step = step.tb_next
    code = step.tb_frame.f_code
    if not code.co_filename.startswith(_OURS):
        return
    statement = linecache.getline(code.co_filename, step.tb_lineno).strip()
    has_failed = type(error) is AssertionError and statement.startswith("assert ")
    if has_failed or _is_mistake(error, code, step):
        raise StagingError(
            f"the compiler does not know how to stage this (`{code.co_name}`: {statement})",
            "please report it with the function; until then, mark the function with "
            "@ag.do_not_convert, or write the statement another way",
            origin=origin_of_error(error),
        ) from error


def _is_deep() -> bool:
    """Whether the trace is in more staged bodies than a program has by itself."""
    depth, builder = 0, building()
    while builder is not None and depth < _DEEP:
        depth, builder = depth + 1, builder.parent
    return depth == _DEEP


def _is_in_ring(error: BaseException) -> bool:
    """Whether code of ours alone has called itself, without any of the user's in between."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][-_OF_RING:]
    return len(frames) == _OF_RING and all(
        frame.f_code.co_filename.startswith(_OURS) for frame in frames
    )


def _is_mistake(error: BaseException, code: CodeType, step: TracebackType) -> bool:
    """Whether our code failed at what is neither a call nor a `raise`."""
    if code in _as_written:
        return False
    if type(error) is ValueError and str(error).startswith("zip() argument"):
        return any("strict" in names for names in _names_of_arguments(code))
    if not code.co_filename.startswith(_OPERATORS) and not isinstance(error, _OF_NAMES):
        return False
    return dis.opname[code.co_code[step.tb_lasti]].startswith(_NO_CALLS)


# What is raised where there is no attribute or name; ops may be asked for items that are not there.
_OF_NAMES = (AttributeError, NameError)


def _names_of_arguments(code: CodeType) -> list[tuple[str, ...]]:
    """The names of the arguments of all calls in some code."""
    return [x for x in code.co_consts if isinstance(x, tuple) and all(type(y) is str for y in x)]
