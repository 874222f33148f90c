"""Checks that hold in eager code and in graphs: `autograph.debugging`.

>>> import autograph as ag
>>> ag.debugging.check_numerics(1.5)
1.5
"""

from __future__ import annotations

from typing import Any

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.catching.exceptions import assert_stmt
from autograph.operators.values.printing import trace_print
from runtime import config, ops

__all__ = [
    "assert_",
    "assert_equal",
    "check_numerics",
    "disable_check_numerics",
    "enable_check_numerics",
    "trace",
]


def assert_(condition: Any, data: Any = (), message: Any = None) -> None:
    """Raise AssertionError unless `condition` is true; in a graph, when it runs.

    >>> import autograph as ag
    >>> @ag.convert
    ... def root(x):
    ...     ag.debugging.assert_(x >= 0, message="x is negative")
    ...     return x**0.5
    >>> root(4.0)
    2.0
    >>> root(-4.0)
    Traceback (most recent call last):
    AssertionError: x is negative
    """
    assert_stmt(condition, None if message is None and not data else lambda: message or data)


def assert_equal(x: Any, y: Any, message: Any = None) -> None:
    """Raise AssertionError unless `x` and `y` are equal in each element.

    Shapes and other Python values are compared at once, at no cost in the graph.

    >>> import numpy as np
    >>> import autograph as ag
    >>> x = np.ones((2, 3))
    >>> ag.debugging.assert_equal(x.shape, (2, 3))
    >>> ag.debugging.assert_equal(x, 2 * x, message="x has changed")
    Traceback (most recent call last):
    AssertionError: x has changed
    """
    equal = x == y
    if not isinstance(equal, bool):
        equal = ops.all(equal)
    assert_stmt(equal, lambda: message or f"{x!r} is not equal to {y!r}")


def trace(*args: Any) -> None:
    """Print while tracing, not when the graph runs: what is known then of each argument.

    >>> import autograph as ag
    >>> @ag.convert
    ... def double(x):
    ...     ag.debugging.trace("traced for", x.shape)
    ...     return x * 2
    >>> import numpy as np
    >>> double(np.ones(2)); double(np.zeros(2))
    traced for (2,)
    array([2., 2.])
    array([0., 0.])
    """
    trace_print(" ".join(map(str, args)))


def check_numerics(x: Any, message: str = "") -> Any:
    """`x`; raises FloatingPointError where it has a nan or an infinity.

    >>> import numpy as np
    >>> import autograph as ag
    >>> ag.debugging.check_numerics(np.array([1.0, np.nan]), "loss")
    Traceback (most recent call last):
    FloatingPointError: loss: nan or infinity
    """

    def fail() -> Any:
        raise FloatingPointError(f"{message}: nan or infinity".removeprefix(": "))

    return if_exp(ops.all(ops.isfinite(x)), lambda: x, fail, "all(isfinite(x))")


def enable_check_numerics() -> None:
    """From now on raise FloatingPointError at the operation that makes the first nan or infinity.

    That is one whose operands have none. It holds for operations on tensors, and for the graphs of
    functions that are first called from then on, which run node by node, slowly. Plain NumPy has
    `np.errstate` for it. `AUTOGRAPH_CHECK_NUMERICS=1` does so for the process.

    >>> import numpy as np
    >>> import autograph as ag
    >>> ag.debugging.enable_check_numerics()
    >>> with np.errstate(divide="ignore"):
    ...     ag.log(ag.constant(0.0))
    Traceback (most recent call last):
    FloatingPointError: `log` gave a nan or infinity, of operands without any
    >>> ag.debugging.disable_check_numerics()
    """
    config.check_numerics.set(True)


def disable_check_numerics() -> None:
    """No longer do what `enable_check_numerics` asked for.

    >>> import numpy as np
    >>> import autograph as ag
    >>> ag.debugging.disable_check_numerics()
    >>> with np.errstate(divide="ignore"):
    ...     ag.log(ag.constant(0.0)).item()
    -inf
    """
    config.check_numerics.set(False)


Assert = assert_
