"""`export_onnx`: models that give, where they run, what the programs give."""

import sys

import numpy as np
import pytest

import autograph as ag

onnx = pytest.importorskip("onnx", reason="needs the package onnx")
runtime = pytest.importorskip("onnxruntime", reason="needs the package onnxruntime")

weights = ag.Variable(np.linspace(-1, 1, 12).reshape(3, 4), name="weights")
bias = np.arange(4.0)
ANY = ag.TensorSpec([None])


def newton(x, tolerance):
    y = x
    while abs(y * y - x) > tolerance:
        y = (y + x / y) / 2
    return y


def layer(x):
    hidden = ag.nn.relu(x @ weights + bias)
    return {"probabilities": ag.nn.softmax(hidden), "best": hidden.argmax(axis=-1)}


def collected(x):
    found = []
    for value in x:
        if value > 0:
            found.append(value * value)
    return found, len(found)


def in_branches(x):
    if x.sum() > 0:
        y, n = np.sort(x), 1
    elif x.max() > -1:
        y, n = np.cumsum(x), 2
    else:
        y, n = x.copy(), 3
        y[1:-1] += 10
    return y, n


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def slope(x):
    def power(x):
        y = x
        for _ in range(int(3)):
            while y.sum() < 10:
                y = y * x
        return y.sum()

    return ag.grad(power)(x)


def square_root(x):
    return np.sqrt(x) + 1


PROGRAMS = [
    (newton, [ag.TensorSpec([]), 1e-9], [np.float64(2.0)], [np.float64(1e-3)]),
    (layer, [ag.TensorSpec([None, 3])], [np.ones((2, 3))], [np.arange(-3.0, 3).reshape(2, 3)]),
    (collected, [ANY], [np.array([1.0, -2.0, 3.0])], [np.array([-1.0, -1.0])]),
    (in_branches, [ANY], [np.array([3.0, 1.0, 2.0])], [np.array([-5.0, 0.0, 1.0])],
     [np.array([-5.0, -3.0, -4.0, -2.0])]),
    (collatz, [ag.TensorSpec([], np.int64)], [np.int64(27)], [np.int64(1)]),
    (slope, [ag.TensorSpec([3])], [np.array([1.5, 2.0, 1.0])], [np.array([1.0, 1.25, 1.5])]),
]  # fmt: skip


def session_of(path):
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def flat(x):
    """The arrays of a result, lists of numbers as one."""
    if isinstance(x, dict):
        x = tuple(x.values())
    if isinstance(x, tuple):
        return [leaf for part in x for leaf in flat(part)]
    return [np.asarray([np.asarray(item) for item in x] if isinstance(x, list) else x)]


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case[0].__name__)
def test_a_model_gives_what_the_program_gives(case, tmp_path):
    function, specs, *calls = case
    ag.save(ag.convert(function), tmp_path / "f.agz", specs)
    program = ag.load(tmp_path / "f.agz")
    ag.export_onnx(program, tmp_path / "f.onnx")
    session = session_of(tmp_path / "f.onnx")
    names = [given.name for given in session.get_inputs()]
    for arguments in calls:
        given = dict(zip(names, map(np.asarray, arguments)))
        rest = specs[len(arguments) :]
        given.update((n, np.asarray(x)) for n, x in zip(names[len(arguments) :], rest))
        got = session.run(None, given)
        for one, other in zip(got, flat(program(*arguments, *rest)), strict=True):
            assert one.shape == other.shape or one.size == other.size == 0
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_models_are_loops_and_branches_with_names(tmp_path):
    ag.export_onnx(in_branches, tmp_path / "f.onnx", [ANY])
    model = onnx.load(tmp_path / "f.onnx")
    assert "If" in {node.op_type for node in model.graph.node}
    assert [value.name for value in model.graph.output] == ["result_0", "result_1"]
    ag.export_onnx(layer, tmp_path / "f.onnx", [ag.TensorSpec([None, 3])])
    model = onnx.load(tmp_path / "f.onnx")
    assert [value.name for value in model.graph.output] == ["probabilities", "best"]
    assert {"weights", "bias"} <= {array.name for array in model.graph.initializer}
    size, known = model.graph.input[0].type.tensor_type.shape.dim
    assert size.dim_param and not size.dim_value and known.dim_value == 3


def raised(x):
    if x.sum() > 3:
        raise ValueError("too large")
    return x


def printed(x):
    print("now", x)
    return x * 2


def counted(x):
    weights.assign_add(1.0)
    return x * 2


def drawn(x):
    return x + ag.random.normal(shape=(3,))


def written(x):
    x[0] = 1.0
    return x.sum()


def turned(x):
    return np.fft.fft(x)


REFUSED = [
    (raised, "an exception"),
    (printed, "text that is printed"),
    (counted, "a Variable is assigned to"),
    (drawn, "a Variable is assigned to"),
    (written, "an argument that is written into"),
    (turned, "a complex number"),
]


@pytest.mark.parametrize(("function", "what"), REFUSED, ids=lambda x: getattr(x, "__name__", ""))
def test_what_onnx_has_not_is_refused_with_its_line(function, what, tmp_path):
    with pytest.raises(ag.UnsavableError, match=what) as raised:
        ag.export_onnx(ag.convert(function), tmp_path / "f.onnx", [ag.TensorSpec([3])])
    assert f"in `{function.__name__}`" in str(raised.value)
    assert not (tmp_path / "f.onnx").exists()


def test_without_the_package_the_error_says_how_to_get_it(tmp_path, monkeypatch):
    for name in [n for n in sys.modules if n.startswith("runtime.export.onnx")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'autograph-numpy\[onnx\]'"):
        ag.export_onnx(square_root, tmp_path / "f.onnx", [ANY])
