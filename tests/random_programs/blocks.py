"""The two tests of a generator of random programs: a block with each run, many at length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Test = Callable[[int], None]


def blocks_of(
    is_answered: Callable[..., bool],
    *kind: Any,
    step: int,
    many: int,
    share: float,
) -> tuple[Test, Test]:
    """The tests: of blocks of `step` seeds, of which that share is answered.

    `is_answered` runs the program of a seed, of that kind if there are several; what it gives is
    right, or it was refused.
    """

    def check(start: int) -> None:
        with np.errstate(all="ignore"):
            answered = sum(is_answered(seed, *kind) for seed in range(start, start + step))
        assert answered >= share * step

    def check_at_length(start: int) -> None:
        check(start)

    one = pytest.mark.parametrize("start", [0])(check)
    more = range(step, step + many, step)
    return one, pytest.mark.long(pytest.mark.parametrize("start", more)(check_at_length))
