"""Tables of functions with what is modified, live and bound around one of their statements."""

import textwrap

import gast
import pytest

from autograph.analysis import ScopeTree, analyze

CASES = {
    "if reads and writes": (
        "if x > 0: x = x + 1\nreturn x",
        "x",
        "x",
        "x",
    ),
    "if writes a dead name": ("if x: y = 1\nreturn x", "y", "x", "x"),
    "if binds on one path": ("if x: y = 1\nreturn y", "y", "x y", "y"),
    "if binds on both paths": ("if x: y = 1\nelse: y = 2\nreturn y", "y", "x", "y"),
    "while carries": ("while n > 0:\n    n = n - 1\n    s = s + n\nreturn s", "n s", "n s", "s"),
    "while with temporary": ("while n:\n    t = n\n    n = t - 1\nreturn n", "n t", "n", "n"),
    "while with walrus test": ("while (y := f()): g(y)\nreturn 0", "y", "f g", ""),
    "for binds its target": ("for i in xs: s += i\nreturn s, i", "i s", "i s xs", "i s"),
    "for with dead target": ("for i in xs: s += i\nreturn s", "i s", "s xs", "s"),
    "for with tuple target": ("for i, (j, *k) in xs: s = j\nreturn s", "i j k s", "s xs", "s"),
    "break skips the rest": (
        "for i in xs:\n    if i: break\n    s = i\nreturn s",
        "i s",
        "s xs",
        "s",
    ),
    "return leaves": ("if x: return y\nz = 1\nreturn z", "", "x y", ""),
    "try is seen by its handler": (
        "try:\n    a = f()\n    b = g()\nexcept E: c = a\nreturn c",
        "a b c",
        "E a c f g",
        "c",
    ),
    "finally reads": ("try: a = f()\nfinally: g(a)\nreturn 0", "a", "a f g", ""),
    "handler unbinds its name": (
        "try: f()\nexcept E as e: g(e)\nreturn e",
        "e",
        "E e f g",
        "e",
    ),
    "with binds": ("with f() as x: y = x\nreturn y", "x y", "f y", "y"),
    "generator of a loop is read each round": (
        "for i in (x + j for j in xs):\n    if i: x = i\nx = 2\nreturn i",
        "i x",
        "x i xs",
        "i",
    ),
    "generator that is used up keeps nothing alive": (
        "if a:\n    x = 1\n    g = sum(x for j in a)\nx = 2\nreturn g",
        "g x",
        "a g sum",
        "g",
    ),
    "closure keeps alive": (
        "if a:\n    x = 1\n    g = lambda: x\nx = 2\nreturn g",
        "g x",
        "a g",
        "g x",
    ),
    "comprehension has its own names": (
        "if a: y = [b for b in a if c]\nreturn y, b",
        "y",
        "a b c y",
        "b y",
    ),
    "comprehension walrus": ("if a: y = [z := b for b in a]\nreturn z", "y z", "a z", "z"),
    "match captures": (
        "match x:\n    case [a, *b]: r = a\n    case _: pass\nreturn r, b",
        "a b r",
        "b r x",
        "b r",
    ),
    "import and def bind": (
        "if a:\n    import b.c as d, e.f\n    def g(): return h\nreturn d",
        "d e g",
        "a d h",
        "d h",
    ),
    "del reads and writes": ("if a: del b\nreturn c", "b", "a b c", "c"),
    "augmented target": ("if a: b += 1\nreturn c", "b", "a b c", "c"),
    "attribute and item are no names": ("if a: b.c = d[e] = 1\nreturn c", "", "a b c d e", "c"),
    "class body captures": ("if a:\n    class B: c = d\nreturn 0", "B", "a d", "d"),
    "locals reads everything": ("if a: b = 1\nreturn locals()", "b", "a b locals", "b locals"),
    "global is always live": ("global g\nif a: g = 1\nreturn 0", "g", "a g", "g"),
    "annotation without value": ("if a: b: int\nreturn b", "", "a b", "b"),
}


def facts_of(body, parameters=""):
    text = f"def f({parameters}):\n" + textwrap.indent(body, "    ")
    function = gast.parse(text).body[0]
    return analyze(function, ScopeTree(function)), function


def compound(function):
    return next(node for node in function.body if hasattr(node, "body") or hasattr(node, "cases"))


@pytest.mark.parametrize(("body", "modified", "live_in", "live_out"), CASES.values(), ids=CASES)
def test_facts_of_a_statement(body, modified, live_in, live_out):
    facts, function = facts_of(body)
    statement = compound(function)
    assert facts.modified(statement) == set(modified.split())
    assert facts.live_in(statement) == set(live_in.split())
    assert facts.live_out(statement) == set(live_out.split())


BOUND = {
    "parameter": ("x", "pass", "x"),
    "assigned": ("", "x = 1", "x"),
    "one branch": ("c", "if c: x = 1", "c"),
    "both branches": ("c", "if c: x = 1\nelse: x = 2", "c x"),
    "other branch leaves": ("c", "if c: x = 1\nelse: raise c", "c x"),
    "loop may not run": ("c", "for i in c: x = i", "c"),
    "try may fail": ("c", "try: x = c()\nexcept E: pass", "c"),
    "handler leaves": ("c", "try: x = c()\nexcept E: raise", "c x"),
    "finally always runs": ("c", "try: c()\nfinally: x = 1", "c x"),
    "with may swallow": ("c", "with c: x = 1", "c"),
    "deleted": ("c", "x = 1\ndel x", "c"),
    "handler name is gone": ("c", "try: x = 1\nexcept E as e: x = 2", "c x"),
    "walrus in test": ("c", "if (x := c): pass", "c x"),
    "walrus that may not run": ("c", "c and (x := c)", "c"),
    "endless loop": ("c", "while c:\n    x = 1\n    break\nelse: x = 2", "c x"),
}


@pytest.mark.parametrize(("parameters", "body", "bound"), BOUND.values(), ids=BOUND)
def test_names_bound_on_every_way(parameters, body, bound):
    facts, function = facts_of(f"{body}\nlast", parameters)
    assert facts.bound_before(function.body[-1]) == set(bound.split())


STATES = {
    "live ones first": ("if c:\n    a = b\n    b = 1\n    print(b)\nreturn a", (["a", "b"], 1)),
    "input and output": ("b = 0\nif c: a = b = b + 1\nreturn a", (["a", "b"], 1)),
    "input only": ("if c: print(b); b = 1; print(b)\nreturn a", (["b"], 0)),
    "sorted": ("if c: z = y = x = 1\nreturn x, y, z", (["x", "y", "z"], 3)),
}


@pytest.mark.parametrize(("body", "state"), STATES.values(), ids=STATES)
def test_state_of_a_branch(body, state):
    facts, function = facts_of(body)
    assert facts.branch_state(compound(function)) == state


def test_state_of_a_loop_has_what_rounds_hand_on():
    facts, function = facts_of("for i in xs:\n    t = i\n    s = s + t\nreturn i")
    assert facts.loop_state(compound(function)) == ["i", "s"]


def test_facts_are_linear_in_the_number_of_statements():
    body = "\n".join(f"if x{i}: x{i + 1} = x{i}\nelse: x{i + 1} = 1" for i in range(1500))
    facts, function = facts_of(f"x0 = 1\n{body}\nreturn x1500")
    assert facts.live_in(function.body[700]) == {"x699"}
