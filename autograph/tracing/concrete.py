"""`ConcreteFunction`: one graph of a Function, and how it is called."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import pickle
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from operator import itemgetter
from typing import Any, NoReturn

import numpy as np

from autograph.operators.branches.chosen_objects import chosen_in
from autograph.operators.captured.captures import Captured, Guard, Place
from autograph.operators.captured.guards import IdentityGuard
from autograph.operators.captured.open_numbers import Numbers
from autograph.operators.captured.standing import standing
from autograph.operators.results.reconstruction import handing_out, objects
from autograph.tracing import replay
from autograph.tracing.captured_inputs import (
    Given,
    Late,
    caller,
    is_as_traced,
    lone_caller,
    reader,
    reading,
)
from autograph.tracing.columns import paths_of_columns
from autograph.tracing.described import Described
from autograph.tracing.leaving import reads_nothing_of_ours
from autograph.tracing.likeness import Alike, Number
from autograph.tracing.options import Binding
from autograph.tracing.results import FixedPart, ResultHole, made_result, taken
from autograph.tracing.signature import COMPLEX, FLOAT, INT, Arguments, is_input_key
from autograph.tracing.tracebacks import shortened
from autograph.tracing.traced import Traced, external_type
from autograph.tracing.trials import Trial
from autograph.tracing.watched_arguments import met_outside
from runtime import config, trace
from runtime.autodiff.compiled import Differentiable
from runtime.autodiff.explain import positions_behind
from runtime.autodiff.tape import lose
from runtime.compile import compile_graph
from runtime.devices import copied, is_device_array
from runtime.eager import is_array
from runtime.effects.control import without_kinds
from runtime.effects.generators import bits_of, is_generator
from runtime.effects.given_containers import calling_with
from runtime.effects.host import hosting, within
from runtime.errors import Origin, StagingError
from runtime.execute import Executable
from runtime.execute.native.classes import Version
from runtime.execute.native.miss import MISS
from runtime.execute.native.plain_loops import calls_outweigh, has_loops, is_done_as_in_python
from runtime.execute.native.planned import Planned
from runtime.execute.native.prepared import Native, plain
from runtime.execute.native.reading import Argument, OfArray, OfKind
from runtime.execute.native.stateful import Again, Stateful
from runtime.execute.ownership import may_overlap_itself, may_share
from runtime.graph.ir import Graph, Node
from runtime.ops.declaration.operands import type_of
from runtime.process.caching import cached_property
from runtime.spec import ObjectType, TensorType, Type, is_compatible
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["MISS", "ConcreteFunction", "LeftToPython", "fresh_outputs"]


_numbers = itertools.count()
# So many calls are left to Python at most, before the graph is tried again.
_MOST_LEFT = 1024


class LeftToPython(Exception):
    """A call that is plain Python's: of what the graph cannot write, or would take for two things.

    `why` is the error of a program that has no plain Python.
    """

    def __init__(self, why: Exception) -> None:
        self.why = why


def _made(
    call: Callable[..., Any],
    make: Callable[..., Any],
    check: Callable[..., bool] | None,
    *inputs: Any,
) -> Any:
    """What is made of the outputs for inputs, or MISS."""
    if check is not None and not check(*inputs):
        return MISS
    outputs = call(*inputs)
    if outputs is MISS:
        return MISS
    return make(outputs) if check is None else make(outputs, *inputs)


def _unless_again(call: Callable[..., Any], *args: Any) -> Any:
    """What a call gives, or MISS where it is to be run again, as a plan."""
    try:
        return call(*args)
    except Again:
        return MISS


class ConcreteFunction(Described):
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
        traced: Traced,
        reason: str,
        tensor_class: type[Tensor] = Tensor,
        native: bool | None = None,
    ) -> None:
        super().__init__(name, bind, traced)
        # Of the results that are tensors.
        self._tensor_class = tensor_class
        # Why it was traced, how to do without, and what it cost.
        self.reason = reason
        self.remedy = ""
        # Tells which of two was made first.
        self.number = next(_numbers)
        self.milliseconds = 0.0
        self.used = True
        # Whether dimensions are open since several sizes came: they stand for sizes of at least 2.
        self.relaxed = False
        # Of a trace that made variables and serves one call: the graph of the next calls.
        self.following: ConcreteFunction | None = None
        self._returns, self._native = returns, native
        self._differentiable = Differentiable(traced.graph, _COMPILE[native])
        self._fresh = fresh_outputs(traced)
        # The captures that were set in the place of those of the trace.
        self._replaced: list[Any] = []
        # The short ways of calls that lead here.
        self.entries: list[Any] = []
        # The function itself, where a call is plain Python.
        self.python: Callable[..., Any] | None = None
        # Whether that is so is being found out, or was, for calls of some size.
        self.trial: Trial | None = None
        # Whether what the trace was made with is gone: it serves others that are alike.
        self.is_past = False
        # How many calls in a row came to what only Python can do; so many are left to it next.
        self.limits = self.left_to_python = 0

    def __copy__(self) -> ConcreteFunction:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> ConcreteFunction:
        return self

    def __reduce__(self) -> NoReturn:
        raise pickle.PicklingError(
            f"`{self._name}` is a ConcreteFunction, one graph that this process has compiled, and "
            "is not pickled: pickle the function that it is of, and call `get_concrete_function` "
            "again; or write its graphs to a file (`ag.save`), and load that (`ag.load`)"
        )

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
        self._replaced.extend(captures)
        for name in ("_reader", "_reading", "_natively", "_takes_arrays", "direct", "has_direct"):
            self.__dict__.pop(name, None)
        for entry in self.entries:
            entry.direct = entry.builtin = None

    @functools.cached_property
    def begins_again(self) -> bool:
        """Whether a call that came to what only Python can do has left no trace of itself."""
        traced = self._traced
        return not traced.stages_nothing and traced.changes_last

    def note_limit(self) -> None:
        """A call came to what only Python can do: the next ones are left to it, ever more of them.

        Of numbers with a fraction, that could show: their last bits are not always Python's.
        """
        values = (value for node in self._traced.graph.walk() for value in node.outputs)
        if all(isinstance(v.type, TensorType) and v.type.dtype.kind in "bi" for v in values):
            self.limits += 1
            self.left_to_python = min(2**self.limits, _MOST_LEFT)

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
        with shortened(), self._holding_outside({}) if self._traced.roots else nullcontext():
            return self.run(values)

    def guards_hold(self) -> bool:
        """Whether what the trace read from outside is still as it was."""
        traced = self._traced
        for guard in traced.guards:
            if not guard.holds():
                return False
        if self.is_past:
            return False
        return all(is_as_traced(c) for c in traced.captured)

    def broken_guards(self) -> list[str]:
        """What changed since the trace, in words."""
        broken = [g.explain() for g in self._guards_of_code() if not g.holds()]
        if broken:
            return broken
        places = (place for guard in self._traced.guards for place in guard.singles)
        broken = [g.explain() for g in places if not g.holds()]
        for c in self._traced.captured:
            if not is_as_traced(c):
                broken.append(c.guard.explain())
        return broken

    def left(self, numbers: Numbers) -> ConcreteFunction | None:
        """What is to be kept of a trace that did not serve a call.

        Nothing, where just `numbers` that it has for constants are inputs from now on; where what
        it read is gone or, as a list, would be kept alive by it, what serves other objects.
        """
        if self.is_past:
            return self
        broken = [guard for guard in self.guards_of_values() if not guard.holds()]
        if broken and all(numbers.has_opened(guard) for guard in broken):
            return None
        is_past = any(isinstance(guard, IdentityGuard) and guard.is_past for guard in broken)
        return self._without_objects() if is_past else self

    def _without_objects(self) -> ConcreteFunction | None:
        """The same for other objects only, which keeps nothing of those of the trace.

        None where it serves no others.
        """
        traced = self._traced
        if traced.likeness is None or self._replaced:
            return None
        traced.likeness.let_go()
        places = [c._replace(place=Place(c.place.name, _nothing)) for c in traced.captured]
        made = self._of(dataclasses.replace(traced, guards=self._guards_of_code(), captured=places))
        made._differentiable, made.python = self._differentiable, self.python
        made.relaxed, made.remedy, made.number = self.relaxed, self.remedy, self.number
        made.milliseconds, made.is_past = self.milliseconds, True
        return made

    def _of(self, traced: Traced) -> ConcreteFunction:
        """The same of another trace."""
        return ConcreteFunction(
            self._name, self._bind, self._returns, traced, self.reason, self._tensor_class,
            self._native,
        )  # fmt: skip

    def guards_of_values(self) -> list[Guard]:
        """The guards, where their places are read as they were in the trace: not by other code."""
        return self._traced.guards if self.code_is_as_it_was() else []

    def code_is_as_it_was(self) -> bool:
        """Whether the classes, functions and names of libraries are those of the trace."""
        return all(guard.holds() for guard in self._guards_of_code())

    def _guards_of_code(self) -> list[Guard]:
        return [guard for guard in self._traced.guards if guard.is_of_code]

    def like(self, arguments: Arguments) -> Alike | list[Number] | None:
        """What the graph needs to serve other objects than those of the trace, if it can.

        The numbers that are others, where nothing else is.
        """
        likeness = self._traced.likeness
        return None if likeness is None or self._replaced else likeness.find(arguments.leaves)

    @cached_property
    def holds_arguments(self) -> bool:
        """Whether the graph writes into containers among the arguments, or hands them out."""
        traced = self._traced
        is_watched = traced.tells_apart or traced.watched is not None
        return (
            traced.changes_containers or traced.with_arguments or is_watched or bool(traced.roots)
        )

    @property
    def items_of(self) -> frozenset[Any]:
        """The labels of the lists from outside of whose items it depends on each."""
        return self._traced.items_of

    def holding(self, bound: dict[str, Any], alike: Alike | None = None) -> within:
        """Make these the arguments whose containers the graph writes into and hands out.

        LeftToPython, or StagingError, where one of them is found elsewhere, too, and it matters.
        """
        lists = [tree.part_at(bound, path) for path in self._paths_of_columns]
        containers = dict(tree.mutable_parts(bound, set(map(id, lists))))
        if self._traced.tells_apart:
            others = () if alike is None else alike.others.values()
            self._check_outside(met_outside(bound, self._traced.guards, others))
        if self._traced.changes_containers:
            self._check_once(replay.shared_container(containers.values()))
            self._check_rows(lists, containers.values())
        return self._holding_outside(containers) if self._traced.roots else calling_with(containers)

    def _holding_outside(self, containers: dict[tuple[Any, ...], Any]) -> within:
        """Likewise with lists from outside, as they are now; LeftToPython where one is passed."""
        given = set(map(id, containers.values()))
        found = {root: root() for root in self._traced.roots}
        for thing in found.values():
            if id(thing) in given:
                raise self._left(f"`{self._name}` reads a list from outside that it is passed")
        at: dict[tuple[Any, ...], Any] = {(root,): thing for root, thing in found.items()}
        columns = {root: root.columns(thing) for root, thing in found.items()}
        if self._traced.changes_containers:  # one without columns is not for this trace
            lists = [thing for root, thing in found.items() if columns[root] is not None]
            self._check_rows(lists, containers.values())
        return calling_with(containers | at, columns)

    def _check_rows(self, lists: Iterable[Any], others: Iterable[Any]) -> None:
        """Raise LeftToPython where a list in a list that is columns is in another place, too."""
        of_lists = (x for x in lists if type(x) is list and x and type(x[0]) is list)
        rows = [*map(id, itertools.chain.from_iterable(of_lists))]
        known = set(rows)
        if not rows or (
            len(known) == len(rows)
            and known.isdisjoint(map(id, others))
            and known.isdisjoint(map(id, self._traced.lists_met))
        ):
            return
        raise self._left(f"`{self._name}` changes a list in a list that it finds elsewhere, too")

    def _check_once(self, twice: Any) -> None:
        if twice is not None:
            kind = type(twice).__name__
            what = f"`{self._name}` changes a {kind} among its arguments, and one {kind} is passed "
            raise self._left(f"{what}twice", "pass a copy of it in one of the two places")

    def _check_outside(self, met: Any) -> None:
        if met is not None:
            raise self._left(
                f"`{self._name}` changes a {type(met).__name__}, or asks whether two are one with "
                "`is`, and one among its arguments is also found outside of them",
                "pass a copy of it",
            )

    def _left(self, why: str, hint: str = "pass a copy") -> Exception:
        """What leaves a call to Python, or refuses it where Python cannot make it."""
        error = StagingError(why, hint)
        return LeftToPython(error) if self._may_be_left and not trace.tapes() else error

    @cached_property
    def _paths_of_columns(self) -> list[tuple[Any, ...]]:
        return [*paths_of_columns(self._traced.arguments.structure)]

    @property
    def find_like(self) -> Callable[[Sequence[Any]], Any]:
        """What gives an `Alike` for leaves that the trace may serve, and anything else if not."""
        assert self._traced.likeness is not None
        return self._traced.likeness.function

    def server(
        self, count: int, order: Sequence[int], constants: Sequence[tuple[int, Any]]
    ) -> Callable[..., Any] | None:
        """A function of `count` arguments that gives the result for other objects, or `MISS`.

        Those in `order` are inputs, and the `constants` are to be the same objects. None where more
        is to be done than to run the graph.
        """
        run = None if self._gives_tensors or not self.is_quick else self._natively
        if (
            run is None
            or not self._gives
            or self._traced.likeness is None
            or self._traced.externals
        ):
            return None
        call = run.alone if self._is_alone else run.together
        assert call is not None
        if not (self._is_alone or self._is_together):
            call = functools.partial(_made, call, self._gives, None)
        return self._traced.likeness.server(call, MISS, count, order, constants, self)

    def run_alike(
        self, leaves: list[Any], alike: Alike, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """`run_quickly` for other objects than those of the trace."""
        self.used = True
        if self.python is not None:
            return self.python(*args, **kwargs)
        inputs = [*leaves, *alike.captured, *self._variables_for(alike)]
        if not alike.others:
            return self._run_inputs(inputs)
        with standing(alike.others):
            return self._run_inputs(inputs)

    def run(self, leaves: Sequence[Any], alike: Alike | None = None) -> Any:
        """Run on the input leaves of the arguments; gives the structured result."""
        if alike is None:
            return self._run_with(leaves, [c.place.fetch() for c in self._traced.captured])
        with standing(alike.others) if alike.others else nullcontext():
            return self._run_with(leaves, alike.captured, self._variables_for(alike))

    def _variables_for(self, alike: Alike) -> list[Any]:
        if not alike.states:
            return self._traced.externals
        found = list(self._traced.externals)
        for number, state in alike.states.items():
            found[number] = state
        return found

    def _run_with(
        self, leaves: Sequence[Any], captured: Sequence[Any], externals: Sequence[Any] | None = None
    ) -> Any:
        traced = self._traced
        self.used = True
        inputs = [*leaves, *captured, *(traced.externals if externals is None else externals)]
        if traced.written or traced.contiguous:
            self._check_targets(inputs)
        if traced.compares_arrays:
            self._check_apart(inputs)
        return self._run_handing_out(inputs) if traced.hands_out else self._run_writing(inputs)

    def _run_handing_out(self, inputs: list[Any]) -> Any:
        traced = self._traced
        with handing_out({number: inputs[i] for number, i in traced.given.items()}):
            if not traced.lends:
                return self._run_writing(inputs)
            watched = traced.watched
            with hosting(inputs), nullcontext() if watched is None else watched.unchanged():
                return self._run_writing(inputs)

    def _run_writing(self, inputs: list[Any]) -> Any:
        if self._traced.writes_before_errors:
            with replay.writing_back(functools.partial(self._write_back, inputs)):
                return self._run_on(inputs)
        return self._run_on(inputs)

    def _run_on(self, inputs: list[Any]) -> Any:
        if trace.tapes():
            return self._run_under_tapes(inputs)
        raws = [x if type(x) is np.ndarray else _raw(x) for x in inputs]
        return self._finish(inputs, raws, self._run(*self._apart(raws)))

    def _apart(self, inputs: list[Any]) -> list[Any]:
        """Inputs of the graph; copies of the arrays that change before it ends."""
        if not self._traced.copied:
            return inputs
        apart = list(inputs)
        for i in self._traced.copied:
            apart[i] = copied(inputs[i]) if is_array(inputs[i]) else inputs[i]
        return apart

    def _write_back(self, inputs: list[Any], position: int, value: Any) -> None:
        """Give a caller's array what was written into it before an error."""
        raws = list(map(_raw, inputs))
        self._check_alone(inputs, raws, position)
        _write_back(inputs[position], copied(value))

    def _check_alone(self, inputs: Sequence[Any], raws: Sequence[Any], position: int) -> None:
        """Raise StagingError where an array that is written shares memory with another input.

        So it does where items of it share memory: what is written to one is read of the other.
        """
        target = inputs[position]
        array = target.array if isinstance(target, Tensor) else target
        if is_array(array) and may_overlap_itself(array):
            name = self._input_name(position)
            raise StagingError(
                f"`{name}` is written, and items of it share memory with one another",
                f"pass a copy (`{name}.copy()`)",
                origin=self._traced.written_at.get(position),
            )
        for i, other in enumerate(raws):
            if i != position and may_share(array, other):
                one, two = self._input_name(position), self._input_name(i)
                reads = "reads"
                hint = (
                    f"take the part where it is used (`{two}[...]` in place of `{one}`), or make a "
                    f"copy of one of the two (`{two}.copy()`)"
                )
                if max(position, i) < len(self._traced.arguments.inputs()):
                    reads, hint = "is given", f"pass a copy of one of the two (`{two}.copy()`)"
                raise StagingError(
                    f"`{one}` is written and shares memory with `{two}`, which `{self._name}` "
                    f"{reads} as well",
                    hint,
                    origin=self._traced.written_at.get(position),
                )

    def _check_apart(self, inputs: list[Any]) -> None:
        """Raise StagingError where one array is two inputs, and the function asks what is one."""
        seen: dict[int, int] = {}
        for i, raw in enumerate(map(_raw, inputs)):
            first = seen.setdefault(id(raw), i) if is_array(raw) else i
            if first != i:
                one, two = self._input_name(first), self._input_name(i)
                raise StagingError(
                    f"`{self._name}` asks whether two arrays are one with `is`, and `{one}` and "
                    f"`{two}` are one array",
                    f"pass a copy of one of the two (`{two}.copy()`), or ask before the call",
                )

    def _input_name(self, position: int) -> str:
        traced = self._traced
        names = [path for path, _, _ in traced.arguments.inputs()]
        names += [captured.place.name for captured in traced.captured]
        return names[position].strip("`") if position < len(names) else f"input {position + 1}"

    @cached_property
    def _run(self) -> Callable[..., tuple[Any, ...]]:
        """The graph on raw values; compiled when it is first called."""
        run = self._differentiable.run
        return getattr(run, "call", run)

    def builtin(self, given: Given, names: tuple[str, ...] = ()) -> Callable[..., Any] | None:
        """The compiled graph as a builtin that gives the result itself; None: it does not serve.

        The last arguments have `names`. The result is the one output of the graph, or what is made
        of all of them.

        It takes arrays and numbers of just these types, and gives `MISS` for anything else, and
        where what the trace read from outside changed: a function around the builtin looks.
        """
        if self.python is not None:
            return self._plainly(given, names)
        run = self._on_contents if self.is_quick else None
        if run is None or not (self._gives or self._gives_of_inputs):
            return None
        check = None if self._gives else self._may_begin
        is_raw = not self._gives_tensors and (self._is_alone or self._is_together)
        is_alone = is_raw and self._is_alone
        make = None if is_raw else self._gives or self._gives_of_inputs
        call = run.alone if is_alone else run.together
        assert call is not None
        if given.is_whole and not self._reads_outside and make is None:
            return call
        if make is not None:
            call = functools.partial(_made, call, make, check)
        caller_of = functools.partial(lone_caller, self._traced, call, MISS, self._replaced)
        looks = Late(functools.partial(caller_of, given.weakly()))
        missed = None if is_alone else MISS
        told = reading(self._traced, self._replaced, given)
        found = run.reading(told, looks, missed, make, check)
        is_own = run is self._differentiable.run
        return found if is_own else functools.partial(_unless_again, found)

    def _plainly(self, given: Given, names: tuple[str, ...]) -> Callable[..., Any] | None:
        """A builtin that calls the function itself; None where more is to be looked at."""
        traced = self._traced
        keys = [*filter(is_input_key, traced.arguments.keys)]
        pairs = zip(given.inputs, keys, strict=True)
        # Those behind the arguments are defaults.
        found = [_check(i, key) for i, key in pairs if i < given.arguments]
        checks = [check for check in found if check is not None]
        if len(checks) < len(found) or traced.captured or traced.externals or self.python is None:
            return None
        told = reading(traced, self._replaced, given)
        told = told.without_graph(checks)
        are_of = functools.partial(_are_of, keys)
        known = functools.partial(lone_caller, traced, are_of, MISS, self._replaced)
        return plain(told, self.python, names, Late(functools.partial(known, given.weakly())))

    @cached_property
    def _on_contents(self) -> Native | None:
        """`_natively`, also of the arrays that tensors among the arguments have, and Variables."""
        traced, run = self._traced, self._differentiable.run
        keys = [*filter(is_input_key, traced.arguments.keys)]
        kinds = [c.kind for c in traced.captured]
        if not (all(map(_is_of_array, keys)) and all(map(_is_array_kind, kinds))):
            return None
        if isinstance(run, Stateful) and run.only_reads:
            return run.inner
        holds_arrays = all(type(x) is np.ndarray for x in traced.externals)
        return run if isinstance(run, Native) and holds_arrays else None

    @cached_property
    def _natively(self) -> Native | None:
        """The graph as native code, which looks at the types of all inputs; None: it is not."""
        keys = filter(is_input_key, self._traced.arguments.keys)
        if not all(map(_is_plain_key, keys)) or not self._takes_arrays:
            return None
        run = self._differentiable.run
        return run if isinstance(run, Native) else None

    @cached_property
    def _reading(self) -> Callable[..., tuple[Any, ...]] | None:
        """The builtin that gives all outputs for the inputs among the arguments, or `MISS` alone.

        None where there is none, or nothing to be read from outside.
        """
        run = self._natively
        if run is None or not self._reads_outside:
            return None
        count = sum(map(is_input_key, self._traced.arguments.keys))
        given = Given(count, range(count))
        looks = Late(functools.partial(caller, self._traced, run.call, MISS))
        return run.reading(reading(self._traced, self._replaced, given), looks, (MISS,))

    @property
    def execution(self) -> list[str]:
        """How the graph runs, where that is not as a matter of course: why it is no native code."""
        reason = getattr(self._differentiable.run, "reason", None)
        is_left = self.python is not None and not self._traced.stages_nothing
        left = ["plain Python makes the calls: it takes no longer"] * is_left
        if reason is None:
            return left
        return [f"runs as a plan of NumPy calls, not natively: {reason}", *left]

    @property
    def called_from_native_code(self) -> list[tuple[str, Origin]]:
        """What native code has Python do, and where."""
        called = getattr(self._differentiable.run, "outside", ())
        return [
            (c.title, c.origins[-1]) for c in called if c.origins and not (c.fails or c.is_rare)
        ]

    @property
    def is_faster(self) -> bool:
        """Whether the graph runs faster than Python runs numbers: as native code, all of it.

        It is what runs anyway, where native code was not asked for.
        """
        return not self._wants_native or (
            self._has_native_loops and not self.called_from_native_code
        )

    @property
    def _wants_native(self) -> bool:
        wants_native = config.backend.value == "native" and config.native.value
        return bool(wants_native) and self._native is not False

    @property
    def _has_native_loops(self) -> bool:
        """Whether all of it is native code, or all but what a call does once, outside of loops."""
        run = self._differentiable.run
        is_native = isinstance(run, Native) or (isinstance(run, Planned) and bool(run.parts))
        return is_native and not self.loops_in_plan

    @property
    def loops_in_plan(self) -> bool:
        """Whether loops are gone through node by node, where native code was asked for."""
        run = self._differentiable.run
        if not (self._wants_native and isinstance(run, Planned)):
            return False
        return has_loops(run.graph or self._traced.graph)

    @property
    def nodes_in_plan(self) -> int:
        """How many nodes a plan runs one by one, where native code was asked for."""
        run = self._differentiable.run
        if not (self._wants_native and isinstance(run, Planned)):
            return 0
        nodes = (run.graph or self._traced.graph).walk()
        return sum(node.op.name not in ("constant", "dim", "native", "pending") for node in nodes)

    def is_as_fast_in_python(self, leaves: Sequence[Any]) -> bool:
        """Whether Python makes a call with these leaves as fast, and gives the same."""
        if self._gives_tensors or not self._is_mostly_python:
            return False
        traced = self._traced
        if traced.stages_nothing or traced.raised or traced.created or traced.takes_items:
            return False
        return reads_nothing_of_ours(traced.guards, [*leaves, *traced.externals])

    @cached_property
    def _is_mostly_python(self) -> bool:
        return bool(config.leave_to_python.value) and self.does_as_python

    @cached_property
    def does_as_python(self) -> bool:
        """Whether the graph runs as a plan that does what Python does, or calls Python as often."""
        run = self._differentiable.run
        if isinstance(run, Native):
            lines = [origin for _, origin in self.called_from_native_code]
            return calls_outweigh(self._traced.graph, lines)
        if not (self._wants_native and isinstance(run, Planned)):
            return False
        graph = self._traced.graph if run.graph is None else run.graph
        return is_done_as_in_python(graph, [part for _, part in run.parts])

    @cached_property
    def without_kinds(self) -> ConcreteFunction:
        """The same for those who cannot have Python make a call: numbers are of joined types."""
        graph = without_kinds(self._traced.graph)
        if graph is self._traced.graph or self.relaxed:
            return self
        return self._of(dataclasses.replace(self._traced, graph=graph))

    @cached_property
    def with_tensors(self) -> ConcreteFunction:
        """The same, but its results are tensors."""
        traced = dataclasses.replace(self._traced, tensors=True)
        made = ConcreteFunction(
            self._name, self._bind, self._returns, traced, self.reason, self._tensor_class
        )
        made._differentiable = self._differentiable
        return made

    def run_python(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that is plain Python, or MISS where what the trace read from outside changed."""
        assert self.python is not None
        self.used = True
        is_as_it_was = not self._reads_outside or self._reader(()) is not None
        return self.python(*args, **kwargs) if is_as_it_was else MISS

    def make_ready(self) -> None:
        """Make what `run_quickly` needs, which takes longer than many a call."""
        ways = (self._reading, self._gives)
        if self._reads_outside and (self.python is not None or None in ways):
            assert self._reader is not None

    def run_quickly(self, leaves: list[Any]) -> Any:
        """`run` outside of all contexts, or MISS where what the trace read from outside changed."""
        self.used = True
        if self._reading is not None and self._gives is not None:
            outputs = self._reading(*leaves)
            if not outputs or outputs[0] is not MISS:
                return self._gives(outputs)
        inputs = self._reader(leaves) if self._reads_outside else leaves
        return MISS if inputs is None else self._run_inputs(inputs)

    def _run_inputs(self, inputs: list[Any]) -> Any:
        if self._traced.written or self._traced.contiguous:
            self._check_targets(inputs)
        if self._traced.hands_out:
            return self._run_handing_out(inputs)
        if self._traced.writes_before_errors:
            return self._run_writing(inputs)
        raws = inputs if self._takes_arrays else list(map(_raw, inputs))
        outputs = self._run(*raws)
        if self._gives is None:
            return self._finish(inputs, raws, outputs)
        return self._gives(outputs)

    @cached_property
    def _reads_outside(self) -> bool:
        return self._traced.reads_outside

    @cached_property
    def _reader(self) -> Callable[[Sequence[Any]], list[Any] | None]:
        found = reader(self._traced)
        assert found is not None
        return found

    @cached_property
    def _takes_arrays(self) -> bool:
        """Whether the graph takes all inputs as they are: no tensor is among them."""
        traced = self._traced
        kinds = [c.kind for c in traced.captured]
        return (
            all(type(x) is np.ndarray for x in traced.externals)
            and all(map(_is_array_kind, kinds))
            and not any(map(_is_wrapped, traced.arguments.keys))
        )

    @cached_property
    def _gives(self) -> Callable[[tuple[Any, ...]], Any] | None:
        """How outputs become the result, where all that it takes is to make that."""
        if not self._is_made_anew:
            return None
        kind, structure = self._tensor_class, self._structure
        is_plain, held = self._is_of_outputs, self._held
        if held or not is_plain:
            return None if self._gives_tensors else self._made_of
        positions = [hole.index for hole in self._holes]
        if structure.kind is None:
            (at,) = positions
            return (lambda raws: kind(raws[at])) if self._gives_tensors else itemgetter(at)
        build = tree.builder(structure)
        if self._gives_tensors:
            return lambda raws: build([kind(raws[i]) for i in positions])
        if positions == [*range(len(self._traced.graph.outputs))]:
            return build
        return lambda raws: build([raws[i] for i in positions])

    @cached_property
    def _gives_of_inputs(self) -> Callable[..., Any] | None:
        """The same where some of the result are inputs, or such are written, and nothing else."""
        traced, run = self._traced, self._natively
        hands_out = traced.hands_out or traced.contiguous or traced.writes_before_errors
        if hands_out or self._gives_tensors or run is None or run.outside:
            return None
        make = self._made_of_parts if self._may_be_left else None
        if make is None:
            return lambda outputs, *inputs: self._finish([*inputs], [*inputs], outputs)
        written = [*enumerate(traced.written, traced.outputs)]

        def made(outputs: tuple[Any, ...], *inputs: Any) -> Any:
            result = make((*outputs, *inputs))
            for index, position in written:
                inputs[position][...] = outputs[index]
            return result

        return made

    @cached_property
    def _made_of_parts(self) -> Callable[[tuple[Any, ...]], Any] | None:
        """How outputs and the inputs behind them become the result; None: it takes more."""
        traced, outputs = self._traced, len(self._traced.graph.outputs)
        held = {*self._held, *traced.choices, *traced.shared} - {*traced.identities}
        places = {i: outputs + position for i, position in traced.identities.items()}
        parts: list[int] = []
        constants: list[Any] = []
        for hole in self._holes:
            if type(hole) is ResultHole and hole.index not in held:
                parts.append(places.get(hole.index, hole.index))
            elif type(hole) is FixedPart and hole.is_constant:
                parts.append(outputs + len(traced.graph.inputs) + len(constants))
                constants.append(hole.value)
            else:
                return None
        build, known = self._build, tuple(constants)
        if len(parts) < 2:
            return lambda things: build([(things + known)[i] for i in parts])
        take = itemgetter(*parts)
        return lambda things: build(take(things + known))

    @cached_property
    def _held(self) -> list[int]:
        """The outputs that may be arrays that somebody else holds."""
        outputs = self._traced.graph.outputs
        given = sorted(taken(self._holes, in_lists=False))
        return [i for i in given if not (self._fresh[i] or _is_number(outputs[i].type))]

    @cached_property
    def _build(self) -> Callable[[Sequence[Any]], Any]:
        return itemgetter(0) if self._structure.kind is None else tree.builder(self._structure)

    def _made_of(self, raws: tuple[Any, ...]) -> Any:
        """The result of outputs that are no tensors."""
        results = list(raws)
        for i in self._held:
            if is_array(raws[i]):
                results[i] = copied(raws[i])
        return self._build([hole.fill(results, raws) for hole in self._holes])

    @cached_property
    def _is_made_anew(self) -> bool:
        """Whether nothing that a call gives is something older, and it writes nothing."""
        traced = self._traced
        special = traced.choices or traced.identities or traced.hands_out or traced.contiguous
        return not (traced.written or special)

    @cached_property
    def _is_of_outputs(self) -> bool:
        """Whether all that a call gives are outputs of the graph."""
        return all(type(hole) is ResultHole for hole in self._holes)

    @cached_property
    def _is_alone(self) -> bool:
        """Whether what a call gives is the one output of the graph."""
        is_single = self._structure.kind is None and len(self._traced.graph.outputs) == 1
        return is_single and self._gives_outputs

    @cached_property
    def _is_together(self) -> bool:
        """Whether what a call gives is the tuple of all outputs of the graph, in their order."""
        leaves = (tree.LEAF,) * len(self._traced.graph.outputs)
        is_tuple = self._structure.kind is tuple and self._structure.children == leaves
        if not (is_tuple and self._gives_outputs):
            return False
        return [hole.index for hole in self._holes] == [*range(len(leaves))]

    @cached_property
    def _gives_outputs(self) -> bool:
        return self._is_made_anew and self._is_of_outputs and not self._held

    @cached_property
    def has_direct(self) -> bool:
        """Whether there is `direct`, which takes its time to be made."""
        is_plain = self._is_alone and self._gives is not None and not self._gives_tensors
        return is_plain and self._takes_arrays and not self.holds_arguments

    @cached_property
    def direct(self) -> Callable[..., tuple[Any, ...]] | None:
        """What runs the graph on the arguments as they are and gives the result as it is, alone.

        It gives MISS where what the trace read from outside changed. None where more is to be done.
        """
        if not self.has_direct:
            return None
        if not self._reads_outside:
            return self._run
        return self._reading or caller(self._traced, self._run, MISS)

    @cached_property
    def _may_begin(self) -> Callable[..., bool]:
        """Whether what is to be written is of the types that were traced; or it raises."""
        types: list[Any] = [value.type for value in self._traced.graph.inputs]
        written = [(position, types[position]) for position in self._traced.written]
        is_only_array = len(types) - sum(map(_is_number, types)) == 1

        def may_begin(*inputs: Any) -> bool:
            for position, type_ in written:
                target = inputs[position]
                if type(target) is not np.ndarray or target.dtype != type_.dtype:
                    return False
                if target.shape != type_.shape and not is_compatible(type_, type_of(target)):
                    return False
                if not (is_only_array and target.flags.carray):
                    self._check_targets(inputs)
            return True

        return may_begin

    def _check_targets(self, inputs: Sequence[Any]) -> None:
        """Raise LeftToPython where an array that is to be written cannot be; or StagingError."""
        is_left = self._may_be_left and not trace.tapes()
        for position in self._traced.written:
            target = inputs[position]
            if isinstance(target, np.ndarray) and not target.flags.writeable:
                raise LeftToPython(ValueError("assignment destination is read-only"))
            if is_left:
                try:
                    self._check_alone(inputs, inputs, position)
                except StagingError as why:
                    raise LeftToPython(why) from None
        for position in self._traced.contiguous:
            target = inputs[position]
            if isinstance(target, np.ndarray) and not target.flags.c_contiguous:
                refusal = self._not_contiguous(position)
                raise LeftToPython(refusal) if is_left else refusal

    def _not_contiguous(self, position: int) -> StagingError:
        name = self._input_name(position)
        return StagingError(
            f"`{name}`, or an array that is made of it, is written, and what was reshaped of that "
            "is used afterwards, or `np.nditer` goes through it: it shares memory only if it is "
            f"contiguous, and lies in the order of rows then, which `{name}` is not",
            f"pass a contiguous one (`np.ascontiguousarray({name})`), copy what is reshaped, or "
            'say `order="C"`',
            origin=self._traced.written_at.get(position),
        )

    @functools.cached_property
    def _may_be_left(self) -> bool:
        """Whether plain Python gives what this does: no tensors are asked for, nor given."""
        return self._returns is None and not self._traced.tensors

    @cached_property
    def is_quick(self) -> bool:
        """Whether `run_quickly` serves: a call runs the graph, and hands things out at most."""
        return self.is_quick_when_held and (self.python is not None or not self.holds_arguments)

    @cached_property
    def is_quick_when_held(self) -> bool:
        """Whether it serves within `holding` the arguments, where that is needed."""
        traced = self._traced
        if traced.raised or self.following is not None:
            return False  # it serves one call only
        if traced.stages_nothing or self.python is not None:
            return self.python is not None
        return not (traced.compares_arrays or traced.tells_apart or traced.watched is not None)

    @cached_property
    def _gives_tensors(self) -> bool:
        return self._traced.tensors if self._returns is None else self._returns == "tensor"

    def _run_under_tapes(self, inputs: list[Any]) -> Any:
        results = self._differentiable(self._apart(inputs))
        raws = [x if type(x) is np.ndarray else _raw(x) for x in inputs]
        return self._finish(inputs, raws, tuple(t._array for t in results), results)

    def _finish(
        self, inputs: list[Any], raws: list[Any], outputs: tuple[Any, ...], tensors: Any = None
    ) -> Any:
        traced = self._traced
        results: list[Any] = [None] * traced.outputs
        for i in self._taken:
            results[i] = self._result(i, inputs, outputs, tensors)
        if tensors is not None:
            self._track(tensors)
        # Text is of the arrays as they were.
        whole = traced.whole if self._returns is None else None
        made = made_result(self._build, self._holes, whole, results, outputs)
        for index, position in enumerate(traced.written, traced.outputs):
            if tensors is not None or not self._may_be_left:
                self._check_alone(inputs, raws, position)
            if tensors is not None and isinstance(inputs[position], np.ndarray):
                behind = positions_behind(traced.graph, traced.graph.outputs[index])
                lose([inputs[i] for i in behind], tensors, self._lost(position))
            # Under tapes the tensor that they know.
            _write_back(inputs[position], outputs[index] if tensors is None else tensors[index])
        return chosen_in(made) if whole is not traced.whole else made

    def _result(self, i: int, inputs: list[Any], outputs: tuple[Any, ...], tensors: Any) -> Any:
        """Output `i` as what is given back; None of a path that was not taken."""
        traced = self._traced
        if i in traced.identities and self._returns is None:
            return self._given_back(i, inputs, traced.identities[i], tensors)
        if i in traced.choices and self._returns is None:
            which, positions = traced.choices[i]
            position = positions.get(int(outputs[which]))
            if position is not None:
                return self._given_back(i, inputs, position, tensors)
        if outputs[i] is None:
            return None
        tensor = None if tensors is None else tensors[i]
        if i in traced.shared and self._returns is None:
            return self._shared(i, outputs, tensor)
        return self._own(i, outputs[i], tensor)

    @cached_property
    def _taken(self) -> list[int]:
        return sorted(taken(self._holes))

    def _lost(self, position: int) -> StagingError:
        """The error for a gradient through an array that is written and plain code may read."""
        name = self._input_name(position)
        return StagingError(
            f"`{name}` is an array, and what is written into it depends on what gradients are "
            "asked for: code that is not converted may have read it, and no gradient flows "
            "through that",
            f"convert the function around this too (`@ag.convert`), or give `{name}` back as a "
            "result; where none is to flow, write `ag.stop_gradient(...)` into it",
            origin=self._traced.written_at.get(position),
        )

    def _given_back(self, i: int, inputs: list[Any], position: int, tensors: Any) -> Any:
        """Result `i`, which is the very input at `position`; to tapes, what was written into it."""
        given = inputs[position]
        is_unknown = tensors is not None and not isinstance(given, Tensor)
        if is_unknown and self._gives_tensors and position in self._traced.written:
            return tensors[i].of_class(self._tensor_class)
        return given

    def _own(self, i: int, output: Any, tensor: Tensor | None) -> Any:
        """Result `i` as an array or tensor that nobody else holds; an object is itself."""
        if isinstance(self._traced.graph.outputs[i].type, ObjectType):
            return output
        if not self._fresh[i] and is_array(output):
            # Constants, inputs, variables and what control flow passes on are held elsewhere.
            output = copied(output)
        if not self._gives_tensors:
            return output
        return self._tensor_class(output) if tensor is None else tensor.of_class(self._tensor_class)

    def _track(self, tensors: Any) -> None:
        """Let the tapes know the tensors that were stored."""
        known = objects()
        for number, index in self._traced.tracked.items():
            if isinstance(known.get(number), Tensor):
                known[number].current()._key = tensors[index].key
        for found in known.values():
            if isinstance(found, Tensor) and found.is_view:
                found._token = -1  # to be derived anew

    def _shared(self, i: int, outputs: tuple[Any, ...], tensor: Tensor | None) -> Any:
        """Result `i`, which may have been stored somewhere, or be another result as well."""
        array = self._traced.shared[i]
        own = functools.partial(self._own, i, outputs[i], tensor)
        found = array.get(outputs, objects(), own)
        if isinstance(found, Tensor) != self._gives_tensors:
            return own()  # where it is stored, it is of the other kind
        if tensor is None:
            return found
        return own() if found.is_view else found  # a view: as the tapes know it


# How graphs are compiled, by the option `native` of `convert`.
_COMPILE: dict[bool | None, Callable[[Graph], Executable]] = {
    None: compile_graph,
    True: functools.partial(compile_graph, backend="native"),
    False: functools.partial(compile_graph, backend="plan"),
}


# Of inputs that are told by their classes alone.
_CLASSES = {FLOAT: Version(float), INT: Version(int), COMPLEX: Version(complex)}


def _check(position: int, key: Any) -> OfKind | OfArray | None:
    """How native code tells an argument of a key of inputs; None where it does not."""
    source = Argument(position)
    if key in _CLASSES:
        return OfKind(source, _CLASSES[key])
    if key[0] == "scalar":
        return OfKind(source, Version(key[1].type))
    is_array = isinstance(key[0], np.dtype) and None not in key[1]
    return OfArray(source, *key) if is_array else None


def _are_of(keys: Sequence[Any], *inputs: Any) -> Any:
    """True where inputs are of keys that `_check` knows; else MISS."""
    for key, x in zip(keys, inputs, strict=True):
        kind = type(x)
        if key in _CLASSES:
            is_of = kind is _CLASSES[key].kind
        elif key[0] == "scalar":
            is_of = kind is key[1].type
        else:
            is_of = kind is np.ndarray and (x.dtype, x.shape) == key
        if not is_of:
            return MISS
    return True


def _is_number(type_: Type) -> bool:
    return isinstance(type_, TensorType) and type_.rank == 0


def _is_array_kind(kind: type) -> bool:
    """Whether a graph takes what is of a class as it is."""
    return kind in (np.ndarray, float, int) or issubclass(kind, np.generic)


def _is_of_array(key: Any) -> bool:
    """Whether a leaf of this key is what `_is_plain_key` says, or a tensor that has an array."""
    return _is_plain_key(key) or (type(key) is tuple and key[0] == "tensor" and len(key) == 3)


def _is_plain_key(key: Any) -> bool:
    """Whether a leaf of this key is a number of Python or NumPy, or an array that has axes."""
    if key in (FLOAT, INT, COMPLEX):
        return True
    if not isinstance(key, tuple) or len(key) != 2:
        return False
    is_array = isinstance(key[0], np.dtype) and key[1] != ()
    return bool(is_array or key[0] == "scalar")


def _nothing() -> None:
    return None


def _given(value: Any) -> Any:
    return value


def _check_capture(thing: Any, was: Any) -> None:
    old = was.type if isinstance(was, Captured) else external_type(was)
    new = external_type(thing)
    if old != new:
        raise TypeError(f"a capture must be {old}, but {new} was given")


def _is_wrapped(key: Any) -> bool:
    """Whether inputs of this key are tensors, or of a class of arrays that the graph has not."""
    return is_input_key(key) and key[0] in ("tensor", "weak", "array of")


def _raw(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x.array
    return np.asarray(x) if isinstance(x, np.ndarray) else x


def _checked(value: Any, type_: TensorType, path: str) -> Any:
    if is_generator(type(value)):
        value = bits_of(value)
    if not isinstance(value, (Tensor, np.ndarray, np.generic)) and not is_device_array(value):
        if type_.weak and isinstance(value, (bool, int, float, complex)):
            return value
        value = np.asarray(value, type_.dtype)[()]
    given = type_of(value)
    if not is_compatible(type_, given):
        raise TypeError(f"argument `{path}` must be {type_}, but {given} was given")
    return value


def fresh_outputs(traced: Traced) -> list[bool]:
    """Which outputs are arrays that nobody else can hold."""
    outputs = traced.graph.outputs[: traced.outputs]
    return [
        v.node is not None
        and isinstance(v.type, TensorType)
        and not v.node.op.view
        and not v.node.graphs
        and not _is_sharing(v.node)
        and outputs.count(v) == 1
        for v in outputs
    ]


def _is_sharing(node: Node) -> bool:
    """Whether a result may be an operand, or lie in its memory."""
    if node.op.name != "astype":
        return node.op.name in _SHARING
    before = node.inputs[0]
    if isinstance(before.type, TensorType) and before.type.dtype == node.attrs["dtype"]:
        return True
    # What is converted back may be what was there before.
    made = before.node
    return made is not None and (made.op.view or made.op.name in (*_SHARING, "astype"))


_SHARING = frozenset(
    ("constant", "read", "assign", "choose", "identity", "asarray", "reshape", "ravel",
     "stop_gradient",
     "broadcast_to", "real", "imag", "strengthen", "stack_pop", "stack_take")
)  # fmt: skip


def _write_back(target: Any, value: Any) -> None:
    """Give a caller's array the content that the function wrote into it."""
    if isinstance(target, Tensor):
        target.assign(value if isinstance(value, Tensor) else Tensor(value))
    else:
        target[...] = value.array if isinstance(value, Tensor) else value
