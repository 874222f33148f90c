"""Methods of classes that a function makes write what the function made, as the function does."""

from __future__ import annotations

import functools

import numpy as np

from tests.language.harness import Samples, refuse

F, I = np.float64, np.int64  # noqa: E741 - numbers of a kind
WAYS = ((F(2.0), I(1)), (F(0.5), I(2)), (F(-1.0), I(1)))
samples = Samples()


@samples("C1", *WAYS)
def methods(x, n):
    log, counts = [], {}

    class Box:
        def __init__(self, value):
            self.value = value

        def take(self):
            log.append(self.value)
            counts["taken"] = counts.get("taken", 0) + 1
            return self.value

        @property
        def twice(self):
            log.append(self.value + 10)
            return self.value * 2

        @functools.cached_property
        def once(self):
            log.append(self.value + 20)
            return self.value * 3

        @classmethod
        def made(cls, value):
            log.append(value + 30)
            return cls(value)

        @staticmethod
        def noted(value):
            log.append(value + 40)
            return value

    box = Box.made(x)
    total = box.take() + box.twice + box.once + box.once + Box.noted(x)
    if x > 1:
        total = total + Box(x + 1).take()
    for _ in range(n):
        total = total + box.twice
    return total, log, counts


@samples("C1", *WAYS)
def operators(x, n):
    log = []

    class Box:
        def __init__(self, value):
            self.value = value

        def __add__(self, other):
            log.append(self.value)
            return Box(self.value + other.value)

        def __eq__(self, other):
            log.append(self.value + 10)
            return self.value == other.value

        def __len__(self):
            log.append(self.value + 20)
            return 2

        def __call__(self, value):
            log.append(self.value + 30)
            return value

        def __lt__(self, other):
            log.append(self.value + 40)
            return self.value < other.value

    box = Box(x)
    total = (box + Box(F(1))).value + len(box)
    if box < Box(F(1)):
        total = total + box(x)
    if x > 1 and box == Box(F(2)):
        total = total + (box + box).value
    return total, log


@samples("C1", *WAYS)
def known_objects_are_sorted(x, n):
    log = []

    class Box:
        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            log.append(self.value)
            return self.value < other.value

    return x, [box.value for box in sorted([Box(3.0), Box(1.0), Box(2.0)])], log


test_class = samples.test()


def sorted_by_data(x):
    log = []

    class Box:
        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            log.append(self.value)
            return self.value < other.value

    items = [Box(3.0), Box(x), Box(1.0)]
    items.sort()
    return items[0].value


def in_a_branch(x):
    result = x
    if x > 0.2:
        result = sorted_by_data(x)
    return result


def test_what_it_does_in_a_branch_is_refused_after_some_traces():
    refuse(in_a_branch, F(2.0), match="how often sorting calls it")
