"""One of several Python objects, by a number that only the graph knows: functions, classes, texts.

`f = np.sin if x > 0 else np.cos` binds a `OneOf`: the objects, and the number of that it is.
What is asked of it is asked of each (`chosen_text.of_each`). Of texts the graph has a `ChosenText`.
"""

from __future__ import annotations

import enum
import functools
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
)
from typing import Any, NoReturn

import numpy as np

from autograph.operators.captured.captures import current_trace, trace_at_hand
from autograph.operators.captured.closures import held_by, is_same_function
from autograph.operators.captured.methods import attribute
from autograph.operators.captured.variables import Standing
from autograph.operators.values.carried import (
    VIEWS,
    is_changeable,
    is_nest,
    is_numpys,
    is_object,
    is_of_users,
    is_same,
    is_value,
    tensor,
    type_of,
)
from autograph.operators.values.path_conditions import possible
from autograph.operators.values.references import is_all_older, select
from autograph.operators.values.runs import OpenDeque, OpenSet, python_class
from autograph.operators.values.templates import (
    ChosenText,
    Late,
    LazyString,
    as_now,
    dig,
    has_traced,
    is_textual,
)
from runtime import journal, ops
from runtime.building import Builder
from runtime.errors import StagingError
from runtime.ops.declaration.declare import Primitive
from runtime.origins import origin_of_caller
from runtime.process.debuggers import glimpse
from runtime.structure.templates import Alternative, Hole, Selection
from runtime.tensor import Tensor

__all__ = ["OneOf", "are_containers", "are_members", "are_numbers", "are_same",
           "are_told_by_number", "can_be_chosen", "can_be_referred_to", "can_be_told_by_number",
           "chooses_by_number", "index_of", "is_constant", "is_member", "is_number_of_class",
           "is_one_of_values", "joined", "note_refused_choice", "number_of", "numbers_of",
           "one_of", "read_apart", "referred", "text_of", "texts_of", "things_of"]  # fmt: skip

# More objects than these are not told apart by numbers.
_MANY = 32


def _kind_in_words(x: Any) -> str:
    if isinstance(x, Tensor):
        return "number" if x.type.rank == 0 else "array"
    return python_class(type(x)).__name__


class OneOf(Late, Standing):
    """One of `things`, the one at `index`; `of_kinds` if these are values of several kinds."""

    __slots__ = ("index", "of_kinds", "things")

    def __init__(self, index: Tensor, things: tuple[Any, ...], *, of_kinds: bool = False) -> None:
        self.index, self.things, self.of_kinds = index, things, of_kinds

    def __repr__(self) -> str:
        return glimpse(f"one of {', '.join(map(repr, self.things))}")

    def dug(self, operands: list[Tensor]) -> Any:
        """The objects, and a hole for the number, which is appended to `operands`.

        Of values of several kinds, and of functions made with values, each has holes of its own.
        """
        is_made = not are_containers(self.things) and any(map(has_traced, self.things))
        if self.of_kinds or is_made:
            return self._dug_values(operands)
        operands.append(self.index)
        return Selection(Hole(len(operands) - 1), self.things)

    def _dug_values(self, operands: list[Tensor]) -> Any:
        found = dig(self.things[-1], operands)
        for position in range(len(self.things) - 2, -1, -1):
            operands.append(ops.equal(self.index, position))
            which = Hole(len(operands) - 1)
            found = Alternative(which, (dig(self.things[position], operands), found))
        return found

    def as_now(self) -> OneOf:
        """It for text: lists, dicts and objects that it may be as they are now."""
        if not self.of_kinds and not are_containers(self.things):
            return self
        return OneOf(self.index, tuple(map(as_now, self.things)), of_kinds=True)

    def load(self) -> Any:
        """What is read: of values of several kinds those that the branch leaves."""
        if not self.of_kinds:
            return self
        left = possible(self.index, len(self.things))
        if len(left) in (0, len(self.things)):  # none: the branch is never taken
            return self
        if len(left) == 1:
            return self.things[left[0]]
        index = select(self.index, {k: place for place, k in enumerate(left)})
        return OneOf(index, tuple(self.things[k] for k in left), of_kinds=True)

    def held(self) -> tuple[Any, ...]:
        """The values of several kinds that it may be; other things are no values."""
        return self.things if self.of_kinds else ()

    def of_graph(self) -> tuple[Any, ...]:
        """Its number, and the values that it may be."""
        return (self.index, *self.held())

    def described(self) -> str:
        """It in a few words, for messages."""
        return f"one of several objects ({self._kinds()}), depending on data"

    def _kinds(self) -> str:
        return " or ".join(sorted(set(map(_kind_in_words, self.things))))

    def chosen(self, numbers: Sequence[Any]) -> Any:
        """The number that belongs to the thing that it is, of one for each of them."""
        found = numbers[-1]
        for position in range(len(numbers) - 2, -1, -1):
            found = ops.where(ops.equal(self.index, position), numbers[position], found)
        return found

    def is_any(self, answers: Sequence[bool]) -> Any:
        """Whether it is one of those for which the answer is true: a bool, or a traced one."""
        if all(answers) or not any(answers):
            return answers[0]
        found: Any = False
        for position, answer in enumerate(answers):
            if answer:
                found = ops.logical_or(found, ops.equal(self.index, position))
        return ops.as_weak(found, kind="bool")

    def is_(self, other: Any) -> Any:
        """`self is other`."""
        return _alike(self, other, lambda a, b: a is b)

    def __eq__(self, other: object) -> Any:
        return _alike(self, other, lambda a, b: a == b)

    def __ne__(self, other: object) -> Any:
        same = self == other
        return ops.logical_not(same) if isinstance(same, Tensor) else not same

    def refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise the error for a use in which one object must be known."""
        kinds = self._kinds()
        raise StagingError(
            f"which {kinds} this is depends on data, and it is used where one must be known",
            "call it, compare it, or choose by `if` and `elif` and use it in each branch",
            origin=origin_of_caller(),
        )

    __hash__ = __call__ = __iter__ = __len__ = __bool__ = __getitem__ = refuse
    __or__ = __ror__ = __and__ = __rand__ = __xor__ = __rxor__ = __invert__ = refuse
    __array_ufunc__ = None  # operators of arrays ask this class

    def in_numbers(self, *, weak: bool) -> Any:
        """The number that it is, where all are numbers of a class of their own; else itself.

        Python takes them for Python numbers (`weak`), NumPy for NumPy's.
        """
        if not are_numbers(self.things):
            return self
        kind = "int" if all(isinstance(x, int) for x in self.things) else "float"
        number = ops.getitem(numbers_of(self.things), self.index)
        return ops.as_weak(number, kind=kind) if weak else number

    def in_text(self) -> Any:
        """The text that it is, where all are strs of a class of their own; else itself."""
        if not all(isinstance(x, str) for x in self.things):
            return self
        return one_of(self.index, tuple("".join((x,)) for x in self.things))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        self.refuse()


def is_number_of_class(x: Any) -> bool:
    """Whether `x` is a number of a class of its own, as the members of an IntEnum are."""
    is_python = isinstance(x, int | float) and not isinstance(x, np.generic)
    return is_python and type(x) not in (bool, int, float)


def is_member(x: Any) -> bool:
    """Whether `x` is a member of an enum, or another number of a class of its own."""
    return isinstance(x, enum.Enum) or is_number_of_class(x)


def are_members(x: Any) -> bool:
    """Whether `x` is one of several members of enums, by data."""
    return type(x) is OneOf and all(map(is_member, x.things))


def are_numbers(things: Sequence[Any]) -> bool:
    """Whether operators take all things for numbers; those of flags give flags."""
    return all(is_number_of_class(x) and not isinstance(x, enum.Flag) for x in things)


def numbers_of(things: Sequence[Any]) -> Tensor:
    """The numbers that these are to NumPy, in an array."""
    kind = int if all(isinstance(x, int) for x in things) else float
    return tensor(np.array([kind(x) for x in things]))


def number_of(x: Any) -> Any:
    """One of several numbers of a class of their own as a number; any other thing as it is."""
    return x.in_numbers(weak=True) if type(x) is OneOf else x


def text_of(x: Any) -> Any:
    """One of several strs of a class of their own as a text; any other thing as it is."""
    return x.in_text() if type(x) is OneOf else x


def _is_float64(x: Any) -> bool:
    """Whether `x` is a NumPy scalar that Python takes for a float."""
    return is_numpys(x) and type_of(x).rank == 0 and type_of(x).dtype == np.float64


def _operator(name: str) -> Any:
    """An operator of numbers, which the class of a member has not of its own."""
    run = getattr(operator, name.replace("__r", "__", 1) if name in _REFLECTED else name)

    def method(self: OneOf, *others: Any) -> Any:
        if all(_has_of_str(x, name) for x in self.things):
            given = [text_of(x) for x in others]
            text = self.in_text()
            return run(*given, text) if name in _REFLECTED else run(text, *given)
        if name in _SIGNS and all(map(_has_no_order, (self, *others))):
            kinds = (_class_of_each(x) or self.refuse() for x in (self, *others))
            raise TypeError(
                f"'{_SIGNS[name]}' not supported between instances of {' and '.join(kinds)}"
            )
        if any(attribute(type(x), name) not in _of_numbers(name) for x in self.things):
            self.refuse()
        given = [number_of(x) for x in others]
        are_floats = [isinstance(x, float) for x in self.things]
        if name not in _REFLECTED and any(are_floats) and any(map(_is_float64, given)):
            # To Python, such a scalar is a float: it does what `float` does.
            if not all(are_floats):
                self.refuse()
            given = [ops.as_weak(tensor(x), kind="float") for x in given]
        number = self.in_numbers(weak=not any(map(is_numpys, given)))
        if any(type(x) is OneOf for x in (number, *given)):
            self.refuse()
        return run(*given, number) if name in _REFLECTED else run(number, *given)

    return method


_SIGNS = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def _has_no_order(x: Any) -> bool:
    """Whether Python compares nothing with `x`, as with members of most enums."""
    things = x.things if type(x) is OneOf else (x,)
    return all(
        isinstance(one, enum.Enum) and attribute(type(one), name) is vars(object)[name]
        for one in things
        for name in _SIGNS
    )


def _class_of_each(x: Any) -> str:
    """The class of all that it may be, in quotes; nothing where there are several."""
    kinds = {type(one).__name__ for one in (x.things if type(x) is OneOf else (x,))}
    return f"'{kinds.pop()}'" if len(kinds) == 1 else ""


def _has_of_str(x: Any, name: str) -> bool:
    """Whether an operator takes `x` for a text: its class has none of its own."""
    return isinstance(x, str) and attribute(type(x), name) is vars(str).get(name)


def _of_numbers(name: str) -> tuple[Any, ...]:
    return tuple(vars(kind)[name] for kind in (int, float) if name in vars(kind))


_TWO = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
_REFLECTED = frozenset(f"__r{name}__" for name in _TWO)
for _name in (*(f"__{name}__" for name in (*_TWO, "lt", "le", "gt", "ge", "neg", "pos", "abs")),
              *sorted(_REFLECTED)):  # fmt: skip
    setattr(OneOf, _name, _operator(_name))


def _alike(x: OneOf, other: Any, test: Any) -> Any:
    if isinstance(other, Tensor | np.generic | np.ndarray):
        number = x.in_numbers(weak=False)
        return False if number is x else ops.equal(number, other)
    if isinstance(other, LazyString):
        if not all(_has_of_str(thing, "__eq__") for thing in x.things):
            x.refuse()
        return x.in_text() == other
    if type(other) is not OneOf:
        return x.is_any([bool(test(thing, other)) for thing in x.things])
    found: Any = False
    for k, thing in enumerate(x.things):
        for n, one in enumerate(other.things):
            if test(thing, one):
                both = ops.logical_and(ops.equal(x.index, k), ops.equal(other.index, n))
                found = ops.logical_or(found, both)
    return ops.as_weak(found, kind="bool") if isinstance(found, Tensor) else False


# Objects that nobody changes and that are told from one another by `is`.
_KINDS = (FunctionType, BuiltinFunctionType, MethodType, MethodDescriptorType, MethodWrapperType,
          functools.partial, np.ufunc, type, type(np.sum), enum.Enum, Primitive)  # fmt: skip


def can_be_chosen(x: Any) -> bool:
    """Whether `x` is a text, value or object that data may choose, or one that it has chosen."""
    is_one = is_number_of_class(x) or isinstance(x, (str, ChosenText, OneOf, *_KINDS))
    return is_one or (is_value(x) and type(x) is not range)  # which is known by its ends


def is_one_of_values(x: Any) -> bool:
    """Whether `x` is a value that nobody changes, or one of several such."""
    things = x.things if type(x) is OneOf else (x,)
    return all(is_value(one) and type(one) is not range for one in things)


def is_constant(x: Any) -> bool:
    """Whether data may choose `x`, which is no text, and holds nothing that the graph may have."""
    if is_member(x):
        return True
    is_other = can_be_chosen(x) and not isinstance(x, str | ChosenText | OneOf)
    return is_other and next(_held_by(x), None) is None


_CONTAINERS = (list, dict, set, deque, OrderedDict, defaultdict, Counter, OpenSet, OpenDeque)


def chooses_by_number() -> bool:
    """Whether objects and containers that data chooses between stay themselves, as some is written.

    Else such a choice is an object of its own, which Python itself can read.
    """
    facts = current_trace()
    return facts is not None and facts.attempt.chooses_by_number


def note_refused_choice(name: str) -> None:
    """Remember that what is called `name` is one of several objects, which must be themselves."""
    facts = current_trace()
    if facts is not None:
        facts.found.refused_choices.append(name)


@contextmanager
def read_apart() -> Iterator[None]:
    """Choices that are made within this are objects of their own."""
    facts = trace_at_hand()
    before, facts.attempt = facts.attempt, replace(facts.attempt, chooses_by_number=False)
    try:
        yield
    finally:
        facts.attempt = before


def are_containers(things: Sequence[Any]) -> bool:
    """Whether some of these are objects, lists or dicts, which may be written."""
    return any(type(x) in _CONTAINERS or type(x) in VIEWS or is_of_users(x) for x in things)


def can_be_told_by_number(x: Any) -> bool:
    """Whether data may choose between `x` and others, which can be written then."""
    return type(x) in _CONTAINERS or (is_of_users(x) and is_changeable(x))


def are_told_by_number(a: Any, b: Any) -> bool:
    """Whether data may choose between these two: of one kind, or objects of the user's."""
    if type(a) is type(b):
        return can_be_told_by_number(a)
    return can_be_referred_to(a) and can_be_referred_to(b)


def can_be_referred_to(x: Any) -> bool:
    """Whether a list whose length depends on data can hold `x` itself: an object of the user's."""
    things = x.things if type(x) is OneOf else (x,)
    return all(is_of_users(one) and is_changeable(one) for one in things)


def referred(x: Any) -> tuple[Any, ...] | None:
    """The objects of which a list whose length depends on data holds one, by its number.

    None where it does not: of a value that is compared it holds the content, unless it is written.
    They must be older than all bodies that are being traced, of which each round makes others.
    """
    facts = current_trace()
    if facts is None or not facts.attempt.chooses_by_number or not can_be_referred_to(x):
        return None
    things = x.things if type(x) is OneOf else (x,)
    if any(is_nest(one) for one in things) and not facts.attempt.refers_to_items:
        return None
    return None if any(map(journal.is_of_body, things)) else things


def things_of(x: Any, inner: Builder, *, objects: bool = False) -> tuple[Any, ...] | None:
    """The objects that `x` may be; None where the graph does not choose between such.

    They must be there after the body that `inner` builds, with all that they refer to. With
    `objects` they may be of the user's classes: then they are themselves, not their parts.
    """
    if type(x) is OneOf:
        if x.of_kinds:
            return None
        is_old = not are_containers(x.things) or not any(map(inner.has_made, x.things))
        held = (part for thing in x.things for part in _held_by(thing))
        return x.things if is_old and all(is_all_older(part, inner) for part in held) else None
    if type(x) is ChosenText:
        return texts_of(x)
    if is_textual(x):
        return None if isinstance(x, LazyString) else (x,)
    is_plain = is_object(x) and not isinstance(x, tuple)
    if objects and (is_plain or (chooses_by_number() and can_be_told_by_number(x))):
        is_there = is_all_older(x, inner) and not inner.has_made(x)
        return (x,) if is_there and not journal.is_kin(x) else None
    if not can_be_chosen(x):
        return None
    return (x,) if all(is_all_older(part, inner) for part in _held_by(x)) else None


def texts_of(x: Any) -> tuple[str, ...] | None:
    """The texts that `x` may be; None where one of them depends on values."""
    if is_textual(x) and not isinstance(x, LazyString):
        return (x,)
    parts = [texts_of(text) for text in x.texts] if type(x) is ChosenText else [None]
    known = [part for part in parts if part is not None]
    return tuple(dict.fromkeys(sum(known, ()))) if len(known) == len(parts) else None


def _held_by(x: Any) -> Iterator[Any]:
    """What an object refers to that may be of the graph."""
    if isinstance(x, functools.partial):
        yield from (*_held_by(x.func), *x.args, *x.keywords.values())
    elif isinstance(x, MethodType):
        yield x.__self__
    elif isinstance(x, FunctionType):
        yield from held_by(x)


def joined(a: tuple[Any, ...] | None, b: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """The objects of both, those of `a` first; None where they are not of one kind, or too many."""
    if a is None or b is None or is_textual(a[0]) is not is_textual(b[0]):
        return None
    found = (*a, *(x for x in b if _position(x, a) is None))
    return found if len(found) <= _MANY else None


def are_same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Whether these are the same objects, in the same order."""
    return len(a) == len(b) and all(map(_is_one, a, b))


def _position(x: Any, things: Sequence[Any]) -> int | None:
    return next((k for k, thing in enumerate(things) if _is_one(x, thing)), None)


def _is_one(a: Any, b: Any) -> bool:
    if is_textual(a) and is_textual(b):
        return bool(a == b)
    if isinstance(a, MethodType) and isinstance(b, MethodType):
        return a.__self__ is b.__self__ and a.__func__ is b.__func__
    return a is b or is_same_function(a, b) or (is_value(a) and is_same(a, b))


def index_of(x: Any, things: Sequence[Any]) -> Any:
    """The number of `x` among the things, which has all that it may be: known, or traced."""
    if type(x) is OneOf:
        return select(x.index, {k: _position(y, things) for k, y in enumerate(x.things)})
    if type(x) is ChosenText:
        first, second = (index_of(text, things) for text in x.texts)
        return ops.as_weak(ops.where(x.which, first, second), kind="int")
    return _position(x, things)


def one_of(index: Any, things: tuple[Any, ...]) -> Any:
    """The thing of that number, known or traced."""
    if isinstance(index, Tensor) and index.is_known:
        index = index.item()
    if not isinstance(index, Tensor):
        return things[index]
    if not is_textual(things[0]):
        return OneOf(index, things)
    text: Any = things[-1]
    for k in range(len(things) - 2, -1, -1):
        text = ChosenText(ops.equal(index, k), (things[k], text))
    return text
