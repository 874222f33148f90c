"""Random programs written from lists of Python's own statements, with words to be drawn in them.

`<number>` in a statement stands for one of the texts of the list `number`, `<name:1>` for the same
one wherever it stands in that statement, `<:>` for a number that no other statement has, and `...`
for a block of statements.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping

_FIRST = re.compile(r"<(\w*)(:\w*)?>")
_GOES_ON = (" ", "else:", "elif ", "except ", "except:", "finally:", ")", "]", "}")
DEPTH = 3


def alternatives(text: str) -> list[str]:
    """The texts of a list: separated by `;`, or by lines, where those of a statement are one."""
    found: list[str] = []
    for line in text.strip("\n").split("\n"):
        if found and line.startswith(_GOES_ON):
            found[-1] += "\n" + line
        else:
            found += line.split(";")
    return found


class Grammar:
    """Lists of texts by the words that stand for them; statements by theme.

    A program is of a few themes, so that what belongs together meets in it.
    """

    def __init__(
        self, words: Mapping[str, str], themes: Mapping[str, str], always: Iterable[str] = ()
    ) -> None:
        self.words = {word: alternatives(text) for word, text in words.items()}
        self.themes = {theme: alternatives(text) for theme, text in themes.items()}
        self.always = tuple(always)

    def writer(self, seed: int, themes: int = 3) -> Writer:
        """What draws the program of a seed."""
        draw = random.Random(seed)
        others = sorted(set(self.themes) - set(self.always))
        chosen = (*self.always, *draw.sample(others, themes))
        return Writer(draw, self.words, [self.themes[theme] for theme in chosen])


class Writer:
    """Draws the lines of one program."""

    def __init__(
        self, draw: random.Random, words: Mapping[str, list[str]], themes: list[list[str]]
    ) -> None:
        self.draw, self.words, self.themes = draw, words, themes
        self.count = 0

    def lines(self, most: int, depth: int = DEPTH, indent: int = 1) -> list[str]:
        """The lines of a block of up to so many statements."""
        found: list[str] = []
        for _ in range(self.draw.randint(1, most)):
            found += self._statement(depth, indent)
        return found

    def text(self, form: str) -> str:
        """A form with its words drawn."""
        same: dict[str, str] = {}

        def drawn(match: re.Match[str]) -> str:
            word, mark = match.groups()
            if not word:
                return number
            if mark is None:
                return self.draw.choice(self.words[word])
            return same.setdefault(match.group(), self.draw.choice(self.words[word]))

        self.count += 1
        number = str(self.count)
        while _FIRST.search(form):
            form = _FIRST.sub(drawn, form)
        return form

    def _statement(self, depth: int, indent: int) -> list[str]:
        form = self.draw.choice(self.draw.choice(self.themes))
        while "..." in form and not depth:
            form = self.draw.choice(self.draw.choice(self.themes))
        found: list[str] = []
        for line in self.text(form).split("\n"):
            inner = indent + (len(line) - len(line.lstrip())) // 4
            if line.strip() == "...":
                found += self.lines(3, depth - 1, inner)
            else:
                found.append("    " * inner + line.lstrip())
        return found
