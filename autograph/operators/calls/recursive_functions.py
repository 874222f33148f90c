"""A function that calls itself, as a graph: types of arguments and of the result by a fixed point.

Paths on which it does not call itself give the first form of the result; then the body is traced
again and again, with placeholders for what it is given and for what it gives, until all is stable.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any

from autograph.operators.branches.copied_in import absorb_left, freeze_again
from autograph.operators.branches.merging import output_value
from autograph.operators.calls.active_calls import UNTIL, Call, Mark, Recursions, is_same_function
from autograph.operators.calls.given_arrays import Sharing, code_of, given, sharing_of
from autograph.operators.calls.parameters import OtherCallError, initial_form, is_grown, widened
from autograph.operators.captured.captures import current_trace, identifier, trace_at_hand
from autograph.operators.captured.decisions import RECURSION
from autograph.operators.captured.variables import Maybe, Nullable, _Unreadable
from autograph.operators.catching.snapshots import form_of, grown_form, holds_lists, rebuild, unite
from autograph.operators.symbolic.choices import OrNone
from autograph.operators.symbolic.containers import Branching, Growing
from autograph.operators.symbolic.forms import Form, Leaf, Poisoned, Static, Unbound
from autograph.operators.values.bodies import (
    NO_NAMES,
    Outcome,
    apply_slot,
    put_slot,
    run_body,
    slot_content,
)
from autograph.operators.values.carried import (
    NOTHING,
    has_parts,
    is_array,
    is_changeable,
    is_container,
    is_numeric,
    merge_types,
    own_children,
    type_of,
)
from autograph.operators.values.iterators import refuse_in_call
from autograph.operators.values.references import Snapshot, cells_under, has_cell
from autograph.operators.values.runs import Rows, has_runs
from runtime import journal, trace
from runtime.building import Builder, current_builder, traced
from runtime.cells import Cell
from runtime.effects import recursion
from runtime.errors import StagingError
from runtime.graph.ir import Value
from runtime.origins import Origin, origin_of_caller
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor

__all__ = ["Recursion"]

_ATTEMPTS = 40
# So many traces in a row may give a result of more levels than the one before: with two calls a
# level, a result that is a part of itself doubles in each.
_DEEPER = 4


class _NotKnownYetError(Exception):
    """Ends a path on which a function calls itself whose result is not known yet."""


class Recursion(Call):
    """A call of a function whose graph is being traced, and that calls itself in it."""

    mark: Mark

    def __init__(self, known: Recursions, call: Call, mark: Mark) -> None:
        super().__init__(call.function, call.args, call.kwargs, call.builder)
        parent = current_builder()
        self.known, self.mark, self.parent = known, mark, parent
        self.function_name = self._free_name()
        self.title = f"the result of `{self.name}`"
        may_begin = self._may_begin_with(mark.forms)
        self.forms = mark.forms if may_begin else self._initial_forms()
        self.result: Form | None = mark.result if may_begin else None
        self.deepened = 0
        # Whether a list that it gives back may be one that it is given.
        self.gives_lists = mark.gives_lists
        # Whether that may be a list of the caller's.
        self.gives_callers = False
        self.attempts = len(parent.root.attempts)
        # What the function changes that is older than the call: each place, with its form.
        self.carried: dict[Any, tuple[journal.Slot, Form]] = {}
        # Of each array in the result, in the order of its leaves: which arrays it may be.
        self.sharing: list[Sharing] = []
        # Of the present attempt: whether the function called itself, and whether all calls fitted.
        self.is_met = False
        self.is_settled = True
        # The graph's own inputs, the containers made of them, the objects that are the same in all
        # calls, the cells of the arrays that are given.
        self.own: list[Value] = []
        self.placed: list[Any] = []
        self.passed_on: list[Any] = []
        self.parameters: dict[Cell, int] = {}

    def _free_name(self) -> str:
        taken = {call.function_name for call in self.known.open if isinstance(call, Recursion)}
        number, name = 0, self.name
        while name in taken:
            number += 1
            name = f"{self.name}_{number}"
        return name

    def _initial_forms(self) -> dict[str, Form]:
        numbers = self.mark.numbers.__contains__
        return {
            k: Static(x)
            if has_cell(x) or is_grown(x)
            else initial_form(x, k, numbers)  # one array, it may be
            for k, x in self.arguments.items()
        }

    def _may_begin_with(self, forms: dict[str, Form]) -> bool:
        """Whether what was found the last time serves the arguments of this time."""
        if not forms or not all(map(_is_free, forms.values())):
            return False
        found = self._widened(forms, self)
        return found is not None and _are_one(forms, found)

    def _widened(self, forms: dict[str, Form], call: Call) -> dict[str, Form] | None:
        numbers = self.mark.numbers.__contains__
        try:
            return {k: widened(form, call.arguments[k], k, numbers) for k, form in forms.items()}
        except OtherCallError:
            return None

    # ---- calls from within -------------------------------------------------------------------

    def taking(self, call: Call) -> dict[str, Form] | None:
        """The forms that cover a call from within too; None if it is another one."""
        if not is_same_function(self.function, call.function):
            return None
        return self._widened(self.forms, call)

    def again(self, call: Call, forms: dict[str, Form]) -> Any:
        """The result of a call from within."""
        self.is_met = True
        builder = current_builder()
        if len(builder.root.attempts) > self.attempts:
            raise StagingError(
                f"`{self.name}` calls itself {UNTIL}, inside of its own `try`",
                "catch exceptions around the outermost call, or test the condition with `if`",
                origin=origin_of_caller(),
            )
        if not _are_one(forms, self.forms):
            self.forms, self.is_settled = forms, False
        for key, (slot, form) in self.carried.items():
            self._carry(key, slot, form, (slot_content(slot),))
        if self.result is None or not self.is_settled:
            raise _NotKnownYetError
        inputs, types = self._inputs(call, builder), self._result_types()
        outputs = recursion.emit_recur(builder, self.function_name, inputs, types)
        return self._finished(call, outputs)

    def _leaves(self, call: Call) -> list[tuple[Any, TensorType]]:
        """The values of a call's arguments that the graph takes, with their types."""
        return [x for k, form in self.forms.items() for x in form.typed(call.arguments[k])]

    def _inputs(self, call: Call, builder: Builder) -> list[Value]:
        self._refuse_shared(call)
        places = [x for slot, form in self.carried.values() for x in form.typed(slot_content(slot))]
        return [
            output_value(builder, x.now() if isinstance(x, Rows) else x, type_)
            for x, type_ in self._leaves(call) + places
        ]

    def _refuse_shared(self, call: Call) -> None:
        """Refuse an argument that shares memory with an array that the function writes."""
        written = {slot.owner for slot, _ in self.carried.values() if isinstance(slot.owner, Cell)}
        for x, _ in self._leaves(call) if written else ():
            if has_cell(x) and any(_sources(cell) & written for cell in cells_under(x)):
                raise StagingError(
                    f"`{self.name}` calls itself {UNTIL}, and is given an array that shares memory "
                    "with one that it writes",
                    "pass a copy (`x.copy()`), or the positions in the one array that it writes",
                    origin=origin_of_caller(),
                )

    def _result_types(self) -> list[TensorType]:
        """Of what the node gives: places, parts of the result, numbers that tell arrays."""
        assert self.result is not None
        places = [leaf.type for _, form in self.carried.values() for leaf in form.leaves()]
        codes = [type_of_number(0) for sharing in self.sharing if sharing.has_code]
        return [*places, *(leaf.type for leaf in self.result.leaves()), *codes]

    def _finished(self, call: Call, outputs: list[Tensor]) -> Any:
        """The result of a call, after what it changes was written."""
        given_back = iter(outputs)
        for slot, form in self.carried.values():
            apply_slot(slot, rebuild(form, slot.name, given_back))
        return self._rebuilt(call, list(given_back))

    def _rebuilt(self, call: Call, outputs: list[Tensor]) -> Any:
        """The result of a call, made of the values that the node gives."""
        assert self.result is not None
        flags = [leaf.is_array for leaf in self.result.leaves()]
        codes = iter(outputs[len(flags) :])
        arguments = [x for x, _ in self._leaves(call)]
        arrays = iter(self.sharing)
        parts = []
        for content, holds_array in zip(outputs, flags, strict=False):
            if holds_array:
                sharing = next(arrays)
                code = next(codes) if sharing.has_code else None
                content = given(content.as_array(), code, sharing, arguments, self.title)
            parts.append(content)
        made = rebuild(self.result, self.title, iter(parts))
        if self.gives_lists:
            self._note_given(call, made)
        return made

    def _note_given(self, call: Call, made: Any) -> None:
        """Let no list be written that a call was given, or gave back: these may be one list."""
        facts = current_trace()
        given_lists = [*self._lists_given(call)]
        for x in given_lists:
            if facts is not None and facts.outside.is_callers(x):
                self.gives_callers = True
                raise self._gives_back("a list that is older than the call")
        assert self.result is not None
        found = [x for _, _, x in self.result.containers(made, self.title) if type(x) is list]
        for x in found:
            journal.note_chosen(x, tuple(given_lists))
        for x in (*given_lists, *found):
            journal.note_kin(x, self.title)

    # ---- the fixed point ---------------------------------------------------------------------

    def solve(self) -> Outcome:
        """Trace the function until what it is given, and what it gives, does not change."""
        for _ in range(_ATTEMPTS):
            self.is_met, self.is_settled = False, True
            before, gives_lists = self.result, self.gives_lists
            shared, count = self.sharing, len(self.carried)
            outcome = self._traced()
            if not self.is_met:
                self.result = self.result if outcome.raised else outcome.result[1]
                return outcome
            if not self.is_settled:
                continue
            self._learn(outcome)
            assert self.result is not None
            is_same = before is not None and before == self.result
            is_same = is_same and gives_lists is self.gives_lists
            if is_same and (shared, count) == (self.sharing, len(self.carried)):
                self.mark.forms, self.mark.result = self.forms, self.result
                return outcome
            is_deeper = before is not None and _levels(before) < _levels(self.result)
            self.deepened = self.deepened + 1 if is_deeper else 0
            if self.deepened == _DEEPER:
                break
        raise StagingError(
            f"what `{self.name}`, which calls itself, takes and gives does not settle",
            "let its arguments and results keep their kinds and shapes",
            origin=self._origin,
        )

    @property
    def _origin(self) -> Origin:
        code = self.function.__code__
        return Origin(code.co_filename, code.co_firstlineno, self.name)

    def _learn(self, outcome: Outcome) -> None:
        """Widen the form of the result by what an attempt gave."""
        if not outcome.raised:
            value, found = outcome.result
            self.result = found if self.result is None else unite(self.result, found, self.title)
            if holds_lists(self.result):  # some of which it may be given
                self.gives_lists = self.mark.gives_lists = True
            self._learn_sharing(value, outcome.builder)
        elif self.result is None:
            others = (call for call in self.known.open if isinstance(call, Recursion))
            if any(call.result is None for call in others if call is not self):
                raise _NotKnownYetError
            self.result = Static(None)  # it never returns

    def _learn_sharing(self, value: Any, builder: Builder) -> None:
        with trace.interpreting(builder):
            found = [sharing_of(x, builder, self.parameters) for x in self._arrays(value)]
        if len(found) != len(self.sharing):
            self.sharing = found
        else:
            pairs = zip(self.sharing, found, strict=True)
            self.sharing = [one.joined(other) for one, other in pairs]

    def _arrays(self, value: Any) -> Iterator[Any]:
        """The parts of a result that the form has as arrays."""
        assert self.result is not None
        pairs = zip(self.result.flatten(value), self.result.leaves(), strict=True)
        return (x for x, leaf in pairs if leaf.is_array)

    def _traced(self) -> Outcome:
        """One attempt; everything is as before afterwards."""
        facts = trace_at_hand()
        local, unlike = set(facts.scopes.cells), self.known.unlike.copy()
        outcome = run_body(self.function_name, self.parent, self._run, NO_NAMES)
        self.known.unlike = unlike  # the next attempt makes the same calls
        self._learn_writes(outcome, facts.scopes.cells.keys() - local)
        for x in () if outcome.raised else _grown_in(outcome.result[0]):
            absorb_left(outcome, x, None, repeats=True)
        if outcome.frozen:
            freeze_again(outcome, repeats=True)
        refuse_in_call(outcome.advanced, self.name)
        return outcome

    def _run(self, builder: Builder) -> tuple[Any, Form]:
        self.body, self.begin, builder.calls_itself = builder, 0, True
        assert self.bound is not None
        arguments: Any = self._place(builder)
        self._put(builder)
        self.own = list(builder.graph.inputs)
        bound = inspect.BoundArguments(self.bound.signature, arguments)
        result = self.function(*bound.args, **bound.kwargs)
        if isinstance(result, _Unreadable) and not isinstance(result, Nullable):
            result = result.load()
        return result, form_of(result, functools.partial(self._is_kept, builder))

    def _place(self, builder: Builder) -> dict[str, Any]:
        """The arguments of the call in the graph."""
        self.parameters, self.placed = {}, []
        self.passed_on = [form.value for form in self.forms.values() if isinstance(form, Static)]
        arguments = {}
        for name, form in self.forms.items():
            parts = [self._parameter(builder, leaf, name) for leaf in form.leaves()]
            with journal.transaction():  # containers among them are not the body's own
                arguments[name] = rebuild(form, name, iter(parts))
            found = form.containers(arguments[name], name)
            self.placed += [x for _, _, x in found if x is not NOTHING]
        self._note_placed()
        return arguments

    def _note_placed(self) -> None:
        """Let no list be written that a call is given: another name may have the very list."""
        lists = [x for x in self.placed if type(x) is list]
        older = tuple(self._lists_given(self)) if lists else ()
        for x in lists:
            journal.note_chosen(x, older)
        for x in (*lists, *older):
            journal.note_kin(x, f"an argument of `{self.name}`")

    def _lists_given(self, call: Call) -> Iterator[Any]:
        """The lists that a call is given, of which the content is handed on."""
        for name, form in self.forms.items():
            for _, _, x in form.containers(call.arguments[name], name):
                if type(x) is list:
                    yield x

    def _parameter(self, builder: Builder, leaf: Leaf, name: str) -> Tensor:
        position = len(builder.graph.inputs)
        made = traced(builder.input(leaf.type, name))
        made._name = name
        if leaf.is_array:
            cell = made.as_array().cell()
            cell.name = name
            cell.locked = (
                f"`{name}` is an array that `{self.name}` is given, which calls itself {UNTIL}"
            )
            self.parameters[cell] = position
        return made

    def _is_kept(self, builder: Builder, x: Any) -> bool:
        """Whether a part of the result is the same object in all calls."""
        if not is_container(x) or not is_changeable(x):
            return False
        if any(x is same for same in self.passed_on):
            return True
        facts = current_trace()
        is_given = any(one is own for one in journal.may_be(x) for own in self.placed)
        if is_given and type(x) is list:
            self.gives_lists = self.mark.gives_lists = True
            return False
        if not is_given:
            if builder.has_made(x) or any(map(builder.owns, _values_in(x))):
                return False
            if facts is not None and facts.outside.is_callers(x):
                return True
        kind = type(x).__name__
        older = f"the very {kind} that it is given" if is_given else f"a {kind} that may be older"
        raise self._gives_back(older, kind)

    def _gives_back(self, what: str, kind: str = "list") -> StagingError:
        return StagingError(
            f"`{self.name}` calls itself {UNTIL}, and gives back {what}",
            f"give back a copy of the {kind}, or a tuple of what is in it",
            origin=self._origin,
        )

    # ---- what is changed that is older than the call -----------------------------------------

    def _learn_writes(self, outcome: Outcome, local: set[int]) -> None:
        """Carry the places that were written; refuse those that hold no number or array."""
        for key, (slot, old, new) in outcome.writes.items():
            own = isinstance(key, tuple) and key[0] == "cell" and key[1] in local
            if new is old or own:
                continue
            if any(slot.owner is x for x in self.placed):
                raise StagingError(
                    f"`{self.name}` calls itself {UNTIL}, and changes {slot.name} that it is "
                    "given, which is another one in each call",
                    "change a copy of it (`x = list(x)`), and give that back",
                    origin=outcome.places.get(key) or origin_of_caller(),
                )
            known = self.carried[key][1] if key in self.carried else None
            origin = outcome.places.get(key)
            with trace.interpreting(outcome.builder):
                self._carry(key, slot, known, (slot_content(slot), new), origin)

    def _carry(
        self,
        key: Any,
        slot: journal.Slot,
        known: Form | None,
        contents: tuple[Any, ...],
        origin: Origin | None = None,
    ) -> None:
        """Carry a place in a form that covers what is in it, too."""
        form = _carried_form(slot, known, contents)
        if form is None:
            raise StagingError(
                f"`{self.name}` calls itself {UNTIL}, and changes {slot.name}, which is older "
                "than the call",
                "pass it as an argument, and give its new value back as a part of the result",
                origin=origin or origin_of_caller(),
            )
        self.is_settled &= known is not None and form == known
        self.carried[key] = slot, form

    def _put(self, builder: Builder) -> None:
        """Put placeholders into the places that are carried."""
        for slot, form in self.carried.values():
            name = identifier(slot.name).strip("_")
            parts = [traced(builder.input(leaf.type, name)) for leaf in form.leaves()]
            journal.note_result(slot)
            put_slot(slot, rebuild(form, slot.name, iter(parts)))

    def _places_after(self, outcome: Outcome) -> list[tuple[Any, TensorType]]:
        """What the function left in the places that are carried."""
        return [
            x
            for key, (_, form) in self.carried.items()
            for x in form.typed(outcome.writes[key][2] if key in outcome.writes else NOTHING)
        ]

    # ---- emission ----------------------------------------------------------------------------

    def emit(self, outcome: Outcome) -> Any:
        """Emit the node; gives what the call gives."""
        self._give(outcome)
        body, name = outcome.builder, self.function_name
        inputs, types = self._inputs(self, self.parent), self._result_types()
        outputs = recursion.emit_recursion(self.parent, name, body, self.own, inputs, types)
        facts = trace_at_hand()
        if not facts.scopes.open:  # the caller's line is no line of the graph
            self.parent.graph.nodes[-1].origin = None
        text = f"`{self.name}` is a function of the graph, which calls itself there"
        facts.decisions.note(self._origin, RECURSION, text)
        return self._finished(self, outputs)

    def _give(self, outcome: Outcome) -> None:
        """Set the outputs of the graph."""
        assert self.result is not None
        builder = outcome.builder
        result = NOTHING if outcome.raised else outcome.result[0]
        with trace.interpreting(builder):
            left = [*self._places_after(outcome), *self.result.typed(result)]
            values = [
                output_value(builder, NOTHING if outcome.raised else outcome.content(x), type_)
                for x, type_ in left
            ]
            for x, sharing in zip(self._arrays(result), self.sharing, strict=True):
                if sharing.has_code:
                    values.append(builder.value_of(code_of(x, builder, self.parameters)))
        builder.graph.outputs = values


# ---- helpers ---------------------------------------------------------------------------------


def _are_one(a: dict[str, Form], b: dict[str, Form]) -> bool:
    return all(form == b[name] for name, form in a.items())


def _levels(form: Form) -> int:
    """In how many containers within each other the innermost part of a result is."""
    return isinstance(form, Branching) + max(map(_levels, form.inner), default=0)


def _sources(cell: Cell) -> set[Cell]:
    return set(cell.sources) if isinstance(cell, Snapshot) else {cell}


def _carried_form(slot: journal.Slot, known: Form | None, contents: Any) -> Form | None:
    """The form of a place that calls hand on, which covers what was in it; None if it cannot be.

    It is the content of an array, a number, or what is in a list of numbers and texts. A name or
    attribute that is bound to an array is none: other names may be that array, too.
    """
    if slot.is_content and type(slot.owner) is list:
        growing: Growing | Poisoned = Growing(
            known.item if isinstance(known, Growing) else Unbound()
        )
        for x in contents:
            growing = (
                growing if isinstance(growing, Poisoned) else grown_form(growing, x, slot.name)
            )
        if isinstance(growing, Poisoned) or growing.item.holds_nests:
            return None
        return Growing(growing.item, like=None)
    is_number = not slot.is_content and not any(map(is_array, contents))
    if not isinstance(slot.owner, Cell) and not (is_number and all(map(is_numeric, contents))):
        return None
    types = [] if known is None else [leaf.type for leaf in known.leaves()]
    return Leaf(
        functools.reduce(
            functools.partial(merge_types, slot.name), [*types, *map(type_of, contents)]
        )
    )


def _is_free(form: Form) -> bool:
    """Whether a form holds nothing of the graph that it was found for."""
    if isinstance(form, Static):
        return not isinstance(form.value, Tensor) and not has_parts(form.value)
    return isinstance(form, Leaf | Branching | OrNone) and all(map(_is_free, form.inner))


def _grown_in(x: Any, around: tuple[int, ...] = ()) -> Iterator[Any]:
    """The lists and tuples in a result whose length depends on data."""
    if has_runs(x):
        yield x
    elif has_parts(x) and id(x) not in around:
        for _, part in own_children(x):
            yield from _grown_in(part, (*around, id(x)))


def _values_in(x: Any, around: tuple[int, ...] = ()) -> Iterator[Value]:
    """The graph values in a result."""
    if isinstance(x, Tensor):
        if x._value is not None:
            yield x._value
    elif isinstance(x, Maybe | Nullable):
        yield from _values_in(x.inner, around)
    elif has_parts(x) and id(x) not in around:
        for _, part in own_children(x):
            yield from _values_in(part, (*around, id(x)))
