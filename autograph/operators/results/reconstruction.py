"""The arrays and objects of one call, made when the graph runs.

Where Python has one object in two places, there is one, and a view shows the array that it is a
view of. Each array and container has a key; while a graph runs, what was made for a key is kept, so
that the next place that wants it gets the same.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import repeat
from operator import getitem
from typing import Any

import numpy as np

from autograph.operators.captured.standing import Owner
from autograph.operators.values.contents import container_base
from autograph.operators.values.runs import ContainerKind
from runtime import ops
from runtime.autodiff.stored import note_made
from runtime.cells import ViewStep
from runtime.devices import copied, device_of, host_array, is_device_array, module_of, moved
from runtime.eager import is_array
from runtime.effects.given_containers import container_at
from runtime.effects.host import Running, running, within
from runtime.structure import tree
from runtime.structure.templates import Fillable, Hole, fill, text_of_letters
from runtime.tensor import Tensor

__all__ = ["AnyOf", "Argument", "Array", "Entries", "Form", "GrownContent", "IfPresent",
           "ItemPart", "Items", "LettersPart", "Made", "NumberPart", "Once", "OptionalPart",
           "Outside", "RaggedPart", "Same", "Scalar", "TextPart", "Tuple", "View", "handing_out",
           "items_of_rows", "objects", "remembering"]  # fmt: skip


def handing_out(known: dict[Hashable, Any]) -> within:
    """Keep what is made in `known`, which has the caller's arrays from the start."""
    now = running()
    return within(Running(now.lending, known, now.arguments, now.caller))


def remembering() -> within:
    """Keep what is made in here, where the call that runs does not."""
    now = running()
    return within(now) if now.objects is not None else handing_out({})


def objects() -> dict[Hashable, Any]:
    """What the call that runs has handed out."""
    known = running().objects
    return {} if known is None else known


class Form:
    """What is handed out for a run-time value: a tensor of a class, or an array."""

    __slots__ = ("kind", "on_host", "tensors")

    def __init__(self, tensors: bool, kind: type[Tensor] = Tensor) -> None:
        self.tensors, self.kind = tensors, kind
        # Whether no input of the graph is on another device; known when the trace is over.
        self.on_host = True

    def __call__(self, raw: Any) -> Any:
        """An array or tensor of its own; another value as it is."""
        if type(raw) in (int, float, bool):
            return raw  # as most
        if self.tensors:
            is_value = isinstance(raw, np.generic) or is_array(raw)
            return note_made(self.kind(copied(raw))) if is_value else raw
        if self.on_host and is_device_array(raw):
            return moved(raw, None)
        if isinstance(raw, np.ndarray):
            return raw.copy("K")  # as NumPy would have made it
        return copied(raw) if is_array(raw) else raw


class Scalar(Fillable):
    """A number of the graph."""

    __slots__ = ("form", "index", "key")

    def __init__(self, index: int, form: Form, key: Hashable) -> None:
        self.index, self.form, self.key = index, form, key

    @property
    def is_value(self) -> bool:
        return not self.form.tensors and self.form.on_host

    def written(self, source: Any) -> Any:
        return source.hole(self) if self.is_value else None

    def fill(self, operands: Sequence[Any]) -> Any:
        if not self.form.tensors:
            return self.form(operands[self.index])
        known = objects()
        if self.key not in known:
            known[self.key] = self.form(operands[self.index])
        return known[self.key]


class Tuple(Fillable):
    """A tuple or named tuple, the same in all places."""

    __slots__ = ("key", "kind", "parts")

    def __init__(self, key: Hashable, kind: type, parts: list[Any]) -> None:
        self.key, self.kind, self.parts = key, kind, parts

    def fill(self, operands: Sequence[Any]) -> Any:
        known = objects()
        if self.key not in known:
            parts = [fill(p, operands) for p in self.parts]
            known[self.key] = tree.container(self.kind, (), parts)
        return known[self.key]


class AnyOf(Fillable):
    """One of several objects, each with a template: `which` is that of its number."""

    __slots__ = ("parts", "which")

    def __init__(self, which: Any, parts: list[Any]) -> None:
        self.which, self.parts = which, parts

    def fill(self, operands: Sequence[Any]) -> Any:
        return fill(self.parts[int(fill(self.which, operands))], operands)


class Once(Fillable):
    """An object that something else makes, the same in all places."""

    __slots__ = ("key", "part")

    def __init__(self, key: Hashable, part: Any) -> None:
        self.key, self.part = key, part

    def fill(self, operands: Sequence[Any]) -> Any:
        known = objects()
        if self.key not in known:
            known[self.key] = fill(self.part, operands)
        return known[self.key]


class IfPresent(Fillable):
    """A part of a result that is None or a nest of a structure, made at `index`.

    `part` is the template of the nest; its operands are the leaves of what was made.
    """

    __slots__ = ("index", "part", "structure")

    def __init__(self, index: int, structure: tree.Structure, part: Any) -> None:
        self.index, self.structure, self.part = index, structure, part

    def fill(self, operands: Sequence[Any]) -> Any:
        found = operands[self.index]
        if found is None:
            return None
        return fill(self.part, tree.leaves_by(self.structure, found))


class Entries(Fillable):
    """A dict in a result of which data decides what keys it has, made at `hole`.

    `parts` has for each key that it may have the structure and the template of its value, as for a
    part of a result that may be None.
    """

    __slots__ = ("hole", "parts")

    def __init__(self, hole: Hole, parts: dict[Any, tuple[tree.Structure, Any]]) -> None:
        self.hole, self.parts = hole, parts

    def fill(self, operands: Sequence[Any]) -> Any:
        made = {}
        for key, value in fill(self.hole, operands).items():
            structure, part = self.parts[key]
            made[key] = fill(part, tree.leaves_by(structure, value))
        return made


class Same(Fillable):
    """An object that is older than the trace, or that nobody can change: itself."""

    __slots__ = ("thing",)

    is_value = True

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def fill(self, operands: Sequence[Any]) -> Any:
        return self.thing

    def written(self, source: Any) -> Any:
        return source.bound(self.thing)


class Outside(Fillable):
    """An object that is older than the trace, in the result: that of the call."""

    __slots__ = ("owner",)

    def __init__(self, thing: Any) -> None:
        self.owner = Owner(thing)

    def fill(self, operands: Sequence[Any]) -> Any:
        return self.owner()


class Array(Fillable):
    """An array, or one of several, depending on data.

    `number` tells which, or the operand at `which` does. Operands at `contents`, by number, else
    that at `content`, are what is in it; those whose numbers are in `given` are the caller's own.
    """

    __slots__ = ("content", "contents", "form", "given", "number", "views", "which", "zero")

    def __init__(self, form: Form, zero: bool) -> None:
        self.form, self.zero = form, zero
        self.number: int | None = None
        self.which: int | None = None
        self.content: int | None = None
        self.contents: dict[int, int] = {}
        self.given: set[int] = set()
        self.views: dict[int, View] = {}

    def fill(self, operands: Sequence[Any]) -> Any:
        return self.get(operands, objects())

    def get(
        self,
        operands: Sequence[Any],
        known: dict[Hashable, Any],
        own: Callable[[], Any] | None = None,
    ) -> Any:
        """The array, made by `own` if it must be made; kept in `known`."""
        number: Any = self.number if self.which is None else int(operands[self.which])
        view = self.views.get(number)
        if view is not None:
            return view.get(operands, known)
        if number not in known:
            known[number] = self._made(number, operands) if own is None else own()
        return known[number]

    def _made(self, number: int, operands: Sequence[Any]) -> Any:
        index = self.contents.get(number, self.content)
        assert index is not None
        raw = operands[index]
        if number in self.given and not self.form.tensors:
            return raw
        if self.zero and not self.form.tensors and isinstance(raw, np.generic):
            raw = np.asarray(raw)
        return self.form(raw)


class View:
    """A view of an array: what it is of, and the steps to it."""

    __slots__ = ("base", "key", "steps")

    def __init__(self, base: Array, key: Hashable, steps: list[tuple[ViewStep, list[Any]]]) -> None:
        self.base, self.key, self.steps = base, key, steps

    def get(self, operands: Sequence[Any], known: dict[Hashable, Any]) -> Any:
        """The view of the array as the call hands that out."""
        if self.key not in known:
            found = self.base.get(operands, known)
            for step, parts in self.steps:
                values = tuple(fill(part, operands) for part in parts)
                if isinstance(found, Tensor):
                    found = note_made(ViewStep(step.op, values, step.attrs).read(found))
                else:
                    xp = module_of(device_of(found))
                    found = step.op.kernel(xp, found, *values, **step.attrs)
            known[self.key] = found
        return known[self.key]


class ItemPart:
    """A number or array in each item of a list: which of the arrays of rows it is of."""

    __slots__ = ("numpy", "row", "weak")

    def __init__(self, row: int, weak: bool, numpy: bool = False) -> None:
        self.row, self.weak, self.numpy = row, weak, numpy

    def plain_rows(self) -> Iterator[int]:
        """The rows of numbers of Python's and NumPy's, which are no tensors for anybody."""
        if self.weak or self.numpy:
            yield self.row

    def of_rows(self, rows: Sequence[Any]) -> list[Any]:
        """The parts of all items, of which `rows` are the numbers."""
        return self.column(rows[self.row])

    def column(self, rows: Any) -> list[Any]:
        """The parts of all items, from the row of their numbers."""
        if self.numpy and isinstance(rows, Tensor):
            rows = rows.numpy()
        if isinstance(rows, Tensor):
            found = [rows[k] for k in range(len(rows))]
            return [ops.as_weak(x) for x in found] if self.weak else found
        if rows.ndim > 1:
            return [row.copy() for row in rows]
        numbers = host_array(rows)  # as a number that is a result of its own
        return numbers.tolist() if self.weak else list(numbers)


class TextPart(ItemPart):
    """A text in each item of a list: the number of one of the `texts`."""

    __slots__ = ("texts",)

    def __init__(self, row: int, texts: tuple[str, ...]) -> None:
        super().__init__(row, True)
        self.texts = texts

    def column(self, rows: Any) -> list[Any]:
        """The texts of all items."""
        return [self.texts[int(number)] for number in super().column(rows)]


class LettersPart(ItemPart):
    """A text in each item of a list, of as many letters as the row of lengths says.

    `letters` is the number of the row that has the numbers of the letters.
    """

    __slots__ = ("letters",)

    def __init__(self, row: int, letters: int) -> None:
        super().__init__(row, True)
        self.letters = letters

    def of_rows(self, rows: Sequence[Any]) -> list[Any]:
        """The texts of all items."""
        letters = np.asarray(host_array(rows[self.letters]))
        counts = super().of_rows(rows)
        return [text_of_letters(x[: int(n)]) for x, n in zip(letters, counts, strict=True)]


class NumberPart(ItemPart):
    """A number in each item of a list, of one of several types: `parts` are those of each."""

    __slots__ = ("parts",)

    def __init__(self, row: int, parts: list[ItemPart]) -> None:
        super().__init__(row, True)
        self.parts = parts

    def plain_rows(self) -> Iterator[int]:
        """The rows of numbers of Python's and NumPy's."""
        yield self.row
        for part in self.parts:
            yield from part.plain_rows()

    def of_rows(self, rows: Sequence[Any]) -> list[Any]:
        """The numbers of all items."""
        which = np.asarray(host_array(rows[self.row]))
        first = int(which[0]) if len(which) else 0
        if (which == first).all():
            return self.parts[first].of_rows(rows)
        columns = zip(*[part.of_rows(rows) for part in self.parts], strict=True)
        return [*map(getitem, columns, which.tolist())]


class OptionalPart(ItemPart):
    """A number, a text or a tuple of such in each item of a list, or None.

    The row `present` says which; `parts` are those of a `structure`.
    """

    __slots__ = ("parts", "structure")

    def __init__(self, structure: tree.Structure, parts: list[Any], present: int) -> None:
        super().__init__(present, True)
        self.structure, self.parts = structure, parts

    @property
    def present(self) -> int:
        """The number of the row that says whether there is more than None."""
        return self.row

    def plain_rows(self) -> Iterator[int]:
        """The rows of numbers of Python's and NumPy's."""
        yield self.row
        for part in self.parts:
            if isinstance(part, ItemPart):
                yield from part.plain_rows()

    def of_rows(self, rows: Sequence[Any]) -> list[Any]:
        """The numbers, texts, tuples and Nones of all items."""
        there = np.asarray(rows[self.row])
        found = items_of_rows(self.structure, self.parts, rows)
        pairs = zip(found, there.tolist(), strict=True)
        return [x if is_there else None for x, is_there in pairs]


class RaggedPart(ItemPart):
    """A list in each item of a list, of as many items as the row of lengths says.

    `rows` are the numbers of the rows that have what is in them; `parts` are those of an item of
    `structure`, of which the rows are numbered by themselves.
    """

    __slots__ = ("parts", "rows", "structure")

    def __init__(
        self, row: int, rows: list[int], structure: tree.Structure, parts: list[Any]
    ) -> None:
        super().__init__(row, True)
        self.rows, self.structure, self.parts = rows, structure, parts

    def of_rows(self, rows: Sequence[Any]) -> list[Any]:
        """The lists of all items."""
        counts = super().of_rows(rows)
        if not self.rows:
            return [[] for _ in counts]
        own = [rows[j] for j in self.rows]
        if isinstance(own[0], Tensor):
            return [
                items_of_rows(self.structure, self.parts, [row[k][: int(n)] for row in own])
                for k, n in enumerate(counts)
            ]
        # All at once, without what lies behind the last item of each list.
        own = [np.asarray(host_array(row)) for row in own]
        is_item = np.arange(own[0].shape[1]) < np.asarray(counts, int)[:, None]
        made = items_of_rows(self.structure, self.parts, [row[is_item] for row in own])
        ends = np.cumsum(counts, dtype=int).tolist()
        return [made[end - int(n) : end] for n, end in zip(counts, ends, strict=True)]


def items_of_rows(
    structure: tree.Structure, parts: Sequence[Any], rows: Sequence[Any]
) -> list[Any]:
    """A list of items of which the numbers are in rows.

    `parts` has for each leaf of an item an ItemPart, or the value that it is in all items.
    """
    count = len(rows[0])
    columns = [
        part.of_rows(rows) if isinstance(part, ItemPart) else [part] * count for part in parts
    ]
    if structure.kind is None:
        return columns[0]
    if not columns:
        return [tree.unflatten(structure, ()) for _ in range(count)]
    kind = structure.kind
    if issubclass(kind, tuple) and all(child.kind is None for child in structure.children):
        found = zip(*columns, strict=True)
        if kind is tuple:
            return [*found]
        if not issubclass(kind, tree.Assembled):
            return [*map(tuple.__new__, repeat(kind), found)]
    return [*map(tree.maker(structure), *columns)]


class Items(Fillable):
    """The items of a list whose length depends on data; `rows` are the positions of the rows."""

    __slots__ = ("form", "parts", "rows", "structure")

    def __init__(
        self, structure: tree.Structure, parts: list[Any], rows: list[int], form: Form
    ) -> None:
        self.structure, self.parts, self.rows, self.form = structure, parts, rows, form

    def fill(self, operands: Sequence[Any]) -> list[Any]:
        rows = [operands[index] for index in self.rows]
        if self.form.tensors:  # numbers are handed out as they are, as outside of lists
            own = (part for part in self.parts if isinstance(part, ItemPart))
            numbers = {row for part in own for row in part.plain_rows()}
            rows = [row if k in numbers else self.form.kind(row) for k, row in enumerate(rows)]
        return note_made(items_of_rows(self.structure, self.parts, rows))  # type: ignore[no-any-return]


class GrownContent(Fillable):
    """A container in text whose items are in rows; `rows` are the positions of these."""

    __slots__ = ("kind", "parts", "rows", "structure")
    what = "a list, dict or deque whose length depends on data"

    def __init__(
        self, structure: tree.Structure, parts: list[Any], rows: range, kind: ContainerKind
    ) -> None:
        self.structure, self.parts, self.rows, self.kind = structure, parts, rows, kind

    def fill(self, operands: Sequence[Any]) -> Any:
        rows = [np.asarray(host_array(operands[index])) for index in self.rows]
        return self.kind.make(items_of_rows(self.structure, self.parts, rows))


class Argument(Fillable):
    """A container among the arguments, by its path; made of parts where there is none."""

    __slots__ = ("parts", "path")

    def __init__(self, path: tuple[Any, ...], parts: Made | Once) -> None:
        self.path, self.parts = path, parts

    def fill(self, operands: Sequence[Any]) -> Any:
        found = container_at(self.path)
        return self.parts.fill(operands) if found is None else found


class Made(Fillable):
    """An object that the trace made, which each call makes anew.

    `extra` is what its class needs to make an empty one. `items` are what is in a container, None
    for any other object; `fields` the attributes.
    """

    __slots__ = ("extra", "fields", "items", "key", "kind", "own")

    def __init__(self, key: Hashable, kind: type, extra: Any = None) -> None:
        self.key, self.kind, self.extra = key, kind, extra
        # The object itself, to be given to the one call that there is.
        self.own: Any = None
        self.items: Any = None
        self.fields: dict[str, Any] = {}

    def fill(self, operands: Sequence[Any]) -> Any:
        known = objects()
        if self.key in known:
            return known[self.key]
        made = known[self.key] = note_made(self._blank())
        if self.items is not None:
            base = container_base(made)
            base.clear(made)
            add = base.extend if base in (list, deque) else base.update
            add(made, fill(self.items, operands))
        for name, part in self.fields.items():
            object.__setattr__(made, name, fill(part, operands))
        return made

    def _blank(self) -> Any:
        own, self.own = self.own, None
        if own is not None:
            return own
        kind: Any = self.kind
        if kind is np.ndarray:
            return self.extra.copy()
        if kind is deque:
            return deque(maxlen=self.extra)
        if kind is defaultdict:
            return defaultdict(self.extra)
        return kind.__new__(kind)
