"""Targets are stored in the order of Python."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "name": (
        "z = x",
        "z = ag__.ld(x)",
    ),
    "chain of names": (
        "z = w = x",
        "z = w = ag__.ld(x)",
    ),
    "attribute": (
        "x.a = y",
        "ag__.setattr_(ag__.ld(x), 'a', ag__.ld(y))",
    ),
    "attribute of a call": (
        "x().a = y()",
        """
value_ = ag__.converted_call(ag__.ld(y), (), None, fscope)
ag__.setattr_(ag__.converted_call(ag__.ld(x), (), None, fscope), 'a', value_)
""",
    ),
    "item": (
        "x[0] = y",
        "ag__.setitem(ag__.ld(x), 0, ag__.ld(y))",
    ),
    "tuple": (
        "x, y = y",
        "x, y = ag__.unpack(ag__.ld(y), 2)",
    ),
    "starred": (
        "x, *y, z = y",
        """
x, *y, z = ag__.unpack_ex(ag__.ld(y), 1, 1)
ag__.fresh(y)
""",
    ),
    "starred place": (
        "*x.a, y = y",
        """
*item_, item_1 = ag__.unpack_ex(ag__.ld(y), 0, 1)
ag__.setattr_(ag__.ld(x), 'a', ag__.fresh(item_))
y = item_1
""",
    ),
    "tuple of places": (
        "x.a, y = y",
        """
item_, item_1 = ag__.unpack(ag__.ld(y), 2)
ag__.setattr_(ag__.ld(x), 'a', item_)
y = item_1
""",
    ),
    "augmented name": (
        "x += y",
        "x = ag__.iadd(ag__.ld(x), ag__.ld(y))",
    ),
    "augmented attribute": (
        "x.a -= y",
        "ag__.setattr_(ag__.ld(x), 'a', ag__.isub(ag__.getattr_(ag__.ld(x), 'a'), ag__.ld(y)))",
    ),
    "augmented item of a call": (
        "x()[0] @= y",
        """
object_ = ag__.converted_call(ag__.ld(x), (), None, fscope)
ag__.setitem(object_, 0, ag__.imatmul(ag__.getitem(object_, 0), ag__.ld(y)))
del object_
""",
    ),
    "annotated": (
        "z: int = x",
        "z = ag__.ld(x)",
    ),
    "annotation alone": (
        "z: int",
        "pass",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("names, calls, assignments", before) == after.strip()
