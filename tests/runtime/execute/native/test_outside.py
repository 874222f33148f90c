"""What Python does where native code calls it: forms of results, errors, what is pending."""

import numpy as np
import pytest

from runtime.execute.native.miss import MISS
from runtime.execute.native.outside import Called, Descriptions
from runtime.execute.native.signature import Argument
from runtime.graph.ir import Node, Op, Value
from runtime.origins import Origin
from runtime.spec import TensorType

F8 = TensorType(np.dtype("f8"), (3,))
INT = TensorType(np.dtype("i8"), (), weak=True)
ORIGIN = Origin(__file__, 7, "sample")


def caller(function, result, **how):
    """What calls a node, whose kernel is a function."""
    op = Op("own", lambda xp, x: function(x), lambda type_: result)
    kept = () if result == () else (0,)
    node = Node(op, [Value(F8)], {}, (), [result] if kept else [])
    given = {
        "pending": None, "fails": False, "is_once": False, "repeats": False, "sees": False,
        "is_users": False, **how,
    }  # fmt: skip
    operands = (Argument("f8", False, (3,)),)
    called = Called(node, (ORIGIN,), operands, (), kept, **given)
    (made,) = Descriptions([called])._callers
    return made


def call(made, *operands):
    """What native code does: calls it, and tells of an error."""
    try:
        return made.function()(*operands)
    except BaseException as error:
        found = error
    return made.failed(found, found.__traceback__.tb_next, *operands)


def fail(x):
    raise ValueError("of the kernel")


def lines(error):
    found, trace = [], error.__traceback__
    while trace is not None:
        found.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
        trace = trace.tb_next
    return found


@pytest.mark.parametrize("how", [{}, {"sees": True}, {"is_users": True}])
def test_an_error_stands_at_the_users_line(how):
    with pytest.raises(ValueError, match="of the kernel") as caught:
        call(caller(fail, F8, **how), np.ones(3))
    names = [name for name, _ in lines(caught.value)]
    assert ("sample", 7) in lines(caught.value)
    assert names[names.index("sample") + 1 :] == ["<lambda>", "fail"]


def test_an_error_is_the_plans_where_that_raises_all_errors():
    made = caller(fail, F8, repeats=True)
    assert call(made, np.ones(3)) is MISS
    assert made.mended(MISS) is MISS

    def interrupt(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(caller(interrupt, F8, repeats=True), np.ones(3))


def test_what_is_pending_is_written_before_an_error():
    written = []
    attrs = {"write": lambda *parts: written.append(parts), "count": 2}
    pending = Node(Op("pending", lambda xp: (), lambda *types: ()), [], attrs)
    with pytest.raises(ValueError, match="of the kernel"):
        call(caller(fail, F8, pending=pending, is_once=True), np.ones(3), 4, 5.0)
    assert written == [(4, 5.0)]
    call(caller(lambda x: x, F8, pending=pending, is_once=True), np.ones(3), 4, 5.0)
    assert len(written) == 1


def test_a_node_that_is_known_to_fail_fails():
    with pytest.raises(ValueError, match="of the kernel"):
        call(caller(fail, F8, fails=True, is_once=True), np.ones(3))
    with pytest.raises(RuntimeError, match="native code found an error in `own`"):
        call(caller(lambda x: x, F8, fails=True, is_once=True), np.ones(3))


def test_code_of_the_users_that_changes_settings_is_an_error():
    def strict(x):
        np.seterr(all="raise")
        return x

    before = np.geterr()
    try:
        with pytest.raises(RuntimeError, match="changed how NumPy treats errors"):
            call(caller(strict, F8, is_users=True), np.ones(3))
    finally:
        np.seterr(**before)


def test_results_take_the_form_of_their_type():
    made = caller(lambda x: x, F8)
    whole = made.mended(np.arange(6.0)[::2])
    assert whole.flags.c_contiguous
    np.testing.assert_array_equal(whole, [0.0, 2.0, 4.0])
    assert made.mended(np.zeros(3, np.dtype("f8", metadata={"a": 1}))).dtype is np.dtype("f8")
    number = caller(lambda x: x, INT)
    assert type(number.mended(np.array(4))) is int
    with pytest.raises(OverflowError, match="does not fit in 64 bits"):
        number.mended(2**70)


def test_what_cannot_be_taken_is_an_error_where_there_are_effects():
    with pytest.raises(RuntimeError, match="`own` gave what its graph does not say"):
        caller(lambda x: x, F8, is_once=True).mended(MISS)
