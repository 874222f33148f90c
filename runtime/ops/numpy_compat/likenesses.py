"""What NumPy says of a call, asked with arrays that are like the arguments.

Whether a result fits into `out=`, and by which rule numbers are cast, each function of NumPy
decides in its own way, with words of its own. So it is called with other numbers of the same dtypes
and shapes; a graph asks once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from runtime.ops.declaration.operands import content, is_array, is_tensor, type_of
from runtime.spec import WEAK_DTYPES

__all__ = ["check_options", "fits_exactly", "raise_as_numpy"]


# Above this many elements only the numbers of axes are like those of the arguments.
_LARGE = 2**22


def check_options(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *names: str
) -> None:
    """Raise what NumPy raises for the keywords `names`, and not for the call without them."""
    like = _Like((*args, *kwargs.values()))
    given = tuple(map(like, args))
    others = {name: like(x) for name, x in kwargs.items() if name not in names}
    asked = {name: like(kwargs[name]) for name in names if name in kwargs}
    with np.errstate(all="ignore"):
        try:
            function(*given, **others, **asked)
        except Exception as error:  # noqa: BLE001 - NumPy's, which goes on
            try:
                function(*given, **others)
            except Exception:  # noqa: BLE001 - of these numbers, whatever is asked for
                return
            raise error.with_traceback(None) from None


def raise_as_numpy(
    error: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> NoReturn:
    """Raise what NumPy raises for arguments of such dtypes and shapes; else `error`, our own."""
    told = _error_of_numpy(function, args, kwargs)
    # What is wrong with other numbers need not be wrong with these.
    if told is None or any(isinstance(told, k) and not isinstance(error, k) for k in _OF_NUMBERS):
        raise error
    raise told from None


_OF_NUMBERS = (IndexError, ArithmeticError, np.linalg.LinAlgError)


def _error_of_numpy(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Exception | None:
    like = _Like((*args, *kwargs.values()))
    if like.is_open or any(map(callable, (*args, *kwargs.values()))):
        return None
    try:
        with np.errstate(all="ignore"):
            function(*map(like, args), **{name: like(x) for name, x in kwargs.items()})
    except Exception as error:  # noqa: BLE001 - NumPy's, to be raised
        return error.with_traceback(None)
    return None


def fits_exactly(result: Any, out: Any) -> bool:
    """Whether a result has the dtype and the shape of the array that it is to be written into."""
    out = out[0] if isinstance(out, tuple) else out
    found = type_of(result)
    return bool(
        (found.dtype, found.shape) == (out.dtype, _shape(out))
        and found.shape is not None
        and None not in found.shape
    )


class _Like:
    """Gives for an argument one of its type; where a size is not known, all axes have one item."""

    def __init__(self, given: tuple[Any, ...]) -> None:
        self.is_open = False
        self.is_open = any(map(self._is_large, given))

    def _is_large(self, x: Any) -> bool:
        if type(x) in (tuple, list):
            return any(map(self._is_large, x))
        shape = _shape(x)
        return shape is None or None in shape or math.prod(shape) > _LARGE

    def __call__(self, x: Any) -> Any:
        if type(x) in (tuple, list):
            return type(x)(map(self, x))
        if isinstance(x, np.ndarray):
            if x.dtype.kind == "b" and not self.is_open:
                return x.copy()  # a mask, of which it matters how much it chooses
            return self._numbers(x.shape, x.dtype)
        x = content(x)
        if not is_tensor(x):
            return x
        type_ = type_of(x)
        if x.is_known and (type_.rank == 0 or (type_.dtype.kind == "b" and not self.is_open)):
            known = np.array(x)
            return known if is_array(x) else known[()]
        if type_.weak:
            return _NUMBERS[type_.dtype.kind]
        found = self._numbers(type_.shape or (), type_.dtype)
        return found if is_array(x) else found[()]

    def _numbers(self, shape: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """Zeros where they may be positions, else ones."""
        make = np.zeros if dtype.kind in "iu" else np.ones
        return make((1,) * len(shape) if self.is_open else shape, dtype)


def _shape(x: Any) -> Any:
    """Sizes of axes, of which a graph may not know some; none of what is no array."""
    x = content(x)
    if is_tensor(x):
        return type_of(x).shape
    return x.shape if isinstance(x, np.ndarray) else ()


_NUMBERS = {dtype.kind: kind(dtype.kind != "i") for kind, dtype in WEAK_DTYPES.items()}
