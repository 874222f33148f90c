"""Names, signatures, constants, facts of dtypes, and what the namespace says of itself."""

from __future__ import annotations

import inspect
import math

import pytest

from tests.array_api.namespace import (
    ALL,
    COMPLEX,
    INTEGERS,
    NUMBERS,
    PARTS,
    PYTHON,
    REAL,
    SIGNED,
    UNSIGNED,
    dtype,
    limits,
    xp,
)

# The functions of the standard, version 2023.12, with their parameters.
UNARY = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor
imag isfinite isinf isnan log log1p log2 log10 logical_not negative positive real round sign signbit
sin sinh square sqrt tan tanh trunc"""
BINARY = """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and
logical_or logical_xor maximum minimum multiply not_equal pow remainder subtract"""
OTHERS = """
arange(start, /, stop=None, step=1, *, dtype=None, device=None)
asarray(obj, /, *, dtype=None, device=None, copy=None)
empty(shape, *, dtype=None, device=None)
empty_like(x, /, *, dtype=None, device=None)
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)
from_dlpack(x, /, *, device=None, copy=None)
full(shape, fill_value, *, dtype=None, device=None)
full_like(x, /, fill_value, *, dtype=None, device=None)
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
meshgrid(*arrays, indexing='xy')
ones(shape, *, dtype=None, device=None)
ones_like(x, /, *, dtype=None, device=None)
tril(x, /, *, k=0)
triu(x, /, *, k=0)
zeros(shape, *, dtype=None, device=None)
zeros_like(x, /, *, dtype=None, device=None)
astype(x, dtype, /, *, copy=True, device=None)
broadcast_arrays(*arrays)
broadcast_to(x, /, shape)
can_cast(from_, to, /)
finfo(type, /)
iinfo(type, /)
isdtype(dtype, kind)
result_type(*arrays_and_dtypes)
clip(x, /, min=None, max=None)
take(x, indices, /, *, axis=None)
matmul(x1, x2, /)
matrix_transpose(x, /)
tensordot(x1, x2, /, *, axes=2)
vecdot(x1, x2, /, *, axis=-1)
concat(arrays, /, *, axis=0)
expand_dims(x, /, *, axis=0)
flip(x, /, *, axis=None)
moveaxis(x, source, destination, /)
permute_dims(x, /, axes)
repeat(x, repeats, /, *, axis=None)
reshape(x, /, shape, *, copy=None)
roll(x, /, shift, *, axis=None)
squeeze(x, /, axis)
stack(arrays, /, *, axis=0)
tile(x, repetitions, /)
unstack(x, /, *, axis=0)
argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False)
nonzero(x, /)
searchsorted(x1, x2, /, *, side='left', sorter=None)
where(condition, x1, x2, /)
unique_all(x, /)
unique_counts(x, /)
unique_inverse(x, /)
unique_values(x, /)
argsort(x, /, *, axis=-1, descending=False, stable=True)
sort(x, /, *, axis=-1, descending=False, stable=True)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
max(x, /, *, axis=None, keepdims=False)
mean(x, /, *, axis=None, keepdims=False)
min(x, /, *, axis=None, keepdims=False)
prod(x, /, *, axis=None, dtype=None, keepdims=False)
std(x, /, *, axis=None, correction=0.0, keepdims=False)
sum(x, /, *, axis=None, dtype=None, keepdims=False)
var(x, /, *, axis=None, correction=0.0, keepdims=False)
all(x, /, *, axis=None, keepdims=False)
any(x, /, *, axis=None, keepdims=False)
linalg.cholesky(x, /, *, upper=False)
linalg.cross(x1, x2, /, *, axis=-1)
linalg.det(x, /)
linalg.diagonal(x, /, *, offset=0)
linalg.eigh(x, /)
linalg.eigvalsh(x, /)
linalg.inv(x, /)
linalg.matmul(x1, x2, /)
linalg.matrix_norm(x, /, *, keepdims=False, ord='fro')
linalg.matrix_power(x, n, /)
linalg.matrix_rank(x, /, *, rtol=None)
linalg.matrix_transpose(x, /)
linalg.outer(x1, x2, /)
linalg.pinv(x, /, *, rtol=None)
linalg.qr(x, /, *, mode='reduced')
linalg.slogdet(x, /)
linalg.solve(x1, x2, /)
linalg.svd(x, /, *, full_matrices=True)
linalg.svdvals(x, /)
linalg.tensordot(x1, x2, /, *, axes=2)
linalg.trace(x, /, *, offset=0, dtype=None)
linalg.vecdot(x1, x2, /, *, axis=-1)
linalg.vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
fft.fft(x, /, *, n=None, axis=-1, norm='backward')
fft.ifft(x, /, *, n=None, axis=-1, norm='backward')
fft.fftn(x, /, *, s=None, axes=None, norm='backward')
fft.ifftn(x, /, *, s=None, axes=None, norm='backward')
fft.rfft(x, /, *, n=None, axis=-1, norm='backward')
fft.irfft(x, /, *, n=None, axis=-1, norm='backward')
fft.rfftn(x, /, *, s=None, axes=None, norm='backward')
fft.irfftn(x, /, *, s=None, axes=None, norm='backward')
fft.hfft(x, /, *, n=None, axis=-1, norm='backward')
fft.ihfft(x, /, *, n=None, axis=-1, norm='backward')
fft.fftfreq(n, /, *, d=1.0, device=None)
fft.rfftfreq(n, /, *, d=1.0, device=None)
fft.fftshift(x, /, *, axes=None)
fft.ifftshift(x, /, *, axes=None)
"""
SIGNATURES = [
    *(f"{name}(x, /)" for name in UNARY.split()), *(f"{name}(x1, x2, /)" for name in BINARY.split()),
    *OTHERS.strip().splitlines(),
]  # fmt: skip


def find(name):
    space, _, own = name.rpartition(".")
    return getattr(getattr(xp, space) if space else xp, own)


def written(text):
    """The parameters that the standard writes."""
    scope = {}
    exec(f"def function{text[text.index('(') :]}: ...", scope)
    return list(inspect.signature(scope["function"]).parameters.values())


METHODS = """
__array_namespace__(*, api_version=None)
__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)
__dlpack_device__()
to_device(device, /, *, stream=None)
"""


@pytest.mark.parametrize("text", SIGNATURES, ids=lambda text: text.partition("(")[0])
def test_a_function_takes_the_parameters_of_the_standard(text):
    _assert_takes(find(text.partition("(")[0]), written(text))


@pytest.mark.parametrize(
    "text", METHODS.strip().splitlines(), ids=lambda text: text.partition("(")[0]
)
def test_a_method_takes_the_parameters_of_the_standard(text):
    _assert_takes(getattr(xp.ones(2), text.partition("(")[0]), written(text))


def _assert_takes(function, parameters):
    found = list(inspect.signature(function).parameters.values())
    by_name = {p.name: p for p in found}
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in found)
    for i, p in enumerate(parameters):
        if p.kind is p.VAR_POSITIONAL:
            assert takes_any
        elif p.kind is p.KEYWORD_ONLY:
            assert by_name[p.name].kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
        else:
            assert takes_any or found[i].kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        if p.kind is p.POSITIONAL_OR_KEYWORD:
            assert by_name[p.name].kind is p.POSITIONAL_OR_KEYWORD


@pytest.mark.parametrize(
    ("name", "value"), [("e", math.e), ("inf", math.inf), ("pi", math.pi), ("nan", math.nan)]
)
def test_constants(name, value):
    found = getattr(xp, name)
    assert isinstance(found, float)
    assert found == value or (math.isnan(found) and math.isnan(value))


def test_newaxis_is_none():
    assert xp.newaxis is None and xp.ones(3)[xp.newaxis, ...].shape == (1, 3)


# ---- dtypes ---------------------------------------------------------------------------------------

KINDS = {
    "bool": ("bool",), "signed integer": SIGNED, "unsigned integer": UNSIGNED, "integral": INTEGERS,
    "real floating": REAL, "complex floating": COMPLEX, "numeric": NUMBERS,
}  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_isdtype(name):
    for kind, names in KINDS.items():
        assert xp.isdtype(dtype(name), kind) is (name in names)
    assert xp.isdtype(dtype(name), dtype(name)) is True
    assert xp.isdtype(dtype(name), ("bool", "real floating")) is (name in ("bool", *REAL))
    others = [n for n in ALL if n != name]
    assert not any(xp.isdtype(dtype(name), dtype(n)) for n in others)
    assert not any(dtype(name) == dtype(n) for n in others)


@pytest.mark.parametrize("name", INTEGERS)
def test_iinfo(name):
    for given in (dtype(name), xp.ones((2,), dtype=dtype(name))):
        found = xp.iinfo(given)
        assert (int(found.min), int(found.max)) == limits(name)
        assert found.bits == int(name.lstrip("uint")) and found.dtype == dtype(name)


@pytest.mark.parametrize("name", [*REAL, *COMPLEX])
def test_finfo(name):
    real = PARTS.get(name, name)
    bits = int(real[5:])
    eps = 2.0**-23 if bits == 32 else 2.0**-52
    for given in (dtype(name), xp.ones((2,), dtype=dtype(name))):
        found = xp.finfo(given)
        assert found.bits == bits and found.dtype == dtype(real)
        assert float(found.eps) == eps
        assert float(found.smallest_normal) == (2.0**-126 if bits == 32 else 2.0**-1022)
        largest = (2 - eps) * 2.0 ** (127 if bits == 32 else 1023)
        assert (float(found.min), float(found.max)) == (-largest, largest)


def test_result_type_of_python_numbers():
    for name in REAL:
        x = xp.ones((2,), dtype=dtype(name))
        assert xp.result_type(x, dtype(name)) == dtype(name)
    for kind, name in ((bool, "bool"), (int, "int64"), (float, "float64"), (complex, "complex128")):
        assert xp.asarray(kind(1)).dtype == dtype(name) and PYTHON[name] is kind


# ---- the namespace --------------------------------------------------------------------------------


def test_the_namespace_describes_itself():
    info = xp.__array_namespace_info__()
    found = info.capabilities()
    assert found["boolean indexing"] is True and found["data-dependent shapes"] is True
    assert info.default_device() in info.devices()
    assert info.default_dtypes() == {
        "real floating": dtype("float64"), "complex floating": dtype("complex128"),
        "integral": dtype("int64"), "indexing": dtype("int64"),
    }  # fmt: skip
    assert info.dtypes() == {name: dtype(name) for name in ALL}
    for kind, names in KINDS.items():
        assert info.dtypes(kind=kind) == {name: dtype(name) for name in names}
    pair = info.dtypes(kind=("bool", "real floating"))
    assert pair == {name: dtype(name) for name in ("bool", *REAL)}
    for device in info.devices():
        assert xp.ones(2, device=device).device == device
