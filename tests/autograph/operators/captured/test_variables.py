"""What stands in the place of a name without a value; text with holes; asserts."""

import pytest

from autograph.operators.captured.variables import Undefined, is_undefined, ld


def test_undefined_names():
    missing = Undefined("y")
    assert is_undefined(missing) and ld(3) == 3
    for use in (lambda: ld(missing), lambda: missing + 1, lambda: missing(), lambda: bool(missing),
                lambda: missing[0], lambda: missing.attribute, lambda: iter(missing)):  # fmt: skip
        with pytest.raises(UnboundLocalError, match="cannot access local variable 'y'"):
            use()
