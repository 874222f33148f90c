"""Which calls share a graph: keys of arguments, the cache, and why a function is traced again."""

import collections
import dataclasses
import enum
import math

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf
from autograph.tracing.signature import IntPolicy, classify, describe_key, differences, is_input_key
from runtime import config


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class State:
    position: object
    step: int = 0


@dataclasses.dataclass(frozen=True)
class Frozen:
    position: object


class AttrsLike:
    """What an attrs class looks like from outside."""

    __attrs_attrs__ = tuple(collections.namedtuple("Field", "name")(n) for n in ("a", "b"))

    def __init__(self, a, b):
        self.a, self.b = a, b


class Plain:
    def __init__(self, value):
        self.value = value


V, W = ag.Variable(1.0), ag.Variable(1.0)
ONE, OTHER = Plain(1.0), Plain(1.0)
T = ag.constant


def identity(x):
    return x


def key_of(x):
    return classify({"x": x}, IntPolicy(set(), set(), {})).key


# ---- the table of pairs (B6.04): do two arguments share a trace? --------------------------------

PAIRS = [
    ("arrays of one type", np.ones(2), np.zeros(2), True),
    ("dtypes", np.ones(2), np.ones(2, np.float32), False),
    ("shapes", np.ones(2), np.ones(3), False),
    ("ranks", np.ones(2), np.ones((2, 1)), False),
    ("array and tensor", np.ones(2), T(np.ones(2)), False),
    ("tensors", T([1.0]), T([2.0]), True),
    ("0-d array and NumPy scalar", np.array(1.0), np.float64(1.0), False),
    ("NumPy scalar and float", np.float64(1.0), 1.0, False),
    ("floats", 1.0, 2.0, True),
    ("zeros of both signs", 0.0, -0.0, True),
    ("nan and itself", math.nan, math.nan, True),
    ("True and 1", True, 1, False),
    ("1 and 1.0", 1, 1.0, False),
    ("True and False", True, False, False),
    ("equal strings", "mean", "".join(["me", "an"]), True),
    ("strings", "mean", "sum", False),
    ("string and bytes", "a", b"a", False),
    ("None and False", None, False, False),
    ("enum members", Colour.RED, Colour.BLUE, False),
    ("an enum member", Colour.RED, Colour.RED, True),
    ("variables", V, W, False),
    ("a variable", V, V, True),
    ("objects", ONE, OTHER, False),
    ("an object", ONE, ONE, True),
    ("tuple and list", (1.0, 2.0), [1.0, 2.0], False),
    ("tuples", (1.0, 2.0), (3.0, 4.0), True),
    ("tuple and namedtuple", (1.0, 2.0), Point(1.0, 2.0), False),
    ("lengths", [1.0], [1.0, 2.0], False),
    ("dict keys", {"a": 1.0}, {"b": 1.0}, False),
    ("dict values", {"a": 1.0}, {"a": 2.0}, True),
    ("dataclasses", State(1.0), State(2.0), True),
    ("dataclass constants", State(1.0, 0), State(1.0, 1), False),
    ("attrs classes", AttrsLike(1.0, "p"), AttrsLike(2.0, "p"), True),
    ("dtypes as arguments", np.dtype("f4"), np.dtype("f8"), False),
    ("ranges", range(3), range(3), True),
    ("slices", slice(0, 2), slice(0, 3), False),
    ("complex", 1j, 2j, True),
    ("int dtypes", np.int32(1), np.int64(1), False),
]


@pytest.mark.parametrize(("a", "b", "same"), [p[1:] for p in PAIRS], ids=[p[0] for p in PAIRS])
def test_b6_04_pairs(a, b, same):
    assert (key_of(a) == key_of(b)) is same
    if same:
        assert hash(key_of(a)) == hash(key_of(b))


@pytest.mark.parametrize(("name", "a", "b", "same"), PAIRS, ids=[p[0] for p in PAIRS])
def test_b6_04_pairs_in_a_call(name, a, b, same):
    f = ag.convert(lambda x, y: (x, y * 2))
    f(a, 1.0), f(b, 1.0)
    # One trace serves objects that are alike: each call gives back its own.
    assert f.trace_count == (1 if same or name == "objects" else 2)
    if name == "objects":
        assert f(a, 1.0)[0] is a and f(b, 1.0)[0] is b


def test_b6_04_results_do_not_collide():
    f = ag.convert(lambda x: (x, type(x).__name__))
    for x in (True, 1, 1.0, np.float64(1.0), np.int8(1), False, 0, 0.0, "1", None):
        value, name = f(x)
        assert type(value) is type(x) and value == x and name == type(x).__name__
    assert math.copysign(1.0, f(-0.0)[0]) == -1.0 and math.copysign(1.0, f(0.0)[0]) == 1.0
    assert math.isnan(f(math.nan)[0])


def test_zeros_of_both_signs_in_structures_and_captures():
    f = ag.convert(lambda x: math.copysign(1.0, x) * 1.0)
    assert f(0.0) == 1.0 and f(-0.0) == -1.0


def test_most_specific_trace_is_used():
    f = ag.convert(lambda x: x.sum())
    special = f.get_concrete_function(ag.TensorSpec((3,), np.float64))
    general = f.get_concrete_function(ag.TensorSpec((None,), np.float64))
    assert f.get_concrete_function(ag.TensorSpec((3,), np.float64)) is special
    assert f.get_concrete_function(T(np.ones(3))) is special
    assert f.get_concrete_function(T(np.ones(4))) is general
    assert f(T(np.ones(3))).numpy() == 3.0 and f(T(np.ones(4))).numpy() == 4.0
    assert f.trace_count == 2


def test_spec_with_unknown_rank():
    f = ag.convert(lambda x: x.sum())
    f.get_concrete_function(ag.TensorSpec(None, np.float64))
    assert f(T(np.ones((2, 2)))).numpy() == 4.0 and f(T(np.ones(3))).numpy() == 3.0
    assert f.trace_count == 1


# ---- numbers (S6, A25, A26) ---------------------------------------------------------------------


def test_floats_are_inputs():
    f = ag.convert(lambda x, y: x + y)
    assert [f(float(i), 0.5) for i in range(4)] == [0.5, 1.5, 2.5, 3.5]
    assert f.trace_count == 1 and type(f(1.0, 2.0)) is float


def test_a25_tensors_are_inputs():
    f = ag.convert(lambda x: x * x + 2)
    assert f(T(2)).numpy() == 6 and f(T(3)).numpy() == 11
    assert f.trace_count == 1
    assert all(part in repr(f(T(2))) for part in ("6", "shape=()", "int64"))


def test_a26_ints_are_general_at_the_second_value():
    f = ag.convert(lambda x: x * x + 2)
    assert [f(i) for i in (2, 3, 4, 5, 2)] == [6, 11, 18, 27, 6]
    assert f.trace_count == 2 and type(f(7)) is int


def test_ints_that_are_needed_stay_constants():
    @ag.convert
    def f(x, n):
        return x + np.ones((2, 3, 4)).sum(axis=n).shape[0]

    assert [f(4.0, n) for n in (0, 1, 2, 0)] == [7.0, 6.0, 6.0, 7.0]
    assert f.trace_count == 3


def test_ints_as_list_index_axis_and_shape():
    rows = [1.0, 2.0, 3.0]

    @ag.convert
    def item(x, n):
        return x * rows[n]

    @ag.convert
    def axis(x, n):
        return x.sum(axis=n)

    @ag.convert
    def shape(x, n):
        return x.reshape(n, -1)

    x = np.arange(12.0).reshape(2, 2, 3)
    for n in (0, 1, 2, 0):
        assert item(2.0, n) == 2.0 * rows[n]
        np.testing.assert_array_equal(axis(x, n), x.sum(axis=n))
    for n in (1, 2, 3, 4):
        np.testing.assert_array_equal(shape(x, n), x.reshape(n, -1))


def test_ints_beyond_64_bits():
    f = ag.convert(lambda x, n: x + n)
    assert f(1, 2**70) == 2**70 + 1
    assert f(1, 3) == 4 and f(1, 2**80) == 2**80 + 1
    assert f(1.0, 2**70) == 1.0 + 2**70 and type(f(1.0, 2**70)) is float


def test_int_subclasses_and_bools_are_constants():
    class Kind(enum.IntEnum):
        A = 1
        B = 2

    f = ag.convert(lambda x, k: x * 2 if k == Kind.A else x)
    assert f(3.0, Kind.A) == 6.0 and f(3.0, Kind.B) == 3.0 and f(3.0, True) == 6.0


# ---- NumPy arguments, S2 ------------------------------------------------------------------------


def test_b6_05_arrays_share_a_trace():
    """B6.05: one trace for arrays of one dtype and shape, of any strides."""
    f = ag.convert(lambda x: x + 1)
    f(np.ones(2)), f(np.zeros(2)), f(np.ones(4)[::2])
    assert f.trace_count == 1


def test_s2_results_follow_the_arguments():
    f = ag.convert(lambda x: x * 2)
    cases = [
        (np.ones(2), np.ndarray), (np.float32(1), np.float32), (1.5, float), (1j, complex),
        (T([1.0]), ag.Tensor), (T(1.0), ag.Tensor), (V, ag.Tensor), (np.array(1.0), np.float64),
    ]  # fmt: skip
    for x, kind in cases:
        assert type(f(x)) is kind, x
    assert ag.convert(lambda x: x > 0)(1.0) is True
    assert type(ag.convert(lambda x: x * V)(1.0)) is ag.Tensor
    captured = T([1.0, 2.0])
    assert type(ag.convert(lambda x: x * captured)(1.0)) is ag.Tensor


def test_s2_returns_overrides():
    assert type(ag.convert(lambda x: x * 2, returns="tensor")(np.ones(2))) is ag.Tensor
    assert type(ag.convert(lambda x: x * 2, returns="numpy")(T([1.0]))) is np.ndarray
    assert type(ag.convert(lambda x: x * 2, returns="numpy")(T(1.0))) is np.float64


def test_s2_gradients_follow_the_argument():
    f = ag.convert(lambda x: (x * x).sum())
    assert type(ag.grad(f)(np.ones(2))) is np.ndarray
    assert type(ag.grad(f)(T([1.0]))) is ag.Tensor


# ---- nests (B4.11) ------------------------------------------------------------------------------


def test_b4_11_binding_is_canonical():
    f = ag.convert(lambda a, b: a * b)
    assert f(1, b=T(2)).numpy() == 2 and f(a=1, b=T(3)).numpy() == 3 and f(1, T(4)).numpy() == 4
    assert f.trace_count == 1


def test_b4_11_defaults_varargs_and_keywords():
    def f(a, *rest, scale=2.0, **named):
        total = a
        for r in rest:
            total = total + r
        for k in sorted(named):
            total = total - named[k]
        return total * scale

    g = ag.convert(f)
    x = np.ones(2)
    for args, kwargs in [((x,), {}), ((x, x, 1.0), {}), ((x,), {"u": x, "t": 2.0}),
                         ((x, x), {"scale": 3.0, "u": 1.0})]:  # fmt: skip
        np.testing.assert_array_equal(g(*args, **kwargs), f(*args, **kwargs))
        np.testing.assert_array_equal(g(*args, **kwargs), f(*args, **kwargs))
    assert g.trace_count == 4
    g(x, u=1.0, t=x), g(x, t=x, u=1.0)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        g()


def test_b4_11_positional_only_and_keyword_only():
    def f(a, /, b, *, c):
        return a + b * c

    g = ag.convert(f)
    assert g(1.0, 2.0, c=3.0) == g(1.0, b=2.0, c=3.0) == 7.0
    with pytest.raises(TypeError):
        g(1.0, 2.0, 3.0)
    with pytest.raises(TypeError):
        g(a=1.0, b=2.0, c=3.0)


def test_b4_11_nests_as_arguments_and_results():
    def f(s):
        return {"point": Point(s.position, s.step), "same": [s, (s.position * 2,)], "none": None}

    g = ag.convert(f)
    result = g(State(np.ones(2), 3))
    assert type(result["point"]) is Point and result["point"].y == 3 and result["none"] is None
    assert type(result["same"][0]) is State and result["same"][0].step == 3
    assert result["same"][1][0].tolist() == [2.0, 2.0]
    g(State(np.zeros(2), 3))
    assert g.trace_count == 1


@pytest.mark.parametrize("kind", [
    lambda x: State(x), lambda x: Frozen(x), lambda x: Point(x, 0.0), lambda x: {"position": x},
    lambda x: collections.OrderedDict(position=x), lambda x: AttrsLike(x, 1.0), lambda x: [x],
    lambda x: collections.defaultdict(list, position=x),
])  # fmt: skip
def test_b4_11_structures_pass_through(kind):
    f = ag.convert(lambda s, k: (s, k * 2))
    x = np.ones(3)
    result, _ = f(kind(x), 1.0)
    assert type(result) is type(kind(x))
    f(kind(x * 5), 1.0)
    assert f.trace_count == 1


def test_b4_11_dataclass_with_methods_and_attributes_beyond_its_fields():
    @dataclasses.dataclass
    class Body:
        mass: float
        speed: float

        def __post_init__(self):
            self.unit = 2.0

        def energy(self):
            return self.mass * self.speed**2 / self.unit

    f = ag.convert(lambda b: b.energy())
    assert f(Body(2.0, 3.0)) == 9.0 and f(Body(4.0, 1.0)) == 2.0


def test_attrs_classes():
    attr = pytest.importorskip("attr")

    @attr.s
    class Pair:
        a = attr.ib()
        b = attr.ib()

    f = ag.convert(lambda p: Pair(p.b, p.a * 2))
    result = f(Pair(np.ones(2), 3.0))
    assert result.a == 3.0 and result.b.tolist() == [2.0, 2.0]


def test_objects_share_no_trace_even_when_equal():
    class Fruit:
        def __init__(self, name, weight):
            self.name, self.weight = name, weight

        def __eq__(self, other):
            return self.name == other.name

        def __hash__(self):
            return hash(self.name)

    f = ag.convert(lambda fruit, x: x * fruit.weight)
    assert f(Fruit("apple", 2.0), 1.0) == 2.0 and f(Fruit("apple", 3.0), 1.0) == 3.0


# ---- input_signature (B6.02, B10.01) ------------------------------------------------------------


def next_collatz(x):
    return ag.where(x % 2 == 0, x // 2, 3 * x + 1)


def test_b10_01_input_signature():
    f = ag.convert(next_collatz, input_signature=(ag.TensorSpec([None], np.int32),))
    assert f(T(np.array([1, 2], np.int32))).numpy().tolist() == [4, 1]
    assert f(T(np.arange(5, dtype=np.int32))).shape == (5,)
    assert f.trace_count == 1 and f.input_signature[0].shape == (None,)
    with pytest.raises(TypeError, match=r"`x` must be int32\[\?\]"):
        f(T(np.ones((1, 2), np.int32)))
    with pytest.raises(TypeError, match="float64"):
        f(T([1.0, 2.0]))
    assert f.trace_count == 1


def test_input_signature_converts_python_values():
    f = ag.convert(lambda x: x * 2, input_signature=[ag.TensorSpec([None], np.float64)])
    assert np.asarray(f([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert np.asarray(f([1, 2, 3])).tolist() == [2.0, 4.0, 6.0]
    assert f.trace_count == 1
    with pytest.raises(TypeError):
        f(["a"])


def test_input_signature_of_a_method_and_of_a_nest():
    class Model:
        @ag.convert(input_signature=[ag.TensorSpec([None], np.float64)])
        def double(self, x):
            return x * 2

    m = Model()
    assert m.double(np.ones(2)).tolist() == [2.0, 2.0]
    assert m.double(np.ones(3)).tolist() == [2.0, 2.0, 2.0]
    assert Model.double.trace_count == 1

    spec = {"a": ag.TensorSpec([], np.float64), "b": ag.TensorSpec([2], np.float64)}
    f = ag.convert(lambda d: d["a"] * d["b"], input_signature=[spec])
    assert f({"a": np.float64(2.0), "b": np.ones(2)}).tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="`d`"):
        f({"a": np.float64(2.0)})


def test_input_signature_of_arguments_by_position_only():
    spec = ag.TensorSpec([None], "float64")

    @ag.convert(input_signature=[spec, spec, spec])
    def weighted(x, *others):
        for k, other in enumerate(others):
            x = x + (k + 2) * other
        return x

    assert weighted([1, 1], np.array([1.0, 2]), np.array([3.0, 4])).tolist() == [12.0, 17.0]
    assert weighted(np.ones(3), np.ones(3), np.ones(3)).tolist() == [6.0] * 3
    assert weighted.trace_count == 1 and len(weighted.get_concrete_function().inputs) == 3
    with pytest.raises(TypeError, match="`others` does not have the structure"):
        weighted(np.ones(2), np.ones(2))
    nested = ag.convert(lambda *both: both[0] - both[1], input_signature=[(spec, spec)])
    assert nested(np.ones(2), np.array([1.0, 2.0])).tolist() == [0.0, -1.0]


def test_input_signature_leaves_defaults():
    f = ag.convert(lambda x, n=2: x * n, input_signature=[ag.TensorSpec([None], np.float64)])
    assert f(np.ones(2)).tolist() == [2.0, 2.0]


# ---- reduce_retracing (B6.06) -------------------------------------------------------------------


def test_b6_06_reduce_retracing():
    f = ag.convert(lambda x: x.sum(axis=0), reduce_retracing=True)
    for n in (3, 4, 5, 6, 40):
        assert f(np.ones((n, 2))).tolist() == [n, n]
    assert f.trace_count == 2
    assert f(np.ones((1, 2))).tolist() == [1, 1] and f(np.ones((0, 2))).tolist() == [0, 0]
    assert f.trace_count == 4
    assert f(np.ones((7, 3))).shape == (3,)


@pytest.mark.parametrize(
    ("option", "setting", "count"), [(None, True, 3), (None, False, 6), (False, True, 6), (True, False, 2)]
)  # fmt: skip
def test_b6_06_sizes_are_open_from_the_third_shape_on(option, setting, count):
    f = ag.convert(lambda x: x.sum(), reduce_retracing=option)
    with config.reduce_retracing.using(setting):
        for n in (3, 4, 5, 6, 7, 8):
            assert f(np.ones(n)) == n
    assert f.trace_count == count


def test_b6_06_broadcasting_against_a_relaxed_dimension():
    f = ag.convert(lambda x, y: x + y, reduce_retracing=True)
    for n in (3, 4, 1, 2):
        np.testing.assert_array_equal(f(np.ones(n), np.ones(4)[: n if n > 1 else 4]),
                                      np.ones(n) + np.ones(4)[: n if n > 1 else 4])  # fmt: skip


# ---- the cache ----------------------------------------------------------------------------------


def test_cache_is_bounded_and_forgets_the_least_used():
    f = ag.convert(lambda x, mode: x * len(mode))
    with config.cache_size.using(4):
        for i in range(10):
            assert f(1.0, "s" * i) == i
        assert f.cache_info()["size"] <= 4 and f.trace_count == 10
        assert f(2.0, "s" * 9) == 18.0 and f.trace_count == 10
        assert f(2.0, "") == 0.0 and f.trace_count == 11


def test_cache_keeps_what_is_used():
    f = ag.convert(lambda x, mode: x * len(mode))
    with config.cache_size.using(4):
        f(1.0, "kept")
        for i in range(12):
            f(1.0, "s" * i)
            f(1.0, "kept")
        assert f.trace_count <= 14


def test_float_keys_of_a_nan_in_a_structure():
    f = ag.convert(lambda x, k: x * 2)
    for _ in range(3):
        f(1.0, frozenset([math.nan]))
        f(1.0, (math.nan, "a"))
    assert f.trace_count <= 4


# ---- reasons (S6, B5.10) ------------------------------------------------------------------------


def test_reasons_are_in_words():
    f = ag.convert(lambda x, mode: x * len(mode))
    f(np.ones(2), "a"), f(np.ones(3), "a"), f(np.ones(3), "bb")
    reasons = [c.reason for c in f.traces()]
    assert reasons[0] == "first call"
    assert "`x`" in reasons[1] and "float64[2] -> float64[3]" in reasons[1]
    assert "`mode`" in reasons[2] and "'a' -> 'bb'" in reasons[2]
    assert "`mode`" in f.explain()


def test_reason_names_the_structure():
    f = ag.convert(lambda d: d["a"] * 2)
    f({"a": 1.0}), f({"a": 1.0, "b": 2.0})
    assert "`d`: a dict without 'b' -> a dict with 'b'" in f.traces()[1].reason


def test_reason_is_logged(capsys):
    f = ag.convert(lambda x: x * 2)
    with config.verbosity.using(1):
        f(np.ones(2)), f(np.ones(3))
    log = capsys.readouterr().err
    assert "trace #1 of " in log and "first call" in log
    assert "float64[2] -> float64[3]" in log and " ms" in log


def test_no_retrace():
    f = ag.convert(lambda x: x * 2)
    f(np.ones(2))
    with ag.no_retrace():
        f(np.zeros(2))
        with pytest.raises(RuntimeError, match=r"traced again: `x`: float64\[2\] -> float64\[3\]"):
            f(np.ones(3))
    f(np.ones(3))


def test_b5_10_retrace_warning_says_why(caplog):
    f = ag.convert(lambda x: x * 2, reduce_retracing=False)
    for n in range(2, 40):
        f(np.ones(n))
    assert len(caplog.records) == 2
    for part in ("was traced at 5 of the last 10 calls", "`x`: float64[", "reduce_retracing"):
        assert part in caplog.records[0].getMessage()
    g = ag.convert(lambda x: x * 2)
    for _ in range(40):
        g(1.0)
    h = ag.convert(lambda x: x > 0)
    for _ in range(20):
        with pytest.raises(TypeError):
            h("text")  # of what raises no trace is kept
    assert len(caplog.records) == 2


def test_differences_in_words():
    policy = IntPolicy(set(), set(), {})
    old = classify({"x": np.ones(2), "mode": "a"}, policy)
    new = classify({"x": np.ones(2), "mode": "b"}, policy)
    assert differences(old, new) == ["`mode`: 'a' -> 'b'"]
    assert describe_key(old.keys[0]) == "float64[2]"
    assert is_input_key(old.keys[0]) and not is_input_key(old.keys[1])


def test_numbers_keyed_by_value_are_told_apart_by_their_bits():
    f = tf.function(lambda x: np.copysign(np.ones(2), x if type(x) is float else x.imag))
    for x in (math.nan, -math.nan, 0.0, -0.0, complex(1, -math.nan), complex(1, math.nan)):
        number = x if type(x) is float else x.imag
        np.testing.assert_array_equal(f(x), np.copysign(np.ones(2), number))
    assert f.trace_count == 6
