"""Text and other parts with holes, to be filled in with values when a graph runs."""

from __future__ import annotations

import ast
import sys
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Callable, Sequence
from functools import partial
from types import MappingProxyType, SimpleNamespace
from typing import Any, NoReturn, cast

import numpy as np

from runtime.dtypes import kind_of
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.process.debuggers import glimpse
from runtime.structure import tree

__all__ = [
    "ASCII",
    "PERCENT",
    "REPR",
    "STR",
    "Alternative",
    "ArrayHole",
    "Collection",
    "Excerpt",
    "Fillable",
    "Hole",
    "LazyString",
    "Letters",
    "Line",
    "OrNone",
    "Record",
    "Repetition",
    "Selection",
    "Several",
    "SummaryLine",
    "fill",
    "format_part",
    "is_value",
    "letters_of_text",
    "summary",
    "text_of_letters",
]

# How the value in a piece of text is converted before it is formatted, as in code objects.
STR, REPR, ASCII = 115, 114, 97
# The conversion of a piece that is formatted as `spec % value`.
PERCENT = 37

_CONVERSIONS: dict[int, Callable[[Any], Any]] = {
    -1: lambda v: v,
    STR: str,
    REPR: repr,
    ASCII: ascii,
}


class Hole:
    """Takes the place of traced operand number `index`."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class ArrayHole(Hole):
    """For an ndarray of rank 0, whose value travels as a scalar."""

    __slots__ = ()


class Fillable:
    """A part that knows itself what is to stand in its place."""

    __slots__ = ()
    # What it is, for a message, where a file cannot hold it.
    what = ""

    @property
    def is_value(self) -> bool:
        """Whether what stands there is no array, and no object of which a call has its own."""
        return False

    def fill(self, operands: Sequence[Any]) -> Any:
        """What stands there for these run-time values."""
        raise NotImplementedError

    def written(self, source: Any) -> ast.expr | None:
        """The same as an expression that a `Source` writes; None where it is a call of `fill`."""
        return None


class Record:
    """A namedtuple, dataclass object, range or slice of class `kind`, with holes in its fields."""

    __slots__ = ("fields", "kind")

    def __init__(self, kind: type, fields: dict[str, Any]) -> None:
        self.kind, self.fields = kind, fields

    def made(self, fields: dict[str, Any]) -> Any:
        """The object with these values; its `__init__` is not called."""
        if self.kind in (range, slice):
            return self.kind(*fields.values())
        if issubclass(self.kind, tuple):
            return tuple.__new__(self.kind, fields.values())
        made = object.__new__(self.kind)
        for name, value in fields.items():
            object.__setattr__(made, name, value)
        return made


class LazyString:
    """A string whose text is known only when the graph runs.

    `parts` are literal strings and (value, conversion, format spec) triples as in an f-string, the
    last may be followed by the options of `np.printoptions` that the text is made under.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts

    def __str__(self) -> str:
        return "".join(p if isinstance(p, str) else "{...}" for p in self.parts)

    def __repr__(self) -> str:
        return glimpse(f"the text {str(self)!r}")

    def __add__(self, other: Any) -> Any:
        if _adds_itself(other):
            return NotImplemented
        if not isinstance(other, str | LazyString):
            raise TypeError(f'can only concatenate str (not "{_class_name(other)}") to str')
        return LazyString((*self.parts, *_parts(other)))

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, str | LazyString):
            name = _class_name(other)
            raise TypeError(f"unsupported operand type(s) for +: '{name}' and 'str'")
        return LazyString((*_parts(other), *self.parts))

    def __bool__(self) -> bool:
        return any(isinstance(p, str) and p for p in self.parts) or self._refuse()

    def __getattr__(self, name: str) -> Any:
        if hasattr(str, name) and not name.startswith("__"):
            self._refuse()
        raise AttributeError(f"'str' object has no attribute '{name}'")

    def _refuse(self, *others: Any) -> NoReturn:
        raise StagingError(
            "text that is known only when the graph runs is needed while tracing",
            "print it, return it or put it in the message of an exception; compare numbers instead",
            origin=origin_of_caller(),
        )

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __mod__ = _refuse
    __len__ = __iter__ = __getitem__ = __mul__ = __rmul__ = __hash__ = _refuse


# As errors of Python's own name it.
LazyString.__name__ = "str"


def _parts(x: str | LazyString) -> tuple[Any, ...]:
    return x.parts if isinstance(x, LazyString) else (x,)


def _class_name(x: Any) -> str:
    """The name of the class of an operand, or of what a tensor stands for."""
    of_tensor = getattr(getattr(x, "type", None), "class_name", None)
    return type(x).__name__ if of_tensor is None else of_tensor(x.is_array)


def _adds_itself(x: Any) -> bool:
    """Whether a class that is neither text nor number says what a text and an object of it give."""
    is_users = type(x).__flags__ & tree.MADE_BY_CLASS_STATEMENT and not hasattr(type(x), "dtype")
    is_text = isinstance(x, LazyString)
    return bool(is_users) and not is_text and hasattr(type(x), "__radd__")


class Alternative(Fillable):
    """One of two texts or values: that of the hole `which` says whether it is the first."""

    __slots__ = ("texts", "which")

    def __init__(self, which: Hole, texts: tuple[Any, Any]) -> None:
        self.which, self.texts = which, texts

    def fill(self, operands: Sequence[Any]) -> Any:
        return fill(self.texts[0 if operands[self.which.index] else 1], operands)


class Selection(Fillable):
    """One of several Python objects: the value of the hole `index` says which.

    >>> fill(Selection(Hole(0), (min, max)), (1,)) is max
    True
    """

    __slots__ = ("index", "things")

    def __init__(self, index: Hole, things: tuple[Any, ...]) -> None:
        self.index, self.things = index, things

    def fill(self, operands: Sequence[Any]) -> Any:
        return self.things[int(fill(self.index, operands))]


class Repetition(Fillable):
    """A text, as many times as the value of the hole `count` says.

    >>> fill(Repetition("ab", Hole(0)), (2,))
    'abab'
    """

    __slots__ = ("count", "text")

    def __init__(self, text: str, count: Hole) -> None:
        self.text, self.count = text, count

    def fill(self, operands: Sequence[Any]) -> Any:
        return self.text * int(fill(self.count, operands))


class Letters(Fillable):
    """A text, of which the value of the hole `numbers` has the numbers of the letters.

    >>> fill(Letters(Hole(0)), (letters_of_text("año"),))
    'año'
    """

    __slots__ = ("numbers",)

    def __init__(self, numbers: Hole) -> None:
        self.numbers = numbers

    def fill(self, operands: Sequence[Any]) -> Any:
        given = fill(self.numbers, operands)
        if given is None:  # of a path that was not taken, which nobody looks at
            return ""
        on_host = given if isinstance(given, np.ndarray) else given.tolist()
        return text_of_letters(on_host)


def letters_of_text(text: str) -> np.ndarray[Any, Any]:
    """The numbers of the letters of a text.

    >>> letters_of_text("abc")
    array([97, 98, 99], dtype=int32)
    """
    return np.frombuffer(text.encode(_ENCODING, "surrogatepass"), np.int32)


def text_of_letters(numbers: Any) -> str:
    """The text of which these are the numbers of the letters.

    >>> text_of_letters([97, 98, 99])
    'abc'
    """
    found = np.ascontiguousarray(numbers, np.int32)
    return found.tobytes().decode(_ENCODING, "surrogatepass")


_ENCODING = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


class OrNone(Fillable):
    """A part where the value of the hole `which` says that it is there, None where it is not."""

    __slots__ = ("part", "which")

    def __init__(self, which: Hole, part: Any) -> None:
        self.which, self.part = which, part

    def fill(self, operands: Sequence[Any]) -> Any:
        return fill(self.part, operands) if fill(self.which, operands) else None


class Excerpt(Fillable):
    """A part whose holes are for some of the operands only: those at `positions`."""

    __slots__ = ("part", "positions")

    def __init__(self, part: Any, positions: tuple[int, ...]) -> None:
        self.part, self.positions = part, positions

    def fill(self, operands: Sequence[Any]) -> Any:
        return fill(self.part, [operands[position] for position in self.positions])


class Several(Fillable):
    """Values that stand one beside the other in a line: those in the list that `part` is.

    >>> Line(("x", Several(Hole(0)), "y"), ", ", "!")([1, 2])
    'x, 1, 2, y!'
    """

    __slots__ = ("part",)
    what = "a list, dict or deque whose length depends on data"

    def __init__(self, part: Any) -> None:
        self.part = part

    def fill(self, operands: Sequence[Any]) -> Any:
        return fill(self.part, operands)


class Collection(Fillable):
    """A container of a class of Python's library, with holes in what is in it.

    `kind` is the name of the class. Of a class of the user's it is the class itself, and the
    content is a list of what is in the container, and a dict of its attributes.

    >>> fill(Collection("deque", [Hole(0), 2], 3), (1,))
    deque([1, 2], maxlen=3)
    """

    __slots__ = ("content", "extra", "kind")

    def __init__(self, kind: str | type, content: Any, extra: Any = None) -> None:
        self.kind, self.content, self.extra = kind, content, extra

    @property
    def what(self) -> str:  # type: ignore[override]
        """What it is, for a message: a file of a program holds none."""
        name = self.kind if isinstance(self.kind, str) else self.kind.__name__
        return f"a container of Python's library ({name})"

    def made_of(self, content: Any) -> Any:
        """A container of that class which holds `content`."""
        if isinstance(self.kind, str):
            return _COLLECTIONS[self.kind](content, self.extra)
        items, attributes = content
        return _of_class(self.kind, items, attributes, self.extra)

    def fill(self, operands: Sequence[Any]) -> Any:
        return self.made_of(fill(self.content, operands))


def _of_class(kind: Any, items: list[Any], attributes: dict[str, Any], extra: Any) -> Any:
    """An object of the user's class with these items and attributes; no method of it is called."""
    if issubclass(kind, dict):
        keys, values = zip(*items, strict=True) if items else ((), ())
        made = tree.container(kind, keys, list(values), extra)
    elif issubclass(kind, list):
        made = tree.container(kind, (), items)
    elif issubclass(kind, tuple):
        made = tuple.__new__(kind, items)
    elif issubclass(kind, deque):
        made = deque.__new__(kind)
        deque.__init__(made, items, extra)
    else:
        made = object.__new__(kind)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


_COLLECTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "list": lambda items, _: items,
    "tuple": lambda items, _: tuple(items),
    "dict": lambda pairs, _: dict(pairs),
    "deque": deque,
    "OrderedDict": lambda pairs, _: OrderedDict(pairs),
    "Counter": lambda pairs, _: Counter(dict(pairs)),
    "defaultdict": lambda pairs, factory: defaultdict(factory, pairs),
    "keys": lambda keys, kind: kind.fromkeys(keys).keys(),
    "values": lambda values, kind: kind(enumerate(values)).values(),
    "items": lambda pairs, kind: kind(pairs).items(),
    "UserDict": lambda data, _: UserDict(data),
    "UserList": lambda data, _: UserList(data),
    "partial": lambda parts, _: partial(parts[0], *parts[1], **parts[2]),
    "ChainMap": lambda maps, _: ChainMap(*maps),
    "SimpleNamespace": lambda fields, _: SimpleNamespace(**fields),
    "mappingproxy": lambda content, _: MappingProxyType(content),
}


class Line:
    """What a `print` writes: the values in `parts` as text, called with the values of the holes.

    >>> Line(("x is", Hole(0)), " ", "!")(1.5)
    'x is 1.5!'
    """

    __slots__ = ("end", "parts", "separator")

    def __init__(self, parts: tuple[Any, ...], separator: str, end: str) -> None:
        self.parts, self.separator, self.end = parts, separator, end

    def __call__(self, *operands: Any) -> str:
        values: list[Any] = []
        for part in self.parts:
            found = fill(part, operands)
            values += found if isinstance(part, Several) else [found]
        return self.separator.join(map(str, values)) + self.end


class SummaryLine(Line):
    """What TensorFlow's `tf.print` writes: of an array `edge` elements at each end of an axis.

    All arrays are holes; text stands as it is, other values, and text within a nest, as `repr`
    shows them. Without `edge` arrays are written in full.

    >>> line = SummaryLine(("x is", Hole(0), {"b": [Hole(1)]}), " ", "!", 1)
    >>> line(np.arange(5), np.float32(1 / 3))
    "x is [0 ... 4] {'b': [0.333333343]}!"
    """

    __slots__ = ("edge",)

    def __init__(self, parts: tuple[Any, ...], separator: str, end: str, edge: int | None) -> None:
        super().__init__(parts, separator, end)
        self.edge = edge

    def __call__(self, *operands: Any) -> str:
        texts = [
            fill(p, operands) if isinstance(p, (str, LazyString)) else self._text(p, operands)
            for p in self.parts
        ]
        return self.separator.join(texts) + self.end

    def _text(self, part: Any, operands: Sequence[Any]) -> str:
        if isinstance(part, Hole):
            return summary(np.asarray(operands[part.index]), self.edge)
        kind = type(part)
        if kind in (list, tuple):
            inner = ", ".join(self._text(p, operands) for p in part)
            if kind is list:
                return f"[{inner}]"
            return f"({inner},)" if len(part) == 1 else f"({inner})"
        if kind is dict:
            rows = (f"{k!r}: {self._text(part[k], operands)}" for k in _sorted(part))
            return f"{{{', '.join(rows)}}}"
        return repr(fill(part, operands))


def _sorted(keys: Any) -> Any:
    try:
        return sorted(keys)
    except TypeError:
        return keys


def summary(array: np.ndarray[Any, Any], edge: int | None) -> str:
    """The text of an array as TensorFlow's kernels write it.

    >>> summary(np.array([[True, False], [True, True]]), 3)
    '[[1 0]\\n [1 1]]'
    """
    return _element(array[()]) if array.ndim == 0 else _rows(array, edge, 1)


def _rows(array: np.ndarray[Any, Any], edge: int | None, depth: int) -> str:
    if array.size == 0 and array.ndim == 1:
        return "[]"
    show = _element if array.ndim == 1 else lambda row: _rows(row, edge, depth + 1)
    # Blocks of k axes stand k lines apart.
    gap = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * depth
    if edge is None or len(array) <= 2 * edge:
        parts = [show(row) for row in array]
    else:
        parts = [*map(show, array[:edge]), "...", *map(show, array[len(array) - edge :])]
    return f"[{gap.join(parts)}]"


def _element(x: Any) -> str:
    """A number in as few digits as give it back, of 6 or 9 (double precision: 15 or 17)."""
    if x.dtype.kind == "b":
        return "1" if x else "0"
    if x.dtype.kind == "c":
        return f"({_element(x.real)},{_element(x.imag)})"
    if kind_of(x.dtype) != "f":
        return str(int(x))
    few, many = (15, 17) if x.dtype.itemsize == 8 else (6, 9)
    wide = np.float64(x) if x.dtype.itemsize == 8 else np.float32(x)
    text = f"{float(wide):.{few}g}"
    return text if type(wide)(text) == wide or wide != wide else f"{float(wide):.{many}g}"


def fill(part: Any, operands: Sequence[Any]) -> Any:
    """`part` with the run-time values in its holes.

    >>> fill([Hole(1), LazyString(("x = ", (Hole(0), -1, ".1f")))], (0.25, True))
    [True, 'x = 0.2']
    """
    kind = type(part)
    if kind is str:
        return part
    if kind is Hole:
        return operands[part.index]
    if kind is ArrayHole:
        return np.asarray(operands[part.index])
    if isinstance(part, Fillable):
        return part.fill(operands)
    if isinstance(part, LazyString):
        return "".join([p if type(p) is str else _piece(p, operands) for p in part.parts])
    if isinstance(part, Record):
        return part.made({k: fill(v, operands) for k, v in part.fields.items()})
    if kind in (tuple, list):
        return kind(fill(p, operands) for p in part)
    if kind is dict:
        return {k: fill(v, operands) for k, v in part.items()}
    # A constant of the graph: whoever gets it may write into it.
    return part.copy() if kind is np.ndarray else part


def _piece(piece: tuple[Any, ...], operands: Sequence[Any]) -> str:
    """The text of what is in the braces of an f-string: a text as it is, mostly."""
    value = fill(piece[0], operands)
    if type(value) is str and piece[1:] == (-1, None):
        return value
    return format_part(value, *fill(piece[1:], operands))


_VALUES = frozenset((Hole, LazyString, bool, int, float, complex, str, bytes, type(None)))


def is_value(part: Any) -> bool:
    """Whether what stands there is no array and no object of which a call has one of its own.

    >>> is_value(("x", LazyString(("x = ", (Hole(0), -1, None))))), is_value([Hole(0)])
    (True, False)
    """
    if isinstance(part, Fillable):
        return part.is_value
    return all(map(is_value, part)) if type(part) is tuple else type(part) in _VALUES


def format_part(
    value: Any,
    conversion: int | Callable[[Any], str],
    spec: Any,
    options: dict[str, Any] | None = None,
) -> str:
    """The text of one (value, conversion, format spec), under print options of NumPy's."""
    if options:
        with np.printoptions(**options):
            return format_part(value, conversion, spec)
    if conversion == PERCENT:
        return cast(str, spec % (value,))
    if callable(conversion):
        return conversion(value)
    return format(_CONVERSIONS[conversion](value), spec or "")
