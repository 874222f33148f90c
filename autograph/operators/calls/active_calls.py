"""Calls of converted functions that are under way, and what tells one from another."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph.operators.calls.parameters import OtherCallError, initial_form, known_number, widened
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.closures import content_of
from autograph.operators.captured.methods import ORIGINAL
from autograph.operators.captured.variables import Nullable
from autograph.operators.symbolic.containers import Growing
from autograph.operators.symbolic.forms import Form
from autograph.operators.values.carried import type_of
from autograph.operators.values.runs import has_runs
from autograph.operators.values.scope import cells_of
from runtime.building import Builder
from runtime.errors import StagingError
from runtime.process.caching import cached_property
from runtime.tensor import Tensor

__all__ = ["UNTIL", "Call", "Mark", "Recursions", "code_of", "is_same_function"]

UNTIL = "until a condition holds that is known only when the graph runs"


@dataclass(eq=False)
class Mark:
    """A call that is to be a `recursion` node: the places of its numbers that may differ."""

    numbers: frozenset[str]
    # What was found the last time that it was traced.
    forms: dict[str, Form] = field(default_factory=dict)
    result: Form | None = None
    # Whether a list that it gives back may be one that it is given.
    gives_lists: bool = False
    # Whether the calls within it are, as what it gives back may be a list of the caller's.
    begins_within: bool = False
    # Why it cannot be one: then calls are traced into each other after all, as far as that goes.
    refusal: StagingError | None = None


class Recursions:
    """What is known, over all attempts to trace a function, of functions that call themselves."""

    def __init__(self) -> None:
        self.marks: dict[Any, Mark] = {}
        # By the code of the function, outermost first.
        self.under_way: dict[CodeType, list[Call]] = {}
        # Calls in calls of the same function on branches: those that are alike, and others.
        self.counts: Counter[CodeType] = Counter()
        self.unlike: Counter[CodeType] = Counter()
        self._is_news = False

    def learn(self, key: Any, numbers: frozenset[str]) -> None:
        """Mark a call."""
        known = self.marks.get(key)
        if known is not None and numbers <= known.numbers:
            return
        self.marks[key] = Mark(numbers if known is None else numbers | known.numbers)
        self._is_news = True

    def refuse(self, mark: Mark, error: StagingError) -> None:
        """Note that a call cannot be a node."""
        mark.refusal = error
        self._is_news = True

    def begin_within(self, mark: Mark) -> None:
        """Note that an outermost call is no node, but those within it."""
        mark.begins_within = True
        self._is_news = True

    def begin(self) -> bool:
        """Whether the trace is to begin anew, since it learnt something; forget where it was."""
        is_news, self._is_news = self._is_news, False
        self.under_way.clear()
        self.counts.clear()
        self.unlike.clear()
        return is_news

    @property
    def open(self) -> list[Call]:
        """The calls whose functions are being traced into graphs that call themselves."""
        return [call for calls in self.under_way.values() for call in calls if call.mark]


class Call:
    """A call of a converted function.

    `builder` is that of the graph which it is traced into, `body` that of the function's own
    statements, which begin at the node `begin`; `mark` is of a call that becomes a node.
    """

    mark: Mark | None = None

    def __init__(
        self,
        function: FunctionType,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        builder: Builder | None,
    ) -> None:
        self.function, self.args, self.kwargs, self.builder = function, args, kwargs, builder
        self.name = function.__name__
        self.body = builder
        self.begin = 0 if builder is None else len(builder.graph.nodes)

    @cached_property
    def bound(self) -> inspect.BoundArguments | None:
        """The arguments by parameter, defaults filled in; None where they do not fit."""
        signature = inspect.signature(self.function, follow_wrapped=False)
        try:
            bound = signature.bind(*self.args, **self.kwargs)
        except TypeError:  # Python itself says what is wrong
            return None
        bound.apply_defaults()
        return bound

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments by parameter."""
        assert self.bound is not None
        return self.bound.arguments

    @cached_property
    def fixed_forms(self) -> dict[str, Form]:
        """Forms of the arguments, in which all numbers that are known stay what they are."""
        return {k: initial_form(x, k, lambda path: False) for k, x in self.arguments.items()}

    @cached_property
    def key(self) -> Any:
        """What tells the call from others, in another attempt to trace the function, too."""
        return code_of(self.function), tuple(_traits(x) for x in self.arguments.values())

    def differences(self, other: Call) -> set[str] | None:
        """The places of numbers in which a later call differs; None for another kind of call."""
        found = self.compared(other)
        return None if found is None else found[0]

    def compared(self, other: Call) -> tuple[set[str], bool] | None:
        """As `differences`, and whether it is of the same types and lengths, but for those."""
        if self.bound is None or not is_same_function(self.function, other.function):
            return None
        found: set[str] = set()

        def may_differ(path: str) -> bool:
            found.add(path)
            return True

        try:
            both = [
                (form, widened(form, other.arguments[name], name, may_differ))
                for name, form in self.fixed_forms.items()
            ]
        except OtherCallError:
            return None
        return found, all(form == wider for form, wider in both)

    def covers(self, other: Call) -> bool:
        """Whether a later call that is alike is one with the same Python values and types."""
        return _cover(self.fixed_forms, other)

    def differs_in_numbers(self, other: Call) -> bool:
        """Whether a later call that is alike is one with the same values and types, but numbers."""
        forms = {k: initial_form(x, k, lambda path: True) for k, x in self.arguments.items()}
        return _cover(forms, other)

    def differs_in_lengths(self, other: Call) -> bool:
        """Whether a later call that is alike is given lists of other lengths."""
        return any(
            isinstance(widened(form, other.arguments[name], name, lambda path: True), Growing)
            for name, form in self.fixed_forms.items()
        )


def _cover(forms: dict[str, Form], call: Call) -> bool:
    return all(
        form == widened(form, call.arguments[name], name, lambda path: True)
        for name, form in forms.items()
    )


def _traits(x: Any) -> Any:
    """What tells a value from others of its kind, the same in each attempt."""
    number = known_number(x)
    if number is not None:
        return number
    if isinstance(x, Tensor):
        return str(type_of(x))
    if isinstance(x, Nullable):
        return "or none", _traits(x.value)
    if isinstance(x, (str, bytes, type(None))):
        return x
    if has_runs(x):
        return type(x), None
    if type(x) in (tuple, list):
        return type(x), tuple(map(_traits, x))
    if type(x) is dict:
        return dict, tuple(x), tuple(map(_traits, x.values()))
    if isinstance(x, FunctionType):
        return code_of(x)
    facts = current_trace()
    return id(x) if facts is not None and facts.outside.has(x) else type(x)


# ---- functions -------------------------------------------------------------------------------


def code_of(function: FunctionType) -> CodeType:
    """The user's code of a converted function, which may have several twins."""
    return _original(function).__code__


def _original(function: FunctionType) -> FunctionType:
    if "__wrapped__" in vars(function):  # attributes may be those of what it wraps
        return function
    found = vars(function).get(ORIGINAL)
    original: FunctionType | None = None if found is None else found()
    return function if original is None else original


def is_same_function(a: FunctionType, b: FunctionType) -> bool:
    """Whether two functions of one code have the same captured names, too."""
    if a is b:
        return True
    ours, theirs = _captured(a), _captured(b)
    return ours.keys() == theirs.keys() and all(
        cell is theirs[k] or content_of(cell) is content_of(theirs[k]) for k, cell in ours.items()
    )


def _captured(function: FunctionType) -> dict[str, CellType]:
    """The closure cells of the user's function, without those of converted code."""
    cells = cells_of(_original(function))
    return {name: cell for name, cell in cells.items() if not name.startswith("ag__")}
