"""What converted functions keep of Python where a test of CPython is not near enough."""

from __future__ import annotations

import collections
import inspect
import sys
import warnings
import weakref

import pytest

import autograph as ag


def sqrt(x):
    return "the global one"


class Angle:
    def sqrt(self, x):
        return sqrt(x)

    def names(self, flag):
        if flag:

            class Inner:
                class Innermost:
                    def method(self):
                        return lambda: 1

            def function():
                return 1

        return [
            Inner.__qualname__,
            Inner.Innermost.__qualname__,
            Inner.Innermost.method.__qualname__,
            function.__qualname__,
        ]


def test_a_method_sees_the_global_of_its_own_name():
    assert ag.to_graph(Angle.sqrt)(Angle(), 4) == "the global one"


def test_functions_and_classes_in_branches_keep_their_qualified_names():
    assert ag.to_graph(Angle.names)(Angle(), True) == Angle().names(True)


def caller(depth):
    if depth is not None:
        frame = sys._getframe(depth)
        return frame.f_code.co_name
    return inspect.currentframe().f_code.co_name


@pytest.mark.parametrize("depth", [0, 1, None])
def test_frames_are_those_of_the_user(depth):
    assert ag.to_graph(caller)(depth) == caller(depth)


def too_deep():
    return sys._getframe(10_000)


def test_a_stack_that_is_not_deep_enough_is_an_error():
    with pytest.raises(ValueError, match="call stack is not deep enough"):
        ag.to_graph(too_deep)()


def made_here():
    return [collections.namedtuple("Point", "x y"), type("Made", (), {})]


def test_classes_made_by_calls_belong_to_the_module_of_the_user():
    assert [made.__module__ for made in ag.to_graph(made_here)()] == [__name__, __name__]


def warn(level):
    if level:
        for _ in range(1):
            warnings.warn("careful", DeprecationWarning, stacklevel=level)


@pytest.mark.parametrize("level", [1, 2])
def test_warnings_speak_of_the_line_of_the_user(level):
    with pytest.warns(DeprecationWarning, match="careful") as plain:
        [function(level) for function in (warn, ag.to_graph(warn))]
    assert len({(each.filename, each.lineno) for each in plain}) == 1


def annotated():
    space = {}
    exec("def f(x: unknown): pass", space)
    return space["f"].__annotations__, eval(" 1 + space['one']", {"space": {"one": 1}})


def test_source_runs_with_the_features_of_the_module_of_the_user():
    assert ag.to_graph(annotated)() == annotated() == ({"x": "unknown"}, 2)


def of_dead(proxy):
    try:
        return proxy.x
    except ReferenceError as error:
        return str(error)


def test_a_dead_proxy_may_be_passed_around():
    proxy = weakref.proxy(set())
    assert ag.to_graph(of_dead)(proxy) == of_dead(proxy)


class Hashless:
    def __hash__(self):
        raise ArithmeticError

    def __eq__(self, other):
        raise ArithmeticError

    def __call__(self, x):
        return x

    def __getattr__(self, name):
        raise ArithmeticError


def call(function, x):
    return function(x)


def test_a_callable_is_only_called():
    assert ag.to_graph(call)(Hashless(), 3) == 3


def show(x):
    return f"{x}", "%s" % x, "{}".format(x), repr(x), x in [x]


def test_a_container_that_holds_itself_is_shown():
    nest: list = [1]
    nest.append(nest)
    assert ag.to_graph(show)(nest) == show(nest)


def checked(x):
    assert x.append(1), x
    return x


def test_an_assertion_is_computed_once():
    seen = []
    with pytest.raises(AssertionError) as failure:
        ag.to_graph(checked)(seen)
    assert failure.value.args == (seen,) == ([1],)


def total(values, start):
    return sum(values, start=start), max(values, key=abs), sorted(values, reverse=True)


def test_built_in_functions_are_python_s():
    values = [0.1] * 10 + [-3.0]
    assert ag.to_graph(total)(values, 0.5) == total(values, 0.5)
    with pytest.raises(TypeError, match=r"sum\(\) can't sum strings"):
        ag.to_graph(total)(["a"], "")
