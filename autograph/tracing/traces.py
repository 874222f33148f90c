"""The traces of a Function: finding the one that serves a call, and making a new one."""

from __future__ import annotations

import dataclasses
import functools
import logging
import math
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from operator import is_
from types import MethodType
from typing import Any, cast

from autograph.frontend import conversion
from autograph.generated import Options
from autograph.operators.calls.calls import converted_call
from autograph.operators.captured.captures import current_trace, guard_content
from autograph.operators.captured.open_numbers import WrittenNumber
from autograph.operators.captured.patience import NothingStaged, Patience
from autograph.operators.values.scope import ConversionOptions, FunctionScope
from autograph.tracing import retracing
from autograph.tracing import trace as tracing
from autograph.tracing.columns import FEW
from autograph.tracing.concrete import ConcreteFunction
from autograph.tracing.fast_path import (
    IN_COLUMNS,
    TOLD,
    Entry,
    LikeEntry,
    seem_own,
    told_within,
)
from autograph.tracing.kept_traces import KeptTraces
from autograph.tracing.leaving import calls_nothing_of_ours
from autograph.tracing.left_calls import (
    LARGEST,
    LeftCalls,
    are_long,
    are_too_many,
    is_of_python,
    node_limit,
)
from autograph.tracing.likeness import Alike
from autograph.tracing.matching import (
    accepts,
    conform_leaf,
    declared_key,
    is_general,
    unknown_dimensions,
)
from autograph.tracing.open_sizes import OpenSizes, why_worse
from autograph.tracing.options import Binding, FunctionOptions, without_partials
from autograph.tracing.outside_lists import FoundList, Lists
from autograph.tracing.retracing import Reason
from autograph.tracing.signature import (
    COLUMN,
    FLOAT,
    INT,
    INT_LIMIT,
    Arguments,
    Identity,
    IntPolicy,
    classify,
    differences,
    is_input_key,
    telling_class,
)
from autograph.tracing.tracebacks import shortened
from autograph.tracing.traced import Traced
from autograph.tracing.trials import Trial, is_exact
from runtime import config, slow
from runtime.building import TooManyNodes
from runtime.devices import device
from runtime.effects import left_runs
from runtime.effects.control import without_kinds
from runtime.effects.size_decisions import without_kinds_by_data
from runtime.errors import (
    GraphLimit,
    HostCallError,
    LimitOverflowError,
    LimitTypeError,
    StagingError,
)
from runtime.process.caching import cached_property
from runtime.process.forks import new_after_forks, whole
from runtime.spec import TensorSpec
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["Traces", "retraces_allowed", "trace_lock"]

# One lock for all traces of the process: locks per Function deadlock on functions that call each
# other from two threads.
trace_lock = new_after_forks(threading.RLock())
retraces_allowed = threading.local()
_log = logging.getLogger("autograph")
# So many rounds of loops and calls in a row are traced that stage nothing, and so many beside
# arrays; so many ints may be inputs for that.
_ROUNDS, _ROUNDS_BESIDE, _MOST_INTS = 1000, 4000, 32
# A graph of so many nodes is large for what Python does in a few rounds.
_LARGE = 256
# After so many calls of Python's numbers that staged nothing, the others are not traced.
_FRUITLESS = 4
# More signatures than these are told apart by a table, which takes half a microsecond.
_MOST_BUILTINS = 4


class Traces:
    """The part of a `Function` that knows its graphs, one per signature of arguments."""

    # What traced arrays are: whether they stand for tensors (None: if an argument is one), and for
    # tensors of which class.
    _stands_for_tensors: bool | None = None
    _tensor_class: type[Tensor] = Tensor
    _array_class: type[Tensor] = Tensor

    def __init__(self, target: Callable[..., Any], options: FunctionOptions) -> None:
        self._target: Any = target
        self._options = options
        self._bind = Binding(target)
        self._table = KeptTraces()
        self._fast: dict[Any, tuple[Entry, ...]] = {}
        # The same for calls with other objects than those of the traces, by looser keys.
        self._likes: dict[Any, tuple[LikeEntry, ...]] = {}
        # Compiled graphs that look at the arguments themselves.
        self._builtins: tuple[Callable[..., Any], ...] = ()
        # The same of calls that give arguments by name, by the names: they take the values.
        self._named: dict[tuple[Any, ...], tuple[Callable[..., Any], ...]] = {}
        self._general: list[ConcreteFunction] = []
        self._policy = IntPolicy(set(), set(), {})
        self._sizes = OpenSizes(options.reduce_retracing)
        if options.input_signature is not None:
            self._policy.closed = None
        # Whether what is put into lists is an effect of each, as these change between calls; None:
        # that cannot be.
        self._prefers_logs: bool | None = False
        self._trace_count = 0
        # How many calls of Python's numbers were traced and staged nothing, each for its values.
        self._fruitless = 0.0
        # Whether that was so of calls with long lists, as columns.
        self._leaves_lists = False
        self._left = LeftCalls()
        # Whether a call asks for the trace, which Python can make: not a gradient, say.
        self._is_called = False
        # Of the last calls that were looked up: whether they traced; and warnings given.
        self._recent: deque[bool] = deque(maxlen=10)
        self._warnings = 0
        self._warned = False
        # Why calls were left to plain Python, which was said.
        self._told: set[str] = set()
        self._initial: list[tuple[Any, Any]] = []
        self.__wrapped__ = target
        named = without_partials(target)
        self.__name__: str = getattr(named, "__name__", type(named).__name__)
        self.__qualname__: str = getattr(target, "__qualname__", self.__name__)
        self.__module__ = getattr(target, "__module__", type(target).__module__)
        self.__doc__ = target.__doc__

    @cached_property
    def _conversion_options(self) -> Options:
        return Options(recursive=self._options.recursive)

    @property
    def _binding(self) -> Binding:
        """How calls are bound to the parameters that the function has now."""
        if not self._bind.is_current():
            self._bind = Binding(self._target)
            self._policy.forget()
        return self._bind

    def _find(self, arguments: Arguments, exactly: bool = False) -> ConcreteFunction | None:
        """The trace that serves such arguments, if there is one; the special ones come first."""
        matching = self._matching(arguments, exactly)
        found = next((concrete for concrete in matching if concrete.guards_hold()), None)
        if found is not None and found is not matching[0] and trace_lock.acquire(blocking=False):
            try:
                self._table.put_first(found)
            finally:
                trace_lock.release()
        return found

    def _matching(self, arguments: Arguments, exactly: bool = False) -> list[ConcreteFunction]:
        """The traces that serve such arguments, if what they read from outside has not changed."""
        known = [c for c in self._table.of(arguments.key) if not c.is_past]
        if not (exactly or self._sizes.is_closed(arguments)):
            fits = (c for c in self._general if accepts(c._traced.arguments, c.relaxed, arguments))
            known += [c for c in fits if c not in known]
        return known

    def _like(self, arguments: Arguments) -> tuple[ConcreteFunction, Alike] | None:
        """A trace that was made with other objects than those that there are now, like these."""
        for concrete in self._table.like(arguments):
            found = concrete.like(arguments)
            if isinstance(found, Alike):
                return concrete, found
        return None

    def _nearest(self, arguments: Arguments) -> ConcreteFunction | None:
        """Of the traces that would serve, the one of which least has changed from outside."""
        matching = self._matching(arguments)
        return min(matching, key=lambda c: len(c.broken_guards())) if matching else None

    def _trace(
        self, bound: dict[str, Any], arguments: Arguments, exactly: bool = False
    ) -> tuple[Arguments, ConcreteFunction]:
        with whole, trace_lock, slow.tracing(self.__qualname__):
            concrete = self._find(arguments, exactly)  # another thread may have been faster
            if concrete is not None:
                return arguments, concrete
            reason = self._reason(arguments)
            if getattr(retraces_allowed, "no", 0) and self._trace_count:
                raise RuntimeError(f"{self.__qualname__} would be traced again: {reason}")
            self._warn_of_retracing(reason)
            arguments = self._with_new_ints(bound, arguments)
            self._open_numbers(arguments)
            began = time.perf_counter()
            concrete = self._opened(bound, arguments, reason)
            if concrete is None:
                concrete = self._make(bound, arguments, reason)
            concrete.milliseconds = 1e3 * (time.perf_counter() - began)
            if not concrete._traced.raised:
                self._keep(concrete if concrete.following is None else concrete.following)
            config.log(
                1,
                lambda: (
                    f"trace #{self._trace_count} of {self.__qualname__} "
                    f"({concrete.milliseconds:.1f} ms): {Reason(concrete.reason, concrete.remedy)}"
                ),
            )
            config.log(2, lambda: str(concrete.graph))
            # Ints whose values the trace needed are constants by now.
            return self._classify(bound, opens=concrete._traced.arguments.has_columns), concrete

    def _warn_of_retracing(self, reason: Reason) -> None:
        """Say so, twice at most, when at least 5 of the last 10 calls traced, and why.

        Of calls that all raised there is no trace, and nothing that another call could have used.
        """
        traced = sum(self._recent)
        if traced < 5 or self._warnings >= 2 or not self._table:
            return
        self._warnings += 1
        self._recent.clear()
        _log.warning(
            "%s was traced at %d of the last 10 calls, which costs far more than a call. "
            "Last: %s. `explain()` lists all traces.",
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
        policy.take(changed)
        return self._classify(bound, opens=arguments.has_columns)

    def _open_numbers(self, arguments: Arguments) -> None:
        """Make run-time inputs of the captured numbers that come with a second value."""
        stale, policy = self._nearest(arguments), self._policy
        for concrete in self._table.like(arguments):
            found = concrete.like(arguments)
            if found and not isinstance(found, Alike):
                policy.numbers.open(found)
                break
        if stale is not None:
            policy.numbers.add(stale.guards_of_values())
            if stale._traced.puts and self._prefers_logs is not None:
                self._prefers_logs = True

    def _make(
        self, bound: dict[str, Any], arguments: Arguments, reason: Reason
    ) -> ConcreteFunction:
        # Each trace begins out of the handlers: what the user raises in it has no context of ours.
        while True:
            try:
                found = self._traced_in_full(arguments, reason)
                if not found._traced.raised:
                    return found
                lists = self._policy.lists
                if not (lists.used or arguments.has_columns):
                    return found
                with lists.closed_for_now():  # which items there are tells where it raises
                    return self._traced_in_full(self._classify(bound, opens=False), reason)
            except StagingError as error:
                if self._prefers_logs:
                    self._prefers_logs = None
                    continue
                if self._policy.lists.open_left():
                    continue
                if self._close_lists(arguments, error):
                    arguments = self._classify(bound)
                    continue
                if self._fix_numbers(arguments):
                    break
                if not self._may_be_refused(bound, arguments):
                    raise
                return self._left_as_refused(arguments, reason, error)
        arguments = self._classify(bound, opens=False)
        try:
            return self._traced(arguments, reason)
        except StagingError as error:
            if not self._may_be_refused(bound, arguments):
                raise
            return self._left_as_refused(arguments, reason, error)

    def _may_be_refused(self, bound: dict[str, Any], arguments: Arguments) -> bool:
        """Whether Python makes a call with long lists or dicts of which no graph can be made."""
        return are_long(bound.values()) and self._may_be_without_graph(arguments)

    def _left_as_refused(
        self, arguments: Arguments, reason: Reason, error: StagingError
    ) -> ConcreteFunction:
        """The trace of a call that Python makes, since a graph of it is refused."""
        self._trace_count += 1
        why = f"a graph of it is refused: {str(error).strip()}"
        config.log(1, lambda: f"{self.__qualname__}: nothing is staged, {why}")
        return self._concrete(_without_graph(arguments.without_values(), why), reason)

    def _traced_in_full(self, arguments: Arguments, reason: Reason) -> ConcreteFunction:
        """A trace, made anew where it finds lists and numbers outside that are inputs."""
        while True:
            try:
                return self._traced(arguments, reason)
            except FoundList:
                continue
            except WrittenNumber as found:
                written = found.keys
            self._policy.numbers.are_written(written)

    def _close_lists(self, arguments: Arguments, error: StagingError) -> bool:
        """Have lists that were columns their items one by one, since the trace needs them so."""
        pairs = zip(arguments.paths, arguments.keys, strict=True)
        columns = [path for path, key in pairs if type(key) is tuple and key[0] == COLUMN]
        are_closed = self._policy.lists.close()  # those from outside at first
        if columns and not are_closed:
            self._policy.close(columns)
            are_closed = True
        if are_closed:
            why = str(error)
            config.log(1, lambda: f"{self.__qualname__}: long lists are item by item: {why}")
        return are_closed

    def _fix_numbers(self, arguments: Arguments) -> bool:
        """Make constants of the numbers that are inputs, since the trace needs their values."""
        pairs = zip(arguments.paths, arguments.keys, strict=True)
        policy, ints = self._policy, [path for path, key in pairs if key == ("int",)]
        if not (policy.numbers.fix() or ints):
            return False
        policy.fix(ints)
        return True

    def _traced(self, arguments: Arguments, reason: Reason) -> ConcreteFunction:
        may_create = self._may_create(arguments)
        if self._may_be_without_graph(arguments) and are_too_many(arguments):
            traced = _too_large(arguments)
        elif not self._may_be_left():
            traced = self._run_trace(arguments, may_create)
        elif self._is_of_numbers(arguments):
            traced = self._of_numbers(arguments, may_create)
            arguments = traced.arguments
        else:
            traced = self._run_trace(arguments, may_create, Patience(_ROUNDS_BESIDE))
            if traced.is_given_up:
                found = self._with_all_staged(arguments, may_create)
                if found is not None and (found.takes_items or not found.grows_slowly):
                    traced = found
        following = None
        if traced.created and not traced.raised:
            self._initial += [(weakref.ref(v), v.numpy()) for v in traced.created]
            # As it will be from the second call on, when the variables exist.
            with traced.afterwards():
                left_runs.show_again()
                following = self._run_trace(arguments, False)
        self._trace_count += not traced.raised
        traced.arguments = traced.arguments.without_values()
        if traced.stages_nothing and not self._warned:
            self._warned = True
            why = _why_nothing(arguments)
            config.log(1, lambda: f"{self.__qualname__}: nothing is staged, {why}")
        concrete = self._concrete(traced, reason)
        if self._is_pythons(traced, concrete, arguments):
            concrete = self._concrete(_left_to_python(traced), reason)
        elif self._may_be_tried(concrete, arguments):
            concrete.trial = Trial()
        if following is not None:
            following.arguments = traced.arguments
            concrete.following = self._concrete(following, reason)
        return concrete

    def _concrete(self, traced: Traced, reason: Reason) -> ConcreteFunction:
        made = ConcreteFunction(
            self.__name__,
            self._bind,
            self._options.returns,
            traced,
            reason.text,
            self._telling_class(traced.arguments) or self._tensor_class,
            self._options.native,
        )
        made.remedy = reason.remedy
        if traced.stages_nothing and self._may_be_left():
            made.python = self._target
            # Python finds by itself what it calls, and what long containers hold: to look would
            # take as long.
            kept = [guard for guard in traced.guards if not guard.looks_at_many]
            traced.guards = [guard for guard in kept if not guard.is_of_code]
        return made

    def _may_create(self, arguments: Arguments) -> bool:
        """Whether variables may be made: on the first trace, for each object passed."""
        objects = [k for k in arguments.keys if isinstance(k, Identity)]
        if not objects:
            return self._trace_count == 0
        return all(
            objects != [k for k in c._traced.arguments.keys if isinstance(k, Identity)]
            for c in self._table
        )

    # ---- calls of Python numbers -------------------------------------------------------------

    def _trace_called(
        self, bound: dict[str, Any], arguments: Arguments
    ) -> tuple[Arguments, ConcreteFunction, left_runs.LeftRuns]:
        """The trace for a call, which Python makes where the graph would be too large.

        With what code that is left alone did while tracing.
        """
        with whole, trace_lock, left_runs.of_call() as runs:
            self._is_called = True
            try:
                return *self._trace(bound, arguments), runs
            finally:
                self._is_called = False

    def _may_be_without_graph(self, arguments: Arguments) -> bool:
        """Whether Python makes a call of which the graph would be too large."""
        may_be = self._is_called and config.leave_to_python.value and self._may_be_left()
        return may_be and is_of_python(arguments) and self._calls_nothing_of_ours()

    def _calls_nothing_of_ours(self) -> bool:
        return calls_nothing_of_ours(conversion.underlying_function(self._target)[0])

    def _may_be_left(self) -> bool:
        """Whether Python may make a call: no option of the function asks for what it does not."""
        options = self._options
        asks = (options.input_signature, options.device, options.returns, self._stands_for_tensors)
        is_plain = options.prints == "graph" and self._is_converted and not self._policy.by_value
        return is_plain and all(option is None for option in asks)

    def _is_of_numbers(self, arguments: Arguments) -> bool:
        """Whether no argument is of the graph's own kinds."""
        return self._may_be_left() and all(
            key == INT or not is_input_key(key) for key in arguments.keys
        )

    def _is_pythons(self, traced: Traced, concrete: ConcreteFunction, arguments: Arguments) -> bool:
        """Whether Python is faster than the graph of a call of Python's numbers, and lists."""
        if traced.replaces_python and self._is_of_numbers(arguments):
            return not concrete.is_faster
        if traced.raised or traced.created:
            return False
        if not self._is_of_lists(arguments):
            return self._may_be_without_graph(arguments) and concrete.loops_in_plan
        is_slower = traced.grows_slowly or traced.does_little_with_lists
        self._leaves_lists = is_slower or not concrete.is_faster
        if self._leaves_lists:
            self._fruitless += 1
        else:
            self._note_fruit()
        return self._leaves_lists

    def _may_be_tried(self, concrete: ConcreteFunction, arguments: Arguments) -> bool:
        """Whether some calls tell if Python is faster than the graph, which takes in long lists."""
        traced = concrete._traced
        if traced.raised or traced.created or traced.stages_nothing or traced.takes_items:
            return False
        if not (self._is_of_lists(arguments) and self._may_be_without_graph(arguments)):
            return False
        return is_exact(traced.graph)

    def _is_of_lists(self, arguments: Arguments) -> bool:
        """Whether there are long lists among the arguments, and beside them numbers at most."""
        keys = filter(is_input_key, arguments.keys)
        are_pythons = all(key in (INT, FLOAT) or key[0] == COLUMN for key in keys)
        return arguments.has_columns and are_pythons and self._may_be_left()

    def _may_be_plain(self, arguments: Arguments, error: GraphLimit) -> bool:
        """Whether Python makes the call that a graph cannot: its ints have no limit.

        A default is a number of the function's text, as a literal is.
        """
        if not self._may_be_left() or arguments.has_columns:
            return self._may_be_left()
        keys = [key for key in arguments.keys if is_input_key(key)]
        if isinstance(error, LimitOverflowError) and all(key in (INT, FLOAT) for key in keys):
            return True
        parameters = self._bind.signature.parameters
        return any(
            path not in parameters or parameters[path].default != leaf
            for path, leaf in zip(arguments.paths, arguments.leaves, strict=True)
            if type(leaf) is int
        )

    def _may_take_over(self, arguments: Arguments, patience: Patience | None) -> bool:
        """Whether Python makes the call where a number is of another type than in the graph."""
        replaces_python = patience is not None and patience.stages_all
        return replaces_python or self._may_be_plain(arguments, LimitTypeError())

    def _is_left_to_python(self, arguments: Arguments) -> bool:
        """Whether Python makes a call without a look at the graphs.

        So are calls with an int that is no int64, and those with ints or texts of which some have
        staged nothing: one where there are more than are made inputs.
        """
        told = _told(arguments)
        if not told:
            return False
        is_large = any(type(x) is int and not -INT_LIMIT <= x < INT_LIMIT for x in told)
        is_left = is_large or self._are_fruitless(len(told))
        return is_left and self._is_of_numbers(arguments)

    def _are_fruitless(self, told: int) -> bool:
        """Whether calls with so many ints and texts that are no inputs are not traced."""
        return self._fruitless >= (1 if told > _MOST_INTS else _FRUITLESS)

    def _note_fruit(self) -> None:
        """A call has staged something: from now on, all are traced."""
        self._fruitless = -math.inf
        self._left.forget_kinds()
        self._set_builtins()

    def _note_left(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], arguments: Arguments
    ) -> None:
        """Leave calls like this one to Python by the classes of their arguments alone.

        Not where one is a nest, which has values of other classes in it.
        """
        leaves = arguments.leaves
        is_flat = not kwargs and len(args) <= len(leaves) and all(map(is_, args, leaves))
        if is_flat and self._are_fruitless(len(_told(arguments))):
            self._left.leave_kinds(self._target, tuple(map(type, args)))
            self._set_builtins()

    def _has_outline_left(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether Python makes a call with long lists or dicts, told by how they begin."""
        is_always = self._left.find(args, kwargs)
        self._fruitless += is_always or 0
        return is_always is not None

    def _is_of_own_values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether Python makes a call, told without a look at each int: there may be many."""
        policy = self._policy
        if policy.inputs or policy.nests or not (self._leaves_lists or _are_few(args, kwargs)):
            return False
        if self._fruitless >= _FRUITLESS:
            names = (*kwargs,)
            made = self._left.leave_values(self._target, names)
            if made is not None and names:
                self._named = {**self._named, names: (*self._named.get(names, ()), made)}
            elif made is not None:
                self._set_builtins()
            return seem_own(args if not kwargs else (*args, *kwargs.values()))
        told = told_within(args, kwargs)
        return told > 0 and self._are_fruitless(told)

    def _of_numbers(self, arguments: Arguments, may_create: bool) -> Traced:
        """The trace of a call of which no argument is of the graph's own kinds.

        Where nothing is staged, all ints are inputs and all loops are staged, whatever the values
        are of this call: what others were made before does not show. It is plain Python where that
        leads to no graph, or to one without a loop.
        """
        patience = Patience(_ROUNDS, counts_items=True)
        traced = self._run_trace(arguments, may_create, patience)
        if traced.raised:
            return traced
        is_done = traced.is_without_graph or (left_runs.have_run() and traced.has_but_effects)
        if not (is_done or _is_pythons(traced)):
            self._note_fruit()
            return traced
        is_large = False
        paths = zip(arguments.paths, arguments.keys, strict=True)
        ints = {path for path, key in paths if type(key) is tuple and key[0] is int}
        if not (is_done or self._policy.fixed & ints or len(ints) > _MOST_INTS):
            pairs = zip(arguments.paths, arguments.keys, strict=True)
            keys = tuple(INT if path in ints else key for path, key in pairs)
            found = self._with_all_staged(arguments._replace(keys=keys), False)
            is_large = found is not None and _is_large(found, patience.spent)
            is_left = found is None or is_large or _is_pythons(found)
            if found is not None and (found.takes_items or (found.has_loop and not is_left)):
                self._policy.take(ints)
                return found
            if found is None or is_large or not is_left:
                self._policy.fix(ints)
        # One that took long is enough.
        is_quick = patience.is_mostly_left and not is_large
        self._fruitless += bool(_told(arguments)) * (1 if is_quick else _FRUITLESS)
        return _left_to_python(traced)

    def _with_all_staged(self, arguments: Arguments, may_create: bool) -> Traced | None:
        """The trace where loops of many rounds are staged, whatever they compute with; or None."""
        patience = Patience(_ROUNDS, True, self._is_of_numbers(arguments))
        try:
            found = self._run_trace(arguments, may_create, patience)
        except Exception as error:
            if patience.is_endless:
                raise
            why = str(error)
            config.log(2, lambda: f"{self.__qualname__}: its loops are not staged: {why}")
            return None
        # What only Python can do is found when it runs: nothing may have been done before.
        is_left = found.raised or found.is_given_up or not found.is_repeatable
        found.replaces_python = True
        return None if is_left and not patience.is_endless else found

    def _telling_class(self, arguments: Arguments) -> type[Tensor] | None:
        """The class of the tensors in a trace, if it tells them from arrays."""
        return arguments.tensor_class or self._policy.tensor_class

    def _run_trace(
        self, arguments: Arguments, may_create: bool, patience: Patience | None = None
    ) -> Traced:
        traced = self._trace_once(arguments, may_create, patience)
        if self._array_class is not Tensor or self._telling_class(arguments) is not None:
            return traced
        # Nothing but the trace tells what it reads.
        kinds = [*(c.kind for c in traced.captured), *map(type, traced.externals)]
        self._policy.tensor_class = telling_class(kinds)
        if self._policy.tensor_class is None or traced.created:
            return traced
        return self._trace_once(arguments, may_create, patience)

    def _lists(self, arguments: Arguments) -> Lists | None:
        """What is known of lists from outside that may be columns; None where none is to be."""
        lists = self._policy.lists
        is_closed = self._policy.closed is None or self._is_of_numbers(arguments)
        return None if is_closed or lists.are_off else lists

    def _trace_once(
        self, arguments: Arguments, may_create: bool, patience: Patience | None
    ) -> Traced:
        kind = self._telling_class(arguments)
        limit = node_limit() if self._may_be_without_graph(arguments) else None
        is_of_numbers = self._is_of_numbers(arguments)
        left_runs.of_numbers(
            is_pythons=self._is_called and is_of_numbers and self._calls_nothing_of_ours(),
            are_inputs=is_of_numbers and INT in arguments.keys,
            stages_ranges=patience is not None and patience.stages_all,
        )
        try:
            with self._placing():
                traced = tracing.trace_call(
                    self._callable(),
                    self._bind.call_arguments,
                    arguments,
                    name=self.__name__,
                    target=self._target,
                    prints=self._options.prints,
                    pure=self._options.pure,
                    may_create=may_create,
                    tensors=self._stands_for_tensors if kind is None else True,
                    tensor_class=self._tensor_class if kind is None else kind,
                    array_class=(kind and kind.array_class) or self._array_class,
                    numbers=self._policy.numbers,
                    lists=self._lists(arguments),
                    patience=patience,
                    node_limit=limit,
                    prefers_logs=bool(self._prefers_logs),
                    keeps_kinds=self._sizes.is_opening or is_of_numbers,
                )
                if self._sizes.is_opening:
                    traced.graph = without_kinds_by_data(traced.graph)
                elif not (traced.is_of_numbers and self._may_take_over(arguments, patience)):
                    traced.graph = without_kinds(traced.graph, keeps_open=True)
        except NothingStaged:
            given_up = tracing.plain_python(arguments, "rounds and calls without end stage nothing")
            return dataclasses.replace(given_up, is_given_up=True)
        except left_runs.CodeLeftAlone:
            return _without_graph(arguments, "code runs in it that is left alone")
        except TooManyNodes:
            return _too_large(arguments)
        except GraphLimit as error:
            is_endless = patience is not None and patience.is_endless
            if is_endless or not self._may_be_plain(arguments, error):
                raise
            return tracing.plain_python(arguments, str(error))
        except HostCallError as error:
            if error.staged or arguments.inputs():
                raise
            return tracing.plain_python(arguments, error.what)
        if limit is not None and sum(1 for _ in traced.graph.walk()) > LARGEST:
            return _too_large(arguments)
        if traced.only_calls_python:
            return tracing.plain_python(arguments, "it does nothing but call Python code")
        return traced

    def _keep(self, concrete: ConcreteFunction) -> None:
        entries = [entry for row in self._fast.values() for entry in row]
        asked = {*self._builtins, *chain.from_iterable(self._named.values())}
        for entry in entries:
            entry.concrete.used |= entry.builtin in asked and entry.may_be_called()
        policy, limit = self._policy, max(config.cache_size.value, 1)
        self._table.add(concrete, limit, policy.numbers, policy.lists.opened)
        kept = set(map(id, self._table))
        self._drop_fast(lambda entry: id(entry.concrete) not in kept)
        general = [c for c in self._general if id(c) in kept]
        if is_general(concrete._traced.arguments):
            general.append(concrete)
        self._general = sorted(general, key=lambda c: unknown_dimensions(c._traced.arguments))

    def _forget_fast(self, concrete: ConcreteFunction) -> None:
        """Have calls that lead to a graph come the long way."""
        self._drop_fast(lambda entry: entry.concrete is concrete)

    def _drop_fast(self, is_dropped: Callable[[Entry], bool]) -> None:
        chains = {
            key: tuple(entry for entry in row if not is_dropped(entry))
            for key, row in self._fast.items()
        }
        self._fast = {key: row for key, row in chains.items() if row}
        kept = set(map(id, self._table))
        self._likes = {
            key: tuple(entry for entry in row if id(entry.concrete) in kept)
            for key, row in self._likes.items()
        }
        self._set_builtins()

    def _set_builtins(self) -> None:
        """The builtins of the graphs that serve the last calls, special ones first."""
        entries = (entry for row in self._fast.values() for entry in row)
        by_names: dict[tuple[str, ...], list[Entry]] = {}
        for entry in entries:
            if entry.builtin is not None:
                by_names.setdefault(entry.names, []).append(entry)
        found = {names: _builtins_of(those) for names, those in by_names.items()}
        likes = (entry.server for row in self._likes.values() for entry in row if entry.server)
        left = self._left.builtins(bool(self._policy.inputs or self._policy.nests))
        graphs = (*found.pop((), ()), *likes)[:_MOST_BUILTINS]
        self._builtins = (*graphs, *left.pop(()))
        self._named = {
            names: (*found.get(names, ()), *left.get(names, ())) for names in found | left
        }

    def _reason(self, arguments: Arguments) -> Reason:
        if not self._table:
            return retracing.FIRST
        stale = self._nearest(arguments)
        if stale is not None:
            broken = stale.broken_guards()
            numbers = self._policy.numbers.new(stale.guards_of_values())
            if not stale.code_is_as_it_was():
                return Reason("; ".join(broken))
            return retracing.of_guards(broken, is_opened=len(broken) == len(numbers))
        known = [c._traced.arguments for c in self._table]
        # Of several, the last one, from which the user comes.
        nearest = min(reversed(known), key=lambda other: len(differences(other, arguments)))
        return retracing.of_arguments(nearest, arguments, frozenset(self._policy.fixed))

    def _opened(
        self, bound: dict[str, Any], arguments: Arguments, reason: Reason
    ) -> ConcreteFunction | None:
        """A trace that serves further shapes too, where that is to be, and as good as others."""
        sizes = self._sizes
        may_be = self._is_called and self._is_converted
        found = sizes.opened(self._table, arguments, may_be=may_be)
        if found is None:
            return None
        general, special = found
        self._policy.numbers.add(special.guards_of_values())
        count, sizes.is_opening = self._trace_count, True
        try:
            told = retracing.generalised(reason, arguments, general, sizes.since)
            made = self._traced_in_full(general, told)
            why = "" if sizes.option else why_worse(made, special)
            if not (why or made._traced.raised):
                made.relaxed = True
                return made
        except Exception as error:  # noqa: BLE001 - the trace of the shape raises it again, if at all
            why = str(error).partition("\n")[0]
        finally:
            sizes.is_opening = False
        self._trace_count = count
        if why:
            sizes.close(general)
            config.log(1, lambda: f"{self.__qualname__}: sizes are not left open: {why}")
            reason = retracing.closed(reason, why)
        return self._make(bound, arguments, reason)

    def _classify(self, bound: dict[str, Any], *, opens: bool = True) -> Arguments:
        """The arguments taken apart; dimensions that the input signature leaves open are open."""
        arguments = classify(bound, self._policy, opens=opens)
        if self._options.device is not None:
            arguments = arguments._replace(device=None)  # the same for all calls
        if self._array_class is not Tensor:
            arguments = arguments._replace(tensor_class=None)
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
        rest = self._bind.rest
        at = names.index(rest) if rest in names else len(specs)
        if at < len(specs) and not isinstance(specs[at], (tuple, list)):
            specs = (*specs[:at], specs[at:])  # each stands for one argument more
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

    def _found_or_traced(self, bound: dict[str, Any], exactly: bool = False) -> ConcreteFunction:
        arguments = self._classify(bound, opens=not exactly)
        concrete = self._find(arguments, exactly)
        if concrete is not None and concrete._traced.is_without_graph:
            self._table.forget(concrete)
            concrete = None
        if concrete is None:
            with shortened(), left_runs.of_call():
                _, concrete = self._trace(bound, arguments, exactly)
        if concrete.following is not None:
            concrete._traced.settle()
            concrete = concrete.following
        return concrete.without_kinds

    # ---- what is traced ----------------------------------------------------------------------

    def _placing(self) -> AbstractContextManager[Any]:
        """The context of the option `device`."""
        name = self._options.device
        return nullcontext() if name is None else device(name)

    @property
    def _is_converted(self) -> bool:
        """Whether a trace runs converted code: no option, mark or rule leaves it as it is."""
        return self._options.autograph and not conversion.is_traced_as_it_is(self._target)

    def _callable(self) -> Callable[..., Any]:
        """What a trace runs: the converted function."""
        if not self._is_converted:
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
        if current_trace() is not None and isinstance(self._target, functools.partial):
            guard_content(self._target.keywords, "what a `functools.partial` holds")
        return converted_call(self._target, args, kwargs, scope)


def _builtins_of(entries: list[Entry]) -> tuple[Callable[..., Any], ...]:
    """The builtins of some entries, special ones first."""
    ordered = sorted(
        entries, key=lambda entry: unknown_dimensions(entry.concrete._traced.arguments)
    )
    if sum(entry.is_of_one for entry in ordered) > _MOST_BUILTINS:
        ordered = [entry for entry in ordered if not entry.is_of_one]
    found = dict.fromkeys(entry.builtin for entry in ordered if entry.builtin is not None)
    return tuple(found)[:_MOST_BUILTINS]


def _are_few(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether no argument is a long list, of numbers or tuples, as it seems."""
    for x in args if not kwargs else (*args, *kwargs.values()):
        if type(x) is list and len(x) > FEW and type(x[0]) in IN_COLUMNS:
            return False
    return True


def _is_pythons(traced: Traced) -> bool:
    """Whether Python does as well, or better, what the trace of a call of its numbers does."""
    if traced.is_of_few_numbers or traced.may_end_early:
        return True
    return traced.grows_slowly and traced.is_repeatable


def _is_large(traced: Traced, rounds: float) -> bool:
    """Whether Python does in so few rounds of loops and calls what takes many more nodes."""
    return sum(1 for _ in traced.graph.walk()) > max(_LARGE, 4 * rounds)


def _too_large(arguments: Arguments) -> Traced:
    """The trace of a call of which the graph would be too large: Python makes it."""
    return _without_graph(arguments, "its graph would be large")


def _without_graph(arguments: Arguments, why: str) -> Traced:
    """The trace of a call that Python makes, but of which who asks for a graph gets one."""
    return dataclasses.replace(tracing.plain_python(arguments, why), is_without_graph=True)


def _told(arguments: Arguments) -> list[Any]:
    """The ints and texts that a trace has for constants."""
    return [key[1] for key in arguments.keys if type(key) is tuple and key[0] in TOLD]


def _left_to_python(traced: Traced) -> Traced:
    """The trace of the same call which leaves it to Python, as long as nothing outside changes."""
    if traced.stages_nothing or traced.takes_items:
        return traced
    made = tracing.plain_python(traced.arguments, "it is done faster so")
    return dataclasses.replace(made, guards=traced.guards, likeness=traced.likeness)


def _why_nothing(arguments: Arguments) -> str:
    if not arguments.inputs():
        return "since no argument is an array, a tensor or a float"
    return "since no result and no effect depends on its arrays"
