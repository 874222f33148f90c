"""Python values as JSON and back: attributes of nodes, parts of messages, constants of signatures.

What JSON lacks is an object with one telling key: `{"dtype": "float32"}`, `{"float": "nan"}`.
A JSON list is a tuple.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from runtime.dtypes import exact_numbers, kind_of
from runtime.save.dtypes import dtype_named, dtype_text, is_storable, parse_type, type_text
from runtime.save.reading import Malformed
from runtime.spec import ErrorType, FrameType, StackType, TensorType, VariableType
from runtime.structure.templates import (
    Alternative,
    ArrayHole,
    Excerpt,
    Fillable,
    Hole,
    LazyString,
    Letters,
    Line,
    OrNone,
    Record,
    Repetition,
    Selection,
    SummaryLine,
)

__all__ = ["Arrays", "Reader", "Unstorable", "Writer"]

# Arrays up to this many elements stand in the document.
_SHORT = 24
_DEEPEST = 50
_BITS = 4_096
_PLAIN = (bool, str, type(None))


class Unstorable(TypeError):
    """A Python object that has no form in a file."""


class Arrays:
    """The arrays of an archive in the making, each stored once, with the names of their entries."""

    def __init__(self) -> None:
        self.entries: dict[str, Any] = {}
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []

    def add(self, array: Any, stem: str) -> str:
        """The entry of an array."""
        name = self._names.get(id(array))
        if name is None:
            if not is_storable(array.dtype):
                raise Unstorable(f"an array of {array.dtype}")
            word = "".join(c if c.isascii() and c.isalnum() else "_" for c in stem)[:40]
            name = self._names[id(array)] = f"arrays/{len(self.entries)}_{word or 'array'}.npy"
            self.entries[name] = array
            self._kept.append(array)
        return name


class Kind(NamedTuple):
    """One class of values that JSON lacks: its key, and the way there and back."""

    key: str
    classes: tuple[type, ...]
    write: Callable[[Writer, Any], Any]
    read: Callable[[Reader, Any], Any]


# ---- writing ---------------------------------------------------------------------------------


class Writer:
    """Writes values; their large arrays go to `arrays`."""

    def __init__(self, arrays: Arrays, kinds: tuple[Kind, ...] = ()) -> None:
        self.arrays = arrays
        self.kinds = (*kinds, *KINDS)
        self._depth = 0

    def write(self, x: Any) -> Any:
        """`x` as JSON has it. Raises Unstorable, with what it is."""
        kind = type(x)
        if kind in _PLAIN:
            return x
        if kind is int and x.bit_length() <= _BITS:
            return x
        if kind is float and math.isfinite(x):
            return x
        self._depth += 1
        try:
            return self._tagged(x, kind)
        finally:
            self._depth -= 1

    def _tagged(self, x: Any, kind: type) -> Any:
        if self._depth > _DEEPEST:
            raise Unstorable("a nest that is too deep, or holds itself")
        if kind is tuple:
            return [self.write(item) for item in x]
        if kind is Selection:  # of functions, classes and the like
            raise Unstorable(_described(x.things[0]))
        for known in self.kinds:
            if kind in known.classes:
                return {known.key: known.write(self, x)}
        if isinstance(x, np.dtype):
            return {"dtype": _storable(x)}
        if isinstance(x, np.generic):
            return {"scalar": _storable(x.dtype), "value": _number(self, exact_numbers(x).item())}
        raise Unstorable(_described(x))


def _storable(dtype: np.dtype[Any]) -> str:
    if not is_storable(dtype):
        raise Unstorable(f"the dtype {dtype}")
    return dtype_text(dtype)


def _described(x: Any) -> str:
    if isinstance(x, type):
        return f"the class {x.__qualname__}"
    if isinstance(x, Fillable) and x.what:
        return x.what
    kind = x.kind if isinstance(x, Record) else type(x)
    name = getattr(x, "__qualname__", None) if callable(x) else None
    return f"`{name}`" if name else f"an object of class {kind.__module__}.{kind.__qualname__}"


def _write_array(writer: Writer, x: Any) -> Any:
    dtype = _storable(x.dtype)
    type_ = type_text(TensorType(x.dtype, x.shape))
    finite = x.dtype.kind in "biu" or bool(np.isfinite(x).all())
    if x.size > _SHORT or not finite or not x.flags.c_contiguous:
        return {"type": type_, "entry": writer.arrays.add(x, dtype)}
    numbers = exact_numbers(x).reshape(-1).tolist()
    return {"type": type_, "data": [_number(writer, n) for n in numbers]}


def _number(writer: Writer, x: Any) -> Any:
    return [writer.write(x.real), writer.write(x.imag)] if type(x) is complex else writer.write(x)


def _write_sequence(writer: Writer, x: Any) -> Any:
    return [writer.write(item) for item in x]


def _write_set(writer: Writer, x: Any) -> Any:
    return [writer.write(item) for item in sorted(x, key=repr)]


def _write_dict(writer: Writer, x: Any) -> Any:
    return [[writer.write(key), writer.write(value)] for key, value in x.items()]


def _write_text(writer: Writer, x: LazyString) -> Any:
    return [part if isinstance(part, str) else writer.write(tuple(part)) for part in x.parts]


def _write_alternative(writer: Writer, x: Alternative) -> Any:
    return [x.which.index, *map(writer.write, x.texts)]


def _write_repetition(writer: Writer, x: Repetition) -> Any:
    return [x.count.index, x.text]


def _write_letters(writer: Writer, x: Letters) -> Any:
    return x.numbers.index


def _write_or_none(writer: Writer, x: OrNone) -> Any:
    return [x.which.index, writer.write(x.part)]


def _write_excerpt(writer: Writer, x: Excerpt) -> Any:
    return [writer.write(x.part), list(x.positions)]


def _write_summary(writer: Writer, x: SummaryLine) -> Any:
    return [*_write_line(writer, x), x.edge]


def _write_line(writer: Writer, x: Line) -> Any:
    return [writer.write(x.parts), x.separator, x.end]


# ---- reading ---------------------------------------------------------------------------------


class Reader:
    """Reads values; `array(entry, dtype, shape)` gives those of the archive.

    `holes` is the number of run-time values that the parts of a text may refer to. All methods
    raise Malformed.
    """

    def __init__(
        self, array: Callable[[str, Any, tuple[int, ...]], Any], kinds: tuple[Kind, ...] = ()
    ) -> None:
        self.array = array
        self.kinds = {known.key: known for known in (*kinds, *KINDS)}
        self.holes = 0

    def read(self, part: Any) -> Any:
        """The value that a part of a JSON document stands for."""
        kind = type(part)
        if kind in _PLAIN:
            return part
        if kind is int:
            return _checked_int(part)
        if kind is float:
            return _checked_float(part)
        if kind is list:
            return tuple(map(self.read, part))
        return self._tagged(part)

    def _tagged(self, part: dict[str, Any]) -> Any:
        if part.keys() == {"scalar", "value"}:
            return self._scalar(part)
        if len(part) != 1:
            raise Malformed(f"an object of {len(part)} members is no value")
        ((key, content),) = part.items()
        known = self.kinds.get(key)
        if known is None:
            raise Malformed(f"no value is an object with the key {key[:20]!r}")
        return known.read(self, content)

    def _scalar(self, part: dict[str, Any]) -> Any:
        if type(part["scalar"]) is not str:
            raise Malformed("the dtype of a scalar is a text")
        return _array_of(self, [part["value"]], dtype_named(part["scalar"]), ())[()]


def _checked_int(x: int) -> int:
    if x.bit_length() > _BITS:
        raise Malformed("an integer is too large")
    return x


def _checked_float(x: float) -> float:
    if not math.isfinite(x):
        raise Malformed("a number is too large")
    return x


def _items(part: Any, count: int | None = None) -> list[Any]:
    if type(part) is not list or (count is not None and len(part) != count):
        raise Malformed("expected a list" + ("" if count is None else f" of {count}"))
    return part


def _text(part: Any) -> str:
    if type(part) is not str:
        raise Malformed("expected a text")
    return part


_SPECIAL = {"nan": math.nan, "-nan": -math.nan, "inf": math.inf, "-inf": -math.inf}


def _write_float(writer: Writer, x: float) -> Any:
    if math.isnan(x):
        return "-nan" if math.copysign(1.0, x) < 0 else "nan"
    return "inf" if x > 0 else "-inf"


def _read_float(reader: Reader, part: Any) -> float:
    if _text(part) not in _SPECIAL:
        raise Malformed(f"{part[:20]!r} is no special number")
    return _SPECIAL[part]


def _read_complex(reader: Reader, part: Any) -> complex:
    real, imaginary = map(reader.read, _items(part, 2))
    if type(real) is not float or type(imaginary) is not float:
        raise Malformed("a complex number has two floats")
    return complex(real, imaginary)


def _read_array(reader: Reader, part: Any) -> Any:
    if type(part) is not dict or len(part) != 2 or "type" not in part:
        raise Malformed("an array has a type, and an entry or data")
    type_ = parse_type(_text(part["type"]))
    if not isinstance(type_, TensorType) or type_.weak or not type_.is_static:
        raise Malformed(f"{part['type'][:80]!r} is no type of an array")
    shape: Any = type_.shape
    if "entry" in part:
        return reader.array(_text(part["entry"]), type_.dtype, shape)
    return _array_of(reader, _items(part.get("data")), type_.dtype, shape)


def _array_of(reader: Reader, data: list[Any], dtype: Any, shape: tuple[int, ...]) -> Any:
    """The array of numbers that each fit the dtype exactly."""
    count = math.prod(shape)
    if len(data) != count or count > _SHORT:
        raise Malformed(f"{len(data)} numbers are no array of shape {shape}")
    kind, numbers = kind_of(dtype), []
    for part in data:
        x = _read_complex(reader, part) if kind == "c" else reader.read(part)
        if type(x) is not _PYTHON[kind]:
            raise Malformed(f"{part!r:.40} is no element of an array of {dtype}")
        if kind in "iu":
            lowest, highest = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
            if not isinstance(x, int) or not lowest <= x <= highest:
                raise Malformed(f"{x} is no {dtype}")
        numbers.append(x)
    with np.errstate(all="ignore"):
        return np.array(numbers, dtype).reshape(shape)


_PYTHON: dict[str, type] = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def _read_pairs(reader: Reader, part: Any) -> dict[Any, Any]:
    return {
        reader.read(key): reader.read(value) for key, value in (_items(p, 2) for p in _items(part))
    }


def _read_hole(reader: Reader, part: Any, kind: type[Hole] = Hole) -> Hole:
    if type(part) is not int or not 0 <= part < reader.holes:
        raise Malformed(f"a text refers to value {part!r:.20} of {reader.holes}")
    return kind(part)


def _read_text(reader: Reader, part: Any) -> LazyString:
    return LazyString(tuple(map(_read_piece, map(reader.read, _items(part)))))


def _read_alternative(reader: Reader, part: Any) -> Alternative:
    which, *texts = _items(part, 3)
    first, second = map(reader.read, texts)
    return Alternative(_read_hole(reader, which), (first, second))


def _read_repetition(reader: Reader, part: Any) -> Repetition:
    count, text = _items(part, 2)
    return Repetition(_text(text), _read_hole(reader, count))


def _read_letters(reader: Reader, part: Any) -> Letters:
    return Letters(_read_hole(reader, part))


def _read_or_none(reader: Reader, part: Any) -> OrNone:
    which, inner = _items(part, 2)
    return OrNone(_read_hole(reader, which), reader.read(inner))


def _read_excerpt(reader: Reader, part: Any) -> Excerpt:
    inner, positions = _items(part, 2)
    found = tuple(_read_hole(reader, position).index for position in _items(positions))
    around, reader.holes = reader.holes, len(found)
    read = _checked_text(reader.read(inner))
    reader.holes = around
    return Excerpt(read, found)


def _checked_text(x: Any) -> Any:
    if not isinstance(x, (str, LazyString, Excerpt)):
        raise Malformed("a text with values of its own is a text")
    return x


def _read_piece(piece: Any) -> Any:
    if type(piece) is str:
        return piece
    if type(piece) is not tuple or len(piece) not in (3, 4) or piece[1] not in _CONVERSIONS:
        raise Malformed("a piece of text is a text or (value, conversion, format)")
    if len(piece) == 4 and not _are_print_options(piece[3]):
        raise Malformed("what follows the format of a value are options of np.printoptions")
    if piece[2] is not None and type(piece[2]) not in (str, LazyString):
        raise Malformed("the format of a value is a text")
    return piece


_CONVERSIONS = (-1, 115, 114, 97, 37)


def _are_print_options(x: Any) -> bool:
    known = np.get_printoptions()
    return type(x) is dict and all(name in known for name in x)


def _read_line(reader: Reader, part: Any) -> Line:
    parts, separator, end = _items(part, 3)
    values = reader.read(parts)
    if type(values) is not tuple:
        raise Malformed("a print has a list of values")
    return Line(values, _text(separator), _text(end))


def _read_summary(reader: Reader, part: Any) -> SummaryLine:
    *line, edge = _items(part, 4)
    plain = _read_line(reader, line)
    if edge is not None and (type(edge) is not int or edge < 1):
        raise Malformed("a print shows a positive number of elements")
    return SummaryLine(plain.parts, plain.separator, plain.end, edge)


def _read_slice(reader: Reader, part: Any) -> slice:
    return slice(*map(reader.read, _items(part, 3)))


def _read_range(reader: Reader, part: Any) -> range:
    return range(*map(reader.read, _items(part, 3)))


KINDS: tuple[Kind, ...] = (
    Kind("float", (float,), _write_float, _read_float),
    Kind("complex", (complex,), lambda w, x: [w.write(x.real), w.write(x.imag)], _read_complex),
    Kind("list", (list,), _write_sequence, lambda r, x: list(map(r.read, _items(x)))),
    Kind("dict", (dict,), _write_dict, _read_pairs),
    Kind("set", (set,), _write_set, lambda r, x: set(map(r.read, _items(x)))),
    Kind("frozenset", (frozenset,), _write_set, lambda r, x: frozenset(map(r.read, _items(x)))),
    Kind("bytes", (bytes,), lambda w, x: x.hex(), lambda r, x: bytes.fromhex(_text(x))),
    Kind("slice", (slice,), lambda w, x: [w.write(p) for p in (x.start, x.stop, x.step)],
         _read_slice),
    Kind("range", (range,), lambda w, x: [x.start, x.stop, x.step], _read_range),
    Kind("ellipsis", (type(...),), lambda w, x: True, lambda r, x: ...),
    Kind("dtype", (), lambda w, x: None, lambda r, x: dtype_named(_text(x))),
    Kind("array", (np.ndarray,), _write_array, _read_array),
    Kind("type", (TensorType, StackType, VariableType, ErrorType, FrameType),
         lambda w, x: type_text(x), lambda r, x: parse_type(_text(x))),
    Kind("hole", (Hole,), lambda w, x: x.index, _read_hole),
    Kind("array hole", (ArrayHole,), lambda w, x: x.index,
         lambda r, x: _read_hole(r, x, ArrayHole)),
    Kind("text", (LazyString,), _write_text, _read_text),
    Kind("alternative", (Alternative,), _write_alternative, _read_alternative),
    Kind("repetition", (Repetition,), _write_repetition, _read_repetition),
    Kind("letters", (Letters,), _write_letters, _read_letters),
    Kind("or none", (OrNone,), _write_or_none, _read_or_none),
    Kind("excerpt", (Excerpt,), _write_excerpt, _read_excerpt),
    Kind("line", (Line,), _write_line, _read_line),
    Kind("summary", (SummaryLine,), _write_summary, _read_summary),
)  # fmt: skip
