"""The frame of a converted function: captured names, results, the depth of a trace."""

import contextlib

import pytest

import autograph as ag
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import (
    Maybe,
    Nullable,
    Poison,
    Undefined,
    UndefinedReturnValue,
)
from autograph.operators.values import scope as module
from autograph.operators.values.bodies import check_defined
from autograph.operators.values.scope import (
    ConversionOptions,
    FunctionScope,
    new_names,
    note_names,
)
from runtime import journal
from runtime.building import body, building
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

LEVEL = 3


def scope(cells=None, shared=None, name="step"):
    return FunctionScope(name, "fscope", ConversionOptions(), cells, shared)


def test_captured_names_are_guarded_while_tracing():
    factor = 2.0
    names = scope(lambda: factor)
    assert names.read("factor", factor) == 2.0
    with tracing() as facts, names:
        assert names.read("factor", factor) == 2.0 and names.read("LEVEL", LEVEL) == 3
        cell = names.cell("factor")
        assert set(facts.captures.guards) == {
            ("cell", id(cell)),
            ("global", id(globals()), "LEVEL"),
        }
        assert names.read("len", len) is len and names.cell("LEVEL") is None


def test_cells_of_the_functions_own_are_not_guarded():
    local = 1
    names = scope(lambda: local)
    with tracing() as facts, names:
        cell = names.cell("local")
        facts.scopes.cells[id(cell)] = cell
        assert names.read("local", local) == 1 and not facts.captures.guards


def test_a_captured_name_without_a_value_is_pythons_name_error():
    y = 1
    with pytest.raises(NameError, match="cannot access free variable 'y' where it is not"):
        scope(lambda: y).read("y", Undefined("y"))
    with pytest.raises(NameError, match="name 'z' is not defined"):
        scope().read("z", Undefined("z"))


@pytest.mark.parametrize("value", [UndefinedReturnValue(), Undefined("retval_")])
def test_a_function_that_reached_no_return_gives_none(value):
    assert scope().ret(value, True) is None and scope().ret(3, False) is None
    assert scope().ret(3, True) == 3


def test_a_result_that_is_there_on_some_paths_is_none_on_others():
    with tracing():
        present = placeholder("bool")
        result = scope().ret(Maybe("retval_", 7, present, check_defined), present)
        assert isinstance(result, Nullable)
        assert (result.value, result.present) == (7, present)
        inner = Nullable("retval_", 7, placeholder("bool"), check_defined)
        result = scope().ret(Maybe("retval_", inner, present, check_defined), present)
        assert result.value == 7 and result.present is not present


def test_a_result_of_two_kinds_names_the_function():
    poison = Poison("retval_", "the result is a str on one path but an int on the other", "")
    with pytest.raises(ag.StagingError, match="the result of `step` is a str on one path"):
        scope().ret(poison, True)


def test_names_bound_in_operands_are_restored():
    found = 1

    def bind():
        nonlocal found
        global LEVEL
        note_names(lambda: found, ("LEVEL",))
        found, LEVEL = 2, 4

    with tracing(), journal.transaction():
        bind()
        assert (found, LEVEL) == (2, 4)
    assert (found, LEVEL) == (1, 3)
    note_names(lambda: found, ())  # in Python it is nothing
    assert current_trace() is None


def test_names_of_one_run_of_a_body_are_seen_by_nobody_else():
    def run(declares):
        found = 1
        with journal.transaction() as body:
            if declares:
                new_names(lambda: found)
            with journal.transaction() as operand:
                note_names(lambda: found, ())
                found = 2
                operand.commit()
            return len(body.written()), found

    with tracing():
        assert run(True) == (0, 2)
        assert run(False) == (1, 2)


def test_a_name_that_was_unbound_is_so_again():
    with tracing(), journal.transaction():
        note_names(lambda: found, ("ABSENT",))
        found = 2
        globals()["ABSENT"] = found
    assert "ABSENT" not in globals()
    assert isinstance(found, Undefined)  # which converted code reads as an error


def test_recursion_without_end_in_staged_bodies_is_refused():
    def descend(depth):
        with scope(name="fib"), body("true", building()):
            descend(depth + 1)

    with tracing(), pytest.raises(ag.StagingError, match="`fib` calls itself until a condition"):
        descend(0)


def test_recursion_in_python_may_be_deeper():
    with tracing(), contextlib.ExitStack() as stack:
        for _ in range(module._DEEPEST + 2):
            stack.enter_context(scope(name="fib"))
