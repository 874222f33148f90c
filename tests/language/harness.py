"""Running a plain sample function in every way that it can be run, and comparing what it does.

`check(sample, case, case, ...)` runs the sample as Python on NumPy values, converted but eager (on
NumPy values and on tensors), as a graph on each backend, and after save and load. Values, types,
dtypes, printed text, what happens to the arguments, exceptions and the line they come from must
agree. `refuse` says that code raises a located error instead. `golden` compares a message with a
file. Of the samples in tables, most are run in fewer ways: see `Samples`.
"""

from __future__ import annotations

import contextlib
import copy
import gc
import inspect
import io
import os
import re
import sys
import traceback
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.functions import Function
from autograph.programs.loading import unpacked
from autograph.programs.saving import packed
from runtime import config
from runtime.compile import BACKENDS
from runtime.execute.tracebacks import standing
from runtime.graph.ir import Graph
from tests.last_bits import has_other_last_bits

# So many units in the last place of its largest number a result of native code may be off, where the
# graph has ops whose last bits are not NumPy's.
UNITS = 32
FOLDERS = tuple(str(Path(m.__file__ or "").parent) for m in (ag, sys.modules["runtime"]))
ERRORS = Path(__file__).parent / "errors"


@dataclass
class Outcome:
    """What one call did."""

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    arguments: tuple[Any, ...] = ()
    # Which parts of the result are which parts of the arguments.
    identities: list[tuple[int, int]] = field(default_factory=list)

    def __str__(self) -> str:
        done = f"raised {self.error!r}" if self.error is not None else f"gave {self.value!r}"
        return f"{done}, printed {self.printed!r}, left {self.arguments!r}"


@dataclass
class Checked:
    """A sample as a graph, after `check`: for further assertions."""

    function: Function[Any, Any]
    outcomes: list[Outcome]
    # Why the sample cannot be saved; empty where it was, and did the same after loading.
    unsaved: str = ""

    @property
    def graph(self) -> Graph:
        """The graph of the last trace."""
        return graph_of(self.function)


def graph_of(function: Function[Any, Any]) -> Graph:
    """The graph of the last trace of a Function."""
    return function.traces()[-1]._traced.graph


def observe(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """Call, and note all that can be seen of it."""
    outcome, stream = Outcome(arguments=arguments), io.StringIO()
    with contextlib.redirect_stdout(stream), np.errstate(all="ignore"):
        try:
            outcome.value = function(*arguments)
        except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
            outcome.error = error
    outcome.printed = stream.getvalue()
    given = _flat(arguments)
    outcome.identities = [
        (i, j)
        for i, part in enumerate(_flat(outcome.value))
        for j, argument in enumerate(given)
        if part is argument and isinstance(part, (np.ndarray, ag.Tensor)) and np.ndim(part)
    ]
    return outcome


def _flat(x: Any) -> list[Any]:
    if isinstance(x, dict):
        return [leaf for part in x.values() for leaf in _flat(part)]
    if isinstance(x, (tuple, list)):
        return [leaf for part in x for leaf in _flat(part)]
    return [x]


def as_tensors(x: Any) -> Any:
    """The arrays and NumPy scalars in a nest as tensors."""
    if isinstance(x, (np.ndarray, np.generic)):
        return ag.constant(x)
    if type(x) in (tuple, list):
        return type(x)(map(as_tensors, x))
    if type(x) is dict:
        return {k: as_tensors(v) for k, v in x.items()}
    return x


# ---- comparing -------------------------------------------------------------------------------


def _raw(x: Any) -> Any:
    return x.array if isinstance(x, ag.Tensor) else x


def assert_equal(
    got: Any, expected: Any, *, joined: bool = False, tolerance: float = 0.0, units: int = 0
) -> None:
    """Equality of values, types, dtypes and structure.

    With `joined`, the dtype may be another one that holds the value: where Python's own type
    depends on data, a graph has the joined one. `tolerance` is relative, `units` are those in the
    last place of an array's largest number.
    """
    how = {"joined": joined, "tolerance": tolerance, "units": units}
    got, expected = _raw(got), _raw(expected)
    if isinstance(expected, dict):
        assert type(got) is type(expected) and list(got) == list(expected)
        for key in expected:
            assert_equal(got[key], expected[key], **how)
    elif isinstance(expected, (tuple, list, deque)):
        assert type(got) is type(expected), f"{got!r} for {expected!r}"
        assert len(got) == len(expected), f"{got!r} for {expected!r}"
        for one, other in zip(got, expected):
            assert_equal(one, other, **how)
    elif isinstance(expected, (np.ndarray, np.generic, bool, int, float, complex)):
        if not joined:
            assert type(got) is type(expected), f"{got!r} for {expected!r}"
            dtypes = np.asarray(got).dtype, np.asarray(expected).dtype
            assert dtypes[0] == dtypes[1], f"{dtypes[0]} for {dtypes[1]}: {got!r} for {expected!r}"
        assert np.shape(got) == np.shape(expected), f"{got!r} for {expected!r}"
        _assert_same_numbers(got, expected, tolerance, units)
    elif hasattr(expected, "__dict__") and not callable(expected):
        assert type(got) is type(expected), f"{got!r} for {expected!r}"
        assert_equal(vars(got), vars(expected), **how)
    elif not callable(expected):
        assert type(got) is type(expected) and got == expected, f"{got!r} for {expected!r}"


def _assert_same_numbers(got: Any, expected: Any, tolerance: float, units: int) -> None:
    if tolerance:
        np.testing.assert_allclose(got, expected, rtol=tolerance)
        return
    one, other = np.asarray(got), np.asarray(expected)
    nan = other.dtype.kind in "fc"
    if nan and units:
        largest = np.max(np.abs(other[np.isfinite(other)]), initial=0.0)
        np.testing.assert_allclose(one, other, rtol=0, atol=units * np.spacing(largest))
        return
    assert np.array_equal(one, other, equal_nan=nan), f"{got!r} for {expected!r}"
    if nan and one.dtype == other.dtype:
        assert np.array_equal(np.signbit(one.real), np.signbit(other.real)), (
            f"{got!r}: a zero's sign"
        )


def innermost_line(error: BaseException, filename: str) -> int | None:
    """The innermost line of `filename` in the traceback."""
    rows = [r.lineno for r in traceback.extract_tb(error.__traceback__) if r.filename == filename]
    return rows[-1] if rows else None


def assert_clean(error: BaseException) -> None:
    """No frame of ours is in the traceback."""
    rows = traceback.extract_tb(error.__traceback__)
    ours = [f"{r.filename}:{r.lineno}" for r in rows if r.filename.startswith(FOLDERS)]
    assert not ours, f"frames of ours in the traceback of {error!r}: {ours}"


def assert_ends_where_it_says(error: BaseException) -> None:
    """The traceback ends at the line that the message speaks of."""
    if isinstance(error, ag.StagingError) and error.origin is not None:
        *_, last = traceback.extract_tb(error.__traceback__)
        assert (last.filename, last.lineno) == error.origin[:2], f"it ends at {last}"


def _assert_agree(
    got: Outcome,
    expected: Outcome,
    sample: Callable[..., Any],
    *,
    graph: bool,
    file: str | None = None,
    **how: Any,
) -> None:
    if expected.error is not None or got.error is not None:
        if expected.error is None or got.error is None:
            raise AssertionError(f"{got}, not {expected}") from got.error
        if type(got.error) is not type(expected.error):
            raise AssertionError(f"{got.error!r} for {expected.error!r}") from got.error
        texts = str(got.error), str(expected.error)
        # Outside of a graph a tensor shows as a tensor in text that the user makes of it.
        if graph or "Tensor(" not in texts[0]:
            assert texts[0] == texts[1], f"says {texts[0]!r} for {texts[1]!r}"
        source = inspect.getfile(sample)
        lines = [innermost_line(got.error, file or source), innermost_line(expected.error, source)]
        assert lines[0] == lines[1], f"{got.error!r} comes from line {lines[0]}, not {lines[1]}"
        if graph:
            assert_clean(got.error)
    assert_equal(got.value, expected.value, **how)
    assert got.printed == expected.printed, f"printed {got.printed!r} for {expected.printed!r}"
    assert got.identities == expected.identities, f"identities {got.identities}"
    for one, other in zip(got.arguments, expected.arguments):
        assert_equal(one, other, units=how.get("units", 0))


# ---- the modes -------------------------------------------------------------------------------


def count_nodes(graph: Graph, name: str) -> int:
    """Number of nodes of an op, in the graph and the graphs inside of it."""
    return sum(
        (node.op.name == name) + sum(count_nodes(inner, name) for inner in node.graphs)
        for node in graph.nodes
    )


def units_of(graph: Graph, backend: str) -> int:
    """How many units in the last place the graph may be off on a backend; 0: it has NumPy's bits."""
    is_inexact = any(has_other_last_bits(node) for node in graph.walk())
    return UNITS if backend == "native" and is_inexact else 0


def all_nodes(graph: Graph) -> int:
    """Number of nodes, in the graph and the graphs inside of it."""
    return sum(1 + sum(all_nodes(inner) for inner in node.graphs) for node in graph.nodes)


@contextlib.contextmanager
def no_line_of(filename: str) -> Iterator[None]:
    """Within this context no function of that file may be called."""
    seen: list[str] = []

    def watch(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename == filename:
            caller = frame.f_back.f_code.co_name if frame.f_back is not None else ""
            # What makes a traceback entry, or calls Python code, stands on the user's line.
            is_call = frame.f_code in standing or caller in ("entry", "_called")
            if not is_call:
                seen.append(f"{frame.f_code.co_name}:{frame.f_lineno}")

    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # it closes generators of other tests, which looks like a call
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
    assert not seen, f"a call that should only run the graph ran {seen}"


# Ways to run a sample, beside native code that is given arrays.
EVERY_WAY = ("eager", "tensors", "saved")


def check(
    sample: Callable[..., Any],
    *cases: tuple[Any, ...],
    conds: int | None = None,
    whiles: int | None = None,
    traces: int = 1,
    joined: bool = False,
    tolerance: float = 0.0,
    eager: bool = True,
    tensors: bool = True,
    saved: bool = True,
    ways: Collection[str] = EVERY_WAY,
    **options: Any,
) -> Checked:
    """The sample does the same in all modes for all cases, which have one signature.

    `conds` and `whiles` are the numbers of such nodes that the graph must have; `traces` the number
    of traces after all cases; `options` go to `convert`. Where tensors as arguments mean something
    else (identity of types), `tensors` is False. What cannot be saved for one of `UNSAVABLE` is
    not; where a sample must not be, `saved` is False. With some of the `ways` only, arrays are
    given to native code, not to each backend, and the plan runs what was saved: the graph that was
    traced for native code.
    """
    assert len(cases) > 1 or traces != 1 or conds is None, "a second case must use the same trace"
    how: dict[str, Any] = {"joined": joined, "tolerance": tolerance}
    expected = [observe(sample, copy.deepcopy(case)) for case in cases]
    if eager and "eager" in ways:
        converted = ag.to_graph(sample)
        for case, plain in zip(cases, expected):
            _assert_agree(
                observe(converted, copy.deepcopy(case)), plain, sample, graph=False, **how
            )
            if tensors:
                given = as_tensors(copy.deepcopy(case))
                _assert_agree(observe(converted, given), plain, sample, graph=False, **how)
    every_way = ways is EVERY_WAY
    backends = BACKENDS if every_way else ["native"] if tensors else ["native", "plan"]
    functions = []
    for backend in backends:
        function = _run_graph(sample, cases, expected, backend, traces, how, options)
        if conds is not None:
            assert count_nodes(graph_of(function), "cond") == conds, graph_of(function)
        if whiles is not None:
            assert count_nodes(graph_of(function), "while") == whiles, graph_of(function)
        functions.append(function)
    if tensors and "tensors" in ways:
        given = [as_tensors(case) for case in cases]
        _run_graph(sample, given, expected, "plan", traces, how, options)
    unsaved = "not asked for"
    if saved and "saved" in ways:
        backend = config.backend.value if every_way else "plan"
        function = ag.convert(sample, **options) if every_way else functions[0]
        units = units_of(graph_of(functions[-1]), backend) if functions[-1].trace_count else 0
        with config.backend.using(backend):
            unsaved = _run_saved(function, sample, cases[0], expected[0], {**how, "units": units})
    return Checked(functions[-1], expected, unsaved)


# What the message about a program that cannot be saved says.
UNSAVABLE = (
    "a store into `", "what it stores into a Python object", "runs as plain Python",
    "holds an object beside arrays", "cannot be saved: its result is",
    "cannot be saved: in the result is", "what it prints is", "what it raises is",
    "what it prints to is", "share memory", "the default of", "what it catches", "a call of `",
)  # fmt: skip


def _run_saved(
    function: Function[Any, Any],
    sample: Callable[..., Any],
    case: tuple[Any, ...],
    expected: Outcome,
    how: dict[str, Any],
) -> str:
    """Save, load, and do the same; gives the reason where the sample cannot be saved."""
    try:
        content = packed(function, list(copy.deepcopy(case)))
    except (ag.UnsavableError, ValueError) as error:
        reason = str(error)
        assert any(words in reason for words in UNSAVABLE), reason
        assert "of class runtime." not in reason and "of class autograph." not in reason, reason
        return reason
    program = unpacked(io.BytesIO(content))
    kept = inspect.signature(program).parameters
    names = list(inspect.signature(sample).parameters)
    given = [x for x, name in zip(case, names) if name in kept] if len(kept) < len(names) else case
    with config.check.using(True):
        got = observe(program, tuple(copy.deepcopy(given)))
    wanted = _as_loaded(expected, got)
    if len(given) != len(case):
        wanted.arguments, wanted.identities, got.identities = got.arguments, [], []
    file = f"<program.agz: {Path(inspect.getfile(sample)).name}>"
    _assert_agree(got, wanted, sample, graph=True, file=file, **how)
    return ""


def _as_loaded(expected: Outcome, got: Outcome) -> Outcome:
    """What a loaded program does, which does not know classes that are local to a function."""
    value, error = _without_local_classes(expected.value), expected.error
    if error is not None and "<locals>" in type(error).__qualname__:
        kind, stand_in = type(error), type(got.error)
        assert issubclass(stand_in, ag.ForeignError), f"{got.error!r} for {error!r}"
        assert stand_in.__qualname__ == kind.__qualname__
        error = stand_in(*error.args).with_traceback(error.__traceback__)
    return Outcome(value, error, expected.printed, expected.arguments, expected.identities)


def _without_local_classes(x: Any) -> Any:
    if type(x) is dict:
        return {key: _without_local_classes(part) for key, part in x.items()}
    if isinstance(x, (tuple, list)) and type(x) in (tuple, list):
        return type(x)(map(_without_local_classes, x))
    if "<locals>" not in type(x).__qualname__:
        return x
    if isinstance(x, tuple):
        return tuple(map(_without_local_classes, x))
    return _without_local_classes(dict(vars(x))) if hasattr(x, "__dict__") else x


def _run_graph(
    sample: Callable[..., Any],
    cases: Any,
    expected: list[Outcome],
    backend: str,
    traces: int,
    how: dict[str, Any],
    options: dict[str, Any],
) -> Function[Any, Any]:
    function = ag.convert(sample, **options)
    filename = inspect.getfile(sample)
    with config.backend.using(backend), config.check.using(True):
        for k, (case, plain) in enumerate(zip(cases, expected)):
            alone = no_line_of(filename) if k and traces == 1 else contextlib.nullcontext()
            given = copy.deepcopy(case)
            with alone:
                outcome = observe(function, given)
            units = units_of(graph_of(function), backend) if function.trace_count else 0
            _assert_agree(outcome, plain, sample, graph=True, units=units, **how)
    assert function.trace_count == traces, f"{function.trace_count} traces: {function.explain()}"
    return function


# ---- refusals and messages -------------------------------------------------------------------


def refuse(
    sample: Callable[..., Any],
    *arguments: Any,
    match: str,
    error: type[BaseException] = ag.StagingError,
    **options: Any,
) -> str:
    """The sample raises a located error, at the line marked `# refused`, of at most 12 lines."""
    try:
        ag.convert(sample, **options)(*copy.deepcopy(arguments))
    except error as caught:
        message = str(caught)
        assert_clean(caught)
        assert_ends_where_it_says(caught)
    else:
        raise AssertionError(f"{sample.__name__} is not refused")
    assert re.search(match, message), message
    lines, first = inspect.getsourcelines(sample)
    marked = [first + i for i, text in enumerate(lines) if "# refused" in text]
    if marked:
        place = f"{inspect.getfile(sample)}:{marked[0]}, in `"
        assert f"\n{place}" in f"\n{message}", f"{message}\nhas no line of {place}"
        assert "^" in message, message
    assert len(message.splitlines()) <= 12, message
    return message


def golden(name: str, text: str) -> None:
    """The text is that of `errors/NAME.txt`; with AUTOGRAPH_WRITE_GOLDEN=1 the file is written.

    Line numbers become N, so that the samples may move in their file.
    """
    text = re.sub(r"(?:/[^\s/]+)+/(tests/language/)", r"\1", text)
    text = re.sub(r"(\.py:)\d+", r"\1N", text)
    lines: list[str] = []
    shift = 0
    for line in text.rstrip().splitlines():
        quoted = re.match(r"( +)(\d+)( \|)", line)
        if quoted is not None:
            shift = len(quoted[2]) - 1
            line = f"{quoted[1]}N{line[quoted.end(2) :]}"
        elif line.startswith(" "):
            line = line[shift:]
        lines.append(line)
    path = ERRORS / f"{name}.txt"
    if os.environ.get("AUTOGRAPH_WRITE_GOLDEN") == "1":
        path.write_text("\n".join(lines) + "\n")
    assert "\n".join(lines) + "\n" == path.read_text()


# ---- tables of samples -----------------------------------------------------------------------


class Samples:
    """The samples of a test file: `@samples(row, case, case, ..., conds=1)` before each.

    One of twelve is run in every way, each other one natively, and half of those in one more way, in
    turn; the long tests run all in every way.
    """

    def __init__(self) -> None:
        self.rows: list[Any] = []

    def __call__(self, row: str, *cases: tuple[Any, ...], **how: Any) -> Callable[[Any], Any]:
        """Register the function below under a row of the feature list."""

        def register(sample: Any) -> Any:
            number = sum(r.values[0] is sample for r in self.rows)
            name = f"{row}-{sample.__name__}" + (f"-{number + 1}" if number else "")
            self.rows.append(pytest.param(sample, cases, how, id=name))
            return sample

        return register

    def test(self) -> Callable[..., None]:
        """The test function: one test per sample, those that are registered later included."""

        @pytest.mark.parametrize(("sample", "cases", "how"), self.rows)
        def test_sample(sample: Any, cases: Any, how: Any) -> None:
            number = next(n for n, row in enumerate(self.rows) if row.values[2] is how)
            served = [way for way in EVERY_WAY if how.get(way, True)]
            in_turn = served[number // 2 % (len(served) or 1) :][:1] if number % 2 else []
            ways = in_turn if number % 12 else EVERY_WAY
            check(sample, *cases, ways=ways, **how)

        return test_sample
