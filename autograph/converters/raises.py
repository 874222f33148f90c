"""`raise` of what data may choose, the class of the exception or its cause; others stay.

raise (A if c else B)('m')      raise ag__.raised(<the call>)
raise KINDS[k]('m')             likewise, and where the class is a local name
raise error                     likewise: a name may be None on some paths
raise E('m') from error         raise ag__.raised(<the call>, error) from ag__.cause(error, True)
raise E('m') from self.error    raise E('m') from ag__.cause(self.error)
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template

RAISED = Template("ag__.raised(error)")
RAISED_FROM = Template("ag__.raised(error, other)")
CAUSE_THERE = Template("ag__.cause(other, True)")
CAUSE = Template("ag__.cause(other)")


def convert_raise(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """What is raised is asked for what the graph chooses between."""
    may_be_chosen = _may_be_chosen(node.exc, conversion)
    has_name_for_cause = isinstance(node.cause, gast.Name) and _is_own(node.cause, conversion)
    for part in ("exc", "cause"):
        if getattr(node, part) is not None:
            setattr(node, part, conversion.expression(getattr(node, part)))
    if has_name_for_cause:
        node.exc = RAISED_FROM.expression(node.exc, error=node.exc, other=copy.deepcopy(node.cause))
        node.cause = CAUSE_THERE.expression(node.cause, other=node.cause)
        return [node]
    if node.cause is not None and not isinstance(node.cause, gast.Constant):
        node.cause = CAUSE.expression(node.cause, other=node.cause)
    if may_be_chosen:
        node.exc = RAISED.expression(node.exc, error=node.exc)
    return [node]


def _may_be_chosen(error: Any, conversion: Conversion) -> bool:
    """Whether what is raised may be, or be made of, what data chooses: it is no global name's."""
    if isinstance(error, gast.Call):
        error = error.func
    return error is not None and not (
        isinstance(error, gast.Name) and not _is_own(error, conversion)
    )


def _is_own(name: Any, conversion: Conversion) -> bool:
    """Whether a name is of the function or one around it: it may hold what data chooses."""
    function = conversion.function
    return name.id in function.bound or function.owner(name.id) is not None


STATEMENTS = {gast.Raise: convert_raise}
