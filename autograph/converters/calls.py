"""Calls go through `ag__.converted_call`, which converts what is called when it is user code.

f(x, *rest, k=v)    ag__.converted_call(f, (x, *rest), dict(k=v), fscope)
f(**d)              ag__.converted_call(f, (), dict(**ag__.named(d)), fscope)
(a if c else b).append(x)    as a.append(x) if c else b.append(x)
super().g()         ... ag__.converted_call(ag__.ld(super), (__class__, self), None, fscope) ...
locals()            ag__.frame_call(ag__.ld(locals), (), None, fscope, {'x': lambda: x})
"""

from __future__ import annotations

import copy
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
NAMED = Template("ag__.named(names)")
OWN_KEYWORDS = Template("(lambda **keywords_: keywords_)()")
READ = Template("lambda: read")
DEBUGGER = Template("ag__.debugger(function)")

DEBUGGERS = frozenset({"breakpoint", "pdb.set_trace"})


def convert_call(node: Any, conversion: Conversion) -> gast.expr:
    """A call of anything but the runtime or a debugger goes through the runtime."""
    if is_runtime(node.func):
        converted: gast.expr = transform_children(node, conversion.expression)
        return converted
    if str(qualified_name(node.func)) in DEBUGGERS:
        node.func = DEBUGGER.expression(node.func, function=node.func)
        native: gast.expr = node
        return native
    if _changes_one_of_two(node):
        return conversion.expression(_on_each_path(node))
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


# Methods by which containers are changed.
_CHANGING = frozenset(
    ("append", "appendleft", "add", "extend", "update", "insert", "remove", "discard", "clear",
     "pop", "popleft", "push", "put")
)  # fmt: skip
# What has names of its own, or may be evaluated once only.
_WITH_NAMES = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp,
               gast.NamedExpr, gast.Yield, gast.YieldFrom, gast.Await)  # fmt: skip


def _changes_one_of_two(node: Any) -> bool:
    """`(a if c else b).append(x)`: which of the two is changed may depend on data."""
    function = node.func
    if not isinstance(function, gast.Attribute) or function.attr not in _CHANGING:
        return False
    given = [*node.args, *node.keywords]
    has_names = any(isinstance(part, _WITH_NAMES) for x in given for part in gast.walk(x))
    return isinstance(function.value, gast.IfExp) and not has_names


def _on_each_path(node: Any) -> gast.expr:
    """`a.append(x) if c else b.append(x)`: the owner is changed where it is known which it is."""
    choice = node.func.value
    calls = []
    for owner in (choice.body, choice.orelse):
        call = copy.deepcopy(node)
        call.func.value = owner
        calls.append(call)
    fields = {"test": choice.test, "body": calls[0], "orelse": calls[1], **place_of(node)}
    made: gast.expr = make(gast.IfExp, fields)
    return made


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
        if keyword.arg is None:
            keyword.value = NAMED.expression(keyword.value, names=keyword.value)
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
