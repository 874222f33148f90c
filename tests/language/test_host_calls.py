"""Calls of Python code: made each time the graph runs, in their place, with the real values.

Python code is here what has no source: it is neither converted nor pure.
"""

import collections
import datetime
import functools
import gc
import io
import json
import logging
import os
import random
import sys
import time
import types
import weakref

import numpy as np
import pytest

import autograph as ag
from autograph.operators.loops import progress
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import assert_equal, check, golden, observe, refuse

F, I = np.float64, np.int64

_SOURCE = """
import numpy as np

def tell(*args, **kwargs):
    print("told", [type(a).__name__ for a in args], *args, *sorted(kwargs.items()))

def show(x):
    print("shown", np.asarray(x), getattr(x, "dtype", type(x).__name__))

def fail_above(x, limit):
    print("asked", float(x))
    if x > limit:
        raise LookupError(f"{float(x)} is above {limit}")
    return float(x) * 2

def give(x):
    return x

def double(x):
    return np.asarray(x) * 2

kept = []

def keep(*args):
    kept.append(args)

def write(x):
    x[0] = 99.0

def set_item(d, key, value):
    d[key] = value

def look(thing):
    print("looked", vars(thing) if hasattr(thing, "__dict__") else thing)

def change(thing, name, value):
    setattr(thing, name, value)

def parts(x):
    return {"a": int(x[0]), "b": (x[1], x)}

def call(function, *args):
    return function(*args)
"""
host = types.ModuleType("host")
exec(_SOURCE, host.__dict__)
tell, show, give, keep, look, double = (
    host.tell, host.show, host.give, host.keep, host.look, host.double,
)  # fmt: skip
fail_above, change, write, set_item = host.fail_above, host.change, host.write, host.set_item


# ---- order and values --------------------------------------------------------------------------


def in_order(x, n):
    print("first")
    tell("a", int(n), x=float(x))
    x = x + 1
    print("then", float(x))
    tell(1, 2.5, True, None, "text", (1, float(x)), [int(n)], {"k": float(x)})
    return x


def in_a_branch(x):
    if x > 0:
        tell("positive", float(x))
        y = x + 1
    else:
        tell("negative")
        y = x - 1
    tell("after", float(y))
    return y


def in_a_loop(x, n):
    for i in range(n):
        tell(i, float(x))
        if x > 2:
            tell("large")
            break
        x = x + 1
    return x


def in_a_while(n):
    while n > 0:
        tell(int(n))
        n = n - 1
    return n


def arrays(x):
    show(x)
    show(x[1:])
    show(x * 2)
    show(x.sum())
    return x


def unrolled(x):
    for name in ["a", "b"]:
        tell(name, float(x))
        x = x + 1
    return x


@pytest.mark.parametrize(("sample", "cases"), [
    (in_order, [(F(1), I(2)), (F(-1), I(3))]),
    (in_a_branch, [(F(1),), (F(-1),)]),
    (in_a_loop, [(F(1), I(4)), (F(-5), I(2)), (F(0), I(0))]),
    (in_a_while, [(I(3),), (I(0),)]),
    (arrays, [(np.arange(3.0),), (np.ones(3),)]),
    (unrolled, [(F(1),), (F(2),)]),
], ids=lambda p: getattr(p, "__name__", ""))  # fmt: skip
def test_b6_14_calls_are_made_in_the_order_of_the_program(sample, cases):
    """B6.14: effects of Python code at each run, in program order."""
    checked = check(sample, *cases)
    assert "a call of `host." in checked.unsaved


def test_arrays_of_the_callers_are_given_themselves():
    x = np.arange(3.0)
    for backend in BACKENDS:
        with config.backend.using(backend):
            f = ag.convert(lambda x: (keep(x, x[1:]), x + 1)[1])
            for _ in range(2):
                host.kept.clear()
                f(x)
                assert host.kept[0][0] is x and host.kept[0][1].base is x


def test_objects_are_given_themselves():
    thing, text = types.SimpleNamespace(a=1), ["a"]
    f = ag.convert(lambda x: (keep(thing, text, keep), x + 1)[1])
    for _ in range(2):
        host.kept.clear()
        assert f(np.ones(2)).tolist() == [2, 2]
        assert host.kept[0][0] is thing and host.kept[0][1] is text and host.kept[0][2] is keep


# ---- what the function wrote before, and writes after -------------------------------------------


class Model:
    def __init__(self):
        self.count, self.weights, self.seen = 0, np.zeros(2), []

    def step(self, x):
        self.count += 1
        self.weights = self.weights + x
        look(self)
        self.weights[0] = 7.0
        self.seen.append(self.count)
        look(self)
        return self.weights * 2

    def loop(self, x, n):
        for i in range(n):
            self.count = self.count + 1
            self.weights = self.weights + x
            look(self)
        return self.weights.sum()


def objects_are_written_before(x):
    model = host.model
    model.count += 1
    model.total = model.total + x
    look(model)
    model.names.append(model.count)
    look(model)
    model.table["x"] = x.sum()
    look(model)
    return x + model.total


def test_python_code_finds_what_was_written_before_it():
    x = np.arange(2.0)
    for backend in BACKENDS:
        outcomes = []
        for convert in (lambda f: f, ag.convert):
            host.model = types.SimpleNamespace(count=0, total=0.0, names=[], table={})
            f = convert(objects_are_written_before)
            with config.backend.using(backend):
                outcomes.append([observe(f, (x,)) for _ in range(3)])
            outcomes[-1].append(str(vars(host.model)))
        for plain, got in zip(*outcomes):
            assert str(plain) == str(got)


def places_as_they_were(x):
    model, old = host.model, host.model.total
    model.extra, model.total = 2, x.sum()
    model.table["key"], model.names[0] = 1, "b"
    model.names.append("c")
    look(model)
    del model.extra, model.table["key"]
    model.total = old
    model.names[0] = "a"
    look(model)
    model.names.append("d")
    return x


def test_what_was_written_for_python_code_only_is_taken_back():
    for backend in BACKENDS:
        outcomes = []
        for convert in (lambda f: f, ag.convert):
            host.model = types.SimpleNamespace(total=0.0, names=["a"], table={"x": 1})
            f = convert(places_as_they_were)
            with config.backend.using(backend):
                outcomes.append([str(observe(f, (np.ones(2),))) for _ in range(3)])
            outcomes[-1].append(str(vars(host.model)))
        assert outcomes[0] == outcomes[1] and "'names': ['a', 'c', 'd'," in outcomes[0][-1]


def arrays_are_written_before(x, n):
    before = x.copy()
    x += 1
    show(x)
    for i in range(n):
        x[i] = 10.0 * i
        show(x)
    return x - before


def test_arrays_of_the_callers_are_written_before():
    check(arrays_are_written_before, (np.arange(3.0), I(2)), (np.ones(3), I(3)))


def test_methods_with_objects_of_their_own():
    def run(convert):
        model, x = Model(), np.ones(2)
        step, loop = convert(Model.loop), convert(Model.step)
        del loop
        return [observe(step, (model, x, I(n))) for n in (2, 3)], model

    (plain, one), (got, other) = run(lambda f: f), run(ag.convert)
    assert [o.printed for o in got] == [o.printed for o in plain]
    assert other.count == one.count == 5 and other.weights.tolist() == one.weights.tolist()


def test_what_python_code_may_keep_is_not_written_after():
    message = refuse(Model.step, Model(), np.ones(2), match="may keep it, and it is written here")
    assert "`host.look` is given this array" in message


def writes_an_array_that_was_given(x):
    y = x * 2
    keep(y)
    y[0] = 1.0  # refused
    return y


def writes_an_array_in_a_loop(x, n):
    y = x * 2
    for i in range(n):  # refused
        y[i] = 1.0
        keep(y)
    return y


def changes_a_list_that_was_given(x):
    y = [1, 2]
    keep(y)
    y.append(3)  # refused
    return x + len(y)


@pytest.mark.parametrize("sample", [writes_an_array_that_was_given, changes_a_list_that_was_given])
def test_what_was_given_away_stays_as_it_is(sample):
    refuse(sample, np.ones(3), match="may keep it, and it is (written|changed) here")


def test_what_is_given_away_in_a_loop_stays_as_it_is():
    refuse(writes_an_array_in_a_loop, np.ones(3), I(2), match="may keep it, and it is written here")


def copies_may_be_kept(x, n):
    y = x * 2
    for i in range(n):
        y[i] = 1.0
        keep(y.copy())
    return y


def test_copies_may_be_kept():
    f = ag.convert(copies_may_be_kept)
    for n in (2, 3):
        host.kept.clear()
        f(np.ones(3), I(n))
        rows = [row.tolist() for (row,) in host.kept]
        assert rows == [[1, 2, 2], [1, 1, 2], [1, 1, 1]][:n]
        assert all(row.flags.writeable for (row,) in host.kept)


def gives_and_keeps(x):
    y = x * 2
    keep(y)
    return y


def test_an_array_that_is_kept_and_given_back_is_one():
    f = ag.convert(gives_and_keeps)
    for _ in range(2):
        host.kept.clear()
        assert f(np.ones(2)) is host.kept[0][0] and host.kept[0][0].flags.writeable


# ---- what Python code changes ------------------------------------------------------------------


def its_array_is_written(x):
    y = x + 1
    write(y)  # refused
    return y


def the_callers_array_is_written(x):
    write(x)  # refused
    return x + 1


def its_container_is_changed(x):
    d = {"a": 1}
    set_item(d, "a", 2)  # refused
    return x + d["a"]


def a_container_of_the_callers_is_changed(x, d):
    set_item(d, "a", 2.0)  # refused
    return x + 1


@pytest.mark.parametrize(("sample", "arguments"), [
    (its_array_is_written, (np.ones(3),)),
    (the_callers_array_is_written, (np.ones(3),)),
    (its_container_is_changed, (np.ones(3),)),
    (a_container_of_the_callers_is_changed, (np.ones(3), {"a": 1.0})),
], ids=lambda p: getattr(p, "__name__", ""))  # fmt: skip
def test_changes_of_what_the_function_has_are_refused(sample, arguments):
    refuse(sample, *arguments, match=r"writes into an array|changed a dict")


def test_the_callers_array_can_be_written_after_the_error():
    x = np.ones(2)
    with pytest.raises(ag.StagingError, match="writes into an array of the converted function"):
        ag.convert(the_callers_array_is_written)(x)
    assert x.flags.writeable


state = types.SimpleNamespace(rate=1.0, count=0)
numbers = [1.0, 2.0]


def reads_after(x):
    change(state, "rate", 3.0)  # refused
    return x * state.rate


def reads_before(x):
    y = x * state.rate
    change(state, "rate", state.rate + 1)
    return y


def reads_in_the_next_round(x, n):
    for i in range(n):
        x = x * state.rate
        change(state, "rate", 3.0 + i)  # refused
    return x


def writes_before(x):
    state.count = state.count + 1
    change(state, "count", 100)  # refused
    return x


def goes_through_after(x):
    set_item(numbers, 0, 5.0)  # refused
    return x + sum(numbers)


@pytest.mark.parametrize(("sample", "arguments"), [
    (reads_after, (F(2),)), (reads_in_the_next_round, (F(2), I(3))), (writes_before, (F(2),)),
    (goes_through_after, (F(2),)),
], ids=lambda p: getattr(p, "__name__", ""))  # fmt: skip
def test_changes_that_the_function_would_have_to_see_are_refused(sample, arguments):
    state.rate, state.count, numbers[:] = 1.0, 0, [1.0, 2.0]
    refuse(sample, *arguments, match=r"changed .*a graph does\s+not see that")


def test_changes_after_the_last_read_are_seen_by_the_next_call():
    state.rate = 1.0
    f = ag.convert(reads_before)
    assert [f(F(2)) for _ in range(3)] == [2, 4, 6] and state.rate == 4


def test_a_changed_array_is_no_error_that_code_can_catch():
    def swallowing(x):
        try:
            write(x)  # refused
        except Exception:  # noqa: BLE001 - it must not catch ours
            x = x + 1
        return x

    refuse(swallowing, np.ones(3), match="writes into an array")


# ---- exceptions --------------------------------------------------------------------------------


def raises(x):
    fail_above(x, 1.0)
    return x


def caught(x):
    y = 0.0
    try:
        y = 1.0
        fail_above(x, 1.0)
        y = 2.0
    except LookupError as error:
        print("caught", error)
        y = y + 10
    finally:
        tell("finally", float(y))
    return y


def caught_in_a_loop(x, n):
    failed = 0
    for i in range(n):
        try:
            fail_above(x * i, 2.0)
        except LookupError:
            failed += 1
    return failed


def of_another_class(x):
    try:
        fail_above(x, 1.0)
    except ValueError:
        x = x + 1
    return x


@pytest.mark.parametrize(("sample", "cases"), [
    (raises, [(F(0),), (F(2),)]), (caught, [(F(0),), (F(2),)]),
    (caught_in_a_loop, [(F(1), I(5)), (F(0), I(2))]), (of_another_class, [(F(0),), (F(2),)]),
], ids=lambda p: getattr(p, "__name__", ""))  # fmt: skip
def test_exceptions_are_pythons_own(sample, cases):
    check(sample, *cases)


def effects_before_an_error(x):
    state.count = 5
    x[0] = 4.0
    fail_above(x[1], 0.5)
    state.count = 6
    return x


def test_effects_before_an_error_stay():
    x, y = np.ones(2), np.ones(2)
    with pytest.raises(LookupError):
        effects_before_an_error(x)
    f = ag.convert(effects_before_an_error)
    for array in (y, np.ones(2)):
        state.count = 0
        with pytest.raises(LookupError):
            f(array)
        assert array.tolist() == x.tolist() and state.count == 5


# ---- results -----------------------------------------------------------------------------------


def opaque(x):
    a = give((1, "text"))
    tell(a, float(x))
    state.last = a
    print("it is", a, f"or {a!r}")
    return x, [a, {"k": give(x)}]


def attributes(x):
    when = datetime.datetime(2020, 1, 2)
    there = give(when)
    tell(there.year, there.isoformat())
    box = give(state)
    box.note = 3
    return x, there.month, give([1, 2])[0]


@pytest.mark.parametrize("sample", [opaque, attributes])
def test_what_a_call_gives_can_be_stored_passed_on_and_given_back(sample):
    check(sample, (F(1),), (F(2),), tensors=False)


@pytest.mark.parametrize("use", [
    lambda r, x: r + x, lambda r, x: x * r, lambda r, x: x if r else -x, lambda r, x: r is None,
    lambda r, x: len(r), lambda r, x: [k for k in r], lambda r, x: np.sin(r), lambda r, x: r == 1,
    lambda r, x: isinstance(r, int), lambda r, x: float(r), lambda r, x: {r: x},
    lambda r, x: x.reshape(r), lambda r, x: ag.sin(r), lambda r, x: r.kind is None,
    lambda r, x: r and x, lambda r, x: next(r), lambda r, x: type(r), lambda r, x: x[r],
    lambda r, x: [1, 2][r], lambda r, x: 1 in r, lambda r, x: range(r), lambda r, x: sorted(r),
    lambda r, x: np.asarray(r), lambda r, x: max(r, 1), lambda r, x: issubclass(r, int),
    lambda r, x: hasattr(r, "real"),
], ids=lambda use: str(use.__code__.co_positions().__next__()))  # fmt: skip
def test_a_use_that_needs_the_value_is_refused(use):
    f = ag.convert(lambda x: use(give(1), x))
    with pytest.raises(
        ag.StagingError, match=r"gives is needed here[\s\S]*ag.py_call[\s\S]*do_not"
    ):
        f(np.ones(2))


def message_needed(x):
    r = give(1)
    if r > 0:  # refused
        x = x + 1
    return x


def test_message_of_a_result_that_is_needed():
    golden("host_result_needed", refuse(message_needed, F(1), match="needed here"))


def test_message_of_a_changed_object():
    state.rate = 1.0
    golden("host_changes", refuse(reads_after, F(1), match="changed"))


def test_message_of_an_array_that_is_kept():
    golden("host_keeps", refuse(writes_an_array_that_was_given, np.ones(3), match="keep"))


def test_message_of_another_result():
    def sample(x):
        return ag.py_call(double, x, result=ag.TensorSpec([2], "float32"))  # refused

    golden("host_other_result", refuse(sample, np.ones(3), match="declared", error=TypeError))


def on_some_paths(x):
    r = None
    if x > 0:
        r = give(1)
    tell(r)  # refused
    return x


def test_a_result_on_some_paths_only_is_refused():
    refuse(on_some_paths, F(1), match="`r` is ")


# ---- results whose types are certain -------------------------------------------------------------


def draws(x):
    random.seed(4)
    rng = np.random.default_rng(7)
    np.random.seed(3)
    a = random.random() + random.randint(1, 6) + random.gauss(0.0, 1.0)
    b = rng.normal(size=3) + rng.random() + rng.integers(10)
    c = np.random.rand(3) * np.random.randint(1, 5) + np.random.normal(x, 1.0)
    if random.uniform(0.0, 1.0) > 0.5:
        a = a + 1
    return a, b, c, rng.normal(0.0, x, size=(2, 2)), rng.permutation(4), rng.choice(3, size=2)


def draws_in_a_loop(x, n):
    rng = np.random.default_rng(7)
    total = np.zeros(2)
    for i in range(n):
        total = total + rng.standard_normal(2) * x
    return total


def draws_around_traced(x):
    own = random.Random(3)
    rng = np.random.default_rng(2)
    total = own.gauss(0.0, 1.0)
    while total < x:
        total += rng.random() + 1.0
    return total, rng.normal(x), own.gauss(x, 1.0)


def weighted_draws(p, n):
    rng, state, way = np.random.default_rng(n), 0, []
    random.seed(5)
    np.random.seed(6)
    for _ in range(n):
        state = rng.choice(3, p=p if state < 2 else p[::-1])
        way.append(state)
    if random.choice([1, 2, 3]) > 2 and random.choices((0.5, 1.5), weights=p[:2])[0] > p[0]:
        state = state + 10
    picked = random.sample(range(9), 2)
    counts = rng.multinomial(5, p) + np.random.multinomial(n, pvals=p)
    if np.random.choice([0.5, 1.5], p=p[:2] / (p[0] + p[1])) > 1:
        counts = counts + picked[0] - picked[1]
    return state, np.array(way), counts, rng.choice(p, 2, False, p)


P = ((0.1, 0.2, 0.7), (0.3, 0.3, 0.4), (0.4, 0.6, 0.0))


def shuffles(x):
    rng = np.random.default_rng(7)
    order = np.arange(5)
    rng.shuffle(order)
    rng.shuffle(x)
    return order, x


@pytest.mark.parametrize(("sample", "cases"), [
    (draws, [(np.arange(3.0),), (np.ones(3),)]), (draws_in_a_loop, [(F(1), I(3)), (F(2), I(4))]),
    (draws_around_traced, [(3.0,), (5.0,)]), (shuffles, [(np.arange(4.0),), (np.ones(4),)]),
    (weighted_draws, [(p, I(n)) for n, p in zip((4, 7, 2), np.array(P), strict=True)]),
], ids=lambda p: getattr(p, "__name__", ""))  # fmt: skip
def test_s16_draws_are_those_of_the_generator(sample, cases):
    check(sample, *cases, tensors=False)


def test_s16_explain_lists_them():
    rng = np.random.default_rng(0)
    f = ag.convert(lambda x: x + rng.dirichlet((1.0, 2.0)))
    plain = np.random.default_rng(0)
    for _ in range(3):
        assert f(np.zeros(2)).tolist() == plain.dirichlet((1.0, 2.0)).tolist()
    assert "`numpy.random.Generator.dirichlet` is called by the host on each call" in f.explain()


def test_draws_with_sizes_that_are_known_later():
    @ag.convert(input_signature=[ag.TensorSpec([None], "float64")])
    def f(x):
        return x + np.random.default_rng(1).normal(size=x.shape[0])

    for n in (2, 3):
        assert f(np.zeros(n)).tolist() == np.random.default_rng(1).normal(size=n).tolist()
    assert f.trace_count == 1


def test_the_clock_and_sleep():
    @ag.convert
    def f(x, n):
        began = time.perf_counter()
        for i in range(n):
            x = x + 1
            time.sleep(0.001)
        return x, time.perf_counter() - began, datetime.datetime.now(), os.getpid()

    first, second = f(F(1), I(2)), f(F(1), I(3))
    assert first[1] > 0.002 and second[1] > 0.003 and first[2] < second[2]
    assert first[3] == os.getpid() and type(first[1]) is float and f.trace_count == 1


# ---- logging, files, outer lists -----------------------------------------------------------------


def logs(x, n):
    log = logging.getLogger("tests.host_calls")
    for i in range(n):
        log.info("round %d of %d: %s", i, n, x)
        x = x * 2
    logging.getLogger("tests.host_calls").warning(f"the end: {float(x[0]):.1f}")
    return x


class Records(logging.Handler):
    def __init__(self):
        super().__init__()
        self.found = []

    def emit(self, record):
        self.found.append((record.levelname, record.getMessage(), record.funcName, record.lineno))


def test_e7_logging_with_the_users_line():
    log = logging.getLogger("tests.host_calls")
    log.setLevel(logging.INFO)
    log.propagate = False
    found = []
    for f in (logs, ag.convert(logs)):
        handler = Records()
        log.addHandler(handler)
        for n in (2, 3):
            f(np.ones(2), I(n))
        log.removeHandler(handler)
        found.append(handler.found)
    assert found[0] == found[1] and len(found[0]) == 7 and found[1][0][2] == "logs"


def writes_a_file(x, n, path):
    with open(path, "a") as file:
        for i in range(n):
            file.write(f"{i} {float(x):.2f}\n")
            x = x * 2
        file.write(json.dumps({"x": float(x), "n": int(n)}))
    return x


def prints_into_a_file(x, n, path):
    with open(path, "a") as file:
        print("from", x, x.dtype, file=file)
        for i in range(n):
            print(i, float(x), file=file, sep=": ", end=";", flush=True)
            x = x * 2
        if x > 5:
            print(f"{x:.1f}", file=file)
    other = open(path, "a")
    print(file=other)
    other.close()
    return x


def fails_with_a_file(x, path):
    with open(path, "a") as file:
        file.write("begun ")
        fail_above(x, 1.0)
        file.write("done ")
    return x


@pytest.mark.parametrize("write", [writes_a_file, prints_into_a_file])
def test_e7_what_is_in_files(write, tmp_path):
    texts = []
    for name, f in (("plain", write), ("graph", ag.convert(write))):
        for n in (2, 3):
            f(F(1), I(n), str(tmp_path / name))
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1] and texts[0].count("\n") == 5


def test_e7_files(tmp_path):
    f = ag.convert(fails_with_a_file)
    path = tmp_path / "failed"
    f(F(0), str(path))
    with pytest.raises(LookupError):
        f(F(2), str(path))
    gc.collect()
    assert path.read_text() == "begun done begun "


def test_e7_a_stream_that_is_open():
    stream = io.StringIO()
    f = ag.convert(lambda x: (stream.write(f"{float(x)};"), x + 1)[1])
    for k in range(3):
        f(F(k))
    assert stream.getvalue() == "0.0;1.0;2.0;"


history: list = []


def train_step(w, x):
    loss = ((w - x) ** 2).sum()
    history.append(float(loss))
    tell("loss", float(loss))
    return w - 0.1 * 2 * (w - x)


def train_tensors(w, x):
    loss = ag.sum((w - x) ** 2)
    history.append(loss.numpy())
    history.append(loss.item())
    keep(loss.numpy(), float(loss.numpy()))
    return w


def test_e7_lists_and_calls_in_one_function():
    history.clear()
    check(train_step, (np.ones(2), np.zeros(2)), (np.ones(2), np.ones(2)))
    assert all(type(loss) is float for loss in history)


def test_e7_numpy_and_item_of_tensors():
    f = ag.convert(train_tensors)
    history.clear()
    host.kept.clear()
    for k in range(3):
        f(ag.constant([1.0, 2.0]), ag.constant([0.0, float(k)]))
    assert [type(v) for v in history] == [np.float64, float] * 3
    assert history[::2] == [5.0, 2.0, 1.0] and host.kept[1] == (2.0, 2.0) and f.trace_count == 1


def callbacks(x, callback, n):
    for i in range(n):
        x = x + 1
        callback(i, float(x))
    return x


def test_callbacks_given_as_arguments():
    for name in ("tell", "keep"):
        f = ag.convert(callbacks)
        host.kept.clear()
        f(F(1), getattr(host, name), I(2))
        f(F(1), getattr(host, name), I(3))
        assert f.trace_count == 1
    assert host.kept == [(0, 2.0), (1, 3.0), (0, 2.0), (1, 3.0), (2, 4.0)]


def test_python_code_may_call_converted_functions():
    notes = []
    inner = ag.convert(lambda x: (notes.append(float(x)), x * 2)[1])
    outer = ag.convert(lambda x: (history.append(-1.0), host.call(inner, x), x + 1)[2])
    history.clear()
    for k in (1.0, 2.0):
        assert outer(F(k)) == k + 1
    assert history == [-1.0, -1.0] and notes == [1.0, 2.0]
    both = ag.convert(lambda x: (notes.append(-1.0), host.call(inner, x), x + 1)[2])
    with pytest.raises(ag.StagingError, match="`host.call` changed an object, which"):
        both(F(1))


# ---- py_call -----------------------------------------------------------------------------------


def declared(x, n):
    total = ag.py_call(double, x, result=ag.TensorSpec([3], "float64"))
    for i in range(n):
        total = total + ag.py_call(double, total, result=ag.TensorSpec([None], "float64"))
    if ag.py_call(float, total.sum(), result=float) > 3:
        total = -total
    parts = ag.py_call(host.parts, total, result={
        "a": int, "b": (np.float64, ag.TensorSpec([3])),
    })  # fmt: skip
    return parts["a"] + 1, parts["b"][0] * 2, parts["b"][1] + 1


def test_py_call():
    """B6.14: `ag.py_call`, at each run, with results that the graph goes on with."""
    check(declared, (np.arange(3.0), I(2)), (np.ones(3), I(0)), tensors=False)


def test_py_call_gives_arrays_also_for_tensors():
    kinds = []
    f = ag.convert(lambda x: ag.py_call(
        lambda v: (kinds.append(type(v)), v * 2)[1], x, result=ag.TensorSpec([2], "float64")
    ))  # fmt: skip
    assert f(ag.constant([1.0, 2.0])).numpy().tolist() == [2, 4] and kinds == [np.ndarray]


@pytest.mark.parametrize(("found", "spec"), [
    (1, float), (1.0, int), (np.float32(1), ag.TensorSpec([])), (np.ones(2), ag.TensorSpec([3])),
    ((1.0, 2.0), float), (None, float), ("text", ag.TensorSpec([])), (True, int), ([1.0], [float] * 2),
    (2**70, int), (1.5, np.int64),
], ids=lambda x: getattr(x, "__name__", type(x).__name__))  # fmt: skip
def test_py_call_with_another_result(found, spec):
    def sample(x):
        return x, ag.py_call(give, found, result=spec)

    for f in (sample, ag.convert(sample)):
        with pytest.raises((TypeError, OverflowError), match="declared|64 bits"):
            f(np.ones(2))


@pytest.mark.parametrize(
    "spec", ["float128x", object(), [ag.TensorSpec([]), 3]], ids=["name", "object", "list"]
)
def test_py_call_with_a_wrong_declaration(spec):
    with pytest.raises(TypeError, match="is a nest of ag.TensorSpec"):
        ag.py_call(give, 1.0, result=spec)
    with pytest.raises(TypeError, match="needs `result`"):
        ag.py_call(give, 1.0, gradient=lambda g, x: g)


def test_gradients_of_py_call():
    """B6.14: a gradient given for Python code."""

    def square(x):
        spec = ag.TensorSpec([None], "float64")
        return ag.py_call(lambda v: v**2, x, result=spec, gradient=lambda g, v: 2 * v * g)

    def f(x, n):
        for i in range(n):
            x = square(x) + 1
        return ag.sum(x)

    x = np.array([0.5, 1.0])
    expected = ag.grad(lambda x: ag.sum((x**2 + 1) ** 2 + 1))(x)
    for g in (f, ag.convert(f)):
        np.testing.assert_allclose(ag.grad(g)(x, I(2)), expected, rtol=1e-12)


def test_no_gradient_flows_through_other_calls():
    def through(x):
        return ag.sum(x * ag.py_call(double, x, result=ag.TensorSpec([2], "float64")))

    def beside(x):
        return ag.sum(x * random.random() ** 0 + ag.stop_gradient(
            ag.py_call(double, x, result=ag.TensorSpec([2], "float64"))))  # fmt: skip

    x = np.ones(2)
    for f in (through, ag.convert(through)):
        with pytest.raises(
            LookupError, match=r"host.double[\s\S]*ag.py_call` a `gradient`|`py_call`"
        ):
            ag.grad(f)(x)
    assert ag.grad(ag.convert(beside))(x).tolist() == [1, 1]


def test_vmap_calls_item_by_item():
    def one(x):
        return ag.py_call(double, x, result=ag.TensorSpec([2], "float64")).sum() + x[0]

    rows = np.arange(6.0).reshape(3, 2)
    expected = [one(row) for row in rows]
    for f in (ag.vmap(one), ag.convert(ag.vmap(one))):
        assert f(rows).tolist() == expected


def test_e7_a_file_is_given_to_plain_python_in_each_round():
    files = io.StringIO(), io.StringIO()

    def write(x, file):
        for v in x:
            if v > 0:
                json.dump(float(v), file)
        return x * 2

    def plain(x):
        return write(x, files[0])

    @ag.convert
    def f(x):
        for v in x:
            if v > 0:
                json.dump(float(v), files[1])
        return x * 2

    for x in (np.array([1.0, -2.0, 3.0]), np.array([4.0, 5.0, -6.0])):
        assert f(x).tolist() == plain(x).tolist()
        assert files[0].getvalue() == files[1].getvalue() != ""
    assert f.trace_count == 1


# ---- progress bars -----------------------------------------------------------------------------

_TQDM = """
class tqdm:
    made = []

    def __init__(self, iterable=None, desc=None, total=None):
        self.iterable, self.desc, self.n, self.closed, self.notes = iterable, desc, 0, False, []
        self.total = total
        if total is None and hasattr(iterable, "__len__"):
            self.total = len(iterable)
        tqdm.made.append(self)

    def __iter__(self):
        try:
            for item in self.iterable:
                yield item
                self.n += 1
        finally:
            self.closed = True

    def set_postfix(self, **notes):
        self.notes.append(notes)

    def update(self, n):
        self.n += n

    def close(self):
        self.closed = True


def trange(*args, **kwargs):
    return tqdm(range(*args), **kwargs)
"""


@pytest.fixture
def bars(monkeypatch):
    """A small package that stands for tqdm, which need not be installed."""
    module = types.ModuleType("tqdm")
    exec(_TQDM, module.__dict__)
    monkeypatch.setitem(sys.modules, "tqdm", module)
    return module


def _what_bars_saw(bars, function, cases):
    bars.tqdm.made.clear()
    results = [function(*case) for case in cases]
    seen = [(b.desc, b.n, b.total, b.closed, b.notes) for b in bars.tqdm.made]
    return results, seen


def test_progress_bars_leave_loops_staged(bars):
    tqdm, trange = bars.tqdm, bars.trange

    def sample(x, n):
        for i in tqdm(range(n), desc="rounds"):
            x = x + i
        bar = trange(20)
        for _ in bar:
            x = x * 1.5
            bar.set_postfix(x=float(x))
            if x > 100:
                break
        for row in tqdm(np.ones((3, 2)) * x):
            x = x + row.sum()
        for k in tqdm([1, 2]):
            x = x + k
        by_hand = tqdm(total=3)
        by_hand.update(2)
        by_hand.close()
        return x

    cases = [(F(1), I(3)), (F(0), I(5)), (F(0), I(0))]
    f = ag.convert(sample)
    assert _what_bars_saw(bars, f, cases) == _what_bars_saw(bars, sample, cases)
    assert f.trace_count == 1
    loops = [node for node in f.traces()[0]._traced.graph.nodes if node.op.name == "while"]
    assert len(loops) == 3
    assert ag.grad(f)(1.0, I(3)) > 0


def test_bars_stand_in_other_iterators_and_wherever_items_are_taken(bars):
    tqdm, trange = bars.tqdm, bars.trange

    def sample(x, n):
        total = 0.0
        for i, v in enumerate(tqdm(x), start=1):
            if v > 5:
                break
            total = total + i * v
        for (i, v), w in zip(enumerate(tqdm(x, desc="v")), tqdm(x[::-1], desc="w")):
            total = total + i * v * w
        for i, k in enumerate(trange(n), 2):
            for v in map(np.square, tqdm(x[:2])):
                total = total + i * k * v
        bar = tqdm(range(n))
        for i, k in zip(range(3), bar):
            bar.set_postfix(total=float(total))
            total = total + i * k
        first, *rest = tqdm(x)
        made = [v * 2 for v in tqdm(x) if v > 1], list(tqdm(x)), sum(tqdm(x)), max(trange(n + 1))
        steps = iter(tqdm(x))
        made = made, sum(v * v for v in tqdm(reversed(x))), next(steps) + next(steps)
        return total, made, first, rest, all(v > -1 for v in tqdm(x)), [*tqdm(x)]

    cases = [(np.arange(20.0), I(3)), (np.arange(20.0)[::-1].copy(), I(5)), (np.ones(20), I(0))]
    f = ag.convert(sample)
    got, wanted = _what_bars_saw(bars, f, cases), _what_bars_saw(bars, sample, cases)
    for one, other in zip(got[0], wanted[0], strict=True):
        assert_equal(one, other, joined=True)
    assert got[1] == wanted[1]
    assert f.trace_count == 1
    assert len([n for n in f.traces()[0]._traced.graph.nodes if n.op.name == "while"]) >= 3


def test_fast_loops_with_bars_are_machine_code_that_calls_the_host_now_and_then(bars):
    def sample(n):
        total = 0.0
        for i in bars.tqdm(range(n)):
            total = total + i * 0.5
        return total

    f = ag.convert(sample)
    cases = [(I(20_000),), (I(0),), (I(100_000),)]
    with config.backend.using("native"):
        assert _what_bars_saw(bars, f, cases) == _what_bars_saw(bars, sample, cases)
        seen = []
        told = progress._Running.advance_to
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(
                progress._Running, "advance_to", lambda r, k: seen.append(k) or told(r, k)
            )
            f(I(100_000))
    assert seen[-1] == 100_000 and len(seen) < 1000
    assert "native code calls Python for `tqdm.tqdm`" in f.explain()


def test_a_second_loop_goes_over_a_bar_again(bars):
    def sample(n):
        total = 0
        bar = bars.tqdm(range(n))
        for i in bar:
            total = total + i
            bar.set_postfix(total=int(total))
            if i == 6:
                break
        for i in bar:
            total = total + 10 * i
        return total

    f, cases = ag.convert(sample), [(I(4),), (I(0),), (I(40),)]
    assert _what_bars_saw(bars, f, cases) == _what_bars_saw(bars, sample, cases)


def test_gradients_go_through_bars_in_other_iterators(bars):
    def sample(x):
        total = 0.0
        for i, v in enumerate(bars.tqdm(x)):
            total = total + i * v**2
        return total

    x = np.arange(20.0)
    np.testing.assert_allclose(ag.grad(ag.convert(sample))(x), 2 * x * np.arange(20))


def test_a_bar_is_not_gone_through_backwards(bars):
    with pytest.raises(ag.StagingError, match="known only when the graph runs"):
        ag.convert(lambda x: sum(v for v in reversed(bars.tqdm(x))))(np.ones(3))


# ---- what is no call of the host ------------------------------------------------------------------


def test_pure_calls_are_made_while_tracing():
    f = ag.convert(lambda x: x + json.loads(json.dumps([3]))[0] + collections.Counter("aab")["a"])
    assert f(F(1)) == 6 and "host" not in f.explain()


def test_a_function_that_only_calls_python_is_python():
    for f in (lambda n: (tell(n), give(n) + 1)[1], lambda n: (tell(n), n + 1)[1]):
        converted = ag.convert(f)
        assert converted(3) == converted(3) == 4
        assert not converted.get_concrete_function(3).graph.operations


def test_s19_a_callee_without_source_unless_conversion_is_strict():
    f = ag.convert(lambda x: (tell(float(x)), x + 1)[1])
    with config.strict_conversion.using(True), pytest.raises(ag.SourceUnavailableError):
        f(F(1))


def test_each_call_is_told_of_once(capsys):
    @ag.convert
    def f(x):
        for name in ["a", "b"]:
            tell(name)
        return x

    with config.verbosity.using(1):
        f(F(1))
        f(np.ones(2))
    lines = [line for line in capsys.readouterr().err.splitlines() if "by the host" in line]
    assert len(lines) == 1 and "`host.tell` is called by the host each time" in lines[0]


def test_traces_do_not_keep_what_calls_gave():
    f = ag.convert(lambda x: (keep(x * 2), x + 1)[1])
    host.kept.clear()
    f(np.ones(3))
    reference = weakref.ref(host.kept[0][0])
    host.kept.clear()
    assert reference() is None


# ---- functions that refer to what each call has anew -----------------------------------------


def method_of_an_argument(x, log):
    ag.py_call(log.append, x)  # refused
    return x + 1


def closure_of_an_argument(x, log):
    ag.py_call(lambda v: log.append(v), x)  # refused
    return x + 1


def closure_of_a_closure(x, log):
    def note(v):
        log.append(v)

    ag.py_call(lambda v: note(v), x)  # refused
    return x + 1


def partial_of_an_argument(x, log):
    ag.py_call(functools.partial(log.append, 5))  # refused
    return x + 1


def closure_of_an_own_list(x, log):
    own = []
    ag.py_call(lambda v: own.append(v), x)  # refused
    return x + 1, own


def closure_of_a_traced_value(x, log):
    y = x * 2
    ag.py_call(lambda: print(y))  # refused
    return y


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (method_of_an_argument, "changed a list, which the converted function gave to it"),
        (closure_of_an_argument, "it refers to a list that is another one in each call"),
        (closure_of_a_closure, "it refers to a list that is another one in each call"),
        (partial_of_an_argument, "it refers to a list that is another one in each call"),
        (closure_of_an_own_list, "it refers to a list that is another one in each call"),
        (closure_of_a_traced_value, "it refers to what is known only when the graph runs"),
    ],
)
def test_a_change_that_only_the_trace_would_see_is_refused(sample, words):
    refuse(sample, F(1.0), [], match=words)


# ---- what a call gives, written by index ---------------------------------------------------------


def items_are_set(x, n):
    table = double(x)
    table[range(2), range(2)] = 1e10
    table[0, 1] = n
    table[:, 2] = x[:, 0]
    for i in range(n):
        table[1, i] = x[0, i]
    if n > 1:
        table[0, 0] = 7
    return table


def test_items_of_what_a_call_gives_are_set_when_the_graph_runs():
    x = np.arange(6.0).reshape(2, 3)
    check(items_are_set, (x, I(1)), (x + 1, I(2)), tensors=False, saved=False, eager=False)

    def wrong(x):
        double(x)[5, 5] = 1.0

    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 2"):
        ag.convert(wrong)(x)
