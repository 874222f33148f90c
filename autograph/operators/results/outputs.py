"""What a trace hands out: the arrays and objects that it stores, or gives back, as templates."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.branches.chosen_objects import Choice, is_chosen_object
from autograph.operators.captured.alternatives import Part
from autograph.operators.captured.caught import Caught, PartOfError
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.variables import Nullable, Poison, _Unreadable
from autograph.operators.containers.growing import packed
from autograph.operators.results.container_outputs import refuse_views
from autograph.operators.results.heap_results import refuse_references_in
from autograph.operators.results.held_parts import (
    BUILTINS,
    CHANGELESS,
    FUNCTIONS,
    can_be_made,
    extra_of,
    fields_of,
    held_through,
)
from autograph.operators.results.item_templates import ARRAY, holds_nests, kept_as_rows, template_of
from autograph.operators.results.reconstruction import (
    AnyOf,
    Argument,
    Array,
    Entries,
    Form,
    IfPresent,
    Items,
    Made,
    Once,
    Outside,
    Same,
    Scalar,
    Tuple,
    View,
)
from autograph.operators.symbolic.forms import Form as ItemForm
from autograph.operators.values import templates
from autograph.operators.values.carried import describe, is_value
from autograph.operators.values.contents import container_base
from autograph.operators.values.heaps import Reference, refuse_reference, refuse_retired
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.iterators import is_iterator
from autograph.operators.values.one_of import OneOf, note_refused_choice
from autograph.operators.values.references import Snapshot, has_cell, reference_of
from autograph.operators.values.runs import (
    OpenDeque,
    OpenSet,
    Run,
    Sealed,
    SealedEntries,
    has_runs,
    known_items,
    opened,
    python_class,
)
from autograph.operators.values.templates import has_traced, shown
from runtime import journal
from runtime.building import current_builder
from runtime.dtypes import kind_of
from runtime.effects import control
from runtime.effects.taken_ahead import title
from runtime.errors import StagingError
from runtime.graph.ir import Value
from runtime.origins import Origin
from runtime.structure import tree
from runtime.structure.templates import Fillable, Hole, LazyString, OrNone
from runtime.tensor import Tensor

__all__ = ["Handouts", "Place"]


_NONE: Mapping[int, tuple[Any, Any]] = MappingProxyType({})


class Place(NamedTuple):
    """A place that something is stored in: the user's spelling of it, and the line.

    What is written may be the content of a container, which may have `had_items` before the call.
    """

    name: str
    origin: Origin | None
    container: Any = None
    had_items: bool = False

    @property
    def is_outside(self) -> bool:
        """Whether it is Python code that is given something."""
        return False

    def __str__(self) -> str:
        return f"stored in `{self.name}`" if self.name else "in the result"


class Handouts:
    """What one trace hands out: makes the templates for it."""

    def __init__(self, facts: Any, containers: dict[int, tuple[tuple[Any, ...], Any]]) -> None:
        self.facts, self.containers = facts, containers
        # What numbers and arrays are handed out as: those that a trace tells from tensors, those
        # that Python code is given, and others where an argument is a tensor. Where none is, what
        # a value is made of decides, when the trace is over.
        self._of_arrays = Form(False)
        self._of_arguments = Form(facts.captures.tensors, facts.builder.tensor_class)
        self._undecided: list[tuple[Form, Value | None]] = []
        # How many places hand out what has a key.
        self.uses: Counter[Hashable] = Counter()
        # The caller's arrays that are handed out: their placeholders by number.
        self.given: dict[int, Tensor] = {}
        # The arrays and numbers of the function's own that are stored, by key.
        self.stored: dict[Hashable, Tensor] = {}
        # Whether a container among the arguments is handed out.
        self.with_arguments = False
        self._place = Place("", None)
        self._snapshots: list[tuple[Snapshot, Place]] = []
        # What has a key by its id must live as long as the trace.
        self._keep: list[Any] = []
        self._open: set[int] = set()
        # Where lists of arrays are handed out beside the result whose length depends on data; and
        # the arrays that are handed out in a place of their own.
        self.grown_arrays: list[Place] = []
        self.alone: list[Tensor] = []
        # What is handed out for each container that is chosen by data, or among those chosen from.
        self._chosen: dict[int, Any] = {}
        self._is_special = False
        # The items of lists whose length depends on data that are handed out, and where.
        self.grown: list[tuple[tree.Structure, Place]] = []
        # The templates of objects, and what they are of, which has to live as long for its key.
        self._templates: list[tuple[Made, Any]] = []
        # Where lists and dicts are handed out that were taken out of such lists.
        self._taken_out: list[Place] = []
        # What stands in the result for containers that hold lists whose length depends on data.
        self._stands_for = _NONE
        # While what Python code gets is made: the cells and objects of the function's own in it.
        self._lent: list[Any] = []
        self._is_lending = False

    @property
    def are_shared(self) -> bool:
        """Whether two places get the same, so that a call must remember what it handed out."""
        return bool(self.given) or any(count > 1 for count in self.uses.values())

    def settle(
        self, is_of_tensors: Callable[[Value], bool], *, on_host: bool, is_first: bool
    ) -> None:
        """Say, when the trace is over, which values are made of tensors and what is at home.

        Of a first call (`is_first`), which no other one repeats, the objects are those that the
        trace made: of these the graph of the next calls knows.
        """
        for made, x in self._templates if is_first else ():
            made.own = x if type(x) is made.kind else None
        for form, value in self._undecided:
            form.tensors = value is not None and is_of_tensors(value)
        for form in (self._of_arrays, self._of_arguments, *(form for form, _ in self._undecided)):
            form.on_host = on_host

    def form_of(self, x: Tensor) -> Form:
        """What a traced number or array is handed out as where it is stored."""
        if type(x).stands_for_array:
            return self._of_arrays
        if self.facts.captures.tensors:
            return self._of_arguments
        form = Form(False, self.facts.builder.tensor_class)
        self._undecided.append((form, x.current()._value))
        return form

    def _form_of(self, x: Tensor) -> Form:
        """Likewise where it is handed out now."""
        is_given = self._place.is_outside and not type(x).stands_for_array
        return self._of_arguments if is_given else self.form_of(x)

    def part(self, x: Any, operands: list[Tensor], place: Place) -> Any:
        """`x` with templates for what the graph must make; operands for these are appended."""
        self._place = place
        return self._part(x, operands)

    def items(self, x: Any, operands: list[Tensor], place: Place) -> Any:
        """Likewise for what is written into a container: nobody gets hold of `x` itself."""
        if type(x) is tuple:
            return tuple(self.items(item, operands, place) for item in x)
        if has_runs(x):
            self._place = place
            return self._grown(x, operands, place.container)
        if type(x) is list:
            return [self.part(item, operands, place) for item in x]
        if type(x) is dict:
            self._place = place
            self._check_keys(x)
            return {key: self.part(item, operands, place) for key, item in x.items()}
        if isinstance(x, frozenset) or python_class(type(x)) is set:
            self._place = place
            self._check_keys(x)
            return x
        return self.part(x, operands, place)

    def _check_keys(self, keys: Iterable[Any]) -> None:
        """Refuse keys and items of sets that hold what is known only when the graph runs."""
        for found in keys:
            if self._is_key_by_data(found, frozenset()):
                kind = found.stands_for if isinstance(found, Reference) else type(found)
                raise self._refusal(
                    f"a key, or an item of a set, is of class `{kind.__name__}`, is {self._place}, "
                    "and holds what is known only when the graph runs",
                    "use a number or a text that is known as the key",
                )

    def _is_key_by_data(self, x: Any, around: frozenset[int]) -> bool:
        if isinstance(x, Reference):
            return True
        is_nest = isinstance(x, (tuple, frozenset))
        if not is_nest and isinstance(x, CHANGELESS):
            return False
        if id(x) in around or self.facts.outside.has(x):
            return False
        parts = x if is_nest else tree.attributes_of(x).values()
        inner = around | {id(x)}
        return has_traced(x) or any(self._is_key_by_data(part, inner) for part in parts)

    def result(self, x: Any, stands_for: Mapping[int, tuple[Any, Any]] = _NONE) -> Any:
        """The result with its leaves for operands; None where that is the same as to build it anew.

        It is not where a container in it is in another place, too, or is an object of its own.
        `stands_for` is what `sealed` gives beside `x`.
        """
        self._stands_for = stands_for
        self._place = Place("", self.facts.scopes.returned)
        self._is_special = False
        found = self._nest(x, itertools.count())
        return found if self._is_special else None

    def refuse_repeated(self, structures: list[tree.Structure]) -> None:
        """Refuse to hand out a list by data with one list or dict in it that is elsewhere, too.

        `structures` are those of the items of such lists in the result.
        """
        result = Place("", self.facts.scopes.returned)
        grown = [*self.grown, *((structure, result) for structure in structures)]
        of_nests = [place for structure, place in grown if holds_nests(structure)]
        known = self.facts.containers.repeated_items.values()
        others = (x for x in journal.frozen_wholly() if self.uses["object", id(x)])
        again = next(itertools.chain(known, others), None)
        places = [*of_nests, *self._taken_out]
        if places and again is not None:
            self._place = places[0]
            name = type(again).__name__
            raise self._refusal(
                f"a list whose length depends on data, or an item of one, is {self._place}, and a "
                f"{name} is in that list that is, or may be, in another place too",
                f"put copies into the list (`.append({name}(x))`)",
            )

    @contextlib.contextmanager
    def in_case_of_an_error(self) -> Iterator[None]:
        """What is stored in here is so only if the call ends in an error."""
        stored, snapshots = dict(self.stored), list(self._snapshots)
        try:
            yield
        finally:
            self.stored, self._snapshots = stored, snapshots

    def refuse_unknown_views(self) -> None:
        """Refuse to store what is a view, in a place unknown, of an array that is handed out."""
        for cell, place in self._snapshots:
            for source in cell.sources:
                part = Part(source, (), source.root.type)
                if self.given_array(part) is not None or self.uses[part.number]:
                    raise cell.refusal(f"it is {place}", place.origin)

    @contextlib.contextmanager
    def lending(self, *, lasting: bool) -> Iterator[list[Any]]:
        """For what Python code gets that the graph calls before it ends.

        Gives the cells and objects of the function's own that are in it, as they are found. They
        are `lasting` if each call has one of each: what a loop makes is another one each time.
        """
        before = self.uses.copy(), dict(self.stored), list(self._snapshots)
        self._lent, self._is_lending = [], True
        try:
            yield self._lent
        finally:
            self._lent, self._is_lending = [], False
            if not lasting:
                self.uses, self.stored, self._snapshots = before

    def _nest(self, x: Any, leaves: Iterator[int]) -> Any:
        if type(x) is Nullable:
            own = self._nest(x.value, itertools.count())
            return IfPresent(next(leaves), tree.structure_of(x.value), own)
        entries = tree.entries(x)
        if entries is None:
            return self._leaf(x, Hole(next(leaves)))
        keys, children, extra = entries
        parts = [self._nest(child, leaves) for child in children]
        if type(x) is Choice:
            self._is_special = True
            return AnyOf(parts[0], parts[1:])
        _, x = self._stands_for.get(id(x), (None, x))
        if isinstance(x, tuple):
            found = self._tuple(x, parts)
            self._is_special |= self.uses["object", id(x)] > 1
            return found
        if self.facts.outside.has(x):
            self._is_special = True
            return Outside(x)
        self._refuse_chosen(x)
        self._refuse_row(x)
        if journal.was_item(x):
            self._taken_out.append(self._place)
        made = self._template(x, extra)
        if isinstance(x, dict):
            self._check_keys(keys)
        if isinstance(x, (dict, list)):
            made.items = dict(zip(keys, parts, strict=True)) if isinstance(x, dict) else parts
        else:
            made.fields = dict(zip(keys, parts, strict=True))
        self._is_special |= self.uses[made.key] > 1 or id(x) in self.containers
        return self._argument(x, made)

    def _leaf(self, x: Any, hole: Hole) -> Any:
        """A leaf of the result: an object that the trace made is made anew by each call."""
        self._check_is_known(x)
        if isinstance(x, OneOf):
            self._refuse_one_of(x)
            return hole
        if isinstance(x, Sealed):
            self._refuse_row(x.whole, x.rows if x.item.holds_nests else ())
            return self._grown_whole(x.whole, hole)
        if isinstance(x, SealedEntries):
            parts = {
                key: (tree.structure_of(value), self._nest(value, itertools.count()))
                for key, value in x.values.items()
            }
            return self._grown_whole(x.whole, Entries(hole, parts))
        known = (Tensor, _Unreadable, HostValue, LazyString, np.ndarray, *CHANGELESS)
        if isinstance(x, known) or is_iterator(x):
            return hole
        if isinstance(x, FUNCTIONS):
            if not self.facts.outside.has(x):
                self._check_function(x)
            return hole
        if isinstance(x, (Caught, PartOfError)):
            raise self._refusal(
                f"{describe(x)} is in the result, and it is known only when the graph runs",
                "give back its text (`str(e)`, `type(e).__name__`), or raise it",
            )
        operands: list[Tensor] = []
        found = self._part(x, operands)
        if operands:
            raise self._refusal(
                f"the function returns a {type(x).__name__} that it made, and what is in it is "
                "known only when the graph runs",
                "return its items in a tuple, list or dict instead",
            )
        if isinstance(found, Fillable) and not isinstance(found, Same):
            self._is_special = True
            return found
        return hole

    def _grown_whole(self, x: Any, part: Hole | Entries) -> Any:
        """A list, dict or set in the result of which the graph knows what is in it."""
        self._refuse_chosen(x)
        if self.facts.outside.has(x):
            self._is_special = True
            return Outside(x)
        self._keep.append(x)
        key = ("object", id(x))
        self.uses[key] += 1
        self._is_special |= self.uses[key] > 1 or id(x) in self.containers
        return self._argument(x, Once(key, part))

    def given_array(self, part: Part) -> Tensor | None:
        """The placeholder of the caller's array that a cell is; None for any other cell."""
        captures = self.facts.captures
        for handle in (*captures.writable, *(c.handle for c in captures.inputs.values())):
            if handle._cell is part.cell and handle.is_array:
                found: Tensor = handle
                return found
        return None

    # ---- any part ----------------------------------------------------------------------------

    def _check_is_known(self, x: Any) -> None:
        if isinstance(x, Indexed):
            raise self._refusal(
                f"`{x.name}` of what is known only when the graph runs is {self._place}",
                "give a list of its items",
            )

    def _part(self, x: Any, operands: list[Tensor]) -> Any:
        if isinstance(x, Run):
            raise self._refusal(
                f"a list whose length depends on data is {self._place}",
                "return it, or store an array (`np.array(...)`)",
            )
        if isinstance(x, Tensor):
            return self._number_or_array(x, operands)
        if is_chosen_object(x):
            which = Hole(_appended(operands, x.index))
            return AnyOf(which, [self._part(one, operands) for one in x.things])
        if isinstance(x, OneOf):
            self._refuse_one_of(x)
        if isinstance(x, _Unreadable):
            return self._of_some_paths(x, operands)
        if isinstance(x, (LazyString, Caught, PartOfError, templates.Late, slice)):
            return templates.dig(x, operands)
        self._check_is_known(x)
        refuse_reference((x,), str(self._place))
        refuse_retired(x)
        if type(x) is tuple or (isinstance(x, tuple) and hasattr(x, "_fields")):
            return self._tuple(x, [self._part(item, operands) for item in x])
        if self.facts.outside.has(x) or _is_from_outside(x):
            return Same(x)
        if isinstance(x, (*FUNCTIONS, *BUILTINS)):
            self._check_function(x)
            return x
        if isinstance(x, frozenset):
            self._check_keys(x)
        return x if isinstance(x, CHANGELESS) else self._object(x, operands)

    def _of_some_paths(self, x: _Unreadable, operands: list[Tensor]) -> OrNone:
        """The template of what some paths left there: a value or None, and nothing else."""
        if isinstance(x, Poison):
            raise StagingError(x.what, x.hint, origin=self._place.origin)
        if not isinstance(x, Nullable):
            raise self._refusal(
                f"a value that some paths give only is {self._place}", "give it one on each path"
            )
        present = Hole(_appended(operands, x.present))
        return OrNone(present, self._part(x.value, operands))

    def _tuple(self, x: Any, parts: list[Any]) -> Any:
        if not any(isinstance(part, (Fillable, Hole)) for part in parts):
            is_itself = all(part is item for part, item in zip(parts, x, strict=True))
            return x if is_itself else tuple.__new__(type(x), parts)
        self._keep.append(x)
        key = ("object", id(x))
        self.uses[key] += 1
        return Tuple(key, type(x), parts)

    def check_called(self, function: Any, place: Place) -> None:
        """Refuse to have Python code call a function that refers to what each call has anew."""
        self._place = place
        if isinstance(function, FUNCTIONS) and not self.facts.outside.has(function):
            self._check_function(function)

    def _check_function(self, x: Any) -> None:
        """Refuse a function made in the trace that refers to what is known only later."""
        held = list(held_through(x, set()))
        if any(map(has_traced, held)):
            raise self._refusal(
                f"a function made in the function is {self._place}, and it refers to what is "
                "known only when the graph runs",
                "use the values in its place, or make the function outside",
            )
        own = next(filter(self._is_of_call, held), None)
        if own is not None:
            kind = type(own).__name__
            raise self._refusal(
                f"a function made in the function is {self._place}, and it refers to a {kind} that "
                "is another one in each call",
                f"pass the {kind} to it as an argument, or change it in the converted function",
            )

    def _is_of_call(self, x: Any) -> bool:
        """Whether `x` is a container that each call has anew: an argument, or made by the call."""
        if id(x) in self.containers:
            return True
        is_own = isinstance(x, (list, dict, set, deque)) and journal.is_made(x)
        return is_own and not self.facts.outside.has(x)

    # ---- numbers and arrays ------------------------------------------------------------------

    def _number_or_array(self, x: Tensor, operands: list[Tensor]) -> Any:
        if has_cell(x):
            return self.array(x, operands)
        if x.is_known and not self._is_tensor(x):
            return shown(x)
        self._keep.append(x)
        key = ("number", id(x))
        self.stored[key] = x
        return Scalar(_appended(operands, x.current()), self._form_of(x), key)

    def _is_tensor(self, x: Tensor) -> bool:
        """Whether a known number is one that a trace which tells tensors from arrays has made."""
        root = self.facts.builder.root
        is_told = root.tensor_class is not root.array_class
        return is_told and not (x.type.weak or type(x).stands_for_array)

    def array(self, x: Tensor, operands: list[Tensor]) -> Array:
        """The template of a traced array."""
        reference = reference_of(x)
        assert reference is not None
        self.alone.append(x)
        made = Array(self._form_of(x), x.type.rank == 0)
        if isinstance(reference.index, int):
            made.number = reference.index
        else:
            made.which = _appended(operands, reference.index)
        for number, part in reference.parts.items():
            if part.chain:
                made.views[number] = self._view(x, part, operands)
            else:
                self._add(made, x, number, part, operands)
        return made

    def _add(self, made: Array, x: Tensor, number: int, part: Part, operands: list[Tensor]) -> None:
        """An array that `x` may be, and which is no view."""
        self.uses[number] += 1
        if isinstance(part.cell, Snapshot):
            self._snapshots.append((part.cell, self._place))
        if self._add_given(made, number, part, operands):
            return
        self._lent.append(part.cell)
        if made.which is None:
            self.stored[number] = x
        root = part.cell.root
        if root.type != x.type:
            made.contents[number] = _appended(operands, root)
        elif made.content is None:
            made.content = _appended(operands, x.current())

    def _add_given(self, made: Array, number: int, part: Part, operands: list[Tensor]) -> bool:
        handle = self.given_array(part)
        if handle is None:
            return False
        self.given[number] = handle
        made.given.add(number)
        made.contents[number] = _appended(operands, Tensor(None, handle._value))
        return True

    def _view(self, x: Tensor, part: Part, operands: list[Tensor]) -> View:
        self._keep.append(x)
        key = ("view", part.number, id(x))
        whole = Part(part.cell, (), part.cell.root.type)
        base = Array(self._form_of(x), False)
        base.number = number = whole.number
        self.uses.update((key, number))
        if not self._add_given(base, number, whole, operands):
            self._lent.append(part.cell)
            base.content = _appended(operands, part.cell.root)
        steps = [(step, [_operand(o, operands) for o in step.operands]) for step in part.chain]
        return View(base, key, steps)

    # ---- objects -----------------------------------------------------------------------------

    def _object(self, x: Any, operands: list[Tensor]) -> Any:
        kind = type(x)
        self._refuse_chosen(x)
        is_plain = kind in (list, dict, np.ndarray)
        if not is_plain and not journal.is_made(x) and not has_traced(x):
            return x if id(x) not in self.containers else self._made(x, operands)
        if is_iterator(x):
            raise self._refusal(
                f"{title(x)} made in the function is {self._place}, and every call would store "
                "the same one",
                "store a list of its items",
            )
        if not can_be_made(kind):
            return self._as_it_is(x)
        return self._made(x, operands)

    def _made(self, x: Any, operands: list[Tensor]) -> Any:
        if opened(x) is not None:
            raise self._refusal(
                f"a dict whose keys depend on data is {self._place}",
                "return it, or store arrays of its keys and values",
            )
        if isinstance(x, OpenSet) and x.opened is not None:
            raise self._refusal(
                f"a set whose items depend on data is {self._place}",
                "return it, or store an array (`np.array(sorted(...))`)",
            )
        if isinstance(x, OpenDeque) and x.opened is not None:
            raise self._refusal(
                f"a deque whose length depends on data is {self._place}",
                "return it, or store an array (`np.array(...)`)",
            )
        self._refuse_row(x)
        made = self._template(x, extra_of(x))
        if id(x) in self._open:
            return made
        self._lent.append(x)
        self._open.add(id(x))
        try:
            if isinstance(x, dict):
                entries = container_base(x).items(x)
                self._check_keys(key for key, _ in entries)
                made.items = {k: self._part(v, operands) for k, v in entries}
            elif has_runs(x):
                made.items = self._grown(x, operands, x)
            elif isinstance(x, (list, deque)):
                made.items = [self._part(v, operands) for v in container_base(x).__iter__(x)]
            elif isinstance(x, set):
                made.items = set(known_items(x))
                if self._place.name:  # of one in the result the items are parts
                    self._check_keys(made.items)
            made.fields = {name: self._part(value, operands) for name, value in fields_of(x)}
        finally:
            self._open.discard(id(x))
        return self._argument(x, made)

    def _template(self, x: Any, extra: Any) -> Made:
        """The template of an object, without what is in it."""
        key = ("object", id(x))
        self.uses[key] += 1
        self._templates.append((Made(key, python_class(type(x)), extra), x))
        return self._templates[-1][0]

    def _grown(self, x: list[Any], operands: list[Tensor], container: Any) -> Items:
        """What is in a list whose length depends on data, of which `x` may be a copy."""
        refuse_views(x, str(self._place), self._place.origin)
        item, rows = self.rows_of(x, container)
        refuse_references_in(item, str(self._place))
        self._check_apart(kept_as_rows(item), container)
        parts, structure = template_of(item)
        self.grown.append((structure, self._place))
        form = self._form_of(rows[0])
        return Items(structure, parts, [_appended(operands, row) for row in rows], form)

    def _check_apart(self, shared: str, container: Any) -> None:
        """Refuse a list with `shared` things in it, which would have to be those of other places.

        Arrays that only this list has may be others after each call. Python code that is called
        meanwhile could keep one, and those that the caller's list had before are to stay in it.
        What can be put in while the graph runs may be of any shape.
        """
        had_items = self._place.had_items
        is_log = id(container) in self.facts.found.logs
        if shared and (shared != ARRAY or had_items or is_log or self._is_lending):
            raise self._refusal(
                f"a list of {shared}, whose own length depends on data, is {self._place}"
                + " and has items before" * had_items,
                "return it, or store an array (`np.array(...)`)",
            )
        if shared:
            self.grown_arrays.append(self._place)

    @staticmethod
    def rows_of(x: list[Any], container: Any) -> tuple[ItemForm, list[Tensor]]:
        """The rows of a list, which are made for no error of the user's."""
        builder = current_builder()
        root = builder.root
        before, root.tells_pending = root.tells_pending, False
        try:
            return packed(x, within=container)
        finally:
            root.tells_pending = before

    def _argument(self, x: Any, made: Made | Once) -> Any:
        """A container among the arguments is that of the call."""
        found = self.containers.get(id(x))
        if found is None:
            return made
        self.with_arguments = True
        return Argument(found[0], made)

    def _refuse_row(self, x: Any, rows: Iterable[Tensor] = ()) -> None:
        """Refuse what may be a list in a list of the caller's, or have such in its `rows`."""
        known, value_of = self.facts.containers.row_lengths, self.facts.builder.value_of
        ones = (x, *journal.may_be(x)) if journal.is_kin(x) else (x,)
        lengths = {*map(value_of, known.values())}  # what the trace made has others
        made = (control.is_made_of(value_of(row), lengths) for row in rows)
        if known and id(x) not in known and (any(map(journal.was_item, ones)) or any(made)):
            raise self._refusal(f"a list in a list of the caller's is {self._place}", "copy it")

    def _refuse_chosen(self, x: Any) -> None:
        """Refuse a container that is one or another by data, where the caller sees which one.

        It does if one of them is the caller's, or is handed out, too, as something else.
        """
        if not journal.is_kin(x):
            return
        for one in journal.may_be(x):
            self._keep.append(one)
            known = one is not x and (self.facts.outside.has(one) or id(one) in self.containers)
            if known or self._chosen.setdefault(id(one), x) is not x:
                kind = type(x).__name__
                note_refused_choice(kind)
                raise self._refusal(
                    f"which {kind} is {self._place} depends on data",
                    f"do it in each branch, or take a copy of the {kind}",
                )

    def _refuse_one_of(self, x: OneOf) -> None:
        """Refuse to hand out one of several objects of which each call has others."""
        for thing in x.things:
            if isinstance(thing, FUNCTIONS) and not self.facts.outside.has(thing):
                self._check_function(thing)
            if isinstance(thing, (*CHANGELESS, *FUNCTIONS, *BUILTINS)) or is_value(thing):
                continue
            if self.facts.outside.is_given(thing) or not self.facts.outside.has(thing):
                raise self._refusal(
                    f"which {type(thing).__name__} is {self._place} depends on data",
                    "do it in each branch",
                )

    def _as_it_is(self, x: Any) -> Any:
        """An object of a class of which we cannot make another: it must hold no traced values."""
        held = [value for _, value in fields_of(x)]
        if any(map(has_traced, (x, held, getattr(x, "args", ())))):
            raise self._refusal(
                f"a {type(x).__name__} made in the function, whose attributes are known only when "
                f"the graph runs, is {self._place}",
                "store its values in a tuple, list or dict instead",
            )
        return x

    def _refusal(self, what: str, hint: str) -> StagingError:
        return StagingError(what, hint, origin=self._place.origin)


def _appended(operands: list[Tensor], x: Tensor) -> int:
    operands.append(x)
    return len(operands) - 1


def _operand(x: Any, operands: list[Tensor]) -> Any:
    return Hole(_appended(operands, x.current())) if isinstance(x, Tensor) else x


def _is_from_outside(x: Any) -> bool:
    """Whether an array is one that nobody looked at: what the trace makes are tensors."""
    return isinstance(x, np.ndarray) and kind_of(x.dtype) in "biufc"
