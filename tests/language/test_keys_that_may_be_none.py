"""What may be None, looked for in containers and asked of dicts: None is as good a key as another."""

from collections import deque

import numpy as np
import pytest

from tests.language.harness import check, refuse

# None is looked for, a number that is there, and one that is not.
CASES = tuple((np.array(x),) for x in ([2.0, 0.0, 1.0], [0.0, 3.0, 2.0], [0.0, 2.5, 3.0]))


class Node:
    def __init__(self, v):
        self.v = v


class Bag:
    def __init__(self):
        self.asked = 0

    def __contains__(self, x):
        self.asked += 1
        return x is not None and x > 2.8


def number(x):
    return x[1] if x[1] > 2 else None


def word(x):
    return "k" if x[1] > 2.8 else None


def in_dicts_and_sets(x):
    b, counts = number(x), {}
    for v in x:
        counts[v] = 1
    known = {1.0: 2, None: 3, 3.0: 1}
    return b in known, b in {1.0: 2, 3.0: 1}, b not in {1.0, 3.0}, b in counts, b in set(x), x * 2


def in_what_is_gone_through(x):
    b, queue = number(x), deque([1.0, 3.0])
    if x[0] > 1:
        queue.append(None)
    return b in queue, b in deque([None]), b in (v for v in [1.0, 3.0, None]), b in x, x * 2


def in_ranges_and_objects(x):
    b, bag = number(x), Bag()
    return b in bag, b in range(5), bag.asked, x * 2


def in_lists_that_data_exchanges(x):
    b = None
    p, q, s = [], [], 0.0
    for v in x:
        if v > 1:
            q.reverse()
        else:
            s += int(b in p)
            if s <= 3:
                p, q = q, p
                b = Node(v * 2)
    return s, x * 2


def at_the_keys_of_dicts(x):
    b, d, e = word(x), {"k": 2, None: 3}, {"k": 5}
    d[b] += 1
    if x[0] > 1:
        d, e = e, d
    return d.get(b, 4), e.get(b, 7), x * 2


def at_a_key_that_is_caught(x):
    b, d = word(x), {"k": 1}
    try:
        return d[b], x * 2
    except KeyError as error:
        return str(error), x * 2


def in_text(x):
    b = word(x)
    try:
        return b in "skip", x * 2
    except TypeError as error:
        return str(error), x * 2


@pytest.mark.parametrize(
    "f",
    [in_dicts_and_sets, in_what_is_gone_through, in_ranges_and_objects,
     in_lists_that_data_exchanges, at_the_keys_of_dicts, at_a_key_that_is_caught, in_text],
)  # fmt: skip
def test_what_may_be_none_is_a_key_as_in_python(f):
    check(f, *CASES, joined=True, tensors=False)


def in_a_set_beside_another(x):
    b = word(x)
    return len({b, "k"}), x * 2  # refused


def in_a_frozenset(x):
    b = word(x)
    return len(frozenset([b, "k"])), x * 2  # refused


def within_a_tuple(x):
    b = word(x)
    return len({(b, 1), ("k", 1)}), x * 2  # refused


@pytest.mark.parametrize("f", [in_a_set_beside_another, in_a_frozenset, within_a_tuple])
def test_a_set_of_what_may_be_none_is_refused(f):
    """How many items it has depends on whether it is there."""
    refuse(f, CASES[1][0], match="None on some paths, is an item of a set or a key")


def added_to_a_set(x):
    b, s = word(x), {"k", "m"}
    s.add(b)  # refused
    return len(s), x * 2


def test_a_set_that_gets_what_may_be_none_is_refused():
    refuse(added_to_a_set, CASES[1][0], match="a set that is changed in place")
