"""Lowering of products of arrays of any rank: as contractions, by letters that name the axes."""

from __future__ import annotations

import string
from collections.abc import Sequence, Set
from functools import reduce

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Array, Form, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Axis, Dim, load
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, both, call, index, is_complex
from runtime.lowering.kernels.strides import steps_of
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import converted, mapped
from runtime.lowering.nodes.products import ONE, contract, of_complex, placed
from runtime.lowering.nodes.reductions import over_axes
from runtime.lowering.nodes.shaping import permuted
from runtime.lowering.scalars.complex_numbers import FORMS

__all__ = ["einsum", "tensordot", "vecdot"]


def einsum(b: Builder, node: Node) -> list[Form]:
    """The sum of products of one or two arrays, by Einstein's convention."""
    terms, result = node.attrs["terms"], node.attrs["result"]
    if len(terms) > 2 or any(len(set(term)) < len(term) for term in terms):
        raise Refusal("a sum of products of more than two arrays")
    if len(terms) == 2 and set(terms[0]) ^ set(terms[1]):
        return _lettered(b, node, terms[0], terms[1], result)
    return [_element_by_element(b, node, terms, result)]


def _element_by_element(b: Builder, node: Node, terms: Sequence[str], result: str) -> Form:
    """Sums of arrays of the same letters, or of their products, in the order of the first."""
    forms = [x for x in map(b.forms.__getitem__, node.inputs) if not isinstance(x, Expr)]
    if len(forms) < len(terms):
        raise Refusal("a product of arrays without axes")
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    first = terms[0]
    ordered = [_in_order(b, x, t, first) for x, t in zip(forms, terms, strict=True)]
    times = both if kind == "b1" else lambda x, y: call("mul", x, y)

    def multiplied(factors: Sequence[Expr]) -> Expr:
        return reduce(times, (converted(x, kind) for x in factors))

    made = mapped(b, ordered, kind, multiplied)
    axes = [k for k, c in enumerate(first) if c not in result]
    kept = "".join(c for c in first if c in result)
    if axes:
        shape = tuple(n for k, n in enumerate(made.shape) if k not in axes)
        summed = over_axes(b, "any" if kind == "b1" else "sum", made, axes, shape, kind)
        if isinstance(summed, Expr):
            return summed
        made = summed
    return _in_order(b, made, kept, result)


def _in_order(b: Builder, x: Array, term: str, wanted: str) -> Array:
    """An array with its axes in the order of other letters."""
    return permuted(b, x, [term.index(c) for c in wanted])


def tensordot(b: Builder, node: Node) -> list[Form]:
    """The sum of products over pairs of axes."""
    x, y = (tensor_type(value.type).shape or () for value in node.inputs)
    one, other = list(string.ascii_letters[: len(x)]), list(string.ascii_letters[::-1][: len(y)])
    for i, j in zip(*node.attrs["axes"], strict=True):
        other[j] = one[i]
    shared = set(one) & set(other)
    result = "".join(letter for letter in (*one, *other) if letter not in shared)
    return _lettered(b, node, "".join(one), "".join(other), result, strict=shared)


def vecdot(b: Builder, node: Node) -> list[Form]:
    """The sum of products over one axis, the others broadcast."""
    ranks = [len(tensor_type(value.type).shape or ()) for value in node.inputs]
    axis = node.attrs.get("axis", -1)
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    if is_complex(kind):
        if ranks != [1, 1]:
            raise Refusal("products of complex numbers over one axis of several")
        x, y = (b.forms[value] for value in node.inputs)
        assert not isinstance(x, Expr) and not isinstance(y, Expr)
        first = mapped(b, [x], kind, lambda args: FORMS["conj"](converted(args[0], kind)))
        return [of_complex(b, first, y, b.equal(x.shape[0], y.shape[0]), (), kind)]
    if max(ranks) > len(string.ascii_lowercase):
        raise Refusal("more axes than there are letters")
    around = string.ascii_lowercase[: max(ranks) - 1]
    terms = []
    for rank in ranks:
        own = around[len(around) - rank + 1 :]
        at = axis % rank
        terms.append(f"{own[:at]}Z{own[at:]}")
    return _lettered(b, node, terms[0], terms[1], around, strict={"Z"})


def _lettered(
    b: Builder, node: Node, one: str, other: str, result: str, strict: Set[str] = frozenset()
) -> list[Form]:
    """A contraction of axes that are named by letters, each at most once in an operand.

    Axes of one letter have one size; of those that are not `strict`, size 1 fits any.
    """
    x, y = (b.forms[value] for value in node.inputs)
    if isinstance(x, Expr) or isinstance(y, Expr):
        raise Refusal("a product of arrays without axes")
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    sizes = _sizes(b, strict, (x, one), (y, other))
    shape = tuple(sizes[letter] for letter in result)
    operands = [placed(b, x, kind), placed(b, y, kind)]
    steps = [
        {
            c: 0 if n == 1 else step
            for c, n, step in zip(term, array.shape, found.steps, strict=True)
        }
        for term, array, found in zip((one, other), (x, y), operands, strict=True)
    ]
    last = result[-1:]
    alone = [set(result) - set(steps[1]), set(result) - set(steps[0])]
    if (last and last in alone[0]) or (alone[1] and not alone[0] and last not in alone[1]):
        operands.reverse()
        steps.reverse()
        alone.reverse()
    in_x, in_y = steps
    if last not in alone[1] and alone[1]:  # an axis of both operands is the last: not in memory
        natural = "".join(sorted(result, key=lambda c: (c in alone[1], c in alone[0])))
        (made,) = _lettered(b, node, one, other, natural, strict)
        assert not isinstance(made, Expr)
        return [_in_order(b, made, natural, result)]
    out = dict(zip(result, steps_of(shape), strict=True))

    def axis(letter: str) -> Axis:
        return Axis(sizes[letter], in_x.get(letter, 0), in_y.get(letter, 0), out.get(letter, 0))

    rows = [letter for letter in result if letter in alone[0]]
    column = axis(last) if last in alone[1] else ONE
    row = axis(rows[-1]) if rows else ONE
    taken = {*rows[-1:], *([last] if column is not ONE else [])}
    around = [axis(letter) for letter in result if letter not in taken]
    inner = [axis(letter) for letter in dict.fromkeys(one + other) if letter not in result]
    target = b.buffer("product", kind, shape or (1,))
    contract(b, target, operands[0], operands[1], (around, row, column, inner))
    return [Stored(target, shape, kind) if shape else b.let(load(target, index(0)))]


def _sizes(b: Builder, strict: Set[str], *operands: tuple[Array, str]) -> dict[str, Dim]:
    """The size of each letter's axis."""
    sizes: dict[str, Dim] = {}
    for array, term in operands:
        for letter, size in zip(term, array.shape, strict=True):
            known = sizes.get(letter)
            if known is None or (known == 1 and letter not in strict):
                sizes[letter] = size
            elif size != 1 or letter in strict:
                sizes[letter] = b.equal(known, size)
    return sizes
