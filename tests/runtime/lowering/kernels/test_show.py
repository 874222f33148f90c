"""Kernels as text."""

import re

import numpy as np

import autograph as ag
from runtime.execute.native.engine import SCHEDULED


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


def doubled_often(x, n):
    for _ in range(n):
        x = x * 2
    return x


def test_a_small_array_is_written_out_where_it_is_tiny_or_in_a_loop():
    assert "for each" not in kernels(square_plus_two, np.ones(4))
    assert "for each i < 10:" in kernels(square_plus_two, np.ones(10))
    looped = kernels(doubled_often, np.ones(10), np.int64(3))
    assert "x.9 := t" in looped and "for each" not in looped, looped


def test_small_constants_are_in_memory_where_a_loop_reads_them():
    text = kernels(lambda x: x + np.array([1.5, -0.0, 2, 3, 5, 8, 13, 21]), np.ones(8))
    assert "t: f8 = (x[i] + constant[i])" in text and "spilled" not in text, text


def counted(n):
    below = n - 1
    if n > 3:
        return below * below
    return n - 1


def test_what_is_computed_twice_is_written_once_where_one_always_comes_before_the_other():
    run = ag.convert(counted)
    text = run.get_concrete_function(ag.TensorSpec((), np.int64)).lower("llvm")
    assert text.count("= sub i64") == 2, text
    looped = ag.convert(lambda n: sum(k * k for k in range(n))).get_concrete_function(np.int64(9))
    text = looped.lower("llvm")
    assert text.count("smul.with.overflow.i64(i64 %") == 1, text
    for n in (2, 3, 4, 9):
        assert run(np.int64(n)) == counted(np.int64(n))


def test_equal_products_are_one_function_of_a_module_of_their_own():
    x = np.ones((40, 40))
    text = ag.convert(lambda x, y: np.tanh(x @ y) @ y).get_concrete_function(x, x).lower("llvm")
    kernel, _, products = text.rpartition(SCHEDULED)
    assert products.count("define ") == 1 and kernel.count("call void @contract0(") == 2


def test_of_products_of_known_sizes_llvm_sees_no_index():
    """Where it sees one, it looks for other ways to count addresses: a third of its time."""

    def loops(x, **options):
        found = ag.convert(lambda x, y: x @ y, **options).get_concrete_function(x, x)
        _, _, products = found.lower("llvm").partition(SCHEDULED)
        hidden = re.findall(r"(%v\d+) = call .*@llvm.(?:expect|strip)", products)
        following = re.findall(r"phi \w+ \[[^]]*\], \[(%v\d+),", products)
        assert following
        return {index in hidden for index in following}

    assert loops(np.ones((40, 40))) == {True}
    assert loops(ag.TensorSpec((None, None), np.float64)) == {False}


def test_llvm_is_told_to_leave_loops_as_they_are():
    def rolled(n):
        return ag.convert(square_plus_two).get_concrete_function(np.ones((n, n))).lower("llvm")

    assert "llvm.loop.unroll.disable" in rolled(9)
    assert "llvm.loop.unroll.disable" not in ag.convert(
        lambda x: x + np.arange(7.0)
    ).get_concrete_function(np.ones(7)).lower("llvm")
