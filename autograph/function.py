"""`convert`: a Python function as a `Function` of many graphs, one per signature of arguments."""

from __future__ import annotations

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
from contextlib import AbstractContextManager, nullcontext
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

from autograph import conversion, replay, tracing
from autograph.concrete import ConcreteFunction, ReadOnlyTarget
from autograph.generated import Options
from autograph.matching import (
    accepts,
    conform_leaf,
    declared_key,
    is_general,
    merge_keys,
    unknown_dimensions,
)
from autograph.operators.calls import converted_call
from autograph.operators.captures import current_trace
from autograph.operators.scope import ConversionOptions, FunctionScope
from autograph.options import Binding, FunctionOptions, check_options, without_partials
from autograph.signature import (
    Arguments,
    ArraySpec,
    Identity,
    IntPolicy,
    classify,
    differences,
    fast_key,
    is_input_key,
)
from autograph.tracebacks import shorten, shortened
from runtime import config, tree
from runtime.attention import count as _attention
from runtime.building import building
from runtime.devices import device
from runtime.errors import HostCallError, StagingError
from runtime.execute.native.miss import MISS
from runtime.origins import hide_frames_of
from runtime.spec import TensorSpec
from runtime.tensor import Tensor

__all__ = ["BoundFunction", "Function", "convert", "no_retrace"]

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
# More signatures than these are told apart by a table, which takes half a microsecond.
_MOST_BUILTINS = 4


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

    # What traced arrays are: whether they stand for tensors (None: if an argument is one), and for
    # tensors of which class.
    _stands_for_tensors: bool | None = None
    _tensor_class: type[Tensor] = Tensor
    _array_class: type[Tensor] = Tensor

    def __init__(self, target: Callable[P, R], options: FunctionOptions) -> None:
        self._target: Any = target
        self._options = options
        self._bind = Binding(target)
        self._table: dict[Any, ConcreteFunction] = {}
        self._fast: dict[Any, ConcreteFunction] = {}
        # Compiled graphs that look at the arguments themselves.
        self._builtins: tuple[Callable[..., Any], ...] = ()
        self._general: list[ConcreteFunction] = []
        self._policy = IntPolicy(set(), set(), {})
        self._trace_count = 0
        # Of the last calls that were looked up: whether they traced; and warnings given.
        self._recent: deque[bool] = deque(maxlen=10)
        self._warnings = 0
        self._warned = False
        self._initial: list[tuple[Any, Any]] = []
        self.__wrapped__ = target
        named = without_partials(target)
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
            self._builtins = ()

    def explain(self) -> str:
        """Which graphs there are, why each was traced, and what was not staged."""
        lines = [f"{self.__qualname__}: {self._trace_count} trace(s)"]
        for concrete in self._table.values():
            lines.append(f"- {concrete.function_type}")
            lines.append(f"  traced because: {concrete.reason} ({concrete.milliseconds:.1f} ms)")
            lines += [f"  {note}" for note in concrete._traced.notes]
            lines += [f"  {note}" for note in concrete.execution]
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
            return (_converted, (found, self._options, type(self)))
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
                for builtin in self._builtins:
                    result = builtin(*args)
                    if result is not MISS:
                        return result  # type: ignore[no-any-return]
                key = fast_key(args, self._policy.inputs, self._bind.positional)
                concrete = self._fast.get(key)
                if concrete is not None:
                    concrete.used = True
                    if concrete.is_direct:
                        return concrete._run(*args)[0]  # type: ignore[no-any-return]
                    return concrete.run_simple(args)  # type: ignore[no-any-return]
            return self._call(args, kwargs)  # type: ignore[no-any-return]
        except ReadOnlyTarget:
            pass
        except BaseException as error:
            shorten(error)
            raise
        with shortened():
            return cast("R", self._target(*args, **kwargs))

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if building() is not None:
            return self.__ag_call__(args, kwargs)
        if config.run_functions_eagerly.value:
            with self._placing():
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
            return self._run_unstaged(concrete, args, kwargs)
        self._remember_fast(args, kwargs, concrete)
        leaves = [
            x for x, key in zip(arguments.leaves, arguments.keys, strict=True) if is_input_key(key)
        ]
        if not concrete._traced.changes_containers:
            return concrete.run(leaves)
        replay.refuse_shared_containers(given, self.__name__)
        with replay.calling_with(given):
            return concrete.run(leaves)

    def _run_unstaged(
        self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """A call of which nothing is left to a graph: plain Python."""
        with self._placing():
            return self._target(*args, **kwargs)

    def _placing(self) -> AbstractContextManager[Any]:
        """The context of the option `device`."""
        name = self._options.device
        return nullcontext() if name is None else device(name)

    def _remember_fast(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], concrete: ConcreteFunction
    ) -> None:
        if kwargs or not self._bind.simple or len(args) != len(self._bind.positional):
            return
        if self._options.input_signature is not None or not concrete.is_simple:
            return
        if concrete._traced.arguments.device is not None:
            return  # it is for calls within a `with device(...)`, which do not come that way
        key = fast_key(args, self._policy.inputs, self._bind.positional)
        if key is not None and all(is_input_key(k) for k in key):
            if len(self._fast) >= 4 * config.cache_size.value:
                self._fast = {}
            self._fast = {**self._fast, key: concrete}
            self._set_builtins()

    def _set_builtins(self) -> None:
        """The builtins of the graphs that serve the last calls, special ones first."""
        found = dict.fromkeys(self._fast.values())
        ordered = sorted(found, key=lambda c: unknown_dimensions(c._traced.arguments))
        builtins = [c.builtin for c in ordered if c.builtin is not None]
        self._builtins = tuple(builtins[:_MOST_BUILTINS])

    def __ag_call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call from converted code: while tracing, the function is traced into the caller."""
        if building() is None:
            return self(*args, **kwargs)
        with self._placing():
            return self._callable()(*args, **kwargs)

    def _callable(self) -> Callable[..., Any]:
        """What a trace runs: the converted function."""
        if not self._options.autograph:
            return cast("Callable[..., Any]", self._target)
        function, owner = conversion.underlying_function(self._target)
        if function is None:
            options = ConversionOptions(recursive=self._options.recursive, user_requested=True)
            scope = FunctionScope("call", "fscope", options)
            return functools.partial(self._call_target, scope)
        converted = conversion.convert_function(function, self._conversion_options)
        if owner is None:
            return converted
        return cast("Callable[..., Any]", MethodType(converted, owner))

    def _call_target(self, scope: FunctionScope, *args: Any, **kwargs: Any) -> Any:
        trace = current_trace()
        if trace is not None:
            trace.add_outside(self._target)
        return converted_call(self._target, args, kwargs, scope)

    # ---- finding and making traces -----------------------------------------------------------

    def _find(self, arguments: Arguments, exactly: bool = False) -> ConcreteFunction | None:
        concrete = self._table.get(arguments.key)
        if concrete is None and not exactly:
            concrete = next(
                (c for c in self._general if accepts(c._traced.arguments, c.relaxed, arguments)),
                None,
            )
        if concrete is not None and concrete.guards_hold():
            return concrete
        return None

    def _trace(
        self, bound: dict[str, Any], arguments: Arguments, exactly: bool = False
    ) -> tuple[Arguments, ConcreteFunction]:
        with _trace_lock:
            concrete = self._find(arguments, exactly)  # another thread may have been faster
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
                lambda: (
                    f"trace #{self._trace_count} of {self.__qualname__} "
                    f"({concrete.milliseconds:.1f} ms): {reason}"
                ),
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
        concrete = self._concrete(traced, reason)
        if following is not None:
            following.arguments = traced.arguments
            concrete.following = self._concrete(following, reason)
        return concrete

    def _concrete(self, traced: tracing.Traced, reason: str) -> ConcreteFunction:
        return ConcreteFunction(
            self.__name__,
            self._bind,
            self._options.returns,
            traced,
            reason,
            self._tensor_class,
            self._options.native,
        )

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
            with self._placing():
                return tracing.trace_call(
                    self._callable(),
                    self._bind.call_arguments,
                    arguments,
                    name=self.__name__,
                    prints=self._options.prints,
                    pure=self._options.pure,
                    may_create=may_create,
                    tensors=self._stands_for_tensors,
                    tensor_class=self._tensor_class,
                    array_class=self._array_class,
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
        self._set_builtins()
        general = [c for c in self._general if id(c) in kept]
        if is_general(concrete._traced.arguments):
            general.append(concrete)
        self._general = sorted(general, key=lambda c: unknown_dimensions(c._traced.arguments))

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
            merged = merge_keys(concrete._traced.arguments, arguments)
            if merged is not None:
                keys = merged
                break
        return arguments._replace(keys=keys)

    def _classify(self, bound: dict[str, Any]) -> Arguments:
        """The arguments taken apart; dimensions that the input signature leaves open are open."""
        arguments = classify(bound, self._policy)
        if self._options.device is not None:
            arguments = arguments._replace(device=None)  # the same for all calls
        if self._options.input_signature is None:
            return arguments
        specs = tree.leaves({**bound, **self._declared(bound)})
        keys = tuple(map(declared_key, arguments.keys, specs))
        return arguments._replace(keys=keys)

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
                result[name] = conform_leaf(bound[name], spec, name, self.__name__)
                continue
            leaves, structure = tree.flatten(bound[name])
            wanted = tree.leaves(spec)
            if len(leaves) != len(wanted):
                raise TypeError(f"{self.__name__}: `{name}` does not have the structure of {spec}")
            parts = [
                conform_leaf(x, s, name, self.__name__) for x, s in zip(leaves, wanted, strict=True)
            ]
            result[name] = tree.unflatten(structure, parts)
        return result

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The graph for arguments like these: values, or a `TensorSpec` in an array's place."""
        if not args and not kwargs and self._options.input_signature is not None:
            args = self._options.input_signature
        return self._found_or_traced(self._bind.bind(args, kwargs))

    def _found_or_traced(self, bound: dict[str, Any], exactly: bool = False) -> ConcreteFunction:
        arguments = self._classify(bound)
        concrete = self._find(arguments, exactly)
        if concrete is None:
            with shortened():
                _, concrete = self._trace(bound, arguments, exactly)
        if concrete.following is not None:
            concrete._traced.settle()
            return concrete.following
        return concrete

    def _trace_declared(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[ConcreteFunction, tuple[bool, ...]]:
        """The graph for arrays like the specs among arguments, and which leaves are specs."""
        bound = tree.map_structure(_as_array_spec, self._bind.bind(args, kwargs))
        declared = tuple(isinstance(leaf, TensorSpec) for leaf in tree.leaves(bound))
        return self._found_or_traced(bound, exactly=True), declared


def _as_array_spec(leaf: Any) -> Any:
    return ArraySpec(leaf.shape, leaf.dtype, leaf.name) if type(leaf) is TensorSpec else leaf


def _why_nothing(arguments: Arguments) -> str:
    if not arguments.inputs():
        return "since no argument is an array, a tensor or a float"
    return "since no result and no effect depends on its arrays"


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


def _converted(function: Any, options: FunctionOptions, kind: type[Any]) -> Any:
    """How a Function is pickled whose name is that of the plain function."""
    return kind(function, options)


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
    checked = check_options(options)
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
