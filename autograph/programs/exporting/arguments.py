"""What exported programs check and convert: the source of these functions stands in their files."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "Variable",
    "apart",
    "array_argument",
    "constant_argument",
    "number_argument",
    "parts_of",
]


class Variable:
    """An array that calls of the program read, and may replace; assign to `.array` to change it."""

    def __init__(self, array: Any) -> None:
        self.array = array


def array_argument(
    x: Any,
    name: str,
    dtype: str,
    shape: tuple[int | None, ...] | None,
    converts: bool,
    least: int,
) -> Any:
    """An argument as an array or scalar of that dtype and shape; TypeError where it is no such."""
    given = np.asarray(x)
    is_plain = converts and not isinstance(x, (np.ndarray, np.generic))
    if is_plain and np.can_cast(given.dtype, dtype, "same_kind"):
        given = given.astype(dtype)
    fits = given.dtype == dtype and (shape is None or len(shape) == given.ndim)
    for wanted, size in zip(shape or (), given.shape, strict=False):
        fits = fits and (size >= least if wanted is None else size == wanted)
    if not fits:
        sizes = "..." if shape is None else ", ".join("?" if n is None else str(n) for n in shape)
        raise TypeError(f"`{name}` is to be {dtype}[{sizes}], not {given.dtype}{list(given.shape)}")
    return given if given.ndim else given[()]


def number_argument(x: Any, name: str, kind: type) -> Any:
    """An argument that is a number of Python's; TypeError where it is none of that class."""
    if type(x) is not kind:
        raise TypeError(f"`{name}` is to be of {kind.__name__}, not of {type(x).__name__}")
    return x


def constant_argument(x: Any, name: str, value: Any) -> None:
    """Check an argument that the program was made for one value of."""
    if type(x) is not type(value) or x != value:
        raise TypeError(f"`{name}` is to be {value!r}, as the program was made for, not {x!r}")


def parts_of(x: Any, name: str, kind: Any, keys: tuple[Any, ...]) -> list[Any]:
    """What is in a tuple, list, dict or object; TypeError where it has other parts."""
    if kind is object and all(hasattr(x, key) for key in keys):
        return [getattr(x, key) for key in keys]
    if isinstance(x, kind) and kind is dict and tuple(x) == keys:
        return list(x.values())
    if isinstance(x, kind) and kind in (tuple, list) and len(x) == len(keys):
        return list(x)
    raise TypeError(f"`{name}` is to be a {kind.__name__} with the parts {keys}, not {x!r}")


def apart(x: Any, name: str, others: list[Any], is_contiguous: bool) -> None:
    """Check an array that the program writes into: nothing else may look into its memory."""
    if not x.flags.writeable:
        raise ValueError("assignment destination is read-only")
    if is_contiguous and not x.flags.c_contiguous:
        raise ValueError(f"`{name}` is to be contiguous in memory; pass a copy of it")
    for other in others:
        if isinstance(other, np.ndarray) and np.may_share_memory(x, other):
            raise ValueError(f"`{name}` is written and shares memory with another argument")
