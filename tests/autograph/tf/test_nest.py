"""`tf.nest`."""

import pytest

import autograph.tf as tf


def test_nests_go_by_sorted_keys():
    nest = {"b": [1, 2], "a": (3,)}
    assert tf.nest.flatten(nest) == [3, 1, 2]
    assert tf.nest.map_structure(lambda x: x * 2, nest) == {"b": [2, 4], "a": (6,)}
    with pytest.raises(ValueError, match="structure"):
        tf.nest.assert_same_structure((1, 2), (1, (2,)))


def test_a_nest_is_packed_in_the_order_in_which_it_is_flattened():
    nest = {"b": [0, 0], "a": (0,)}
    packed = tf.nest.pack_sequence_as(nest, [1, 2, 3])
    assert packed == {"b": [2, 3], "a": (1,)} and tf.nest.flatten(packed) == [1, 2, 3]
    with pytest.raises(ValueError, match="2 leaves are given for a nest of 3"):
        tf.nest.pack_sequence_as(nest, [1, 2])


def test_structures_are_compared_by_types_and_keys():
    tf.nest.assert_same_structure({"a": 1, "b": 2}, {"b": 3, "a": 4})
    tf.nest.assert_same_structure([1, 2], (1, 2), check_types=False)
    for one, other in [([1], (1,)), ({"a": 1}, {"b": 1}), (1, [1]), ([1], [1, 2])]:
        with pytest.raises(ValueError, match="differ in structure"):
            tf.nest.assert_same_structure(one, other)


def test_containers_are_nested_and_leaves_are_not():
    assert tf.nest.is_nested(()) and tf.nest.is_nested({"a": 1})
    assert not tf.nest.is_nested(tf.constant([1])) and not tf.nest.is_nested("text")
