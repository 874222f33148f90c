"""Arrays that NumPy makes while tracing, and that are no part of the graph."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass")
X = np.array([1.0, 2.0])


def product(x):
    return np.matrix([[1.0, 2.0], [3.0, 4.0]]) * x.reshape(2, 1)


def masked(x):
    return x + np.ma.array([1.0, 2.0], mask=[True, False])


def given_back(x):
    return [np.asmatrix(np.eye(2)), x * 2]


def chosen(x):
    table = np.matrix(np.eye(2))
    if x[0] > 0:
        table = table * 2
    return table


@pytest.mark.parametrize("function", [product, masked, given_back, chosen])
def test_an_array_of_a_subclass_that_the_function_makes_is_refused(function):
    with pytest.raises(ag.StagingError, match=r"a subclass of ndarray(.|\n)*asarray") as error:
        ag.convert(function)(X)
    assert error.value.origin.filename == __file__


def test_without_a_graph_it_is_what_python_makes():
    made = ag.convert(lambda n: np.matrix(np.eye(2)) * n)
    found = made(3)
    assert type(found) is np.matrix and (found == np.eye(2) * 3).all()


def by_method(x):
    words = np.array(["b", "a"])
    if x[0] > 0:
        words.sort()
    return words, x * 2


def by_function(x):
    words = np.array(["b", "a"])
    for v in x:
        if v > 1:
            np.put(words, [0], "z")
    return words, x * 2


def by_out(x):
    things = np.array([1, None])
    if x[0] > 0:
        np.add(things[:1], 1, out=things[:1])
    return things, x * 2


def by_attribute(x):
    records = np.rec.array([(1.0, 2.0)], dtype=[("a", float), ("b", float)])
    if x[0] > 0:
        records.a = 9.0
    return records, x * 2


@pytest.mark.parametrize("function", [by_method, by_function, by_attribute])
@pytest.mark.parametrize("x", [X, -X])
def test_what_is_written_in_a_branch_is_refused(function, x):
    with pytest.raises(ag.StagingError, match="is written here, and the graph that uses it"):
        ag.convert(function)(x)


@pytest.mark.parametrize("x", [X, -X])
def test_a_view_that_is_written_is_not_passed_over(x):
    expected = by_out(x)
    try:
        found = ag.convert(by_out)(x)
    except ag.StagingError:
        return
    assert list(found[0]) == list(expected[0])


def text_by_data(x):
    words = np.array(["b", "a"])
    words[0] = "c" if x[0] > 0 else "d"
    return words


def test_what_data_makes_is_not_put_into_it():
    with pytest.raises(ag.StagingError, match="known only when the graph runs is written into"):
        ag.convert(text_by_data)(X)


RECORDS = np.zeros(2, dtype=[("a", float)])
THINGS = np.array([1, None])


def test_a_field_of_records_is_no_item_of_a_graph():
    @ag.convert
    def f(x):
        RECORDS["a"] = x

    with pytest.raises(ag.StagingError, match="`RECORDS` is an array of records"):
        f(X)


def test_an_array_of_objects_is_named_as_the_user_names_it():
    with pytest.raises(ag.StagingError, match="`THINGS` is an array of Python objects"):
        ag.convert(lambda x: THINGS * x)(X)
    with pytest.raises(ag.StagingError, match="this is an array of Python objects") as error:
        ag.convert(lambda x: np.array([x, None], dtype=object))(X)
    assert error.value.origin.filename == __file__
