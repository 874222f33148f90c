"""Functions that are made of one piece of code, and differ in what they hold: their parts.

A function holds what its free variables are bound to, and its defaults; a method its object; a
`functools.partial` its arguments. Where data decides between two of these, the parts are joined.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import CellType, FunctionType, MethodType
from typing import Any, NamedTuple

from autograph.operators.captured.captures import Trace, current_trace
from autograph.operators.captured.guards import same_value
from runtime import journal
from runtime.errors import StagingError
from runtime.origins import origin_of_caller

__all__ = ["EMPTY", "FUNCTIONS", "ITSELF", "Part", "are_twins", "check_joined", "content_of",
           "held_by", "is_same_function", "may_be_twins", "note_joined", "parts_of_function",
           "refilled", "remade"]  # fmt: skip

FUNCTIONS = (FunctionType, MethodType, functools.partial)


class Part(NamedTuple):
    """What a function holds, and the cell that holds it, if one does."""

    name: str
    value: Any
    cell: CellType | None = None

    def is_shared(self, other: Part) -> bool:
        """Whether two functions hold the same, and will whatever that is bound to."""
        return self.cell is not None and self.cell is other.cell


class _Mark:
    """Stands for what a function holds that is no value yet."""


# What a free variable is that is not bound; that it is the function itself.
EMPTY, ITSELF = _Mark(), _Mark()


def parts_of_function(function: Any) -> tuple[Part, ...]:
    """All that a function holds."""
    if isinstance(function, MethodType):
        return (Part("its object", function.__self__),)
    if isinstance(function, functools.partial):
        named = function.keywords.items()
        return (
            Part("its function", function.func),
            *(Part(f"argument {k}", x) for k, x in enumerate(function.args)),
            *(Part(f"argument `{name}`", x) for name, x in named),
        )
    code = function.__code__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    late = (function.__kwdefaults__ or {}).items()
    return (
        *(Part(f"`{name}`", content_of(cell), cell) for name, cell in cells),
        *(Part(f"default {k}", x) for k, x in enumerate(function.__defaults__ or ())),
        *(Part(f"default of `{name}`", x) for name, x in late),
    )


def content_of(cell: CellType) -> Any:
    """What a free variable is bound to; EMPTY for one that is not."""
    try:
        return cell.cell_contents
    except ValueError:
        return EMPTY


def held_by(function: FunctionType) -> Iterator[Any]:
    """The defaults of a function, and what its free variables are bound to."""
    yield from (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    found = map(content_of, function.__closure__ or ())
    yield from (x for x in found if x is not EMPTY)


def are_twins(a: Any, b: Any) -> bool:
    """Whether two functions differ at most in what they hold."""
    if type(a) is not type(b) or type(a) not in FUNCTIONS:
        return False
    if isinstance(a, MethodType):
        return a.__func__ is b.__func__
    if isinstance(a, functools.partial):
        same_names = list(a.keywords) == list(b.keywords) and len(a.args) == len(b.args)
        return same_names and (a.func is b.func or are_twins(a.func, b.func))
    return (
        a.__code__ is b.__code__
        and a.__globals__ is b.__globals__
        and len(a.__defaults__ or ()) == len(b.__defaults__ or ())
        and list(a.__kwdefaults__ or ()) == list(b.__kwdefaults__ or ())
        and a.__dict__.keys() == b.__dict__.keys()
        and all(x is b.__dict__[name] for name, x in a.__dict__.items())
    )


def is_same_function(a: Any, b: Any) -> bool:
    """Whether two functions do the same from here on: runs of one `def` or `lambda`."""
    if not (isinstance(a, FunctionType) and are_twins(a, b)):
        return False
    pairs = zip(parts_of_function(a), parts_of_function(b), strict=True)
    if not all(
        x.is_shared(y) or (x.cell is None and (x.value is y.value or same_value(x.value, y.value)))
        for x, y in pairs
    ):
        return False
    if a is not b:
        note_twins(a, b)
    return True


def refilled(
    like: Any,
    numbers: Collection[int],
    value: Callable[[int], Any],
    cell: Callable[[int], CellType],
    made: list[Any],
) -> None:
    """Put a function like another one into `made`, of which the parts of some numbers are others.

    `value` and `cell` give such a part, and the new cell for it. What is in cells is asked for
    last: it may be the function itself.
    """
    parts = parts_of_function(like)
    cells = {k: cell(k) for k in numbers if parts[k].cell is not None}
    values = [value(k) if k in numbers and k not in cells else p.value for k, p in enumerate(parts)]
    made.append(_remade(like, values, [cells.get(k, p.cell) for k, p in enumerate(parts)]))
    for k, one in cells.items():
        one.cell_contents = value(k)


def remade(like: Any, changed: Mapping[int, Any], others: Sequence[Any]) -> Any:
    """A function like another one, or like `others`, of which some parts are others by data.

    ITSELF stands for the function that is made.
    """
    made: list[Any] = []

    def value(k: int) -> Any:
        return made[0] if changed[k] is ITSELF else changed[k]

    refilled(like, changed.keys(), value, lambda k: CellType(), made)
    # What is in a cell that another function has, too, is a copy.
    note_joined(made[0], [like, *others])
    return made[0]


def _remade(like: Any, values: Sequence[Any], cells: Sequence[CellType | None]) -> Any:
    if isinstance(like, MethodType):
        return MethodType(like.__func__, values[0])
    if isinstance(like, functools.partial):
        function, given = values[0], values[1:]
        count = len(like.args)
        named = dict(zip(like.keywords, given[count:], strict=True))
        return functools.partial(function, *given[:count], **named)
    closure = tuple(cell for cell in cells if cell is not None)
    held, count = values[len(closure) :], len(like.__defaults__ or ())
    made = FunctionType(
        like.__code__, like.__globals__, like.__name__, tuple(held[:count]) or None, closure
    )
    if like.__kwdefaults__:
        made.__kwdefaults__ = dict(zip(like.__kwdefaults__, held[count:], strict=True))
    made.__qualname__, made.__module__, made.__doc__ = (
        like.__qualname__, like.__module__, like.__doc__,
    )  # fmt: skip
    made.__annotations__ = like.__annotations__
    made.__dict__.update(like.__dict__)
    return made


# ---- what was joined -----------------------------------------------------------------------------


def note_joined(made: Any, sides: Sequence[Any]) -> None:
    """Remember that `made` stands for one of several functions, or for one that a path has made.

    What one of several holds is a copy: a name of which it has the content is not to be written.
    """
    facts = current_trace()
    if facts is None:
        return
    held = [parts_of_function(x) for x in sides]
    for k, part in enumerate(parts_of_function(made)):
        if part.cell is None or any(parts[k].cell is part.cell for parts in held):
            continue
        facts.scopes.cells[id(part.cell)] = journal.fresh(part.cell)
        sources = [cell for parts in held if (cell := parts[k].cell) is not None]
        if len(sources) > 1:
            facts.scopes.joined_cells[id(part.cell)] = [
                (cell, content_of(cell)) for cell in sources
            ]
            for cell in (part.cell, *sources):
                journal.note_kin(cell, part.name.strip("`"))
    if len(sides) > 1:
        note_twins(made, *sides)


def note_twins(*functions: Any) -> None:
    """Remember that which of these functions a name holds is not known."""
    facts = current_trace()
    if facts is not None:
        facts.scopes.twins.update((id(x), x) for x in functions)


def may_be_twins(a: Any, b: Any) -> bool:
    """Whether nobody knows if two functions are one."""
    facts = current_trace()
    if facts is None or a is b or not are_twins(a, b):
        return False
    return any(facts.scopes.twins.get(id(x)) is x for x in (a, b))


def check_joined(facts: Trace, cell: CellType) -> None:
    """Refuse to read what one of several functions holds, where another name of it was written."""
    for source, content in facts.scopes.joined_cells.get(id(cell), ()):
        if content_of(source) is not content:
            raise StagingError(
                "a free variable of a function that is one of several, depending on data, was "
                "bound anew since",
                "call the function in each branch, or give it the value as an argument",
                origin=origin_of_caller(),
            )
