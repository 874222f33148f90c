"""What a staged `for` can go over: things with a length and an item per index, both traceable."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from autograph.operators.bodies import stage_raise
from autograph.operators.iterators import spend, taken
from runtime import journal, ops
from runtime.errors import StagingError
from runtime.tensor import Tensor

__all__ = [
    "Indexed",
    "IndexedIterator",
    "enumerated",
    "is_open",
    "mapped",
    "of_rows",
    "reversed_",
    "zipped",
]


class Indexed:
    """`length` items, the one at `index` given by `item`; iterates in Python when it is short."""

    __slots__ = ("_item", "length", "name")

    def __init__(
        self,
        name: str,
        length: Any,
        item: Callable[[Any], Any],
    ) -> None:
        self.name, self.length, self._item = name, length, item

    def item(self, index: Any) -> Any:
        """Item number `index`, which is in range."""
        return self._item(index)

    def as_they_are(self) -> Indexed:
        """These items, their number taken now: for an iterator that goes through them later."""
        return self

    def known_length(self) -> int | None:
        """The length, if it is known while tracing."""
        if isinstance(self.length, Tensor):
            return self.length.item() if self.length.is_known else None
        return int(self.length)

    def begin(self) -> None:
        """Note that the items are gone through now: from the first to the last, any time."""

    def unrolled(self) -> Iterator[Any]:
        """The items one after the other; the length must be known."""
        self.begin()
        length = self.known_length()
        if length is None:
            raise StagingError(
                f"`{self.name}` is gone through in a place that cannot be staged, and its length "
                "is known only when the graph runs",
                "use a `for` statement",
            )
        return (self.item(i) for i in range(length))

    def __iter__(self) -> Iterator[Any]:
        return self.unrolled()

    def __len__(self) -> int:
        length = self.known_length()
        if length is None:
            raise StagingError(
                f"len() of `{self.name}` outside converted code", "its length is a tensor"
            )
        return length


class IndexedIterator(Indexed):
    """What `zip`, `enumerate`, `map` and `reversed` give: it can be gone through once."""

    __slots__ = ()

    def begin(self) -> None:
        """Note that the items are gone through now; refused if they may have been before."""
        taken(self)
        spend([self])

    def rest(self) -> Indexed:
        """The items that are left, which are all gone through: none is left then."""
        taken(self)
        items = Indexed(self.name, self.length, self._item)
        self.length = 0
        return items

    def copy(self) -> IndexedIterator:
        """Another one, over the items that are left."""
        made: IndexedIterator = journal.fresh(type(self)(self.name, self.length, self._item))
        return made

    def unrolled(self) -> Iterator[Any]:
        """The items one after the other: those that nobody asks for remain, as in Python."""
        if self.known_length() is None:
            return super().unrolled()
        taken(self)
        return _one_by_one(self)

    def __next__(self) -> Any:
        length = self.known_length()
        if length is None:
            raise StagingError(
                f"`next` of `{self.name}` over what is known only when the graph runs",
                "use a `for` statement, or index the arrays",
            )
        if length == 0:
            raise StopIteration
        item_at = self._item
        self.length, self._item = length - 1, lambda index: item_at(index + 1)
        return item_at(0)

    def __len__(self) -> int:
        raise TypeError(f"object of type '{self.name}' has no len()")


def is_open(x: Any) -> bool:
    """Whether `x` is a tensor that is known only when the graph runs."""
    return isinstance(x, Tensor) and not x.is_known


def of_rows(x: Tensor) -> Indexed:
    """The rows of an array, views of it."""
    shape = x.type.shape
    if shape == ():
        raise TypeError("iteration over a 0-d array")
    return Indexed("rows of an array", x.shape[0], lambda i: x[i])


def as_indexed(x: Any) -> Indexed | None:
    """The indexed form of something that can be staged, None for other iterables."""
    if isinstance(x, Indexed):
        x.begin()
        return x
    if isinstance(x, Tensor):
        return of_rows(x)
    if isinstance(x, range):
        start, step = x.start, x.step
        if (start, step) == (0, 1):
            return Indexed("range", len(x), lambda i: i)
        return Indexed("range", len(x), lambda i: start + i * step)
    return None


def zipped(parts: tuple[Any, ...], strict: bool = False) -> Any:
    """`zip` of which some part is traced; parts of a Python sequence make it a Python list."""
    if not all(isinstance(p, Indexed | Tensor | range) for p in parts):
        return zip(*(_in_python(p) for p in parts), strict=strict)
    known = [part.as_they_are() for part in map(as_indexed, parts) if part is not None]
    length = known[0].length
    for k, part in enumerate(known[1:], start=2):
        if strict:
            _check_lengths(length, part.length, k)
        length = _smaller(length, part.length)
    return IndexedIterator("zip", length, lambda i: tuple(part.item(i) for part in known))


def _check_lengths(first: Any, other: Any, k: int) -> None:
    """Raise, now or when the graph runs, as `zip` does when argument `k` differs in length."""
    before = "argument 1" if k == 2 else f"arguments 1-{k - 1}"
    for word, differs in (("shorter", other < first), ("longer", other > first)):
        error = ValueError(f"zip() argument {k} is {word} than {before}")
        if is_open(differs):
            stage_raise(differs, error)
        elif differs:
            raise error


def _smaller(a: Any, b: Any) -> Any:
    if not is_open(a) and not is_open(b):
        return min(int(a), int(b))
    return ops.as_weak(ops.minimum(a, b), kind="int")


def _in_python(x: Any) -> Any:
    if isinstance(x, Indexed):
        return x.unrolled()
    if isinstance(x, Tensor):
        return iter(x)
    return x


def _one_by_one(x: IndexedIterator) -> Iterator[Any]:
    """Items that are taken when they are asked for: what is not remains there, as in Python."""
    while x.known_length():
        yield next(x)


def enumerated(x: Any, start: Any = 0) -> Any:
    """`enumerate` of something traced."""
    part = as_indexed(x)
    if part is None:
        return enumerate(x, start)
    part = part.as_they_are()
    return IndexedIterator("enumerate", part.length, lambda i: (start + i, part.item(i)))


def reversed_(x: Any) -> Any:
    """`reversed` of something traced."""
    part = as_indexed(x)
    assert part is not None
    part = part.as_they_are()
    return IndexedIterator("reversed", part.length, lambda i: part.item(part.length - 1 - i))


def mapped(call: Callable[..., Any], parts: tuple[Any, ...]) -> Any:
    """`map` over something traced."""
    together = zipped(parts)
    if not isinstance(together, Indexed):
        return itertools.starmap(call, together)
    together.begin()
    return IndexedIterator("map", together.length, lambda i: call(*together.item(i)))
