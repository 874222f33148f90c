"""What a graph of a Function says of itself: signature, captures, and the graph as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.tracing.options import Binding
from autograph.tracing.results import ResultHole
from autograph.tracing.signature import GENERATOR
from autograph.tracing.traced import Traced
from runtime.compile import NATIVE_STAGES, compile_graph, native_text
from runtime.graph.html import html
from runtime.graph.view import FuncGraph
from runtime.markup import code
from runtime.passes import optimize
from runtime.spec import ObjectType, TensorSpec
from runtime.structure import tree
from runtime.variable import Variable

__all__ = ["Described"]


class Described:
    """The part of a `ConcreteFunction` that is there to be looked at."""

    def __init__(self, name: str, bind: Binding, traced: Traced) -> None:
        self._name, self._bind, self._traced = name, bind, traced
        self._structure, self._holes = traced.result

    @property
    def name(self) -> str:
        """Name of the function."""
        return self._name

    @property
    def graph(self) -> FuncGraph:
        """The graph: `print(f.graph)`, `.as_graph_def()`, `.to_dot()`, `.operations`."""
        self._traced.graph.name = self._name
        return FuncGraph(self._traced.graph)

    @property
    def inputs(self) -> list[TensorSpec]:
        """Specs of all inputs of the graph: arguments, captured arrays, variables."""
        return [_spec(v) for v in self._traced.graph.inputs]

    @property
    def outputs(self) -> list[TensorSpec]:
        """Specs of the results, flat."""
        return [_spec(v) for v in self._traced.graph.outputs[: self._traced.outputs]]

    @property
    def output_shapes(self) -> Any:
        """Shapes of the results, in their structure."""
        return tree.map_structure(lambda s: getattr(s, "shape", None), self.structured_outputs)

    @property
    def output_dtypes(self) -> Any:
        """Dtypes of the results, in their structure."""
        return tree.map_structure(lambda s: getattr(s, "dtype", None), self.structured_outputs)

    @property
    def structured_outputs(self) -> Any:
        """The result with a TensorSpec for each value."""
        specs = self.outputs
        parts = [
            specs[h.index] if isinstance(h, ResultHole) else getattr(h, "value", "")
            for h in self._holes
        ]
        return tree.unflatten(self._structure, parts)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as (args, kwargs), with a TensorSpec for each input of the graph.

        Where a generator of NumPy's is given, its class stands.
        """
        arguments = self._traced.arguments
        kinds = dict(zip(arguments.paths, arguments.keys, strict=True))
        specs: dict[str, Any] = {
            p: np.random.Generator if kinds[p][0] == GENERATOR else TensorSpec(t.shape, t.dtype, p)
            for p, _, t in arguments.inputs()
        }
        parts = {**dict(arguments.constants()), **specs}
        return self._bind.call_arguments(arguments.rebuild([parts[p] for p in arguments.paths]))

    @property
    def captured_inputs(self) -> list[Any]:
        """Arrays and variables from outside that the graph reads at each call."""
        return [c.place.fetch() for c in self._traced.captured] + list(self._traced.externals)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Variables that the graph reads or assigns."""
        return tuple(self._traced.variables)

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of the variables that are trainable."""
        return tuple(v for v in self._traced.variables if v.trainable)

    @property
    def function_type(self) -> str:
        """The signature in one line."""
        return self.pretty_printed_signature().splitlines()[0]

    @property
    def function_def(self) -> Any:
        """The graph as plain data."""
        return self.graph.as_graph_def()

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Input parameters, output type and captures, one line each."""
        args, kwargs = self.structured_input_signature
        shown = ", ".join([*map(_show, args), *(f"{k}={_show(v)}" for k, v in kwargs.items())])
        lines = [f"{self._name}({shown}) -> {_show(self.structured_outputs)}"]
        if verbose:
            lines.append("Input Parameters:")
            lines += [f"  {p}: {t}" for p, _, t in self._traced.arguments.inputs()]
            lines.append(f"Output Type:\n  {_show(self.structured_outputs)}")
            lines.append("Captures:")
            lines += [f"  {c.place.name}: {c.type}" for c in self._traced.captured] or ["  None"]
        return "\n".join(lines)

    def lower(self, stage: str = "graph") -> str:
        """The function at a stage of compilation, as text.

        Stages: "graph" and "optimized"; "plan", Python source; "kernels", "llvm" and "asm", native
        code, which raise Refusal with the reason where the graph has no native form.
        """
        if stage == "graph":
            return str(self.graph)
        if stage == "optimized":
            return str(FuncGraph(optimize(self._traced.graph)))
        if stage == "plan":
            return compile_graph(self._traced.graph, "plan").source
        if stage in NATIVE_STAGES:
            return native_text(optimize(self._traced.graph), stage)
        stages = ", ".join(map(repr, ("graph", "optimized", "plan", *NATIVE_STAGES)))
        raise ValueError(f"there is no stage {stage!r}; there are {stages}")

    @property
    def deferred_external_captures(self) -> list[Callable[[], Any]]:
        """Functions that fetch the captured arrays at each call."""
        return [c.place.fetch for c in self._traced.captured]

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.function_type}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def _repr_html_(self) -> str:
        return f"ConcreteFunction {code(self.function_type)}{html(self.graph, is_open=False)}"


def _spec(value: Any) -> Any:
    """The spec of an array or number; of a Python object its type."""
    type_ = getattr(value.type, "content", value.type)
    if isinstance(type_, ObjectType):
        return type_
    return TensorSpec(type_.shape, type_.dtype, value.name)


def _show(x: Any) -> str:
    return x.__name__ if isinstance(x, type) else repr(x)
