"""`convert`: a Python function as a `Function` of many graphs, one per signature of arguments."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from types import FunctionType, MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

from autograph.frontend import conversion
from autograph.operators.calls.adoption import Adopted
from autograph.operators.calls.recursion import run_function
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.defaults import with_defaults
from autograph.syntax.carried import keep_sources, sources_of
from autograph.tools.kernel_profiling import KernelProfile, profiled_kernels
from autograph.tools.profiling import Profile, profiled
from autograph.tools.timing import Stats, timed
from autograph.tools.trace_facts import Explanation, TraceTable, explained
from autograph.tracing.concrete import MISS, ConcreteFunction, LeftToPython
from autograph.tracing.fast_path import call_key, entry_of, like_entry_of, loosened
from autograph.tracing.kept_traces import KeptTraces
from autograph.tracing.left_calls import LeftCalls, size_of
from autograph.tracing.options import FunctionOptions, check_options
from autograph.tracing.signature import Arguments, ArraySpec, Identity, classify, is_input_key
from autograph.tracing.tracebacks import shorten, shortened
from autograph.tracing.traces import Traces, retraces_allowed, trace_lock
from autograph.tracing.trials import Trial
from runtime import config
from runtime.building import building
from runtime.effects.left_runs import LeftRuns
from runtime.effects.taken_ahead import note_what_is_ahead, warn_of_what_is_ahead
from runtime.errors import GraphLimit, StagingError
from runtime.graph.work import Work, work_of
from runtime.markup import code
from runtime.origins import hide_frames_of
from runtime.passes import optimize
from runtime.process.dispatch_flag import count as _attention
from runtime.process.forks import whole
from runtime.process.pickling import reduced
from runtime.spec import TensorSpec
from runtime.structure import tree

__all__ = ["BoundFunction", "Function", "convert", "no_retrace", "profile"]

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
# Of `__get__`, whose own parameters must not be those of the class.
Q = ParamSpec("Q")
T = TypeVar("T")
hide_frames_of(__file__.rpartition("/")[0])


class Function(Traces, Generic[P, R]):
    """A converted Python function: one graph per signature of its arguments.

    Made by `convert`. Calling it traces the function the first time that a signature comes, and
    runs the graph of that signature from then on.

    >>> import numpy as np
    >>> import autograph as ag
    >>> f = ag.convert(lambda x: x + 1)
    >>> f(np.zeros(2)), f(np.ones(2)), f.trace_count
    (array([1., 1.]), array([2., 2.]), 1)
    """

    def __init__(self, target: Callable[P, R], options: FunctionOptions) -> None:
        super().__init__(target, options)
        self._check_convertible()

    def _check_convertible(self) -> None:
        """Refuse at once what can never be converted: S19 says where and why."""
        function, _ = conversion.underlying_function(self._target)
        if self._is_converted and function is not None:
            conversion.convert_function(function, self._conversion_options)

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
        return self._binding.signature

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
        """The graphs that the function has now; each has a `reason` why it was traced.

        Shown as a table: number, signature, reason, and what tracing cost in milliseconds.
        """
        return TraceTable(self._table)

    def stats(self, *args: P.args, **kwargs: P.kwargs) -> Stats:
        """What tracing has cost; with arguments, also what calls cost with and without a graph.

        It is measured now, by a first call, as of a function just decorated, and a few later ones,
        which have their effects. `break_even` is the call with which the graph has paid.

        >>> import autograph as ag
        >>> f = ag.convert(lambda x: x * x)
        >>> f(2.0), f.stats().traces, f.stats(2.0).break_even is not None
        (4.0, 1, False)
        """
        made = Stats(self._trace_count, sum(c.milliseconds for c in self._table))
        if not args and not kwargs and self._binding.signature.parameters:
            return made
        fresh = type(self)(self._target, self._options)
        first, later = timed(lambda: fresh(*args, **kwargs))
        _, plain = timed(lambda: self._target(*args, **kwargs))
        return made._replace(first_call=first, call=later, plain_call=plain)

    def profile(self, *args: P.args, **kwargs: P.kwargs) -> Profile:
        """Call the function node by node, and tell what each operation of each line costs.

        As `ag.profile`, which takes any function.

        >>> import numpy as np
        >>> import autograph as ag
        >>> f = ag.convert(lambda x: np.sin(x) + x)
        >>> sorted((c.operation, c.bytes) for c in f.profile(np.ones(1000)).costs)
        [('add', 8000), ('sin', 8000)]
        """
        fresh = type(self)(self._target, self._options)
        return profiled(lambda: fresh(*args, **kwargs))

    def profile_kernels(self, *args: P.args, **kwargs: P.kwargs) -> KernelProfile:
        """Call the function natively, twice, and tell what each kernel of the second call costs.

        A kernel is what runs over elements without anything of the user's in between: many
        operations, often of several lines. The clock is read around each, some tens of cycles, so
        kernels of few elements look slower than they are. Raises ValueError where nothing of the
        function is native code.

        >>> import numpy as np
        >>> import autograph as ag
        >>> f = ag.convert(lambda x: (np.sin(x) + x) * 2)
        >>> [(kernel.what, kernel.calls) for kernel in f.profile_kernels(np.ones(1000)).kernels]
        [('loop over 1000 -> a', 1.0)]
        """
        fresh = type(self)(self._target, self._options)
        return profiled_kernels(lambda: fresh(*args, **kwargs))

    def cost(self, *args: Any, **kwargs: Any) -> Work:
        """How many operations a call takes, and how many bytes go in and out; it is not called.

        An array may be given as a `TensorSpec`. The count is that of the graph after all passes:
        an operation on an element counts one, a product that is added to a sum two; the body of a
        loop whose rounds only the run tells is counted once, and the loop is in `open_loops`.
        Raises ValueError where a size is not known.

        >>> import numpy as np
        >>> import autograph as ag
        >>> f = ag.convert(lambda x, w: np.tanh(x @ w))
        >>> f.cost(np.ones((3, 4)), np.ones((4, 5)))
        Work(flops=135, bytes=376, open_loops=())
        """
        fresh = type(self)(self._target, self._options)
        return work_of(optimize(fresh.get_concrete_function(*args, **kwargs).graph))

    def cache_info(self) -> dict[str, int]:
        """Number of traces made, kept, and allowed."""
        return {
            "traces": self._trace_count,
            "size": len(self._table),
            "maxsize": config.cache_size.value,
        }

    def cache_clear(self) -> None:
        """Forget all graphs."""
        with whole, trace_lock:
            self._table, self._fast, self._general = KeptTraces(), {}, []
            self._likes, self._builtins, self._named = {}, (), {}
            self._left = LeftCalls()
            self._sizes.forget()

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """Of each trace: why it was made, what is staged, unrolled and left, what is guarded.

        With arguments, or a `TensorSpec` for an array, of the trace for these, which is made
        if there is none; the function is not called.
        """
        traces: list[ConcreteFunction] = list(self._table)
        if args or kwargs or not (traces or self._binding.signature.parameters):
            traces = [self.get_concrete_function(*args, **kwargs)]
        function, _ = conversion.underlying_function(self._target)
        filename = "" if function is None else conversion.filename_of(function)
        return explained(self.__qualname__, filename, self._trace_count, traces)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all graphs."""
        return "\n\n".join(c.pretty_printed_signature(verbose) for c in self._table)

    def __repr__(self) -> str:
        return f"<Function {self.__qualname__}>"

    def _repr_html_(self) -> str:
        traces = TraceTable(self._table)
        return f"Function {code(self.__qualname__)}: {traces._repr_html_()}"

    def __reduce__(self) -> Any:
        made_of = self._target, self._options, type(self)
        return reduced(self, _converted, *made_of, beside=sources_of)

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
            if not _attention[0]:
                if not kwargs:
                    for builtin in self._builtins:
                        result = builtin(*args)
                        if result is not MISS:
                            return result  # type: ignore[no-any-return]
                elif named := self._named.get((*kwargs,)):
                    for builtin in named:
                        result = builtin(*args, *kwargs.values())
                        if result is not MISS:
                            return result  # type: ignore[no-any-return]
                left = self._left
                if (
                    (left.kinds and not kwargs and tuple(map(type, args)) in left.kinds)
                    or (left.outlines and self._has_outline_left(args, kwargs))
                    or (self._fruitless > 0 and self._is_of_own_values(args, kwargs))
                ):
                    try:
                        return self._target(*args, **kwargs)  # type: ignore[no-any-return]
                    except GraphLimit as error:  # of another converted function that it calls
                        error.is_final = True
                        raise
                leaves: list[Any] = []
                policy, names = self._policy, self._bind.positional
                key = call_key(
                    args, kwargs, policy.inputs, names, leaves, policy.nests, policy.closed
                )
                for entry in self._fast.get(key, ()):
                    if entry.direct is not None:
                        entry.concrete.used = True
                        result = entry.direct(*leaves)[0]
                    if entry.direct is None or result is MISS:
                        result = entry.run(leaves, args, kwargs)
                        self._fruitless += entry.is_fruitless
                    if result is not MISS:
                        return result  # type: ignore[no-any-return]
                if self._likes and key is not None:
                    for like in self._likes.get(loosened(key), ()):
                        result = like.run(leaves, args, kwargs)
                        if result is not MISS:
                            return result  # type: ignore[no-any-return]
            return self._call(args, kwargs)  # type: ignore[no-any-return]
        except LeftToPython as left:
            self._tell_left(left.why)
            has_own = False
        except (GraphLimit, StagingError) as error:
            has_own = self._has_own_shape(error, args, kwargs)
            if not (has_own or self._may_begin_again(error, args, kwargs)):
                note_what_is_ahead(error)
                shorten(error)
                raise
        except BaseException as error:
            note_what_is_ahead(error)
            shorten(error)
            raise
        with shortened():
            if has_own:
                return cast("R", self._call_by_own_shape(args, kwargs))
            warn_of_what_is_ahead()
            return cast("R", self._run_python(args, kwargs))

    def _has_own_shape(
        self, error: GraphLimit | StagingError, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> bool:
        """Whether a trace of open sizes could not go on where one of this shape may.

        That shape has a trace of its own from now on.
        """
        relaxed = [concrete for concrete in self._table if concrete.relaxed]
        if building() is not None or not relaxed or not all(c.begins_again for c in relaxed):
            return False
        bound = self._binding.bind(args, kwargs)
        arguments = self._classify(bound if self.input_signature is None else self._conform(bound))
        concrete = self._find(arguments)
        if self._sizes.is_closed(arguments):  # but the short way led to the trace of open sizes
            if not isinstance(error, GraphLimit) or error.is_final:
                return False
            return concrete is None or concrete.begins_again or concrete._traced.stages_nothing
        if concrete is None or not concrete.relaxed:
            return False
        self._sizes.close(arguments)
        self._drop_fast(lambda entry: entry.concrete.relaxed)
        return True

    def _call_by_own_shape(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that a trace of open sizes could not make."""
        try:
            return self._call(args, kwargs)
        except LeftToPython as left:
            self._tell_left(left.why)
        except GraphLimit as error:
            if not self._may_begin_again(error, args, kwargs):
                raise
        return self._run_python(args, kwargs)

    def _may_begin_again(
        self, error: GraphLimit | StagingError, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> bool:
        """Whether Python may make a call whose graph came to what only Python can do."""
        if building() is not None or not isinstance(error, GraphLimit) or error.is_final:
            return False
        bound = self._binding.bind(args, kwargs)
        bound = bound if self._options.input_signature is None else self._conform(bound)
        arguments = self._classify(bound)
        concrete = self._find(arguments)
        if concrete is None and (found := self._like(arguments)) is not None:
            concrete, _ = found
        if concrete is None or not concrete.begins_again:
            return False
        if not (concrete._traced.replaces_python or self._may_be_plain(arguments, error)):
            return False
        concrete.note_limit()
        if concrete.left_to_python:
            self._forget_fast(concrete)
        return True

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if building() is not None:
            return self.__ag_call__(args, kwargs)
        if config.run_functions_eagerly.value:
            with self._placing():
                return self._target(*args, **kwargs)
        given = self._binding.bind(args, kwargs)
        bound = given if self._options.input_signature is None else self._conform(given)
        arguments = self._classify(bound)
        if self._is_left_to_python(arguments):
            self._note_left(args, kwargs, arguments)
            return self._run_python(args, kwargs)
        concrete, alike = self._find(arguments), None
        if concrete is None and (found := self._like(arguments)) is not None:
            concrete, alike = found
        self._recent.append(concrete is None)
        runs: LeftRuns | None = None
        if concrete is None:
            arguments, concrete, runs = self._trace_called(bound, arguments)
        if concrete.left_to_python:
            concrete.left_to_python -= 1
            return self._run_python(args, kwargs)
        if not _attention[0] and concrete.python is None and self._may_be_left():
            is_left = concrete.is_as_fast_in_python(arguments.leaves)
            concrete.python = self._target if is_left else None
        trial = None if _attention[0] else self._trial_of(concrete, args, kwargs)
        is_its_own = alike is None and not concrete.limits and trial is None
        if is_its_own and (bound is given or _has_same_leaves(bound, given)):
            self._remember_fast(args, kwargs, given, concrete)
        elif alike is not None and bound is given and not concrete.limits:
            self._remember_like(args, kwargs, arguments, concrete)
        if concrete.python is not None and trial is None and not _attention[0]:
            has_objects = any(isinstance(key, Identity) for key in arguments.keys)
            is_always = concrete._traced.stages_nothing and not concrete._traced.reads_outside
            self._left.add(args, kwargs, is_always and not has_objects)
        is_pythons = concrete.python is not None and not _attention[0]
        if is_pythons and runs is not None and runs.is_any:
            return self._run_python_on(runs, concrete, args, kwargs)
        if concrete._traced.stages_nothing:
            return self._run_unstaged(concrete, args, kwargs)
        if is_pythons:
            return self._run_python(args, kwargs)
        leaves = [
            x for x, key in zip(arguments.leaves, arguments.keys, strict=True) if is_input_key(key)
        ]
        if trial is not None and alike is None:
            return self._tried(trial, concrete, leaves, args, kwargs)
        with concrete.holding(given, alike) if concrete.holds_arguments else nullcontext():
            result = concrete.run(leaves, alike)
        concrete.limits = 0
        warn_of_what_is_ahead()
        return result

    def _trial_of(
        self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Trial | None:
        """The trial that a call belongs to, if there is one: of a much larger call, a new one."""
        trial = concrete.trial
        if trial is not None and trial.is_over and size_of(args, kwargs) > 2 * trial.most:
            trial = concrete.trial = Trial()
            concrete.python = None
        return None if trial is None or trial.is_over else trial

    def _tried(
        self,
        trial: Trial,
        concrete: ConcreteFunction,
        leaves: list[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """A call that tells whether the graph or Python is faster."""
        policy, names = self._policy, self._bind.positional

        def graph() -> Any:
            call_key(args, kwargs, policy.inputs, names, [], policy.nests, policy.closed)
            with concrete.holding(self._bind.bind(args, kwargs)):
                found = concrete.run_quickly(leaves) if concrete.is_quick_when_held else MISS
                return concrete.run(leaves) if found is MISS else found

        size = size_of(args, kwargs)
        result = trial.timed(graph, lambda: self._run_python(args, kwargs), size)
        if trial.is_pythons:
            concrete.python = self._target
            self._left.add(args, kwargs, False, 2 * trial.most)
        elif trial.is_over:
            concrete.trial = None
        warn_of_what_is_ahead()
        return result

    def _run_unstaged(
        self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """A call of which nothing is left to a graph."""
        return self._run_python(args, kwargs)

    def _run_python_on(
        self,
        runs: LeftRuns,
        concrete: ConcreteFunction,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """A call that Python makes, after a trace in which code ran that is left alone.

        It does not run again: what the trace gave is the result, or Python goes on from there.
        """
        if runs.given is not None and runs.given[0] is concrete._traced:
            return runs.given[1]
        adopted = Adopted()
        with runs.again(), adopted, self._placing():
            for kind in runs.kinds():
                adopted.adopt(kind)
            return self._callable()(*args, **kwargs)

    def _run_python(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of the function as the user wrote it."""
        try:
            if self._options.device is None:  # most calls: a context takes as long as a small call
                return self._target(*args, **kwargs)
            with self._placing():
                return self._target(*args, **kwargs)
        except GraphLimit as error:  # of another converted function that it calls
            error.is_final = True
            raise

    def _tell_left(self, why: Exception) -> None:
        """Log why calls run as plain Python, each reason once."""
        if isinstance(why, StagingError) and str(why) not in self._told:
            self._told.add(str(why))
            config.log(1, lambda: f"{self.__qualname__}: runs as plain Python: {why}")

    def _remember_fast(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        bound: dict[str, Any],
        concrete: ConcreteFunction,
    ) -> None:
        """Take the short way from the next call on that is written like this one."""
        if not concrete.is_quick_when_held or concrete._traced.arguments.device is not None:
            return  # calls within a `with device(...)` do not come that way
        policy = self._policy
        names, nests, closed = self._bind.positional, policy.nests, policy.closed
        key = call_key(args, kwargs, policy.inputs, names, [], nests, closed)
        known = self._fast.get(key, ())
        if key is None or any(entry.concrete is concrete for entry in known):
            return
        arguments = classify(bound, policy, opens=True)
        entry = entry_of(args, kwargs, self._bind, arguments, concrete, nests, closed)
        if entry is not None:
            full = len(self._fast) >= 4 * config.cache_size.value
            self._fast = {key: (entry,)} if full else {**self._fast, key: (entry, *known)}
            if full or entry.builtin is not None:
                self._set_builtins()

    def _remember_like(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        arguments: Arguments,
        concrete: ConcreteFunction,
    ) -> None:
        """Take the short way from the next call on that is like this one but for its objects."""
        if not concrete.is_quick or arguments.device is not None or self._policy.nests:
            return
        policy = self._policy
        names = self._bind.positional
        key = loosened(call_key(args, kwargs, policy.inputs, names, [], (), policy.closed))
        known = self._likes.get(key, ())
        if key is None or any(entry.concrete is concrete for entry in known):
            return
        entry = like_entry_of(args, kwargs, arguments, concrete)
        if entry is not None:
            full = len(self._likes) >= config.cache_size.value
            self._likes = {key: (entry,)} if full else {**self._likes, key: (entry, *known)}
            self._set_builtins()

    def __ag_call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call from converted code: while tracing, the function is traced into the caller."""
        if building() is None:
            return self(*args, **kwargs)
        trace = current_trace()
        if trace is not None:
            trace.outside.add(self._target)
            trace.code.run(conversion.underlying_function(self._target)[0])
        if isinstance(self._target, FunctionType):
            args, kwargs = with_defaults(self._target, args, kwargs, is_held=True)
        with self._placing():
            return run_function(self._callable(), args, kwargs)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The graph for arguments like these: values, or a `TensorSpec` in an array's place."""
        if not args and not kwargs and self._options.input_signature is not None:
            args = self._options.input_signature
        return self._found_or_traced(self._binding.bind(args, kwargs))

    def _trace_declared(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[ConcreteFunction, tuple[bool, ...]]:
        """The graph for arrays like the specs among arguments, and which leaves are specs."""
        bound = tree.map_structure(_as_array_spec, self._binding.bind(args, kwargs))
        declared = tuple(isinstance(leaf, TensorSpec) for leaf in tree.leaves(bound))
        return self._found_or_traced(bound, exactly=True), declared


def _has_same_leaves(a: Any, b: Any) -> bool:
    (one, structure), (other, its) = tree.flatten(a), tree.flatten(b)
    return structure == its and all(map(operator.is_, one, other))


def _as_array_spec(leaf: Any) -> Any:
    return ArraySpec(leaf.shape, leaf.dtype, leaf.name) if type(leaf) is TensorSpec else leaf


class BoundFunction(Generic[P, R]):
    """A Function that is a method, bound to its object."""

    def __init__(self, function: Any, instance: Any) -> None:
        self._function = self.__func__ = function
        self.__self__ = instance

    @property
    def __wrapped__(self) -> Any:
        return MethodType(self._function.python_function, self.__self__)

    @property
    def __name__(self) -> str:
        return str(self._function.__name__)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return cast("str | None", self._function.__doc__)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the graph for the object and the arguments."""
        try:
            return self._function(self.__self__, *args, **kwargs)  # type: ignore[no-any-return]
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

    def __repr__(self) -> str:
        return f"<bound Function {self._function.__qualname__} of {self.__self__!r}>"

    def __reduce__(self) -> Any:
        if getattr(self.__self__, self.__name__, None) == self:
            return getattr, (self.__self__, self.__name__)
        return BoundFunction, (self._function, self.__self__)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The graph for the object and arguments like these."""
        return cast(
            ConcreteFunction, self._function.get_concrete_function(self.__self__, *args, **kwargs)
        )

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """As of the Function, for the object."""
        given = (self.__self__, *args) if args or kwargs else ()
        return cast(Explanation, self._function.explain(*given, **kwargs))

    def stats(self, *args: Any, **kwargs: Any) -> Stats:
        """As of the Function, for the object."""
        given = (self.__self__, *args) if args or kwargs else ()
        return cast(Stats, self._function.stats(*given, **kwargs))

    def profile(self, *args: Any, **kwargs: Any) -> Profile:
        """As of the Function, for the object."""
        return cast(Profile, self._function.profile(self.__self__, *args, **kwargs))

    def profile_kernels(self, *args: Any, **kwargs: Any) -> KernelProfile:
        """As of the Function, for the object."""
        return cast(KernelProfile, self._function.profile_kernels(self.__self__, *args, **kwargs))

    def cost(self, *args: Any, **kwargs: Any) -> Work:
        """As of the Function, for the object."""
        return cast(Work, self._function.cost(self.__self__, *args, **kwargs))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


def _converted(
    function: Any, options: FunctionOptions, kind: type[Any], sources: Any = None
) -> Any:
    """A Function that was pickled as what it is made of."""
    keep_sources(function, sources or {})
    return kind(function, options)


@overload
def convert(function: Callable[P, R], /) -> Function[P, R]: ...
@overload
def convert(
    *,
    input_signature: Sequence[Any] | None = ...,
    reduce_retracing: bool | None = ...,
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
    (leave sizes open from the second shape on, or, False, never: by default from the third),
    `recursive` (convert callees too),
    `autograph` (False: trace without converting), `prints` ("graph", or "trace" to print while
    tracing only), `returns` ("tensor" or "numpy"; by default results follow the arguments), `pure`
    (leave the caller's arrays as they were), `native`, `device`, `strict_errors` (True, always:
    operations whose results nobody reads raise their errors too).

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


def profile(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Profile:
    """Call a function as a graph, node by node, and tell what each operation of each line costs.

    The graph is the one after all passes; its nodes run one by one as calls of NumPy (on a device,
    of its array module), not as machine code: what is cheap there may be more so in an ordinary
    call. The call has its effects, as any has. Raises what the function raises.

    >>> import numpy as np
    >>> import autograph as ag
    >>> def total(x):
    ...     for _ in range(20):
    ...         x = np.sin(x)
    ...     return x.sum()
    >>> found = ag.profile(total, np.ones(1000))
    >>> sorted((c.operation, c.calls, c.bytes) for c in found.costs if c.bytes > 1000)
    [('sin', 20, 160000)]
    """
    converted: Any = convert(function)
    return cast(Profile, converted.profile(*args, **kwargs))


class no_retrace:
    """Within this context, a call that would trace a Function again raises RuntimeError.

    The message says why, and how to avoid it. A first trace is made.

    >>> import numpy as np
    >>> import autograph as ag
    >>> f = ag.convert(lambda x: x + 1)
    >>> f(np.zeros(2))
    array([1., 1.])
    >>> with ag.no_retrace():
    ...     f(np.zeros(3))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    RuntimeError: <lambda> would be traced again: `x`: float64[2] -> float64[3]; to avoid it, ...
    """

    def __enter__(self) -> None:
        retraces_allowed.no = getattr(retraces_allowed, "no", 0) + 1

    def __exit__(self, *details: object) -> None:
        retraces_allowed.no -= 1
