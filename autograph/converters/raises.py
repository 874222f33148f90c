"""`raise` of what data may choose, the class of the exception or its cause; others stay.

raise (A if c else B)('m')      raise ag__.raised(<the call>)
raise KINDS[k]('m')             likewise, and where the class is a local name
raise error from x              raise error from ag__.cause(x), but for `None`
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template

RAISED = Template("ag__.raised(error)")
CAUSE = Template("ag__.cause(error)")


def convert_raise(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """What is raised is asked for what the graph chooses between."""
    may_be_chosen = _may_be_chosen(node.exc, conversion)
    for part in ("exc", "cause"):
        if getattr(node, part) is not None:
            setattr(node, part, conversion.expression(getattr(node, part)))
    if node.cause is not None and not isinstance(node.cause, gast.Constant):
        node.cause = CAUSE.expression(node.cause, error=node.cause)
    if may_be_chosen:
        node.exc = RAISED.expression(node.exc, error=node.exc)
    return [node]


def _may_be_chosen(error: Any, conversion: Conversion) -> bool:
    """Whether an exception is made of a class that is no name of the module."""
    if not isinstance(error, gast.Call):
        return isinstance(error, gast.IfExp)
    if isinstance(error.func, gast.Name):
        return error.func.id in conversion.function.bound
    return isinstance(error.func, gast.IfExp | gast.Subscript)


STATEMENTS = {gast.Raise: convert_raise}
