"""Converted source: to read it, to have a converted function of it, to make it from text."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from autograph.frontend import conversion
from autograph.functions import BoundFunction, Function
from autograph.generated import Options
from autograph.status import Feature, check_features
from autograph.syntax.parse import parse_module
from runtime.process.recursion_limit import of_any_depth

__all__ = ["convert_source", "to_code", "to_graph"]

_numbers = itertools.count(1)


def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: Feature | Iterable[Feature] | None = Feature.ALL,
) -> str:
    """The converted function as the text of a Python module that can be imported and run.

    Raises ConversionError, with the user's file and line, when it cannot be converted.

    >>> import autograph as ag
    >>> print(ag.to_code(lambda x: x if x > 0 else -x).splitlines()[0])
    import autograph.operators as ag__
    """
    check_features(experimental_optional_features)
    return conversion.converted_source(_python_function(entity), Options(recursive=recursive))


def to_graph(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: Feature | Iterable[Feature] | None = Feature.ALL,
) -> Callable[..., Any]:
    """The converted function itself, without tracing: on plain values it is plain Python.

    Its attribute `__ag_source__` is what `to_code` gives.

    >>> import autograph as ag
    >>> def double(x):
    ...     return x * 2
    >>> ag.to_graph(double)(4)
    8
    """
    check_features(experimental_optional_features)
    function, options = _python_function(entity), Options(recursive=recursive)
    converted = conversion.convert_function(function, options)
    vars(converted)["__ag_source__"] = conversion.converted_source(function, options)
    return converted


def _python_function(entity: Any) -> Any:
    if isinstance(entity, (Function, BoundFunction)):
        entity = entity.python_function
    function, _ = conversion.underlying_function(getattr(entity, "__func__", entity))
    if function is None:
        raise TypeError(f"{entity!r} is not a Python function, method or callable object")
    return function


def convert_source(text: str, name: str | None = None) -> ModuleType:
    """A module made of Python source, its functions ready to be converted.

    For code that has no file: what `exec` or a plain prompt would define. The text is kept where
    tracebacks and `inspect.getsource` find it.

    Raises SyntaxError, with the line, for text that is not Python.

    >>> import autograph as ag
    >>> module = ag.convert_source("def f(x):\\n    return x if x > 0 else -x\\n")
    >>> ag.convert(module.f)(-2.0)
    2.0
    """
    filename = f"<autograph source {next(_numbers)}>"
    of_any_depth(parse_module)(text, filename)
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    module = ModuleType(name or filename)
    module.__file__ = filename
    exec(compile(text, filename, "exec", dont_inherit=True), module.__dict__)
    return module
