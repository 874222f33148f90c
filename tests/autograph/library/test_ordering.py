"""Keys of comparisons as plain Python: they are ordered as those of `functools.cmp_to_key`."""

import functools
import operator

import pytest

from autograph.library.ordering import KEY_OF_COMPARISON, KeyWrapper, comparison_of


def by_size(a, b):
    return abs(a) - abs(b)


@pytest.mark.parametrize(
    "compare", [operator.lt, operator.gt, operator.le, operator.ge, operator.eq]
)
@pytest.mark.parametrize("pair", [(1, -2), (3, -3), (-2, 1), (0, 0)])
def test_they_are_compared_as_those_of_python(compare, pair):
    own, other = (KeyWrapper(by_size, x) for x in pair)
    assert compare(own, other) == compare(*map(functools.cmp_to_key(by_size), pair))
    assert own.obj == pair[0]
    with pytest.raises(TypeError, match="unhashable"):
        hash(own)


def test_the_function_is_found_in_what_python_makes():
    key = functools.cmp_to_key(by_size)
    assert type(key) is KEY_OF_COMPARISON and comparison_of(key) is by_size
