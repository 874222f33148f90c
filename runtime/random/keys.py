"""Keys: what a draw without state is a function of."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from runtime import ops
from runtime.building import constant
from runtime.ops.declaration.operands import content, is_tensor, type_of
from runtime.ops.random.draws import random_fold, random_split
from runtime.random.arguments import encoded

__all__ = ["as_key", "fold_in", "key", "split"]

_WRAP = 1 << 64


def key(seed: Any) -> Any:
    """The key of a seed: a uint64 scalar that draws take as `key=`.

    `seed` is an integer from -2**63 to 2**64 - 1, or a tensor of one; negative ones count from
    2**64 down. The same key gives the same numbers, always and everywhere: to draw again, make new
    keys by `split` or `fold_in`.

    >>> import autograph as ag
    >>> ag.random.normal((2,), key=ag.random.key(7)).numpy()
    array([-0.67496885,  0.21638935])
    """
    return constant(_scalar(seed, "seed"))


def as_key(given: Any) -> Any:
    """The operand for what a user gives as key: what `key` made, or a seed.

    Raises TypeError and ValueError for what is no integer or several.
    """
    return _scalar(given, "key")


def _scalar(given: Any, name: str) -> Any:
    given = content(given)
    if not is_tensor(given):
        given = _number(given, name)
    type_ = type_of(given)
    if type_.dtype.kind not in "biu":
        raise TypeError(f"{name} must be an integer, but is a {type_}")
    if type_.shape != ():
        raise ValueError(
            f"{name} must be one integer, but has shape {type_.shape}; of several keys, as `split` "
            "gives, pass one"
        )
    return given if type_.dtype == np.uint64 else ops.astype(given, np.uint64)


def _number(given: Any, name: str) -> Any:
    if isinstance(given, (np.ndarray, list, tuple)):
        array = np.asarray(given)
        return array[()] if array.ndim == 0 else array
    try:
        number = operator.index(given)
    except TypeError:
        raise TypeError(f"{name} must be an integer, but is {given!r}") from None
    if not -_WRAP // 2 <= number < _WRAP:
        raise ValueError(f"{name} must fit in 64 bits, but is {number}")
    return np.uint64(number % _WRAP)


def split(key: Any, num: Any = 2) -> Any:
    """New keys out of one: an array of shape `(num,)`, or of the shape `num`.

    Draws from them are independent of each other and of those from `key`. The first ones do not
    depend on how many there are.

    >>> import autograph as ag
    >>> first, second = ag.random.split(ag.random.key(7))
    >>> ag.random.split(7, (2, 3)).shape
    (2, 3)
    """
    static, dims = encoded(num, "num")
    return random_split(as_key(key), *dims, shape=static)


def fold_in(key: Any, data: Any) -> Any:
    """A new key out of a key and an integer, as the number of a step.

    >>> import autograph as ag
    >>> key = ag.random.key(7)
    >>> keys = [ag.random.fold_in(key, step) for step in range(3)]
    """
    return random_fold(as_key(key), _scalar(data, "data"))
