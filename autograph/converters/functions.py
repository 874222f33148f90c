"""Functions: the body runs in a `FunctionScope`, and what it returns goes through it.

def f(x):           def f(x):
    return x            with ag__.FunctionScope('f', 'fscope', ...) as fscope:
                            ...; return fscope.ret(retval_, do_return)
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import gast

from autograph.converters.conversion import Conversion, why_left
from autograph.converters.lambdas import convert_defaults
from autograph.converters.state import Accessors
from autograph.generated import Options
from autograph.syntax.template import Template, constant, make, name, tuple_of
from autograph.syntax.walk import place_of

FUNCTION = Template("""
with ag__.FunctionScope(function_name, scope_name, options) as fscope:
    start
    body
    end
""")
GENERATOR = Template("""
with ag__.GeneratorScope(function_name, scope_name, options) as fscope:
    start
    body
    end
""")
NEVER = Template("""
if False:
    yield
""")
OPTIONS = Template("""
ag__.ConversionOptions(
    recursive=recursive,
    user_requested=user_requested,
    optional_features=optional_features,
    internal_convert_user_code=internal_convert_user_code,
)
""")
START_RETURN = Template("""
do_return = False
retval_ = ag__.UndefinedReturnValue()
""")
END_RETURN = Template("return fscope.ret(retval_, do_return)")
CELLS = Template("lambda: captured")
ARTIFACT = Template("ag__.autograph_artifact")
LOCAL_CLASS = Template("ag__.local_class")
DECORATOR = Template("ag__.decorator(function, fscope)")
DECLARE = Template("""
nonlocal names
global shared
""")


def wrap_body(function: Any, conversion: Conversion) -> None:
    """Converts the body in place and puts it in a `FunctionScope`."""
    docstring, statements = _split_docstring(function.body)
    suspends = any(map(conversion.suspends, statements))
    body = conversion.block(statements)
    start = conversion.close(conversion.region, function)
    before, scope_keywords = _shared(function, conversion)
    flag, value = conversion.lowering.return_flag, conversion.lowering.return_value
    end: list[gast.stmt] = []
    if flag is not None and value is not None:
        start = [*START_RETURN.statements(function, do_return=flag, retval_=value), *start]
        # All of it on one line: a breakpoint there is met once.
        last = _last_return(function, conversion.lowering.returns)
        is_sure = conversion.lowering.always_returns
        did_return = constant(True, last) if is_sure else name(flag, last)
        end = END_RETURN.statements(
            last,
            fscope=conversion.fscope,
            retval_=value,
            do_return=did_return,
        )
    is_generator = conversion.function.is_generator
    if is_generator and not suspends:  # the `yield` was in code that is never reached
        end = [*NEVER.statements(function), *end]
    filled = body if body or start or end else [make(gast.Pass, place_of(function))]
    made: Any = (GENERATOR if is_generator else FUNCTION).statements(
        function,
        function_name=constant(function.name, function),
        scope_name=constant(conversion.fscope, function),
        options=_options(conversion.context.options, function),
        fscope=conversion.fscope,
        start=start,
        body=filled,
        end=end,
    )
    call = made[0].items[0].context_expr
    call.keywords = [*_cells(function, conversion), *scope_keywords]
    function.body = [*docstring, *before, *made]


def _last_return(function: Any, returns: Collection[Any]) -> gast.AST:
    """The place of the last `return`, where messages say that the function gives its result."""
    if not returns:
        return function
    last = max(returns, key=lambda statement: (statement.lineno, statement.col_offset))
    if last.end_lineno == last.lineno:
        return last
    end = {"end_lineno": last.lineno, "end_col_offset": last.col_offset + len("return")}
    node: gast.AST = make(gast.Pass, {**place_of(last), **end})
    return node


def _split_docstring(body: list[Any]) -> tuple[list[gast.stmt], list[gast.stmt]]:
    first = body[0] if body else None
    value = first.value if isinstance(first, gast.Expr) else None
    if isinstance(value, gast.Constant) and isinstance(value.value, str):
        return body[:1], body[1:]
    return [], body


def _options(options: Options, at: gast.AST) -> gast.expr:
    features = [constant(feature, at) for feature in options.optional_features]
    return OPTIONS.expression(
        at,
        recursive=constant(options.recursive, at),
        user_requested=constant(options.user_requested, at),
        optional_features=tuple_of(features, at),
        internal_convert_user_code=constant(options.internal_convert_user_code, at),
    )


def _cells(function: Any, conversion: Conversion) -> list[gast.keyword]:
    """`cells=lambda: (k, w)`: the closure of the lambda gives the captured cells by name."""
    names = captured_names(conversion)
    if not names:
        return []
    captured = tuple_of([name(n, function) for n in names], function)
    return [_keyword("cells", CELLS.expression(function, captured=captured), function)]


def captured_names(conversion: Conversion) -> list[str]:
    """The closure variables of the function, its nested functions' included."""
    function, known = conversion.function, conversion.context.free_names
    found = {n for n in function.free if function.owner(n) is not None or n in known}
    if "__class__" in function.free and function.is_in_class():
        found.add("__class__")
    return sorted(found)


def _shared(function: Any, conversion: Conversion) -> tuple[list[gast.stmt], list[gast.keyword]]:
    """Declarations, and access to the outer names that the function binds."""
    scope = conversion.function
    declared = DECLARE.statements(
        function, names=sorted(scope.nonlocals), shared=sorted(scope.globals)
    )
    names = sorted(scope.outer_writes)
    if not names:
        return declared, []
    accessors = Accessors(names, function, conversion, "shared")
    symbols = tuple_of([constant(n, function) for n in names], function)
    getter, setter = name(accessors.getter, function), name(accessors.setter, function)
    triple = tuple_of([getter, setter, symbols], function)
    return [*declared, *accessors.definitions()], [_keyword("shared", triple, function)]


def _keyword(key: str, value: gast.expr, at: gast.AST) -> Any:
    return make(gast.keyword, {"arg": key, "value": value, **place_of(at)})


def convert_declaration(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """`global` and `nonlocal` are said at the start of the function."""
    return []


def convert_class(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """The body of a class is Python's; bases and decorators run in the function."""
    if not getattr(node, "type_params", None):
        node.bases = [conversion.expression(base) for base in node.bases]
        for keyword in node.keywords:
            keyword.value = conversion.expression(keyword.value)
    node.decorator_list = [*_decorators(node, conversion), LOCAL_CLASS.expression(node)]
    return [node]


def convert_untouched(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """A statement that stays as it is."""
    return [node]


def convert_function(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """A nested function is converted like any other; coroutines are Python's."""
    node.decorator_list = _decorators(node, conversion)
    convert_defaults(node.args, conversion)
    if why_left(node, conversion.lowering.scopes[node]) is None:
        conversion.convert_nested(node)
        node.decorator_list = [*node.decorator_list, ARTIFACT.expression(node)]
    return [node]


def _decorators(node: Any, conversion: Conversion) -> list[gast.expr]:
    return [
        DECORATOR.expression(
            decorator, function=conversion.expression(decorator), fscope=conversion.fscope
        )
        for decorator in node.decorator_list
    ]


STATEMENTS = {
    gast.FunctionDef: convert_function,
    gast.AsyncFunctionDef: convert_function,
    gast.ClassDef: convert_class,
    gast.Global: convert_declaration,
    gast.Nonlocal: convert_declaration,
    gast.TypeAlias: convert_untouched,
}
