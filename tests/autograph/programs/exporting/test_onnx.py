"""`export_onnx`: models that give, where they run, what the programs give."""

import sys
from collections import Counter

import numpy as np
import pytest

import autograph as ag
from tests.autograph.programs.exporting.test_c import collatz, collected

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


def in_branches(x):
    if x.sum() > 0:
        y, n = np.sort(x), 1
    elif x.max() > -1:
        y, n = np.cumsum(x), 2
    else:
        y, n = x.copy(), 3
        y[1:-1] += 10
    return y, n


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


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64])
def test_quotients_of_any_two_integers_are_those_of_numpy(dtype, tmp_path):
    """By zero too, and of the least integer by -1, which the machine raises for."""

    def quotients(x, y):
        return x // y, x % y

    spec = ag.TensorSpec([None], dtype)
    ag.export_onnx(ag.convert(quotients), tmp_path / "f.onnx", [spec, spec])
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    near = [-3, -1] if least else []
    values = np.array([least, least + 1, *near, 0, 1, 2, 3, 7, 100, most - 1, most], dtype)
    x, y = (a.ravel() for a in np.meshgrid(values, values))
    found = session_of(tmp_path / "f.onnx").run(None, {"x": x, "y": y})
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, quotients(x, y), strict=True)


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


def in_eight_bits(x):
    return np.tanh(x.astype("float8_e5m2")).astype(np.float32)


def sorted_bfloats(x):
    return np.sort(x.astype("bfloat16")).astype(np.float32)


REFUSED = [
    (raised, "an exception"),
    (printed, "text that is printed"),
    (counted, "a Variable is assigned to"),
    (drawn, "random numbers, which the runtime draws"),
    (written, "an argument that is written into"),
    (turned, "a complex number"),
    (in_eight_bits, "float8_e5m2, which ONNX' Tanh does not take"),
    (sorted_bfloats, "bfloat16, which ONNX' TopK does not take"),
]


@pytest.mark.parametrize(("function", "what"), REFUSED, ids=lambda x: getattr(x, "__name__", ""))
def test_what_onnx_has_not_is_refused_with_its_line(function, what, tmp_path):
    with pytest.raises(ag.UnsavableError, match=what) as raised:
        ag.export_onnx(ag.convert(function), tmp_path / "f.onnx", [ag.TensorSpec([3])])
    assert f"in `{function.__name__}`" in str(raised.value)
    assert not (tmp_path / "f.onnx").exists()


# ---- functions ---------------------------------------------------------------------------------

LAYERS = [(np.full((4, 4), 0.3 - 0.01 * k), np.full(4, 0.01 * k)) for k in range(50)]


def dense(x, w, b):
    return np.tanh(x @ w + b)


def fifty_layers(x):
    for w, b in LAYERS:
        x = dense(x, w, b)
    return x


def gated(x, w, b):
    """A branch and a loop, which see what is around them."""
    y = dense(x * 0.5, w, b)
    if y.sum() > 0:
        y = y * b
    while np.abs(y).max() > 0.1:
        y = y * 0.5 - b * 0.01
    return x + y


def gates(x):
    for w, b in LAYERS[:5]:
        x = gated(x, w, b)
    return x


def in_a_branch(x):
    if x.sum() > 0:
        x = dense(dense(x, *LAYERS[0]), *LAYERS[1])
    return x


def inner_and_outer(x):
    def ends(v):
        v = np.sort(v, axis=0)
        return v[0] * 2, v[-1] + 1

    low, high = ends(x)
    lowest, highest = ends(x * low)
    return {"low": low - lowest, "high": high * highest}


FUNCTIONS = [
    (fifty_layers, {"dense": 50}, 51, 3),
    (gates, {"gated": 5}, 6, None),
    (in_a_branch, {"dense": 2}, None, 3),
    (inner_and_outer, {"ends": 2}, None, None),
    (layer, {}, None, None),
]


def nodes_of(nodes):
    """The nodes, those of graphs within them included."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            yield from nodes_of(attribute.g.node)


@pytest.mark.parametrize("case", FUNCTIONS, ids=lambda case: case[0].__name__)
def test_what_is_repeated_is_a_function_of_the_model(case, tmp_path):
    function, wanted, size, size_within = case
    path = tmp_path / "f.onnx"
    x = np.linspace(-1, 2, 12).reshape(4, 3) if function is layer else np.linspace(-1, 2, 8)
    x = x if function is layer else x.reshape(2, 4)
    ag.export_onnx(function, path, [ag.TensorSpec([None, x.shape[1]])])
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    everywhere = [*model.graph.node, *(n for f in model.functions for n in f.node)]
    called = Counter(n.op_type for n in nodes_of(everywhere) if n.domain == "autograph")
    assert called == wanted and {f.name for f in model.functions} == set(wanted)
    assert size is None or len(model.graph.node) == size
    assert size_within is None or len(model.functions[0].node) == size_within
    results = [flat(ag.convert(function)(x))]
    results.append(session_of(path).run(None, {model.graph.input[0].name: x}))
    back = ag.import_onnx(path)
    results.append(flat(back(x)))
    wanted = flat({**function(x)} if isinstance(function(x), dict) else function(x))
    for got in results:
        for one, other in zip(got, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


# ---- rows that rounds go through, and rows that they make ---------------------------------------


def scanned(xs):
    return ag.scan(lambda c, x: (c * 0.5 + x, np.tanh(c + x)), np.zeros(3), xs)


def of_pairs(xs):
    return ag.scan(lambda c, p: (c + p[0] * p[1], (c, p[0] - p[1])), np.zeros(3), (xs, xs + 1))


def in_reverse(xs):
    return ag.scan(lambda c, x: (c + x, c * x), np.zeros(3), xs, reverse=True)


def two_lists(x):
    sums, most = [1.0], []
    for row in x:
        sums.append(row.sum() * 2)
        most.append(1.0 if row.max() > 1 else 0.0)
    return np.array(sums), np.array(most)


def twice_a_round(x):
    found = []
    for row in x:
        found.append(row.sum())
        found.append(row.max())
    return np.array(found)


def until_large(x):
    found = []
    for row in x:
        if row.sum() > 1:
            break
        found.append(row.sum())
    return np.array(found)


def that_looks(x):
    found = []
    for row in x:
        found.append(row.sum() + len(found))
    return np.array(found)


def of_each_row(x):
    found = []
    for row in x:
        total = 0.0
        for v in row:
            total = total * 0.5 + v
        found.append(total)
    return np.array(found)


def growing(x):
    y = x.sum(axis=0)
    for row in x:
        y = np.concatenate([y, row])
    return y


def set_rows(x):
    y = np.zeros((x.shape[0], 3))
    for k in range(x.shape[0]):
        y[k] = x[k].sum()
    return y


def products(x):
    return np.cumprod(x, axis=0), np.cumprod(x, axis=1)


# With the nodes for three rows, and for any number of them.
OF_ROWS = [
    (scanned, {"Scan": 1}, {"Loop": 1}),
    (of_pairs, {"Scan": 1}, {"Loop": 1}),
    (in_reverse, {"Loop": 1, "ScatterElements": 1}, {"Loop": 1, "ScatterElements": 1}),
    (two_lists, {"Scan": 1, "If": 1}, {"Loop": 1, "If": 1}),
    (twice_a_round, {"Loop": 1, "Concat": 2}, {"Loop": 1, "Concat": 2}),
    (until_large, {"Loop": 1}, {"Loop": 1}),
    (that_looks, {"Loop": 1, "Concat": 1}, {"Loop": 1, "Concat": 1}),
    (of_each_row, {"Scan": 2}, {"Loop": 1, "Scan": 1}),
    (growing, {"Loop": 1, "Concat": 1}, {"Loop": 1, "Concat": 1}),
    (products, {"Loop": 2}, {"Loop": 2}),
    (set_rows, None, {"Loop": 1, "ScatterElements": 1}),
]


@pytest.mark.parametrize("case", OF_ROWS, ids=lambda case: case[0].__name__)
def test_rows_are_those_of_scan_and_loop_and_are_not_carried(case, tmp_path):
    function, of_three, of_any = case
    x, path = np.random.default_rng(3).normal(size=(3, 3)), tmp_path / "f.onnx"
    for rows, wanted in ((3, of_three), (None, of_any)):
        ag.export_onnx(function, path, [ag.TensorSpec([rows, 3])])
        ops = Counter(node.op_type for node in nodes_of(onnx.load(path).graph.node))
        if wanted is not None:
            of_rows = ("Scan", "Loop", "ScatterElements")
            assert {n: ops[n] for n in of_rows if ops[n]} == {
                n: count for n, count in wanted.items() if n in of_rows
            }
            assert all(ops[name] == count for name, count in wanted.items())
        session, back = session_of(path), ag.import_onnx(path)
        for given in [x] if rows else [x, x[:1], x[:0]]:
            expected = flat(ag.convert(function)(given))
            for got in (
                session.run(None, {session.get_inputs()[0].name: given}),
                flat(back(given)),
            ):
                for one, other in zip(got, expected, strict=True):
                    assert (one.shape, one.dtype) == (other.shape, other.dtype)
                    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_a_model_is_written_the_same_each_time(tmp_path):
    paths = tmp_path / "a.onnx", tmp_path / "b.onnx"
    for path in paths:
        ag.export_onnx(gates, path, [ag.TensorSpec([2, 4])])
    assert paths[0].read_bytes() == paths[1].read_bytes()


# ---- random numbers ----------------------------------------------------------------------------

seed = ag.Variable(np.uint64(3), name="seed")
count = ag.Variable(0, name="count")


def kinds(x):
    seed.assign_add(np.uint64(1))
    drop = ag.nn.dropout(x, 0.5, key=seed.read_value())
    while x.sum() < 10:
        x = x + ag.random.uniform(shape=x.shape)
    whole = ag.random.integers(-2, 3, shape=(500,)), ag.random.permutation(6)
    weights = ag.log(np.array([0.0, 0.25, 0.75]))
    return (drop, x, *whole, ag.random.categorical(weights, 500), ag.random.normal(shape=(500,)))


def counting(x):
    count.assign_add(1)
    return x + ag.random.uniform()


def seen(x):
    seed.assign_add(np.uint64(1))
    return x + ag.random.uniform(key=seed.read_value()), seed.read_value()


def test_draws_are_those_of_the_runtime_where_that_is_allowed(tmp_path):
    ag.export_onnx(kinds, tmp_path / "f.onnx", [ANY], allow_random=True)
    session = session_of(tmp_path / "f.onnx")
    drop, x, whole, order, places, normal = session.run(None, {"x": np.ones(40)})
    assert sorted(set(drop.tolist())) == [0.0, 2.0] and x.sum() > 10
    assert sorted(set(whole.tolist())) == [-2, -1, 0, 1, 2] and sorted(order) == list(range(6))
    assert set(places.tolist()) == {1, 2} and 300 < (places == 2).sum() < 450
    assert abs(normal.mean()) < 0.3 and 0.8 < normal.std() < 1.2
    assert (session.run(None, {"x": np.ones(40)})[5] != normal).any()


N = 4000
# What is drawn, beside the distribution of SciPy that it is of.
DISTRIBUTIONS = [
    (lambda: ag.random.uniform((N,), -1.0, 2.0), ("uniform", (-1, 3))),
    (lambda: ag.random.normal((N,), 1.0, 2.0), ("norm", (1, 2))),
    (lambda: ag.random.truncated_normal((N,)), ("truncnorm", (-2, 2))),
    (lambda: ag.random.truncated_normal((N,), low=1.0, high=9.0), ("truncnorm", (1, 9))),
    (lambda: ag.random.truncated_normal((N,), low=-9.0, high=0.5), ("truncnorm", (-9, 0.5))),
    (lambda: ag.random.exponential((N,), 2.0), ("expon", (0, 2))),
    (lambda: ag.random.gamma((N,), 2.5), ("gamma", (2.5,))),
    (lambda: ag.random.gamma((N,), 0.3), ("gamma", (0.3,))),
    (lambda: ag.random.poisson((N,), 3.0), ("poisson", (3,))),
    (lambda: ag.random.poisson((N,), 50.0), ("poisson", (50,))),
    (lambda: ag.random.poisson((N,), 0.0), ("poisson", (0,))),
    (lambda: ag.random.binomial((N,), 10, 0.3), ("binom", (10, 0.3))),
    (lambda: ag.random.binomial((N,), 100, 0.8), ("binom", (100, 0.8))),
    (lambda: ag.random.binomial((N,), 10, 1.0), ("binom", (10, 1))),
    (lambda: ag.random.bits((N,), np.uint8), ("randint", (0, 2**8))),
    (lambda: ag.random.bits((N,), np.uint64) / np.float64(2**64), ("uniform", (0, 1))),
]


def distance(drawn, law):
    """The largest difference between the shares of draws and of the distribution, below and at."""
    values, counts = np.unique(drawn, return_counts=True)
    at = np.cumsum(counts) / drawn.size
    ends = np.abs(law.cdf(values) - at)
    return (
        ends.max()
        if hasattr(law.dist, "pmf")
        else max(ends.max(), np.abs(law.cdf(values) - (at - counts / drawn.size)).max())
    )


@pytest.mark.parametrize("case", DISTRIBUTIONS, ids=lambda case: f"{case[1][0]}{case[1][1]}")
def test_draws_are_of_their_distributions(case, tmp_path):
    stats = pytest.importorskip("scipy.stats")
    draw, (name, parameters) = case

    ag.export_onnx(lambda x: x + draw(), tmp_path / "f.onnx", [0.0], allow_random=True)
    runtime.set_seed(1)
    session = session_of(tmp_path / "f.onnx")
    drawn, others = (session.run(None, {"x": np.array(0.0)})[0] for _ in range(2))
    # Kolmogorov's limit, which one in 10,000 samples is above.
    law = getattr(stats, name)(*parameters)
    assert distance(drawn, law) < 2.23 / np.sqrt(N)
    assert (drawn != others).any() or law.std() == 0


def of_each(alpha, lam):
    """Parameters of other shapes, and sizes that only the run tells."""
    size = alpha.shape[0]
    return ag.random.gamma((3, size), alpha), ag.random.poisson((size, 2), lam, "float32")


def test_parameters_are_arrays_and_those_that_cannot_be_are_errors(tmp_path):
    specs = [ANY, ag.TensorSpec([])]
    ag.export_onnx(of_each, tmp_path / "f.onnx", specs, allow_random=True)
    session = session_of(tmp_path / "f.onnx")
    alpha = np.array([1e-3, 1.0, 1e6])
    gamma, counts = session.run(None, {"alpha": alpha, "lam": np.array(20.0)})
    assert gamma.shape == (3, 3) and counts.shape == (3, 2) and counts.dtype == np.float32
    assert gamma[:, 0].max() < 1 and 9e5 < gamma[:, 2].min() and gamma[:, 2].max() < 1.1e6
    for wrong in ({"lam": np.array(-1.0)}, {"alpha": np.array([1.0, np.nan])}):
        with pytest.raises(Exception, match="out of data bounds|indices"):
            session.run(None, {"alpha": alpha, "lam": np.array(1.0), **wrong})


def subset(x):
    return x + ag.random.choice(3, (2,), replace=False, p=np.array([0.5, 0.25, 0.25]))


def test_draws_that_onnx_has_no_way_for_are_refused(tmp_path):
    with pytest.raises(ag.UnsavableError, match="`random_subset`"):
        ag.export_onnx(subset, tmp_path / "f.onnx", [0.0], allow_random=True)


@pytest.mark.parametrize("function", [counting, seen])
def test_a_state_that_is_more_than_a_seed_is_refused(function, tmp_path):
    with pytest.raises(ag.UnsavableError, match="a Variable is assigned to"):
        ag.export_onnx(function, tmp_path / "f.onnx", [ANY], allow_random=True)


def test_without_the_package_the_error_says_how_to_get_it(tmp_path, monkeypatch):
    for name in [n for n in sys.modules if n.startswith("runtime.export.onnx")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'autograph-numpy\[onnx\]'"):
        ag.export_onnx(square_root, tmp_path / "f.onnx", [ANY])
