"""`custom_gradient`: a function with a gradient rule of the user's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

from runtime import trace
from runtime.autodiff.cotangents import conform, is_differentiable, raw_zero, type_of_any
from runtime.autodiff.derived import Derived
from runtime.autodiff.sweep import CustomRecord, key_of
from runtime.autodiff.tape import GradientTape, watching
from runtime.building import Builder, body, building, traced
from runtime.dtypes import kind_of
from runtime.eager import raw
from runtime.graph.ir import Graph, Op, Value
from runtime.spec import Type
from runtime.structure import tree
from runtime.tensor import Tensor
from runtime.variable import Variable

P = ParamSpec("P")
R = TypeVar("R")

__all__ = ["CUSTOM_GRADIENT", "custom_gradient", "recompute_grad"]


def _results(
    xp: Any, *operands: Any, results: int, targets: tuple[int, ...], graphs: Sequence[Any]
) -> tuple[Any, ...]:
    return operands[:results]


def _result_types(*types: Type, results: int, targets: tuple[int, ...]) -> tuple[Type, ...]:
    return types[:results]


# Operands: the results, then what the backward graph takes after the results' cotangents. That
# graph gives the cotangents of the operands at `targets`.
CUSTOM_GRADIENT = Op(
    "custom_gradient",
    _results,
    _result_types,
    doc="Values whose gradient is computed by a graph of the user's.",
)


class _Accessed(GradientTape):
    """A tape that keeps no records: it finds out which trainable variables are read."""

    def record(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        """Note variables among the inputs."""
        if op.effect == "read" or "node" in attrs:
            self.tracked(map(key_of, inputs))

    def tracked(self, operands: Iterable[Any]) -> list[bool]:
        """Note variables among the operands of a call; no record is wanted of it."""
        return [False for _ in super().tracked(operands)]


def custom_gradient(f: Callable[P, tuple[R, Callable[..., Any]]]) -> Callable[P, R]:
    """Decorate a function that returns (result, gradient function) to use that gradient.

    The gradient function takes a cotangent per result and gives one per argument (a single one for
    one argument); `self`, text and other objects among them need none. If trainable variables are
    read, it must take `variables=` and return a pair: cotangents of the arguments, and a list of
    those of the variables.

    >>> import autograph as ag
    >>> @ag.custom_gradient
    ... def clip(x):
    ...     return x, lambda dy: ag.clip(dy, -1.0, 1.0)
    >>> ag.grad(lambda x: clip(x) * 5.0)(2.0)
    1.0
    """

    def decorated(*args: P.args, **kwargs: P.kwargs) -> R:
        with _Accessed() as accessed:
            result, gradient = f(*args, **kwargs)
        variables = list(accessed.watched_variables())
        given = tree.leaves(args)
        sources = [*filter(_is_numeric, given), *variables]
        rule = _Rule(gradient, list(map(_is_numeric, given)), variables)
        parts, structure = tree.flatten(result)
        builder = building()
        if builder is None:
            parts = _eager(parts, sources, rule)
        else:
            parts = _staged(builder, parts, sources, rule)
        whole: R = tree.unflatten(structure, parts)
        return whole

    return Derived(decorated, custom_gradient, f)


def _is_numeric(x: Any) -> bool:
    """Whether an argument is a number or an array: `self`, text and other objects are none."""
    if isinstance(x, (Tensor, Variable, bool, int, float, complex)):
        return True
    dtype = getattr(x, "dtype", None)
    return isinstance(dtype, np.dtype) and kind_of(dtype) in "biufc"


class _Rule:
    """The user's gradient function, as one from all cotangents to those of numbers and arrays.

    `numeric` says which arguments are such; for others it may give something or not.
    """

    def __init__(
        self, function: Callable[..., Any], numeric: list[bool], variables: list[Variable]
    ) -> None:
        self.function, self.numeric, self.variables = function, numeric, variables
        if variables and "variables" not in inspect.signature(function).parameters:
            raise TypeError(
                "the function reads trainable variables, so its gradient function must take "
                "`variables=` and return (gradients of arguments, gradients of variables)"
            )

    def __call__(self, gs: Sequence[Any]) -> list[Any]:
        """A cotangent, or None, for each number or array and each variable."""
        if not self.variables:
            found = tree.leaves(self.function(*gs))
            of_variables: list[Any] = []
        else:
            of_arguments, of_variables = self.function(*gs, variables=self.variables)
            found = tree.leaves(of_arguments)
        count = sum(self.numeric)
        if len(found) == len(self.numeric):
            found = [g for g, is_numeric in zip(found, self.numeric, strict=True) if is_numeric]
        if count == 0 and all(g is None for g in found):
            found = []
        if len(found) != count or len(of_variables) != len(self.variables):
            raise ValueError(
                f"the gradient function gives {len(found)} cotangents for {count} arguments "
                f"and {len(of_variables)} for {len(self.variables)} variables"
            )
        return [*found, *of_variables]


def _fitted(gs: list[Any], sources: list[Any]) -> list[Any]:
    result = []
    for g, x in zip(gs, sources, strict=True):
        type_ = type_of_any(x)
        usable = g is not None and type_ is not None and is_differentiable(type_)
        result.append(conform(g, type_) if usable and type_ is not None else None)
    return result


def _eager(parts: list[Any], sources: list[Any], rule: _Rule) -> list[Any]:
    """Results cut from what computed them, with one record on each tape that matters."""
    tapes = watching(sources)
    if not tapes:
        return parts
    cut = [Tensor(raw(part)) for part in parts]

    def pull_back(gs: list[Any]) -> list[Any]:
        pairs = zip(gs, cut, strict=True)
        filled = [Tensor(raw_zero(y.array)) if g is None else g for g, y in pairs]
        return _fitted(rule(filled), sources)

    record = CustomRecord(pull_back, tuple(map(key_of, sources)), tuple(map(key_of, cut)))
    for tape in tapes:
        tape.add(record, cut)
    return list(cut)


def _staged(builder: Builder, parts: list[Any], sources: list[Any], rule: _Rule) -> list[Any]:
    """Results through a node that holds the graph of the gradient function."""
    results = [builder.value_of(part) for part in parts]
    operands = [builder.value_of(x) for x in sources]
    with body("custom gradient", builder) as inner:
        types = [v.type.strong() for v in results]  # type: ignore[union-attr]
        cotangents = [inner.input(t) for t in types]
        gs = _fitted(rule([traced(v) for v in cotangents]), sources)
        found = [(i, inner.value_of(g)) for i, g in enumerate(gs) if g is not None]
        inner.graph.outputs = [g for _, g in found]
    captured = inner.captured()
    inner.graph.inputs = [
        *cotangents,
        *(Value(v.type) for v in operands),
        *(own for _, own in captured),
    ]
    inputs = [*results, *operands, *(outer for outer, _ in captured)]
    targets = tuple(len(results) + i for i, _ in found)
    return _emit(builder, inputs, inner.graph, len(results), targets)


def _emit(
    builder: Builder, inputs: list[Value], graph: Graph, results: int, targets: tuple[int, ...]
) -> list[Any]:
    attrs = {"results": results, "targets": targets}
    types = [v.type for v in inputs[:results]]
    node = builder.emit(CUSTOM_GRADIENT, inputs, attrs, [graph], types)
    outputs = tuple(traced(v) for v in node.outputs)
    builder.tell_tapes(node, [traced(v) for v in inputs], outputs)
    return list(outputs)


def recompute_grad(f: Callable[..., R]) -> Callable[..., R]:
    """`f`, but nothing inside is kept for the backward pass: it is computed again there.

    `f` must be pure: whatever effects it has happen again.

    >>> import autograph as ag
    >>> ag.grad(ag.recompute_grad(lambda x: x * x))(3.0)
    6.0
    """

    @custom_gradient
    def recomputed(*args: Any) -> tuple[Any, Callable[..., Any]]:
        watchers = [t for t in trace.tapes() if isinstance(t, _Accessed)]
        with trace.listening(*watchers, replace=True):
            result = f(*args)

        def gradient(*gs: Any, variables: Sequence[Any] = ()) -> Any:
            with GradientTape(watch_accessed_variables=False) as tape:
                tape.watch([x for x in tree.leaves(args) if isinstance(x, Tensor)])
                tape.watch(list(variables))
                again = f(*args)
            sources = [[x if isinstance(x, Tensor) else None for x in tree.leaves(args)]]
            found = tape.gradient(tree.leaves(again), [*sources, list(variables)], list(gs))
            return tuple(found) if variables else found[0]

        return result, gradient

    return Derived(recomputed, recompute_grad, f)
