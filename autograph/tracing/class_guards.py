"""What a trace takes for granted about classes: what they have under the names that it asked for.

Methods, properties and other descriptors are compared by identity: another one is traced again.
What else is in a class is data, guarded where it is read. An object must be of its class again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autograph.operators.captured.captures import Trace
from autograph.operators.captured.guards import Guard, Place, weak
from autograph.operators.captured.methods import looked_up
from runtime.execute.native.classes import Version
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT

__all__ = ["ClassGuard", "KindGuard", "MethodGuard", "class_guards"]

_DATA = object()


class ClassGuard(Guard):
    """Under some names, a class must have the very methods and descriptors again, or data.

    Among them are those of all special methods, which Python itself looks up. And it must have the
    same bases.
    """

    __slots__ = ("bases", "held", "kind", "special", "version")
    is_of_code = True

    def __init__(self, kind: type, names: Iterable[str]) -> None:
        super().__init__(Place(kind.__qualname__, lambda: None), None, by_value=False)
        self.kind = weak(kind)
        self.version = Version(kind)
        self.version.renew()
        self.bases = tuple(map(weak, kind.__mro__[1:]))
        self.special = _special_names(kind)
        self.held = {name: _Held(kind, name) for name in {*names, *self.special}}

    def holds(self) -> bool:
        """Whether nothing that was asked for has changed; usually, nothing has at all."""
        if self.version.is_current():
            return True
        self.version.renew()
        if not self._changed():
            return True
        self.version.forget()
        return False

    def _changed(self) -> list[str]:
        kind = self.kind()
        if kind is None:
            return []
        changed = [name for name, held in self.held.items() if not held.is_in(kind, name)]
        if tuple(base() for base in self.bases) != kind.__mro__[1:]:
            changed.append("__bases__")
        return [*changed, *(_special_names(kind) - self.special)]

    def explain(self) -> str:
        """What changed, in words."""
        return ", ".join(f"{self.place.name}.{name}: changed" for name in self._changed())


def _special_names(kind: type) -> frozenset[str]:
    own = (vars(cls) for cls in kind.__mro__ if cls.__flags__ & MADE_BY_CLASS_STATEMENT)
    return frozenset(name for names in own for name in names if name[:2] == name[-2:] == "__")


class _Held:
    """What a class has under a name: a descriptor, held weakly where that can be, or data."""

    __slots__ = ("_reference",)

    def __init__(self, kind: type, name: str) -> None:
        found = _descriptor(kind, name)
        self._reference: Callable[[], Any] | None = None if found is _DATA else weak(found)

    def is_in(self, kind: type, name: str) -> bool:
        found = _descriptor(kind, name)
        return found is (_DATA if self._reference is None else self._reference())


def _descriptor(kind: type, name: str) -> Any:
    found = looked_up(kind, name)
    return found if hasattr(type(found), "__get__") else _DATA


class KindGuard(Guard):
    """An object must be of the same class again."""

    __slots__ = ("thing", "version")
    is_of_code = True

    def __init__(self, thing: Callable[[], Any], of: ClassGuard) -> None:
        place = Place(f"the class of a {of.place.name}", lambda: type(thing()))
        super().__init__(place, of.kind, by_value=False)
        self.thing, self.version = thing, of.version

    def holds(self) -> bool:
        """Whether it is; of what died nothing is asked."""
        thing = self.thing()
        return thing is None or type(thing) is self.expected()

    def explain(self) -> str:
        """What changed, in words."""
        return f"{self.place.name}: {type(self.thing()).__qualname__} now"


class MethodGuard(Guard):
    """An object must hold nothing itself under the name of a method of its class."""

    __slots__ = ("thing", "version")
    is_of_code = True

    def __init__(self, thing: Callable[[], Any], name: str, of: ClassGuard) -> None:
        super().__init__(Place(f"{of.place.name}.{name}", lambda: None), name, by_value=False)
        self.thing, self.version = thing, of.version

    def holds(self) -> bool:
        """Whether it does not; of what died nothing is asked."""
        return self.expected not in getattr(self.thing(), "__dict__", ())

    def explain(self) -> str:
        """What changed, in words."""
        return f"{self.place.name}: set on the object now"


def class_guards(trace: Trace) -> list[Guard]:
    """What a trace that has ended takes for granted about classes, and objects of them."""
    kinds = {kind: ClassGuard(kind, names) for kind, names in trace.code.classes.items()}
    guards: list[Guard] = list(kinds.values())
    for thing in trace.outside.met.values():
        of = kinds.get(type(thing()))
        if of is not None:
            guards.append(KindGuard(weak(thing()), of))
    for thing, name in trace.outside.methods.values():
        of = kinds.get(type(thing()))
        if of is not None and name not in getattr(thing(), "__dict__", ()):
            guards.append(MethodGuard(weak(thing()), name, of))
    return guards
