"""Reasons for gradients that are None."""

from __future__ import annotations

import numpy as np
from programs import Compiled, fori

from runtime import ops
from runtime.autodiff import GradientTape
from runtime.tensor import Tensor
from runtime.variable import Variable


def test_each_reason_is_told():
    """B8.06."""
    x, other, n = Tensor(np.float64(2.0)), Tensor(np.float64(3.0)), Tensor(np.int64(1))
    v, frozen = Variable(1.0, name="weights"), Variable(1.0, trainable=False, name="frozen")
    f = Compiled(lambda x: fori(3, lambda i, y: y * x, x))
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = f(x) * 2.0, other * 3.0
        steps = ops.floor(y) * 1.5
        total = v * 2.0 + frozen
    told = tape.explain
    assert told(y, x) == "the target depends on the source"
    assert "not on this source" in told(total, x)
    assert "was not watched: call `tape.watch`" in told(y, other)
    assert "not computed from anything watched" in told(z, x)
    assert "it has left what a tape sees" in told(float(y.array), x)
    assert told(y, n) == "the source is int64; gradients need a floating dtype"
    assert told(total, v) == "the target depends on the source"
    assert "'frozen' is not trainable" in told(total, frozen)
    assert "through `floor` at" in told(steps, x)
    assert "test_explain.py" in told(steps, x)
    assert tape.gradient(steps, x) is None


def test_a_path_through_integers_is_found():
    x = Tensor(np.float64(2.0))
    with GradientTape() as tape:
        tape.watch(x)
        y = ops.astype(ops.astype(x * 2.0, np.int64) + 1, np.float64) * 2.0
    assert "through `astype` at" in tape.explain(y, x)
