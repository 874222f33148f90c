"""Lambdas are converted where they stand.

lambda a: a + k     ag__.converted_lambda(lambda a: ag__.ld(a) + fscope.read('k', k))
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import Conversion, why_left
from autograph.syntax.template import Template

CONVERTED = Template("ag__.converted_lambda(function)")


def convert_lambda(node: Any, conversion: Conversion) -> gast.expr:
    """The defaults are computed around it, the body inside it."""
    scope = conversion.lowering.scopes[node]
    if why_left(node, scope) is not None:
        native: gast.expr = node
        return native
    convert_defaults(node.args, conversion)
    conversion.inline(scope, lambda: convert_body(node, conversion), lazy=True)
    return CONVERTED.expression(node, function=node)


def convert_body(node: Any, conversion: Conversion) -> None:
    """Converts the body of a lambda in place."""
    node.body = conversion.expression(node.body)


def convert_defaults(arguments: Any, conversion: Conversion) -> None:
    """Converts the defaults of parameters, which run where the function is made."""
    arguments.defaults = [conversion.expression(default) for default in arguments.defaults]
    arguments.kw_defaults = [conversion.optional(default) for default in arguments.kw_defaults]


EXPRESSIONS = {gast.Lambda: convert_lambda}
