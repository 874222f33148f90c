"""Bound methods, partials, classes and containers are followed to the objects they lead to."""

import functools

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import assert_equal

F = np.float64


class Model:
    rate = 2.0
    scales = np.ones(1)

    def __init__(self):
        self.weight, self.factor, self.bias = F(3.0), 2.0, np.ones(2)
        self.held = self.apply

    def apply(self, x):
        return x * self.weight * self.factor + self.bias.sum()

    __call__ = apply

    @classmethod
    def rated(cls, x):
        return x * cls.rate * cls.scales[0]

    def of_type(self, x):
        return x * type(self).rate * self.__class__.scales[0]

    @staticmethod
    def static(x):
        return x * Model.rate * Model.scales[0]


def through_bound(model):
    bound = model.apply
    return lambda x: bound(x)


def through_partial(model):
    part = functools.partial(Model.apply, model)
    return lambda x: part(x)


def through_list(model):
    functions = [model.apply, functools.partial(model.apply)]
    return lambda x: functions[0](x) * 2.0 - functions[1](x)


def through_map(model):
    bound = model.apply
    return lambda x: list(map(bound, [x]))[0]


WAYS = {
    "bound": through_bound,
    "partial": through_partial,
    "list": through_list,
    "map": through_map,
    "attribute": lambda model: lambda x: model.held(x),
    "default": lambda model: lambda x, f=model.apply: f(x),
    "target bound": lambda model: model.apply,
    "target partial": lambda model: functools.partial(Model.apply, model),
    "target object": lambda model: model,
    "gradient": lambda model: ag.grad(lambda x: model.apply(x) ** 2.0),
    "gradient of bound": lambda model: ag.grad(model.apply),
    "gradient of object": lambda model: ag.grad(model),
    "gradient of partial": lambda model: ag.grad(functools.partial(Model.apply, model)),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_s6_every_way_to_an_object_is_followed(way):
    model = Model()
    plain, f = way(model), ag.convert(way(model))
    x = F(2.0)
    for name, value in (("weight", F(5.0)), ("factor", 7.0), ("bias", np.zeros(2))):
        assert_equal(f(x), plain(x))
        setattr(model, name, value)
    assert_equal(f(x), plain(x))
    model.bias[0] = 100.0
    assert_equal(f(x), plain(x))
    assert f.trace_count <= 2


class Decorated(Model):
    """Its `__call__` is a Function itself."""

    @ag.convert
    def __call__(self, x):
        while x < 4.0:
            x = x * self.factor
        return x * self.weight + self.bias.sum()


@pytest.mark.parametrize("signature", [None, [ag.TensorSpec([])]])
def test_a_decorated_call_of_an_object_is_a_part_of_the_graph(signature):
    class Declared(Decorated):
        __call__ = ag.convert(Decorated.__call__.python_function, input_signature=signature)

    class Holder:
        def __init__(self, inner):
            self.inner = inner

        def __call__(self, x):
            return self.inner(x) + 1.0

    model = Declared()
    plain = functools.partial(Decorated.__call__.python_function, model)
    sample = F(1.5)
    ways = [
        lambda x: model(x) * 2.0,
        lambda x: Holder(model)(x) + 1.0,
        lambda x: sum(map(model, [x, x])),
        lambda x: ag.cond(x > 1.0, lambda: model(x), lambda: x) * 2.0,
        lambda x: ag.scan(lambda c, y: (model(c), y), x, np.zeros(2))[0],
    ]
    expected = [2 * plain(sample), plain(sample) + 2.0, 2 * plain(sample), 2 * plain(sample)]
    expected.append(plain(plain(sample)))
    for way, value in zip(ways, expected, strict=True):
        f = ag.convert(way)
        assert float(f(sample)) == value
        assert not [n for n in f.get_concrete_function(sample).graph.nodes if "call" in n.op.name]
    assert float(ag.grad(ag.convert(ways[0]))(sample)) == 24.0
    model.weight = F(5.0)
    assert float(ag.convert(ways[0])(sample)) == 2 * plain(sample)


@pytest.mark.parametrize(
    "sample",
    [
        lambda model, x: model.rated(x),
        lambda model, x: Model.rated(x),
        lambda model, x: model.of_type(x),
        lambda model, x: Model().of_type(x),
        lambda model, x: Model().rated(x),
        lambda model, x: type(model).static(x),
    ],
)
def test_s6_attributes_of_classes_are_followed(sample, monkeypatch):
    model, f, x = Model(), ag.convert(sample), F(2.0)
    for name, value in (("rate", 3.0), ("scales", np.full(1, 2.0)), ("rate", 4.0)):
        assert_equal(f(model, x), sample(model, x))
        monkeypatch.setattr(Model, name, value)
    assert_equal(f(model, x), sample(model, x))
    Model.scales[0] = 9.0
    assert_equal(f(model, x), sample(model, x))


def test_s6_bound_methods_of_containers_and_arrays():
    values, table, array = [], {"a": 1.0}, np.ones(2)
    append, get, total = values.append, table.get, array.sum
    f = ag.convert(lambda x: (append(x), x * get("a") * total())[1])
    assert f(F(2.0)) == 4.0
    table["a"], array[0] = 3.0, 5.0
    assert f(F(2.0)) == 36.0 and values == [2.0, 2.0]
