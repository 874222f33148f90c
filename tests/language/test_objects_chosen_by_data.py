"""Functions, classes, enum members, ranges and objects that data chooses between."""

import enum
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, count_nodes, graph_of, refuse

F = np.array([1.0, 3.0])
G = np.array([-1.0, 3.0])
I = np.int64  # noqa: E741
samples = Samples()


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Up:
    def __init__(self, step):
        self.step, self.calls = step, 0

    def go(self, x):
        self.calls += 1
        return x + self.step


class Down:
    def __init__(self, step):
        self.step, self.calls = step, 0

    def go(self, x):
        self.calls += 2
        return x - self.step


@dataclass
class Left:
    a: int


@dataclass
class Right:
    b: int


def up(x):
    return x + 1


def down(x):
    return x - 1


# ---- functions and classes ---------------------------------------------------------------------


@samples("E2", (F,), (G,), conds=2)
def functions_of_numpy(x):
    f = np.sin if x[0] > 0 else np.cos
    return f(x)


@samples("E2", (F,), (G,))
def the_users_own_functions(x):
    if x[0] > 0:
        step = up
    else:
        step = down
    for _ in range(3):
        x = step(x)
    return x


@samples("E2", (F, I(1)), (G, I(-1)))
def from_a_table(x, k):
    in_list = [np.sin, np.cos, np.tan, up]
    in_dict = {-1: np.sqrt, 1: lambda t: t * t, 2: down}
    return in_list[k](x), in_dict[k](x * x), {"a": np.min, "b": np.max}["a" if k > 0 else "b"](x)


@samples("E2", (F,), (G,))
def functions_that_are_closures(x):
    scale = x[1] * 2
    if x[0] > 0:
        k = x[0]
        f = lambda t: t * k  # noqa: E731
    else:

        def f(t):
            return t + scale

    return f(x), list(map(f, [1.0, 2.0])), sorted([3.0, 1.0], key=f)


@samples("E2", (F,), (G,))
def partials_and_methods(x):
    f = partial(np.power, 2.0) if x[0] > 0 else partial(np.multiply, 3.0)
    found = [1.0]
    put = found.append if x[0] > 0 else found.remove
    put(1.0)
    return f(x), len(found)


@samples("E2", (F,), (G,))
def one_or_none(x):
    f = None
    if x[0] > 0:
        f = np.exp
    if f is not None:
        return f(x)
    return x


@samples("E2", (F,), (G,))
def carried_by_a_loop(x):
    f, t, n = np.sin, x[0], 0
    while n < x[1]:
        t = f(t)
        f = np.cos if f is np.sin else np.tanh
        n += 1
    return t, f is np.tanh, f == np.cos, f != np.sin


# ---- enum members ------------------------------------------------------------------------------


@samples("E2", (np.array([3, 40, 1]),), (np.array([2, 5, 9]),))
def states_of_a_loop(x):
    n, state, total = x[0], Color.RED, 0
    while n < 300:
        if state is Color.RED:
            state = Color.GREEN if n % 2 else Color.RED
        elif state == Color.GREEN:
            state = Color.BLUE
        else:
            state = Color.RED
        total += state.value
        n = n * 2 + 1
    return total, state.name, state


@samples("E2", (F,), (G,))
def what_is_asked_of_a_member(x):
    c = Color.RED if x[0] > 0 else Color.GREEN
    print(c, c.name, f"{c!r:>20}", c.value)
    names = {Color.RED: "red", Color.GREEN: "green"}
    kinds = isinstance(c, Color), isinstance(c, int), bool(c)
    return names[c], c in (Color.RED, Color.BLUE), c != Color.GREEN, kinds, c is None


# ---- ranges and objects --------------------------------------------------------------------------


@samples("E2", (F,), (G,))
def ranges(x):
    r = range(3) if x[0] > 0 else range(5, 0, -2)
    total = 0
    for i in r:
        total = total * 10 + i
    return total, len(r), r[-1], 3 in r


@samples("E2", (F,), (np.array([-1.0, 2.0]),))
def objects_of_two_classes(x):
    a, b = Up(1.0), Down(x[1])
    o = a if x[0] > 0 else b
    y = o.go(x[0])
    if x[1] > 2:
        o.calls = 7
    return y, a.calls, b.calls, isinstance(o, Up), o is a, o is None


@samples("E2", (F, I(1)), (G, I(0)))
def objects_in_turn(x, k):
    things = [Up(1), Down(x[1])]
    total = 0.0
    for i in range(20):
        total = things[(i + k) % 2].go(total)
    return total, things[0].calls, things[1].calls


@samples("E2", (np.arange(5.0, 40),), (np.arange(40.0, 5, -1),))
def names_that_are_none_at_first(x):
    best, name, f, k = None, None, None, 0
    while k < len(x):
        if best is None or x[k] > best:
            best, name = x[k], "odd" if k % 2 else "even"
        elif x[k] % 7 == 0:
            f = np.cos if f is None else np.sin
        k += 2 if best > 20 else 1
    return best, name, name is None, name == "odd", 0.0 * best if f is None else f(best)


# ---- texts ---------------------------------------------------------------------------------------


@samples("E2", (np.array([3, 0, 1]),), (np.array([2, 1, -4]),))
def letters(x):
    out = ""
    for v in x:
        out += "ACGT"[v]
    return out, "abca"[x[0] - 4]


@samples("E2", (np.array([3, 0]),), (np.array([4, 1]),))
def a_letter_out_of_range(x):
    return "ACGT"[x[0]]


@samples("E2", (np.array([3.0, 0]),), traces=0)
def a_letter_at_a_float(x):
    return "ACGT"[x[0]]


@samples("E4", (np.array([3, 40, 1]),), (np.array([2, 5, 9]),))
def labels_of_a_loop(x):
    n, label, seen = x[0], "start", []
    while n < 30:
        label = "even" if n % 2 == 0 else "odd"
        seen.append(label)
        n = n * 2 + 1
    return label, seen, seen.count("odd"), "even" in seen, "start" in seen


@samples("E4", (np.arange(40.0),), (-np.arange(40.0),))
def tokens(x):
    found = []
    for v in x:
        if v % 3 == 0:
            found.append(("number", v))
        elif v % 3 == 1:
            found.append(("sign", -v))
    total = 0.0
    for kind, v in found:
        if kind == "number":
            total += v
        else:
            total -= v * 2
    return total, found[-1], len(found), [kind for kind, _ in found if kind != "sign"]


@samples("E2", (F,), (np.array([-1.0, 4.0]),), joined=True)
def a_key_that_data_chooses(x):
    prices = {"a": 1.0, "b": 2.0}
    key = "a" if x[0] > 0 else "b"
    prices[key] += x[1]
    return prices


class Circle:
    def __init__(self, r):
        self.r, self.seen = r, 0

    def area(self):
        return 3.0 * self.r**2

    def __lt__(self, other):
        return self.area() < other.area()


class Rectangle(Circle):
    def __init__(self, w, h):
        self.w, self.h, self.seen = w, h, 0

    def area(self):
        return self.w * self.h


class Waiting:
    def next(self, x):
        return Working() if x > 1 else self

    def cost(self):
        return 0.5


class Working:
    def next(self, x):
        return Waiting() if x < 1 else self

    def cost(self):
        return 2.0


@samples("E2", (1.0, 2.0, 3.0), (2.0, 1.0, 1.0), (0.5, 0.5, 4.5))
def of_several_classes(r, w, h):
    shapes = [Circle(r), Rectangle(w, h), Circle(0.5 * w)]
    shapes.sort()
    large = max(shapes)
    large.seen += 1
    best = shapes[0] if r > w else shapes[1]
    names = [type(s).__name__ for s in shapes], type(best).__name__, isinstance(large, Rectangle)
    state, cost = Waiting(), 0.0
    for x in (r, w, h):
        state = state.next(x)
        cost += state.cost()
    return names, [s.area() for s in shapes], [s.seen for s in shapes], cost


test_sample = samples.test()


# ---- graphs, gradients and refusals --------------------------------------------------------------


def test_a_gradient_goes_through_the_function_that_is_chosen():
    gradient = ag.grad(lambda x: (np.sin if x > 0 else np.square)(x))
    assert gradient(0.5) == np.cos(0.5)
    assert gradient(-0.5) == -1.0


def test_the_state_of_a_loop_is_a_number_in_it():
    f = ag.convert(states_of_a_loop)
    f(np.array([3, 40, 1]))
    assert count_nodes(graph_of(f), "while") == 1


def an_object_of_the_callers(x, a, b):
    return a if x[0] > 0 else b  # refused


def a_key_of_a_set(x):
    kind = Left if x[0] > 0 else Right
    return len({kind})  # refused


@pytest.mark.parametrize(
    ("sample", "arguments", "words"),
    [
        (an_object_of_the_callers, (F, Left(1), Right(1)), "which Left is in the result"),
        (a_key_of_a_set, (F,), "which type this is depends on data"),
    ],
)
def test_what_cannot_be_chosen_is_refused(sample, arguments, words):
    refuse(sample, *arguments, match=words)


# ---- classes with bases of the library's ---------------------------------------------------------

T = TypeVar("T")


class Shape(ABC):
    def __init__(self, name):
        self.name = name

    @abstractmethod
    def area(self): ...


class Disc(Shape):
    def __init__(self, radius):
        super().__init__("disc")
        self.radius = radius

    def area(self):
        return 3.0 * self.radius**2


class Box(Shape, Generic[T]):
    def __init__(self, side):
        super().__init__("box")
        self.side = side

    def area(self):
        return self.side * self.side


def largest_of_abstract_shapes(x):
    shapes = [Disc(x[0]), Box(x[1])]
    largest = max(shapes, key=lambda shape: shape.area())
    first = shapes[0] if x[0] > x[1] else shapes[1]
    grown = Disc(x[0])
    while grown.area() < 50:
        grown = Disc(grown.radius * 1.5)
    return largest.area(), largest.name, first.area(), grown.radius


def test_objects_of_abstract_classes_are_chosen_and_carried():
    check(largest_of_abstract_shapes, (np.array([1.0, 3.0]),), (np.array([2.5, 1.0]),))
