"""Random generators in graphs: where a generator's bits are, and draws from it.

A graph has a generator as the addresses of its bits, from which native code draws by the library's
own functions. A draw is an ordered effect; run by a plan, it is a call of the generator's method.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np

from runtime import ops
from runtime.execute.native.generator_bits import bits_of, generator_of, is_generator
from runtime.graph.ir import Op
from runtime.ops import equal, logical_or, stack, where
from runtime.ops.declaration.declare import no_gradient
from runtime.ops.declaration.operands import decode_shape
from runtime.spec import Dim, ObjectType, TensorType, Type

__all__ = [
    "BITS", "BITS_TYPE", "DRAW", "GENERATOR", "SAMPLE", "STANDARD", "WAIT",
    "bits_of", "chosen_by", "drawn_apart", "generator_of", "is_generator", "is_sum_rounded_twice",
]  # fmt: skip

BITS_TYPE = TensorType(np.dtype(np.uint64), (3,))
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
# How much of what NumPy allows a sum of probabilities to be wrong by is surely within that.
_CLOSE = 0.9
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
    library, _, own = method.rpartition(".")
    if library == "python":
        return _draw_of_python(generator, own, given)
    named: dict[str, Any] = {}
    if own in STANDARD:
        _look_at(library, own, given)
        own, taken = STANDARD[own]
        given = given[:taken]
    if own in ("integers", "integers_to"):
        if library:
            own, named = "randint", {"dtype": dtype}
        else:
            own, named = "integers", {"dtype": dtype, "endpoint": own == "integers_to"}
    elif own in _TYPED and dtype.itemsize < 8:
        named = {"dtype": dtype}
    if own == "choice":
        given, named = given[:1], {"p": given[1]} if given[1:] else {}
    if own == "order":
        return generator.permutation(*(size or ()))
    made = getattr(generator, own)(*given, size=size, **named)
    return made if size is not None or dtype.itemsize == 8 else dtype.type(made)


def _draw_of_python(twister: Any, method: str, given: tuple[Any, ...]) -> Any:
    """What a method of Python's draws; of a range, how far it is from its first number."""
    if method == "below":
        return twister.randrange(*given) - (given[0] if given[1:] else 0)
    return getattr(twister, method)(*_OF_PYTHON[method])


# With these operands, methods draw what all others are made of.
_OF_PYTHON: dict[str, tuple[float, ...]] = {
    "random": (), "gauss": (0.0, 1.0), "normalvariate": (0.0, 1.0), "expovariate": (1.0,),
}  # fmt: skip


def _look_at(library: str, method: str, given: tuple[Any, ...]) -> None:
    """Raise what NumPy raises for operands that it does not take."""
    name = method.removesuffix("_deviate")
    if not given or (name != "uniform" and all(type(x) is float and x > 0 for x in given)):
        return
    getattr(_spare(library), name)(*((0.0, *given) if name == "normal" else given))


@cache
def _spare(library: str) -> Any:
    """A generator that nobody draws from but to be told what is wrong."""
    return np.random.RandomState(0) if library else np.random.default_rng(0)


def _type_of_draw(
    *operands: Type, method: str, shape: tuple[Dim, ...], dtype: np.dtype[Any], count: int
) -> TensorType:
    is_number = not shape and not method.endswith(("integers", "integers_to"))
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


# So many numbers are drawn apart as nodes, and out of so many: of more, NumPy draws otherwise.
_MOST_APART, _MOST_THERE = 8, 10_000


def drawn_apart(draw: Callable[[int], Any], count: Any, size: Any) -> Any:
    """Different whole numbers below `count`, as `Generator.choice` draws them; None: too many.

    R. Floyd's algorithm: a number that was drawn already stands for the last that may be drawn. The
    numbers are exchanged at random then. `draw` gives a number from 0 to another one.
    """
    are_known = type(count) is int and type(size) is int
    if not (are_known and 0 < size <= min(count, _MOST_APART) and count <= _MOST_THERE):
        return None
    found: list[Any] = []
    for most in range(count - size, count):
        drawn = draw(most)
        if found:
            is_there = reduce(logical_or, [equal(drawn, other) for other in found])
            drawn = where(is_there, most, drawn)
        found.append(drawn)
    for i in range(size - 1, 0, -1):
        other, own = draw(i), found[i]
        for j in range(i):
            is_other = equal(other, j)
            found[i] = where(is_other, found[j], found[i])
            found[j] = where(is_other, own, found[j])
    return stack(found)


def chosen_by(given: Any, count: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Whether NumPy surely takes these for the probabilities of so many; how it chooses by them.

    A number that is drawn between 0 and 1 has its place among their running sums.
    """
    weights = ops.astype(given, np.float64)
    kind = given.type.dtype if given.type.kind == "f" else np.dtype(np.float64)
    is_one = ops.abs(ops.sum(weights) - 1.0) < _CLOSE * np.finfo(kind).eps ** 0.5
    is_good = ops.logical_and(
        ops.logical_and(is_one, ops.all(weights >= 0.0)), given.shape[0] == count
    )

    def place(drawn: Any) -> Any:
        sums = ops.cumsum(weights)
        return ops.searchsorted(sums / sums[-1], drawn, side="right")

    return is_good, place


def _wait(xp: Any, address: Any, third: Any) -> tuple[()]:
    generator = generator_of((address, 0, third))
    bits = getattr(generator, "bit_generator", None) or getattr(generator, "_bit_generator", None)
    if bits is not None:
        with bits.lock:
            return ()
    return ()


# Native code runs it before a draw where another thread is drawing, without Python's lock. It has
# two words of what stands for a generator.
WAIT = Op("wait_for_generator", _wait, lambda *words: (), effect="rng", doc="Wait for a lock.")


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
