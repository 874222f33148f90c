"""Comprehensions and generator expressions stay what they are, over what the runtime iterates.

[f(x) for x in xs if c]    ag__.fresh([... for x in ag__.iterate(xs) if ag__.truth(c)])
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import Conversion
from autograph.converters.displays import FRESH, ITERATE
from autograph.syntax.template import Template

TRUTH = Template("ag__.truth(test)")


def convert_comprehension(node: Any, conversion: Conversion) -> gast.expr:
    """The first iterable is computed in the scope around, everything else in its own."""
    first = node.generators[0]
    first.iter = _iterate(first.iter, conversion)
    scope = conversion.lowering.scopes[node]
    lazy = isinstance(node, gast.GeneratorExp)
    conversion.inline(scope, lambda: _inside(node, conversion), lazy=lazy)
    return FRESH.expression(node, made=node)


def _iterate(iterable: Any, conversion: Conversion) -> gast.expr:
    return ITERATE.expression(iterable, iterable=conversion.expression(iterable))


def _inside(node: Any, conversion: Conversion) -> None:
    for number, generator in enumerate(node.generators):
        if number:
            generator.iter = _iterate(generator.iter, conversion)
        generator.ifs = [
            TRUTH.expression(test, test=conversion.expression(test)) for test in generator.ifs
        ]
    for field in ("key", "value", "elt"):
        if getattr(node, field, None) is not None:
            setattr(node, field, conversion.expression(getattr(node, field)))


EXPRESSIONS = {
    gast.ListComp: convert_comprehension,
    gast.SetComp: convert_comprehension,
    gast.DictComp: convert_comprehension,
    gast.GeneratorExp: convert_comprehension,
}
