"""Members of enums by their values as plain Python: each is what Python's own call gives."""

import enum

import pytest

from autograph.library.members import member_of


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2.5
    TINY = 1


class Grade(enum.IntEnum):
    LOW = 0
    HIGH = 3


@pytest.mark.parametrize("kind", [Size, Grade])
@pytest.mark.parametrize("value", [0, 1, 2.5, 3, True, "x"])
def test_members_are_those_of_python(kind, value):
    found = []
    for ask in (kind, lambda value: member_of(kind, value)):
        try:
            found.append(ask(value))
        except ValueError as error:
            found.append(str(error))
    assert found[0] == found[1] and type(found[0]) is type(found[1])
