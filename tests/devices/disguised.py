"""A device that any machine has: NumPy, disguised as an array module as strict as CuPy.

Its arrays are no ndarrays and refuse to meet any. Its module has the names of CuPy and takes the
keywords that CuPy takes (`cupy_names.json`, made from CuPy 14.2 by `signatures_of_cupy.py`), and
where CuPy differs from NumPy it does as CuPy: results of rank 0 are arrays, `x[0]` is a view,
arrays of indices wrap around, a NumPy scalar is taken by elementwise functions only.
"""

from __future__ import annotations

import contextlib
import functools
import json
import operator
from pathlib import Path

import numpy as np

from runtime import devices

_TABLE = json.loads((Path(__file__).parent / "cupy_names.json").read_text())
_NUMBERS = (bool, int, float, complex)
# Functions that take host arrays, or nests of them, and those that take scalars beside ufuncs.
_FROM_HOST = frozenset(("array", "asarray", "ascontiguousarray", "asanyarray"))
_TAKE_SCALARS = frozenset(
    ("arange", "clip", "empty", "eye", "full", "full_like", "isclose", "linspace", "ones",
     "result_type", "can_cast", "tri", "where", "zeros", "copyto", "broadcast_shapes",
     "min_scalar_type")
)  # fmt: skip
_PLAIN_RESULTS = frozenset(("result_type", "can_cast", "shape", "ndim", "size", "min_scalar_type"))
_SUBMODULES = {"": ("linalg", "fft", "lib"), "lib": ("stride_tricks",)}
_SUBMODULES |= {"linalg": (), "fft": (), "lib.stride_tricks": ()}
# What CuPy's `add.at` adds to.
_ATOMIC = frozenset(map(np.dtype, ("f2", "f4", "f8", "i4", "u4", "u8")))
_current = [0]


class FarArray:
    """An array of the disguised device `number`."""

    __slots__ = ("_host", "_parent", "number")
    __array_priority__ = 100
    __hash__ = None

    def __init__(self, host, number, parent=None):
        self._host, self.number, self._parent = host, number, parent

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed: use `.get()`")

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return _call(getattr(ufunc, method), ufunc.__name__, inputs, kwargs, scalars=True)

    @property
    def shape(self):
        return self._host.shape

    @property
    def dtype(self):
        return self._host.dtype

    @property
    def ndim(self):
        return self._host.ndim

    @property
    def size(self):
        return self._host.size

    @property
    def nbytes(self):
        return self._host.nbytes

    @property
    def itemsize(self):
        return self._host.itemsize

    @property
    def strides(self):
        return self._host.strides

    @property
    def base(self):
        return self._parent

    @property
    def flags(self):
        return _Flags(self._host.flags)

    @property
    def T(self):
        return _wrap(self._host.T, self.number, [self])

    @property
    def real(self):
        return _wrap(self._host.real, self.number, [self])

    @real.setter
    def real(self, value):
        (plain,), _ = _unwrap((value,), scalars=True)
        self._host.real = plain

    @property
    def imag(self):
        return _wrap(self._host.imag, self.number, [self])

    @imag.setter
    def imag(self, value):
        (plain,), _ = _unwrap((value,), scalars=True)
        self._host.imag = plain

    def view(self, dtype=None):
        return _wrap(
            self._host.view() if dtype is None else self._host.view(dtype), self.number, [self]
        )

    def get(self):
        return self._host.copy()

    def item(self):
        return self._host.item()

    def tolist(self):
        return self._host.tolist()

    def tobytes(self):
        return self._host.tobytes()

    def __getattr__(self, name):
        if name not in _TABLE["ndarray"]:
            raise AttributeError(f"'cupy.ndarray' object has no attribute {name!r}")
        allowed = _TABLE["ndarray"][name]

        def method(*args, **kwargs):
            _check_keywords(name, allowed, kwargs)
            return _call(
                lambda *a, **k: getattr(a[0], name)(*a[1:], **k), name, (self, *args), kwargs
            )

        return method

    def __getitem__(self, key):
        if key is not Ellipsis and not (isinstance(key, tuple) and _has_ellipsis(key)):
            key = (*key, Ellipsis) if isinstance(key, tuple) else (key, Ellipsis)
        return _wrap(self._host[_index(key, self)], self.number, [self])

    def __setitem__(self, key, value):
        (plain,), _ = _unwrap((value,), scalars=True)
        self._host[_index(key, self)] = plain

    def __bool__(self):
        return bool(self._host)

    def __int__(self):
        return int(self._host.item())

    def __float__(self):
        return float(self._host.item())

    def __complex__(self):
        return complex(self._host.item())

    def __len__(self):
        return len(self._host)

    def __repr__(self):
        return repr(self._host)

    def __str__(self):
        return str(self._host)

    def __format__(self, spec):
        return format(self._host.item() if not self.ndim else self._host, spec)

    def __copy__(self):
        return FarArray(self._host.copy(), self.number)

    def __deepcopy__(self, memo):
        return FarArray(self._host.copy(), self.number)


class _Flags:
    """CuPy's flags: there is no `writeable`."""

    def __init__(self, flags):
        self.c_contiguous, self.f_contiguous = flags.c_contiguous, flags.f_contiguous
        self.owndata = flags.owndata
        self.fnc = flags.fnc


def _has_ellipsis(key):
    return any(part is Ellipsis for part in key)


def _index(key, array):
    """An index of NumPy's, in which arrays of integers wrap around, as CuPy's do."""
    parts = key if isinstance(key, tuple) else (key,)
    axes = sum(_axes_of(p) for p in parts)
    made, axis = [], 0
    for part in parts:
        if isinstance(part, np.ndarray):
            raise TypeError("a host array is no index of an array on a device")
        if part is Ellipsis:
            axis += array.ndim - axes
        elif isinstance(part, FarArray) and part.dtype.kind in "iu":
            _same_device([part, array])
            size = array.shape[axis]
            part = part._host % size if size else part._host
            axis += 1
        elif isinstance(part, FarArray):
            _same_device([part, array])
            axis, part = axis + part.ndim, part._host
        else:
            axis += _axes_of(part)
        made.append(part)
    return tuple(made)


def _axes_of(part):
    """How many axes of the array a part of an index is for."""
    if part is None or part is Ellipsis or isinstance(part, (bool, np.bool_)):
        return 0
    return part.ndim if isinstance(part, FarArray) and part.dtype.kind == "b" else 1


def _same_device(arrays):
    numbers = {a.number for a in arrays}
    if len(numbers) > 1:
        raise ValueError(f"arrays of the devices {sorted(numbers)} meet")


def _unwrap(parts, *, scalars, host=False):
    """The host arrays behind the arrays in nests; what CuPy would not take is refused."""
    arrays = []

    def one(x):
        if isinstance(x, FarArray):
            arrays.append(x)
            return x._host
        if isinstance(x, np.ndarray) and not host:
            raise TypeError("Unsupported type <class 'numpy.ndarray'>")
        if isinstance(x, np.generic) and not (scalars or host):
            raise TypeError(f"Unsupported type {type(x)}")
        if type(x) in (tuple, list):
            return type(x)(map(one, x))
        return x

    made = tuple(one(x) for x in parts)
    _same_device(arrays)
    return made, arrays


def _wrap(result, number, parents=()):
    if isinstance(result, tuple):
        parts = [_wrap(r, number, parents) for r in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if isinstance(result, list):
        return [_wrap(r, number, parents) for r in result]
    if not isinstance(result, (np.ndarray, np.generic, bool)):
        return result
    host = np.asarray(result)
    same = next((p for p in parents if host is p._host), None)
    if same is not None:  # as `asarray`, which gives the very array
        return same
    base = host.base
    if base is None:
        return FarArray(host, number)
    parent = next((p for p in parents if base is p._host or base is p._host.base), None)
    return FarArray(host if parent is not None else host.copy(), number, parent)


def _check_keywords(name, allowed, kwargs):
    if isinstance(allowed, list) and not any(p.startswith("**") for p in allowed):
        unknown = set(kwargs) - set(allowed)
        if unknown:
            raise TypeError(f"{name}() got an unexpected keyword argument {sorted(unknown)}")


def _call(function, name, args, kwargs, *, scalars=False):
    host = name in _FROM_HOST
    scalars = scalars or name in _TAKE_SCALARS
    if args and isinstance(args[0], _NUMBERS) and not (scalars or host):
        raise TypeError(f"{name} takes an array, not a {type(args[0]).__name__}")
    keys = list(kwargs)
    plain, arrays = _unwrap((*args, *kwargs.values()), scalars=scalars, host=host)
    positional, named = plain[: len(args)], dict(zip(keys, plain[len(args) :]))
    number = arrays[0].number if arrays else _current[0]
    if arrays and number != _current[0]:
        raise RuntimeError(f"an array of device {number}, where {_current[0]} is current")
    with np.errstate(all="ignore"):
        result = function(*positional, **named)
    out = kwargs.get("out")
    if isinstance(out, FarArray):
        return out
    return result if name in _PLAIN_RESULTS else _wrap(result, number, arrays)


def _numpy(space):
    """The module of NumPy behind a module of the disguise."""
    return functools.reduce(getattr, space.split("."), np) if space else np


class _Function:
    """A function or ufunc of the disguised module."""

    def __init__(self, space, name):
        self.name, self.allowed = name, _TABLE[space][name]
        self.function = getattr(_numpy(space), name)
        self.is_ufunc = isinstance(self.function, np.ufunc)
        self.__name__ = name

    def __call__(self, *args, **kwargs):
        _check_keywords(self.name, self.allowed, kwargs)
        return _call(self.function, self.name, args, kwargs, scalars=self.is_ufunc)

    def __getattr__(self, name):
        if not self.is_ufunc or self.allowed != "ufunc" or name not in _TABLE["ufunc"]:
            raise AttributeError(f"cupy.{self.name} has no {name}")
        part = getattr(self.function, name)
        if not callable(part):
            return part
        if name == "at" and self.name != "add":
            raise AttributeError(f"cupy.{self.name} has no at")

        def method(*args, **kwargs):
            if name == "at" and args[0].dtype not in _ATOMIC:
                raise TypeError(f"scatter_add does not support {args[0].dtype}")
            return _call(part, self.name, args, kwargs, scalars=True)

        return method


class _Module:
    """The names of CuPy."""

    def __init__(self, space=""):
        self._space = space
        self.__name__ = f"far.{space}" if space else "far"

    def __getattr__(self, name):
        if name in _SUBMODULES[self._space]:
            made = _Module(f"{self._space}.{name}".strip("."))
        elif name == "ndarray":
            made = FarArray
        elif name not in _TABLE.get(self._space, ()):
            raise AttributeError(f"module 'cupy' has no attribute {name!r}")
        else:
            found = getattr(_numpy(self._space), name)
            plain = isinstance(found, type) or not callable(found)
            made = found if plain else _Function(self._space, name)
        setattr(self, name, made)
        return made


def _operator(name):
    function = getattr(operator, name)

    def method(self, *others):
        if not all(isinstance(o, (FarArray, np.generic, *_NUMBERS)) for o in others):
            return NotImplemented
        return _call(function, name, (self, *others), {}, scalars=True)

    def reflected(self, other):
        if type(other) not in _NUMBERS and not isinstance(other, np.generic):
            return NotImplemented
        return _call(function, name, (other, self), {}, scalars=True)

    return method, reflected


def _in_place(name):
    function = getattr(operator, f"i{name}")

    def method(self, other):
        _call(function, name, (self, other), {}, scalars=True)
        return self

    return method


for _name in "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift".split():
    _method, _reflected = _operator(_name)
    _plain = _name.rstrip("_")
    setattr(FarArray, f"__{_plain}__", _method)
    setattr(FarArray, f"__r{_plain}__", _reflected)
    if _name != "matmul":
        setattr(FarArray, f"__i{_plain}__", _in_place(_plain))
for _name in "lt le gt ge eq ne neg pos abs invert".split():
    setattr(FarArray, f"__{_name}__", _operator(_name)[0])


class Disguised:
    """The kind `far`, of two devices."""

    name = "far"
    xp = _Module()
    array_type = FarArray

    def missing(self):
        return ""

    def count(self):
        return 2

    def number_of(self, array):
        return array.number

    @contextlib.contextmanager
    def entered(self, number):
        before, _current[0] = _current[0], number
        try:
            yield
        finally:
            _current[0] = before

    def put(self, array, number):
        return FarArray(np.array(array._host if isinstance(array, FarArray) else array), number)

    def fetch(self, array):
        return array.get()

    def synchronize(self, number):
        pass


@contextlib.contextmanager
def disguised():
    """The kind is known within this context: `/far:0` and `/far:1`."""
    kind = Disguised()
    remove = devices.register(kind)
    try:
        yield kind
    finally:
        remove()


def far(x, number=0):
    """A copy of an array on a disguised device."""
    return FarArray(np.array(x), number)
