"""What `convert` is told: its options, and the parameters of the function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from types import FunctionType, MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from autograph.status import check_features
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


# What makes another signature of a function than its code has.
_SIGNED = {"__wrapped__", "__signature__"}


class Binding:
    """Binds call arguments to the parameters of a function, defaults included."""

    # The function that says itself what is wrong with a call.
    _function: Any = None
    # Of these not all defaults may be given: `dtype` and `signature`, `out` by its position.
    _is_ufunc = False

    def __init__(self, target: Any) -> None:
        self._take(_signature_of(target))
        self._is_ufunc = isinstance(target, np.ufunc)
        function = getattr(target, "__func__", target)
        if type(function) is FunctionType and not _SIGNED & vars(function).keys():
            self._function = target

    @classmethod
    def of(cls, signature: inspect.Signature) -> Binding:
        """The binding of calls that have a signature."""
        made = cls.__new__(cls)
        made._take(signature)
        return made

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
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            function = self._function
            if function is not None and inspect.signature(function) == self.signature:
                function(*args, **kwargs)  # Python's error, before the first line
            raise
        if not self._is_ufunc:
            bound.apply_defaults()
        return dict(bound.arguments)

    def call_arguments(self, bound: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs) of a call with these values."""
        arguments = inspect.BoundArguments(self.signature, dict(bound))
        return arguments.args, arguments.kwargs


def _signature_of(target: Any) -> inspect.Signature:
    try:
        return inspect.signature(target)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"cannot convert {target!r}: it is not a Python callable with a signature"
        ) from error


class FunctionOptions(NamedTuple):
    input_signature: tuple[Any, ...] | None = None
    reduce_retracing: bool = False
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
