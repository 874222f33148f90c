"""Converted trees to functions that stand on the user's file, lines and closure cells.

A tree is compiled inside two functions that exist only here::

    def ag_names__(ag__, k, w):        # never called: makes the free names free
        def ag_make__():
            def ag_function__(x): ...  # the converted function `f`, which may mean another `f`
            return ag_function__

`ag_make__` is run with the closure cells of the original function, so that both functions see
each other's assignments.
"""

from __future__ import annotations

import ast
import inspect
import types
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gast

from autograph.generated import AG, SCOPES
from autograph.syntax.lower import to_python
from autograph.syntax.print import unparse

HEADER = f"import autograph.operators as {AG}"

_NAMES = "ag_names__"
_MAKE = "ag_make__"
_FUNCTION = "ag_function__"


def compile_function(
    node: gast.FunctionDef | gast.Lambda,
    *,
    name: str,
    filename: str,
    free_names: Iterable[str] = (),
    class_name: str | None = None,
    flags: int = 0,
    prelude: Sequence[gast.stmt] = (),
) -> types.CodeType:
    """Compiles a converted function; `make.make_function` makes functions of the code object.

    `name` is the qualified name, `Model.step`; the functions inside get theirs from it. Inside
    `class_name`, Python mangles the `__x` that the tree still has. `flags` are the
    `from __future__` features. The names that `prelude` binds are free in the function: the
    function scope of a lambda expression is one.
    """
    function = to_python(node)
    lambdas = _prepared(function)
    maker = _maker(function, [to_python(each) for each in prelude])
    tree: ast.stmt = _definition(_NAMES, [AG, *free_names], [maker])
    if class_name is not None:
        tree = ast.ClassDef(class_name, bases=[], keywords=[], body=[tree], decorator_list=[])
        _without_type_params(tree)
    _place(tree, function, {key: getattr(function, key) for key in function._attributes})
    module = ast.Module([tree], type_ignores=[])
    with warnings.catch_warnings(action="ignore"):  # Python gave them for the original
        code = compile(module, filename, "exec", flags=flags, dont_inherit=True)
    made = _renamed(_inner(code, _MAKE), name)
    return made if lambdas is None else _with_users_names(made, lambdas)


def module_text(
    nodes: Sequence[gast.AST], *, free_names: Iterable[str] = (), lambda_name: str = "lambda_"
) -> str:
    """Gives converted functions as the text of a module that can be imported.

    With `free_names` they stand in a function `factory` of these names that returns the last one.
    """
    statements = [_as_statement(node, lambda_name) for node in nodes]
    names = list(free_names)
    if names:
        last = getattr(statements[-1], "name", lambda_name)
        statements = [_definition("factory", names, [*statements, _return(last)])]
    return "\n\n".join((HEADER, *(unparse(each).strip("\n") for each in statements))) + "\n"


def _as_statement(node: Any, lambda_name: str) -> ast.stmt:
    tree = to_python(node)
    return _assignment(lambda_name, tree) if isinstance(tree, ast.expr) else tree


# Trees.


def _maker(function: ast.FunctionDef | ast.Lambda, prelude: list[ast.stmt]) -> ast.stmt:
    bare = _bare(function)
    body = [bare, _return(bare.name)] if isinstance(bare, ast.FunctionDef) else [ast.Return(bare)]
    return _definition(_MAKE, [], [*prelude, *body])


def _bare(function: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef | ast.Lambda:
    """Drops what belongs to the function object, which is taken from the original.

    The first decorator decides which line a function begins at, so one that does nothing stands
    for it.
    """
    function.args.defaults = []
    function.args.kw_defaults = [None] * len(function.args.kwonlyargs)
    _drop_annotations(function.args)
    if isinstance(function, ast.FunctionDef):
        function.name = _FUNCTION
        function.returns = None
        function.decorator_list = [
            ast.fix_missing_locations(ast.copy_location(_identity(), each))
            for each in function.decorator_list[:1]
        ]
        _without_type_params(function)
    return function


def _drop_annotations(arguments: ast.arguments) -> None:
    starred = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred):
        each.annotation = None


def _identity() -> ast.Lambda:
    return ast.Lambda(_arguments(["function"]), ast.Name("function", ast.Load()))


def _arguments(names: list[str]) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(each) for each in names],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )


def _definition(name: str, parameters: list[str], body: list[ast.stmt]) -> ast.FunctionDef:
    definition = ast.FunctionDef(name, args=_arguments(parameters), body=body, decorator_list=[])
    _without_type_params(definition)
    return definition


def _without_type_params(definition: Any) -> None:
    definition.type_params = []  # a field of functions and classes from Python 3.12 on


def _return(name: str) -> ast.Return:
    return ast.Return(ast.Name(name, ast.Load()))


def _assignment(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _place(node: ast.AST, function: ast.AST, place: dict[str, int]) -> None:
    """Gives what was made around the function its place; the function has places already."""
    if node is function:
        return
    for key in node._attributes:
        if not hasattr(node, key):
            setattr(node, key, place[key])
    for child in ast.iter_child_nodes(node):
        _place(child, function, place)


# Code objects.


def _inner(code: types.CodeType, name: str) -> types.CodeType:
    """Gives the code object of that name, which stands alone in each of those around it."""
    while code.co_name != name:
        code = next(each for each in code.co_consts if isinstance(each, types.CodeType))
    return code


def _renamed(maker: types.CodeType, name: str) -> types.CodeType:
    """Gives the maker with the qualified names that its functions have for the user."""
    prefix = f"{maker.co_qualname}.<locals>."
    last = name.rpartition(".")[2]
    function = f"{prefix}{last if last == '<lambda>' else _FUNCTION}"

    def rename(code: types.CodeType) -> types.CodeType:
        qualname = code.co_qualname
        if qualname == function:
            return code.replace(co_name=last, co_qualname=name)
        inside = qualname.startswith(f"{function}.")
        new = name + qualname[len(function) :] if inside else qualname.removeprefix(prefix)
        return _requalified(code, new)

    return _with_inner(maker, rename)


def _requalified(code: types.CodeType, qualname: str) -> types.CodeType:
    """The code under another qualified name; that of a class also holds the name as a constant."""
    constants = code.co_consts
    if not code.co_flags & inspect.CO_NEWLOCALS:
        constants = tuple(qualname if each == code.co_qualname else each for each in constants)
    return code.replace(co_qualname=qualname, co_consts=constants)


def _prepared(function: ast.AST) -> frozenset[int] | None:
    """Lets calls of operators stand on the first line of what they stand for.

    (Python gives a call of an attribute the line where the attribute ends.) Gives the lines of the
    user's lambdas; None for code without operators.
    """
    lambdas, has_operators = set(), False
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and _is_name(node.value, AG):
            has_operators = True
            if node.attr == "converted_lambda":
                lambdas.add(node.lineno)
            if node.end_lineno != node.lineno:
                node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
    return frozenset(lambdas) if has_operators else None


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _with_users_names(maker: types.CodeType, lambdas: frozenset[int]) -> types.CodeType:
    """Calls the functions made for parts of a function by the name of that function."""

    def is_part(code: types.CodeType) -> bool:
        if code.co_name == "<lambda>":
            return code.co_firstlineno not in lambdas
        is_function = bool(code.co_flags & inspect.CO_NEWLOCALS)
        is_generator = bool(code.co_flags & inspect.CO_GENERATOR)
        return (
            is_function
            and not is_generator
            and AG in (*code.co_freevars, *code.co_cellvars)
            and SCOPES.isdisjoint(code.co_names)
            and not code.co_name.startswith("<")
        )

    def visit(
        code: types.CodeType, name: str, qualname: str, old: str, *, as_written: bool = False
    ) -> types.CodeType:
        as_written = as_written or _is_as_written(code)
        joint = ".<locals>." if code.co_flags & inspect.CO_NEWLOCALS else "."

        def of_inner(code: types.CodeType) -> types.CodeType:
            inner_old = code.co_qualname
            if not as_written and is_part(code):
                code = code.replace(co_name=name, co_qualname=qualname)
            elif inner_old.startswith(old + joint):
                code = _requalified(code, qualname + inner_old[len(old) :])
            return visit(code, code.co_name, code.co_qualname, inner_old, as_written=as_written)

        inner = tuple(
            of_inner(each) if isinstance(each, types.CodeType) else each for each in code.co_consts
        )
        return code.replace(co_consts=inner)

    # The function itself is the user's, whatever it looks like.
    constants = tuple(
        visit(each, each.co_name, each.co_qualname, each.co_qualname)
        if isinstance(each, types.CodeType)
        else each
        for each in maker.co_consts
    )
    return maker.replace(co_consts=constants)


def _is_as_written(code: types.CodeType) -> bool:
    """Whether it is code of a class body, or of a generator or coroutine that is not converted:
    nothing in it is.
    """
    if not code.co_flags & inspect.CO_NEWLOCALS:
        return True
    is_suspended = bool(code.co_flags & _SUSPENDED) and not code.co_name.startswith("<gen")
    return is_suspended and SCOPES.isdisjoint(code.co_names)


_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def _with_inner(
    code: types.CodeType, change: Callable[[types.CodeType], types.CodeType]
) -> types.CodeType:
    constants = tuple(
        _with_inner(change(each), change) if isinstance(each, types.CodeType) else each
        for each in code.co_consts
    )
    return code.replace(co_consts=constants)
