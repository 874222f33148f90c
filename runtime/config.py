"""The switches: one row each gives name, environment variable, default, context manager and text.

>>> with verbosity.using(2):
...     verbosity.value
2
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

import numpy as np

from runtime.dtypes import kind_of
from runtime.process import dispatch_flag

__all__ = [
    "SWITCHES",
    "Mode",
    "Switch",
    "backend",
    "cache_bytes",
    "cache_dir",
    "cache_size",
    "check",
    "cpu",
    "default_float",
    "disable_passes",
    "full_traceback",
    "hints",
    "leave_to_python",
    "log",
    "max_saved_bytes",
    "native",
    "print_passes",
    "reduce_retracing",
    "run_functions_eagerly",
    "show",
    "slow_after",
    "soft_placement",
    "threads",
    "verbosity",
]

T = TypeVar("T")


class Switch(Generic[T]):
    """One setting of the process.

    Its value is, first found: that of the innermost open `using` of this thread or task, that of
    `set`, that of the environment variable (read when first needed), the default. `parse` makes a
    value of what a user gives, text included, and raises ValueError or TypeError.
    """

    __slots__ = ("_inner", "_outer", "default", "doc", "name", "parse")

    def __init__(self, name: str, default: Any, parse: Callable[[Any], T], doc: str) -> None:
        self.name = name
        self.default: T = parse(default)
        self.parse = parse
        self.doc = doc
        self._outer: list[T] = []
        self._inner: ContextVar[tuple[T, ...]] = ContextVar(name, default=())

    def __repr__(self) -> str:
        return f"<switch {self.name} = {self.value!r}>"

    @property
    def variable(self) -> str:
        """Name of the environment variable."""
        return f"AUTOGRAPH_{self.name.upper()}"

    @property
    def value(self) -> T:
        """The value now, here."""
        inner = self._inner.get()
        if inner:
            return inner[-1]
        if not self._outer:
            self._outer.append(self._from_environment())
        return self._outer[0]

    def set(self, value: Any) -> None:
        """Change the value for the whole process, from now on."""
        self._outer[:] = [self._checked(value, "")]

    def reset(self) -> None:
        """Go back to the environment variable or the default."""
        self._outer.clear()

    @contextmanager
    def using(self, value: Any) -> Iterator[None]:
        """Change the value for a `with` block of this thread or task."""
        token = self._inner.set((*self._inner.get(), self._checked(value, "")))
        try:
            yield
        finally:
            self._inner.reset(token)

    def _from_environment(self) -> T:
        text = os.environ.get(self.variable)
        return self.default if text is None else self._checked(text, f" (from {self.variable})")

    def _checked(self, value: Any, origin: str) -> T:
        try:
            return self.parse(value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self.name} cannot be {value!r}{origin}: {error}") from None


class Watched(Switch[T]):
    """A setting that something outside of Python follows: it holds for all threads at once."""

    __slots__ = ("_watchers",)

    def __init__(self, name: str, default: Any, parse: Callable[[Any], T], doc: str) -> None:
        super().__init__(name, default, parse, doc)
        self._watchers: list[Callable[[], None]] = []

    def watch(self, follow: Callable[[], None]) -> None:
        """Call `follow` whenever the value may have changed."""
        self._watchers.append(follow)

    def _tell(self) -> None:
        for follow in self._watchers:
            follow()

    def set(self, value: Any) -> None:
        super().set(value)
        self._tell()

    def reset(self) -> None:
        super().reset()
        self._tell()

    @contextmanager
    def using(self, value: Any) -> Iterator[None]:
        """Change the value for a `with` block, for all threads."""
        before = list(self._outer)
        self.set(value)
        try:
            yield
        finally:
            self._outer[:] = before
            self._tell()


class Mode(Switch[bool]):
    """A flag that a call of a Function must look at: it raises the attention word."""

    __slots__ = ("_raised",)

    def __init__(self, name: str, doc: str) -> None:
        super().__init__(name, False, _flag, doc)
        self._raised = False
        if os.environ.get(self.variable):
            self.set(os.environ[self.variable])

    def set(self, value: Any) -> None:
        super().set(value)
        self._follow()

    def reset(self) -> None:
        super().reset()
        self._follow()

    def _follow(self) -> None:
        wanted = bool(self._outer and self._outer[0])
        if wanted != self._raised:
            (dispatch_flag.rise if wanted else dispatch_flag.lower)(everywhere=True)
            self._raised = wanted

    @contextmanager
    def using(self, value: Any) -> Iterator[None]:
        with super().using(value), dispatch_flag.raised():
            yield


_WORDS = {"1": True, "true": True, "on": True, "0": False, "false": False, "off": False, "": False}


def _flag(value: Any) -> bool:
    word = str(int(value)) if isinstance(value, (bool, int)) else str(value).strip().lower()
    if word not in _WORDS:
        raise ValueError("it is a flag, 1 or 0")
    return _WORDS[word]


def _count(value: Any) -> int:
    number = int(value)
    if number < 0 or number != float(value):
        raise ValueError("it is a whole number, 0 or more")
    return number


def _one_of(*choices: str) -> Callable[[Any], str]:
    def parse(value: Any) -> str:
        if value not in choices:
            raise ValueError(f"it is one of {', '.join(choices)}")
        return str(value)

    return parse


def _processor(value: Any) -> str:
    levels = {short: f"x86-64-{short}" for short in ("v2", "v3", "v4")}
    return _one_of("native", *levels.values())(levels.get(value, value))


def _names(value: Any) -> frozenset[str]:
    parts = value.split(",") if isinstance(value, str) else list(value)
    if not all(isinstance(part, str) for part in parts):
        raise ValueError("it is names, or a text of names with commas between them")
    return frozenset(part.strip() for part in parts if part.strip())


def _float(value: Any) -> np.dtype[Any]:
    dtype: np.dtype[Any] = np.dtype(value)
    if kind_of(dtype) != "f":
        raise ValueError("it is a floating dtype, such as float32")
    return dtype


backend = Switch(
    "backend",
    "native",
    _one_of("native", "plan", "reference"),
    "What runs compiled graphs; `native`: machine code, and plans where that cannot be.",
)
native = Switch(
    "native", True, _flag, "Whether graphs become machine code where the backend is `native`."
)
leave_to_python = Switch(
    "leave_to_python",
    True,
    _flag,
    "Whether Python makes calls where a plan would do in its loops what Python does, no faster, or "
    "where the graph of Python's own values would be large.",
)
reduce_retracing = Switch(
    "reduce_retracing",
    True,
    _flag,
    "Whether sizes of arguments are left open when a third shape comes, where the option of this "
    "name does not say.",
)
cpu = Switch(
    "cpu",
    "native",
    _processor,
    "Whom machine code is made for: this processor, or any with a level that this one has, too.",
)
threads = Watched(
    "threads", 0, _count, "How many threads machine code may use for large work; 0: one per core."
)
check = Switch("check", False, _flag, "Check each graph after it is made and after each pass.")
verbosity = Switch(
    "verbosity",
    0,
    _count,
    "1: conversions and new traces; 2: graphs after passes; 3: each rewrite; 4: generated source.",
)
disable_passes = Switch(
    "disable_passes", "", _names, "Passes over graphs to leave out, by name, from then on."
)
print_passes = Switch(
    "print_passes",
    "",
    _names,
    "Passes, by name, to write the graph before and after of; `all` for each that changes it.",
)
full_traceback = Switch("full_traceback", False, _flag, "Keep the compiler's own traceback lines.")
hints = Switch(
    "hints", True, _flag, "Note below Python's and NumPy's errors what is known to help."
)
run_functions_eagerly = Mode("run_functions_eagerly", "Run functions without a graph, op by op.")
check_numerics = Mode(
    "check_numerics", "Raise at the operation that makes the first nan or infinity."
)
default_float = Switch("default_float", "float64", _float, "The dtype that Python floats become.")
log_to_stdout = Switch("log_to_stdout", False, _flag, "Write the log to standard output too.")
strict_conversion = Switch(
    "strict_conversion",
    False,
    _flag,
    "Raise for a callee whose source cannot be had, rather than call it as it is.",
)
soft_placement = Switch(
    "soft_placement",
    False,
    _flag,
    "Compute on the CPU where a device that is asked for is missing.",
)
cache_size = Switch("cache_size", 256, _count, "How many traces one function keeps.")
cache_dir = Switch(
    "cache_dir",
    "",
    str,
    "Folder that keeps compiled code between processes, or `off`; empty: one in the user's cache.",
)
cache_bytes = Switch(
    "cache_bytes", 2**26, _count, "About how many bytes the files in that folder may take."
)
max_saved_bytes = Switch(
    "max_saved_bytes",
    2**32,
    _count,
    "Refuse to load a program or checkpoint that needs more memory than this.",
)

slow_after = Switch(
    "slow_after",
    2000,
    _count,
    "Milliseconds of tracing or compiling a call after which a line says what takes so long.",
)

SWITCHES: dict[str, Switch[Any]] = {
    switch.name: switch
    for switch in (
        backend,
        native,
        leave_to_python,
        reduce_retracing,
        cpu,
        threads,
        check,
        verbosity,
        disable_passes,
        print_passes,
        full_traceback,
        hints,
        run_functions_eagerly,
        default_float,
        log_to_stdout,
        strict_conversion,
        soft_placement,
        cache_size,
        cache_dir,
        cache_bytes,
        max_saved_bytes,
        slow_after,
    )
}


def log(level: int, text: Callable[[], str]) -> None:
    """Write `text()` to standard error where the verbosity is `level` or more."""
    if verbosity.value >= level:
        show(text())


def show(text: str) -> None:
    """Write text to standard error, and to standard output with `log_to_stdout`."""
    line = f"{text.rstrip()}\n"
    sys.stderr.write(line)
    if log_to_stdout.value:
        sys.stdout.write(line)
