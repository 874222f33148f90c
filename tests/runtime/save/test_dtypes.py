"""Types as text."""

import numpy as np
import pytest

from runtime.save.dtypes import dtype_named, dtype_text, is_storable, parse_type, type_text
from runtime.save.reading import Malformed
from runtime.spec import ErrorType, StackType, TensorType, VariableType, type_of_number

F4 = TensorType(np.dtype("f4"), (2, None))


@pytest.mark.parametrize("type_", [
    F4, TensorType(np.dtype("c16"), ()), TensorType(np.dtype("?"), None), type_of_number(1),
    type_of_number(True), type_of_number(1.0), type_of_number(1j), StackType(F4),
    StackType(StackType(F4)), VariableType(np.dtype("f4"), (3,)), ErrorType(),
    TensorType(np.dtype("f4").newbyteorder(), (3,)),
], ids=str)  # fmt: skip
def test_a_type_is_what_its_text_says(type_):
    assert parse_type(type_text(type_)) == type_


@pytest.mark.parametrize("text", [
    "", "float64", "float64[", "float64[-1]", "float64[1.5]", "float64[a]", "object[3]", "V8[3]",
    "stack<float64[]", "stack<>", "variable<int>", "variable<stack<float64[]>>", "float64[] ",
    f"float64[{2**63}]", f"float64[{','.join('1' * 65)}]", "stack<" * 40 + "int" + ">" * 40,
    "float64[１]", "datetime64[3]",
])  # fmt: skip
def test_other_text_is_malformed(text):
    with pytest.raises(Malformed, match=r"is no type|there is no dtype|is no shape|nested too"):
        parse_type(text)


def test_only_bool_and_numbers_mean_the_same_everywhere():
    for dtype in ("?", "i1", "u8", "f2", "f8", "c16"):
        assert is_storable(np.dtype(dtype)) and dtype_named(dtype_text(np.dtype(dtype))) == dtype
    for dtype in ("O", "U3", "V8", "M8[s]", "f4,f4"):
        assert not is_storable(np.dtype(dtype))


def test_the_order_of_bytes_is_told_where_it_is_not_the_machines():
    swapped = np.dtype("f4").newbyteorder()
    assert dtype_text(swapped) == swapped.str and dtype_named(swapped.str) == swapped
    with pytest.raises(Malformed, match="there is no dtype 'object'"):
        dtype_named("object")
