"""Containers that a call finds: among its arguments by their paths, and lists outside."""

from operator import itemgetter

import pytest

from runtime.effects.given_containers import OutsideList, arguments_of, calling_with, container_at


def test_a_container_is_the_one_that_the_call_was_given():
    given = {("x",): [1], ("x", 0): [2]}
    assert arguments_of() is None
    assert container_at(("x",)) is None
    with calling_with(dict(given)):
        assert container_at(("x", 0)) is given["x", 0]
        with calling_with({}), pytest.raises(KeyError):
            container_at(("x", 0))
    assert arguments_of() is None


def test_a_list_outside_is_the_one_that_was_there_when_the_call_began():
    place = {"items": [1]}
    root = OutsideList(lambda: place["items"], itemgetter(0))
    first = place["items"]
    assert container_at((root,)) is first
    with calling_with({(root,): first}, {root: 1}):
        place["items"] = [2]
        assert container_at((root,)) is first
        assert arguments_of().columns == {root: 1}
    assert container_at((root,)) == [2]
    del place["items"]
    assert root() is None
