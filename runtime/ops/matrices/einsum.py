"""Sums of products written with index letters."""

from __future__ import annotations

import math
import operator
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.dtypes import in_single, is_narrow, kind_of
from runtime.ops.arrays.agreement import of_size
from runtime.ops.arrays.axes import permute_dims
from runtime.ops.arrays.broadcasting import broadcast_to, sum_to
from runtime.ops.arrays.diagonals import diagonal
from runtime.ops.arrays.shapes import expand_dims
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.internal import strengthen
from runtime.ops.declaration.operands import Array, Module, Operand, rank_of, shape_of, type_of
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.arithmetic import multiply
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rules import conjugated
from runtime.ops.matrices.contraction_order import contraction_order, kept_letters
from runtime.spec import Dim, TensorType, promote

__all__ = ["einsum"]


# ---- the notation ------------------------------------------------------------------------------


def _hidden(term: str, rank: int) -> int:
    """How many axes the ellipsis of a term stands for."""
    return rank - len(term.replace("...", "")) if "..." in term else 0


def _spelled(term: str, hidden: str, rank: int) -> str:
    """A term with letters for its ellipsis."""
    spelled = term.replace("...", hidden)
    if len(spelled) != rank or not set(spelled) <= set(string.ascii_letters):
        raise ValueError(f"einsum: {term!r} does not name the {rank} axes of its operand")
    return spelled


def _explicit(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """Letters of each operand and of the result, with ellipses and the result spelled out."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"einsum: {len(terms)} terms for {len(ranks)} operands")
    used = set(left) | set(right)
    spare = [c for c in string.ascii_letters if c not in used]
    hidden = [_hidden(term, rank) for term, rank in zip(terms, ranks, strict=True)]
    widest = "".join(spare[: max(hidden)])
    spelled = [
        _spelled(term, widest[len(widest) - n :], rank)
        for term, n, rank in zip(terms, hidden, ranks, strict=True)
    ]
    if not arrow:
        letters = "".join(spelled)
        once = sorted(c for c in set(letters) if letters.count(c) == 1 and c not in widest)
        return spelled, widest + "".join(once)
    result = right.replace("...", widest)
    if len(set(result)) != len(result) or not set(result) <= set("".join(spelled)):
        raise ValueError(f"einsum: the result {right!r} repeats an index or has one of no operand")
    return spelled, result


def _without_repeats(x: Operand, term: str) -> tuple[Any, str]:
    """An operand as its diagonal over axes with the same letter."""
    for c in dict.fromkeys(term):
        while term.count(c) > 1:
            i, j = term.index(c), term.rindex(c)
            m, n = shape_of(x)[i], shape_of(x)[j]
            what = f"dimensions in an operand for collapsing index {c!r} don't match"
            x = of_size(x, m, n, what + " ({0} != {1})")
            x = diagonal(x, axis1=i, axis2=j)
            term = term[:i] + term[i + 1 : j] + term[j + 1 :] + c
    return x, term


# ---- the op ------------------------------------------------------------------------------------


def _einsum_type(*types: TensorType, terms: tuple[str, ...], result: str) -> TensorType:
    dtype = promote(*(t.strong() for t in types)).dtype
    sizes: dict[str, Dim] = {}
    for t, term in zip(types, terms, strict=True):
        for c, n in zip(term, t.shape or (None,) * len(term), strict=True):
            known = sizes.get(c, 1)
            if known not in (1, None, n) and n not in (1, None):
                raise ValueError(f"einsum: axis {c!r} has sizes {known} and {n}")
            sizes[c] = n if known == 1 else known
    return TensorType(dtype, tuple(sizes[c] for c in result))


def _einsum_vjp(
    g: Any, out: Any, *arrays: Any, terms: tuple[str, ...], result: str
) -> tuple[Any, ...]:
    return tuple(
        _part(g, i, arrays, terms, result) if type_of(x).is_inexact else None
        for i, x in enumerate(arrays)
    )


def _part(g: Any, i: int, arrays: Any, terms: tuple[str, ...], result: str) -> Any:
    """Cotangent of one operand: `g` times the others, spread over axes that only it has."""
    others = [
        (conjugated(x), t) for k, (x, t) in enumerate(zip(arrays, terms, strict=True)) if k != i
    ]
    known = set(result).union(*(t for _, t in others))
    own = "".join(c for c in terms[i] if c in known)
    part = _summed([(g, result), *others], own)
    alone = tuple(k for k, c in enumerate(terms[i]) if c not in known)
    shape = shape_of(arrays[i])
    if alone:
        whole = expand_dims(part, alone)
        sizes = zip(shape_of(whole), shape, strict=True)
        part = broadcast_to(whole, tuple(n if k in alone else m for k, (m, n) in enumerate(sizes)))
    return sum_to(part, shape)


@op(
    inputs=None,
    infer=_einsum_type,
    vjp=_einsum_vjp,
    reads=tuple(range(64)),
    raises=lambda types, attrs: not all(t.is_static for t in types),
    samples=lambda: (
        ((array((2, 3)), array((3, 4))), {"terms": ("ij", "jk"), "result": "ik"}),
        ((array((2, 3)),), {"terms": ("ij",), "result": "j"}),
        ((array((2, 3)),), {"terms": ("ij",), "result": ""}),
        ((array((2, 3)), array((2,)), array((3,))), {"terms": ("ij", "i", "j"), "result": ""}),
        ((array((2, 1)), array((2, 3))), {"terms": ("ij", "ij"), "result": "ij"}),
        ((array((2, 2), "c16"), array((2,), "c16")), {"terms": ("ij", "j"), "result": "i"}),
        ((array((0, 2), "f4"), array((2,), "f4")), {"terms": ("ij", "j"), "result": "i"}),
    ),
)
def einsum_(xp: Module, *arrays: Array, terms: tuple[str, ...], result: str) -> Array:
    """Sum of products over the letters of `terms` that `result` does not have."""
    if len(arrays) == 2:
        one, other = terms
        if _is_product_of_matrices(arrays[0], arrays[1], one, other, result):
            return in_single(lambda x, y: _of_matrices(xp, x, y, one, other, result), *arrays)
    text = f"{','.join(terms)}->{result}"
    return in_single(lambda *given: xp.asarray(xp.einsum(text, *given)).copy(), *arrays)


def _is_product_of_matrices(x: Array, y: Array, one: str, other: str, result: str) -> bool:
    """Whether BLAS has this product: of floats, both operands with axes of their own."""
    in_both, letters = set(one) & set(other), set(result)
    if not in_both - letters or not letters - set(one) or not letters - set(other):
        return False
    sizes = dict(zip(other, y.shape, strict=True))
    stretches = any(n != sizes.get(c, n) for c, n in zip(one, x.shape, strict=True))
    return not stretches and kind_of(np.result_type(x, y)) in "fc"


def _of_matrices(xp: Module, x: Array, y: Array, one: str, other: str, result: str) -> Array:
    """A product of matrices, for each place along the axes that both operands and it have."""
    sizes = dict(zip(one + other, x.shape + y.shape, strict=True))
    around = [c for c in result if c in one and c in other]
    inner = [c for c in one if c in other and c not in result]
    rows, columns = ([c for c in term if c not in (*around, *inner)] for term in (one, other))

    def of(letters: Sequence[str]) -> list[int]:
        return [sizes[c] for c in letters]

    left = xp.transpose(x, [one.index(c) for c in (*around, *rows, *inner)])
    right = xp.transpose(y, [other.index(c) for c in (*around, *inner, *columns)])
    made = xp.matmul(
        left.reshape(*of(around), math.prod(of(rows)), math.prod(of(inner))),
        right.reshape(*of(around), math.prod(of(inner)), math.prod(of(columns))),
    ).reshape(*of(around), *of(rows), *of(columns))
    order = [*around, *rows, *columns]
    return xp.ascontiguousarray(xp.transpose(made, [order.index(c) for c in result]))


@implements(
    samples=lambda: (
        (("ij,jk", array((2, 3)), array((3, 4))), {}),
        (("...ij,...jk->...ik", array((5, 2, 3)), array((3, 4))), {}),
        (("ii->i", array((3, 3))), {}),
        (("iji,k->jk", array((3, 2, 3)), array((2,))), {}),
        (("i...->...", array((3, 2))), {}),
        ((" b i , b i -> b ", array((2, 3)), array((2, 3))), {}),
    ),
)
def einsum(subscripts: Any, /, *operands: Any, optimize: Any = False) -> Any:
    """Sum of products by Einstein's convention, as "ij,jk->ik" for the matrix product.

    Each operand may be followed by a list of numbers instead, in the place of letters, and the last
    of them by those of the result.

    Repeated letters of a term take a diagonal; "..." stands for further axes, broadcast. Raises
    ValueError when letters and axes do not fit.

    >>> ag.einsum("ij,j->i", np.array([[1, 2], [3, 4]]), np.array([1, 10])).numpy()
    array([21, 43])
    """
    if not isinstance(subscripts, str):
        subscripts, operands = _of_lists((subscripts, *operands))
    terms, result = _explicit(subscripts, [rank_of(x) for x in operands])
    pairs = [_without_repeats(x, t) for x, t in zip(operands, terms, strict=True)]
    if len(pairs) == 1 and sorted(pairs[0][1]) == sorted(result):
        x, term = pairs[0]  # no sum: a view, as NumPy gives it
        return permute_dims(x, tuple(map(term.index, result)))
    return _in_pairs(pairs, result)


# ---- products of two at a time -----------------------------------------------------------------


def _in_pairs(operands: list[tuple[Any, str]], result: str) -> Any:
    """The sum of products, two of them at a time in the order that takes the fewest.

    More than two get the common dtype first, in which NumPy computes; floats of 16 bits and less
    get single precision, and are rounded once.
    """
    common = promote(*(type_of(x).strong() for x, _ in operands)).dtype
    is_rounded = len(operands) > 2 and (is_narrow(common) or common == np.float16)
    dtype = np.dtype(np.float32) if is_rounded else common
    if len(operands) > 2:
        operands = [(astype(x, dtype, copy=False), t) for x, t in operands]
    made = _summed(operands, result)
    return astype(made, common) if is_rounded else made


def _summed(operands: list[tuple[Any, str]], result: str) -> Any:
    """The sum of products as products of two, each with no letters that only one of them has."""
    left = list(operands)
    for pair in contraction_order([t for _, t in left], result, _sizes(left)):
        terms = [t for _, t in left]
        kept = result if len(left) == 2 else kept_letters(terms, pair, result)
        made = _product(left[pair[0]], left[pair[1]], kept)
        left = [given for k, given in enumerate(left) if k not in pair] + [(made, kept)]
    return _alone(*left[0], result)[0]


def _sizes(operands: list[tuple[Any, str]]) -> dict[str, int]:
    """The size of each letter's axis; what is not known is as large as a matrix is."""
    sizes: dict[str, int] = {}
    for x, term in operands:
        for c, n in zip(term, shape_of(x), strict=True):
            sizes[c] = max(sizes.get(c, 1), n if isinstance(n, int) else _UNKNOWN)
    return sizes


def _product(one: tuple[Any, str], other: tuple[Any, str], result: str) -> Any:
    """The product of two: element-wise where nothing is summed but what only one of them has."""
    x, term = _alone(*one, "".join(c for c in one[1] if c in other[1] + result))
    y, second = _alone(*other, "".join(c for c in other[1] if c in one[1] + result))
    if set(term) | set(second) <= set(result):
        return multiply(_aligned(x, term, result), _aligned(y, second, result))
    return einsum_(x, y, terms=(term, second), result=result)


def _alone(x: Any, term: str, result: str) -> tuple[Any, str]:
    """An operand summed over the letters that `result` does not have."""
    return (x if term == result else einsum_(x, terms=(term,), result=result)), result


def _aligned(x: Any, term: str, result: str) -> Any:
    """An operand with axes of size 1 for the letters that it does not have."""
    order = tuple(term.index(c) for c in result if c in term)
    missing = tuple(k for k, c in enumerate(result) if c not in term)
    x = x if order == tuple(range(len(order))) else permute_dims(x, order)
    return expand_dims(strengthen(x), missing) if missing else strengthen(x)


def _of_lists(given: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The subscripts as text, and the operands, of operands each followed by a list of numbers."""
    count = len(given) // 2
    terms = list(map(_letters, given[1 : 2 * count : 2]))
    result = f"->{_letters(given[-1])}" if len(given) % 2 else ""
    return ",".join(terms) + result, given[: 2 * count : 2]


def _letters(numbers: Any) -> str:
    """Numbers as letters, of which the order is that of the numbers."""
    found = []
    for n in numbers:
        if n is ...:
            found.append("...")
            continue
        number = operator.index(n)
        if not 0 <= number < len(_LETTERS):
            raise ValueError(f"subscript is not within the valid range [0, {len(_LETTERS)})")
        found.append(_LETTERS[number])
    return "".join(found)


# How large an axis counts whose size is not known.
_UNKNOWN = 64
_LETTERS = string.ascii_uppercase + string.ascii_lowercase
