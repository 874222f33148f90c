"""Built-in functions that do not take what a traced value stands for: Python's own TypeError.

`round` takes no array, `len` no number, `math.gcd` no `bool` of NumPy's. That depends on classes
alone, so Python is asked: the function is called with other values of the same classes.
"""

from __future__ import annotations

import math
import operator
import warnings
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from autograph.operators.captured.variables import Nullable
from autograph.operators.values.numbers_or_arrays import python_types_of, refuse_number_or_array
from autograph.operators.values.templates import python_type_of, stands_for_other
from runtime.tensor import Tensor

__all__ = ["check_operands"]

_OF_BUILTINS = (
    abs, all, any, complex, divmod, enumerate, float, int, iter, len, list, max, min, pow, reversed,
    round, sorted, sum, tuple,
)  # fmt: skip
_OF_OPERATOR = (
    "abs", "add", "and_", "concat", "floordiv", "ge", "gt", "index", "inv", "invert", "le",
    "lshift", "lt", "matmul", "mod", "mul", "neg", "or_", "pos", "pow", "rshift", "sub", "truediv",
    "xor",
)  # fmt: skip
_CHECKED = frozenset(
    (
        *_OF_BUILTINS,
        *(getattr(operator, name) for name in _OF_OPERATOR),
        *(f for f in vars(math).values() if isinstance(f, BuiltinFunctionType)),
    )
)
_PLAIN = frozenset((bool, int, float, complex, str, bytes, type(None)))


class _OtherError(Exception):
    """A value that no other of its class can stand for."""


def check_operands(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise the TypeError of Python where a function does not take values of these classes."""
    if not isinstance(function, BuiltinFunctionType | type) or function not in _CHECKED:
        return
    if function is round and args:
        _check_rounded(args[0])
    if kwargs:
        return
    if not any(map(_has_tensor, args)):
        return
    try:
        others = [_other(x) for x in args]
    except _OtherError:
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            function(*others)
        except TypeError as error:
            raise error.with_traceback(None) from None
        except Exception:  # noqa: BLE001 - about the values, which are others
            return


def _check_rounded(x: Any) -> None:
    """Raise the TypeError of Python for an array of whatever size, which None has, too."""
    x = x.value if type(x) is Nullable else x
    if isinstance(x, Tensor) and stands_for_other(x):
        refuse_number_or_array(x, "it is rounded, which arrays cannot be")
        if np.ndarray in python_types_of(x):
            raise TypeError("type numpy.ndarray doesn't define __round__ method")


def _has_tensor(x: Any) -> bool:
    return any(map(_has_tensor, x)) if type(x) in (list, tuple) else isinstance(x, Tensor)


def _other(x: Any) -> Any:
    """A value of the class of what `x` stands for, or `x` itself."""
    kind = type(x)
    if kind in (list, tuple):
        return kind(map(_other, x))
    if kind in _PLAIN or isinstance(x, np.generic):
        return x
    if not isinstance(x, Tensor) or not stands_for_other(x):
        raise _OtherError
    shape = x.type.shape
    if shape is None or None in shape or len(shape) > 1:
        raise _OtherError
    own: Any = python_type_of(x)
    if own is not np.ndarray:
        return own(1)
    return np.ones([min(n, 2) for n in shape if n is not None], x.dtype)
