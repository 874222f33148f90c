"""The runtime knows what protects a body."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "handler": (
        """
try: x
except y: pass
""",
        """
try:
    with ag__.try_body(('except',)):
        ag__.ld(x)
except ag__.StagingError:
    raise
except ag__.ld(y):
    pass
""",
    ),
    "finally": (
        """
try: x
finally: y
""",
        """
try:
    with ag__.try_body(('finally',)):
        ag__.ld(x)
finally:
    ag__.ld(y)
""",
    ),
    "group": (
        """
try: x
except* y: pass
""",
        """
try:
    with ag__.try_body(('except',)):
        ag__.ld(x)
except* ag__.ld(y):
    pass
""",
    ),
    "with": (
        "with x as z, y: z",
        """
with ag__.context(ag__.ld(x)) as z, ag__.context(ag__.ld(y)):
    ag__.ld(z)
""",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("names, exceptions", before) == after.strip()
