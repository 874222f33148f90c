"""The building interpreter: an op adds a node to the graph that is being traced."""

from __future__ import annotations

import enum
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np

from runtime import ops, trace
from runtime.array_methods import check_class, check_numbers
from runtime.devices import HOST, device_of, host_array, in_use, is_device_array, placement
from runtime.dtypes import kind_of
from runtime.eager import COPY_TO, compute, is_array
from runtime.errors import DeviceError, LeakedTensorError
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.inference import Inference
from runtime.ops.arrays.joining import of_nest
from runtime.ops.declaration.operands import as_dtype
from runtime.origins import Origin, origin_of_caller
from runtime.placement import fact_of_type, place
from runtime.spec import (
    TensorType,
    Type,
    VariableType,
    bits,
    on_device,
    type_of_number,
    weak_number,
)
from runtime.tensor import Array, Tensor, constant_of, is_constant, link_view

__all__ = [
    "Builder",
    "NodeLimit",
    "TooManyNodes",
    "building",
    "memory_of",
    "origin_of_caller",
    "traced",
]

_NUMBERS = (bool, int, float, complex)
# Above this many elements a constant expression is left to the graph.
_FOLD_LIMIT = 4096
# Constants up to this size are repeated in sub-graphs instead of being captured by them.
_REPEAT_LIMIT = 64


def traced(value: Value) -> Tensor:
    """A traced tensor for a graph value, of the class that the open trace makes."""
    interpreter = trace.current()
    kind = interpreter.root.tensor_class if isinstance(interpreter, Builder) else Tensor
    return kind(None, value)


class Mark(int):
    """A number of nodes that stays right when nodes are put in before the last of them.

    Gradients do so: a loop that is differentiated gets more initial values.
    """

    last: Node | None

    def __new__(cls, nodes: Sequence[Node]) -> Mark:
        """The mark after the last node."""
        made = super().__new__(cls, len(nodes))
        made.last = nodes[-1] if nodes else None
        return made

    def now(self, nodes: Sequence[Node]) -> Mark:
        """The same place among the nodes as they are now."""
        count = int(self)
        while self.last is not None and nodes[count - 1] is not self.last:
            count += 1
        return Mark(nodes[:count])


class TooManyNodes(BaseException):
    """A trace makes more nodes than it may; no `except` of the user's takes it."""


class NodeLimit:
    """So many nodes a trace may make, those of bodies that are traced again included."""

    __slots__ = ("left",)

    def __init__(self, most: int) -> None:
        self.left = most

    def spend(self) -> None:
        """One node more; raises TooManyNodes where there were too many."""
        self.left -= 1
        if self.left < 0:
            raise TooManyNodes


class Builder:
    """Builds one graph; a builder with a parent builds the graph of a staged body.

    Outer values that a body uses become inputs of its graph (`captures`: outer value to inner).
    Arrays that exist outside of the trace become inputs of the outermost graph, by reference
    (`externals`: id of the object to the object and its value).
    """

    def __init__(self, name: str = "graph", parent: Builder | None = None) -> None:
        self.graph = Graph(name=name)
        self.parent = parent
        self.root: Builder = parent.root if parent is not None else self
        self.captures: dict[Value, Value] = {}
        self.externals: dict[int, tuple[Any, Value]] = {}
        self._local: set[Value] = set()
        # Whether an object was made in the body whose graph this is.
        self.has_made: Callable[[Any], bool] = lambda thing: False
        # Whether the body is a loop's, or one in it: it runs in each round.
        self.repeats: bool = parent is not None and parent.repeats
        # Whether it, or one around it, is traced again until what it leaves settles.
        self.settles: bool = parent is not None and parent.settles
        # Whether it is that of a function that calls itself, or one in it.
        self.calls_itself: bool = parent is not None and parent.calls_itself
        self._numbers: dict[tuple[type, Any], Value] = {}
        if parent is None:
            self._begin()

    def _begin(self) -> None:
        """What only the outermost builder has: it is the `root` of the others."""
        # The Variable behind each handle, inner captures included.
        self.variables: dict[Value, Any] = {}
        # For gradients: what the inputs of all graphs stand for (a value one graph out, or an
        # external thing), and constants that must not be repeated.
        self.stands_for: dict[Value, Any] = {}
        self.watched: set[Value] = set()
        self.pinned: dict[int, Tensor] = {}
        # How many nodes all builders may still make together; None: as many as they like.
        self.node_limit: NodeLimit | None = None
        # Whether what was written is told before a node that can raise.
        self.tells_pending = False
        # How many `with np.errstate(...="raise")` are open, those around the trace included.
        self.signalling = 0
        # The `try` statements whose bodies are being traced.
        self.attempts: list[Any] = []
        # The classes of the tensors that the trace makes, and of those that stand for ndarrays of
        # its own or captured.
        self.tensor_class = Tensor
        self.array_class = Tensor
        # The arrays that a name may be depending on data, by number.
        self.references: list[Any] = []
        # The numbers of the arrays among those that share a cell.
        self.reference_numbers: dict[Any, list[int]] = {}
        # By id: arrays that are no part of the graph and were written while tracing, which is
        # taken back; and the error for a use of them after that.
        self.rewritten: dict[int, tuple[Any, Exception]] = {}
        # How arrays were said to lie in memory: whether in C order, or as another array does; and
        # the inputs that must be in C order.
        self.laid_out: dict[Value, bool | Value] = {}
        self.in_c_order: set[Value] = set()
        # What was a number of Python's before a path got the type that is common to all.
        self.joined_numbers: set[Value] = set()
        # Whether numbers are of the types that they have in Python, or the run comes to an end.
        self.keeps_kinds = False
        # Cells of arrays that are taken for contiguous, and the inputs that must be so for that.
        self.contiguous_if_written: list[tuple[Any, set[Value]]] = []
        # What stands for the memory of lists of a length known only later.
        self.lists: Any = None
        self.inference = Inference()

    def inside(self, name: str) -> Builder:
        """A new builder of the same kind, of the graph of a body in this one's."""
        return Builder(name, self)

    # ---- inputs ------------------------------------------------------------------------------

    def input(self, type_: Type, name: str | None = None) -> Value:
        """A new input of the graph."""
        value = Value(type_, name=name)
        self.graph.inputs.append(value)
        self._local.add(value)
        return value

    def content_of(self, value: Value) -> Any:
        """What an input reads that is there while the graph is built; None for an argument."""
        return self.root.stands_for.get(value)

    def tensor(self, value: Value) -> Tensor:
        """A traced tensor for a graph value."""
        return self.root.tensor_class(None, value)

    def array(self, value: Value) -> Tensor:
        """A traced tensor that stands for an ndarray."""
        return self.root.array_class(None, value)

    @property
    def numpy_class(self) -> type[Tensor]:
        """The class of what stands for arrays and numbers of NumPy's where tensors are others."""
        own = self.root.array_class
        return own if own.stands_for_array else Array

    def adopt(self, values: Iterable[Value]) -> None:
        """Count values as the graph's own whose node was made elsewhere."""
        self._local.update(values)

    def owns(self, value: Value) -> bool:
        """Whether `value` belongs to this graph itself."""
        return value in self._local

    def reaches(self, value: Value) -> bool:
        """Whether `value` belongs to this graph or one around it."""
        builder: Builder | None = self
        while builder is not None:
            if value in builder._local:
                return True
            builder = builder.parent
        return False

    def capture(self, value: Value) -> Value:
        """The value of this graph that stands for `value`, which may be of a graph around it."""
        if value in self._local:
            return value
        inner = self.captures.get(value)
        if inner is not None:
            return inner
        if self.parent is None or not self.parent.reaches(value):
            raise _leaked(value)
        if self._is_repeated(value):
            inner = self.constant(constant_of(value))
            if value in self.root.laid_out:
                self.root.laid_out[inner] = self.root.laid_out[value]
        else:
            # One input per value of the parent, in whatever graph around it the value was found.
            outer = self.parent.capture(value)
            inner = self.captures.get(outer)
            if inner is None:
                inner = self.captures[outer] = self.input(value.type, value.name)
                self.root.stands_for[inner] = value
        if value in self.root.variables:
            self.root.variables[inner] = self.root.variables[value]
        self.captures[value] = inner
        return inner

    def _is_repeated(self, value: Value) -> bool:
        """Whether inner graphs get a constant of their own in place of `value`."""
        if not is_constant(value) or value in self.root.watched:
            return False
        return bool(np.size(constant_of(value)) <= _REPEAT_LIMIT)

    def captured(self) -> list[tuple[Value, Value]]:
        """Pairs (value of the parent's graph, input of this graph)."""
        assert self.parent is not None
        inputs = set(self.graph.inputs)
        return [
            (self.parent.capture(outer), inner)
            for outer, inner in self.captures.items()
            if inner in inputs
        ]

    def external(self, thing: Any, type_: Type, name: str | None = None) -> Value:
        """The input of the outermost graph that reads `thing`, by reference, at each call."""
        root = self.root
        entry = root.externals.get(id(thing))
        if entry is None:
            entry = (thing, root.input(type_, name))
            root.externals[id(thing)] = entry
            root.stands_for[entry[1]] = thing
            if isinstance(type_, VariableType):
                root.variables[entry[1]] = thing
        return self.capture(entry[1])

    def constant(self, raw: Any, origin: Origin | None = None) -> Value:
        """A constant; Python numbers are weak."""
        number = isinstance(raw, _NUMBERS) and not isinstance(raw, np.generic)
        if number:
            if isinstance(raw, enum.Enum):
                raw = weak_number(raw, type_of_number(cast(Any, raw)))
            key = (type(raw), bits(raw) if isinstance(raw, (float, complex)) else raw)
            known = self._numbers.get(key)
            if known is not None:
                return known
            type_ = type_of_number(raw)
        else:
            type_ = TensorType(raw.dtype, raw.shape)
        node = self.emit(ops.CONSTANT, (), {"value": raw}, types=(type_,), origin=origin)
        if number:
            self._numbers[key] = node.outputs[0]
        return node.outputs[0]

    def new_constant(self, array: Any) -> Value:
        """A constant with the content of an array, which nothing else is to be."""
        value = self.constant(array.copy() if array.ndim else array[()])
        if array.ndim > 1 and not array.flags.c_contiguous:
            self.root.laid_out[value] = False
        return value

    def value_of(self, x: Any, origin: Origin | None = None) -> Value:
        """The value of this graph for any operand; `origin` is the place of a number, if known."""
        if isinstance(x, Tensor):
            now = x if x._cell is None else x.current()
            if now._value in self._local:  # as `capture`, without the call
                return now._value
            if now._value is not None:
                return self.capture(now._value)
            if id(now) in self.root.pinned:
                return self.external(now, now.type)
            if is_array(now._array):
                return self.external(x, x.type)
            return self.constant(now._array)
        if isinstance(x, np.ndarray):
            check_class(type(x), "this")
            self.check_unwritten(x)
            return self.external(x, TensorType(x.dtype, x.shape))
        if isinstance(x, (np.generic, *_NUMBERS)):
            return self.constant(x, origin)
        if isinstance(x, Value):
            return self.capture(x)
        if isinstance(getattr(x, "variable_type", None), VariableType):
            return self.external(x, x.variable_type)
        if is_device_array(x):
            return self.external(x, TensorType(x.dtype, x.shape, device=device_of(x)))
        if isinstance(x, (list, tuple)):  # of numbers, some of which may be traced
            return self.value_of(ops.asarray(x))
        if hasattr(type(x), "load"):  # what stands for a value in the place of a name
            return self.value_of(x.load())
        return self.constant(np.asarray(x))

    def check_unwritten(self, array: np.ndarray[Any, Any]) -> None:
        """Raise the error for a use of an array that is no part of the graph and was written."""
        if self.root.rewritten:
            entry = self.root.rewritten.get(id(memory_of(array)))
            if entry is not None:
                raise entry[1]

    def watch(self, x: Tensor) -> None:
        """Keep `x`, if it is known, from being repeated as a constant: gradients reach for it."""
        now = x.current()
        if now._value is None:
            self.root.pinned[id(now)] = now
        elif is_constant(now._value):
            self.root.watched.add(now._value)

    # ---- nodes -------------------------------------------------------------------------------

    def emit(
        self,
        op: Op,
        inputs: Sequence[Value],
        attrs: dict[str, Any] | None = None,
        graphs: Sequence[Graph] = (),
        types: Sequence[Type] | None = None,
        origin: Origin | None = None,
        can_raise: bool | None = None,
    ) -> Node:
        """Append a node; unless given, its types and whether it can raise are inferred, its origin
        looked for.
        """
        attrs = attrs or {}
        if types is None:
            types = op.infer_all([v.type for v in inputs], attrs)
        root = self.root
        node = Node(op, inputs, attrs, graphs, types, origin or origin_of_caller())
        if can_raise is not None:
            node.note_raises(can_raise)
        if root.signalling:
            node.signals = bool(inputs and op.effect is None and not graphs)
        if can_raise or node.signals or node.op_can_raise:
            self.tell_pending()
        if root.node_limit is not None:
            root.node_limit.spend()
        self.graph.nodes.append(node)
        self._local.update(node.outputs)
        return node

    def tell_pending(self) -> None:
        """Emit what belongs to the next node, which can raise: what was written before it."""
        root = self.root
        if not root.tells_pending:
            return
        # What is emitted for it is no computation of the user's, and raises nothing.
        root.signalling, signalling = 0, root.signalling
        root.tells_pending = False
        try:
            root.before_raising(self)
        finally:
            root.signalling, root.tells_pending = signalling, True

    def before_raising(self, builder: Builder) -> None:
        """Say what was written before a node that can raise, which `builder` gets (of the root)."""

    def operand_beside(self, x: Tensor, other: Any) -> Any:
        """What an operator of a tensor sees of another operand (of the root)."""
        return other

    def repeated_by(self, sequence: Any, count: Tensor) -> Any:
        """A list, tuple or text as often as a number says (of the root)."""
        return sequence * int(count)

    def operand(self, x: Tensor, other: Any) -> Any:
        """What an operator of the tensor `x` sees of another operand, which is none."""
        return self.root.operand_beside(x, other)

    def repeated(self, sequence: Any, count: Tensor) -> Any:
        """A list, tuple or text as often as the number `count`."""
        return self.root.repeated_by(sequence, count)

    def apply(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Traced result of an op."""
        # Whoever applies an op is ours, and so are the frames from there on: see `trace.apply`.
        origin = origin_of_caller(3)
        values = [self.value_of(x, origin) for x in inputs]
        if in_use[0]:
            return self._apply_placed(op, inputs, values, attrs)
        inference = self.root.inference
        given = None if attrs else inference.find(op, values)
        if given is None:
            _check_numbers(inputs, values)
        folded = self._fold(op, values, attrs)
        if folded is not None:
            return self._known(op, inputs, attrs, folded)
        if given is None:
            given = inference.infer(op, values, attrs)
        node = self.emit(
            op, values, attrs, types=given.outputs, origin=origin, can_raise=given.can_raise
        )
        kind = self._kind_of_results(inputs)
        outputs = tuple([kind(None, v) for v in node.outputs])
        if trace.tapes():
            self.tell_tapes(node, inputs, outputs)
        if op.view:
            link_view(inputs[0], op, inputs[1:], attrs, outputs[0])
        return outputs if given.several else outputs[0]

    def _apply_placed(
        self, op: Op, inputs: tuple[Any, ...], values: list[Value], attrs: dict[str, Any]
    ) -> Any:
        """As `apply`, where not everything is on the host: copies between devices are nodes."""
        try:
            facts = [fact_of_type(v.type, x) for v, x in zip(values, inputs, strict=True)]
            placed = place(op, facts)
        except DeviceError as error:
            raise DeviceError(error.what, error.hint, origin=origin_of_caller()) from None
        _check_numbers(inputs, values)
        if placed is not None and any(placed.moved):
            copies = [
                self.apply(COPY_TO, (x,), {"device": placed.name}) if moved else x
                for x, moved in zip(inputs, placed.moved, strict=True)
            ]
            inputs, values = tuple(copies), [self.value_of(x) for x in copies]
        if op is not COPY_TO and (placed is None or placed.device is None):
            folded = self._fold(op, values, attrs)
            if folded is not None:
                return self._known(op, inputs, attrs, folded)
        types = [value.type for value in values]
        inferred = op.infer_all(types, attrs)
        if placed is not None:
            inferred = tuple(on_device(t, placed.device) for t in inferred)
        node = self.emit(op, values, attrs, types=inferred)
        kind = self._kind_of_results(inputs)
        outputs = tuple([kind(None, v) for v in node.outputs])
        self.tell_tapes(node, inputs, outputs)
        if op.view:
            link_view(inputs[0], op, inputs[1:], attrs, outputs[0])
        several = isinstance(op.infer(*types, **attrs), tuple)
        return outputs if several else outputs[0]

    def _known(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], value: Value
    ) -> Tensor:
        """What an op gave whose result is a constant; a view of a constant array is still one."""
        result = self._kind_of_results(inputs)(None, value)
        return link_view(inputs[0], op, inputs[1:], attrs, result) if op.view else result

    def tell_tapes(self, node: Node, inputs: Iterable[Any], outputs: tuple[Tensor, ...]) -> None:
        """Tell the open tapes of a new node."""
        listeners = trace.tapes()
        if not listeners:
            return
        pinned = tuple(x.current() if isinstance(x, Tensor) else x for x in inputs)
        attrs = {**node.attrs, "node": node} if node.graphs else node.attrs
        for listener in listeners:
            listener.record(node.op, pinned, attrs, outputs)

    def _kind_of_results(self, inputs: tuple[Any, ...]) -> type[Tensor]:
        """The class of tensors that an op gives: that of arrays where all operands are some.

        Python numbers of the graph are beside either what they are.
        """
        for x in inputs:
            if isinstance(x, Tensor) and type(x).stands_for_array:
                break
        else:
            return self.root.tensor_class
        return self.numpy_class if all(map(_goes_with_arrays, inputs)) else self.root.tensor_class

    def _fold(self, op: Op, values: list[Value], attrs: dict[str, Any]) -> Value | None:
        """The constant that an op on small constants gives, so that it stays known."""
        if op.effect is not None or not values:
            return None
        for value in values:
            if value.node is None or value.node.op is not ops.CONSTANT:
                return None
        arrays = [constant_of(v) for v in values]
        if sum(np.size(a) for a in arrays) > _FOLD_LIMIT or trace.tapes():
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                result = compute(op, arrays, attrs)
        except Exception:  # noqa: BLE001 - whatever the user's property raises: trace again, and see
            return None
        if isinstance(result, tuple) or np.size(result) > _FOLD_LIMIT:
            return None
        if type(result) is not np.ndarray:
            return self.constant(result)
        made = self.new_constant(result)
        if any(self.root.laid_out.get(value) is False for value in values):
            self.root.laid_out[made] = False  # constants themselves are in C order
        return made

    def mark(self) -> Mark:
        """A position to return to by `truncate`."""
        return Mark(self.graph.nodes)

    def since(self, mark: Mark) -> list[Node]:
        """The nodes that were made since a mark."""
        return self.graph.nodes[mark.now(self.graph.nodes) :]

    def size(self, mark: Mark) -> int:
        """How many nodes were made since a mark, those of sub-graphs included."""
        nodes = self.since(mark)
        inner = (graph for node in nodes for graph in node.graphs)
        return len(nodes) + sum(1 for graph in inner for _ in graph.walk())

    def work(self, mark: Mark) -> int:
        """How many nodes of numbers were about as much to compile as those since a mark."""
        return sum(map(_work, self.since(mark)))

    def truncate(self, mark: Mark) -> None:
        """Forget the nodes made since `mark`."""
        mark = mark.now(self.graph.nodes)
        for node in self.graph.nodes[mark:]:
            self._local.difference_update(node.outputs)
        del self.graph.nodes[mark:]
        self._numbers = {k: v for k, v in self._numbers.items() if v in self._local}
        self.captures = {
            outer: inner for outer, inner in self.captures.items() if inner in self._local
        }


def memory_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array in whose memory an array of NumPy's lies: itself, if it is no view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _check_numbers(inputs: tuple[Any, ...], values: list[Value]) -> None:
    """Raise StagingError where an operand has elements that a graph cannot compute with."""
    for x, value in zip(inputs, values, strict=True):
        if type(value.type) is TensorType and value.type.dtype.kind in "OSUV":
            check_numbers(value.type, getattr(x, "_name", None) or value.name)


def _leaked(value: Value) -> LeakedTensorError:
    made = value.node.origin if value.node is not None else None
    what = f"a value ({value.type}) made while tracing is used outside the graph it belongs to"
    if made is not None:
        what = f"{what}; it was made here, and is used at {origin_of_caller()}"
    hint = "return it from the function that made it, or keep it in a Variable"
    return LeakedTensorError(what, hint, origin=made)


def building() -> Builder | None:
    """The builder that is current, None in eager mode."""
    interpreter = trace.innermost(None)
    return interpreter if isinstance(interpreter, Builder) else None


def current_builder() -> Builder:
    """The builder that is current, where there is one."""
    builder = trace.current()
    assert isinstance(builder, Builder)
    return builder


class body:  # lower case, as a verb in `with body(...)`
    """Trace into the graph of a staged body; tapes of the outer trace are hidden in it."""

    __slots__ = ("_builder", "_trace")

    def __init__(self, name: str, parent: Builder) -> None:
        self._builder = Builder(name, parent)
        self._trace = trace.interpreting(self._builder)

    def __enter__(self) -> Builder:
        self._trace.__enter__()
        return self._builder

    def __exit__(self, *details: object) -> None:
        self._trace.__exit__(*details)


def trace_function(
    function: Callable[..., Any], types: Sequence[Type], name: str = "graph"
) -> tuple[Builder, list[Tensor], Any]:
    """Trace `function` on new inputs of the given types into a graph of its own.

    Gives the builder (with the graph, its outputs not yet set), the inputs, and what the function
    returned. When another trace is open, its values can be captured.
    """
    builder = Builder(name, building())
    inputs = [traced(builder.input(t)) for t in types]
    with trace.interpreting(builder):
        return builder, inputs, function(*inputs)


# What makes an array of more elements is a loop in machine code, as much to compile as so many
# numbers.
_SMALL_ARRAY, _WORK_OF_LOOP = 32, 64


def _work(node: Node) -> int:
    """How many nodes of numbers were about as much to compile as a node with all in its graphs."""
    own = _WORK_OF_LOOP if any(_is_large(value.type) for value in node.outputs) else 1
    return own + sum(_work(inner) for graph in node.graphs for inner in graph.nodes)


def _is_large(type_: Type) -> bool:
    shape = getattr(type_, "shape", ())  # what is no number has no shape
    return shape is None or math.prod(_SMALL_ARRAY + 1 if n is None else n for n in shape) > (
        _SMALL_ARRAY
    )


def constant(value: Any, dtype: Any = None, shape: Sequence[int] | None = None) -> Tensor:
    """A tensor with a copy of `value`: a number, nested lists, an array or a tensor.

    `dtype` defaults to NumPy's choice; `shape` reshapes, or repeats a single value. It is on the
    device of a `with device(...)`, else on that of `value`. Raises ValueError for a ragged nest.

    >>> import autograph as ag
    >>> ag.constant([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    if _has_traced(value):
        return _of_traced(value, dtype, shape)
    home, known = None, value.numpy() if isinstance(value, Tensor) else value
    if in_use[0] or is_device_array(value):
        home = placement() or (value.device if isinstance(value, Tensor) else device_of(value))
        known = host_array(known)
    array = np.array(known, dtype=None if dtype is None else as_dtype(dtype))
    if kind_of(array.dtype) not in "biufc":
        if building() is not None:
            check_numbers(TensorType(array.dtype, array.shape), None)
        raise TypeError(f"a tensor cannot hold {array.dtype} values: {value!r}")
    if shape is not None:
        array = np.full(shape, array) if array.size == 1 else array.reshape(shape)
    raw = array[()] if array.ndim == 0 else array
    builder = building()
    made = Tensor(raw) if builder is None else traced(builder.constant(raw))
    return made if home in (None, HOST) else cast(Tensor, ops.copy_to(made, device=home))


def _has_traced(value: Any) -> bool:
    """Whether a value, or a part of a nested list, is known only when the graph runs."""
    if isinstance(value, Tensor):
        return not value.is_known
    is_list = isinstance(value, (list, tuple)) and building() is not None
    return is_list and any(map(_has_traced, value))


def _strong(value: Any) -> Any:
    """A traced tensor or nested list as a tensor with the dtype that NumPy gives its array."""
    if not _has_traced(value):
        return constant(value)
    if not isinstance(value, Tensor):
        return ops.stack([_strong(part) for part in value])
    return ops.strengthen(value) if value.type.weak else value


def _of_traced(value: Any, dtype: Any, shape: Sequence[int] | None) -> Tensor:
    """As `constant`, of what is known only when the graph runs."""
    made: Tensor
    if dtype is not None:
        made = of_nest(value, lambda nest: ops.packed(nest, as_dtype(dtype)))
    else:
        made = of_nest(value, _strong)
        made = ops.copy(made) if isinstance(value, Tensor) else made
    if shape is not None:
        sizes = made.type.shape
        is_single = sizes is not None and all(n == 1 for n in sizes)
        made = ops.reshape(made, () if is_single else tuple(shape))
        made = ops.copy(ops.broadcast_to(made, tuple(shape))) if is_single else made
    return made


def _goes_with_arrays(x: Any) -> bool:
    """Whether what an op gives of arrays and this operand is an array, and no tensor."""
    if not isinstance(x, Tensor) or type(x).stands_for_array:
        return True
    return bool(getattr(x.type, "weak", False))  # what is no number has no such attribute
