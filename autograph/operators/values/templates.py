"""Text and exceptions with holes: what is to be filled in with values when the graph runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.caught import Caught, PartOfError
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.methods import attribute, method
from autograph.operators.captured.settings import guard_print_options, stand_for_arrays
from autograph.operators.captured.variables import Nullable, Poison, ld
from autograph.operators.values.heaps import refuse_reference
from autograph.operators.values.numbers_or_arrays import is_number_or_array
from autograph.operators.values.other_containers import apart
from autograph.operators.values.runs import OpenSet, Run
from runtime import journal, ops
from runtime.building import building
from runtime.effects.control import ExceptionTemplate, attributes_of, exception_of
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.process.debuggers import glimpse
from runtime.spec import WEAK_DTYPES
from runtime.structure import tree
from runtime.structure.templates import (
    PERCENT,
    Alternative,
    ArrayHole,
    Collection,
    Excerpt,
    Hole,
    LazyString,
    OrNone,
    Record,
    Repetition,
    fill,
    format_part,
)
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["PERCENT_FIELD", "ChosenText", "FilledText", "Hole", "Late", "LazyString",
           "RepeatedText", "as_now", "as_text", "class_name_of", "dig", "exception_template",
           "fill", "fstring", "has_traced", "is_late", "is_textual", "lazy", "percent",
           "shown"]  # fmt: skip

_T = TypeVar("_T")


class Late:
    """Base of what stands in text as something that is made when the graph runs."""

    __slots__ = ()

    def dug(self, operands: list[Tensor]) -> Any:
        """The template of it; its traced values are appended to `operands`."""
        raise NotImplementedError

    def described(self) -> str:
        """It in a few words, for messages."""
        return "what is known only when the graph runs"

    def held(self) -> tuple[Any, ...]:
        """The values that it may be, of the graph or with such in them."""
        return ()

    def of_graph(self) -> tuple[Any, ...]:
        """What it has of the graph: the values that it may be, and those of its text."""
        values: list[Tensor] = []
        dig(self, values)
        return (*values, *self.held())

    def own_text(self, conversion: int, spec: Any) -> Any:
        """What it is as text, made of what it stands for; None where it is made later."""

    def as_now(self) -> Late:
        """It for text that is made later: what is written into it after this is not in there."""
        return self


class VariableThen(NamedTuple):
    """A variable in text that is made later: what it held when the text was asked for."""

    variable: Variable
    value: Tensor

    def __str__(self) -> str:
        return str(self.variable)

    def dug(self, operands: list[Tensor]) -> Record:
        """Like the variable, with a hole for its content."""
        operands.append(self.value)
        content = {"array": Hole(len(operands) - 1)}
        return Record(type(self.variable), vars(self.variable) | content)


def shown(x: Any) -> Any:
    """What stands in text for a value: for a tensor the array or number that it stands for."""
    if isinstance(x, Tensor) and x.is_known:
        return x._known("text")
    if _holds(x, _is_tensor, set(), _shown_fields) and not is_late(x):
        return fill(dig(x, []), ())
    return x


def _is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor)


def has_traced(part: Any) -> bool:
    """Whether some value in a nest is known only at run time."""
    return _holds(part, _is_traced, set())


def is_late(part: Any) -> bool:
    """Whether the text of some value in a nest is known only at run time."""
    return _holds(part, _has_late_text, set(), _shown_fields)


def _has_late_text(x: Any) -> bool:
    return type(x) is Nullable or _is_traced(x) or (isinstance(x, Variable) and _is_tracing())


def _is_tracing() -> bool:
    return building() is not None


def _is_traced(x: Any) -> bool:
    kind = type(x)
    if issubclass(kind, Tensor):
        return not x.is_known
    known_late = (LazyString, ChosenText, RepeatedText, Caught, PartOfError, VariableThen)
    return kind in known_late or issubclass(kind, HostValue | Late)


def _holds(
    part: Any, wanted: Callable[[Any], bool], around: set[int], fields_of: _FieldsOf | None = None
) -> bool:
    """`around` are the containers that are being looked through: one may hold itself.

    `fields_of` says what is in an object.
    """
    fields_of = fields_of or _fields
    kind = type(part)
    if wanted(part):
        return True
    parts = None if issubclass(kind, tuple | list | dict) else apart(part)
    if parts is not None:
        inner = around | {id(part)}
        return id(part) not in around and _holds(parts.content, wanted, inner, fields_of)
    if not issubclass(kind, tuple | list | dict):
        fields = fields_of(part) if id(part) not in around else None
        return fields is not None and any(
            _holds(item, wanted, around | {id(part)}, fields_of) for item in fields.values()
        )
    if id(part) in around:
        return False
    items = dict.values(part) if issubclass(kind, dict) else part
    return any(_holds(item, wanted, around | {id(part)}, fields_of) for item in items)


def dig(part: Any, operands: list[Tensor]) -> Any:
    """`part` with holes for its traced values, which are appended to `operands`."""
    refuse_reference((part,), "made into text, or given to Python code")
    if isinstance(part, Tensor):
        if part.is_known:
            return shown(part)
        operands.append(part.current())
        is_zero_dimensional = part.is_array and part.type.rank == 0
        return (ArrayHole if is_zero_dimensional else Hole)(len(operands) - 1)
    if isinstance(part, (Caught, PartOfError)):
        operands.append(part.value)
        return Hole(len(operands) - 1)
    if isinstance(part, OpenSet):
        return {*part}
    if isinstance(part, Run):
        return repr(part)
    if type(part) is Nullable:
        operands.append(part.present)
        return OrNone(Hole(len(operands) - 1), dig(part.value, operands))
    if isinstance(part, BaseException):
        return _dig_exception(part, operands)
    if isinstance(part, (ChosenText, FilledText, RepeatedText, VariableThen, Late)):
        return part.dug(operands)
    if isinstance(part, LazyString):
        for piece in part.parts:
            if not isinstance(piece, str):
                _check_options(piece)
        return LazyString(tuple(p if isinstance(p, str) else dig(p, operands) for p in part.parts))
    if type(part) in (tuple, list):
        return type(part)(dig(p, operands) for p in part)
    if type(part) is dict:
        return {k: dig(v, operands) for k, v in part.items()}
    parts = apart(part)
    if parts is not None:
        if not _holds(parts.content, _is_open, set(), _shown_fields):
            return part
        return Collection(parts.kind, dig(parts.content, operands), parts.extra)
    fields = _shown_fields(part)
    if issubclass(type(part), Poison):
        part.load()
    if fields is not None and _holds(part, _depends, set(), _shown_fields):
        dug = _within(part, lambda: {k: dig(v, operands) for k, v in fields.items()})
        return Record(type(part), dug)
    return part


def _within(part: Any, look: Callable[[], _T]) -> _T:
    """What is found in an object or container; refused where that holds it again."""
    if id(part) in _around:
        raise StagingError(
            f"a {type(part).__name__} that holds itself is made into text that is known only when "
            "the graph runs",
            "write out what is to be shown of it",
        )
    _around.append(id(part))
    try:
        return look()
    finally:
        _around.pop()


# The objects and containers that are being looked at.
_around: list[int] = []


def exception_template(error: BaseException, operands: list[Tensor]) -> ExceptionTemplate:
    """An exception with holes for its traced values, which are appended to `operands`."""
    args = tuple(dig(part, operands) for part in error.args)
    attributes = {name: dig(part, operands) for name, part in attributes_of(error).items()}
    cause, context = dig(error.__cause__, operands), dig(error.__context__, operands)
    suppress = error.__suppress_context__
    return ExceptionTemplate(type(error), args, attributes, cause, context, suppress)


def _dig_exception(error: BaseException, operands: list[Tensor]) -> Any:
    """An exception as it is, where nothing of it depends on values; else with holes for these."""
    if not any(_holds(one, _is_open, set(), _shown_fields) for one in _chain(error)):
        return error
    count = len(operands)
    template = exception_template(error, operands)
    return template if len(operands) > count else template.fill(())


def _is_open(x: Any) -> bool:
    return _is_tensor(x) or _is_traced(x)


def _depends(x: Any) -> bool:
    return _is_tensor(x) or _has_late_text(x) or issubclass(type(x), Poison)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception, and those that it names as its causes and contexts."""
    seen: set[int] = set()
    open_: list[BaseException | None] = [error]
    while open_:
        one = open_.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            yield one
            open_ += [one.__cause__, one.__context__]


def _fields(part: Any) -> dict[str, Any] | None:
    """What a namedtuple, dataclass object, slice or exception holds; None for anything else."""
    kind = type(part)
    if issubclass(kind, BaseException):
        return {"args": part.args, **attributes_of(part)}
    if kind is slice:
        return {"start": part.start, "stop": part.stop, "step": part.step}
    if not kind.__flags__ & MADE_BY_CLASS_STATEMENT:
        return None
    if issubclass(kind, tuple):
        names = getattr(kind, "_fields", None)
        return None if names is None else dict(zip(names, tuple.__iter__(part), strict=True))
    if not hasattr(kind, "__dataclass_fields__"):
        return None
    held = getattr(part, "__dict__", None)
    if held is not None:
        return dict(held)
    return {k: getattr(part, k) for k in kind.__dataclass_fields__ if hasattr(part, k)}


def _shown_fields(part: Any) -> dict[str, Any] | None:
    """As `_fields`, and what a plain object holds that the trace made and that has its own text."""
    fields = _fields(part)
    kind = type(part)
    if fields is not None or not kind.__flags__ & MADE_BY_CLASS_STATEMENT:
        return fields
    bases = kind.__mro__[:-1]
    is_plain = all(base.__flags__ & MADE_BY_CLASS_STATEMENT for base in bases)
    if not is_plain or not journal.is_made(part) or not _has_own_text(kind):
        return None
    return tree.attributes_of(part)


def refuse_changed(x: Any) -> None:
    """Refuse a container in text that holds an object from outside which the call has changed.

    The object itself gets what the graph computes at the end of the call, after the text is made.
    """
    found = next((one for one in _objects_in(x, set()) if _is_changed(one)), None)
    if found is not None:
        raise StagingError(
            f"a container is printed that holds a {type(found).__name__} from outside of the "
            "function, which was changed before",
            "print each object by itself (`print(x)`, or `{x}` in an f-string)",
            origin=origin_of_caller(),
        )


def _is_changed(x: Any) -> bool:
    return not journal.is_made(x) and _holds(tree.attributes_of(x), _is_open, set())


def _objects_in(x: Any, seen: set[int]) -> Iterator[Any]:
    """The objects with their own text in a nest, and those that they hold; no records."""
    if id(x) in seen:
        return
    seen.add(id(x))
    kind = type(x)
    if kind in (tuple, list):
        parts = iter(x)
    elif kind is dict:
        parts = iter(x.values())
    elif _is_of_users(x) and _has_own_text(kind):
        yield x
        parts = iter(tree.attributes_of(x).values())
    else:
        return
    for part in parts:
        yield from _objects_in(part, seen)


def _is_of_users(x: Any) -> bool:
    kind = type(x)
    is_ours = kind.__module__.partition(".")[0] in ("autograph", "runtime")
    return bool(kind.__flags__ & MADE_BY_CLASS_STATEMENT) and not is_ours and _fields(x) is None


def _has_own_text(kind: type) -> bool:
    own = (attribute(kind, name) for name in ("__repr__", "__str__", "__format__"))
    return any(isinstance(function, FunctionType) for function in own)


_FieldsOf = Callable[[Any], "dict[str, Any] | None"]


class FilledText:
    """Text with holes, and the values for them."""

    __slots__ = ("template", "values")

    def __init__(self, template: Any, values: list[Any]) -> None:
        self.template, self.values = template, values

    def dug(self, operands: list[Tensor]) -> Excerpt:
        """The text with holes for values that are appended to `operands`."""
        first = len(operands)
        operands += self.values
        return Excerpt(self.template, tuple(range(first, len(operands))))

    dug_alone = dug


def is_textual(x: Any) -> bool:
    """Whether `x` is a text; a str of a class of its own, as of a StrEnum, is an object beside."""
    return type(x) in (str, np.str_) or isinstance(x, LazyString)


class ChosenText(LazyString):
    """One of two texts, depending on data: a str, a ChosenText, or a FilledText.

    It can be printed, formatted, given back, and compared with a str.
    """

    __slots__ = ("texts", "which")

    def __init__(self, which: Tensor, texts: tuple[Any, Any]) -> None:
        self.which, self.texts = which, texts
        super().__init__(((self, -1, None),))

    def __repr__(self) -> str:
        return glimpse(f"one of {', '.join(map(repr, self.texts))}")

    def dug(self, operands: list[Tensor]) -> LazyString:
        """The text with holes for values that are appended to `operands`."""
        return LazyString(((self.dug_alone(operands), -1, None),))

    def dug_alone(self, operands: list[Tensor]) -> Alternative:
        """The same where it is all that there is of a text."""
        which = Hole(len(operands))
        operands.append(self.which)
        first, second = (t if isinstance(t, str) else t.dug_alone(operands) for t in self.texts)
        return Alternative(which, (first, second))

    def equals(self, other: Any) -> Any:
        """Whether it is that text: a bool if that is known, else a traced one."""
        if isinstance(other, ChosenText):
            return self._compared(other, ops.equal)
        if not isinstance(other, str) or any(isinstance(t, FilledText) for t in self.texts):
            self._refuse()
        first, second = (
            t.equals(other) if isinstance(t, ChosenText) else t == other for t in self.texts
        )
        if isinstance(first, bool) and isinstance(second, bool):
            if first is second:
                return first
            return ops.as_weak(self.which if first else ops.logical_not(self.which), kind="bool")
        return ops.as_weak(ops.where(self.which, first, second), kind="bool")

    def _leaves(self) -> list[Any]:
        """The texts that it may be."""
        parts = (t._leaves() if isinstance(t, ChosenText) else [t] for t in self.texts)
        return [text for part in parts for text in part]

    def _place_in(self, order: list[str]) -> Any:
        """The number of the text that it is, of several in a row."""
        numbers = (
            t._place_in(order) if isinstance(t, ChosenText) else order.index(t) for t in self.texts
        )
        return ops.where(self.which, *numbers)

    def _compared(self, other: object, compare: Callable[[Any, Any], Any]) -> Any:
        """What compares it with a text, by the places of both in the order of texts."""
        if not isinstance(other, str | ChosenText):
            return NotImplemented
        theirs = other._leaves() if isinstance(other, ChosenText) else [other]
        known = [*self._leaves(), *theirs]
        if not all(isinstance(text, str) for text in known):
            return self._refuse()
        order = sorted(set(known))
        own = other._place_in(order) if isinstance(other, ChosenText) else order.index(other)
        return ops.as_weak(compare(self._place_in(order), own), kind="bool")

    def __eq__(self, other: object) -> Any:
        return self.equals(other)

    def __ne__(self, other: object) -> Any:
        equal = self.equals(other)
        return ops.logical_not(equal) if isinstance(equal, Tensor) else not equal

    def __lt__(self, other: object) -> Any:
        return self._compared(other, ops.less)

    def __le__(self, other: object) -> Any:
        return self._compared(other, ops.less_equal)

    def __gt__(self, other: object) -> Any:
        return self._compared(other, ops.greater)

    def __ge__(self, other: object) -> Any:
        return self._compared(other, ops.greater_equal)

    __hash__ = LazyString.__hash__  # type: ignore[assignment]


class RepeatedText(LazyString):
    """A text as often as only the graph knows."""

    __slots__ = ("count", "text")

    def __init__(self, text: str, count: Tensor) -> None:
        self.text, self.count = text, count
        super().__init__(((self, -1, None),))

    def dug(self, operands: list[Tensor]) -> LazyString:
        """The text with a hole for its count, which is appended to `operands`."""
        operands.append(self.count.current())
        found = Repetition(self.text, Hole(len(operands) - 1))
        return LazyString(((found, -1, None),))


def as_text(x: Any) -> Any:
    """Text in the form that programs have: a FilledText as one piece of it."""
    return LazyString(((x, -1, None),)) if isinstance(x, FilledText) else x


def lazy(parts: tuple[Any, ...]) -> LazyString:
    """Text that is made when the graph runs, of the values as they are now.

    What `np.printoptions` says here, it says there.
    """
    options = _open_options()
    return LazyString(tuple(p if isinstance(p, str) else _kept(p, options) for p in parts))


def _kept(piece: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    value, conversion, spec = piece[:3]
    refuse_unclear_text(value, conversion, spec)
    piece = (as_now(value), conversion, as_now(spec))
    return (*piece, options) if options else piece


def refuse_unclear_text(value: Any, conversion: int, spec: Any = None) -> None:
    """Refuse the `repr` of what may be a number of Python's: that of NumPy's is another one.

    `str` of a container has the `repr` of what is in it.
    """
    is_repr = conversion in _REPRS or (conversion == PERCENT and spec[-1] in "ra")
    if isinstance(value, Tensor | Nullable) and not is_repr:
        return
    if _holds(value, is_number_or_array, set(), _shown_fields):
        raise StagingError(
            "whether this is a number or an array depends on data, and its `repr` is made",
            "show it by `str`, or make the text in each branch",
            origin=origin_of_caller(),
        )


_REPRS = (97, 114)


def as_now(x: Any) -> Any:
    """A value for text: what is written into its arrays and containers later is not in it."""
    if isinstance(x, Tensor) and x.is_traced:
        now = type(x)(None, x.current()._value)
        now._name = x._name
        return now.as_array() if x.is_array else now
    if isinstance(x, Variable) and _is_tracing():
        return VariableThen(x, x.read_value())
    if type(x) in (tuple, list):
        return _within(x, lambda: type(x)(map(as_now, x)))
    if type(x) is dict:
        return _within(x, lambda: {key: as_now(item) for key, item in x.items()})
    if type(x) is Nullable:
        return Nullable(x.name, as_now(x.inner), x.present, x.check)
    if isinstance(x, Caught) or not is_late(x):
        return x
    if isinstance(x, Late):
        return x.as_now()
    held = apart(x)
    if held is not None:
        return held.made_of(as_now(held.content))
    if isinstance(x, BaseException):
        parts = {name: as_now(part) for name, part in attributes_of(x).items()}
        return exception_of(type(x), as_now(x.args), parts)
    fields = _shown_fields(x)
    if fields is None:
        return x
    shown_now = _within(x, lambda: {k: as_now(v) for k, v in fields.items()})
    return journal.fresh(Record(type(x), {}).made(shown_now))


def _open_options() -> dict[str, Any]:
    """The print options of NumPy's that the statements around change."""
    builder = building()
    trace = None if builder is None else getattr(builder.root, "trace", None)
    found: dict[str, Any] = {}
    for options in () if trace is None else trace.effects.print_options:
        found |= options
    return found


def _check_options(piece: tuple[Any, ...]) -> None:
    """Refuse text that is made into a message or print under other options than its own."""
    own = piece[3] if len(piece) > 3 else {}
    if any(name not in own for name in _open_options()) and is_late(piece[0]):
        raise StagingError(
            "text that was made outside of this `with np.printoptions(...)`, and is known only "
            "when the graph runs, is written inside of it",
            "make the text inside, or print it outside",
            origin=origin_of_caller(),
        )


def fstring(*parts: Any) -> Any:
    """An f-string of literal parts and (value, conversion, format spec) triples.

    Python meaning: the formatted text, a tensor shown as the array or number it stands for.
    Graph meaning: with a value that is known only at run time, text that is formatted there.
    """
    parts = tuple(p if isinstance(p, str) else (ld(p[0]), *p[1:]) for p in parts)
    if building() is not None:
        parts = tuple(p if isinstance(p, str) else with_own_text(*p) for p in parts)
    if building() is not None and any(is_late(p) for p in parts if not isinstance(p, str)):
        return lazy(parts)
    guard_print_options([p[0] for p in parts if not isinstance(p, str)])
    return "".join(p if isinstance(p, str) else format_part(shown(p[0]), p[1], p[2]) for p in parts)


PERCENT_FIELD = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?[#0\- +]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[hlL]?(?P<kind>.)"
)


def with_own_text(value: Any, conversion: int, spec: Any) -> Any:
    """A piece of text, an object of the user's replaced by what its own method gives for it."""
    if not type(value).__flags__ & MADE_BY_CLASS_STATEMENT:
        return value, conversion, spec
    text = value.own_text(conversion, spec) if isinstance(value, Late) else None
    if text is not None:
        return text, -1, None
    if conversion == -1:
        own = method(value, "__format__")
        if own is not None:
            return _text(own(spec or ""), "__format__ must return a str, not {}"), -1, None
        if spec:
            return value, conversion, spec
    names = ("__str__", "__repr__") if conversion in (-1, 115) else ("__repr__",)
    found = ((name, method(value, name)) for name in names)
    name, own = next((pair for pair in found if pair[1] is not None), ("", None))
    if own is None or (conversion in (-1, 115) and _says_otherwise(value)):
        return value, conversion, spec
    text = _text(own(), f"{name} returned non-string (type {{}})")
    return _as_ascii(text) if conversion == 97 else text, -1, spec


def _as_ascii(text: Any) -> Any:
    """What `ascii` makes of the text that a `__repr__` gave."""
    if isinstance(text, str):
        return text.encode("ascii", "backslashreplace").decode()
    if not all(isinstance(part, str) or isinstance(part[0], Tensor) for part in text.parts):
        raise StagingError(
            "`ascii` is asked for a text that is made of others, which depend on data",
            "use `repr`",
            origin=origin_of_caller(),
        )
    parts = (_as_ascii(part) if isinstance(part, str) else part for part in text.parts)
    return LazyString(tuple(parts))


def _text(x: Any, otherwise: str) -> Any:
    """What a method of the user's gave for text; raises TypeError where it is none."""
    if isinstance(x, str | LazyString):
        return x
    raise TypeError(otherwise.format(class_name_of(x)))


def _says_otherwise(value: Any) -> bool:
    """Whether a `__str__` that is not converted comes before a `__repr__` that is."""
    return attribute(type(value), "__str__") is not object.__str__ and not method(value, "__str__")


def percent(text: Any, values: Any) -> Any:
    """`text % values`; formatted when the graph runs if a value is known only there."""
    text, values = ld(text), ld(values)
    if not isinstance(text, str) or building() is None or not is_late(values):
        guard_print_options(values)
        return text % _shown_all(values) if isinstance(text, str) else text % values
    given = iter(values if isinstance(values, tuple) else (values,))
    parts: list[Any] = []
    end = 0
    for field in PERCENT_FIELD.finditer(text):
        if "*" in field[0]:
            raise StagingError(
                "a width or precision `*` stands in text that is known only when the graph runs",
                "write the width into the text, or use an f-string",
            )
        parts.append(text[end : field.start()])
        end = field.end()
        if field["kind"] == "%":
            parts.append("%")
            continue
        key, spec = field["key"], field[0]
        if key is not None:
            spec = spec.replace(f"({key})", "", 1)
        value = values[key] if key is not None else next(given, _MISSING)
        if value is _MISSING:
            raise TypeError("not enough arguments for format string")
        parts.append((value, PERCENT, spec))
    if next(given, _MISSING) is not _MISSING and not isinstance(values, dict):
        raise TypeError("not all arguments converted during string formatting")
    return lazy((*parts, text[end:]))


_MISSING = object()


def _shown_all(values: Any) -> Any:
    if type(values) is tuple:
        return tuple(map(shown, values))
    return shown(values)


def stands_for_other(x: Tensor) -> bool:
    """Whether a tensor of the trace stands for a number or array of another class."""
    facts = current_trace()
    if facts is None:
        return False
    if x.type.weak or not facts.captures.tensors or type(x).stands_for_array:
        return True
    return stand_for_arrays(facts)


def python_type_of(x: Tensor) -> type:
    """The Python or NumPy type of the scalar or array that a tensor stands for."""
    type_ = x.type
    if type_.weak:
        return next(k for k, d in WEAK_DTYPES.items() if d == type_.dtype)
    return np.ndarray if x.is_array else type_.dtype.type


def class_name_of(x: Any) -> str:
    """The name of the class of what a value stands for, as Python's own errors write it."""
    kind = python_type_of(x) if isinstance(x, Tensor) else type(x)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
