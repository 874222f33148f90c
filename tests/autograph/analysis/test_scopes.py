"""Scopes: what is bound, free, captured, by the rules of the language reference."""

import textwrap

import gast
import pytest

from autograph.analysis import ScopeTree

CASES = {
    "parameters": ("def f(a, /, b, *c, d=1, **e): pass", "a b c d e", ""),
    "assignments": ("def f():\n    a = b\n    c, *d = a\n    e.f = g[h] = 1", "a c d", "b e g h"),
    "global": ("def f():\n    global a\n    a = b", "", "b"),
    "nested reads": ("def f(a):\n    def g(): return a, b", "a g", "b"),
    "nested nonlocal": (
        "def f(a):\n    def g():\n        nonlocal a, b\n        a = 1",
        "a g",
        "b",
    ),
    "class body": (
        "def f():\n    class A:\n        b = c\n        def g(self): b, d",
        "A",
        "b c d",
    ),
    "lambda": ("def f(): return lambda a, b=c: (a, b, d)", "", "c d"),
    "comprehension": ("def f(): return [a for a in b for c in a if (d := c)]", "d", "b"),
    "imports": ("def f():\n    import a.b, c as d\n    from e import g as h", "a d h", ""),
    "handlers": ("def f():\n    try: a\n    except b as c: d", "c", "a b d"),
    "match": (
        "def f(a):\n    match a:\n        case [b, *c] | {'k': d, **e} as g: h",
        "a b c d e g",
        "h",
    ),
    "with and for": ("def f():\n    with a as b: pass\n    for c, (d) in e: pass", "b c d", "a e"),
    "annotation alone binds": ("def f():\n    a: b\n    return a", "a", ""),
    "super needs the class cell": ("def f(self): return super()", "self", "__class__ super"),
}


@pytest.mark.parametrize(("text", "bound", "free"), CASES.values(), ids=CASES)
def test_bound_and_free_names(text, bound, free):
    function = gast.parse(text).body[0]
    scope = ScopeTree(function)[function]
    assert scope.bound == set(bound.split())
    assert scope.free == set(free.split())


def test_owner_skips_classes_and_stops_at_globals():
    text = """
    def f(a, b):
        class C:
            a = 1
            def g(self):
                global b
                def h(): return a, b
    """
    function = gast.parse(textwrap.dedent(text)).body[0]
    scopes = ScopeTree(function)
    g = function.body[0].body[1]
    h = g.body[1]
    assert scopes[h].owner("a") is scopes[function]
    assert scopes[h].owner("b") is None
    assert scopes[h].owner("self") is scopes[g]
    assert scopes[h].is_in_class()


def test_generators_are_known_but_not_those_inside():
    tree = gast.parse("def f():\n    def g(): yield\n    return lambda: (yield)")
    scopes = ScopeTree(tree)
    assert not scopes[tree.body[0]].is_generator
    assert scopes[tree.body[0].body[0]].is_generator


def test_names_rebound_inside():
    function = gast.parse("def f(a, b):\n    def g():\n        nonlocal a\n        a = b").body[0]
    scope = ScopeTree(function)[function]
    assert scope.rebound_inside == {"a"}
    assert scope.lent == {"a", "b"}


def test_how_names_are_used_is_told():
    text = """
    def f(a, b, c, x, n):
        for item in x:
            n -= 1
        return a == b, c[0], len(x), [item[1] for item in c], -n, a > 3, b is None
    """
    tree = gast.parse(textwrap.dedent(text))
    scope = ScopeTree(tree)[tree.body[0]]
    assert scope.sequences == {"a", "b", "c", "x", "item"}
    assert scope.items == {"item"}
    assert scope.numbers == {"n", "a"}


def test_names_of_rows_are_those_that_tolist_gives_in_parts():
    text = """
    def f(x, other):
        rows = x.tolist()
        first, *rest = rows
        best, number = rest[0], other[0]
        for i, row in enumerate(sorted(rows)):
            pass
        return [a for a, b in zip(rows, other) for c in a], lambda: rows
    """
    tree = gast.parse(textwrap.dedent(text))
    scope = ScopeTree(tree)[tree.body[0]]
    assert scope.nests == {"rows", "first", "rest", "best", "i", "row", "a", "b", "c"}
    assert scope.nests <= scope.lists and "number" not in scope.lists
