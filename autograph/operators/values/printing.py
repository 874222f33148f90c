"""`print`, `str`, `repr`, `format` on values that may be known only when the graph runs."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.settings import guard_print_options
from autograph.operators.values.templates import (
    LazyString,
    as_now,
    dig,
    fill,
    fstring,
    is_late,
    lazy,
    refuse_changed,
    refuse_unclear_text,
    shown,
    with_own_text,
)
from runtime import journal
from runtime.building import building
from runtime.effects import control
from runtime.effects.left_runs import show
from runtime.errors import StagingError
from runtime.origins import Origin, origin_of_caller
from runtime.structure.templates import Line
from runtime.tensor import Tensor

__all__ = ["ascii_", "format_", "graph_print", "held_prints", "print_", "refused_prints", "repr_",
           "str_", "trace_print"]  # fmt: skip


def print_(
    *values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None,
    flush: bool = False,
) -> None:  # fmt: skip
    """`print`: a tensor is shown as the array or number that it stands for.

    Graph meaning: an ordered effect; the text is written, with the values, at each call.
    """
    facts = current_trace()
    if facts is not None:
        values = tuple(with_own_text(value, 115, None)[0] for value in values)
        for value in values:
            refuse_unclear_text(value, 115)
    if facts is not None and facts.effects.prints == "graph":
        graph_print(*values, sep=sep, end=end, file=file, flush=flush)
        return
    if facts is None:
        print(*dig(values, []), sep=sep, end=end, file=file, flush=flush)
    else:
        trace_print(*map(_at_trace, values), sep=sep, end=end, file=file, flush=flush)


class _Print(NamedTuple):
    """A print at the time of tracing."""

    write: Callable[[], None]
    origin: Origin | None

    def show(self) -> None:
        show(self.write, self.origin)

    def refuse(self) -> None:
        raise StagingError("each round prints while it is traced", origin=self.origin)


# What becomes of prints: loops that are being traced hold them until they are settled.
_take: ContextVar[Callable[[_Print], None]] = ContextVar("take", default=_Print.show)


def trace_print(*values: Any, file: Any = None, **options: Any) -> None:
    """Python's `print` at the time of tracing, once for a loop body however often it is traced."""
    write = functools.partial(print, *values, file=file or sys.stdout, **options)
    _take.get()(_Print(write, origin_of_caller()))


@contextmanager
def held_prints() -> Iterator[list[Any]]:
    """What `trace_print` prints in this context is held to its end, unless the caller clears it."""
    held: list[_Print] = []
    try:
        with _taken(held.append):
            yield held
    finally:
        for each in held:
            _take.get()(each)


def refused_prints() -> AbstractContextManager[None]:
    """In this context `trace_print` raises StagingError: each round shows what is its own."""
    return _taken(_Print.refuse)


@contextmanager
def _taken(take: Callable[[_Print], None]) -> Iterator[None]:
    token = _take.set(take)
    try:
        yield
    finally:
        _take.reset(token)


def _at_trace(value: Any) -> Any:
    if isinstance(value, LazyString):
        return fill(LazyString(tuple(map(_part_at_trace, value.parts))), ())
    return value.at_trace() if isinstance(value, Tensor) and value.is_traced else shown(value)


def _part_at_trace(part: Any) -> Any:
    """A part of an f-string; what is not known yet has a text of its own, whatever the format."""
    if isinstance(part, str) or not is_late(part[0]):
        return part
    return str(_at_trace(part[0]))


def graph_print(
    *values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None,
    flush: bool = False,
) -> None:  # fmt: skip
    """Print in program order, on each call, also from inside a graph.

    >>> import autograph as ag
    >>> ag.print("x is", 1.5)
    x is 1.5
    """
    builder = building()
    between = " " if sep is None else sep
    last = "\n" if end is None else end
    if builder is None:
        print(*dig(tuple(values), []), sep=between, end=last, file=file, flush=flush)
        return
    if file is not None and journal.is_fresh(file):
        _print_now(values, between, last, file, flush)
        return
    operands: list[Tensor] = []
    for value in values:
        refuse_changed(value)
    template = dig(tuple(map(as_now, values)), operands)
    builder.emit(
        control.PRINT,
        [builder.value_of(t) for t in operands],
        {
            "render": Line(template, between, last),
            "file": None if file is sys.stdout else file,
            "flush": flush,
        },
    )


def _print_now(values: tuple[Any, ...], sep: str, end: str, file: Any, flush: bool) -> None:
    """Print into a file that was made while tracing, and is gone when the graph runs."""
    if any(map(is_late, values)):
        raise StagingError(
            f"a value that is known only when the graph runs is printed into a "
            f"{type(file).__name__} that was made while tracing",
            "put the text together with an f-string, or pass the file as an argument",
            origin=origin_of_caller(),
        )
    print(*dig(tuple(values), []), sep=sep, end=end, file=file, flush=flush)


def _lazily(value: Any, conversion: int, spec: Any) -> Any:
    if building() is not None:
        text, way, rest = with_own_text(value, conversion, spec)
        if text is not value:
            is_open = is_late(text) or is_late(rest)
            return lazy(((text, way, rest),)) if is_open else fstring((text, way, rest))
    if is_late(value) or is_late(spec):
        return lazy(((value, conversion, spec),))
    return None


def str_(*args: Any, **kwargs: Any) -> Any:
    """`str(x)`."""
    text = _lazily(args[0], 115, None) if len(args) == 1 and not kwargs else None
    if text is not None:
        return text
    guard_print_options(args)
    return str(*map(shown, args), **kwargs)


def repr_(value: Any) -> Any:
    """`repr(x)`."""
    return _text(value, 114, None, repr)


def ascii_(value: Any) -> Any:
    """`ascii(x)`."""
    return _text(value, 97, None, ascii)


def format_(value: Any, spec: Any = "") -> Any:
    """`format(x, spec)`."""
    return _text(value, -1, spec, lambda x: format(x, spec))


def _text(value: Any, conversion: int, spec: Any, plain: Callable[[Any], str]) -> Any:
    text = _lazily(value, conversion, spec)
    if text is not None:
        return text
    guard_print_options(value)
    return plain(shown(value))
