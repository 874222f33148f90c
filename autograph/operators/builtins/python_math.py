"""Functions of Python's `math`, and methods of its numbers, on what is known only at run time."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.operators.builtins.builtin_numbers import single
from autograph.operators.builtins.reductions import reduced
from autograph.operators.expressions import access
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.templates import has_traced, python_type_of
from runtime import ops
from runtime.building import constant
from runtime.errors import StagingError
from runtime.ops.python.python_math import MATH, math_dist, math_fsum, math_isclose
from runtime.tensor import Tensor

__all__ = ["call_math", "fixed_tolerances", "to_float"]

_DOUBLE = np.dtype(np.float64)
_OF_INTEGERS = frozenset(("isqrt", "factorial", "gcd", "lcm", "comb", "perm"))


def call_math(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of `math`: a Python number, or the exception that `math` raises, at run time."""
    name = function.__name__
    own = _OWN.get(name)
    if own is not None:
        return own(*args, **kwargs)
    op = MATH.get(name)
    if op is None or kwargs:
        raise StagingError(
            f"`math.{name}` has no form for what is known only when the graph runs",
            "use the function of `autograph` or NumPy that does it, or compute it outside of the "
            "converted function",
        )
    if len(args) != op.inputs:
        function(*[1] * len(args))  # raises the TypeError of Python
        raise TypeError(f"math.{name} takes {op.inputs} arguments ({len(args)} given)")
    to_number = _integer if name in _OF_INTEGERS else to_float
    return op(*map(to_number, args))


def to_float(x: Any) -> Any:
    """A float, as the functions of `math` make one of what they are given."""
    if not isinstance(x, Tensor):
        return math.ldexp(x, 0)  # as `float(x)`, but of no text
    if x.dtype.kind == "c" and not x.is_array and not x.type.weak:
        x = ops.real(x)  # with a warning, in NumPy
    if x.dtype.kind == "c":
        raise TypeError(f"must be real number, not {python_type_of(x).__name__}")
    return ops.as_weak(single(x), kind="float")


def _integer(x: Any) -> Any:
    if not isinstance(x, Tensor):
        return operator.index(x)
    if x.dtype.kind not in "iub":
        kind = python_type_of(x)
        title = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        raise TypeError(f"'{title}' object cannot be interpreted as an integer")
    return ops.as_weak(single(x), kind="int")


# ---- of numbers --------------------------------------------------------------------------------


def _rounding(name: str) -> Callable[[Any], Any]:
    def rounded(x: Any) -> Any:
        is_integer = isinstance(x, Tensor) and x.dtype.kind in "iub"
        return _integer(x) if is_integer else MATH[name](to_float(x))

    return rounded


def _trunc(x: Any) -> Any:
    kind = python_type_of(x) if isinstance(x, Tensor) else float
    if issubclass(kind, np.generic | np.ndarray) and not hasattr(kind, "__trunc__"):
        raise TypeError(f"type numpy.{kind.__name__} doesn't define __trunc__ method")
    return _rounding("trunc")(x)


def _log(x: Any, base: Any = None) -> Any:
    return (
        MATH["log"](to_float(x)) if base is None else MATH["log_base"](to_float(x), to_float(base))
    )


def _hypot(*xs: Any) -> Any:
    if len(xs) == 2:
        return MATH["hypot"](*map(to_float, xs))
    return math_dist(_vector(xs), np.zeros(len(xs)))


def _folded(name: str) -> Callable[..., Any]:
    def fold(*xs: Any) -> Any:
        return functools.reduce(MATH[name], map(_integer, xs), 0 if name == "gcd" else 1)

    return fold


def _perm(n: Any, k: Any = None) -> Any:
    return MATH["factorial"](_integer(n)) if k is None else MATH["perm"](_integer(n), _integer(k))


def _isclose(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:
    return math_isclose(to_float(a), to_float(b), **fixed_tolerances("math", rel_tol, abs_tol))


def fixed_tolerances(module: str, rel_tol: Any, abs_tol: Any) -> dict[str, float]:
    """The tolerances of `isclose`, which must be known."""
    if has_traced((rel_tol, abs_tol)):
        raise StagingError(
            f"a tolerance of `{module}.isclose` is known only when the graph runs",
            "give it as a Python float",
        )
    return {"rel_tol": float(rel_tol), "abs_tol": float(abs_tol)}


def _in_two(name: str) -> Callable[[Any], Any]:
    def parts(x: Any) -> tuple[Any, Any]:
        number = to_float(x)
        return MATH[f"{name}_0"](number), MATH[f"{name}_1"](number)

    return parts


def _ldexp(x: Any, i: Any) -> Any:
    return MATH["ldexp"](to_float(x), _integer(i))


# ---- of sequences ------------------------------------------------------------------------------


def _vector(x: Any) -> Any:
    """A sequence of numbers as an array of float64, `(n,)`."""
    if isinstance(x, Tensor):
        return ops.astype(x, _DOUBLE)
    items: Sequence[Any] = list(access.iterate(x))
    return ops.stack([ops.astype(_as_tensor(item), _DOUBLE) for item in items])


def _as_tensor(item: Any) -> Any:
    return item if isinstance(item, Tensor) else constant(float(item), _DOUBLE)


def _fsum(x: Any) -> Any:
    return math_fsum(_vector(x))


def _dist(p: Any, q: Any) -> Any:
    return math_dist(_vector(p), _vector(q))


def _prod(x: Any, *, start: Any = 1) -> Any:
    if isinstance(x, (Tensor, Indexed)):
        return reduced(x, start, operator.mul)
    return functools.reduce(operator.mul, access.iterate(x), start)


_OWN: dict[str, Callable[..., Any]] = {
    "floor": _rounding("floor"), "ceil": _rounding("ceil"), "trunc": _trunc,
    "log": _log, "hypot": _hypot, "gcd": _folded("gcd"), "lcm": _folded("lcm"), "perm": _perm,
    "isclose": _isclose, "modf": _in_two("modf"), "frexp": _in_two("frexp"), "ldexp": _ldexp,
    "fsum": _fsum, "dist": _dist, "prod": _prod,
}  # fmt: skip
