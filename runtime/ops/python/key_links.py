"""Links between rows that are the keys of a dict or set: a hash table beside their columns.

It is one of linear hashing, with as many buckets as there are rows, so that it grows as they do:
one more row makes one more bucket, which takes its part out of one older bucket. Each row has one
word. In its upper half is the first row of the bucket of that number, in its lower half the row
that follows this one in its own bucket; 1 more than the number of the row, and 0 for none.

A row that is taken out leaves its place to the last one, so that it takes constant time. Another
word of each row keeps their order: in its lower half is which row is the next one in order, in its
upper half which is the one before; both as differences from what they are where rows lie in order,
so that words of 0 say that they do. The first one in order is always in row 0, and in the place of
the one before it is the last one in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.dtypes import kind_of
from runtime.ops.declaration.declare import no_gradient, op
from runtime.ops.declaration.operands import Array, Module, type_of
from runtime.ops.elementwise.comparison import equal, logical_and
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.selection import where
from runtime.ops.numpy_compat.ufunc_at import on_host
from runtime.spec import TensorType, type_of_number

__all__ = ["HASH_OF_NAN", "HASH_START", "HASH_STEP", "NEAR", "exactly_as", "find_key", "link_all",
           "link_last", "order_last", "order_without", "rows_in_order", "unlink_row"]  # fmt: skip

# A hash is of the numbers of a key: equal ones of all types have the same.
HASH_START, HASH_STEP, HASH_OF_NAN = 0x243F6A8885A308D3, 0x9E3779B97F4A7C15, 0x7FF8000000000000
# A double holds all integers up to this one.
NEAR = 1 << 53
_LINK = np.dtype(np.int64)
_WORD = np.uint64
_HALF, _LOW, _SIGN = 32, (1 << 32) - 1, 1 << 31
_NONE = np.zeros(0, _LINK)
_KEYS = (np.array([3, 1, 20, 7, 5]), np.array([0.5, 1.0, -0.0, np.nan, 1e300]))


def _on_host(arrays: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """Arrays of the host, the first of them a new one."""
    first, *others = map(on_host, arrays)
    return [np.array(first), *map(np.asarray, others)]


def _linked(*columns: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The links of all rows."""
    links = np.zeros(len(columns[0]), _LINK)
    hashes = _hashes(columns, np.arange(len(links)))
    for row, bucket in enumerate(_buckets(hashes, len(links))):
        _put_first(links, int(bucket), row)
    return links


def _hashes(columns: Any, at: Any) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The hashes of some rows."""
    found = np.full(len(at), HASH_START, _WORD)
    for column in columns:
        found = (found ^ _bits(np.asarray(column)[at])) * _WORD(HASH_STEP)
        found ^= found >> _WORD(_HALF)
    return found


def _bits(x: np.ndarray[Any, Any]) -> Any:
    """64 bits that are the same for equal numbers, and for what a double rounds them to."""
    wide = x.astype(np.float64)
    is_near = np.abs(wide) <= NEAR
    whole = np.where(is_near, wide, 0.0).astype(_LINK)
    bits = np.where(np.isnan(wide), _WORD(HASH_OF_NAN), wide.view(_WORD))
    return np.where(is_near & (whole == wide), whole.view(_WORD), bits)


def _buckets(hashes: Any, count: int) -> Any:
    """The buckets of hashes, of so many."""
    mask = (1 << max(count - 1, 0).bit_length()) - 1
    found = hashes & _WORD(mask)
    return np.where(found >= count, found & _WORD(mask >> 1), found)


def _put_first(links: np.ndarray[Any, Any], bucket: int, row: int) -> None:
    """Make a row the first one of a bucket."""
    links[row] = (int(links[row]) >> _HALF << _HALF) | (int(links[bucket]) >> _HALF)
    links[bucket] = (row + 1 << _HALF) | (int(links[bucket]) & _LOW)


def _rows_of_bucket(links: Any, bucket: int) -> list[int]:
    found: list[int] = []
    following = int(links[bucket]) >> _HALF
    while following:
        found.append(following - 1)
        following = int(links[following - 1]) & _LOW
    return found


@op(
    inputs=None,
    infer=lambda *columns: TensorType(_LINK, columns[0].shape and columns[0].shape[:1]),
    vjp=no_gradient,
    samples=lambda: ((_KEYS, {}), (_KEYS[:1], {}), ((np.zeros(0),), {})),
)
def link_all(xp: Module, *columns: Array) -> Array:
    """The links of rows that are keys, each of the numbers that stand in it in the `columns`.

    The rows are different ones; nan is equal to nan. Raises nothing.

    >>> ag.link_all(np.array([3, 1, 20])).shape
    (3,)
    """
    return xp.asarray(_linked(*_on_host(columns)))


@op(
    inputs=None,
    infer=lambda links, *columns: links,
    vjp=no_gradient,
    samples=lambda: (
        ((np.append(_linked(*(x[:-1] for x in _KEYS)), 0), *_KEYS), {}),
        ((np.append(_linked(_KEYS[0][:2]), 0), _KEYS[0][:3]), {}),
        ((np.zeros(1, _LINK), np.array([True])), {}),
    ),
)
def link_last(xp: Module, links: Array, *keys: Array) -> Array:
    """`links`, whose last one is 0, with that of the last row: all others are linked already.

    Constant time on average natively. Raises nothing.

    >>> keys = np.array([3, 1])
    >>> ag.link_last(np.append(ag.link_all(keys[:1]), 0), keys).shape
    (2,)
    """
    made, *columns = _on_host((links, *keys))
    count = len(made)
    older = int(_buckets(np.array([count - 1], _WORD), count - 1)[0]) if count > 1 else 0
    rows = _rows_of_bucket(made, older) if count > 1 else []
    made[older] = int(made[older]) & _LOW
    buckets = _buckets(_hashes(columns, np.array([*rows, count - 1])), count)
    for row, bucket in zip([*rows, count - 1], buckets, strict=True):
        _put_first(made, int(bucket), row)
    return xp.asarray(made)


@op(
    inputs=None,
    infer=lambda links, row, hole, *columns: TensorType(_LINK, (_one_less(links.shape),)),
    vjp=no_gradient,
    samples=lambda: (
        ((_linked(*_KEYS), 2, 2, *_KEYS), {}),
        ((_linked(*_KEYS), 4, 4, *_KEYS), {}),
        ((_linked(_KEYS[0]), 0, 3, _KEYS[0]), {}),
        ((_linked(np.array([True])), 0, 0, np.array([True])), {}),
    ),
)
def unlink_row(xp: Module, links: Array, row: Array, hole: Array, *keys: Array) -> Array:
    """The links of the rows without one: row `hole` comes in its place, the last one in that.

    Row `hole` is the row itself, or any where row 0 is taken out. The columns of the `keys` have
    all rows. Constant time on average natively. Raises nothing.

    >>> keys = np.array([3, 1, 20])
    >>> ag.unlink_row(ag.link_all(keys), 1, 1, keys).shape
    (2,)
    """
    made, *columns = _on_host((links, *keys))
    last, gone, free = len(made) - 1, int(row), int(hole)
    buckets = _buckets(_hashes(columns, np.array([gone, free, last])), len(made)).tolist()
    _redirect(made, buckets[0], gone + 1, int(made[gone]) & _LOW)
    for bucket, old, new in ((buckets[1], free, gone), (buckets[2], last, free)):
        if old != new:
            _redirect(made, bucket, old + 1, new + 1)
            made[new] = (int(made[new]) >> _HALF << _HALF) | (int(made[old]) & _LOW)
    if last:
        older = int(_buckets(np.array([last], _WORD), last)[0])
        _redirect(made, older, 0, int(made[last]) >> _HALF)
    return xp.asarray(made[:last])


def _redirect(links: np.ndarray[Any, Any], bucket: int, sought: int, new: int) -> None:
    """Put `new` where a bucket, or a row in it, leads to `sought`."""
    following = int(links[bucket]) >> _HALF
    if following == sought:
        links[bucket] = (new << _HALF) | (int(links[bucket]) & _LOW)
        return
    while (behind := int(links[following - 1]) & _LOW) != sought:
        following = behind
    links[following - 1] = (int(links[following - 1]) >> _HALF << _HALF) | new


def _one_less(shape: Any) -> Any:
    return None if shape is None or shape[0] is None else shape[0] - 1


class _Order:
    """Words that keep an order: what is before and behind each row, and which is the last one."""

    def __init__(self, words: Any, count: int) -> None:
        self.words = np.array(on_host(words))
        self.last = count - 1 + self._half(0, True) if count else -1

    def _half(self, row: int, is_upper: bool) -> int:
        word = int(self.words[row])
        return word >> _HALF if is_upper else ((word & _LOW) ^ _SIGN) - _SIGN

    def next(self, row: int) -> int:
        """The row behind one that is not the last one."""
        return row + 1 + self._half(row, False)

    def before(self, row: int) -> int:
        """The row before one that is not the first one."""
        return row - 1 + self._half(row, True)

    def set_next(self, row: int, new: int) -> None:
        self.words[row] = (int(self.words[row]) >> _HALF << _HALF) | (new - row - 1 & _LOW)

    def set_before(self, row: int, new: int) -> None:
        self.words[row] = (new - row + 1 << _HALF) | (int(self.words[row]) & _LOW)

    def of_rows(self, count: int) -> np.ndarray[Any, Any]:
        """The words of so many rows."""
        if count:
            self.words[0] = (self.last - count + 1 << _HALF) | (int(self.words[0]) & _LOW)
        return self.words[:count]


@op(
    inputs=None,
    infer=lambda order: order,
    vjp=no_gradient,
    samples=lambda: tuple([((np.zeros(n, _LINK),), {}) for n in (1, 2, 4)]),
)
def order_last(xp: Module, order: Array) -> Array:
    """`order`, whose last word is 0, with that of the last row: it is behind all others in order.

    Constant time natively. Raises nothing.

    >>> ag.order_last(np.array([0, 0])).numpy()
    array([0, 0])
    """
    last = len(order) - 1
    made = _Order(order, last)
    if last:
        made.set_next(made.last, last)
        made.set_before(last, made.last)
    made.last = last
    return xp.asarray(made.of_rows(last + 1))


@op(
    inputs=None,
    infer=lambda order, row, hole: TensorType(_LINK, (_one_less(order.shape),)),
    vjp=no_gradient,
    samples=lambda: tuple(
        [
            ((np.zeros(n, _LINK), *rows), {})
            for n, *rows in ((1, 0, 0), (2, 0, 1), (2, 1, 1), (5, 0, 1), (5, 2, 2), (5, 4, 4))
        ]
    ),
)
def order_without(xp: Module, order: Array, row: Array, hole: Array) -> Array:
    """The order without a row: row `hole` comes in its place, and the last one in that.

    It is the row itself, or the one behind the first one in order where that is taken out.
    Constant time natively. Raises nothing.

    >>> ag.rows_in_order(ag.order_without(np.zeros(4, int), 1, 1)).numpy()
    array([0, 2, 1])
    """
    made, gone, free = _Order(order, len(order)), int(row), int(hole)
    end = len(order) - 1
    if gone != free:  # the second one is the first one now
        if free == made.last:
            made.last = 0
        else:
            made.set_next(0, made.next(free))
            made.set_before(made.next(free), 0)
    elif gone == made.last:
        made.last = made.before(gone) if end else 0
    else:
        behind, before = made.next(gone), made.before(gone)
        made.set_next(before, behind)
        made.set_before(behind, before)
    if end != free:
        before = made.before(end)
        made.set_next(before, free)
        made.set_before(free, before)
        if end == made.last:
            made.last = free
        else:
            made.set_next(free, made.next(end))
            made.set_before(made.next(end), free)
    return xp.asarray(made.of_rows(end))


@op(
    inputs=None,
    infer=lambda order: TensorType(_LINK, order.shape),
    vjp=no_gradient,
    samples=lambda: tuple([((np.zeros(n, _LINK),), {}) for n in (0, 1, 4)]),
)
def rows_in_order(xp: Module, order: Array) -> Array:
    """The numbers of all rows, in their order. Raises nothing.

    >>> ag.rows_in_order(np.zeros(3, int)).numpy()
    array([0, 1, 2])
    """
    words = _Order(order, len(order))
    found = [0] * len(order)
    for k in range(1, len(order)):
        found[k] = words.next(found[k - 1])
    return xp.asarray(np.array(found, _LINK))


@op(
    inputs=None,
    infer=lambda links, *numbers, hashed=None: type_of_number(0).strong(),
    vjp=no_gradient,
    samples=lambda: (
        ((_linked(*_KEYS), *_KEYS, 20, 0.0), {}),
        ((_linked(*_KEYS), *_KEYS, 7, np.nan), {}),
        ((_linked(*_KEYS), *_KEYS, 7, 1.0), {}),
        ((_linked(_KEYS[0]), _KEYS[0], 5), {}),
        ((_NONE, _KEYS[0][:0], 5), {}),
        ((_linked(_KEYS[0]), *_KEYS, 20, 0.0), {"hashed": 1}),
    ),
)
def find_key(xp: Module, links: Array, *numbers: Array, hashed: int | None = None) -> Array:
    """The row that has a key, -1 where none has; `numbers` are the columns, and those of the key.

    Each number is of the type of its column. The links are of the first `hashed` columns, else of
    all. Constant time on average natively; nan is equal to
    nan. Raises nothing.

    >>> keys = np.array([3, 1, 20])
    >>> ag.find_key(ag.link_all(keys), keys, 20).item()
    2
    """
    half = len(numbers) // 2
    is_it = xp.ones(len(links), bool)
    for column, number in zip(numbers[:half], numbers[half:], strict=True):
        is_it &= (column == number) | ((column != column) & (number != number))
    return xp.asarray(xp.argmax(is_it) if xp.any(is_it) else -1, _LINK)[()]


def exactly_as(number: Any, dtype: np.dtype[Any]) -> tuple[Any, Any] | None:
    """A number in another dtype, and whether it is equal to it; None where only the run can tell.

    >>> [int(x) for x in exactly_as(np.float64(2.5), np.dtype(np.int64))]
    [2, 0]
    """
    own = type_of(number).dtype
    if own == dtype:
        return number, True
    kinds = kind_of(own) + kind_of(dtype)
    if kinds in ("fi", "fu"):  # it is an integer exactly, or none: a column of floats would round
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        is_within = logical_and(number >= float(least), number < float(most) + 1)
        made = astype(where(is_within, number, 0.0), dtype)
        return made, equal(astype(made, own), number)
    if kinds[0] not in "biu" or kinds[1] not in "biuf":
        return None
    made = astype(number, dtype)
    return made, equal(astype(made, own), number)
