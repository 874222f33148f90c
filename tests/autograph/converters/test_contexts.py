"""`with` and its managers."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "several": (
        "with x as z, y: z",
        """
with ag__.context(ag__.ld(x)) as z, ag__.context(ag__.ld(y)):
    ag__.ld(z)
""",
    ),
    "target": (
        "with x as y.z: y",
        """
with ag__.context(ag__.ld(x)) as entered_:
    ag__.setattr_(ag__.ld(y), 'z', entered_)
    ag__.ld(y)
""",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("names, assignments, contexts", before) == after.strip()
