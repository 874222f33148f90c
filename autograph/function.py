"""`convert`: a Python function as a `Function` of many graphs, one per signature of arguments."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import logging
import pickle
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

import numpy as np

from autograph import conversion, replay, tracing
from autograph.converters import Options
from autograph.operators.calls import converted_call
from autograph.operators.captures import Captured, Place
from autograph.operators.scope import ConversionOptions, FunctionScope
from autograph.signature import (
    Arguments,
    Identity,
    IntPolicy,
    classify,
    differences,
    fast_key,
    is_input_key,
    type_of_key,
)
from autograph.status import check_features
from autograph.tracebacks import shorten, shortened
from runtime import config, trace, tree
from runtime.attention import count as _attention
from runtime.autodiff.compiled import Differentiable
from runtime.building import building
from runtime.compile import compile_graph
from runtime.devices import list_devices
from runtime.errors import HostCallError, StagingError
from runtime.graph.view import FuncGraph
from runtime.origins import hide_frames_of
from runtime.spec import TensorSpec, TensorType, is_compatible
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["ConcreteFunction", "Function", "convert", "no_retrace"]

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
# Of `__get__`, whose own parameters must not be those of the class.
Q = ParamSpec("Q")
T = TypeVar("T")

hide_frames_of(__file__.rpartition("/")[0])

# One lock for all traces of the process: locks per Function deadlock on functions that call each
# other from two threads.
_trace_lock = threading.RLock()
_log = logging.getLogger("autograph")
_retraces_allowed = threading.local()
_OPTIONS = frozenset(
    (
        "input_signature", "reduce_retracing", "recursive", "autograph", "native", "device",
        "prints", "returns", "pure", "name", "jit_compile", "experimental_implements",
        "experimental_autograph_options", "experimental_attributes", "experimental_relax_shapes",
        "experimental_compile", "experimental_follow_type_hints",
    )
)  # fmt: skip


class ConcreteFunction:
    """One graph of a Function: a signature, what it captures, and how it runs.

    >>> import autograph as ag
    >>> f = ag.convert(lambda x: x * x)
    >>> concrete = f.get_concrete_function(ag.TensorSpec([None], "float64"))
    >>> concrete.inputs, [operation.name for operation in concrete.graph.operations]
    ([TensorSpec(shape=(None,), dtype=float64, name='x')], ['multiply'])
    """

    def __init__(self, function: Function[Any, Any], traced: tracing.Traced, reason: str) -> None:
        self._function = weakref.ref(function)
        self._traced = traced
        self._name = function.__name__
        self._bind = function._bind
        self.reason = reason
        self.milliseconds = 0.0
        self.used = True
        # Whether `reduce_retracing` left dimensions open: they stand for sizes of at least 2.
        self.relaxed = False
        # Of a trace that made variables and serves one call: the graph of the next calls.
        self.following: ConcreteFunction | None = None
        self._returns = function._options.returns
        self._python = function._target
        self._differentiable = Differentiable(traced.graph, compile_graph)
        self._fresh = _fresh_outputs(traced)
        structure, holes = traced.result
        self._structure, self._holes = structure, holes
        # One result, made anew by the graph.
        self._single = (
            structure.kind is None
            and isinstance(holes[0], tracing._ResultHole)
            and not traced.written
            and not traced.identities
        )
        if not traced.stages_nothing:
            self._run = self._differentiable.run
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
            specs[h.index] if isinstance(h, tracing._ResultHole) else getattr(h, "value", "")
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
        """The function at a stage of compilation, as text: "graph", "optimized" or "plan"."""
        from runtime.passes import optimize  # noqa: PLC0415

        if stage == "graph":
            return str(self.graph)
        if stage == "optimized":
            return str(FuncGraph(optimize(self._traced.graph)))
        if stage == "plan":
            return compile_graph(self._traced.graph, "plan").source
        raise ValueError(f"there is no stage {stage!r}; there are 'graph', 'optimized', 'plan'")

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
            dataclasses.replace(c, place=Place(c.place.name, functools.partial(_given, x)))
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
        if trace.tapes():
            return self._run_under_tapes(inputs)
        raws = [x if type(x) is np.ndarray else _raw(x) for x in inputs]
        return self._finish(inputs, raws, self._run(*raws))

    def run_simple(self, args: tuple[Any, ...]) -> Any:
        """`run` for positional arguments that are all inputs, without captures."""
        raws = [x._array if type(x) is Tensor else x for x in args]
        results = self._run(*raws)
        if self._single and self._fresh[0]:
            return Tensor(results[0]) if self._gives_tensors else results[0]
        return self._finish(list(args), raws, results)

    @functools.cached_property
    def is_simple(self) -> bool:
        """Whether `run_simple` serves: nothing captured, nothing guarded."""
        traced = self._traced
        return not (traced.captured or traced.externals or traced.guards or traced.stages_nothing)

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
            if not self._fresh[i] and isinstance(output, np.ndarray):
                output = _own(output, raws, results)
            if not self._gives_tensors:
                results.append(output)
            elif tensors is not None:
                results.append(tensors[i])
            else:
                results.append(Tensor(output))
        for position, value in zip(traced.written, outputs[traced.outputs :], strict=False):
            _write_back(inputs[position], value, raws, position, self._name)
        parts = [hole.fill(results, outputs) for hole in self._holes]
        return parts[0] if self._structure.kind is None else tree.unflatten(self._structure, parts)


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
    type_ = found.type if isinstance(found, Tensor) else TensorType(found.dtype, found.shape)
    return bool(type_ == captured.type)


def _checked(value: Any, type_: TensorType, path: str) -> Any:
    if not isinstance(value, (Tensor, np.ndarray, np.generic)):
        if type_.weak and isinstance(value, (bool, int, float, complex)):
            return value
        value = np.asarray(value, type_.dtype)[()]
    given = value.type if isinstance(value, Tensor) else TensorType(value.dtype, value.shape)
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
    ("constant", "read", "assign", "identity", "asarray", "astype", "reshape", "ravel",
     "stop_gradient",
     "broadcast_to", "real", "imag", "strengthen", "stack_pop", "stack_take")
)  # fmt: skip


def _own(output: np.ndarray, raws: list[Any], earlier: list[Any]) -> np.ndarray:
    """An array that shares memory with no input, variable or other result."""
    if output.base is not None or not output.flags.owndata:
        return output.copy()
    if any(output is x for x in raws) or any(
        output is (x._array if isinstance(x, Tensor) else x) for x in earlier
    ):
        return output.copy()
    # Constants, variables and what control flow passes on may be held elsewhere.
    return output.copy()


def _write_back(target: Any, value: Any, raws: list[Any], position: int, name: str) -> None:
    """Give a caller's array the content that the function wrote into it."""
    array = target.array if isinstance(target, Tensor) else target
    for i, other in enumerate(raws):
        if i != position and isinstance(other, np.ndarray) and np.may_share_memory(array, other):
            raise StagingError(
                f"`{name}` writes into one of its arguments, which shares memory with another one",
                "pass a copy of one of the two",
            )
    if isinstance(target, Tensor):
        target.assign(Tensor(value))
    else:
        target[...] = value


# ---- arguments -------------------------------------------------------------------------------


class _Binding:
    """Binds call arguments to the parameters of a function, defaults included."""

    def __init__(self, target: Any) -> None:
        self.signature = _signature_of(target)
        parameters = list(self.signature.parameters.values())
        self.positional = [
            p.name for p in parameters
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]  # fmt: skip
        # Whether n positional arguments, all parameters, are the whole call.
        self.simple = len(self.positional) == len(parameters)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Parameter names to values."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)

    def call_arguments(self, bound: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs) of a call with these values."""
        arguments = inspect.BoundArguments(self.signature, dict(bound))
        return arguments.args, arguments.kwargs


def _signature_of(target: Any) -> inspect.Signature:
    try:
        return inspect.signature(target)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"cannot convert {target!r}: it is not a Python callable with a signature"
        ) from error


@dataclass(frozen=True)
class _Options:
    input_signature: tuple[Any, ...] | None = None
    reduce_retracing: bool = False
    recursive: bool = True
    autograph: bool = True
    native: bool | None = None
    device: str | None = None
    prints: str = "graph"
    returns: str | None = None
    pure: bool = False
    others: dict[str, Any] = field(default_factory=dict)


def _check_options(given: dict[str, Any]) -> _Options:
    unknown = set(given) - _OPTIONS
    if unknown:
        raise TypeError(
            f"convert() has no option {', '.join(sorted(unknown))}; "
            f"there are {', '.join(sorted(_OPTIONS))}"
        )
    known = {k: v for k, v in given.items() if k in _Options.__dataclass_fields__}
    others = {k: v for k, v in given.items() if k not in known}
    check_features(others.get("experimental_autograph_options"))
    if others.pop("experimental_relax_shapes", False):
        known["reduce_retracing"] = True
    if known.get("input_signature") is not None:
        known["input_signature"] = tuple(known["input_signature"])
    if known.get("prints", "graph") not in ("graph", "trace"):
        raise ValueError(f"prints is 'graph' or 'trace', not {known['prints']!r}")
    if known.get("returns") not in (None, "tensor", "numpy"):
        raise ValueError(f"returns is 'tensor' or 'numpy', not {known['returns']!r}")
    if known.get("device") not in (None, *list_devices()):
        raise ValueError(f"there is no device {known['device']!r}, only {list_devices()}")
    if known.get("native"):
        raise ValueError("native=True: there is no native code, graphs run on NumPy")
    return _Options(**known, others=others)


def _without_partials(target: Any) -> Any:
    while isinstance(target, functools.partial):
        target = target.func
    return target


# ---- Function --------------------------------------------------------------------------------



class Function(Generic[P, R]):
    """A converted Python function: one graph per signature of its arguments.

    Made by `convert`. Calling it traces the function the first time that a signature comes, and
    runs the graph of that signature from then on.

    >>> import numpy as np
    >>> import autograph as ag
    >>> f = ag.convert(lambda x: x + 1)
    >>> f(np.zeros(2)), f(np.ones(2)), f.trace_count
    (array([1., 1.]), array([2., 2.]), 1)
    """

    def __init__(self, target: Callable[P, R], options: _Options) -> None:
        self._target: Any = target
        self._options = options
        self._bind = _Binding(target)
        self._table: dict[Any, ConcreteFunction] = {}
        self._fast: dict[Any, ConcreteFunction] = {}
        self._general: list[ConcreteFunction] = []
        self._policy = IntPolicy(set(), set(), {})
        self._trace_count = 0
        # Of the last calls that were looked up: whether they traced; and warnings given.
        self._recent: deque[bool] = deque(maxlen=10)
        self._warnings = 0
        self._warned = False
        self._initial: list[tuple[Any, Any]] = []
        self.__wrapped__ = target
        named = _without_partials(target)
        self.__name__: str = getattr(named, "__name__", type(named).__name__)
        self.__qualname__: str = getattr(target, "__qualname__", self.__name__)
        self.__module__ = getattr(target, "__module__", type(target).__module__)
        self.__doc__ = target.__doc__
        self._check_convertible()

    def _check_convertible(self) -> None:
        """Refuse at once what can never be converted: S19 says where and why."""
        function, _ = conversion.underlying_function(self._target)
        if self._options.autograph and function is not None:
            conversion.convert_function(function, self._conversion_options)

    @functools.cached_property
    def _conversion_options(self) -> Options:
        return Options(recursive=self._options.recursive)

    # ---- looking -----------------------------------------------------------------------------

    @property
    def python_function(self) -> Callable[P, R]:
        """The function as the user wrote it."""
        return cast("Callable[P, R]", self._target)

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The signature that all calls must have, if one was given."""
        return self._options.input_signature

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.__name__

    @property
    def trace_count(self) -> int:
        """How often the function was traced."""
        return self._trace_count

    @property
    def function_spec(self) -> inspect.Signature:
        """The parameters of the function, without `self` where it is bound."""
        return self._bind.signature

    function_type = function_spec

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., str]:
        """A function of a stage's name that gives the compiled text for arguments like these.

        >>> import autograph as ag
        >>> f = ag.convert(lambda x: x + 1)
        >>> "add" in f.experimental_get_compiler_ir(1.0)(stage="graph")
        True
        """
        return self.get_concrete_function(*args, **kwargs).lower

    def get_initialization_function(self, *args: Any, **kwargs: Any) -> Callable[[], None]:
        """A function that gives the variables which the first trace made their initial values.

        Traces the function for arguments like these, if it was not traced.
        """
        self.get_concrete_function(*args, **kwargs)
        pairs = list(self._initial)

        def initialize() -> None:
            for reference, value in pairs:
                variable = reference()
                if variable is not None:
                    variable.assign(value)

        return initialize

    def experimental_get_tracing_count(self) -> int:
        """How often the function was traced: TensorFlow's spelling of `trace_count`."""
        return self._trace_count

    def traces(self) -> list[ConcreteFunction]:
        """The graphs that the function has now; each has a `reason` why it was traced."""
        return list(self._table.values())

    def cache_info(self) -> dict[str, int]:
        """Number of traces made, kept, and allowed."""
        return {
            "traces": self._trace_count,
            "size": len(self._table),
            "maxsize": config.cache_size.value,
        }

    def cache_clear(self) -> None:
        """Forget all graphs."""
        with _trace_lock:
            self._table, self._fast, self._general = {}, {}, []

    def explain(self) -> str:
        """Which graphs there are, why each was traced, and what was not staged."""
        lines = [f"{self.__qualname__}: {self._trace_count} trace(s)"]
        for concrete in self._table.values():
            lines.append(f"- {concrete.function_type}")
            lines.append(f"  traced because: {concrete.reason} ({concrete.milliseconds:.1f} ms)")
            lines += [f"  {note}" for note in concrete._traced.notes]
        return "\n".join(lines)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all graphs."""
        return "\n\n".join(c.pretty_printed_signature(verbose) for c in self._table.values())

    def __repr__(self) -> str:
        return f"<Function {self.__qualname__}>"

    def __reduce__(self) -> Any:
        found = _found_by_name(self.__module__, self.__qualname__)
        if found is self:
            return (_by_name, (self.__module__, self.__qualname__))
        if found is not None and found is self._target:
            return (_converted, (found, self._options))
        raise pickle.PicklingError(
            f"{self!r} is pickled by its name, and `{self.__module__}.{self.__qualname__}` is not "
            "it: only functions at the top of a module or class can be pickled"
        )

    def __copy__(self) -> Function[P, R]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Function[P, R]:
        return self

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Function[P, R]: ...
    @overload
    def __get__(
        self: Function[Concatenate[S, Q], T], instance: S, owner: Any = None
    ) -> BoundFunction[Q, T]: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else BoundFunction(self, instance)

    # ---- calling -----------------------------------------------------------------------------

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the graph of the arguments' signature, traced first if it is new."""
        try:
            if not kwargs and not _attention[0]:
                key = fast_key(args, self._policy.inputs, self._bind.positional)
                concrete = self._fast.get(key)
                if concrete is not None:
                    concrete.used = True
                    if concrete.is_direct:
                        return concrete._run(*args)[0]  # type: ignore[no-any-return]
                    return concrete.run_simple(args)  # type: ignore[no-any-return]
            return self._call(args, kwargs)  # type: ignore[no-any-return]
        except BaseException as error:
            shorten(error)
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if building() is not None:
            return self.__ag_call__(args, kwargs)
        if config.run_functions_eagerly.value:
            return self._target(*args, **kwargs)
        bound = self._bind.bind(args, kwargs)
        given = bound
        if self._options.input_signature is not None:
            bound = self._conform(bound)
        arguments = self._classify(bound)
        concrete = self._find(arguments)
        self._recent.append(concrete is None)
        if concrete is None:
            arguments, concrete = self._trace(bound, arguments)
        if concrete._traced.stages_nothing:
            return self._target(*args, **kwargs)
        self._remember_fast(args, kwargs, concrete)
        leaves = [
            x for x, key in zip(arguments.leaves, arguments.keys, strict=True) if is_input_key(key)
        ]
        if not concrete._traced.changes_containers:
            return concrete.run(leaves)
        replay.refuse_shared_containers(given, self.__name__)
        with replay.calling_with(given):
            return concrete.run(leaves)

    def _remember_fast(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], concrete: ConcreteFunction
    ) -> None:
        if kwargs or not self._bind.simple or len(args) != len(self._bind.positional):
            return
        if self._options.input_signature is not None or not concrete.is_simple:
            return
        key = fast_key(args, self._policy.inputs, self._bind.positional)
        if key is not None and all(is_input_key(k) for k in key):
            if len(self._fast) >= 4 * config.cache_size.value:
                self._fast = {}
            self._fast = {**self._fast, key: concrete}

    def __ag_call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call from converted code: while tracing, the function is traced into the caller."""
        if building() is None:
            return self(*args, **kwargs)
        return self._callable()(*args, **kwargs)

    def _callable(self) -> Callable[..., Any]:
        """What a trace runs: the converted function."""
        if not self._options.autograph:
            return cast("Callable[..., Any]", self._target)
        function, owner = conversion.underlying_function(self._target)
        if function is None:
            options = ConversionOptions(recursive=self._options.recursive, user_requested=True)
            scope = FunctionScope("call", "fscope", options)
            return lambda *args, **kwargs: converted_call(self._target, args, kwargs, scope)
        converted = conversion.convert_function(function, self._conversion_options)
        if owner is None:
            return converted
        return cast("Callable[..., Any]", MethodType(converted, owner))

    # ---- finding and making traces -----------------------------------------------------------

    def _find(self, arguments: Arguments) -> ConcreteFunction | None:
        concrete = self._table.get(arguments.key)
        if concrete is None:
            concrete = next((c for c in self._general if _accepts(c, arguments)), None)
        if concrete is not None and concrete.guards_hold():
            return concrete
        return None

    def _trace(
        self, bound: dict[str, Any], arguments: Arguments
    ) -> tuple[Arguments, ConcreteFunction]:
        with _trace_lock:
            concrete = self._find(arguments)  # another thread may have been faster
            if concrete is not None:
                return arguments, concrete
            reason = self._reason(arguments)
            if getattr(_retraces_allowed, "no", 0) and self._trace_count:
                raise RuntimeError(f"{self.__qualname__} would be traced again: {reason}")
            self._warn_of_retracing(reason)
            arguments = self._with_new_ints(bound, arguments)
            began = time.perf_counter()
            general = self._generalised(arguments)
            concrete = self._make(bound, general, reason)
            concrete.relaxed = general.keys != arguments.keys
            concrete.milliseconds = 1e3 * (time.perf_counter() - began)
            if not concrete._traced.raised:
                self._keep(concrete if concrete.following is None else concrete.following)
            config.log(
                1,
                lambda: f"trace #{self._trace_count} of {self.__qualname__} "
                f"({concrete.milliseconds:.1f} ms): {reason}",
            )
            config.log(2, lambda: str(concrete.graph))
            # Ints whose values the trace needed are constants by now.
            return self._classify(bound), concrete

    def _warn_of_retracing(self, reason: str) -> None:
        """Say so, twice at most, when at least 5 of the last 10 calls traced, and why."""
        traced = sum(self._recent)
        if traced < 5 or self._warnings >= 2:
            return
        self._warnings += 1
        self._recent.clear()
        _log.warning(
            "%s was traced at %d of the last 10 calls, which costs far more than a call. Last: %s. "
            "Pass numbers as NumPy scalars and arrays of few shapes, or use "
            "reduce_retracing=True or an input_signature; `explain()` lists all traces.",
            self.__qualname__, traced, reason,
        )  # fmt: skip

    def _with_new_ints(self, bound: dict[str, Any], arguments: Arguments) -> Arguments:
        """Make run-time inputs of the ints that come with a second value."""
        policy, changed = self._policy, []
        for path, leaf, key in zip(arguments.paths, arguments.leaves, arguments.keys, strict=True):
            if not isinstance(key, tuple) or key[0] is not int or path in policy.fixed:
                continue
            if policy.seen.setdefault(path, leaf) != leaf:
                changed.append(path)
        if not changed:
            return arguments
        policy.inputs.update(changed)
        return self._classify(bound)

    def _make(self, bound: dict[str, Any], arguments: Arguments, reason: str) -> ConcreteFunction:
        try:
            return self._traced(arguments, reason)
        except StagingError:
            pairs = zip(arguments.paths, arguments.keys, strict=True)
            ints = [path for path, key in pairs if key == ("int",)]
            if not ints:
                raise
            # The trace needs their values: they are constants from now on.
            self._policy.inputs.difference_update(ints)
            self._policy.fixed.update(ints)
            again = self._classify(bound)
            return self._traced(again, reason)

    def _traced(self, arguments: Arguments, reason: str) -> ConcreteFunction:
        traced = self._run_trace(arguments, self._may_create(arguments))
        following = None
        if traced.created:
            self._initial += [(weakref.ref(v), v.numpy()) for v in traced.created]
            # As it will be from the second call on, when the variables exist.
            with traced.afterwards():
                following = self._run_trace(arguments, False)
        self._trace_count += not traced.raised
        traced.arguments = traced.arguments.without_values()
        if traced.stages_nothing and not self._warned:
            self._warned = True
            why = _why_nothing(arguments)
            config.log(1, lambda: f"{self.__qualname__}: nothing is staged, {why}")
        concrete = ConcreteFunction(self, traced, reason)
        if following is not None:
            following.arguments = traced.arguments
            concrete.following = ConcreteFunction(self, following, reason)
        return concrete

    def _may_create(self, arguments: Arguments) -> bool:
        """Whether variables may be made: on the first trace, for each object passed."""
        objects = [k for k in arguments.keys if isinstance(k, Identity)]
        if not objects:
            return self._trace_count == 0
        return all(
            objects != [k for k in c._traced.arguments.keys if isinstance(k, Identity)]
            for c in self._table.values()
        )

    def _run_trace(self, arguments: Arguments, may_create: bool) -> tracing.Traced:
        try:
            return tracing.trace_call(
                self._callable(),
                self._bind.call_arguments,
                arguments,
                name=self.__name__,
                prints=self._options.prints,
                pure=self._options.pure,
                may_create=may_create,
            )
        except HostCallError as error:
            if error.staged or arguments.inputs():
                raise
            return tracing.plain_python(arguments, error.what)

    def _keep(self, concrete: ConcreteFunction) -> None:
        table = dict(self._table)
        table.pop(concrete._traced.arguments.key, None)
        limit = max(config.cache_size.value, 1)
        while len(table) >= limit:
            oldest = next((k for k, c in table.items() if not c.used), next(iter(table)))
            for other in table.values():
                other.used = False
            del table[oldest]
        table[concrete._traced.arguments.key] = concrete
        kept = set(map(id, table.values()))
        self._table = table
        self._fast = {k: c for k, c in self._fast.items() if id(c) in kept}
        general = [c for c in self._general if id(c) in kept]
        if _is_general(concrete):
            general.append(concrete)
        self._general = sorted(general, key=_unknown_dimensions)

    def _reason(self, arguments: Arguments) -> str:
        if not self._table:
            return "first call"
        stale = self._table.get(arguments.key)
        if stale is not None:
            return "; ".join(stale.broken_guards()) or "what it read from outside changed"
        nearest = min(
            self._table.values(), key=lambda c: len(differences(c._traced.arguments, arguments))
        )
        return "; ".join(differences(nearest._traced.arguments, arguments)) or "new arguments"

    def _generalised(self, arguments: Arguments) -> Arguments:
        """With `reduce_retracing`, dimensions of which a second size comes are left open."""
        if not self._options.reduce_retracing:
            return arguments
        keys = arguments.keys
        for concrete in self._table.values():
            merged = _merge_keys(concrete._traced.arguments, arguments)
            if merged is not None:
                keys = merged
                break
        return Arguments(arguments.structure, arguments.leaves, arguments.paths, keys)

    def _classify(self, bound: dict[str, Any]) -> Arguments:
        """The arguments taken apart; dimensions that the input signature leaves open are open."""
        arguments = classify(bound, self._policy)
        if self._options.input_signature is None:
            return arguments
        specs = tree.leaves({**bound, **self._declared(bound)})
        keys = tuple(map(_declared_key, arguments.keys, specs))
        return replace(arguments, keys=keys)

    def _declared(self, bound: dict[str, Any]) -> dict[str, Any]:
        """Names of the parameters that the input signature speaks of, to their specs."""
        specs = self._options.input_signature or ()
        names = [n for n in bound if n != "self" or not isinstance(self._target, MethodType)]
        names = names[-len(specs) :] if len(specs) < len(names) and names[:1] == ["self"] else names
        return dict(zip(names, specs, strict=False))

    def _conform(self, bound: dict[str, Any]) -> dict[str, Any]:
        """Arguments as the input signature wants them; TypeError where they do not fit."""
        result = dict(bound)
        for name, spec in self._declared(bound).items():
            if isinstance(spec, TensorSpec) and isinstance(bound[name], (list, tuple)):
                result[name] = _conform_leaf(bound[name], spec, name, self.__name__)
                continue
            leaves, structure = tree.flatten(bound[name])
            wanted = tree.leaves(spec)
            if len(leaves) != len(wanted):
                raise TypeError(f"{self.__name__}: `{name}` does not have the structure of {spec}")
            parts = [
                _conform_leaf(x, s, name, self.__name__)
                for x, s in zip(leaves, wanted, strict=True)
            ]
            result[name] = tree.unflatten(structure, parts)
        return result

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The graph for arguments like these: values, or a `TensorSpec` in an array's place."""
        if not args and not kwargs and self._options.input_signature is not None:
            args = self._options.input_signature
        bound = self._bind.bind(args, kwargs)
        arguments = self._classify(bound)
        concrete = self._find(arguments)
        if concrete is None:
            with shortened():
                _, concrete = self._trace(bound, arguments)
        if concrete.following is not None:
            concrete._traced.settle()
            return concrete.following
        return concrete


def _why_nothing(arguments: Arguments) -> str:
    if not arguments.inputs():
        return "since no argument is an array, a tensor or a float"
    return "since no result and no effect depends on its arrays"


def _accepts(concrete: ConcreteFunction, arguments: Arguments) -> bool:
    mine = concrete._traced.arguments
    if mine.structure != arguments.structure:
        return False
    if concrete.relaxed and any(map(_has_small_size, mine.keys, arguments.keys)):
        return False
    return all(_key_accepts(a, b) for a, b in zip(mine.keys, arguments.keys, strict=True))


def _has_small_size(general: Any, key: Any) -> bool:
    """Whether a size of 0 or 1 meets an open dimension: broadcasting changes there."""
    if general == key or not (is_input_key(general) and is_input_key(key)):
        return False
    wanted, given = type_of_key(general).shape, type_of_key(key).shape
    if wanted is None or given is None or len(wanted) != len(given):
        return False
    return any(
        d is None and n is not None and n < 2 for d, n in zip(wanted, given, strict=True)
    )


def _key_accepts(general: Any, key: Any) -> bool:
    if general == key:
        return True
    if not (is_input_key(general) and is_input_key(key)):
        return False
    wanted, given = type_of_key(general), type_of_key(key)
    if (general[0] == "tensor") != (key[0] in ("tensor", "weak")):
        return False
    return is_compatible(wanted, given)


def _is_general(concrete: ConcreteFunction) -> bool:
    return any(
        not type_of_key(k).is_static for k in concrete._traced.arguments.keys if is_input_key(k)
    )


def _unknown_dimensions(concrete: ConcreteFunction) -> int:
    count = 0
    for key in concrete._traced.arguments.keys:
        if is_input_key(key):
            shape = type_of_key(key).shape
            count += 100 if shape is None else sum(d is None for d in shape)
    return count


def _merge_keys(old: Arguments, new: Arguments) -> tuple[Any, ...] | None:
    """Keys that cover both, differing dimensions open; None when more than dimensions differ."""
    if old.structure != new.structure:
        return None
    merged = []
    for a, b in zip(old.keys, new.keys, strict=True):
        if a == b:
            merged.append(a)
            continue
        if not (is_input_key(a) and is_input_key(b)) or a[:-1] != b[:-1]:
            return None
        if not isinstance(a[-1], tuple) or not isinstance(b[-1], tuple) or len(a[-1]) != len(b[-1]):
            return None
        # Sizes 0 and 1 get traces of their own: broadcasting changes there.
        if any(m != n and n is not None and n < 2 for m, n in zip(a[-1], b[-1], strict=True)):
            return None
        sizes = zip(a[-1], b[-1], strict=True)
        merged.append((*b[:-1], tuple(n if m == n else None for m, n in sizes)))
    return tuple(merged)


def _declared_key(key: Any, spec: Any) -> Any:
    """The key of an argument with the dimensions open that its spec leaves open.

    Sizes 0 and 1 keep traces of their own: broadcasting changes there.
    """
    if not isinstance(spec, TensorSpec) or spec.shape is None or not is_input_key(key):
        return key
    if not isinstance(key[-1], tuple) or len(key[-1]) != len(spec.shape):
        return key
    sizes = zip(key[-1], spec.shape, strict=True)
    shape = tuple(None if d is None and (n is None or n >= 2) else n for n, d in sizes)
    return (*key[:-1], shape)


def _conform_leaf(x: Any, spec: Any, name: str, function: str) -> Any:
    if not isinstance(spec, TensorSpec) or isinstance(x, TensorSpec):
        return x
    if not isinstance(x, (Tensor, np.ndarray, np.generic)):
        x = np.asarray(x)
        if not np.can_cast(x.dtype, spec.dtype, "same_kind"):
            raise TypeError(f"{function}: `{name}` must be {spec.type}, but {x.dtype} was given")
        x = x.astype(spec.dtype)
    given = x.type if isinstance(x, Tensor) else TensorType(x.dtype, x.shape)
    if not is_compatible(spec.type, given):
        raise TypeError(
            f"{function}: `{name}` must be {spec.type} by its input_signature, "
            f"but {given} was given"
        )
    return x


class BoundFunction(Generic[P, R]):
    """A Function that is a method, bound to its object."""

    def __init__(self, function: Any, instance: Any) -> None:
        self._function = function
        self.__self__ = instance
        self.__func__ = function
        self.__wrapped__ = MethodType(function.python_function, instance)
        self.__name__: str = function.__name__
        self.__doc__ = function.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the graph for the object and the arguments."""
        try:
            return cast(R, self._function(self.__self__, *args, **kwargs))
        except BaseException as error:
            shorten(error)
            raise

    def __ag_call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._function.__ag_call__((self.__self__, *args), kwargs)

    @property
    def python_function(self) -> Callable[P, R]:
        """The method as the user wrote it."""
        return cast("Callable[P, R]", self.__wrapped__)

    def get_initialization_function(self, *args: Any, **kwargs: Any) -> Callable[[], None]:
        """As of the Function, for the object."""
        return cast(
            "Callable[[], None]",
            self._function.get_initialization_function(self.__self__, *args, **kwargs),
        )

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., str]:
        """As of the Function, for the object."""
        return self.get_concrete_function(*args, **kwargs).lower

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundFunction)
            and self.__self__ is other.__self__
            and self._function is other._function
        )

    def __hash__(self) -> int:
        return hash((id(self.__self__), id(self._function)))

    def __reduce__(self) -> Any:
        return (getattr, (self.__self__, self.__name__))

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The graph for the object and arguments like these."""
        return cast(
            ConcreteFunction, self._function.get_concrete_function(self.__self__, *args, **kwargs)
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


def _converted(function: Any, options: _Options) -> Any:
    """How a Function is pickled whose name is that of the plain function."""
    return Function(function, options)


def _found_by_name(module: str, qualname: str) -> Any:
    try:
        return _by_name(module, qualname)
    except (ImportError, AttributeError):
        return None


def _by_name(module: str, qualname: str) -> Any:
    """The Function called `qualname` in `module`: how a Function is pickled."""
    found: Any = importlib.import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part)
    return found


@overload
def convert(function: Callable[P, R], /) -> Function[P, R]: ...
@overload
def convert(
    *,
    input_signature: Sequence[Any] | None = ...,
    reduce_retracing: bool = ...,
    recursive: bool = ...,
    autograph: bool = ...,
    native: bool | None = ...,
    device: str | None = ...,
    prints: str = ...,
    returns: str | None = ...,
    pure: bool = ...,
    **experimental: Any,
) -> Callable[[Callable[P, R]], Function[P, R]]: ...
@overload
def convert(function: Callable[P, R], /, **options: Any) -> Function[P, R]: ...
def convert(function: Any = None, /, **options: Any) -> Any:
    """Convert a Python callable: its control flow on arrays becomes a graph.

    As a decorator with or without options, or as a function of any callable. Options:
    `input_signature` (a sequence of `TensorSpec`: all calls share one graph), `reduce_retracing`
    (leave dimensions open that come with a second size), `recursive` (convert callees too),
    `autograph` (False: trace without converting), `prints` ("graph", or "trace" to print while
    tracing only), `returns` ("tensor" or "numpy"; by default results follow the arguments), `pure`
    (leave the caller's arrays as they were), `native`, `device`.

    Raises ConversionError for code that cannot be converted, TypeError for an unknown option.

    >>> import numpy as np
    >>> import autograph as ag
    >>> @ag.convert
    ... def collatz(n):
    ...     steps = 0
    ...     while n != 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         steps += 1
    ...     return steps
    >>> collatz(np.int64(27))
    111
    """
    checked = _check_options(options)
    if function is None:
        return lambda target: convert(target, **options)
    if isinstance(function, Function):
        return Function(function._target, checked) if options else function
    if isinstance(function, BoundFunction):
        inner = convert(function._function, **options) if options else function._function
        return BoundFunction(inner, function.__self__)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(convert(function.__func__, **options))
    if not callable(function):
        raise TypeError(f"cannot convert {function!r}: it is not callable")
    with shortened():
        return Function(function, checked)


class no_retrace:
    """Within this context, a call that would trace a Function again raises RuntimeError.

    >>> import numpy as np
    >>> import autograph as ag
    >>> f = ag.convert(lambda x: x + 1)
    >>> f(np.zeros(2))
    array([1., 1.])
    >>> with ag.no_retrace():
    ...     f(np.zeros(3))
    Traceback (most recent call last):
    RuntimeError: <lambda> would be traced again: `x`: float64[2] -> float64[3]
    """

    def __enter__(self) -> None:
        _retraces_allowed.no = getattr(_retraces_allowed, "no", 0) + 1

    def __exit__(self, *details: object) -> None:
        _retraces_allowed.no -= 1


