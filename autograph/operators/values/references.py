"""Names that are one of several arrays, depending on data: references with a number.

After `if c: a, b = b, a`, or `if c: a = a * 2`, or a loop that does so, `a` is one of several
arrays. No content is moved: a traced number tells which one it is. Reading `a` chooses, and writing
through it is a branch for each array that it may be, so that all names of that array see the write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

import numpy as np

from autograph.operators.captured.alternatives import Part, Reference, handle_of, trace_root
from autograph.operators.captured.closures import FUNCTIONS, parts_of_function
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.variables import Maybe, Nullable
from autograph.operators.values.carried import (
    has_parts,
    is_array,
    is_numeric,
    own_children,
    type_of,
)
from autograph.operators.values.raising import emit_raise
from autograph.operators.values.runs import LiveRun, Run
from autograph.operators.values.templates import Late, LazyString, dig
from runtime import journal, ops
from runtime.building import Builder, body, building, current_builder
from runtime.cells import Cell, ViewStep, inputs_without_gaps
from runtime.effects.control import coerce, emit_cond
from runtime.errors import Origin, StagingError
from runtime.graph.ir import Value
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["Choice", "Snapshot", "assume", "cells_under", "choice_of", "chosen", "derive_anew",
           "fulfil", "has_cell", "is_all_older", "is_made_in", "is_older", "is_older_cell",
           "is_reachable", "known_older", "promised", "refer", "reference_of", "reserve", "same",
           "seen_by", "select", "snapshot"]  # fmt: skip


class Choice(Cell):
    """Stands for the cell of a name that is one of several arrays, depending on data."""

    __slots__ = ("_chosen", "choices", "type")

    def __init__(self, choices: Reference, type_: TensorType) -> None:
        # The content is that of the arrays, which are told apart by the number.
        self.choices = choices
        self.type = type_
        self.first = choices.index._value
        self.exported = False
        self.name = self.locked = None
        self.seen_by, self.is_watched = (), False
        self._chosen: tuple[Any, Tensor] | None = None

    def assume(self, content: Tensor) -> None:
        """Learn what the content is, as long as none of the arrays is written."""
        self._chosen = self.token, content

    @property
    def root(self) -> Any:
        """The content of the array that it is."""
        known = self.known
        if known is None:
            known = _content(self.choices, self.type)
            self.assume(known)
        return known

    @property
    def known(self) -> Tensor | None:
        """The content, where no more than a look is needed for it."""
        if self._chosen is None or self._chosen[0] != self.token:
            return None
        return self._chosen[1] if is_reachable(self._chosen[1]) else None

    @property
    def token(self) -> Any:  # type: ignore[override]
        """What changes with each write."""
        return self.choices.token

    def inputs_in_c_order(self) -> set[Any] | None:
        found: set[Any] = set()
        for part in self.choices.parts.values():
            needed = part.cell.inputs_in_c_order()
            if needed is None or not all(step.keeps_contiguous() for step in part.chain):
                return None
            found |= needed
        return found

    def watch(self) -> None:
        for part in self.choices.parts.values():
            part.cell.watch()

    def store(self, root: Any) -> None:
        def write(handle: Tensor) -> None:
            now = handle.current()
            handle.assign(root if now.type == root.type else ops.index_update(now, root, ...))

        self._write((), write)

    @property
    def is_mixed(self) -> bool:
        """Whether the arrays have several dtypes."""
        return len({part.type.dtype for part in self.choices.parts.values()}) > 1

    def update(self, handle: Any, change: Callable[[Any], Any]) -> None:
        self._write(handle._chain, lambda part: part.assign(change(part.current())))

    def _write(self, chain: tuple[ViewStep, ...], write: Callable[[Tensor], None]) -> None:
        """For each array: if it is the one, write through its view."""
        for number, part in self.choices.parts.items():
            written = partial(_written, part, chain, write)
            unwritten = partial(getattr, part.cell, "root")
            bit = ops.equal(self.choices.index, number)
            part.cell.store(_if(bit, written, unwritten, part.cell.root.type))


def _written(part: Part, chain: tuple[ViewStep, ...], write: Callable[[Tensor], None]) -> Tensor:
    """The content of the array's cell after a write through a view of it."""
    write(handle_of(part.cell, (*part.chain, *chain), part.type))
    return part.cell.root  # type: ignore[no-any-return]


class Snapshot(Cell):
    """Stands for the cell of an array that is, in a place unknown, a view of others.

    It may be read as long as none of those is written, and not be written itself. With `is_one`,
    it is one of those itself.
    """

    __slots__ = ("_taken", "is_one", "sources")

    def __init__(
        self, content: Tensor, sources: Iterable[Cell], name: str, *, is_one: bool = False
    ) -> None:
        self.is_one = is_one
        self.first = content._value
        self.exported = False
        self.name = name
        self.locked = (
            f"`{name}` is a view that shares memory with another array, and which part of it "
            "depends on data"
        )
        self.sources = tuple(sources)
        self.seen_by, self.is_watched = (), False
        self._taken: tuple[Any, Tensor] = (None, content)

    def refusal(self, what: str, origin: Origin | None = None) -> StagingError:
        """The error for a use; where an item is told by a number, it is that very array."""
        open_ = journal.recording()
        if open_ is not None and self._is_item:
            open_.refused_choices.append(self.name or "")
        return super().refusal(what, origin)

    @property
    def _is_item(self) -> bool:
        return (self.name or "").startswith("an item of")

    @property
    def hint(self) -> str:  # type: ignore[override]
        """What helps: an item of a container has no second name of its own."""
        if not self._is_item:
            return Cell.hint
        return "set the item anew (`x[k] = x[k] + y`), or take a copy of it (`y = x[k].copy()`)"

    def assume(self) -> None:
        """Learn that the content is that of the arrays as they are now."""
        self._taken = self.token, self._taken[1]

    @property
    def token(self) -> Any:  # type: ignore[override]
        """What changes with each write of the arrays."""
        return tuple(cell.token for cell in self.sources)

    def watch(self) -> None:
        for cell in self.sources:
            cell.watch()

    @property
    def root(self) -> Any:
        """The content; raises StagingError when an array that it shows was written since."""
        if self._taken[0] not in (None, self.token):
            raise self.refusal("that array was written before it is read here")
        return self._taken[1]


class MadeContiguous(Cell):
    """A copy of an array that is not contiguous, or that very array if it is: nobody knows.

    It is taken for a copy. What would show whether it is one is refused, where it may be none.
    """

    __slots__ = ("_before", "_now", "_of")

    def __init__(self, content: Tensor, of: Tensor) -> None:
        self._of, self._before = of, of.cell().token
        super().__init__(content)

    @property
    def root(self) -> Any:
        """The content; raises StagingError when the array was written since, and shows here."""
        if self._of.cell().token != self._before:
            self._settle("that array was written before it is read here")
        return self._now

    @root.setter
    def root(self, new: Any) -> None:
        self._now = new

    def inputs_in_c_order(self) -> set[Any] | None:
        return set()  # that it is, whether it is a copy or not

    def replace(self, root: Any) -> None:
        self._settle("it is written here")
        super().replace(root)

    def _settle(self, what: str) -> None:
        cell, chain = self._of.cell(), self._of._chain
        needed = cell.inputs_in_c_order() if _is_apart(cell.root.type, chain) else None
        if needed is not None:
            trace_root().in_c_order |= needed
        else:
            self.locked = (
                "`np.ascontiguousarray` gives the array itself where it is contiguous, else a copy"
            )
            raise self.refusal(what)


def made_contiguous(x: Tensor) -> Tensor:
    """What `np.ascontiguousarray` gives of an array."""
    needed = inputs_without_gaps(x.cell())
    if needed is not None and all(step.keeps_contiguous() for step in x._chain):
        if needed:
            trace_root().contiguous_if_written.append((x.cell(), needed))
        return x
    copied: Tensor = ops.copy(x)
    return handle_of(MadeContiguous(copied, x), (), copied.type)


def _is_apart(whole: TensorType, chain: tuple[ViewStep, ...]) -> bool:
    """Whether the part of an array in C order that a view shows is surely not contiguous."""
    if any(step.op.name == "reshape" or step.operands for step in chain):
        return False
    if not whole.is_static:
        return False
    # No view touches its memory.
    part: Any = np.empty(cast(Any, whole.shape), whole.dtype)
    for step in chain:
        part = step.op.kernel(np, part, **step.attrs)
    return not part.flags.c_contiguous


def has_cell(x: Any) -> bool:
    """Whether `x` is a traced array."""
    return isinstance(x, Tensor) and x.is_traced and is_array(x)


def cells_under(x: Tensor) -> list[Cell]:
    """The cells of the arrays that `x` may be."""
    cell = x.cell()
    if isinstance(cell, Choice):
        return [part.cell for part in cell.choices.parts.values()]
    return [cell]


def reference_of(x: Any) -> Reference | None:
    """Which arrays a traced array is, or may be; None for anything else."""
    if not has_cell(x):
        return None
    cell, chain, type_ = x.cell(), x._chain, x._value.type
    if not isinstance(cell, Choice):
        # A handle of the whole array serves everywhere; one of a view belongs to where it was made.
        part = Part(cell, chain, type_, None if chain else x)
        return Reference(part.number, {part.number: part})
    if not chain:
        return cell.choices
    views = {
        number: Part(part.cell, (*part.chain, *chain), type_)
        for number, part in cell.choices.parts.items()
    }
    index = select(cell.choices.index, {number: view.number for number, view in views.items()})
    return Reference(index, {view.number: view for view in views.values()})


def known_older(x: Tensor, inner: Builder) -> Tensor | None:
    """The content, if it is known, of what is one of several arrays by data.

    All must be older than the staged body that `inner` builds.
    """
    cell = x._cell
    if not isinstance(cell, Choice) or x._chain or not cell.choices.is_older(inner):
        return None
    return cell.known


def assume(x: Tensor, content: Tensor) -> None:
    """Note what `x` holds as long as no array that it may be is written."""
    if isinstance(x._cell, Choice):
        x._cell.assume(content)
    elif isinstance(x._cell, Snapshot):
        x._cell.assume()


def snapshot(
    content: Tensor, sources: Iterable[Cell], name: str, *, is_one: bool = False
) -> Tensor:
    """A tensor of that content: a view of arrays in a place unknown, or with `is_one` one of them.

    Which one it is, nothing tells.
    """
    return handle_of(Snapshot(content, sources, name, is_one=is_one), (), content.type)


def choice_of(x: Tensor) -> Reference | None:
    """The arrays of which `x` is one, depending on data; None where it is known which it is."""
    is_choice = isinstance(x._cell, Choice) and not x._chain
    return x._cell.choices if is_choice else None  # type: ignore[union-attr]


def seen_by(part: Part) -> tuple[Cell, ...]:
    """The cells of which an array is a view in a place unknown, or that have its content too."""
    return part.cell.sources if isinstance(part.cell, Snapshot) else part.cell.seen_by


def is_older(part: Part, inner: Builder) -> bool:
    """Whether an array is older than the staged body that `inner` builds."""
    if not part.chain:
        return is_older_cell(part.cell, inner)
    return is_older_cell(part.cell, inner) and all(
        is_numeric(x) and type_of(x).rank == 0 for x in part.operands
    )


def is_older_cell(cell: Cell, inner: Builder) -> bool:
    """Whether an array was made before the staged body that `inner` builds."""
    first = cell.first
    return (
        first is not None
        and not inner.owns(first)
        and inner.parent is not None
        and inner.parent.reaches(first)
    )


def is_made_in(x: Any, inner: Builder) -> bool:
    """Whether the staged body that `inner` builds made `x`, or what is in it if it is a tuple."""
    return inner.has_made(x) or (type(x) is tuple and any(is_made_in(part, inner) for part in x))


def is_all_older(
    x: Any,
    inner: Builder,
    children: Callable[[Any], list[tuple[str, Any]]] = own_children,
    around: tuple[int, ...] = (),
) -> bool:
    """Whether a value, with all that is in it, is older than the staged body that `inner` builds.

    `children` gives what is in a container.
    """
    if isinstance(x, Tensor):
        return _is_older_array(x, inner)
    if isinstance(x, LiveRun) and not all(is_older_cell(cell, inner) for cell in x.cells()):
        return False
    if isinstance(x, Run) and any(_is_taken(row, inner) for row in x.rows):
        return False  # a list holds what its items were, and is no view of others
    if id(x) in around:
        return True
    inside = tuple(part for _, part in children(x)) if has_parts(x) else _late_parts(x)
    around = (*around, id(x))
    return all(is_all_older(part, inner, children, around) for part in inside)


def _is_taken(x: Any, inner: Builder) -> bool:
    """Whether the value of a view is one that the body read."""
    is_view = isinstance(x, Tensor) and x._cell is not None and bool(x._chain)
    value = x._value if is_view else None
    return value is not None and inner.parent is not None and not inner.parent.reaches(value)


def derive_anew(x: Any, inner: Builder, around: tuple[int, ...] = ()) -> None:
    """Let the views in `x` be derived anew of which `inner`, a body now traced, has the value.

    The arrays are older than the body, but what it read of them is no value of the code after it.
    """
    if isinstance(x, Tensor):
        if _is_taken(x, inner):
            x._token = -1
    elif id(x) not in around:
        parts = [part for _, part in own_children(x)] if has_parts(x) else _late_parts(x)
        for part in parts:
            derive_anew(part, inner, (*around, id(x)))


def _late_parts(x: Any) -> tuple[Any, ...]:
    """What a value that is no container has of the graph."""
    if isinstance(x, Maybe):
        return x.inner, x.defined
    if isinstance(x, Nullable):
        return x.inner, x.present
    if isinstance(x, HostValue):
        return (x.value,)
    if isinstance(x, LiveRun):
        return tuple(x.held())
    if isinstance(x, Run):
        return tuple(x.rows)
    if isinstance(x, Late):
        return x.of_graph()
    if type(x) in FUNCTIONS:
        return tuple(part.value for part in parts_of_function(x))
    values: list[Any] = []
    if isinstance(x, LazyString):
        dig(x, values)
    return tuple(values)


def _is_older_array(x: Tensor, inner: Builder) -> bool:
    if x._cell is None:
        return x._value is None or (inner.parent is not None and inner.parent.reaches(x._value))
    if isinstance(x._cell, Choice):
        choices = x._cell.choices
        cells, late = [part.cell for part in choices.parts.values()], [choices.index]
        late += [o for part in choices.parts.values() for o in part.operands]
    else:
        cells, late = [x._cell], []
    late += [o for step in x._chain for o in step.operands]
    return all(is_older_cell(c, inner) and not isinstance(c, Snapshot) for c in cells) and all(
        is_all_older(o, inner) for o in late
    )


def refer(
    index: Any,
    parts: dict[int, Part],
    type_: TensorType,
    base: Builder | None = None,
    older: tuple[Reference, ...] = (),
) -> Tensor:
    """A tensor that is the array of that number: one of `parts`, or of the `older` ones."""
    if isinstance(index, Tensor) and index.is_known:
        index = index.item()
    reference = Reference(index, parts, base, older)
    if isinstance(index, int):
        return reference.parts[index].handle()
    if len(parts) == 1 and not older:
        return next(iter(parts.values())).handle()
    return handle_of(Choice(reference, type_), (), type_)


# ---- arrays that a staged statement is about to make -------------------------------------------


def reserve() -> int:
    """A number for an array that is yet to be made."""
    known = trace_root().references
    known.append(None)
    return len(known) - 1


def promised(number: int, type_: TensorType) -> Part:
    """An array that is yet to be made, for which the number stands."""
    cell = Cell(Tensor(None, Value(type_)))
    part = Part(cell, (), type_, handle_of(cell, (), type_))
    root = trace_root()
    root.references[number] = part
    root.reference_numbers[cell] = [number]
    return part


def fulfil(part: Part, content: Tensor) -> None:
    """Give a promised array its content."""
    part.cell.root, part.cell.first = content, content._value


# ---- numbers -----------------------------------------------------------------------------------


def same(a: Any, b: Any) -> Any:
    """Whether two numbers are equal: known, or traced."""
    return a == b if isinstance(a, int) and isinstance(b, int) else ops.equal(a, b)


def select(index: Any, numbers: dict[int, Any]) -> Any:
    """The number that stands in the place of `index`; itself where none is given."""
    if isinstance(index, int):
        return numbers.get(index, index)
    result = index
    for old, new in numbers.items():
        if not isinstance(new, int) or new != old:
            result = chosen(same(index, old), new, result)
    return result


def chosen(bit: Any, yes: Any, no: Any) -> Any:
    """One of two numbers."""
    if isinstance(bit, bool):
        return yes if bit else no
    return ops.choose(bit, yes, no)


# ---- content -----------------------------------------------------------------------------------


def is_reachable(x: Tensor) -> bool:
    """Whether the graph being built can use a traced value."""
    builder = building()
    return builder is not None and x._value is not None and builder.reaches(x._value)


def _content(reference: Reference, type_: TensorType) -> Tensor:
    """The content of the array of which it is the number."""
    index, parts = reference.index, list(reference.parts.items())
    # Another view's indices may be out of range, another array may be of another type.
    is_plain = all(not part.chain and part.cell.root.type == type_ for _, part in parts)

    def content(position: int) -> Tensor:
        number, part = parts[position]
        if position == len(parts) - 1:  # what else could it be
            return part.handle().current()
        bit = ops.equal(index, number)
        if not is_plain:
            return _if(bit, lambda: part.handle().current(), lambda: content(position + 1), type_)
        result: Tensor = ops.choose(bit, part.handle().current(), content(position + 1))
        return result

    return content(0)


def _if(
    bit: Tensor, yes: Callable[[], Tensor], no: Callable[[], Tensor], type_: TensorType
) -> Tensor:
    """A cond node with one result.

    What a branch raises, of an array of another shape than that which it is, is raised in it.
    """
    parent = current_builder()
    branches = []
    for name, thunk in (("true", yes), ("false", no)):
        with body(name, parent) as branch, journal.transaction():
            try:
                result = coerce(thunk(), type_)
            except StagingError:
                raise
            except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
                emit_raise(error)
                result = ops.missing(type=type_)
            branch.graph.outputs = [branch.value_of(result)]
            branches.append(branch)
    return emit_cond(parent, parent.value_of(bit), (branches[0], branches[1]), [type_])[0]
