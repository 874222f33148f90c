"""The frame of a converted function: its options, and how it reads captured names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CellType, FunctionType, TracebackType
from typing import Any, NamedTuple

from autograph.operators.captured.captures import Place, current_trace, read
from autograph.operators.captured.closures import EMPTY, check_joined, content_of
from autograph.operators.captured.guards import MISSING, Guard
from autograph.operators.captured.variables import (
    Maybe,
    Nullable,
    Poison,
    Undefined,
    UndefinedReturnValue,
    _Unreadable,
    ld,
)
from autograph.operators.values.carried import subject
from autograph.operators.values.kinds import or_none
from runtime import journal, ops
from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import origin_of_caller

__all__ = ["ConversionOptions", "FunctionScope", "new_names", "note_names"]

# A function that is active so often, each time in another staged body, would never end.
_DEEPEST = 32


class ConversionOptions(NamedTuple):
    """How a function was converted; calls inside of it inherit `recursive`."""

    recursive: bool = True
    user_requested: bool = False
    optional_features: tuple[str, ...] = ()
    internal_convert_user_code: bool = True


Accessors = tuple[Callable[[], tuple[Any, ...]], Callable[[tuple[Any, ...]], None], tuple[str, ...]]


class FunctionScope:
    """Entered for each call of a converted function.

    `cells` is a lambda over the function's free variables; `shared` reads and writes the names that
    the function declares `nonlocal` or `global` and assigns.
    """

    __slots__ = (
        "_cells", "_globals", "_shared", "_trace", "function_name", "options", "scope_name",
    )  # fmt: skip

    def __init__(
        self,
        function_name: str,
        scope_name: str,
        options: ConversionOptions,
        cells: Callable[[], Any] | None = None,
        shared: Accessors | None = None,
    ) -> None:
        self.function_name = function_name
        self.scope_name = scope_name
        self.options = options
        self._globals = sys._getframe(1).f_globals
        self._cells = cells
        self._shared = shared
        self._trace: Any = None

    def __enter__(self) -> FunctionScope:
        self._trace = trace = current_trace()
        if trace is not None:
            if len(trace.scopes.open) >= _DEEPEST:
                self._check_depth(trace.scopes.open)
            trace.scopes.open.append(journal.fresh(self))
            self.note_shared()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._trace is not None:
            self._trace.scopes.open.pop()

    def _check_depth(self, scopes: list[FunctionScope]) -> None:
        """Refuse a function that calls itself in staged branches: its trace would never end."""
        same = [s for s in scopes if s._is_same_function(self)]
        if len(same) >= _DEEPEST and _staged_depth() >= _DEEPEST:
            raise StagingError(
                f"`{self.function_name}` calls itself until a condition holds that is known only "
                "when the graph runs",
                "write the recursion as a loop, or pass the depth as a Python number",
                origin=origin_of_caller(),
            )

    def _is_same_function(self, other: FunctionScope) -> bool:
        same_name = self.function_name == other.function_name
        return same_name and self._globals is other._globals

    @property
    def globals(self) -> dict[str, Any]:
        """The globals of the function."""
        return self._globals

    def all_globals(self) -> dict[str, Any]:
        """What `globals()` gives; refused where data decides what is in it."""
        name = next((n for n, value in self._globals.items() if type(value) is Maybe), None)
        if name is not None:
            raise StagingError(
                f"`globals()` is looked at, and whether `{name}` is in it depends on data",
                "bind the name on every path, or to None before",
                origin=origin_of_caller(),
            )
        trace = current_trace()
        if trace is not None:
            trace.outside.add(self._globals)
        return self._globals

    def cell(self, name: str) -> CellType | None:
        """The closure cell of a free variable of the function."""
        return cells_of(self._cells).get(name)

    @property
    def cell_ids(self) -> set[int]:
        """Identities of the cells of all free variables."""
        return {id(c) for c in cells_of(self._cells).values()}

    def read(self, name: str, value: Any) -> Any:
        """Read a captured name: a free variable or a global."""
        if issubclass(type(value), _Unreadable):
            return self._bound(name, value)
        trace = current_trace()
        if trace is None:
            return value
        cell = self.cell(name)
        if cell is not None:
            if id(cell) in trace.scopes.cells:
                if trace.scopes.joined_cells:
                    check_joined(trace, cell)
                return value
            place = Place(f"`{name}`", lambda: cell.cell_contents, ("cell", cell, None))
            return read(("cell", id(cell)), place, value)
        space = self._globals
        if name not in space:  # a builtin
            return value
        place = Place(f"`{name}`", lambda: space[name], ("item", space, name))
        return read(("global", id(space), name), place, value)

    def _bound(self, name: str, value: _Unreadable) -> Any:
        """What a captured name is bound to, which it may not be."""
        what = f"cannot access free variable '{name}' where it is not associated with a value"
        text = f"{what} in enclosing scope" if self.cell(name) else f"name '{name}' is not defined"
        if type(value) is Maybe:
            value.check(value.defined, value.name, NameError(text))
            return ld(value.inner)
        try:
            return ld(value)
        except UnboundLocalError:
            raise NameError(text) from None

    def ret(self, value: Any, did_return: bool) -> Any:
        """The result of the function: None when no `return` was reached."""
        if self._is_outermost():
            self._trace.scopes.returned = origin_of_caller()
        kind = type(value)
        if did_return is False or kind is UndefinedReturnValue or kind is Undefined:
            return None
        if kind is Maybe and did_return is True:  # some `return` was reached on every path
            value = value.inner
            kind = type(value)
        if kind is Maybe:
            if value.inner is None:  # `return` on one path, the end of the function on another
                return None
            value = self._or_none(value)
            kind = type(value)
        if kind is Poison:
            raise self._of_two_kinds(value)
        if kind is Nullable:  # the caller may ask whether it is None
            return value
        return value.load() if issubclass(kind, _Unreadable) else value

    def _is_outermost(self) -> bool:
        """Whether it is the function that is traced, whose caller is no part of the graph."""
        return self._trace is not None and len(self._trace.scopes.open) == 1

    def _or_none(self, result: Maybe) -> Any:
        """A result that some paths give, and None that others do."""
        value, present = result.inner, result.defined
        if type(value) is Nullable:
            value, present = value.inner, ops.logical_and(present, value.present)
        if isinstance(value, Poison):
            return value
        name = f"the result of `{self.function_name}`"
        return or_none(value, present, lambda x: Nullable(name, x, present, result.check))

    def _of_two_kinds(self, result: Poison) -> StagingError:
        place = subject(result.name)
        what = result.what.replace(place, f"the result of `{self.function_name}`", 1)
        hint = "return the same kind of value on every path"
        return StagingError(what, hint, origin=origin_of_caller())

    def note_shared(self) -> None:
        """Tell the journal of the names of other scopes that the function may write."""
        get, set_, names = self._shared or (None, None, ())
        for i, name in enumerate(names):
            slot = self._shared_slot(get, set_, i, name)
            if isinstance(slot.read(), Undefined) and slot.key not in journal.all_noted():
                self._guard_unbound(name)
            journal.note(slot)

    def _guard_unbound(self, name: str) -> None:
        """Guard that a name of another scope is not bound, which a later call may find bound."""
        trace, cell, space = current_trace(), self.cell(name), self._globals
        if trace is None or (cell is not None and id(cell) in trace.scopes.cells):
            return
        if cell is None:
            key: Any = ("global", id(space), name)
            place = Place(f"`{name}`", lambda: space[name])
        else:
            key, place = ("cell", id(cell)), Place(f"`{name}`", lambda: cell.cell_contents)
        trace.captures.guards.setdefault(key, Guard(place, MISSING, by_value=False))

    def _shared_slot(self, get: Any, set_: Any, i: int, name: str) -> journal.Slot:
        cell, space = cells_of(get).get(name), self._globals

        def write(value: Any) -> None:
            # Directly where that can be: at run time no line of the user's is executed.
            if issubclass(type(value), _Unreadable):
                values = list(get())
                values[i] = value
                set_(tuple(values))
            elif cell is not None:
                cell.cell_contents = value
            else:
                space[name] = value

        if cell is None:
            key: Any = ("global", id(self._globals), name)
        else:
            key = ("cell", id(cell))

        def load() -> Any:
            found = get()[i]
            return found if isinstance(found, _Unreadable) else self.read(name, found)

        owner = self._globals if cell is None else cell
        return journal.Slot(key, owner, f"`{name}`", lambda: get()[i], write, load)


def note_names(bound: Callable[[], Any], shared: tuple[str, ...]) -> None:
    """Tell the journal that an operand is about to bind names by `:=`.

    `bound` is a lambda over the local ones; `shared` are names of the module.
    """
    trace = current_trace()
    if trace is None:
        return
    scope = trace.scopes.open[-1] if trace.scopes.open else None
    outer = scope.cell_ids if scope is not None else set()
    for name, cell in cells_of(bound).items():
        is_own = scope is not None and id(cell) not in outer
        if is_own:
            trace.scopes.cells[id(cell)] = cell
        # Where the call itself was made in the body being traced, nothing outlives it.
        is_new = journal.is_fresh(cell)
        journal.note(_cell_slot(name, cell, scope if is_own and not is_new else cell))
    space = bound.__globals__
    for name in shared:
        journal.note(_global_slot(name, space))


def new_names(bound: Callable[[], Any]) -> None:
    """Tell the journal that this run of a body has names of its own, which operands bind by `:=`.

    `bound` is a lambda over them. Nobody outside of the run sees them.
    """
    if current_trace() is not None:
        for cell in cells_of(bound).values():
            journal.fresh(cell)


def _cell_slot(name: str, cell: CellType, owner: Any) -> journal.Slot:
    def fetch() -> Any:
        found = content_of(cell)
        return Undefined(name) if found is EMPTY else found

    def write(value: Any) -> None:
        cell.cell_contents = value

    key = ("cell", id(cell))
    return journal.Slot(key, owner, f"`{name}`", fetch, write, _loading(key, name, fetch))


def _global_slot(name: str, space: dict[str, Any]) -> journal.Slot:
    def write(value: Any) -> None:
        if isinstance(value, Undefined):
            space.pop(name, None)
        else:
            space[name] = value

    def fetch() -> Any:
        return space.get(name, Undefined(name))

    key = ("global", id(space), name)
    return journal.Slot(key, space, f"`{name}`", fetch, write, _loading(key, name, fetch))


def _loading(key: Any, name: str, fetch: Callable[[], Any]) -> Callable[[], Any]:
    """Reads a captured name as the program does."""

    def load() -> Any:
        found, trace = fetch(), current_trace()
        is_local = trace is not None and key[0] == "cell" and key[1] in trace.scopes.cells
        if is_local or isinstance(found, _Unreadable):
            return found
        return read(key, Place(f"`{name}`", fetch), found)

    return load


def _staged_depth() -> int:
    """In how many staged bodies the trace is."""
    depth, builder = 0, building()
    while builder is not None:
        depth, builder = depth + 1, builder.parent
    return depth


def cells_of(function: Any) -> dict[str, CellType]:
    """Closure cells of a Python function by name."""
    if not isinstance(function, FunctionType) or function.__closure__ is None:
        return {}
    return dict(zip(function.__code__.co_freevars, function.__closure__, strict=True))
