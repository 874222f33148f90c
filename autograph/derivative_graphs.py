"""The graphs of derivatives that are called again; `autograph.derivatives` tells when."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from autograph.functions import Function
from autograph.operators.calls.calls import converted_call
from autograph.operators.values.scope import ConversionOptions, FunctionScope
from autograph.tracing.concrete import ConcreteFunction, LeftToPython
from autograph.tracing.options import FunctionOptions
from autograph.tracing.signature import Arguments, Identity
from autograph.tracing.traced import Traced
from runtime.autodiff.derived import Derived
from runtime.variable import Variable

__all__ = ["Graphs", "call_in_graph"]

_SCOPE = FunctionScope("derivative", "fscope", ConversionOptions(user_requested=True))
# All calls that take so long are left to the tape: they do so many operations one by one that a
# trace of them would take seconds.
_LONG_SECONDS = 0.05
# So many graphs a derivative may have, so many signatures that led to none, and so many that are
# known to have come.
_MOST_TRACES, _MOST_REFUSED, _MOST_KNOWN = 8, 4, 64


def call_in_graph(derivative: Derived, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a derivative in the graph that is being traced."""
    return converted_call(derivative.func, args, kwargs, _SCOPE)


class Graphs(Function[Any, Any]):
    """The graphs of a derivative; what leads to none raises LeftToPython, to the tape."""

    def __init__(self, target: Derived, seconds: float) -> None:
        """Of a derivative whose first call has taken so long."""
        super().__init__(target, FunctionOptions())
        self._calls: Counter[Any] = Counter()
        self._refused: set[Any] = set()
        self._shortest = seconds

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
        # The first one that comes is taken for that of the derivative's first call.
        self._calls[key] += 1 if self._calls else 2
        if self._calls[key] < 2 or key in self._refused or self._is_given_up:
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
        result = super()._run_python(args, kwargs)
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
