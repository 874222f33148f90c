"""Two kinds of value that meet in one place, in every statement where they can: one answer a pair.

The table of `docs/guide/limits.md` is that of these tests.
"""

import datetime
import enum
import importlib.util
import pathlib
import sys
from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import autograph as ag

GUIDE = pathlib.Path(__file__).parents[2] / "docs/guide/limits.md"
HEADING = "| one, or another | where it is refused |\n|---|---|\n"


class C:
    def __init__(self, a):
        self.a = a


class D(C):
    pass


class E(enum.Enum):
    A, B = 1, 2


NAMES = {"np": np, "Fraction": Fraction, "Decimal": Decimal, "deque": deque, "C": C, "D": D, "E": E,
         "date": datetime.date, "PurePath": pathlib.PurePath}  # fmt: skip

# Numbers of which a place may hold either are of one type in the graph.
OF_ONE_TYPE = [("1", "2.5"), ("True", "2"), ("1j", "2.0")]

# What is looked at of a value, where a function does not give it back.
READ = {
    ("range(2)", "range(3)"): "list({})",
    ("None", "range(3)"): "-1 if (r := {}) is None else len(r)",
    ("None", "lambda k: k + n"): "({} or abs)(4)",
}

# A place holds the first where `n` is 1, else the second; or the other way round.
STATEMENTS = {
    "`if`": """
def g(n):
    if n > 2:
        v = {a}
    else:
        v = {b}
    return v
""",
    "`return`": """
def g(n):
    if n > 2:
        return {a}
    return {b}
""",
    "a conditional expression": """
def g(n):
    return ({a}) if n > 2 else ({b})
""",
    "`match`": """
def g(n):
    match n:
        case 3 | 5:
            v = {a}
        case _:
            v = {b}
    return v
""",
    "`try`": """
def g(n):
    v = {a}
    try:
        v = {b}
        if n > 2:
            raise ValueError
        v = {a}
    except ValueError:
        pass
    return v
""",
    "`while`": """
def g(n):
    v, i = {a}, 0
    while i < n - 2:
        v = {b}
        i += 1
    return v
""",
    "`break`": """
def g(n):
    v = {a}
    for i in range(9):
        if i > n - 3:
            break
        v = {b}
    return v
""",
    "recursion": """
def r(n):
    if n <= 2:
        return {a}
    if n > 9:
        return {b}
    return r(n + 4)

def g(n):
    return r(n)
""",
    "an attribute": """
def g(n):
    o = C(0)
    if n > 2:
        o.a = {a}
    else:
        o.a = {b}
    return o.a
""",
    "an item of a dict": """
def g(n):
    o = {{}}
    if n > 2:
        o["a"] = {a}
    else:
        o["a"] = {b}
    return o["a"]
""",
    "an item of a list": """
def g(n):
    o, i = [], 0
    while i < n:
        if i > 1:
            o.append({a})
        else:
            o.append({b})
        i += 1
    return o[-1]
""",
}

EVERYWHERE = tuple(STATEMENTS)
PARTS = ("an attribute", "an item of a dict", "an item of a list")
AXES = ("`while`", "an item of a list")

# Pairs of values, and the statements that refuse them.
PAIRS = {
    ("1", "2.5"): (),
    ("True", "2"): (),
    ("1j", "2.0"): (),
    ("None", "1"): (),
    ("1", "'a'"): PARTS,
    ("'a'", "'bc'"): (),
    ("None", "'a'"): (),
    ("np.ones(2)", "3.0"): AXES,
    ("np.ones(2)", "np.zeros(2)"): (),
    ("np.zeros(2)", "np.zeros((2, 2))"): AXES,
    ("None", "np.zeros(2)"): ("an item of a list",),
    ("(1, 2)", "(3, 4)"): (),
    ("(1, 2)", "(3, 4, 5)"): ("an item of a list",),
    ("None", "(1, 2)"): (),
    ("[1, 2]", "[3]"): (),
    ("[1, 2]", "(1, 2)"): ("`while`", *PARTS),
    ("None", "[1]"): ("an item of a list",),
    ("{'a': 1}", "{'a': 2}"): (),
    ("{'a': 1}", "{'b': 2}"): ("`try`", "recursion", "an item of a list"),
    ("C(1)", "C(2)"): (),
    ("C(1)", "D(2)"): ("`while`", "an item of a list"),
    ("C", "D"): (),
    ("E.A", "E.B"): (),
    ("np.sin", "np.cos"): (),
    ("Fraction(1, 2)", "Fraction(1, 3)"): (),
    ("None", "Fraction(1, 2)"): (),
    ("Decimal('1')", "Decimal('1.0')"): (),
    ("slice(1, 2)", "slice(0, 3)"): (),
    ("b'a'", "b'bc'"): (),
    ("b'a'", "'a'"): PARTS,
    ("0", "Fraction(1, 2)"): PARTS,
    ("frozenset({1})", "frozenset({2})"): (),
    ("np.dtype('f4')", "np.dtype('f8')"): (),
    ("date(2020, 1, 1)", "date(2021, 1, 1)"): (),
    ("PurePath('a')", "PurePath('b')"): (),
    ("Fraction(1, 2)", "date(2020, 1, 1)"): (),
    ("range(2)", "range(3)"): ("an item of a list",),
    ("None", "range(3)"): ("an item of a list",),
    ("None", "{'a': 1}"): ("an item of a list",),
    ("None", "lambda k: k + n"): ("an item of a list",),
    ("None", "C(1)"): (),
    ("None", "E.A"): (),
    ("{1, 2}", "{3}"): EVERYWHERE,
    ("deque([1, 2])", "deque([3])"): EVERYWHERE,
}


def plain(x):
    """A value, with the numbers of NumPy in it as Python's."""
    if isinstance(x, np.ndarray | np.generic):
        return x.tolist()
    if type(x) in (list, tuple, set, frozenset, deque):
        return type(x)(map(plain, x))
    if type(x) is dict:
        return {key: plain(value) for key, value in x.items()}
    return (type(x), plain(x.a)) if isinstance(x, C) else x


def written(x):
    """What tells values apart that Python takes for equal."""
    return repr(plain(x)) if not isinstance(x, set | frozenset) else (type(x), sorted(x))


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    """Gives the function that a text defines, in a file of its own."""
    folder = tmp_path_factory.mktemp("pairs")

    def loaded(text):
        path = folder / f"pair_{len(list(folder.iterdir()))}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        vars(module).update(NAMES)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        return module.f

    return loaded


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize(("pair", "refused"), PAIRS.items(), ids=[f"{a}|{b}" for a, b in PAIRS])
def test_two_kinds_of_value_in_one_place(pair, refused, statement, load):
    read = READ.get(pair, "{}").format("g(n)")
    text = STATEMENTS[statement].format(a=pair[0], b=pair[1])
    f = load(f"{text}\ndef f(n):\n    return {read}\n")
    g = ag.convert(f)
    if statement in refused:
        with pytest.raises(ag.StagingError):
            for n in (1, 3, 5):
                g(np.int64(n))
        return
    told = plain if pair in OF_ONE_TYPE else written
    for n in (1, 3, 5):
        assert told(g(np.int64(n))) == told(f(n))
    assert len(g.traces()) == 1  # which of both it is, the graph decides


def half_or_third(n):
    return Fraction(1, 2) if n > 2 else Fraction(1, 3)


def letters(n):
    return b"a" if n > 2 else b"bc"


def day(n):
    return datetime.date(2020, 1, 1) if n > 2 else datetime.date(2021, 5, 1)


def either(n):
    return 0 if n > 2 else Fraction(1, 3)


USES = {
    "operators": lambda n: half_or_third(n) + 1,
    "both operands": lambda n: half_or_third(n) * half_or_third(n + 2),
    "attributes": lambda n: (half_or_third(n).numerator, day(n).year),
    "methods": lambda n: (letters(n).decode(), day(n).isoformat()),
    "built-ins": lambda n: (float(half_or_third(n)), len(letters(n)), str(half_or_third(n))),
    "comparisons": lambda n: (half_or_third(n) == Fraction(1, 2), day(n) < day(1)),
    "items": lambda n: letters(n)[0],
    "membership": lambda n: 3 in (frozenset({1, 2}) if n > 2 else frozenset({3})),
    "classes": lambda n: (isinstance(either(n), Fraction), either(n) == 0),
    "calls of NumPy": lambda n: (
        np.ones(3).astype(np.dtype("f4") if n > 2 else np.dtype("f8")).sum()
    ),
}


@pytest.mark.parametrize("f", USES.values(), ids=USES)
def test_a_value_of_several_is_asked_for_what_it_can(f):
    g = ag.convert(f)
    for n in (1, 3, 5):
        assert plain(g(np.int64(n))) == plain(f(n))
    assert len(g.traces()) == 1


HALF, OTHER_HALF = Fraction(1, 2), Fraction(1, 2)


def on_one_path(x):
    v = HALF if x[0] > 2 else OTHER_HALF
    return v is HALF, x * 2


def after_rounds(x):
    v, t = HALF, x[0]
    while t > 0:
        v = Fraction(1, 2)
        t -= 1
    return v is HALF, t


def where_it_raised(x):
    v = HALF
    try:
        v = OTHER_HALF
        if x[0] > 2:
            raise ValueError
    except ValueError:
        v = HALF
    return v is HALF, x * 2


@pytest.mark.parametrize("f", [on_one_path, after_rounds, where_it_raised])
def test_which_of_two_equal_values_it_is_is_refused(f):
    with pytest.raises(ag.StagingError, match="whether this is the same Fraction depends on data"):
        ag.convert(f)(np.array([1.0, 2.0]))


def of_two(x):
    v = HALF if x[0] > 2 else Fraction(1, 3)
    return v is HALF, v is None, x * 2


def test_which_of_two_values_it_is_is_known():
    for first in (1.0, 3.0):
        x = np.array([first, 2.0])
        assert plain(ag.convert(of_two)(x)) == plain(of_two(x))


def test_the_guide_has_the_table():
    rows = {}
    for (a, b), refused in PAIRS.items():
        where = "nowhere" if not refused else ", ".join(refused)
        where = "everywhere" if refused == EVERYWHERE else where
        rows.setdefault(where, []).append(f"`{a}`, `{b}`")
    assert HEADING + "".join(
        f"| {'; '.join(pairs)} | {where} |\n" for where, pairs in rows.items()
    ) in GUIDE.read_text(encoding="utf-8")
