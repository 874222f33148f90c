"""Running a program as plain Python, converted, and as a graph; and comparing what happens."""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import re
import signal
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

import autograph as ag
import runtime
from runtime.spec import TensorType, join, type_of_number
from tests.last_bits import has_other_last_bits
from tests.random_programs.programs import Program

MODES = ("native", "plan", "reference", "converted")


@dataclass
class Outcome:
    """All that can be seen of one call."""

    value: Any
    error: tuple[str, str] | None
    text: str
    arguments: tuple[Any, ...]
    state: tuple[Any, ...] = ()


def observe(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    state: Callable[[], tuple[Any, ...]] = tuple,
) -> Outcome:
    """Call the function; exceptions, printed text and the state left belong to the outcome."""
    text, value, error = io.StringIO(), None, None
    with contextlib.redirect_stdout(text):
        try:
            value = function(*arguments)
        except ag.StagingError:
            raise
        except Exception as caught:
            error = type(caught).__name__, str(caught)
    # Copies: the next call may change what this one gave or left.
    value, arguments, left = copy.deepcopy((value, arguments, state()))
    return Outcome(value, error, text.getvalue(), arguments, left)


# ---- comparing -------------------------------------------------------------------------------


def type_of(x: Any) -> TensorType:
    """The graph type of a Python or NumPy value."""
    if isinstance(x, np.ndarray | np.generic):
        return TensorType(x.dtype, x.shape)
    return type_of_number(x)


def differ(expected: Any, given: Any, *, loose: bool, close: bool = False) -> bool:
    """Whether two results differ; in a loose comparison `given` may have a joined type."""
    if isinstance(expected, tuple | list):
        if type(expected) is not type(given) or len(expected) != len(given):
            return True
        pairs = zip(expected, given, strict=True)
        return any(differ(a, b, loose=loose, close=close) for a, b in pairs)
    if isinstance(expected, dict):
        return list(expected) != list(given) or differ(
            list(expected.values()), list(given.values()), loose=loose, close=close
        )
    if type(expected).__name__ == "Box":  # its class is another in each module
        return type(given).__name__ != "Box" or differ(
            vars(expected), vars(given), loose=loose, close=close
        )
    if expected is None or isinstance(expected, str) or not isinstance(given, _NUMERIC):
        return type(expected) is not type(given) or expected != given
    if type_of(expected) != type_of(given) and not (
        loose and join(type_of(expected), type_of(given)) == type_of(given)
    ):
        return True
    if not loose and type(expected) is not type(given):
        return True
    return not (_are_close if close else _same_bits)(expected, given)


_NUMERIC = (bool, int, float, np.ndarray, np.generic)


def _are_close(expected: Any, given: Any) -> bool:
    """Equal, up to what elementary functions and products of native code are off from NumPy's."""
    if np.asarray(expected).dtype.kind != "f":
        return _same_bits(expected, given)
    return bool(np.allclose(given, expected, rtol=1e-12, atol=1e-12, equal_nan=True))


def _same_bits(expected: Any, given: Any) -> bool:
    a, b = np.asarray(expected), np.asarray(given)
    if a.dtype == b.dtype:
        return a.tobytes() == b.tobytes()
    return bool(np.array_equal(a, b))


_NUMBER = re.compile(r"(-?\d+\.\d*(?:e[-+]\d+)?)")


def _same_text(expected: str, given: str, *, close: bool) -> bool:
    """Whether texts are equal; with `close` but for the last digits of the numbers in them."""
    if expected == given or not close:
        return expected == given
    (words, numbers), (others, found) = _pieces(expected), _pieces(given)
    return words == others and all(map(_are_close, numbers, found))


def _pieces(text: str) -> tuple[list[list[str]], list[float]]:
    """The words between the numbers of a text, and the numbers."""
    pieces = _NUMBER.split(text)
    return [piece.split() for piece in pieces[::2]], [float(n) for n in pieces[1::2]]


def compare(expected: Outcome, given: Outcome, *, loose: bool, close: bool = False) -> str | None:
    """What differs between two outcomes, in words."""
    if expected.error != given.error:
        return f"raised {given.error}, Python {expected.error}"
    if not _same_text(expected.text, given.text, close=close):
        return f"printed {given.text!r}, Python {expected.text!r}"
    if expected.error is None and differ(expected.value, given.value, loose=loose, close=close):
        return f"gave {given.value!r}, Python {expected.value!r}"
    if differ(expected.arguments, given.arguments, loose=loose, close=close):
        return f"left arguments {given.arguments!r}, Python {expected.arguments!r}"
    if differ(expected.state, given.state, loose=loose, close=close):
        return f"left state {_shown(given.state)}, Python {_shown(expected.state)}"
    return None


def _shown(state: tuple[Any, ...]) -> list[Any]:
    return [vars(x) if type(x).__name__ == "Box" else x for x in state]


# ---- running ---------------------------------------------------------------------------------


def load(program: Program) -> ModuleType:
    """The program as a module."""
    return ag.convert_source(program.source, "random_program")


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError when the block takes too long: without fuel a program never ends.

    Seconds of the processor count, not those that others take.
    """

    def stop(signum: int, frame: Any) -> None:
        raise _TooLong

    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, seconds)
    try:
        yield
    except _TooLong:
        raise TimeoutError from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


class _TooLong(BaseException):
    """Not an Exception: programs may catch those, and generated code does."""


class BadProgram(Exception):
    """The program warns as plain Python, or raises what it should not."""


def plain_outcomes(program: Program) -> list[Outcome]:
    """What plain Python does with each set of arguments."""
    module = load(program)
    state = _state(program, module)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outcomes = [observe(module.f, given, state) for given in program.arguments()]
    for outcome in outcomes:
        if outcome.error is not None and outcome.error[0] not in ALLOWED:
            raise BadProgram(f"{outcome.error} in\n{program.source}")
    return outcomes


ALLOWED = ("ValueError", "AssertionError", "UnboundLocalError", "Odd", "IndexError",
           "ZeroDivisionError")  # fmt: skip


def _state(program: Program, module: ModuleType) -> Callable[[], tuple[Any, ...]]:
    """Gives the globals that the program changes, as they are when it is called."""
    return lambda: tuple(getattr(module, name) for name in program.state)


@dataclass
class Report:
    """What a check of one program found: nothing, or the first difference; and the graph."""

    difference: str | None
    graph: Any = None


def check(program: Program, modes: tuple[str, ...] = ("plan",)) -> Report:
    """Run a program in all the modes and compare with plain Python."""
    expected = plain_outcomes(program)
    graph = None
    for mode in modes:
        try:
            difference, found = _check_mode(program, mode, expected)
        except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
            difference, found = f"{type(error).__name__}: {error}", None
        if difference is not None:
            return Report(f"{mode}: {difference}")
        graph = found or graph
    return Report(None, graph)


def _has_other_bits(function: Any) -> bool:
    """Whether native code may have other last bits than NumPy in the graphs of a function."""
    graphs = [trace._traced.graph for trace in function.traces()]
    return any(has_other_last_bits(node) for graph in graphs for node in graph.walk())


def _check_mode(program: Program, mode: str, expected: list[Outcome]) -> tuple[str | None, Any]:
    module = load(program)
    function, state = module.f, _state(program, module)
    backend = contextlib.nullcontext()
    if mode == "converted":
        called = converted = ag.to_graph(function)
    else:
        called = converted = ag.convert(function)
        backend = runtime.config.backend.using(mode)
    with backend:
        for number, arguments in enumerate(program.arguments()):
            outcome = observe(called, arguments, state)
            close = mode == "native" and _has_other_bits(converted)
            difference = compare(expected[number], outcome, loose=program.loose, close=close)
            if difference is not None:
                return f"input {number}: {difference}", None
    if mode == "converted" or all(outcome.error for outcome in expected):
        return None, None  # a trace that raises the program's own error is not kept
    if converted.trace_count != 1 and not program.state:  # what is captured is guarded
        return f"traced {converted.trace_count} times", None
    return None, converted.traces()[0].graph


# ---- what was staged, and which paths were taken ---------------------------------------------


@dataclass(frozen=True)
class Coverage:
    """Whether a program stages an `if` and a `while`, with both outcomes over the inputs."""

    ifs: bool
    whiles: bool


def coverage(program: Program, graph: Any) -> Coverage:
    """Which kinds of statements are staged and go both ways."""
    if graph is None:
        return Coverage(ifs=False, whiles=False)
    lines = _lines_both_ways(program)
    staged = {(node.op.name, node.origin.lineno) for node in _nodes(graph) if node.origin}
    return Coverage(
        any(("cond", line) in staged for line in lines["If"]),
        any(("while", line) in staged for line in lines["While"]),
    )


def _nodes(graph: Any) -> Iterator[Any]:
    for node in graph.nodes:
        yield node
        for inner in node.graphs:
            yield from _nodes(inner)


class _Marked(ast.NodeTransformer):
    """Notes the truth of every test."""

    def _mark(self, node: Any) -> Any:
        self.generic_visit(node)
        called = ast.Name("mark__", ast.Load())
        kind = type(node).__name__
        arguments = [ast.Constant(kind), ast.Constant(node.lineno), node.test]
        node.test = ast.Call(called, arguments, [])
        return node

    visit_If = visit_While = visit_IfExp = _mark


def marked(program: Program, note: Callable[[str, int, bool], None]) -> Callable[..., Any]:
    """The program's function, which tells `note` of each test: kind of statement, line, truth."""

    def mark(kind: str, line: int, test: Any) -> bool:
        note(kind, line, bool(test))
        return bool(test)

    tree = ast.fix_missing_locations(_Marked().visit(ast.parse(program.source)))
    space: dict[str, Any] = {"mark__": mark}
    exec(compile(tree, "<marked>", "exec"), space)
    function: Callable[..., Any] = space["f"]
    return function


def _lines_both_ways(program: Program) -> dict[str, list[int]]:
    seen: dict[tuple[str, int], set[bool]] = defaultdict(set)
    function = marked(program, lambda kind, line, truth: seen[kind, line].add(truth))
    for arguments in program.arguments():
        observe(function, arguments)
    found: dict[str, list[int]] = defaultdict(list)
    for (kind, line), truths in seen.items():
        if len(truths) == 2:
            found[kind].append(line)
    return found
