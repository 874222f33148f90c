"""`tf.config.threading`: how many cores a call may use."""

from __future__ import annotations

from autograph.tf.names import serve
from runtime import config as switches

__all__ = [
    "get_inter_op_parallelism_threads",
    "get_intra_op_parallelism_threads",
    "set_inter_op_parallelism_threads",
    "set_intra_op_parallelism_threads",
]

_between = [0]


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """How many threads machine code may use for one large operation; 0: one per core.

    `AUTOGRAPH_THREADS` sets it for a process.

    >>> import autograph.tf as tf
    >>> tf.config.threading.set_intra_op_parallelism_threads(0)
    """
    switches.threads.set(num_threads)


def get_intra_op_parallelism_threads() -> int:
    """What `set_intra_op_parallelism_threads` was told; 0 at first.

    >>> import autograph.tf as tf
    >>> tf.config.threading.get_intra_op_parallelism_threads()
    0
    """
    return switches.threads.value


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Taken and kept: operations of one graph run one after the other.

    >>> import autograph.tf as tf
    >>> tf.config.threading.set_inter_op_parallelism_threads(0)
    """
    _between[0] = int(num_threads)


def get_inter_op_parallelism_threads() -> int:
    """What `set_inter_op_parallelism_threads` was told; 0 at first.

    >>> import autograph.tf as tf
    >>> tf.config.threading.get_inter_op_parallelism_threads()
    0
    """
    return _between[0]


serve(globals())
