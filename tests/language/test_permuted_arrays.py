"""Arrays whose names are permuted in loops and branches, and written in place."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.arguments import A
from tests.language.harness import Samples

samples = Samples()
I, F = np.int64, np.float64


def R(*arrays, upto=4):
    """A case per trip count from 0 on, each with arrays of its own."""
    return [(*(a.copy() for a in arrays), I(k)) for k in range(upto)]


X, Z = A(1, 2, 3), A(5, 6, 7)


@samples("S7", *R(X, Z))
def permute_then_write(a, b, n):
    for _ in range(n):
        a, b = (b, a)
    a[0] = 100
    return (a + 0, b + 0)


@samples("S7", *R(X, Z))
def permute_then_write_ret(a, b, n):
    for _ in range(n):
        a, b = (b, a)
    a[0] = 100
    return (a, b)


@samples("S7", *R(X, Z))
def permute_write_in_loop(a, b, n):
    for _ in range(n):
        a, b = (b, a)
        a[0] += 1
    return (a + 0, b + 0)


@samples("S7", *R(A(1, 2, 3, 4), A(0, 0, 0, 0)))
def double_buffer(old, new, n):
    for _ in range(n):
        for i in range(1, 3):
            new[i] = 0.5 * (old[i - 1] + old[i + 1])
        new[0] = old[0]
        new[3] = old[3]
        old, new = (new, old)
    return old + 0


@samples("S7", *R(A(1, 2, 3, 4)))
def double_buffer_local(x, n):
    old = x.copy()
    new = np.zeros(4)
    for _ in range(n):
        for i in range(1, 3):
            new[i] = 0.5 * (old[i - 1] + old[i + 1])
        new[0] = old[0]
        new[3] = old[3]
        old, new = (new, old)
    return (old, new)


@samples("S7", *R(A(1, 2, 3, 4)))
def double_buffer_half(x, n):
    old = x
    new = np.zeros(4)
    for _ in range(n):
        new[1:-1] = 0.5 * (old[:-2] + old[2:])
        new[0] = old[0]
        new[3] = old[3]
        old, new = (new, old)
    return (old + 0, new + 0)


@samples("S7", *R(X, Z, X * 10))
def rotate3(a, b, c, n):
    for i in range(n):
        a, b, c = (b, c, a)
        a[i % 3] += 1
        c[0] *= 2
    b[1] = -1
    return (a + 0, b + 0, c + 0)


@samples("S7", *R(X, Z, X * 10))
def permute_two_and_third(a, b, c, n):
    for i in range(n):
        a, b = (b, a)
        c[0] += a[0]
    a[0] = c[0]
    return a + 0


@samples("S7", *R(X, Z))
def permute_while(a, b, n):
    k = 0
    while k < n:
        a, b = (b, a)
        a[0] += k
        k += 1
    return (a + 0, b + 0)


@samples("S7", *R(X, Z))
def permute_with_new(a, b, n):
    for i in range(n):
        a, b = (b, a * 1)
        a[0] += 1
    b[0] = 7
    return (a + 0, b + 0)


@samples("S7", *R(X, Z))
def permute_other_names(a, b, n):
    p = a
    q = b
    for i in range(n):
        p, q = (q, p)
    p[0] = 100
    return (a + 0, b + 0, p + 0, q + 0)


@samples("S7", *R(X, Z))
def permute_one_written_by_other_name(a, b, n):
    p = a
    q = b
    for i in range(n):
        p, q = (q, p)
        a[0] += p[0]
    q[1] += 1
    return (a + 0, b + 0, p + 0, q + 0)


@samples("S7", *[(X, Z, I(k)) for k in range(4)])
def swap_under_if(a, b, n):
    for i in range(n):
        if (a[0] + i) % 2 == 0:
            a, b = (b, a)
        a[0] += 1
    b[1] = -1
    return (a + 0, b + 0)


@samples("S7", (X, Z), (Z, X))
def swap_under_if_noloop(a, b):
    if a[0] > b[0]:
        a, b = (b, a)
    a[0] = -1
    b[1] = -2
    return (a + 0, b + 0)


@samples("S7", (X, Z, X * 1), (Z, X, X * 1))
def swap_if_three(a, b, c):
    if a[0] > b[0]:
        a, b = (b, a)
    if b[0] > c[0]:
        b, c = (c, b)
    if a[0] > b[0]:
        a, b = (b, a)
    a[0] = -1
    b[1] = -2
    c[2] = -3
    return (a + 0, b + 0, c + 0)


@samples("S7", *[(X, Z, I(k)) for k in range(4)])
def swap_if_local(x, z, n):
    a = x * 1
    b = z * 1
    for i in range(n):
        if a[0] < b[0]:
            a, b = (b, a)
        b[0] += i + 3
    return (a, b)


@samples("S7", *[(np.arange(12.0), I(k)) for k in (0, 3, 7)])
def slice_view_swap(m, n):
    a = m[:6]
    b = m[6:]
    for i in range(n):
        a, b = (b, a)
        a[i % 6] += b[0]
    a[0] = 5
    c = b[1:3]
    c *= 2
    return (m + 0, c + 0)


@samples(
    "S7",
    *[
        (np.arange(12.0).reshape(4, 3), np.arange(12.0).reshape(4, 3) * 2, I(k))
        for k in (0, 1, 2, 3)
    ],
)
def rows_of_swapped(a, b, n):
    for i in range(n):
        a, b = (b, a)
        r = a[i]
        r[1] = i
        if i == 1:
            r[0] = -1
    return (a + 0, b + 0)


@samples(
    "S7",
    *[(np.arange(12.0).reshape(4, 3), np.arange(12.0).reshape(4, 3) * 2, I(k)) for k in (1, 2, 3)],
)
def rows_of_swapped_after(a, b, n):
    for i in range(n):
        a, b = (b, a)
        r = a[i]
        r[1] = i
    r[2] = 99
    a[0] = r
    return (a + 0, b + 0, r + 0)


@samples("S7", *[(X.copy(), Z.copy(), F(c)) for c in (-1, 0, 1)])
def attr_swap(a, b, c):
    d = {"a": a, "b": b}
    if c > 0:
        d["a"], d["b"] = (d["b"], d["a"])
    d["a"][0] = 9
    return (a + 0, b + 0)


@samples("S7", *[(X.copy(), Z.copy(), I(c)) for c in range(4)])
def attr_swap_loop(a, b, n):
    d = [a, b]
    for _ in range(n):
        d[0], d[1] = (d[1], d[0])
        d[0][0] += 1
    d[1][1] = -1
    return (a + 0, b + 0)


@samples("S7", *[(X.copy(), Z.copy(), I(c)) for c in range(4)])
def early_return(a, b, n):
    for i in range(n):
        a, b = (b, a)
        a[0] += 1
        if i == 1:
            return a + 0
    b[0] = 100
    return b + 0


@samples("S7", *[(X.copy(), Z.copy(), I(c)) for c in range(4)])
def early_return_itself(a, b, n):
    for i in range(n):
        a, b = (b, a)
        a[0] += 1
        if i == 1:
            return a
    b[0] = 100
    return b


@samples("S7", *[(X.copy(), Z.copy(), I(c)) for c in range(5)])
def breaks(a, b, n):
    for i in range(n):
        a, b = (b, a)
        if a[0] > 5.5:
            continue
        a[0] += 1
        if i == 3:
            break
    b[0] = 100
    a[1] = 50
    return (a + 0, b + 0)


@samples("S7", *[(X.copy(), Z.copy(), I(c)) for c in range(4)])
def nested_swap(a, b, n):
    for i in range(n):
        for j in range(i):
            a, b = (b, a)
            a[0] += j
        b[1] += i
        a, b = (b, a)
    a[2] = 0
    return (a + 0, b + 0)


@samples("S7", *[(X.copy(), Z.copy(), I(c)) for c in range(4)])
def whole_write(a, b, n):
    for i in range(n):
        a, b = (b, a)
        a[:] = b * 2
        b += 1
        a[a > 3] -= 1
    a[[0, 1]] = b[[1, 0]]
    return (a + 0, b + 0)


@samples("S7", *[(X.copy(), Z.copy(), I(c)) for c in range(4)])
def mixed_fresh(a, b, n):
    for i in range(n):
        if i == 1:
            a = a * 2
        a, b = (b, a)
        a[0] += 1
    a[2] = 0
    return (a + 0, b + 0)


@samples("S7", *[(A(3, 1, 2, 9, 5), I(c)) for c in range(3)])
def out_of_range(a, n):
    b = a * 2
    for i in range(n):
        a, b = (b, a)
        a[i * 4] += 1
    a[n * 2] = 7
    return (a, b)


@samples("S7", *[(A(3, 1, 2, 9, 5), A(3, 1, 2, 9, 5), I(c)) for c in range(4)])
def swap_helper(a, b, n):

    def step(p, q):
        q[1:] = p[:-1] * 2
        return (q, p)

    for i in range(n):
        a, b = step(a, b)
    return (a, b)


@samples("S7", *[(A(3, 1, 2, 9, 5), I(c)) for c in range(4)])
def same_array_twice(a, n):
    b = a
    for i in range(n):
        a, b = (b, a)
        a[0] += 1
        b[1] += 2
    return (a, b)


@samples("S7", *[(A(3, 1, 2), A(1, 2, 3), I(c)) for c in range(4)])
def views_swap_written_by_base(a, b, n):
    v = a[1:]
    w = b[1:]
    for i in range(n):
        v, w = (w, v)
        a[1] += v[0]
    v[0] = 9
    return (a + 0, b + 0, v + 0, w + 0)


@samples("S7", *R(X, Z, upto=5))
def ring(x, z, n):
    a = x
    b = z
    c = np.zeros(3)
    for i in range(n):
        c[:] = a + b
        c[1] -= 1
        a, b, c = (b, c, a)
    return (a, b, c)


@samples("S7", *R(X, Z, upto=5))
def append_hist(x, z, n):
    h = [x, z]
    for i in range(n):
        h[0], h[1] = (h[1], h[0] * 1)
        h[0][0] += 1
    return (h[0] + 0, h[1] + 0)


test_permuted_arrays = samples.test()


def swapped_and_scaled(x, n):
    a = x * 1.0
    b = x * 3.0
    for i in range(n):
        a, b = b, a
        a[i % 3] *= x[0]
        if i == 1:
            a = a + b
    b[2] = a[0] * x[1]
    return (a * b).sum()


def test_gradient_through_arrays_that_are_permuted_and_written():
    gradient = ag.grad(ag.convert(swapped_and_scaled))
    for n in range(4):
        expected = [
            (swapped_and_scaled(X + d, n) - swapped_and_scaled(X - d, n)) / 2e-6
            for d in np.eye(3) * 1e-6
        ]
        np.testing.assert_allclose(gradient(X.copy(), I(n)), expected, rtol=1e-6, atol=1e-6)


def nest_of(depth, lines, note):
    pads = ["    " * (k + 1) for k in range(depth + 1)]
    loops = "".join(f"{pads[k]}for i{k} in range(n):\n" for k in range(depth))
    body = "".join(f"{pads[depth]}{line}\n" for line in ("note()", *lines))
    end = "    a[0] = 1\n    return a + 0, b + 0\n"
    module = ag.convert_source(f"def nest(a, b, n):\n{loops}{body}{end}")
    module.note = note
    return module.nest


@pytest.mark.parametrize("depth", [2, 8])
@pytest.mark.parametrize(
    "lines",
    [("a, b = b, a", "a[0] += 1"), ("b = a", "a = a * 1"), ("r = a[i0 % 3 :]", "r[0] += 1")],
)
def test_nested_loops_that_rebind_arrays_do_not_multiply_traces(depth, lines):
    executed = 0

    @ag.do_not_convert
    def note():
        nonlocal executed
        executed += 1

    graph, plain = ag.convert(nest_of(depth, lines, note)), nest_of(depth, lines, lambda: None)
    for one, other in zip(graph(X.copy(), Z.copy(), I(2)), plain(X.copy(), Z.copy(), 2)):
        np.testing.assert_array_equal(one, other)
    assert executed <= 4 * depth + 8, executed
