"""The walk over one function: thunks, regions, names that must exist."""

import gast
import pytest

from autograph.analysis import ScopeTree
from autograph.converters.conversion import Region, has_yield, is_runtime, walrus_names, why_left
from tests.autograph.converters.running import assert_same, converted_by, converted_text


def value(text):
    return gast.parse(text).body[0].value


@pytest.mark.parametrize(("text", "names", "into_lambdas"), [
    ("(a := (b := 1)) + c", "a b", False), ("lambda: (a := 1)", "", False),
    ("lambda: (a := 1)", "a", True), ("[x for x in y if (a := x)]", "a", False),
])  # fmt: skip
def test_names_bound_by_walrus(text, names, into_lambdas):
    assert walrus_names(value(text), into_lambdas=into_lambdas) == set(names.split())


@pytest.mark.parametrize(("text", "expected"), [
    ("f((yield))", True), ("(yield from x) + 1", True), ("lambda: (yield)", False),
    ("lambda x=(yield): x", True), ("x + 1", False),
])  # fmt: skip
def test_a_yield_of_the_function_itself(text, expected):
    assert has_yield(value(text)) is expected


def test_a_yield_of_an_inner_function_is_not_the_outer_ones():
    assert not has_yield(gast.parse("def g():\n    yield 1").body[0])
    assert has_yield(gast.parse("def g(x=(yield)): pass").body[0])
    assert has_yield(gast.parse("class A((yield)): pass").body[0])


@pytest.mark.parametrize(("text", "why"), [
    ("async def f(): pass", "async def"), ("def f(): return x", None), ("def f(): yield 1", None),
    ("def f(): return [x async for x in y]", "generator"),
])  # fmt: skip
def test_why_a_function_is_left_to_python(text, why):
    node = gast.parse(f"async def outer():\n    {text}").body[0].body[0]
    assert why_left(node, ScopeTree(gast.Module([node], []))[node]) == why


def test_what_the_runtime_gives_is_told_from_the_users():
    assert is_runtime(value("ag__.ld")) and not is_runtime(value("np.ld"))
    assert not is_runtime(value("ag__"))


def test_an_operand_becomes_a_function_and_one_that_binds_a_named_one():
    made = converted_by("names, logic", "x and (z := y)")
    assert "def thunk():\n    nonlocal z\n    ag__.note_names(lambda: (z,), ())" in made
    assert "lambda" in converted_by("names, logic", "x and y")
    assert "def thunk" not in converted_by("names, logic", "x and y")


def test_a_name_that_a_generated_function_reads_exists_before_it():
    made = converted_by("names, assignments, branches", "if x: z = 1\nx and z")
    assert made.startswith("z = ag__.Undefined('z')")


def test_a_name_that_certainly_is_bound_needs_no_mark():
    assert "Undefined" not in converted_by("names, assignments, branches", "z = 1\nif x: z = 2\nz")


def test_home_of_a_name():
    whole = Region(None)
    part = Region(whole, writes=frozenset({"a", "b"}), outer=frozenset({"b"}))
    assert whole.is_home("anything") and part.is_home("a")
    assert not part.is_home("b") and not part.is_home("c")


def test_builtins_that_the_module_binds_are_the_users():
    text = "def f(x):\n    return len(x)\n"
    assert "ag__.ld(len)" in converted_text(text)
    shadowed = converted_text(text, module_names=frozenset({"len"}))
    assert "fscope.read('len', len)" in shadowed
    assert "fscope.read('len', len)" in converted_text(text, free_names=frozenset({"len"}))


def test_code_that_nothing_reaches_still_makes_its_names_local():
    assert_same(
        """
        def f(x):
            g = lambda: y
            try:
                return g()
            except NameError as error:
                return str(error)
            y = x
        """,
        (3,),
    )
