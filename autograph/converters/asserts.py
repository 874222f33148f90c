"""Assertions: the message is computed only on failure.

assert c, m     if __debug__: ag__.assert_stmt(c, lambda: m)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template, constant

ASSERT = Template("""
if __debug__:
    ag__.assert_stmt(test, message)
""")


def convert_assert(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """An `assert` is a call."""
    test = conversion.test(node.test)
    message = constant(None, node) if node.msg is None else conversion.thunk(node.msg)
    return ASSERT.statements(node, test=test, message=message)


STATEMENTS = {gast.Assert: convert_assert}
