"""A row of the table: one workload, as one would write it for ours and for each peer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

import autograph as ag

__all__ = [
    "FRAMEWORKS",
    "VARIANTS",
    "Call",
    "Compiling",
    "Make",
    "Row",
    "of_jax",
    "of_numba",
    "of_tensorflow",
    "of_torch",
    "random",
    "whole",
]

Call: TypeAlias = Callable[[], Any]
# From the framework and the inputs, arrays of NumPy, to a call that gives finished results.
Make: TypeAlias = Callable[..., Call]


@dataclass(frozen=True)
class Row:
    """A workload: `plain` on the `inputs` is what NumPy does, and what ours is made of.

    `ours` makes the call where it is another function; `peers` make theirs. The results of the
    first `calls` calls are compared, within `rtol` and `atol`.
    """

    name: str
    text: str
    inputs: Callable[[], tuple[Any, ...]]
    plain: Callable[..., Any]
    peers: Mapping[str, Make]
    rtol: float = 1e-6
    atol: float = 1e-6
    calls: int = 1
    ours: Callable[..., Any] | None = None
    # Makes the function for calls that keep state: a new one, with new state, each time.
    fresh: Callable[[Any], Callable[..., Any]] | None = None
    # Whether NumPy's own form is there; else ours as a plan is what results are compared with.
    has_numpy: bool = True
    # The part of the elements that may differ.
    differing: float = 0.0
    # Whether it can be done in other dtypes.
    is_generic: bool = True
    # Inputs of another size.
    resized: Callable[[], tuple[Any, ...]] | None = None

    def converted(self, **options: Any) -> tuple[Any, tuple[Any, ...]]:
        """Our function, converted anew, and its arguments."""
        function = self.fresh(ag) if self.fresh is not None else self.ours or self.plain
        return ag.convert(function, **options), self.inputs()

    def make(self, peer: str, framework: Any) -> Call:
        """The call of a peer; ours is "ours", as a plan "plan"."""
        if peer in ("ours", "plan"):
            function, inputs = self.converted(native=None if peer == "ours" else False)
            return lambda: function(*inputs)
        peer = FRAMEWORKS.get(peer, peer)
        if peer == "numpy" and not self.has_numpy:
            raise KeyError(peer)
        if peer == "numpy":
            inputs = self.inputs()
            function = self.fresh(np) if self.fresh is not None else self.plain
            return lambda: function(*inputs)
        return self.peers[peer](framework, *self.inputs())

    def variant(self, kind: str) -> Row | None:
        """The row with inputs of another "size" or "dtype", or with one operation "more".

        None where it has none: the state of a training step has a dtype, and ends the function.
        """
        named = replace(self, name=f"{self.name}:{kind}")
        if kind == "size":
            return None if self.resized is None else replace(named, inputs=self.resized)
        if self.fresh is not None or (kind == "dtype" and not self.is_generic):
            return None
        if kind == "dtype":
            inputs = partial(_of_other_dtype, self.inputs)
            unchanged = [np.result_type(x) for x in self.inputs()]
            return (
                None
                if [np.result_type(x) for x in inputs()] == unchanged
                else replace(named, inputs=inputs)
            )
        assert kind == "more", kind
        peers = {name: partial(make, then=_tripled) for name, make in self.peers.items()}
        ours = None if self.ours is None else _followed(self.ours, _tripled)
        return replace(named, plain=_followed(self.plain, _tripled), ours=ours, peers=peers)

    def agrees(self, found: Any, expected: Any) -> bool:
        """Whether results are the expected ones."""
        if isinstance(expected, tuple | list):
            pairs = zip(found, expected, strict=True)
            return all(self.agrees(a, b) for a, b in pairs)
        close = np.isclose(np.asarray(found), np.asarray(expected), self.rtol, self.atol)
        return bool(np.mean(~close) <= self.differing)


def random(seed: int) -> np.random.RandomState:
    """Numbers of a fixed seed."""
    return np.random.RandomState(seed)


# ---- variants ------------------------------------------------------------------------------------

VARIANTS = ("size", "dtype", "more")
_OTHER_DTYPES = {"f4": "f8", "f8": "f4", "i4": "i8"}


def _of_other_dtype(inputs: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    found = []
    for x in inputs():
        kind = f"{x.dtype.kind}{x.dtype.itemsize}"
        found.append(x.astype(_OTHER_DTYPES[kind]) if kind in _OTHER_DTYPES else x)
    return tuple(found)


def _tripled(result: Any) -> Any:
    if isinstance(result, (tuple, list)):
        return tuple([r * 3 for r in result])
    return result * 3


def _followed(function: Callable[..., Any], then: Callable[[Any], Any] | None) -> Any:
    """`function`, and what is done with its result."""
    if then is None:
        return function

    def both(*given: Any) -> Any:
        return then(function(*given))

    return both


# ---- peers -----------------------------------------------------------------------------------

# Peers that compile what is written for another one, and the module of that.
FRAMEWORKS = {"xla": "tensorflow", "inductor": "torch"}


class Compiling:
    """A framework that compiles what it is given: its module, but for some of the names."""

    def __init__(self, module: Any, **names: Any) -> None:
        self._module = module
        vars(self).update(names)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def whole(torch: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, compiled where that is what is measured."""
    return torch.compile(function) if isinstance(torch, Compiling) else function


def of_jax(function: Callable[[Any, Any], Callable[..., Any]], **options: Any) -> Make:
    """`function(jax, jax.numpy)` compiled."""

    def make(jax: Any, *inputs: Any, then: Any = None) -> Call:
        compiled = jax.jit(_followed(function(jax, jax.numpy), then), **options)
        given = tuple(map(jax.numpy.asarray, inputs))
        return lambda: jax.block_until_ready(compiled(*given))

    return make


def of_tensorflow(function: Callable[[Any], Callable[..., Any]]) -> Make:
    """`function(tf)` as a graph."""

    def make(tf: Any, *inputs: Any, then: Any = None) -> Call:
        graph = tf.function(_followed(function(tf), then))
        given = tuple(map(tf.constant, inputs))
        return lambda: tf.nest.map_structure(lambda t: t.numpy(), graph(*given))

    return make


def of_torch(function: Callable[[Any], Callable[..., Any]]) -> Make:
    """`function(torch)`, eagerly or compiled."""

    def make(torch: Any, *inputs: Any, then: Any = None) -> Call:
        function_ = whole(torch, _followed(function(torch), then))
        given = tuple(torch.as_tensor(np.asarray(x)) for x in inputs)

        def call() -> Any:
            results = function_(*given)
            if isinstance(results, tuple):
                return tuple(r.detach().numpy() for r in results)
            return results.detach().numpy() if isinstance(results, torch.Tensor) else results

        return call

    return make


def of_numba(function: Callable[..., Any]) -> Make:
    """The same function, compiled."""

    def make(numba: Any, *inputs: Any, then: Any = None) -> Call:
        compiled = numba.njit(function)
        if then is not None:
            inner = compiled
            compiled = numba.njit(lambda *given: inner(*given) * 3)
        return lambda: compiled(*inputs)

    return make
