"""Bins whose number data choose, and what is refused; the rest is in the generic suite."""

import itertools

import numpy as np
import pytest

import autograph as ag

RULES = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]
RNG = np.random.default_rng(3)
DATA = {
    "normal": RNG.normal(size=300),
    "single": RNG.normal(size=40).astype("f4"),
    "integers": RNG.integers(0, 9, 60),
    "bools": RNG.integers(0, 2, 20).astype(bool),
    "equal": np.full(5, 2.5),
    "none": np.zeros(0),
}


@pytest.mark.broad(3)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", DATA)
@pytest.mark.filterwarnings("ignore:Converting input from bool", "ignore:The number of bins")
def test_data_choose_the_number_of_bins_as_in_numpy(rule, name):
    def function(x):
        return *np.histogram(x, rule), np.histogram_bin_edges(x, rule, (-1, 2.5))

    x = DATA[name]
    staged = ag.convert(function)
    for found, expected in zip(staged(x), function(x), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)
    graph = str(staged.get_concrete_function(x).graph)
    assert f"by='{rule}'" in graph


def test_one_graph_serves_all_numbers_of_bins(tmp_path):
    @ag.convert(input_signature=[ag.TensorSpec([None])])
    def function(x):
        return np.histogram(x, "auto", density=True)

    ag.save(function, tmp_path / "f.agz")
    given = (DATA["normal"], DATA["normal"][:9], DATA["equal"], DATA["none"])
    for way, x in itertools.product((function, ag.load(tmp_path / "f.agz")), given):
        with np.errstate(invalid="ignore"):
            pairs = zip(way(x), np.histogram(x, "auto", density=True), strict=True)
        for found, expected in pairs:
            np.testing.assert_array_equal(found, expected, strict=True)
    assert function.trace_count == 1


def test_edges_move_with_the_extremes():
    def function(x):
        return np.histogram_bin_edges(x, "sqrt").sum()

    x = DATA["normal"][:20]
    expected = np.zeros(20)
    expected[[x.argmin(), x.argmax()]] = len(np.histogram_bin_edges(x, "sqrt")) / 2
    for way in (function, ag.convert(function)):
        np.testing.assert_allclose(ag.grad(way)(x), expected)


REFUSED = {
    "no rule": (lambda x: np.histogram(x, "best"), ValueError),
    "weights": (lambda x: np.histogram(x, "auto", weights=x), TypeError),
    "several axes": (lambda x: np.histogramdd(x[:, None], ["auto"]), TypeError),
    "equal edges": (lambda x: np.histogram(x * 0 + 1e20, 4), ValueError),
    "nan": (lambda x: np.histogram(x / 0 * 0, "auto"), ValueError),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_what_numpy_refuses_is_refused(name):
    function, error = REFUSED[name]
    for way in (function, ag.convert(function)):
        with pytest.raises(error):
            way(np.array([0.5, 1.5]))


def test_the_dtype_of_limits_counts():
    x = DATA["single"]
    limits = (np.float64(-1), np.float64(1))
    expected = np.histogram_bin_edges(x, 3, limits)
    found = ag.convert(lambda x: np.histogram_bin_edges(x, 3, limits))(x)
    np.testing.assert_array_equal(found, expected, strict=True)


LIMITS = [(2.0, 1.0), (np.nan, 1.0), (1.0, np.inf), (-np.inf, np.inf), (1.0, 1.0), (1.0, 2.5)]
WITHIN = {
    "edges": lambda x, low, high: (np.histogram_bin_edges(x, 3, (low, high)),),
    "one axis": lambda x, low, high: np.histogram(x, 3, (low, high)),
    "data choose": lambda x, low, high: np.histogram(x, "auto", (low, high)),
    "two axes": lambda x, low, high: np.histogram2d(x, x, 3, [(low, high), (0, 5)]),
}


@pytest.mark.parametrize("native", [True, False], ids=["native", "plan"])
@pytest.mark.parametrize("name", WITHIN)
def test_limits_that_a_graph_computes_are_those_that_numpy_takes(name, native):
    function, x = WITHIN[name], np.array([3.0, 1.0, 2.0, 1.0, 3.0])
    staged = ag.convert(function, native=native)
    for limits in LIMITS:
        try:
            expected = function(x, *limits)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error).partition(" of [")[0]):
                staged(x, *limits)
            continue
        for found, wanted in zip(staged(x, *limits), expected, strict=True):
            np.testing.assert_array_equal(found, wanted, strict=True)
    assert staged.trace_count == 1


@pytest.mark.parametrize("name", ["normal", "single", "integers", "bools", "equal", "none"])
@pytest.mark.parametrize("bins", [1, 3, 20])
@pytest.mark.parametrize("limits", [None, (-1, 2.5), (0.5, 3)])
@pytest.mark.filterwarnings("ignore:Converting input from bool")
def test_numbers_on_the_edges_of_even_bins_are_counted_as_in_numpy(name, bins, limits):
    def function(x):
        return np.histogram(x, bins, limits)

    edges = np.histogram_bin_edges(DATA[name], bins, limits)
    kind = DATA[name].dtype
    near = [np.nextafter(edges, end) for end in (-np.inf, np.inf)]
    x = np.concatenate([DATA[name], *(e.astype(kind) for e in (edges, *near))])
    for found, expected in zip(ag.convert(function)(x), function(x), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


def test_what_is_no_number_is_in_no_bin():
    def function(x):
        return np.histogram(x, 4, (-1.0, 1.0))[0]

    x = np.array([np.nan, -np.inf, np.inf, 0.0, 1.0, -1.0, 1e300])
    staged = ag.convert(function)
    np.testing.assert_array_equal(staged(x), function(x))
    assert "searchsorted" not in str(staged.get_concrete_function(x).graph)
