"""What a call of a function takes in plain Python, eagerly, as a plan and as native code."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import autograph as ag
from autograph.cli.failure import CommandError
from autograph.cli.programs import bind, refusals
from autograph.cli.specs import Argument, Spec
from autograph.tools.kernel_profiling import KernelProfile, NoKernels, profiled_kernels
from autograph.tools.profiling import Profile
from runtime.dtypes import kind_of

__all__ = ["FunctionTimes", "Way", "arguments", "measure"]


class Way(NamedTuple):
    """Seconds of a first call and of a later one, the least of many."""

    name: str
    first_call: float
    call: float


class FunctionTimes(NamedTuple):
    """The ways to run a function, what its graph costs by lines, and where native code stops.

    `kernels` are those of its native code, if it has any.
    """

    ways: tuple[Way, ...]
    profile: Profile
    kernels: KernelProfile | None
    explained: str


def arguments(
    target: Callable[..., Any], given: Sequence[Argument]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments, an array of random numbers for each spec.

    Raises CommandError when they do not fit, or a spec leaves a size open.
    """
    positional, named = bind(target, given)
    for argument in given:
        shape = argument.value.shape if isinstance(argument.value, Spec) else ()
        if shape is None or None in shape:
            raise CommandError("--input: a call needs all sizes")
    return [_made(x) for x in positional], {name: _made(x) for name, x in named.items()}


def _made(x: Any) -> Any:
    if not isinstance(x, ag.TensorSpec):
        return x
    draw, dtype = np.random.default_rng(0), np.dtype(x.dtype)
    shape: Any = x.shape
    if kind_of(dtype) in "fc":
        return draw.normal(size=shape).astype(dtype)
    return draw.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)


def measure(
    target: Callable[..., Any], positional: Sequence[Any], named: dict[str, Any], seconds: float
) -> FunctionTimes:
    """Call the function for about `seconds` in each way; the calls have their effects.

    Raises CommandError for what cannot be converted, and where the function raises.
    """
    plain = getattr(target, "python_function", target)
    with refusals():
        plan, native = ag.convert(plain, native=False), ag.convert(plain)
        ways = [_timed("python", plain, positional, named, seconds)]
        with ag.eager():
            ways.append(_timed("eager", ag.convert(plain), positional, named, seconds))
        ways.append(_timed("plan", plan, positional, named, seconds))
        ways.append(_timed("native", native, positional, named, seconds))
        profile = ag.profile(plain, *positional, **named)
        kernels = _kernels(ag.convert(plain), positional, named, seconds)
        explained: str = native.explain(*positional, **named)
    return FunctionTimes(tuple(ways), profile, kernels, explained)


def _kernels(
    call: Any, positional: Sequence[Any], named: dict[str, Any], seconds: float
) -> KernelProfile | None:
    try:
        return profiled_kernels(lambda: call(*positional, **named), seconds)
    except NoKernels:
        return None


def _timed(
    name: str, call: Any, positional: Sequence[Any], named: dict[str, Any], seconds: float
) -> Way:
    def once() -> float:
        began = time.perf_counter()
        call(*positional, **named)
        return time.perf_counter() - began

    first, end = once(), time.perf_counter() + seconds
    least = once()
    while time.perf_counter() < end:
        least = min(least, once())
    return Way(name, first, least)
