"""`if` statements and conditional expressions."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autograph.operators.branches.may_alias import note_kin
from autograph.operators.branches.merging import Merger
from autograph.operators.captured.methods import method
from autograph.operators.captured.variables import (
    CONDITIONAL,
    RESULT,
    Asked,
    Nullable,
    Poison,
    Tested,
    _Unreadable,
)
from autograph.operators.symbolic.rows import length
from autograph.operators.values.bodies import (
    Outcome,
    State,
    apply_slot,
    ask_to_open,
    restarting,
    run_body,
    slot_content,
    stage_raise,
)
from autograph.operators.values.captured_items import with_inputs
from autograph.operators.values.carried import NOTHING, split
from autograph.operators.values.grown_text import has_letters
from autograph.operators.values.one_of import OneOf, texts_of
from autograph.operators.values.parted_arrays import Parts
from autograph.operators.values.path_conditions import within
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.runs import OpenDeque, OpenSet, has_runs, opened, refusal
from autograph.operators.values.templates import ChosenText, LazyString, class_name_of
from runtime import journal, ops
from runtime.building import Builder, building, current_builder
from runtime.cells import Cell
from runtime.ops.declaration.inference import size_of
from runtime.process.debuggers import if_any
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["condition", "has_own_truth", "if_exp", "if_stmt", "keys_of", "of_things", "result_exp",
           "staged_if", "tested_exp", "weak_truth"]  # fmt: skip


def if_stmt(
    cond: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    symbol_names: tuple[str, ...],
    nouts: int,
) -> None:
    """`if cond: body` / `else: orelse`.

    Python meaning: exactly that. Graph meaning, for a condition that is known only at run time:
    both branches are traced, and one cond node gives every name and object that they write. A
    branch that raises, raises when it is taken. A name bound in one branch is checked where read.
    """
    test = condition(cond)
    orelse = if_any(orelse)
    if isinstance(test, Tensor):
        staged_if(test, body, orelse, State(get_state, set_state, symbol_names))
    elif test:
        body()
    else:
        orelse()


def weak_truth(x: Any) -> Any:
    """The truth of `x`, a Python bool."""
    test = condition(x)
    return ops.as_weak(test, kind="bool") if isinstance(test, Tensor) else test


def condition(x: Any) -> Any:
    """The truth value of `x`: a traced scalar when it is known only at run time, else a bool.

    Raises ValueError, as NumPy does, for an array of several elements or of none.
    """
    kind = type(x)
    if kind is bool:
        return x
    if kind is Tested or kind is Asked:
        return condition(x.truth)
    if kind is Nullable:
        return _truth_where_there(x)
    if not issubclass(kind, Tensor | Variable):  # isinstance would ask `x.__class__`
        return bool(x) if building() is None else _truth_of(x)
    if isinstance(x, Variable):
        x = x.read_value()
    if x.is_known:
        return bool(x)
    shape = x.type.shape
    return x if shape == () else _truth_of_array(x, shape)


def _truth_where_there(x: Nullable) -> Any:
    """The truth value of what may be None: NumPy refuses that of many arrays, not that of None."""
    value = x.value
    if isinstance(value, Tensor) and value.type.shape != ():
        return of_either(x, condition)
    there = condition(value)
    if isinstance(there, Tensor):
        return ops.logical_and(x.present, there)
    return x.present if there else False


def _truth_of_array(x: Tensor, shape: tuple[int | None, ...] | None) -> Any:
    """The truth value of an array that may have axes: that of its only element."""
    size = None if shape is None else size_of(shape)
    if size is None:
        x = ops.reshape(x, (-1,))
        for is_so, count in ((x.size == 0, 0), (x.size > 1, 2)):
            answer = _numpys_truth(count)
            if isinstance(answer, ValueError):
                stage_raise(is_so, answer)
        return ops.any(x)
    if size == 1:
        return ops.reshape(x, ())
    answer = _numpys_truth(min(size, 2))
    if isinstance(answer, ValueError):
        raise answer
    return answer


def _numpys_truth(count: int) -> bool | ValueError:
    """What NumPy says of the truth value of an array of so many elements, none or several."""
    try:
        return bool(np.zeros(count))
    except ValueError as error:
        return error.with_traceback(None)


def _any_of(bits: Iterable[Any]) -> Any:
    """Whether one of some bools is true, each known or traced."""
    known: list[Any] = []
    traced: list[Any] = []
    for bit in bits:
        (known if isinstance(bit, bool) else traced).append(bit)
    return any(known) or (functools.reduce(ops.logical_or, traced) if traced else False)


def _truth_of(x: Any) -> Any:
    """The truth value of an object while tracing: its own method may give a traced one."""
    if has_runs(x):
        if type(x) not in (list, tuple):
            raise refusal(f"its items are in a {type(x).__name__}")
        return condition(length(x) > 0)
    if isinstance(x, dict | OpenSet | OpenDeque):
        pairs = opened(x) if isinstance(x, dict) else x.opened
        if isinstance(pairs, dict):
            return _any_of(split(value)[1] for value in pairs.values())
        if pairs is not None:
            return condition(length(pairs) > 0)
    if type(x) is ChosenText and texts_of(x) is not None:
        return condition(x != "")
    if isinstance(x, LazyString):
        return has_letters(x)
    if type(x) is OneOf:
        return condition(of_things(x, condition))
    if isinstance(x, OpenRange | Parts):
        return condition(x.length > 0)
    own = method(x, "__bool__")
    if own is None:
        own = method(x, "__len__")
        return bool(with_inputs(x)) if own is None else condition(own() != 0)
    result = own()
    if not isinstance(result, Tensor):
        return operator.truth(_Result(result))
    if not result.type.weak or result.dtype != bool:
        raise TypeError(f"__bool__ should return bool, returned {class_name_of(result)}")
    return condition(result)


class _Result:
    """Lets Python say what it thinks of what a `__bool__` gave."""

    def __init__(self, result: Any) -> None:
        self._result = result

    def __bool__(self) -> bool:
        return self._result  # type: ignore[no-any-return]


def staged_if(
    test: Tensor, body: Callable[[], Any], orelse: Callable[[], Any], state: State
) -> None:
    """One cond node for both branches; names and objects get the joined values."""
    parent = current_builder()
    state.read_captured()

    def traced() -> tuple[Outcome, Outcome]:
        with within(test, True):
            first = run_body("true", parent, lambda b: body(), state, settles=False)
        with within(test, False):
            outcomes = first, run_body("false", parent, lambda b: orelse(), state, settles=False)
        _open_by_keys(outcomes)
        return outcomes

    outcomes = restarting(traced)
    merge_branches(parent, test, outcomes, state)


def _open_by_keys(outcomes: tuple[Outcome, Outcome]) -> None:
    """Ask that dicts and sets be opened which have other keys at the end of the two paths."""
    if any(outcome.raised for outcome in outcomes):
        return
    for key in dict.fromkeys([*outcomes[0].writes, *outcomes[1].writes]):
        slot = (outcomes[0].writes.get(key) or outcomes[1].writes[key])[0]
        if slot.is_content and isinstance(slot.owner, dict | OpenSet | OpenDeque):
            contents = [o.writes[key][2] if key in o.writes else slot.read() for o in outcomes]
            one, other = (keys_of(slot.owner, c) for c in contents)
            if one != other:
                ask_to_open(slot.owner, contents)


def keys_of(owner: Any, content: Any) -> Any:
    """What a graph must know of what is in a container; of a deque, how many items there are."""
    if isinstance(owner, OpenDeque):
        return len(content)
    return content if isinstance(owner, OpenSet) else list(content)


def merge_branches(
    parent: Builder, test: Tensor, outcomes: tuple[Outcome, Outcome], state: State
) -> None:
    """Emit the cond node and give names and objects what it gives."""
    left, right = outcomes
    merger = Merger(outcomes, test)
    names = [
        merger.plan(name, NOTHING if left.raised else a, NOTHING if right.raised else b)
        for name, a, b in zip(state.names, left.values, right.values, strict=True)
    ]
    slots = []
    for key in dict.fromkeys([*left.writes, *right.writes]):
        slot = (left.writes.get(key) or right.writes[key])[0]
        contents = [_content(outcome, key, slot) for outcome in outcomes]
        plan = merger.numeric if isinstance(slot.owner, Cell) else merger.plan
        if slot.is_content:
            plan = functools.partial(merger.plan, owner=slot.owner)
        slots.append((slot, plan(slot.name, *contents)))
    outputs = merger.emit(parent, test)
    if left.raised and right.raised:
        return
    state.set(tuple(rebuild(outputs) for rebuild in names))
    for slot, rebuild in slots:
        apply_slot(slot, rebuild(outputs))
    merger.finish()
    written = {key: old for o in outcomes for key, (_, old, _) in o.writes.items()}
    note_kin(merger.chosen, outcomes, state, written)


def _content(outcome: Outcome, key: Any, slot: Any) -> Any:
    if outcome.raised:
        return NOTHING
    if key in outcome.writes:
        return outcome.writes[key][2]
    content = slot_content(slot)
    # An array in this place may have been written by the branch, in place: its cell is rolled back.
    for other, _, new in outcome.writes.values():
        if isinstance(other.owner, Cell):
            outcome.note_root(other.owner, new)
    outcome.pin_runs(content)
    return content


def if_exp(
    cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expression: str
) -> Any:
    """`if_true() if cond else if_false()`; only the chosen side runs.

    Graph meaning: a cond node whose sides are traced; side effects stay on their side.
    """
    return _read(_chosen(cond, if_true, if_false, CONDITIONAL))


def _read(result: Any) -> Any:
    """The value of an expression, checked where it is not there on some paths."""
    is_read = isinstance(result, _Unreadable) and not isinstance(result, Nullable)
    return result.load() if is_read else result


def result_exp(
    cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expression: str
) -> Any:
    """As `if_exp`, in a `return`: the function may give values of several kinds."""
    return _chosen(cond, if_true, if_false, RESULT)


def _chosen(cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], name: str) -> Any:
    test = condition(cond)
    if not isinstance(test, Tensor):
        return if_true() if test else if_false()
    box: list[Any] = [None]

    def put(values: tuple[Any, ...]) -> None:
        box[0] = values[0]

    def side(thunk: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            box[0] = thunk()

        return run

    staged_if(test, side(if_true), side(if_false), State(lambda: (box[0],), put, (name,)))
    return box[0]


def of_things(x: OneOf, function: Callable[[Any], Any]) -> Any:
    """What `function` gives for the one of several objects that it is: each has a branch.

    Of values of several kinds it may give such.
    """
    name = RESULT if x.of_kinds else CONDITIONAL

    def of_some(first: int, end: int) -> Any:
        if end - first == 1:
            return function(x.things[first])
        middle = (first + end) // 2
        return _read(
            _chosen(
                x.index < middle,
                lambda: of_some(first, middle),
                lambda: of_some(middle, end),
                name,
            )
        )

    return of_some(0, len(x.things))


def of_either(x: Nullable, function: Callable[[Any], Any]) -> Any:
    """What `function` gives for what may be None, where None is as good: each has a branch."""
    value = x.value
    return if_exp(x.present, lambda: function(value), lambda: function(None), CONDITIONAL)


def tested_exp(
    test: Tensor,
    if_true: Callable[[], Any],
    if_false: Callable[[], Any],
    *,
    given: bool,
    is_asked: bool,
) -> Any:
    """As `if_exp`, for what may be asked for its truth only: both sides need not be alike.

    On the path `given` there is what was tested: its truth is known, and it is not asked again.
    Where the result is asked for its truth next, `is_asked`, both paths know that.
    """
    values: list[Any] = [None, False]
    names = (CONDITIONAL, "its truth")

    def put(found: tuple[Any, ...]) -> None:
        values[:] = found

    def side(thunk: Callable[[], Any], path: bool) -> Callable[[], None]:
        def run() -> None:
            value = thunk()
            is_known = path is given
            values[:] = _untested(value), path if is_known else _truth_known(value, is_asked)

        return run

    sides = side(if_true, True), side(if_false, False)
    staged_if(test, *sides, State(lambda: tuple(values), put, names))
    value, truth = values
    if isinstance(value, Poison) and not isinstance(truth, _Unreadable):
        return Tested(value, truth)
    is_read = isinstance(value, _Unreadable) and not isinstance(value, Nullable)
    value = value.load() if is_read else value
    return Asked(value, truth) if is_asked and has_own_truth(value) else value


def _untested(value: Any) -> Any:
    """A value without what is known of its truth on the path that it is on."""
    value = value.value if type(value) is Asked else value
    return Poison(value.name, value.what, value.hint) if type(value) is Tested else value


def _truth_known(value: Any, is_asked: bool) -> Any:
    """Whether a value is true; of an array nothing is asked, which might raise."""
    if type(value) is Asked:
        return value.truth
    if isinstance(value, Tensor) and value.type.rank != 0:
        return Poison("its truth", "an array is one of several things that data decides about", "")
    return _quiet_truth(value) if has_own_truth(value) and not is_asked else condition(value)


def has_own_truth(x: Any) -> bool:
    """Whether a method of the user's says whether an object is true."""
    if type(x) is OneOf:
        return any(map(has_own_truth, x.things))
    x = x.value if type(x) is Nullable else x
    return method(x, "__bool__") is not None or method(x, "__len__") is not None


def _quiet_truth(x: Any) -> Any:
    """Whether an object is true that nobody has asked yet: known if asking is not to be seen."""
    builder = current_builder()
    mark = builder.mark()
    with journal.transaction() as asked:
        try:
            truth = condition(x)
        except Exception:  # noqa: BLE001 - the user's own, raised where the truth is asked for
            truth = None
        nodes = builder.graph.nodes[mark.now(builder.graph.nodes) :]
        if truth is not None and not asked.slots and not any(node.has_effect for node in nodes):
            return truth
    builder.truncate(mark)
    what = f"asking a {class_name_of(x)} that is one of several things does more than to answer"
    return Poison("its truth", what, "")
