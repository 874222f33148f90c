"""Activity: which local names one statement or expression reads, writes, deletes, captures."""

from __future__ import annotations

from dataclasses import dataclass

import gast

from autograph.analysis.scopes import Scope, ScopeTree, sees_all_names
from autograph.syntax.names import bound_by_import
from autograph.syntax.walk import Visitor


class Names:
    """Numbers the names of a function, so that sets of them are bit masks."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        self._names: list[str] = []

    def bit(self, name: str) -> int:
        found = self._bits.get(name)
        if found is None:
            found = self._bits[name] = 1 << len(self._names)
            self._names.append(name)
        return found

    def mask(self, names: set[str] | frozenset[str]) -> int:
        mask = 0
        for name in sorted(names):
            mask |= self.bit(name)
        return mask

    def known(self, name: str) -> int:
        """The bit of a name that may never have been numbered: then no bit."""
        return self._bits.get(name, 0)

    def set(self, mask: int) -> frozenset[str]:
        names = []
        while mask:
            low = mask & -mask
            names.append(self._names[low.bit_length() - 1])
            mask ^= low
        return frozenset(names)


# Built-in functions that are done, when they return, with the generators and functions they get.
CONSUMERS = frozenset(
    ("all", "any", "bytes", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum",
     "tuple")
)  # fmt: skip


@dataclass(slots=True, eq=False, repr=False)
class Activity:
    """Masks of names: `writes` may be written, `binds` certainly are."""

    reads: int = 0
    writes: int = 0
    binds: int = 0
    deletes: int = 0
    captures: int = 0


class ActivityVisitor(Visitor):
    """Collects the activity of the parts of a statement that run when it runs.

    Bodies of functions and lambdas do not run then: what they use is captured, and counts as read
    where they are made. So are those of generator expressions, unless they are gone through at
    once. The names in `module_names` may hide built-in functions.
    """

    def __init__(
        self,
        names: Names,
        scopes: ScopeTree,
        scope: Scope,
        module_names: frozenset[str] = frozenset(),
    ) -> None:
        self._names = names
        self._scopes = scopes
        self._scope = scope
        self._module_names = module_names
        self._doubtful = 0
        self._activity = Activity()

    def of(self, *nodes: gast.AST | None) -> Activity:
        """The activity of some expressions or of a simple statement."""
        activity = self._activity = Activity()
        for node in nodes:
            if node is not None:
                self.visit(node)
        return activity

    def used(self, node: gast.AST) -> Activity:
        """The activity of an expression whose value is used up where it stands."""
        activity = self._activity = Activity()
        self._visit_used(node)
        return activity

    def _write(self, name: str) -> None:
        bit = self._names.bit(name)
        self._activity.writes |= bit
        if not self._doubtful:
            self._activity.binds |= bit
            self._activity.deletes &= ~bit

    def _doubt(self, *nodes: gast.AST | None) -> None:
        self._doubtful += 1
        self.visit_all(nodes)
        self._doubtful -= 1

    def visit_Name(self, node: gast.Name) -> None:
        kind = type(node.ctx)
        if kind is gast.Load:
            self._activity.reads |= self._names.bit(node.id)
        elif kind is gast.Del:
            bit = self._names.bit(node.id)
            self._activity.reads |= bit
            self._activity.writes |= bit
            self._activity.deletes |= bit
            self._activity.binds &= ~bit
        else:
            self._write(node.id)

    def visit_Constant(self, node: gast.Constant) -> None:
        pass

    def visit_Attribute(self, node: gast.Attribute) -> None:
        self.visit(node.value)

    def visit_BinOp(self, node: gast.BinOp) -> None:
        self.visit(node.left)
        self.visit(node.right)

    def visit_Assign(self, node: gast.Assign) -> None:
        unpacks = all(isinstance(target, gast.Tuple | gast.List) for target in node.targets)
        self._visit_used(node.value) if unpacks else self.visit(node.value)
        self.visit_all(node.targets)

    def visit_AugAssign(self, node: gast.AugAssign) -> None:
        if isinstance(node.target, gast.Name):
            self._activity.reads |= self._names.bit(node.target.id)
        self.visit(node.value)
        self.visit(node.target)

    def visit_AnnAssign(self, node: gast.AnnAssign) -> None:
        self.visit_all([node.value])
        if node.value is not None or not isinstance(node.target, gast.Name):
            self.visit(node.target)

    def visit_alias(self, node: gast.alias) -> None:
        if node.name != "*":
            self._write(bound_by_import(node))

    def visit_Global(self, node: gast.Global) -> None:
        pass

    visit_Nonlocal = visit_Global

    def visit_NamedExpr(self, node: gast.NamedExpr) -> None:
        self.visit(node.value)
        self._write(node.target.id)

    def visit_BoolOp(self, node: gast.BoolOp) -> None:
        self.visit(node.values[0])
        self._doubt(*node.values[1:])

    def visit_IfExp(self, node: gast.IfExp) -> None:
        self.visit(node.test)
        self._doubt(node.body, node.orelse)

    def visit_Compare(self, node: gast.Compare) -> None:
        self.visit(node.left)
        self.visit(node.comparators[0])
        self._doubt(*node.comparators[1:])

    def visit_Assert(self, node: gast.Assert) -> None:
        self.visit(node.test)
        self._doubt(node.msg)

    def visit_Call(self, node: gast.Call) -> None:
        if sees_all_names(node):
            visible = self._scope.bound | self._scope.nonlocals | self._scope.globals
            self._activity.reads |= self._names.mask(visible)
        consumes = isinstance(node.func, gast.Name) and self._is_consumer(node.func.id)
        self._visit_used(node.func)
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            self._visit_used(argument) if consumes else self.visit(argument)

    def visit_Starred(self, node: gast.Starred) -> None:
        self._visit_used(node.value)

    def _is_consumer(self, name: str) -> bool:
        """Whether a name is that of a built-in function that uses up what it is given."""
        scope, root = self._scope, self._scopes.root
        is_hidden = name in scope.bound | scope.nonlocals | scope.globals | self._module_names
        return name in CONSUMERS and not (
            is_hidden or name in root.bound or scope.owner(name) is not None
        )

    def _visit_used(self, node: gast.AST) -> None:
        """Visit an expression whose value is used up at once: what it reads, it reads here."""
        if isinstance(node, gast.GeneratorExp):
            self.visit_ListComp(node)
        elif isinstance(node, gast.Lambda):
            self.visit_all([*node.args.defaults, *node.args.kw_defaults])
            scope = self._scopes[node]
            self._activity.reads |= self._names.mask(scope.free)
            self._activity.captures |= self._names.mask(scope.captures)
        else:
            self.visit(node)

    def visit_Lambda(self, node: gast.Lambda) -> None:
        self.visit_all([*node.args.defaults, *node.args.kw_defaults])
        self._capture(self._scopes[node].free)

    def visit_FunctionDef(self, node: gast.FunctionDef) -> None:
        arguments = node.args
        self.visit_all([*node.decorator_list, *arguments.defaults, *arguments.kw_defaults])
        self.visit_all(_annotations(node))
        if node in self._scopes:
            self._capture(self._scopes[node].free)
            self._capture(self._bounds_of(node))
        else:
            self._activity.reads |= self._names.mask(ScopeTree(node)[node].free)
        self._write(node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def _bounds_of(self, node: gast.AST) -> set[str]:
        return ScopeTree(node).root.reads if getattr(node, "type_params", None) else set()

    def visit_ClassDef(self, node: gast.ClassDef) -> None:
        self.visit_all([*node.decorator_list, *node.bases, *node.keywords])
        self._capture(self._scopes[node].free)
        self._capture(self._bounds_of(node))
        self._write(node.name)

    def visit_TypeAlias(self, node: gast.TypeAlias) -> None:
        self._capture(self._scopes[node].free)
        self.visit(node.name)

    def _capture(self, names: set[str]) -> None:
        mask = self._names.mask(names)
        self._activity.captures |= mask
        self._activity.reads |= mask

    def visit_ListComp(self, node: gast.ListComp | gast.GeneratorExp) -> None:
        scope = self._scopes[node]
        self.visit(node.generators[0].iter)
        self._activity.reads |= self._names.mask(scope.free)
        self._activity.captures |= self._names.mask(scope.captures)
        self._activity.writes |= self._names.mask(scope.walruses)
        if scope.sees_all:
            self._activity.reads |= self._names.mask(self._scope.bound)

    visit_SetComp = visit_ListComp
    visit_DictComp = visit_ListComp

    def visit_GeneratorExp(self, node: gast.GeneratorExp) -> None:
        self.visit(node.generators[0].iter)
        scope = self._scopes[node]
        self._capture(scope.free)
        self._activity.writes |= self._names.mask(scope.walruses)


def _annotations(node: gast.FunctionDef) -> list[gast.expr | None]:
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [*(a.annotation for a in [*plain, *rest]), node.returns]
