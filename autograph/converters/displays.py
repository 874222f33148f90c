"""Lists, sets and dicts made in converted code are known to be new.

[a, b]      ag__.fresh([ag__.ld(a), ag__.ld(b)])
{k: v}      ag__.fresh({ag__.ld(k): ag__.ld(v)})
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template
from autograph.syntax.walk import transform_children

FRESH = Template("ag__.fresh(made)")


def convert_display(node: Any, conversion: Conversion) -> gast.expr:
    """What a body writes into a container of its own is nobody else's business."""
    made: gast.expr = transform_children(node, conversion.expression)
    if isinstance(getattr(node, "ctx", None), gast.Store | gast.Del):
        return made
    return FRESH.expression(node, made=made)


EXPRESSIONS = {gast.List: convert_display, gast.Set: convert_display, gast.Dict: convert_display}
