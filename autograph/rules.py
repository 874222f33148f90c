"""Rules of the user: functions of which modules are converted when converted code calls them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Rule", "add", "decision"]

# To convert what conversion itself runs on would never end.
_OWN = frozenset({"autograph", "runtime"})


class Rule(NamedTuple):
    """Functions of a module, and of the modules below it, are converted or left alone."""

    module: str
    convert: bool

    def covers(self, module: str) -> bool:
        """Whether the rule speaks about functions of `module`."""
        return module == self.module or module.startswith(f"{self.module}.")


_rules: tuple[Rule, ...] = ()


def add(rule: Rule) -> None:
    """Put a rule in force; of two rules for one module the later one holds."""
    global _rules
    if not all(part.isidentifier() for part in rule.module.split(".")):
        raise ValueError(f"{rule.module!r} is not the name of a module")
    if rule.module.partition(".")[0] in _OWN:
        raise ValueError(f"there can be no rule for {rule.module}: conversion itself runs on it")
    others = [known for known in _rules if known.module != rule.module]
    # The rule of the innermost package comes first.
    _rules = tuple(sorted([*others, rule], key=lambda known: known.module, reverse=True))


def decision(module: object) -> bool | None:
    """Whether a rule wants functions of the module converted; None where there is no rule."""
    if not _rules or not isinstance(module, str):
        return None
    return next((rule.convert for rule in _rules if rule.covers(module)), None)
