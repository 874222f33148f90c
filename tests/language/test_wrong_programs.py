"""Programs with the mistakes that people make: what each message must have (row E15).

File and line, a caret, the name that the user gave, the cause and a way out, in 12 lines at most,
and no frame of ours. An exception of Python's or NumPy's keeps its class and text; the way out
stands in a note below it.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
import traceback
from types import SimpleNamespace

import numpy as np
import pytest

import autograph as ag
from autograph.tools.checking import ways
from runtime import config
from tests.language.harness import FOLDERS, no_line_of

I = np.int64
F = np.float64
MATRIX = np.arange(6.0).reshape(2, 3)
VECTOR = np.arange(3.0)

programs = []


def wrong(*arguments, cause, hint, names=(), error=None, **options):
    """Register the program below: its arguments, and what its message must say.

    The line that is wrong is marked `# wrong`.
    """

    def register(program):
        row = (program, arguments, cause, hint, names, error, options)
        programs.append(pytest.param(*row, id=program.__name__))
        return program

    return register


def shown(error):
    """What the user sees of an exception: its text, or the traceback below the call."""
    if isinstance(error, (ag.StagingError, ag.AutographError)):
        return str(error)
    seen = traceback.TracebackException.from_exception(error)
    rows = [row for row in seen.stack if row.name != test_a_wrong_program.__name__]
    seen.stack = traceback.StackSummary.from_list(rows)
    return "".join(seen.format()).rstrip()


def test_there_are_enough_of_them():
    assert len(programs) >= 50


# ---- shapes ----------------------------------------------------------------------------------


@wrong(MATRIX, MATRIX, error=ValueError, cause="core dimension 0.*size 2 is different from 3",
       hint="transpose one", names=("`x` is float64[2, 3]", "`w` is float64[2, 3]"))  # fmt: skip
def product_of_shapes_that_do_not_fit(x, w):
    return x @ w  # wrong


@wrong(MATRIX, np.ones(4), error=ValueError, cause=r"could not be broadcast",
       hint="equal or 1", names=("`x` is float64[2, 3]", "`b` is float64[4]"))  # fmt: skip
def sum_of_shapes_that_do_not_broadcast(x, b):
    return x + b  # wrong


@wrong(MATRIX, error=np.exceptions.AxisError, cause="axis 2 is out of bounds",
       hint="axes go from 0 to 1, or from -2 to -1", names=("`x` is float64[2, 3]",))  # fmt: skip
def axis_that_is_not_there(x):
    return x.sum(axis=2)  # wrong


@wrong(MATRIX, error=ValueError, cause="cannot reshape array of size 6", hint="-1 stands for",
       names=("`x` is float64[2, 3]",))  # fmt: skip
def reshaped_to_another_size(x):
    return x.reshape(4, 2)  # wrong


@wrong(VECTOR, np.ones((2, 2)), error=ValueError, cause="same number", hint="add an axis",
       names=("`a` is float64[3]", "`b` is float64[2, 2]"))  # fmt: skip
def joined_arrays_of_other_ranks(a, b):
    return np.concatenate([a, b])  # wrong


@wrong(VECTOR, error=ValueError, cause="could not broadcast", hint="slice, reshape", names=("x",))
def written_part_of_another_size(x):
    x[0:2] = np.ones(3)  # wrong
    return x


@wrong(VECTOR, error=ValueError, cause="ambiguous", hint=".any()", names=("`x` is float64[3]",))
def truth_of_an_array(x):
    if x > 1:  # wrong
        return x
    return -x


@wrong(VECTOR, error=ValueError, cause="ambiguous", hint="`&`", names=("`x` is float64[3]",))
def chained_comparison_of_an_array(x):
    return x[0 < x < 2]  # wrong


@wrong(VECTOR, error=ValueError, cause="ambiguous", hint="`&`", names=("`x` is float64[3]",))
def and_of_arrays(x):
    return x[x > 0 and x < 2]  # wrong


@wrong(VECTOR, error=TypeError, cause="0-dimensional", hint="x[0]", names=("`x` is float64[3]",))
def float_of_an_array(x):
    return float(x) + 1  # wrong


@wrong(MATRIX, error=np.linalg.LinAlgError, cause="square", hint="lstsq", names=("x",))
def solved_with_a_matrix_that_is_not_square(x):
    return np.linalg.solve(x, x) + 0  # wrong


@wrong(np.zeros((2, 2)), error=np.linalg.LinAlgError, cause="Singular", hint="pinv", names=("x",))
def inverse_of_a_singular_matrix(x):
    return np.linalg.inv(x) + 0  # wrong


# ---- indices and keys ------------------------------------------------------------------------


@wrong(VECTOR, I(5), error=IndexError, cause="index 5 is out of bounds", names=("x[i]",),
       hint="positions go from 0 to 2, or from -3 to -1")  # fmt: skip
def index_out_of_range_when_the_graph_runs(x, i):
    return x[i]  # wrong


@wrong(VECTOR, error=IndexError, cause="index 3 is out of bounds", names=("`x` is float64[3]",),
       hint="positions go from 0 to 2")  # fmt: skip
def index_out_of_range_while_tracing(x):
    return x[3]  # wrong


@wrong(F(2), error=IndexError, cause="invalid index to scalar variable.", hint="a number has no items",
       names=("`x` is float64[]",))  # fmt: skip
def item_of_a_number(x):
    return x[0]  # wrong


@wrong(I(3), cause="the hash of Traced i", hint="compare with each key", names=("seen",))
def key_that_is_data(i):
    seen = frozenset([i])  # wrong
    return seen


@wrong(VECTOR, error=TypeError, cause="unhashable type: 'numpy.ndarray'", hint="tuple of numbers",
       names=("`x` is float64[3]",))  # fmt: skip
def array_as_a_key(x):
    return {x: 1}  # wrong


@wrong(I(3), cause="text that is known only", hint="ask for its letters", names=("str(n)",))
def bytes_of_a_text_of_data(n):
    return f"{str(n)},{n}".encode()  # wrong


@wrong(I(3), cause=r"`\.tolist\(\)` makes lists of a number of items", hint="use the array",
       names=("x.tolist",))  # fmt: skip
def list_of_a_size_that_is_data(n):
    x = np.zeros((n, 2))
    return x.tolist()  # wrong


@wrong(VECTOR, error=TypeError, cause="item assignment", hint="make a list", names=("t[0]",))
def written_tuple(x):
    t = (1, 2)
    t[0] = x  # wrong
    return t


@wrong(F(2), error=TypeError, cause="interpreted as an integer", hint="int(...)",
       names=("`x` is float64[]",))  # fmt: skip
def range_of_a_float(x):
    total = 0
    for i in range(x):  # wrong
        total += i
    return total


@wrong(VECTOR, F(0.5), error=TypeError, cause="interpreted as an integer", hint="int(...)",
       names=("`h` is float64[]",))  # fmt: skip
def range_with_a_float_step(x, h):
    for i in range(0, 3, h):  # wrong
        x = x + i
    return x


# ---- branches and loops ----------------------------------------------------------------------


@wrong(F(2), cause="is a bytearray on one path but a float64", hint="keep its kind",
       names=("`y`",))  # fmt: skip
def bytes_on_one_path_and_a_number_on_the_other(x):
    if x > 0:
        y = bytearray(b"positive")
    else:
        y = x
    return y * 2  # wrong


@wrong(F(2), cause="is a tuple of 2 items on one path", hint="use another name",
       names=("`SimpleNamespace.y`",))  # fmt: skip
def tuple_on_one_path(x):
    box = SimpleNamespace(y=x)
    if x > 0:  # wrong
        box.y = (x, x)
    return box.y


@wrong(F(-1), error=UnboundLocalError, cause="'y'", hint="bind `y` on every path", names=("y",))
def name_bound_on_one_path(x):
    if x > 0:
        y = x
    return y + 1  # wrong


@wrong(F(2), error=UnboundLocalError, cause="'y'", hint="bind `y`", names=("y",))
def name_read_after_del(x):
    y = x * 2
    del y
    return y + x  # wrong  # noqa: F821


@wrong(I(3), cause="is a float before the loop but a tuple", hint="out of the loop",
       names=("`state`",))  # fmt: skip
def tuple_made_in_a_loop(n):
    state = 0.0
    for i in range(n):
        state = (state, i)  # wrong
    return state


@wrong(I(3), cause=r"has shape \(\) before the loop but \(2,\)", hint="`np.zeros(...)`",
       names=("`total`",))  # fmt: skip
def arrays_added_to_a_number_in_a_loop(n):
    total = 0.0
    for i in range(n):  # wrong
        total = total + np.ones(2) * i
    return total


@wrong(I(3), cause=r"has shape \(2,\) before the loop but \(2, 2\)", hint="number of axes",
       names=("`x`",))  # fmt: skip
def rank_that_grows_in_a_loop(n):
    x = np.ones(2)
    for _ in range(n):  # wrong
        x = np.outer(x, x)
    return x


numbers = (k for k in range(5))


@wrong(F(2), cause="an iterator that exists outside", hint="pass its items", names=("numbers",))
def generator_of_the_module(x):
    return x + sum(numbers)  # wrong


@wrong(VECTOR, cause="of different types on different paths", hint="otypes=[float]", names=("x",))
def vectorized_function(x):
    return np.vectorize(lambda v: v if v > 0 else 0)(x)  # wrong


# ---- names, arguments, attributes --------------------------------------------------------------


@wrong(VECTOR, error=AttributeError, cause="no attribute 'lenght'", hint="see dir()",
       names=("`x` is float64[3]",))  # fmt: skip
def misspelt_attribute_of_an_array(x):
    return x.lenght * 2  # wrong


@wrong(VECTOR, error=AttributeError, cause="no attribute 'sqroot'", hint="did you mean `sqrt`?",
       names=("np.sqroot",))  # fmt: skip
def misspelt_function_of_numpy(x):
    return np.sqroot(x)  # wrong


@wrong(F(2), error=NameError, cause="'widht' is not defined", hint="did you mean `width`?",
       names=("widht",))  # fmt: skip
def misspelt_name(width):
    return widht * 2  # wrong  # noqa: F821


def area(width, height):
    return width * height


@wrong(F(2), error=TypeError, cause="missing 1 required", hint="called as area(width, height)",
       names=("area",))  # fmt: skip
def too_few_arguments(x):
    return area(x) + 1  # wrong


@wrong(F(2), error=TypeError, cause="takes 2 positional", hint="called as area(width, height)",
       names=("area",))  # fmt: skip
def too_many_arguments(x):
    return area(x, x, x) + 1  # wrong


@wrong(F(2), error=TypeError, cause="unexpected keyword argument 'hight'",
       hint="called as area(width, height)", names=("area",))  # fmt: skip
def misspelt_keyword(x):
    return area(x, hight=2) + 1  # wrong


@wrong(VECTOR, error=TypeError, cause=r"sum\(\) got an unexpected keyword argument 'axes'",
       hint="called as sum(a, axis=None", names=("`x` is float64[3]",))  # fmt: skip
def misspelt_keyword_of_numpy(x):
    return np.sum(x, axes=0)  # wrong


@wrong(F(2), error=TypeError, cause="'float' object is not callable", hint="bound to something",
       names=("rate",))  # fmt: skip
def called_number(x):
    rate = 0.5
    return rate(x) + 1  # wrong


@wrong(F(2), error=ValueError, cause="not enough values to unpack", hint="`*rest`", names=("c",))
def unpacked_too_few(x):
    a, b, c = x, x + 1  # wrong
    return a + b + c


def scaled(v):
    v * 2  # noqa: B018


@wrong(F(2), error=TypeError, cause="NoneType", hint="without `return`", names=("scaled",))
def result_of_a_function_without_return(x):
    return scaled(x) + 1  # wrong


@wrong(np.ones((2, 2)), error=TypeError, cause=r"must be float64\[\?\] by its input_signature",
       hint="give it that form", names=("`x`",),
       input_signature=[ag.TensorSpec([None], "float64")])  # fmt: skip
def argument_of_another_rank(x):
    return x


# ---- numbers ---------------------------------------------------------------------------------


@wrong(7, I(0), error=ZeroDivisionError, cause="division", hint="check for 0", names=("k",))
def integer_divided_by_zero(a, n):
    k = int(n)
    return a // k  # wrong


@wrong(F(2), error=OverflowError, cause="64 bits", hint="floating numbers", names=("n",))
def integer_beyond_64_bits(x):
    n = int(x)
    for _ in range(100):
        n = n * n  # wrong
    return n


@wrong(F(2), error=ValueError, cause="math domain error", hint="check the sign", names=("x",))
def root_of_a_negative_number(x):
    return math.sqrt(-x) + 1  # wrong


@wrong(np.array([1, 2, 3]), error=TypeError, cause="Cannot cast ufunc", hint="`x = x / 2`",
       names=("`x` is int64[3]",))  # fmt: skip
def integers_divided_in_place(x):
    x[:] /= 2  # wrong
    return x


# ---- deep within -----------------------------------------------------------------------------


def inner(a, b):
    return np.dot(a, b)  # wrong: see below


def outer(a, b):
    return inner(a * 2, b)


@wrong(MATRIX, MATRIX, error=ValueError, cause="not aligned", hint="transpose one",
       names=("in inner", "`a` is float64[2, 3]"))  # fmt: skip
def two_functions_deep(x, w):
    return outer(x, w)


class Model:
    def __init__(self):
        self.w = np.ones((4, 4))

    def predict(self, x):
        return x @ self.w


model = Model()


@wrong(MATRIX, error=ValueError, cause="mismatch in its core dimension 0", hint="transpose one",
       names=("in predict", "`x` is float64[2, 3]", "`self.w` is float64[4, 4]"))  # fmt: skip
def within_a_method(x):
    return model.predict(x)


@wrong(MATRIX, error=ValueError, cause="mismatch in its core dimension 0", hint="transpose one",
       names=("`v` is float64[2, 3]",))  # fmt: skip
def within_a_lambda(x):
    square = lambda v: v @ v  # noqa: E731 # wrong
    return square(x)


# From 3.12 on Python forgets the names of a comprehension as an exception leaves it.
KEEPS_NAMES = sys.version_info < (3, 12)


@wrong(MATRIX, error=ValueError, cause="could not be broadcast", hint="equal or 1",
       names=("`row` is float64[3]" if KEEPS_NAMES else "in within_a_comprehension",))  # fmt: skip
def within_a_comprehension(x):
    return [row + np.ones(2) for row in x]  # wrong


# ---- what tracing cannot do ------------------------------------------------------------------


@wrong(F(1), cause="a Variable is created on a call that is not the first", hint="outside of",
       names=("total",))  # fmt: skip
def variable_of_each_call(x):
    total = ag.Variable(0.0)  # wrong
    return total + x


@wrong(F(1), cause="`id` is called while tracing", hint="outside of the converted function",
       names=("id(x)",))  # fmt: skip
def identity_of_a_value(x):
    return x + id(x) % 2  # wrong


@wrong(VECTOR, cause="is a view that shares memory", hint="make a copy", names=("`y`",))
def written_view_whose_place_is_not_known(x):
    y = x
    for _ in range(np.argmax(x)):
        y = y[::-1]
    y[0] = 1.0  # wrong
    return x


@pytest.mark.parametrize(
    ("program", "arguments", "cause", "hint", "names", "error", "options"), programs
)
def test_a_wrong_program(program, arguments, cause, hint, names, error, options):
    with pytest.raises(error or ag.StagingError) as caught:
        function = ag.convert(program, **options)
        function(*(np.copy(x) if np.ndim(x) else x for x in arguments))
    message = shown(caught.value)
    assert len(message.splitlines()) <= 12, message
    assert re.search(cause, message), message
    assert hint in message, message
    for name in names:
        assert name in message, message
    assert not any(folder in message for folder in FOLDERS), message
    lines, first = inspect.getsourcelines(program)
    marked = [first + i for i, line in enumerate(lines) if "# wrong" in line]
    if marked:
        assert re.search(rf"{re.escape(__file__)}(:|\", line ){marked[0]}\b", message), message
        assert "^" in message, message


# ---- what the user raises, and what is no call of a converted function ---------------------------


def test_an_error_that_the_user_raises_is_left_alone():
    def positive(x):
        if x < 0:
            raise ValueError(f"could not broadcast {x}")
        assert x > 1, "too many indices"
        return x

    for x in (-1.0, 0.5):
        with pytest.raises((ValueError, AssertionError)) as caught:
            ag.convert(positive)(x)
        assert not hasattr(caught.value, "__notes__")


def test_a_hint_is_given_once_and_again_at_the_next_call():
    f = ag.convert(lambda x, i: x[i])
    for _ in range(3):
        with pytest.raises(IndexError) as caught:
            f(VECTOR, I(9))
        assert caught.value.__notes__ == ["positions go from 0 to 2, or from -3 to -1"]
    with no_line_of(__file__), pytest.raises(IndexError):
        f(VECTOR, I(9))


def test_hints_can_be_left_out():
    with config.hints.using(False), pytest.raises(IndexError) as caught:
        ag.convert(lambda x, i: x[i])(VECTOR, I(9))
    assert not hasattr(caught.value, "__notes__")


def test_a_hint_runs_no_code_of_the_users():
    class Loud(IndexError):
        def __str__(self):
            raise AssertionError("asked for its text")

    with pytest.raises(TypeError):
        ag.convert(lambda x: [][Loud("out of bounds for axis 0 with size 3")] if x > 0 else x)(1.0)


def test_an_assertion_of_the_compiler_is_no_exception_of_the_users():
    @ag.do_not_convert
    def broken():
        ways._event_of(None, None)

    def f(x):
        broken()
        return x + 1

    with pytest.raises(ag.StagingError, match=r"does not know how to stage this \(`_event_of`"):
        ag.convert(f)(1.0)


def test_the_gradient_of_an_int_says_what_to_write():
    with pytest.raises(TypeError, match=r"argument 0 is int: write `3.0`") as caught:
        ag.grad(lambda n: n * n)(3)
    files = [row.filename for row in traceback.extract_tb(caught.value.__traceback__)]
    assert not any(file.startswith(FOLDERS) for file in files)


def test_a_gradient_through_plain_python_names_the_line():
    def outside(x):
        return x + ag.py_call(np.median, x, result=ag.TensorSpec([], "float64"))

    with pytest.raises(Exception, match=r"`numpy.median` has no gradient rule") as caught:
        ag.grad(lambda x: ag.sum(ag.convert(outside)(x)))(VECTOR)
    assert __file__ in str(caught.value) and "stop_gradient" in str(caught.value)


def test_what_is_not_watched_is_named():
    x = ag.constant(3.0)
    with ag.GradientTape(persistent=True) as tape:
        y = x * x
    assert tape.gradient(y, x) is None
    assert "was not watched: call `tape.watch`" in tape.explain(y, x)
