"""Letters of texts in a graph; see tests/language/test_letters.py."""

import numpy as np
import pytest

import autograph as ag


def letter(n, text, key):
    return (chr(n) + text)[key]


@pytest.mark.parametrize("key", [0, 2, -1, slice(1, 3), slice(None, None, -1), np.int8(-3)])
def test_parts_are_those_of_python(key):
    assert ag.convert(letter)(np.int64(97), "bc", key) == letter(97, "bc", key)


def test_what_is_no_letter_raises():
    f = ag.convert(lambda n: ord(chr(n) + "b"))
    with pytest.raises(TypeError, match=r"expected a character, but string of length 2 found"):
        f(np.int64(97))
    with pytest.raises(IndexError, match="string index out of range"):
        ag.convert(letter)(np.int64(97), "bc", np.int64(3))
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        ag.convert(lambda n: chr(n))(np.float64(97))
