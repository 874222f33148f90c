"""A text as it was at one time, and whether a code object was made from it."""

from __future__ import annotations
import __future__

import ast
import contextlib
import dis
import inspect
import types
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["Version", "constants", "features", "nested"]


class Version:
    """The lines of a file as they were at one time."""

    def __init__(self, filename: str, lines: list[str]) -> None:
        self.filename = filename
        self.lines = lines
        self._codes: dict[Any, dict[int, types.CodeType]] = {}
        self._numbers: dict[Any, int] = {}

    def makes(self, code: types.CodeType) -> bool:
        """Tells whether compiling the lines gives this code object, constants included.

        Mostly the statement around the function is enough to see that; and code may be of another
        level of optimization than this process has.
        """
        first, last = _statement_around(self.lines, code)
        statement, flags = "\n" * first + "".join(self.lines[first:last]), features(code)
        number = _number(code, self._numbers)
        if number in self._made((first, last), statement, flags):
            return True
        text = "".join(self.lines)
        return any(number in self._made(level, text, flags, level) for level in _LEVELS)

    def makes_but_for_asserts(self, code: types.CodeType) -> bool:
        """Tells whether the lines give this code object but for what became of each `assert`.

        Test runners have them say more.
        """
        text = "".join(self.lines)
        with warnings.catch_warnings(action="ignore"):
            found = self._made(-1, text, features(code))
            tree = ast.parse(text if found else "")
        asserts = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
        lines = {n for x in asserts for n in range(x.lineno, (x.end_lineno or x.lineno) + 1)}
        outline = _outline(code, lines)
        alike = [x for x in found.values() if x.co_qualname == code.co_qualname]
        return any(
            own.outside == outline.outside
            and own.variables == outline.variables
            and own.named <= outline.named  # what was made of them names more
            for own in (_outline(x, lines) for x in alike)
        )

    def _made(
        self, part: tuple[int, int] | int, text: str, flags: int, level: int = -1
    ) -> dict[int, types.CodeType]:
        """Gives the code objects of the text of a part, or of all, at a level of optimization."""
        key = part, flags
        if key not in self._codes:
            made: dict[int, types.CodeType] = {}
            with (
                contextlib.suppress(SyntaxError, ValueError),
                warnings.catch_warnings(action="ignore"),
            ):
                whole = compile(text, "", "exec", flags, dont_inherit=True, optimize=level)
                _number(whole, self._numbers, made)
            self._codes[key] = made
        return self._codes[key]


# The levels of optimization: first that of this process.
_LEVELS = (-1, 0, 1, 2)


def _statement_around(lines: list[str], code: types.CodeType) -> tuple[int, int]:
    """Gives where the statement of the module around a function begins and ends, most likely."""
    first = min(code.co_firstlineno, len(lines))
    while first > 1 and not _begins(lines[first - 1]):
        first -= 1
    last = max(line or 0 for part in nested(code) for _, _, line in part.co_lines())
    while last < len(lines) and not _begins(lines[last]):
        last += 1
    return max(first - 1, 0), last


def _begins(line: str) -> bool:
    return not (line[:1].isspace() or line[:1] in ("", "#", ")", "]", "}"))


class _Outline(NamedTuple):
    """What instructions do outside of some lines, and where; what is named inside of them.

    Constants there are left out: the compiler makes one of several.
    """

    outside: set[Any]
    variables: set[str]
    named: set[str]


def _outline(code: types.CodeType, lines: set[int]) -> _Outline:
    """Gives what some code does, but for the ways through it: these depend on what is in `lines`.

    No variable of the user's has a name that is no name.
    """
    found = _Outline(set(), set(), set())
    for part in nested(code):
        for each in dis.get_instructions(part):
            if each.opcode in dis.hasjrel or each.opname in _PADDING:
                continue
            held, place = each.argval, each.positions
            value = held.co_name if isinstance(held, types.CodeType) else repr(held)
            if place is None or place.lineno not in lines:
                found.outside.add((part.co_qualname, each.opname, value, place))
            elif each.opcode in (*dis.haslocal, *dis.hasfree):
                both = held if isinstance(held, tuple) else (held,)  # of two instructions in one
                found.variables.update(filter(str.isidentifier, both))
            elif each.opcode in dis.hasname and held != "AssertionError":
                found.named.add(value)
    return found


_PADDING = ("RESUME", "NOP", "CACHE", "EXTENDED_ARG", "COPY_FREE_VARS", "MAKE_CELL", "PRECALL")


def nested(code: types.CodeType) -> Iterator[types.CodeType]:
    """Gives a code object and all that are inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from nested(constant)


def _number(
    code: types.CodeType, numbers: dict[Any, int], made: dict[int, types.CodeType] | None = None
) -> int:
    """Gives the number of a code object, which equal ones have as well; `made` gets all inside it.

    Each level is compared for itself: Python compares what is inside twice, on each level.
    """
    inner = constants(code, numbers, made)
    number = numbers.setdefault(code.replace(co_consts=inner), len(numbers))
    if made is not None:
        made[number] = code
    return number


def constants(
    code: types.CodeType, numbers: dict[Any, int], made: dict[int, types.CodeType] | None = None
) -> tuple[Any, ...]:
    """Gives the constants of a code object, with numbers in the place of the code among them."""
    return tuple(
        (types.CodeType, _number(each, numbers, made)) if isinstance(each, types.CodeType) else each
        for each in code.co_consts
    )


def _all_features() -> int:
    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags & ~inspect.CO_NESTED


_FEATURES = _all_features()


def features(code: types.CodeType) -> int:
    """Gives the `from __future__` features of a code object, as flags for `compile`."""
    return code.co_flags & _FEATURES
