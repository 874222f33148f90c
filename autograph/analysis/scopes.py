"""Scopes: which names each function, lambda, comprehension and class binds, reads and captures.

The rules are those of the language reference, section 4.2 "Naming and binding": a name bound in a
block is local to it unless declared `global` or `nonlocal`; a class body is invisible to the
functions inside it; a walrus in a comprehension binds in the function around it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from autograph.syntax.names import bound_by_import
from autograph.syntax.walk import Visitor


class Kind(enum.Enum):
    """What opens a scope."""

    MODULE = enum.auto()
    CLASS = enum.auto()
    FUNCTION = enum.auto()
    LAMBDA = enum.auto()
    COMPREHENSION = enum.auto()
    TYPE_PARAMETERS = enum.auto()


@dataclass(eq=False, repr=False)
class Scope:
    """One block of the program and what happens to names in it."""

    node: gast.AST
    kind: Kind
    parent: Scope | None
    parameters: tuple[str, ...] = ()
    bound: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    walruses: set[str] = field(default_factory=set)
    lists: set[str] = field(default_factory=set)
    nests: set[str] = field(default_factory=set)
    sequences: set[str] = field(default_factory=set)
    items: set[str] = field(default_factory=set)
    numbers: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    free: set[str] = field(default_factory=set)
    captures: set[str] = field(default_factory=set)
    lent: set[str] = field(default_factory=set)
    rebound_inside: set[str] = field(default_factory=set)
    children: list[Scope] = field(default_factory=list)
    is_generator: bool = False
    is_asynchronous: bool = False
    sees_all: bool = False
    has_walrus: bool = False

    @property
    def outer_writes(self) -> set[str]:
        """Names of other scopes that this one binds through `global` or `nonlocal`."""
        return self.writes & (self.globals | self.nonlocals)

    def enclosing(self) -> Iterator[Scope]:
        """The scopes around this one whose names it can see, innermost first."""
        scope = self.parent
        while scope is not None:
            if scope.kind is not Kind.CLASS:
                yield scope
            scope = scope.parent

    def mentioned(self) -> set[str]:
        """Every name that happens in this scope or one inside it."""
        names = self.reads | self.bound | self.writes | self.globals | self.nonlocals
        return names.union(*(child.mentioned() for child in self.children))

    def owner(self, name: str) -> Scope | None:
        """The enclosing function-like scope that binds `name`, or None: a global or unknown."""
        for scope in self.enclosing():
            if scope.kind is Kind.MODULE or name in scope.globals:
                return None
            if name in scope.bound:
                return scope
        return None

    def is_in_class(self) -> bool:
        """Whether the cell `__class__` exists here: a class body lies around."""
        scope = self.parent
        while scope is not None:
            if scope.kind is Kind.CLASS:
                return True
            scope = scope.parent
        return False


class ScopeTree:
    """The scopes of a tree, by the node that opens them."""

    def __init__(self, tree: gast.AST) -> None:
        self._scopes: dict[gast.AST, Scope] = {}
        self.root = _Builder(self._scopes).build(tree)

    def __getitem__(self, node: gast.AST) -> Scope:
        return self._scopes[node]

    def __contains__(self, node: gast.AST) -> bool:
        return node in self._scopes

    def identifiers(self, node: gast.AST) -> set[str]:
        """Every name that a function and the scopes inside it mention."""
        return self._scopes[node].mentioned()

    def alias(self, copy: gast.AST, original: gast.AST) -> None:
        """Says that `copy`, a copy of a node, opens the same scope."""
        if original in self._scopes:
            self._scopes[copy] = self._scopes[original]


def parameter_names(arguments: gast.arguments) -> tuple[str, ...]:
    """Names of the parameters in the order of `co_varnames`."""
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return tuple(argument.id for argument in [*plain, *rest])


class _Builder(Visitor):
    """One walk that opens and closes scopes, filling each with what is bound and read in it."""

    def __init__(self, scopes: dict[gast.AST, Scope]) -> None:
        self._scopes = scopes
        self._scope: Scope

    def build(self, tree: gast.AST) -> Scope:
        root = self._scope = Scope(tree, Kind.MODULE, None)
        if isinstance(tree, gast.Module):
            self._scopes[tree] = root
            self.visit_all(tree.body)
        else:
            self.visit(tree)
        self._close(root)
        return root

    def _open(self, node: gast.AST, kind: Kind, parameters: tuple[str, ...] = ()) -> Scope:
        scope = Scope(node, kind, self._scope, parameters, set(parameters))
        self._scopes[node] = scope
        self._scope.children.append(scope)
        self._scope = scope
        return scope

    def _shut(self, scope: Scope) -> None:
        self._close(scope)
        assert scope.parent is not None
        self._scope = scope.parent

    def _close(self, scope: Scope) -> None:
        scope.bound |= scope.writes - scope.globals - scope.nonlocals
        wanted = scope.reads | scope.nonlocals
        if scope.kind is Kind.MODULE:
            return
        wanted -= scope.bound
        for child in scope.children:
            hidden = set() if scope.kind is Kind.CLASS else scope.bound
            wanted |= child.free - hidden
            captured = _captured_by(child)
            scope.captures |= captured - hidden
            scope.lent |= captured & hidden
            scope.rebound_inside |= child.nonlocals & child.writes
            scope.rebound_inside |= child.rebound_inside - child.bound
            if child.kind in (Kind.COMPREHENSION, Kind.LAMBDA):
                scope.has_walrus |= child.has_walrus
            scope.sees_all |= child.sees_all and child.kind is Kind.COMPREHENSION
        scope.free = wanted - scope.globals

    def visit_Name(self, node: gast.Name) -> None:
        if isinstance(node.ctx, gast.Load):
            self._scope.reads.add(node.id)
        else:
            self._scope.writes.add(node.id)

    def visit_Constant(self, node: gast.Constant) -> None:
        pass

    def visit_Global(self, node: gast.Global) -> None:
        self._scope.globals.update(node.names)

    def visit_Nonlocal(self, node: gast.Nonlocal) -> None:
        self._scope.nonlocals.update(node.names)

    def visit_alias(self, node: gast.alias) -> None:
        if node.name != "*":
            self._scope.writes.add(bound_by_import(node))

    def visit_MatchAs(self, node: gast.MatchAs) -> None:
        if node.name is not None:
            self._scope.writes.add(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: gast.MatchStar) -> None:
        if node.name is not None:
            self._scope.writes.add(node.name)

    def visit_MatchMapping(self, node: gast.MatchMapping) -> None:
        if node.rest is not None:
            self._scope.writes.add(node.rest)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: gast.NamedExpr) -> None:
        self.visit(node.value)
        scope = self._scope
        scope.has_walrus = True
        while scope.kind is Kind.COMPREHENSION and scope.parent is not None:
            scope.walruses.add(node.target.id)
            scope = scope.parent
        scope.writes.add(node.target.id)

    def visit_AugAssign(self, node: gast.AugAssign) -> None:
        if isinstance(node.target, gast.Name):
            self._scope.reads.add(node.target.id)
        if not isinstance(node.op, gast.Add | gast.Mult):
            self._note(self._holder().numbers, node.target, node.value)
        self.generic_visit(node)

    def visit_BinOp(self, node: gast.BinOp) -> None:
        if not isinstance(node.op, gast.Add | gast.Mult):
            self._note(self._holder().numbers, node.left, node.right)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: gast.UnaryOp) -> None:
        if not isinstance(node.op, gast.Not):
            self._note(self._holder().numbers, node.operand)
        self.generic_visit(node)

    def visit_Compare(self, node: gast.Compare) -> None:
        operands = [node.left, *node.comparators]
        are_names = all(isinstance(x, gast.Name) for x in operands)
        if are_names and all(isinstance(op, gast.Eq | gast.NotEq) for op in node.ops):
            self._note(self._holder().sequences, *operands)
        if any(isinstance(x, gast.Constant) and _is_number(x.value) for x in operands):
            self._note(self._holder().numbers, *operands)
        self.generic_visit(node)

    def visit_Subscript(self, node: gast.Subscript) -> None:
        self._note(self._holder().sequences, node.value)
        self.generic_visit(node)

    def _holder(self) -> Scope:
        """The scope around comprehensions."""
        scope = self._scope
        while scope.kind is Kind.COMPREHENSION and scope.parent is not None:
            scope = scope.parent
        return scope

    @staticmethod
    def _note(names: set[str], *operands: gast.expr) -> None:
        names.update(x.id for x in operands if isinstance(x, gast.Name))

    def visit_Assign(self, node: gast.Assign) -> None:
        for target in node.targets:
            self._note_lists(target, node.value)
            self._note_given(target, node.value)
        self.generic_visit(node)

    def _note_given(self, target: gast.expr, value: gast.expr) -> None:
        """Note the names that are bound to what a function gives."""
        if isinstance(value, gast.Call):
            parts = target.elts if isinstance(target, gast.Tuple) else [target]
            self._note(self._holder().given, *parts)
        elif isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple):
            for part, item in zip(target.elts, value.elts, strict=False):
                self._note_given(part, item)

    def visit_For(self, node: gast.For) -> None:
        self._note_nests(node.target, node.iter)
        self._note(self._holder().sequences, node.iter)
        self._note(self._holder().items, node.target)
        self.generic_visit(node)

    def _note_nests(self, target: gast.expr, value: gast.expr) -> None:
        """Note the names that are bound to what may be lists within a list."""
        if not self._may_hold_lists(value):
            return
        scope = self._holder()
        names = {part.id for part in gast.walk(target) if isinstance(part, gast.Name)}
        scope.lists |= names
        scope.nests |= names

    def _may_hold_lists(self, value: gast.expr) -> bool:
        """Whether an expression is `x.tolist()`, or a part or another order of what that gave."""
        if isinstance(value, gast.Name):
            scopes = (self._scope, *self._scope.enclosing())
            return any(value.id in scope.nests for scope in scopes)
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute):
            is_nest = value.func.attr == "tolist"
            return is_nest or any(map(self._may_hold_lists, value.args))
        if isinstance(value, gast.Call):
            return any(map(self._may_hold_lists, value.args))
        return isinstance(value, gast.Subscript) and self._may_hold_lists(value.value)

    def _note_lists(self, target: gast.expr, value: gast.expr) -> None:
        if not isinstance(value, gast.Tuple):
            self._note_nests(target, value)
        if isinstance(target, gast.Name) and _is_sequence(value):
            self._scope.lists.add(target.id)
        elif isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple):
            for part, item in zip(target.elts, value.elts, strict=False):
                self._note_lists(part, item)

    def visit_AnnAssign(self, node: gast.AnnAssign) -> None:
        if self._scope.kind in (Kind.CLASS, Kind.MODULE):
            self.visit(node.annotation)
        self.visit_all([node.target, node.value])

    def visit_Yield(self, node: gast.Yield) -> None:
        self._scope.is_generator = True
        self.generic_visit(node)

    visit_YieldFrom = visit_Yield

    def visit_Await(self, node: gast.Await) -> None:
        self._scope.is_generator = self._scope.is_asynchronous = True
        self.generic_visit(node)

    def visit_Call(self, node: gast.Call) -> None:
        if isinstance(node.func, gast.Name):
            self._scope.sees_all |= sees_all_names(node)
            if node.func.id == "len":
                self._note(self._holder().sequences, *node.args)
            if node.func.id == "super" and not node.args:
                self._scope.reads.add("__class__")
        self.generic_visit(node)

    def visit_FunctionDef(self, node: gast.FunctionDef) -> None:
        self._scope.writes.add(node.name)
        self.visit_all([*node.decorator_list, *_defaults(node.args)])
        with_types = self._open_type_parameters(node)
        self.visit_all([*_annotations(node.args), node.returns])
        scope = self._open(node, Kind.FUNCTION, parameter_names(node.args))
        self.visit_all(node.body)
        self._shut(scope)
        if with_types is not None:
            self._shut(with_types)

    visit_AsyncFunctionDef = visit_FunctionDef

    def _open_type_parameters(self, node: Any) -> Scope | None:
        parameters = getattr(node, "type_params", None)
        if not parameters:
            return None
        scope = Scope(node, Kind.TYPE_PARAMETERS, self._scope)
        self._scope.children.append(scope)
        self._scope = scope
        for parameter in parameters:
            scope.writes.add(_type_parameter_name(parameter))
            self.visit_all([getattr(parameter, "bound", None)])
            self.visit_all([getattr(parameter, "default_value", None)])
        return scope

    def visit_TypeAlias(self, node: gast.TypeAlias) -> None:
        self.visit(node.name)
        types = self._open_type_parameters(node)
        scope = self._open(node, Kind.LAMBDA)
        self.visit(node.value)
        self._shut(scope)
        if types is not None:
            self._shut(types)

    def visit_Lambda(self, node: gast.Lambda) -> None:
        self.visit_all(_defaults(node.args))
        scope = self._open(node, Kind.LAMBDA, parameter_names(node.args))
        self.visit(node.body)
        self._shut(scope)

    def visit_ClassDef(self, node: gast.ClassDef) -> None:
        self._scope.writes.add(node.name)
        self.visit_all(node.decorator_list)
        with_types = self._open_type_parameters(node)
        self.visit_all([*node.bases, *node.keywords])
        scope = self._open(node, Kind.CLASS)
        self.visit_all(node.body)
        self._shut(scope)
        scope.free.discard("__class__")
        if with_types is not None:
            self._shut(with_types)

    def visit_ListComp(self, node: Any) -> None:
        self.visit(node.generators[0].iter)
        for generator in node.generators:
            self._note_nests(generator.target, generator.iter)
        scope = self._open(node, Kind.COMPREHENSION)
        for number, generator in enumerate(node.generators):
            self.visit_all([generator.target, *generator.ifs])
            if number:
                self.visit(generator.iter)
            if generator.is_async:
                _be_asynchronous(scope)
        self.visit_all([getattr(node, name, None) for name in ("elt", "key", "value")])
        self._shut(scope)
        if scope.is_asynchronous:
            _be_asynchronous(scope)

    visit_SetComp = visit_ListComp
    visit_DictComp = visit_ListComp
    visit_GeneratorExp = visit_ListComp


def _type_parameter_name(node: gast.AST) -> str:
    found = node.name
    return str(found.id if isinstance(found, gast.Name) else found)


def _function_around(scope: Scope) -> Scope:
    while scope.kind is Kind.COMPREHENSION and scope.parent is not None:
        scope = scope.parent
    return scope


def _be_asynchronous(scope: Scope) -> None:
    around = _function_around(scope)
    around.is_generator = around.is_asynchronous = True


def _captured_by(child: Scope) -> set[str]:
    lazy = child.kind is not Kind.COMPREHENSION or isinstance(child.node, gast.GeneratorExp)
    return child.free if lazy else child.captures


def _defaults(arguments: gast.arguments) -> list[gast.expr]:
    return [d for d in [*arguments.defaults, *arguments.kw_defaults] if d is not None]


def _annotations(arguments: gast.arguments) -> list[gast.expr]:
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [a.annotation for a in [*plain, *rest] if a.annotation is not None]


ALWAYS_SEE_ALL = frozenset({"eval", "exec"})
SEE_ALL_WITHOUT_ARGUMENTS = frozenset({"locals", "vars", "dir"})


def sees_all_names(call: gast.Call) -> bool:
    """Whether a call can look at every name of the function it stands in, by the name called."""
    if not isinstance(call.func, gast.Name):
        return False
    if call.func.id in ALWAYS_SEE_ALL:
        return True
    return call.func.id in SEE_ALL_WITHOUT_ARGUMENTS and not (call.args or call.keywords)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def is_view(node: Any) -> bool:
    """Whether an expression is written as a view of a dict."""
    is_method = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)
    return is_method and not node.args and node.func.attr in ("keys", "items", "values")


def _is_sequence(value: gast.expr) -> bool:
    """Whether an expression is surely a list or tuple, or written as a view of a dict."""
    if is_view(value):
        return True
    if isinstance(value, gast.Call) and isinstance(value.func, gast.Name):
        return value.func.id in ("list", "tuple", "sorted")
    return isinstance(value, gast.List | gast.ListComp | gast.Tuple)
