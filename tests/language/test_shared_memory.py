"""What results share memory with: one that is an argument is that very array, others nothing."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config

FUNCTIONS = {
    "itself": lambda x: x,
    "all of it": lambda x: x[:],
    "dots": lambda x: x[...],
    "part": lambda x: x[1:],
    "T": lambda x: x.T,
    "reshape": lambda x: x.reshape(-1),
    "its own shape": lambda x: x.reshape(x.shape),
    "ravel": lambda x: x.ravel(),
    "np.ravel": lambda x: np.ravel(x),
    "flatten": lambda x: x.flatten(),
    "view": lambda x: x.view(),
    "asarray": lambda x: np.asarray(x),
    "asarray of its dtype": lambda x: np.asarray(x, x.dtype),
    "asarray of another dtype": lambda x: np.asarray(x, np.float32),
    "asanyarray": lambda x: np.asanyarray(x),
    "ascontiguousarray": lambda x: np.ascontiguousarray(x),
    "array": lambda x: np.array(x),
    "array without a copy": lambda x: np.array(x, copy=None),
    "astype": lambda x: x.astype(x.dtype),
    "astype without a copy": lambda x: x.astype(x.dtype, copy=False),
    "copy": lambda x: x.copy(),
    "atleast_1d": lambda x: np.atleast_1d(x),
    "atleast_2d": lambda x: np.atleast_2d(x),
    "squeeze": lambda x: np.squeeze(x),
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "transpose": lambda x: np.transpose(x),
    "swapaxes": lambda x: x.swapaxes(0, -1),
    "moveaxis": lambda x: np.moveaxis(x, 0, 0),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, *x.shape)),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, x),
    "real": lambda x: np.real(x),
    "conj": lambda x: np.conj(x),
    "nan_to_num": lambda x: np.nan_to_num(x),
    "nan_to_num in place": lambda x: np.nan_to_num(x, copy=False),
    "split": lambda x: np.split(x, [1]),
    "flip": lambda x: np.flip(x),
    "diagonal": lambda x: np.diagonal(np.atleast_2d(x)),
    "trim_zeros": lambda x: np.trim_zeros(x.reshape(-1)),
    "rot90": lambda x: np.rot90(np.atleast_2d(x)),
    "where": lambda x: np.where(True, x, x),
    "clip": lambda x: np.clip(x, -100, 100),
    "concatenate": lambda x: np.concatenate([x]),
    "einsum": lambda x: np.einsum("...->...", x),
    "positive": lambda x: +x,
    "round": lambda x: x.round(),
    "take": lambda x: np.take(x, np.arange(len(x)), axis=0),
    "out": lambda x: np.add(x, 0, out=x),
    "in place": lambda x: x.__iadd__(1),
    "twice": lambda x: (x, x),
    "with a part": lambda x: (x, x[1:]),
    "parts": lambda x: {"a": x[:], "b": [x.T, x.ravel()]},
    "made twice": lambda x: [x * 2] * 2,
    "made and its views": lambda x: (lambda y: (y, y[1:], y.T, y.reshape(-1)))(x * 2),
    "made and broadcast": lambda x: np.broadcast_to(x * 2, (2, *x.shape)),
    "chosen": lambda x: x if x.sum() > -100 else x * 2,
}
ARRAYS = [np.arange(1.0, 4.0), np.arange(1.0, 7.0).reshape(2, 3), np.arange(3), np.zeros(0)]


def leaves(x):
    if isinstance(x, dict):
        x = list(x.values())
    if isinstance(x, (list, tuple)):
        return [leaf for part in x for leaf in leaves(part)]
    return [x] if isinstance(x, np.ndarray) else []


def which_are_one(parts):
    return [[a is b for b in parts] for a in parts]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_share_memory_with_nothing_unless_they_are_one(name):
    function = FUNCTIONS[name]
    for array in ARRAYS:
        x = array.copy()
        expected = which_are_one([x, *leaves(function(x))])
        for backend in ("plan", "native"):
            converted = ag.convert(function)
            for _ in range(2):
                y = array.copy()
                with config.backend.using(backend):
                    parts = [y, *leaves(converted(y))]
                assert which_are_one(parts) == expected, (name, backend)
                assert [[np.shares_memory(a, b) for b in parts] for a in parts] == [
                    [one and a.size > 0 for one in row] for a, row in zip(parts, expected)
                ], (name, backend)
                assert all(part.flags.writeable for part in parts)


def test_what_is_made_of_a_memmap_is_an_array_of_its_own(tmp_path):
    x = np.memmap(tmp_path / "numbers", dtype="f8", mode="w+", shape=(4,))
    x[:] = np.arange(4.0)
    for function in (lambda x: x.copy(), lambda x: x[1:], lambda x: x.T, lambda x: x.astype("f4")):
        found = ag.convert(function)(x)
        assert type(found) is np.ndarray and not np.shares_memory(found, x)
        np.testing.assert_array_equal(found, function(x))

    def write(x):
        x[0] = 9.0
        return x

    assert ag.convert(write)(x) is x and x[0] == 9.0
