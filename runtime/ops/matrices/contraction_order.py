"""In which order the operands of a sum of products are multiplied, two at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

__all__ = ["contraction_order", "kept_letters"]

# All orders of so many operands are compared: of 6 there are 945. Of more, the next pair is chosen
# that leaves the least.
_COMPARED = 6


def contraction_order(
    terms: Sequence[str], result: str, sizes: Mapping[str, int]
) -> list[tuple[int, int]]:
    """Pairs of places in a list of terms: both are taken out, and their product is its new end.

    Each has the letters of both that `result` or another term has.

    >>> contraction_order(["ij", "jk", "k"], "i", dict.fromkeys("ijk", 9))
    [(1, 2), (0, 1)]
    """
    if len(terms) < 2:
        return []
    if len(terms) <= _COMPARED:
        return _cheapest(list(terms), result, sizes)[1]
    pairs: list[tuple[int, int]] = []
    left = list(terms)
    while len(left) > 1:
        pair = min(combinations(range(len(left)), 2), key=lambda p: _growth(left, p, result, sizes))
        pairs.append(pair)
        left = _after(left, pair, result)
    return pairs


def kept_letters(terms: Sequence[str], pair: tuple[int, int], result: str) -> str:
    """Letters of two terms that the result or another term has: first those of both."""
    one, other = (terms[k] for k in pair)
    wanted = set(result).union(*(t for k, t in enumerate(terms) if k not in pair))
    shared = [c for c in one if c in other]
    own = [c for c in one if c not in other] + [c for c in other if c not in one]
    return "".join(c for c in shared + own if c in wanted)


def _after(terms: Sequence[str], pair: tuple[int, int], result: str) -> list[str]:
    rest = [t for k, t in enumerate(terms) if k not in pair]
    return [*rest, kept_letters(terms, pair, result)]


def _size(letters: str | set[str], sizes: Mapping[str, int]) -> int:
    return math.prod(sizes[c] for c in letters)


def _growth(
    terms: Sequence[str], pair: tuple[int, int], result: str, sizes: Mapping[str, int]
) -> tuple[int, int]:
    """How much larger the product is than both together, and how many products it takes."""
    one, other = (terms[k] for k in pair)
    made = _size(kept_letters(terms, pair, result), sizes)
    return made - _size(one, sizes) - _size(other, sizes), _size({*one, *other}, sizes)


def _cheapest(
    terms: list[str], result: str, sizes: Mapping[str, int], limit: float = math.inf
) -> tuple[float, list[tuple[int, int]]]:
    """The least number of products, and the pairs; infinitely many if that reaches `limit`."""
    best: tuple[float, list[tuple[int, int]]] = (math.inf, [])
    for pair in combinations(range(len(terms)), 2):
        cost: float = _size({*terms[pair[0]], *terms[pair[1]]}, sizes)
        if cost >= min(limit, best[0]):
            continue
        rest: list[tuple[int, int]] = []
        if len(terms) > 2:
            left = min(limit, best[0]) - cost
            more, rest = _cheapest(_after(terms, pair, result), result, sizes, left)
            cost += more
        if cost < min(limit, best[0]):
            best = cost, [pair, *rest]
    return best
