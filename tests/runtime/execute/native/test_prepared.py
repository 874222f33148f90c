"""Compiled graphs as one calls them: errors, interrupts, and arguments of any kind."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.execute.native import prepared
from runtime.execute.native.miss import MISS
from runtime.execute.native.prepared import Native
from runtime.execute.native.signature import Signature


def native_of(function):
    """The native code of the last trace."""
    run = function.traces()[-1]._differentiable.run
    assert isinstance(run, Native), run.reason
    return run


def double(x):
    return x * 2 + 1


def test_what_a_text_needs_is_made_while_it_is_compiled(monkeypatch):
    both = threading.Barrier(2)
    monkeypatch.setattr(prepared, "compiled", lambda text: (both.wait(20), b"object")[1])
    monkeypatch.setattr(prepared.pool, "parallel", lambda: both.wait(20))
    with config.threads.using(2):
        code = prepared.Code.of("call @part0", Signature((), ()))
    assert code.machine == b"object" and code.needs_threads and not code.needs_heap


@pytest.mark.parametrize(
    ("asked", "ending", "processors", "made"),
    [
        (False, False, 1, 3),
        (True, False, 2, 3),
        (True, False, 1, 0),
        (False, True, 2, 0),
    ],
)
def test_more_is_brought_in_where_there_is_a_processor_for_it(
    monkeypatch, asked, ending, processors, made
):
    texts = []
    monkeypatch.setattr(prepared, "cores", lambda: processors)
    monkeypatch.setattr(prepared, "compiled", lambda text, level: texts.append(text))
    monkeypatch.setattr(prepared.engine, "warm_up", lambda: texts.append(""))
    prepared.bring_in_more(lambda: asked, lambda: ending)
    assert len(texts) == made


def test_a_text_that_all_graphs_need_is_compiled_once_by_threads_that_ask_together(monkeypatch):
    texts, emitted = [], prepared.engine._emitted

    def slowly(*given, **how):
        texts.append(given)
        time.sleep(0.05)
        return emitted(*given, **how)

    monkeypatch.setattr(prepared.engine, "_emitted", slowly)
    text = "define i64 @compiled_once_by_threads() {\n  ret i64 1\n}\n"
    found = []
    ask = lambda: found.append(prepared.engine.compile_text(text, prepared.QUICK))  # noqa: E731
    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 1 and len(found) == 3 and len(set(found)) == 1


def test_the_entry_that_a_thread_made_too_is_kept(monkeypatch):
    class Code:
        pass

    made = []

    def load(machine):
        code = Code()
        made.append(weakref.ref(code))
        return code

    monkeypatch.setattr(prepared, "compiled", lambda *given: b"")
    monkeypatch.setattr(prepared, "load", load)
    prepared.entry.__wrapped__()  # as a thread does whose code the cache does not keep
    gc.collect()
    assert made[0]() is not None


# ---- what is taken -------------------------------------------------------------------------------

VECTOR = np.arange(12.0).reshape(3, 4)


class Sub(np.ndarray):
    pass


def misaligned(array):
    """The array at an odd address."""
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    made = memory[: array.nbytes].view(array.dtype).reshape(array.shape)
    made[...] = array
    assert not made.flags.aligned
    return made


def read_only(array):
    made = array.copy()
    made.flags.writeable = False
    return made


ODD = {
    "strided": np.repeat(VECTOR, 2, axis=1)[:, ::2],
    "reversed": VECTOR[::-1, ::-1],
    "in columns": np.asfortranarray(VECTOR),
    "of stride 0": np.broadcast_to(VECTOR[:1], VECTOR.shape),
    "misaligned": misaligned(VECTOR),
    "read-only": read_only(VECTOR),
    "byte-swapped": VECTOR.astype(">f8"),
    "of a subclass": VECTOR.view(Sub),
    "of another shape": VECTOR.ravel(),
    "of rank 3": VECTOR[None],
    "empty": VECTOR[:0],
    "of another dtype": VECTOR.astype("f4"),
    "of ints": VECTOR.astype("i8"),
    "complex": VECTOR.astype("c16"),
    "of rank 0": np.array(3.0),
    "a scalar": np.float64(3.0),
    "a float": 3.0,
    "an int": 3,
    "a bool": True,
    "with a dtype of its own": VECTOR.view(np.dtype("f8", metadata={"a": 1})),
}


# Of these but the last, the kernel has copies.
LYING_OTHERWISE = ("strided", "reversed", "in columns", "of stride 0", "misaligned", "read-only")


@pytest.mark.parametrize("kind", ODD)
def test_the_builtin_takes_an_argument_that_is_declared_and_no_other(kind):
    function = ag.convert(double)
    function(VECTOR)
    native = native_of(function)
    given = ODD[kind]
    if kind in LYING_OTHERWISE:
        np.testing.assert_array_equal(native.alone(given), double(given))
    else:
        assert native.alone(given) is MISS
    np.testing.assert_array_equal(native(given)[0], double(given))
    if kind != "of a subclass":  # which `convert` refuses
        np.testing.assert_array_equal(function(given), double(given))


def test_an_array_that_lies_otherwise_is_copied_and_let_go_of():
    function = ag.convert(lambda x, y: (x * 2, x + y))
    x, strided = np.ones((3, 4)), np.ones((3, 8))[:, ::2]
    function(x, x)
    native, before = native_of(function), sys.getrefcount(strided)
    for _ in range(3):
        for args in ((strided, x), (x, strided), (strided, strided)):
            for found, expected in zip(native.together(*args), (x * 2, x + x), strict=True):
                np.testing.assert_array_equal(found, expected)
    del args
    assert sys.getrefcount(strided) == before
    for missed in (strided[:2], strided[0], strided.astype("f4"), None):
        assert native.together(strided, missed) is MISS and native.together(missed, strided) is MISS
    assert sys.getrefcount(strided) == before and function.trace_count == 1


NUMBERS = [
    2.5,
    1 + 2j,
    np.bool_(1),
    np.int8(3),
    np.float32(2.5),
    np.complex64(2j),
    np.complex128(2j),
]


@pytest.mark.parametrize("given", NUMBERS)
@pytest.mark.parametrize("args", [(), (VECTOR,)])
def test_a_number_that_is_declared_is_taken(given, args):
    function = ag.convert(lambda *numbers: numbers[0] * 2 * numbers[-1])
    function(*args, given)
    found, expected = (
        native_of(function).alone(*args, given),
        function.python_function(*args, given),
    )
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["strided", "reversed", "in columns", "of stride 0", "misaligned"])
@pytest.mark.parametrize("gives", [lambda x, y: x + y, lambda x, y: (x + y, y * 2)])
def test_arrays_that_do_not_lie_in_rows_are_copied_for_native_code(kind, gives, monkeypatch):
    function, given = ag.convert(gives), ODD[kind]
    function(VECTOR, VECTOR)

    def refuse(*inputs):
        raise AssertionError("the plan")

    monkeypatch.setattr(native_of(function), "_plan", refuse)
    monkeypatch.setattr(type(function), "_call", refuse)
    for x, y in ((given, VECTOR), (VECTOR, given), (given, given)):
        np.testing.assert_array_equal(function(x, y), gives(x, y))


def test_a_column_that_is_written_is_the_callers():
    def add(x, y):
        for i in range(len(x)):
            x[i] += y[i]
        return x

    function, ours, plain = ag.convert(add), VECTOR.copy(), VECTOR.copy()
    for k in range(3):
        assert function(ours[:, k], ours[k, :3]) is not None
        add(plain[:, k], plain[k, :3])
    np.testing.assert_array_equal(ours, plain)


@pytest.mark.parametrize("given", [None, "text", [1.0], (1,), {}, object, np.ndarray, slice(3)])
def test_what_is_no_number_is_missed(given):
    function = ag.convert(double)
    function(VECTOR)
    function(np.float32(1.0))
    for concrete in function.traces():
        assert concrete._differentiable.run.alone(given) is MISS


def test_a_wrong_number_of_arguments_is_missed():
    function = ag.convert(double)
    function(VECTOR)
    native = native_of(function)
    assert native.alone() is MISS and native.alone(VECTOR, VECTOR) is MISS
    with pytest.raises(TypeError):
        native.alone(x=VECTOR)
    with pytest.raises(TypeError):
        native.call()


def test_arguments_that_overlap_are_only_read():
    function = ag.convert(lambda x, y: x * 2 + y)
    memory = np.arange(40.0)
    x, y = memory[:32], memory[8:]
    for _ in range(2):
        np.testing.assert_array_equal(function(x, y), x * 2 + y)
    np.testing.assert_array_equal(memory, np.arange(40.0))


def test_a_result_is_an_array_of_its_own():
    function = ag.convert(lambda x, n: x if n > 0 else x * 2)
    x, n = np.arange(30.0), np.int64(1)
    for _ in range(3):
        result = function(x, n)
        assert result.flags.writeable and result.flags.c_contiguous


@pytest.mark.parametrize("value", [0, 5, -1, 2**31, 2**63 - 1, -(2**63)])
def test_python_ints_of_64_bits_are_taken(value):
    function = ag.convert(lambda x, n: x + n)
    x = np.int64(3)
    function(x, 1), function(x, 2)
    with np.errstate(over="ignore"):
        assert function(x, value) == x + value


def test_a_python_int_beyond_64_bits_is_missed():
    function = ag.convert(lambda x, n: x > n)
    x = np.float64(3)
    assert function(x, 1) and function(x, 2)
    assert native_of(function).alone(x, 2**70) is MISS
    assert native_of(function).alone(x, True) is MISS


def test_results_are_of_the_kinds_of_numpy_and_python():
    sample = ag.convert(lambda x, n, f: (x + n, n + 1, f * 2, n > 1, x > 1, x.dtype == n))
    x = np.float32(1.5)
    sample(x, 1, 1.0)
    results = sample(x, 2, 1.5)
    assert [type(r) for r in results[:5]] == [np.float32, int, float, bool, np.bool_]
    assert results[:4] == (3.5, 3, 3.0, True)


def test_calls_leave_no_memory_behind():
    function = ag.convert(double)
    number, vector = np.float32(1.5), np.arange(1000.0)
    function(number), function(vector)
    counts = [sys.getrefcount(x) for x in (number, vector, number.dtype, vector.dtype, MISS)]
    for _ in range(10_000):
        function(number), function(vector), function(vector[::2])
    after = [sys.getrefcount(x) for x in (number, vector, number.dtype, vector.dtype, MISS)]
    assert all(abs(a - b) < 50 for a, b in zip(counts, after, strict=True))


def test_threads_call_the_same_code_at_once():
    function = ag.convert(double)
    arrays = [np.arange(5000.0) + k for k in range(4)]
    function(arrays[0])
    wrong = []

    def work(array):
        for _ in range(300):
            if not np.array_equal(function(array), double(array)):
                wrong.append(array[0])

    threads = [threading.Thread(target=work, args=(array,)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# ---- errors --------------------------------------------------------------------------------------


def test_an_error_is_that_of_python_at_the_users_line():
    def divide(n, m):
        total = 0
        while n > 0:
            total = total + 100 // (n - m)
            n = n - 1
        return total

    function = ag.convert(divide)
    function(5, 9), function(6, 9)
    native_of(function)
    with pytest.raises(ZeroDivisionError) as caught:
        function(6, 3)
    line = caught.traceback[-1].lineno + 1
    assert line == divide.__code__.co_firstlineno + 3
    assert caught.traceback[-1].frame.code.name == "divide"


def test_an_overflow_of_a_python_int_names_the_number():
    def grow(n):
        x = 1
        while n > 0:
            x = x * 10
            n = n - 1
        return x

    function = ag.convert(grow)  # of a number of NumPy's: Python's own are Python's to go on with
    assert function(np.int64(2)) == 100 and function(np.int64(3)) == 1000
    native_of(function)
    with pytest.raises(OverflowError, match="does not fit in 64 bits"):
        function(np.int64(30))


def test_the_users_own_exception_is_raised_with_its_values():
    class Lost(Exception):
        pass

    def find(n, m):
        while n != m:
            if n > 100:
                raise Lost(f"at {n}", n)
            n = n * 2
        return n

    function = ag.convert(find)
    assert function(np.int64(3), np.int64(12)) == 12
    native_of(function)
    with pytest.raises(Lost, match="at 192") as caught:
        function(np.int64(3), np.int64(13))
    assert caught.value.args[1] == 192


# ---- interrupts ----------------------------------------------------------------------------------

LOOP = """
import numpy as np, autograph as ag, signal

signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it

@ag.convert
def spin(n):
    i = np.int64(0)
    while i != n:
        i = i + 2
        i = i % 1000000
    return i

spin(np.int64(10))
print("ready", flush=True)
try:
    spin(np.int64(7))
except KeyboardInterrupt as error:
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    print("stopped", trace.tb_frame.f_code.co_name, trace.tb_lineno, flush=True)
"""


def test_control_c_stops_a_loop_at_the_users_line(tmp_path):
    path = tmp_path / "spin.py"
    path.write_text(LOOP)
    command = [sys.executable, str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        too_late = threading.Timer(60, child.kill)
        too_late.start()
        said = child.stdout.readline()
        too_late.cancel()
        child.kill()
    assert said == "stopped spin 9\n"


def test_other_threads_run_while_a_loop_does():
    @ag.convert
    def spin(n):
        i = np.int64(0)
        while i < n:
            i = i + 1
            i = i - 1 if i % 7 == 8 else i
        return i

    spin(np.int64(3))
    native_of(spin)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    spin(np.int64(2_000_000_000))
    done.set()
    thread.join()
    assert len(ticks) > 5
