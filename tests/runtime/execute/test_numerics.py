"""Tests of `runtime.execute.numerics`."""

import numpy as np
import pytest

from runtime import ops
from runtime.execute.numerics import refuse_new_nonfinite

LOG, WHERE = ops.log.op, ops.REGISTRY["where"].op
INF, NAN = np.float64(np.inf), np.array([1.0, np.nan])


@pytest.mark.parametrize(
    ("operands", "results"),
    [
        ((np.ones(2),), (np.zeros(2),)),
        ((INF,), (INF,)),
        ((np.ones(2), NAN), (NAN,)),
        ((), (INF,)),
        ((np.ones(2),), (np.arange(2), True, None)),
        ((1.0,), (2.5,)),
    ],
)
def test_what_was_there_already_or_is_finite_is_let_through(operands, results):
    refuse_new_nonfinite(LOG, operands, results)


@pytest.mark.parametrize(
    "results", [(INF,), (np.ones(2), NAN), (float("nan"),), (np.complex64(complex(0, np.inf)),)]
)
def test_a_new_one_is_refused_with_the_operation(results):
    with pytest.raises(FloatingPointError, match="`log` gave a nan or infinity"):
        refuse_new_nonfinite(LOG, (np.zeros(2), 3), results)
