"""Errors of the runtime, and the place in the user's file that they speak of."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.origins import Origin

__all__ = [
    "DeviceError",
    "ForeignError",
    "GraphError",
    "GraphLimit",
    "HostCallError",
    "LeakedTensorError",
    "LimitNotImplementedError",
    "LimitOverflowError",
    "LimitTypeError",
    "LimitValueError",
    "Origin",
    "SavedProgramError",
    "StagingError",
    "UnsavableError",
    "located",
    "unknown_rank",
]

# How many lines a message may have, those of callers included.
_LINES = 12


def located(
    origin: Origin | None, what: str, hint: str = "", callers: Sequence[Origin] = ()
) -> str:
    """A message that says where, what, and what to do.

    Lines that led there, the outermost first, stand before it, as far as they fit: the first and
    the last ones.

    >>> print(located(None, "the loop changes the kind of `x`", "rename one of the two"))
    the loop changes the kind of `x`
    rename one of the two
    """
    if origin is None:
        parts = [what]
    else:
        parts = [f"{origin}: {what}", origin.excerpt()]
    text = "\n".join(part for part in [*parts, hint] if part)
    rows = _shown(callers, _LINES - len(text.splitlines()))
    return "\n".join([*rows, text])


def _shown(callers: Sequence[Origin], limit: int) -> list[str]:
    """The lines of callers, or where they are more than the limit the first and last ones."""
    rows = [f"{origin}: {origin.text.strip()}".removesuffix(": ") for origin in callers]
    if len(rows) <= limit:
        return rows
    first = max(limit - 1, 0) // 2
    last = max(limit - 1 - first, 1)
    gap = f"... ({len(rows) - first - last} more calls)"
    return [*rows[:first], gap, *rows[-last:]]


class StagingError(Exception):
    """Code cannot become part of a graph with its Python meaning; the message says why and where.

    It passes through the user's `except` clauses while tracing: catching it would silently change
    what the program means.

    >>> import autograph as ag
    >>> @ag.convert
    ... def powers(x):
    ...     found = [x]
    ...     while x < 100:
    ...         x = x * x
    ...         found = {"last": x}
    ...     return found
    >>> try:
    ...     powers(2.0)
    ... except ag.StagingError as error:
    ...     print(error.what)
    `found` is a list of 1 item before the loop but a dict of 1 item after one iteration
    """

    # Whether every way to stage the statement has been tried.
    is_final = False
    # Whether it steers tracing, too, which is none of the user's business.
    is_signal = False

    def __init__(self, what: str, hint: str = "", origin: Origin | None = None) -> None:
        super().__init__(located(origin, what, hint))
        self.what, self.hint, self.origin = what, hint, origin
        self.callers: tuple[Origin, ...] = ()

    def place(self, origin: Origin | None, callers: Sequence[Origin] = ()) -> None:
        """Say where it is, unless that is known, and which lines led there, the outermost first."""
        known = located(self.origin, self.what, self.hint, self.callers)
        if self.args == (known,):
            self.origin = self.origin or origin
            self.callers = tuple(callers) or self.callers
            self.args = (located(self.origin, self.what, self.hint, self.callers),)


def unknown_rank() -> StagingError:
    """The error of what needs the number of axes of a value of which a graph does not know it.

    No `except ValueError` of the user's may take it.
    """
    return StagingError(
        "the number of axes is needed here, and it is not known while tracing",
        "bind the name to arrays of one number of axes (begin with `np.zeros(...)` instead of a "
        "number); of an argument, give a rank in the input_signature",
    )


class HostCallError(StagingError):
    """A call that only the host can make was met while tracing.

    `staged` says whether anything was in the graph by then.
    """

    staged = True


class LeakedTensorError(StagingError):
    """A traced tensor was used outside the graph that it belongs to.

    >>> import autograph as ag
    >>> kept = []
    >>> @ag.do_not_convert
    ... def keep(x):
    ...     kept.append(x)
    >>> _ = ag.convert(lambda x: (keep(x * 2), x + 1))(1.0)
    >>> try:
    ...     kept[0] + 1
    ... except ag.LeakedTensorError:
    ...     print("it belongs to the graph")
    it belongs to the graph
    """


class DeviceError(StagingError, RuntimeError):
    """A device cannot be used, or arrays of several devices meet in one operation.

    >>> import autograph as ag
    >>> try:
    ...     ag.device("/cpu:7")
    ... except ag.DeviceError as error:
    ...     print(error.what)
    /cpu:7 cannot be used: all cores of the host are /cpu:0
    """


class GraphError(Exception):
    """A graph is not well formed; it names the node, what was expected and what was found."""


class GraphLimit(Exception):
    """What a graph cannot do where Python can, found as it runs.

    It passes through the `except` clauses of the program, in which Python would not come to them.
    `is_final` says that Python has begun to make the call by then, which may not do that twice.
    """

    is_final = False


class LimitOverflowError(GraphLimit, OverflowError):
    """A number that Python holds, and a graph does not."""


class LimitNotImplementedError(GraphLimit, NotImplementedError):
    """A change that Python makes to an object, and a graph does not."""


class LimitValueError(GraphLimit, ValueError):
    """A value of which Python's result is of another kind than the graph's."""


class LimitTypeError(GraphLimit, TypeError):
    """A number of which Python's type is another one than the graph's: the value is the same."""


class UnsavableError(StagingError):
    """A program holds something that a file cannot: the message says what, and at which line.

    >>> import autograph as ag
    >>> issubclass(ag.UnsavableError, ag.StagingError)
    True
    """


class SavedProgramError(Exception):
    """A file is no program or checkpoint of ours, or is damaged; nothing was loaded.

    `path` is the file, `entry` the part of it, `reason` what is wrong there.

    >>> import autograph as ag
    >>> try:
    ...     ag.load("CHANGELOG.md")
    ... except ag.SavedProgramError as error:
    ...     print(error.reason)
    it is not a zip file
    """

    def __init__(self, path: str, entry: str, reason: str) -> None:
        super().__init__(path, entry, reason)
        self.path, self.entry, self.reason = path, entry, reason

    def __str__(self) -> str:
        return ": ".join(part for part in (self.path, self.entry, self.reason) if part)


class ForeignError(RuntimeError):
    """Base of what stands for exceptions of a loaded program whose class was not imported.

    The class raised has the name, the module and, where they are known, the other bases of the one
    that is not there; `args` and attributes are those of the exception.

    >>> import autograph as ag
    >>> issubclass(ag.ForeignError, RuntimeError)
    True
    """
