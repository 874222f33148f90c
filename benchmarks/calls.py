"""What a call of a converted function costs beyond its graph, by what is passed and captured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import autograph as ag
from benchmarks.timing import interleaved

__all__ = ["CALLS", "MADE_ANEW", "call_times", "calls"]

X = np.array([1.0, 2.0, 3.0])
A = B = C = D = E = F = G = H = I = J = X  # noqa: E741
A0, A1, A2, A3, A4, A5, A6, A7, A8, A9 = (X + k for k in range(10))
K = L = M = N = O = P = Q = R = S = T = 1.5  # noqa: E741


class Pair(NamedTuple):
    """A named tuple of arrays."""

    one: Any
    other: Any


@dataclass
class Box:
    """A dataclass of arrays."""

    one: Any
    other: Any


class Model:
    """An object with an array and a number."""

    def __init__(self) -> None:
        self.weight, self.factor = X.copy(), 2.0

    def __call__(self, x: Any) -> Any:
        return x * self.weight * self.factor


@dataclass
class Settings:
    """An object with ten settings."""

    a: str = "a"
    b: str = "b"
    c: str = "c"
    d: str = "d"
    e: str = "e"
    f: str = "f"
    g: str = "g"
    h: str = "h"
    i: str = "i"
    j: str = "j"


SETTINGS = Settings()


def _ten_attributes(x: Any) -> Any:
    s = SETTINGS
    is_set = s.a and s.b and s.c and s.d and s.e and s.f and s.g and s.h and s.i and s.j
    return x * x if is_set else x


def _ten_arrays(x: Any) -> Any:
    return x + A + B + C + D + E + F + G + H + I + J


def _ten_different_arrays(x: Any) -> Any:
    return x + A0 + A1 + A2 + A3 + A4 + A5 + A6 + A7 + A8 + A9


def _ten_arguments(x: Any, a: Any) -> Any:
    return x + a + a + a + a + a + a + a + a + a + a


def _ten_numbers(x: Any) -> Any:
    return x * K * L * M * N * O * P * Q * R * S * T


def _ten_constants(x: Any) -> Any:
    return x * 1.5 * 1.5 * 1.5 * 1.5 * 1.5 * 1.5 * 1.5 * 1.5 * 1.5 * 1.5


def _scaled(x: Any, n: Any = 2.0, *, flag: bool = True) -> Any:
    return x * n if flag else x


MANY = [X + k for k in range(200)]
VARIABLE = ag.Variable(X)


def _many(x: Any) -> Any:
    for a in MANY:
        x = x + a
    return x


def _length(model: Model, text: str) -> int:
    return len(text) if model.factor else 0


# Each with the arguments of a call; what a guard costs, two of them show together.
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
    "an array": (lambda x: x * x, (X,), {}),
    "a tensor": (lambda x: x * x, (ag.constant(X),), {}),
    "a float": (_scaled, (X, 2.5), {}),
    "an int": (_scaled, (X, 3), {}),
    "a keyword": (_scaled, (X,), {"n": 3.0}),
    "a default": (_scaled, (X,), {}),
    "a bool": (_scaled, (X, 2.0), {"flag": True}),
    "a tuple": (lambda p: p[0] * p[1], ((X, X),), {}),
    "a dict": (lambda p: p["a"] * p["b"], ({"a": X, "b": X},), {}),
    "a named tuple": (lambda p: p.one * p.other, (Pair(X, X),), {}),
    "a dataclass": (lambda p: p.one * p.other, (Box(X, X),), {}),
    "an object": (Model.__call__, (Model(), X), {}),
    "a captured array": (lambda x: x * A, (X,), {}),
    "a captured number": (lambda x: x * K, (X,), {}),
    "two results": (lambda x: (x * 2.0, x + 1.0), (X,), {}),
    "10 captured arrays": (_ten_arrays, (X,), {}),
    "10 different arrays": (_ten_different_arrays, (X,), {}),
    "10 times an argument": (_ten_arguments, (X, X), {}),
    "10 captured numbers": (_ten_numbers, (X,), {}),
    "10 captured attributes": (_ten_attributes, (X,), {}),
    "10 constants": (_ten_constants, (X,), {}),
    "a Variable": (lambda x: x * VARIABLE, (X,), {}),
    "200 captured in a list": (_many, (X,), {}),
    "left to Python": (_length, (Model(), "text"), {}),
}
# Those of which an argument is made anew for each call.
MADE_ANEW: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "a dataclass made anew": (lambda p: p.one * p.other, lambda: (Box(X, X),)),
    "an object made anew": (Model.__call__, lambda: (Model(), X)),
    "a lambda made anew": (lambda f, x: f(x) + x, lambda: (lambda y: y * 2.0, X)),
}


def calls(name: str) -> dict[str, Callable[[], Any]]:
    """The call, and the same of the plain function."""
    if name in MADE_ANEW:
        function, made = MADE_ANEW[name]
        anew = ag.convert(function)
        return {"ours": lambda: anew(*made()), "plain": lambda: function(*made())}
    function, args, kwargs = CALLS[name]
    converted = ag.convert(function)
    return {
        "ours": lambda: converted(*args, **kwargs),
        "plain": lambda: function(*args, **kwargs),
    }


def call_times(rounds: int = 40, seconds: float = 0.002) -> dict[str, tuple[float, float]]:
    """Microseconds of a call and of the plain function: the least of many rounds."""
    table = {}
    for name in (*CALLS, *MADE_ANEW):
        timings = interleaved(calls(name), rounds, seconds)
        table[name] = (timings["ours"].least, timings["plain"].least)
    return table
