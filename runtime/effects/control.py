"""Ops that hold graphs (`cond`, `while`, `call`, `try`), ordered effects (`print`, `raise`, ...).

A sub-graph is closed: outer values that it uses are inputs of the node, the same list for all the
node's graphs. These ops need graph building for their gradients, so they stand right of `building`.
"""

from __future__ import annotations

import copy
import functools
import sys
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from runtime import ops, trace
from runtime.building import Builder
from runtime.devices import HOST, placing_on
from runtime.dtypes import kind_of
from runtime.graph.clone import Change, Copy, shared
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.ops.declaration.internal import checked
from runtime.origins import origin_of_caller
from runtime.spec import ErrorType, TensorType, Type, type_of_number
from runtime.structure.template_source import rendering
from runtime.structure.templates import Fillable, fill, letters_of_text
from runtime.tensor import Tensor, constant_of, is_constant

__all__ = [
    "CALL",
    "CLOCK",
    "CLOCKS",
    "COND",
    "ERROR_PART",
    "IS_ERROR",
    "IS_OF_CLASS",
    "PENDING",
    "PRINT",
    "RAISE",
    "RERAISE",
    "STORE",
    "TEXT",
    "TEXT_POSITION",
    "TRY",
    "WHILE",
    "ExceptionTemplate",
    "as_joined",
    "attributes_of",
    "coerce",
    "emit_cond",
    "emit_try",
    "emit_while",
    "exception_of",
    "is_check_of_kind",
    "is_made_of",
    "passed_on",
    "without_kinds",
]


# ---- ops that hold graphs --------------------------------------------------------------------


def _cond(xp: Any, pred: Any, *captures: Any, graphs: Sequence[Callable[..., Any]]) -> Any:
    return graphs[0 if pred else 1](*captures)


def _while(
    xp: Any,
    *operands: Any,
    captures: int,
    maximum: int | None,
    graphs: Sequence[Callable[..., Any]],
) -> Any:
    outer, carried = operands[:captures], operands[captures:]
    test, body = graphs
    trips = 0
    while (maximum is None or trips < maximum) and test(*outer, *carried)[0]:
        carried = body(*outer, *carried)
        trips += 1
    return tuple(carried)


def _call(xp: Any, *operands: Any, graphs: Sequence[Callable[..., Any]]) -> Any:
    return graphs[0](*operands)


def _try(
    xp: Any,
    *operands: Any,
    clauses: tuple[tuple[type[BaseException], ...], ...],
    token: int,
    graphs: Sequence[Callable[..., Any]],
) -> Any:
    raise TypeError("what a `try` catches is known to executors only")


def _given(*types: Type, **attrs: Any) -> tuple[Type, ...]:
    raise TypeError("the types of a control-flow node are given by its graphs")


COND = Op("cond", _cond, _given, doc="Run the first graph if the operand is true, else the second.")
WHILE = Op("while", _while, _given, doc="Run the second graph as long as the first gives true.")
CALL = Op("call", _call, _given, doc="Run a graph.")
# Gives 0, None and the results of the body; or, if the body raises one of the exceptions in
# `clauses` (a tuple of classes for each): the number of the clause, from 1 on, the exception, and
# the first results as they were saved before the node that raised (`pending`, under `token`).
TRY = Op("try", _try, _given, doc="Run a graph; catch what it raises.")


# ---- effects ---------------------------------------------------------------------------------


def _nothing(*types: Type, **attrs: Any) -> tuple[Type, ...]:
    return ()


@runtime_checkable
class Stream(Protocol):
    """What text can be written to."""

    def write(self, text: str, /) -> Any:
        """Append a text."""


def _print(
    xp: Any,
    *operands: Any,
    render: Callable[..., str],
    file: Stream | Literal["stderr"] | None,
    flush: bool,
) -> Any:
    stream: Any = sys.stdout if file is None else sys.stderr if file == "stderr" else file
    stream.write(render(*operands))
    if flush:
        stream.flush()
    return ()


def _text(xp: Any, *operands: Any, render: Callable[..., str]) -> Any:
    return xp.asarray(letters_of_text(render(*operands)))


def _text_position(
    xp: Any, *operands: Any, render: Callable[..., str], texts: tuple[str, ...]
) -> int:
    return _positions(texts).get(render(*operands), -1)


def _text_directly(node: Node) -> Callable[..., Any]:
    return lambda _: rendering(node.attrs["render"], len(node.inputs), letters_of_text)


def _position_directly(node: Node) -> Callable[..., Any]:
    places = _positions(node.attrs["texts"])
    found = functools.partial(rendering, node.attrs["render"], len(node.inputs))
    return lambda _: found(lambda text: places.get(text, -1))


@functools.lru_cache(maxsize=256)
def _positions(texts: tuple[str, ...]) -> dict[str, int]:
    return {text: position for position, text in enumerate(texts)}


def _raise(xp: Any, *operands: Any, template: ExceptionTemplate) -> Any:
    raise template.fill(operands)


def _store(xp: Any, *operands: Any, write: Callable[..., None], target: str) -> Any:
    write(*operands)
    return ()


def _clock(xp: Any, *, name: str) -> Any:
    return getattr(time, name)()


def _of_clock(*, name: str) -> Type:
    return type_of_number(0 if name.endswith("_ns") else 0.0)


def _pending(
    xp: Any,
    *operands: Any,
    write: Callable[..., None] | None,
    count: int,
    saved: tuple[tuple[int, tuple[int | None, ...]], ...] = (),
) -> Any:
    return ()


def _reraise(xp: Any, error: Any) -> Any:
    raise error


def _is_error(xp: Any, error: Any, *, kinds: tuple[type[BaseException], ...]) -> Any:
    return isinstance(error, kinds)


def _is_of_class(xp: Any, error: Any, *, kinds: tuple[type[BaseException], ...]) -> Any:
    return type(error) in kinds


def _error_part(xp: Any, error: Any, *, name: str | None, key: int | None) -> Any:
    return error[key] if name is None else getattr(error, name)


PRINT = Op("print", _print, _nothing, effect="print", doc="Write text with values.")
TEXT = Op(
    "text",
    _text,
    lambda *types, render: TensorType(np.dtype(np.int32), (None,)),
    doc="The numbers of the letters of a text with values.",
    options={"directly": _text_directly},
)
# For many keys of a dict the text is made once.
TEXT_POSITION = Op(
    "text_position",
    _text_position,
    lambda *types, render, texts: type_of_number(0),
    doc="The position of a text with values among known texts; -1 where it is none of them.",
    options={"bounded": True, "directly": _position_directly},
)
RAISE = Op(
    "raise",
    _raise,
    _nothing,
    effect="raise",
    raises=lambda types, attrs: True,
    doc="Raise the user's exception, its message filled in.",
)
# Functions of `time` that say what time it is.
CLOCKS = tuple(
    f"{name}{unit}"
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time")
    for unit in ("", "_ns")
)
CLOCK = Op("clock", _clock, _of_clock, effect="host", doc="What time it is, when the graph runs.")
STORE = Op("store", _store, _nothing, effect="store", doc="Write into a Python object.")
RERAISE = Op(
    "reraise",
    _reraise,
    _nothing,
    effect="raise",
    raises=lambda types, attrs: True,
    doc="Raise an exception that was caught.",
)
IS_ERROR = Op(
    "is_error",
    _is_error,
    lambda error, kinds: type_of_number(True),
    doc="Whether an exception that was caught is of one of some classes.",
)
IS_OF_CLASS = Op(
    "is_of_class",
    _is_of_class,
    lambda error, kinds: type_of_number(True),
    doc="Whether the class of an exception that was caught is one of some classes itself.",
)
# What every exception has.
_ALWAYS = frozenset(("args", "__class__", "__traceback__", "__cause__", "__context__"))
ERROR_PART = Op(
    "error_part",
    _error_part,
    lambda error, name, key: ErrorType(),
    raises=lambda types, attrs: attrs.get("name") not in _ALWAYS,
    doc="An attribute, or an item, of an exception that was caught.",
)
# It stands just before a node that can raise, and belongs to it. If that node raises and nothing
# catches it, `write` is called with the first `count` operands: objects are written at the end of a
# graph, so what the program wrote before the error would be lost otherwise. `saved` says what each
# `try` around the node goes on with: its token, and for each of its results the position of an
# operand, None where there is no value.
PENDING = Op("pending", _pending, _nothing, doc="What is written into objects if the next raises.")


# What Python's own classes take from their arguments in `__init__`.
_FROM_ARGUMENTS: tuple[tuple[type[BaseException], tuple[str, ...]], ...] = (
    (AttributeError, ("name",)),
    (ImportError, ("msg", "name", "path")),
    (NameError, ("name",)),
    (OSError, ("filename", "filename2")),
    (StopIteration, ("value",)),
    (SyntaxError, ("msg", "filename", "lineno", "offset", "text", "end_lineno", "end_offset")),
    (SystemExit, ("code",)),
    (UnicodeDecodeError, ("encoding", "object", "start", "end", "reason")),
    (UnicodeEncodeError, ("encoding", "object", "start", "end", "reason")),
    (UnicodeTranslateError, ("object", "start", "end", "reason")),
)


def attributes_of(error: BaseException) -> dict[str, Any]:
    """What an exception has of its own, in its slots too, as NumPy's `AxisError` has its axis."""
    found = dict(vars(error))
    for kind, names in _FROM_ARGUMENTS:
        if isinstance(error, kind):
            given = {name: getattr(error, name) for name in names}
            found |= {name: value for name, value in given.items() if value is not None}
    for cls in type(error).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(error, name):
                found[name] = getattr(error, name)
    return found


def exception_of(
    kind: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]
) -> BaseException:
    """An exception; its `__init__` is not called: what parameters that has is the user's business.

    >>> exception_of(KeyError, ("k",), {"code": 1}).code
    1
    """
    made = kind.__new__(kind, *args)
    made.args = args
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


class ExceptionTemplate(Fillable):
    """An exception of class `kind` whose parts may have holes; built anew at each raise.

    `cause` and `context` are exceptions, or parts that an exception is filled in for.
    """

    __slots__ = ("args", "attributes", "cause", "context", "kind", "suppress")

    def __init__(
        self,
        kind: type[BaseException],
        args: tuple[Any, ...],
        attributes: dict[str, Any] | None = None,
        cause: Any = None,
        context: Any = None,
        suppress: bool = False,
    ) -> None:
        self.kind, self.args, self.attributes = kind, args, attributes or {}
        self.cause, self.context, self.suppress = cause, context, suppress

    def fill(self, operands: Sequence[Any]) -> BaseException:
        """The exception with the run-time values."""
        args = tuple(fill(part, operands) for part in self.args)
        attributes = {k: fill(copy.copy(part), operands) for k, part in self.attributes.items()}
        made = exception_of(self.kind, args, attributes)
        made.__cause__ = fill(self.cause, operands)
        made.__context__ = fill(self.context, operands)
        made.__suppress_context__ = self.suppress
        return made

    def __repr__(self) -> str:
        return self.kind.__name__


# ---- emission --------------------------------------------------------------------------------


def coerce(x: Any, type_: TensorType) -> Any:
    """`x` with dtype and weakness of `type_`, which its own type joins to."""
    given = x.type if isinstance(x, Tensor) else None
    if given is None or not isinstance(type_, TensorType):
        return x
    if given.dtype != type_.dtype or given.weak != type_.weak:
        with placing_on(given.device):
            x = _converted(x, given, type_)
    if given.device == type_.device or type_.weak:
        return x
    return ops.copy_to(x, device=type_.device or HOST)


def as_joined(
    builder: Builder,
    x: Tensor,
    type_: TensorType,
    is_replaced: Any = False,
    name: str | None = None,
) -> Value:
    """The value of a path, or of a loop before it, as the type that is common to all.

    Where the trace keeps the types of Python's numbers, one that would be of another type raises
    LimitTypeError, unless it is known, or known when the graph runs, that a round replaces it.
    """
    made = coerce(x, type_)
    if (
        is_replaced is not True
        and (builder.root.keeps_kinds or isinstance(is_replaced, Tensor))
        and _is_other_kind(x, type_)
    ):
        what = f"{'a number' if name is None else f'`{name}`'} is of another type in Python"
        made = checked(made, is_replaced, what=what, error="LimitTypeError")
    value = builder.value_of(made)
    if made is not x and x.type.weak and not type_.weak:
        builder.root.joined_numbers.add(value)
    return value


def _is_other_kind(x: Tensor, type_: Type) -> bool:
    """Whether a number is of another type of Python's or NumPy's than `type_`."""
    given: Any = x.type
    if type(given) is not TensorType or type(type_) is not TensorType or given.shape != ():
        return False
    is_strong = given.weak != type_.weak and given.dtype.kind != "b"
    return bool(given.dtype != type_.dtype) or is_strong


def without_kinds(graph: Graph, *, keeps_open: bool = False) -> Graph:
    """`graph` where numbers may be of the types that are common to several paths.

    With `keeps_open`, but not where only the run tells whether one is.
    """
    checks = [node for node in graph.walk() if "error" in node.attrs]
    if not any(map(is_check_of_kind, checks)):
        return graph
    return shared(functools.partial(_without_kinds, keeps_open))(graph)


def is_check_of_kind(node: Node) -> bool:
    """Whether it raises LimitTypeError: a number would be of another type than in Python."""
    return node.attrs.get("error") == "LimitTypeError"


def _without_kinds(keeps_open: bool, graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    for node in graph.nodes:
        if is_check_of_kind(node) and not (keeps_open and not is_constant(node.inputs[1])):
            copy.drop_pending(node)
            copy.replace(node.outputs, copy.mapped(node.inputs[:1]))
        else:
            copy.keep(node)
    return copy.finish()


def _converted(x: Any, given: TensorType, type_: TensorType) -> Any:
    if type_.weak:
        kinds = {"b": "bool", "i": "int", "f": "float", "c": "complex"}
        return ops.as_weak(x, kind=kinds[type_.dtype.kind])
    if given.dtype == type_.dtype:
        return ops.strengthen(x)
    return ops.astype(fitting(x, type_.dtype) if given.weak else x, type_.dtype)


# Python numbers of which kind may be infinite as numbers of which dtype.
_MAY_OVERFLOW = frozenset([("i", "f2"), ("f", "f2"), ("f", "f4"), ("f", "c8"), ("c", "c8")])


def fitting(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """Python numbers that are to be joined with NumPy's of `dtype`, as they are.

    Raises LimitOverflowError where one does not fit: it would be another number, or infinite.
    """
    given = x.type.dtype
    value = x.value
    if value is not None and is_constant(value) and _holds(dtype, constant_of(value)):
        return x
    if dtype.kind in "iu" and given.kind == "i":
        bounds = np.iinfo(dtype)
        least, most = max(int(bounds.min), -(2**63)), min(int(bounds.max), 2**63 - 1)
        fits = ops.logical_and(ops.greater_equal(x, least), ops.less_equal(x, most))
    elif (given.kind, dtype.str[1:]) in _MAY_OVERFLOW:
        parts = (ops.real(x), ops.imag(x)) if given.kind == "c" else (x,)
        limit = _first_infinite(dtype)
        small = [ops.less(ops.abs(part), limit) for part in parts]
        fits = functools.reduce(ops.logical_and, small)
        if given.kind != "i":
            fits = ops.logical_or(fits, ops.logical_not(ops.isfinite(x)))
    else:
        return x
    number = {"i": "integer", "f": "float", "c": "complex"}[kind_of(given)]
    what = (
        f"Python {number} {{0}} out of bounds for {dtype}, which the same name or item is at other "
        f"times: start from a number of NumPy's that holds both (`np.{given}(...)`)"
    )
    shown = [] if x.type.rank else [x]
    if x.type.rank:
        fits, what = ops.all(fits), what.replace(" {0}", "")
    result: Tensor = checked(x, fits, *shown, what=what, error="LimitOverflowError")
    return result


def _first_infinite(dtype: np.dtype[Any]) -> float:
    """The least number that is infinite when it is rounded to a floating dtype."""
    largest = np.finfo(dtype).max
    return float(largest) + float(np.spacing(largest / 2))


def _holds(dtype: np.dtype[Any], given: Any) -> bool:
    """Whether numbers are numbers of `dtype`, or rounded to such."""
    numbers = np.asarray(given)
    if numbers.dtype.kind == "b":  # which NumPy compares as a C long
        return True
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        return bool(np.all((bounds.min <= numbers) & (numbers <= bounds.max)))
    with np.errstate(over="ignore"):
        return bool(np.all(np.isfinite(numbers.astype(dtype)) | ~np.isfinite(numbers)))


def _align(
    parent: Builder, bodies: Sequence[Builder], own: Sequence[Sequence[Value]]
) -> list[Value]:
    """Give all bodies the same captured inputs, before their own; the parent's values of them."""
    outers: dict[Value, None] = {}
    pairs = []
    for body in bodies:
        of_body = dict(body.captured())
        pairs.append(of_body)
        outers.update(dict.fromkeys(of_body))
    for body, of_body, inputs in zip(bodies, pairs, own, strict=True):
        body.graph.inputs = [
            of_body[v] if v in of_body else Value(v.type, name=v.name) for v in outers
        ] + list(inputs)
    return list(outers)


def emit_cond(
    parent: Builder, pred: Value, bodies: tuple[Builder, Builder], types: Sequence[Type]
) -> list[Tensor]:
    """A cond node in `parent` from two traced branches whose graphs have outputs of `types`."""
    outers = _align(parent, bodies, ((), ()))
    graphs = [b.graph for b in bodies]
    return _finish(parent, COND, [pred, *outers], {}, graphs, types)


def passed_on(value: Value, through: Collection[Value] = ()) -> Value:
    """The value that branches and loops hand on as it is; `value` itself where none does.

    What is in `through` counts as the first input of its node.
    """
    node = value.node
    if node is not None and value in through:
        return passed_on(node.inputs[0], through)
    if node is None or node.op not in (COND, WHILE):
        return value
    at, bodies = node.outputs.index(value), node.graphs if node.op is COND else node.graphs[1:]
    first = 1 if node.op is COND else 0
    before = set()
    for graph in bodies:
        found = passed_on(graph.outputs[at], through)
        place = graph.inputs.index(found) if found in graph.inputs else None
        if place is None or (node.op is WHILE and place != node.attrs["captures"] + at):
            return value
        before.add(passed_on(node.inputs[first + place], through))
    return before.pop() if len(before) == 1 else value


def is_made_of(value: Value, given: Collection[Value]) -> bool:
    """Whether a value is computed from given ones; which way a test goes does not count."""
    seen, left = {value}, [value]
    behind: dict[Value, list[Value]] = {}
    while left:
        one = left.pop()
        if one in given:
            return True
        more = [x for x in _operands_of(one, behind) if x not in seen]
        seen.update(more)
        left += more
    return False


def _operands_of(value: Value, behind: dict[Value, list[Value]]) -> list[Value]:
    """What a value is made of; of inputs of graphs what is `behind` them, which is added to."""
    node = value.node
    if node is None:
        return behind.get(value, [])
    if node.op not in (COND, WHILE):
        return node.inputs
    at = node.outputs.index(value)
    if node.op is COND:
        for graph in node.graphs:
            behind.update({x: [y] for x, y in zip(graph.inputs, node.inputs[1:], strict=True)})
        return [graph.outputs[at] for graph in node.graphs]
    body, captures = node.graphs[1], node.attrs["captures"]
    behind.update({x: [y] for x, y in zip(body.inputs, node.inputs, strict=True)})
    for x, y in zip(body.inputs[captures:], body.outputs, strict=True):
        behind[x].append(y)
    return [node.inputs[captures + at], body.outputs[at]]


def emit_while(
    parent: Builder,
    test: Builder,
    body: Builder,
    init: Sequence[Value],
    types: Sequence[Type],
    maximum: int | None = None,
) -> list[Tensor]:
    """A while node in `parent`; both graphs have one own input per carried value.

    The own inputs of each body are its first `len(init)` inputs; captured ones came after.
    """
    own = [b.graph.inputs[: len(init)] for b in (test, body)]
    outers = _align(parent, (test, body), own)
    attrs = {"captures": len(outers), "maximum": maximum}
    return _finish(parent, WHILE, [*outers, *init], attrs, [test.graph, body.graph], types)


def emit_try(
    parent: Builder,
    body: Builder,
    types: Sequence[Type],
    clauses: tuple[tuple[type[BaseException], ...], ...],
    token: int,
) -> list[Tensor]:
    """A try node in `parent` from a traced body whose graph has outputs of `types`.

    The first two results are the number of the clause and the exception.
    """
    outers = _align(parent, (body,), ((),))
    attrs = {"clauses": clauses, "token": token}
    found = [type_of_number(0), ErrorType(), *types]
    return _finish(parent, TRY, outers, attrs, [body.graph], found)


def _finish(
    parent: Builder,
    op: Op,
    inputs: list[Value],
    attrs: dict[str, Any],
    graphs: list[Graph],
    types: Sequence[Type],
) -> list[Tensor]:
    # Whoever emits one of these nodes is ours, and so are the frames from there on.
    node: Node = parent.emit(op, inputs, attrs, graphs, types, origin_of_caller(3))
    outputs = [parent.tensor(v) for v in node.outputs]
    if trace.tapes():
        parent.tell_tapes(node, [parent.tensor(v) for v in inputs], tuple(outputs))
    return outputs
