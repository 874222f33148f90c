"""`save` and `load`: programs that run without their source. Rows A04, B6.19, C06, E12."""

from __future__ import annotations

import collections
import dataclasses
import io
import linecache
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import zipfile
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.programs.loading import unpacked
from autograph.programs.saving import packed
from runtime.graph.show import text


def again(function: Any, *args: Any, **how: Any) -> ag.Program:
    """A function after save and load."""
    return unpacked(io.BytesIO(packed(function, *args, **how)))


def spec(shape: Any, dtype: str = "float64") -> ag.TensorSpec:
    return ag.TensorSpec(shape, dtype)


@ag.convert
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@ag.convert
def total(x, bound=10.0):
    result = 0.0
    for value in x:
        if value > 0:
            result += value
    if result > bound:
        raise ValueError(f"{result} is more than {bound}")
    return result


# ---- the file ----------------------------------------------------------------------------------


def test_what_was_saved_runs_the_same(tmp_path):
    path = tmp_path / "collatz.agz"
    ag.save(collatz, path, [np.int64(1)])
    loaded = ag.load(path)
    assert loaded(np.int64(27)) == 111
    assert type(loaded(np.int64(27))) is type(collatz(np.int64(27)))


def test_the_same_program_gives_the_same_bytes():
    assert packed(collatz, [np.int64(1)]) == packed(collatz, [np.int64(1)])


def test_a_file_of_an_older_writer_does_what_it_did(tmp_path):
    # Two signatures, a loop, a branch, a list that grows, an error, a Variable, a captured array:
    # written a thousand changes ago. It stays as it is when the version is raised.
    old = pathlib.Path(__file__).with_name("version_1.agz")
    ag.save(ag.load(old), tmp_path / "again.agz")
    for path in (old, tmp_path / "again.agz"):
        program = ag.load(path)
        assert list(program.signatures) == ["rows", "total"]
        for x, mode, values, kept in (
            (np.array([1.0, 30.0]), "mean", [-8.8125, 18.1875], [1.0, -1.625, -2.9375]),
            (np.array([4.0], np.float32), "total", [2.875], [2.125, 1.1875, 0.71875]),
        ):
            found = program(x, np.int64(3), mode)
            np.testing.assert_array_equal(found["x"], values)
            np.testing.assert_array_equal(found["kept"], kept)
            assert (found["rounds"], found["mode"]) == (3, mode)
        assert (program.variables[0].name, float(program.variables[0])) == ("weight", 4.0)
        program.captured["limits"][1] = 2.0
        assert program(np.array([1.0, 30.0]), np.int64(1))["x"].numpy().tolist() == [5.0, 10.0]
        with pytest.raises(ValueError, match="too low: -200.0"):
            program(np.array([-200.0]), np.int64(3))


def test_a_program_that_was_loaded_can_be_saved_again():
    once = packed(total, [spec([None]), 3.0])
    assert packed(unpacked(io.BytesIO(once))).replace(b"program.agz: ", b"") is not None
    twice = unpacked(io.BytesIO(packed(unpacked(io.BytesIO(once)))))
    assert twice(np.array([1.0, 1.5]), 3.0) == 2.5


def test_the_graph_is_the_same_after_loading():
    loaded = again(collatz, [np.int64(1)])
    original = collatz.get_concrete_function(np.int64(1)).graph
    here = [line.partition("#")[0].rstrip() for line in text(original).splitlines()]
    there = [line.partition("#")[0].rstrip() for line in text(loaded.graph).splitlines()]
    assert here == there


def test_a_person_can_read_the_file(tmp_path):
    weights = np.arange(30.0)
    function = ag.convert(lambda x: x @ weights)
    ag.save(function, tmp_path / "f.agz", [spec([None, 30])])
    with zipfile.ZipFile(tmp_path / "f.agz") as archive:
        document, array = archive.namelist()
        assert document == "program.json"
        lines = archive.read(document).decode().splitlines()
        np.testing.assert_array_equal(np.load(io.BytesIO(archive.read(array))), weights)
    assert any('"op": "matmul"' in line and '"types": ["float64[?]"]' in line for line in lines)


PROGRAM = """
import sys
import numpy as np
import autograph as ag


class Wrong(Exception):
    pass


bias = ag.Variable(0.5, name="bias")
table = np.array([1.0, 2.0, 4.0])


@ag.convert
def step(x, n):
    y = table[0] * x + bias
    i = 0
    while i < n:
        if y > 10.0:
            print("large:", y)
            y = y / 2
        y = y * table[i % 3]
        i += 1
    if y < 0:
        raise Wrong(f"{y} is negative")
    return {"y": y, "trips": i}


ag.save(step, sys.argv[1], [np.float64(1), np.int64(1)])
"""
RUN = """
import sys
import numpy as np
import autograph as ag

assert not any("program_source" in (getattr(m, "__file__", "") or "") for m in sys.modules.values())
step = ag.load(sys.argv[1])
print(step(np.float64(3), np.int64(4))["y"].numpy())
step.variables[0].assign(-50.0)
step.captured["table"][...] = 1.0
try:
    step(np.float64(3), np.int64(4))
except ag.ForeignError as error:
    print(error)
    import traceback
    traceback.print_exc(file=sys.stdout)
"""


def run(source: str, name: str, folder: Any, *arguments: str, python: str = sys.executable) -> str:
    path = folder / name
    path.write_text(source)
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    done = subprocess.run(
        [python, str(path), *arguments], env=environment, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    path.unlink()
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_program_runs_in_a_process_that_has_no_source(tmp_path):
    file = str(tmp_path / "step.agz")
    run(PROGRAM, "program_source.py", tmp_path, file)
    printed = run(RUN, "user.py", tmp_path, file)
    expected = "large: 24.5\n49.0\n"
    y, table = 1.0 * 3 + 0.5, [1.0, 2.0, 4.0]
    for i in range(4):
        y = (y / 2 if y > 10 else y) * table[i % 3]
    assert y == 14.0 and printed.startswith(f"large: 28.0\n{y}\n"), (expected, printed)
    assert "-47.0 is negative\n" in printed and "\nWrong: -47.0 is negative" in printed
    # The line of the source, which is not there any more.
    assert 'File "<step.agz: program_source.py>", line 26, in step' in printed
    assert 'raise Wrong(f"{y} is negative")' in printed


def test_a_program_runs_on_other_versions_of_python(tmp_path):
    """Those that AUTOGRAPH_TEST_PYTHONS names, as a search path."""
    others = os.environ.get("AUTOGRAPH_TEST_PYTHONS", "")
    if not others:
        pytest.skip("AUTOGRAPH_TEST_PYTHONS names no interpreters")
    file = str(tmp_path / "step.agz")
    run(PROGRAM, "program_source.py", tmp_path, file)
    for python in others.split(os.pathsep):
        assert "large: 28.0" in run(RUN, "user.py", tmp_path, file, python=python)
        run(PROGRAM, "program_source.py", tmp_path, f"{file}.other", python=python)
        assert "large: 28.0" in run(RUN, "user.py", tmp_path, f"{file}.other")


KILLED = """
import os, sys
import numpy as np
import autograph as ag
from runtime.save import container

def half(descriptor):
    print("now", flush=True)
    sys.stdin.read()

weights = np.ones(1000)
function = ag.convert(lambda x: x + weights)
ag.save(function, sys.argv[1], [np.ones(1000)])
container.os.fsync = half
weights[...] = 2.0
ag.save(function, sys.argv[1], [np.ones(1000)])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX only")
def test_a_save_that_is_killed_leaves_the_old_file(tmp_path):
    (tmp_path / "killed.py").write_text(KILLED)
    path = str(tmp_path / "f.agz")
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    with subprocess.Popen(
        [sys.executable, str(tmp_path / "killed.py"), path], env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as child:  # fmt: skip
        assert child.stdout is not None and child.stdout.readline() == "now\n"
        child.kill()
    np.testing.assert_array_equal(ag.load(path)(np.zeros(1000)), np.ones(1000))


def test_a_save_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "f.agz"
    ag.save(collatz, path, [np.int64(1)])
    before = path.read_bytes()

    class Box:
        pass

    box = Box()

    @ag.convert
    def stores(x):
        box.content = x * 2
        return x

    with pytest.raises(ag.UnsavableError, match=r"box\.content = x \* 2|store into"):
        ag.save(stores, path, [spec([3])])
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["f.agz"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.agz").write_bytes(b"old")
    (tmp_path / "link.agz").symlink_to(tmp_path / "real.agz")
    ag.save(collatz, tmp_path / "link.agz", [np.int64(1)])
    assert (tmp_path / "link.agz").is_symlink()
    assert ag.load(tmp_path / "real.agz")(np.int64(1)) == 0


# ---- signatures --------------------------------------------------------------------------------


def test_existing_traces_are_saved():
    double = ag.convert(lambda x: x * 2)
    double(np.ones(3))
    double(np.float32(1))
    loaded = again(double)
    assert list(loaded.signatures) == ["call", "call_2"]
    assert loaded(np.float32(4)) == np.float32(8) and type(loaded(np.float32(4))) is np.float32
    np.testing.assert_array_equal(loaded(np.arange(3.0)), [0.0, 2.0, 4.0])
    with pytest.raises(ValueError, match="several|2 graphs"):
        _ = loaded.graph


def test_a_function_without_traces_has_nothing_to_save():
    with pytest.raises(ValueError, match="it has not been called yet"):
        packed(ag.convert(lambda x: x))


def test_plain_python_has_nothing_to_save():
    with pytest.raises(ValueError, match="runs as plain Python"):
        packed(ag.convert(lambda n: n + 1), [3])


def test_several_signatures_by_name_the_most_specific_is_taken():
    norm = ag.convert(lambda x: (x * x).sum())
    loaded = again(norm, {
        "any": [spec([None])], "three": [spec([3])], "matrix": {"x": spec([None, None], "float32")},
    })  # fmt: skip
    assert loaded.get_concrete_function(np.ones(3)) is loaded.signatures["three"]
    assert loaded.get_concrete_function(np.ones(4)) is loaded.signatures["any"]
    assert loaded.get_concrete_function(spec([2, 2], "float32")) is loaded.signatures["matrix"]
    assert loaded(np.ones(4)) == 4.0 and loaded(np.ones((2, 2), np.float32)) == 4.0


def test_an_input_signature_is_the_signature():
    @ag.convert(input_signature=[ag.TensorSpec([None], "float32")])
    def f(x):
        return x + 1

    loaded = again(f)
    assert loaded(np.ones(2, np.float32)).dtype == np.float32
    np.testing.assert_array_equal(loaded([1.0, 2.0]), f([1.0, 2.0]))
    with pytest.raises(TypeError, match=r"x: float64\[2, 2\].*expected one of\n  call: \(x: float"):
        loaded(np.ones((2, 2)))


def test_a_misfit_names_what_is_expected_and_found():
    loaded = again(total, [spec([None]), 1.0])
    with pytest.raises(TypeError) as caught:
        loaded(np.ones((2, 2)), 1.0)
    assert str(caught.value).splitlines()[:2] == [
        "`total` was not saved for (x: float64[2, 2], bound: float); expected one of",
        "  call: (x: float64[?], bound: float)",
    ]
    expected = r"missing a required argument: 'x'; expected one of\n  call: \(x: float64\[\?\], b"
    with pytest.raises(TypeError, match=expected):
        loaded()


def test_defaults_and_keywords_are_kept():
    loaded = again(total, [spec([None])])
    assert str(loaded.__signature__) == "(x, bound=10.0)"
    assert loaded(x=np.array([1.0, 2.0])) == 3.0
    with pytest.raises(ValueError, match="11.0 is more than 10.0"):
        loaded(np.array([11.0]))


def test_stars_and_keyword_only_parameters():
    @ag.convert
    def f(x, /, *rest, scale=2.0, **named):
        return x * scale + rest[0] - named["off"]

    args, kwargs = (np.ones(2), np.full(2, 5.0)), {"off": np.float64(1)}
    f(*args, **kwargs)
    loaded = again(f)
    np.testing.assert_array_equal(loaded(*args, **kwargs), f(*args, **kwargs))
    np.testing.assert_array_equal(loaded(*args, scale=3.0, **kwargs), f(*args, scale=3.0, **kwargs))
    for rest, named in (((spec([2]),), {"named": {"off": 1.0}}), ([spec([2])] * 2, {"off": 1.0})):
        loaded = again(f, {"call": {"x": spec([2]), "rest": rest, **named}})
        given = (args[0], *[args[1]] * len(rest))
        np.testing.assert_array_equal(loaded(*given, off=1.0), f(*given, off=1.0))
    with pytest.raises(TypeError, match="missing.* 'x'"):
        again(f, {"call": {"rest": (spec([2]),), "off": 1.0}})


def test_ints_that_were_constants_must_be_the_same():
    power = ag.convert(lambda x, n: x**n)
    loaded = again(power, [spec([None]), 3])
    np.testing.assert_array_equal(loaded(np.array([2.0, 3.0]), 3), [8.0, 27.0])
    with pytest.raises(TypeError, match="n: 2"):
        loaded(np.ones(2), 2)


def test_ints_that_were_inputs_may_be_any():
    power = ag.convert(lambda x, n: x * n)
    for n in (2, 3):
        power(np.ones(2), n)
    np.testing.assert_array_equal(again(power)(np.ones(2), 7), [7.0, 7.0])


def test_unknown_rank():
    loaded = again(ag.convert(lambda x: x * 2), [ag.TensorSpec(None)])
    assert loaded(np.ones((2, 3, 4))).shape == (2, 3, 4)


def test_c06_a_program_for_open_sizes_is_loaded_in_another_process(tmp_path):
    """C06: sizes that the spec leaves open, None or by a name, are any afterwards."""
    program = """
        import sys
        import numpy as np
        import autograph as ag

        f = ag.convert(lambda x, w: (x * w).sum(1) + len(x))
        ag.save(f, sys.argv[1], [ag.TensorSpec(("b", 3)), ag.TensorSpec((3,))])
        """
    user = """
        import sys
        import numpy as np
        import autograph as ag

        f = ag.load(sys.argv[1])
        for n in (1, 2, 5):
            print(f(np.ones((n, 3)), np.arange(3.0)).tolist())
        try:
            f(np.ones((2, 4)), np.arange(3.0))
        except TypeError as error:
            print("TypeError", "float64[?, 3]" in str(error))
        """
    file = str(tmp_path / "f.agz")
    run(textwrap.dedent(program), "maker.py", tmp_path, file)
    assert run(textwrap.dedent(user), "user.py", tmp_path, file).splitlines() == [
        "[4.0]", "[5.0, 5.0]", "[8.0, 8.0, 8.0, 8.0, 8.0]", "TypeError True",
    ]  # fmt: skip


def test_relaxed_dimensions_do_not_take_small_sizes():
    f = ag.convert(lambda x, y: x + y, reduce_retracing=True)
    for n in (3, 4):
        f(np.ones(n), np.ones(n))
    loaded = again(f)
    assert loaded(np.ones(9), np.ones(9)).shape == (9,)
    with pytest.raises(TypeError, match="was not saved for"):
        loaded(np.ones(1), np.ones(9))


# ---- results -----------------------------------------------------------------------------------


def test_results_follow_the_arguments():
    loaded = again(total, [spec([None]), 9.0])
    x = np.array([1.0, 2.0])
    assert type(loaded(x, 9.0)) is np.float64
    assert isinstance(loaded(ag.constant(x), 9.0), ag.Tensor)
    assert type(again(ag.convert(lambda x: x * 2), [1.5])(2.5)) is float


def test_results_are_tensors_where_a_variable_is_read():
    scale = ag.Variable(2.0)
    assert isinstance(again(ag.convert(lambda x: x * scale), [spec([])])(np.float64(1)), ag.Tensor)


def test_returns_is_kept():
    f = ag.convert(lambda x: x * 2, returns="tensor")
    assert isinstance(again(f, [spec([])])(np.float64(1)), ag.Tensor)


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Pair:
    a: Any
    b: Any


def test_nests_of_arguments_and_results():
    @ag.convert
    def f(nest):
        p, rest = nest["p"], nest["rest"]
        return Point(p.y, p.x), [rest.a, (rest.b, "word", None)], collections.OrderedDict(k=p.x + 1)

    given = {"p": Point(1.0, 2.0), "rest": Pair(np.ones(2), np.float32(3))}
    loaded = again(f, [given])
    here, there = f(given), loaded(given)
    assert type(there[0]) is Point and there[0] == here[0] and there[2] == here[2]
    assert there[1][1] == here[1][1]


def test_classes_that_are_not_there_fall_back_to_tuple_and_dict():
    Local = collections.namedtuple("Local", "x y")

    @dataclasses.dataclass
    class Record:
        a: Any

    f = ag.convert(lambda p, r: (Local(p.y, p.x), Record(r.a * 2)))
    loaded = again(f, [Local(1.0, 2.0), Record(np.ones(2))])
    point, record = loaded((3.0, 4.0), {"a": np.ones(2)})
    assert type(point) is tuple and point == (4.0, 3.0)
    assert type(record) is dict and record["a"].tolist() == [2.0, 2.0]


def test_text_results_and_prints(capsys):
    @ag.convert
    def f(x):
        print("x is", x, f"{x:.2f}", sep="; ")
        return f"<{x!r}> {x:5.1f}", "%d of %s" % (x, 5)

    loaded = again(f, [spec([])])
    here, there = f(np.float64(2)), loaded(np.float64(2))
    assert here == there
    first, second = capsys.readouterr().out.splitlines()
    assert first == second == "x is; 2.0; 2.00"


def test_an_argument_that_is_returned_or_written():
    @ag.convert
    def f(x, y):
        y[0] = x.sum()
        return x

    loaded = again(f, [spec([None]), spec([2])])
    x, y = np.ones(3), np.zeros(2)
    assert loaded(x, y) is x and y.tolist() == [3.0, 0.0]
    t = ag.constant(np.zeros(2))
    loaded(ag.constant(x), t)
    assert t.numpy().tolist() == [3.0, 0.0]
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        loaded(x, frozen)


def test_what_was_written_before_an_error_stays():
    @ag.convert
    def f(x):
        x[0] = 7.0
        if x[1] > 0:
            raise ValueError("positive")
        x[0] = 8.0
        return x

    x = np.ones(2)
    with pytest.raises(ValueError, match="positive"):
        again(f, [spec([2])])(x)
    assert x.tolist() == [7.0, 1.0]


# ---- state -------------------------------------------------------------------------------------


def test_variables_are_stored_once_and_stay_assignable():
    w = ag.Variable([1.0, 2.0], name="w")
    frozen = ag.Variable(3.0, trainable=False, name="frozen")

    @ag.convert
    def f(x):
        w.assign_add(x)
        return (w * frozen).sum()

    loaded = again(f, {"vector": [spec([2])], "scalar": [spec([])]})
    assert [v.name for v in loaded.variables] == ["w", "frozen"]
    assert [v.name for v in loaded.trainable_variables] == ["w"]
    assert loaded(np.ones(2)).numpy() == 15.0
    assert loaded(np.float64(1)).numpy() == 21.0
    loaded.variables[0].assign([0.0, 0.0])
    assert loaded(np.zeros(2)).numpy() == 0.0
    assert w.numpy().tolist() == [1.0, 2.0]


def test_captured_arrays_are_read_at_each_call():
    table = np.arange(4.0)
    f = ag.convert(lambda i: table[i])
    loaded = again(f, {"one": [np.int64(0)], "many": [spec([None], "int64")]})
    assert loaded(np.int64(3)) == 3.0
    assert list(loaded.captured) == ["table"]
    loaded.captured["table"][3] = 30.0
    assert loaded(np.int64(3)) == 30.0 and loaded(np.array([3])) == [30.0]
    assert table[3] == 3.0


def test_captured_arrays_that_overlap_and_are_written_are_refused():
    base = np.zeros(4)
    part = base[:2]

    @ag.convert
    def f(x):
        part[0] = x
        return base.sum()

    with pytest.raises(ag.UnsavableError, match="share memory"):
        packed(f, [spec([])])


def test_objects_are_part_of_the_program():
    class Model:
        def __init__(self):
            self.w = ag.Variable(2.0)
            self.power = 3

        @ag.convert
        def predict(self, x):
            return self.w * x**self.power

    loaded = again(Model().predict, [spec([None])])
    assert str(loaded.__signature__) == "(x)"
    np.testing.assert_array_equal(loaded(np.array([1.0, 2.0])).numpy(), [2.0, 16.0])


def test_fortran_order_and_foreign_byte_order_are_kept():
    table, swapped = np.asfortranarray(np.arange(40.0).reshape(8, 5)), np.arange(30, dtype=">i4")
    loaded = again(ag.convert(lambda i: (table[i], swapped[i])), [np.int64(0)])
    assert loaded.captured["table"].flags.f_contiguous
    assert loaded.captured["swapped"].dtype == np.dtype(">i4")
    assert loaded(np.int64(2))[1] == 2


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float16", "complex64", "complex128"])
def test_all_dtypes_are_kept(dtype):
    table = np.array([0, 1, 2, 3] * 10).astype(dtype)
    loaded = again(ag.convert(lambda i: table[i]), [np.int64(0)])
    assert loaded(np.int64(3)) == table[3] and loaded.captured["table"].dtype == table.dtype


def test_special_numbers_are_kept():
    table = np.array([np.nan, -0.0, np.inf, -np.inf])
    f = ag.convert(lambda x: (x + np.array([np.nan, -0.0]), x * float("inf"), table * x[:1]))
    x = np.array([1.0, -0.0])
    with np.errstate(invalid="ignore"):
        for here, there in zip(f(x), again(f, [spec([2])])(x)):
            assert here.tobytes() == there.tobytes()


# ---- errors ------------------------------------------------------------------------------------


class OutOfStock(LookupError):
    def __init__(self, item, count):
        super().__init__(item, count)
        self.item, self.count = item, count


@ag.convert
def sell(count):
    if count < 1:
        raise OutOfStock("apples", count) from ValueError("no stock")
    return count - 1


def test_an_exception_of_numpy_has_its_slots():
    @ag.convert
    def f(x):
        if x > 1:
            raise np.exceptions.AxisError(3, 2)
        return x

    with pytest.raises(np.exceptions.AxisError, match="axis 3 is out of bounds") as caught:
        again(f, [spec([])])(np.float64(2))
    assert (caught.value.axis, caught.value.ndim) == (3, 2)


def test_a_class_that_is_imported_is_raised_itself():
    with pytest.raises(OutOfStock) as caught:
        again(sell, [spec([], "int64")])(np.int64(-2))
    assert (caught.value.item, caught.value.count) == ("apples", -2)
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_class_that_is_not_imported_is_a_foreign_error(monkeypatch):
    content = packed(sell, [spec([], "int64")])
    with monkeypatch.context() as patch:
        patch.delitem(sys.modules, __name__)
        program = unpacked(io.BytesIO(content))
    with pytest.raises(ag.ForeignError) as caught:
        program(np.int64(-2))
    assert isinstance(caught.value, LookupError) and not isinstance(caught.value, OutOfStock)
    assert (type(caught.value).__module__, type(caught.value).__qualname__) == (
        __name__, "OutOfStock",
    )  # fmt: skip
    assert caught.value.args == ("apples", -2) and caught.value.count == -2


def test_nothing_is_imported_for_a_class(monkeypatch, tmp_path):
    (tmp_path / "never_imported.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    content = packed(sell, [spec([], "int64")])
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        document = archive.read("program.json").decode().replace(__name__, "never_imported")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("program.json", document)
    with pytest.raises(ag.ForeignError) as caught:
        unpacked(stream)(np.int64(-2))
    assert type(caught.value).__module__ == "never_imported"
    assert "never_imported" not in sys.modules


def test_assertions_and_checks_are_kept():
    @ag.convert
    def f(x, i):
        assert x.sum() > 0, f"sum is {x.sum()}"
        return x[i]

    loaded = again(f, [spec([None]), spec([], "int64")])
    for given in ((-np.ones(2), np.int64(0)), (np.ones(2), np.int64(5))):
        with pytest.raises((AssertionError, IndexError)) as here:
            f(*given)
        with pytest.raises(type(here.value)) as there:
            loaded(*given)
        assert str(here.value) == str(there.value)


# ---- what cannot be saved ----------------------------------------------------------------------


class Thing:
    pass


THING = Thing()


def stores(x):
    THING.value = x * 2  # here
    return x


def prints(x):
    print(THING, x)  # here
    return x


def prints_elsewhere(x):
    print(x, file=STREAM)  # here
    return x


STREAM = io.StringIO()


def raises(x):
    if x.sum() > 0:
        raise ValueError(THING)  # here
    return x


@pytest.mark.parametrize("sample", [stores, prints, prints_elsewhere, raises])
def test_what_a_file_cannot_hold_is_a_located_error(sample, tmp_path):
    with pytest.raises(ag.UnsavableError) as caught:
        ag.save(ag.convert(sample), tmp_path / "f.agz", [spec([2])])
    first = sample.__code__.co_firstlineno
    lines = linecache.getlines(__file__)
    marked = next(i for i in range(first, first + 9) if "# here" in lines[i - 1])
    assert f"test_saving.py:{marked}, in `{sample.__name__}`: " in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_the_text_of_a_caught_exception_in_a_result_is_refused():
    def sample(x):
        try:
            ones = [1] * x[0]
            raise ValueError(len(ones))
        except ValueError as error:
            return str(error), x

    with pytest.raises(ag.UnsavableError, match="its result is the text of an exception"):
        packed(ag.convert(sample), [np.array([1, 2])])


def test_objects_in_results_and_beside_arrays_are_refused():
    with pytest.raises(ag.UnsavableError, match="its result is an object of class"):
        packed(ag.convert(lambda x: (x * 2, THING)), [spec([2])])
    with pytest.raises(ag.UnsavableError, match="parameter `pair`.*beside arrays"):
        packed(ag.convert(lambda pair: pair[1] * 2), [(THING, np.ones(2))])
    with pytest.raises(TypeError, match="it is no function"):
        packed(3)


# ---- derivatives -------------------------------------------------------------------------------


def branchy(x, n):
    y = x
    i = 0
    while i < n:
        if y > 1.0:
            y = y * x
        else:
            y = y + x * x
        i += 1
    return y


def test_first_and_second_derivative_through_loop_and_branch():
    loaded = again(ag.convert(branchy), [1.0, np.int64(3)], gradients=True)
    f = ag.convert(branchy)
    for x in (0.5, 1.5):
        n = np.int64(4)
        assert ag.grad(loaded)(x, n) == ag.grad(f)(x, n)
        first = ag.grad(lambda x: ag.grad(loaded)(x, n))
        assert first(x) == ag.grad(lambda x: ag.grad(f)(x, n))(x)
    expected = (branchy(0.7 + 1e-6, 4) - branchy(0.7 - 1e-6, 4)) / 2e-6
    assert ag.grad(loaded)(0.7, np.int64(4)) == pytest.approx(expected, rel=1e-8)


def test_a_tape_sees_the_variables_of_a_program():
    w = ag.Variable([1.0, 2.0])
    loaded = again(ag.convert(lambda x: (w * w * x).sum()), [spec([2])])

    def slope(x):
        with ag.GradientTape() as tape:
            y = loaded(x)
        return tape.gradient(y, loaded.variables)[0]

    for function in (slope, ag.convert(slope)):
        assert function(np.array([3.0, 4.0])).numpy().tolist() == [6.0, 16.0]


def test_custom_gradients_are_kept():
    """B8.12: a custom gradient is saved with the graph."""

    @ag.custom_gradient
    def clip(x):
        return x, lambda dy: ag.clip(dy, -1.0, 1.0)

    clip = ag.do_not_convert(clip)
    loaded = again(ag.convert(lambda x: clip(x) * 5.0), [1.0])
    assert ag.grad(loaded)(2.0) == 1.0


def test_gradients_that_a_program_holds_itself():
    f = ag.convert(lambda x: ag.grad(lambda y: y * y * y)(x))
    assert again(f, [1.0])(2.0) == f(2.0) == 12.0


# ---- in converted functions --------------------------------------------------------------------


def test_a_program_is_part_of_the_graph_of_its_caller():
    w = ag.Variable(2.0)
    inner = again(ag.convert(lambda x: {"y": x * w}), [spec([])])

    @ag.convert
    def outer(x):
        while x < 100.0:
            x = inner(x)["y"]
        return x

    assert outer(np.float64(3)).numpy() == 192.0
    inner.variables[0].assign(3.0)
    assert outer(np.float64(3)).numpy() == 243.0
    assert "while" in str(outer.traces()[0].graph)


# ---- what is caught ----------------------------------------------------------------------------


class Refused(Exception):
    pass


@ag.convert
def guarded(x, i):
    try:
        if x.sum() < 0:
            raise Refused("negative")
        return x[i]
    except IndexError as error:
        print("caught", error)
        return -1.0
    except Refused:
        return -2.0


def test_what_is_caught_is_caught_after_loading(capsys, monkeypatch):
    content = packed(guarded, [spec([None]), spec([], "int64")])
    with monkeypatch.context() as patch:
        patch.delitem(sys.modules, __name__)
        without = unpacked(io.BytesIO(content))
    for program in (unpacked(io.BytesIO(content)), without):
        assert program(np.arange(3.0), np.int64(2)) == 2.0
        assert program(-np.ones(3), np.int64(2)) == -2.0
        assert program(np.arange(3.0), np.int64(7)) == -1.0
        assert capsys.readouterr().out == (
            "caught index 7 is out of bounds for axis 0 with size 3\n"
        )


def test_s16_random_numbers_go_on_where_they_were():
    generator = ag.random.Generator(seed=3)
    draw = ag.convert(lambda x: x + generator.normal(shape=2))
    draw(np.zeros(2))
    loaded = again(draw)
    np.testing.assert_array_equal(loaded(np.zeros(2)).numpy(), draw(np.zeros(2)).numpy())
