"""The walk over one function that applies the converters of statements and expressions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import gast

from autograph.analysis import Facts, Kind, Scope
from autograph.converters.context import Context
from autograph.converters.lowering import Lowering
from autograph.syntax.names import RUNTIME, Namer
from autograph.syntax.template import Template, constant, make, name, tuple_of
from autograph.syntax.walk import place_of, transform_children

Expression = Callable[[Any, "Conversion"], gast.expr]
Statement = Callable[[Any, "Conversion"], list[gast.stmt]]

UNBOUND = Template("target = ag__.Undefined(text)")
THUNK = Template("lambda: value")
NAMED_THUNK = Template("""
def thunk():
    nonlocal names
    global shared
    ag__.note_names(lambda: bound, symbols)
    return value
""")
NEW_NAMES = Template("ag__.new_names(lambda: bound)")


class Handlers(NamedTuple):
    """The converters of one walk, by the class of node that they take."""

    expressions: Mapping[type[gast.AST], Expression]
    statements: Mapping[type[gast.AST], Statement]


@dataclass(eq=False, repr=False)
class Region:
    """A function in the generated code: the user's own, or the body of a branch or loop.

    `outer` are the names that it declares `nonlocal`, `writes` those that it may write.
    `unbound` collects names that must exist in it from its start on, `doubtful` names read in it
    that may be unbound; these must exist too if only parts of it write them: `local_to_parts`.
    `rebound` collects its own names that an operand in it binds by `:=`.
    """

    parent: Region | None
    writes: frozenset[str] = frozenset()
    outer: frozenset[str] = frozenset()
    bound_at_start: int = 0
    unbound: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    local_to_parts: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)

    def is_home(self, name: str) -> bool:
        """Whether the name is a local variable of this very function."""
        return self.parent is None or (name in self.writes and name not in self.outer)


class Conversion:
    """Converts one function; converters ask it for names, facts and converted parts."""

    def __init__(
        self,
        handlers: Handlers,
        lowering: Lowering,
        facts: Facts,
        fscope: str,
        convert_nested: Callable[[Any], None],
    ) -> None:
        self.handlers = handlers
        self.convert_nested = convert_nested
        self.lowering = lowering
        self.facts = facts
        # What is asked for its truth only: whether Python has it as a value, and asks that again.
        self.tests: dict[gast.AST, bool] = {}
        # The `and`s and `or`s that another one asks, and may give as its value.
        self.asked: set[gast.AST] = set()
        self.fscope = fscope
        self.context: Context = lowering.context
        self.namer: Namer = lowering.namer
        self.function: Scope = lowering.scope
        self.scope: Scope = lowering.scope
        self.region = Region(None)
        self.bound_here = 0
        self.hoisted: list[gast.stmt] = []
        # How many `try` and `with` around a `yield` the walk is in.
        self.protecting = 0
        # Whether each `:=` becomes a call, which may stand anywhere.
        self.binding_by_calls = False
        self._carried: frozenset[str] | None = None
        self._lazy = 0
        self._inline = 0

    @property
    def carried(self) -> frozenset[str]:
        """Every name that a branch or loop of the function carries."""
        if self._carried is None:
            self._carried = self.facts.carried()
        return self._carried

    # Expressions

    def expression(self, node: Any) -> gast.expr:
        """The converted expression."""
        handler = self.handlers.expressions.get(type(node))
        if handler is not None:
            return handler(node, self)
        converted: gast.expr = transform_children(node, self.expression)
        return converted

    def test(self, node: Any, *, is_again: bool = False) -> gast.expr:
        """A converted expression that is asked for its truth only, `is_again`: as a value."""
        self._note_test(node, is_again)
        return self.expression(node)

    def _note_test(self, node: Any, is_again: bool) -> None:
        if isinstance(node, gast.BoolOp):
            self.tests[node] = is_again
            for value in node.values[-1:] if is_again else node.values:
                self._note_test(value, is_again)
        elif isinstance(node, gast.UnaryOp | gast.IfExp | gast.Compare) and not is_again:
            self.tests[node] = False
            parts = (node.body, node.orelse) if isinstance(node, gast.IfExp) else ()
            for part in parts:
                self._note_test(part, is_again)

    def optional(self, node: Any) -> gast.expr | None:
        """The converted expression, or None for none."""
        return None if node is None else self.expression(node)

    def thunk(self, node: Any, convert: Callable[[Any], gast.expr] | None = None) -> gast.expr:
        """A function without parameters that computes the expression when called."""
        names = self._bound_by_walrus(node)
        self._lazy += 1
        value = (convert or self.expression)(node)
        self._lazy -= 1
        if not names:
            return THUNK.expression(node, value=value)
        return self._named_thunk(node, value, names)

    def _named_thunk(self, node: gast.AST, value: gast.expr, names: list[str]) -> gast.expr:
        """A walrus binds in the function around it, which a lambda cannot say."""
        thunk = self.namer.fresh("thunk")
        for bound in names:
            self.bind_by_operand(bound)
        shared = [n for n in names if n in self.function.globals]
        local = [n for n in names if n not in self.function.globals]
        self.hoisted += NAMED_THUNK.statements(
            node,
            thunk=thunk,
            names=local,
            shared=shared,
            bound=tuple_of([name(n, node) for n in local], node),
            symbols=tuple_of([constant(n, node) for n in shared], node),
            value=value,
        )
        called: gast.expr = make(
            gast.Name,
            {"id": thunk, "ctx": gast.Load(), "annotation": None, "type_comment": None}
            | place_of(node),
        )
        return called

    def bind_by_operand(self, name: str) -> None:
        """Note that a function in an operand binds a name of the function around by `:=`."""
        self.require(name)
        self._home(name).rebound.add(name)

    @property
    def may_hoist(self) -> bool:
        """Whether functions that an expression needs can be put before its statement."""
        return not self._inline

    def _bound_by_walrus(self, node: gast.AST) -> list[str]:
        if not self.function.has_walrus or self.binding_by_calls:
            return []
        return sorted(walrus_names(node))

    def must_stay_inline(self, *nodes: gast.AST) -> bool:
        """Whether parts must be computed where they stand.

        A `yield` is one of the function around, and a walrus may stand where no named thunk can be
        put before it.
        """
        if any(map(self.suspends, nodes)):
            return True
        if not self._inline or not self.function.has_walrus or self.binding_by_calls:
            return False
        return any(walrus_names(node, into_lambdas=True) for node in nodes)

    def suspends(self, node: gast.AST) -> bool:
        """Whether an expression of a generator holds a `yield` of it."""
        return self.function.is_generator and has_yield(node)

    def inline(self, scope: Scope, convert: Callable[[], None], *, lazy: bool) -> None:
        """Converts inside the scope of a lambda or comprehension."""
        outer, self.scope = self.scope, scope
        self._inline += 1
        self._lazy += lazy
        convert()
        self._lazy -= lazy
        self._inline -= 1
        self.scope = outer

    # Statements

    def statement(self, node: Any) -> list[gast.stmt]:
        """The converted statement, after the functions that its expressions need."""
        if node in self.lowering.as_is and not isinstance(node, gast.Try):
            return [node]
        handler = self.handlers.statements.get(type(node))
        outer, self.hoisted = self.hoisted, []
        outer_bound, self.bound_here = self.bound_here, self.facts.bound_mask(node)
        if handler is not None:
            made = handler(node, self)
        else:
            made = [self._with_converted_parts(node)]
        made = [*self.hoisted, *made] if self.hoisted else made
        self.hoisted, self.bound_here = outer, outer_bound
        return made

    def _with_converted_parts(self, node: Any) -> Any:
        """A statement that no converter takes: its expressions and blocks are converted."""
        for key in node._fields:
            value = getattr(node, key, None)
            if isinstance(value, gast.expr):
                setattr(node, key, self.expression(value))
            elif isinstance(value, list) and value and isinstance(value[0], gast.stmt):
                setattr(node, key, self.block(value))
            elif isinstance(value, list):
                setattr(node, key, [self._part(item) for item in value])
        return node

    def _part(self, item: Any) -> Any:
        if isinstance(item, gast.expr):
            return self.expression(item)
        return self._with_converted_parts(item) if isinstance(item, gast.AST) else item

    def block(self, statements: list[gast.stmt]) -> list[gast.stmt]:
        """The converted statements; at least `pass`."""
        made: list[gast.stmt] = []
        for statement in statements:
            made += self.statement(statement)
        if not made and statements:
            made.append(make(gast.Pass, place_of(statements[0])))
        return made

    def lazily(self, convert: Callable[[], gast.expr]) -> tuple[list[gast.stmt], gast.expr]:
        """A converted expression that a generated function will compute, after what it needs."""
        outer, self.hoisted = self.hoisted, []
        self._lazy += 1
        value = convert()
        self._lazy -= 1
        hoisted, self.hoisted = self.hoisted, outer
        return hoisted, value

    def body(
        self,
        writes: frozenset[str],
        outer: frozenset[str],
        convert: Callable[[], list[gast.stmt]],
        at: gast.AST,
        bound_at_start: int,
    ) -> list[gast.stmt]:
        """The body of a generated function that writes `writes`, some in the scope around it."""
        region = self.region = Region(self.region, writes, outer, bound_at_start)
        lazy, self._lazy = self._lazy, 0
        made = convert()
        self._lazy = lazy
        assert region.parent is not None
        self.region = region.parent
        return [*self.close(region, at), *made]

    def close(self, region: Region, at: gast.AST) -> list[gast.stmt]:
        """The start of a region: names that must exist in it before they are bound.

        Each run of a generated function has its own: none that an operand binds outlives the run.
        """
        missing = region.unbound | (region.doubtful & region.local_to_parts)
        if region.parent is None:
            missing |= self._lent_but_never_bound()
        made = [unbound(each, at) for each in sorted(missing)]
        if region.parent is not None and region.rebound:
            bound = tuple_of([name(n, at) for n in sorted(region.rebound)], at)
            made += NEW_NAMES.statements(at, bound=bound)
        return made

    def _lent_but_never_bound(self) -> set[str]:
        """Names that inner functions capture though only unreachable code bound them."""
        lent = self.function.lent - self.facts.written_anywhere
        return lent.difference(self.function.parameters)

    # Names

    def kind_of(self, name: str) -> Kind | None:
        """FUNCTION for a local of the function, LAMBDA for one of an inner scope, None if outer."""
        scope = self.scope
        while scope is not self.function:
            if name in scope.bound:
                return Kind.LAMBDA
            assert scope.parent is not None
            scope = scope.parent
        return Kind.FUNCTION if name in scope.bound else None

    def is_shadowed(self, name: str) -> bool:
        """Whether a name of `builtins` visibly means something else here."""
        if self.kind_of(name) is not None or name in self.context.module_names:
            return True
        return self.function.owner(name) is not None or name in self.context.free_names

    def note_read(self, name: str) -> None:
        """A local is read: from a function inside its own it must exist even while unbound."""
        inside = self._lazy or self._inline or not self.region.is_home(name)
        if inside or name not in self.facts.written_anywhere:
            self.require(name)
        elif not self.facts.is_in(name, self.bound_here):
            self.region.doubtful.add(name)

    def is_outer(self, name: str) -> bool:
        """Whether a local that may be unbound is read where Python has it as a free variable."""
        if not self._inline or self.facts.is_in(name, self.bound_here):
            return False
        scope = self.scope
        while scope is not self.function:
            if not _shares_frame(scope):
                return True
            assert scope.parent is not None
            scope = scope.parent
        return False

    def require(self, name: str) -> None:
        """Generated code around here mentions the name: it must exist where it is at home."""
        if name in self.function.globals or name in self.function.nonlocals:
            return
        home, around = self._home(name), self.region
        parted = name in around.local_to_parts
        while around is not home:
            assert around.parent is not None
            around = around.parent
            parted |= name in around.local_to_parts
        if home.parent is None and self._is_bound_from_start(name):
            return
        if parted or not self._is_bound_since(home, name):
            home.unbound.add(name)

    def _home(self, name: str) -> Region:
        """The function in the generated code whose local variable a name is, or the outermost."""
        home = self.region
        while home.parent is not None and not home.is_home(name):
            home = home.parent
        return home

    def _is_bound_from_start(self, name: str) -> bool:
        flags = (self.lowering.return_flag, self.lowering.return_value)
        return name in self.function.parameters or name in flags

    def _is_bound_since(self, home: Region, name: str) -> bool:
        """Whether the name certainly was bound by the region where it is at home."""
        if not self.facts.is_in(name, self.bound_here):
            return False
        return home.parent is None or not self.facts.is_in(name, home.bound_at_start)


def _shares_frame(scope: Scope) -> bool:
    """Whether Python runs the scope in the frame of the function around it."""
    inlined = sys.version_info >= (3, 12) and not isinstance(scope.node, gast.GeneratorExp)
    return inlined and scope.kind is Kind.COMPREHENSION


def unbound(name: str, at: gast.AST) -> gast.stmt:
    """The statement that marks a name as not bound."""
    text = make(gast.Constant, {"value": name, "kind": None, **place_of(at)})
    return UNBOUND.statements(at, target=name, text=text)[0]


def walrus_names(node: gast.AST, *, into_lambdas: bool = False) -> set[str]:
    """The names that an expression binds by `:=` in the function around it."""
    found: set[str] = set()
    stack = [node]
    while stack:
        current: Any = stack.pop()
        if isinstance(current, gast.NamedExpr):
            found.add(current.target.id)
        if into_lambdas or not isinstance(current, gast.Lambda):
            stack += gast.iter_child_nodes(current)
    return found


def has_yield(node: gast.AST) -> bool:
    """Whether a part of a function holds a `yield` of that very function."""
    if isinstance(node, gast.Yield | gast.YieldFrom):
        return True
    if isinstance(node, gast.Lambda):
        parts: Any = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    elif isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef):
        defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        parts = [*node.decorator_list, *defaults]
    elif isinstance(node, gast.ClassDef):
        parts = [*node.decorator_list, *node.bases, *node.keywords]
    else:
        parts = gast.iter_child_nodes(node)
    return any(map(has_yield, parts))


def why_left(node: gast.AST, scope: Scope) -> str | None:
    """Why a function is left to Python, or None."""
    if isinstance(node, gast.AsyncFunctionDef):
        return "async def"
    is_left = scope.is_asynchronous or (scope.is_generator and scope.kind is Kind.LAMBDA)
    return "generator" if is_left else None


def is_runtime(node: Any) -> bool:
    """Whether the expression is `ag__.something`."""
    return (
        isinstance(node, gast.Attribute)
        and isinstance(node.value, gast.Name)
        and node.value.id == RUNTIME
    )
