"""Where CPython and NumPy keep what native code reads of their objects, tested once.

The offsets are those of CPython 3.11 to 3.13 and NumPy 2 on machines of 64 bits. `problem` looks
at objects whose content is known; where anything is found elsewhere, native code is not used.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from types import CellType, FunctionType, MemberDescriptorType
from typing import Any

import numpy as np

from runtime.execute.native import float_errors

__all__ = [
    "ALIGNED",
    "CODE",
    "CONTENT",
    "C_CONTIGUOUS",
    "DATA",
    "DEFAULTS",
    "DESCR",
    "DICT_VERSION",
    "DIMENSIONS",
    "FLAGS",
    "ITEMS",
    "KWDEFAULTS",
    "LENGTH",
    "NO_VERSION",
    "RANK",
    "TYPE",
    "VALUE",
    "VERSION",
    "WRITEABLE",
    "has_dict_versions",
    "offset_of_slot",
    "problem",
]

# Of any object: its type. Of a float, and of a scalar of NumPy: the value.
TYPE, VALUE = 8, 16
# Of a tuple: the first item; of a list: where that is. Of these, and of a dict: how many there are.
# Of a closure's cell: what is in it.
ITEMS, LENGTH, CONTENT = 24, 16, 16
# Of a function: its code, the defaults of its parameters, and those of its keyword-only ones.
CODE, DEFAULTS, KWDEFAULTS = 48, 56, 64
# Of a class: the version of what its objects find in it, of 32 bits; 0 where it has none.
VERSION = 384
# Of a dict: its version, of 64 bits, which no two states of dicts share. Python 3.13 has none.
DICT_VERSION, NO_VERSION = 24, 2**64 - 1
# Of the descriptor of a member: where it is described, and there: what it is, which of a slot is a
# reference that may be missing, and how far into an object it is.
_MEMBER, _KIND, _OFFSET = 40, 8, 16
_REFERENCE = 16
# Of an array.
DATA, RANK, DIMENSIONS, DESCR, FLAGS = 16, 24, 32, 56, 64
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x0001, 0x0100, 0x0400


@cache
def problem() -> str | None:
    """Why native code cannot read objects here; None where it can."""
    if sys.implementation.name != "cpython" or sys.maxsize != 2**63 - 1:
        return "it needs CPython on a machine of 64 bits"
    if sys.byteorder != "little":
        return "it needs a machine that stores the low byte first"
    if object.__basicsize__ != 16 or tuple.__basicsize__ != ITEMS:
        return "objects have another layout here"
    if not _containers_agree():
        return "containers have another layout here"
    if not _functions_agree():
        return "functions have another layout here"
    if not _classes_agree() or not _slots_agree():
        return "classes have another layout here"
    if not float_errors.agrees():
        return "settings of errors have another layout here"
    return None if _arrays_agree() and _scalars_agree() else "arrays have another layout here"


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _containers_agree() -> bool:
    thing = object()
    one, other, pair = [thing, thing], CellType(thing), (thing, None)
    are_sized = all(_word(id(two) + LENGTH) == 2 for two in (one, pair, {1: thing, 2: thing}))
    items = _word(_word(id(one) + ITEMS)), _word(id(pair) + ITEMS)
    is_held = _word(id(other) + CONTENT) == id(thing)
    return are_sized and is_held and items == (id(thing), id(thing))


def _functions_agree() -> bool:
    def function(x: object = None, *, y: object = None) -> None: ...

    bare = FunctionType(function.__code__, {})
    for one in (function, bare):
        held = one.__code__, one.__defaults__, one.__kwdefaults__
        words = [0 if thing is None else id(thing) for thing in held]
        if [_word(id(one) + offset) for offset in (CODE, DEFAULTS, KWDEFAULTS)] != words:
            return False
    return True


def _classes_agree() -> bool:
    base = type("Base", (), {})
    kind, other = type("Kind", (base,), {}), type("Other", (), {})
    seen: list[tuple[int, int]] = []
    for change in (None, None, (kind, "name"), (base, "name"), (kind, "name"), (other, "name")):
        if change is not None:
            setattr(*change, len(seen))
        at = ctypes.c_uint32.from_address(id(kind) + VERSION).value
        getattr(kind, "name", None)  # with a look into a class, it gets a version
        seen.append((at, ctypes.c_uint32.from_address(id(kind) + VERSION).value))
    is_new = [0 < now != before for before, now in seen[2:5]]
    versions = [now for _, now in seen]
    return (
        all(is_new)
        and versions[0] == versions[1] == seen[1][0]
        and len(set(versions[1:5])) == 4
        and versions[4] == versions[5] == seen[5][0]
    )


@cache
def has_dict_versions() -> bool:
    """Whether dicts have versions here, which tell all changes of what is found in them.

    >>> import sys
    >>> has_dict_versions() == (sys.version_info < (3, 13))
    True
    """

    class Kind:
        pass

    names, thing = {"a": object(), "b": object()}, Kind()
    own = vars(thing)

    def write(k: object) -> None:
        thing.a = k  # type: ignore[attr-defined]

    changes: list[Any] = [
        lambda: names.update(a=object()), lambda: names.pop("a"), lambda: names.update(c=object()),
        lambda: names.setdefault("d", object()), names.popitem, names.clear,
        *[lambda k=k: write([k]) for k in range(32)], lambda: delattr(thing, "a"),
        lambda: setattr(thing, "b", []), lambda: own.update(b=[]), lambda: exec("e = []", names),
    ]  # fmt: skip
    seen = set()
    for change in changes:
        change()
        versions = [ctypes.c_uint64.from_address(id(d) + DICT_VERSION).value for d in (names, own)]
        names.get("a"), own.get("a"), getattr(thing, "b", None)
        again = [ctypes.c_uint64.from_address(id(d) + DICT_VERSION).value for d in (names, own)]
        if versions != again or tuple(versions) in seen or NO_VERSION in versions:
            return False
        seen.add(tuple(versions))
    return sys.version_info < (3, 13)


def offset_of_slot(descriptor: object) -> int | None:
    """How far into an object the reference is that a slot holds, or 0; None for what is no slot."""
    if not isinstance(descriptor, MemberDescriptorType):
        return None
    member = _word(id(descriptor) + _MEMBER)
    if ctypes.c_int32.from_address(member + _KIND).value != _REFERENCE:
        return None
    return _word(member + _OFFSET)


def _slots_agree() -> bool:
    kind: Any = type("Kind", (), {"__slots__": ("one", "other")})
    thing, marks = kind(), (object(), object())
    offsets = [offset_of_slot(vars(kind)[name]) for name in kind.__slots__]
    known = [offset for offset in offsets if offset is not None]
    if len(known) < 2 or any(not 16 <= offset < kind.__basicsize__ for offset in known):
        return False
    before = [_word(id(thing) + offset) for offset in known]
    thing.one, thing.other = marks
    return before == [0, 0] and [_word(id(thing) + o) for o in known] == list(map(id, marks))


def _arrays_agree() -> bool:
    for shape in ((), (5,), (2, 3)):
        array = np.zeros(shape, np.float32)
        at = id(array)
        dimensions = _word(at + DIMENSIONS)
        if (
            _word(at + TYPE) != id(np.ndarray)
            or _word(at + DATA) != array.__array_interface__["data"][0]
            or ctypes.c_int32.from_address(at + RANK).value != array.ndim
            or _word(at + DESCR) != id(array.dtype)
            or any(_word(dimensions + 8 * k) != n for k, n in enumerate(shape))
        ):
            return False
    flat, part = np.zeros((4, 4)), np.zeros((4, 4))[:, ::2]
    flags = [ctypes.c_int32.from_address(id(x) + FLAGS).value for x in (flat, part)]
    return [f & (C_CONTIGUOUS | ALIGNED) for f in flags] == [C_CONTIGUOUS | ALIGNED, ALIGNED]


def _scalars_agree() -> bool:
    for kind in [
        "b1",
        "i1",
        "i2",
        "i4",
        "i8",
        "u1",
        "u2",
        "u4",
        "u8",
        "f2",
        "f4",
        "f8",
        "c8",
        "c16",
    ]:
        scalar = np.dtype(kind).type(1)
        size = np.dtype(kind).itemsize
        if ctypes.string_at(id(scalar) + VALUE, size) != scalar.tobytes():
            return False
    number, pair = 1.5, 2.5 - 1j
    if ctypes.string_at(id(pair) + VALUE, 16) != np.complex128(pair).tobytes():
        return False
    return ctypes.c_double.from_address(id(number) + VALUE).value == number
