"""`tf.saved_model`: functions in a file, which run without their source."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import autograph as ag
from autograph.functions import BoundFunction, Function
from autograph.syntax.names import identifier
from autograph.tf.function import Function as TensorFunction
from autograph.tf.names import serve
from autograph.tf.tensors import as_results, as_tensor
from autograph.tracing.concrete import ConcreteFunction
from autograph.tracing.options import check_options
from runtime.structure import tree

__all__ = ["load", "save"]

_SUFFIX = ".agz"
_SERVING = "serving_default"
# The one file that is written in a folder. Earlier releases wrote one for each function.
_JOINT = "saved_model"
# What a loaded object is called as: the first of these that it has.
_FIRST = (_SERVING, "__call__", "serve")


def save(obj: Any, export_dir: str | os.PathLike[str], signatures: Any = None) -> None:
    """Save the functions of an object, with the variables that they read, in a folder.

    `obj` is a `tf.function`, or an object with some in its attributes and methods: those are saved
    that have an `input_signature`, or were called, and those in `signatures`. A Keras model is
    saved for the inputs it was built for. The folder's `saved_model.agz` is written anew, and no
    other file is touched. Raises ValueError where there is nothing to be saved.

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
    wanted = signatures if isinstance(signatures, Mapping) else {_SERVING: signatures}
    asked = {name: f for name, f in wanted.items() if f is not None}
    functions |= {name: (f, _signature_of(f)) for name, f in asked.items()}
    if not functions:
        raise ValueError(f"{obj!r} has no tf.function to be saved")
    calls = {name: _calls(name, *one) for name, one in functions.items()}
    # A function that only others call needs no graph of its own.
    needed = asked or (() if any(calls.values()) else functions)
    for name in needed:
        if not calls[name]:
            raise ValueError(
                f"{functions[name][0]!r} has no graph to save: call it, or give it an "
                "`input_signature`"
            )
    saved = {name: functions[name][0] for name, known in calls.items() if known}
    if len(saved) > 1:
        function, known = _joined(saved, calls)
    else:
        ((name, function),) = saved.items()
        known = calls[name]
    os.makedirs(export_dir, exist_ok=True)
    ag.save(function, os.path.join(export_dir, f"{_JOINT}{_SUFFIX}"), known)


def _joined(
    functions: Mapping[str, Any], calls: Mapping[str, dict[str, dict[str, Any]]]
) -> tuple[Any, dict[str, dict[str, Any]]]:
    """Functions as one, which takes the name of one first, and its signatures.

    So they share their Variables in the file. Its parameters are those of all, `x_of_train`.
    """
    kinds = {name: inspect.signature(function) for name, function in functions.items()}
    whole = [
        inspect.Parameter(_whole(p.name, name), p.POSITIONAL_OR_KEYWORD, default=_default(p))
        for name, kind in kinds.items()
        for p in kind.parameters.values()
    ]
    places = {p.name: k for k, p in enumerate(whole)}
    signatures = {
        title: {"endpoint": name, **{_whole(p, name): x for p, x in given.items()}}
        for name, own in calls.items()
        for title, given in own.items()
    }

    @ag.do_not_convert
    def arranged(name: str, given: Sequence[Any]) -> Any:
        own = {p: given[places[_whole(p, name)]] for p in kinds[name].parameters}
        return inspect.BoundArguments(kinds[name], OrderedDict(own))

    def endpoints(endpoint: str, *given: Any) -> Any:
        call = arranged(endpoint, given)
        return functions[endpoint](*call.args, **call.kwargs)

    first = inspect.Parameter("endpoint", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    endpoints.__name__ = _JOINT
    endpoints.__signature__ = inspect.Signature([first, *whole])  # type: ignore[attr-defined]
    # As in a tf.function, a Python number is a constant of its own graph.
    return TensorFunction(endpoints, check_options({})), signatures


def _whole(parameter: str, name: str) -> str:
    return f"{parameter}_of_{identifier(name)}"


# By its default, a parameter that takes what is left over.
_REST: dict[Any, Any] = {inspect.Parameter.VAR_POSITIONAL: (), inspect.Parameter.VAR_KEYWORD: {}}


def _default(parameter: inspect.Parameter) -> Any:
    missing = None if parameter.default is parameter.empty else parameter.default
    return _REST.get(parameter.kind, missing)


def _calls(name: str, function: Any, specs: Any) -> dict[str, dict[str, Any]]:
    """By title, the arguments by parameter for which a function is saved under a name.

    They are those that it declares, or else those of its graphs, of which it may have none.
    """
    found: list[tuple[Sequence[Any], Mapping[str, Any]]] = [(specs, {})]
    if specs is None:
        is_bound = isinstance(function, BoundFunction)
        known = [t.structured_input_signature for t in function.traces() if not t.broken_guards()]
        found = [(args[is_bound:], kwargs) for args, kwargs in known]
    bind = inspect.signature(function).bind
    titles = (name if number == 1 else f"{name} {number}" for number in itertools.count(1))
    return {
        title: dict(bind(*args, **kwargs).arguments)
        for title, (args, kwargs) in zip(titles, found, strict=False)
    }


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
    if _JOINT in paths:
        program = ag.load(paths[_JOINT])
        return _Loaded(_of_file(program, next(iter(program.signatures))), path)
    return _Loaded({name: _of_tensors(ag.load(one)) for name, one in paths.items()}, path)


def _of_file(program: ag.Program, name: str | None = None) -> dict[str, Any]:
    """The functions of one file: one for each name that the program takes first, if it does."""
    known = [dict(s.arguments.constants()).get("endpoint") for s in program._signatures]
    if next(iter(program.function_spec.parameters), "") == "endpoint" and all(
        s.name == one or s.name.removeprefix(f"{one} ").isdigit()
        for one, s in zip(known, program._signatures, strict=True)
    ):
        return {one: _of_tensors(program, _arrange(program, one)) for one in map(str, known)}
    told = name or (program.name if len(known) == 1 else "__call__")
    return {told: _of_tensors(program)}


def _arrange(program: ag.Program, name: str) -> Callable[..., Any]:
    """How arguments of one of the functions that a program is become those of the program."""
    tail = _whole("", name)
    own: list[inspect.Parameter] = []
    for p in program.function_spec.parameters.values():
        if p.name.endswith(tail):
            rest = next((kind for kind, x in _REST.items() if x == p.default), None)
            is_behind = bool(own) and own[-1].kind in (p.VAR_POSITIONAL, p.KEYWORD_ONLY)
            kind = p.KEYWORD_ONLY if is_behind else p.kind
            default = p.empty if rest is not None else p.default
            parameter = p.replace(kind=kind if rest is None else rest, default=default)
            own.append(parameter.replace(name=p.name.removesuffix(tail)))
    if not own:
        return lambda *args, **kwargs: ((name, *args), kwargs)
    signature = inspect.Signature(own)

    def arrange(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        return (name,), {f"{parameter}{tail}": x for parameter, x in given.items()}

    return arrange


def _as_given(*args: Any, **kwargs: Any) -> Any:
    return args, kwargs


def _tensors(argument: Any) -> Any:
    """An argument whose numbers are tensors; a list of numbers alone is one."""
    has_several = any(hasattr(leaf, "shape") for leaf in tree.leaves(argument))
    return tree.map_structure(as_tensor, argument) if has_several else as_tensor(argument)


def _of_tensors(program: ag.Program, arrange: Callable[..., Any] = _as_given) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        given, named = arrange(*args, **kwargs)
        try:
            program.check(*given, **named)
        except TypeError:  # numbers that stand for tensors
            given, named = arrange(
                *map(_tensors, args), **{k: _tensors(v) for k, v in kwargs.items()}
            )
        return as_results(program(*given, **named))

    return call


serve(globals())
