"""Exceptions that a graph catches: what stands for one while tracing."""

from __future__ import annotations

from typing import Any, NoReturn

from runtime import ops
from runtime.building import current_builder, traced
from runtime.effects import control
from runtime.errors import StagingError
from runtime.graph.ir import Op
from runtime.origins import origin_of_caller
from runtime.structure.templates import LazyString
from runtime.tensor import Tensor

__all__ = ["Caught", "KindOfError", "PartOfError"]

_HINT = "print it, format it, raise it, or ask `isinstance`; keep numbers in variables instead"


class Caught(Exception):
    """An exception of one of the classes `kinds` that the graph caught; `value` is its value there.

    It is raised in its turn while a handler is traced, so that a bare `raise` finds it. `told` is
    what those hold that the body raises itself, and `others` are the classes that other clauses
    take; `made` has the exceptions that were made again of what they hold.
    """

    def __init__(
        self,
        value: Tensor,
        kinds: tuple[type[BaseException], ...],
        told: tuple[Any, ...] = (),
        others: tuple[type[BaseException], ...] = (),
    ) -> None:
        super().__init__()
        self.value, self.kinds, self.told, self.others = value, kinds, told, others
        self.made: dict[Any, BaseException] = {}

    def may_be(self, kind: type[BaseException]) -> bool:
        """Whether an exception of that class may have come here."""
        return issubclass(kind, self.kinds) and not issubclass(kind, self.others)

    def is_a(self, kinds: Any) -> Any:
        """What `isinstance` says: a bool if that is known, else a traced one."""
        wanted = _flat(kinds)
        if all(issubclass(kind, wanted) for kind in self.kinds):
            return True
        return self._asked(control.IS_ERROR, wanted)

    def is_one_of(self, kinds: Any) -> Any:
        """Whether its class is one of some classes itself: a bool if that is known, else traced."""
        wanted = tuple(kind for kind in _flat(kinds) if self._may_be(kind))
        return self._asked(control.IS_OF_CLASS, wanted) if wanted else False

    def _may_be(self, kind: Any) -> bool:
        return isinstance(kind, type) and issubclass(kind, self.kinds)

    def _asked(self, op: Op, kinds: tuple[Any, ...]) -> Any:
        builder = current_builder()
        value = builder.value_of(self.value)
        return traced(builder.emit(op, [value], {"kinds": kinds}).outputs[0])

    def kind(self) -> KindOfError:
        """Its class."""
        return KindOfError(self)

    def traceback(self) -> LatePart:
        """Its traceback."""
        return LatePart(self.value, "__traceback__")

    def part(self, name: str) -> Any:
        """The attribute of that name."""
        if name == "__class__":
            return self.kind()
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
        builder = current_builder()
        attrs = {"name": name, "key": key}
        node = builder.emit(control.ERROR_PART, [builder.value_of(self.value)], attrs)
        return PartOfError(traced(node.outputs[0]))

    def class_(self) -> type:
        """Its class."""
        self._refuse()

    def refuse(self) -> NoReturn:
        """Raise the error for a use that needs to know what it is."""
        self._refuse()

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


class LatePart(PartOfError):
    """A part that an exception always has, read where it is used."""

    __slots__ = ("_error", "_name")

    def __init__(self, error: Tensor, name: str) -> None:
        self._error, self._name = error, name

    @property
    def value(self) -> Tensor:  # type: ignore[override]
        return PartOfError(self._error).part(self._name).value

    def __bool__(self) -> bool:  # type: ignore[override]
        return True


class KindOfError(LatePart):
    """The class of an exception that the graph caught."""

    __slots__ = ("_caught",)

    def __init__(self, caught: Caught) -> None:
        super().__init__(caught.value, "__class__")
        self._caught = caught

    def part(self, name: str) -> Any:
        """The attribute of that name; its name is text."""
        found = super().part(name)
        return LazyString(((found, -1, None),)) if name in _TEXTS else found

    def is_subclass(self, kinds: Any) -> Any:
        """What `issubclass` says: a bool if that is known, else a traced one."""
        return self._caught.is_a(kinds)

    def is_one_of(self, kinds: Any) -> Any:
        """Whether it is one of some classes itself."""
        return self._caught.is_one_of(kinds)

    def __eq__(self, other: object) -> Any:
        return self.is_one_of(other)

    def __ne__(self, other: object) -> Any:
        found = self.is_one_of(other)
        return ops.logical_not(found) if isinstance(found, Tensor) else not found

    __hash__ = object.__hash__


_TEXTS = ("__name__", "__qualname__")


def _flat(kinds: Any) -> tuple[type, ...]:
    if isinstance(kinds, tuple):
        return tuple(kind for part in kinds for kind in _flat(part))
    return (kinds,)
