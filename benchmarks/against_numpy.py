"""Operations on arrays of many sizes, dtypes and axes, converted and by NumPy itself.

It is printed by `python -m benchmarks.against_numpy [NAME ...]`; a name chooses all that begin
with it. `--sizes`, `--dtypes` choose among these, `--behind 1.1` shows what takes that much longer
than NumPy.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import autograph as ag
from benchmarks.timing import interleaved

__all__ = ["DTYPES", "OPERATIONS", "SIZES", "Case", "cases", "main", "times"]

SIZES = (10, 1_000, 100_000, 1_000_000)
DTYPES = ("float32", "float64", "int64")
_FLOATS = DTYPES[:2]
_COMPLEX = ("complex64", "complex128")


class Operation(NamedTuple):
    """A function of one array, of so many axes."""

    function: Callable[[Any], Any]
    rank: int = 1
    dtypes: Sequence[str] = DTYPES
    largest: int = SIZES[-1]


def _along(function: Callable[..., Any], **limits: Any) -> dict[str, Operation]:
    """A function of an array of one axis, and along each of two."""
    return {
        "": Operation(function, **limits),
        " axis 0": Operation(lambda x: function(x, axis=0), 2, **limits),
        " axis 1": Operation(lambda x: function(x, axis=1), 2, **limits),
    }


def _each(named: dict[str, dict[str, Operation]]) -> dict[str, Operation]:
    return {name + end: made for name, ends in named.items() for end, made in ends.items()}


def _add_rows(x: Any) -> Any:
    y = x.copy()
    for i in range(1, y.shape[0]):
        y[i] += y[i - 1]
    return y


def _set_columns(x: Any) -> Any:
    y = x.copy()
    for j in range(1, y.shape[1]):
        y[:, j] = y[:, j] + y[:, j - 1]
    return y


def _normalize_in_place(x: Any) -> Any:
    y = x.copy()
    y -= y.mean(axis=1, keepdims=True)
    y /= y.std(axis=1, keepdims=True)
    y *= 2
    y += 1
    return y


_REDUCTIONS = ("sum", "mean", "prod", "max", "min", "any", "all", "argmax", "argmin", "ptp")
_OF_NANS = ("nansum", "nanmean", "nanmax", "nanmin", "nanargmax", "nanvar", "nanstd", "nanprod")
_OTHERS = ("sort", "argsort", "cumsum", "cumprod", "diff", "median", "flip", "count_nonzero")
_ALONE = ("sin", "cos", "tan", "exp", "log1p", "sqrt", "tanh", "arctan", "square", "floor", "sign")

OPERATIONS: dict[str, Operation] = _each({
    **{name: _along(getattr(np, name)) for name in _REDUCTIONS},
    **{name: _along(getattr(np, name), dtypes=_FLOATS) for name in (*_OF_NANS, "var", "std")},
    **{name: _along(getattr(np, name)) for name in _OTHERS},
    "cummax": _along(np.maximum.accumulate),
    "percentile": _along(lambda x, axis=None: np.percentile(x, 30, axis=axis)),
    "roll": _along(lambda x, axis=None: np.roll(x, 3, axis=axis)),
    "repeat": _along(lambda x, axis=None: np.repeat(x, 3, axis=axis)),
    "take": _along(lambda x, axis=None: np.take(x, np.arange(5), axis=axis)),
    "concatenate": _along(lambda x, axis=0: np.concatenate((x, x), axis=axis)),
    "stack": _along(lambda x, axis=0: np.stack((x, x), axis=axis)),
    "norm": _along(lambda x, axis=None: np.linalg.norm(x, axis=axis), dtypes=_FLOATS),
}) | {
    **{name: Operation(getattr(np, name), dtypes=_FLOATS) for name in _ALONE},
    "searchsorted": Operation(lambda x: np.searchsorted(np.sort(x), x)),
    "bincount": Operation(lambda x: np.bincount(x % 50), dtypes=("int64",)),
    "unique": Operation(np.unique),
    "partition": Operation(lambda x: np.partition(x, 3)),
    "histogram": Operation(lambda x: np.histogram(x, 10)[0], dtypes=_FLOATS),
    "interp": Operation(lambda x: np.interp(x, np.arange(9.0), np.arange(9.0)), dtypes=_FLOATS),
    "where": Operation(lambda x: np.where(x > 1, x, 0)),
    "clip": Operation(lambda x: np.clip(x, 0, 1)),
    "nonzero": Operation(lambda x: np.nonzero(x > 1)[0]),
    "mask": Operation(lambda x: x[x > 1]),
    "take_along_axis": Operation(lambda x: np.take_along_axis(x, np.argsort(x), 0)),
    "gather": Operation(lambda x: x[np.arange(x.shape[0]) * 7 % x.shape[0]]),
    "tile": Operation(lambda x: np.tile(x, 3)),
    "pad": Operation(lambda x: np.pad(x, 2)),
    "pad edge": Operation(lambda x: np.pad(x, 2, mode="edge"), 2),
    "transpose": Operation(lambda x: x.T.copy(), 2),
    "tril": Operation(np.tril, 2),
    "trace": Operation(np.trace, 2),
    "diagonal": Operation(lambda x: np.diagonal(x).copy(), 2),
    "outer": Operation(lambda x: np.outer(x[: x.shape[0] // 30 + 3], x[:30])),
    "kron": Operation(lambda x: np.kron(x[: x.shape[0] // 30 + 3], x[:30])),
    "convolve": Operation(lambda x: np.convolve(x, x[:5]), largest=100_000),
    "dot": Operation(lambda x: x @ x),
    "vector @ matrix": Operation(lambda x: x[0, :1] @ x[:1], 2),
    "row @ matrix": Operation(lambda x: x[0] @ x.T, 2),
    "matrix @ vector": Operation(lambda x: x @ x[0], 2),
    "matmul": Operation(lambda x: x @ x.T, 2, largest=100_000),
    "three products": Operation(lambda x: x @ x.T @ x, 2, _FLOATS, 100_000),
    "cov": Operation(np.cov, 2, _FLOATS, 100_000),
    "cov of columns": Operation(lambda x: np.cov(x, rowvar=False), 2, _FLOATS, 100_000),
    "corrcoef of columns": Operation(lambda x: np.corrcoef(x.T), 2, _FLOATS, 100_000),
    "rows in place": Operation(_add_rows, 2),
    "columns in place": Operation(_set_columns, 2),
    "layer norm in place": Operation(_normalize_in_place, 2, _FLOATS),
    **{
        f"complex {name}": Operation(getattr(np, name), dtypes=_COMPLEX)
        for name in ("log", "sqrt", "exp", "sin", "tan", "abs", "sum", "cumsum", "square")
    },
    "complex saxpy": Operation(lambda x: 2j * x + x, dtypes=_COMPLEX),
    "complex matmul": Operation(lambda x: x @ x.T, 2, _COMPLEX, 100_000),
}  # fmt: skip


class Case(NamedTuple):
    """An operation on an array."""

    name: str
    size: int
    dtype: str

    def array(self) -> Any:
        """The argument: numbers between -4 and 4, in no order."""
        rank = OPERATIONS[self.name].rank
        side = round(self.size**0.5)
        shape = (self.size,) if rank == 1 else (side, self.size // side)
        made = np.random.default_rng(0).uniform(-4, 4, shape)
        if self.dtype in _COMPLEX:
            made = made + 1j * made[::-1]
        return np.ascontiguousarray(made.astype(self.dtype))


def cases(
    names: Sequence[str] = (), sizes: Sequence[int] = SIZES, dtypes: Sequence[str] = ()
) -> list[Case]:
    """Those of operations whose names begin with one of `names`."""
    return [
        Case(name, size, dtype)
        for name, operation in OPERATIONS.items()
        if not names or name.startswith(tuple(names))
        for dtype in operation.dtypes
        if not dtypes or dtype in dtypes
        for size in sizes
        if size <= operation.largest
    ]


def times(case: Case, rounds: int = 7, seconds: float = 0.004) -> tuple[float, float]:
    """Microseconds of a call, converted and by NumPy."""
    function, x = OPERATIONS[case.name].function, case.array()
    converted = ag.convert(function)
    calls = {"ours": lambda: converted(x), "numpy": lambda: function(x)}
    with np.errstate(all="ignore"):
        timings = interleaved(calls, rounds, seconds)
    return timings["ours"].least, timings["numpy"].least


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--dtypes", nargs="+", default=())
    parser.add_argument("--behind", type=float, default=0.0)
    given = parser.parse_args(arguments)
    for case in cases(given.names, given.sizes, given.dtypes):
        try:
            ours, numpys = times(case)
        except Exception as error:  # noqa: BLE001 - what fails is a line of the table
            print(f"{case.name:24} {case.dtype:10} {case.size:8} {error!r:.90}", flush=True)
            continue
        if ours >= given.behind * numpys:
            line = f"{ours:10.2f} us, NumPy {numpys:10.2f} us: {ours / numpys:6.2f}"
            print(f"{case.name:24} {case.dtype:10} {case.size:8} {line}", flush=True)


if __name__ == "__main__":
    main()
