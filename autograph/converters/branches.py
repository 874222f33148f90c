"""`if` statements: both branches are functions, and the names they change are its state.

if c:           def if_body(): nonlocal x; x = 1
    x = 1       def else_body(): nonlocal x
                ag__.if_stmt(c, if_body, else_body, get_state, set_state, ('x',), 1)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import Conversion
from autograph.converters.generators import keep_if
from autograph.converters.state import State
from autograph.syntax.template import Template, constant, make
from autograph.syntax.walk import place_of, placed_at

IF = Template("""
def if_body():
    nonlocal names
    global shared
    body

def else_body():
    nonlocal names
    global shared
    orelse
ag__.if_stmt(test, if_body, else_body, get_state, set_state, symbols, outputs)
""")


def convert_if(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """Names that are read after the statement come first in its state."""
    if node in conversion.lowering.suspending:
        return keep_if(node, conversion)
    names, outputs = conversion.facts.branch_state(node)
    test = conversion.test(node.test)
    state = State(names, node, conversion)
    if_body, else_body = conversion.namer.fresh("if_body"), conversion.namer.fresh("else_body")
    body, orelse = _branch(node, node.body, state), _branch(node, node.orelse, state)
    made = IF.statements(
        node,
        test=test,
        body=body,
        orelse=orelse,
        if_body=if_body,
        else_body=else_body,
        outputs=constant(outputs, node),
        **state.placeholders(),
    )
    return [*state.definitions(), *placed_at(made, node.test)]


def _branch(node: Any, block: list[gast.stmt], state: State) -> list[gast.stmt]:
    body = state.body(lambda: state.conversion.block(block))
    return body or [make(gast.Pass, place_of(node))]


STATEMENTS = {gast.If: convert_if}
