"""`with`, and the generators that become managers."""

import gast
import pytest

from autograph.converters import Context, convert_generator
from autograph.errors import UnsupportedSyntaxError
from autograph.syntax.print import unparse
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


def converted_generator(text):
    node = gast.parse(text).body[0]
    is_protected = convert_generator(node, Context(text=text))
    return unparse(node), is_protected


def test_a_try_around_the_yield_stays():
    text, is_protected = converted_generator(
        "def g(x):\n  try:\n    yield x\n  except E as e:\n    f(e)\n  finally:\n    f()\n"
    )
    assert is_protected
    assert "except ag__.StagingError:\n            raise" in text
    assert "yield ag__.ld(x)" in text and "ag__.try_stmt" not in text


def test_statements_beside_the_yield_are_converted():
    text, is_protected = converted_generator("def g(x):\n    if x:\n        f()\n    y = yield x\n")
    assert not is_protected and "ag__.if_stmt" in text


@pytest.mark.parametrize(
    "body",
    [
        "if x:\n        yield x",
        "while x:\n        yield x",
        "return (yield)",
        "f((yield))",
        "yield from x",
        "if x:\n        return\n    yield x",
    ],
)
def test_a_yield_that_cannot_stay_is_refused(body):
    with pytest.raises(UnsupportedSyntaxError, match="context manager"):
        converted_generator(f"def g(x):\n    {body}\n")
