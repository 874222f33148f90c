"""NumPy's own functions that draw random numbers, which native code calls.

They are exported by the module that has NumPy's generators. One counts if it draws what the method
draws: where one is missing, or takes other arguments, Python draws.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "MASKED",
    "NAMES",
    "ONE_BY_ONE",
    "ORDERING",
    "OTHERS",
    "OWN",
    "RANGES",
    "Sampler",
    "addresses",
    "is_at_hand",
]


class Sampler(NamedTuple):
    """A function: its name, the types of its arguments behind the bits, and of what it gives.

    `domains` are those of the operands of the method, in its order: "+" numbers above 0, "." any,
    "1" from 0 to 1, "p" above 0 up to 1, "m" what a Poisson distribution takes for its mean. Python
    draws for others, or raises. `order` is that in which the function takes the operands.
    """

    name: str
    arguments: str
    result: str
    domains: str = ""
    order: tuple[int, ...] | None = None


# What draws one number, by the name of the method and the type of the number.
ONE_BY_ONE: dict[tuple[str, str], Sampler] = {
    ("random", "f8"): Sampler("random_standard_uniform", "", "f8"),
    ("random", "f4"): Sampler("random_standard_uniform_f", "", "f4"),
    ("standard_normal", "f8"): Sampler("random_standard_normal", "", "f8"),
    ("standard_normal", "f4"): Sampler("random_standard_normal_f", "", "f4"),
    ("standard_exponential", "f8"): Sampler("random_standard_exponential", "", "f8"),
    ("standard_exponential", "f4"): Sampler("random_standard_exponential_f", "", "f4"),
    ("standard_gamma", "f8"): Sampler("random_standard_gamma", "d", "f8", "+"),
    ("normal", "f8"): Sampler("random_normal", "dd", "f8", ".+"),
    ("exponential", "f8"): Sampler("random_exponential", "d", "f8", "+"),
    ("gamma", "f8"): Sampler("random_gamma", "dd", "f8", "++"),
    ("beta", "f8"): Sampler("random_beta", "dd", "f8", "++"),
    ("chisquare", "f8"): Sampler("random_chisquare", "d", "f8", "+"),
    ("f", "f8"): Sampler("random_f", "dd", "f8", "++"),
    ("standard_cauchy", "f8"): Sampler("random_standard_cauchy", "", "f8"),
    ("standard_t", "f8"): Sampler("random_standard_t", "d", "f8", "+"),
    ("pareto", "f8"): Sampler("random_pareto", "d", "f8", "+"),
    ("weibull", "f8"): Sampler("random_weibull", "d", "f8", "+"),
    ("power", "f8"): Sampler("random_power", "d", "f8", "+"),
    ("rayleigh", "f8"): Sampler("random_rayleigh", "d", "f8", "+"),
    ("laplace", "f8"): Sampler("random_laplace", "dd", "f8", ".+"),
    ("gumbel", "f8"): Sampler("random_gumbel", "dd", "f8", ".+"),
    ("logistic", "f8"): Sampler("random_logistic", "dd", "f8", ".+"),
    ("lognormal", "f8"): Sampler("random_lognormal", "dd", "f8", ".+"),
    ("wald", "f8"): Sampler("random_wald", "dd", "f8", "++"),
    ("vonmises", "f8"): Sampler("random_vonmises", "dd", "f8", ".+"),
    ("poisson", "i8"): Sampler("random_poisson", "d", "i8", "m"),
    ("geometric", "i8"): Sampler("random_geometric", "d", "i8", "p"),
    ("binomial", "i8"): Sampler("random_binomial", "dqs", "i8", "n1", (1, 0)),
}
# Of `RandomState` and Python's `Random`.
OTHERS: dict[tuple[str, str], Sampler] = {
    ("state.random", "f8"): ONE_BY_ONE["random", "f8"],
    ("state.poisson", "i8"): ONE_BY_ONE["poisson", "i8"],
    ("state.binomial", "i8"): ONE_BY_ONE["binomial", "i8"],
    ("state.standard_normal", "f8"): Sampler("state_normal", "", "f8"),
    ("state.standard_exponential", "f8"): Sampler("state_exponential", "", "f8"),
    ("python.random", "f8"): Sampler("python_random", "", "f8"),
    ("python.gauss", "f8"): Sampler("python_gauss", "", "f8"),
    ("python.normalvariate", "f8"): Sampler("python_normal", "", "f8"),
    ("python.expovariate", "f8"): Sampler("python_exponential", "", "f8"),
}
# What fills memory with whole numbers between two bounds, by their type.
RANGES = {
    "i8": "random_bounded_uint64_fill",
    "u8": "random_bounded_uint64_fill",
    "i4": "random_bounded_uint32_fill",
    "u4": "random_bounded_uint32_fill",
    "i2": "random_bounded_uint16_fill",
    "u2": "random_bounded_uint16_fill",
    "i1": "random_bounded_uint8_fill",
    "u1": "random_bounded_uint8_fill",
}
# The same of `np.random.randint`, which draws again where a number of as many bits is too large.
MASKED = {kind: f"masked {name}" for kind, name in RANGES.items()}
# What is drawn by functions of our own.
OWN = (
    "python_random", "python_below", "python_gauss", "python_normal", "python_exponential",
    "state_normal", "state_exponential",
)  # fmt: skip
# What draws the place that each element of an order is exchanged with.
ORDERING = "random_interval"
_EXPORTED = tuple(
    dict.fromkeys([s.name for s in ONE_BY_ONE.values()] + [*RANGES.values(), ORDERING])
)
NAMES = (*_EXPORTED, *dict.fromkeys(MASKED.values()))
# What one of them remembers of its last operands.
_MEMORY = 256
_KINDS = {"d": ctypes.c_double, "f": ctypes.c_float, "q": ctypes.c_int64, "s": ctypes.c_void_p}
_RESULTS = {"f8": ctypes.c_double, "f4": ctypes.c_float, "i8": ctypes.c_int64}
# An operand of each domain.
_TRIED = {"+": 1.5, ".": 0.25, "1": 0.4, "p": 0.4, "m": 3.5, "n": 20}


def is_at_hand(name: str) -> bool:
    """Whether native code can call a function of that name."""
    return name in addresses()


def addresses() -> dict[str, int]:
    """Where the functions are that draw what the methods draw; a generator was made before."""
    return _addresses() if "numpy.random" in sys.modules else {}


@cache
def _addresses() -> dict[str, int]:
    try:
        library = ctypes.CDLL(np.random._generator.__file__)
        functions = {name: getattr(library, name) for name in _EXPORTED}
        spare = np.random.Generator(np.random.PCG64(11))
        twin = np.random.Generator(np.random.PCG64(11))
        bits = twin.bit_generator.ctypes.bit_generator
        if not all(
            _draws(functions[s.name], s, bits, getattr(spare, method), kind)
            for (method, kind), s in ONE_BY_ONE.items()
        ):
            return {}
        if not (_fills(functions, bits, spare) and _orders(functions[ORDERING], bits, spare)):
            return {}
    except (AttributeError, KeyError, OSError, TypeError):
        return {}
    found = {
        name: ctypes.cast(function, ctypes.c_void_p).value or 0
        for name, function in functions.items()
    }
    return found | {name: found[name.removeprefix("masked ")] for name in MASKED.values()}


def _draws(function: Any, sampler: Sampler, bits: Any, method: Any, kind: str) -> bool:
    """Whether a function draws what a method does."""
    memory = ctypes.create_string_buffer(_MEMORY)
    given = [_TRIED[domain] for domain in sampler.domains]
    function.argtypes = [ctypes.c_void_p, *(_KINDS[k] for k in sampler.arguments)]
    function.restype = _RESULTS[sampler.result]
    operands = [given[k] for k in sampler.order or range(len(given))]
    operands += [ctypes.addressof(memory)] if "s" in sampler.arguments else []
    named = {"dtype": kind} if kind == "f4" else {}
    return all(function(bits, *operands) == method(*given, **named) for _ in range(3))


def _fills(functions: dict[str, Any], bits: Any, spare: np.random.Generator) -> bool:
    """Whether the functions of ranges fill memory as `integers` does."""
    for kind, name in RANGES.items():
        number = np.ctypeslib.as_ctypes_type(np.dtype(kind.replace("i", "u")))
        # With room for a function that is not the one it is taken for, and writes wider numbers.
        function, found = functions[name], np.zeros(5, "u8").view(kind)[:5]
        function.restype = None
        function.argtypes = [
            ctypes.c_void_p, number, number, ctypes.c_ssize_t, ctypes.c_bool, ctypes.c_void_p,
        ]  # fmt: skip
        function(bits, 3, 89, 5, False, found.ctypes.data)
        if not np.array_equal(found, spare.integers(3, 93, 5, dtype=kind)):
            return False
        old = np.random.RandomState(3)
        function(old._bit_generator.ctypes.bit_generator, 3, 89, 5, True, found.ctypes.data)
        drawn: Any = np.random.RandomState(3).randint(3, 93, 5, dtype=np.dtype(kind).type)
        if not np.array_equal(found, drawn):
            return False
    return True


def _orders(function: Any, bits: Any, spare: np.random.Generator) -> bool:
    """Whether exchanging elements gives the order that `permutation` gives."""
    function.restype = ctypes.c_uint64
    function.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    order = list(range(9))
    for k in range(8, 0, -1):
        other = function(bits, k)
        order[k], order[other] = order[other], order[k]
    return bool(order == spare.permutation(9).tolist())
