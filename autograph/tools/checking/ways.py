"""All ways to run a function, one after the other, and where the first one goes astray."""

from __future__ import annotations

import copy
import itertools
import traceback
from collections.abc import Callable
from types import MethodType
from typing import Any, NamedTuple

from autograph.errors import AutographError
from autograph.frontend import conversion
from autograph.functions import BoundFunction, Function, convert
from autograph.generated import Options
from autograph.tools.checking import gradients
from autograph.tools.checking.line_log import Event, logged, logging_lines
from autograph.tools.checking.outcomes import (
    Given,
    Outcome,
    State,
    first_difference,
    observe,
    restored,
    same_number,
    shown,
)
from autograph.tools.checking.report import GRADIENT, CheckReport, Difference
from autograph.tracing.signature import paths_of
from runtime import config
from runtime.autodiff.sweep import NoGradientError
from runtime.compile import BACKENDS
from runtime.errors import StagingError
from runtime.structure import tree

__all__ = ["check"]

AGAIN, EAGER = "called again", "eager"


def check(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> CheckReport:
    """Run a function in all ways that it can be run, and compare what it does.

    Plain Python is compared with converted code run eagerly, with the graph on each backend (two
    calls, so that what a trace has frozen is found), and the gradient with central differences in
    float64. Results, exceptions, printed text and what is done to the arguments must agree;
    numbers may differ by rounding, and have a wider dtype where Python's own depends on data. The
    report names the first line of the function that gives something else.

    The arguments are left as they are, and so are random number generators, and the Variables and
    arrays that the function reads from outside. Nothing is raised for a difference: the report is
    true where all agree, so that `assert ag.check(f, x)` is a test. A function that does something
    else each time it is called cannot be compared, which the report says.

    Finite differences as in `numpy.gradient`; the method is that of `scipy.optimize.check_grad`.

    >>> import numpy as np
    >>> import autograph as ag
    >>> def decay(x, rate):
    ...     while x.sum() > 1:
    ...         x = x * rate
    ...     return x
    >>> ag.check(decay, np.array([3.0, 4.0]), 0.5)
    decay: eager, graph (native), graph (plan), graph (reference), gradient agree with plain Python
    """
    return _Check(function, args, kwargs).run()


class _Subject(NamedTuple):
    """The function as it was written, and how it is converted."""

    plain: Callable[..., Any]
    make: Callable[[Any], Any]
    # Whether all of it is one Python function with a `def`.
    has_lines: bool

    @property
    def function(self) -> Any:
        return conversion.underlying_function(self.plain)[0]


class _Check:
    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.subject, args = _taken_apart(function, args)
        self.given: Given = (args, kwargs)
        self.report = CheckReport(getattr(self.subject.plain, "__name__", repr(function)))
        self.state = State()

    def run(self) -> CheckReport:
        """Compare everything."""
        self._learn()
        plain = self.subject.plain
        expected = self._observed(plain)
        difference = first_difference([self._observed(plain)], expected)
        if difference is not None:
            self._add(AGAIN, difference, None)
            self.report.notes.append("a function that is not repeatable cannot be compared")
            return self.report
        self._compare(EAGER, self._eager, expected)
        for backend in sorted(BACKENDS):
            with config.backend.using(backend), config.leave_to_python.using(False):
                self._compare(f"graph ({backend})", self.subject.make, expected)
        if expected.error is None:
            self._compare_gradient()
        else:
            self.report.notes.append(f"plain Python raises {_in_short(expected.error)}")
        return self.report

    def _learn(self) -> None:
        """What the function reads from outside, so that each run finds it as it is now."""
        args, kwargs = copy.deepcopy(self.given)
        try:
            function = self.subject.make(self.subject.plain)
            self.state.keep(function.get_concrete_function(*args, **kwargs))
        except Exception:  # noqa: BLE001 - what it is, the runs will tell
            self.state.restore()

    def _observed(self, function: Callable[..., Any]) -> Outcome:
        return restored(self.state, lambda: observe(function, self.given))

    def _eager(self, function: Any) -> Any:
        found, owner = conversion.underlying_function(function)
        if found is None:
            return function
        converted = conversion.convert_function(found, Options())
        return converted if owner is None else MethodType(converted, owner)

    # ---- values ------------------------------------------------------------------------------

    def _compare(self, mode: str, make: Callable[[Any], Any], expected: Outcome) -> None:
        self.report.modes.append(mode)
        try:
            function = make(self.subject.plain)
        except AutographError as error:
            self.report.differences.append(
                Difference(mode, "exception", _in_short(error), "none is raised")
            )
            return
        outcomes = [self._observed(function), self._observed(function)]
        difference = first_difference(outcomes, expected)
        if difference is not None:
            event = _raised_at(outcomes, expected) if difference[0] == "exception" else None
            self._add(mode, difference, event or self._first_event(make))

    def _first_event(self, make: Callable[[Any], Any]) -> Event | None:
        """The first event that is another one than in plain Python."""
        if not self.subject.has_lines:
            return None
        rewritten = logged(self.subject.plain)
        with logging_lines() as expected:
            self._observed(rewritten)
        with logging_lines() as found:
            self._observed(make(rewritten))
        for got, wanted in itertools.zip_longest(found, expected):
            event = _event_of(got, wanted)
            if event is not None:
                return event
        return None

    def _add(self, mode: str, difference: tuple[str, str, str], event: Event | None) -> None:
        what, found, expected = difference
        function = self.subject.function
        if event is None or function is None:
            self.report.differences.append(Difference(mode, what, found, expected))
            return
        self.report.differences.append(
            Difference(mode, what, found, expected, conversion.filename_of(function), *event)
        )

    # ---- gradients ---------------------------------------------------------------------------

    def _compare_gradient(self) -> None:
        names = tuple(paths_of(tree.flatten(self._named())[1]))
        point = gradients.Comparison(self.given, names, self.state.restore)
        if not point.varied:
            self.report.notes.append("no gradient is compared: there are no floating arguments")
            return
        notes = self.report.notes
        try:
            function = self.subject.make(self.subject.plain)
            found = list(gradients.mismatches(self.subject.plain, function, point, notes))
        except Exception as error:  # noqa: BLE001 - of the user's function, or for want of a rule
            notes.append(f"no gradient is compared: {_in_short(error)}")
            return
        finally:
            self.state.restore()
        self.report.modes.append(GRADIENT)
        for mismatch in found[:1]:
            derivative, difference = f"{mismatch.derivative:.6g}", f"{mismatch.difference:.6g}"
            event = self._first_gradient(point, mismatch)
            self._add(GRADIENT, (f"by {mismatch.what}", derivative, difference), event)

    def _first_gradient(
        self, point: gradients.Comparison, mismatch: gradients.Mismatch
    ) -> Event | None:
        if not self.subject.has_lines:
            return None
        rewritten = logged(self.subject.plain)
        try:
            return gradients.first_line(rewritten, self._eager(rewritten), point, mismatch)
        except (NoGradientError, StagingError):
            return None
        finally:
            self.state.restore()

    def _named(self) -> Any:
        """The arguments by the names of their parameters, in the order in which they are given."""
        args, kwargs = self.given
        function = self.subject.function
        code = None if function is None else function.__code__
        known = () if code is None else code.co_varnames[: code.co_argcount]
        names = [known[i] if i < len(known) else f"args[{i}]" for i in range(len(args))]
        return {**dict(zip(names, args, strict=True)), **kwargs}


def _taken_apart(function: Any, args: tuple[Any, ...]) -> tuple[_Subject, tuple[Any, ...]]:
    options: dict[str, Any] = {}
    if isinstance(function, (Function, BoundFunction)):
        inner = function._function if isinstance(function, BoundFunction) else function
        options = {"recursive": inner._options.recursive}
        function = function.python_function
    found, owner = conversion.underlying_function(function)
    if found is None:
        return _Subject(function, _making(options), False), args
    if owner is not None:  # what it holds is copied with the other arguments
        args = (owner, *args)
    return _Subject(found, _making(options), found.__code__.co_name != "<lambda>"), args


def _making(options: dict[str, Any]) -> Callable[[Any], Any]:
    return lambda function: convert(function, **options)


def _event_of(got: Event | None, wanted: Event | None) -> Event | None:
    """What is to be told of a pair of events; None where they agree."""
    if got is None or wanted is None:
        there = got or wanted
        assert there is not None
        seen = shown(there.value)
        values = ("not bound", seen) if got is None else (seen, "not bound")
        return Event(there.line, there.name, values)
    if got[:2] != wanted[:2]:
        return Event(wanted.line, wanted.name, ("not bound", shown(wanted.value)))
    if same_number(got.value, wanted.value):
        return None
    return Event(got.line, got.name, (shown(got.value), shown(wanted.value)))


def _in_short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def _raised_at(outcomes: list[Outcome], expected: Outcome) -> Event | None:
    """The innermost line of an exception that was raised on one side only."""
    errors = [outcome.error for outcome in (*outcomes, expected) if outcome.error is not None]
    rows = traceback.extract_tb(errors[0].__traceback__) if errors else []
    return Event(rows[-1].lineno or 0, "", None) if rows else None
