"""What `convert` is told: its options, and the parameters of the function."""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
from collections.abc import Iterator, Mapping
from types import FunctionType, MappingProxyType, MethodType
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.captured.methods import call_without_object
from autograph.status import check_features
from autograph.tracing.code_guards import FunctionGuard, same_items
from runtime.devices import resolve

__all__ = ["Binding", "FunctionOptions", "check_options", "without_partials"]

_OPTIONS = frozenset(
    (
        "input_signature", "reduce_retracing", "recursive", "autograph", "native", "device",
        "prints", "returns", "pure", "name", "jit_compile", "experimental_implements",
        "experimental_autograph_options", "experimental_attributes", "experimental_relax_shapes",
        "experimental_compile", "experimental_follow_type_hints", "strict_errors",
    )
)  # fmt: skip


class Binding:
    """Binds call arguments to the parameters of a function, defaults included."""

    def __init__(self, target: Any) -> None:
        self._take(_signature_of(target))
        self._target = target
        self._behind = [_State(one) for one in _behind(target)]

    @classmethod
    def of(cls, signature: inspect.Signature) -> Binding:
        """The binding of calls that have a signature."""
        made = cls.__new__(cls)
        made._take(signature)
        made._target, made._behind = None, []
        return made

    def is_current(self) -> bool:
        """Whether the parameters, and their defaults, are as they were."""
        behind = _behind(self._target)
        return all(state.is_of(one) for state, one in itertools.zip_longest(self._behind, behind))

    def _take(self, signature: inspect.Signature) -> None:
        self.signature = signature
        parameters = list(self.signature.parameters.values())
        self.positional = [
            p.name for p in parameters
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]  # fmt: skip
        # The name of `*args`, if there are any.
        self.rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
        # Whether n positional arguments, all parameters, are the whole call.
        self.simple = len(self.positional) == len(parameters)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Parameter names to values."""
        if self.simple and not kwargs and len(args) == len(self.positional):
            return dict(zip(self.positional, args, strict=True))
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            target = self._target
            if _has_own_signature(target) and inspect.signature(target) == self.signature:
                target(*args, **kwargs)  # Python's own error: no line of it runs
            raise
        bound.apply_defaults()
        return dict(bound.arguments)

    def call_arguments(self, bound: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs) of a call with these values."""
        arguments = inspect.BoundArguments(self.signature, dict(bound))
        return arguments.args, arguments.kwargs


def _behind(target: Any) -> Iterator[Any]:
    """The functions and partials that tell the parameters of a callable."""
    while True:
        if isinstance(target, functools.partial):
            yield target
            target = target.func
        elif isinstance(target, FunctionType):
            yield target
            target = getattr(target, "__wrapped__", None)
        elif isinstance(target, MethodType):
            target = target.__func__
        else:
            name = "__init__" if isinstance(target, type) else "__call__"
            kind = target if isinstance(target, type) else type(target)
            target = getattr(kind, name, None)
            if not isinstance(target, FunctionType):
                return


class _State:
    """What a function or partial was when it told its parameters."""

    def __init__(self, thing: Any) -> None:
        self._thing = thing
        is_function = isinstance(thing, FunctionType)
        self._guard = FunctionGuard(thing) if is_function else None
        self._keywords = None if is_function else dict(thing.keywords)

    def is_of(self, thing: Any) -> bool:
        """Whether it is that thing, as it is now."""
        if thing is not self._thing:
            return False
        if self._guard is not None:
            return self._guard.holds()
        return same_items(self._keywords or {}, thing.keywords)


def _signature_of(target: Any) -> inspect.Signature:
    """The signature of a callable; of a ufunc, which takes no default for given, and of others
    that tell of none, any arguments.
    """
    with contextlib.suppress(TypeError, ValueError):
        if not isinstance(_innermost(target), np.ufunc):
            return inspect.signature(call_without_object(target) or target)
    return inspect.signature(_any)


def _innermost(target: Any) -> Any:
    """What a callable calls that was made of another by `functools.wraps` or `partial`."""
    target = inspect.unwrap(target)
    return _innermost(target.func) if isinstance(target, functools.partial) else target


def _has_own_signature(target: Any) -> bool:
    """Whether a function or method is called as its signature says, which no decorator changes."""
    function = target.__func__ if isinstance(target, MethodType) else target
    own = isinstance(function, FunctionType)
    return own and not hasattr(function, "__wrapped__") and not hasattr(function, "__signature__")


def _any(*args: Any, **kwargs: Any) -> None: ...


class FunctionOptions(NamedTuple):
    input_signature: tuple[Any, ...] | None = None
    # None: from the third shape on, where the setting of this name says so.
    reduce_retracing: bool | None = None
    recursive: bool = True
    autograph: bool = True
    native: bool | None = None
    device: str | None = None
    prints: str = "graph"
    returns: str | None = None
    pure: bool = False
    others: Mapping[str, Any] = MappingProxyType({})


def check_options(given: dict[str, Any]) -> FunctionOptions:
    unknown = set(given) - _OPTIONS
    if unknown:
        raise TypeError(
            f"convert() has no option {', '.join(sorted(unknown))}; "
            f"there are {', '.join(sorted(_OPTIONS))}"
        )
    known = {k: v for k, v in given.items() if k in FunctionOptions._fields}
    others = {k: v for k, v in given.items() if k not in known}
    check_features(others.get("experimental_autograph_options"))
    if others.pop("strict_errors", True) is not True:
        raise ValueError(
            "strict_errors is True: an operation whose result nobody reads raises its errors, as "
            "in plain Python; there is no option to leave them out"
        )
    if others.pop("experimental_relax_shapes", False):
        known["reduce_retracing"] = True
    if known.get("input_signature") is not None:
        known["input_signature"] = tuple(known["input_signature"])
    if known.get("prints", "graph") not in ("graph", "trace"):
        raise ValueError(f"prints is 'graph' or 'trace', not {known['prints']!r}")
    if known.get("returns") not in (None, "tensor", "numpy"):
        raise ValueError(f"returns is 'tensor' or 'numpy', not {known['returns']!r}")
    if known.get("device") is not None:
        known["device"] = resolve(known["device"])
    if known.get("native") not in (None, True, False):
        raise ValueError(f"native is True, False or None, not {known['native']!r}")
    return FunctionOptions(**known, others=others)


def without_partials(target: Any) -> Any:
    while isinstance(target, functools.partial):
        target = target.func
    return target
