"""Tools for writing one's own transformers of Python source: `autograph.pyct`.

A function becomes a tree of `gast`, the same on every Python version; the tree is looked at and
rewritten; and the outcome becomes a function again, in the place of the original: with its globals,
closure cells, defaults and lines, so that tracebacks and debuggers show the source as it was
written.

>>> import gast
>>> import autograph as ag
>>> class CountDivisions(ag.pyct.Transformer):
...     checked = ag.pyct.Template("divide(left, right)")
...
...     def visit_BinOp(self, node):
...         self.generic_visit(node)
...         if not isinstance(node.op, gast.Div):
...             return node
...         return self.checked.expression(node, left=node.left, right=node.right)
>>> def divide(a, b):
...     return a / b if b else 0.0
>>> def mean(values):
...     return sum(values) / len(values)
>>> ag.pyct.transform(mean, CountDivisions())([])
0.0

Reading is by `source_of`, `parse_function` and `parse_module`; looking by `Visitor`, `ScopeTree`
(which names are bound, read, captured) and `analyze` (which are live or bound at a statement);
rewriting by `Transformer`, `Template`, `Namer` and `QualifiedName`. `to_anf` gives three-address
code, which leaves a transformer few forms to know. `unparse` prints a tree.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import gast

from autograph.analysis import Facts, Need, Scope, ScopeTree, analyze
from autograph.syntax.anf import to_anf
from autograph.syntax.load import compile_function
from autograph.syntax.make import make_function
from autograph.syntax.names import Namer, QualifiedName, qualified_name
from autograph.syntax.parse import parse_function, parse_module
from autograph.syntax.print import unparse
from autograph.syntax.source import Source, source_of
from autograph.syntax.template import Template
from autograph.syntax.walk import Transformer, Visitor, transform_children

__all__ = [
    "Facts",
    "Namer",
    "Need",
    "QualifiedName",
    "Scope",
    "ScopeTree",
    "Source",
    "Template",
    "Transformer",
    "Visitor",
    "analyze",
    "parse_function",
    "parse_module",
    "qualified_name",
    "source_of",
    "to_anf",
    "transform",
    "transform_children",
    "unparse",
]


def transform(
    function: Callable[..., Any], *steps: Transformer | Callable[[Any], Any]
) -> FunctionType:
    """The function with its tree rewritten by each step: a `Transformer`, or tree to tree.

    Decorators, defaults and annotations are those of the function that is given. Raises
    `ag.SourceUnavailableError` for a function without source, TypeError where a step gives
    something else than a function.

    >>> from autograph import pyct
    >>> def area(r, pi=3):
    ...     return pi * r * r
    >>> pyct.transform(area, pyct.to_anf)(2)
    12
    """
    original: Any = getattr(function, "__func__", function)
    source = source_of(original)
    tree = parse_function(source)
    for step in steps:
        tree = step.visit(tree) if isinstance(step, Transformer) else step(tree)
    if not isinstance(tree, gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda):
        raise TypeError(f"the outcome is no function but {type(tree).__name__}")
    code = compile_function(
        tree,
        name=source.qualname,
        filename=source.filename,
        free_names=original.__code__.co_freevars,
        class_name=source.class_name,
        flags=source.flags,
    )
    return make_function(code, original, None)
