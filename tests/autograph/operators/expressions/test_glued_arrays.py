"""`np.r_` and `np.c_` of traced parts; of others they are NumPy's own affair."""

import numpy as np
import pytest

from autograph.operators.expressions.access import getitem
from autograph.operators.expressions.glued_arrays import is_glued_by_ops
from runtime import ops
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def test_what_has_no_tensor_is_glued_by_numpy():
    assert not is_glued_by_ops((np.ones(2), 1.0, slice(0, 3)))
    assert isinstance(getitem(np.r_, (1, 2)), np.ndarray)
    with tracing() as facts:
        made = getitem(np.c_, (np.ones(2), np.ones(2)))
        assert made.is_array and made.shape == (2, 2)  # a constant, which may be written by data
        assert not {"concat", "stack"} & {node.op.name for node in facts.builder.graph.nodes}


def test_any_part_may_be_a_tensor():
    with tracing():
        x = placeholder()
        assert is_glued_by_ops(x) and is_glued_by_ops(([1.0, [x]], 2))
        assert is_glued_by_ops(slice(0, x, 4j))


def test_new_axes_are_where_the_glue_has_them():
    with tracing():
        x = placeholder(shape=(3,))
        assert getitem(np.r_, (x, 1.0)).shape == (4,) and getitem(np.c_, (x, x)).shape == (3, 2)
        assert getitem(np.c_, (placeholder(), 1)).shape == (1, 2)
        assert getitem(np.r_, ("0,2", x, x)).shape == (2, 3)
        assert getitem(np.r_, ("1,3,1", x, slice(0, 3))).shape == (1, 6, 1)
        assert getitem(np.r_, ("-1", placeholder(shape=(2, 1)), np.ones((2, 2)))).shape == (2, 3)


def test_numbers_of_python_take_the_dtype_of_the_others():
    with tracing():
        x = ops.astype(placeholder(shape=(3,)), np.float32)
        weak = ops.as_weak(placeholder(), kind="float")
        assert getitem(np.r_, (x, weak, 1)).dtype == np.float32
        assert getitem(np.r_, (x, placeholder())).dtype == np.float64
        assert getitem(np.r_, (x, [weak])).dtype == np.float64


@pytest.mark.parametrize(("key", "error"), [(("x",), ValueError), ((1.0, "0,2"), ValueError)])
def test_a_wrong_directive_is_named_as_numpy_does(key, error):
    with tracing(), pytest.raises(error, match="special directive"):
        getitem(np.r_, (*key, placeholder(shape=(3,))))
