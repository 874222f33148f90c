"""Steps of views, found out of the expressions for their elements."""

import numpy as np
import pytest

from runtime.lowering.kernels.arrays import Computed, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Buffer, Register, read
from runtime.lowering.kernels.scalar import call, const, index
from runtime.lowering.kernels.strides import steps_of, strided


def stored(shape):
    buffer = Buffer("x", "f8", shape)
    return Stored(buffer, shape, "f8")


def view(x, shape, back):
    b = Builder("test")
    return b, Computed(lambda i: b.at(x, back(i)), shape, "f8", is_view=True)


def test_an_array_has_the_steps_of_numpys():
    for shape in ((3, 4, 5), (7,), ()):
        expected = tuple(n // 8 for n in np.zeros(shape).strides)
        assert steps_of(shape) == expected


VIEWS = [
    ((5, 4), lambda i: [i[1], i[0]], lambda x: x.T),
    ((2, 5), lambda i: [call("add", call("mul", i[0], index(2)), index(1)), i[1]],
     lambda x: x[1::2]),
    ((4, 5), lambda i: [i[0], call("sub", index(4), i[1])], lambda x: x[:, ::-1]),
    ((3, 4, 5), lambda i: [i[1], i[2]], lambda x: np.broadcast_to(x, (3, 4, 5))),
    ((5,), lambda i: [index(2), i[0]], lambda x: x[2]),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "back", "function"), VIEWS)
def test_a_view_has_the_steps_of_numpys(shape, back, function):
    x = stored((4, 5))
    b, found = view(x, shape, back)
    whole = np.arange(20.0).reshape(4, 5)
    part = function(whole)
    place = strided(b, found)
    assert place.buffer is x.buffer
    assert place.steps == tuple(n // 8 for n in part.strides)
    assert place.start == int(part.flat[0])
    assert not b.program.body, "nothing was written for it"


def test_a_position_known_at_run_time_is_part_of_the_start():
    row = read(Register("row", "i8"))
    b, found = view(stored((4, 5)), (5,), lambda i: [row, i[0]])
    place = strided(b, found)
    assert place.steps == (1,) and place.start.function == "mul"


def test_what_is_computed_or_uneven_has_no_steps():
    b, squares = view(stored((30,)), (5,), lambda i: [call("mul", i[0], i[0])])
    assert strided(b, squares) is None
    assert strided(b, Computed(lambda i: const(1.0, "f8"), (3,), "f8")) is None
