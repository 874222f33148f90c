"""`import_onnx`: models as functions, which give what the models were made of, and have gradients."""

import collections
import inspect

import ml_dtypes
import numpy as np
import pytest

import autograph as ag
from runtime.dtypes import kind_of

onnx = pytest.importorskip("onnx", reason="needs the package onnx")
models = pytest.importorskip("autograph.programs.importing.models")
Model, Unknown = models.Model, models.Unknown

weights = ag.Variable(np.linspace(-1, 1, 12).reshape(3, 4), name="weights")
# So many of ONNX' own tests pass, or more.
LEAST = {"at_once": 1740, "in_a_graph": 1715}
# What is drawn at random is compared by its shape and dtype.
RANDOM = ("test_bernoulli", "test_training_dropout")
# What stays out: pictures, text, trees, steps of optimizers, and what no model of today has.
UNKNOWN = {
    "Adagrad", "Adam", "DeformConv", "ImageDecoder", "MelWeightMatrix", "Momentum", "Scan",
    "TfIdfVectorizer", "TreeEnsemble",
}  # fmt: skip


def layer(x, rounds):
    y = ag.nn.softmax(np.tanh(x @ weights))
    k = 0
    while k < rounds:
        y = y * 0.9 if y.sum() > 1 else np.exp(y) + np.log(y + 1)
        k += 1
    return {"y": np.sort(y), "mean": y.mean()}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "layer.onnx"
    ag.export_onnx(layer, path, [ag.TensorSpec([None, 3]), ag.TensorSpec([], np.int64)])
    return ag.import_onnx(path)


def test_an_imported_model_gives_what_it_was_made_of(model, tmp_path):
    x, rounds = np.linspace(-1, 2, 6).reshape(2, 3), np.int64(3)
    wanted = ag.convert(layer)(x, rounds)
    for call in (model, model):
        y, mean = call(x, rounds)
        np.testing.assert_allclose(y, wanted["y"].numpy(), rtol=1e-12)
        np.testing.assert_allclose(mean, wanted["mean"].numpy(), rtol=1e-12)
    assert model.trace_count == 1
    graph = str(model.traces()[-1].graph)
    assert "while" in graph and "cond" in graph
    ag.save(model, tmp_path / "f.agz")
    np.testing.assert_array_equal(ag.load(tmp_path / "f.agz")(x, rounds)[0], y)


def test_imported_models_have_gradients(model):
    x, rounds = np.linspace(-1, 2, 6).reshape(2, 3), np.int64(3)
    got = ag.grad(lambda x: model(x, rounds)[0][0, 0])(x)
    wanted = ag.grad(lambda x: layer(x, rounds)["y"][0, 0])(x)
    np.testing.assert_allclose(got, wanted, rtol=1e-10)
    assert np.abs(got).max() > 0


def test_functions_of_a_model_are_taken_apart(tmp_path):
    """With attributes, in a branch, too; two of one name; one in another."""
    make, opset = onnx.helper.make_node, onnx.helper.make_opsetid
    ref = onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
    leaky = make("LeakyRelu", ["a"], ["b"])
    leaky.attribute.append(ref)
    x, y = (onnx.helper.make_tensor_value_info(n, 1, [3]) for n in "xy")
    yes, no = make("LeakyRelu", ["a"], ["p"]), make("Identity", ["a"], ["p"])
    yes.attribute.append(ref)
    of_branch = [onnx.helper.make_tensor_value_info("p", 1, [3])]
    branches = {
        f"{name}_branch": onnx.helper.make_graph([node], name, [], of_branch)
        for name, node in (("then", yes), ("else", no))
    }
    inner = [
        make("ReduceSum", ["a"], ["s"], keepdims=0),
        make("Constant", [], ["z"], value_float=0.0),
        make("Less", ["s", "z"], ["c"]),
        make("If", ["c"], ["b"], **branches),
    ]
    outer = [make("f", ["a"], ["t"], domain="own", slope=2.0), make("Neg", ["t"], ["b"])]
    functions = [
        onnx.helper.make_function("own", "f", ["a"], ["b"], [leaky], [opset("", 20)], ["slope"]),
        onnx.helper.make_function(
            "own", "f", ["a"], ["b"], inner, [opset("", 20)], ["slope"], overload="branch"
        ),
        onnx.helper.make_function(
            "own", "outer", ["a"], ["b"], outer, [opset("", 20), opset("own", 1)]
        ),
    ]
    nodes = [
        make("f", ["x"], ["t"], domain="own", slope=0.5),
        make("f", ["t"], ["v"], domain="own", slope=0.25, overload="branch"),
        make("outer", ["v"], ["y"], domain="own"),
    ]
    graph = onnx.helper.make_graph(nodes, "g", [x], [y])
    opsets = [opset("", 20), opset("own", 1)]
    model = onnx.helper.make_model(graph, functions=functions, opset_imports=opsets, ir_version=10)
    (tmp_path / "f.onnx").write_bytes(model.SerializeToString())
    found = ag.import_onnx(tmp_path / "f.onnx")
    for given, wanted in (([1, 2, -2], [-1, -2, 2]), ([1, -4, -2], [-1, 1, 0.5])):
        np.testing.assert_array_equal(found(np.array(given, np.float32)), np.float32(wanted))


def model_of(path, nodes, inputs, outputs, version=20, arrays=None):
    """The model of some nodes, `outputs` the number of axes of each; written to a file."""
    number, info = onnx.helper.np_dtype_to_tensor_dtype, onnx.helper.make_tensor_value_info
    given = [
        info(n, number(x.dtype), [f"{n}{k}" for k in range(x.ndim)]) for n, x in inputs.items()
    ]
    made = [info(n, 1, [f"{n}{k}" for k in range(rank)]) for n, rank in outputs.items()]
    held = [onnx.numpy_helper.from_array(x, n) for n, x in (arrays or {}).items()]
    graph = onnx.helper.make_graph(nodes, "g", given, made, held)
    opsets = [onnx.helper.make_opsetid("", version)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return ag.import_onnx(path)


def test_inputs_have_names_of_python_each_its_own(tmp_path):
    x = np.ones(2, np.float32)
    names = ["a.b", "a_b", "class", "x²", "2"]
    node = onnx.helper.make_node("Sum", names, ["y"])
    found = model_of(tmp_path / "f.onnx", [node], dict.fromkeys(names, x), {"y": 1})
    assert list(inspect.signature(found).parameters) == ["a_b", "a_b_", "class_", "x_", "_2"]
    np.testing.assert_array_equal(found(x, x, _2=x, x_=x, class_=x), 5 * x)


def test_what_is_not_known_says_its_name(tmp_path):
    x, node = np.ones((1, 1, 2, 2), np.float32), onnx.helper.make_node
    for unknown, version, match in (
        (node("DeformConv", ["x", "x", "x"], ["y"]), 20, "`DeformConv` of ONNX"),
        (node("Resize", ["x", "", "x"], ["y"]), 20, "scales that only the run tells"),
    ):
        found = model_of(tmp_path / "f.onnx", [unknown], {"x": x}, {"y": 4}, version)
        with pytest.raises(NotImplementedError, match=match):
            found(x)
    with pytest.raises(NotImplementedError, match="before 7"):
        model_of(tmp_path / "f.onnx", [node("Relu", ["x"], ["y"])], {"x": x}, {"y": 4}, 6)


X = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
TWICE = {"s": np.array([1, 1, 2, 2], np.float32)}
# Operations that meant something else, or were told it elsewhere, in older versions of ONNX.
OLDER = [
    (11, "Softmax", {"axis": 1}, None), (7, "LogSoftmax", {}, None), (11, "Hardmax", {}, None),
    (10, "Clip", {"min": -0.5, "max": 0.5}, None), (11, "ReduceSum", {"axes": [1]}, None),
    (11, "Unsqueeze", {"axes": [0]}, None), (9, "Slice", {"starts": [1], "ends": [3], "axes": [2]}, None),
    (9, "Pad", {"pads": [0, 1, 0, 0, 0, 2], "value": 3.0}, None), (7, "Dropout", {"ratio": 0.3}, None),
    (10, "Resize", {}, TWICE), (10, "Resize", {"mode": "linear"}, TWICE),
    (9, "Upsample", {"mode": "linear"}, TWICE), (7, "Upsample", {"scales": [1.0, 1, 2, 2]}, None),
]  # fmt: skip


@pytest.mark.parametrize("case", OLDER, ids=lambda case: f"{case[1]}-{case[0]}")
def test_operations_mean_what_they_did_in_the_version_of_the_model(case, tmp_path):
    runtime = pytest.importorskip("onnxruntime", reason="needs the package onnxruntime")
    version, kind, how, arrays = case
    x = X[None] if kind in ("Resize", "Upsample") else X
    rank = x.ndim + (kind == "Unsqueeze")
    node = onnx.helper.make_node(kind, ["x", *(arrays or ())], ["y"], **how)
    found = model_of(tmp_path / "f.onnx", [node], {"x": x}, {"y": rank}, version, arrays)(x)
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    (wanted,) = runtime.InferenceSession(tmp_path / "f.onnx", options).run(None, {"x": x})
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_sizes_that_only_the_run_tells_are_computed_with(tmp_path):
    """The first size of `x`, as PyTorch writes it: a range of so many, reshaped, cut, spread."""
    node, arrays = onnx.helper.make_node, {
        "zero": np.array(0), "one": np.array(1), "first": np.array([0]), "rest": np.array([-1]),
        "wide": np.array([1, 5]),
    }  # fmt: skip
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "first"], ["n"]),
        node("Concat", ["n", "rest"], ["flat"], axis=0),
        node("Reshape", ["x", "flat"], ["rows"]),
        node("Slice", ["rows", "first", "n", "first"], ["all"]),
        node("Gather", ["s", "zero"], ["count"]),
        node("Range", ["zero", "count", "one"], ["r"]),
        node("Cast", ["r"], ["f"], to=1),
        node("Unsqueeze", ["f", "rest"], ["u"]),
        node("Expand", ["u", "wide"], ["numbers"]),
    ]
    path = tmp_path / "f.onnx"
    found = model_of(path, nodes, {"x": X}, {"all": 2, "numbers": 2}, arrays=arrays)
    found = found.get_concrete_function(ag.TensorSpec([None, 3, 4], np.float32))
    for n in (2, 1, 5, 3):
        x = np.resize(X, (n, 3, 4))
        rows, numbers = found(x)
        np.testing.assert_array_equal(rows, x.reshape(n, -1))
        np.testing.assert_array_equal(numbers, np.repeat(np.arange(n), 5).reshape(n, 5))


def test_shapes_that_are_known_are_computed_while_tracing(tmp_path):
    """ONNX says what LayerNormalization is by the shape of `x`, parts of it, and reshaping."""
    node = onnx.helper.make_node("LayerNormalization", ["x", "s"], ["y"], axis=1)
    scale = np.linspace(1, 2, 12, dtype=np.float32).reshape(3, 4)
    found = model_of(tmp_path / "f.onnx", [node], {"x": X}, {"y": 3}, arrays={"s": scale})
    centred = X - X.mean((1, 2), keepdims=True)
    wanted = centred / np.sqrt((centred**2).mean((1, 2), keepdims=True) + 1e-5) * scale
    np.testing.assert_allclose(found(X), wanted, rtol=1e-5, atol=1e-6)
    assert found.trace_count == 1
    assert not {"concat", "dim"} & {n.op.name for n in found.traces()[0]._traced.graph.walk()}


def as_array(x):
    """What a test holds as we take it; None for text, and for numbers of fewer bits than a byte."""
    if isinstance(x, list):
        return [as_array(part) for part in x]
    if x is None:
        return x
    x = onnx.numpy_helper.to_array(x) if isinstance(x, onnx.TensorProto) else np.asarray(x)
    if kind_of(x.dtype) not in "biufc":
        raise TypeError(f"elements of {x.dtype}")
    return x


def compare(found, wanted, case):
    if isinstance(wanted, list):
        for one, other in zip(found, wanted, strict=True):
            compare(one, other, case)
        return
    found = np.asarray(found.numpy() if isinstance(found, ag.Tensor) else found)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    if case.name.startswith(RANDOM):
        return
    kind, size = kind_of(wanted.dtype), wanted.dtype.itemsize
    last = (
        {1: 0.5, 2: 2.5 * float(ml_dtypes.finfo(wanted.dtype).eps)}.get(size, 0)
        if kind == "f"
        else 0
    )
    wide = [x.astype(np.float32) if kind == "f" and size < 4 else x for x in (found, wanted)]
    rtol, atol = max(case.rtol, 1e-3, last), max(case.atol, 1e-6, last * (size == 2))
    np.testing.assert_allclose(*wide, rtol=rtol, atol=atol)


def at_once(model, inputs):
    return Model(model)(*inputs)


def in_a_graph(model, inputs):
    """The model traced for floats; other inputs, such as axes, are held by it."""
    held = onnx.ModelProto()
    held.CopyFrom(model)
    names = [x.name for x in model.graph.input]
    del held.graph.input[:]
    arguments = []
    for info, x in zip(model.graph.input, inputs):
        if isinstance(x, np.ndarray) and (kind_of(x.dtype) not in "fc" or "scales" in info.name):
            held.graph.initializer.append(onnx.numpy_helper.from_array(x, info.name))
        else:
            held.graph.input.append(info)
            arguments.append(x)
    assert len(names) == len(inputs)
    whole = Model(held)
    function = ag.convert(lambda *xs: whole(*xs), native=False)
    found = function(*arguments)
    assert function.trace_count == 1
    return found


def outcome(case, run):
    """What becomes of one of ONNX' tests: "passed", "other types", what is unknown, or the error."""
    for data in case.data_sets:
        try:
            inputs, outputs = ([as_array(x) for x in part] for part in data)
        except TypeError:
            return "other types"
        try:
            found = run(case.model, inputs)
            compare([*found] if isinstance(found, tuple) else [found], outputs, case)
        except Unknown as reason:
            return f"unknown: {reason}"
        except Exception as error:
            return f"{case.name}: {error!r}"
    return "passed"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("run", [at_once, pytest.param(in_a_graph, marks=pytest.mark.long)])
def test_models_of_onnx_own_tests(run):
    loader = pytest.importorskip("onnx.backend.test.loader")
    found = collections.Counter(outcome(c, run) for c in loader.load_model_tests(kind="node"))
    unknown = {text.split("`")[1] for text in found if "`" in text and text.startswith("unknown")}
    known = ("passed", "other types", "unknown")
    assert not [text for text in found if not text.startswith(known)], found
    assert found["passed"] >= LEAST[run.__name__] and unknown <= UNKNOWN, found
