"""Generators stay generators: each `yield` stays where it is, and so do the statements around it.

def g(xs):          def g(xs):
    for x in xs:        with ag__.GeneratorScope('g', 'fscope', ...) as fscope:
        if x:               for x in fscope.items(ag__.ld(xs)):
            yield x             if fscope.known(ag__.ld(x)):
                                    fscope.resumed((yield fscope.suspended(ag__.ld(x))))

What such statements decide must be known while tracing. A generator that a `for` goes through can
be put in the place of the loop instead, as a function of what runs for each item:

def g(xs):          def g(consumer_, xs):
    for x in xs:        for x in xs:
        yield x             if consumer_(x): return
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast

from autograph.converters.assignments import assign_target
from autograph.converters.conversion import Conversion, has_yield
from autograph.converters.lowering import Lowering
from autograph.syntax.names import Namer
from autograph.syntax.template import Template, constant, make, name, stored
from autograph.syntax.walk import place_of, statement_lists

YIELD = Template("fscope.resumed((yield fscope.suspended(value, is_protected)))")
DELEGATE = Template("(yield from fscope.delegated(iterable, is_protected))")
KNOWN = Template("fscope.known(test)")
ITEMS = Template("fscope.items(iterable)")
STOP = Template("""
if not fscope.known(test):
    break
""")
REGAIN = Template("fscope.regain()")
ASSERT = Template("""
if __debug__:
    if not test:
        held = message
        assert False, held
""")
CONSUME = Template("""
if consumer(value):
    return
""")
CONSUME_ALL = Template("""
for item in iterable:
    if consumer(item):
        return
""")
BODY = Template("consumer(value)")
RETURN = Template("return")


def note_suspending(function: Any, lowering: Lowering) -> None:
    """Note the statements that hold a `yield`: their blocks cannot become functions."""
    if lowering.scope.is_generator:
        _lower_asserts(function.body, lowering)
        for statement in function.body:
            _note(statement, lowering.suspending)


def _lower_asserts(block: list[Any], lowering: Lowering) -> None:
    """The message of an `assert` would become a function: one with a `yield` is computed before."""
    made: list[gast.stmt] = []
    for statement in block:
        if isinstance(statement, gast.Assert) and statement.msg and has_yield(statement.msg):
            made += ASSERT.statements(
                statement,
                test=statement.test,
                held=lowering.namer.fresh("message_"),
                message=statement.msg,
            )
            continue
        if not _is_definition(statement):
            for inner in statement_lists(statement):
                _lower_asserts(inner, lowering)
        made.append(statement)
    block[:] = made


def _note(statement: Any, found: set[gast.AST]) -> bool:
    if isinstance(statement, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef):
        suspends = has_yield(statement)
    else:
        inside = [_note(s, found) for block in statement_lists(statement) for s in block]
        suspends = any(inside) or any(map(has_yield, _own_parts(statement)))
    if suspends:
        found.add(statement)
    return suspends


def _own_parts(statement: Any) -> list[Any]:
    """The expressions of a statement that belong to its blocks."""
    if isinstance(statement, gast.If):
        return []  # the test runs before
    if isinstance(statement, gast.For):
        return [statement.target]
    if isinstance(statement, gast.Try | gast.TryStar):
        return [h.type for h in statement.handlers if h.type is not None]
    return [part for part in gast.iter_child_nodes(statement) if not isinstance(part, gast.stmt)]


# ---- `yield` -----------------------------------------------------------------------------------


def convert_yield(node: Any, conversion: Conversion) -> gast.expr:
    """The scope is told when the generator is left, and when it goes on."""
    value = constant(None, node) if node.value is None else conversion.expression(node.value)
    return _suspension(YIELD, node, conversion, value=value)


def convert_yield_from(node: Any, conversion: Conversion) -> gast.expr:
    """Python delegates; while tracing, to what tells the scope."""
    iterable = conversion.expression(node.value)
    return _suspension(DELEGATE, node, conversion, iterable=iterable)


def _suspension(
    template: Template, node: Any, conversion: Conversion, **parts: gast.expr
) -> gast.expr:
    made: gast.expr = template.expression(
        node,
        fscope=conversion.fscope,
        is_protected=constant(bool(conversion.protecting), node),
        **parts,
    )
    return made


@contextmanager
def protecting(conversion: Conversion) -> Iterator[None]:
    """What is converted stands in a `try` or `with`, which sees how the generator ends."""
    conversion.protecting += 1
    yield
    conversion.protecting -= 1


# ---- statements around a `yield` ---------------------------------------------------------------


def keep_if(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """An `if` whose condition is known while tracing."""
    node.test = _known(node.test, conversion)
    node.body = conversion.block(node.body)
    node.orelse = conversion.block(node.orelse)
    return [node]


def keep_while(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """A `while` whose test is known while tracing."""
    node.test = _known(node.test, conversion)
    node.body = conversion.block(node.body)
    return [node]


def keep_for(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """A `for` over items whose number is known while tracing."""
    iterable = conversion.expression(node.iter)
    node.iter = ITEMS.expression(node.iter, fscope=conversion.fscope, iterable=iterable)
    bound = []
    if not isinstance(node.target, gast.Name):
        item = conversion.namer.fresh("itr")
        bound = assign_target(node.target, name(item, node.target), conversion)
        node.target = stored(item, node.target)
    test = conversion.lowering.extra_tests.get(node)
    node.body = [*bound, *conversion.block(node.body)]
    if test is not None:
        condition = conversion.expression(test)
        node.body += STOP.statements(node, fscope=conversion.fscope, test=condition)
    return [node]


def _known(test: Any, conversion: Conversion) -> gast.expr:
    return KNOWN.expression(test, fscope=conversion.fscope, test=conversion.expression(test))


# ---- in the place of a loop --------------------------------------------------------------------


def put_consumer(function: Any, namer: Namer) -> bool:
    """Makes of a generator, in place, a function that calls its first argument for each item.

    False, and the function of no use, where that would mean something else: the value of a `yield`
    is used, or a `try` or `with` stands around one, which what runs for an item does not concern.
    """
    consumer = namer.fresh("consumer_")
    if not _consume(function.body, consumer, namer):
        return False
    _add_parameter(function, consumer)
    return True


def _add_parameter(function: Any, consumer: str) -> None:
    parameter = make(gast.Name, {**name(consumer, function).__dict__, "ctx": gast.Param()})
    function.args.posonlyargs = [parameter, *function.args.posonlyargs]


def put_body(function: Any, namer: Namer) -> bool:
    """Makes of a generator, in place, a function that calls its first argument at its `yield`.

    False where that would mean something else: there are several, or one in a branch or loop, or a
    `return` may come before it.
    """
    consumer = namer.fresh("consumer_")
    if _inner_returns(function) or not _put_call(function.body, consumer):
        return False
    _add_parameter(function, consumer)
    return True


def _put_call(block: list[Any], consumer: str) -> bool:
    """Puts a call in the place of the one `yield` of a block."""
    holding = [i for i, statement in enumerate(block) if has_yield(statement)]
    if len(holding) != 1:
        return False
    statement = block[holding[0]]
    if isinstance(statement, gast.Try):
        others = [*statement.handlers, *statement.orelse, *statement.finalbody]
        return not any(map(has_yield, others)) and _put_call(statement.body, consumer)
    if isinstance(statement, gast.With):
        return not any(map(has_yield, statement.items)) and _put_call(statement.body, consumer)
    value = getattr(statement, "value", None)
    if not isinstance(statement, gast.Expr) or not isinstance(value, gast.Yield):
        return False
    item = constant(None, value) if value.value is None else value.value
    if has_yield(item):
        return False
    statement.value = BODY.expression(value, consumer=consumer, value=item)
    return True


def _consume(block: list[Any], consumer: str, namer: Namer) -> bool:
    made: list[gast.stmt] = []
    for statement in block:
        replaced = _consumed(statement, consumer, namer)
        if replaced is None:
            return False
        made += replaced
    block[:] = made
    return True


def _consumed(statement: Any, consumer: str, namer: Namer) -> list[Any] | None:
    value = getattr(statement, "value", None)
    if isinstance(statement, gast.Expr) and isinstance(value, gast.Yield | gast.YieldFrom):
        return _call(value, consumer, namer)
    if isinstance(statement, gast.Return):
        return _ended(statement)
    if not has_yield(statement):
        returns = not _is_definition(statement) and _inner_returns(statement)
        return [statement] if not returns or _consume_blocks(statement, consumer, namer) else None
    if not isinstance(statement, gast.If | gast.For | gast.While | gast.Match):
        return None
    if any(map(has_yield, _expressions(statement))):
        return None
    return [statement] if _consume_blocks(statement, consumer, namer) else None


def _call(value: Any, consumer: str, namer: Namer) -> list[gast.stmt] | None:
    item = constant(None, value) if value.value is None else value.value
    if has_yield(item):
        return None
    if isinstance(value, gast.Yield):
        return CONSUME.statements(value, consumer=consumer, value=item)
    name_of_item = namer.fresh("item_")
    return CONSUME_ALL.statements(value, consumer=consumer, item=name_of_item, iterable=item)


def _ended(statement: Any) -> list[gast.stmt] | None:
    """A `for` does not see what a generator returns."""
    if statement.value is None:
        return [statement]
    if has_yield(statement.value):
        return None
    place = place_of(statement)
    return [make(gast.Expr, {"value": statement.value, **place}), *RETURN.statements(statement)]


def _is_definition(statement: Any) -> bool:
    return isinstance(statement, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef)


def _inner_returns(statement: Any) -> bool:
    return any(
        isinstance(s, gast.Return) or (not _is_definition(s) and _inner_returns(s))
        for block in statement_lists(statement)
        for s in block
    )


def _consume_blocks(statement: Any, consumer: str, namer: Namer) -> bool:
    return all(_consume(block, consumer, namer) for block in statement_lists(statement))


def _expressions(statement: Any) -> Iterator[Any]:
    for part in gast.iter_child_nodes(statement):
        if isinstance(part, gast.match_case):
            yield part.pattern
            if part.guard is not None:
                yield part.guard
        elif not isinstance(part, gast.stmt):
            yield part


EXPRESSIONS = {gast.Yield: convert_yield, gast.YieldFrom: convert_yield_from}
