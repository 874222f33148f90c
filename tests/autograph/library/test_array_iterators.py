"""The iterator in plain Python gives what `numpy.nditer` gives."""

import numpy as np
import pytest

from autograph.library.array_iterators import ArrayIterator

X = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


@pytest.mark.parametrize("order", ["C", "F", "K"])
@pytest.mark.parametrize("flags", [[], ["multi_index"], ["c_index"], ["f_index", "multi_index"]])
def test_elements_and_where_they_are(order, flags):
    def gone_through(kind):
        it = kind(X, flags, order=order)
        found = []
        for v in it:
            found.append((v.tolist(), it.multi_index if "multi_index" in flags else None))
            found.append((it.index if it.has_index else None, it.iterindex, it.finished))
        return found, it.finished, it.has_multi_index, it.itersize, it.dtypes, list(it)

    assert gone_through(ArrayIterator) == gone_through(np.nditer)


def test_operands_are_broadcast_and_made():
    def products(kind):
        with kind([X, X[0], None], order="C") as it:
            for a, b, c in it:
                c[...] = a * b
            return it.operands[2].tolist(), it.nop, len(it)

    assert products(ArrayIterator) == products(np.nditer)


def outcome(kind, use, *args, **options):
    try:
        return use(kind(*args, **options))
    except Exception as error:
        return type(error), str(error).strip()


def entered_twice(it):
    with it:
        pass
    return it.value


@pytest.mark.parametrize(
    "use",
    [
        lambda it: it.multi_index,
        lambda it: it.index,
        lambda it: it[1],
        lambda it: it[-1].tolist(),
        lambda it: it.__setitem__(0, 1.0),
        lambda it: (list(it), it.value),
        lambda it: (list(it), it.shape),
        lambda it: it[0].__setitem__(..., 1.0),
        entered_twice,
        lambda it: (it.iternext(), it.reset(), it.iterindex, it.value.tolist()),
        lambda it: (next(it).tolist(), next(it).tolist(), [v.tolist() for v in it]),
    ],
)
def test_what_is_wrong_raises_the_same(use):
    assert outcome(ArrayIterator, use, X) == outcome(np.nditer, use, X)


def test_arguments_that_are_wrong():
    for args, options in (((np.zeros((0, 2)),), {}), ((X, ["zerosize_ok"]), {})):
        assert (
            outcome(ArrayIterator, list, *args, **options)[:1]
            == (outcome(np.nditer, list, *args, **options)[:1])
        )
    error = outcome(ArrayIterator, list, [X, X[0]], op_flags=["readwrite"])
    assert error[0] is outcome(np.nditer, list, [X, X[0]], op_flags=["readwrite"])[0] is ValueError
