"""Functions of which modules are converted when converted code calls them: rules of the user.

Of Python's own library the containers that are written in Python are, as bases of the user's.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any, NamedTuple

__all__ = ["UNCONVERTED", "Rule", "add", "decision", "is_left_alone", "is_of_container",
           "is_of_left_module", "is_plain_python"]  # fmt: skip

# Of a function or class that is marked to be left alone.
UNCONVERTED = "__ag_do_not_convert__"
# To convert what conversion itself runs on would never end.
_OWN = frozenset({"autograph", "runtime"})


# What is written as a user writes it, to be converted.
_PLAIN_PYTHON = (
    "autograph.library.", "autograph.data.cursors", "autograph.data.orders", "autograph.data.rows",
    "autograph.data.stages", "autograph.data.dataset", "autograph.tf.data",
)  # fmt: skip


def is_plain_python(module: object) -> bool:
    """Whether a module of ours is plain Python that is converted as the user's is."""
    return str(module).startswith(_PLAIN_PYTHON)


class Rule(NamedTuple):
    """Functions of a module, and of the modules below it, are converted or left alone."""

    module: str
    convert: bool

    def covers(self, module: str) -> bool:
        """Whether the rule speaks about functions of `module`."""
        return module == self.module or module.startswith(f"{self.module}.")


_rules: tuple[Rule, ...] = ()

# What the rules in force say of each module that was asked about: tracing asks at every call.
_decisions: dict[str, bool | None] = {}


def add(rule: Rule) -> None:
    """Put a rule in force; of two rules for one module the later one holds."""
    global _rules, _decisions
    if not all(part.isidentifier() for part in rule.module.split(".")):
        raise ValueError(f"{rule.module!r} is not the name of a module")
    if rule.module.partition(".")[0] in _OWN:
        raise ValueError(f"there can be no rule for {rule.module}: conversion itself runs on it")
    others = [known for known in _rules if known.module != rule.module]
    # The rule of the innermost package comes first.
    _rules = tuple(sorted([*others, rule], key=lambda known: known.module, reverse=True))
    _decisions = {}


def decision(module: object) -> bool | None:
    """Whether a rule wants functions of the module converted; None where there is no rule."""
    if not _rules or not isinstance(module, str):
        return None
    known = _decisions
    if module not in known:
        known[module] = next((rule.convert for rule in _rules if rule.covers(module)), None)
    return known[module]


def is_left_alone(function: Any) -> bool:
    """Whether a mark or a rule leaves a function, class or object as it is."""
    try:
        found = object.__getattribute__(function, UNCONVERTED)
    except AttributeError:  # an object is not asked by its `__getattr__`
        found = getattr(type(function), UNCONVERTED, False)
    return bool(found) or decision(getattr(function, "__module__", None)) is False


def is_of_left_module(function: FunctionType) -> bool:
    """Whether a rule leaves the module of a function alone: what its objects hold is not guarded.

    An object of a library may hold a whole model, and makes parts of it in its first call.
    """
    return decision(function.__module__) is False


def is_of_container(function: FunctionType) -> bool:
    """Whether a function is a method of `UserDict`, `MutableSequence` and the like.

    They call the user's methods, and change what the user's objects hold. Those that are
    generators only read: as they are, Python knows how many items there are. A copy is made of all
    that an object has, whatever that is.
    """
    module = function.__globals__.get("__name__")
    owner = function.__qualname__.partition(".")[0]
    is_method = module == "_collections_abc" or (module == "collections" and owner in _IN_PYTHON)
    reads = inspect.isgeneratorfunction(function) or function.__name__ == "__copy__"
    return is_method and not reads


_IN_PYTHON = frozenset(("UserDict", "UserList", "UserString"))
