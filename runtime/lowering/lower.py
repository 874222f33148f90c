"""From a graph to a program of kernels, or the reason why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from runtime.graph.ir import Graph, Node, Value
from runtime.lowering.kernels.arrays import Array, Form, Joined, Rows, Stored, as_expr
from runtime.lowering.kernels.builder import MOST, Builder, is_of_the_run
from runtime.lowering.kernels.kernel import (
    Buffer,
    Dim,
    MakeArray,
    Parameter,
    Program,
    Register,
    Result,
    Store,
    Watcher,
    While,
    load,
    product,
    read,
)
from runtime.lowering.kernels.merging import merge
from runtime.lowering.kernels.narrow_floats import NARROW
from runtime.lowering.kernels.refusal import Refusal, TooLarge
from runtime.lowering.kernels.scalar import Expr, call, const, index, is_complex
from runtime.lowering.nodes.call_outs import call_out, failing, has_effects
from runtime.lowering.nodes.catching import attempt, reraise
from runtime.lowering.nodes.concatenation_views import settled_apart
from runtime.lowering.nodes.contents import put_if_raised
from runtime.lowering.nodes.contents import take as take_contents
from runtime.lowering.nodes.control import (
    call_graph,
    checked,
    choose,
    cond,
    fail,
    lower_inside,
    while_loop,
)
from runtime.lowering.nodes.convolutions import (
    convolution,
    convolution_input,
    convolution_kernel,
)
from runtime.lowering.nodes.creation import (
    arange,
    array_form,
    full,
    known,
    linspace,
    missing,
    zeros_of,
)
from runtime.lowering.nodes.drawn_integers import integers
from runtime.lowering.nodes.draws import (
    ELEMENTS_OF_BITS,
    advance,
    below,
    bernoulli,
    draw,
    fold,
    split,
)
from runtime.lowering.nodes.elements import has_complex, has_narrow, machine_type, tensor_type
from runtime.lowering.nodes.elementwise import (
    as_weak,
    astype,
    elementwise,
    in_type,
    rounded,
    same,
    view,
)
from runtime.lowering.nodes.frames import accumulate, frame_of, frame_read, frame_take, frame_with
from runtime.lowering.nodes.gathers import gather, not_negative
from runtime.lowering.nodes.generator_draws import generator_draw
from runtime.lowering.nodes.held_results import held_results
from runtime.lowering.nodes.joining import concat, flip, roll, stack
from runtime.lowering.nodes.keys import (
    find_key,
    link_all,
    link_last,
    order_last,
    order_without,
    rows_in_order,
    unlink_row,
)
from runtime.lowering.nodes.masks import nonzero
from runtime.lowering.nodes.pooling import (
    window_argmax,
    window_max,
    window_pick,
    window_place,
    window_spread,
    window_sum,
)
from runtime.lowering.nodes.positions import position
from runtime.lowering.nodes.products import matmul
from runtime.lowering.nodes.random_orders import permutation
from runtime.lowering.nodes.recursion import recur, recursion
from runtime.lowering.nodes.reductions import count_nonzero, reduction, sum_to, variance
from runtime.lowering.nodes.rejected_draws import gamma, poisson
from runtime.lowering.nodes.rows import (
    append_row,
    as_long_as,
    as_rows,
    items_first,
    joined_rows,
    part_of_rows,
    settled,
    without_row,
)
from runtime.lowering.nodes.scans import scan
from runtime.lowering.nodes.searching import searchsorted
from runtime.lowering.nodes.shaping import (
    broadcast_to,
    diagonal,
    expand_dims,
    getitem,
    permute_dims,
    repeat,
    reshape,
    size_of,
    squeeze,
    windows_along,
)
from runtime.lowering.nodes.sorting import argsort
from runtime.lowering.nodes.stacks import empty, pop, push, take
from runtime.lowering.nodes.tensor_products import einsum, tensordot, vecdot
from runtime.lowering.nodes.updates import index_add, index_update
from runtime.lowering.rewrites.cache_blocking import crosswise
from runtime.lowering.rewrites.collapsing import collapse
from runtime.lowering.rewrites.column_packing import lay_out
from runtime.lowering.rewrites.epilogues import join_epilogues
from runtime.lowering.rewrites.hoisting import hoist
from runtime.lowering.rewrites.overwriting import overwrite
from runtime.lowering.rewrites.ranges import prove
from runtime.lowering.rewrites.redundant_stores import keep
from runtime.lowering.rewrites.reusing import reuse
from runtime.lowering.rewrites.signal_polling import pace
from runtime.lowering.rewrites.sinking import sink
from runtime.lowering.rewrites.splitting import split_complex
from runtime.lowering.rewrites.tiling import tile
from runtime.lowering.rewrites.unroll_and_jam import abreast
from runtime.lowering.rewrites.widening import widen
from runtime.lowering.scalars.complex_numbers import FORMS, OF_PARTS
from runtime.ops.declaration.declare import REGISTRY
from runtime.spec import TensorType, Type

__all__ = ["check", "lower"]

Rule = Callable[[Builder, Node], list[Form]]
_NUMBERS = (bool, int, float, complex)


def lower(
    graph: Graph,
    watcher: Watcher | None = None,
    contents: Sequence[tuple[int, int]] = (),
    most: float = MOST,
    is_alone: bool = False,
) -> Program:
    """`graph` as a program; Refusal says why there is none. `watcher` looks on.

    `contents` are inputs that may be overwritten, each with the output that is the new one. The
    program may cost the `most` to compile. If it is to be `alone`, sizes of arguments may be 0 and
    1, and it fails where another one leaves calls to a plan.
    """
    b = _written(graph, watcher, most, is_alone)
    collapse(b.program)
    lay_out(b.program)
    crosswise(b.program)
    merge(b.program)
    tile(b.program)
    join_epilogues(b.program)
    widen(b.program)
    abreast(b.program)
    hoist(b.program)
    overwrite(b.program, contents)
    sink(b.program)
    reuse(b.program)
    if watcher is not None:
        watcher.watch(b.program)
    if has_complex(graph) or any(map(has_complex, graph.walk())):
        split_complex(b.program)
    keep(b.program)
    pace(b.program, prove(b.program))
    return b.program


def check(graph: Graph, most: float) -> None:
    """Raise Refusal where `lower` does: no rewrite refuses what was written."""
    _written(graph, None, most, is_alone=False)


def _written(graph: Graph, watcher: Watcher | None, most: float, is_alone: bool) -> Builder:
    """The builder of a program that is as its nodes are written, one after the other."""
    b = Builder(graph.name, most, is_alone)
    b.watcher = watcher
    b.program.has_effects = has_effects(graph.walk())
    for value in graph.inputs:
        b.forms[value] = _parameter(b, value)
    try:
        lower_inside(b, graph, _nodes)
    except Refusal as refusal:
        refusal.node = b.node
        if isinstance(refusal, TooLarge):
            refusal.fitting = _fitting(b, graph)
        raise
    b.program.cost, b.node = b.cost, None
    taken: set[Buffer] = set()
    for value in graph.outputs:
        b.program.results.append(_result(b, value, taken))
    b.program.body += b.given
    return b


def _fitting(b: Builder, graph: Graph) -> int:
    """How many nodes of a graph are written, but for constants."""
    nodes = [node for node in graph.nodes if node.op.name != "constant"]
    return next((k for k, n in enumerate(nodes) if not b.forms.keys() >= {*n.outputs}), len(nodes))


def _parameter(b: Builder, value: Value) -> Form:
    """The form of an input."""
    type_ = tensor_type(value.type)
    kind = machine_type(type_.dtype)
    name = b.fresh(value.name)
    if type_.shape == () and is_complex(kind):
        buffer = Buffer(name, kind, (), "input")
        b.program.parameters.append(Parameter(type_, buffer=buffer))
        return b.let(load(buffer, index(0)), name)
    if type_.shape == ():
        register = Register(name, kind)
        b.program.parameters.append(Parameter(type_, register))
        return read(register)
    assert type_.shape is not None
    number = len(b.program.parameters)
    shape: list[Dim] = []
    for axis, size in enumerate(type_.shape):
        if size is None:
            register = Register(f"{name}.size{axis}", "i8")
            b.program.sizes.append((register, number, axis))
            shape.append(read(register))
        else:
            shape.append(size)
    buffer = Buffer(name, kind, tuple(shape), "input")
    b.program.parameters.append(Parameter(type_, buffer=buffer))
    return Stored(buffer, buffer.shape, kind)


def _result(b: Builder, value: Value, taken: set[Buffer]) -> Result:
    """An output: a scalar, or an array in memory that is the caller's from then on."""
    form, type_ = b.forms[value], tensor_type(value.type)
    if not isinstance(form, Expr) and _has_size_of_the_run(form):
        return _given(b, value, form)
    if isinstance(form, Stored) and form.buffer.role == "own" and _is_free(b, form.buffer, taken):
        form.buffer.role = "result"
        taken.add(form.buffer)
        form.buffer.shape = tuple(form.shape)
        return Result(type_, buffer=form.buffer)
    if isinstance(form, Expr) and not is_complex(form.type):
        return Result(type_, value=form)
    if isinstance(form, Expr):
        buffer = Buffer(b.fresh("result"), form.type, (), "result")
        b.emit(Store(buffer, index(0), form))
        return Result(type_, buffer=buffer)
    buffer = Buffer(b.fresh("result"), form.type, tuple(form.shape), "result")
    b.fill(buffer, form)
    if b.watcher is not None and value.node is not None:
        b.watcher.note(b.block[-1:], b.origins(value.node))
    taken.add(buffer)
    return Result(type_, buffer=buffer)


def _given(b: Builder, value: Value, form: Array) -> Result:
    """An array whose size only the run tells: as long as a list became, or as was counted.

    Other parts of arrays a plan gives in one step, and natively it takes two: it does where there
    are loops before.
    """
    type_ = tensor_type(value.type)
    is_part = b.is_limited(form.shape) and form.shape[0] not in b.counts and not b.is_alone
    if is_part and not any(isinstance(statement, While) for statement in b.program.body):
        raise Refusal("a result whose size only the run tells")
    if isinstance(form, Stored):
        b.given.append(MakeArray(len(b.program.results), form.buffer, index(0), form.shape))
        return Result(type_)
    rows = form if isinstance(form, Rows) else as_rows(b, form, value.name)
    begin = call("mul", rows.first, as_expr(product(rows.shape[1:])))
    b.given.append(MakeArray(len(b.program.results), rows.buffer, b.let(begin), rows.shape))
    return Result(type_)


def _has_size_of_the_run(form: Form) -> bool:
    return not isinstance(form, Expr) and any(map(is_of_the_run, form.shape))


def _is_free(b: Builder, buffer: Buffer, taken: set[Buffer]) -> bool:
    """Whether a buffer of the program may be the memory of a result: no other, and never moved."""
    return buffer not in taken and buffer in b.unmoved()


def _nodes(b: Builder, graph: Graph) -> None:
    for node in items_first(graph.nodes):
        written, b.node, b.unsaved = len(b.block), node, b.savers.get(node)
        b.doubts = []
        if node.op.name in _CONTROL:
            forms = _CONTROL[node.op.name](b, node, _nodes)
        else:
            try:
                with b.attempt():
                    forms = _node(b, node)
            except TooLarge:
                raise
            except Refusal as refusal:
                b.doubts = []
                forms = call_out(b, node, str(refusal))
        for value, form in zip(node.outputs, forms, strict=True):
            if isinstance(form, Joined):
                form = settled_apart(b, value, form)
            b.define(value, form)
        if b.doubts and node.graphs:
            raise Refusal("sizes that only the run tells, of what branches or rounds give")
        for block in b.doubts:
            failing(b, node, block)
        b.doubts = []
        if b.watcher is not None:
            b.watcher.note(b.block[written:], b.origins(node))


def _node(b: Builder, node: Node) -> list[Form]:
    """The results of a node that holds no graphs."""
    if has_complex(node) and not _serves_complex(node):
        raise Refusal(f"op `{node.op.name}` has no native form for complex numbers")
    if node.op.name in _IN_SINGLE and has_narrow(node) and _is_ours(node):
        return _in_single(b, node)
    if not (node.op.elementwise or node.op.name in _OF_NARROW) and has_narrow(node):
        raise Refusal(f"op `{node.op.name}` has no native form for floats of 16 bits and less")
    if node.op.name in _OF_ROWS and _is_ours(node):
        found = _OF_ROWS[node.op.name](b, node)
        if found is not None:
            return [found]
    takes_any = node.op.elementwise or node.op.name in _OF_SIZES_OF_THE_RUN
    if not takes_any and any(_has_size_of_the_run(b.forms[value]) for value in node.inputs):
        raise Refusal(f"`{node.op.name}` of a size that only the run tells")
    rule = _rule_of(node)
    if rule is not None:
        return [settled(b, node, form) for form in rule(b, node)]
    if node.op.elementwise or "of_floats" in node.op.options or has_complex(node):
        return elementwise(b, node)
    raise Refusal(_REASONS.get(node.op.name, f"op `{node.op.name}` has no native form"))


def _in_single(b: Builder, node: Node) -> list[Form]:
    """The results of a node that NumPy computes in single precision, and rounds once."""
    if node.op.name == "einsum" and tensor_type(node.outputs[0].type).dtype == np.float16:
        raise Refusal("an einsum of float16, in which NumPy rounds each step")
    inputs = [Value(_single(value.type), value.node, value.index) for value in node.inputs]
    for value, wide in zip(node.inputs, inputs, strict=True):
        kind = machine_type(tensor_type(wide.type).dtype)
        b.forms[wide] = in_type(b, b.forms[value], kind)
    types = [_single(value.type) for value in node.outputs]
    forms = _node(b, Node(node.op, inputs, node.attrs, types=types, origin=node.origin))
    kinds = [machine_type(tensor_type(value.type).dtype) for value in node.outputs]
    return [in_type(b, form, kind) for form, kind in zip(forms, kinds, strict=True)]


def _single(type_: Type) -> TensorType:
    found = tensor_type(type_)
    is_wide = machine_type(found.dtype) not in NARROW
    return found if is_wide else TensorType(np.dtype(np.float32), found.shape)


def _serves_complex(node: Node) -> bool:
    """Whether a node on complex numbers is one that moves them, or has a formula."""
    name = node.op.name
    return _is_ours(node) and (name in FORMS or name in OF_PARTS or name in _MOVING)


def _rule_of(node: Node) -> Rule | None:
    """How a node of one of our own ops is lowered."""
    return _RULES.get(node.op.name) if _is_ours(node) else None


def _is_ours(node: Node) -> bool:
    """Whether this is one of our own ops; another one may have the same name."""
    own = REGISTRY.get(node.op.name)
    return own is None or own.op is node.op or node.op.name == "constant"


def _constant(b: Builder, node: Node) -> list[Form]:
    value = node.attrs["value"]
    type_ = node.outputs[0].type
    if not isinstance(type_, TensorType) or value is None:
        raise Refusal("a constant that is no number")
    if type(value) not in _NUMBERS and not isinstance(value, (np.generic, np.ndarray)):
        raise Refusal("a number of a class of the user's")  # its operators may be its own
    kind = machine_type(tensor_type(type_).dtype)
    if type_.shape == ():
        return [const(known(value) if isinstance(value, (np.generic, np.ndarray)) else value, kind)]
    return [array_form(b, value, kind)]


def _pending(b: Builder, node: Node) -> list[Form]:
    """Nothing: a call that fails where something is pending is run again by the plan."""
    return []


# Besides element-wise ops, those that take operands whose sizes only the run tells, 0 included.
_OF_SIZES_OF_THE_RUN = frozenset((
    "identity", "stop_gradient", "copy", "astype", "expand_dims", "squeeze", "permute_dims",
    "getitem", "reshape", "index_update", "index_add", "dim", "sum", "sum_to", "mean", "max",
    "min", "prod", "any", "all", "argmax", "argmin", "var", "std", "cumsum", "cumprod",
    "ufunc_accumulate", "append_row", "zeros_of", "getitem_array", "count_nonzero", "matmul",
    "vecdot", "windows_along",
    "broadcast_to", "flip", "searchsorted", "argsort", "pending", "nonzero", "find_key", "link_all",
    "link_last", "unlink_row", "order_last", "order_without", "rows_in_order", "without_row",
    "stack",
    "stack_push", "stack_take", "accumulate", "checked", "not_negative", "repeat", "as_long_as",
    "convolution", "convolution_input", "convolution_kernel", "window_max", "window_sum",
    "window_argmax", "window_pick", "window_place", "window_spread",
))  # fmt: skip
# What takes numbers of any kind as they are, and sums and products.
_MOVING = frozenset((
    "constant", "pending", "identity", "stop_gradient", "strengthen", "copy", "astype", "as_weak",
    "checked", "choose", "missing", "append_row", "without_row", "as_long_as", "dim",
    "expand_dims", "squeeze",
    "reshape", "broadcast_to", "permute_dims", "concat", "stack", "flip", "roll", "zeros", "full",
    "diagonal", "windows_along", "repeat", "zeros_of", "stack_empty", "stack_push", "stack_pop",
    "stack_take",
    "getitem", "getitem_array", "index_update", "index_add", "accumulate",
    "sum", "sum_to", "mean", "prod", "any", "all", "count_nonzero", "matmul", "vecdot", "cumsum",
    "host_call", "put_contents_if_raised", "take_contents",
))  # fmt: skip
# What is computed of narrow floats in single precision.
_IN_SINGLE = frozenset((
    "matmul", "einsum", "tensordot", "vecdot", "convolution", "convolution_input",
    "convolution_kernel", "window_sum",
))  # fmt: skip
# What is done to narrow floats as to others, with one rounding after each function.
_OF_NARROW = _MOVING | frozenset((
    "view", "max", "min", "argmax", "argmin", "var", "std", "cumsum", "cumprod", "nonzero",
    "relu", "window_max", "window_argmax", "window_pick", "window_place", "round", "arange",
))  # fmt: skip
# What is done to lists that grow, before what is done to other arrays.
_OF_ROWS: dict[str, Callable[[Builder, Node], Form | None]] = {
    "getitem": part_of_rows,
    "concat": joined_rows,
}
# Why there is no native form, where the name of the op says little to the user.
_REASONS = {
    "rows_alike": "a list that grows, of items whose shape is not known",
}
_CONTROL = {
    "cond": cond,
    "try": attempt,
    "while": while_loop,
    "call": call_graph,
    "recursion": recursion,
    "recur": recur,
}
_RULES: dict[str, Rule] = {
    "constant": _constant,
    "pending": _pending,
    "host_call": held_results,
    "put_contents_if_raised": put_if_raised,
    "take_contents": take_contents,
    "raise": fail,
    "reraise": reraise,
    "identity": same,
    "stop_gradient": same,
    "strengthen": same,
    "copy": same,
    "astype": astype,
    "view": view,
    "as_weak": as_weak,
    "checked": checked,
    "choose": choose,
    "frame_of": frame_of,
    "frame_read": frame_read,
    "frame_take": frame_take,
    "frame_with": frame_with,
    "accumulate": accumulate,
    "missing": missing,
    "append_row": append_row,
    "without_row": without_row,
    "as_long_as": as_long_as,
    "dim": size_of,
    "expand_dims": expand_dims,
    "squeeze": squeeze,
    "reshape": reshape,
    "broadcast_to": broadcast_to,
    "permute_dims": permute_dims,
    "concat": concat,
    "stack": stack,
    "flip": flip,
    "roll": roll,
    "zeros": full,
    "full": full,
    "arange": arange,
    "linspace": linspace,
    "diagonal": diagonal,
    "windows_along": windows_along,
    "round": rounded,
    "repeat": repeat,
    "zeros_of": zeros_of,
    "stack_empty": empty,
    "stack_push": push,
    "stack_pop": pop,
    "stack_take": take,
    "getitem": getitem,
    "getitem_array": gather,
    "nonzero": nonzero,
    "not_negative": not_negative,
    "index_update": index_update,
    "index_add": index_add,
    "matmul": matmul,
    "einsum": einsum,
    "tensordot": tensordot,
    "vecdot": vecdot,
    "convolution": convolution,
    "convolution_input": convolution_input,
    "convolution_kernel": convolution_kernel,
    "window_argmax": window_argmax,
    "window_max": window_max,
    "window_pick": window_pick,
    "window_place": window_place,
    "window_spread": window_spread,
    "window_sum": window_sum,
    **dict.fromkeys(("sum", "mean", "prod", "max", "min", "any", "all"), reduction),
    "sum_to": sum_to,
    "count_nonzero": count_nonzero,
    "argmax": position,
    "argmin": position,
    "var": variance,
    "std": variance,
    "searchsorted": searchsorted,
    "argsort": argsort,
    "find_key": find_key,
    "link_all": link_all,
    "link_last": link_last,
    "unlink_row": unlink_row,
    "order_last": order_last,
    "order_without": order_without,
    "rows_in_order": rows_in_order,
    "cumsum": scan,
    "cumprod": scan,
    "ufunc_accumulate": scan,
    **dict.fromkeys(ELEMENTS_OF_BITS, draw),
    "random_advance": advance,
    "random_below": below,
    "random_bernoulli": bernoulli,
    "random_fold": fold,
    "random_gamma": gamma,
    "random_integers": integers,
    "random_permutation": permutation,
    "random_poisson": poisson,
    "random_split": split,
    "draw_from_generator": generator_draw,
}
