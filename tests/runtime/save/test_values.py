"""Python values as JSON and back."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from runtime.save.reading import Malformed
from runtime.save.values import Arrays, Reader, Unstorable, Writer
from runtime.spec import StackType, TensorType, VariableType
from runtime.structure.templates import ArrayHole, Hole, LazyString, Line

F8 = TensorType(np.dtype("f8"), (None, 3))


def again(x, holes=3):
    arrays = Arrays()
    part = json.loads(json.dumps(Writer(arrays).write(x), allow_nan=False))
    reader = Reader(lambda entry, dtype, shape: arrays.entries[entry])
    reader.holes = holes
    return reader.read(part)


VALUES = [
    None, True, False, 0, -(2**63), 2**100, 1.5, -0.0, 0.1, 1e308, "", "a\n\ud800é", (),
    (1, (2.0, "x")), [1, [2]], {"a": (1,), 3: None, (1, 2): 1.5}, {1, 2}, frozenset(("a",)),
    b"\x00\xff", 1j, complex(-0.0, math.inf),
    slice(None, 3, -1), range(3, 10, 2), ..., np.dtype("f4"), np.dtype(">i8"), F8, StackType(F8),
    VariableType(np.dtype("i4"), (2,)), TensorType(np.dtype("f8"), (), weak=True),
    TensorType(np.dtype("?"), None),
]  # fmt: skip


@pytest.mark.parametrize("x", VALUES, ids=repr)
def test_values_come_back(x):
    found = again(x)
    assert type(found) is type(x) and found == x
    assert str(found) == str(x)


@pytest.mark.parametrize("x", [math.nan, -math.nan, math.inf, -math.inf])
def test_special_numbers_come_back(x):
    found = again(x)
    assert repr(found) == repr(x) and math.copysign(1, found) == math.copysign(1, x)


@pytest.mark.parametrize("code", ["?", "i1", "u8", "f2", "f4", "f8", "c8", "c16", ">f4"])
@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 3), (50,)])
def test_arrays_and_scalars_come_back(code, shape):
    x = np.linspace(-3, 3, max(math.prod(shape), 1))[: math.prod(shape)].reshape(shape)
    with np.errstate(all="ignore"):
        x = (np.abs(x) if code == "u8" else x).astype(code)
    for value in (x, x[()]):
        found = again(value)
        assert type(found) is type(value) and found.dtype == value.dtype
        np.testing.assert_array_equal(found, value, strict=True)


def test_arrays_that_are_equal_objects_are_stored_once():
    x, arrays = np.zeros(100), Arrays()
    writer = Writer(arrays)
    assert writer.write(x) == writer.write(x) and len(arrays.entries) == 1
    writer.write(np.zeros(100))
    assert len(arrays.entries) == 2


def test_texts_with_holes_come_back():
    text = LazyString(("x = ", (Hole(0), 114, None), "!"))
    line = Line((text, ArrayHole(2), [1, Hole(1)]), "; ", "\n")
    assert again(line)("y", 2, 3) == line("y", 2, 3) == "x = 'y'!; 3; [1, 2]\n"
    with pytest.raises(Malformed, match="refers to value 2 of 2"):
        again(line, holes=2)


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        (object(), "an object of class builtins.object"),
        (print, "`print`"),
        (int, "the class int"),
        (np.array(["a"]), "the dtype <U1"),
        (np.datetime64("2020-01-01"), "the dtype datetime64"),
        (np.longdouble(1), "the dtype"),
        ([0] * 10 + [object()], "an object of class"),
    ],
)
def test_other_things_have_no_form(x, reason):
    if isinstance(x, np.longdouble) and x.dtype == np.float64:
        pytest.skip("long doubles are doubles here")
    with pytest.raises(Unstorable, match=reason):
        again(x)


def test_what_holds_itself_has_no_form():
    x: list = []
    x.append(x)
    with pytest.raises(Unstorable, match="too deep"):
        again(x)


@pytest.mark.parametrize(
    "part",
    [
        {"float": "1"}, {"dtype": "O"}, {"dtype": 3}, {"hole": True}, {"hole": -1}, {"x": 1}, {},
        {"complex": [1, 2]}, {"scalar": "int8", "value": 200}, {"scalar": "float64", "value": 1},
        {"scalar": "bool", "value": 1}, {"array": {"type": "int", "data": [1]}}, 10**2000,
        {"array": {"type": "float64[2]", "data": [1.0]}},
        {"array": {"type": "float64[?]", "data": []}}, {"text": [[1, 2, 3]]},
        {"array": {"type": "float64[99]", "data": [1.0] * 99}}, {"line": [[], "", 1]},
        {"type": "stack<float64"}, {"type": "variable<int>"}, {"text": [["x", 99, ""]]},
    ],
    ids=repr,
)  # fmt: skip
def test_parts_that_are_no_values(part):
    with pytest.raises(Malformed):
        Reader(lambda *_: None).read(part)
