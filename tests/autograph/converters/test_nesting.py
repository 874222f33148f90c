"""Every pair of statements, one inside the other, runs as in Python, for every way through."""

import itertools
import textwrap

import pytest

from tests.autograph.converters.running import load, run

STATEMENTS = {
    "if": """
        if test("if"):
            {inner}
        else:
            x = x + "e"
    """,
    "while": """
        {n} = 3
        while {n} and test("while"):
            {n} -= 1
            {inner}
            x = x + "w"
        else:
            print("while else")
    """,
    "for": """
        for {n} in range(3):
            {inner}
            x = x + "f"
        else:
            print("for else")
    """,
    "try": """
        try:
            {inner}
            x = x + "t"
        except (ValueError, OSError) as e:
            print("caught", e)
            y = x
        else:
            print("try else")
        finally:
            print("finally", x)
    """,
    "handler": """
        try:
            raise ValueError("inside")
        except ValueError as e:
            {inner}
            x = x + "h"
    """,
    "finally": """
        try:
            if test("raise"):
                raise ValueError("pending")
        finally:
            {inner}
            x = x + "F"
    """,
    "with": """
        with Manager(test("swallow")) as m:
            {inner}
            x = x + "m"
    """,
    "def": """
        def g{n}(x):
            {inner}
            return x + "d"
        x = g{n}(x)
        y = x
    """,
    "match": """
        match test("match"), x:
            case True, str() as {n}:
                {inner}
            case False, _:
                x = x + "-"
    """,
}
LEAVES = {
    "assign": "y = x + 'l'",
    "return": "return x, 'returned'",
    "break": "break",
    "continue": "continue",
    "raise": "raise ValueError('leaf')",
    "conditional return": "if test('return'): return x",
    "conditional break": "if test('break'): break\n",
}
PRELUDE = """
class Manager:
    def __init__(self, swallow):
        self.swallow = swallow
    def __enter__(self):
        print("enter")
        return self
    def __exit__(self, kind, *rest):
        print("exit", kind)
        return self.swallow

def f(bits):
    def test(what):
        nonlocal bits
        bits, bit = divmod(bits, 2)
        print("test", what, bool(bit))
        return bool(bit)
    x = "x"
    for round in range(2):
        x = x + "r"
{body}
        print("after", x)
    return x, y
"""
WAYS = (0, 1, 2, 5, 7, 11, 14, 22, 27, 45, 62, 63)


def program(outer, inner, leaf):
    """The text of a module with the inner statement in the outer one and the leaf in that."""
    text = LEAVES[leaf]
    for number, name in enumerate((inner, outer)):
        template = textwrap.dedent(STATEMENTS[name]).strip()
        lines = []
        for line in template.splitlines():
            margin = line[: len(line) - len(line.lstrip())]
            filled = line.replace("{n}", f"n{number}")
            if filled.strip() == "{inner}":
                lines.append(textwrap.indent(text, margin))
            else:
                lines.append(filled)
        text = "\n".join(lines)
    return PRELUDE.replace("{body}", textwrap.indent(text, " " * 8))


@pytest.mark.broad(2)
@pytest.mark.parametrize(("outer", "inner"), list(itertools.product(STATEMENTS, STATEMENTS)))
def test_nested_statements_do_what_python_does(outer, inner):
    for leaf in LEAVES:
        text = program(outer, inner, leaf)
        try:
            plain = load(text, "f", convert=False)
        except SyntaxError:
            continue  # a jump out of a loop that is not there
        converted = load(text, "f", convert=True)
        for bits in WAYS:
            expected, found = run(plain, bits), run(converted, bits)
            where = f"bits {bits} of\n{text}"
            assert found.log == expected.log, where
            assert found.error is expected.error, f"{found}\nfor {expected}\n{where}"
            assert found.value == expected.value, where
