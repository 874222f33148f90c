"""Trees that functions which call themselves make and change, a node at a time."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, all_nodes, count_nodes, refuse

FEW = np.array([5.0, 2.0, 8.0, 1.0, 9.0, 3.0, 3.0])
OTHER = np.array([1.0, 2.0, 3.0, 4.0, 2.5, 7.0, 6.0])
MANY = np.array([(k * 17 % 23) * 1.0 for k in range(24)])
DOWN = np.arange(24.0)[::-1].copy()
samples = Samples()


class Node:
    def __init__(self, key, value):
        self.key = key
        self.value = value
        self.count = 1
        self.left = None
        self.right = None


def insert(node, key, value):
    if node is None:
        return Node(key, value)
    node.count += 1
    if key < node.key:
        node.left = insert(node.left, key, value)
    elif key > node.key:
        node.right = insert(node.right, key, value)
    else:
        node.value += value
    return node


def tree_of(keys):
    root = None
    for i, key in enumerate(keys):
        root = insert(root, key, i * 1.5)
    return root


def height(node):
    if node is None:
        return 0
    return 1 + max(height(node.left), height(node.right))


def smallest(node):
    return node if node.left is None else smallest(node.left)


@samples("E11", (FEW,), (OTHER,), joined=True)
def a_tree_of_few(keys):
    root = tree_of(keys)
    return root.count, height(root), smallest(root).value


@samples("E11", (MANY,), (DOWN,), (MANY[::-1].copy(),), joined=True)
def a_tree_of_many(keys):
    root = tree_of(keys)
    return root.count, height(root), smallest(root).value


def without_smallest(node):
    if node.left is None:
        return node.right
    node.left = without_smallest(node.left)
    return node


@samples("E11", (MANY,), (DOWN,), joined=True)
def the_fourth(keys):
    root = tree_of(keys)
    for _ in range(3):
        root = without_smallest(root)
    return smallest(root).key


def rotated(node):
    above = node.left
    node.left, above.right = above.right, node
    return above


def insert_by_rank(node, key, rank):
    if node is None:
        return Node(key, rank)
    if key < node.key:
        node.left = insert_by_rank(node.left, key, rank)
        if node.left.value > node.value:
            node = rotated(node)
    else:
        node.right = insert_by_rank(node.right, key, rank)
    return node


@samples("E11", (MANY,), (DOWN,), joined=True)
def a_tree_that_turns(keys):
    root = None
    for i, key in enumerate(keys):
        root = insert_by_rank(root, key, i * 7 % 5)
    return root.key, height(root), smallest(root).key


def raised(node, by):
    if node is None:
        return
    node.value += by
    raised(node.left, by * 0.5)
    raised(node.right, by + 1.0)


def values(root):
    found, left, node = [], [], root
    while node is not None or left:
        while node is not None:
            left.append(node)
            node = node.left
        node = left.pop()
        found.append(node.value)
        node = node.right
    return found


@samples("E11", (MANY, np.float64(2.0)), (DOWN, np.float64(-1.0)), joined=True)
def a_tree_written_throughout(keys, by):
    root = tree_of(keys)
    raised(root, by)
    return values(root)


class Part:
    def __init__(self, x, left=None, right=None):
        self.x = x
        self.left = left
        self.right = right


def halves(depth, x, limit):
    if depth == 0 or x > limit:
        return Part(x)
    return Part(x, halves(depth - 1, x * 0.5, limit), halves(depth - 1, x + 1, limit))


def total(part):
    if part is None:
        return 0.0
    return part.x + total(part.left) + total(part.right)


@samples("E11", (np.float64(0.3), 2.0, np.int64(6)), (np.float64(3.0), 2.0, np.int64(2)))
def two_calls_a_level(x, limit, depth):
    return total(halves(depth, x, limit))


@samples("E11", (np.float64(0.3), 2.0), (np.float64(3.0), 2.0))
def two_calls_a_level_of_a_known_depth(x, limit):
    return total(halves(10, x, limit))


def quarters(x, least):
    if x < least:
        return None
    parts = [quarters(x * k / 6, least) for k in range(4)]
    return {"x": x, "parts": parts}


class Cell:
    def __init__(self, value, rest):
        self.value = value
        self.rest = rest


def appended(cell, value):
    if cell is None:
        return Cell(value, None)
    cell.rest = appended(cell.rest, value)
    return cell


@samples("E11", (MANY, np.float64(8.0)), (DOWN, np.float64(30.0)), joined=True)
def two_chains(x, limit):
    small = large = None
    for v in x:
        if v > limit:
            large = appended(large, v)
        else:
            small = appended(small, v)
    total = 0.0
    while large is not None:
        total, large = total * 0.5 + large.value, large.rest
    return total, small is None


test_recursive_objects = samples.test()


def test_two_calls_a_level_have_derivatives():
    derivative = ag.grad(two_calls_a_level)(np.float64(0.3), 2.0, np.int64(6))
    step = 1e-6
    high, low = (two_calls_a_level(0.3 + by, 2.0, 6) for by in (step, -step))
    assert derivative == pytest.approx((high - low) / (2 * step))


def test_a_result_that_is_a_part_of_itself_is_refused_before_it_is_large():
    refuse(quarters, np.float64(2.0), np.float64(0.5), match="`quarters`, which calls itself")


def test_the_graph_grows_by_no_key():
    graph = ag.convert(a_tree_of_many).get_concrete_function(MANY).graph
    assert count_nodes(graph, "recursion") > 0
    assert count_nodes(graph, "while") > 0
    assert all_nodes(graph) < 2000


def test_what_would_be_traced_without_an_end_is_refused():
    def nested(n, pairs):
        return nested(n - 1, (pairs, n)) if n > 0 else pairs

    refuse(nested, MANY[1], (1.0, 2.0), match="`nested` calls itself .* was traced 30 times")
