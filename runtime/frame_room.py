"""Room for the frames of deep calls.

CPython keeps the frames of Python functions in blocks of 16 KB. It asks the system for a block when
a call does not fit, and gives it back as soon as that call returns: a call that is made over and
over where a block ends costs some microseconds each time. Tracing is deep, and its statements are
such calls: a quarter of its time went there. A frame that is larger than a block gets one of its
own, of a power of two, and what is left of that serves the calls below it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["SLOTS", "roomy"]

P = ParamSpec("P")
R = TypeVar("R")

# Places for operands in the large frame: a little above half of 1 MB. Nothing is ever stored there,
# so that the system lends no memory for it; the other half holds more than a thousand frames.
SLOTS = 65_000


def roomy(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, its calls with room for the frames of some thousand calls within them."""

    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    called.__code__ = called.__code__.replace(co_stacksize=SLOTS)
    return functools.update_wrapper(called, function)
