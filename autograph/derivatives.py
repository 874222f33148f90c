"""`grad` and its kin for users: derivatives whose later calls run a graph.

The first call of a derivative computes with a tape, which is quick for what is done once. A second
one is traced and compiled, as a call of a converted function is. What cannot be part of a graph,
and what a graph would do in another way than the tape (printing, changing what is outside), stays
with the tape.
"""

from __future__ import annotations

import functools
import math
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar, cast

from autograph.concrete import ConcreteFunction, LeftToPython
from autograph.functions import Function
from autograph.operators.calls.calls import converted_call
from autograph.operators.stand_ins.scope import ConversionOptions, FunctionScope
from autograph.options import FunctionOptions
from autograph.signature import Arguments, Identity
from autograph.tracebacks import shorten
from autograph.traced import Traced
from runtime import trace
from runtime.autodiff import transforms
from runtime.autodiff.derived import Derived
from runtime.building import building
from runtime.caching import cached_property
from runtime.pickling import reduced
from runtime.variable import Variable

__all__ = ["grad", "hessian", "jacfwd", "jacobian", "jacrev", "value_and_grad"]

_Transform = TypeVar("_Transform", bound=Callable[..., Any])
# So many calls of a signature are left to the tape, and all that take so long: they do so many
# operations one by one that a trace of them would take seconds.
_CALLS, _LONG_SECONDS = 1, 0.05
# So many graphs a derivative may have, so many signatures that led to none, and so many that are
# known to have come.
_MOST_TRACES, _MOST_REFUSED, _MOST_KNOWN = 8, 4, 64


class _Graphs(Function[Any, Any]):
    """The graphs of a derivative; what leads to none raises LeftToPython, to the tape."""

    def __init__(self, target: Derived) -> None:
        super().__init__(target, FunctionOptions())
        self._calls: Counter[Any] = Counter()
        self._refused: set[Any] = set()
        self._shortest = math.inf

    @property
    def _is_given_up(self) -> bool:
        """Whether no other signature will be traced."""
        many = self._trace_count > _MOST_TRACES or len(self._refused) > _MOST_REFUSED
        return many or self._shortest > _LONG_SECONDS

    def _trace(
        self, bound: dict[str, Any], arguments: Arguments, exactly: bool = False
    ) -> tuple[Arguments, ConcreteFunction]:
        key = arguments.key
        if len(self._calls) > _MOST_KNOWN:
            self._calls.clear()
        self._calls[key] += 1
        if self._calls[key] <= _CALLS or key in self._refused or self._is_given_up:
            raise LeftToPython(RuntimeError("it is not traced yet"))
        try:
            found = super()._trace(bound, arguments, exactly)
        except Exception as error:  # noqa: BLE001 - whatever it is, the tape tells it
            self._refused.add(key)
            raise LeftToPython(error) from None
        traced = found[1]._traced
        if not _is_pure(traced):
            if not traced.created:  # which the next trace does not do
                self._refused.add(key)
            raise LeftToPython(RuntimeError("it has effects"))
        return found

    def _keep(self, concrete: ConcreteFunction) -> None:
        if _is_pure(concrete._traced):
            super()._keep(concrete)

    def _concrete(self, traced: Traced, reason: Any) -> ConcreteFunction:
        made = super()._concrete(traced, reason)
        if not any(map(_is_tensor, traced.arguments.keys)):
            made._returns = "numpy"  # as of the tape, whatever the function captures
        return made

    def _warn_of_retracing(self, reason: Any) -> None:
        pass  # nobody asked for a graph

    def _run_python(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        began = time.perf_counter()
        try:
            result = super()._run_python(args, kwargs)
        except BaseException:
            self._calls.clear()  # what raises is not worth a graph
            raise
        self._shortest = min(self._shortest, time.perf_counter() - began)
        return result


def _is_pure(traced: Traced) -> bool:
    """Whether calls of the graph give results, and do nothing else."""
    return traced.is_repeatable and not (traced.stages_nothing or traced.changes_containers)


def _is_tensor(key: Any) -> bool:
    """Whether an argument of such a key is a tensor or a Variable."""
    if isinstance(key, Identity):
        return isinstance(key.ref(), Variable)
    return isinstance(key, tuple) and key[0] in ("tensor", "weak")


class _Remembering(Derived):
    """A derivative that is compiled when it is called again."""

    _scope = FunctionScope("derivative", "fscope", ConversionOptions(user_requested=True))

    def __new__(cls, *made_of: Any) -> _Remembering:
        made = super().__new__(cls, *made_of)
        vars(made).pop("_graphs", None)  # of the function, if that is a derivative
        return cast("_Remembering", made)

    @cached_property
    def _graphs(self) -> Callable[..., Any]:
        transform, function, options = self._recipe
        return _Graphs(transform(function, *options))

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The derivative at the arguments, by its graph or by a tape."""
        try:
            if building() is None and not trace.tapes():
                return self._graphs(*args, **kwargs)
            return super().__call__(*args, **kwargs)
        except BaseException as error:
            shorten(error)
            raise

    def __ag_call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The derivative in the graph that is being traced."""
        if building() is None:
            return self(*args, **kwargs)
        return converted_call(self.func, args, kwargs, self._scope)

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
