"""The text that functions take along where they are pickled as they are."""

import functools
from types import FunctionType

import numpy as np

from autograph.syntax.carried import keep_sources, sources_of
from autograph.syntax.source import source_of


def local():
    def helper(x):
        return x + 1

    class Layer:
        def __call__(self, x):
            return helper(x)

        @property
        def size(self):
            return helper(1)

    def outer(x):
        return helper(x) * np.sin(x) + Layer()(x)

    return outer, helper, Layer


def names(thing):
    return sorted(source.name for source in sources_of(thing).values())


def test_all_that_a_function_finds_is_taken_along_but_what_has_a_file():
    outer, _, layer = local()
    assert names(outer) == ["__call__", "helper", "outer", "size"]
    assert names(functools.partial(outer, 1.0)) == names(outer)
    assert names(layer()) == names(layer().__call__) == ["__call__", "helper", "size"]
    assert names(names) == names(len) == names(np.sin) == []


def test_where_it_is_loaded_it_has_its_text():
    _, helper, _ = local()
    code = helper.__code__.replace(co_filename="<dynamic-code>")
    loaded = FunctionType(code, {"__name__": "__main__"}, "helper")
    keep_sources(loaded, sources_of(helper))
    assert source_of(loaded) == source_of(helper)


def test_a_function_that_calls_itself_is_taken_along_once():
    def one(n):
        return other(n - 1)

    def other(n):
        return one(n) if n else 0

    assert names(one) == ["one", "other"]
