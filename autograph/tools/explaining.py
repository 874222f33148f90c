"""`explain`: what becomes of a function, line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.functions import convert
from autograph.tools.trace_facts import Explanation

__all__ = ["explain"]


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Explanation:
    """What is staged, unrolled, called by the host or left as it is, by line, and what is guarded.

    `args` and `kwargs` are arguments, or a `TensorSpec` in the place of an array: the function is
    traced for them, not called. Without any, all traces of a converted function are told. The last
    line of a trace says what is not native code, where something is not. Raises what tracing does.

    >>> import numpy as np
    >>> import autograph as ag
    >>> def clipped(x, rounds):
    ...     for _ in range(rounds):
    ...         if x.sum() > 1:
    ...             x = x / 2
    ...     return x
    >>> text = ag.explain(clipped, np.ones(3), 2)
    >>> print(*text.splitlines()[3:5], sep="\\n")
      line 2: the loop is unrolled: 2 rounds, and up to 16 are repeated
      line 3: `if` is staged: a branch of the graph
    """
    return convert(function).explain(*args, **kwargs)
