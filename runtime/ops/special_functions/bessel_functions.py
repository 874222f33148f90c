"""Modified Bessel functions of the first kind, of the orders 0 and 1.

C. W. Clenshaw, "Chebyshev series for mathematical functions", NPL Mathematical Tables 5 (1962):
one series in x / 4 - 1 up to 8, and one in 16 / x - 1 beyond, of the function over exp(x), which is
divided by x for order 1 near 0, and multiplied by sqrt(x) far from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.ops.declaration.operands import Array, Module
from runtime.ops.declaration.samples import unary
from runtime.ops.elementwise.arithmetic import sign
from runtime.ops.elementwise.comparison import equal
from runtime.ops.elementwise.rules import chosen, derivative
from runtime.ops.elementwise.selection import where_
from runtime.ops.special_functions.special_types import divided, double_first, evaluated, special

__all__ = ["i0", "i0e", "i1", "i1e"]

# Coefficients of Chebyshev's polynomials, those of the highest degree first.
_I0_NEAR = (
    5.669178006921496e-19, -4.4153416464793395e-18, 3.3307945188222384e-17,
    -2.431279846547955e-16, 1.715391285555133e-15, -1.1685332877993451e-14,
    7.676185498604936e-14, -4.856446783111929e-13, 2.95505266312964e-12, -1.726826291441556e-11,
    9.675809035373237e-11, -5.189795601635263e-10, 2.6598237246823866e-09,
    -1.300025009986248e-08, 6.046995022541919e-08, -2.670793853940612e-07,
    1.1173875391201037e-06, -4.4167383584587505e-06, 1.6448448070728896e-05,
    -5.754195010082104e-05, 0.00018850288509584165, -0.0005763755745385824,
    0.0016394756169413357, -0.004324309995050576, 0.010546460394594998, -0.02373741480589947,
    0.04930528423967071, -0.09490109704804764, 0.17162090152220877, -0.3046826723431984,
    0.33839763720473803,
)  # fmt: skip
_I0_FAR = (
    9.921475412173699e-19, -7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17,
    3.461222867697461e-17, -2.8276239805165836e-16, -3.425485619677219e-16,
    1.7725601330565263e-15, 3.8116806693526224e-15, -9.554846698828307e-15,
    -4.150569347287222e-14, 1.54008621752141e-14, 3.8527783827421426e-13, 7.180124451383666e-13,
    -1.7941785315068062e-12, -1.3215811840447713e-11, -3.1499165279632416e-11,
    1.1889147107846439e-11, 4.94060238822497e-10, 3.3962320257083865e-09, 2.266668990498178e-08,
    2.0489185894690638e-07, 2.8913705208347567e-06, 6.889758346916825e-05,
    0.0033691164782556943, 0.4022452055070544,
)  # fmt: skip
_I1_NEAR = (
    -3.541581772542136e-19, 2.7779141127610464e-18, -2.111421214358166e-17,
    1.5536319577362005e-16, -1.1055969477353862e-15, 7.600684294735408e-15,
    -5.042185504727912e-14, 3.223793365945575e-13, -1.9839743977649436e-12,
    1.1736186298890901e-11, -6.663489723502027e-11, 3.625590281552117e-10,
    -1.8872497517228294e-09, 9.381537386495773e-09, -4.445059128796328e-08,
    2.0032947535521353e-07, -8.568720264695455e-07, 3.4702513081376785e-06,
    -1.3273163656039436e-05, 4.781565107550054e-05, -0.00016176081582589674,
    0.0005122859561685758, -0.0015135724506312532, 0.004156422944312888, -0.010564084894626197,
    0.024726449030626516, -0.05294598120809499, 0.1026436586898471, -0.17641651835783406,
    0.12629359322181682,
)  # fmt: skip
_I1_FAR = (
    -9.314178867326884e-19, 7.517296310842105e-18, 4.414348323071708e-18,
    -4.6503053684893586e-17, -3.209525921993424e-17, 2.96262899764595e-16,
    3.3082023109209285e-16, -1.8803547755107825e-15, -3.8144030724370075e-15,
    1.0420276984128802e-14, 4.272440016711951e-14, -2.1015418427726643e-14,
    -4.0835511110921974e-13, -7.198551776245908e-13, 2.0356285441470896e-12,
    1.4125807436613782e-11, 3.2526035830154884e-11, -1.8974958123505413e-11,
    -5.589743462196584e-10, -3.835380385964237e-09, -2.6314688468895196e-08,
    -2.512236237870209e-07, -3.882564808877691e-06, -0.00011058893876262371,
    -0.009761097491361469, 0.38928811750914005,
)  # fmt: skip
_BORDER = 8.0
_Series = Sequence[float]


def _chebyshev(t: Array, coefficients: _Series) -> Array:
    """The sum of a series at `t` in [-1, 1], by Clenshaw's recurrence."""
    before = after = 0.0 * t
    for c in coefficients[:-1]:
        before, after = 2 * t * before - after + c, before
    return t * before - after + coefficients[-1]


def _i0e(xp: Module, x: Array) -> Array:
    def near(xp: Module, size: Array) -> Array:
        return _chebyshev(size / 4 - 1, _I0_NEAR)

    def far(xp: Module, size: Array) -> Array:
        return _chebyshev(16 / size - 1, _I0_FAR) / xp.sqrt(size)

    size = xp.abs(x)
    return divided(xp, size, size <= _BORDER, near, far)


def _i1e(xp: Module, x: Array) -> Array:
    def near(xp: Module, size: Array) -> Array:
        return size * _chebyshev(size / 4 - 1, _I1_NEAR)

    def far(xp: Module, size: Array) -> Array:
        return _chebyshev(16 / size - 1, _I1_FAR) / xp.sqrt(size)

    size = xp.abs(x)
    found = divided(xp, size, size <= _BORDER, near, far)
    return xp.where(x < 0, -found, found)


def _i0(xp: Module, x: Array) -> Array:
    return xp.exp(xp.abs(x)) * _i0e(xp, x)


def _i1(xp: Module, x: Array) -> Array:
    return xp.exp(xp.abs(x)) * _i1e(xp, x)


def _over(out: Any, x: Any) -> Any:
    """`out / x`, which is 1/2 at 0 for the functions of order 1."""
    is_zero = equal(x, 0)
    return chosen(is_zero, 0.5, out / where_(is_zero, 1, x))


def _slope_of_i0(out: Any, x: Any) -> Any:
    return i1(x)


def _slope_of_i0e(out: Any, x: Any) -> Any:
    return i1e(x) - sign(x) * out


@special(double_first, derivative(_slope_of_i0), reads=(0,), samples=unary(-12.0, 12.0))
def i0(xp: Module, x: Array) -> Array:
    """Modified Bessel function of the first kind of order 0.

    >>> ag.special.i0(np.array([0.0, 1.0])).numpy()
    array([1.        , 1.26606588])
    """
    return evaluated(xp, _i0, double_first, x)


@special(double_first, derivative(_slope_of_i0e), reads=("out", 0), samples=unary(-12.0, 12.0))
def i0e(xp: Module, x: Array) -> Array:
    """`exp(-abs(x)) * i0(x)`, without overflow.

    >>> ag.special.i0e(np.array([0.0, 1000.0])).numpy()
    array([1.        , 0.01261724])
    """
    return evaluated(xp, _i0e, double_first, x)


@special(
    double_first,
    derivative(lambda out, x: i0(x) - _over(out, x)),
    reads=("out", 0),
    samples=unary(-12.0, 12.0),
)
def i1(xp: Module, x: Array) -> Array:
    """Modified Bessel function of the first kind of order 1.

    >>> ag.special.i1(np.array([0.0, 1.0])).numpy()
    array([0.       , 0.5651591])
    """
    return evaluated(xp, _i1, double_first, x)


@special(
    double_first,
    derivative(lambda out, x: i0e(x) - sign(x) * out - _over(out, x)),
    reads=("out", 0),
    samples=unary(-12.0, 12.0),
)
def i1e(xp: Module, x: Array) -> Array:
    """`exp(-abs(x)) * i1(x)`, without overflow.

    >>> ag.special.i1e(np.array([0.0, 1000.0])).numpy()
    array([0.        , 0.01261093])
    """
    return evaluated(xp, _i1e, double_first, x)
