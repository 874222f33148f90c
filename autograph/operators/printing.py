"""`print`, `str`, `repr`, `format` on values that may be known only when the graph runs."""

from __future__ import annotations

import string
import sys
from typing import Any

from autograph.operators.captures import current_trace
from autograph.operators.templates import LazyString, dig, fill, has_traced, shown
from runtime import control
from runtime.building import building
from runtime.tensor import Tensor

__all__ = ["format_", "format_method", "graph_print", "print_", "repr_", "str_"]


def print_(
    *values: Any, sep: str | None = " ", end: str | None = "\n", file: Any = None,
    flush: bool = False,
) -> None:  # fmt: skip
    """`print`: a tensor is shown as the array or number that it stands for.

    Graph meaning: an ordered effect; the text is written, with the values, at each call.
    """
    facts = current_trace()
    if facts is not None and facts.prints == "graph":
        graph_print(*values, sep=sep, end=end, file=file, flush=flush)
        return
    shown_ = dig(values, []) if facts is None else map(_at_trace, values)
    print(*shown_, sep=sep, end=end, file=file, flush=flush)


def _at_trace(value: Any) -> Any:
    value = shown(value)
    return value.describe() if isinstance(value, Tensor) else value


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
    operands: list[Tensor] = []
    template = dig(tuple(values), operands)

    def render(*raws: Any) -> str:
        return between.join(map(str, fill(template, raws))) + last

    builder.emit(
        control.PRINT,
        [builder.value_of(t) for t in operands],
        {"render": render, "file": None if file is sys.stdout else file, "flush": flush},
    )


def _lazily(value: Any, conversion: int, spec: Any) -> Any:
    if has_traced(value) or has_traced(spec):
        return LazyString(((value, conversion, spec),))
    return None


def str_(*args: Any, **kwargs: Any) -> Any:
    """`str(x)`."""
    lazy = _lazily(args[0], 115, None) if len(args) == 1 and not kwargs else None
    return lazy if lazy is not None else str(*map(shown, args), **kwargs)


def repr_(value: Any) -> Any:
    """`repr(x)`."""
    lazy = _lazily(value, 114, None)
    return lazy if lazy is not None else repr(shown(value))


def format_(value: Any, spec: Any = "") -> Any:
    """`format(x, spec)`."""
    lazy = _lazily(value, -1, spec)
    return lazy if lazy is not None else format(shown(value), spec)


def format_method(text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`text.format(*args, **kwargs)`."""
    if not any(map(has_traced, [*args, *kwargs.values()])):
        return text.format(*map(shown, args), **{k: shown(v) for k, v in kwargs.items()})
    parts: list[Any] = []
    number = 0
    formatter = string.Formatter()
    for literal, field, spec, conversion in formatter.parse(text):
        if literal:
            parts.append(literal)
        if field is None:
            continue
        if field == "":
            field, number = str(number), number + 1
        value, _ = formatter.get_field(field, args, kwargs)
        parts.append((value, ord(conversion) if conversion else -1, spec or None))
    return LazyString(tuple(parts))
