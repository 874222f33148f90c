"""`vmap` against a loop over the items in plain Python."""

from __future__ import annotations

import traceback
import warnings

import numpy as np
import pytest

import autograph as ag
from tests.autograph.converters.samples import collatz

RANDOM = np.random.default_rng(5)
ROWS = RANDOM.normal(size=(5, 4))
COUNTS = np.array([0, 3, 1, 7, 2])


def escape(c):
    z = 0j
    for i in range(30):
        z = z * z + c
        if abs(z) > 2:
            return i
    return 30


def newton(x):
    y = x
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
    return y


def affine(x, w, b):
    return x @ w + b


def first_negative(row):
    for i in range(len(row)):
        if row[i] < 0:
            break
    else:
        i = -1
    return i


def runs(row, n):
    out = np.zeros(3)
    for i in range(n):
        out[i % 3] += row[i % 4]
    return out


def at_end(row, n):
    """Index beyond the end for lanes that are done: must not be computed."""
    i = 0
    while i < 4 and i < n:
        row = row.copy()
        row[i] = 2 * row[i]
        i += 1
    return row


def reciprocal_of_nonzero(x):
    if x != 0:
        return 1 / x
    return x


def nested(x, n):
    total = x * 0
    for i in range(n):
        j = 0
        while j <= i:
            total = total + x * j
            j += 1
    return total


def swapped(x, i):
    return x[:, i], x[i], x[::-1, None, i]


def masked_write(x, i, v):
    x = x.copy()
    x[i, 1:] = v
    x[:, i] += 1
    return x


def pair(x):
    return {"sum": x.sum(), "all": (x, 2.5)}


CASES = [
    (collatz, (np.array([1, 7, 27, 97]),)),
    (escape, (np.array([0j, 1 + 1j, -2 + 0j, 0.3 + 0.5j]),)),
    (newton, (np.array([1.0, 2.0, 3.0, 1e4]),)),
    (first_negative, (np.array([[1.0, -1, 2], [1, 2, 3], [-1, -1, -1]]),)),
    (runs, (ROWS, COUNTS)),
    (at_end, (ROWS, COUNTS)),
    (reciprocal_of_nonzero, (np.array([0.0, 2.0, -4.0]),)),
    (nested, (ROWS, COUNTS)),
    (swapped, (RANDOM.normal(size=(3, 4, 4)), np.array([0, 3, -1]))),
    (
        masked_write,
        (RANDOM.normal(size=(3, 4, 4)), np.array([1, 0, 3]), RANDOM.normal(size=(3, 3))),
    ),
    (pair, (ROWS,)),
    (lambda x: np.linalg.norm(x), (ROWS,)),
    (lambda x: np.sort(x)[::-1].cumsum(), (ROWS,)),
    (lambda x: np.where(x > 0, x, 0).mean(), (ROWS,)),
    (lambda x: np.outer(x, x)[1] @ x, (ROWS,)),
    (lambda x: x.reshape(2, 2).T.ravel(), (ROWS,)),
    (lambda x, i: x[i : i + 1].sum() if i > 2 else x.sum(), (ROWS, COUNTS)),
]


def by_hand(f, args):
    """The items one by one, stacked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = [f(*row) for row in zip(*args, strict=True)]
    flat = [ag_leaves(r) for r in results]
    return [np.stack([np.asarray(part) for part in column]) for column in zip(*flat, strict=True)]


def ag_leaves(x):
    if isinstance(x, dict):
        x = tuple(x.values())
    if isinstance(x, tuple):
        return [leaf for part in x for leaf in ag_leaves(part)]
    return [x]


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_equals_a_loop(f, args):
    expected = by_hand(f, args)
    mapped = ag.vmap(f)
    for found in (mapped(*args), mapped(*args)):
        for a, e in zip(ag_leaves(found), expected, strict=True):
            assert a.dtype == e.dtype
            np.testing.assert_allclose(a, e, rtol=1e-12, atol=1e-12)
    assert mapped.trace_count == 1


def test_no_loop_over_items():
    """Row D16: lanes with different trip counts run in one loop."""
    mapped = ag.vmap(collatz)
    graph = mapped.get_concrete_function(np.arange(1, 6)).graph
    loops = [n for n in graph.walk() if n.op.name == "while"]
    assert len(loops) == 1
    few = len(list(graph.walk()))
    assert len(list(mapped.get_concrete_function(np.arange(1, 60)).graph.walk())) == few


def test_what_all_lanes_read_is_no_loop_over_items():
    weights, count = ag.Variable(ROWS.T), ag.Variable(0.0)
    graph = ag.convert(ag.vmap(lambda row: row @ weights))
    np.testing.assert_allclose(graph(ROWS), ROWS @ ROWS.T)
    assert not any(node.op.name == "while" for node in graph.traces()[0].graph.walk())

    def counted(row):
        count.assign_add(1.0)
        return row * count

    np.testing.assert_allclose(ag.convert(ag.vmap(counted))(ROWS), ROWS * np.arange(1, 6)[:, None])


def test_axes():
    x, w, b = RANDOM.normal(size=(4, 5)), RANDOM.normal(size=(4, 2)), RANDOM.normal(size=(2, 5))
    found = ag.vmap(affine, in_axes=(1, None, 1), out_axes=1)(x, w, b)
    np.testing.assert_allclose(found, np.stack([affine(x[:, i], w, b[:, i]) for i in range(5)], 1))
    found = ag.vmap(lambda p: p["x"] * p["y"], in_axes=({"x": 0, "y": None},))(
        {"x": ROWS, "y": np.arange(4.0)}
    )
    np.testing.assert_array_equal(found, ROWS * np.arange(4.0))
    found, shared = ag.vmap(lambda x: (x + 1, 7), out_axes=(0, None))(ROWS)
    assert shared == 7


def test_nested_and_inside_converted_code():
    outer = ag.vmap(ag.vmap(lambda x, y: x * y + 1, in_axes=(0, None)))
    np.testing.assert_array_equal(outer(ROWS, np.arange(5.0)), ROWS * np.arange(5.0)[:, None] + 1)

    @ag.convert
    def total(x):
        if x.sum() > 100:
            return x.sum()
        return ag.vmap(lambda row: row.max() - row.min())(x).sum()

    np.testing.assert_allclose(total(ROWS), np.ptp(ROWS, axis=1).sum())


def test_gradients():
    def power(x, n):
        y = x * 0 + 1
        for _ in range(n):
            y = y * x
        return y

    x = np.array([1.5, 2.0, 0.5])
    n = np.array([3, 1, 4])
    loss = lambda x: ag.vmap(power)(x, n).sum()
    np.testing.assert_allclose(ag.grad(loss)(x), n * x ** (n - 1.0))
    per_item = ag.vmap(ag.grad(lambda x, n: power(x, n)))(x, n)
    np.testing.assert_allclose(per_item, n * x ** (n - 1.0))
    found = ag.vmap(ag.grad(lambda x: (x**3).sum()))(ROWS)
    np.testing.assert_allclose(found, 3 * ROWS**2)


def test_prints_come_in_the_order_of_the_items(capsys):
    def shown(x):
        print("item", x)
        return x + 1

    mapped = ag.vmap(shown)
    for _ in range(2):
        np.testing.assert_array_equal(mapped(np.array([1, 2, 3])), [2, 3, 4])
        assert capsys.readouterr().out == "item 1\nitem 2\nitem 3\n"


def test_errors_are_those_of_the_items():
    with pytest.raises(IndexError):
        ag.vmap(lambda x, i: x[i])(ROWS, np.array([0, 1, 2, 3, 9]))

    def positive(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        return x

    np.testing.assert_array_equal(ag.vmap(positive)(np.array([1.0, 2.0])), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"negative: -2\.0"):
        ag.vmap(positive)(np.array([1.0, -2.0, -3.0]))


def test_no_items():
    assert ag.vmap(newton)(np.zeros(0)).shape == (0,)
    assert ag.vmap(runs)(np.zeros((0, 4)), np.zeros(0, int)).shape == (0, 3)


def test_lists_of_other_lengths_are_no_result():
    def upward(x):
        found = [x[0]]
        for v in x:
            if v > found[-1]:
                found.append(v)
        return found

    for function in (upward, lambda x: {"found": upward(x)}):
        with pytest.raises(ag.StagingError, match="a list under `vmap` whose length depends"):
            ag.vmap(function)(np.ones((2, 3)))


def test_bad_use():
    with pytest.raises(ValueError, match="different sizes"):
        ag.vmap(lambda x, y: x)(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="in_axes has 1 entries"):
        ag.vmap(lambda x, y: x, in_axes=(0,))(np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match="axis 0, but an argument has 0 axes"):
        ag.vmap(lambda x: x)(np.float64(1))
    with pytest.raises(ag.StagingError, match="differ from lane to lane"):
        ag.vmap(lambda x: x[x > 0])(ROWS)

    class Box:
        value = 0

    box = Box()

    def writes(x):
        box.value = x
        return x

    with pytest.raises(ag.StagingError, match="changes"):
        ag.vmap(writes)(np.zeros(3))


def test_eagerly():
    with ag.eager():
        np.testing.assert_array_equal(ag.vmap(collatz)(np.array([1, 7])), [0, 16])


def test_vectorized_map():
    found = ag.vectorized_map(lambda p: p[0] + p[1].sum(), (np.arange(5.0), ROWS))
    np.testing.assert_allclose(found, np.arange(5.0) + ROWS.sum(1))


def test_writes_before_an_error_of_an_item():
    class Box:
        pass

    def f(box, x, i):
        box.seen = x.sum()
        return ag.vmap(lambda row, k: row[k])(x, i)

    box = Box()
    with pytest.raises(IndexError):
        ag.convert(f)(box, ROWS, np.array([0, 1, 2, 3, 9]))
    assert box.seen == ROWS.sum()
    np.testing.assert_array_equal(ag.convert(f)(box, ROWS, np.zeros(5, int)), ROWS[:, 0])


def test_try_in_an_item():
    def f(row, k):
        try:
            return row[k]
        except IndexError:
            return -1.0

    found = ag.vmap(f)(ROWS, np.array([0, 1, 9, 3, -9]))
    np.testing.assert_array_equal(found, [ROWS[0, 0], ROWS[1, 1], -1.0, ROWS[3, 3], -1.0])


def always_wrong(row):
    return row.reshape(7)


def wrong_by_data(row):
    if (row > -100).all():
        raise ValueError("too large")
    return row


@pytest.mark.parametrize("f", [always_wrong, wrong_by_data])
@pytest.mark.parametrize("convert", [lambda f: f, ag.convert])
def test_errors_of_items_are_told_at_the_line_of_the_function(f, convert):
    with pytest.raises(ValueError) as plain:
        f(ROWS[0])
    with pytest.raises(ValueError) as caught:
        ag.vmap(convert(f))(ROWS)
    assert str(caught.value) == str(plain.value)
    wanted, found = (traceback.extract_tb(e.value.__traceback__)[-1] for e in (plain, caught))
    assert (found.filename, found.lineno) == (wanted.filename, wanted.lineno)


def test_an_item_that_always_fails_does_so_where_it_is_called():
    def f(rows, skip):
        if skip:
            return rows.sum()
        return ag.vmap(always_wrong)(rows).sum()

    assert ag.convert(f)(ROWS, np.bool_(True)) == ROWS.sum()
    with pytest.raises(ValueError, match="cannot reshape"):
        ag.convert(f)(ROWS, np.bool_(False))
