"""Special functions: SciPy's in converted code, staged by their names without SciPy's help."""

import numpy as np
import pytest
import scipy.special
from scipy import special

import autograph as ag
from runtime.autodiff.sweep import NoGradientError
from tests.language.harness import check, graph_of

F = np.float64
X = np.array([0.25, 0.5, 0.75])
HOST = "host_call"


def names_in(graph):
    found = {node.op.name for node in graph.nodes}
    return found.union(*(names_in(inner) for node in graph.nodes for inner in node.graphs))


# ---- those that have a form here ---------------------------------------------------------------


def errors(x):
    return special.erf(x), scipy.special.erfc(x), special.erfcx(-x), special.erfinv(x)


def normal(x):
    return special.ndtr(x), special.log_ndtr(-x), special.ndtri(x), special.erfcinv(x)


def gammas(x):
    return special.gamma(x), special.gammaln(x), special.loggamma(x), special.psi(x)


def derivatives(x):
    return special.polygamma(1, x), special.polygamma(2, x[1:]), special.digamma(x)


def betas(x):
    return special.beta(x, 2.0), special.betaln(1, x), special.beta(x, x[::-1])


def logistic(x):
    return special.expit(x), special.logit(x), special.log_expit(x)


def entropies(x):
    y = x[::-1]
    return (
        special.entr(x), special.rel_entr(x, y), special.kl_div(x, y), special.xlogy(x, y),
        special.xlog1py(x, y),
    )  # fmt: skip


def bessel(x):
    return special.i0(x), special.i0e(x), special.i1(x), special.i1e(x)


def powers(x):
    return (
        special.exp2(x), special.exp10(x), special.expm1(x), special.log1p(x), special.cosm1(x),
        special.cbrt(x), special.sinc(x), special.boxcox(x, 0.5), special.inv_boxcox(x, 0.5),
    )  # fmt: skip


def losses(x):
    return special.huber(0.4, x), special.pseudo_huber(0.4, x)


def over_axes(x):
    return special.softmax(x), special.log_softmax(x, axis=0), special.logsumexp(x)


def of_lists(x):
    return special.softmax([x[0], 1.0, 2.0]), special.erf([x[1], 0.5]), special.xlogy(x, [1, 2, 3])


def in_a_loop(x):
    total = 0.0
    for v in x:
        if special.expit(v) > 0.6:
            total += special.gammaln(v)
        else:
            total -= special.erf(v)
    return total


def of_numbers(x):
    return special.erf(float(x[0])), special.gamma(3), special.beta(2, x[1])


def written_into_out(x):
    y = np.zeros(3)
    special.erf(x, out=y)
    return y


SAMPLES = (
    errors, normal, gammas, derivatives, betas, logistic, entropies, bessel, powers, losses,
    over_axes, of_lists, in_a_loop, of_numbers, written_into_out,
)  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s.__name__)
def test_functions_of_scipy_are_staged(sample):
    checked = check(sample, (X,), (X[::-1].copy(),), tolerance=4e-15)
    assert HOST not in names_in(checked.graph)
    assert checked.unsaved == ""


@pytest.mark.parametrize("sample", SAMPLES[:10], ids=lambda s: s.__name__)
def test_single_precision_stays_where_scipy_keeps_it(sample):
    x = X.astype("f4")
    for got, expected in zip(ag.convert(sample)(x), sample(x)):
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, rtol=4e-7)


# ---- gradients ---------------------------------------------------------------------------------


def evidence(x, a):
    return special.betaln(x, a).sum() + special.logsumexp(special.ndtri(x)) * special.gamma(a)


def test_gradients_flow_through_them():
    f, a, step = ag.convert(evidence), 1.5, 1e-6
    for i in range(3):
        moved = [X + s * step * np.eye(3)[i] for s in (1, -1)]
        slope = (evidence(moved[0], a) - evidence(moved[1], a)) / (2 * step)
        np.testing.assert_allclose(ag.grad(f)(X, a)[i], slope, rtol=1e-6)
    np.testing.assert_allclose(
        ag.grad(ag.grad(ag.convert(lambda x: special.gammaln(x))))(2.5), special.polygamma(1, 2.5)
    )


# ---- those that have none ----------------------------------------------------------------------


def bessel_of_first_kind(x):
    y = special.jv(0, x) * 2
    return y[1:], special.kv(1, x).sum(), special.jv(1, x[0])


def several_results(x):
    sine, cosine = special.sici(x)
    return sine + cosine


def of_a_complex_number(x):
    return special.erf(x * 1j)


def with_signs(x):
    return special.logsumexp(x, b=-x, return_sign=True)


@pytest.mark.parametrize(("sample", "case"), [
    (bessel_of_first_kind, (X,)), (several_results, (X,)), (of_a_complex_number, (X,)),
    (with_signs, (X,)),
], ids=lambda s: getattr(s, "__name__", ""))  # fmt: skip
def test_others_are_called_by_the_host(sample, case):
    checked = check(sample, case)
    assert HOST in names_in(checked.graph)
    assert "a call of `scipy.special." in checked.unsaved


def test_the_type_of_what_a_ufunc_gives_is_known():
    f = ag.convert(lambda x: special.jv(0, x) + 1)
    f(X)
    types = [n.outputs[0].type for n in graph_of(f).nodes if n.op.name == HOST]
    assert [(t.dtype.str, t.shape) for t in types] == [("<f8", (3,))]


def test_a_ufunc_of_the_users_is_called_by_the_host():
    twice = np.frompyfunc(lambda v: v * 2, 1, 1)
    f = ag.convert(lambda x: (twice(x), x + 1))
    for x in (X, X * 3):
        np.testing.assert_array_equal(f(x)[0], x * 2)
    assert f.trace_count == 1


def test_polygamma_of_a_number_is_an_array_of_rank_0():
    found = ag.convert(lambda x: special.polygamma(1, x))(F(2.5))
    assert type(found) is np.ndarray and found.shape == ()
    np.testing.assert_allclose(found, special.polygamma(1, 2.5), rtol=1e-15)


def test_derivatives_through_those_are_refused():
    f = ag.convert(lambda x: special.jv(0, x) * x)
    with pytest.raises(NoGradientError, match="`scipy.special.jv` has no gradient rule"):
        ag.grad(f)(1.0)
