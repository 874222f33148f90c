"""`grad` and its kin for users: derivatives whose later calls run a graph.

The first call of a derivative computes with a tape, which is quick for what is done once. A second
one is traced and compiled, as a call of a converted function is. What cannot be part of a graph,
and what a graph would do in another way than the tape (printing, changing what is outside), stays
with the tape.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from runtime import trace
from runtime.autodiff import transforms
from runtime.autodiff.derived import Derived
from runtime.autodiff.transforms import UsersLines
from runtime.building import building
from runtime.process.caching import cached_property
from runtime.process.forks import whole
from runtime.process.later import later
from runtime.process.pickling import reduced

__all__ = ["grad", "hessian", "jacfwd", "jacobian", "jacrev", "value_and_grad"]

_Transform = TypeVar("_Transform", bound=Callable[..., Any])


def _graphs_of() -> Any:
    """What needs the compiler, which waits for a second call; whole, where another thread forks."""
    with whole:
        return later("autograph.derivative_graphs")


class _Remembering(Derived):
    """A derivative that is compiled when it is called again."""

    # How long the first call took; None before it.
    _seconds: float | None = None

    def __new__(cls, *made_of: Any) -> _Remembering:
        made = super().__new__(cls, *made_of)
        for name in ("_graphs", "_seconds"):
            vars(made).pop(name, None)  # of the function, if that is a derivative
        return cast("_Remembering", made)

    @cached_property
    def _graphs(self) -> Callable[..., Any]:
        transform, function, options = self._recipe
        derived = transform(function, *options)
        graphs: Callable[..., Any] = _graphs_of().Graphs(derived, self._seconds)
        return graphs

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The derivative at the arguments, by its graph or by a tape."""
        with UsersLines():
            if building() is not None or trace.tapes():
                return super().__call__(*args, **kwargs)
            if self._seconds is not None:
                return self._graphs(*args, **kwargs)
            began = time.perf_counter()
            result = super().__call__(*args, **kwargs)
            self._seconds = time.perf_counter() - began
            return result

    def __ag_call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The derivative in the graph that is being traced."""
        if building() is None:
            return self(*args, **kwargs)
        return _graphs_of().call_in_graph(self, args, kwargs)

    def __reduce__(self) -> Any:
        transform, function, options = self._recipe
        return reduced(self, functools.partial(_again, transform), function, *options)


def _remembering(derived: Derived) -> Derived:
    transform, function, options = derived._recipe
    return _Remembering(derived.func, transform, function, *options)


def _again(transform: Callable[..., Derived], *recipe: Any) -> Derived:
    return _remembering(transform(*recipe))


def _remembered(transform: _Transform) -> _Transform:
    """A transform of `runtime` that gives derivatives which are compiled when called again."""

    @functools.wraps(transform)
    def made(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Derived:
        return _remembering(transform(f, *args, **kwargs))

    return cast("_Transform", made)


grad = _remembered(transforms.grad)
value_and_grad = _remembered(transforms.value_and_grad)
jacobian = jacrev = _remembered(transforms.jacobian)
jacfwd = _remembered(transforms.jacfwd)
hessian = _remembered(transforms.hessian)
