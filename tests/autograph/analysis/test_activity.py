"""What one statement reads, writes, binds, deletes and captures."""

import textwrap

import gast
import pytest

from autograph.analysis import ScopeTree
from autograph.analysis.activity import ActivityVisitor, Names

CASES = {
    # statement: reads, writes, binds, deletes, captures
    "assignment": ("a = b", "b", "a", "a", "", ""),
    "targets that are no names": ("a.b[c] = d", "a c d", "", "", "", ""),
    "unpacking": ("a, (b, *c) = d", "d", "a b c", "a b c", "", ""),
    "in place": ("a += b", "a b", "a", "a", "", ""),
    "in place of an attribute": ("a.b += c", "a c", "", "", "", ""),
    "annotation": ("a: b", "", "", "", "", ""),
    "annotation with a value": ("a: b = c", "c", "a", "a", "", ""),
    "deletion": ("del a", "a", "a", "", "a", ""),
    "walrus": ("f((a := b))", "b f", "a", "a", "", ""),
    "walrus that may not run": ("a and (b := c)", "a c", "b", "", "", ""),
    "walrus of the first operand": ("(a := b) and c", "b c", "a", "a", "", ""),
    "branches of an expression": ("(a := b) if c else d", "b c d", "a", "", "", ""),
    "chain": ("a < (b := c) < (d := e)", "a c e", "b d", "b", "", ""),
    "message": ("assert a, (b := c)", "a c", "b", "", "", ""),
    "import": ("import a.b, c as d", "", "a d", "a d", "", ""),
    "lambda": ("f = lambda a, b=c: a + b + d", "c d", "f", "f", "", "d"),
    "function": ("def g(a=b): return a, c", "b c", "g", "g", "", "c"),
    "class": ("class A(b): c = d", "b d", "A", "A", "", "d"),
    "comprehension": ("a = [b for b in c if (d := e)]", "c e", "a d", "a", "", ""),
    "generator": ("a = (b + d for b in c)", "c d", "a", "a", "", "d"),
    "generator used up by a call": ("sum((b + d for b in c), e)", "c d e sum", "", "", "", ""),
    "function used up by a call": ("max(a, key=lambda b: b + c)", "a c max", "", "", "", ""),
    "function that is called": ("(lambda a, b=c: a + d)(e)", "c d e", "", "", "", ""),
    "generator that is unpacked": ("f(*(a for a in b if c))", "b c f", "", "", "", ""),
    "generator of targets": ("a, b = (c for d in e)", "c e", "a b", "a b", "", ""),
    "generator of a name": ("a = b, c = (d for e in f)", "d f", "a b c", "a b c", "", "d"),
    "function in a generator": ("list((lambda: b + c) for b in d)", "c d list", "", "", "", "c"),
    "generator of another call": ("f(a + b for a in c)", "b c f", "", "", "", "b"),
    "call that sees all names": ("locals()", "a b locals", "", "", "", ""),
}


def activity_of(statement, prelude="a = b = 0"):
    text = f"def f():\n    {prelude}\n" + textwrap.indent(statement, "    ")
    function = gast.parse(text).body[0]
    scopes, names = ScopeTree(function), Names()
    visitor = ActivityVisitor(names, scopes, scopes[function])
    return visitor.of(function.body[-1]), names


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_a_statement_does_with_names(case):
    statement, *expected = case
    found, names = activity_of(statement, "a = b = 0" if "locals" in statement else "pass")
    masks = (found.reads, found.writes, found.binds, found.deletes, found.captures)
    assert [names.set(mask) for mask in masks] == [set(words.split()) for words in expected]


@pytest.mark.parametrize(("text", "module_names"), [
    ("def f(sum):\n    sum(b for a in c)", ()),
    ("def f():\n    sum = g\n    sum(b for a in c)", ()),
    ("def f():\n    global sum\n    sum(b for a in c)", ()),
    ("def sum():\n    sum(b for a in c)", ()),
    ("def f():\n    sum(b for a in c)", ("sum",)),
])  # fmt: skip
def test_what_may_hide_a_built_in_function_may_keep_a_generator(text, module_names):
    function = gast.parse(text).body[0]
    scopes, names = ScopeTree(function), Names()
    visitor = ActivityVisitor(names, scopes, scopes[function], frozenset(module_names))
    assert names.set(visitor.of(function.body[-1]).captures) == {"b"}


def test_a_name_bound_after_its_deletion_is_bound():
    function = gast.parse("def f():\n    del a\n    a = 1").body[0]
    scopes, names = ScopeTree(function), Names()
    visitor = ActivityVisitor(names, scopes, scopes[function])
    both = visitor.of(*function.body)
    assert names.set(both.binds) == {"a"} and both.deletes == 0
    turned = visitor.of(*reversed(function.body))
    assert turned.binds == 0 and names.set(turned.deletes) == {"a"}


def test_sets_of_names_are_masks():
    names = Names()
    mask = names.mask({"a", "b"})
    assert names.set(mask) == {"a", "b"} and names.set(0) == frozenset()
    assert names.bit("a") | names.bit("b") == mask and names.bit("c") & mask == 0
    assert names.known("a") == names.bit("a") and names.known("never") == 0
