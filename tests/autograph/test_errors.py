"""Messages say where, what and what to do."""

import pickle

import pytest

from autograph.errors import AutographError, ConversionError, Location, UnsupportedSyntaxError

PLACE = Location("train.py", 14, "step", "\twhile é:", column=7, end_column=8)


def test_a_message_has_four_parts_in_order():
    error = ConversionError("`x` is a str.", location=PLACE, advice="Rename it.")
    assert str(error).split("\n") == [
        "train.py:14, in `step`: `x` is a str.",
        "    14 | \twhile é:",
        "       | \t      ^",
        "Rename it.",
    ]


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (None, "what\nadvice"),
        (Location("a.py", 1), "a.py:1: what\nadvice"),
        (Location("a.py", 1, text="x = 1"), "a.py:1: what\n     1 | x = 1\nadvice"),
    ],
)
def test_unknown_parts_are_left_out(place, message):
    assert str(AutographError("what", location=place, advice="advice")) == message


def test_errors_can_be_pickled():
    error = UnsupportedSyntaxError("what", location=PLACE)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.location) == (type(error), str(error), PLACE)
