"""Calls from staged code: kinds of arguments, defaults, methods, `super()`, `locals()`."""

from __future__ import annotations

import numpy as np

from tests.language.harness import Samples

samples = Samples()
F = np.float64


def helper(x, *args, scale=2.0, **kwargs):
    if x > 0:
        return x * scale + len(args) + len(kwargs)
    return -x


def positional_only(a, /, b, *, c=3):
    if a > b:
        return a - c
    return b


@samples("B1.12", (F(2),), (F(-2),))
def argument_kinds(x):
    more = (1, 2)
    named = {"scale": 3.0, "other": 1}
    return (
        helper(x),
        helper(x, 1, 2, scale=5),
        helper(x, *more, **named),
        positional_only(x, b=x, c=1),
    )


def make_default():
    print("default")
    return 10.0


@samples("B1.12", (F(2),), (F(-2),))
def defaults_evaluated_once(x):
    def inner(v, k=make_default()):
        return v + k

    return inner(x) + inner(x) + inner(x, 1)


class Model:
    factor = 3.0

    def __init__(self, bias):
        self.bias = bias
        self.__hidden = 0.5

    def __call__(self, x):
        return self.step(x) + self.__hidden

    def step(self, x):
        if x > 0:
            return x * self.factor + self.bias
        return self.other(x)

    @staticmethod
    def other(x):
        return x - 1

    @classmethod
    def made(cls, bias):
        return cls(bias * 2)

    @property
    def twice(self):
        return self.bias * 2


class Child(Model):
    def step(self, x):
        if x > 100:
            return x
        return super().step(x) * 10

    def old_style(self, x):
        return super(Child, self).step(x)


@samples("B3.12", (F(2),), (F(-2),))
def methods(x):
    m = Model(1.0)
    return m(x), m.step(x), Model.other(x), Model.made(2.0).step(x), x * m.twice


@samples("B3.12", (F(2),), (F(-2),), (F(200),))
def super_on_temporary(x):
    return Child(1.0).step(x), Child(2.0).old_style(x), Child(3.0)(x)


@samples("B3.12", (F(2),), (F(-2),))
def local_names(x):
    y = x + 1
    names = sorted(locals())
    return y, names, eval("y * 2")


test_calls = samples.test()
