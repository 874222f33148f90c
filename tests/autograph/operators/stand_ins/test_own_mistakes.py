"""Mistakes of the compiler's are told from the exceptions of the user's function."""

import pytest

import autograph as ag
from autograph.operators.expressions import access
from autograph.operators.stand_ins import own_mistakes
from autograph.operators.stand_ins.own_mistakes import as_written, refuse_own
from tests.autograph.operators.tracing_by_hand import tracing


def ours(source, mark=lambda function: function):
    """A function that stands in a module of the operators."""
    space = {}
    exec(compile(source, own_mistakes._OPERATORS + "made.py", "exec"), space)
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
