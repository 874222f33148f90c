"""NumPy's random generators in graphs: where a generator's bits are, and draws from it.

A graph has a generator as the address of its bits, `bitgen_t` of NumPy's C interface, from which
native code draws by NumPy's own functions. The array that holds the address keeps the generator,
and who has a copy of it finds the generator as long as that array lives. A draw is an ordered
effect; run by a plan, it is a call of the generator's method.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from runtime.graph.ir import Op
from runtime.ops.declare import no_gradient
from runtime.ops.operands import decode_shape
from runtime.spec import Dim, ObjectType, TensorType, Type

__all__ = [
    "BITS", "BITS_TYPE", "DRAW", "GENERATOR", "SAMPLE", "STANDARD", "WAIT",
    "bits_of", "generator_of", "is_generator", "is_sum_rounded_twice",
]  # fmt: skip

# The address of the bits, and that of a word which is not 0 while somebody holds their lock.
BITS_TYPE = TensorType(np.dtype(np.uint64), (2,))
_arrays: weakref.WeakValueDictionary[int, np.ndarray[Any, Any]] = weakref.WeakValueDictionary()


class _Words(ctypes.c_uint64 * 2):  # type: ignore[misc]
    """The memory of such an array."""

    generator: np.random.Generator


def is_generator(kind: type) -> bool:
    """Whether a class is that of NumPy's generators, which is not imported for this."""
    return kind.__name__ == "Generator" and kind.__module__ == "numpy.random._generator"


def bits_of(generator: Any) -> np.ndarray[Any, Any]:
    """The array that stands for the bits of a generator; the same one while it lives."""
    bits = generator.bit_generator
    address = _address_of_capsule()(bits.capsule, b"BitGenerator")
    found = _arrays.get(address)
    if found is None:
        words = _Words(address, _address_of_lock(bits.lock))
        is_own = is_generator(type(generator))
        words.generator = generator if is_own else np.random.Generator(bits)
        found = _arrays[address] = np.frombuffer(words, np.uint64)
    return found


def generator_of(bits: Any) -> np.random.Generator:
    """The generator whose bits an array, or a copy of it, stands for."""
    return _generator_at(bits[0])


def _generator_at(address: Any) -> np.random.Generator:
    words: Any = _arrays[int(address)].base
    generator: np.random.Generator = words.generator
    return generator


@cache
def _address_of_capsule() -> Callable[[Any, bytes], int]:
    kind = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    found: Any = kind(("PyCapsule_GetPointer", ctypes.pythonapi))
    return found  # type: ignore[no-any-return]


# Where no word of a lock tells whether it is held, one that says so always: Python draws then.
_held = ctypes.c_uint64(1)


def _address_of_lock(lock: Any) -> int:
    offset = _offset_of_count()
    if offset is None or type(lock) is not type(threading.RLock()):
        return ctypes.addressof(_held)
    return id(lock) + offset


@cache
def _offset_of_count() -> int | None:
    """Where in a lock is the word that counts how often its thread holds it; None: not found."""
    lock: Any = threading.RLock()
    size = type(lock).__basicsize__ // 8

    def look() -> list[int]:
        return [ctypes.c_uint64.from_address(id(lock) + 8 * k).value for k in range(2, size)]

    seen = [look()]
    for change in (lock.acquire, lock.acquire, lock.release, lock.release):
        change()
        seen.append(look())
    rows = list(zip(*seen, strict=True))
    return 8 * (rows.index((0, 1, 2, 1, 0)) + 2) if (0, 1, 2, 1, 0) in rows else None


BITS = Op(
    "bits_of_generator",
    lambda xp, generator: bits_of(generator),
    lambda generator: BITS_TYPE,
    vjp=no_gradient,
    doc="Where the bits of a generator are.",
)
GENERATOR = Op(
    "generator_of_bits",
    lambda xp, bits: generator_of(bits),
    lambda bits: ObjectType(),
    vjp=no_gradient,
    doc="The generator of such bits.",
)


# ---- draws ---------------------------------------------------------------------------------------

# Draws of which a graph computes the rest itself, so that there is a gradient: what is drawn, which
# operands that takes. The others are looked at as NumPy does.
STANDARD: dict[str, tuple[str, int]] = {
    "normal_deviate": ("standard_normal", 0),
    "exponential_deviate": ("standard_exponential", 0),
    "uniform_deviate": ("random", 0),
    "gamma_deviate": ("standard_gamma", 1),
}
# Draws that tell by a `dtype` of which type the numbers are.
_TYPED = frozenset(("random", "standard_normal", "standard_exponential", "standard_gamma"))


def _draw(
    xp: Any,
    bits: Any,
    *operands: Any,
    method: str,
    shape: tuple[Dim, ...],
    dtype: np.dtype[Any],
    count: int,
) -> Any:
    given, dims = operands[:count], operands[count:]
    generator = generator_of(bits)
    size = decode_shape(shape, dims) or None
    named: dict[str, Any] = {}
    if method in STANDARD:
        _look_at(method, given)
        method, taken = STANDARD[method]
        given = given[:taken]
    if method in ("integers", "integers_to"):
        method, named = "integers", {"dtype": dtype, "endpoint": method == "integers_to"}
    elif method in _TYPED and dtype.itemsize < 8:
        named = {"dtype": dtype}
    if method == "order":
        return generator.permutation(*(size or ()))
    made = getattr(generator, method)(*given, size=size, **named)
    return made if size is not None or dtype.itemsize == 8 else dtype.type(made)


def _look_at(method: str, given: tuple[Any, ...]) -> None:
    """Raise what NumPy raises for operands that it does not take."""
    name = method.removesuffix("_deviate")
    if not given or (name != "uniform" and all(type(x) is float and x > 0 for x in given)):
        return
    getattr(_spare(), name)(*((0.0, *given) if name == "normal" else given))


@cache
def _spare() -> np.random.Generator:
    """A generator that nobody draws from but to be told what is wrong."""
    return np.random.default_rng(0)


def _type_of_draw(
    *operands: Type, method: str, shape: tuple[Dim, ...], dtype: np.dtype[Any], count: int
) -> TensorType:
    is_number = not shape and method not in ("integers", "integers_to")
    return TensorType(dtype, shape, weak=is_number and dtype.itemsize == 8)


def _draws(vjp: Any) -> Op:
    return Op(
        "draw_from_generator",
        _draw,
        _type_of_draw,
        vjp=vjp,
        effect="rng",
        raises=lambda types, attrs: len(types) > 1,
        doc="Draw from a generator of NumPy's, which moves on.",
        options={"rule": "a distribution that depends on its parameters by a sum and a product"},
    )


# A draw that has no gradient; and one that depends smoothly on operands, in a way that is not told.
DRAW, SAMPLE = _draws(no_gradient), _draws(None)


def _wait(xp: Any, address: Any) -> tuple[()]:
    with _generator_at(address).bit_generator.lock:
        return ()


# Native code runs it before a draw where another thread is drawing, without Python's lock. It has
# the address of the bits.
WAIT = Op("wait_for_generator", _wait, lambda address: (), effect="rng", doc="Wait for a lock.")


@cache
def is_sum_rounded_twice() -> bool:
    """Whether NumPy's functions round products before they add, as graphs do.

    Where its compiler made one operation of both, a graph cannot compute the rest of a draw.
    """
    one, other = (np.random.Generator(np.random.PCG64(7)) for _ in range(2))
    drawn = one.normal(0.1, 0.3, 64), one.uniform(0.1, 0.7, 64)
    low, width = 0.1, 0.7 - 0.1
    made = 0.1 + 0.3 * other.standard_normal(64), low + width * other.random(64)
    return all(map(np.array_equal, drawn, made))
