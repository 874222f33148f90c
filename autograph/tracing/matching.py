"""Which traces serve which arguments: open dimensions, declared signatures."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tracing.signature import Arguments, is_input_key, type_of_key
from runtime.devices import is_device_array
from runtime.spec import TensorSpec, TensorType, is_compatible
from runtime.tensor import Tensor

__all__ = [
    "accepts",
    "conform_leaf",
    "declared_key",
    "is_general",
    "merge_keys",
    "unknown_dimensions",
]


def accepts(mine: Arguments, relaxed: bool, arguments: Arguments) -> bool:
    """Whether a trace of arguments like `mine` serves `arguments`.

    The open dimensions of a `relaxed` one stand for sizes of at least 2.
    """
    if not mine.is_like(arguments):
        return False
    if relaxed and any(map(_has_small_size, mine.keys, arguments.keys)):
        return False
    return all(_key_accepts(a, b) for a, b in zip(mine.keys, arguments.keys, strict=True))


def _has_small_size(general: Any, key: Any) -> bool:
    """Whether a size of 0 or 1 meets an open dimension: broadcasting changes there."""
    if general == key or not (is_input_key(general) and is_input_key(key)):
        return False
    wanted, given = type_of_key(general).shape, type_of_key(key).shape
    if wanted is None or given is None or len(wanted) != len(given):
        return False
    return any(d is None and n is not None and n < 2 for d, n in zip(wanted, given, strict=True))


def _key_accepts(general: Any, key: Any) -> bool:
    if general == key:
        return True
    if not (is_input_key(general) and is_input_key(key)):
        return False
    wanted, given = type_of_key(general), type_of_key(key)
    if (general[0] == "tensor") != (key[0] in ("tensor", "weak")):
        return False
    return is_compatible(wanted, given)


def is_general(arguments: Arguments) -> bool:
    """Whether some dimension is open."""
    return any(not type_of_key(k).is_static for k in arguments.keys if is_input_key(k))


def unknown_dimensions(arguments: Arguments) -> int:
    """How many dimensions are open: the fewer, the more specific."""
    count = 0
    for key in arguments.keys:
        if is_input_key(key):
            shape = type_of_key(key).shape
            count += 100 if shape is None else sum(d is None for d in shape)
    return count


def merge_keys(old: Arguments, new: Arguments) -> tuple[Any, ...] | None:
    """Keys that cover both, differing dimensions open; None when more than dimensions differ."""
    if not old.is_like(new):
        return None
    merged = []
    for a, b in zip(old.keys, new.keys, strict=True):
        if a == b:
            merged.append(a)
            continue
        if not (is_input_key(a) and is_input_key(b)) or a[:-1] != b[:-1]:
            return None
        if not isinstance(a[-1], tuple) or not isinstance(b[-1], tuple) or len(a[-1]) != len(b[-1]):
            return None
        # Sizes 0 and 1 get traces of their own: broadcasting changes there.
        if any(m != n and n is not None and n < 2 for m, n in zip(a[-1], b[-1], strict=True)):
            return None
        sizes = zip(a[-1], b[-1], strict=True)
        merged.append((*b[:-1], tuple(n if m == n else None for m, n in sizes)))
    return tuple(merged)


def declared_key(key: Any, spec: Any) -> Any:
    """The key of an argument with the dimensions open that its spec leaves open.

    Sizes 0 and 1 keep traces of their own: broadcasting changes there.
    """
    if not isinstance(spec, TensorSpec) or spec.shape is None or not is_input_key(key):
        return key
    if not isinstance(key[-1], tuple) or len(key[-1]) != len(spec.shape):
        return key
    sizes = zip(key[-1], spec.shape, strict=True)
    shape = tuple(None if d is None and (n is None or n >= 2) else n for n, d in sizes)
    return (*key[:-1], shape)


def conform_leaf(x: Any, spec: Any, name: str, function: str) -> Any:
    """`x` as the input signature wants it; TypeError where it does not fit."""
    if not isinstance(spec, TensorSpec) or isinstance(x, TensorSpec):
        return x
    if not isinstance(x, (Tensor, np.ndarray, np.generic)) and not is_device_array(x):
        x = np.asarray(x)
        if not np.can_cast(x.dtype, spec.dtype, "same_kind"):
            raise TypeError(f"{function}: `{name}` must be {spec.type}, but {x.dtype} was given")
        x = x.astype(spec.dtype)
    # A spec says nothing of devices: each has a trace of its own.
    given = x.type.on(None) if isinstance(x, Tensor) else TensorType(x.dtype, x.shape)
    if not is_compatible(spec.type, given):
        raise TypeError(
            f"{function}: `{name}` must be {spec.type} by its input_signature, "
            f"but {given} was given; give it that form, or convert with another signature"
        )
    return x
