"""Loops that walk along objects to a `None`: linked lists, search trees, decision trees."""

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check

RNG = np.random.default_rng(5)
CASES = [(RNG.permutation(6) * 1.0, float(x)) for x in (3.0, 0.0, 5.0, 2.5, -1.0, 9.0)]
samples = Samples()


class Item:
    """An item of a linked list."""

    def __init__(self, value, next_):
        self.value, self.next = value, next_


class Linked:
    """A linked list."""

    def __init__(self, values):
        self.head, self.size = None, 0
        for k in range(len(values)):
            self.head = Item(values[len(values) - 1 - k], self.head)
            self.size += 1

    def index(self, x):
        current, k = self.head, 0
        while current is not None:
            if current.value == x:
                return k
            current = current.next
            k += 1
        return -1

    def remove(self, x):
        before, current = None, self.head
        while current is not None:
            if current.value == x:
                if before is None:
                    self.head = current.next
                else:
                    before.next = current.next
                self.size -= 1
                return True
            before = current
            current = current.next
        return False

    def insert(self, x):
        item = Item(x, None)
        if self.head is None or self.head.value >= x:
            item.next = self.head
            self.head = item
        else:
            current = self.head
            while current.next is not None and current.next.value < x:
                current = current.next
            item.next = current.next
            current.next = item
        self.size += 1

    def values(self):
        found, current = [], self.head
        while current is not None:
            found.append(current.value)
            current = current.next
        return found


class Node:
    """A node of a search tree, or of a decision tree."""

    def __init__(self, key, left=None, right=None):
        self.key, self.left, self.right = key, left, right


def tree(keys):
    """A search tree of depth 3, whatever the order of the keys."""
    a, b, c, d, e, f = (keys[int(k)] for k in np.arange(6))
    return Node(a, Node(b, Node(c), None), Node(d, Node(e), Node(f)))


SORTED = [(np.array([3.0, 1.0, 0.0, 5.0, 4.0, 6.0]) * s, x * s)
          for s in (1.0, 2.0) for x in (4.0, 0.5, 6.0, 7.0, -1.0)]  # fmt: skip


@samples("E2", *CASES, whiles=1)
def index_in_a_linked_list(values, x):
    return Linked(values).index(x)


@samples("E2", *CASES, joined=True)
def sum_up_to_a_limit(values, x):
    total, current = 0.0, Linked(values).head
    while current and total < x:
        total += current.value
        current = current.next
    return total


@samples("E2", *CASES)
def removed_from_a_linked_list(values, x):
    items = Linked(values)
    found = items.remove(x)
    return found, items.size, items.index(4.0)


@samples("E2", *CASES)
def inserted_into_a_linked_list(values, x):
    items = Linked(np.arange(4) * 2.0)
    items.insert(x + values[0])
    return items.size, items.values()


@samples("E2", *CASES, joined=True)
def the_greatest_below(values, x):
    best, current = None, Linked(values).head
    while current is not None:
        if current.value < x and (best is None or current.value > best.value):
            best = current
        current = current.next
    return best.value if best is not None else -1.0


@samples("E2", *SORTED, whiles=1)
def is_in_a_search_tree(keys, x):
    node = tree(keys)
    while node is not None:
        if x == node.key:
            return True
        node = node.left if x < node.key else node.right
    return False


@samples("E2", *SORTED)
def floor_in_a_search_tree(keys, x):
    node, best, depth = tree(keys), None, 0
    while node:
        depth += 1
        if node.key <= x:
            best = node.key
            node = node.right
        else:
            node = node.left
    return best, depth


@samples("E2", *SORTED)
def predicted_by_a_decision_tree(keys, x):
    node = tree(keys)
    while node.left is not None:
        if node.right is None or x <= node.key:
            node = node.left
        else:
            node = node.right
    return node.key * x


@samples("E9", *SORTED)
def past_the_last_one(keys, x):
    node = tree(keys)
    while node.key < x:
        node = node.right
    return node.key


@samples("E9", *SORTED, joined=True)
def written_past_the_last_one(keys, x):
    root = node = tree(keys)
    while node is not None and node.key < x:
        node = node.right
    node.key = x * 2
    return root.key, root.right.key


@samples("E9", *SORTED, joined=True)
def asked_for_an_attribute(keys, x):
    node = tree(keys)
    while node is not None and node.key < x:
        node = node.right
    return getattr(node, "key", -3.0), hasattr(node, "key"), hasattr(node, "__class__")


test_the_nodes_are_those_that_python_reaches = samples.test()


@pytest.mark.parametrize(("keys", "x"), SORTED)
def test_gradients_are_those_of_the_node_that_is_reached(keys, x):
    found = ag.grad(ag.convert(predicted_by_a_decision_tree), argnums=(0, 1))(keys, x)
    steps = 1e-6 * np.eye(6)
    plain = predicted_by_a_decision_tree
    expected = [(plain(keys + s, x) - plain(keys - s, x)) / 2e-6 for s in steps]
    np.testing.assert_allclose(found[0], expected, atol=1e-6)
    np.testing.assert_allclose(found[1], plain(keys, x) / x)


def test_the_callers_objects_are_walked_and_written():
    def bump(items, x):
        current = items.head
        while current is not None and current.value < x:
            current = current.next
        if current is not None:
            current.value += x

    check(bump, *((Linked([1.0, 3.0, 5.0]), x) for x in (2.0, 9.0)))
