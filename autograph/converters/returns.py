"""`return` sets a flag and a value; the function gives the value at its end.

return f(x)     retval_ = f(x)
                do_return = True
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conditional_expressions import convert_result
from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template

RETURN = Template("""
retval_ = value
do_return = True
""")


def convert_return(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """A lowered `return`: where its value raises, the function did not return."""
    flag, value = node.targets
    converted = convert_result(node.value, conversion)
    return RETURN.statements(node, do_return=flag.id, retval_=value.id, value=converted)
