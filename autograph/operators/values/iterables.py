"""What a staged `for` can go over: things with a length and an item per index, both traceable."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterator
from enum import EnumMeta
from typing import Any

import numpy as np

from autograph.operators.captured.methods import attribute
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.iterators import spend, taken
from runtime import journal, ops
from runtime.building import building
from runtime.errors import LimitValueError, StagingError
from runtime.tensor import Tensor

__all__ = ["InTurn", "Indexed", "IndexedIterator", "as_position", "enumerated", "from_end",
           "is_open", "iterator_over", "mapped", "numbers_left", "of_rows", "positions",
           "reversed_", "start_and_step", "with_indices", "with_members", "zipped"]  # fmt: skip


class Indexed:
    """`length` items, the one at `index` given by `item`; iterates in Python when it is short.

    Of what may get more or fewer items meanwhile, `length` is a function that counts them;
    `is_checked` says whether that raises where there are more or fewer than before.
    """

    __slots__ = ("_item", "_length", "is_checked", "name")

    def __init__(self, name: str, length: Any, item: Callable[[Any], Any]) -> None:
        self.name, self._length, self._item, self.is_checked = name, length, item, False

    @property
    def length(self) -> Any:
        """The number of items, as it is now."""
        return self._length() if callable(self._length) else self._length

    def item(self, index: Any) -> Any:
        """Item number `index`, which is in range."""
        return self._item(index)

    def as_they_are(self, user: str) -> Indexed:
        """These items, for `user`, which cannot go on where there are more or fewer of them."""
        return self

    def after(self, count: int) -> Indexed:
        """All items but the first ones."""
        rest = Indexed(self.name, _less(self._length, count), lambda i: self.item(i + count))
        rest.is_checked = self.is_checked
        return rest

    def known_length(self) -> int | None:
        """The length, if it is known while tracing."""
        length = self.length
        if isinstance(length, Tensor):
            return length.item() if length.is_known else None
        return int(length)

    def begin(self) -> None:
        """Note that the items are gone through now: from the first to the last, any time."""

    def unrolled(self) -> Iterator[Any]:
        """The items one after the other; the length must be known."""
        length = self.known_length()
        if length is None:  # no item was taken: another way may begin
            raise StagingError(
                f"`{self.name}` is gone through in a place that cannot be staged, and its length "
                "is known only when the graph runs",
                "use a `for` statement",
            )
        self.begin()
        return InTurn(self)

    def __iter__(self) -> Iterator[Any]:
        return self.unrolled()

    def __len__(self) -> int:
        length = self.known_length()
        if length is None:
            raise StagingError(
                f"len() of `{self.name}` outside converted code", "its length is a tensor"
            )
        return length


class InTurn(Iterator[Any]):
    """Items of a known number, each read when it is its turn: by then it may be another one."""

    __slots__ = ("_items", "_next")

    def __init__(self, items: Indexed) -> None:
        self._items, self._next = items, 0

    def __len__(self) -> int:
        count = self._items.known_length()
        if count is None:
            raise StagingError(
                f"`{self._items.name}` is gone through item by item, and data decides in a round "
                "how many items there are",
                "go through a copy of it",
            )
        return max(count - self._next, 0)

    def __next__(self) -> Any:
        if not len(self):
            raise StopIteration
        self._next += 1
        return self._items.item(self._next - 1)

    def ahead(self, k: int) -> Any:
        """The item that is `k` places ahead, which is not taken."""
        return self._items.item(self._next + k)


def has_open_length(x: Any) -> bool:
    """Whether only the graph knows how many items an array, or what goes through some, has."""
    if isinstance(x, Tensor):
        shape = x.type.shape
        return shape is None or (shape != () and shape[0] is None)
    return isinstance(x, Indexed) and x.known_length() is None


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
        items, self._length = Indexed(self.name, self._length, self._item), 0
        return items

    def copy(self) -> IndexedIterator:
        """Another one, over the items that are left."""
        made: IndexedIterator = journal.fresh(type(self)(self.name, self._length, self._item))
        return made

    def go_on_at(self, items: Indexed, turn: Any) -> None:
        """From now on, have those of these items that are left, as `turn.taken` counts."""
        self._length = lambda: items.length - turn.taken
        self._item = lambda index: items.item(turn.taken + index)

    def unrolled(self) -> Iterator[Any]:
        """The items one after the other: those that nobody asks for remain, as in Python."""
        if self.known_length() is None:
            return super().unrolled()
        taken(self)
        return _one_by_one(self)

    def __next__(self) -> Any:
        length = self.known_length()
        if length is None:
            stage_raise(ops.equal(self.length, 0), StopIteration())
        elif length == 0:
            self._length = 0  # whatever is added later
            raise StopIteration
        item_at, before = _split(self._item, _behind)
        self._length = _less(self._length, 1)
        self._item = functools.partial(_behind, item_at, before + 1)
        return item_at(before)

    def __len__(self) -> int:
        raise TypeError(f"object of type '{self.name}' has no len()")

    def __bool__(self) -> bool:
        return True  # as all of Python's iterators are


def iterator_over(x: Indexed) -> IndexedIterator:
    """An iterator over these items, which finds those that are there when it is their turn."""
    return IndexedIterator(x.name, x._length, x.item)


def _behind(item_at: Callable[[Any], Any], count: int, index: Any) -> Any:
    """An item behind others: found of the first ones in one step, however many were taken."""
    return item_at(index + count)


def _less(length: Any, count: int) -> Any:
    if not callable(length):
        return length - count
    counted, before = _split(length, _fewer)
    return functools.partial(_fewer, counted, before + count)


def _fewer(counted: Callable[[], Any], count: int) -> Any:
    """How many items are left of those that are counted: in one step, however many were taken."""
    return counted() - count


def _split(part: Any, step: Callable[..., Any]) -> Any:
    """Of what such a step gives: what it is about, and the count; of all else, itself and 0."""
    return part.args if getattr(part, "func", None) is step else (part, 0)


def with_members(x: Any, method: str) -> Any:
    """Of an enum its members, in the place of the generator that `method` makes; others as is."""
    is_enum = isinstance(x, EnumMeta) and attribute(type(x), method) is vars(EnumMeta)[method]
    return tuple(x) if is_enum else x


def is_open(x: Any) -> bool:
    """Whether `x` is a tensor that is known only when the graph runs."""
    return isinstance(x, Tensor) and not x.is_known


def as_position(index: Any) -> Any:
    """An index of what is no array: a small dtype may not hold a length that is added to it."""
    if not isinstance(index, Tensor) or index.dtype.kind not in "iu" or index.dtype.itemsize == 8:
        return index
    return ops.astype(index, np.int64)


def from_end(index: Any, length: Any) -> Any:
    """An index that may count from the end, as one from the start."""
    index = as_position(index)
    return ops.where(index < 0, index + length, index)


def of_rows(x: Tensor) -> Indexed:
    """The rows of an array, views of it."""
    if x.type.shape == ():
        raise x.is_no("'{}' object is not iterable", "iteration over a 0-d array")
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


def numbers_left(iterator: Any) -> Indexed | None:
    """What an `itertools.count` of ints goes on to give, as far as a graph counts; else None."""
    start, step = start_and_step(iterator)
    if step == 0:
        return None
    return as_indexed(range(start, _LARGEST if step > 0 else -_LARGEST, step))


def start_and_step(iterator: Any) -> tuple[int, int]:
    """What an `itertools.count` of ints gives next, and by how much more then; else a step of 0."""
    if type(iterator) is not itertools.count:
        return 0, 0
    # It says where it is in its text only, once it cannot be pickled any more.
    found = _COUNT.fullmatch(repr(iterator))
    return (0, 0) if found is None else (int(found[1]), int(found[2] or 1))


_COUNT = re.compile(r"count\((-?\d+)(?:, (-?\d+))?\)")
# Far below the largest int of a graph, and more than anyone counts to.
_LARGEST = 2**62


def zipped(parts: tuple[Any, ...], strict: bool = False) -> Any:
    """`zip` of which some part is traced; parts of a Python sequence make it a Python list."""
    is_indexed = all(isinstance(p, Indexed | Tensor | range) for p in parts)
    if not is_indexed or (not strict and _takes_one_more(parts)):
        return zip(*parts, strict=strict)
    known = [part for part in map(as_indexed, parts) if part is not None]
    if not strict:
        _refuse_one_more(known)
        return IndexedIterator("zip", _shortest(known), lambda i: tuple(p.item(i) for p in known))
    known = [part.as_they_are("zip(strict=True)") for part in known]
    _refuse_one_more(known, strict=True)
    lengths = [part.length for part in known]
    shortest = functools.reduce(_smaller, lengths)
    if not any(map(is_open, lengths)) and len(set(map(int, lengths))) == 1:
        return IndexedIterator("zip", shortest, lambda i: tuple(part.item(i) for part in known))

    def row(index: Any) -> tuple[Any, ...]:
        _check_lengths(lengths, shortest, index)
        return tuple(part.item(index) for part in known)

    # The round after the last one is that in which Python finds out.
    uneven = functools.reduce(operator.or_, (length != lengths[0] for length in lengths[1:]))
    more = ops.as_weak(uneven, kind="int") if is_open(uneven) else int(uneven)
    return IndexedIterator("zip", shortest + more, row)


def _takes_one_more(parts: tuple[Any, ...]) -> bool:
    """Whether an iterator gives `zip` an item when one that stands after it has ended already."""
    lengths = list(map(_known_length, parts))
    if None in lengths:
        return False
    ended = lengths.index(min(lengths))
    return any(isinstance(part, IndexedIterator) for part in parts[:ended])


def _refuse_one_more(parts: list[Indexed], *, strict: bool = False) -> None:
    """Raise, when the graph runs, where `zip` takes an item more whose making can be seen."""
    lengths = [part.length for part in parts]
    if not any(map(is_open, lengths)):
        return
    for k, part in enumerate(parts, 1):
        if isinstance(part, IndexedIterator) and (strict or k < len(parts)) and _is_seen(part):
            before, after = ([lengths[k - 1]], lengths) if strict else (lengths[:k], lengths[k:])
            takes_one_more = functools.reduce(_smaller, before) > functools.reduce(_smaller, after)
            _raise_where(takes_one_more, _ONE_MORE, LimitValueError)


_ONE_MORE = (
    "an iterator gives `zip` or `map` an item when one that stands after it has ended already, and "
    "what it prints, draws or changes for that would be missing: put the shorter one before it"
)


def _is_seen(part: Indexed) -> bool:
    """Whether an item is missed that nobody looks at: making it prints, draws or changes things."""
    builder = building()
    if builder is None:
        return False
    mark, root = builder.mark(), builder.root
    attempts, root.attempts = root.attempts, []  # a `try` is told nothing of what is forgotten
    try:
        with journal.transaction() as asked:
            part.item(0)
            found = builder.graph.nodes[mark.now(builder.graph.nodes) :]
            inner = (graph.walk() for node in found for graph in node.graphs)
            effects = {node.op.effect for node in itertools.chain(found, *inner)}
            return bool(asked.slots) or not effects <= {None, "raise", "read"}
    except Exception:  # noqa: BLE001 - the user's own, raised where the items are taken
        return False
    finally:
        root.attempts = attempts
        builder.truncate(mark)


def _known_length(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x.type.shape[0] if x.type.shape else None
    return x.known_length() if isinstance(x, Indexed) else len(x)


def _shortest(parts: list[Indexed]) -> Any:
    """How many items there are of each; counted anew each time, if some may get others."""

    def count() -> Any:
        return functools.reduce(_smaller, [part.length for part in parts])

    return count if any(callable(part._length) for part in parts) else count()


def _check_lengths(lengths: list[Any], shortest: Any, index: Any) -> None:
    """Raise, now or when the graph runs, as `zip` does when an argument ends before another."""
    all_go_on = all_end = index == shortest
    for k, length in enumerate(lengths):
        before = "argument 1" if k == 1 else f"arguments 1-{k}"
        goes_on = length > shortest
        ends = ops.logical_not(goes_on) if is_open(goes_on) else not goes_on
        if k:
            _raise_where(all_go_on & ends, f"zip() argument {k + 1} is shorter than {before}")
            _raise_where(all_end & goes_on, f"zip() argument {k + 1} is longer than {before}")
        all_go_on, all_end = all_go_on & goes_on, all_end & ends


def _raise_where(test: Any, text: str, kind: type[ValueError] = ValueError) -> None:
    if is_open(test):
        stage_raise(test, kind(text))
    elif test:
        raise kind(text)


def _smaller(a: Any, b: Any) -> Any:
    if not is_open(a) and not is_open(b):
        return min(int(a), int(b))
    return ops.as_weak(ops.minimum(a, b), kind="int")


def _one_by_one(x: IndexedIterator) -> Iterator[Any]:
    """Items that are taken when they are asked for: what is not remains there, as in Python."""
    end = object()
    while (item := next(x, end)) is not end:
        yield item


def positions(
    name: str, sizes: list[Any], change: Callable[[Any], Any] = lambda at: at
) -> IndexedIterator:
    """The indices of the elements of an array of these sizes, changed, in the order of rows."""

    def item(number: Any) -> Any:
        indices: list[Any] = []
        for size in reversed(sizes):
            indices.insert(0, number % size)
            number = number // size
        return change(tuple(indices))

    return IndexedIterator(name, math.prod(sizes), item)


def with_indices(x: Tensor) -> IndexedIterator:
    """What `np.ndenumerate(x)` goes through: the indices of each element, and the element."""
    return positions("ndenumerate", [*x.shape], lambda at: (at, x[at]))


def enumerated(x: Any, start: Any = 0) -> Any:
    """`enumerate` of something traced."""
    part = as_indexed(x)
    if part is None:
        return zip(map(start.__add__, itertools.count()), x, strict=False)
    return IndexedIterator("enumerate", part._length, lambda i: (start + i, part.item(i)))


def reversed_(x: Any) -> Any:
    """`reversed` of something traced."""
    part = as_indexed(x)
    assert part is not None
    part = part.as_they_are("reversed")
    return IndexedIterator("reversed", part.length, lambda i: part.item(part.length - 1 - i))


def mapped(call: Callable[..., Any], parts: tuple[Any, ...]) -> Any:
    """`map` over something traced."""
    together = journal.fresh(zipped(parts))
    if not isinstance(together, Indexed):
        return itertools.starmap(call, together)
    together.begin()
    return IndexedIterator("map", together._length, lambda i: call(*together.item(i)))
