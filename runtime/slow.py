"""One line to the log where tracing or compiling a call takes long, while it still goes on."""

from __future__ import annotations

import sys
import threading
import time
from _thread import allocate_lock, start_new_thread
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FrameType

from runtime import config
from runtime.graph.ir import Graph
from runtime.origins import Origin, is_of_library, is_user_code
from runtime.places import place

__all__ = ["compiling", "tracing"]

# Describes what is done, and by what line of the user's, from the frame that is run; and advises.
_Describe = Callable[[FrameType | None], tuple[str, str]]
_state = threading.local()
_ON_TRACING = (
    " What only Python values decide is run step by step while tracing: have loops go over arrays "
    "or NumPy numbers (`np.int64(n)`), or leave that part to Python with "
    "`autograph.do_not_convert`."
)
_ON_COMPILING = (
    " Rounds that are repeated make large graphs (`explain()` names the loops): have loops go over "
    "arrays or NumPy numbers (`np.int64(n)`)."
)
_ON_LONG_TEXT = (
    " Each test and operation of a long text is in the graph: look a result up in an array or dict "
    "in the place of many tests, or leave that part to Python with `autograph.do_not_convert`."
)
# So much of a line is shown; one of more letters is a text of many parts by itself; and where lines
# are repeated, one of them has at least such a part of all nodes.
_SHOWN, _LONG, _PART = 80, 300, 4
# A graph of fewer nodes is not large: it takes long for other reasons.
_LARGE = 100
# So many seconds are waited at least before the time is looked at again.
_SHORTEST = 1e-3


@contextmanager
def tracing(name: str) -> Iterator[None]:
    """Within it a function is traced; the outermost one begins a call."""
    if getattr(_state, "is_open", False):
        yield
        return
    _state.was_told = False
    with _watched("tracing", lambda frame: _followed(name, _line_of(frame))):
        yield


@contextmanager
def compiling(graph: Graph) -> Iterator[None]:
    """Within it a graph is compiled; nothing is said where that was done of its trace."""
    was_told, _state.was_told = getattr(_state, "was_told", False), False
    if was_told or getattr(_state, "is_open", False):
        yield
        return
    with _watched("compiling", lambda frame: _described(graph)):
        yield
    _state.was_told = False


@contextmanager
def _watched(doing: str, describe: _Describe) -> Iterator[None]:
    """Say what is done, from another thread, once it takes longer than `config.slow_after`.

    By the clock and in time of the processor, which others may have while this program waits.
    """
    is_over, state = allocate_lock(), _state.__dict__
    is_over.acquire()
    _state.is_open = True
    # Of the context, no more: the thread may live on for a moment, and all that it knows with it.
    seconds, on_both = config.slow_after.value / 1e3, config.log_to_stdout.value
    end = time.process_time() + seconds

    def wait(thread: int) -> None:
        left = seconds
        while left > 0:
            if is_over.acquire(timeout=max(left, _SHORTEST)):
                return
            left = end - time.process_time()
        state["was_told"] = True
        what, advice = describe(sys._current_frames().get(thread))
        with config.log_to_stdout.using(on_both):
            config.show(f"autograph: {doing} {what} takes more than {seconds:g} s.{advice}")

    # No thread of `threading`: it would be one more for whoever counts those of the program.
    with suppress(RuntimeError):  # there are too many, or Python is about to end
        start_new_thread(wait, (threading.get_ident(),))
    try:
        yield
    finally:
        _state.is_open = False
        is_over.release()


def _line_of(frame: FrameType | None) -> Origin | None:
    """The innermost line of the user's program."""
    while frame is not None and not _is_of_program(frame.f_code):
        frame = frame.f_back
    if frame is None:
        return None
    return Origin(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, frame.f_code)


def _is_of_program(code: CodeType) -> bool:
    return is_user_code(code) and not is_of_library(code)


def _followed(name: str, origin: Origin | None) -> tuple[str, str]:
    """A function that is traced, and where that is by now."""
    text = "" if origin is None else origin.text.strip()
    is_long = text.startswith(("elif ", "case ")) or len(text) > _LONG
    return f"`{name}`{_at(origin)}", _ON_LONG_TEXT if is_long else _ON_TRACING


def _described(graph: Graph) -> tuple[str, str]:
    """A graph, and the line that most of its nodes come from, where these are many."""
    origins = [node.origin for node in graph.walk() if node.origin is not None]
    what = f"the {len(origins)} nodes of `{graph.name}`"
    if len(origins) < _LARGE:
        return what, ""
    lines = Counter((origin.filename, origin.lineno) for origin in origins)
    (line, count), *_ = lines.most_common(1)
    first = next(o for o in origins if (o.filename, o.lineno) == line)
    is_long = _PART * count < len(origins) or len(first.text) > _LONG
    part = "most" if 2 * count > len(origins) else "some"
    return f"{what}, {part} of them{_at(first)},", _ON_LONG_TEXT if is_long else _ON_COMPILING


def _at(origin: Origin | None) -> str:
    if origin is None:
        return ""
    text = origin.text.strip()
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return f" at {place(origin.filename, origin.lineno)}: `{shown}`"
