"""Loops: test and body are functions, and the names that rounds hand on are the state.

while n > 0:    def loop_test(): return ag__.ld(n) > 0
    n -= 1      def loop_body(): nonlocal n; n = ag__.isub(ag__.ld(n), 1)
                ag__.while_stmt(loop_test, loop_body, get_state, set_state, ('n',), {})

for i in xs:    def loop_body(itr): nonlocal i, s; i = itr; s = ag__.iadd(ag__.ld(s), i)
    s += i      ag__.for_stmt(xs, None, loop_body, get_state, set_state, ('i', 's'),
                              {'iterate_names': 'i'})
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.assignments import assign_target
from autograph.converters.context import source_text
from autograph.converters.conversion import Conversion
from autograph.converters.generators import keep_for, keep_while
from autograph.converters.state import State
from autograph.syntax.template import Template, constant, make, name
from autograph.syntax.walk import place_of, placed_at

WHILE = Template("""
def loop_test():
    nonlocal tested
    global tested_shared
    before_test
    return test

def loop_body():
    nonlocal names
    global shared
    body
ag__.while_stmt(loop_test, loop_body, get_state, set_state, symbols, options)
""")
FOR = Template("""
def loop_body(itr):
    nonlocal names
    global shared
    body
ag__.for_stmt(iterable, extra_test, loop_body, get_state, set_state, symbols, options)
""")
EXTRA_TEST = Template("""
def extra_test():
    before_test
    return test
""")


def convert_while(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """The test runs before each round."""
    if node in conversion.lowering.suspending:
        return keep_while(node, conversion)
    state = State(conversion.facts.loop_state(node), node, conversion)
    tested = sorted(conversion.facts.written_in_test(node))
    for bound in tested:
        conversion.require(bound)
    loop_test, loop_body = _fresh("loop_test", conversion), _fresh("loop_body", conversion)
    before_test, test = conversion.lazily(lambda: conversion.test(node.test))
    body = state.body(lambda: conversion.block(node.body))
    is_global = conversion.function.globals.__contains__
    made = WHILE.statements(
        node,
        loop_test=loop_test,
        loop_body=loop_body,
        tested=[bound for bound in tested if not is_global(bound)],
        tested_shared=[bound for bound in tested if is_global(bound)],
        before_test=before_test,
        test=test,
        body=body,
        options=_options(node, conversion, {}),
        **state.placeholders(),
    )
    return [*state.definitions(), *placed_at(made, node.test)]


def convert_for(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """Each round binds the target to the next item, then runs the body."""
    if node in conversion.lowering.suspending:
        return keep_for(node, conversion)
    iterable = conversion.expression(node.iter)
    names_text = source_text(node.target)
    state = State(conversion.facts.loop_state(node), node, conversion)
    extra_definitions, extra_test = _extra_test(node, conversion)
    loop_body, item = _fresh("loop_body", conversion), _fresh("itr", conversion)
    body = state.body(lambda: _round(node, item, conversion))
    made = FOR.statements(
        node,
        loop_body=loop_body,
        itr=item,
        iterable=iterable,
        extra_test=extra_test,
        body=body,
        options=_options(node, conversion, {"iterate_names": names_text}),
        **state.placeholders(),
    )
    return [*state.definitions(), *extra_definitions, *placed_at(made, node.iter)]


def _fresh(stem: str, conversion: Conversion) -> str:
    return conversion.namer.fresh(stem)


def _round(node: Any, item: str, conversion: Conversion) -> list[gast.stmt]:
    bound = assign_target(node.target, name(item, node.target), conversion)
    return [*bound, *conversion.block(node.body)]


def _extra_test(node: Any, conversion: Conversion) -> tuple[list[gast.stmt], gast.expr]:
    test = conversion.lowering.extra_tests.get(node)
    if test is None:
        return [], constant(None, node)
    called = conversion.namer.fresh("extra_test")
    before_test, converted = conversion.lazily(lambda: conversion.expression(test))
    made = EXTRA_TEST.statements(node, extra_test=called, before_test=before_test, test=converted)
    return made, name(called, node)


def _options(node: Any, conversion: Conversion, known: dict[str, str]) -> gast.expr:
    keys = [constant(key, node) for key in known]
    values = [constant(value, node) for value in known.values()]
    for keyword in conversion.lowering.loop_options.get(node, []):
        keys.append(constant(keyword.arg, keyword.value))
        values.append(conversion.expression(keyword.value))
    display: gast.expr = make(gast.Dict, {"keys": keys, "values": values, **place_of(node)})
    return display


STATEMENTS = {gast.While: convert_while, gast.For: convert_for}
