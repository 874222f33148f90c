"""What native code has Python do at its place: effects, and nodes without a native form.

Such nodes only in branches and loops: elsewhere a graph is parted there, and at effects that are
given large arrays. What runs code of the
user's is handed copies, and what it gives is copied, so that it may keep what it likes. A graph
with effects is never run a second time: where it fails, the node that fails is a call-out, too,
with what is pending there, behind one that gives variables what was assigned to them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from runtime.effects.control import CLOCK, PRINT, STORE
from runtime.effects.generators import DRAW, SAMPLE
from runtime.effects.held_results import HOLD
from runtime.effects.host import HOST_CALL
from runtime.execute.native.context import SLOT
from runtime.graph.ir import Graph, Node, Value
from runtime.lowering.kernels.arrays import Form, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import (
    Block,
    CallOut,
    Cell,
    Check,
    Dim,
    Handed,
    If,
    Outside,
    Store,
    load,
    read,
)
from runtime.lowering.kernels.refusal import Refusal, TooLarge
from runtime.lowering.kernels.scalar import TRUE, Expr, call, const, index, is_complex
from runtime.lowering.kernels.sharing import DRAW_KEYS, PUT, PUT_IF_RAISED, TAKE
from runtime.lowering.kernels.state import DONE_ONCE, runs_no_code
from runtime.lowering.nodes.attempts import escapes, kind_of
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.stacks import Stack
from runtime.lowering.scalars.meaning import Fail
from runtime.ops.declaration.declare import REGISTRY
from runtime.spec import TensorType, Type

__all__ = [
    "at_least",
    "call_out",
    "called_outside",
    "calls_python",
    "failing",
    "fails",
    "form_of",
    "has_effects",
    "result_of",
    "savers",
]

# Effects that need nothing but their operands. What they are given, the last two may keep.
_DRAWS = (DRAW, SAMPLE, DRAW_KEYS)  # which mostly have native forms
_EFFECTS = (*_DRAWS, PRINT, CLOCK, PUT, TAKE, STORE, HOST_CALL, HOLD)
_KEEPING = (STORE, HOST_CALL, HOLD)
# Plans overwrite an array for ops that have one of these. To copy one of more elements is slower.
_IN_PLACE, _LITTLE = {"inplace", "statement"}, 1024
# What is copied for a call takes no longer than to call native code of two parts of a graph.
_SMALL = 1 << 16
# What is no computation, or has no sizes that native code could know.
_NEVER = frozenset(("constant", "missing", "raise", "append_row", "rows_alike"))


def has_effects(nodes: Iterable[Node]) -> bool:
    """Whether there are effects among nodes that native code has Python do, and never again."""
    return any(node.op in _EFFECTS for node in nodes)


def calls_python(nodes: Iterable[Node]) -> bool:
    """Whether there are effects among nodes that Python has whatever else is native."""
    return any(node.op in _EFFECTS and node.op not in _DRAWS for node in nodes)


def call_out(b: Builder, node: Node, reason: str) -> list[Form]:
    """Have Python compute a node here, which has no native form for the reason; or Refusal."""
    if b.attempts and node.can_raise:
        raise Refusal(f"{reason}, in a `try`")
    is_effect = node.op in (*_EFFECTS, *DONE_ONCE.values())
    is_other = node.op.effect is not None and not is_effect
    values = (*node.inputs, *(v for v in node.outputs if b.is_needed(v)))
    is_here = b.is_staged or (is_effect and all(_is_little(v.type, _SMALL) for v in values))
    if not is_here or is_other or node.graphs or node.signals or node.op.name in _NEVER:
        raise Refusal(reason)
    try:
        return _called(b, node)
    except TooLarge:
        raise
    except Refusal as why:
        raise Refusal(f"{reason}, nor can native code call it: {why}") from None


def _called(b: Builder, node: Node) -> list[Form]:
    if _IN_PLACE & node.op.options.keys() and not _is_little(node.inputs[0].type):
        raise Refusal("an array that is written in place where a plan does it")
    if _keeps(node):
        for value in node.inputs:
            _check_new(b, node, value)
    if any(not _is_little(value.type) for value in _pending(b, node)):
        raise Refusal("a large array that is written if it fails, and copied each time")
    results: list[Handed] = []
    forms: list[Form] = []
    kept = []
    for k, value in enumerate(node.outputs):
        if not isinstance(value.type, TensorType) and not b.is_needed(value):
            forms.append(const(0, "i8"))
            continue
        kept.append(k)
        results.append(result_of(b, node, k))
        forms.append(form_of(b, value, results[-1]))
    called_outside(b, node, results, tuple(kept))
    return forms


def called_outside(
    b: Builder,
    node: Node,
    results: Sequence[Handed],
    kept: tuple[int, ...],
    *,
    operands: Sequence[Handed] | None = None,
    is_rare: bool = False,
) -> None:
    """Have Python compute a node here, and put its `kept` outputs where `results` say.

    `operands` are what it is handed, if that is not what the node is given.
    """
    _put_contents(b)
    operands = _operands(b, node) if operands is None else operands
    types = tuple(handed.type for handed in operands)
    pending = b.pending.get(node)
    own = REGISTRY.get(node.op.name)
    is_ours = own is not None and own.op is node.op and node.op.effect is None
    sees = pending is None and (is_ours or node.op is PUT)
    found = Outside(node, b.origins(node), types, kept, pending)
    found.sees, found.is_users, found.is_rare = sees, _keeps(node), is_rare
    b.program.outside.append(found)
    b.emit(CallOut(len(b.program.outside) - 1, operands, results))


def _keeps(node: Node) -> bool:
    """Whether what a node is given may be kept: what runs no code of the user's takes a copy."""
    return node.op in _KEEPING and not runs_no_code(node)


def _is_little(type_: Type, most: int = _LITTLE) -> bool:
    if not isinstance(type_, TensorType) or not type_.is_static:
        return False
    return math.prod(n or 0 for n in type_.shape or ()) <= most


def fails(b: Builder, node: Node) -> Fail:
    """What gives up at `node` where a truth holds; of errors of a known class, that may be told."""

    own = kind_of(node)

    def fail(failed: Expr, kind: type[BaseException] | None = own) -> None:
        if failed.function == "const" and not failed.value:
            return
        assert not b.is_in_nest, "elements of arrays do not fail"
        if escapes(b, node, failed, kind):
            return
        # A caught error has a number here, of which Python could not make it again.
        numbers = [value for value in node.inputs if isinstance(value.type, TensorType)]
        forms = [b.forms[value] for value in numbers]
        operands = [form for form in forms if isinstance(form, Expr)]
        is_complete = len(operands) == len(node.inputs) <= SLOT
        is_complete = is_complete and not any(is_complex(form.type) for form in operands)
        if b.program.has_effects and (node in b.pending or not is_complete):
            block: Block = []
            failing(b, node, block)
            b.emit(If(failed, block, []))
            return
        check = Check(b.site(node, is_complete, kind), failed, operands if is_complete else ())
        if b.unsaved is None:
            b.emit(check)
            return
        block = []
        with b.inside(block):
            _put_contents(b)
            b.emit(Check(check.site, TRUE, check.operands))
        b.emit(If(failed, block, []))

    return fail


def at_least(b: Builder, size: Expr, least: int, kind: type[BaseException]) -> None:
    """Have the present node raise an error of that class where a size is less."""
    if b.is_alone and b.node is not None:
        fails(b, b.node)(call("lt", size, index(least)), kind)
    else:
        b.require(size, least, raises=True)


def failing(b: Builder, node: Node, block: Block) -> None:
    """Have Python raise what `node` raises, in a block."""
    with b.inside(block):
        _put_contents(b)
        operands = _operands(b, node)
        types = tuple(handed.type for handed in operands)
        pending = b.pending.get(node)
        found = Outside(node, b.origins(node), types, (), pending, fails=True)
        b.program.outside.append(found)
        b.emit(CallOut(len(b.program.outside) - 1, operands, ()))


def savers(graph: Graph) -> dict[Node, Node]:
    """What gives variables their contents where a node raises: it stands before the node."""
    found, saver = {}, None
    for node in graph.nodes:
        if node.op is PUT_IF_RAISED:
            saver = node
        elif saver is not None and node.op.name not in ("pending", "constant"):
            found[node], saver = saver, None
    return found


def _put_contents(b: Builder) -> None:
    """Give variables the contents that they are to have where the present node raises."""
    if b.unsaved is not None:
        operands = _operands(b, b.unsaved)
        types = tuple(handed.type for handed in operands)
        found = Outside(b.unsaved, b.origins(b.unsaved), types, sees=True, is_rare=True)
        b.program.outside.append(found)
        b.emit(CallOut(len(b.program.outside) - 1, operands, ()))


# ---- operands ------------------------------------------------------------------------------------


def _operands(b: Builder, node: Node) -> list[Handed]:
    """The operands of a node, then what is to be written if it raises."""
    return [_operand(b, value) for value in (*node.inputs, *_pending(b, node))]


def _pending(b: Builder, node: Node) -> list[Value]:
    """What is to be written if a node raises."""
    pending = b.pending.get(node)
    if pending is None or pending.attrs["write"] is None:
        return []
    return pending.inputs[: pending.attrs["count"]]


def _operand(b: Builder, value: Value) -> Handed:
    type_ = tensor_type(value.type)
    form = b.forms[value]
    if isinstance(form, Stack) or form.type != machine_type(type_.dtype):
        raise Refusal(f"a value of type {type_}")
    if isinstance(form, Expr) and is_complex(form.type):
        buffer = b.buffer(value.name, form.type, ())
        b.emit(Store(buffer, index(0), form))
        return Handed(type_, buffer=buffer)
    if isinstance(form, Expr):
        return Handed(type_, value=b.let(form))
    stored = b.stored(form, value.name)
    return Handed(type_, buffer=stored.buffer, shape=tuple(stored.shape))


def _check_new(b: Builder, node: Node, value: Value) -> None:
    """Refusal for an array of which Python code, given a copy, could tell that it is one.

    It cannot where it keeps none, or where the array is new and nobody else has it, or what it is
    given is a view each time anyway.
    """
    if isinstance(b.forms.get(value), Expr):
        return
    made = value.node
    is_new = made is not None and isinstance(made.op.host_function, np.ufunc)
    is_alone = b.readers.get(value) == [node] and node.inputs.count(value) == 1
    is_alone = is_alone and value not in b.results
    call = node.attrs.get("call")
    is_viewed = getattr(call, "as_arrays", False)
    if getattr(call, "keeps", True) and not (is_new and (is_alone or is_viewed)):
        raise Refusal("it may keep an array")


# ---- results -------------------------------------------------------------------------------------


def result_of(b: Builder, node: Node, k: int) -> Handed:
    """Where Python's result is to come: a cell, or memory of its own."""
    value = node.outputs[k]
    type_ = tensor_type(value.type)
    kind = machine_type(type_.dtype)
    if type_.shape == () and is_complex(kind):
        return Handed(type_, buffer=b.buffer(value.name, kind, ()))
    if type_.shape == ():
        return Handed(type_, cell=Cell(b.fresh(value.name), kind))
    shape = _shape(b, node, k)
    return Handed(type_, buffer=b.buffer(value.name, kind, shape), shape=shape)


def form_of(b: Builder, value: Value, result: Handed) -> Form:
    """The form of what Python gave."""
    if result.cell is not None:
        return read(result.cell)
    assert result.buffer is not None
    if result.type.shape == ():
        return load(result.buffer, index(0))
    b.owned.add(value)
    return Stored(result.buffer, result.shape, result.buffer.type)


def _shape(b: Builder, node: Node, k: int) -> tuple[Dim, ...]:
    """The sizes of a result: where they are not known, the rule of the op is tried with numbers.

    A size that comes out as the number that one size of the operands had, twice, is that size.
    """
    declared = tensor_type(node.outputs[k].type).shape or ()
    known = tuple(n for n in declared if n is not None)
    if len(known) == len(declared):
        return known
    one, other = (_tried(b, node, k, itertools.count(start, 1009)) for start in (10007, 20011))
    return tuple(_size(a, z) for a, z in zip(one, other, strict=True))


def _size(one: Dim | None, other: Dim | None) -> Dim:
    is_same = one is other or (isinstance(one, int) and one == other)
    if one is None or not is_same:
        raise Refusal("sizes that only Python knows")
    return one


def _tried(b: Builder, node: Node, k: int, numbers: Iterator[int]) -> list[Dim | None]:
    """The sizes of a result for sizes of the operands that are numbers, those replaced again."""
    chosen: dict[Expr, int] = {}
    types = [_with_numbers(b, value, chosen, numbers) for value in node.inputs]
    try:
        found = node.op.infer_all(types, node.attrs)[k]
    except Exception:  # noqa: BLE001 - sizes that are different numbers need not agree
        raise Refusal("sizes that only Python knows") from None
    back: dict[int, Dim] = {number: size for size, number in chosen.items()}
    return [n if n is None else back.get(n, n) for n in tensor_type(found).shape or ()]


def _with_numbers(
    b: Builder, value: Value, chosen: dict[Expr, int], numbers: Iterator[int]
) -> TensorType:
    type_, form = tensor_type(value.type), b.forms[value]
    if isinstance(form, Expr):
        return type_
    sizes: Sequence[Dim] = [b.size(n) for n in form.shape]
    for n in sizes:
        if isinstance(n, Expr) and n not in chosen:
            chosen[n] = next(numbers)
    shape = tuple(chosen[n] if isinstance(n, Expr) else n for n in sizes)
    return TensorType(type_.dtype, shape, type_.weak)
