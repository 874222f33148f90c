"""Expressions and statements as deep as Python's compiler takes them."""

import ast
import sys

import numpy as np
import pytest

import autograph as ag

HEAD = """
import numpy as np
class Link:
    def __init__(self, v):
        self.v = v
    def f(self):
        return self
    @property
    def p(self):
        return self
"""


def terms():
    """2,000, and fewer where Python compiles text of so many, but no tree (3.12.1)."""
    try:
        compile(ast.parse("x" + " + x" * 4000), "tree", "exec")
    except RecursionError:
        return 700
    return 2000


MANY = terms()


def chain(word, parts):
    return f" {word} ".join(parts)


def branches(count, test, body):
    """An `if` with so many `elif`."""
    rows = [f"    {'if' if k == 0 else 'elif'} {test(k)}:\n        {body(k)}" for k in range(count)]
    return "\n".join([*rows, f"    else:\n        {body(count)}"])


def function(text):
    return f"def f(x, k=7):\n    {text}"


PROGRAMS = {
    "a sum": lambda n: function("return " + chain("+", ["x"] * n)),
    "a sum of others": lambda n: function("return x" + "".join(f" + {k} * x" for k in range(n))),
    "operators": lambda n: function("return x" + " + x - 1.0 * x" * (n // 2)),
    "bits": lambda n: function("return x + (" + chain("|", ["k"] * n) + ")"),
    "assigned within": lambda n: function("return " + chain("+", ["(y := x)"] * n)),
    "signs": lambda n: function("return " + "-" * n + "x"),
    "powers": lambda n: function("return " + chain("**", ["x", *["1.0"] * n])),
    "attributes": lambda n: function("o = Link(x); return o" + ".p" * n + ".v + 1"),
    "calls": lambda n: function("o = Link(x); return o" + ".f()" * (n // 2) + ".v + 1"),
    "items": lambda n: function("a = {}; a[0] = a; return x + len(a" + "[0]" * n + ")"),
    "text": lambda n: function("t = 'ab'; return x + len(" + chain("+", ["t"] * n) + ")"),
    "texts": lambda n: function("return x + len(" + chain("+", ["'ab'"] * n) + ")"),
    "lists": lambda n: function("return ([x]" + " + [x]" * n + ")[-1]"),
    "nested lists": lambda n: function("a = " + "[" * 90 + "x" + "]" * 90 + "; return a" + "[0]" * 90),
    "a long list": lambda n: function("return [" + ", ".join(["x"] * n) + "][-1]"),
    "and of Python": lambda n: function("return x + (" + chain("and", ["k"] * n) + ")"),
    "or of Python": lambda n: function("return x + (" + chain("or", ["(k < 0)"] * n) + ")"),
    "comparisons": lambda n: function("return x + (" + chain("<=", ["k"] * n) + ")"),
    "elif of Python": lambda n: function(
        "y = 0.0\n" + branches(n, "k == {}".format, "y = x + {}".format) + "\n    return y"
    ),
    "cases": lambda n: function(
        "match k:\n"
        + "".join(f"        case {k + 100}:\n            y = x + {k}\n" for k in range(n))
        + "        case _:\n            y = x\n    return y"
    ),
}  # fmt: skip
BY_DATA = {
    "and": lambda n: function("return " + chain("and", [f"x > {-k}" for k in range(n)])),
    "or": lambda n: function("return " + chain("or", [f"x < {-k}" for k in range(n)])),
    "and of or": lambda n: function("return " + chain("and", ["x > 0 or x < -1"] * n)),
    "tested": lambda n: function("return 1 if " + chain("and", ["x > 0"] * n) + " else 2"),
    "compared": lambda n: function("return " + chain("<", [f"x - {n - k}" for k in range(n)])),
    "compared and tested": lambda n: function(
        "return 1 if " + chain("!=", [f"x * {k % 7}" for k in range(n)]) + " else 2"
    ),
    "conditional expressions": lambda n: function(
        "return " + "".join(f"x + {k} if x > {n - k} else " for k in range(n)) + "-x"
    ),
    "conditional expressions in others": lambda n: function(
        "y = 1 + (" + "".join(f"(z := x * {k}) if x < {k - n} else " for k in range(n)) + "x)\n"
        "    return y, z if x < -3 else 'none'"
    ),
    "conditional expressions of kinds": lambda n: function(
        "return " + "".join(f"{[k, None, 'text'][k % 3]!r} if x > {3 - k} else " for k in range(n)) + "0"
    ),
    "conditions of a comprehension": lambda n: function(
        "return len([v for v in [x, x - 1]" + "".join(f" if v > {k - n}" for k in range(n)) + "])"
    ),
    "elif": lambda n: function(
        "y = 0.0\n" + branches(n, "x > {}".format, "y = x + {}".format) + "\n    return y"
    ),
    "elif that returns": lambda n: function(
        "y = x\n" + branches(n, "x > 1000 - {}".format, "return x + {}".format)
    ),
}  # fmt: skip


def checked(text):
    module = ag.convert_source(HEAD + text)
    depth = sys.getrecursionlimit()
    for value in (2.0, -3.5):
        x = np.float64(value)
        expected = module.f(x)
        converted = ag.convert(module.f)
        for _ in range(2):
            found = converted(x)
            assert found == expected and type(found) is type(expected)
    assert sys.getrecursionlimit() == depth
    return module


# What takes long where it is so deep.
SHORTER = {"elif of Python": 300, "cases": 300}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_python_compiles_is_converted(name):
    checked(PROGRAMS[name](SHORTER.get(name, MANY)))


def test_gradients_go_through_what_is_cut():
    module = ag.convert_source(HEAD + BY_DATA["conditional expressions"](40))
    slopes = ag.grad(ag.convert(module.f))
    assert [slopes(np.float64(x)) for x in (2.0, -3.5, 39.5)] == [1.0, -1.0, 1.0]


def test_operands_are_computed_once_in_turn_and_none_after_the_one_that_decides():
    """Whether Python or the graph decides."""
    noted = []

    def note(k, value):
        noted.append(k)
        return value

    compared = function("return " + chain("<", [f"note({k}, x - {9 - k})" for k in range(40)]))
    chosen = function("return " + "".join(f"note({k}, {k}) if note({k}, x == {k}) else "
                                          for k in range(40)) + "-1")  # fmt: skip
    for text, value in ((compared, 1.0), (chosen, 7)):
        module = ag.convert_source(text)
        module.note = note
        expected, noted[:] = module.f(value), []
        module.f(value)
        order, noted[:] = [*noted], []
        assert ag.to_graph(module.f)(value) == expected
        assert noted == order


@pytest.mark.parametrize("name", ["a sum", "operators", "assigned within", "signs"])
def test_gradients_go_through_long_chains(name):
    module = ag.convert_source(HEAD + PROGRAMS[name](MANY))
    x = np.float64(1.0)
    slope = module.f(x + 1.0) - module.f(x)  # it is linear
    assert ag.grad(ag.convert(module.f))(x) == slope


@pytest.mark.parametrize("name", BY_DATA)
def test_chains_by_data_make_no_deep_graphs(name):
    checked(BY_DATA[name](120))


@pytest.mark.long
@pytest.mark.parametrize("name", [*BY_DATA, *SHORTER])
def test_chains_by_data_of_thousands(name):
    checked({**PROGRAMS, **BY_DATA}[name](1000))


def test_the_text_of_deep_code():
    module = ag.convert_source(HEAD + PROGRAMS["a sum"](MANY))
    assert ag.to_code(module.f).count("ag__.ld(x)") == MANY


def test_each_operand_is_asked_once_and_none_after_the_one_that_decides():
    asked = []

    class Asked:
        def __init__(self, number):
            self.number = number

        def __bool__(self):
            asked.append(self.number)
            return self.number != 150

    module = ag.convert_source(
        function("return " + chain("and", [f"make({k})" for k in range(300)]))
    )
    module.make = Asked
    assert ag.convert(module.f)(1.0).number == 150
    assert asked == [*range(151)]


def test_what_is_too_deep_for_the_compiler_is_refused_by_name():
    deep = "x" + " + x" * 2000

    def refuse(*args):
        raise RecursionError("maximum recursion depth exceeded during compilation")

    module = ag.convert_source(function(f"return {deep}"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograph.frontend.one_function._converted", refuse)
        with pytest.raises(ag.UnsupportedSyntaxError, match="nested too deeply"):
            ag.to_code(module.f)
