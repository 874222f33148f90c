"""`tf.saved_model`: functions in a file, which run without their source."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import autograph as ag
from autograph.concrete import ConcreteFunction
from autograph.functions import BoundFunction, Function
from autograph.tf.names import serve
from autograph.tf.tensors import as_results, as_tensor

__all__ = ["load", "save"]

_SUFFIX = ".agz"


def save(obj: Any, export_dir: str | os.PathLike[str], signatures: Any = None) -> None:
    """Save the functions of an object, with the variables that they read, in a folder.

    `obj` is a `tf.function`, or an object with some in its attributes and methods; each needs an
    `input_signature`, or a call before. Raises ValueError where there is none.

    >>> import tempfile
    >>> import autograph.tf as tf
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = tf.Variable(3.0)
    ...
    ...     @tf.function(input_signature=[tf.TensorSpec([None])])
    ...     def __call__(self, x):
    ...         return x * self.factor
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.saved_model.save(Scale(), folder)
    ...     loaded = tf.saved_model.load(folder)
    >>> loaded(tf.constant([1.0, 2.0])).numpy()
    array([3., 6.], dtype=float32)
    """
    functions = dict(_functions(obj))
    if isinstance(signatures, Mapping):
        functions.update(signatures)
    elif signatures is not None:
        functions["serving_default"] = signatures
    if not functions:
        raise ValueError(f"{obj!r} has no tf.function to be saved")
    os.makedirs(export_dir, exist_ok=True)
    for name, function in functions.items():
        _save(function, os.path.join(export_dir, f"{name}{_SUFFIX}"))


def _save(function: Any, path: str) -> None:
    if isinstance(function, ConcreteFunction):
        raise TypeError("save the tf.function itself: its graphs are saved with it")
    specs = function.input_signature
    ag.save(function, path, None if specs is None else list(specs))


def _functions(obj: Any) -> list[tuple[str, Any]]:
    """The functions of an object by name: attributes, and methods of its class."""
    if isinstance(obj, (Function, BoundFunction)):
        return [("__call__", obj)]
    names = {*vars(obj), *(n for kind in type(obj).__mro__ for n in vars(kind))}
    found = []
    for name in sorted(names):
        part = vars(obj).get(name)
        if part is None:
            static = next((vars(k)[name] for k in type(obj).__mro__ if name in vars(k)), None)
            part = getattr(obj, name) if isinstance(static, Function) else None
        if isinstance(part, (Function, BoundFunction)):
            found.append((name, part))
    return found


class _Loaded:
    """What `load` gives: the functions as attributes, the object itself callable."""

    def __init__(self, functions: dict[str, Any]) -> None:
        vars(self).update(functions)
        self.signatures = dict(functions)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.signatures["__call__"](*args, **kwargs)


def load(export_dir: str | os.PathLike[str]) -> Any:
    """The functions that `save` wrote, as attributes of an object.

    Raises FileNotFoundError for a folder without them; as `ag.load` for files that are damaged.
    """
    names = [n for n in sorted(os.listdir(export_dir)) if n.endswith(_SUFFIX)]
    if not names:
        raise FileNotFoundError(
            f"{os.fspath(export_dir)} holds no function that tf.saved_model saved"
        )
    paths = {n.removesuffix(_SUFFIX): os.path.join(export_dir, n) for n in names}
    return _Loaded({name: _of_tensors(ag.load(path)) for name, path in paths.items()})


def _of_tensors(program: ag.Program) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        tensors = [as_tensor(a) for a in args], {k: as_tensor(v) for k, v in kwargs.items()}
        return as_results(program(*tensors[0], **tensors[1]))

    return call


serve(globals())
