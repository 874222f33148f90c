"""Lowering of draws from NumPy's generators: calls of NumPy's own functions.

They take operands that are surely good. For others Python draws, or raises what NumPy raises.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import reduce

import numpy as np

from runtime.effects.generators import STANDARD, WAIT
from runtime.execute.native import samplers, twister
from runtime.execute.native.samplers import MASKED, ONE_BY_ONE, ORDERING, OTHERS, RANGES
from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Form, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Block, Cell, Draw, Handed, If, Outside, read
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import TRUE, Expr, both, call, cast, const, index, limits
from runtime.lowering.nodes.call_outs import called_outside
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.shaping import given_shape
from runtime.spec import TensorType

__all__ = ["generator_draw"]

_ADDRESS = TensorType(np.dtype(np.uint64), ())
_MEAN = 1e18  # Poisson distributions of larger means are Python's matter
_DOMAINS: dict[str, Callable[[Expr], Expr]] = {
    "+": lambda x: call("gt", x, const(0.0, "f8")),
    ".": lambda x: TRUE,
    "1": lambda x: both(call("ge", x, const(0.0, "f8")), call("le", x, const(1.0, "f8"))),
    "p": lambda x: both(call("gt", x, const(0.0, "f8")), call("le", x, const(1.0, "f8"))),
    "m": lambda x: both(call("ge", x, const(0.0, "f8")), call("le", x, const(_MEAN, "f8"))),
    "n": lambda x: call("ge", x, const(0, "i8")),
}


def generator_draw(b: Builder, node: Node) -> list[Form]:
    """A number, or an array, that a function of NumPy's draws."""
    count, method = node.attrs["count"], node.attrs["method"]
    given = [b.forms[value] for value in node.inputs[1 : 1 + count]]
    operands = [x for x in given if isinstance(x, Expr)]
    if len(operands) < len(given):
        raise Refusal(f"a draw by `{method}` of arrays of operands")
    shape = given_shape(b, node, node.inputs[1 + count :])
    kind = machine_type(node.attrs["dtype"])
    name, values, is_good = _FORMS.get(method, _one_by_one)(method, kind, operands)
    if not (samplers.is_at_hand(name) or twister.is_at_hand(name)):
        raise Refusal(f"NumPy's function `{name}` is not to be had")
    if b.attempts and node.can_raise:
        raise Refusal(f"a draw by `{method}` of operands that are not known, in a `try`")
    type_ = tensor_type(node.outputs[0].type)
    if shape:
        result = Handed(type_, buffer=b.buffer(node.outputs[0].name, kind, shape), shape=shape)
    else:
        result = Handed(type_, cell=Cell(b.fresh(node.outputs[0].name), kind))
    _emit(b, node, (name, values, is_good), result)
    if result.cell is not None:
        return [read(result.cell)]
    assert result.buffer is not None
    b.owned.add(node.outputs[0])
    return [Stored(result.buffer, shape, kind)]


def _emit(b: Builder, node: Node, called: tuple[str, Sequence[Expr], Expr], result: Handed) -> None:
    """The draw; where operands are not known to be good, Python's in their place."""
    name, values, is_good = called
    bits = b.forms[node.inputs[0]]
    assert not isinstance(bits, Expr)
    words = [b.at(bits, [index(k)]) for k in range(3)]
    handed = [Handed(TensorType(np.dtype(x.type), ()), value=b.let(x)) for x in (*words, *values)]
    draw = Draw(_waiting(b, node), handed, (result,), sampler=name)
    if is_good is TRUE:
        b.emit(draw)
        return
    otherwise: Block = []
    with b.inside(otherwise):
        called_outside(b, node, [result], (0,), is_rare=True)
    b.emit(If(b.let(is_good), [draw], otherwise))


def _waiting(b: Builder, node: Node) -> int:
    """The number of what Python does where somebody else is drawing: once in a program."""
    outside = b.program.outside
    for number, known in enumerate(outside):
        if known.node.op is WAIT:
            return number
    wait = Node(WAIT, node.inputs[:1], {}, (), (), node.origin)
    outside.append(Outside(wait, b.origins(node), (_ADDRESS, _ADDRESS), is_rare=True))
    return len(outside) - 1


# ---- what is called ------------------------------------------------------------------------------

_Called = tuple[str, list[Expr], Expr]


def _one_by_one(method: str, kind: str, operands: Sequence[Expr]) -> _Called:
    """A function that draws a number."""
    own = ONE_BY_ONE.get((method, kind)) or OTHERS.get((method, kind))
    if own is None:
        raise Refusal(f"draws by `{method}` of {kind}")
    values = [
        cast(x, "i8" if d == "n" else "f8") for x, d in zip(operands, own.domains, strict=True)
    ]
    is_good = _all(_DOMAINS[d](x) for d, x in zip(own.domains, values, strict=True))
    return own.name, [values[k] for k in own.order or range(len(values))], is_good


def _standard(method: str, kind: str, operands: Sequence[Expr]) -> _Called:
    """What is drawn for a distribution of which the graph computes the rest."""
    library, dot, own = method.rpartition(".")
    drawn, taken = STANDARD[own]
    values = [cast(x, "f8") for x in operands]
    is_good = _all(map(_DOMAINS["+"], values))
    name, given, _ = _one_by_one(library + dot + drawn, kind, values[:taken])
    return name, given, is_good


def _uniform(method: str, kind: str, operands: Sequence[Expr]) -> _Called:
    name, given, _ = _one_by_one(method.removesuffix("uniform_deviate") + "random", kind, ())
    if not operands:
        return name, given, TRUE
    low, high = (cast(x, "f8") for x in operands)
    width = _minus(high, low)
    is_good = both(_DOMAINS["+"](width), call("lt", width, const(math.inf, "f8")))
    return name, given, is_good


def _integers(method: str, kind: str, operands: Sequence[Expr]) -> _Called:
    """A function that fills memory with whole numbers: their least one, and how many more."""
    if kind not in RANGES or any(x.type in ("u8", "f4", "f8") for x in operands):
        raise Refusal(f"draws of {kind} between numbers of such types")
    low, end = (cast(x, "i8") for x in operands)
    last = end if method == "integers_to" else _minus(end, const(1, "i8"))
    least, most = limits(kind) if kind != "u8" else (0, limits("i8")[1])
    is_good = _all(
        call(*pair)
        for pair in (
            ("le" if method == "integers_to" else "lt", low, end),
            ("ge", low, const(least, "i8")),
            ("le", last, const(most, "i8")),
        )
    )
    names = MASKED if method.startswith("state.") else RANGES
    return names[kind], [low, _minus(last, low)], is_good


def _choice(method: str, kind: str, operands: Sequence[Expr]) -> _Called:
    """Which of so many it is, all equally likely."""
    return _integers(method, kind, (const(0, "i8"), *operands))


def _below(method: str, kind: str, operands: Sequence[Expr]) -> _Called:
    """How far a number of a range of Python's is from its first one."""
    low, end = (const(0, "i8"), *operands)[-2:]
    width = _minus(end, low)
    is_good = both(call("lt", low, end), call("gt", width, const(0, "i8")))
    return "python_below", [width], is_good


def _order(method: str, kind: str, operands: Sequence[Expr]) -> _Called:
    return ORDERING, [], TRUE


_FORMS: dict[str, Callable[[str, str, Sequence[Expr]], _Called]] = {
    **dict.fromkeys(STANDARD, _standard),
    **dict.fromkeys((f"state.{method}" for method in STANDARD), _standard),
    **dict.fromkeys(("uniform_deviate", "state.uniform_deviate"), _uniform),
    **dict.fromkeys(("integers", "integers_to", "state.integers"), _integers),
    **dict.fromkeys(("order", "state.order"), _order),
    **dict.fromkeys(("choice", "state.choice"), _choice),
    "python.below": _below,
}


def _all(truths: Iterable[Expr]) -> Expr:
    """Whether all hold: `TRUE` where that is known."""
    return reduce(both, truths, TRUE)


def _minus(one: Expr, other: Expr) -> Expr:
    """A difference, known where both are."""
    if one.function == other.function == "const":
        return const(one.value - other.value, one.type)
    return call("sub", one, other)
