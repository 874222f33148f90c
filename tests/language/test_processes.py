"""Pickling, fork, spawn, and memory that does not grow."""

import copy
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from runtime import config

ROOT = Path(__file__).parents[2]


@ag.convert
def absolute(x):
    if x > 0:
        return x
    return -x


def plain(x):
    return x * 2


class Holder:
    def __init__(self, k):
        self.k = k

    @ag.convert
    def scale(self, x):
        return x * self.k

    @staticmethod
    @ag.convert
    def double(x):
        return x * 2


def test_s18_pickles_by_name():
    for function in (absolute, Holder.scale, Holder.double):
        assert pickle.loads(pickle.dumps(function)) is function
    wrapped = pickle.loads(pickle.dumps(ag.convert(plain, pure=True)))
    assert wrapped.python_function is plain and wrapped(2.0) == 4.0
    assert copy.copy(absolute) is absolute and copy.deepcopy([absolute])[0] is absolute


def test_s18_bound_method_pickles_with_its_object():
    method = pickle.loads(pickle.dumps(Holder(3.0).scale))
    assert method(2.0) == 6.0 and method.__self__.k == 3.0
    copied = copy.deepcopy(Holder(4.0))
    assert copied.scale(2.0) == 8.0


BY_VALUE = """
import sys
import autograph as ag, cloudpickle, numpy as np

def helper(x):
    total = x * 0
    for i in range(x.shape[0]):
        if x[i] > 0:
            total = total + x[i]
    return total

@ag.convert
def decorated(x): return helper(x) * 2

@ag.convert
def again(n): return n if n < 2 else again(n - 1) + again(n - 2)

class Model:
    scale = 3.0
    @ag.convert
    def method(self, x): return helper(x) * self.scale
    def plain(self, x): return helper(x) + self.scale

def made(k):
    return ag.convert(lambda x: helper(x) * k)

x = np.array([1.0, -2.0, 3.0])
things = [decorated, again, Model().method, ag.convert(Model().plain), made(5.0),
          ag.grad(lambda x: (helper(x) * x).sum()), ag.vmap(lambda x: x * 2),
          ag.convert(ag.grad(lambda x: decorated(x).sum()))]
pairs = [(f, 7 if f is again else x) for f in things]
with open(sys.argv[1], "wb") as file:
    cloudpickle.dump([(*pair, repr(pair[0](pair[1]))) for pair in pairs], file)
"""


def test_functions_of_a_program_are_pickled_as_they_are(tmp_path):
    """By cloudpickle, for a process that has neither the program nor its file."""
    pytest.importorskip("cloudpickle")
    program, file = tmp_path / "program.py", tmp_path / "functions"
    program.write_text(BY_VALUE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, program, file], check=True, env=environment)
    program.unlink()
    with open(file, "rb") as stream:
        for function, x, expected in pickle.load(stream):
            assert repr(function(x)) == expected


def test_joblib_takes_functions_to_its_processes():
    joblib = pytest.importorskip("joblib")
    tasks = [
        joblib.delayed(function)(np.full(3, k))
        for k in (1.0, -1.0)
        for function in (ag.grad(lambda x: absolute(x.sum())), ag.vmap(plain))
    ]
    found = joblib.Parallel(n_jobs=2)(tasks)
    assert [x.tolist() for x in found] == [[1.0] * 3, [2.0] * 3, [-1.0] * 3, [-2.0] * 3]


def test_a_graph_says_why_it_is_not_pickled():
    concrete = absolute.get_concrete_function(np.ones(3).sum())
    with pytest.raises(pickle.PicklingError, match=r"get_concrete_function.*ag\.save"):
        pickle.dumps(concrete)
    assert copy.deepcopy([concrete])[0] is concrete


def test_pickling_a_local_function_says_why():
    local = ag.convert(lambda x: x)
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError), match="lambda|local"):
        pickle.dumps(local)


def test_s18_fork():
    assert absolute(-1.0) == 1.0
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        assert pool.map(absolute, [-1.0, 2.0, -3.0, 4.0]) == [1.0, 2.0, 3.0, 4.0]


SPAWNED = """
import multiprocessing
import numpy as np
import autograph as ag

@ag.convert
def power(x):
    while x < 100:
        x = x * x
    return x

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(power, [3.0, np.float64(5.0)]))
"""


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120,
        check=False, **options,
    )  # fmt: skip


def test_s18_spawn(tmp_path):
    script = tmp_path / "spawned.py"
    script.write_text(SPAWNED)
    done = python(str(script), env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[6561.0, np.float64(625.0)]"


def test_s19_e3_python_dash_c():
    done = python(
        "-c",
        "import autograph as ag; f = ag.convert(lambda x: x if x > 0 else -x); "
        "print(f(ag.constant(-2)).numpy())",
    )
    assert (done.stdout.strip(), done.stderr) == ("2", "")


def test_s19_e3_source_from_standard_input():
    done = python("-", input="import autograph as ag\nag.convert(lambda x: x)(1.0)\n")
    assert done.returncode == 1 and "convert_source" in done.stderr


def test_a_users_runtime_module_does_not_hide_ours(tmp_path):
    (tmp_path / "runtime.py").write_text("x = 1\n")
    (tmp_path / "main.py").write_text("import autograph\n")
    done = python(str(tmp_path / "main.py"), env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 1 and "a module of that name hides it" in done.stderr


# ---- memory (B6.16) -----------------------------------------------------------------------------


def resident():
    """Bytes of memory that the process has now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def grows_by(call, count):
    """Growth of the process over `count` calls, after a warm-up that fills caches."""
    for i in range(max(min(count // 4, 2_000), 900)):
        call(i)
    before = resident()
    for i in range(count):
        call(i + count)
    return resident() - before


def calls(count):
    x, v = np.ones(4), ag.Variable(1.0)
    table = {"k": 2.0}
    plain = ag.convert(lambda x: x * 2 + 1)
    guarded = ag.convert(lambda x: x * table["k"])
    loop = ag.convert(lambda x: absolute(x) + 1)
    assign = ag.convert(lambda x: v.assign(x))
    written = ag.convert(lambda o, x: setattr(o, "k", x))
    holder = Holder(1.0)
    yield "arrays", lambda i: plain(x), count
    yield "floats", lambda i: plain(i + 0.5), count
    yield "ints", lambda i: plain(i), count
    yield "guards", lambda i: guarded(1.0), count
    yield "branches", lambda i: loop(float(-i)), count
    yield "variables", lambda i: assign(float(i)), count
    yield "writes", lambda i: written(holder, float(i)), count // 2
    yield "methods", lambda i: holder.scale(float(i)), count // 2
    # A trace at each call, about a millisecond, of which the cache keeps the last ones.
    strings = ag.convert(lambda x, name: x * len(name))
    traced = count if count >= 100_000 else count // 10
    yield "strings", lambda i: strings(1.0, f"name{i:06}"), traced
    yield "objects", lambda i: Holder(2.0).scale(float(i)), traced
    yield "eager", lambda i: (ag.constant(x) * 2).numpy(), count // 4


@pytest.mark.parametrize("count", [4_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_b6_16_calls_do_not_grow_the_process(count):
    grown = {}
    with config.cache_size.using(16):
        for name, call, times in calls(count):
            grown[name] = grows_by(call, times)
    too_much = {name: size for name, size in grown.items() if size >= 1_000_000}
    assert not too_much


def test_dropped_functions_do_not_grow_the_process():
    def body(x):
        if x > 0:
            return x * 2
        return x

    def call(i):
        f = ag.convert(body)
        assert f(1.0) == 2.0

    assert grows_by(call, 100) < 1_000_000


def test_failing_calls_do_not_grow_the_process():
    @ag.convert
    def f(x):
        if x > 0:
            raise ValueError("no")
        return x

    def call(i):
        with pytest.raises(ValueError, match="no"):
            f(1.0)

    assert grows_by(call, 500) < 1_000_000
