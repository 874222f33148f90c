"""Names that are bound to another array, or to a new one, and written in place."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.arguments import A
from tests.language.harness import Samples, refuse

samples = Samples()
I, F = np.int64, np.float64


def R(*arrays, upto=4):
    """A case per trip count from 0 on, each with arrays of its own."""
    return [(*(a.copy() for a in arrays), I(k)) for k in range(upto)]


X, Z, M = A(1, 2, 3), A(5, 6, 7), np.arange(12.0).reshape(4, 3)


@samples("S7", *R(X))
def rebound_local_write(x, n):
    y = x + 0
    for _ in range(n):
        y[0] += 1
        y = y * 2
    return y


@samples("S7", *R(X))
def copy_then_write(x, n):
    y = x
    for i in range(n):
        y = y.copy()
        y[0] += i
    y[1] = 9
    return y + 0


@samples("S7", *R(X))
def new_then_write(x, n):
    for i in range(n):
        x = x + 1
        x[i % 3] = 0
    return x + 0


@samples("S7", *[(X, Z, I(k)) for k in range(4)])
def rebound_under_if(x, z, n):
    y = x.copy()
    for i in range(n):
        if y[0] > 1.5:
            y = y * 2
        else:
            y[1] += 4
        y[0] += 1
    y[2] = 0
    return y


@samples("S7", *R(M[:, :2] * 1))
def view_then_rebind(m, n):
    for i in range(n):
        row = m[i]
        row[0] = i
        row = row * 2
        row[1] = -1
    return m.sum()


@samples("S7", *R(X, Z))
def rebound_if_alias(x, z, n):
    w = x
    for i in range(n):
        if i == 1:
            x = x.copy()
        x[0] += 1
    return (w + 0, x + 0)


@samples("S7", *R(X, Z))
def rebound_to_other(x, z, n):
    y = x
    for i in range(n):
        y = z
        y[0] += 1
    y[1] = 0
    return (x + 0, z + 0)


@samples("S7", *R(X, Z))
def one_of_two(x, z, n):
    y = x
    for i in range(n):
        y = z
    y[0] = 3
    return (x + 0, z + 0)


@samples("S7", *[(X.copy(), Z.copy(), I(c)) for c in range(4)])
def keeps_best(x, z, n):
    best = x
    for i in range(n):
        z[0] -= 3
        if z[0] < best[0]:
            best = z
    best[1] = 77
    return (x + 0, z + 0, best + 0)


@samples("S7", *[(X.copy(), Z.copy(), I(c)) for c in range(4)])
def keeps_best_new(x, z, n):
    best = x
    for i in range(n):
        c = z - i
        if c[0] < best[0]:
            best = c
    best[1] = 77
    return (x + 0, z + 0, best + 0)


@samples("S7", *[(A(3, 1, 2), A(1, 2, 3), A(0, 1, 0), I(c)) for c in range(4)])
def three_choose(a, b, c, n):
    y = a
    for i in range(n):
        if i % 3 == 0:
            y = b
        elif i % 3 == 1:
            y = c
        else:
            y = a
        y += 1
    y[0] = -1
    return (a + 0, b + 0, c + 0, y + 0)


@samples("S7", *[(A(3, 1, 2), A(1, 2, 3, 4), I(c)) for c in range(3)])
def other_shape(a, b, n):
    y = a
    for i in range(n):
        y = b
    return y * 1


@samples("S7", *R(X, upto=7))
def two_paths(x, n):
    w = x
    for i in range(n):
        if i % 2 == 0:
            if i == 2:
                x = x * 2
        elif i == 5:
            x = x * 3
        x[0] += 1
    return (w + 0, x + 0)


@samples("S7", *R(X, Z, upto=5))
def two_paths_noloop(x, z, n):
    w = x
    if n % 2 == 0:
        if n == 2:
            x = x * 2
    elif n == 3:
        x = x * 3
    x[0] += 1
    return (w + 0, x + 0)


@samples("S7", *R(X, Z, upto=5))
def choice_then_fresh(x, z, n):
    w = x
    v = z
    if n % 2 == 0:
        x, z = (z, x)
    for i in range(n):
        if i == 2:
            x = x * 2
        x[0] += 1
    w[1] = 50
    return (w + 0, v + 0, x + 0, z + 0)


@samples("S7", *R(X, Z, upto=5))
def choice_then_branch_fresh(x, z, n):
    w = x
    v = z
    if n % 2 == 0:
        x, z = (z, x)
    if n > 2:
        x = x * 2
    x[0] += 1
    w[1] = 50
    v[2] = 51
    return (w + 0, v + 0, x + 0, z + 0)


@samples("S7", *R(X, Z, upto=5))
def fresh_then_choice(x, z, n):
    w = x
    v = z
    if n > 2:
        x = x * 2
    if n % 2 == 0:
        x, z = (z, x)
    x[0] += 1
    w[1] = 50
    v[2] = 51
    z[0] = -3
    return (w + 0, v + 0, x + 0, z + 0)


@samples("S7", *R(X, Z, upto=5))
def fresh_and_choice_loops(x, z, n):
    w = x
    v = z
    for i in range(n):
        if i == 2:
            x = x * 2
        if i % 2 == 0:
            y = x
        else:
            y = z
        y[0] += 1
    w[1] = 50
    return (w + 0, v + 0, x + 0, z + 0)


@samples("S7", *R(X, Z, upto=5))
def copied_if_needed(x, z, n):
    y = x
    if n > 2:
        y = x.copy()
    for i in range(3):
        y[i] += 1
    return (y + 0, x + 0)


@samples("S7", *R(X, Z, upto=5))
def prev_cur(x, z, n):
    prev = x
    cur = z
    for i in range(n):
        new = cur * 2 - prev
        prev = cur
        cur = new
    prev[0] = 9
    return (x + 0, z + 0, prev + 0, cur + 0)


@samples("S7", *R(X, Z, upto=5))
def prev_cur_write(x, z, n):
    prev = x
    cur = z
    for i in range(n):
        new = cur * 2 - prev
        new[0] = 0
        prev[1] += 1
        prev = cur
        cur = new
    return (x + 0, z + 0, prev + 0, cur + 0)


@samples("S7", *R(X, Z, upto=3))
def two_names_of_fresh(x, z, n):
    y = x
    w = z
    if n > 0:
        y = x * 2
        w = y
    y[0] = 100
    return (w + 0, y + 0, x + 0, z + 0)


@samples("S7", *R(X, Z, upto=3))
def base_and_view_of_fresh(x, z, n):
    y = x
    w = z[1:]
    if n > 0:
        y = x * 2
        w = y[1:]
    y[1] = 100
    w[1] = 50
    return (w + 0, y + 0, x + 0, z + 0)


@samples("S7", (A(1, 2, 3, 4, 5),), (A(5, 4, 3, 2, 1),))
def shrinking_then_written(x):
    w = x
    while x.sum() > 6:
        x = x[1:]
    t = x.sum()
    w[0] = 100
    return (t, w)


@samples("E6", (A(1, -2, 3, -0.5),), (A(-1, -2, -3, -4),), (A(1, 2, 3, -4),))
def written_where_it_has_grown(x):
    kept = np.zeros(0)
    for v in x:
        if v > 0:
            kept = np.append(kept, v)
        elif len(kept):
            kept[-1] *= v
    return kept


@samples("E6", (A(1, -2, 3, -0.5),), (A(-1, -2, 9, -4),), (A(9, 2, 3, -4),))
def written_where_it_may_not_have_grown(x):
    kept = np.zeros(1)
    for v in x:
        if v > 5:
            kept[1] = v  # IndexError where it has one element
        elif len(kept) > 2:
            kept[1:3] = [v, 7]
        kept = np.append(kept, v)
    return kept


@samples("E6", (A(1, -2, 3, -0.5),), (A(-1, 6, 2, -4),), (A(6, 2, 3, -4),))
def errors_of_an_array_that_grows_are_caught(x):
    columns, missed = np.zeros((2, 0)), 0
    for v in x:
        try:
            columns[:, 1] = v
        except IndexError as error:
            missed += 1
            print(error)
        if v < 5:
            columns = np.column_stack([columns, [v, 2 * v]])
    return columns, missed


@samples("E5", (A(1, -2, 3, -0.5),), (A(-1, -2, -3, -4),), (A(2, 4, 0.5, 9),))
def in_the_dtype_of_the_one_that_it_is(x):
    small, wide = np.array([100, 50, -3], np.int8), A(1.5, 2.5, 3.5)
    for v in x:
        one = small if v > 0 else wide
        one *= 100
        one[1:] -= 7
        one += one
        one //= 3
    return small, wide


@samples("E5", (A(1, -2, 3, -0.5),), (A(-1, -2, -3, -4),), joined=True)
def raises_where_the_dtype_cannot_hold_it(x):
    whole, missed = np.array([1, 2, 3]), 0
    for v in x:
        if v > 2.5:
            whole = whole / 2
        try:
            whole *= 1.5
        except TypeError as error:
            print(error)
            missed += 1
        whole += 1
    return whole, missed


test_rebound_arrays = samples.test()


def halves(x):
    whole = np.zeros(3, int)
    if x > 0:
        whole = whole * 1.0
    whole += 0.5
    return whole


def test_an_array_that_stays_whole_takes_no_halves():
    for backend in BACKENDS:
        with config.backend.using(backend):
            converted = ag.convert(halves)
            assert converted(F(1)).tolist() == [0.5, 0.5, 0.5]
            for function in (halves, converted):
                with pytest.raises(TypeError, match="^Cannot cast ufunc 'add' output from"):
                    function(F(-1))


def test_a_write_where_it_has_grown_has_a_gradient():
    x = A(1, -2, 3, -0.5)
    for backend in BACKENDS:
        with config.backend.using(backend):
            found = ag.grad(ag.convert(lambda x: written_where_it_has_grown(x) @ A(1, 10)))(x)
        assert found.tolist() == [-2.0, 1.0, -5.0, 30.0], backend


def base_and_view_in_a_round(x, z, n):
    y = x
    w = z[1:]
    for i in range(n):
        y = x * 2
        w = y[1:]
        y[1] = i
    y[1] = 100
    return w + 0, y + 0  # refused


def view_of_the_last_view(x, n):
    y = x
    for i in range(n):
        y = y[::-1]
    y[0] = 3  # refused
    return x


@pytest.mark.parametrize(
    ("sample", "arguments", "name"),
    [(base_and_view_in_a_round, (X, Z, I(2)), "w"), (view_of_the_last_view, (X, I(2)), "y")],
)
def test_a_view_whose_place_is_not_known_is_refused_where_it_is_used(sample, arguments, name):
    refuse(sample, *arguments, match=f"`{name}` is a view .*\\n(.*\\n)*make a copy")


def overlapping(x, y):
    x += y  # refused
    return x


WHOLE = np.ones((4, 4))
INNER = WHOLE[1:-1, 1:-1]


def relaxed_inside(n):
    for _ in range(3):
        INNER[...] = INNER + n
        WHOLE[0, 0] = WHOLE.sum()
    return WHOLE.sum()


def of_parts_of_one_array(function):
    z = np.arange(6.0)
    results = [function(z[1:], z[:5]) + 0, function(z[:2], z[2:4]) + 0, function(z[::2], z[1::2])]
    return [*map(list, results), list(z)]


def rising(x, y):
    x[0] = y
    x[1:] += x[:-1].copy()
    return x


def of_items_in_one_place(function):
    strided, found = np.lib.stride_tricks.as_strided, []
    for x, shape, steps in (
        (np.zeros(1), (3,), (0,)), (np.zeros(4), (3, 2), (8, 8)), (np.zeros(9), (4,), (-16,)),
        (np.zeros(2), (2, 1), (8, 0)), (np.zeros(12), (2, 3), (8, 16)),
    ):  # fmt: skip
        start = x[-1:] if steps[0] < 0 else x
        found += [list(function(strided(start, shape, steps), 1.0).ravel()), list(x)]
    return found


def of_the_whole(function):
    WHOLE[...] = 1.0
    return [function(2.0), function(2.5), list(WHOLE.ravel())]


@pytest.mark.parametrize("backend", ["plan", "native"])
@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (overlapping, of_parts_of_one_array),
        (rising, of_items_in_one_place),
        (relaxed_inside, of_the_whole),
    ],
)
def test_arrays_that_share_memory_with_a_written_one_leave_the_call_to_python(
    function, calls, backend
):
    with config.backend.using(backend):
        assert calls(ag.convert(function)) == calls(function)


@pytest.mark.parametrize(
    ("function", "calls", "texts"),
    [
        (overlapping, of_parts_of_one_array,
         ["`x` is written and shares memory with `y`, which `overlapping` is given as well",
          "x += y", "^", "pass a copy of one of the two (`y.copy()`)"]),
        (relaxed_inside, of_the_whole,
         ["`INNER` is written and shares memory with `WHOLE`, which `relaxed_inside` reads",
          "INNER[...] = INNER + n", "(`WHOLE[...]` in place of `INNER`)"]),
    ],
)  # fmt: skip
def test_why_a_call_is_left_to_python_is_said_with_the_line_of_the_write(
    function, calls, texts, capsys
):
    with config.verbosity.using(1):
        calls(ag.convert(function))
    said = capsys.readouterr().err
    assert said.count("runs as plain Python") == 1 or calls is of_parts_of_one_array, said
    assert all(text in said for text in texts), said


def test_tensors_that_share_memory_with_a_written_one_are_refused():
    z = np.arange(4.0)
    with pytest.raises(ag.StagingError, match="`x` is written and shares memory with `y`"):
        ag.convert(overlapping, returns="tensor")(z[1:], z[:3])


class Holder:
    def __init__(self):
        self.w = A(1, 2, 3)

    def known(self, x):
        self.w[0] = 7
        return self.w * x

    def on_one_path(self, x):
        if x > 0:
            self.w[0] = x
        return self.w * x


@pytest.mark.parametrize("name", ["known", "on_one_path"])
def test_array_of_the_object_of_a_bound_method(name):
    plain, given = Holder(), Holder()
    converted = ag.convert(getattr(given, name))
    for x in (F(2), F(-1), F(3)):
        np.testing.assert_array_equal(converted(x), getattr(plain, name)(x))
        np.testing.assert_array_equal(given.w, plain.w)
        given.w[1] = plain.w[1] = x
    assert converted.trace_count == 1


@ag.do_not_convert
def made_outside():
    return A(1, 2, 3)


def used_after_a_write(x):
    a = made_outside()
    a[0] = 5  # refused
    return a * x


def given_back_after_a_write(x):
    a = made_outside()
    a[0] = 5  # refused
    return a, x * 2


def written_on_one_path(x):
    a = made_outside()
    if x > 0:
        a[0] = 5  # refused
    return a * x


@pytest.mark.parametrize(
    "sample", [used_after_a_write, given_back_after_a_write, written_on_one_path]
)
def test_an_array_that_other_code_made_is_not_written_unseen(sample):
    refuse(sample, F(2), match=r"is written here(.*\n)*copy it first")
