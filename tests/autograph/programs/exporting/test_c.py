"""`export_c`: programs that compile, and give what the saved programs give, bit for bit."""

import functools
import math
import shutil
import subprocess

import numpy as np
import pytest

import autograph as ag
from autograph.cli import main

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")

weights = ag.Variable(np.linspace(-1, 1, 12).reshape(3, 4), name="weights")
calls = ag.Variable(0, name="calls")
table = np.arange(200.0)
ANY = ag.TensorSpec([None])


def layer(x, rounds):
    y = ag.nn.softmax(np.tanh(x @ weights))
    for k in range(rounds):
        y = y * 0.9 if y.sum() > 1 else np.exp(y) + np.log(y + k)
    calls.assign_add(1)
    return {"y": y, "mean": y.mean(), "calls": calls.read_value()}


def collected(x):
    found = []
    for value in x:
        if value > 0:
            found.append(value * value)
    return found, len(found)


def summed(x):
    return (x * table).sum(), x.max(), x[::-1], np.cumsum(x)


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def caught(x, limit):
    total = 0.0
    try:
        for value in x:
            if value > limit:
                raise KeyError("too large")
            total += value
    except KeyError:
        total = -total
    return total, x.astype(np.float32) * np.float32(0.1), x > limit


def written(x, k):
    x[k] = 7.0
    return x.sum()


gamma = np.arange(4.0)
y0 = ag.Variable(2.0, name="y0")


def exp(x):
    """Names that C's library has: of a function, an array, a Variable, an argument, a result."""
    return {"index": x * gamma + y0, "remove": np.sqrt(x)}


def pictures(x, kernel, of_channels):
    y = ag.nn.relu(ag.nn.conv2d(x, kernel, padding="same"))
    y = ag.nn.max_pool2d(ag.nn.depthwise_conv2d(y, of_channels), 2, 2)
    return y, ag.nn.avg_pool2d(y, 2, 2)


def extremes(x):
    """Of whole numbers nothing is nan: compilers warn of what is compared with itself."""
    return x.max(), x.min(), x.argmax(), np.interp(x[:3] / 2, x, x * 10.0)


def added(x):
    """Nothing is given back, and what is None in a result is left out."""
    y0.assign_add(x.sum())


def partly(x):
    return {"y": x * y0, "none": None, "both": (None, x.sum())}


random = np.random.default_rng(0).standard_normal
PROGRAMS = [
    (exp, [ag.TensorSpec([None, 4])], [np.ones((1, 4))]),
    (pictures, [ag.TensorSpec([None, 8, 7, 2]), ag.TensorSpec([3, 3, 2, 4]),
                ag.TensorSpec([2, 2, 4, 2])],
     [random((2, 8, 7, 2)), random((3, 3, 2, 4)), random((2, 2, 4, 2))]),
    (layer, [ag.TensorSpec([None, 3]), ag.TensorSpec([], np.int64)],
     [np.linspace(-2, 2, 15).reshape(5, 3), np.int64(4)]),
    (collected, [ANY], [np.array([1.0, -2.0, 3.0])]),
    (summed, [ag.TensorSpec([200])], [np.sin(np.arange(200.0))]),
    (collatz, [ag.TensorSpec([], np.int64)], [np.int64(27)]),
    (caught, [ANY, ag.TensorSpec([])], [np.array([1.0, 9.0, 2.0]), np.float64(5.0)]),
    (written, [ANY, ag.TensorSpec([], np.int64)], [np.arange(4.0), np.int64(2)]),
    (extremes, [ag.TensorSpec([None], np.int64)], [np.array([-3, 4, 9, 12])]),
    (added, [ANY], [np.arange(4.0)]), (partly, [ANY], [np.arange(4.0)]),
]  # fmt: skip


@functools.cache
def sanitizers():
    """What has programs stop where they read beyond an array, leak, or do what C leaves open."""
    flags = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover"]
    command = ["cc", *flags, "-xc", "-", "-o", "/dev/null"]
    done = subprocess.run(command, input=b"int main(void) { return 0; }", capture_output=True)
    return [] if done.returncode else flags


def compiled(function, specs, folder):
    """A program, and its exported form as something to call: arguments to return code, bytes."""
    ag.save(ag.convert(function), folder / "f.agz", specs)
    program = ag.load(folder / "f.agz")
    ag.export_c(program, folder / "step.c")
    flags = ["-O1", "-Wall", "-Werror", *sanitizers()]
    command = ["cc", *flags, "step.c", "step_main.c", "-lm", "-o", "step"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")

    def call(*arguments):
        sizes = [
            str(n)
            for x, spec in zip(arguments, specs)
            for n, known in zip(np.shape(x), spec.shape)
            if known is None
        ]
        given = b"".join(np.asarray(x).tobytes() for x in arguments)
        return subprocess.run([folder / "step", *sizes], input=given, capture_output=True)

    return program, call


def as_bytes(x):
    """What a result is in memory."""
    if x is None:
        return b""
    if isinstance(x, dict):
        x = tuple(x.values())
    if isinstance(x, tuple):
        return b"".join(map(as_bytes, x))
    return np.asarray([np.asarray(item) for item in x] if isinstance(x, list) else x).tobytes()


@needs_compiler
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case[0].__name__)
def test_compiled_programs_give_the_same_bits(case, tmp_path):
    function, specs, arguments = case
    program, call = compiled(function, specs, tmp_path)
    got = call(*arguments)
    assert (got.returncode, got.stderr) == (0, b"")
    wanted = as_bytes(program(*arguments))
    if function is pictures:  # sums of products, which native code adds in another order
        one, other = np.frombuffer(got.stdout), np.frombuffer(wanted)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    else:
        assert got.stdout == wanted


@needs_compiler
def test_errors_are_a_status_with_the_line(tmp_path):
    def limited(x):
        if x.sum() > 3:
            raise ValueError("too large")
        return x * 2

    _, call = compiled(limited, [ag.TensorSpec([2])], tmp_path)
    assert call(np.ones(2)).returncode == 0
    got = call(np.ones(2) * 5)
    assert got.returncode == 1 and got.stdout == b""
    assert b"test_c.py:" in got.stderr and b"ValueError: too large" in got.stderr


def item(x, k):
    return x[k]


def gathered(x, k):
    return np.take(x, k[k >= 0])


def counted(x, k):
    n = 0
    while n < len(x):
        n += k.item()
    return n


def rooted(x, k):
    return math.sqrt(k) + x.sum()


def put(x, k):
    x[k] = 0.0
    return x


WHOLE, MANY = ag.TensorSpec([], np.int64), ag.TensorSpec([None], np.int64)
RAISING = [
    (item, WHOLE, np.int64(3), IndexError), (item, WHOLE, np.int64(-4), IndexError),
    (gathered, MANY, np.array([0, 7]), IndexError), (put, WHOLE, np.int64(9), IndexError),
    (counted, WHOLE, np.int64(-(2**62)), OverflowError), (rooted, WHOLE, np.int64(-1), ValueError),
]  # fmt: skip


@needs_compiler
@pytest.mark.parametrize(("function", "spec", "k", "error"), RAISING)
def test_an_error_has_the_name_of_its_class(function, spec, k, error, tmp_path):
    program, call = compiled(function, [ANY, spec], tmp_path)
    with pytest.raises(error):
        program(np.arange(3.0), k)
    got = call(np.arange(3.0), k)
    assert got.returncode == 1 and error.__name__ in got.stderr.decode()
    assert "test_c.py:" in got.stderr.decode()


@needs_compiler
def test_sizes_that_a_program_does_not_take_are_named(tmp_path):
    _, call = compiled(lambda x, y: x + y, [ANY, ANY], tmp_path)
    assert call(np.ones(3), np.ones(3)).returncode == 0
    got = call(np.ones(3), np.ones(2))
    assert got.returncode == 1 and b"sizes with x_size0 == y_size0" in got.stderr


def ends(x):
    return x[0] + x[-1]


def largest(x):
    return x.max(), x.argmax()


def mean_beside(x):
    return x.mean(), np.cumsum(x), x + x, x @ x


def without_last(x):
    return x[:-1], x[1:] * 2


def first_if(x):
    return x[0] if x.sum() > 0 else 0.0


def sum_with_first(x):
    total = 0.0
    for value in x:
        total += value * x[0]
    return total


def halves(x):
    return x[len(x) // 2 :], x[: len(x) // 2]


def taken(x):
    found = []
    for value in x[:3]:
        found.append(value)
        if value > 2:
            found = found[1:]
    return found


def parts(x):
    kept = x[1:4], x[:-3], x[-2:], x[-3:2], x[2:-1], x[1:6:2], x[::-2], x[:1:-1], x[-2:0:-1]
    return *(part * 2 for part in kept), x[5:].sum(), x[1:] - x[:-1], x[1:][1:] * x[:-1][1:]


def first_or(x):
    try:
        return x[0] + x[-2]
    except IndexError:
        return np.float64(len(x))


def largest_or(x):
    found = np.float64(7)
    try:
        found = x.max() * x.argmax()
    except ValueError:
        found = -found
    return found


# How many elements of how few are an error.
FEW = [
    (ends, {0}), (largest, {0}), (mean_beside, ()), (without_last, ()), (first_if, ()),
    (sum_with_first, ()), (halves, ()), (taken, ()), (parts, ()), (first_or, ()), (largest_or, ()),
]  # fmt: skip


@needs_compiler
@pytest.mark.filterwarnings("ignore:(Mean|invalid value)")
@pytest.mark.parametrize(("function", "failing"), FEW, ids=lambda x: getattr(x, "__name__", ""))
def test_arrays_of_few_elements_are_computed_or_an_error_with_the_line(function, failing, tmp_path):
    """No plan takes them here: nothing beside them is read, and nothing else is computed."""
    program, call = compiled(function, [ANY], tmp_path)
    for size in range(8):
        x = np.arange(1.0, size + 1)
        got = call(x)
        if size in failing:
            assert got.returncode == 1 and got.stdout == b""
            assert b"test_c.py:" in got.stderr and b"failed" in got.stderr
        else:
            assert (got.returncode, got.stderr) == (0, b"")
            found, wanted = (np.frombuffer(b) for b in (got.stdout, as_bytes(program(x))))
            np.testing.assert_array_equal(found, wanted)


@needs_compiler
def test_names_and_texts_of_c_itself_do_no_harm(tmp_path):
    def remainder(argv, EOF, linux, nullptr):
        if argv.sum() > EOF:
            raise ValueError('größer als "9"??/ – \\ 100% é1a')
        return {"NULL": argv * linux, "taken": nullptr}

    number = ag.TensorSpec([])
    _, call = compiled(remainder, [ANY, number, number, number], tmp_path)
    given = [np.ones(3), *map(np.float64, (9.0, 2.0, 5.0))]
    assert np.frombuffer(call(*given).stdout).tolist() == [2.0, 2.0, 2.0, 5.0]
    got = call(9 * np.ones(3), *given[1:])
    assert got.returncode == 1
    assert got.stderr.decode().endswith('ValueError: größer als "9"??/ – \\ 100% é1a\n')


WRONG = [
    (["-1"], b"", "a size is a number from 0 on, not `-1`"),
    (["three"], b"", "a size is a number from 0 on, not `three`"),
    (["3"], bytes(16), "the input ends too early"),
    (["2"], bytes(24), "the input is longer than the arguments"),
    (["2305843009213693952"], bytes(16), "the input ends too early, or is too large"),
    ([], b"", "usage: "),
]


@needs_compiler
def test_the_program_says_what_is_wrong_with_its_input(tmp_path):
    compiled(ends, [ANY], tmp_path)
    environment = {"ASAN_OPTIONS": "allocator_may_return_null=1"}
    for sizes, given, message in WRONG:
        command = [tmp_path / "step", *sizes]
        done = subprocess.run(command, input=given, capture_output=True, env=environment)
        assert done.returncode == 2 and done.stdout == b"" and message in done.stderr.decode()


def printed(x):
    print("now", x)
    return x * 2


def spectrum(x):
    return np.linalg.eigvals(x)


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def shown(x):
    for k, value in enumerate(x):
        print(k, value)
    return len(x)


def named(x):
    return x, "positive" if x.sum() > 0 else "negative"


def words(x):
    return ["a" if value > 0 else "b" for value in x]


def perhaps(x):
    return {"some": x if x.sum() > 3 else None}


REFUSED = [
    (printed, [ANY], "`print`"),
    (shown, [ANY], "`print`"),
    (named, [ANY], "its result, in 'result_1', is text"),
    (words, [ANY], "its result is .* a list or dict of other things than numbers"),
    (perhaps, [ANY], "its result, in 'some', is there on some paths only"),
    (spectrum, [ag.TensorSpec([2, 2])], "op `eigvals` has no native form"),
    (factorial, [ag.TensorSpec([], np.int64)], "calls itself"),
    (lambda x: x * 1j, [ANY], "complex"),
]


@pytest.mark.parametrize(("function", "specs", "what"), REFUSED)
def test_what_c_has_not_is_refused_and_no_file_is_written(function, specs, what, tmp_path):
    with pytest.raises(ag.UnsavableError, match=rf"test_c.py>?:\d+, in `.*{what}"):
        ag.export_c(ag.convert(function), tmp_path / "f.c", specs)
    assert not list(tmp_path.iterdir())


# ---- training ----------------------------------------------------------------------------------

WEIGHTS = [ag.Variable(0.5 * random(shape), name=f"weights_{k}") for k, shape in enumerate(
    [(4, 8), (8,), (8, 3), (3,)]
)]  # fmt: skip
MOMENTS = [[ag.Variable(np.zeros(w.shape), name=f"{n}_{w.name}") for w in WEIGHTS] for n in "mv"]
steps = ag.Variable(0.0, name="steps")


def adam_step(x, classes):
    """A step of Adam with dropout: its state, and that of the draws, are Variables."""
    with ag.GradientTape() as tape:
        hidden = np.tanh(x @ WEIGHTS[0] + WEIGHTS[1])
        logits = ag.nn.dropout(hidden, 0.25) @ WEIGHTS[2] + WEIGHTS[3]
        loss = -(ag.nn.log_softmax(logits) * classes).sum(axis=-1).mean()
    steps.assign_add(1.0)
    for w, m, v, g in zip(WEIGHTS, *MOMENTS, tape.gradient(loss, WEIGHTS)):
        m.assign(0.9 * m + 0.1 * g)
        v.assign(0.999 * v + 0.001 * g * g)
        w.assign_sub(0.01 * m / (1 - 0.9**steps) / (np.sqrt(v / (1 - 0.999**steps)) + 1e-8))
    return {"loss": loss, "w": tuple(w.read_value() for w in WEIGHTS)}


TRAINER = """
#include "step.h"
#include <stdio.h>

int main(void) {
    double x[ROWS * 4], classes[ROWS * 3];
    while (fread(x, sizeof x, 1, stdin) && fread(classes, sizeof classes, 1, stdin)) {
        adam_step_results r;
        const int status = adam_step(x, ROWS, classes, ROWS, &r);
        if (status) return fprintf(stderr, "%s", adam_step_error(status)), 1;
        fwrite(&r.loss, sizeof r.loss, 1, stdout);
        fwrite(r.w_0, sizeof *r.w_0, 4 * 8, stdout);
        fwrite(r.w_1, sizeof *r.w_1, 8, stdout);
        fwrite(r.w_2, sizeof *r.w_2, 8 * 3, stdout);
        fwrite(r.w_3, sizeof *r.w_3, 3, stdout);
        adam_step_free(&r);
    }
    return 0;
}
"""


@needs_compiler
def test_a_program_in_c_is_trained_as_the_program_is(tmp_path, monkeypatch):
    """Twenty steps in one process, each with another batch: its state is that of the file."""
    rows, count = 6, 20
    monkeypatch.chdir(tmp_path)
    ag.random.set_seed(3)
    specs = [ag.TensorSpec([None, 4]), ag.TensorSpec([None, 3])]
    ag.save(ag.convert(adam_step), tmp_path / "step.agz", specs)
    assert main(["export", "step.agz", "--to", "c"]) == 0
    (tmp_path / "trainer.c").write_text(TRAINER)
    command = ["cc", "-O2", f"-DROWS={rows}", "trainer.c", "step.c", "-lm", "-o", "trainer"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    batches = [(random((rows, 4)), np.eye(3)[np.arange(k, k + rows) % 3]) for k in range(count)]
    given = b"".join(array.tobytes() for batch in batches for array in batch)
    done = subprocess.run([tmp_path / "trainer"], input=given, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    found = np.frombuffer(done.stdout).reshape(count, -1)
    program = ag.load(tmp_path / "step.agz")
    wanted = [np.frombuffer(as_bytes(program(*batch))) for batch in batches]
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-13)
    first = np.concatenate([w.numpy().reshape(-1) for w in WEIGHTS])
    assert (found[-1, 1:] != first).all() and np.abs(found[-1, 1:] - first).mean() > 0.03


def test_a_constant_text_in_a_result_is_refused_by_its_name(tmp_path):
    with pytest.raises(ag.UnsavableError, match="its result, in 'kind', is 'relu'"):
        ag.export_c(lambda x: {"kind": "relu", "y": x * 2}, tmp_path / "f.c", [ANY])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["step", "step.c", "my.step.c"])
def test_the_three_files_have_one_name(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ag.save(ag.convert(lambda x: x * 2.0), "square.agz", [ag.TensorSpec([2])])
    assert main(["export", "square.agz", "--to", "c", "-o", name]) == 0
    stem = name.removesuffix(".c")
    assert capsys.readouterr().out == f"{stem}.c\n"
    made = {path.name for path in tmp_path.iterdir()} - {"square.agz"}
    assert made == {f"{stem}.c", f"{stem}.h", f"{stem}_main.c"}
    if shutil.which("cc"):
        command = ["cc", "-O2", f"{stem}.c", f"{stem}_main.c", "-lm", "-o", "run"]
        subprocess.run(command, check=True, capture_output=True)


def test_c_source_of_another_ending_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ag.save(ag.convert(lambda x: x * 2.0), "square.agz", [ag.TensorSpec([2])])
    assert main(["export", "square.agz", "--to", "c", "-o", "square.h"]) != 0
    assert "the ending .c" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["square.agz"]
