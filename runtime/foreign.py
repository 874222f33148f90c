"""Operators of a traced value and an object that is no number of NumPy's.

An object may ask NumPy to leave the operator to it; else NumPy makes an array of the object, and
applies the operator to each element. A graph does the first, and refuses what it cannot do of the
second. Where no code of the user's can run, Python and NumPy say themselves what is wrong.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np

from runtime import ops
from runtime.errors import StagingError
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT

__all__ = ["Operator"]
_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
    "pow": "** or pow()", "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<",
    "rshift": ">>", "divmod": "divmod()",
}  # fmt: skip
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_COMPARED = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_NUMBERS = (bool, int, float, complex)
_ARRAY_LIKE = ("__array__", "__array_interface__", "__array_struct__", "__dlpack__", "__getitem__",
               "__buffer__", "__len__")  # fmt: skip


class Operator:
    """One operator: `x op other`; `other op x` where it is reflected; `x op= other` in place."""

    def __init__(self, name: str, *, reflected: bool = False, in_place: bool = False) -> None:
        self.name, self.reflected, self.in_place = name, reflected, in_place

    def apply(self, x: Any, other: Any) -> Any:
        """What it gives for a traced value and an object that is no number."""
        if _is_ours(other):
            return NotImplemented
        if isinstance(other, float) and not x.type.weak:
            raise self.refusal(x, other)
        if x.is_array and self.in_place and not _is_array_like(other) and not _with_ufunc(other):
            return self._said_by_numpy(x, other)  # which refuses to write objects into numbers
        if self._leaves_to(x, other):
            return NotImplemented
        if not x.type.weak and _of_class(other, "__array_ufunc__", 0) is None:
            return self._said_by_numpy(x, other)
        if not self._runs_code_of(other):
            return self._said_by_numpy(x, other)
        if x.is_array or _is_array_like(other) or _with_ufunc(other) or self.name == "matmul":
            raise self.refusal(x, other)
        if not x.type.weak:
            # NumPy hands on a scalar as the Python number.
            return self._plain(*self._ordered(ops.as_weak(x), other))
        return self._asked(x, other)

    def of_elements(self, x: Any, other: Any) -> Any:
        """What it gives for an eager array and an object: NumPy asks it for each element."""
        if _is_ours(other) or self._leaves_to(x, other):
            return NotImplemented
        found = self._plain(*self._ordered(x.numpy(), other))
        is_plain = isinstance(found, np.ndarray) and found.dtype != object
        return ops.asarray(found) if is_plain else found

    def is_overridden_by(self, other: Any) -> bool:
        """Whether the class of a Python number has an operator of its own: Python asks it first."""
        kinds = itertools.takewhile(lambda kind: kind not in _NUMBERS, type(other).__mro__)
        return any(name in vars(kind) for kind in kinds for name in self._methods())

    def is_unclear(self, x: Any, other: Any) -> bool:
        """Whether a comparison gives Python's bool or NumPy's by the side that `x` stands on.

        A `float` of a class of its own compares itself with a `numpy.float64`, which is a `float`.
        """
        if type(other) is float or not isinstance(other, float) or x.is_array:
            return False
        return self.name in _COMPARED and not x.type.weak and x.dtype == np.float64

    def _leaves_to(self, x: Any, other: Any) -> bool:
        """Whether NumPy leaves the operator to the other operand."""
        if x.type.weak or self.reflected:
            return False
        ufunc = _of_class(other, "__array_ufunc__", 0)
        if ufunc != 0:
            return ufunc is None
        lowest = 0.0 if x.is_array else -1000000.0
        return bool(getattr(other, "__array_priority__", -1000000.0) > lowest)

    def _runs_code_of(self, other: Any) -> bool:
        """Whether to find out what Python does would run code of the object's class."""
        kind = type(other)
        if not kind.__flags__ & MADE_BY_CLASS_STATEMENT or isinstance(other, type):
            return False
        names = self._methods()
        own = [_of_class(other, name) for name in names]
        inherited = [vars(object).get(name) for name in names]
        return own != inherited or _is_array_like(other) or _with_ufunc(other)

    def _methods(self) -> tuple[str, ...]:
        """The methods of the other operand that may be asked."""
        if self.name in _MIRRORED:
            return (f"__{self.name}__", f"__{_MIRRORED[self.name]}__")
        return (f"__{self.name}__", f"__r{self.name}__")

    def _said_by_numpy(self, x: Any, other: Any) -> Any:
        """What NumPy says of a value of that kind: an error, or the same for all elements."""
        sample = _sample(x)
        if sample is None:
            raise self.refusal(x, other)
        with np.errstate(all="ignore"):
            found: Any = self._plain(*self._ordered(sample, other))
        if self.name in ("eq", "ne") and isinstance(found, (bool, np.bool_)):
            return found
        if self.name in ("eq", "ne") and found.dtype == bool and np.ndim(other) == 0:
            return ops.full(x.shape, bool(found.flat[0]) if found.size else False, dtype=bool)
        raise self.refusal(x, other)

    def _asked(self, x: Any, other: Any) -> Any:
        """What the object's own method gives for a Python number: Python asks it last."""
        name = self._methods()[0 if self.reflected and self.name not in _MIRRORED else 1]
        is_there = not self.reflected and _of_class(other, name) is not None
        method = getattr(type(other), name) if is_there else None
        found = NotImplemented if method is None else method(other, x)
        if found is not NotImplemented:
            return found
        if isinstance(other, (Number, Decimal)):
            raise self.refusal(x, other)
        if self.name in ("eq", "ne"):
            return self.name == "ne"
        raise TypeError(self._unsupported(type(_number(x.dtype)).__name__, other))

    def _ordered(self, x: Any, other: Any) -> tuple[Any, Any]:
        return (other, x) if self.reflected else (x, other)

    @property
    def _plain(self) -> Callable[[Any, Any], Any]:
        if self.name == "divmod":
            return divmod
        name = self.name if self.name not in ("and", "or") else f"{self.name}_"
        return getattr(operator, f"i{self.name}" if self.in_place else name)  # type: ignore[no-any-return]

    def _unsupported(self, kind: str, other: Any) -> str:
        names = [kind, type(other).__name__]
        one, two = reversed(names) if self.reflected else names
        if self.name in _COMPARED:
            symbol = _COMPARED[self.name]
            return f"'{symbol}' not supported between instances of '{one}' and '{two}'"
        symbol = _SYMBOLS[self.name]
        if self.in_place:
            symbol = "**=" if self.name == "pow" else f"{symbol}="
        return f"unsupported operand type(s) for {symbol}: '{one}' and '{two}'"

    def refusal(self, x: Any, other: Any) -> StagingError:
        """The error for an operator that NumPy would apply to Python objects."""
        symbol = _COMPARED.get(self.name) or _SYMBOLS[self.name].split(" ")[0]
        kind = type(other).__name__
        article = "an" if kind[:1].lower() in "aeiou" else "a"
        return StagingError(
            f"`{symbol}` of {x.describe()} and {article} {kind}: NumPy applies the operator to "
            "Python objects, one by one, which a graph cannot do",
            "take the numbers out of the object, or mark the function that does this with "
            "@ag.do_not_convert",
        )


def _of_class(other: Any, name: str, missing: Any = None) -> Any:
    """What the class of an object has under a name: where Python looks for special methods."""
    return next((vars(k)[name] for k in type(other).__mro__ if name in vars(k)), missing)


def _is_ours(other: Any) -> bool:
    """Whether an object is a Variable, or another that knows traced values."""
    return any(k.__module__.partition(".")[0] in _OURS for k in type(other).__mro__)


_OURS = frozenset(("runtime", "autograph"))


def _is_array_like(other: Any) -> bool:
    return any(_of_class(other, name) is not None for name in _ARRAY_LIKE)


def _with_ufunc(other: Any) -> bool:
    return _of_class(other, "__array_ufunc__") is not None


def _number(dtype: Any) -> Any:
    return np.ones((), dtype).item()


def _sample(x: Any) -> Any:
    """A value of the kind that `x` stands for; None where it may as well have no elements."""
    type_ = x.type
    if type_.weak:
        return _number(type_.dtype)
    if not x.is_array:
        return type_.dtype.type(1)
    if type_.shape is None or None in type_.shape:
        return None
    return np.ones([min(n, 1) for n in type_.shape], type_.dtype)
