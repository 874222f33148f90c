"""`tf.saved_model`: functions in a file, which run without their source."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from typing import Any

import autograph as ag
from autograph.functions import BoundFunction, Function
from autograph.tf.names import serve
from autograph.tf.tensors import as_results, as_tensor
from autograph.tracing.concrete import ConcreteFunction
from runtime.structure import tree

__all__ = ["load", "save"]

_SUFFIX = ".agz"
_SERVING = "serving_default"
# What a loaded object is called as: the first of these that it has.
_FIRST = (_SERVING, "__call__", "serve")


def save(obj: Any, export_dir: str | os.PathLike[str], signatures: Any = None) -> None:
    """Save the functions of an object, with the variables that they read, in a folder.

    `obj` is a `tf.function`, or an object with some in its attributes and methods; each needs an
    `input_signature`, or a call before. A Keras model is saved for the inputs it was built for.
    Raises ValueError where there is nothing to be saved.

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
    functions = {**_told_by(obj), **{n: (f, f.input_signature) for n, f in _decorated(obj)}}
    if isinstance(signatures, Mapping):
        functions.update({name: (f, _signature_of(f)) for name, f in signatures.items()})
    elif signatures is not None:
        functions[_SERVING] = signatures, _signature_of(signatures)
    if not functions:
        raise ValueError(f"{obj!r} has no tf.function to be saved")
    os.makedirs(export_dir, exist_ok=True)
    for name, (function, specs) in functions.items():
        path = os.path.join(export_dir, f"{name}{_SUFFIX}")
        ag.save(function, path, None if specs is None else list(specs))


def _signature_of(function: Any) -> Any:
    if isinstance(function, ConcreteFunction):
        raise TypeError("save the tf.function itself: its graphs are saved with it")
    return function.input_signature


def _told_by(obj: Any) -> dict[str, tuple[Any, Any]]:
    """By name, the functions that an object says it is saved as, with their specs."""
    tell = getattr(obj, "__ag_endpoints__", None)
    return {} if tell is None else tell()


def _decorated(obj: Any) -> list[tuple[str, Any]]:
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

    def __init__(self, functions: dict[str, Any], path: str) -> None:
        vars(self).update(functions)
        self._path = path
        named = [functions[name] for name in _FIRST if name in functions]
        whole = named or list(functions.values())
        self._default = whole[0] if named or len(whole) == 1 else None
        if self._default is not None:
            functions = {_SERVING: self._default, **functions}
        self.signatures = {name: _by_name(function) for name, function in functions.items()}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._default is None:
            raise TypeError(
                f"{self._path} has several functions, and none that is called by itself: take one "
                f"by its name, `.signatures[...]`: {', '.join(self.signatures)}"
            )
        return self._default(*args, **kwargs)


def _by_name(function: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """A function whose results have names, as those of TensorFlow's signatures."""

    @functools.wraps(function)
    def signature(*args: Any, **kwargs: Any) -> dict[str, Any]:
        found = function(*args, **kwargs)
        if isinstance(found, dict):
            return found
        return {f"output_{k}": part for k, part in enumerate(tree.leaves(found))}

    return signature


def load(export_dir: str | os.PathLike[str]) -> Any:
    """The functions that `save` wrote in a folder, or `model.export` and `ag.save` in a file.

    They are attributes of an object, and in `signatures`, where results have names ("output_0").
    The object itself, and `signatures["serving_default"]`, is what was saved as such, the object's
    own call, or the only function. Raises FileNotFoundError for a folder without them; as `ag.load`
    for files that are damaged.
    """
    path = os.fspath(export_dir)
    if not os.path.isdir(path):
        return _Loaded(_of_file(ag.load(path)), path)
    names = [n for n in sorted(os.listdir(path)) if n.endswith(_SUFFIX)]
    if not names:
        is_of_tensorflow = os.path.exists(os.path.join(path, "saved_model.pb"))
        whose = ": what it holds only TensorFlow reads" if is_of_tensorflow else ""
        raise FileNotFoundError(f"{path} holds no function that tf.saved_model saved{whose}")
    paths = {n.removesuffix(_SUFFIX): os.path.join(path, n) for n in names}
    return _Loaded({name: _of_tensors(ag.load(one)) for name, one in paths.items()}, path)


def _of_file(program: ag.Program) -> dict[str, Any]:
    """The functions of one file: one for each name that the program takes first, if it does."""
    if len(program.signatures) == 1:
        return {program.name: _of_tensors(program)}
    if next(iter(program.function_spec.parameters)) != "endpoint":
        return {"__call__": _of_tensors(program)}
    return {name: _of_tensors(functools.partial(program, name)) for name in program.signatures}


def _tensors(argument: Any) -> Any:
    """An argument whose numbers are tensors; a list of numbers alone is one."""
    has_several = any(hasattr(leaf, "shape") for leaf in tree.leaves(argument))
    return tree.map_structure(as_tensor, argument) if has_several else as_tensor(argument)


def _of_tensors(program: Callable[..., Any]) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        return as_results(
            program(*map(_tensors, args), **{k: _tensors(v) for k, v in kwargs.items()})
        )

    return call


serve(globals())
