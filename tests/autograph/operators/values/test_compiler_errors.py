"""Mistakes of the compiler's are told from the exceptions of the user's function."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.expressions import access
from autograph.operators.values import compiler_errors
from autograph.operators.values.compiler_errors import as_written, refuse_own
from tests.autograph.operators.tracing_by_hand import tracing


def ours(source, mark=lambda function: function):
    """A function that stands in a module of the operators."""
    space = {}
    exec(compile(source, compiler_errors._OPERATORS + "made.py", "exec"), space)
    return mark(space["f"])


def raised_by(function):
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


MISTAKES = {
    KeyError: "return {}['a']",
    IndexError: "return [][1]",
    ValueError: "a, b = [1]",
    TypeError: "None[0] = 1",
    AttributeError: "return None.rank",
    UnboundLocalError: "return a\n    a = 1",
    NameError: "return anything",
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_what_fails_in_an_operator_is_a_mistake(kind):
    source = f"def f():\n    {MISTAKES[kind]}\n"
    error = raised_by(ours(source))
    assert type(error) is kind
    with pytest.raises(ag.StagingError, match="does not know how to stage this") as caught:
        refuse_own(error)
    assert caught.value.__cause__ is error
    refuse_own(raised_by(ours(source, as_written)))


@pytest.mark.parametrize(
    "body", ["raise KeyError('a')", "return int('a')", "return next(iter(()))"]
)
def test_what_an_operator_raises_or_calls_is_the_users(body):
    refuse_own(raised_by(ours(f"def f():\n    {body}\n")))


def test_what_fails_in_code_of_the_users_is_his():
    refuse_own(raised_by(lambda: [][1]))
    refuse_own(ValueError("never raised"))


def test_operators_on_items_do_what_the_user_wrote():
    for call in (lambda: access.getitem([1], 2), lambda: access.setitem([1], 2, 0),
                 lambda: access.delitem({}, "a")):  # fmt: skip
        refuse_own(raised_by(call))
        with tracing():
            refuse_own(raised_by(call))


def test_no_handler_of_the_users_takes_a_mistake(monkeypatch):
    """Neither one that Python runs while tracing, nor one of a `try` in the graph."""
    broken = ours("def f(x, key):\n    return {}['a']\n")

    def f(x, d):
        try:
            return d["a"]
        except KeyError:
            return x

    def g(x, d):
        try:
            if x > 1:
                raise ValueError
            return d["a"]
        except (KeyError, ValueError):
            return x

    for function in (f, g):
        assert ag.convert(function)(3.0, {}) == function(3.0, {})
        with monkeypatch.context() as patch:
            patch.setattr("autograph.operators.getitem", broken)
            with pytest.raises(ag.StagingError, match=r"does not know how to stage this \(`f`"):
                ag.convert(function)(0.0, {"a": 1.0})


def elsewhere(source):
    """A function that stands in a module of ours, but of no operator."""
    space = {}
    exec(compile(source, compiler_errors._OURS[1] + "made.py", "exec"), space)
    return space["f"]


@pytest.mark.parametrize("body", ["return None.kind", "return something", "return b\n    b = 1"])
def test_an_attribute_or_name_that_no_code_of_ours_has_is_a_mistake(body):
    with pytest.raises(ag.StagingError, match="does not know how to stage this"):
        refuse_own(raised_by(elsewhere(f"def f():\n    {body}\n")))


@pytest.mark.parametrize("body", ["return [][1]", "raise AttributeError", "getattr(None, 'a')"])
def test_what_an_op_asks_for_is_the_users(body):
    refuse_own(raised_by(elsewhere(f"def f():\n    {body}\n")))


def test_two_of_other_lengths_that_we_go_through_are_a_mistake():
    uneven = ours("def f():\n    for _ in zip([1], [], strict=True):\n        pass\n")
    with pytest.raises(ag.StagingError, match="does not know how to stage this"):
        refuse_own(raised_by(uneven))
    refuse_own(raised_by(lambda: [*zip([1], [], strict=True)]))


class Lazy:
    @property
    def size(self):
        return self.x + 1

    def __init__(self, x):
        self.x = x


def test_no_question_of_the_users_hides_a_mistake(monkeypatch):
    """A getter that fails in our code does not say that there is no such attribute."""

    def with_default(x):
        return getattr(Lazy(x), "size", x)

    def asked(x):
        return hasattr(Lazy(x), "size")

    def matched(x):
        match Lazy(x):
            case Lazy(size=found):
                return found
        return x

    broken = ours("def f(x):\n    return None.rank\n")
    for function in (with_default, asked, matched):
        assert ag.convert(function)(3.0) == function(3.0)
        with monkeypatch.context() as patch:
            patch.setattr("autograph.operators.ld", broken)
            with pytest.raises(ag.StagingError, match=r"does not know how to stage this \(`f`"):
                ag.convert(function)(np.float64(3.0))
