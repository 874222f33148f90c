"""Control flow as functions, for those who want to write the graph form by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.operators.conditionals import if_exp
from autograph.operators.logical import and_
from autograph.operators.loops import while_stmt

__all__ = ["cond", "while_loop"]


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """`true_fn()` if `pred` is true, else `false_fn()`; both give the same structure.

    Eagerly one of them is called; in a graph both are traced, and one runs.

    >>> import autograph as ag
    >>> ag.cond(ag.constant(2.0) > 1, lambda: "yes", lambda: "no")
    'yes'
    """
    return if_exp(pred, true_fn, false_fn, "pred")


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    maximum_iterations: int | None = None,
    **options: Any,
) -> Any:
    """Repeat `loop_vars = body(*loop_vars)` while `cond(*loop_vars)`; gives the last values.

    Dtypes and shapes may change from round to round as in converted code, so that TensorFlow's
    `shape_invariants` and `parallel_iterations` are taken and not needed.

    >>> import autograph as ag
    >>> ag.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (0, 0))
    (5, 10)
    """
    values = tuple(loop_vars)
    rounds: Any = 0

    def test() -> Any:
        if maximum_iterations is None:
            return cond(*values)
        return and_(lambda: rounds < maximum_iterations, lambda: cond(*values))

    def step() -> None:
        nonlocal values, rounds
        result = body(*values)
        values = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        rounds = rounds + 1

    def put(state: tuple[Any, ...]) -> None:
        nonlocal values, rounds
        values, rounds = state[:-1], state[-1]

    names = (*(f"loop_vars[{i}]" for i in range(len(values))), "rounds")
    while_stmt(test, step, lambda: (*values, rounds), put, names, dict(options))
    return list(values) if isinstance(loop_vars, list) else values
