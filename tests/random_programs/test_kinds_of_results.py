"""Random programs with functions that give back a number, a list, a tuple, text or None by data.

Lists that are given back are written before and after. As graphs the programs are right, or
refused.
"""

from __future__ import annotations

from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_answered, one_backend
from tests.random_programs.several_kinds import ASKED, HEAD, USED, Writer


class Results(Writer):
    """Writes a function that gives back values of several kinds, and one that calls it."""

    def given(self, result: str) -> str:
        return f"return {result}"

    def caller(self) -> list[str]:
        lines = [self.beginning()]
        call = ["r = g(a, L, M, D, s, t)"]
        for _ in range(self.draw.randint(0, 2)):
            call.append(f"if {self.text_of(ASKED)}: {self.text_of('k += 4;s = 2.5;t = ~')}")
        for _ in range(self.draw.randint(0, 2)):
            call.append(self.text_of(USED))
        if self.draw.random() < 0.25:
            lines += ["for x in a:", *("    " + line for line in call)]
        else:
            lines += call
        lines.append(self.end())
        return lines

    def program(self) -> str:
        """The text of a function of an array and a float, and of the one that it calls."""
        inner = [*self.block(2, False, ""), *self.block(1, False, "")]
        if self.draw.random() < 0.8:
            inner.append(f"return {self.draw.choice(self.results)}")
        parts = [("g(a, L, M, D, s, t)", inner), ("f(a, y)", self.caller())]
        return HEAD + "\n\n".join(
            f"def {head}:\n" + "".join(f"    {line}\n" for line in lines) for head, lines in parts
        )


def is_answered_of(seed: int) -> bool:
    """Whether a program is answered, as Python does."""
    writer = Results(seed)
    text = writer.program()
    return is_answered(text, [writer.arguments() for _ in range(4)], one_backend(seed), seed)


test_kinds_of_results, test_kinds_of_results_at_length = blocks_of(
    is_answered_of, step=20, many=2000, share=0.6
)
