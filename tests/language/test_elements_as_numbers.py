"""The elements of arrays as Python numbers: `tolist`, `item`, `np.vectorize`."""

import math

import numpy as np
import pytest

import autograph as ag
from tests.language.arguments import A
from tests.language.harness import Samples, all_nodes, check, observe, refuse

samples = Samples()
F, I = np.float64, np.int64


M = np.arange(6.0).reshape(2, 3)
OPEN = ag.TensorSpec((None,), np.float64)

# ---- tolist ------------------------------------------------------------------------------------


@samples("B5", (A(1, 2, 3),), (A(4, 5, 6),), tensors=False)
def lists_of_numbers(x):
    items = x.tolist()
    items.append(items[0] / 2)
    items[1] = 7.0
    return items, sum(items), max(items), items[::-1], len(items), isinstance(items[0], float)


@samples("B5", (M,), (M * 2,), tensors=False)
@samples("B5", (M.astype(np.int32),), (M.astype(np.int32) + 1,), tensors=False)
@samples("B5", (M > 2,), (M < 2,), tensors=False)
@samples("B5", (M * 1j,), (M + 1j,), tensors=False)
@samples("B5", (M.astype(np.float32) / 3,), (M.astype(np.float32),), tensors=False)
def nested(x):
    rows = x.tolist()
    rows[0].append(rows[1][2])
    return rows, [row[0] for row in rows], x[1].tolist(), x[0, 0].tolist(), x.T.tolist()


@samples("B5", (A(1, 2),), (A(3, 4),), tensors=False)
def later_writes_do_not_show(x):
    y = x * 2
    items = y.tolist()
    y[0] = 9.0
    return items, y


@samples("B5", (np.zeros((0, 2)), A(1)), (np.ones((0, 2)), A(2)), tensors=False)
def empty(x, y):
    return x.tolist(), x.T.tolist(), y.tolist()


@samples("B5", (A(3, -1, 2),), (A(-3, 1, -2),), tensors=False)
def numbers_are_pythons(x):
    total = 0.0
    for v in x.tolist():
        try:
            total += math.sqrt(v)
        except ValueError as error:
            print(error)
    return total


@samples(
    "B5",
    (A(1, 2, 3),),
    (A(1),),
    (A(),),
    tensors=False,
    input_signature=[OPEN],
)
def of_unknown_length(x):
    items = x.tolist()
    total = 0.0
    for v in items:
        total += v * 2
    items.append(0.5)
    return items, total, len(items), items[0], np.array(items)


@samples("B5", (A(1, 2, 3),), (A(1, 2),), tensors=False, input_signature=[OPEN])
def of_unknown_length_and_written(x):
    items = x.tolist()
    x[0] = 9.0
    while len(items) > 1:
        items.pop()
    return items


@samples("B5", (A(4, -1, 2),), (A(-4, 1),), traces=2, tensors=False)
def of_a_choice(x):
    return x[x > 0].tolist()


def of_many(x):
    items = x.tolist()
    total, largest = 0.0, items[0]
    for k, v in enumerate(items):
        if v > largest:
            largest = v
        total += v * k
    items.append(total)
    return total, largest, sum(items), len(items), items[-1], np.array(items), items


def test_a_long_list_is_gone_through_in_one_loop():
    x = np.sin(np.arange(2000.0))
    checked = check(of_many, (x,), (-x,), tensors=False, tolerance=1e-12)
    assert all_nodes(checked.graph) < 200


def of_rows(x):
    return x.tolist()  # refused


def test_lists_of_lists_of_unknown_length_are_refused():
    spec = ag.TensorSpec((None, 2), np.float64)
    refuse(
        of_rows, np.ones((3, 2)), match="makes lists of a number of items", input_signature=[spec]
    )


def test_gradients_flow_through_lists():
    for options in ({}, {"input_signature": [OPEN]}):
        f = ag.convert(lambda x: sum([v * v * 2.0 for v in x.tolist()]) if not options
                       else sum(x.tolist()) * 3.0, **options)  # fmt: skip
        expected = [4.0, 8.0] if not options else [3.0, 3.0]
        assert ag.grad(f)(A(1, 2)).tolist() == expected


# ---- item --------------------------------------------------------------------------------------


@samples("B5", (M, I(4)), (M * 2, I(-1)), tensors=False)
def items_of_a_matrix(x, i):
    return x.item(4), x.item(-1), x.item(1, 2), x.item((0, 1)), x.item(i), x.item(i // 5, 2)


@samples("B5", (A(1),), (A(2),), tensors=False)
def the_only_item(x):
    return x.item(), x.item(0), x.reshape(1, 1).item(), x[0].item()


WRONG_ITEMS = (
    lambda x: x.item(), lambda x: x.item(6), lambda x: x.item(-7), lambda x: x.item(2, 0),
    lambda x: x.item(0, 0, 0), lambda x: x.item((1,) * 3), lambda x: x.item(1.0),
    lambda x: x.item(True), lambda x: x.item(x[0, 0]), lambda x: x[0].item(1, 1),
)  # fmt: skip


@pytest.mark.parametrize("sample", WRONG_ITEMS)
def test_wrong_items_raise_what_numpy_raises(sample):
    plain, found = observe(sample, (M,)), observe(ag.convert(sample), (M,))
    assert repr(found.error) == repr(plain.error) and plain.error is not None


# ---- np.vectorize ------------------------------------------------------------------------------


def clamp(v, low=-1.0, high=1.0):
    if v < low:
        return low * 2
    return high * 2 if v > high else v * 2


clamp_all = np.vectorize(clamp)


@np.vectorize
def decorated(v):
    return math.floor(v) % 3


@samples("B5", (M - 2,), (2 - M,), tensors=False)
def vectorized(x):
    return clamp_all(x), np.vectorize(clamp)(x[0]), decorated(x), np.vectorize(math.exp)(x)


@samples("B5", (M, A(1, 2, 3)), (-M, A(3, 2, 1)), tensors=False)
def broadcast(x, y):
    f = np.vectorize(lambda a, b, c=1.0: (a + b * c, a > b))
    return f(x, y), f(x, 2.0), f(x, y, c=3.0), f(1, y)


@samples("B5", (A(1, -2),), (A(-3, 4),), tensors=False)
def with_types(x):
    return (
        np.vectorize(lambda v: v if v > 0 else 0, otypes=[float])(x),
        np.vectorize(lambda v: v * 1.75, otypes="i")(x),
        np.vectorize(lambda v: (v, v > 0), otypes="f?")(x),
        np.vectorize(clamp, otypes=[float])(x[:0]),
    )


@samples("B5", (np.array([3, 4], np.uint8), np.float32([0.1, 0.2])),
         (np.array([5, 6], np.uint8), np.float32([0.3, 0.4])), tensors=False)  # fmt: skip
def the_first_result_says_the_dtype(n, x):
    twice = np.vectorize(lambda v: v * 2)
    return twice(n), twice(x), twice(n > 3), np.vectorize(lambda v: np.sin(v))(x)


@samples("B5", (A(1, 2),), (A(3, 4),), tensors=False)
def effects_in_their_order(x):
    seen = []

    def tell(v):
        print("told", v)
        seen.append(1)
        return v + 1

    first = np.vectorize(tell)(x)
    return first, np.vectorize(tell, otypes=[float])(x), len(seen)


@samples("B5", (F(2),), (F(-2),), tensors=False)
def of_one_number(x):
    return np.vectorize(clamp)(x), np.vectorize(clamp)(float(x))


@samples("B5", (A(4, -1),), (A(1, 9),), tensors=False)
def raising(x):
    try:
        return np.vectorize(math.sqrt)(x)
    except ValueError as error:
        print(error)
        return -x


@samples(
    "B5",
    (A(1, 2, 3),),
    (A(1),),
    (A(),),
    tensors=False,
    input_signature=[OPEN],
)
def of_unknown_size(x):
    return np.vectorize(clamp)(x), np.vectorize(clamp, otypes="f")(x)


@samples("B5", (np.array([200], np.uint8),), (np.array([100], np.uint8),), tensors=False)
def what_does_not_fit(n):
    return np.vectorize(lambda v: v * 2)(n)


test_elements = samples.test()


def test_one_loop_of_the_graph_goes_over_the_elements():
    checked = check(lambda x: np.vectorize(clamp)(x), (M,), (M + 1,), whiles=1, tensors=False)
    assert checked.unsaved == ""


def test_gradients_flow_through_vectorized_functions():
    f = ag.convert(lambda x: np.vectorize(lambda v: v * v if v > 1 else 3.0 * v)(x).sum())
    assert ag.grad(f)(A(0.5, 2, 3)).tolist() == [3.0, 4.0, 6.0]


def joined(x):
    return np.vectorize(lambda v: v if v > 0 else 0)(x)  # refused


def signed(x):
    return np.vectorize(np.sum, signature="(n)->()")(x)  # refused


def cached(x):
    return np.vectorize(clamp, cache=True)(x)  # refused


def of_text(x):
    return np.vectorize(lambda v: "a")(x)  # refused


def of_objects(x):
    return np.vectorize(lambda v: v, otypes="O")(x)  # refused


def of_arrays(x):
    return np.vectorize(lambda v: np.ones(2) * v)(x)  # refused


@pytest.mark.parametrize(("sample", "match"), [
    (joined, "numbers of different types on different paths"), (signed, "with `signature`"),
    (cached, "with `cache`"), (of_text, "gives an object of type `str`"),
    (of_objects, "its `otypes` are 'O'"), (of_arrays, r"it gives float64\[2\]"),
])  # fmt: skip
def test_what_has_no_form_is_refused(sample, match):
    refuse(sample, A(1, 2), match=match)
