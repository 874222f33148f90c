"""Exceptions that a graph catches: what stands for one while tracing."""

from __future__ import annotations

from typing import Any, NoReturn

from runtime import control
from runtime.building import building, traced
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["Caught", "PartOfError"]

_HINT = "print it, format it, raise it, or ask `isinstance`; keep numbers in variables instead"


class Caught(Exception):
    """An exception of one of the classes `kinds` that the graph caught; `value` is its value there.

    It is raised in its turn while a handler is traced, so that a bare `raise` finds it.
    """

    def __init__(self, value: Tensor, kinds: tuple[type[BaseException], ...]) -> None:
        super().__init__()
        self.value, self.kinds = value, kinds

    def is_a(self, kinds: Any) -> Any:
        """What `isinstance` says: a bool if that is known, else a traced one."""
        wanted = _flat(kinds)
        if all(issubclass(kind, wanted) for kind in self.kinds):
            return True
        builder = building()
        assert builder is not None
        value = builder.value_of(self.value)
        return traced(builder.emit(control.IS_ERROR, [value], {"kinds": wanted}).outputs[0])

    def part(self, name: str) -> Any:
        """The attribute of that name."""
        return PartOfError(self.value).part(name)


class PartOfError:
    """An exception that the graph caught, or a part of it: it can be printed and formatted."""

    __slots__ = ("value",)

    def __init__(self, value: Tensor) -> None:
        self.value = value

    def part(self, name: str) -> PartOfError:
        """The attribute of that name."""
        return self._read(name, None)

    def __getitem__(self, key: Any) -> PartOfError:
        if type(key) is not int:
            self._refuse()
        return self._read(None, key)

    def _read(self, name: str | None, key: int | None) -> PartOfError:
        builder = building()
        assert builder is not None
        attrs = {"name": name, "key": key}
        node = builder.emit(control.ERROR_PART, [builder.value_of(self.value)], attrs)
        return PartOfError(traced(node.outputs[0]))

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise StagingError(
            "a part of an exception that was caught is used, and that is known only when the "
            "graph runs",
            _HINT,
            origin=origin_of_caller(),
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        self._refuse()

    __call__ = __iter__ = __len__ = __bool__ = __contains__ = __index__ = __float__ = _refuse
    __int__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __abs__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _refuse
    __hash__ = object.__hash__


def _flat(kinds: Any) -> tuple[type, ...]:
    if isinstance(kinds, tuple):
        return tuple(kind for part in kinds for kind in _flat(part))
    return (kinds,)
