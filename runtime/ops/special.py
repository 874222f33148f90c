"""Special functions: `autograph.special`, with the names, dtypes and edges of `scipy.special`.

Real numbers only. float32 stays float32; all else gives float64, where SciPy 1.17's function does:
for small dtypes (float16, int8, bool) that differs between SciPy's versions. A call of SciPy's own
function in converted code has the dtype of the version that is installed.

>>> import autograph as ag
>>> ag.special.ndtr(np.array([0.0, 1.0])).numpy()
array([0.5       , 0.84134475])
"""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.arrays.shapes import squeeze
from runtime.ops.declaration.internal import stop_gradient
from runtime.ops.declaration.operands import Array, Axes, Module, Operand, dtype_of
from runtime.ops.declaration.samples import unary
from runtime.ops.elementwise import exponential, floats
from runtime.ops.elementwise.comparison import isfinite
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rules import derivative
from runtime.ops.elementwise.selection import where_
from runtime.ops.elementwise.trigonometric import sin
from runtime.ops.reductions.reductions import max as max_
from runtime.ops.reductions.reductions import sum as sum_
from runtime.ops.special_functions import error_function
from runtime.ops.special_functions.bessel_functions import i0, i0e, i1, i1e
from runtime.ops.special_functions.entropies import (
    boxcox,
    entr,
    expit,
    huber,
    inv_boxcox,
    kl_div,
    log_expit,
    logit,
    pseudo_huber,
    rel_entr,
    xlog1py,
    xlogy,
)
from runtime.ops.special_functions.gamma_functions import (
    beta,
    betaln,
    digamma,
    gamma,
    gammaln,
    loggamma,
    polygamma_at,
)
from runtime.ops.special_functions.incomplete_functions import (
    betainc,
    betaincc,
    gammainc,
    gammaincc,
)
from runtime.ops.special_functions.normal_distribution import (
    erfc,
    erfcinv,
    erfcx,
    erfinv,
    log_ndtr,
    ndtr,
    ndtri,
)
from runtime.ops.special_functions.special_types import (
    cast,
    double_first,
    evaluated,
    floating,
    single_first,
    special,
)
from runtime.ops.special_functions.zeta_functions import polygamma_of_orders, zeta

__all__ = [
    "beta",
    "betainc",
    "betaincc",
    "betaln",
    "boxcox",
    "cbrt",
    "cosm1",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp2",
    "exp10",
    "expit",
    "expm1",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammaln",
    "huber",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "inv_boxcox",
    "kl_div",
    "log1p",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "loggamma",
    "logit",
    "logsumexp",
    "ndtr",
    "ndtri",
    "polygamma",
    "pseudo_huber",
    "psi",
    "rel_entr",
    "sinc",
    "softmax",
    "xlog1py",
    "xlogy",
    "zeta",
]

psi = digamma
sinc = floats.sinc


# ---- exponentials ------------------------------------------------------------------------------


def erf(x: Operand, /) -> Any:
    """The error function of the real `x`.

    >>> ag.special.erf(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.84270079])
    """
    return error_function.erf(floating(x))


def exp2(x: Operand, /) -> Any:
    """`2**x`.

    >>> ag.special.exp2(np.array([0, 3])).numpy()
    array([1., 8.])
    """
    return exponential.exp2(floating(x))


def expm1(x: Operand, /) -> Any:
    """`exp(x) - 1`, precise where that is small.

    >>> ag.special.expm1(np.array([0.0, 1e-20])).numpy()
    array([0.e+00, 1.e-20])
    """
    return exponential.expm1(floating(x))


def log1p(x: Operand, /) -> Any:
    """`log(1 + x)`, precise where that is small.

    >>> ag.special.log1p(np.array([0.0, 1e-20])).numpy()
    array([0.e+00, 1.e-20])
    """
    return exponential.log1p(floating(x))


def cbrt(x: Operand, /) -> Any:
    """The cubic root of the real `x`.

    >>> ag.special.cbrt(np.array([-8, 27])).numpy()
    array([-2.,  3.])
    """
    return exponential.cbrt(floating(x))


@special(
    double_first,
    derivative(lambda out, x: math.log(10) * out),
    reads=("out",),
    samples=unary(-2.0, 2.0),
)
def exp10(xp: Module, x: Array) -> Array:
    """`10**x`.

    >>> ag.special.exp10(np.array([-1, 3])).numpy()
    array([1.e-01, 1.e+03])
    """
    return evaluated(xp, lambda xp, x: 10.0**x, double_first, x)


def _cosm1(xp: Module, x: Array) -> Array:
    half = xp.sin(0.5 * x)
    return -2 * half * half + 0.0


@special(double_first, derivative(lambda out, x: -sin(x)), reads=(0,), samples=unary(-2.0, 2.0))
def cosm1(xp: Module, x: Array) -> Array:
    """`cos(x) - 1`, precise where that is small.

    >>> ag.special.cosm1(np.array([0.0, 1e-10])).numpy()
    array([ 0.e+00, -5.e-21])
    """
    return evaluated(xp, _cosm1, double_first, x)


# ---- of an order -------------------------------------------------------------------------------


def polygamma(n: Operand, x: Operand, /) -> Any:
    """The derivative of order `n` of `digamma(x)`, broadcast; in float64.

    It has a gradient by `x` only. It is nan for orders that are no integers of 0 or more; where `n`
    is a single negative integer, ValueError is raised.

    >>> ag.special.polygamma(1, np.array([1.0, 2.0])).numpy()
    array([1.64493407, 0.64493407])
    """
    if not _is_integer(n):
        return polygamma_of_orders(n, astype(x, np.float64))
    order = operator.index(n)
    if order < 0:
        raise ValueError(f"the order of a derivative is 0 or more, not {order}")
    return polygamma_at(astype(x, np.float64), n=order)


# ---- over axes ---------------------------------------------------------------------------------


def _shifted(x: Any, axis: Axes) -> tuple[Any, Any]:
    """`x` less its largest element over `axis`, where that is finite; and that element."""
    largest = stop_gradient(max_(x, axis=axis, keepdims=True))
    shift = where_(isfinite(largest), largest, 0)
    return x - shift, shift


def softmax(x: Operand, axis: Axes = None) -> Any:
    """Exponentials of `x` divided by their sum over `axis` (None: all), without overflow.

    >>> ag.special.softmax(np.array([0.0, 0.0, -np.inf])).numpy()
    array([0.5, 0.5, 0. ])
    """
    below, _ = _shifted(floating(x), axis)
    powers = exponential.exp(below)
    return powers / sum_(powers, axis=axis, keepdims=True)


def log_softmax(x: Operand, axis: Axes = None) -> Any:
    """Logarithm of `softmax(x, axis)`, precise where that is small.

    >>> ag.special.log_softmax(np.array([0.0, 1000.0])).numpy()
    array([-1000.,     0.])
    """
    below, _ = _shifted(floating(x), axis)
    return below - exponential.log(sum_(exponential.exp(below), axis=axis, keepdims=True))


def logsumexp(a: Operand, axis: Axes = None, b: Operand = None, keepdims: bool = False) -> Any:
    """Logarithm of the sum of `exp(a)` over `axis` (None: all), without overflow.

    `b` are weights of the exponentials, broadcast. Where all of them are 0 the result is -inf.

    >>> ag.special.logsumexp(np.array([1000.0, 1000.0])).item()
    1000.6931471805599
    """
    below, shift = _shifted(floating(a), axis)
    powers = exponential.exp(below) if b is None else b * exponential.exp(below)
    total = sum_(powers, axis=axis, keepdims=True)
    # Of nothing there is no share: gradients are 0, not inf * 0.
    found = where_(total == 0, -math.inf, exponential.log(where_(total == 0, 1, total))) + shift
    return found if keepdims else squeeze(found, axis)


# ---- what SciPy's functions mean ---------------------------------------------------------------


def is_of_scipy(function: Any) -> bool:
    """Whether it is one of `scipy.special`.

    SciPy is not imported for this: who has one of its functions did so.
    """
    theirs = sys.modules.get("scipy.special")
    name = getattr(function, "__name__", None)
    return theirs is not None and getattr(theirs, name or "", None) is function


def form_of(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[..., Any] | None:
    """What stands for a call of a function of `scipy.special`; None where nothing does."""
    form = _FORMS.get(getattr(function, "__name__", None) or "")
    if form is None or not is_of_scipy(function):
        return None
    if any(_is_complex(x) for x in args):
        return None
    if isinstance(function, np.ufunc):
        is_chosen = bool(_CHOICES & kwargs.keys())
        return form if is_chosen else functools.partial(_as_installed, function, form)
    if form is polygamma:
        return None if kwargs else _polygamma_array
    if form is zeta:
        return form if kwargs.keys() <= {"q"} else None
    return form if kwargs.keys() <= {"axis", "b", "keepdims"} else None


# Keywords of ufuncs that choose the loop.
_CHOICES = {"dtype", "sig", "signature"}


def _as_installed(
    function: np.ufunc, form: Callable[..., Any], *args: Operand, **kwargs: Any
) -> Any:
    """`form` of the operands, in the dtype that SciPy's `function` gives.

    Which of its loops comes first decides on small dtypes, and differs between SciPy's versions.
    """
    rule = single_first if function.types[0].startswith("f") else double_first
    return form(*cast(args, rule), **kwargs)


_FORMS: dict[str, Callable[..., Any]] = {
    name: globals()[name] for name in __all__ if name != "digamma"
}


def _is_complex(x: Any) -> bool:
    return type(x) is complex or (hasattr(x, "dtype") and dtype_of(x).kind == "c")


def _is_integer(x: Any) -> bool:
    return isinstance(x, (int, np.integer)) and not isinstance(x, bool)


def _polygamma_array(n: Operand, x: Operand) -> Any:
    """SciPy's gives an array, of rank 0, too."""
    found = polygamma(n, x)
    return found.as_array() if hasattr(found, "as_array") else found
