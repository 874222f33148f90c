"""The arrays that a name may be, depending on data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from runtime.building import Builder, current_builder
from runtime.cells import Cell, ViewStep, clock_of_watched
from runtime.graph.ir import Value
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["Part", "Reference", "handle_of", "trace_root"]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One array that a name may be: a cell and the steps of a view, with their operands."""

    cell: Cell
    chain: tuple[ViewStep, ...]
    type: TensorType
    # The user's own tensor, if there is one.
    tensor: Tensor | None = None

    def is_alike(self, other: Part) -> bool:
        """Whether both are the same array, or views of it that differ in operands at most."""
        return (
            self.cell is other.cell
            and self.type == other.type
            and len(self.chain) == len(other.chain)
            and all(map(_is_alike, self.chain, other.chain))
        )

    @property
    def operands(self) -> tuple[Any, ...]:
        """The indices and bounds of all steps."""
        return tuple(x for step in self.chain for x in step.operands)

    def with_operands(self, operands: Iterable[Any]) -> Part:
        """The view with other indices and bounds; an array that is no view is the same."""
        if not self.chain:
            return self
        given = iter(operands)
        chain = tuple(
            ViewStep(step.op, tuple(next(given) for _ in step.operands), step.attrs)
            for step in self.chain
        )
        return Part(self.cell, chain, self.type)

    @property
    def number(self) -> int:
        """What stands for the array in the graph, the same in the whole trace."""
        root = trace_root()
        numbers = root.reference_numbers.setdefault(self.cell, [])
        for number in numbers:
            if root.references[number].is_alike(self):
                return number
        numbers.append(len(root.references))
        root.references.append(self)
        return numbers[-1]

    def handle(self) -> Tensor:
        """A tensor that is the array or view."""
        if self.tensor is not None:
            return self.tensor
        return handle_of(self.cell, self.chain, self.type)


class Reference:
    """The arrays that a name may be, by number, and the number (traced, or known) of that it is.

    It may be the `own` ones, and those of all `older` references: after each of many `if`s a name
    may be one array more, and the others are not copied for that. `base` is a builder that reaches
    all of the arrays, where none of them is a view of others: then they need not be looked at one
    by one.
    """

    __slots__ = ("_parts", "_seen", "_states", "_token", "base", "index", "older", "own")

    def __init__(
        self,
        index: Any,
        own: dict[int, Part],
        base: Builder | None = None,
        older: tuple[Reference, ...] = (),
    ) -> None:
        self.index, self.own, self.base, self.older = index, own, base, older
        self._parts = None if older else own
        # What was found of its arrays, when, and by what their tokens were then.
        self._seen: int | None = None
        self._token: object = None
        self._states: dict[tuple[Any, ...], object] = {}

    @property
    def parts(self) -> dict[int, Part]:
        """All of the arrays, by number, the older ones first."""
        if self._parts is None:
            found: dict[int, Part] = {}
            met: set[int] = set()
            for one in self._older_first(lambda x: id(x) in met):
                met.add(id(one))
                found.update(one.own)
            self._parts = found
        return self._parts

    @property
    def token(self) -> object:
        """What is another one when any of the arrays is written, and the same when none is.

        A write that is taken back makes it what it was before.
        """
        now = clock_of_watched()
        for one in self._older_first(lambda x: x._seen == now):
            one._look(now)
        return self._token

    def _older_first(self, is_done: Callable[[Reference], bool]) -> Iterator[Reference]:
        """This one and all older ones, each after those that are older than it.

        No recursion: there may be thousands. Whoever goes through them sees to it that each that is
        given is done.
        """
        waiting = [self]
        while waiting:
            one = waiting[-1]
            late = () if is_done(one) else [x for x in one.older if not is_done(x)]
            if late:
                waiting += reversed(late)
                continue
            waiting.pop()
            if not is_done(one):
                yield one

    def _look(self, now: int) -> None:
        """Find the token, those of the older references being known."""
        cells = [part.cell for part in self.own.values()]
        if self._seen is None:
            for cell in cells:
                cell.watch()
        state = *[cell.token for cell in cells], *[x._token for x in self.older]
        self._token, self._seen = self._states.setdefault(state, object()), now

    def is_older(self, inner: Builder) -> bool:
        """Whether all arrays are known to be older than the staged body that `inner` builds."""
        around = inner.parent
        while around is not None and around is not self.base:
            around = around.parent
        return around is not None


def handle_of(cell: Cell, chain: tuple[ViewStep, ...], type_: TensorType) -> Tensor:
    """A tensor that is an array, or the view of it that these steps lead to."""
    # Its content is always that of the cell: the value only says that it is traced, and its type.
    made = trace_root().array(Value(type_))
    made._cell, made._chain, made._token = cell, chain, -1
    made._zero_dimensional = type_.rank == 0
    return made


def _is_alike(a: ViewStep, b: ViewStep) -> bool:
    return a.op is b.op and a.attrs == b.attrs and len(a.operands) == len(b.operands)


def trace_root() -> Builder:
    """The builder that knows the arrays of the whole trace by number."""
    builder = current_builder()
    return builder.root
