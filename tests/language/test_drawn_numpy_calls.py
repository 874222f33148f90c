"""Odd but natural calls of every function of NumPy, drawn by its parameters, next to NumPy (E1).

Positional and by name, with negative axes and tuples of axes, empty arrays and numbers, lists for
arrays, mixed dtypes, `where`, `initial`, `dtype` and `keepdims`. A converted call gives what the
plain one gives, or raises the class that it raises, or is refused at its line.
"""

from __future__ import annotations

import copy
import inspect
import zlib
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.language.test_every_numpy_function import COMPLEX, NAMES, as_complex, find

DRAWS = 8
ARRAYS: tuple[Any, ...] = (
    np.arange(6.0).reshape(2, 3) - 2, np.array([3, 1, 2]), np.array([0.5, -0.0, np.nan]),
    np.zeros(0), np.zeros((2, 0)), np.array(2.5), np.array(3), np.array([True, False, True]),
    np.array([[1, 2], [3, 4]], np.int8), np.array([1.5, 2.5, 0.25], np.float32),
    np.array([1 + 2j, -1j, 0.5]), np.array([200, 3, 7], np.uint8), np.arange(8).reshape(2, 2, 2),
    np.eye(3)[::-1], np.float64(1.5), np.int64(2), np.arange(4, dtype=np.float16),
)  # fmt: skip
LISTS: tuple[Any, ...] = (
    [1, 2, 3],
    [[0.5, 1.0, 2.0], [1, 2, 3]],
    (2, 0, 1),
    2,
    -1.5,
    [True, False, True],
)
AXES: tuple[Any, ...] = (None, 0, -1, 1, (0,), (0, -1), (), -2, 2)
FLAGS = (True, False)
DTYPES: tuple[Any, ...] = (np.float32, int, "f8", np.complex128, np.int8)
COUNTS = (0, 1, 2, 3, -1)
VALUES: dict[str, tuple[Any, ...]] = {
    "axis": AXES, "axes": AXES, "axis1": (0, 1, -1), "axis2": (1, 0, -2), "axisa": (0, -1),
    "axisb": (0, -1), "axisc": (0, -1), "source": (0, -1), "destination": (1, 0),
    "keepdims": FLAGS, "dtype": DTYPES, "initial": (0, 2.5, -3), "ddof": (0, 1),
    "where": (np.array([True, False, True]), True), "n": COUNTS, "N": COUNTS, "M": COUNTS,
    "k": (0, 1, -1, 5), "m": COUNTS, "decimals": (0, 1, -1), "shift": (1, -2, (1, 1)),
    "repeats": (2, 0, [1, 2, 0]), "reps": (2, (2, 1), ()), "q": (0.5, [0.25, 1.0], 0),
    "indices": (0, [1, 0], np.array([[0, -1]]), -1), "shape": ((3,), (2, 3), (), 4, (0, 2)),
    "newshape": ((-1,), (3, 2), 6), "new_shape": ((4,), (2, 2), 0), "num": (0, 1, 4),
    "endpoint": FLAGS, "increasing": FLAGS, "rowvar": FLAGS, "bias": FLAGS, "return_index": FLAGS,
    "return_inverse": FLAGS, "return_counts": FLAGS, "equal_nan": FLAGS, "invert": FLAGS,
    "side": ("left", "right"), "right": FLAGS, "kth": (0, 1, -1), "ord": (None, 1, 2, np.inf),
    "bins": (3, [0, 1, 2.5]), "range": (None, (0, 2)), "density": FLAGS, "minlength": (0, 5),
    "indices_or_sections": (1, 2, 3, [1], [1, 2]), "pad_width": (1, (0, 2), 0),
    "mode": ("same", "valid", "full", "constant", "edge", "wrap", "clip", "raise"),
    "fill_value": (0, 2.5, True), "a_min": (0, None, [0, 1, 2]), "a_max": (1, 2.5, None),
    "min": (0, None), "max": (1, None), "offset": (0, 1, -1), "indexing": ("ij", "xy"),
    "sparse": FLAGS, "norm": (None, "ortho", "forward"), "s": (None, (2, 3)), "deg": (1, 2, True),
    "period": (None, 4.0), "left": (None, -9.0), "trim": ("fb", "f", "b"), "obj": (0, [1], -1, slice(1)),
    "kind": (None, "stable"), "start": (0, 1, 2.5), "stop": (3, 5.5), "step": (1, 2, 0.5),
    "subscripts": ("i->", "ij->ji", "ii"), "full_matrices": FLAGS, "compute_uv": FLAGS,
    "nan": (0.0, 7), "posinf": (None, 9), "tol": (None, 0.1), "rcond": (None, 0.1), "rtol": (1e-5, 0.1),
    "atol": (1e-8, 0.5), "wrap": FLAGS, "copy": FLAGS, "order": ("C",), "d": (0.5, 2), "dx": (1.0, 0.5),
    "ndmin": (0, 2), "unwrap": FLAGS, "discont": (None, 4), "edge_order": (1, 2), "base": (2, 10.0),
    "return_indices": FLAGS, "assume_unique": (False,), "weights": (None, [1, 2, 3]), "beta": (0, 2.5),
    "correction": (0, 1), "include_initial": FLAGS, "prepend": (0, [1]), "append": (0, [1]), "method": ("linear", "lower"),
    "to_end": (9, [7, 8]), "to_begin": (1,), "retstep": FLAGS, "returned": FLAGS, "hermitian": (False,),
}  # fmt: skip
ARRAY_NAMES = frozenset(
    (
        "a", "b", "x", "y", "z", "x1", "x2", "arr", "ar1", "ar2", "array", "ary", "v", "u", "w", "p",
        "A", "B", "f", "xp", "fp", "values", "vals", "condition", "element", "elements", "c", "roots",
        "test_elements", "filt", "object", "prototype", "c_or_r", "val", "mask", "seq",
    )
)  # fmt: skip
SEQUENCES = frozenset(
    ("arrays", "tup", "condlist", "choicelist", "choices", "operands", "xi", "keys")
)


def drawn(function: Any, rng: np.random.Generator) -> tuple[list[Any], dict[str, Any]] | None:
    """Arguments for a call, of which the first is an array; None where nothing is known of them."""
    if isinstance(function, np.ufunc):
        kwargs = {"dtype": np.float32} if rng.random() < 0.15 else {}
        return [pick(rng) for _ in range(function.nin)], kwargs
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    by_name = False
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # built-in functions before NumPy 2.4
        return None
    for parameter in parameters:
        is_needed = parameter.default is parameter.empty
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += [pick(rng) for _ in range(rng.integers(1, 3))]
            continue
        if parameter.kind is parameter.VAR_KEYWORD or not (is_needed or rng.random() < 0.25):
            by_name = True
            continue
        if by_name and parameter.kind is parameter.POSITIONAL_ONLY:
            continue
        value = value_of(parameter.name, rng)
        if value is UNKNOWN and is_needed:
            return None
        if value is UNKNOWN:
            by_name = True
        elif by_name or parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[parameter.name] = value
        else:
            args.append(value)
    return args, kwargs


UNKNOWN = object()
# Where the class of an error comes from the line of NumPy's own code that a wrong argument reaches.
OTHER_CLASS = frozenset(
    (
        "argpartition", "array_split", "bincount", "choose", "clip", "common_type", "concat",
        "concatenate", "cross", "cumulative_prod", "cumulative_sum", "diag_indices_from",
        "fft.fftshift", "fft.ifftshift", "fft.irfft2", "fft.rfft2", "fill_diagonal", "histogram2d",
        "interp", "linalg.cond", "linalg.cross", "linalg.eigvals", "linalg.eigvalsh", "linalg.inv",
        "linalg.pinv", "linalg.qr", "place", "polydiv", "polyval", "put_along_axis", "putmask", "roots", "select",
        "take_along_axis", "tril_indices_from", "triu_indices_from", "unstack", "vsplit",
    )
)  # fmt: skip
# What asks a list for what only arrays have, and takes it for an array here.
OF_LISTS = frozenset(("dsplit", "hsplit", "tril_indices_from", "triu_indices_from", "vsplit"))
# Calls of which NumPy reads memory as it is found, or goes past the ends.
UNDEFINED = frozenset((("fft.hfft", 6),))


def pick(rng: np.random.Generator) -> Any:
    pool = ARRAYS if rng.random() < 0.75 else LISTS
    return pool[rng.integers(len(pool))]


def value_of(name: str, rng: np.random.Generator) -> Any:
    if name in ARRAY_NAMES:
        return pick(rng)
    if name in SEQUENCES:
        return [pick(rng) for _ in range(2)]
    pool = VALUES.get(name)
    return UNKNOWN if pool is None else pool[rng.integers(len(pool))]


def is_nothing(name: str, x: Any) -> bool:
    """Whether NumPy makes of such an argument what the lines of its code happen to do.

    Transforms of numbers, and positions in what is empty.
    """
    if name in ("argpartition", "partition"):
        return np.size(x) == 0
    return name.startswith("fft.") and np.ndim(x) == 0


def outcome(call: Any, arguments: Any) -> tuple[Any, BaseException | None]:
    with np.errstate(all="ignore"):
        try:
            return call(*arguments), None
        except Exception as error:  # noqa: BLE001 - of any class
            return None, error


def difference(found: Any, wanted: Any) -> str:
    """What is another in two results; empty where they are the same."""
    if isinstance(wanted, (tuple, list)):
        if type(found) is not type(wanted) or len(found) != len(wanted):
            return f"{found!r} for {wanted!r}"
        return next(filter(None, map(difference, found, wanted)), "")
    if type(found) is not type(wanted):
        return f"{type(found).__name__} for {type(wanted).__name__}: {found!r} for {wanted!r}"
    if isinstance(wanted, (np.ndarray, np.generic)):
        if found.dtype != wanted.dtype or found.shape != wanted.shape:
            return f"{found.dtype}{found.shape} for {wanted.dtype}{wanted.shape}: {found!r}"
        exact = wanted.dtype.kind not in "fc"
        eps = 0 if exact else 64 * np.finfo(wanted.dtype).eps
        scale = 0 if exact else np.max(np.abs(wanted[np.isfinite(wanted)]), initial=0.0)
        if not np.allclose(found, wanted, rtol=eps, atol=eps * scale, equal_nan=not exact):
            return f"{found!r} for {wanted!r}"
        return ""
    return "" if repr(found) == repr(wanted) else f"{found!r} for {wanted!r}"


def compared(name: str, number: int) -> str:
    """Do a call plainly and converted; what differs, empty where nothing does."""
    rng = np.random.default_rng([zlib.crc32(name.encode()), number])
    function = find(name)
    given = drawn(function, rng)
    if given is None or not given[0]:
        return ""
    (first, *rest), kwargs = given
    if is_nothing(name, first):
        return ""
    wanted, error = outcome(lambda x: function(x, *rest, **kwargs), [copy.deepcopy(first)])

    def call(x):
        return function(x, *copy.deepcopy(rest), **kwargs)

    found, other = outcome(ag.convert(call, native=False), [copy.deepcopy(first)])
    if isinstance(other, ag.StagingError):
        return ""
    shown = f"np.{name}({first!r}, {rest!r}, {kwargs!r})"
    if error is not None or other is not None:
        is_error = other is not None and error is not None
        same = isinstance(other, type(error)) or (is_error and name in OTHER_CLASS)
        asks_a_list = isinstance(error, AttributeError) and name in OF_LISTS
        return (
            ""
            if same or asks_a_list
            else f"{shown}: {other!r} for {error!r}, {found!r} for {wanted!r}"
        )
    if name in COMPLEX and np.iscomplexobj(found):
        wanted = as_complex(wanted)
    told = difference(found, wanted)
    return told and f"{shown}: {told}"


# What has no result to compare: memory as it is found, objects, dates.
LEFT_OUT = frozenset(
    (
        "broadcast", "datetime64", "empty", "empty_like", "fromstring", "ndarray", "ndenumerate",
        "ndindex", "nditer", "recarray", "timedelta64",
    )
)  # fmt: skip


@pytest.mark.broad(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in NAMES if name not in LEFT_OUT])
def test_drawn_calls_give_what_numpy_gives(name):
    numbers = [number for number in range(DRAWS) if (name, number) not in UNDEFINED]
    different = [told for number in numbers if (told := compared(name, number))]
    assert not different, "\n".join(different)
