"""Calls of Python code that a graph makes when it runs: what is neither converted nor pure.

Such a call is a node in its place among the effects. It gets real values; what it gives is known
only to Python, unless its dtype and shape are certain or were declared. Python code may look at
every object and change it: so what the function has written by then is written before the call, and
the call may not change what the function reads after it, or has written.
"""

from __future__ import annotations

import builtins
import io
import sys
from collections import deque
from types import BuiltinMethodType, FrameType
from typing import Any

import numpy as np

from autograph.operators.captured.captures import Trace, current_trace
from autograph.operators.captured.decisions import HOST as BY_HOST
from autograph.operators.captured.host_values import HostValue, is_object
from autograph.operators.captured.methods import why_left
from autograph.operators.results.draws import drawn, has_draws, is_draw, note_generator, order_drawn
from autograph.operators.results.host_results import (
    NOTHING,
    generators,
    is_blind,
    is_discreet,
    kind_of_result,
    known_result,
    owner_of,
    types_of,
)
from autograph.operators.results.host_runs import (
    Attribute,
    Declared,
    Flush,
    HostCall,
    Watch,
    caller_at,
)
from autograph.operators.results.outputs import Place
from autograph.operators.results.reconstruction import Same
from autograph.operators.values.iterators import taken
from runtime import config, journal, ops
from runtime.building import Builder, building, traced
from runtime.cells import Cell
from runtime.devices import HOST
from runtime.effects import control
from runtime.effects.host import HOST_CALL
from runtime.errors import HostCallError
from runtime.origins import Origin, is_user_code, origin_of_caller
from runtime.spec import ObjectType
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["call_host", "entered", "left", "refusal", "shuffled", "title_of"]

# The calls that the log has told of: where, and of what.
_told: set[tuple[str, int, str]] = set()


def title_of(function: Any) -> str:
    """A function as the user knows it."""
    if isinstance(function, HostValue):
        return function.name
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    if name is None:
        return type(function).__name__
    if ops.special.is_of_scipy(function):
        return f"scipy.special.{name}"
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        module = type(getattr(function, "__self__", None)).__module__
    public = [part for part in module.split(".") if not part.startswith("_")]
    if module == "builtins" or getattr(builtins, name, None) is function:
        return str(name)
    return ".".join([*public, name])


def refusal(function: Any) -> HostCallError:
    """The error for a call that no graph can make, as its effect is on the trace itself."""
    error = HostCallError(
        f"`{title_of(function)}` is called while tracing: it looks at the program itself, or "
        "changes how it runs, so that a graph cannot call it later",
        "call it outside of the converted function, or wrap it in a function marked with "
        "@ag.do_not_convert if running it once per trace is what you want",
        origin=origin_of_caller(),
    )
    builder = building()
    if builder is not None:
        root = builder.root
        error.staged = bool(root.graph.inputs) or any(n.has_effect for n in root.graph.nodes)
    return error


class _Given(Place):
    """What Python code is given."""

    @property
    def is_outside(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"given to `{self.name}`"


class _Called(Place):
    """What Python code calls."""

    def __str__(self) -> str:
        return "called by plain Python"


def call_host(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    declared: Declared | None = None,
    *,
    as_arrays: bool = False,
    known_as: Any = None,
    why: str | None = None,
    may_advance: bool = False,
) -> Any:
    """Have the graph call `function` here; gives what stands for its result.

    `declared` is what it gives, if that was said. `as_arrays`: tensors are given as arrays.
    `known_as` is the function that the user called, if that is another one. `why` is for `explain`.
    `may_advance`: it takes items of iterators that it is given in each call of the graph.
    """
    facts, builder = current_trace(), building()
    assert facts is not None and builder is not None
    found = drawn(function, args, kwargs) if declared is None else NotImplemented
    if found is not NotImplemented:
        return found
    declared = declared or known_result(function, args, kwargs)
    staged = _Staged(function, function if known_as is None else known_as, facts, builder)
    staged.take(args, kwargs, as_arrays=as_arrays, may_advance=may_advance)
    staged.flush()
    outputs = staged.emit(declared)
    why = why_left(staged.known_as) if why is None else why
    _tell(facts, staged.name, staged.origin, why)
    if declared is NOTHING:
        return None
    if declared is not None:
        return tree.unflatten(declared.structure, [_stands_for(x, builder) for x in outputs])
    made = HostValue(outputs[0], staged.name, kind_of_result(function, args))
    if has_draws(made.kind):
        note_generator(made)
    return made


def _stands_for(x: Tensor, builder: Builder) -> Tensor:
    """A declared result: an array of its own, or a number."""
    if x.type.rank == 0:
        return x
    return builder.array(builder.value_of(x)).as_array()


class _Staged:
    """One call on its way into the graph."""

    def __init__(self, function: Any, known_as: Any, facts: Trace, builder: Builder) -> None:
        self.function, self.facts, self.builder = function, facts, builder
        self.known_as = known_as
        self.name, self.origin = title_of(known_as), origin_of_caller()
        self.keeps = not is_discreet(known_as)
        self.is_blind = is_blind(known_as)
        # Whether each call of the graph makes this call once at most.
        self.is_once = builder is builder.root
        self.operands: list[Tensor] = []
        self.looks: list[Any] = []
        self.lent: list[Any] = []

    def take(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], *, as_arrays: bool, may_advance: bool
    ) -> None:
        """Make templates of the function and what it is given."""
        self.advances = may_advance
        handouts, place = self.facts.effects.handouts, _Given(self.name, self.origin)
        for x in (*args, *kwargs.values()):
            if not may_advance and not isinstance(
                x, io.IOBase
            ):  # each call of the graph reads and writes on in a file
                taken(x)
            self._note_passed(x)
        self.as_arrays = as_arrays and self.facts.captures.tensors
        with handouts.lending(lasting=self.is_once and self.keeps) as lent:
            self.args = [handouts.part(x, self.operands, place) for x in args]
            self.kwargs = {k: handouts.part(x, self.operands, place) for k, x in kwargs.items()}
            self.callee = self._callee(place)
            self.lent += lent
        containers = handouts.containers
        self.given = [containers[id(x)][0] for x in self.lent if id(x) in containers]

    def _note_passed(self, x: Any) -> None:
        """What Python code looks into is looked into when the graph runs."""
        if isinstance(x, (list, dict, set, deque)):
            self.facts.outside.consumed(x)

    def _callee(self, place: Place) -> Any:
        function = self.function
        if isinstance(function, HostValue):
            return self.facts.effects.handouts.part(function, self.operands, place)
        owner, name = owner_of(function)
        self._note_passed(owner)
        if owner is sys.stdout or owner is sys.stderr or owner is sys.stdin:
            stream = next(s for s in ("stdout", "stderr", "stdin") if getattr(sys, s) is owner)
            return Attribute(Attribute(Same(sys), stream), name)
        handouts = self.facts.effects.handouts
        if owner is not None and not isinstance(owner, type) and _has_own(owner, self.facts):
            return Attribute(handouts.part(owner, self.operands, place), name)
        handouts.check_called(function, _Called(*place))
        return Same(function)

    def flush(self) -> None:
        """Have what was written so far written before the call."""
        arrays = any(x.type.rank != 0 for x in self.operands if not is_object(x))
        self.lends = not self.is_blind or arrays or bool(self.lent) or self.facts.captures.tensors
        if not self.lends:
            return
        self.facts.effects.lends = True
        lasting = self.is_once and self.keeps
        found = self.facts.context.writes_for_host(self.facts, self.builder, lasting=lasting)
        write, values, among_arguments = found.pending
        self.facts.effects.pends_on_arguments |= among_arguments
        self.facts.effects.shared.update(map(id, found.arrays))
        self.looks, self.lent = list(found.looks.values()), [*self.lent, *found.lent]
        if write is not None:
            attrs = {"write": Flush(write, found.looks, lasting), "target": "objects"}
            self.builder.emit(control.STORE, values, attrs)

    def emit(self, declared: Declared | None) -> list[Tensor]:
        """The node."""
        facts = self.facts
        if self.keeps:
            self._lock()
        facts.effects.calls += 1
        number = facts.effects.calls if self.is_once else None
        call = HostCall(
            self.name,
            self.origin,
            caller_at(self.origin, _globals_of_caller()),
            (self.callee, self.args, self.kwargs),
            declared,
            watch=None if self.is_blind else Watch(facts, number, self.looks),
            lasting=self.is_once and self.keeps,
            given=self.given,
            as_arrays=self.as_arrays,
            lends=self.lends,
            keeps=self.keeps,
            advances=self.advances,
            count=len(self.operands),
        )
        types = (ObjectType(),) if declared is None else declared.types
        values = [self.builder.value_of(_at_home(x)) for x in self.operands]
        node = self.builder.emit(HOST_CALL, values, {"call": call, "results": types})
        outputs = tuple(traced(value) for value in node.outputs)
        self.builder.tell_tapes(node, [traced(v) for v in values], outputs)
        return list(outputs)

    def _lock(self) -> None:
        """What the function made and gives away must stay as it is: it may be kept."""
        containers = self.facts.effects.handouts.containers
        for thing in self.lent:
            if isinstance(thing, Cell):
                why = f"`{self.name}` is given this array, and may keep it"
                thing.locked = thing.locked or why
            elif id(thing) not in containers:
                journal.note_lent(thing, self.name)


def _at_home(x: Tensor) -> Tensor:
    """On the host, where Python code is."""
    if is_object(x) or x.type.device is None:
        return x
    found: Tensor = ops.to_device(x, HOST)
    return found


def _has_own(owner: Any, facts: Trace) -> bool:
    """Whether the owner of a method is an object that each call has anew."""
    is_given = id(owner) in facts.effects.handouts.containers
    return is_given or (journal.is_fresh(owner) and not facts.outside.has(owner))


def _globals_of_caller() -> dict[str, Any]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_user_code(frame.f_code):
            return frame.f_globals
        frame = frame.f_back
    return {}


def _tell(facts: Trace, name: str, origin: Origin | None, why: str) -> None:
    """Say once, in the log and in `explain`, that a call is made each time the graph runs."""
    text = f"`{name}` is called by the host on each call"
    facts.decisions.note(origin, BY_HOST, f"{text}: {why}" if why else text)
    key = ("" if origin is None else origin.filename, 0 if origin is None else origin.lineno, name)
    if key not in _told:
        _told.add(key)
        config.log(1, lambda: f"{origin}: `{name}` is called by the host each time the graph runs")


# ---- what calls gave ---------------------------------------------------------------------------


class _Method(HostValue):
    """A method of a generator that a call gave: it is looked up where more is asked than a draw."""

    __slots__ = ("generator",)

    def __init__(self, owner: HostValue, name: str) -> None:
        self.generator = owner.value
        self.name, self.kind, self.method = f"{owner.name}.{name}", owner.kind, name

    def class_(self) -> type:
        """The class of methods of such classes."""
        return BuiltinMethodType

    def __getattr__(self, name: str) -> Any:
        if name != "value":
            return super().__getattr__(name)
        owner = HostValue(self.generator, self.name, self.kind)
        self.value = call_host(getattr, (owner, self.method), {}).value
        return self.value


def look(owner: HostValue, name: str) -> HostValue:
    """An attribute of what a call gave, as it is when the graph gets here."""
    if is_draw(owner.kind, name):
        return _Method(owner, name)
    found = call_host(getattr, (owner, name), {})
    assert isinstance(found, HostValue)
    return HostValue(found.value, f"{owner.name}.{name}", owner.kind, name)


def entered(manager: HostValue) -> Any:
    """What a manager that a call gave gives where it is entered."""
    found = call_host(_enter, (manager,), {}, known_as=manager)
    assert isinstance(found, HostValue)
    # A file gives itself.
    kind = manager.kind if manager.kind is io.IOBase else None
    return HostValue(found.value, f"{manager.name}.__enter__", kind)


def left(manager: HostValue, *details: Any) -> Any:
    """Whether a manager that a call gave lets no exception pass where it is left."""
    return call_host(_leave, (manager, *details), {}, types_of(bool), known_as=manager)


def _enter(manager: Any) -> Any:
    return type(manager).__enter__(manager)


def _leave(manager: Any, *details: Any) -> bool:
    return bool(type(manager).__exit__(manager, *details))


def shuffled(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether `rng.shuffle(array)` was staged: what changes an array in place gives a new one."""
    owner, name = owner_of(function)
    if name != "shuffle" or not args or not (isinstance(args[0], Tensor) and args[0].is_array):
        return False
    if not isinstance(owner, generators()) and owner not in generators():
        return False
    x = args[0]
    order = order_drawn(function, x.shape[0]) if len(args) == 1 and not kwargs else None
    if order is not None:
        x[...] = x[order]
        return True
    declared = Declared(tree.flatten(0)[1], (x.type.on(None),), True)
    made = call_host(_shuffled_copy, (function, *args), kwargs, declared, known_as=function)
    x[...] = made
    return True


def _shuffled_copy(shuffle: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    made = np.array(x)
    shuffle(made, *args, **kwargs)
    return made


def call_value(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call what another call gave, or a function of it."""
    return None if shuffled(function, args, kwargs) else call_host(function, args, kwargs)
