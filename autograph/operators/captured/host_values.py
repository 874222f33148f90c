"""What Python code that a graph calls will give: known only when the graph runs, and to Python."""

from __future__ import annotations

import io
import operator
from typing import Any, NoReturn

from autograph.operators.captured.captures import trace_at_hand
from autograph.operators.captured.caught import PartOfError
from runtime.building import building
from runtime.errors import HostCallError
from runtime.origins import origin_of_caller
from runtime.spec import ObjectType
from runtime.tensor import Tensor

__all__ = ["HostValue", "is_object"]

_HINT = (
    "declare its dtype and shape: `ag.py_call(function, ..., result=ag.TensorSpec(shape, dtype))`; "
    "or mark the function with @ag.do_not_convert if calling it once per trace is what you want"
)
# Of these, a value of the kind may be of a class below.
_OPEN = frozenset((io.IOBase,))


def is_object(x: Tensor) -> bool:
    """Whether `x` stands for an object that only Python knows, and for no array or number."""
    return x._value is not None and isinstance(x._value.type, ObjectType)


def _call(function: Any, *args: Any) -> Any:
    return trace_at_hand().context.call_value(function, args, {})


class HostValue(PartOfError):
    """What the call of `name` gives: it can be stored, given back, passed on, printed.

    `kind` is its class, where that is known; for a method of such a one `method` is its name, and
    `kind` the class that it belongs to.
    """

    __slots__ = ("kind", "method", "name")

    def __init__(
        self, value: Tensor, name: str, kind: type | None = None, method: str | None = None
    ) -> None:
        super().__init__(value)
        self.name, self.kind, self.method = name, kind, method

    def part(self, name: str) -> Any:
        """The attribute of that name, as it is now."""
        return trace_at_hand().context.look(self, name)

    def set_part(self, name: str, value: Any) -> None:
        """Set the attribute of that name."""
        _call(setattr, self, name, value)

    def class_(self) -> type:
        """Its class; an error where it may be a class of that one, or any other."""
        kind = self.kind
        if kind is None or self.method is not None or kind in _OPEN:
            self._refuse()
        assert kind is not None
        return kind

    def is_other(self, other: Any) -> bool:
        """Whether it is surely not another object; an error where it may be."""
        return type(other) is not HostValue and type(other) is not self.class_()

    def __bool__(self) -> bool:  # type: ignore[override]
        kind = self.class_()
        return self._refuse() if hasattr(kind, "__bool__") or hasattr(kind, "__len__") else True

    def __getitem__(self, key: Any) -> Any:
        return _call(operator.getitem, self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _call(operator.setitem, self, key, value)

    def __delitem__(self, key: Any) -> None:
        _call(operator.delitem, self, key)

    def __ag_call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return trace_at_hand().context.call_value(self, args, kwargs)

    def on_one_path(self, name: str) -> tuple[str, str]:
        """What is wrong where `name` is this on one path or in one round, and what to do."""
        return f"`{name}` is what `{self.name}` gives, on one path or in one round only", _HINT

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        error = HostCallError(
            f"what `{self.name}` gives is needed here, and it is known only when the graph runs",
            _HINT,
            origin=origin_of_caller(),
        )
        builder = building()
        error.staged = builder is None or bool(builder.root.graph.inputs)
        raise error

    def refuse(self) -> NoReturn:
        """Raise the error for a use that a graph has no meaning for."""
        self._refuse()

    __call__ = __iter__ = __len__ = __contains__ = __index__ = __float__ = _refuse
    __int__ = __complex__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __neg__ = __pos__ = __invert__ = __abs__ = __round__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = _refuse
    __rmatmul__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _refuse
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __divmod__ = __rdivmod__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _refuse
    __array__ = __array_ufunc__ = __array_function__ = __enter__ = __exit__ = _refuse
    __hash__ = _refuse
