"""Kernels as text."""

import numpy as np

import autograph as ag


def kernels(function, *arguments):
    return ag.convert(function).get_concrete_function(*arguments).lower("kernels")


def square_plus_two(x):
    return x * x + 2


def count(n):
    steps = 0
    while n > 1:
        n = n - 2
        steps += 1
    return steps


def test_a_scalar_program_is_registers():
    assert kernels(square_plus_two, np.float32(1)) == (
        "kernel square_plus_two(x: f4) {\n"
        "  t: f4 = (x * x)\n"
        "  t.1: f4 = (t + 2.0)\n"
        "  return t.1\n"
        "}\n"
    )


def test_an_array_program_is_a_loop():
    assert kernels(square_plus_two, np.ones((30, 2))) == (
        "kernel square_plus_two(x: f8[30, 2]) {\n"
        "  allocate a: f8[30, 2]  # the memory of a result\n"
        "  for each i < 60:\n"
        "    t: f8 = (x[i] * x[i])\n"
        "    t.1: f8 = (t + 2.0)\n"
        "    a[i] = t.1\n"
        "  return a\n"
        "}\n"
    )


def test_a_loop_shows_its_state_its_test_and_where_it_can_fail():
    text = kernels(count, np.int64(5))
    for line in ("loop:", "stop unless t", "fail at site 1 if overflow(", "steps := "):
        assert line in text, text


def test_a_sum_shows_what_it_sums():
    text = kernels(lambda x: np.sum(x * 2), np.ones(300))
    assert "sum := sum in pairs over i < 300 of:\n    t: f8 = (x[i] * 2.0)" in text
