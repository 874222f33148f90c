"""Functions of NumPy that call functions of the user's with parts of an array."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["apply_along_axis", "apply_over_axes", "piecewise"]


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """For each element what the function of its (last) condition gives, called where it has any."""
    x = np.asanyarray(x)
    is_one = np.isscalar(condlist) or (x.ndim != 0 and np.ndim(condlist[0]) == 0)
    conditions = np.asarray([condlist] if is_one else condlist, dtype=bool)
    count = len(conditions)
    if len(funclist) == count + 1:
        others = ~np.any(conditions, axis=0, keepdims=True)
        conditions = np.concatenate([conditions, others])
    elif len(funclist) != count:
        raise ValueError(
            f"with {count} condition(s), either {count} or {count + 1} functions are expected"
        )
    result = np.zeros_like(x)
    for i, function in enumerate(funclist):
        if not callable(function):
            result[conditions[i]] = function
        else:
            values = x[conditions[i]]
            if values.size > 0:
                result[conditions[i]] = function(values, *args, **kw)
    return result


def apply_along_axis(
    func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any
) -> Any:
    """What a function gives for each vector along an axis, in the place of that vector."""
    arr = np.asanyarray(arr)
    if not -arr.ndim <= axis < arr.ndim:
        raise np.exceptions.AxisError(axis, arr.ndim)
    moved = np.moveaxis(arr, axis, -1)
    outer, size = moved.shape[:-1], moved.shape[-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    rows = moved.reshape(math.prod(outer), size)
    results = np.array([func1d(row, *args, **kwargs) for row in rows])
    inner = results.ndim - 1
    whole = results.reshape((*outer, *results.shape[1:])).copy()
    if not inner:
        return whole
    at = axis % moved.ndim
    return np.moveaxis(whole, tuple(range(-inner, 0)), tuple(range(at, at + inner)))


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """What a function gives for an array and each of the axes in turn, which stay of size 1."""
    result = np.asarray(a)
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        at = axis + np.ndim(a) if axis < 0 else axis
        reduced = func(result, at)
        if reduced.ndim != result.ndim:
            reduced = np.expand_dims(reduced, at)
            if reduced.ndim != result.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        result = reduced
    return result
