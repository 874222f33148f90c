"""Plain patterns become comparisons, structure becomes a function."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "values": (
        """
match x:
    case 1 | 2: y = 1
    case None: y = 2
    case _: y = 3
""",
        """
subject_ = x
if subject_ == 1 or subject_ == 2:
    y = 1
elif subject_ is None:
    y = 2
else:
    y = 3
""",
    ),
    "capture and guard": (
        """
match x:
    case z if z > 1: y = z
""",
        """
subject_ = x
z = subject_
if z > 1:
    y = z
""",
    ),
    "structure": (
        """
match x:
    case [a, *b]: y = a
""",
        """
subject_ = x

def match_(subject_):
    match subject_:
        case [a, *b]:
            return (True, (a, b))
    return (False, ())

def pattern_():
    return ('sequence', (('capture', 'a'), ('star', 'b')))
case_, bound_ = ag__.taken_apart(match_, pattern_, subject_, ('a', 'b'))
if case_:
    a, b = bound_[0:]
    y = a
""",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("matches", before) == after.strip()
