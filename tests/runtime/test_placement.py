"""Where an operation is computed: the rule by itself."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.devices import placing
from runtime.placement import Fact, Placed, fact_of_type, homes, place
from runtime.spec import TensorType, VariableType, type_of_number
from tests.devices.disguised import disguised, far


@pytest.fixture(autouse=True)
def far_devices():
    with disguised():
        yield


HOST_ARRAY = Fact(None, False, False)
SCALAR = Fact(None, True, False)
NUMBER = Fact(None, True, True)
THERE = Fact("/far:0", False, False)
ADD, SORT, FULL, ZEROS = (
    ops.add.op,
    ops.REGISTRY["sort"].op,
    ops.REGISTRY["full"].op,
    ops.zeros_of.op,
)


def test_on_the_host_nothing_is_moved():
    assert place(ADD, [HOST_ARRAY, SCALAR]) is None


def test_an_operation_is_where_its_operands_are():
    assert place(ADD, [THERE, THERE]) == Placed("/far:0", (False, False))


def test_scalars_of_the_host_are_copied_and_numbers_are_not():
    assert place(ADD, [THERE, SCALAR]) == Placed("/far:0", (False, True))
    assert place(ADD, [THERE, NUMBER]) == Placed("/far:0", (False, False))
    assert place(FULL, [Fact("/far:0", False, False), SCALAR]).moved == (False, False)


def test_two_devices_do_not_meet():
    with pytest.raises(ag.DeviceError, match="`add`"):
        place(ADD, [THERE, HOST_ARRAY])


def test_a_context_copies_what_is_elsewhere():
    with placing("/far:0"):
        assert place(ADD, [THERE, HOST_ARRAY]) == Placed("/far:0", (False, True))
        assert place(FULL, []) == Placed("/far:0", ())
        assert place(SORT, [NUMBER]) == Placed("/far:0", (True,))
    with placing("/cpu:0"):
        assert place(ADD, [THERE, HOST_ARRAY]) == Placed(None, (True, False))


def test_scalars_among_themselves_stay_on_the_host():
    with placing("/far:0"):
        assert place(ADD, [SCALAR, NUMBER]) is None
        assert place(ADD, [NUMBER, NUMBER]) is None


def test_what_passes_values_on_stays():
    with placing("/far:0"):
        assert place(ZEROS, [HOST_ARRAY]) is None
        assert place(ops.REGISTRY["getitem"].op, [HOST_ARRAY]) is None


def test_facts_of_types():
    array = TensorType(np.dtype("f4"), (3,), device="/far:0")
    assert fact_of_type(array) == THERE
    assert fact_of_type(type_of_number(1)) == NUMBER
    assert not fact_of_type(VariableType(np.dtype("f4"), (3,), "/far:0")).is_value


def test_homes_are_those_of_arrays_in_nests():
    operands = [np.ones(2), [far(np.ones(2)), 1.0], np.float64(1), "text"]
    assert list(homes(operands)) == [None, "/far:0"]


def test_lists_have_no_device_of_their_own():
    nest = Fact(None, False, False, is_nest=True)
    assert place(ADD, [THERE, nest]) == Placed("/far:0", (False, True))
    assert place(ADD, [HOST_ARRAY, nest]) is None
    assert fact_of_type(TensorType(np.dtype("f8"), (2,)), [1.0, 2.0]) == nest
    assert not fact_of_type(TensorType(np.dtype("f8"), (2,), device="/far:0"), [far(1)]).is_nest


def flat_by_list(x):
    x.flat[[0, 2]] = [1.5, 2.5]
    x.flat[1:3] = (5.0, 6.0)
    return x


def all_flat(x):
    x.flat = [1, 2, 3, 4]
    return x


def rows_by_list(x):
    x[[0, 1]] = [8.0, 9.0]
    x[x > 8] = [-1.0, -2.0]
    return x


@pytest.mark.parametrize("write", [flat_by_list, all_flat, rows_by_list])
def test_lists_are_written_into_arrays_of_a_device(write):
    x = np.arange(4.0).reshape(2, 2)
    wanted = write(x.copy())
    eager = write(ag.constant(x).to("/far:0"))
    staged = ag.convert(write)(far(x.copy()))
    assert eager.device == "/far:0"
    np.testing.assert_array_equal(eager.to("/cpu:0").numpy(), wanted)
    np.testing.assert_array_equal(staged.get(), wanted)


def test_host_arrays_are_not_copied_by_themselves():
    def write(x):
        x[:] = np.ones(2)

    with pytest.raises(ag.DeviceError, match="on /cpu:0 and /far:0"):
        write(ag.constant(np.zeros(2)).to("/far:0"))


def test_memory_is_not_shared_between_devices():
    x = np.arange(3.0)
    there = ag.constant(x).to("/far:0")
    for make, error in ((ag.asarray, ValueError), (ag.from_dlpack, BufferError)):
        with pytest.raises(error, match="memory of /cpu:0 cannot be shared with /far:0"):
            make(x, device="/far:0", copy=False)
        with pytest.raises(error, match="memory of /far:0 cannot be shared with /cpu:0"):
            make(there, device="/cpu:0", copy=False)
        assert make(there, device="/far:0", copy=False).device == "/far:0"
        assert make(x, device="/far:0").device == "/far:0"
    assert ag.from_dlpack(far(x)).device == "/far:0"
    with pytest.raises(ValueError, match="list has no memory"):
        ag.asarray([1.0], device="/cpu:0", copy=False)
