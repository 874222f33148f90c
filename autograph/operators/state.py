"""State that a staged statement carries: names, and whatever else the journal found written.

`run_body` traces a body and takes back what it did to Python objects; `merge` joins what two
branches left in one place; `Form` describes what a loop carries in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.operators.captures import same_value
from autograph.operators.scope import cells_of
from autograph.operators.templates import LazyString, dig, fill
from autograph.operators.variables import Maybe, Poison, Undefined, UndefinedReturnValue
from runtime import control, journal, ops, trace
from runtime.building import Builder, body, building, traced
from runtime.origins import is_user_code
from runtime.errors import Origin, StagingError
from runtime.graph.ir import Value
from runtime.spec import TensorType, join, type_of_number
from runtime.tensor import Cell, Tensor

__all__ = [
    "NOTHING",
    "Merger",
    "Outcome",
    "State",
    "apply_slot",
    "is_numeric",
    "is_unset",
    "keep_pending",
    "link",
    "place",
    "put_slot",
    "rebuild",
    "slot_content",
    "merge_types",
    "run_body",
    "stage_raise",
    "type_of",
]

_NUMBERS = (bool, int, float, complex)


@dataclass(frozen=True, slots=True)
class State:
    """Access to the names that a staged statement may change."""

    get: Callable[[], tuple[Any, ...]]
    set: Callable[[tuple[Any, ...]], None]
    names: tuple[str, ...]

    def covers(self, key: Any) -> bool:
        """Whether a journal key is one of these names."""
        if not isinstance(key, tuple):
            return False
        if key[0] == "cell":
            return any(id(c) == key[1] for c in cells_of(self.get).values())
        space = getattr(self.get, "__globals__", None)
        return key[0] == "global" and key[1] == id(space) and key[2] in self.names


@dataclass
class Outcome:
    """What tracing a body left behind, everything already rolled back."""

    builder: Builder
    values: tuple[Any, ...]
    writes: dict[Any, tuple[journal.Slot, Any, Any]]
    raised: bool
    result: Any = None
    # Tensors that the body left, by id, as they were at its end; and writes that may or may not
    # have reached an array under another name.
    pinned: dict[int, Tensor] = field(default_factory=dict)
    pending: dict[Cell, Any] = field(default_factory=dict)


def is_numeric(x: Any) -> bool:
    """Whether `x` can be a graph value."""
    return isinstance(x, (Tensor, np.ndarray, np.generic, *_NUMBERS))


def is_unset(x: Any) -> bool:
    """Whether `x` marks a name without a value."""
    return isinstance(x, (Undefined, UndefinedReturnValue))


def type_of(x: Any) -> TensorType:
    """Graph type of a numeric value."""
    if isinstance(x, Tensor):
        return x.type
    if isinstance(x, (np.ndarray, np.generic)):
        return TensorType(x.dtype, x.shape)
    return type_of_number(x)


def tensor(x: Any) -> Tensor:
    """A numeric value as a tensor of the graph under construction."""
    if isinstance(x, Tensor):
        return x
    builder = building()
    assert builder is not None
    return traced(builder.value_of(x))


# ---- tracing a body --------------------------------------------------------------------------


def run_body(
    name: str, parent: Builder, function: Callable[[Builder], Any], state: State
) -> Outcome:
    """Trace `function` into a graph of its own; names and objects are as before afterwards.

    A Python exception on the way is what the body does when it runs: it becomes a `raise` node.
    """
    before = state.get()
    result, raised = None, False
    with body(name, parent) as builder, journal.transaction() as transaction:
        try:
            try:
                result = function(builder)
            except StagingError:
                raise
            except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
                emit_raise(error)
                raised = True
            Cell.settle_all()
            values = state.get()
            writes = {
                key: (slot, old, _plain(slot, new))
                for key, (slot, old, new) in transaction.written().items()
                if not state.covers(key) and not _is_local(slot, builder)
            }
            pinned: dict[int, Tensor] = {}
            _pin_all((values, *(new for _, _, new in writes.values()), result), pinned)
            pending = {
                slot.owner: slot.owner.pending
                for slot, _, _ in writes.values()
                if isinstance(slot.owner, Cell) and slot.owner.pending is not None
            }
        finally:
            transaction.roll_back()
            state.set(before)
    return Outcome(builder, values, writes, raised, result, pinned, pending)


def _plain(slot: journal.Slot, content: Any) -> Any:
    return content[0] if isinstance(slot.owner, Cell) else content


def slot_content(slot: journal.Slot) -> Any:
    """The present content of a place; of an array's cell, its value."""
    return slot.owner.root if isinstance(slot.owner, Cell) else slot.read()


def put_slot(slot: journal.Slot, value: Any) -> None:
    """Write a place."""
    if isinstance(slot.owner, Cell):
        slot.owner.store(value.current())
    else:
        slot.write(value)


def _pin_all(x: Any, pinned: dict[int, Tensor]) -> None:
    if isinstance(x, Tensor):
        cell = x._cell
        if cell is None or cell.pending is None:
            pinned[id(x)] = x.current()
    elif isinstance(x, Maybe):
        _pin_all((x.value, x.defined), pinned)
    elif _is_container(x):
        for _, part in _own_children(x):
            _pin_all(part, pinned)


def _is_local(slot: journal.Slot, builder: Builder) -> bool:
    """Whether the slot is the cell of an array made inside the body."""
    cell = slot.owner
    if not isinstance(cell, Cell) or cell.first is None:
        return False
    return builder.owns(cell.first)


def _origin_of(error: BaseException) -> Origin | None:
    """The innermost line of the user's code that an exception came through."""
    found, step = None, error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if is_user_code(code):
            found = Origin(code.co_filename, step.tb_lineno, code.co_name, code, step.tb_lasti)
        step = step.tb_next
    return found


def emit_raise(error: BaseException) -> None:
    """A node that raises the user's exception, its message filled in when the graph runs."""
    builder = building()
    assert builder is not None
    operands: list[Tensor] = []
    args = tuple(dig(a, operands) for a in error.args)
    parts = {name: dig(part, operands) for name, part in vars(error).items()}
    origin = _origin_of(error)
    error.args = args
    vars(error).update(parts)
    template = control.ExceptionTemplate(error, fill)
    node = builder.emit(
        control.RAISE, [builder.value_of(t) for t in operands], {"template": template}
    )
    if origin is not None:
        node.origin = origin


def stage_raise(condition: Tensor, error: BaseException) -> None:
    """Raise `error` when the graph runs, if `condition` is true there."""
    builder = building()
    assert builder is not None
    with body("fails", builder) as fails:
        emit_raise(error)
    passes = Builder("passes", builder)
    control.emit_cond(builder, builder.value_of(condition), (fails, passes), ())


# ---- joining what two branches left ----------------------------------------------------------


class _Nothing:
    """The value of a place on a path that never continues."""

    def __repr__(self) -> str:
        return "<never reached>"


NOTHING = _Nothing()
Rebuild = Callable[[Sequence[Any]], Any]


def merge_types(name: str, a: TensorType, b: TensorType) -> TensorType:
    """Joined type of one place on two paths."""
    joined = join(a, b)
    if not isinstance(joined, TensorType):
        raise StagingError(f"`{name}` is {a} on one path but {b} on the other")
    return joined


@dataclass
class Merger:
    """Plans the outputs of a staged `if`: pairs of values, and how to rebuild each place."""

    outcomes: tuple[Outcome, Outcome]
    pairs: list[tuple[Any, Any, str]] = field(default_factory=list)
    _known: dict[tuple[int, int], int] = field(default_factory=dict)

    def plan(self, name: str, a: Any, b: Any) -> Rebuild:
        """How the place called `name`, with `a` on one path and `b` on the other, goes on."""
        if a is b:
            return lambda outputs: a
        if isinstance(a, Poison) or isinstance(b, Poison):
            poison = a if isinstance(a, Poison) else b
            return lambda outputs: poison
        if isinstance(a, Maybe) or isinstance(b, Maybe) or is_unset(a) or is_unset(b):
            return self._optional(name, a, b)
        if a is NOTHING and not is_numeric(b) and not _is_container(b):
            return lambda outputs: b
        if b is NOTHING and not is_numeric(a) and not _is_container(a):
            return lambda outputs: a
        if _is_numeric_or_nothing(a) and _is_numeric_or_nothing(b):
            return self._numeric(name, a, b)
        if _is_container_or_nothing(a) and _is_container_or_nothing(b):
            children = _children(a, b)
            if children is not None:
                return self._container(name, a if a is not NOTHING else b, children)
        if a is not NOTHING and b is not NOTHING and same_value(a, b):
            return lambda outputs: a
        return _poison(name, a, b)

    def _numeric(self, name: str, a: Any, b: Any) -> Rebuild:
        plain = isinstance(a, _NUMBERS) and not isinstance(a, np.generic)
        if plain and b is NOTHING or (plain and same_value(a, b)):
            return lambda outputs: a
        if a is NOTHING and isinstance(b, _NUMBERS) and not isinstance(b, np.generic):
            return lambda outputs: b
        key = (id(a), id(b))
        if key not in self._known:
            self._known[key] = len(self.pairs)
            self.pairs.append((a, b, name))
        index = self._known[key]
        return lambda outputs: outputs[index]

    def _container(self, name: str, like: Any, children: list[tuple[str, Any, Any]]) -> Rebuild:
        plans = [self.plan(f"{name}{step}", x, y) for step, x, y in children]
        return lambda outputs: _with_children(like, [plan(outputs) for plan in plans])

    def _optional(self, name: str, a: Any, b: Any) -> Rebuild:
        if is_unset(a) and is_unset(b):
            return lambda outputs: a
        value_a, bit_a = _split(a)
        value_b, bit_b = _split(b)
        if (a is NOTHING and bit_b is True) or (b is NOTHING and bit_a is True):
            return self.plan(name, value_a, value_b)
        bit_a = bit_b if a is NOTHING and isinstance(bit_b, bool) else bit_a
        bit_b = bit_a if b is NOTHING and isinstance(bit_a, bool) else bit_b
        value, bit = self.plan(name, value_a, value_b), self.plan(name, bit_a, bit_b)

        def rebuild(outputs: Sequence[Any]) -> Any:
            defined = bit(outputs)
            if defined is True:
                return value(outputs)
            if defined is False:
                return Undefined(name)
            return Maybe(name, value(outputs), defined, check_defined)

        return rebuild

    def emit(self, parent: Builder, condition: Tensor) -> list[Any]:
        """Emit the cond node; gives its outputs, one per planned pair."""
        types = [
            self._type(self._pin(0, a), self._pin(1, b), name) for a, b, name in self.pairs
        ]
        for side, outcome in enumerate(self.outcomes):
            branch = outcome.builder
            with trace.interpreting(branch):
                branch.graph.outputs = [
                    output_value(branch, outcome.pinned.get(id(pair[side]), pair[side]), type_)
                    for pair, type_ in zip(self.pairs, types, strict=True)
                ]
        bodies = (self.outcomes[0].builder, self.outcomes[1].builder)
        outputs = control.emit_cond(parent, parent.value_of(condition), bodies, types)
        for output, (a, b, _) in zip(outputs, self.pairs, strict=True):
            link(output, a, bodies[0], lambda: condition)
            link(output, b, bodies[1], lambda: ops.logical_not(condition))
        return outputs

    def _pin(self, side: int, x: Any) -> Any:
        return self.outcomes[side].pinned.get(id(x), x)

    @staticmethod
    def _type(a: Any, b: Any, name: str) -> TensorType:
        if a is NOTHING or b is NOTHING:
            return type_of(b if a is NOTHING else a)
        return merge_types(name, type_of(a), type_of(b))


def output_value(branch: Builder, x: Any, type_: TensorType) -> Value:
    """The graph value that a branch gives for `x`, as `type_`."""
    if x is NOTHING:
        return branch.value_of(ops.missing(type=type_))
    return branch.value_of(control.coerce(tensor(x), type_))


def link(made: Tensor, side: Any, branch: Builder, same: Callable[[], Tensor | None]) -> None:
    """Note that `made` is the same array as `side` where `same()` is true, if `side` is older."""
    if not isinstance(side, Tensor) or made.type.rank == 0:
        return
    value = side.current()._value
    if value is None or branch.owns(value):
        return
    # Of a view it is a part only that is shared: that can be refused, not selected.
    made.cell().tie(side.cell(), None if side.is_view else same())


def check_defined(defined: Tensor, name: str, error: Exception | None = None) -> None:
    """Raise UnboundLocalError (or `error`) when the graph runs and the name is not bound."""
    unbound = UnboundLocalError(
        f"cannot access local variable '{name}' where it is not associated with a value"
    )
    stage_raise(ops.logical_not(defined), error or unbound)


def _split(x: Any) -> tuple[Any, Any]:
    if isinstance(x, Maybe):
        return x.value, x.defined
    if is_unset(x):
        return NOTHING, False
    return x, True if x is not NOTHING else NOTHING


def _poison(name: str, a: Any, b: Any) -> Rebuild:
    what = f"`{name}` is {describe(a)} on one path but {describe(b)} on the other"
    hint = "keep its kind the same on both paths, or use another name"
    return lambda outputs: Poison(name, what, hint)


def describe(x: Any) -> str:
    """A value in a few words, for messages."""
    if isinstance(x, Tensor):
        return f"a {x.type} tensor"
    if is_numeric(x):
        return f"a {type_of(x)}"
    if x is None:
        return "None"
    if isinstance(x, LazyString):
        return "a str"
    if _is_container(x):
        return f"a {type(x).__name__} of {len(_own_children(x))}"
    return f"a {type(x).__name__}"


# ---- containers ------------------------------------------------------------------------------


def _is_container(x: Any) -> bool:
    return type(x) in (tuple, list, dict) or _is_record(x)


def _is_record(x: Any) -> bool:
    cls = type(x)
    return (isinstance(x, tuple) and hasattr(cls, "_fields")) or (
        hasattr(cls, "__dataclass_fields__") and not isinstance(x, type)
    )


def _is_container_or_nothing(x: Any) -> bool:
    return x is NOTHING or _is_container(x)


def _is_numeric_or_nothing(x: Any) -> bool:
    return x is NOTHING or is_numeric(x)


def _own_children(x: Any) -> list[tuple[str, Any]]:
    if type(x) is dict:
        return [(f"[{k!r}]", v) for k, v in x.items()]
    if hasattr(type(x), "__dataclass_fields__"):
        return [(f".{name}", getattr(x, name)) for name in type(x).__dataclass_fields__]
    if isinstance(x, tuple) and hasattr(type(x), "_fields"):
        return [(f".{name}", v) for name, v in zip(type(x)._fields, x, strict=True)]
    return [(f"[{i}]", v) for i, v in enumerate(x)]


def _children(a: Any, b: Any) -> list[tuple[str, Any, Any]] | None:
    """Steps and parts of two containers of one structure; None when the structures differ."""
    if a is NOTHING or b is NOTHING:
        known = b if a is NOTHING else a
        return [
            (step, NOTHING if a is NOTHING else part, part if a is NOTHING else NOTHING)
            for step, part in _own_children(known)
        ]
    if type(a) is not type(b):
        return None
    left, right = _own_children(a), _own_children(b)
    if [step for step, _ in left] != [step for step, _ in right]:
        return None
    return [(step, x, y) for (step, x), (_, y) in zip(left, right, strict=True)]


def _with_children(like: Any, parts: list[Any]) -> Any:
    """A container like `like` with other parts."""
    if type(like) is dict:
        return dict(zip(like, parts, strict=True))
    if hasattr(type(like), "__dataclass_fields__"):
        made = object.__new__(type(like))
        for name, part in zip(type(like).__dataclass_fields__, parts, strict=True):
            object.__setattr__(made, name, part)
        return made
    if isinstance(like, tuple) and hasattr(type(like), "_fields"):
        return type(like)(*parts)
    return type(like)(parts)


def apply_slot(slot: journal.Slot, value: Any) -> None:
    """Write a merged value into a place, as a write of the enclosing body."""
    if isinstance(value, Poison):
        raise StagingError(value.what, value.hint)
    journal.note(slot)
    put_slot(slot, value)


def keep_pending(*outcomes: Outcome) -> None:
    """Let writes that a body could not settle stay pending after it."""
    for outcome in outcomes:
        for cell, pending in outcome.pending.items():
            journal.note(cell.slot())
            cell.pending = pending
            Cell.unsettled.add(cell)


# ---- what a loop carries ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """What a loop carries in one place; a subclass per kind."""


@dataclass(frozen=True, slots=True)
class Static(Form):
    """The same Python value in every round."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and (
            self.value is other.value or same_value(self.value, other.value)
        )

    def __hash__(self) -> int:
        return hash(type(self.value))


@dataclass(frozen=True, slots=True)
class Leaf(Form):
    """A graph value. `shared` leaves that enter as one array are one array throughout."""

    type: TensorType
    shared: bool = True


@dataclass(frozen=True, slots=True)
class Branching(Form):
    """A container of forms."""

    like: Any
    steps: tuple[str, ...]
    parts: tuple[Form, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Branching) and (type(self.like), self.steps, self.parts) == (
            type(other.like),
            other.steps,
            other.parts,
        )

    def __hash__(self) -> int:
        return hash((self.steps, self.parts))


@dataclass(frozen=True, slots=True)
class Unbound(Form):
    """No value."""


@dataclass(frozen=True, slots=True)
class Optional(Form):
    """A value and a bool that says whether there is one."""

    part: Form


@dataclass(frozen=True, slots=True)
class Poisoned(Form):
    """Its kind changes from round to round: an error where it is read."""

    what: str
    hint: str


def form_of(x: Any, *, bools: bool) -> Form:
    """Form of a value; Python bools are carried only with `bools` (flags mostly stay constant)."""
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    if is_unset(x):
        return Unbound()
    if isinstance(x, Maybe):
        return Optional(form_of(x.value, bools=True))
    if isinstance(x, bool) and not bools:
        return Static(x)
    if is_numeric(x):
        return Leaf(type_of(x))
    if _is_container(x):
        children = _own_children(x)
        parts = tuple(form_of(part, bools=bools) for _, part in children)
        return Branching(x, tuple(step for step, _ in children), parts)
    return Static(x)


def widen(form: Form, x: Any, name: str) -> Form:
    """The smallest form that covers `form` and the value `x` that a round left."""
    if isinstance(form, Poisoned):
        return form
    if isinstance(x, Poison):
        return Poisoned(x.what, x.hint)
    if isinstance(form, Unbound):
        if is_unset(x):
            return form
        return Optional(form_of(x.value if isinstance(x, Maybe) else x, bools=True))
    if isinstance(form, Optional):
        if is_unset(x):
            return form
        return Optional(widen(form.part, x.value if isinstance(x, Maybe) else x, name))
    if is_unset(x):
        return Optional(_carried(form))
    if isinstance(x, Maybe):
        return Optional(widen(_carried(form), x.value, name))
    if isinstance(form, Static):
        if x is form.value or same_value(x, form.value):
            return form
        if is_numeric(form.value) and is_numeric(x):
            return Leaf(_widen_type(type_of(form.value), type_of(x), name))
        return _changed(name, describe(form.value), describe(x))
    if isinstance(form, Leaf):
        if is_numeric(x):
            return Leaf(_widen_type(form.type, type_of(x), name), form.shared)
        return _changed(name, f"a {form.type}", describe(x))
    assert isinstance(form, Branching)
    if not _is_container(x) or type(x) is not type(form.like):
        return _changed(name, describe(form.like), describe(x))
    children = _own_children(x)
    if tuple(step for step, _ in children) != form.steps:
        return _changed(name, describe(form.like), describe(x))
    parts = tuple(
        widen(part, child, f"{name}{step}")
        for part, (step, child) in zip(form.parts, children, strict=True)
    )
    return Branching(form.like, form.steps, parts)


def _carried(form: Form) -> Form:
    return form_of(form.value, bools=True) if isinstance(form, Static) else form


def _widen_type(a: TensorType, b: TensorType, name: str) -> TensorType:
    joined = merge_types(name, a, b)
    if joined.shape is None and a.shape is not None and b.shape is not None:
        raise StagingError(
            f"`{name}` has shape {a.shape} before the loop but {b.shape} after one iteration",
            "a loop variable must keep its number of axes",
        )
    return joined


def _changed(name: str, before: str, after: str) -> Poisoned:
    return Poisoned(
        f"`{name}` is {before} before the loop but {after} after one iteration",
        "a loop on tensors must keep the kind of its variables; keep this out of the loop, or use "
        "another name",
    )


def place(form: Form, initial: Any, name: str, make: Callable[[TensorType, Any, str], Tensor]) -> Any:
    """A value of `form` for the inside of the loop: placeholders made by `make`."""
    if isinstance(form, Static):
        return form.value
    if isinstance(form, Unbound):
        return Undefined(name)
    if isinstance(form, Poisoned):
        return Poison(name, form.what, form.hint)
    if isinstance(form, Leaf):
        return make(form.type, initial if form.shared else None, name)
    if isinstance(form, Optional):
        value, bit = _split(initial) if not is_unset(initial) else (NOTHING, False)
        inner = place(form.part, value, name, make)
        defined = make(type_of_number(True), None, f"{name}_defined")
        return Maybe(name, inner, defined, check_defined)
    assert isinstance(form, Branching)
    parts = [
        place(part, child, f"{name}{step}", make)
        for part, step, child in zip(form.parts, form.steps, _parts_of(initial, form), strict=True)
    ]
    return _with_children(form.like, parts)


def leaves(form: Form, x: Any) -> Iterator[tuple[Any, TensorType]]:
    """The graph values of `x` in the order in which `place` makes placeholders, with their types.

    NOTHING stands for those that `x` lacks.
    """
    if isinstance(form, Leaf):
        yield x, form.type
    elif isinstance(form, Optional):
        value, bit = _split(x)
        yield from leaves(form.part, value)
        yield (False if bit is NOTHING else bit), type_of_number(True)
    elif isinstance(form, Branching):
        for part, child in zip(form.parts, _parts_of(x, form), strict=True):
            yield from leaves(part, child)


def _parts_of(x: Any, form: Branching) -> list[Any]:
    if x is NOTHING or is_unset(x):
        return [NOTHING] * len(form.parts)
    return [child for _, child in _own_children(x)]


def rebuild(form: Form, x: Any, name: str, outputs: Iterator[Any]) -> Any:
    """The value after the loop, from its outputs; `x` is what stood there before."""
    if isinstance(form, Static):
        return form.value
    if isinstance(form, Unbound):
        return Undefined(name)
    if isinstance(form, Poisoned):
        return Poison(name, form.what, form.hint)
    if isinstance(form, Leaf):
        return next(outputs)
    if isinstance(form, Optional):
        value = rebuild(form.part, NOTHING, name, outputs)
        return Maybe(name, value, next(outputs), check_defined)
    assert isinstance(form, Branching)
    parts = [
        rebuild(part, child, f"{name}{step}", outputs)
        for part, step, child in zip(form.parts, form.steps, _parts_of(x, form), strict=True)
    ]
    return _with_children(form.like, parts)
