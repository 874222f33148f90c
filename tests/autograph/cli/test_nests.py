"""Nests as arrays with names."""

import pytest

import autograph as ag
from autograph.cli.nests import expected_nests, named_parts, nest_of

NESTS = [
    ({}, [], {}),
    ({"x": 1, "y": 2}, [], {"x": 1, "y": 2}),
    ({"arr_0": 1, "arr_1": 2}, [], (1, 2)),
    ({"x": 1}, [], 1),
    ({"x": 1}, [{"x": 0}], {"x": 1}),
    ({"x": 1}, [{"y": 0}], 1),
    ({"b": 2, "a.0": 1, "a.1": 3}, [0, {"a": (0, 0), "b": 0}], {"a": (1, 3), "b": 2}),
    ({"arr_0": 1, "arr_1": 2}, [[0, 0]], [1, 2]),
]


@pytest.mark.parametrize(("arrays", "expected", "nest"), NESTS)
def test_arrays_are_the_nest_that_is_expected(arrays, expected, nest):
    found = nest_of(arrays, expected) if arrays else dict(named_parts({}))
    assert found == nest and type(found) is type(nest)


def test_a_program_tells_what_it_takes_in_each_place(tmp_path):
    function = ag.convert(lambda first, pair, *, by: (first["x"] + pair[1]) * by)
    given = {"first": {"x": 1.0}, "pair": (2.0, 3.0), "by": 4.0}
    ag.save(function, tmp_path / "f.agz", {"call": given})
    program = ag.load(tmp_path / "f.agz")
    for place, names in (("first", ["x"]), (0, ["x"]), (1, ["0", "1"]), ("by", [""]), ("no", None)):
        found = [[name for name, _ in named_parts(nest)] for nest in expected_nests(program, place)]
        assert found == ([] if names is None else [names])
    assert not list(expected_nests(function, 0))
