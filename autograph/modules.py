"""`convert_functions`: all functions of a module at once."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any

from autograph.errors import ConversionError
from autograph.frontend import conversion
from autograph.functions import convert

__all__ = ["convert_functions"]


def convert_functions(module: ModuleType, **options: Any) -> dict[str, str]:
    """Convert the functions that a module defines, in their place; gives what was left, and why.

    Left are generators, coroutines, functions whose text cannot be found, and what is marked with
    `do_not_convert`; functions that the module has imported are not looked at. `options` are those
    of `convert`. Raises TypeError for what is no module, or an unknown option.

    >>> import autograph as ag
    >>> module = ag.convert_source('''
    ... def double(x):
    ...     return x * 2
    ...
    ... def count(n):
    ...     yield from range(n)
    ... ''')
    >>> left = ag.convert_functions(module)
    >>> list(left), module.double(2.0), list(module.count(2))
    (['count'], 4.0, [0, 1])
    """
    if not isinstance(module, ModuleType):
        raise TypeError(f"{module!r} is no module")
    convert(**options)  # whose options are looked at before anything is changed
    left = {}
    for name, thing in list(vars(module).items()):
        if isinstance(thing, FunctionType) and thing.__module__ == module.__name__:
            reason = conversion.left_alone(thing)
            try:
                if reason is None:
                    setattr(module, name, convert(thing, **options))
            except ConversionError as error:
                reason = str(error)
            if reason is not None:
                left[name] = reason
    return left
