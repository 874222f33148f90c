"""What stands for objects of which only the graph knows how many there are: nodes that data makes.

A trace that came to no end, and in which a staged body made objects of the user's classes, is begun
anew with a heap for each of these classes. All objects of the class that the call makes are then in
lists, one for each attribute, and what names, attributes and lists hold is a reference: a named
tuple of the number of the object. So what holds of tuples and of lists that grow by data holds of
objects, too: they may be None, be carried, compared by `is`, and made in any number. See
`heap_objects` for what is done with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MemberDescriptorType
from typing import Any, NamedTuple, NoReturn

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.methods import attribute
from autograph.operators.captured.variables import Nullable
from runtime import ops
from runtime.building import origin_of_caller
from runtime.errors import StagingError
from runtime.tensor import Tensor

__all__ = ["Heap", "Plan", "Reference", "Retired", "There", "generates_equality", "has_slots",
           "heap_of", "is_same_reference", "number_of", "own_class", "raise_refused",
           "reference_to", "refuse_as_sequence", "refuse_compared", "refuse_reference",
           "refuse_retired"]  # fmt: skip


class Reference(tuple):  # type: ignore[type-arg]
    """Base of the references to the objects of one class: tuples of the number of an object."""

    __slots__ = ()
    _fields = ("0",)
    # The class that the user made.
    stands_for: type[Any]


def number_of(thing: Reference) -> Any:
    """The number of the object that a reference stands for."""
    return tuple.__getitem__(thing, 0)


class There(NamedTuple):
    """The name of the list that says of each object whether it has an attribute."""

    name: str


class Plan(NamedTuple):
    """What a trace is told of a heap: the class, that of its references, and the attributes.

    Those that some of the objects do not have, at times, have a list that says so beside them.
    `path` leads to a list of the caller's, whose items are the first objects.
    """

    cls: type
    reference: type
    names: tuple[str | There, ...]
    path: tuple[Any, ...] | None = None


class Heap:
    """The objects of one class that a call makes: a list for each attribute, in its order."""

    __slots__ = ("columns", "plan")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.columns: dict[str | There, list[Any]] = {name: [] for name in plan.names}

    @property
    def cls(self) -> type:
        """The class that the user made."""
        return self.plan.cls

    @property
    def first(self) -> list[Any]:
        """One of the lists, which are of one length."""
        return next(iter(self.columns.values()))


def _seen_plainly(thing: Reference, name: str, *value: Any) -> NoReturn:
    """Plain Python asks for an attribute while tracing, which only the graph knows."""
    if name.startswith("__"):
        raise AttributeError(name)
    raise_refused(thing.stands_for, "looked at by plain Python, which runs while tracing")


def reference_to(cls: type) -> type:
    """A class of references to objects of a class: it has the methods of these."""
    own = {
        "stands_for": cls,
        "__slots__": (),
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__eq__": tuple.__eq__,
        "__ne__": tuple.__ne__,
        "__hash__": vars(tuple)["__hash__"] if attribute(cls, "__hash__") else None,
        "__array_ufunc__": None,  # arrays leave operators to the objects
        "__getattr__": _seen_plainly,
        "__setattr__": _seen_plainly,
        # Objects have no operators, items or length, where their class has none.
        **dict.fromkeys(("__add__", "__mul__", "__rmul__"), None),
        **{name: getattr(object, name) for name in ("__lt__", "__le__", "__gt__", "__ge__")},
    }
    if not has_slots(cls):
        made: type = type(cls)(cls.__name__, (cls, Reference), own)
        return made
    # Python has no class of slots and of tuples, so that it is made of what the bases hold.
    held: dict[str, Any] = {}
    for base in reversed(cls.__mro__[:-1]):
        held |= {name: x for name, x in vars(base).items() if not _is_of_layout(name, x)}
    return type(cls.__name__, (Reference,), held | own)


def _is_of_layout(name: str, x: Any) -> bool:
    return isinstance(x, MemberDescriptorType) or name in ("__dict__", "__weakref__", "__slots__")


def has_slots(cls: type) -> bool:
    return any(vars(base).get("__slots__") for base in cls.__mro__[:-1])


def generates_equality(cls: type) -> bool:
    parameters = vars(cls).get("__dataclass_params__")
    return parameters is not None and parameters.eq


def refuse_compared(*things: Any) -> None:
    """Refuse to compare objects whose class says what they are equal to."""
    for x in things:
        x = x.value if type(x) is Nullable else x
        if isinstance(x, Reference) and any(map(generates_equality, x.stands_for.__mro__[:-1])):
            raise_refused(x.stands_for, "compared by its `__eq__`")


def refuse_as_sequence(x: Any, text: str) -> None:
    """Raise the TypeError of Python for an object that has no items; the text has its class."""
    if isinstance(x, Reference):
        raise TypeError(text.format(x.stands_for.__name__))


def heap_of(cls: Any) -> Heap | None:
    """The heap of a class, or of a class of references, in the trace that is under way."""
    trace = current_trace()
    if trace is None or not trace.attempt.heaps:
        return None
    found: Heap | None = trace.attempt.heaps.get(own_class(cls))
    return found


def own_class(cls: Any) -> Any:
    """The user's class for a class of references; any other one as it is."""
    is_reference = isinstance(cls, type) and issubclass(cls, Reference) and cls is not Reference
    return cls.stands_for if is_reference else cls


class Retired:
    """Base of the classes of objects that went to a heap: nobody may use them any more."""

    __slots__ = ()


def refuse_retired(*things: Any) -> None:
    """Refuse a use of an object that its `__init__` has kept before it went to a heap."""
    for x in things:
        if isinstance(x, Retired):
            cls = type(x).__mro__[1]
            raise_refused(cls, "kept as `self` by its `__init__`")


def is_same_reference(left: Any, right: Any) -> Any:
    """`left is right`, of which at least one is a reference."""
    if type(left) is not type(right):
        return False
    numbers = number_of(left), number_of(right)
    is_open = any(isinstance(x, Tensor) for x in numbers)
    return ops.equal(*numbers) if is_open else numbers[0] == numbers[1]


def refuse_reference(things: Iterable[Any], what: str) -> None:
    """Refuse a use of objects for which nothing can stand."""
    for x in things:
        x = x.value if type(x) is Nullable else x
        if isinstance(x, Reference):
            raise_refused(x.stands_for, what)


def raise_refused(cls: type, what: str) -> NoReturn:
    """Raise the error for a use of an object on a heap."""
    raise StagingError(
        f"data decides how many objects of {cls.__name__} there are, and one is {what}",
        "use its attributes",
        origin=origin_of_caller(),
    )
