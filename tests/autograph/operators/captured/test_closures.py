"""What functions hold, and which of them come of one piece of code."""

import functools

from autograph.operators.captured.closures import (
    EMPTY,
    ITSELF,
    are_twins,
    is_same_function,
    parts_of_function,
    remade,
)


def add(q):
    return lambda p, r=1.0, *, s=2.0: p + q + r + s


def times(q):
    def run(n):
        return q if n <= 0 else n * run(n - 1)

    return run


class Box:
    def get(self):
        return self


def test_a_function_holds_what_its_free_variables_are_bound_to_and_its_defaults():
    parts = parts_of_function(add(5))
    assert [(part.name, part.value) for part in parts] == [
        ("`q`", 5),
        ("default 0", 1.0),
        ("default of `s`", 2.0),
    ]


def test_a_variable_that_is_not_bound_is_empty():
    if parts_of_function is None:
        late = 1
    assert [part.value for part in parts_of_function(lambda: late)] == [EMPTY]


def test_methods_and_partials_hold_objects_and_arguments():
    box = Box()
    assert [part.value for part in parts_of_function(box.get)] == [box]
    held = parts_of_function(functools.partial(add, 1, q=2))
    assert [part.value for part in held] == [add, 1, 2]


def test_twins_come_of_one_piece_of_code():
    assert are_twins(add(1), add(2))
    assert not are_twins(add(1), times(2))
    assert are_twins(Box().get, Box().get)
    assert are_twins(functools.partial(add, 1), functools.partial(add, 2))
    assert not are_twins(functools.partial(add, 1), functools.partial(add, q=2))


def test_runs_of_one_definition_in_one_frame_are_the_same():
    q = 1
    found = [lambda: q for _ in range(2)]
    assert is_same_function(*found)
    assert not is_same_function(add(1), add(1))
    assert not is_same_function(*[lambda p=p: p for p in (1, 2)])


def test_a_remade_function_has_other_parts_and_leaves_the_old_one_alone():
    old = add(1)
    new = remade(old, {0: 10, 2: 7.0}, ())
    assert new(0) == 18.0
    assert old(0) == 4.0
    assert remade(functools.partial(max, 1), {1: 3}, ())(2) == 3
    again = remade(times(2), {0: 5, 1: ITSELF}, ())
    assert again(3) == 30
