"""`ConcreteFunction`: one graph of a Function, and how it is called."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph import replay, tracing
from autograph.operators.captures import Captured, Place
from autograph.options import Binding
from autograph.signature import FLOAT, INT
from autograph.tracebacks import shortened
from runtime import trace, tree
from runtime.autodiff.compiled import Differentiable
from runtime.compile import NATIVE_STAGES, compile_graph, native_text
from runtime.devices import copied, is_device_array
from runtime.eager import is_array
from runtime.errors import StagingError
from runtime.execute import Executable
from runtime.execute.ownership import may_share
from runtime.graph.ir import Graph
from runtime.graph.view import FuncGraph
from runtime.ops.operands import type_of
from runtime.passes import optimize
from runtime.spec import TensorSpec, TensorType, is_compatible
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["ConcreteFunction", "ReadOnlyTarget"]


class ReadOnlyTarget(Exception):
    """The graph writes an array that is read-only: the call is left to Python, which says so."""


class ConcreteFunction:
    """One graph of a Function: a signature, what it captures, and how it runs.

    >>> import autograph as ag
    >>> f = ag.convert(lambda x: x * x)
    >>> concrete = f.get_concrete_function(ag.TensorSpec([None], "float64"))
    >>> concrete.inputs, [operation.name for operation in concrete.graph.operations]
    ([TensorSpec(shape=(None,), dtype=float64, name='x')], ['multiply'])
    """

    def __init__(
        self,
        name: str,
        bind: Binding,
        returns: str | None,
        traced: tracing.Traced,
        reason: str,
        tensor_class: type[Tensor] = Tensor,
        native: bool | None = None,
    ) -> None:
        # Of the results that are tensors.
        self._tensor_class = tensor_class
        self._traced = traced
        self._name = name
        self._bind = bind
        self.reason = reason
        self.milliseconds = 0.0
        self.used = True
        # Whether `reduce_retracing` left dimensions open: they stand for sizes of at least 2.
        self.relaxed = False
        # Of a trace that made variables and serves one call: the graph of the next calls.
        self.following: ConcreteFunction | None = None
        self._returns = returns
        self._differentiable = Differentiable(traced.graph, _COMPILE[native])
        self._fresh = _fresh_outputs(traced)
        structure, holes = traced.result
        self._structure, self._holes = structure, holes
        # One result, made anew by the graph.
        self._single = (
            structure.kind is None
            and type(holes[0]) is tracing.ResultHole
            and not traced.written
            and not traced.identities
            and not traced.choices
        )
        # Whether the graph takes the arguments as they are, and gives the result as it is.
        self.is_direct = (
            self.is_simple
            and self._single
            and self._fresh[0]
            and not self._gives_tensors
            and not traced.tensors
        )

    # ---- looking -----------------------------------------------------------------------------

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
            specs[h.index] if isinstance(h, tracing.ResultHole) else getattr(h, "value", "")
            for h in self._holes
        ]
        return tree.unflatten(self._structure, parts)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as (args, kwargs), with a TensorSpec for each input of the graph."""
        arguments = self._traced.arguments
        specs = {p: TensorSpec(t.shape, t.dtype, p) for p, _, t in arguments.inputs()}
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

    def set_external_captures(self, captures: Sequence[Any]) -> None:
        """From the next call on, read other Variables and tensors for those of `captured_inputs`.

        Raises ValueError for another number, TypeError for another dtype or shape.
        """
        traced = self._traced
        old = [*traced.captured, *traced.externals]
        if len(captures) != len(old):
            raise ValueError(f"{self._name} has {len(old)} captures, but {len(captures)} are given")
        for thing, was in zip(captures, old, strict=True):
            _check_capture(thing, was)
        places = captures[: len(traced.captured)]
        traced.captured = [
            c._replace(place=Place(c.place.name, functools.partial(_given, x)))
            for c, x in zip(traced.captured, places, strict=True)
        ]
        traced.externals = list(captures[len(traced.captured) :])

    @property
    def deferred_external_captures(self) -> list[Callable[[], Any]]:
        """Functions that fetch the captured arrays at each call."""
        return [c.place.fetch for c in self._traced.captured]

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.function_type}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    # ---- calling -----------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph; values for the inputs, by position or by argument name.

        Raises TypeError for a wrong number, name, dtype or shape.
        """
        inputs = self._traced.arguments.inputs()
        named = {path: i for i, (path, _, _) in enumerate(inputs)}
        values: list[Any] = [None] * len(inputs)
        if len(args) > len(inputs):
            raise TypeError(f"{self._name} takes {len(inputs)} inputs, but {len(args)} were given")
        values[: len(args)] = args
        filled = set(range(len(args)))
        for name, value in kwargs.items():
            if name not in named:
                fixed = dict(self._traced.arguments.constants())
                what = "is unknown"
                if name in fixed:
                    what = f"is fixed to {fixed[name]!r} in this graph"
                raise TypeError(f"{self._name}: argument `{name}` {what}")
            if named[name] in filled:
                raise TypeError(f"{self._name}: argument `{name}` is given twice")
            filled.add(named[name])
            values[named[name]] = value
        for i, (path, _, type_) in enumerate(inputs):
            if i not in filled:
                raise TypeError(f"{self._name}: argument `{path}` is missing")
            values[i] = _checked(values[i], type_, path)
        with shortened():
            return self.run(values)

    def guards_hold(self) -> bool:
        """Whether what the trace read from outside is still as it was."""
        traced = self._traced
        for guard in traced.guards:
            if not guard.holds():
                return False
        return all(_is_as_traced(c) for c in traced.captured)

    def broken_guards(self) -> list[str]:
        """What changed since the trace, in words."""
        broken = [g.explain() for g in self._traced.guards if not g.holds()]
        for c in self._traced.captured:
            if not _is_as_traced(c):
                broken.append(f"{c.place.name}: not a {c.type} any more")
        return broken

    def run(self, leaves: Sequence[Any]) -> Any:
        """Run on the input leaves of the arguments; gives the structured result."""
        traced = self._traced
        self.used = True
        inputs = [*leaves, *(c.place.fetch() for c in traced.captured), *traced.externals]
        if traced.written:
            self._check_targets(inputs)
        if traced.writes_before_errors:
            with replay.writing_back(functools.partial(self._write_back, inputs)):
                return self._run_on(inputs)
        return self._run_on(inputs)

    def _run_on(self, inputs: list[Any]) -> Any:
        if trace.tapes():
            return self._run_under_tapes(inputs)
        raws = [x if type(x) is np.ndarray else _raw(x) for x in inputs]
        return self._finish(inputs, raws, self._run(*raws))

    def _write_back(self, inputs: list[Any], position: int, value: Any) -> None:
        """Give a caller's array what was written into it before an error."""
        raws = list(map(_raw, inputs))
        self._check_alone(inputs, raws, position)
        _write_back(inputs[position], copied(value))

    def _check_alone(self, inputs: list[Any], raws: list[Any], position: int) -> None:
        """Raise StagingError where an array that is written shares memory with another input."""
        target = inputs[position]
        array = target.array if isinstance(target, Tensor) else target
        for i, other in enumerate(raws):
            if i != position and may_share(array, other):
                one, two = self._input_name(position), self._input_name(i)
                raise StagingError(
                    f"`{one}` is written and shares memory with `{two}`, which is given to "
                    f"`{self._name}` as well",
                    f"pass a copy of one of the two (`{two}.copy()`)",
                    origin=self._traced.written_at.get(position),
                )

    def _input_name(self, position: int) -> str:
        traced = self._traced
        names = [path for path, _, _ in traced.arguments.inputs()]
        names += [captured.place.name for captured in traced.captured]
        return names[position] if position < len(names) else f"input {position + 1}"

    @functools.cached_property
    def _run(self) -> Callable[..., tuple[Any, ...]]:
        """The graph on raw values; compiled when it is first called."""
        run = self._differentiable.run
        return getattr(run, "call", run)

    @functools.cached_property
    def builtin(self) -> Callable[..., Any] | None:
        """The compiled graph as a builtin that gives the result itself; None: it does not serve.

        It takes arrays and numbers of just these types, and gives `MISS` for anything else.
        """
        arguments = self._traced.arguments
        is_plain = all(_is_plain_key(k) for k in arguments.keys)
        if not is_plain or not self.is_simple or not self._single or self._gives_tensors:
            return None
        return None if self._traced.tensors else getattr(self._differentiable.run, "alone", None)

    @property
    def execution(self) -> list[str]:
        """How the graph runs, where that is not as a matter of course: why it is no native code."""
        reason = getattr(self._differentiable.run, "reason", None)
        return [] if reason is None else [f"runs as a plan of NumPy calls, not natively: {reason}"]

    @functools.cached_property
    def with_tensors(self) -> ConcreteFunction:
        """The same, but its results are tensors."""
        traced = dataclasses.replace(self._traced, tensors=True)
        made = ConcreteFunction(
            self._name, self._bind, self._returns, traced, self.reason, self._tensor_class
        )
        made._differentiable = self._differentiable
        return made

    def run_simple(self, args: tuple[Any, ...]) -> Any:
        """`run` for positional arguments that are all inputs, without captures."""
        if not self._single:
            self._check_targets(args)
        raws = [x._array if isinstance(x, Tensor) else x for x in args]
        results = self._run(*raws)
        if self._single and self._fresh[0]:
            return self._tensor_class(results[0]) if self._gives_tensors else results[0]
        return self._finish(list(args), raws, results)

    def _of_class(self, result: Tensor) -> Tensor:
        """`result` as a tensor of the class that this gives: the same to gradients."""
        if type(result) is self._tensor_class:
            return result
        return self._tensor_class(result._array, result._value, result.key)

    def _check_targets(self, inputs: Sequence[Any]) -> None:
        """Raise ReadOnlyTarget where an array that is to be written cannot be."""
        for position in self._traced.written:
            target = inputs[position]
            if isinstance(target, np.ndarray) and not target.flags.writeable:
                raise ReadOnlyTarget

    @functools.cached_property
    def is_simple(self) -> bool:
        """Whether `run_simple` serves: nothing captured, nothing guarded."""
        traced = self._traced
        rest = traced.guards or traced.stages_nothing or traced.writes_before_errors
        return not (traced.captured or traced.externals or rest)

    @functools.cached_property
    def _gives_tensors(self) -> bool:
        return self._traced.tensors if self._returns is None else self._returns == "tensor"

    def _run_under_tapes(self, inputs: list[Any]) -> Any:
        results = self._differentiable(inputs)
        raws = [x if type(x) is np.ndarray else _raw(x) for x in inputs]
        return self._finish(inputs, raws, tuple(t._array for t in results), results)

    def _finish(
        self, inputs: list[Any], raws: list[Any], outputs: tuple[Any, ...], tensors: Any = None
    ) -> Any:
        traced = self._traced
        results: list[Any] = []
        for i, output in enumerate(outputs[: traced.outputs]):
            if i in traced.identities and self._returns is None:
                results.append(inputs[traced.identities[i]])
                continue
            if i in traced.choices and self._returns is None:
                which, positions = traced.choices[i]
                position = positions.get(int(outputs[which]))
                if position is not None:
                    results.append(inputs[position])
                    continue
            if not self._fresh[i] and is_array(output):
                # Constants, inputs, variables and what control flow passes on are held elsewhere.
                output = copied(output)
            if not self._gives_tensors:
                results.append(output)
            elif tensors is not None:
                results.append(self._of_class(tensors[i]))
            else:
                results.append(self._tensor_class(output))
        for index, position in enumerate(traced.written, traced.outputs):
            self._check_alone(inputs, raws, position)
            # Under tapes the tensor that they know.
            _write_back(inputs[position], outputs[index] if tensors is None else tensors[index])
        parts = [hole.fill(results, outputs) for hole in self._holes]
        return parts[0] if self._structure.kind is None else tree.unflatten(self._structure, parts)


# How graphs are compiled, by the option `native` of `convert`.
_COMPILE: dict[bool | None, Callable[[Graph], Executable]] = {
    None: compile_graph,
    True: functools.partial(compile_graph, backend="native"),
    False: functools.partial(compile_graph, backend="plan"),
}


def _is_plain_key(key: Any) -> bool:
    """Whether a leaf of this key is a number of Python or NumPy, or an array that has axes."""
    if key in (FLOAT, INT):
        return True
    if not isinstance(key, tuple) or len(key) != 2:
        return False
    is_array = isinstance(key[0], np.dtype) and key[1] != ()
    return bool(is_array or key[0] == "scalar")


def _given(value: Any) -> Any:
    return value


def _check_capture(thing: Any, was: Any) -> None:
    old = was.type if isinstance(was, Captured) else tracing.external_type(was)
    new = tracing.external_type(thing)
    if old != new:
        raise TypeError(f"a capture must be {old}, but {new} was given")


def _spec(value: Any) -> TensorSpec:
    type_ = getattr(value.type, "content", value.type)
    return TensorSpec(type_.shape, type_.dtype, value.name)


def _show(x: Any) -> str:
    return repr(x)


def _raw(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x.array
    return np.asarray(x) if isinstance(x, np.ndarray) else x


def _is_as_traced(captured: Any) -> bool:
    try:
        found = captured.place.fetch()
    except Exception:  # noqa: BLE001 - whatever the user's property raises: trace again, and see
        return False
    if type(found) is not captured.kind:
        return False
    if found is captured.initial() and not isinstance(found, np.ndarray):
        return True
    return bool(type_of(found) == captured.type)


def _checked(value: Any, type_: TensorType, path: str) -> Any:
    if not isinstance(value, (Tensor, np.ndarray, np.generic)) and not is_device_array(value):
        if type_.weak and isinstance(value, (bool, int, float, complex)):
            return value
        value = np.asarray(value, type_.dtype)[()]
    given = type_of(value)
    if not is_compatible(type_, given):
        raise TypeError(f"argument `{path}` must be {type_}, but {given} was given")
    return value


def _fresh_outputs(traced: tracing.Traced) -> list[bool]:
    """Which outputs are arrays that nobody else can hold."""
    outputs = traced.graph.outputs[: traced.outputs]
    return [
        v.node is not None
        and not v.node.op.view
        and not v.node.graphs
        and v.node.op.name not in _SHARING
        and outputs.count(v) == 1
        for v in outputs
    ]


_SHARING = frozenset(
    ("constant", "read", "assign", "choose", "identity", "asarray", "astype", "reshape", "ravel",
     "stop_gradient",
     "broadcast_to", "real", "imag", "strengthen", "stack_pop", "stack_take")
)  # fmt: skip


def _write_back(target: Any, value: Any) -> None:
    """Give a caller's array the content that the function wrote into it."""
    if isinstance(target, Tensor):
        target.assign(value if isinstance(value, Tensor) else Tensor(value))
    else:
        target[...] = value.array if isinstance(value, Tensor) else value
