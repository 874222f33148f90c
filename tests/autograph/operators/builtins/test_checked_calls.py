"""Tests of `autograph.operators.builtins.checked_calls`: what Python's functions do not take."""

import math
import operator
import warnings

import numpy as np
import pytest

import autograph as ag

# Values of one class each: what is computed of them is computed by data.
PYTHON = [3, 2.5, True, 2 - 1j]
SCALARS = [getattr(np, name)(1) for name in
           ("float32", "float64", "int8", "int64", "uint8", "bool_", "complex64", "complex128")]  # fmt: skip
ARRAYS = [np.array(x) for x in SCALARS]
VALUES = [*PYTHON, *SCALARS, *ARRAYS, np.array([2.5]), np.array([3])]

BUILTINS = {
    "round": lambda x: round(x),
    "round to one": lambda x: round(x, 1),
    "round to tens": lambda x: round(x, -1),
    "int": int,
    "float": float,
    "complex": complex,
    "complex of two": lambda x: complex(x, 1),
    "complex of one and it": lambda x: complex(1, x),
    "bool": bool,
    "abs": abs,
    "len": len,
    "iter": lambda x: list(iter(x)),
    "list": list,
    "min of it": lambda x: min(x),
    "sum of it": lambda x: sum(x),
    "all of it": lambda x: all(x),
    "sum": lambda x: sum([x, x]),
    "divmod": lambda x: divmod(x, 2),
    "divmod of": lambda x: divmod(7.0, x),
    "pow": lambda x: pow(x, 2),
    "index of a list": lambda x: [10, 20, 30, 40][x],
    "range": lambda x: list(range(x)),
    "list times": lambda x: [1, 2] * x,
    "times list": lambda x: x * [1, 2],
    "text times": lambda x: "ab" * x,
    "operator.index": operator.index,
    "operator.not_": operator.not_,
    "operator.truth": operator.truth,
    "operator.concat": lambda x: operator.concat(x, x),
    "operator.matmul": lambda x: operator.matmul(x, x),
    "operator.invert": operator.invert,
    "operator.pos": operator.pos,
    "operator.lt": lambda x: operator.lt(x, 2),
    "@": lambda x: x @ x,
    "complex == it": lambda x: 1j == x,
    "it == complex": lambda x: x == 1j,
    "(complex) != it": lambda x: (1 + 0j) != x,
    "conjugate": lambda x: x.conjugate(),
    "isinstance": lambda x: (isinstance(x, int), isinstance(x, float), isinstance(x, complex)),
    "math.gcd": lambda x: math.gcd(x, 4),
    "math.factorial": math.factorial,
    "math.ldexp": lambda x: math.ldexp(1.5, x),
    "math.hypot": lambda x: math.hypot(x, x, 1),
    "math.fsum": lambda x: math.fsum([x, 1]),
    "math.floor": math.floor,
    "math.isnan": math.isnan,
    "math.sqrt": math.sqrt,
}  # fmt: skip


def outcome(function, x):
    """The class and value that a call gives, or the class of its error and what it says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(x)
        except (TypeError, ValueError) as error:
            return type(error), str(error).splitlines()[0]
    parts = result if isinstance(result, (list, tuple)) else [result]
    return type(result), [(type(p), np.shape(p), np.asarray(p).tolist()) for p in parts]


@pytest.mark.broad(2)
@pytest.mark.parametrize("name", BUILTINS)
def test_a_builtin_takes_what_python_lets_it_take(name):
    function = BUILTINS[name]
    converted = ag.convert(lambda x: function(x + 0 if np.ndim(x) else x))
    for x in VALUES:
        given = x.copy() if isinstance(x, np.ndarray) else x
        expected = outcome(function, x)
        found = outcome(converted, given)
        if name == "text times" and type(x) is np.ndarray:
            assert found[0] is expected[0] is TypeError or isinstance(found[0], type)
            continue
        assert found[0] is expected[0], (x, found, expected)
        if found[0] in (TypeError, ValueError):
            assert found[1] == expected[1] or "Tensor" not in found[1]
        else:
            assert found == expected, x


@pytest.mark.parametrize("x", [np.float32(1), np.int64(3), np.bool_(True)])
def test_scalars_of_numpy_are_not_written(x):
    def item(x):
        x[0] = 1

    def whole(x):
        x[()] = 1

    for f in (item, whole):
        with pytest.raises(TypeError, match="object does not support item assignment") as plain:
            f(x)
        with pytest.raises(TypeError) as found:
            ag.convert(f)(x)
        assert str(plain.value) == str(found.value).splitlines()[0]


def test_arrays_of_rank_0_are_not_sorted_into_numbers():
    f = ag.convert(lambda x, y: sorted([x, y]))
    assert f(np.float64(2), np.float64(1)) == [1, 2]
    with pytest.raises(ag.StagingError, match="arrays of rank 0 are sorted"):
        f(np.array(2.0), np.array(1.0))


MESSAGES = {
    "text and number": lambda x: f"{x}" + int(x),
    "number and text": lambda x: int(x) + f"{x}",
    "text less text": lambda x: f"{x}" - f"{x}",
    "abs of text": lambda x: abs(f"{x}"),
    "a call": lambda x: x(),
    "a call of a float": lambda x: float(x)(),
    "@": lambda x: x @ float(x),
    "divmod": lambda x: divmod(float(x), float(x) * 0),
    "divmod by a known zero": lambda x: divmod(float(x), 0.0),
    "divmod by zero of a known number": lambda x: divmod(2.5, int(x) * 0),
    "divmod of ints": lambda x: divmod(int(x), int(x) * 0),
    "divmod by an int": lambda x: divmod(float(x), int(x) * 0),
    "//": lambda x: float(x) // (float(x) * 0),
    "%": lambda x: float(x) % (float(x) * 0),
    "len": lambda x: len(int(x)),
    "iter": lambda x: max(int(x)),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_are_those_of_python(name):
    x = np.float64(2.0)
    with pytest.raises((TypeError, ZeroDivisionError)) as plain:
        MESSAGES[name](x)
    with pytest.raises(plain.type) as found:
        ag.convert(MESSAGES[name])(x)
    assert str(found.value).splitlines()[0] == str(plain.value)


def test_an_item_of_a_list_that_is_one_of_several_is_described_in_words():
    @ag.convert
    def f(n):
        found = []
        for i in range(n):
            found.append("a")
        found.append([1.0])
        return found

    with pytest.raises(ag.StagingError) as error:
        f(np.int64(3))
    assert "Among" not in str(error.value) and "'a'" in str(error.value)
