"""How native code has Python compute something: rows of words in, results in their places."""

import ctypes
import re

import numpy as np
import pytest

from runtime.execute.native import calling_out
from runtime.execute.native.context import HANDLERS, Context
from runtime.execute.native.entry import REFUSED
from runtime.execute.native.miss import MISS
from runtime.execute.native.outside import Called, Descriptions
from runtime.execute.native.signature import Argument, Signature, row
from runtime.graph.ir import Node, Op, Value
from runtime.ops.declaration.declare import REGISTRY
from runtime.spec import TensorType

pytest.importorskip("llvmlite", exc_type=ImportError)


def array_type(*shape, dtype="f8"):
    return TensorType(np.dtype(dtype), shape)


def number(kind):
    return TensorType(np.dtype(kind), (), weak=True)


def argument(type_):
    kind = f"{type_.dtype.kind}{type_.dtype.itemsize}"
    return Argument(kind, type_.weak, type_.shape or None)


def called(op, attrs, operands, results, **how):
    """A node of an op, as native code calls it."""
    node = Node(op, [Value(t) for t in operands], attrs, (), results)
    given = {"is_once": False, "repeats": False, "sees": False, "is_users": False, **how}
    arguments = tuple(map(argument, operands)), tuple(map(argument, results))
    return Called(node, (), *arguments, tuple(range(len(results))), None, False, **given)


def op_of(function, result):
    """An op of the test's own."""
    return Op("own", lambda xp, *operands: function(*operands), lambda *types: result)


def call(one, *words):
    """Calls it with a row of words; gives the status and the row."""
    described = Descriptions([one])
    handlers = dict.fromkeys(HANDLERS, MISS)
    context = Context(handlers, {"outside": described.address}, Signature((), ()).words())
    words = row(words)
    function = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)(
        calling_out.address()
    )
    return function(context.address, 0, ctypes.addressof(words)), list(words)


def at(array):
    return array.ctypes.data


@pytest.mark.parametrize("sees", [False, True])
def test_an_array_is_computed_into_its_place(sees):
    x, y = np.array([[3.0, 1.0], [0.0, 2.0]]), np.zeros((2, 2))
    type_ = array_type(2, 2)
    one = called(REGISTRY["sort"].op, {"axis": -1, "stable": False}, [type_], [type_], sees=sees)
    status, _ = call(one, at(x), 2, 2, at(y), 2, 2)
    assert status == 0
    np.testing.assert_array_equal(y, [[1.0, 3.0], [0.0, 2.0]])
    np.testing.assert_array_equal(x, [[3.0, 1.0], [0.0, 2.0]])


def test_a_kernel_that_sees_gets_the_memory_itself_and_another_a_copy():
    x = np.arange(3.0)
    for sees in (True, False):
        seen = []
        op = op_of(lambda a, seen=seen: seen.append(np.shares_memory(a, x)) or 1.5, number("f8"))
        status, words = call(
            called(op, {}, [array_type(3)], [number("f8")], sees=sees), at(x), 3, 0
        )
        assert status == 0 and seen == [sees]
        assert np.array(words[2], np.int64).view(np.float64) == 1.5


def test_a_view_that_is_kept_all_the_same_is_parted_from_the_memory():
    x, kept = np.arange(3.0), []
    op = op_of(lambda a: kept.append(a) or 1, number("i8"))
    assert call(called(op, {}, [array_type(3)], [number("i8")], sees=True), at(x), 3, 0)[0] == 0
    x[:] = 7
    np.testing.assert_array_equal(kept[0], [0.0, 1.0, 2.0])


def test_scalars_of_all_kinds_come_and_go():
    for kind in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"):
        given = []
        type_ = TensorType(np.dtype(kind), ())
        op = op_of(lambda a, given=given: given.append(a) or a, type_)
        word = int.from_bytes(np.ones(1, kind).tobytes().ljust(8, b"\0"), "little")
        status, words = call(called(op, {}, [type_], [type_]), word, 0)
        assert status == 0 and type(given[0]) is np.dtype(kind).type and given[0] == 1
        found = np.array(words[1:], np.int64).view(kind)[0]
        assert found == 1


def test_python_numbers_come_and_go():
    given = []
    op = op_of(lambda *numbers: given.append(numbers) or 5, number("i8"))
    types = [number("i8"), number("f8"), number("b1")]
    half = int(np.float64(0.5).view(np.int64))
    status, words = call(called(op, {}, types, [number("i8")]), -3, half, 1, 0)
    assert status == 0 and words[3] == 5
    assert given == [(-3, 0.5, True)] and list(map(type, given[0])) == [int, float, bool]


def test_several_results_and_none():
    x, y = np.arange(4.0), np.zeros(4)
    types = (array_type(4), number("i8"))
    op = op_of(lambda a: (a[::-1], np.int64(3)), types)
    status, words = call(called(op, {}, [array_type(4)], types), at(x), 4, at(y), 4, 0)
    assert status == 0 and words[4] == 3
    np.testing.assert_array_equal(y, x[::-1])
    op = op_of(lambda a: (), ())
    assert call(called(op, {}, [array_type(4)], ()), at(x), 4)[0] == 0


@pytest.mark.parametrize("result", [np.zeros(3), np.zeros(4, np.float32), np.zeros((4, 1)), "no"])
def test_what_is_not_stated_is_refused_or_an_error(result):
    x, y = np.arange(4.0), np.zeros(4)
    op = op_of(lambda a: result, array_type(4))
    one = called(op, {}, [array_type(4)], [array_type(4)])
    assert call(one, at(x), 4, at(y), 4)[0] == REFUSED
    with pytest.raises(RuntimeError, match="`own` gave what its graph does not say"):
        call(one._replace(is_once=True), at(x), 4, at(y), 4)


def test_an_error_is_raised():
    def fails(x):
        raise KeyError(float(x[1]))

    x = np.arange(4.0)
    with pytest.raises(KeyError, match=r"1\.0"):
        call(called(op_of(fails, number("f8")), {}, [array_type(4)], [number("f8")]), at(x), 4, 0)


def test_the_text_holds_no_address():
    assert max(map(int, re.findall(r"\b\d+\b", calling_out.calling_out_text()))) < 1 << 20
