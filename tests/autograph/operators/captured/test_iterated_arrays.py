"""Which calls of `np.nditer` a graph takes; see tests/language/test_nditer.py."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.iterated_arrays import check_iteration


@pytest.mark.parametrize("name", ["op_axes", "itershape", "buffersize"])
def test_arguments_that_are_refused(name):
    with pytest.raises(ag.StagingError, match=f"`{name}`"):
        check_iteration((np.zeros(2),), {name: [2]})


def test_flags_of_one_and_of_each_operand():
    check_iteration((np.zeros(2), ["multi_index"], ["readwrite"]), {})
    check_iteration(([np.zeros(2), None],), {"op_flags": [["readonly"], ["writeonly", "allocate"]]})
    with pytest.raises(ag.StagingError, match="the flag 'buffered'"):
        check_iteration((np.zeros(2), ["buffered"]), {})
    with pytest.raises(ag.StagingError, match="the flag 'copy'"):
        check_iteration(([np.zeros(2)],), {"op_flags": [["readonly", "copy"]]})
