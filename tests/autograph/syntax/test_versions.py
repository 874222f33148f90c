"""Whether a text makes a code object."""

import pytest

from autograph.syntax import versions

TEXT = """
class C:
    def m(self, x):
        def inner(y: int = 2):
            return super().__init__(), [x * y for _ in range(3)]
        return inner

    n = lambda self, x: x + 1

if C:
    def f(x, *, k=3):
        assert x > 1 and k, "text"
        return x - k
else:
    def g(x): return x
"""


def codes(text=TEXT, **options):
    made = versions.nested(compile(text, "<sample>", "exec", dont_inherit=True, **options))
    return {code.co_qualname: code for code in made if code.co_name != "<module>"}


def version(text):
    return versions.Version("<sample>", text.splitlines(keepends=True))


@pytest.mark.parametrize("name", codes())
@pytest.mark.parametrize("optimize", [-1, 0, 1])
def test_all_functions_of_a_text_are_made_by_it(name, optimize):
    assert version(TEXT).makes(codes(optimize=optimize)[name])


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("C.m", "x * y", "y * x"),
        ("C.m", "range(3)", "range(4)"),
        ("C.<lambda>", "x + 1", "x + 2"),
        ("f", "x - k", "x  - k"),
        ("f", "class C", "# new\nclass C"),
        ("f", '"text"', '"other"'),
        ("f", "x > 1", "x > True"),
    ],
)
def test_another_text_makes_other_functions(name, old, new):
    changed = TEXT.replace(old, new)
    assert changed != TEXT and not version(changed).makes(codes()[name])
    assert version(changed).makes(codes(changed)[name])


def test_functions_deep_within_each_other_are_compared_level_by_level():
    text = "f = " + "".join(f"lambda a{k}: " for k in range(60)) + "a0 + 1\n"
    outermost = codes(text)["<lambda>"]
    assert version(text).makes(outermost)
    assert not version(text.replace("+ 1", "+ 2")).makes(outermost)


def test_what_is_no_python_makes_nothing():
    assert not version(TEXT + "\n)").makes(codes()["C"].replace(co_name="D"))
    assert not version("def f(:").makes_but_for_asserts(codes()["f"])


@pytest.mark.parametrize(
    ("old", "new", "is_alike"),
    [
        ("", "", True),
        ("x - k", "k - x", False),
        ("x - k", "x + k", False),
        ("x > 1", "x > y", False),
        ("x > 1", "x.n > 1", False),
        ("and k", "and x", False),
    ],
)
def test_all_but_asserts_is_compared(old, new, is_alike):
    rewritten = codes(TEXT.replace("x > 1 and k,", "(False if not x > 1 else k),"))["f"]
    assert not version(TEXT).makes(rewritten)
    assert version(TEXT.replace(old, new)).makes_but_for_asserts(rewritten) is is_alike


def test_nested_code_objects_come_after_those_around_them():
    code = compile("def f():\n    def g(): pass\n    return lambda: 1\n", "<s>", "exec")
    assert [c.co_name for c in versions.nested(code)] == ["<module>", "f", "g", "<lambda>"]


def test_features_of_the_future_are_those_of_the_code():
    text = "from __future__ import annotations\ndef f(x: y): pass\n"
    (code,) = (c for c in versions.nested(compile(text, "<s>", "exec")) if c.co_name == "f")
    assert versions.features(code) and versions.features(compile("1", "<s>", "exec")) == 0
    again = compile(
        "def f(x: y): pass\n", "<s>", "exec", versions.features(code), dont_inherit=True
    )
    exec(again, {})  # the annotation is not evaluated
