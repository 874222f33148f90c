"""Windows that slide over arrays: how many there are, and which elements they cover.

Arrays have shape `(batch, *sizes, channels)`. Along an axis of size n, window o covers the elements
`o * stride + t * dilation - before` for t = 0 ... size - 1, where `before` is the padding there.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

from runtime.spec import Dim

__all__ = ["Padding", "Windows", "normal_padding", "per_axis", "window_counts"]

# "valid", "same", or (before, after) for each axis.
Padding: TypeAlias = Literal["valid", "same"] | tuple[tuple[int, int], ...]


def per_axis(name: str, value: Any, rank: int, least: int = 1) -> tuple[int, ...]:
    """An int per axis, from one for all or a sequence of them.

    Raises TypeError for what is no int, ValueError for a wrong number of them or one too small.

    >>> per_axis("strides", 2, 3)
    (2, 2, 2)
    """
    values = value if isinstance(value, (tuple, list)) else (value,) * rank
    try:
        result = tuple(operator.index(v) for v in values)
    except TypeError:
        raise TypeError(f"{name} must be an int or {rank} ints, not {value!r}") from None
    if len(result) != rank:
        raise ValueError(f"{name} must be an int or {rank} ints, one per axis, not {value!r}")
    if any(v < least for v in result):
        raise ValueError(f"{name} must be at least {least}, not {value!r}")
    return result


def normal_padding(padding: Any, rank: int) -> Padding:
    """Padding in the form that attributes have.

    `padding` is "valid", "same" (in any case), an int, or for each axis an int or a pair of them
    (before, after). Raises ValueError for anything else.

    >>> normal_padding("SAME", 2), normal_padding([1, (0, 2)], 2)
    ('same', ((1, 1), (0, 2)))
    """
    if isinstance(padding, str):
        name = padding.lower()
        if name not in ("valid", "same"):
            raise ValueError(f"padding must be 'valid', 'same' or numbers, not {padding!r}")
        return "same" if name == "same" else "valid"
    sides = list(padding) if isinstance(padding, (tuple, list)) else [padding] * rank
    if len(sides) != rank:
        raise ValueError(f"padding must be given for {rank} axes, not as {padding!r}")
    before, after = zip(*(_pair(side, padding) for side in sides), strict=True)
    starts, ends = per_axis("padding", before, rank, 0), per_axis("padding", after, rank, 0)
    return tuple(zip(starts, ends, strict=True))


def _pair(side: Any, padding: Any) -> tuple[Any, Any]:
    if not isinstance(side, (tuple, list)):
        return side, side
    if len(side) != 2:
        raise ValueError(f"padding of an axis must be a number or two of them, not {padding!r}")
    return side[0], side[1]


def window_counts(
    shape: Sequence[Dim],
    size: Sequence[Dim],
    strides: tuple[int, ...],
    padding: Padding,
    dilations: tuple[int, ...],
) -> tuple[Dim, ...]:
    """Number of windows along each axis, None where it is not known.

    Raises ValueError when a window is longer than the padded axis.

    >>> window_counts((7, None), (3, 3), (2, 2), "same", (1, 1))
    (4, None)
    """
    rows = zip(shape, size, strides, _sides(padding, len(shape)), dilations, strict=True)
    return tuple(
        None if n is None or k is None else _count(n, k, stride, side, dilation, axis)
        for axis, (n, k, stride, side, dilation) in enumerate(rows)
    )


def _sides(padding: Padding, rank: int) -> tuple[Any, ...]:
    return (padding,) * rank if isinstance(padding, str) else padding


def _count(n: int, size: int, stride: int, padding: Any, dilation: int, axis: int) -> int:
    if padding == "same":
        return -(-n // stride)
    before, after = (0, 0) if padding == "valid" else padding
    length, extent = n + before + after, (size - 1) * dilation + 1
    if length < extent:
        padded = "" if not before + after else f", {length} with its padding"
        dilated = "" if dilation == 1 else f" (size {size}, dilation {dilation})"
        raise ValueError(
            f"a window of length {extent}{dilated} does not fit into spatial axis {axis}, "
            f"which has size {n}{padded}"
        )
    return (length - extent) // stride + 1


def _before(n: int, size: int, stride: int, padding: Any, dilation: int, count: int) -> int:
    """Padding before the first element; what "same" cannot part in halves goes to the end."""
    if padding == "same":
        return int(max((count - 1) * stride + (size - 1) * dilation + 1 - n, 0) // 2)
    return 0 if padding == "valid" else int(padding[0])


class Windows(NamedTuple):
    """The windows over arrays whose spatial axes have the sizes `shape`."""

    shape: tuple[int, ...]
    size: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    counts: tuple[int, ...]
    before: tuple[int, ...]

    @classmethod
    def over(
        cls,
        shape: Sequence[int],
        size: Sequence[int],
        strides: tuple[int, ...],
        padding: Padding,
        dilations: tuple[int, ...],
    ) -> Windows:
        """The windows that the attributes of an op describe; raises as `window_counts`."""
        counts: Any = window_counts(shape, size, strides, padding, dilations)
        sides = _sides(padding, len(shape))
        before = tuple(
            _before(*one)
            for one in zip(shape, size, strides, sides, dilations, counts, strict=True)
        )
        return cls(tuple(shape), tuple(size), strides, dilations, counts, before)

    @property
    def needed(self) -> tuple[int, ...]:
        """Length of each axis, padded, from the first element of a window to the last of one."""
        return tuple(
            max((c - 1) * s + (k - 1) * d + 1, 0)
            for c, s, k, d in zip(self.counts, self.strides, self.size, self.dilations, strict=True)
        )

    def taps(self) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...]]]:
        """For each position within a window: the windows in which it meets an element, and these.

        Both are indexes of all axes but the last, the second one in steps of the stride.
        """
        axes = [[self.along(axis, t) for t in range(size)] for axis, size in enumerate(self.size)]
        for chosen in product(*axes):
            outer, inner = zip(*chosen, strict=True)
            yield (slice(None), *outer), (slice(None), *inner)

    def along(self, axis: int, t: int) -> tuple[slice, slice]:
        """On one axis: the windows whose element number t exists, and these elements."""
        n, stride = self.shape[axis], self.strides[axis]
        shift = t * self.dilations[axis] - self.before[axis]
        first = max(-(shift // stride), 0)
        last = min((n - 1 - shift) // stride + 1, self.counts[axis])
        last = max(last, first)
        start = first * stride + shift
        stop = start + (last - first - 1) * stride + 1 if last > first else start
        return slice(first, last), slice(start, stop, stride)
