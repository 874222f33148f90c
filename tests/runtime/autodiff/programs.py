"""Staged control flow on tensors, and functions as compiled graphs, for the tests of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import building, trace
from runtime.autodiff.compiled import Differentiable
from runtime.building import Builder, traced
from runtime.compile import compile_graph
from runtime.effects.control import coerce, emit_cond, emit_while
from runtime.spec import TensorType, VariableType, type_of_number
from runtime.tensor import Tensor
from runtime.variable import Variable


def _as_values(builder: Builder, results: Any, types: Any) -> list[Any]:
    results = results if isinstance(results, (tuple, list)) else (results,)
    tensors = [traced(builder.value_of(r)) for r in results]
    types = [t.type for t in tensors] if types is None else types
    return [builder.value_of(coerce(t, ty)) for t, ty in zip(tensors, types)]


def while_loop(test: Any, body: Any, *init: Any, types: Any = None) -> Any:
    """Run `body` on the carried values as long as `test` is true, as one node."""
    parent = building.building()
    assert parent is not None
    values = [parent.value_of(x) for x in init]
    types = [v.type for v in values] if types is None else types
    values = [parent.value_of(coerce(traced(v), t)) for v, t in zip(values, types)]
    builders = []
    for name, function, wanted in (("test", test, None), ("body", body, types)):
        with building.body(name, parent) as builder:
            own = [traced(builder.input(t)) for t in types]
            builder.graph.outputs = _as_values(builder, function(*own), wanted)
        builders.append(builder)
    results = emit_while(parent, *builders, values, types)
    return results[0] if len(results) == 1 else tuple(results)


def cond(pred: Any, true: Any, false: Any, types: Any = None) -> Any:
    """Run one of two functions without arguments, as one node."""
    parent = building.building()
    assert parent is not None
    builders = []
    for name, function in (("true", true), ("false", false)):
        with building.body(name, parent) as builder:
            builder.graph.outputs = _as_values(builder, function(), types)
        builders.append(builder)
    types = types or [v.type for v in builders[0].graph.outputs]
    results = emit_cond(parent, parent.value_of(pred), tuple(builders), types)
    return results[0] if len(results) == 1 else tuple(results)


def fori(n: Any, body: Any, *init: Any) -> Any:
    """`for i in range(n): init = body(i, *init)`."""
    zero = building.building().constant(0)
    result = while_loop(
        lambda i, *c: i < n,
        lambda i, *c: (i + 1, *_tuple(body(i, *c))),
        traced(zero),
        *init,
    )
    return result[1] if len(init) == 1 else result[1:]


def _tuple(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def type_for(x: Any) -> Any:
    if isinstance(x, Variable):
        return x.variable_type
    if isinstance(x, Tensor):
        return x.type
    if isinstance(x, (np.ndarray, np.generic)):
        return TensorType(x.dtype, x.shape)
    return type_of_number(x)


def graph_of(function: Any, *types: Any) -> tuple[Any, list[Any]]:
    """Graph of a function of tensors, and the outside things that it captured."""
    builder, _, result = building.trace_function(function, types)
    with trace.interpreting(builder):
        builder.graph.outputs = [builder.value_of(r) for r in _tuple(result)]
    return builder.graph, [thing for thing, _ in builder.externals.values()]


class Compiled:
    """A function that runs as one graph per signature, on whatever backend is asked for."""

    def __init__(self, function: Any, unknown: bool = False, backend: str | None = None) -> None:
        self.function, self.unknown, self.backend = function, unknown, backend
        self.known: dict[Any, Any] = {}

    def __call__(self, *args: Any) -> Any:
        outer = building.building()
        types = tuple(map(self._type, args))
        if types not in self.known:
            graph, captured = graph_of(self.function, *types)
            run = Differentiable(graph, lambda g: compile_graph(g, self.backend))
            self.known[types] = (run, captured)
        assert outer is None
        run, captured = self.known[types]
        results = run([*args, *captured])
        return results[0] if len(results) == 1 else tuple(results)

    def _type(self, x: Any) -> Any:
        type_ = type_for(x)
        if self.unknown and isinstance(type_, TensorType) and type_.shape:
            return TensorType(type_.dtype, (None,) * len(type_.shape))
        return type_

    @property
    def graph(self) -> Any:
        (run, _), *_ = self.known.values()
        return run.graph


__all__ = ["Compiled", "VariableType", "cond", "fori", "graph_of", "while_loop"]
