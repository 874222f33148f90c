"""Operators of arrays and numbers with objects that are none: NumPy's rule, or an error."""

from __future__ import annotations

import decimal
import fractions

import numpy as np
import pytest

import autograph as ag
from runtime import config


class Calls:
    """Has operators, and counts how often they are called, and with what."""

    def __init__(self):
        self.seen = []

    def _called(self, name, other):
        self.seen.append((name, "array" if np.ndim(other) else type(other).__name__))
        return name

    def __radd__(self, other):
        return self._called("radd", other)

    def __rmul__(self, other):
        return self._called("rmul", other)

    def __rmatmul__(self, other):
        return self._called("rmatmul", other)

    def __add__(self, other):
        return self._called("add", other)

    def __lt__(self, other):
        return self._called("lt", other)

    def __gt__(self, other):
        return self._called("gt", other)

    def __eq__(self, other):
        return self._called("eq", other)

    __hash__ = None


class NoUfuncs(Calls):
    __array_ufunc__ = None


class First(Calls):
    __array_priority__ = 10


class Last(Calls):
    __array_priority__ = -10


class Ufuncs(Calls):
    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        return self._called(ufunc.__name__, args[0])


class Convertible(Calls):
    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0, 3.0])


class Sequence:
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return [1.0, 2.0, 3.0][index]


class Nothing:
    pass


class Float(float):
    pass


class OwnFloat(float):
    def __radd__(self, other):
        return "own"


VALUES = [np.array([1.0, 2.0, 3.0]), np.array([1, 2, 3]), np.float64(3), np.int64(3), 1.5]
OTHERS = [
    Calls, NoUfuncs, First, Last, Ufuncs, Convertible, Sequence, Nothing, lambda: Float(2.0),
    lambda: OwnFloat(2.0), lambda: fractions.Fraction(1, 2), lambda: decimal.Decimal("1.5"),
    lambda: "a", lambda: None, lambda: [1.0, 2.0, 3.0], lambda: (1.0, 2.0, 3.0), lambda: {"a": 1},
    lambda: 2j, lambda: b"a",
]  # fmt: skip


def plus(a, b):
    return a + b


def times(a, b):
    return a * b


def over(a, b):
    return a / b


def power(a, b):
    return a**b


def matrix_product(a, b):
    return a @ b


def or_(a, b):
    return a | b


def less(a, b):
    return a < b


def equal(a, b):
    return a == b


def unequal(a, b):
    return a != b


def added(a, b):
    a += b
    return a


def parts(a, b):
    return divmod(a, b)


COMPLEX = 17
OPERATIONS = [plus, times, over, power, matrix_product, or_, less, equal, unequal, added, parts]


def outcome(function, other, x):
    """What a call gives or raises, and what it asked the object."""
    try:
        result = function(x)
    except ag.StagingError:
        raise
    except Exception as error:  # noqa: BLE001 - the user's own
        result = type(error)
    return _plain(result), getattr(other, "seen", None)


def _plain(result):
    """Type and content, to be compared with `==`."""
    if isinstance(result, np.ndarray):
        return result.dtype, result.tolist()
    if isinstance(result, tuple):
        return tuple(map(_plain, result))
    return type(result), result


@pytest.fixture
def plan():
    """Powers to the last bit: those of machine code may differ in it."""
    with config.backend.using("plan"):
        yield


@pytest.mark.broad(3)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("number", range(len(OTHERS)))
@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.usefixtures("plan")
def test_numpys_rule_or_an_error(operation, number, reflected):
    right = 0
    for x in VALUES:
        seen = []
        if reflected and number == COMPLEX and operation in (equal, unequal):
            continue  # Python asks the other side, which cannot tell: a `bool` there
        for convert in (lambda f: f, ag.convert):
            other = OTHERS[number]()

            def sample(x, other=other):
                return operation(other, x) if reflected else operation(x, other)

            function = convert(lambda x, other=other, sample=sample: sample(x))
            try:
                for _ in range(2):
                    found = outcome(function, other, np.copy(x) if np.ndim(x) else x)
            except ag.StagingError:
                break
            seen.append(found)
        if len(seen) == 2:
            # Which of several errors comes first, is not said.
            assert seen[1] == seen[0] or all(s[0][0] is type for s in seen), x
            right += 1
    if OTHERS[number] in (NoUfuncs, First) and operation in (plus, times, less, equal):
        assert right == len(VALUES) or operation is times and reflected


@pytest.mark.parametrize("kind", [NoUfuncs, First])
def test_an_object_that_comes_first_is_asked_once_for_the_array(kind):
    other = kind()
    f = ag.convert(lambda x: x + other)
    for _ in range(2):
        assert f(np.ones(3)) == "radd"
    assert other.seen == [("radd", "array")] * 2


@pytest.mark.parametrize("kind", [Calls, Last, Ufuncs, Convertible, Sequence])
def test_elements_one_by_one_are_refused(kind):
    other = kind()

    def f(x):
        return x + other

    with pytest.raises(ag.StagingError, match=r"in `f`: `\+` of .* one by one") as caught:
        ag.convert(f)(np.ones(3))
    assert "test_foreign_operands.py" in str(caught.value)
    assert not getattr(other, "seen", None)


def test_a_scalar_is_handed_on_as_a_python_number():
    other = Calls()
    f = ag.convert(lambda x: x + other)
    assert f(np.float64(2.0)) == "radd" and other.seen == [("radd", "float")]


def test_numpys_own_error():
    def f(x):
        return x + "a"

    for x in (np.ones(3), np.float64(1), 1.5):
        with pytest.raises(TypeError) as plain:
            f(x)
        with pytest.raises(TypeError) as caught:
            ag.convert(f)(x)
        assert str(caught.value) == str(plain.value) and type(caught.value) is type(plain.value)


@pytest.mark.parametrize("n", [np.int64(3), np.uint8(2)])
def test_a_power_of_a_fraction_is_no_float(n):
    def f(n):
        return fractions.Fraction(1, 2) ** n

    with pytest.raises(ag.StagingError, match=r"`\*\*` of .* and a Fraction"):
        ag.convert(f)(n)
    assert ag.convert(lambda x: 0.5**x)(n) == 0.5**n
    x = np.array([1, 2])
    plain = f(x)
    if plain.dtype != object:
        assert ag.convert(f)(x).tolist() == plain.tolist()
    else:  # newer Pythons leave arrays to NumPy, which makes an array of fractions
        with pytest.raises(ag.StagingError, match=r"`\*\*` of .* and a Fraction"):
            ag.convert(f)(x)
