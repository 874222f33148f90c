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
    number; `$N` is one of the numbers.
    """

    def loaded(match: re.Match[str]) -> str:
        name, kind, key = match[1], match[2], match[3]
        return (
            f"  {name}.at = getelementptr ptr, ptr %ctx, i64 {word(key)}\n"
            f"  {name} = load {_KINDS[kind]}, ptr {name}.at"
        )

    pattern = r"^  (%[\w.]+) = (word|count) ([\w.]+)$"
    text = re.sub(pattern, loaded, text, flags=re.MULTILINE)
    return re.sub(r"\$(\w+)", lambda m: str(numbers[m[1]]), text)
