"""How callables that are made of functions are pickled."""

import copy
import pickle

import pytest

import autograph as ag
from runtime.ops import REGISTRY
from runtime.process.pickling import found_by_name, reduced


class Made:
    def __init__(self, function, *rest):
        self.function, self.rest = function, rest
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__

    def __reduce__(self):
        return reduced(self, Made, self.function, *self.rest)


def plain():
    pass


@Made
def named():
    pass


class Holder:
    @Made
    def inner(self):
        pass


def test_a_name_that_leads_to_it_is_what_is_pickled():
    for thing in (named, Holder.inner):
        assert pickle.loads(pickle.dumps(thing)) is thing
        assert pickle.loads(pickle._dumps(thing)) is thing
    assert found_by_name(__name__, "Holder.inner") is Holder.inner


def test_else_it_is_what_it_was_made_of():
    other = pickle.loads(pickle.dumps(Made(plain, 1, "x")))
    assert other.function is plain and other.rest == (1, "x")


def test_ops_are_the_very_ops():
    for op in (ag.sin, ag.stop_gradient, *REGISTRY.values()):
        assert pickle.loads(pickle.dumps(op)) is op and copy.deepcopy(op) is op


def test_of_a_graph_the_message_says_what_to_do():
    graph = ag.convert(ag.sin).get_concrete_function(1.0).graph
    with pytest.raises(pickle.PicklingError, match=r"the graph `sin` is not pickled.*ag\.save"):
        pickle.dumps(graph)


def test_a_function_without_a_name_is_refused_with_what_to_do():
    for function in (lambda: None, named.function):
        with pytest.raises(pickle.PicklingError, match=r"top of a module.*cloudpickle"):
            pickle.dumps(Made(function))


class TakesFunctions(pickle.Pickler):
    """Says itself how functions are pickled."""

    def reducer_override(self, thing):
        return NotImplemented if thing is not named.function else (getattr, (named, "function"))

    def dump(self, thing):
        return super().dump(thing)


def test_one_that_takes_functions_as_they_are_is_given_them(tmp_path):
    with open(tmp_path / "f", "wb") as file:
        TakesFunctions(file).dump(Made(named.function, 2))
    copy = pickle.loads((tmp_path / "f").read_bytes())
    assert copy.function is named.function and copy.rest == (2,)
