"""Static types of the names and expressions of random programs."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Kind:
    """A Python number, a NumPy scalar, or with a `length` a one-dimensional array."""

    name: str
    length: int = 0

    @property
    def is_array(self) -> bool:
        """Whether values of this kind are arrays."""
        return self.length > 0

    @property
    def is_float(self) -> bool:
        """Whether values of this kind are floating-point numbers."""
        return self.name in ("float", "f8")

    @property
    def scalar(self) -> Kind:
        """Kind of an element."""
        return Kind(self.name)

    def literal(self, number: int) -> str:
        """A positive constant that keeps the kind of what it meets."""
        return f"{number}.0" if self.is_float else str(number)


@dataclass(frozen=True)
class Shape:
    """A list, tuple, dict, object or matrix whose content is known; `fields` by their access."""

    form: str
    fields: tuple[tuple[str, Kind | Shape], ...]

    @property
    def item(self) -> Kind | Shape | None:
        """What each field holds, if all hold the same."""
        kinds = {kind for _, kind in self.fields}
        return kinds.pop() if len(kinds) == 1 else None

    def places(self, of: str) -> Iterator[tuple[str, Kind | Shape]]:
        """Texts of all the places in the container that is called `of`."""
        for access, kind in self.fields:
            yield of + access, kind
            if isinstance(kind, Shape):
                yield from kind.places(of + access)


def sequence(form: str, *items: Kind | Shape) -> Shape:
    """Shape of a list, tuple or matrix."""
    return Shape(form, tuple((f"[{k}]", item) for k, item in enumerate(items)))


INT, FLOAT, I8, F8 = Kind("int"), Kind("float"), Kind("i8"), Kind("f8")
SCALARS = (INT, FLOAT, I8, F8)
_SAMPLES = {INT: 3, FLOAT: 1.5, I8: np.int64(3), F8: np.float64(1.5)}


def kind_of(value: object) -> Kind:
    """Kind of a number."""
    return next(kind for kind, sample in _SAMPLES.items() if type(sample) is type(value))


def _pairs() -> dict[Kind, list[tuple[Kind, Kind]]]:
    found: dict[Kind, list[tuple[Kind, Kind]]] = {kind: [] for kind in SCALARS}
    for a, b in itertools.product(SCALARS, repeat=2):
        found[kind_of(operator.mul(_SAMPLES[a], _SAMPLES[b]))].append((a, b))
    return found


PAIRS = _pairs()
"""For each kind of number, the kinds of operands whose sum and product have it."""

BELOW = {
    INT: (INT,),
    FLOAT: (INT, FLOAT),
    I8: (INT, I8),
    F8: (INT, FLOAT, I8, F8),
}
"""For each kind of number, the kinds that join with it to itself."""
