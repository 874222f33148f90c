"""Templates of what is in a list whose length depends on data."""

import numpy as np

from autograph.operators.results.item_templates import holds_nests, kept_as_rows, template_of
from autograph.operators.results.reconstruction import ItemPart
from autograph.operators.symbolic.containers import Ragged
from autograph.operators.symbolic.forms import Leaf, Static
from runtime.spec import TensorType
from runtime.structure import tree

NUMBER = Leaf(TensorType(np.dtype("f8"), ()))
VECTOR = Leaf(TensorType(np.dtype("f8"), (3,)))


def test_numbers_are_told_by_their_places():
    parts, structure = template_of(NUMBER)
    assert structure == tree.LEAF and [type(part) for part in parts] == [ItemPart]
    assert template_of(Static("text"))[0] == ["text"]


def test_what_is_shared_with_other_places():
    assert kept_as_rows(NUMBER) == "" and kept_as_rows(VECTOR) == "arrays"
    assert "lists" in kept_as_rows(Ragged(NUMBER))


def test_lists_and_dicts_are_nests():
    assert holds_nests(tree.structure_of([1])) and holds_nests(tree.structure_of((1, {"a": 2})))
    assert not holds_nests(tree.structure_of((1, (2, 3))))
