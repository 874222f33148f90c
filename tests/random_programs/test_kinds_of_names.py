"""Random programs with a name that is a number, a list, a tuple, text or None by data.

It is assigned in branches, loops and `try`, and asked for its kind. As graphs the programs are
right, or refused.
"""

from __future__ import annotations

from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_answered, one_backend
from tests.random_programs.several_kinds import ASKED, HEAD, TESTS, USED, Writer


class Names(Writer):
    """Writes a function in which a name is of several kinds."""

    def given(self, result: str) -> str:
        return f"r = {result}"

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        way = self.draw.random()
        if way < 0.35:
            given = self.given(self.draw.choice(self.results))
            return [f"if {self.text_of(TESTS)}: {given}" if self.draw.random() < 0.7 else given]
        if way < 0.5:
            return [self.text_of(USED)]
        if way < 0.56:
            return [f"if {self.text_of(ASKED)}: {self.text_of('k += 4;s = 2.5;t = ~')}"]
        return super().statement(depth, in_loop)

    def program(self) -> str:
        """The text of a function of an array and a float."""
        first = self.given(self.draw.choice(["None", "0", "[]", *self.results]))
        lines = [self.beginning(), first]
        for depth in (2, 2, 1):
            lines += self.block(depth, False, "")
        lines.append(self.end())
        return HEAD + "def f(a, y):\n" + "".join(f"    {line}\n" for line in lines)


def is_answered_of(seed: int) -> bool:
    """Whether a program is answered, as Python does."""
    writer = Names(seed)
    text = writer.program()
    return is_answered(text, [writer.arguments() for _ in range(4)], one_backend(seed), seed)


test_kinds_of_names, test_kinds_of_names_at_length = blocks_of(
    is_answered_of, step=20, many=2000, share=0.6
)
