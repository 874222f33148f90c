"""Functions of compiled trees: what `load` compiled, in the place of the user's function.

It knows no tree: where converted code is kept, nothing else of the front end is imported.
"""

from __future__ import annotations

import types
from typing import Any

from autograph.generated import AG

__all__ = ["make_function"]


def make_function(
    code: types.CodeType, original: types.FunctionType, ag__: object
) -> types.FunctionType:
    """Makes the function that `compile_function` compiled, in the place of the original one.

    It shares globals, closure cells, defaults and annotations with the original.
    """
    cells = dict(zip(original.__code__.co_freevars, original.__closure__ or (), strict=True))
    cells[AG] = types.CellType(ag__)
    closure = tuple(cells[name] for name in code.co_freevars)
    make = types.FunctionType(code, original.__globals__, closure=closure)
    function: types.FunctionType = make()
    _dress(function, original)
    return function


def _dress(function: Any, original: types.FunctionType) -> None:
    function.__defaults__ = original.__defaults__
    function.__kwdefaults__ = original.__kwdefaults__
    function.__annotations__ = original.__annotations__
    function.__doc__ = original.__doc__
    function.__name__ = original.__name__
    function.__qualname__ = original.__qualname__
    function.__module__ = original.__module__
    function.__dict__.update(original.__dict__)
    if hasattr(original, "__type_params__"):  # from Python 3.12 on
        function.__type_params__ = original.__type_params__
