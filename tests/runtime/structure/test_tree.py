"""Nested structures."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, defaultdict, namedtuple

import pytest

from runtime.structure import tree
from runtime.structure.tree import LEAF, flatten, leaves, map_structure, structure_of, unflatten

Pair = namedtuple("Pair", "a b")


@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    x: object
    y: object = dataclasses.field(init=False)

    def __post_init__(self):
        raise AssertionError("not to be called")


class Attrs:
    """What an attrs class looks like."""

    __attrs_attrs__ = (Pair._field_defaults or type("A", (), {"name": "left"}),)

    def __init__(self, left):
        self.left = left


def _point(x, y):
    made = object.__new__(Point)
    object.__setattr__(made, "x", x)
    object.__setattr__(made, "y", y)
    return made


@pytest.mark.parametrize(
    "nest",
    [
        5,
        None,
        (),
        [1, (2, [3])],
        {"b": 1, "a": (2,)},
        OrderedDict(b=1, a=2),
        Pair(1, [2, None]),
        {"p": Pair(1, 2), "q": []},
    ],
)
def test_unflatten_is_the_inverse_of_flatten(nest):
    parts, structure = flatten(nest)
    again = unflatten(structure, parts)
    assert again == nest
    assert type(again) is type(nest)
    assert structure.size == len(parts)


def test_leaves_come_in_order_and_none_is_one():
    assert leaves({"z": [1, None], "a": (2, {"k": 3})}) == [1, None, 2, 3]
    assert structure_of(None) is LEAF


def test_dataclasses_are_made_without_their_init():
    point = _point(1, [2, 3])
    parts, structure = flatten(point)
    assert parts == [1, 2, 3]
    assert unflatten(structure, [4, 5, 6]) == _point(4, [5, 6])


def test_attrs_classes():
    parts, structure = flatten(Attrs((1, 2)))
    assert parts == [1, 2]
    assert unflatten(structure, [3, 4]).left == (3, 4)


def test_a_defaultdict_keeps_its_factory():
    nest = defaultdict(list, a=1)
    again = unflatten(*reversed(flatten(nest)))
    assert again == {"a": 1}
    assert again["new"] == []


def test_classes_and_strings_are_leaves():
    assert leaves([Point, "text", range(2)]) == [Point, "text", range(2)]


def test_structures_can_be_compared_and_hashed():
    assert structure_of([1, (2,)]) == structure_of([3, ("x",)])
    assert (
        len({structure_of([1]), structure_of((1,)), structure_of([2]), structure_of({0: 1})}) == 3
    )
    assert structure_of({"a": 1, "b": 2}) != structure_of({"b": 1, "a": 2})


def test_map_structure():
    assert map_structure(lambda x, y: x + y, {"a": [1, 2]}, {"a": [3, 4]}) == {"a": [4, 6]}
    with pytest.raises(ValueError, match="differ in structure"):
        map_structure(lambda x, y: x, [1], (1,))


def test_a_wrong_number_of_leaves_is_refused():
    with pytest.raises(ValueError, match="2 leaves, but 3"):
        unflatten(structure_of([1, 2]), [1, 2, 3])


class Held:
    """Sets attributes in a way of its own."""

    __attrs_attrs__ = (type("A", (), {"name": "x"}),)

    def __setattr__(self, name, value):
        raise AssertionError("not to be called")


@dataclasses.dataclass
class Plain:
    x: object
    y: object = 3

    def __post_init__(self):
        self.z = 0


@pytest.mark.parametrize("nest", [
    0, (), [], {}, (0,), [0, (0, [0])], {"a": 0, 1: [0], "'": (0,)}, {True: 0}, {1.0: 0}, Pair(0, [0]),
    Plain([0], (0,)), [Plain(0, Plain(0, 0))] * 2, OrderedDict(b=0, a=[0]), defaultdict(list, k=0),
    Attrs(0), [tuple(range(70))],
])  # fmt: skip
def test_what_builders_make_is_what_unflatten_makes(nest):
    parts, structure = flatten(nest)
    given = list(map(str, range(len(parts))))
    made = tree.builder(structure)(given)
    assert flatten(made) == (given, structure)
    assert flatten(tree.maker(structure)(*given)) == (given, structure)
    assert tree.maker(structure) is tree.maker(structure_of(nest))
    if given:
        with pytest.raises((TypeError, ValueError)):
            tree.maker(structure)(*given, "more")


@pytest.mark.parametrize("kind", [Point, Held])
def test_makers_call_no_method_of_the_class(kind):
    names = tree.field_names(kind)
    structure = tree.Structure(kind, names, (LEAF,) * len(names))
    made = tree.maker(structure)(*names)
    assert type(made) is kind and [getattr(made, name) for name in names] == list(names)


class Reversed(tree.Assembled):
    _fields = ("a", "b")

    @classmethod
    def assemble(cls, parts):
        return parts[::-1]


def test_builders_assemble_what_is_to_be_assembled():
    structure = tree.Structure(Reversed, Reversed._fields, (LEAF, LEAF))
    assert tree.builder(structure)([1, 2]) == tree.unflatten(structure, [1, 2]) == [2, 1]
