"""The table of operations beside NumPy."""

import numpy as np
import pytest

import autograph as ag
from benchmarks.against_numpy import OPERATIONS, Case, cases, main, times


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_gives_what_numpy_gives(name):
    operation = OPERATIONS[name]
    x = Case(name, 1_000, operation.dtypes[-1]).array()
    with np.errstate(all="ignore"):
        expected = operation.function(x)
        actual = ag.convert(operation.function)(x)
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


def test_cases_are_chosen_by_names_sizes_and_dtypes():
    chosen = cases(["argmax"], sizes=(10,), dtypes=("float32",))
    assert [case.name for case in chosen] == ["argmax", "argmax axis 0", "argmax axis 1"]
    assert all(case.size <= OPERATIONS[case.name].largest for case in cases())


def test_both_are_timed():
    ours, numpys = times(Case("max", 10, "float64"), rounds=2, seconds=1e-4)
    assert 0 < ours and 0 < numpys


def test_the_table_has_a_line_for_each_case(capsys):
    main(["sum axis", "--sizes", "10", "--dtypes", "int64"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and all("NumPy" in line for line in lines)
