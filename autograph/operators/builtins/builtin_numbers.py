"""Python's built-in functions that give numbers of numbers, and letters of them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.branches.chosen_text import is_chosen, of_each
from autograph.operators.branches.conditionals import condition, weak_truth
from autograph.operators.branches.text_calls import by_letters
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.methods import method
from autograph.operators.containers import growing
from autograph.operators.expressions.operands import plain
from autograph.operators.values.iterables import is_open
from autograph.operators.values.letters import letter_of, number_of_letter
from autograph.operators.values.printing import format_
from autograph.operators.values.runs import has_runs
from autograph.operators.values.templates import LazyString, class_name_of, python_type_of, shown
from runtime import ops
from runtime.building import building
from runtime.errors import StagingError
from runtime.ops.python.python_math import math_power_modulo
from runtime.origins import origin_of_caller
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["check_is_index", "chr_", "digits", "divmod_", "index_", "number_of_kind", "ord_",
           "pow_", "single", "weak_int"]  # fmt: skip

# The methods by which an object gives a number, the first that it has.
_CONVERSIONS = {
    "int": ("__int__", "__index__"),
    "float": ("__float__", "__index__"),
    "complex": ("__complex__", "__float__", "__index__"),
}


def _own_number(x: Any, kind: str) -> Any:
    """What an object of the user's gives for a number; `x` itself where it gives none."""
    if current_trace() is None or isinstance(x, (Tensor, Variable)):
        return x
    if kind == "bool":
        return condition(x) if type(x).__flags__ & MADE_BY_CLASS_STATEMENT else x
    found = ((name, method(x, name)) for name in _CONVERSIONS[kind])
    name, own = next((pair for pair in found if pair[1] is not None), ("", None))
    if own is None:
        return x
    number = own()
    if is_open(number) and not _is_number_of(name, number):
        what = f"{name} returned non-{name.strip('_')} (type {class_name_of(number)})"
        raise TypeError(f"{type(x).__name__}.{what}" if name == "__float__" else what)
    return number


def _is_number_of(name: str, x: Tensor) -> bool:
    """Whether that method may give it: NumPy's `float64` is a `float`, too."""
    if x.type.weak:
        return x.dtype.kind in _KINDS[name]
    return x.type.rank == 0 and not x.is_array and x.dtype.type is _WITH_NUMPYS.get(name)


_WITH_NUMPYS = {"__float__": np.float64, "__complex__": np.complex128}
# Kinds of the Python numbers that these may give.
_KINDS = {"__int__": "ib", "__index__": "ib", "__float__": "f", "__complex__": "c"}


def number_of_kind(kind: str, python: Callable[..., Any]) -> Callable[..., Any]:
    """`int`, `float`, `bool` or `complex`."""

    def convert(*args: Any, **kwargs: Any) -> Any:
        if kind in ("int", "float") and args and isinstance(args[0], LazyString):
            return by_letters(kind, *args)
        if kind == "complex" and any(isinstance(x, LazyString) for x in args):
            raise StagingError(
                "a text that is known only when the graph runs is read as a number by `complex`",
                "use the number itself; `round(x, 2)` rounds one",
                origin=origin_of_caller(),
            )
        if len(args) == 1 and not kwargs:
            args = (_own_number(args[0], kind),)
            if kind == "bool" and (has_runs(args[0]) or isinstance(args[0], (dict, set))):
                return weak_truth(args[0])
        if len(args) == 1 and not kwargs and is_open(plain(args[0])):
            x = condition(args[0]) if kind == "bool" else plain(args[0])
            if x.type.rank != 0:
                x = single(x)
            if kind in ("int", "float") and x.dtype.kind == "c" and not x.type.weak:
                x = ops.real(x)  # with a warning, in NumPy
            return ops.as_weak(x, kind=kind)
        if kind == "complex" and len(args) == 2 and any(map(is_open, map(plain, args))):
            return _complex_of(*map(plain, args))
        return python(*map(shown, map(plain, args)), **kwargs)

    convert.__name__ = kind
    return convert


def _complex_of(x: Any, y: Any) -> Any:
    """`complex(x, y)`: `x + y * 1j`, where either may be complex itself."""
    (a, b), (c, d) = ((ops.real(n), ops.imag(n)) for n in (x, y))
    real, imaginary = map(_as_float, (a, c))
    if _dtype_of(y).kind == "c":
        real = real - _as_float(d)
    if _dtype_of(x).kind == "c":
        imaginary = _as_float(b) + imaginary
    return ops.as_weak(ops.make_complex(real, imaginary), kind="complex")


def _as_float(x: Any) -> Any:
    return ops.astype(x, np.dtype(np.float64)) if isinstance(x, Tensor) else np.float64(x)


def _dtype_of(x: Any) -> np.dtype[Any]:
    return x.dtype if isinstance(x, Tensor) else np.asarray(x).dtype


_ONES_ARE_REFUSED = np.lib.NumpyVersion(np.__version__) >= "2.4.0"


def single(x: Tensor) -> Any:
    """The only element of a tensor.

    Raises TypeError for an array with axes, as NumPy does; before 2.4 it takes those of size 1.
    """
    shape = x.type.shape
    if shape is not None and any(_ONES_ARE_REFUSED or n not in (1, None) for n in shape):
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return ops.reshape(x, ())


def check_is_index(x: Tensor) -> None:
    """Raise what Python does where `x` is no integer: a `bool` of Python's is one, not NumPy's."""
    is_integer = x.dtype.kind in ("iub" if x.type.weak else "iu")
    if x.type.rank not in (0, None) or (x.is_array and not is_integer):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    if not is_integer:
        kind = python_type_of(x).__name__
        shown_ = kind if x.type.weak else f"numpy.{kind}"
        raise TypeError(f"'{shown_}' object cannot be interpreted as an integer")


def weak_int(x: Any) -> Any:
    """An integer as Python's own: NumPy's would wrap around where Python's grow."""
    if isinstance(x, Tensor) and is_open(x):
        return ops.as_weak(x, kind="int")
    return int(operator.index(shown(x)))


def index_(x: Any) -> Any:
    """`operator.index(x)`."""
    x = plain(x)
    if not is_open(x):
        return operator.index(shown(x))
    check_is_index(x)
    return weak_int(x)


def pow_(base: Any, exponent: Any, modulus: Any = None) -> Any:
    """`pow`; with a modulus, of Python integers."""
    operands = tuple(map(plain, (base, exponent, modulus)))
    if modulus is None or not any(map(is_open, operands)):
        return pow(*map(shown, operands))
    for x in operands:
        if not (is_open(x) and x.type.weak and x.dtype.kind in "bi") and not isinstance(x, int):
            raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    return math_power_modulo(*operands)


def divmod_(x: Any, y: Any) -> Any:
    """`divmod`: for Python's floats that are divided by zero it has an error of its own."""
    x, y = plain(x), plain(y)
    kinds = [n.dtype.kind if is_open(n) and n.type.weak else type(n).__name__[0] for n in (x, y)]
    if any(map(is_open, (x, y))) and set(kinds) <= set("bif") and "f" in kinds:
        growing.raise_if(ops.equal(y, 0) if is_open(y) else y == 0, _float_divmod())
    return divmod(x, y)


def _float_divmod() -> ZeroDivisionError:
    """Python's own error, whose text differs between versions."""
    try:
        divmod(1.0, 0.0)
    except ZeroDivisionError as error:
        return error.with_traceback(None)
    raise AssertionError("divmod(1.0, 0.0) did not raise")


def digits(python: Callable[[Any], str], spec: str) -> Callable[[Any], Any]:
    """`bin`, `oct` or `hex`, which write an integer as a format does."""

    def written(x: Any) -> Any:
        x = plain(x)
        if not is_open(x):
            return python(shown(x))
        check_is_index(x)
        return format_(x, spec)

    written.__name__ = python.__name__
    return written


def chr_(x: Any) -> Any:
    x = plain(x)
    if not is_open(x):
        return chr(shown(x))
    check_is_index(x)
    return letter_of(x)


def ord_(x: Any) -> Any:
    if is_chosen(x):
        return of_each(x, ord)
    is_late = isinstance(x, LazyString) and building() is not None
    return number_of_letter(x) if is_late else ord(x)
