"""`ag.config.convert_module` and `ag.config.do_not_convert_module` (B4.01)."""

import colorsys

import numpy as np
import pytest

import autograph as ag
from autograph import rules
from autograph.frontend import conversion

TEXT = """
seen = []

def sign(x):
    seen.append(type(x).__name__)
    if x > 0:
        return 1.0
    return -1.0

def scale(x):
    seen.append(type(x).__name__)
    return x * 2

def halves(x):
    return [x / 2, x.sum()]

class Layer:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.call(x)

    def call(self, x):
        seen.append(type(x).__name__)
        return x * self.factor

    @property
    def parts(self):
        return [self.factor]

layer = Layer(3)

class Batches:
    begun = asked = 0

    def __iter__(self):
        self.begun += 1
        return iter(_Numbers(self.begun))

class _Numbers:
    def __init__(self, number):
        self.number, self.left = number, 2

    def __iter__(self):
        Batches.asked += 1
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.number + self.left * 1.0
"""


@pytest.fixture(autouse=True)
def _no_rules(monkeypatch):
    monkeypatch.setattr(rules, "_rules", ())
    monkeypatch.setattr(rules, "_decisions", {})


@pytest.fixture
def library():
    return ag.convert_source(TEXT, "library.inner")


def test_b4_01_a_rule_leaves_modules_below_alone(library):
    ag.config.do_not_convert_module("library")
    assert conversion.left_alone(library.sign) == "a rule leaves library.inner alone"
    f = ag.convert(lambda x: library.scale(x) + 1)
    assert (f(1.0), f(2.0)) == (3.0, 5.0)
    assert library.seen == ["Tensor"]
    with pytest.raises(ag.StagingError, match="bool"):
        ag.convert(lambda x: library.sign(x))(1.0)


def test_an_iterable_that_is_left_alone_begins_once_for_each_loop(library):
    ag.config.do_not_convert_module("library")
    batches = library.Batches()
    f = ag.convert(_sums_of_epochs)
    assert [f(batches, 2) for _ in range(3)] == [8.0, 16.0, 24.0]
    assert (batches.begun, type(batches).asked, f.trace_count) == (6, 6, 1)


def _sums_of_epochs(batches, epochs):
    total = 0.0
    for _ in range(epochs):
        for x in batches:
            total += x
    return total


def test_b4_01_objects_of_what_a_rule_leaves_alone_are_traced_as_functions_are(library):
    ag.config.do_not_convert_module("library")
    layer = library.layer
    f = ag.convert(lambda x: layer(x) if layer(x) > 2 else layer.call(-x))
    assert (f(1.0), f(-1.0)) == (3.0, 3.0)
    assert set(library.seen) == {"Tensor"}
    assert f.trace_count == 1
    assert not any(node.op.name == "host_call" for node in f.traces()[0].graph.walk())


def test_b4_01_lists_of_what_a_rule_leaves_alone_are_kept_in_the_place_of_empty_ones(library):
    ag.config.do_not_convert_module("library")

    def best_of(x, rounds):
        best, low = [], np.inf
        for _ in range(rounds):
            x = x * x - 0.7
            if abs(x.sum()) < low:
                low = abs(x.sum())
                best = library.halves(x)
        return best

    function, x = ag.convert(best_of), np.array([0.2, 0.9])
    for rounds in (0, 1, 5):
        found, expected = function(x, np.int64(rounds)), best_of(x, rounds)
        assert list(map(np.shape, found)) == list(map(np.shape, expected))
        assert all(map(np.allclose, found, expected))
    assert function.trace_count == 1


def test_b4_01_their_properties_give_new_objects_and_are_no_reason_to_trace_again(library):
    ag.config.do_not_convert_module("library")
    layer = library.layer
    f = ag.convert(lambda x: x * layer.parts[0])
    assert (f(1.0), f(2.0), f.trace_count) == (3.0, 6.0, 1)


@pytest.mark.parametrize("name", ["__call__", "call"])
def test_b4_01_such_an_object_and_its_methods_are_traced_as_they_are_also_first(library, name):
    ag.config.do_not_convert_module("library")
    target = library.layer if name == "__call__" else library.layer.call
    f = ag.convert(target)
    assert (f(1.0), f(2.0), f.trace_count, library.seen) == (3.0, 6.0, 1, ["Tensor"])


def test_b4_01_what_has_been_converted_stays(library):
    f = ag.convert(lambda x: library.sign(x))
    assert f(3.0) == 1.0
    ag.config.do_not_convert_module("library")
    assert (f(-3.0), f.trace_count) == (-1.0, 1)
    assert ag.convert(library.sign)(-2.0) == -1.0


def test_b4_01_the_innermost_module_and_the_later_rule_decide(library):
    ag.config.do_not_convert_module("library")
    ag.config.convert_module("library.inner")
    assert conversion.left_alone(library.sign) is None
    ag.config.do_not_convert_module("library.inner")
    assert conversion.left_alone(library.sign) is not None
    ag.config.convert_module("library.inn")
    assert conversion.left_alone(library.sign) is not None


def test_b4_01_a_rule_converts_what_would_be_left_alone():
    assert "standard library" in conversion.left_alone(colorsys.rgb_to_hsv)
    ag.config.convert_module("colorsys")
    assert conversion.left_alone(colorsys.rgb_to_hsv) is None
    f = ag.convert(lambda r, g, b: colorsys.rgb_to_yiq(r, g, b)[0])
    assert f(0.2, 0.4, 0.6) == pytest.approx(colorsys.rgb_to_yiq(0.2, 0.4, 0.6)[0])
    assert f(0.3, 0.4, 0.6) == pytest.approx(colorsys.rgb_to_yiq(0.3, 0.4, 0.6)[0])
    assert f.trace_count == 1


@pytest.mark.parametrize("name", ["autograph", "runtime.ops", "no module", ""])
def test_b4_01_rules_that_make_no_sense_are_refused(name):
    with pytest.raises(ValueError, match="module|conversion itself"):
        ag.config.convert_module(name)
