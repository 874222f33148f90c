"""What a graph cannot hold is refused where it stands, and never frozen."""

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import check, refuse


def factorial(n):
    if n <= 1:
        return n
    return n * factorial(n - 1)


def test_b2_23_recursion_over_a_python_number_is_traced():
    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)

    assert ag.convert(power)(np.float64(2.0), 50) == 2.0**50


def test_pure_gives_the_written_array_and_leaves_the_argument():
    def mark(x):
        x[0] = 7.0
        return x

    x = np.zeros(2)
    assert ag.convert(mark, pure=True)(x).tolist() == [7.0, 0.0]
    assert x.tolist() == [0.0, 0.0]


def test_text_that_depends_on_data_is_named():
    def word(x):
        text = f"{x}"
        return text * x

    with pytest.raises(ag.StagingError, match="text that is known only when the graph runs"):
        ag.convert(word)(1.0)


class Link:
    def __init__(self, value):
        self.value, self.next, self.before = value, None, None

    def __repr__(self):
        return f"Link({self.value:g})"


def linked(x):
    first, second = Link(x[0]), Link(x[1])
    first.next, second.before = second, first
    return first, second


def text_of_linked_objects(x):
    return str([*linked(x)])  # refused


def an_error_with_linked_objects(x):
    raise ValueError(*linked(x))  # refused


def text_of_a_list_in_itself(x):
    around = [x[0]]
    around.append(around)
    return f"{around}"  # refused


@pytest.mark.parametrize(
    "sample", [text_of_linked_objects, an_error_with_linked_objects, text_of_a_list_in_itself]
)
def test_text_of_what_holds_itself_is_refused(sample):
    refuse(sample, np.ones(2), match="a (Link|list) that holds itself is made into text")


def test_text_of_an_object_that_others_lead_back_to_is_made():
    def shown(x):
        first, second = linked(x)
        return f"{first} {second!r}"

    check(shown, (np.array([1.0, 2.0]),), (np.array([3.0, -4.0]),))


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no device '/tpu:0'"):
        ag.convert(factorial, device="/tpu:0")


def test_callees_run_unconverted_where_conversion_is_not_recursive():
    def double(x):
        return x * 2

    assert ag.convert(lambda x: double(x) + 1, recursive=False)(3.0) == 7.0


def test_returns_is_obeyed_by_a_result_that_is_an_argument():
    x = np.ones(2)
    assert isinstance(ag.convert(lambda x: x, returns="tensor")(x), ag.Tensor)
    assert isinstance(ag.convert(lambda x: x, returns="numpy")(ag.constant(x)), np.ndarray)
