"""Names are read through the runtime, and say where they come from."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "local": (
        "x",
        "ag__.ld(x)",
    ),
    "captured": (
        "k",
        "fscope.read('k', k)",
    ),
    "builtin": (
        "len",
        "ag__.ld(len)",
    ),
    "target": (
        "z = x",
        "z = ag__.ld(x)",
    ),
    "attribute": (
        "x.a",
        "ag__.getattr_(ag__.ld(x), 'a')",
    ),
    "import from": (
        "from os import path as p, sep",
        "from os import path as p, sep\np = ag__.imported('os', 'path', p)\n"
        "sep = ag__.imported('os', 'sep', sep)",
    ),
    "item": (
        "x[y]",
        "ag__.getitem(ag__.ld(x), ag__.ld(y))",
    ),
    "slice": (
        "x[1:, ::y]",
        (
            "ag__.getitem(ag__.ld(x), (ag__.slice_(1, None, None), ag__.slice_(None, None, "
            "ag__.ld(y))))"
        ),
    ),
    "delete name": (
        "del x",
        """
ag__.ld(x)
x = ag__.Undefined('x')
""",
    ),
    "delete parts": (
        "del x.a, y[0]",
        """
ag__.delattr_(ag__.ld(x), 'a')
ag__.delitem(ag__.ld(y), 0)
""",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("names", before) == after.strip()
