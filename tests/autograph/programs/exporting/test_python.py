"""`export_python`: files that give what the programs give, without our packages."""

import ast
import collections
import contextlib
import copy
import io
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import autograph as ag
from autograph.programs.exporting.python import export_python
from tests.language.harness import assert_equal, observe

scale = ag.Variable(np.array([2.0, 0.5, 1.0]), name="scale")
weights = np.arange(60.0).reshape(3, 20)
Pair = collections.namedtuple("Pair", "low high")


class TooLarge(ValueError):
    """A class that an exported program has a class of that name for."""


@dataclass
class Point:
    x: float
    y: float


def root(x, tolerance=1e-9):
    y = x
    while abs(y * y - x) > tolerance:
        y = (y + x / y) / 2
    return y


def trained(x, rate):
    hidden = ag.nn.softmax((x * scale) @ weights)
    scale.assign_sub(rate * hidden[:3])
    return {"loss": hidden.sum(), "weights": scale.read_value()}


def collected(x, n):
    found, words = [], {}
    for k in range(n):
        if x[k % 3] > k:
            found.append((k, x[k % 3]))
        words[k % 2] = float(x[k % 3])
        print("round", k, f"{x[k % 3]:>7.2f}")
    return found, words, f"{len(found)} of {n}"


def sorted_pair(x, pair):
    low, high = pair["low"], pair["high"][0]
    x[0] = low
    if x.sum() > high:
        return Pair(np.sort(x), np.quantile(x, 0.25))
    return Pair(x * 2, 0.5)


def caught(x, limit):
    total = 0
    try:
        for value in x:
            if value > limit:
                raise TooLarge(f"{value} is more than {limit}", 'and {so} "on"')
            total += int(value)
        if total > 4:
            raise KeyError(total)
    except KeyError as error:
        total = -1
        print("caught", error.args)
    return total


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def special(x):
    return ag.special.gammaln(x), np.fft.rfft(x), x[x > 1], Point(x.max(), x.min())


def squeezed(x, n):
    """Of unknown rank: a number, where the sizes are 1."""
    return np.squeeze(x[:n, :n]), None


generator = ag.random.Generator(3)


def drawn(x):
    if x.sum() > 3:
        x = generator.permutation(x)
    return x + generator.normal(shape=(3,)), generator.integers(0, 9)


PROGRAMS = [
    (root, [np.float64(2.0)], [np.float64(81.0)]),
    (trained, [np.ones(3), 0.5], [np.arange(3.0), 0.25]),
    (collected, [np.array([0.5, 2.5, 9.0]), np.int64(3)], [np.array([9.0, 0.0, 1.0]), np.int64(7)]),
    (sorted_pair, [np.arange(4.0), {"low": 9.0, "high": [3.0]}],
     [np.arange(4.0), {"low": -9.0, "high": [3.0]}]),
    (caught, [np.array([1.0, 2.0]), np.float64(5.0)], [np.array([9.0, 2.0]), np.float64(5.0)],
     [np.array([3.0, 4.0]), np.float64(5.0)]),
    (factorial, [np.int64(5)], [np.int64(9)]),
    (drawn, [np.ones(3)], [np.arange(3.0)], [np.arange(5.0, 2.0, -1.0)]),
    (special, [np.array([0.5, 3.0, 7.25])], [np.array([2.0, 1.0, 0.0])]),
    (squeezed, [np.ones((2, 2)), np.int64(1)], [np.ones((2, 2)), np.int64(2)]),
]  # fmt: skip


def exported(function, arguments, path):
    """A program, and what its file defines."""
    ag.save(ag.convert(function), path / "f.agz", {"call": arguments})
    program = ag.load(path / "f.agz")
    export_python(program, path / "f.py")
    text = (path / "f.py").read_text()
    names = {"__name__": "exported"}
    exec(compile(text, "f.py", "exec"), names)
    return program, names[names["__all__"][0]], text


def as_in_files(x):
    """Results as files have them: arrays for tensors, their own named tuples and objects."""
    if isinstance(x, ag.Tensor):
        return x.numpy()
    if isinstance(x, dict):
        return {key: as_in_files(value) for key, value in x.items()}
    if isinstance(x, (Point, Pair)) or hasattr(x, "_fields"):
        return as_in_files(vars(x) if hasattr(x, "__dict__") else list(x))
    if isinstance(x, (list, tuple)):
        return type(x)(map(as_in_files, x))
    return as_in_files(vars(x)) if hasattr(x, "__dict__") else x


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case[0].__name__)
def test_a_file_does_what_the_program_does(case, tmp_path):
    function, *calls = case
    program, call, text = exported(function, copy.deepcopy(calls[0]), tmp_path)
    imported = {
        a.name for x in ast.walk(ast.parse(text)) if isinstance(x, ast.Import) for a in x.names
    }
    assert {name.partition(".")[0] for name in imported} <= {"numpy", *sys.stdlib_module_names}
    assert not any(isinstance(x, ast.ImportFrom) for x in ast.walk(ast.parse(text)))
    for arguments in calls * 2:
        wanted = observe(program, tuple(copy.deepcopy(arguments)))
        got = observe(call, tuple(copy.deepcopy(arguments)))
        assert (str(got.error), type(got.error).__name__) == (
            str(wanted.error),
            type(wanted.error).__name__,
        )
        assert_equal(as_in_files(got.value), as_in_files(wanted.value))
        assert got.printed == wanted.printed
        assert_equal(list(got.arguments), list(wanted.arguments))


def test_files_run_where_nothing_of_ours_is(tmp_path):
    exported(trained, [np.ones(3), 0.5], tmp_path)
    code = (
        "import sys; sys.path.insert(0, '.'); import numpy as np, f\n"
        "print(f.trained(np.ones(3), 0.5)['loss'].round(9))\n"
        "assert not {'autograph', 'runtime', 'llvmlite'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stdout.strip(), done.stderr) == ("1.0", "")


def test_several_signatures_are_functions_of_their_names(tmp_path):
    double = ag.convert(lambda x: x * 2)
    specs = {"of_any": [ag.TensorSpec([None])], "of_ints": [ag.TensorSpec([], np.int64)]}
    export_python(double, tmp_path / "f.py", specs)
    names = {}
    exec((tmp_path / "f.py").read_text(), names)
    assert names["__all__"] == ["of_any", "of_ints"]
    assert names["of_any"]([1, 2]).tolist() == [2.0, 4.0] and names["of_ints"](np.int64(4)) == 8


WRONG = [
    ((np.ones((2, 2)), 0.5), r"`x` is to be float64\[3\], not float64\[2, 2\]"),
    ((np.ones(3), np.ones(3)), "`rate` is to be of float, not of ndarray"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_files_refuse_other_arguments(arguments, message, tmp_path):
    _, call, _ = exported(trained, [np.ones(3), 0.5], tmp_path)
    with pytest.raises(TypeError, match=message):
        call(*arguments)


def test_what_cannot_be_exported_leaves_the_file_as_it_was(tmp_path):
    log = []

    def logged(x):
        log.append(x)
        return x * 2

    (tmp_path / "f.py").write_text("mine")
    with pytest.raises(ag.UnsavableError, match=r"test_python.py:\d+, in `.*logged`"):
        export_python(ag.convert(logged), tmp_path / "f.py", [ag.TensorSpec([2])])
    assert (tmp_path / "f.py").read_text() == "mine"


def test_numbers_that_numpy_alone_does_not_have_are_refused(tmp_path):
    pytest.importorskip("ml_dtypes")
    within = lambda x: (x.astype("bfloat16") * 2).astype("float32")  # noqa: E731
    for function, dtype, place in (
        (within, "float32", r"test_python.py>?:\d+.*"),
        (abs, "bfloat16", ""),
    ):
        with pytest.raises(
            ag.UnsavableError, match=f"{place}numbers of bfloat16, which NumPy alone"
        ):
            export_python(ag.convert(function), tmp_path / "f.py", [ag.TensorSpec([2], dtype)])
    assert not list(tmp_path.iterdir())


def test_the_command_writes_a_file(tmp_path, monkeypatch):
    from autograph.cli import main

    monkeypatch.chdir(tmp_path)
    ag.save(ag.convert(root), "root.agz", [ag.TensorSpec([])])
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        assert main(["export", "root.agz", "--to", "python"]) == 0
    names = {}
    exec((tmp_path / stream.getvalue().strip()).read_text(), names)
    assert names["root"](2.0) == ag.load("root.agz")(2.0)
