"""`py_call`: a call of plain Python with a result that a graph can compute with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NoReturn

from autograph.operators.captured.captures import current_trace
from autograph.operators.results.host_calls import call_host, title_of
from autograph.operators.results.host_results import types_of
from autograph.operators.results.host_runs import Declared, conform
from runtime import trace
from runtime.autodiff import custom_gradient
from runtime.autodiff.sweep import NoGradientError
from runtime.building import building
from runtime.errors import StagingError, located
from runtime.ops.declaration.operands import type_of
from runtime.origins import origin_of_caller
from runtime.spec import TensorSpec
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["py_call"]


def py_call(
    function: Callable[..., Any],
    /,
    *args: Any,
    result: Any = None,
    gradient: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> Any:
    """`function(*args, **kwargs)` in plain Python, with NumPy arrays, each time the graph runs.

    `result` is what the function gives: an `ag.TensorSpec` (None in its shape for sizes that are
    not known), a type of numbers such as `float`, or a nest of these. Arrays and numbers of other
    dtypes or shapes raise TypeError at the user's line. Without `result`, what the function gives
    can be stored, given back, passed on and printed, but not computed with.

    `gradient(cotangents..., *args)` gives the cotangents of `args`, in plain Python; without it no
    gradient flows through the call, and asking for one raises `NoGradientError`.

    >>> import numpy as np
    >>> import autograph as ag
    >>> @ag.convert
    ... def centred(x):
    ...     middle = ag.py_call(np.median, x, result=ag.TensorSpec([], "float64"))
    ...     return x - middle
    >>> centred(np.array([1.0, 2.0, 6.0]))
    array([-1.,  0.,  4.])
    """
    declared = None if result is None else types_of(result)
    if declared is None and gradient is not None:
        raise TypeError("`py_call` with a `gradient` needs `result`: a nest of ag.TensorSpec")
    if gradient is None and not (trace.tapes() and building() is None):
        return _call(function, args, kwargs, declared)
    rule = gradient or _no_gradient(function)

    @custom_gradient
    def differentiable(*args: Any) -> tuple[Any, Callable[..., Any]]:
        def pull_back(*cotangents: Any) -> Any:
            given = types_of(tuple(map(_like, args)))
            return _call(_as_tuple, (rule, len(args), *cotangents, *args), {}, given)

        return _call(function, args, kwargs, declared), pull_back

    return differentiable(*args)


def _no_gradient(function: Any) -> Callable[..., NoReturn]:
    origin = origin_of_caller()

    def refuse(*args: Any) -> NoReturn:
        raise NoGradientError(
            located(
                origin,
                f"`{title_of(function)}` is plain Python, and a gradient is asked through it",
                "give `py_call` a `gradient`, or cut the path with `stop_gradient`",
            )
        )

    return refuse


def _as_tuple(rule: Callable[..., Any], count: int, *args: Any) -> tuple[Any, ...]:
    found = rule(*args)
    return (found,) if count == 1 and not isinstance(found, tuple) else tuple(found)


def _like(x: Any) -> TensorSpec:
    type_ = type_of(x)
    return TensorSpec(type_.shape, type_.dtype)


def _call(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    declared: Declared | None,
) -> Any:
    if building() is None:
        return _now(function, args, kwargs, declared)
    if current_trace() is None:
        raise StagingError(
            f"`{title_of(function)}` is called by `py_call` in a graph that is not of a converted "
            "function",
            "call it in a function that is converted with `ag.convert`",
            origin=origin_of_caller(),
        )
    why = "`py_call` asks for that"
    return call_host(function, args, kwargs, declared, as_arrays=True, why=why)


def _now(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    declared: Declared | None,
) -> Any:
    args, kwargs = tree.map_structure(_as_array, (args, kwargs))
    # What plain Python does with variables is on no tape, as in a graph.
    with trace.listening(replace=True) if trace.tapes() else nullcontext():
        found = function(*args, **kwargs)
    if declared is None:
        return found
    leaves, structure = tree.flatten(found)

    def refuse(what: str) -> NoReturn:
        what = f"`{title_of(function)}` {what} that was declared as its result"
        raise TypeError(located(origin_of_caller(), what))

    if structure != declared.structure:
        refuse(f"gave a {type(found).__name__}, which is not the structure")
    pairs = zip(leaves, declared.types, strict=True)
    return tree.unflatten(structure, [conform(x, type_, refuse) for x, type_ in pairs])


def _as_array(x: Any) -> Any:
    return x.numpy() if isinstance(x, Tensor) else x
