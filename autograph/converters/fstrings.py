"""f-strings.

f'{x:>{n}} of {y!r}'    ag__.fstring((x, -1, ag__.fstring('>', (n, -1, None))), ' of ',
                                     (y, 114, None))
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template, constant, tuple_of

FSTRING = Template("ag__.fstring()")


def convert_joined_str(node: Any, conversion: Conversion) -> gast.expr:
    """Literal pieces are strings, fields are (value, conversion, format specification)."""
    call: Any = FSTRING.expression(node)
    call.args = [_piece(value, conversion) for value in node.values if not _is_empty(value)]
    made: gast.expr = call
    return made


def _is_empty(piece: Any) -> bool:
    """Python 3.12 ends a nested specification with an empty literal."""
    return isinstance(piece, gast.Constant) and piece.value == ""


def _piece(piece: Any, conversion: Conversion) -> gast.expr:
    if not isinstance(piece, gast.FormattedValue):
        literal: gast.expr = piece
        return literal
    value = conversion.expression(piece.value)
    spec = _format_spec(piece, conversion)
    return tuple_of([value, constant(piece.conversion, piece), spec], piece)


def _format_spec(piece: Any, conversion: Conversion) -> gast.expr:
    spec = piece.format_spec
    if spec is None:
        return constant(None, piece)
    if all(isinstance(part, gast.Constant) for part in spec.values):
        return constant("".join(part.value for part in spec.values), spec)
    return convert_joined_str(spec, conversion)


EXPRESSIONS = {gast.JoinedStr: convert_joined_str}
