"""Generators: draws whose key and counter are the content of a Variable."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

from runtime import ops, trace
from runtime.building import building
from runtime.devices import placing_on
from runtime.eager import Eager
from runtime.errors import StagingError
from runtime.execute.lending import lending
from runtime.graph.ir import Op
from runtime.ops.declaration.declare import no_gradient
from runtime.ops.declaration.operands import is_tensor
from runtime.ops.random.draws import random_advance, random_fold, random_split
from runtime.origins import origin_of_caller
from runtime.process.forks import new_after_forks
from runtime.random.arguments import Encoded, encoded
from runtime.random.draws import Draws, Keyed
from runtime.random.keys import as_key
from runtime.spec import Dim, TensorType
from runtime.variable import Variable

__all__ = ["ADVANCE", "Generator", "get_global_generator", "set_seed", "source"]

_SCALAR = TensorType(np.dtype(np.uint64), ())
_streams_lock = new_after_forks(threading.Lock())


def _advance(
    xp: Any, storage: Any, *dims: Any, shape: tuple[Dim, ...], width: int
) -> tuple[Any, Any]:
    with lending:  # draws of several threads never take the same blocks
        key, counter, storage.array = random_advance.op.kernel(
            xp, storage.array, *dims, shape=shape, width=width
        )
    return key, counter


ADVANCE = Op(
    "advance",
    _advance,
    lambda state, *dims, shape, width: (_SCALAR, _SCALAR),
    vjp=no_gradient,
    effect="draw",
    raises=lambda types, attrs: len(types) > 1,
    doc="Take the blocks of a draw from a generator: its key, and the number of the first one.",
)


class Generator(Draws):
    """A source of random numbers with a state of its own, a Variable.

    `seed` is an integer, or a key; without one, the operating system gives a key. In a converted
    function a draw is an ordered effect on the state: each call draws anew, and a loop in each
    round. `state` holds the key and the number of blocks used; a draw of `n` elements uses
    `ceil(n / 2)` blocks (dtypes of at most 32 bits: `ceil(n / 4)`; gamma and Poisson: `n`; choices
    and permutations: as for 64 bits per candidate), whatever is drawn.

    >>> import autograph as ag
    >>> g = ag.random.Generator(seed=7)
    >>> g.integers(0, 10, shape=4).numpy(), g.integers(0, 10, shape=4).numpy()
    (array([7, 0, 7, 9]), array([0, 8, 2, 1]))
    """

    def __init__(self, seed: Any = None) -> None:
        key = _entropy() if seed is None else _known(seed)
        with placing_on(None):  # numbers on the host, whoever draws
            self._state = Variable(_state(key), trainable=False, name="random_state")

    @classmethod
    def from_seed(cls, seed: Any) -> Generator:
        """The generator that begins at an integer or a key."""
        return cls(seed)

    @classmethod
    def from_state(cls, state: Any) -> Generator:
        """A generator that goes on where another one's `state` was."""
        array = np.asarray(state.numpy() if isinstance(state, Variable) else state)
        if array.dtype != np.uint64 or array.shape != (2,):
            raise ValueError(f"a state is a uint64 array of shape (2,), not {array!r}")
        made = cls(0)
        made._state.assign(array)
        return made

    @property
    def state(self) -> Variable:
        """The Variable that holds the key and the number of blocks used so far."""
        return self._state

    def blocks(self, shape: Encoded, width: int) -> tuple[Any, Any]:
        """Key and first block for a draw of this shape; moves the state on."""
        static, dims = shape
        key, counter = trace.apply(ADVANCE, (self._state, *dims), {"shape": static, "width": width})
        return key, counter

    def reset(self, seed: Any) -> None:
        """Begin anew at an integer or a key."""
        self._state.assign(ops.stack([as_key(seed), np.uint64(0)]))

    def split(self, num: int = 2) -> list[Generator]:
        """New generators, independent of each other and of this one, which moves on.

        Raises StagingError in a converted function; there, split keys.
        """
        if building() is not None:
            raise StagingError(
                "generators are made while a graph is being traced",
                "split them outside of the converted function, or use ag.random.split on keys",
                origin=origin_of_caller(),
            )
        key, counter = self.blocks(((1,), ()), 128)
        static, dims = encoded(num, "num")
        keys = random_split(random_fold(key, counter), *dims, shape=static)
        return [Generator(key) for key in keys.numpy().tolist()]

    def __repr__(self) -> str:
        key, counter = self._state.array.tolist()
        return f"<Generator key={key:#018x} blocks={counter}>"

    def __reduce__(self) -> Any:
        return Generator.from_state, (self._state.array,)


def _entropy() -> int:
    return int.from_bytes(os.urandom(8))


def _known(seed: Any) -> int:
    key = as_key(seed)
    if is_tensor(key) and not key.is_known:
        raise StagingError(
            "a Generator is made of a seed that is known only when the graph runs",
            "pass the seed as a Python int, or draw with key=ag.random.key(seed)",
            origin=origin_of_caller(),
        )
    return int(key)


def _state(key: int) -> np.ndarray[Any, Any]:
    return np.array([key, 0], np.uint64)


# ---- the generators of the process -------------------------------------------------------------

_global = Generator()
# Streams of their own for those who give a `seed` to a function.
_streams: dict[int, Generator] = {}
_base: int = 0


def get_global_generator() -> Generator:
    """The generator that the functions of `ag.random` draw from.

    >>> import autograph as ag
    >>> ag.random.set_seed(7)
    >>> ag.random.get_global_generator()
    <Generator key=0x0000000000000007 blocks=0>
    """
    return _global


def set_seed(seed: Any) -> None:
    """Begin anew: the global generator, and the stream of each `seed=` of the functions.

    `seed` is an integer or a key; with None the global generator begins at random, and the streams
    as in a new process. Raises StagingError in a converted function, where it would run once per
    trace.

    >>> import autograph as ag
    >>> ag.random.set_seed(7)
    >>> first = ag.random.uniform((3,))
    >>> ag.random.set_seed(7)
    >>> ag.random.uniform((3,)).tolist() == first.tolist()
    True
    """
    global _base
    if building() is not None:
        raise StagingError(
            "set_seed is called while a graph is being traced",
            "call it outside of the converted function, or draw from a Generator, which has reset, "
            "or with key=",
            origin=origin_of_caller(),
        )
    key = _entropy() if seed is None else _known(seed)
    with _streams_lock:
        _base = 0 if seed is None else key
        _global.reset(key)
        for number, stream in _streams.items():
            stream.reset(_stream_key(number))


def _stream_key(number: int) -> int:
    """The key of the stream of that `seed`."""
    made = random_fold(np.uint64(_base), as_key(number))
    return int(made)


def _stream(seed: Any) -> Generator:
    if is_tensor(seed):
        raise TypeError(
            f"seed must be a Python int, but is {seed!r}; where it is computed, pass "
            "key=ag.random.key(seed)"
        )
    number = int(as_key(seed))
    with _streams_lock:
        if number not in _streams:
            # It outlives the trace in which it is first met.
            with trace.interpreting(Eager()):
                _streams[number] = Generator(_stream_key(number))
        return _streams[number]


def source(seed: Any, key: Any) -> Draws:
    """Where a function of `ag.random` draws from: a key, the stream of a seed, the global state."""
    if key is not None:
        if seed is not None:
            raise ValueError("give seed or key, not both")
        return Keyed(as_key(key))
    return _global if seed is None else _stream(seed)
