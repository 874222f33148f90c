"""Settings of Python's and NumPy's that what is computed while tracing depends on.

They are guarded where the trace made use of them: a call under other settings traces again. What a
`with` in the function changes is the trace's own affair, so what counts is how they were before.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autograph.operators.captured.captures import Trace, current_trace, note_identity
from autograph.operators.captured.guards import Guard, Identity, Place
from runtime.autodiff.stored import is_derivative_of_arrays
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["guard_decimals", "guard_held_decimals", "guard_print_options", "note_settings",
           "of_known_values", "stand_for_arrays"]  # fmt: skip

# What is guarded: the settings by name, and what tells how they are.
_SETTINGS: dict[str, Callable[[], Any]] = {
    "the context of decimal numbers": lambda: _of_context(decimal.getcontext()),
    "the print options of NumPy": lambda: str(np.get_printoptions()),
    "whether a derivative by arrays is taken": is_derivative_of_arrays,
}


def _of_context(context: decimal.Context) -> tuple[Any, ...]:
    """What results depend on; not the flags, which each operation may set."""
    traps = tuple(signal.__name__ for signal, is_on in context.traps.items() if is_on)
    return (
        context.prec, context.rounding, context.Emin, context.Emax, context.capitals,
        context.clamp, traps,
    )  # fmt: skip


def note_settings(trace: Trace) -> None:
    """Remember how the settings are when a trace begins."""
    trace.decisions.settings = {name: fetch() for name, fetch in _SETTINGS.items()}


def _guard(name: str) -> None:
    trace = current_trace()
    if trace is not None and name in trace.decisions.settings:
        place = Place(name, _SETTINGS[name])
        trace.captures.guards.setdefault(
            ("setting", name), Guard(place, trace.decisions.settings[name], by_value=True)
        )


def guard_held_decimals(trace: Trace, arguments: Iterable[Any]) -> None:
    """Guard the context where an argument, or what the trace read from outside, is a Decimal."""
    seen = (guard.expected for guard in trace.captures.guards.values())
    held = (x.ref() for x in seen if isinstance(x, Identity))
    if any(isinstance(x, decimal.Decimal) for x in (*held, *arguments)):
        _guard("the context of decimal numbers")


def guard_decimals(function: Any, has_traced: bool) -> None:
    """A function of `decimal` is called while tracing.

    Raises StagingError where a value is known only when the graph runs, or the context is changed.
    """
    _guard("the context of decimal numbers")
    if has_traced or function in (decimal.getcontext, decimal.setcontext):
        if has_traced:
            raise of_known_values(f"decimal.{function.__name__}")
        what = "is called, and what the context is then belongs to the moment"
        raise StagingError(
            f"`decimal.{function.__name__}` {what}", _OUTSIDE, origin=origin_of_caller()
        )


_OUTSIDE = "call it outside of the converted function, or in one marked with @ag.do_not_convert"


def of_known_values(name: str) -> StagingError:
    """The error that what takes values of Python's own is given one that the graph has."""
    what = f"`{name}` is called with a value that is known only when the graph runs"
    return StagingError(what, _OUTSIDE, origin=origin_of_caller())


def guard_print_options(x: Any) -> None:
    """The text of something is made while tracing: that of an array depends on the options.

    That of an object may say which one it is.
    """
    note_identity(x)
    if current_trace() is not None and _holds_array(x, ()):
        _guard("the print options of NumPy")


def stand_for_arrays(trace: Trace) -> bool:
    """Whether the tensors of a trace are what a derivative was given arrays and numbers for."""
    name = "whether a derivative by arrays is taken"
    _guard(name)
    return bool(trace.decisions.settings.get(name))


def _holds_array(x: Any, around: tuple[int, ...]) -> bool:
    """`around` are the containers that are being looked through: one may hold itself."""
    if not isinstance(x, (tuple, list, set, frozenset, dict)):
        return isinstance(x, np.ndarray) or (isinstance(x, Tensor) and x.is_array)
    if id(x) in around:
        return False
    parts = dict.values(x) if isinstance(x, dict) else x
    return any(_holds_array(part, (*around, id(x))) for part in parts)
