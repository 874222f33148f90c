"""Methods that give the text of an object, called as such: `super().__repr__()`, `x.__str__()`.

Code that is not converted would put into the text what stands for values that are known only when
the graph runs. There it is called with the object as it is then.
"""

from __future__ import annotations

from types import (
    BuiltinMethodType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any

from autograph.operators.captured.methods import ORIGINALS, convert
from autograph.operators.values.printing import format_, repr_, str_
from autograph.operators.values.templates import is_late, lazy, python_type_of
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor

__all__ = ["text_by_method"]

_NAMES = frozenset(("__repr__", "__str__", "__format__"))


def text_by_method(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The text that such a method gives; None where calling it is all that there is to it."""
    if type(function).__flags__ & MADE_BY_CLASS_STATEMENT:
        return None  # an object of the user's, whose `__getattr__` is not to be asked
    if getattr(function, "__name__", None) not in _NAMES or kwargs:
        return None
    method, owner, rest = _unbound(function, args)
    if method is None or (rest and type(rest[0]) is not str):
        return None
    name = function.__name__
    if isinstance(owner, Tensor):
        of_class = getattr(method, "__objclass__", None)
        if of_class is None or of_class is python_type_of(owner):
            return {"__repr__": repr_, "__str__": str_, "__format__": format_}[name](owner, *rest)
        return None
    original = ORIGINALS.get(method, method)
    if isinstance(original, FunctionType) and (twin := convert(original)) is not None:
        return twin(owner, *rest)
    if method is object.__str__:
        return repr_(owner)
    if method is object.__format__ and rest == ("",):
        return str_(owner)
    if not is_late(owner) or method is object.__repr__ or rest:
        return None
    return lazy(((owner, original, None),))


def _unbound(function: Any, args: tuple[Any, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
    """The function of a class behind a method, the object that it is called for, and the rest."""
    if isinstance(function, MethodType):
        return function.__func__, function.__self__, args
    if isinstance(function, MethodWrapperType):
        return vars(function.__objclass__)[function.__name__], function.__self__, args
    if isinstance(function, FunctionType | WrapperDescriptorType | MethodDescriptorType) and args:
        return function, args[0], args[1:]
    owner = getattr(function, "__self__", None)
    if not isinstance(function, BuiltinMethodType) or function.__name__ != "__format__":
        return None, owner, args
    # Such a method does not tell its class, which is one of Python's.
    found = (vars(cls).get("__format__") for cls in type(owner).__mro__)
    return next(f for f in found if isinstance(f, MethodDescriptorType)), owner, args
