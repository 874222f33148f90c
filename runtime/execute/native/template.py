"""Templates of IR text: words of the context by name, and numbers of Python."""

from __future__ import annotations

import re
from collections.abc import Mapping

from runtime.execute.native.context import word

__all__ = ["expanded"]

_KINDS = {"word": "ptr", "count": "i64"}


def expanded(text: str, numbers: Mapping[str, int]) -> str:
    """The text of a template.

    `NAME = word W` loads the word W of the context `%ctx` as a pointer, `NAME = count W` as a
    number. `NAME = item T BASE, N` loads the item N of items of type T, `NAME = field T BASE, N`
    what is N bytes behind BASE; `NAME.at` is where it is. `NAME = TRUTH ? A : B` goes on at A where
    that is true, else at B. `$N` is one of the numbers.
    """
    text = _WORD.sub(lambda m: _loaded(m[1], _KINDS[m[2]], "ptr", "%ctx", str(word(m[3]))), text)
    text = _PART.sub(
        lambda m: _loaded(m[1], m[3], m[3] if m[2] == "item" else "i8", m[4], m[5]), text
    )
    text = _CHOICE.sub(r"\1\n  br i1 \2, label %\3, label %\4", text)
    return re.sub(r"\$(\w+)", lambda m: str(numbers[m[1]]), text)


_WORD = re.compile(r"^  (%[\w.]+) = (word|count) ([\w.]+)$", re.MULTILINE)
_PART = re.compile(r"^  (%[\w.]+) = (item|field) (\w+) (%[\w.]+), (\S+)$", re.MULTILINE)
_CHOICE = re.compile(r"^(  (%[\w.]+) = [^?\n]+) \? ([\w.]+) : ([\w.]+)$", re.MULTILINE)


def _loaded(name: str, kind: str, step: str, base: str, index: str) -> str:
    return (
        f"  {name}.at = getelementptr {step}, ptr {base}, i64 {index}\n"
        f"  {name} = load {kind}, ptr {name}.at"
    )
