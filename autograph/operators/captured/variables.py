"""Names in converted code: reading them, and what stands for a name without a (known) value."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, NoReturn

from autograph.operators.captured.host_values import HostValue
from runtime import ops
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["CONDITIONAL", "RESULT", "Maybe", "Nullable", "Poison", "Standing", "Undefined",
           "UndefinedReturnValue", "in_words", "is_in_result", "is_none", "is_not_none",
           "is_undefined", "is_whole", "ld", "ld_free", "read_or_undefined", "there"]  # fmt: skip


class Standing:
    """Base of what stands in a name's place for what is read there."""

    __slots__ = ()

    def load(self) -> Any:
        """What is read."""
        raise NotImplementedError

    def is_(self, other: Any) -> Any:
        """`self is other`, of what is read."""
        return self is other


class _Unreadable(Standing):
    """What has no known value: any use of it is a use of the unbound name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def load(self) -> Any:
        """The value, where there is one; raises otherwise."""
        raise UnboundLocalError(
            f"cannot access local variable '{self.name}' where it is not associated with a value"
        )

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        self.load()
        raise StagingError(
            f"{_quoted(self.name)} has a value on some paths only, and is used where no graph can "
            "ask which path was taken",
            "bind it on every path, or ask `is None` and use it in the branch where it is there",
            origin=origin_of_caller(),
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        self._refuse()

    __call__ = __iter__ = __len__ = __bool__ = __getitem__ = __setitem__ = _refuse
    __contains__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __enter__ = __exit__ = __index__ = _refuse


class Undefined(_Unreadable):
    """Stands for a local name that has no value (yet, or after `del`)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


class UndefinedReturnValue:
    """Stands for the result of a function that has not returned."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<no return value>"


class Maybe(_Unreadable):
    """A name that a staged statement binds on some paths only.

    `defined` is a traced bool. Reading the name checks it when the graph runs, and raises
    UnboundLocalError there, as Python does.
    """

    __slots__ = ("check", "defined", "inner")

    def __init__(self, name: str, value: Any, defined: Tensor, check: Callable[..., None]) -> None:
        super().__init__(name)
        self.inner, self.defined, self.check = value, defined, check

    def load(self) -> Any:
        self.check(self.defined, self.name)
        return self.inner

    def __repr__(self) -> str:
        return f"<{self.name}: {self.inner!r}, bound on some paths only>"


class Nullable(_Unreadable):
    """A name that is None on some paths only.

    `present` is a traced bool. `is None` asks for it; any other use of the name checks it when the
    graph runs, and raises there. Of what it is where it is there the kind may depend on data: who
    hands it on takes `inner`, which is a `Poison` then, and who uses it takes `value`.
    """

    __slots__ = ("check", "inner", "present")
    # Arrays leave their operators to the methods below.
    __array_ufunc__ = None

    def __init__(self, name: str, value: Any, present: Tensor, check: Callable[..., None]) -> None:
        super().__init__(name)
        self.inner, self.present, self.check = value, present, check

    @property
    def value(self) -> Any:
        """What it is where it is there; a StagingError where its kind depends on data."""
        return self.inner.load() if isinstance(self.inner, Poison) else self.inner

    def load(self) -> Any:
        what = f"{_quoted(self.name)} is None on the path that was taken, and a graph holds no None"
        hint = "ask `is None` before it is used, or start from a number"
        self.check(self.present, self.name, TypeError(f"{what}: {hint}"))
        return self.value

    def with_attribute(self, name: str, use: Callable[..., Any], *value: Any) -> Any:
        """The value, for a `use` of an attribute by which None raises an AttributeError."""
        try:
            use(None, name, *value)
        except AttributeError as error:
            self.check(self.present, self.name, AttributeError(*error.args))
            return self.value
        return self.load()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return getattr(self.with_attribute(name, getattr), name)

    def __iter__(self) -> Any:
        return iter(self.load())

    def __len__(self) -> int:  # type: ignore[override]
        return len(self.load())

    def __eq__(self, other: object) -> Any:
        absent = ops.logical_not(self.present)
        if other is None:
            self._refuse_array_or_none()
            return absent
        if type(other) is Nullable:
            return ops.where(other.present, self == other.value, absent)
        same = self.value == other
        if isinstance(same, Tensor) and same.type.rank != 0:
            return self.load() == other  # None would not be compared element by element
        return ops.logical_and(self.present, same)

    def _refuse_array_or_none(self) -> None:
        """NumPy compares an array with None element by element, and None gives a bool."""
        if isinstance(self.value, Tensor) and self.value.type.rank != 0:
            raise StagingError(
                f"{_quoted(self.name)} is an array or None, depending on data, and it is compared "
                "with None by `==` or `!=`, which gives an array for an array",
                "ask `is None`",
                origin=origin_of_caller(),
            )

    def __ne__(self, other: object) -> Any:
        same = self == other
        return ops.logical_not(same) if same.type.rank == 0 else self.load() != other

    def __hash__(self) -> int:
        raise StagingError(
            f"{_quoted(self.name)}, which is None on some paths, is an item of a set or a key",
            "ask `is None` before it is put there",
            origin=origin_of_caller(),
        )

    def __repr__(self) -> str:
        return f"<{self.name}: {self.inner!r}, None on some paths>"


def in_words(name: str) -> str:
    """A name as messages give it: what a function gives back has one of ours."""
    found = _RESULT.match(name)
    if found is None:
        return name
    return f"`{name[found.end() :]}` of the result" if found.end() < len(name) else "the result"


# What the value of `a if c else b` is called, which has no name.
CONDITIONAL = "the value of the conditional expression"
# What the result of a function is called where it has no name in the generated code.
RESULT = "retval_"
_RESULT = re.compile(rf"{RESULT}(?:\d+)?")


def _quoted(name: str) -> str:
    words = in_words(name)
    return words if " " in words else f"`{words}`"


def _on_value(name: str) -> Callable[..., Any]:
    function = getattr(operator, f"__{name}__")

    def method(self: Nullable, *args: Any) -> Any:
        return function(self.load(), *args)

    return method


def _reflected_on_value(name: str) -> Callable[..., Any]:
    function = getattr(operator, f"__{name}__")

    def method(self: Nullable, other: Any) -> Any:
        return function(other, self.load())

    return method


# An expression that is None at times may be used where it stands, without a name.
for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    "lshift", "rshift",
):  # fmt: skip
    setattr(Nullable, f"__{_name}__", _on_value(_name))
    setattr(Nullable, f"__r{_name}__", _reflected_on_value(_name))
for _name in ("lt", "le", "gt", "ge", "neg", "pos", "invert", "getitem", "setitem"):
    setattr(Nullable, f"__{_name}__", _on_value(_name))


class Poison(_Unreadable):
    """A name whose kind depends on data: an error only where it is read."""

    __slots__ = ("hint", "what")

    def __init__(self, name: str, what: str, hint: str) -> None:
        super().__init__(name)
        self.what, self.hint = what, hint

    def load(self) -> Any:
        raise StagingError(self.what, self.hint, origin=origin_of_caller())

    def __repr__(self) -> str:
        return f"<{self.name}: its kind depends on data>"


class Tested(Poison):
    """What `and` or `or` gives where its kind depends on data, but not whether it is true."""

    __slots__ = ("truth",)

    def __init__(self, poison: Poison, truth: Any) -> None:
        super().__init__(poison.name, poison.what, poison.hint)
        self.truth = truth


class Asked:
    """What an `and` or `or` gives that stands in another one, which does not ask it once more."""

    __slots__ = ("truth", "value")

    def __init__(self, value: Any, truth: Any) -> None:
        self.value, self.truth = value, truth


def is_in_result(name: str) -> bool:
    """Whether a place is what a function gives back, or a part of it."""
    return _RESULT.match(name) is not None


def is_whole(name: str) -> bool:
    """Whether a place is a name, the value of an expression, or in a result: in no object."""
    return name.startswith(CONDITIONAL) or name.isidentifier() or is_in_result(name)


def there(x: Any, *, is_key: bool = False) -> Any:
    """What is used where None has no meaning: each part that may be None is checked.

    `x` is a value, a slice, or a tuple or list of such, as an index or an array is made of, for
    which a number of a class of its own is a number; not so for the key of a dict.
    """
    kind = type(x)
    if kind is Nullable:
        return x.load()
    if hasattr(kind, "in_numbers"):
        return x if is_key else x.in_numbers(weak=False)
    if kind is slice:
        bounds = [there(bound) for bound in (x.start, x.stop, x.step)]
        is_same = bounds[0] is x.start and bounds[1] is x.stop and bounds[2] is x.step
        return x if is_same else slice(*bounds)
    if kind is tuple or kind is list:
        parts = [there(part, is_key=is_key) for part in x]
        if any(a is not b for a, b in zip(parts, x, strict=True)):
            return kind(parts)
    return x


def ld(value: Any) -> Any:
    """Read a name: its value, or UnboundLocalError.

    Python meaning and graph meaning are the same, except that a name bound on some paths only is
    checked when the graph runs. What may be None stays so, until it is used.
    """
    while issubclass(type(value), Standing):  # isinstance would ask `value.__class__`
        found = value if type(value) is Nullable else value.load()
        if found is value:
            break
        value = found
    return value


def is_none(value: Any) -> Any:
    """`name is None`, of a name that is not read yet.

    Graph meaning: a traced bool where the name is None on some paths only.
    """
    if type(value) is Maybe:
        value = value.load()
    if type(value) is Nullable:
        return ops.logical_not(value.present)
    found = _known(value)
    return found.is_(None) if issubclass(type(found), Standing) else found is None


def is_not_none(value: Any) -> Any:
    """`name is not None`, of a name that is not read yet."""
    if type(value) is Maybe:
        value = value.load()
    if type(value) is Nullable:
        return value.present
    found = is_none(value)
    return ops.logical_not(found) if isinstance(found, Tensor) else not found


def _known(value: Any) -> Any:
    """The value of a name; refused for one of which only Python will know whether it is None."""
    value = ld(value)
    if isinstance(value, HostValue) and not value.is_other(None):
        value.refuse()
    return value


def ld_free(value: Any) -> Any:
    """Read a name of the function around: `ld`, but an unbound one is a NameError."""
    if type(value) is Undefined:
        raise NameError(
            f"cannot access free variable '{value.name}' where it is not associated with a value "
            "in enclosing scope"
        )
    return ld(value)


def is_undefined(value: Any) -> bool:
    """Whether a name has no value."""
    return type(value) is Undefined


def read_or_undefined(read: Callable[[], Any], name: str) -> Any:
    """The value that `read` gives, or the mark for an unbound name."""
    try:
        return read()
    except NameError:
        return Undefined(name)
