"""Calls go through `ag__.converted_call`, which converts what is called when it is user code.

f(x, *rest, k=v)    ag__.converted_call(f, (x, *rest), dict(k=v), fscope)
super().g()         ... ag__.converted_call(ag__.ld(super), (__class__, self), None, fscope) ...
locals()            ag__.frame_call(ag__.ld(locals), (), None, fscope, {'x': lambda: x})
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis import Kind, Scope
from autograph.analysis.scopes import sees_all_names
from autograph.converters.conversion import Conversion, is_runtime
from autograph.syntax.names import qualified_name
from autograph.syntax.template import Template, constant, make, name, tuple_of
from autograph.syntax.walk import place_of, transform_children

CALL = Template("ag__.converted_call(function, arguments, keywords, fscope)")
FRAME_CALL = Template("ag__.frame_call(function, arguments, keywords, fscope, visible)")
KEYWORDS = Template("dict()")
OWN_KEYWORDS = Template("(lambda **keywords_: keywords_)()")
READ = Template("lambda: read")

DEBUGGERS = frozenset({"breakpoint", "pdb.set_trace"})


def convert_call(node: Any, conversion: Conversion) -> gast.expr:
    """A call of anything but the runtime or a debugger goes through the runtime."""
    if is_runtime(node.func):
        converted: gast.expr = transform_children(node, conversion.expression)
        return converted
    if str(qualified_name(node.func)) in DEBUGGERS:
        native: gast.expr = node
        return native
    template, extra = CALL, {}
    if sees_all_names(node) and not conversion.is_shadowed(node.func.id):
        template, extra = FRAME_CALL, {"visible": _visible_names(node, conversion)}
    arguments = _arguments(node, conversion)
    return template.expression(
        node,
        function=conversion.expression(node.func),
        arguments=tuple_of(arguments, node),
        keywords=_keywords(node, conversion),
        fscope=conversion.fscope,
        **extra,
    )


def _arguments(node: Any, conversion: Conversion) -> list[gast.expr]:
    if _is_bare_super(node, conversion):
        first = conversion.scope.parameters[0]
        read = conversion.expression(name(first, node))
        return [name("__class__", node), read]
    return [conversion.expression(argument) for argument in node.args]


def _is_bare_super(node: Any, conversion: Conversion) -> bool:
    if not isinstance(node.func, gast.Name) or node.func.id != "super":
        return False
    if node.args or node.keywords or conversion.is_shadowed("super"):
        return False
    return has_class_cell(conversion) and _takes_positional(conversion.scope)


def has_class_cell(conversion: Conversion) -> bool:
    """Whether `__class__` means the class around the function."""
    return conversion.function.is_in_class() or "__class__" in conversion.context.free_names


def _takes_positional(scope: Scope) -> bool:
    arguments = getattr(scope.node, "args", None)
    return arguments is not None and bool(
        arguments.posonlyargs or arguments.args or arguments.vararg
    )


def _keywords(node: Any, conversion: Conversion) -> gast.expr:
    if not node.keywords:
        return constant(None, node)
    template = OWN_KEYWORDS if conversion.is_shadowed("dict") else KEYWORDS
    call: Any = template.expression(node)
    for keyword in node.keywords:
        keyword.value = conversion.expression(keyword.value)
    call.keywords = node.keywords
    made: gast.expr = call
    return made


def _visible_names(node: gast.AST, conversion: Conversion) -> gast.expr:
    """Each name that the user's function can see here, with a function that reads it."""
    names = sorted(_names_in_sight(conversion))
    for visible in names:
        if conversion.kind_of(visible) is Kind.FUNCTION:
            conversion.require(visible)
    keys = [constant(visible, node) for visible in names]
    values = [READ.expression(node, read=visible) for visible in names]
    display: gast.expr = make(gast.Dict, {"keys": keys, "values": values, **place_of(node)})
    return display


def _names_in_sight(conversion: Conversion) -> set[str]:
    names: set[str] = set()
    scope = conversion.scope
    while scope is not conversion.function:
        names |= scope.bound
        assert scope.parent is not None
        scope = scope.parent
    names |= scope.bound | (scope.free & _closure_names(conversion))
    return names - conversion.namer.generated


def _closure_names(conversion: Conversion) -> set[str]:
    function = conversion.function
    owned = {name for name in function.free if function.owner(name) is not None}
    return owned | set(conversion.context.free_names)


EXPRESSIONS = {gast.Call: convert_call}
