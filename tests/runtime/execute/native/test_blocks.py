"""Memory that native code keeps between calls: what is kept, what is given back, what it holds."""

import ctypes
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native import blocks
from runtime.execute.native.context import Context
from runtime.execute.native.signature import Signature


@pytest.fixture
def memory():
    """`obtain`, `enlarge` and `release` with a context, nothing being kept."""
    found = blocks.addresses()
    handlers = dict.fromkeys(("fallback", "failed", "failed_alone", "interrupted", "miss"))
    code = {"kernel": 0, "shapes": 0, "poll": 0, **found}
    context = Context(handlers, code, Signature((), ()).words())
    pointer, size = ctypes.c_void_p, ctypes.c_int64

    class Memory:
        obtain = staticmethod(lambda n: made(found["obtain"], pointer, size)(at, n))
        enlarge = staticmethod(
            lambda block, n: made(found["enlarge"], pointer, pointer, size)(at, block, n)
        )
        release = staticmethod(lambda block: made(found["release"], None, pointer)(at, block))

    def made(address, result, *types):
        return ctypes.PYFUNCTYPE(result, pointer, *types)(address)

    at = context.address
    for _ in range(blocks.PATIENCE):  # what is in the way of others goes
        Memory.release(Memory.obtain(blocks.MOST))
    Memory.obtain(blocks.MOST)
    assert blocks.kept_bytes() == 0
    Memory.context = context
    return Memory


def test_a_block_is_aligned_and_has_its_room(memory):
    for size in (0, 1, 100, blocks.LEAST, 1 << 20):
        block = memory.obtain(size)
        assert block % 64 == 0
        ctypes.memset(block, 7, size)
        memory.release(block)


def test_a_large_block_is_kept_and_given_again(memory):
    block = memory.obtain(1 << 20)
    memory.release(block)
    assert blocks.kept_bytes() == 1 << 20
    assert memory.obtain(1 << 19) == block
    assert blocks.kept_bytes() == 0
    assert memory.obtain(1 << 19) != block


def test_a_small_block_is_not_kept_nor_is_one_beyond_the_limit(memory):
    for size in (blocks.LEAST - 1, blocks.MOST + 1):
        memory.release(memory.obtain(size))
        assert blocks.kept_bytes() == 0


def test_a_much_larger_block_is_not_given(memory):
    large = memory.obtain(1 << 24)
    memory.release(large)
    assert memory.obtain(1 << 16) != large
    assert blocks.kept_bytes() == 1 << 24


def test_no_more_is_kept_than_the_limit(memory):
    for block in [memory.obtain(blocks.MOST // 4) for _ in range(6)]:
        memory.release(block)
    assert blocks.kept_bytes() == blocks.MOST


def test_there_are_places_for_some_blocks(memory):
    for block in [memory.obtain(blocks.LEAST) for _ in range(blocks.PLACES + 2)]:
        memory.release(block)
    assert blocks.kept_bytes() == blocks.PLACES * blocks.LEAST


def test_what_is_in_the_way_for_long_goes(memory):
    for block in [memory.obtain(blocks.LEAST) for _ in range(blocks.PLACES)]:
        memory.release(block)
    for _ in range(blocks.PATIENCE - 1):
        memory.release(memory.obtain(1 << 24))
    assert blocks.kept_bytes() == blocks.PLACES * blocks.LEAST
    memory.release(memory.obtain(1 << 24))
    assert blocks.kept_bytes() == 1 << 24


def test_an_enlarged_block_has_its_content(memory):
    block = memory.enlarge(None, 100)
    ctypes.memmove(block, bytes(range(100)), 100)
    for size in (1 << 12, 1 << 17, 1 << 18):
        block = memory.enlarge(block, size)
        assert ctypes.string_at(block, 100) == bytes(range(100))
    memory.release(block)


def test_no_block_is_given_twice(memory):
    draw, held = random.Random(0), {}
    for turn in range(2000):
        if held and draw.random() < 0.5:
            block = draw.choice(list(held))
            mark, size = held.pop(block)
            assert ctypes.string_at(block, size) == bytes([mark]) * size
            memory.release(block)
        elif len(held) < 20:
            size = draw.choice([10, 1 << 16, 1 << 17, 3 << 16, 1 << 20])
            block = memory.obtain(size)
            assert block not in held
            ctypes.memset(block, turn % 251, size)
            held[block] = turn % 251, size
    assert blocks.kept_bytes() <= blocks.MOST


def test_calls_that_keep_memory_give_what_they_gave():
    @ag.convert
    def mixed(x):
        y = x @ x
        z = np.tanh(y) @ x
        return z, y + 1

    draw = np.random.default_rng(0)
    for n in (150, 300, 150, 200):
        x = draw.normal(size=(n, n))
        first = [np.array(part) for part in mixed(x)]
        assert blocks.kept_bytes() > 0
        for found, expected in zip(mixed(x), first, strict=True):
            assert np.array_equal(found, expected)
        y = x @ x
        np.testing.assert_allclose(first[1], y + 1, rtol=1e-10, atol=1e-10)


def test_gradients_of_loops_keep_their_stacks():
    @ag.convert
    def slope(x, n):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(n):
                y = np.sin(y) * x
            total = np.sum(y)
        return tape.gradient(total, x)

    x = np.linspace(0.5, 1, 500)
    once = [np.array(slope(x, n)) for n in (200, 10, 300)]
    again = [np.array(slope(x, n)) for n in (200, 10, 300)]
    for a, b in zip(once, again, strict=True):
        assert np.array_equal(a, b)


def test_a_stack_of_few_values_is_made_where_the_last_one_was(memory):
    @ag.convert
    def slope(x, n):
        return ag.grad(lambda x: np.sum(powers(x, n)))(x)

    def powers(x, n):
        y = x
        for _ in range(n):
            y = np.tanh(y) * x
        return y

    slope(np.linspace(0, 1, 20), np.int64(3))
    kept = blocks.kept_bytes()
    assert kept and kept % blocks.ROOM == 0
    for n in (2, 4, 1000):  # 160 kB each
        slope(np.linspace(0, 1, 20), np.int64(n))
        assert blocks.kept_bytes() == kept


def test_what_grows_gets_all_the_room_that_is_kept(memory):
    large = memory.obtain(1 << 22)
    memory.release(large)
    few = memory.enlarge(None, blocks.ROOM)
    assert few != large  # which others may need
    ctypes.memset(few, 7, 100)
    assert memory.enlarge(few, blocks.ROOM + 1) == large
    assert ctypes.string_at(large, 100) == bytes([7]) * 100
    assert ctypes.c_int64.from_address(large - 8).value == 1 << 22


# ---- arrays --------------------------------------------------------------------------------------


@ag.convert
def doubled(x):
    return x * 2


N = 1 << 19


def place_of(x):
    return x.__array_interface__["data"][0]


def test_a_large_result_is_made_where_the_last_one_was(memory):
    x = np.arange(N, dtype="f4")
    first = doubled(x)
    place, kept = place_of(first), blocks.kept_bytes()
    del first
    assert blocks.kept_bytes() >= kept + 4 * N
    second = doubled(x)
    assert place_of(second) == place
    np.testing.assert_array_equal(second, x * 2)


def test_a_result_that_is_held_keeps_its_memory(memory):
    x = np.ones(N, "f4")
    held = [doubled(x) for _ in range(3)]
    part = held.pop()[5:10]
    assert len({place_of(y) for y in held}) == 2
    for _ in range(3):
        doubled(x + 1)
    assert all((y == 2).all() for y in held) and (part == 2).all()


def test_results_are_arrays_as_any_other(memory):
    y = doubled(np.ones(N, "f4"))
    assert y.flags.owndata and y.flags.writeable and y.base is None
    y.resize(2 * N, refcheck=False)
    assert (y[:N] == 2).all() and not y[N:].any()
    y.resize(10, refcheck=False)
    assert y.tolist() == [2.0] * 10
    assert np.empty(N, "f4").flags.owndata  # NumPy's own functions are back
    kept = blocks.kept_bytes()
    z = np.empty(N, "f4")
    del z
    assert blocks.kept_bytes() == kept


def test_arrays_of_any_shape_and_dtype_are_freed_in_threads_and_after_errors(memory):
    with ThreadPoolExecutor(4) as threads:
        for dtype in ("f8", "i2", "?"):
            x = np.ones((4, N // 2), dtype)
            for y in threads.map(lambda _, x=x: ag.convert(lambda v: v + v)(x), range(8)):
                np.testing.assert_array_equal(y, x + x)
    with pytest.raises(MemoryError):
        ag.convert(lambda n: np.zeros(n) + 1)(np.int64(1 << 55))
    assert (doubled(np.ones(N)) == 2).all()


def test_arrays_may_be_freed_last_of_all():
    text = """
import numpy as np, autograph as ag
f = ag.convert(lambda x: x * 2)
class Held:
    pass
held = Held()
held.own, held.y = held, [f(np.ones(1 << 20)) for _ in range(9)]
np.kept = f(np.ones(1 << 20))
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
