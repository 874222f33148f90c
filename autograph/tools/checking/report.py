"""What `check` has found."""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field

from runtime.markup import code, table, words
from runtime.places import short_place

__all__ = ["GRADIENT", "CheckReport", "Difference"]

GRADIENT = "gradient"


@dataclass(frozen=True)
class Difference:
    """One way of running the function that does something else than plain Python.

    `mode` is that way, `what` the thing that differs ("result", "printed text", ...). `line` is the
    first line of the function that does, 0 where it could not be told, and `name` what it binds.
    """

    mode: str
    what: str
    found: str
    expected: str
    filename: str = ""
    line: int = 0
    name: str = ""
    # What the line bound: found, expected.
    values: tuple[str, str] | None = None

    def __str__(self) -> str:
        is_gradient = self.mode == GRADIENT
        against = "by finite differences" if is_gradient else "in plain Python"
        lines = [f"{self.mode}, {self.what}: {self.found}, but {self.expected} {against}"]
        if self.line:
            text = linecache.getline(self.filename, self.line).strip()
            lines.append(f"    {short_place(self.filename, self.line)} | {text}")
        if self.values is not None:
            found, expected = self.values
            what = f"the derivative of `{self.name}`" if is_gradient else f"`{self.name}`"
            lines.append(f"    {what} is {found} there, but {expected} {against}")
        return "\n".join(lines)


@dataclass
class CheckReport:
    """How a function does in all ways to run it; true where they agree.

    `modes` are the ways that were compared with plain Python, `differences` what was found, and
    `notes` says what could not be compared, and why.
    """

    name: str
    modes: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no difference was found."""
        return not self.differences

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        modes = ", ".join(self.modes)
        count = len(self.differences)
        if self.ok:
            lines = [f"{self.name}: {modes} agree with plain Python"]
        else:
            among = f" among {modes}" if modes else ""
            lines = [f"{self.name}: {count} difference{'s' if count > 1 else ''}{among}"]
        lines += [f"- {difference}" for difference in self.differences]
        return "\n".join([*lines, *(f"({note})" for note in self.notes)])

    def _repr_html_(self) -> str:
        """A row for each way of running, with all that differs there."""
        rows = []
        for mode in dict.fromkeys([*self.modes, *(d.mode for d in self.differences)]):
            found = [code(str(d)) for d in self.differences if d.mode == mode]
            rows.append((mode, "<br/>".join(found) or "agrees with plain Python"))
        rows += [("not compared", words(note)) for note in self.notes]
        return code(self.name) + table(("way", "result"), rows)
