"""Lists whose length depends on data: their slices set and deleted, sorted by keys (E4)."""

from __future__ import annotations

import numpy as np

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples

F, I = np.float64, np.int64
X = np.array([3.0, 1.0, -2.0, 2.0, 5.0])
FEW = np.array([1.0, 0.0, 0.0, 4.0, 0.0])
THREE = ((X,), (-X,), (FEW,))
samples = Samples()


def positive(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
    return out


# ---- in order ------------------------------------------------------------------------------------


@samples("E4", *THREE)
def sorted_by_a_key(x):
    def key(v):
        print("asks for", v)
        return abs(v - 2.0)

    out = positive(x)
    again = sorted(out, key=key)
    out.sort(key=key, reverse=True)
    return out, again, sorted(out, reverse=True)


@samples("E4", *THREE)
def tuples_in_order(x):
    out = [(v, i) for i, v in enumerate(x) if v > 0]
    out.sort()
    first = list(out)
    out.sort(key=lambda pair: pair[1], reverse=True)
    return first, out, sorted(out), sorted(out, key=lambda pair: (-pair[0], pair[1]))


@samples("E4", *THREE)
def a_list_of_known_length(x):
    out = [x[0], x[1], x[2]]
    out.sort()
    first = list(out)
    out.sort(key=lambda v: -v)
    names = [("b", x[0]), ("a", x[1])]
    names.sort(key=lambda pair: pair[0])
    return first, out, names, sorted(names, key=lambda pair: pair[1])


# ---- slices --------------------------------------------------------------------------------------


@samples("E4", *THREE, joined=True)
def set_to_other_items(x):
    out = positive(x)
    out[1:2] = [7.0, 8.0]
    first = list(out)
    out[:0] = [9.0]
    out[-1:] = []
    out[5:9] = (1.0,)
    return first, out


@samples("E4", *THREE)
def set_to_its_own_slices(x):
    out = positive(x)
    out[2:1] = out[:1]
    out[:] = out[::-1]
    out[1:] = [v * 2.0 for v in out if v > 1]
    out[0:2] = x[:1]
    return out


@samples("E4", *THREE)
def deleted(x):
    out = positive(x)
    del out[1:3]
    first = list(out)
    del out[-1:]
    second = list(out)
    del out[:]
    return first, second, out


@samples("E4", *THREE)
def deleted_with_a_step(x):
    out = positive(x)
    del out[::2]
    return out, len(out)


@samples("E4", (I(2),), (I(0),), (I(5),), (I(-1),))
def bounds_by_data(n):
    items = [1, 2, 3, 4]
    rest = items[n:]
    items[:n] = [9, 9]
    shorter = list(items)
    del shorter[n : n + 1]
    return items, rest, shorter


@samples("E4", *THREE, joined=True)
def a_list_of_known_length_gets_them(x):
    items = [1.0, 2.0, 3.0]
    items[1:2] = positive(x)
    return items


@samples("E4", *THREE)
def in_a_staged_loop(x):
    out = positive(x)
    for v in x:
        if v > 2:
            out[0:1] = [v, v]
    return out


@samples("E4", *THREE, joined=True)
def of_one_path_beside_none(x):
    items, some, same = positive(x), None, 0
    if x[2] < 1:
        some = items[1:]
        same = some
        items[0] = 9.0
    if some is not None:
        some.append(3.0)
    items.append(4.0)
    return items, some, same


@samples("E4", *THREE, joined=True)
def of_one_path_beside_other_kinds(x):
    items = positive(x)
    if x[2] < 0:
        some = items[1:]
    else:
        some = {"all": items[:-1]}
    text = "none"
    try:
        text = items[:1]
        if x[0] > 1:
            raise ValueError
        text = (1, items[1:])
    except ValueError:
        items[0] = 5.0
    return items, some, text


test_slices_and_order = samples.test()


def test_gradients():
    def loss(x):
        out = positive(x)
        out.sort(key=lambda v: -v)
        out[1:2] = [out[0] * 2.0]
        del out[2:]
        return sum(out, 0.0)

    for backend in BACKENDS:
        with config.backend.using(backend):
            gradient = ag.grad(ag.convert(loss))
            np.testing.assert_array_equal(gradient(X), [0.0, 0.0, 0.0, 0.0, 3.0])
            np.testing.assert_array_equal(gradient(FEW), [0.0, 0.0, 0.0, 3.0, 0.0])
