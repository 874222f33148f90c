"""Handlers that compute with what an exception holds: arguments, attributes, methods of its class."""

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check

A, B, C = np.float64(0.5), np.float64(2.5), np.float64(4.0)
CASES = ((A,), (B,), (C,))
samples = Samples()


class Failed(Exception):
    def __init__(self, attempt, why="because"):
        super().__init__(f"attempt {attempt}: {why}")
        self.attempt, self.why = attempt, why

    def twice(self):
        return self.attempt * 2

    @property
    def half(self):
        return self.attempt / 2


class Late(Failed):
    code = 7


def work(x):
    if x > 3:
        raise Failed(x, "deep")
    return x


@samples("E9", *CASES)
def an_attribute(x):
    try:
        if x > 1:
            raise Failed(x * 2)
        y = x
    except Failed as error:
        return error.attempt
    return y


@samples("E9", *CASES, joined=True)
def arguments(x):
    try:
        if x > 1:
            raise ValueError(x * 2, 3)
        y = x
    except ValueError as error:
        first, second = error.args
        return error.args[0] + second + len(error.args)
    return y


@samples("E9", *CASES, joined=True, tensors=False)
def of_several_places(x):
    steps = 0
    try:
        if x > 3:
            raise Late(x, "late")
        steps = steps + 1
        if x > 1:
            raise Failed(x * 2, "early")
        steps = steps + 1
    except Failed as error:
        return error.attempt + steps, str(error), error.twice(), error.half, error.why
    return x + steps, "", 0.0, 0.0, "none"


@samples("E9", *CASES)
def of_clauses_one_behind_the_other(x):
    try:
        if x > 3:
            raise Late(x)
        if x > 1:
            raise Failed(x * 2)
    except Late as error:
        return error.attempt * error.code
    except Failed as error:
        return error.attempt
    return x


@samples("E9", *CASES)
def raised_again_and_through_a_finally(x):
    try:
        try:
            if x > 3:
                raise Late(x)
            if x > 1:
                raise Failed(x * 2)
        except Late:
            raise
        finally:
            x = x + 10
    except Failed as error:
        return error.attempt + x
    return x


@samples("E9", *CASES)
def raised_from_another_one(x):
    try:
        try:
            if x > 1:
                raise ValueError(x)
            y = x
        except ValueError as error:
            raise Failed(error.args[0] + 1) from error
    except Failed as error:
        y = error.attempt
    return y


@samples("E9", *CASES)
def of_the_rounds_of_a_loop(x):
    tries = 0.0
    while tries < 5:
        tries = tries + 1
        try:
            if tries < x:
                raise Failed(tries)
            return tries
        except Failed as error:
            tries = error.attempt + 0.5
    return -1.0


@samples("E9", *CASES)
def of_a_function_that_is_called(x):
    try:
        y = work(x) + 1
        if x > 2:
            raise Failed(y)
    except Failed as error:
        y = error.attempt
    return y


@samples("E9", *CASES)
def an_array_that_is_written(x):
    try:
        if x > 1:
            raise Failed(np.array([x, 1.0]))
        v = np.zeros(2)
    except Failed as error:
        v = error.attempt
        v[0] += 1
    return v


@samples("E9", *CASES)
def an_exception_that_is_kept(x):
    last = None
    try:
        if x > 1:
            raise Failed(x)
    except Exception as error:
        if not isinstance(error, Failed):
            raise
        last = error
    if last is not None:
        return last.attempt
    return x


@samples("E9", *CASES, joined=True)
def texts(x):
    try:
        if x > 3:
            raise KeyError("three")
        if x > 1:
            raise KeyError("one")
    except KeyError as error:
        return 1 if error.args[0] == "one" else 2
    return 0


@samples("E9", *CASES, joined=True)
def errors_of_the_system(x):
    try:
        if x > 3:
            raise TimeoutError(x * 2)
        if x > 1:
            raise ConnectionError
        y = x
    except OSError as error:
        return error.args[0] if error.args else len(error.args) + (error.errno is None)
    return y


test_sample = samples.test()


def test_gradient_flows_through_what_an_exception_holds():
    def f(x):
        try:
            if x > 1:
                raise Failed(x * x)
            y = 3 * x
        except Failed as error:
            y = error.attempt
        return y

    assert ag.grad(f)(0.5) == pytest.approx(3.0)
    assert ag.grad(f)(2.0) == pytest.approx(4.0)


def test_what_an_error_of_the_system_takes_out_of_its_arguments_is_not_known():
    def f(x):
        try:
            if x > 1:
                raise OSError(x, "text")
        except OSError as error:
            return error.args[0] + 1
        return x

    with pytest.raises(ag.StagingError, match="a part of an exception that was caught is used"):
        ag.convert(f)(np.float64(2.0))


def test_what_an_operation_raised_is_not_known():
    def f(x, i):
        values = np.zeros(3)
        try:
            values[i] = 1.0
            if x > 1:
                raise IndexError(x * 2)
        except IndexError as error:
            return error.args[0] + values[0]
        return x

    g = ag.convert(f)
    assert g(np.float64(2.0), np.int64(1)) == 4.0
    with pytest.raises(NotImplementedError, match="what an exception holds that an operation"):
        g(np.float64(2.0), np.int64(7))


ASKED = {
    "is None": lambda error: error.__context__ is None,
    "is not None": lambda error: error.__context__ is not None,
    "its class": lambda error: isinstance(error.__context__, ValueError),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_what_a_part_is_that_is_not_known_is_not_guessed(ask):
    def f(x):
        try:
            try:
                if x > 1:
                    raise ValueError("large")
            except ValueError:
                raise KeyError("first") from None
            np.zeros(2)[np.int64(x * 9)]
        except (KeyError, IndexError) as error:
            return x * 2 if ask(error) else x
        return x

    with pytest.raises(ag.StagingError, match="a part of an exception that was caught is used"):
        ag.convert(f)(np.float64(2.0))


def test_the_class_of_an_argument_is_that_of_what_was_raised():
    def f(x):
        try:
            if x > 1:
                raise ValueError("large", 3)
            if x > 0:
                raise ValueError("small", 4)
        except ValueError as error:
            is_text, is_number = isinstance(error.args[0], str), type(error.args[1]) is int
            return x * 2 if is_text and is_number else x
        return x

    check(f, (A,), (B,), (-C,))
