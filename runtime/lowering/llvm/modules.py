"""The functions of a program as modules, each of which LLVM compiles alone, at the same time.

LLVM takes time by the line, and about as much for a module as for a hundred lines: what is small
stays together. Which function is in which module depends on the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from runtime.execute.native.engine import APART, SCALAR, SCHEDULED

__all__ = ["Shared", "modules_text"]

# Functions of so many lines are together, and none are a module of so few, if others follow. Of
# what is scheduled, and of scalars, LLVM does so many more lines in the same time.
_MOST, _FEW, _SCHEDULED, _IN_LANES, _SCALAR = 250, 100, 6, 1, 4


class Shared:
    """What modules have in common: each holds what it names of it.

    `helpers` are functions and constants, `declared` functions of LLVM and of other modules,
    `metadata` facts by number.
    """

    def __init__(
        self, helpers: Sequence[str], declared: Iterable[str], metadata: Sequence[str]
    ) -> None:
        self.helpers = {text: _DEFINED.findall(text) for text in helpers}
        self.declared = {_NAME.findall(text)[0]: text for text in declared}
        self.metadata = metadata

    def module(self, functions: Sequence[str]) -> str:
        """The text of a module of these functions."""
        texts = list(functions)
        own = {_NAME.findall(text[: text.index("(")])[0] for text in texts}
        left = dict(self.helpers)
        names = set(_NAME.findall("\n".join(texts)))
        while found := [text for text, given in left.items() if not names.isdisjoint(given)]:
            for text in found:
                own.update(left.pop(text))
                names.update(_NAME.findall(text))
            texts = [*found, *texts]
        # What LLVM may call in the place of another function is named nowhere else.
        stands_for = sorted({f"@{name}" for text in texts for name in _VARIANT.findall(text)})
        outside = sorted((names | set(stands_for)) & self.declared.keys() - own)
        texts += [f"declare {self.declared[name]}" for name in outside]
        if stands_for:
            kept = ", ".join(f"ptr {name}" for name in stands_for)
            of = f"[{len(stands_for)} x ptr] [{kept}]"
            texts.append(f'@llvm.compiler.used = appending global {of}, section "llvm.metadata"')
        return "\n".join([*texts, *self._facts("\n".join(texts))]) + "\n"

    def _facts(self, text: str) -> list[str]:
        """The metadata that a text names, and what that names."""
        found: set[int] = set()
        left = {int(n) for n in _FACT.findall(text)}
        while left:
            found |= left
            named = "\n".join(self.metadata[n] for n in left)
            left = {int(n) for n in _FACT.findall(named)} - found
        return [self.metadata[n] for n in sorted(found)]


_NAME = re.compile(r"@[\w.]+")
_DEFINED = re.compile(r"^(?:define .*?)?(@[\w.]+)(?:\(| =)", re.MULTILINE)
_VARIANT = re.compile(r'="_ZGV[^("]+\(([\w.]+)\)"')
_FACT = re.compile(r"!(\d+)")


def modules_text(
    functions: Sequence[str],
    in_lanes: Sequence[str],
    scheduled: Sequence[str],
    shared: Shared,
    scalar: Sequence[str] = (),
    called: Sequence[str] = (),
) -> str:
    """The modules of functions, each behind the line that says of which kind it is.

    Those without loops over elements (`scalar`) come first; others of which nothing is known need
    no such line where they do. Functions that all of them call come last. Scheduled are functions
    that are written in lanes, and contractions.
    """
    kinds = (
        (SCALAR, _groups(scalar, _SCALAR)),
        (APART, _groups(functions, 1)),
        (SCHEDULED, [*_groups(in_lanes, _IN_LANES), *_groups(scheduled, _SCHEDULED)]),
        (SCALAR, _groups(called, _SCALAR)),
    )
    modules = (mark + shared.module(group) for mark, groups in kinds for group in groups)
    return "".join(modules).removeprefix(APART)


def _groups(functions: Sequence[str], times: int) -> list[list[str]]:
    """Neighbours, as many together as take little time."""
    groups: list[list[str]] = []
    lines = 0
    for text in functions:
        more = text.count("\n")
        if groups and (lines < _FEW or lines + more <= _MOST * times):
            groups[-1].append(text)
            lines += more
        else:
            groups.append([text])
            lines = more
    return groups
