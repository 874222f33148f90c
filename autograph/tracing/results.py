"""The result of a trace: what the graph gives for each part of it, and which arrays these are."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from autograph.operators.captured.alternatives import Part
from autograph.operators.captured.captures import Trace, current_trace
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.standing import Owner
from autograph.operators.captured.variables import Nullable, Poison
from autograph.operators.results.item_templates import template_of
from autograph.operators.results.outputs import Handouts
from autograph.operators.results.reconstruction import (
    Array,
    ItemPart,
    OptionalPart,
    RaggedPart,
    items_of_rows,
)
from autograph.operators.values.captured_items import with_inputs
from autograph.operators.values.carried import is_numpy
from autograph.operators.values.iterators import is_iterator
from autograph.operators.values.one_of import OneOf
from autograph.operators.values.references import choice_of, has_cell, reference_of
from autograph.operators.values.runs import ContainerKind, Sealed, SealedEntries, as_users
from autograph.operators.values.templates import LazyString, dig, fill, has_traced
from autograph.tracing.likeness import is_movable
from runtime import journal
from runtime.building import Builder
from runtime.devices import is_device_array
from runtime.effects.taken_ahead import title
from runtime.errors import StagingError
from runtime.graph.ir import Value
from runtime.origins import Origin
from runtime.structure import tree
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor

__all__ = [
    "ArrayHole",
    "EntriesHole",
    "FixedPart",
    "ListHole",
    "NoneHole",
    "ResultHole",
    "TextHole",
    "choices_of",
    "dig_result",
    "grown_arrays",
    "inputs_in",
    "made_result",
    "refuse_iterators",
    "refuse_poison",
    "refuse_rings",
    "shared",
    "structures_of",
    "structures_of_lists",
    "taken",
    "tracked",
]


def dig_result(
    part: Any,
    operands: list[Tensor],
    handles: list[Tensor],
    identical: dict[int, int],
    inputs: Mapping[int, Tensor] = MappingProxyType({}),
) -> Any:
    """The result with holes for traced values, which are appended to `operands`.

    `inputs` are the placeholders of arrays from outside, by the identity of these.
    """
    leaves, structure = tree.flatten(part)
    holes: list[Any] = []
    known: dict[int, ResultHole] = {}
    for leaf in (inputs.get(id(leaf), leaf) for leaf in leaves):
        if id(leaf) in known:  # one array in two places
            holes.append(known[id(leaf)])
        elif isinstance(leaf, Tensor):
            index = next((i for i, h in enumerate(handles) if h is leaf), None)
            if index is not None:
                identical[len(operands)] = index
            operands.append(leaf)
            holes.append(_hole_of(leaf)(len(operands) - 1))
            if has_cell(leaf):
                known[id(leaf)] = holes[-1]
        elif isinstance(leaf, HostValue):
            holes.append(ResultHole(len(operands)))
            operands.append(leaf.value)
        elif isinstance(leaf, Sealed):
            holes.append(_list_hole(leaf, len(operands)))
            operands.extend(leaf.rows)
        elif isinstance(leaf, SealedEntries):
            nest, inner_holes = dig_result(leaf.values, operands, handles, identical, inputs)
            keys = list(leaf.values)
            there = {keys.index(key): len(operands) + k for k, key in enumerate(leaf.there)}
            operands.extend(leaf.there.values())
            ranks = {keys.index(key): len(operands) + k for k, key in enumerate(leaf.ranks)}
            operands.extend(leaf.ranks.values())
            holes.append(EntriesHole(nest, inner_holes, there, ranks))
        elif isinstance(leaf, LazyString | OneOf) or (type(leaf) is slice and has_traced(leaf)):
            inner: list[Tensor] = []
            text = dig(leaf, inner)
            holes.append(TextHole(text, len(operands), len(inner)))
            operands.extend(inner)
        elif isinstance(leaf, Nullable):
            nest, inner_holes = dig_result(leaf.value, operands, handles, identical)
            holes.append(NoneHole(nest, inner_holes, len(operands)))
            operands.append(leaf.present)
        else:
            _check_result(leaf)
            facts = current_trace()
            moves = facts is not None and facts.outside.has(leaf) and is_movable(leaf)
            holes.append(FixedPart(as_users(leaf), moves, journal.is_made(leaf)))
    return structure, holes


def inputs_in(result: Any, facts: Trace) -> dict[int, Tensor]:
    """The placeholders of the arrays in tuples from outside that are given back."""
    entries = tree.entries(result)
    if entries is None or (facts.outside.has(result) and not isinstance(result, tuple)):
        return {}
    found: dict[int, Tensor] = {}
    known_entries = tree.entries(with_inputs(result))
    assert known_entries is not None, "the inputs of a structure are in one like it"
    for child, known in zip(entries[1], known_entries[1], strict=True):
        facts.outside.consumed(child)  # nobody looks into what is given back
        if known is not child:
            found[id(child)] = known
        found |= inputs_in(child, facts)
    return found


class ResultHole:
    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def fill(self, results: list[Any], raws: tuple[Any, ...]) -> Any:
        return results[self.index]


class ArrayHole(ResultHole):
    """For an ndarray of rank 0: graphs compute with scalars there."""

    __slots__ = ()

    def fill(self, results: list[Any], raws: tuple[Any, ...]) -> Any:
        result = results[self.index]
        if isinstance(result, Tensor) or is_device_array(result):
            return result
        return np.asarray(result)


class NumPyHole(ResultHole):
    """For a number or array of NumPy's, where the results are tensors."""

    __slots__ = ()

    def fill(self, results: list[Any], raws: tuple[Any, ...]) -> Any:
        result = results[self.index]
        return np.array(result.numpy())[()] if isinstance(result, Tensor) else result


def _hole_of(x: Tensor) -> type[ResultHole]:
    if is_numpy(x):
        return NumPyHole
    return ArrayHole if x.is_array and x.type.rank == 0 else ResultHole


class TextHole:
    __slots__ = ("count", "first", "text")

    def __init__(self, text: Any, first: int, count: int) -> None:
        self.text, self.first, self.count = text, first, count

    def fill(self, results: list[Any], raws: tuple[Any, ...]) -> Any:
        return fill(self.text, raws[self.first : self.first + self.count])


class ListHole:
    """For a list of as many items as the `count` outputs from `first` on have rows.

    Items are nests of `structure`; `parts` are an ItemPart or a FixedPart for each leaf. `kind` is
    what is made of the list: itself, or a dict of pairs.
    """

    __slots__ = ("count", "first", "holds_arrays", "kind", "parts", "structure")

    def __init__(
        self,
        structure: tree.Structure,
        parts: list[Any],
        first: int,
        count: int,
        holds_arrays: bool = False,
        kind: ContainerKind | None = None,
    ) -> None:
        self.structure, self.parts, self.first, self.count = structure, parts, first, count
        self.holds_arrays, self.kind = holds_arrays, kind or ContainerKind()

    def fill(self, results: list[Any], raws: tuple[Any, ...]) -> Any:
        rows = results[self.first : self.first + self.count]
        if rows[0] is None:
            return None  # one of several lists, which the path that was taken does not have
        parts = [
            part if isinstance(part, ItemPart) else part.fill(results, raws) for part in self.parts
        ]
        return self.kind.make(items_of_rows(self.structure, parts, rows))


def _list_hole(found: Sealed, first: int) -> ListHole:
    parts, structure = template_of(found.item)
    holes = [part if isinstance(part, ItemPart) else FixedPart(part) for part in parts]
    holds_arrays = any(leaf.type.rank != 0 for leaf in found.item.columns())
    return ListHole(structure, holes, first, len(found.rows), holds_arrays, found.kind)


class NestHole:
    """For a part of the result that has parts, the `holes` in a `structure`."""

    __slots__ = ("holes", "structure")

    def __init__(self, structure: tree.Structure, holes: list[Any]) -> None:
        self.structure, self.holes = structure, holes


class NoneHole(NestHole):
    """For a part of the result, or None: the output at `present` says which."""

    __slots__ = ("present",)

    def __init__(self, structure: tree.Structure, holes: list[Any], present: int) -> None:
        super().__init__(structure, holes)
        self.present = present

    def fill(self, results: list[Any], raws: tuple[Any, ...]) -> Any:
        if not raws[self.present]:
            return None
        parts = [hole.fill(results, raws) for hole in self.holes]
        return parts[0] if self.structure.kind is None else tree.unflatten(self.structure, parts)


class EntriesHole(NestHole):
    """For a dict of which data decides what keys it has.

    `there` has, by the position of a key that may be missing, the output that says whether it is
    there; with `ranks`, the keys are in the order of the numbers in these outputs.
    """

    __slots__ = ("ranks", "there")

    def __init__(
        self,
        structure: tree.Structure,
        holes: list[Any],
        there: dict[int, int],
        ranks: dict[int, int],
    ) -> None:
        super().__init__(structure, holes)
        self.there, self.ranks = there, ranks

    def fill(self, results: list[Any], raws: tuple[Any, ...]) -> Any:
        made = tree.unflatten(self.structure, [hole.fill(results, raws) for hole in self.holes])
        pairs = list(enumerate(made.items()))
        if self.ranks:
            pairs.sort(key=lambda pair: int(raws[self.ranks[pair[0]]]))
        return {
            key: value
            for position, (key, value) in pairs
            if position not in self.there or raws[self.there[position]]
        }


def made_result(
    build: Callable[[Sequence[Any]], Any],
    holes: list[Any],
    whole: Any,
    results: list[Any],
    raws: tuple[Any, ...],
) -> Any:
    """The result of a call, of which `raws` are the outputs, and `results` what they become.

    `build` makes it of its leaves; `whole` is its template, where containers in it are in two
    places, or data chooses between them.
    """
    if whole is not None:
        return fill(whole, _Parts(holes, results, raws))
    return build([hole.fill(results, raws) for hole in holes])


class _Parts(Sequence[Any]):
    """Parts of a result, each made when it is asked for.

    None is asked for that a path has which was not taken: there are no values for it.
    """

    __slots__ = ("_holes", "_made", "_raws", "_results")

    def __init__(self, holes: list[Any], results: list[Any], raws: tuple[Any, ...]) -> None:
        self._holes, self._results, self._raws = holes, results, raws
        self._made: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self._holes)

    def __getitem__(self, index: Any) -> Any:
        if index not in self._made:
            self._made[index] = self._holes[index].fill(self._results, self._raws)
        return self._made[index]


def taken(holes: list[Any], *, in_lists: bool = True) -> frozenset[int]:
    """The outputs that are results, or parts of them: text is made of what the graph gives.

    With those that lists are made of, if they are asked for.
    """
    found: set[int] = set()
    for hole in holes:
        if isinstance(hole, NestHole):
            found |= taken(hole.holes, in_lists=in_lists)
        elif isinstance(hole, ListHole):
            found.update(range(hole.first, hole.first + hole.count) if in_lists else ())
        elif isinstance(hole, ResultHole):
            found.add(hole.index)
    return frozenset(found)


def grown_arrays(holes: list[Any]) -> bool:
    """Whether a result has a list of arrays whose length depends on data."""
    return any(
        (isinstance(hole, ListHole) and hole.holds_arrays)
        or (isinstance(hole, NestHole) and grown_arrays(hole.holes))
        for hole in holes
    )


def structures_of(structure: tree.Structure, holes: list[Any]) -> Iterator[tree.Structure]:
    """The structures of a result, and of the parts that are made for its holes."""
    yield structure
    for hole in holes:
        if isinstance(hole, NestHole):
            yield from structures_of(hole.structure, hole.holes)
        elif isinstance(hole, ListHole):
            yield from _structures_of_items(hole.structure, hole.parts)


def _structures_of_items(structure: tree.Structure, parts: list[Any]) -> Iterator[tree.Structure]:
    yield structure
    for part in parts:
        if isinstance(part, OptionalPart | RaggedPart):
            yield from _structures_of_items(part.structure, part.parts)


def structures_of_lists(holes: list[Any]) -> Iterator[tree.Structure]:
    """The items of the lists in a result whose length depends on data."""
    for hole in holes:
        if isinstance(hole, ListHole):
            yield hole.structure
        elif isinstance(hole, NestHole):
            yield from structures_of_lists(hole.holes)


class FixedPart:
    """What is the same in each call; an object from outside is that of the call, if it `moves`.

    Of what the function makes and may be changed, each call gives a copy.
    """

    __slots__ = ("_fetch", "_is_copied", "_value")

    def __init__(self, value: Any, moves: bool = False, is_made: bool = False) -> None:
        self._fetch = Owner(value) if moves else None
        self._value = None if moves else value
        self._is_copied = isinstance(value, np.ndarray) or (is_made and _has_copies(value))

    @property
    def value(self) -> Any:
        return self._value if self._fetch is None else self._fetch()

    @property
    def is_constant(self) -> bool:
        """Whether each call gives this very object."""
        return self._fetch is None and not self._is_copied

    def fill(self, results: list[Any], raws: tuple[Any, ...]) -> Any:
        return copy.copy(self.value) if self._is_copied else self.value


def _has_copies(made: Any) -> bool:
    """Whether a copy of an object is another one: what cannot change is its own copy.

    The user's classes say themselves what a copy is: that would be code of theirs that runs.
    """
    if type(made).__flags__ & MADE_BY_CLASS_STATEMENT and not isinstance(made, BaseException):
        return False
    try:
        return copy.copy(made) is not made
    except TypeError:
        return False


def _check_result(leaf: Any) -> None:
    """Refuse a result that holds traced values where they cannot be filled in."""
    facts = current_trace()
    if facts is None or facts.outside.has(leaf):
        return
    if isinstance(leaf, np.ndarray):
        facts.builder.check_unwritten(leaf)
    fields = getattr(leaf, "__dict__", None)
    if fields and any(has_traced(v) for v in fields.values()):
        raise StagingError(
            f"the function returns a {type(leaf).__name__} that it made, whose attributes are "
            "known only when the graph runs",
            "return its values in a tuple, dict or dataclass instead",
        )


def refuse_poison(holes: list[Any], place: Origin | None) -> None:
    """Refuse a result with a part whose kind depends on data."""
    for hole in holes:
        if isinstance(hole, NestHole):
            refuse_poison(hole.holes, place)
        elif isinstance(hole, FixedPart) and isinstance(hole.value, Poison):
            raise StagingError(hole.value.what, hole.value.hint, origin=place)


def refuse_iterators(holes: list[Any], facts: Trace) -> None:
    """Refuse a result that is used up by going through it: each call would give the same one."""
    for hole in holes:
        if isinstance(hole, NestHole):
            refuse_iterators(hole.holes, facts)
        made = hole.value if isinstance(hole, FixedPart) else None
        if is_iterator(made) and not facts.outside.has(made):
            raise StagingError(
                f"the function returns {title(made)} that it made, and every call would give the "
                "same one",
                "return a list of its items",
            )


def refuse_rings(x: Any, facts: Trace, around: frozenset[int] = frozenset()) -> None:
    """Refuse a result that holds itself, which has no end; objects on a heap may."""
    if type(x) is Nullable:
        x = x.inner
    entries = None if facts.outside.has(x) else tree.entries(x)
    if entries is None:
        return
    if id(x) in around:
        raise StagingError(
            f"the function returns a {type(x).__name__} that holds itself",
            "return its parts, or close the ring outside of the function",
            origin=facts.scopes.returned,
        )
    for part in entries[1]:
        refuse_rings(part, facts, around | {id(x)})


# ---- which arrays the results are ---------------------------------------------------------------


def choices_of(
    operands: list[Tensor], handles: list[Tensor], kept: set[int]
) -> Iterator[tuple[int, Any, dict[int, int]]]:
    """Results that may be the caller's arrays: position, the number that tells which, by number."""
    cells = {h._cell: i for i, h in enumerate(handles) if h._cell is not None and i not in kept}
    for out, x in enumerate(operands):
        found = choice_of(x)
        if found is not None:
            positions = {
                number: cells[part.cell]
                for number, part in found.parts.items()
                if not part.chain and part.cell in cells
            }
            if positions:
                yield out, found.index, positions


def tracked(builder: Builder, handouts: Handouts, outputs: list[Value]) -> dict[Any, int]:
    """Where the stored tensors are among the outputs, to which they are appended."""
    found = {}
    for number, x in handouts.stored.items():
        value = x.current()._value
        if value is not None and not builder.owns(value):
            continue  # of a round that was traced to see what it does, and taken back
        found[number] = len(outputs)
        outputs.append(builder.value_of(x))
    return found


def shared(
    builder: Builder,
    handouts: Handouts,
    operands: list[Tensor],
    identical: dict[int, int],
    outputs: list[Value],
) -> dict[int, Array]:
    """Results whose arrays are in another place, too; what these need is appended to `outputs`."""
    arrays = [(out, x) for out, x in enumerate(operands) if out not in identical and has_cell(x)]
    numbers = Counter(n for _, x in arrays for n in _own_numbers(x, handouts))
    stored = handouts.uses
    result: dict[int, Array] = {}
    for out, x in arrays:
        found = reference_of(x)
        assert found is not None
        is_shared = any(stored[n] or numbers[n] > 1 for n in _own_numbers(x, handouts)) or any(
            stored["view", number, id(x)] or _is_stored(part, handouts)
            for number, part in found.parts.items()
            if part.chain
        )
        if is_shared:
            slots: list[Any] = list(outputs)
            result[out] = handouts.array(x, slots)
            outputs += [builder.value_of(t) for t in slots[len(outputs) :]]
    return result


def _own_numbers(x: Tensor, handouts: Handouts) -> list[int]:
    """The numbers of the arrays that `x` may be and that are no views and not the caller's."""
    found = reference_of(x)
    assert found is not None
    return [n for n, p in found.parts.items() if not p.chain and handouts.given_array(p) is None]


def _is_stored(view: Part, handouts: Handouts) -> bool:
    """Whether the array that a view shows is stored somewhere, and not the caller's."""
    whole = Part(view.cell, (), view.cell.root.type)
    return handouts.given_array(whole) is None and bool(handouts.uses[whole.number])
