"""What may be None by data, in the body of a `try`: it is asked for and passed on as elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import check


class Link:
    def __init__(self, value, after=None):
        self.value, self.after = value, after


class Stack:
    def __init__(self):
        self.top = None

    def push(self, value):
        self.top = Link(value, self.top)

    def pop(self):
        if self.top is None:
            raise IndexError("pop from an empty stack")
        value = self.top.value
        self.top = self.top.after
        return value


def asked(x):
    head = Link(x) if x > 0 else None
    try:
        found = head
        result = -1.0 if found is None else found.value
    except Exception:
        result = -2.0
    return result


def attribute_of_none(x):
    head = Link(x) if x > 0 else None
    try:
        result = head.value
    except TypeError:
        result = -2.0
    except AttributeError as error:
        print(error)
        result = -1.0
    return result


def left_by_the_body(x):
    y = x if x > 0 else None
    try:
        z = y
        if x > 10:
            raise ValueError
    except ValueError:
        z = -1.0
    return z is None


def computed_with(x):
    y = x if x > 0 else None
    try:
        return y + 1.0
    except TypeError:
        return -1.0


def popped(x):
    stack = Stack()
    if x > 0:
        stack.push(x)
    try:
        result = stack.pop()
    except IndexError as error:
        print(error)
        result = -1.0
    return result, stack.top is None


@pytest.mark.parametrize("sample", [
    asked, attribute_of_none, left_by_the_body, computed_with, popped,
], ids=lambda f: f.__name__)  # fmt: skip
def test_none_in_the_body_is_what_it_is_elsewhere(sample):
    check(sample, (2.0,), (-1.0,), (11.0,), joined=True)


def off_the_end(xs, steps):
    head = None
    for x in xs:
        head = Link(x, head)
    total = 0.0
    for _ in range(steps):
        try:
            total += head.value
            head = head.after
        except AttributeError as error:
            print(error)
            total -= 1.0
    return total


def pops(xs):
    stack, found = Stack(), 0.0
    for x in xs:
        if x > 0:
            stack.push(x)
        else:
            try:
                found += stack.pop()
            except IndexError as error:
                print(error)
    return found, stack.top is None


def test_none_in_a_try_of_a_loop():
    xs = np.array([2.0, 3.0])
    check(off_the_end, (xs, np.int64(2)), (xs, np.int64(4)), (xs, np.int64(0)), joined=True)
    cases = [np.array(xs) for xs in ([2.0, 0.0, 0.0], [0.0, 0.0, 1.0], [4.0, 5.0, 0.0])]
    check(pops, *[(xs,) for xs in cases], joined=True)


def test_the_gradient_of_what_may_be_none_in_a_try():
    f = ag.convert(computed_with)
    assert ag.grad(f)(2.0) == 1.0 and ag.grad(f)(-2.0) == 0.0
