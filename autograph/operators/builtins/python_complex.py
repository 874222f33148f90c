"""Functions of Python's `cmath` on what is known only at run time."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from autograph.operators.builtins.builtin_numbers import single
from autograph.operators.builtins.python_math import fixed_tolerances, to_float
from runtime import ops
from runtime.ops.python.python_complex import CMATH, cmath_isclose
from runtime.tensor import Tensor

__all__ = ["call_cmath"]


def call_cmath(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of `cmath`: Python numbers, or the exception that `cmath` raises, at run time."""
    own = _OWN[function.__name__]
    try:
        inspect.signature(own).bind(*args, **kwargs)
    except TypeError:
        function(*[1] * len(args), **dict.fromkeys(kwargs, 1))  # raises the TypeError of Python
        raise
    return own(*args, **kwargs)


def _to_complex(x: Any) -> Any:
    """A complex number, as the functions of `cmath` make one of what they are given."""
    if not isinstance(x, Tensor):
        if isinstance(x, str):
            raise TypeError("must be real number, not str")
        return complex(x)
    number = single(x)
    if number.dtype.kind != "c":
        number = ops.make_complex(ops.as_weak(number, kind="float"), 0.0)
    return ops.as_weak(number, kind="complex")


def _of_one(name: str) -> Callable[[Any], Any]:
    def function(z: Any, /) -> Any:
        return CMATH[name](_to_complex(z))

    return function


def _log(z: Any, base: Any = None, /) -> Any:
    if base is None:
        return CMATH["log"](_to_complex(z))
    return CMATH["log_base"](_to_complex(z), _to_complex(base))


def _polar(z: Any, /) -> tuple[Any, Any]:
    number = _to_complex(z)
    return CMATH["polar_0"](number), CMATH["polar_1"](number)


def _rect(r: Any, phi: Any, /) -> Any:
    return CMATH["rect"](to_float(r), to_float(phi))


def _isclose(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:
    tolerances = fixed_tolerances("cmath", rel_tol, abs_tol)
    return cmath_isclose(_to_complex(a), _to_complex(b), **tolerances)


_OWN: dict[str, Callable[..., Any]] = {
    **{name: _of_one(name) for name in CMATH if "_" not in name},
    "log": _log, "polar": _polar, "rect": _rect, "isclose": _isclose,
}  # fmt: skip
