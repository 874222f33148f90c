"""The processor that code is made for: the one at hand, or any that has a level of x86-64.

Which one, `config.cpu` says. Code for a level depends on nothing else of the machine. Results at
two levels may differ in the last bits of what is not exact: only from `x86-64-v3` on there is an
instruction that multiplies and adds at once, and wider vectors add up products in another order.
"""

from __future__ import annotations

import platform
import sys
from functools import cache
from typing import NamedTuple

from runtime import config
from runtime.execute.native import library
from runtime.execute.native.library import told

__all__ = [
    "Processor",
    "for_llvm",
    "has_fma",
    "has_half",
    "has_slow_subnormals",
    "has_whole_products",
    "key",
    "levels",
    "vector_bytes",
]

# What processors of a level have, by LLVM's names: H.J. Lu et al., "System V Application Binary
# Interface, AMD64 Architecture Processor Supplement", version 1.0, table 3.1.
_V2 = frozenset(("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"))
_V3 = _V2 | {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}
_V4 = _V3 | {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}
_LEVELS = {"x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4}
# Instructions that Linux calls something else.
_NAMES = {
    "abm": "lzcnt", "bmi1": "bmi", "lahf_lm": "sahf", "pni": "sse3", "sse4_1": "sse4.1",
    "sse4_2": "sse4.2",
}  # fmt: skip
_IS_X86 = platform.machine() in ("x86_64", "AMD64")
# LLVM uses half of the vectors of Intel's processors with AVX-512, some of which slowed down for
# whole ones once; with whole ones, exponential functions take two thirds of the time.
_PREFERENCES = "-prefer-256-bit" if _IS_X86 else ""


class Processor(NamedTuple):
    """A processor as LLVM is told of it."""

    name: str
    features: str


def key() -> str:
    """What tells code for this processor from code for another one, found without LLVM."""
    return f"{_level() or _described()}\n{_PREFERENCES}"


def for_llvm() -> Processor:
    """The processor that code is made for."""
    level = _level()
    name, features = _host() if level is None else (level, "")
    return Processor(name, f"{features},{_PREFERENCES}".strip(","))


def vector_bytes() -> int:
    """The bytes of the vectors that sums of products are written for."""
    found = _instructions()
    if {"avx512f", "avx512vl"} <= found:
        return 64
    return 32 if "avx" in found else 16


def has_fma() -> bool:
    """Whether there is an instruction that multiplies and adds, and rounds once."""
    return not _IS_X86 or "fma" in _instructions()


def has_half() -> bool:
    """Whether there are instructions that convert floats of 16 bits to those of 32, and back."""
    return not _IS_X86 or "f16c" in _instructions()


def has_slow_subnormals() -> bool:
    """Whether it is one of Intel, to which a float next to 0 is an exception."""
    return _level() is None and "GenuineIntel" in _described()


def has_whole_products() -> bool:
    """Whether it is one of AMD, to which a vector of products of 64 bits is one step."""
    return _level() is None and "AuthenticAMD" in _described()


# ---- levels --------------------------------------------------------------------------------------


def levels() -> dict[str, frozenset[str]]:
    """The levels that the processor at hand has, lowest first, and what belongs to each."""
    return {name: has for name, has in _LEVELS.items() if _IS_X86 and has <= _own_instructions()}


def _level() -> str | None:
    """The level that code is made for; None: the processor at hand.

    Raises ValueError where that has not the level.
    """
    wanted = config.cpu.value
    if wanted == "native" or wanted in levels():
        return None if wanted == "native" else wanted
    lacks = f"is of another kind, {platform.machine()}"
    if _IS_X86:
        lacks = f"has no {', '.join(sorted(_LEVELS[wanted] - _own_instructions()))}"
    raise ValueError(
        f"cpu cannot be {wanted!r} on this machine, whose processor {lacks}: "
        f"set {config.cpu.variable} to {' or '.join(['native', *levels()])}"
    )


def _instructions() -> frozenset[str]:
    """The groups of instructions that code may use, by LLVM's names."""
    level = _level()
    return _own_instructions() if level is None else _LEVELS[level]


# ---- the processor at hand -----------------------------------------------------------------------


@cache
def _own_instructions() -> frozenset[str]:
    for line in _described().splitlines():
        if line.startswith("flags"):
            return frozenset(_NAMES.get(flag, flag) for flag in line.split())
    return frozenset(x[1:] for x in _host()[1].split(",") if x.startswith("+"))


@cache
def _described() -> str:
    """Name and features of the processor, by the system where it tells them."""
    if sys.platform == "linux" and platform.machine() == "x86_64":
        lines = _lines("/proc/cpuinfo")
        known = ("vendor_id", "cpu family", "model", "stepping", "flags")
        found = [line for line in lines if line.partition("\t")[0].rstrip(" :") in known]
        if len(found) == len(known):
            return "\n".join(found)
    return " ".join(_host())


@cache
def _host() -> tuple[str, str]:
    """Name and features of the processor, as LLVM tells them."""
    llvm = library.llvm()
    _, name = told(llvm, llvm.GetHostCPUName)
    _, features = told(llvm, llvm.GetHostCPUFeatures)
    return name, ",".join(sorted(features.split(","), key=lambda feature: feature[1:]))


def _lines(path: str) -> list[str]:
    """The lines of a file of the system up to the first that is empty."""
    try:
        with open(path, "rb", buffering=0) as file:
            text = file.read(1 << 14).decode(errors="replace")
    except OSError:
        return []
    return text.partition("\n\n")[0].splitlines()
