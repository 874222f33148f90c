"""Hints in the user's code that the conversion takes out again: `autograph.directives`.

>>> import autograph as ag
>>> ag.directives.set_loop_options(maximum_iterations=3)  # outside of converted code: nothing
"""

from __future__ import annotations

from typing import Any

__all__ = ["set_element_type", "set_loop_options"]


def set_loop_options(
    *,
    maximum_iterations: int | None = None,
    unroll: bool | None = None,
    stage: bool | None = None,
    shape_invariants: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool | None = None,
    gradient: str | None = None,
) -> None:
    """Options of the loop in whose body this is the first statement.

    `maximum_iterations` ends a staged loop after so many rounds; `unroll=True` keeps a Python loop
    unrolled. The others are TensorFlow's: they are taken, and not needed. Outside converted code
    this does nothing.

    >>> import autograph as ag
    >>> @ag.convert
    ... def f(x):
    ...     n = 0
    ...     while x > 0:
    ...         ag.directives.set_loop_options(maximum_iterations=3)
    ...         n += 1
    ...     return n
    >>> f(1.0)
    3
    """


def set_element_type(entity: Any, dtype: Any, shape: Any = None) -> None:
    """Type of the elements of a list: TensorFlow's hint, taken and not needed.

    >>> import autograph as ag
    >>> @ag.convert
    ... def f(x):
    ...     xs = []
    ...     ag.directives.set_element_type(xs, ag.float64)
    ...     xs.append(x)
    ...     return xs
    >>> f(1.0)
    [1.0]
    """
