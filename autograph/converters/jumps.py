"""Jumps: `return`, `break` and `continue` become flags, with the statements after them guarded.

while c:                      break_ = False
    if a: break               while not break_ and c:
    f()                           if a: break_ = True
                                  else: f()
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from autograph.converters.chains import is_long
from autograph.converters.lowering import Lowering, all_of, if_statement, none_set
from autograph.syntax.template import Template, constant, make, name, stored
from autograph.syntax.walk import place_of, statement_lists

SET_FLAG = Template("flag = value")
CLEAR_ON_ERROR = Template("""
try:
    body
except:
    cleared
    raise
""")
RUN_FINALLY = Template("""
try:
    body
except:
    on_error
    if no_jump:
        raise
else:
    normally
""")

DEEPEST_NEST = 12
"""How deep tails are moved into branches; beyond that they are guarded side by side."""


def lower_jumps(function: Any, lowering: Lowering) -> None:
    """Removes every jump from the body of the function."""
    reach = _Reach()
    reach.block(function.body)
    if not reach.jumping:
        return
    inner = [s for s in function.body if not isinstance(s, gast.Return)]
    lowering.always_returns = "return" in reach.of(inner) and reach.stopping(function.body)
    function.body = _Jumps(lowering, reach).block(function.body)[0]


@dataclass(eq=False, repr=False)
class _Reach:
    """Which jumps leave each statement, which statements need lowering (a jump or the `else` of a
    loop is in them), and which never complete normally."""

    jumping: set[gast.AST] = field(default_factory=set)
    escapes: dict[gast.AST, frozenset[str]] = field(default_factory=dict)
    stops: set[gast.AST] = field(default_factory=set)

    def block(self, statements: list[gast.stmt]) -> frozenset[str]:
        escapes: frozenset[str] = frozenset()
        for statement in statements:
            escapes |= self._statement(statement)
        return escapes

    def of(self, statements: list[gast.stmt]) -> frozenset[str]:
        return frozenset[str]().union(*(self.escapes.get(s, frozenset()) for s in statements))

    def stopping(self, statements: list[gast.stmt]) -> bool:
        return any(s in self.stops for s in statements)

    def _statement(self, node: Any) -> frozenset[str]:
        escapes = _DIRECT.get(type(node))
        if escapes is not None:
            self.stops.add(node)
        elif isinstance(node, gast.For | gast.While):
            inside = self.block(node.body)
            escapes = inside - {"break", "continue"} | self.block(node.orelse)
            if inside or node.orelse:
                self.jumping.add(node)
        elif isinstance(node, gast.If):
            escapes = self.block(node.body) | self.block(node.orelse)
            if self.stopping(node.body) and self.stopping(node.orelse):
                self.stops.add(node)
        elif isinstance(node, gast.With):
            escapes = self.block(node.body)
        elif isinstance(node, gast.Try | gast.TryStar):
            escapes = self._try(node)
        else:
            return frozenset()
        self.escapes[node] = escapes
        if escapes or any(inner in self.jumping for inner in _inside(node)):
            self.jumping.add(node)
        return escapes

    def _try(self, node: Any) -> frozenset[str]:
        escapes = self.block(node.body) | self.block(node.orelse) | self.block(node.finalbody)
        for handler in node.handlers:
            escapes |= self.block(handler.body)
        normally = self.stopping(node.body) or self.stopping(node.orelse)
        caught = all(self.stopping(handler.body) for handler in node.handlers)
        if normally and caught or self.stopping(node.finalbody):
            self.stops.add(node)
        return escapes


def _inside(node: Any) -> Iterator[gast.stmt]:
    for block in statement_lists(node):
        yield from block


_DIRECT: dict[type[gast.AST], frozenset[str]] = {
    gast.Return: frozenset({"return"}),
    gast.Break: frozenset({"break"}),
    gast.Continue: frozenset({"continue"}),
    gast.Raise: frozenset(),
}


@dataclass(eq=False, repr=False)
class _Target:
    """The flags of the loop that jumps leave, made when first used."""

    breaks: str | None = None
    continues: str | None = None
    continue_sites: list[tuple[list[gast.stmt], gast.stmt]] = field(default_factory=list)


class _Jumps:
    def __init__(self, lowering: Lowering, reach: _Reach) -> None:
        self._lowering = lowering
        self._reach = reach
        self._loop = _Target()
        self._return_flag: str | None = None
        self._read: set[str] = set()
        self._depth = 0
        self._catching = 0

    def block(self, statements: list[gast.stmt]) -> tuple[list[gast.stmt], set[str]]:
        """The statements without jumps, and the flags that they may set.

        What follows a statement that may set flags is guarded by them, up to the next such one.
        """
        done: list[gast.stmt] = []
        flags: set[str] = set()
        into = done
        for index, node in enumerate(statements):
            took_rest = self._give_rest(node, statements, index + 1)
            made, set_here = self._statement(node, into)
            into += made
            is_last = took_rest or node in self._reach.stops or index + 1 == len(statements)
            if is_last or set_here:
                self._add_guarded(done, into, flags)
                flags |= set_here
                into = []
            if is_last:
                break
        return done, flags

    def _add_guarded(
        self, done: list[gast.stmt], statements: list[gast.stmt], flags: set[str]
    ) -> None:
        if statements is not done:
            done.append(self._guard(flags, statements, statements[0]))

    def _give_rest(self, node: Any, statements: list[gast.stmt], stop: int) -> bool:
        """Moves what follows an `if` into its only branch that goes on, where there is one.

        Not into a long chain, whose pieces it would part.
        """
        reach = self._reach
        if stop == len(statements) or not isinstance(node, gast.If) or self._depth > DEEPEST_NEST:
            return False
        stops = reach.stopping(node.body), reach.stopping(node.orelse)
        if not reach.escapes.get(node) or stops[0] == stops[1] or is_long(node, self._lowering):
            return False
        going_on = node.orelse if stops[0] else node.body
        going_on += statements[stop:]
        reach.escapes[node] |= reach.of(statements[stop:])
        return True

    def _guard(self, flags: set[str], body: list[gast.stmt], at: gast.AST) -> gast.stmt:
        self._read |= flags
        return if_statement(none_set(flags, at), body, [], at)

    def _statement(self, node: Any, into: list[gast.stmt]) -> tuple[list[gast.stmt], set[str]]:
        if isinstance(node, gast.Return):
            return self._return(node)
        if isinstance(node, gast.Break | gast.Continue):
            return self._loop_jump(node, into)
        if node not in self._reach.jumping:
            return [node], set()
        if isinstance(node, gast.If):
            return self._if(node)
        if isinstance(node, gast.For | gast.While):
            return self._for_or_while(node)
        if isinstance(node, gast.With):
            return self._with(node)
        return self._try(node)

    def _return(self, node: Any) -> tuple[list[gast.stmt], set[str]]:
        lowering = self._lowering
        if lowering.return_flag is None:
            lowering.return_flag = lowering.namer.fresh("do_return")
            lowering.return_value = lowering.namer.fresh("retval_")
        flag = self._return_flag or lowering.return_flag
        assert lowering.return_value is not None
        value = node.value or constant(None, node)
        targets = [stored(flag, node), stored(lowering.return_value, node)]
        fields = {"targets": targets, "value": value, "type_comment": None, **place_of(node)}
        assign = make(gast.Assign, fields)
        lowering.returns.add(assign)
        return [assign], {flag}

    def _loop_jump(self, node: Any, into: list[gast.stmt]) -> tuple[list[gast.stmt], set[str]]:
        loop, fresh = self._loop, self._lowering.namer.fresh
        if isinstance(node, gast.Break):
            flag = loop.breaks = loop.breaks or fresh("break_")
        else:
            flag = loop.continues = loop.continues or fresh("continue_")
        statement = self._set(flag, True, node)
        if isinstance(node, gast.Continue):
            loop.continue_sites.append((into, statement))
        return [statement], {flag}

    def _set(self, flag: str, value: bool, at: gast.AST) -> gast.stmt:
        return SET_FLAG.statements(at, flag=flag, value=constant(value, at))[0]

    def _if(self, node: Any) -> tuple[list[gast.stmt], set[str]]:
        self._depth += 1
        node.body, in_body = self.block(node.body)
        node.orelse, in_orelse = self.block(node.orelse)
        self._depth -= 1
        return [node], in_body | in_orelse

    def _for_or_while(self, node: Any) -> tuple[list[gast.stmt], set[str]]:
        outer, loop = self._loop, _Target()
        self._loop = loop
        node.body, flags = self.block(node.body)
        self._loop = outer
        self._finish_continue(node, loop)
        orelse, in_orelse = self.block(node.orelse)
        before = [self._set(loop.breaks, False, node)] if loop.breaks else []
        stopping = flags - {loop.continues or ""}
        node.orelse = []
        if stopping:
            self._stop_at(node, stopping)
            orelse = [self._guard(stopping, orelse, node)] if orelse else []
        own = {loop.breaks or "", loop.continues or ""}
        return [*before, node, *orelse], flags - own | in_orelse

    def _finish_continue(self, node: Any, loop: _Target) -> None:
        if loop.continues is None:
            return
        if loop.continues in self._read:
            node.body.insert(0, self._set(loop.continues, False, node))
            return
        for block, statement in loop.continue_sites:
            block[block.index(statement)] = make(gast.Pass, place_of(statement))

    def _stop_at(self, node: Any, flags: set[str]) -> None:
        self._read |= flags
        test = none_set(flags, node)
        if isinstance(node, gast.For):
            self._lowering.extra_tests[node] = test
        elif isinstance(node.test, gast.Constant) and node.test.value is True:
            node.test = test
        else:
            node.test = all_of([test, node.test], node)

    def _with(self, node: Any) -> tuple[list[gast.stmt], set[str]]:
        self._catching += 1
        node.body, flags = self.block(node.body)
        self._catching -= 1
        return self._cleared_on_error([node], flags, node), flags

    def _cleared_on_error(
        self, body: list[gast.stmt], flags: set[str], at: gast.AST
    ) -> list[gast.stmt]:
        """A jump that a raising `__exit__` or `finally` cancels, inside a `try`, never happened."""
        if not flags or not self._catching:
            return body
        cleared = [self._set(flag, False, at) for flag in sorted(flags)]
        made = CLEAR_ON_ERROR.statements(at, body=body, cleared=cleared)
        self._lowering.as_is.update(made)
        return made

    def _try(self, node: Any) -> tuple[list[gast.stmt], set[str]]:
        if self._reach.of(node.finalbody):
            return self._jumping_finally(node)
        flags = self._protected(node)
        node.finalbody, _ = self.block(node.finalbody)
        if node.finalbody:
            return self._cleared_on_error([node], flags, node), flags
        return [node], flags

    def _protected(self, node: Any) -> set[str]:
        """Lowers body, handlers and `else`, which is skipped after a jump."""
        self._catching += 1
        node.body, flags = self.block(node.body)
        skipped = set(flags)
        for handler in node.handlers:
            handler.body, in_handler = self.block(handler.body)
            flags = flags | in_handler
        node.orelse, in_orelse = self.block(node.orelse)
        self._catching -= 1
        if node.orelse and skipped:
            node.orelse = [self._guard(skipped, node.orelse, node)]
        return flags | in_orelse

    def _jumping_finally(self, node: Any) -> tuple[list[gast.stmt], set[str]]:
        """A `finally` that jumps swallows the exception and takes the place of other jumps."""
        finalbody, node.finalbody = node.finalbody, []
        body, flags = self._without_finally(node)
        again = copy.deepcopy(finalbody)
        for new, old in zip(again, finalbody, strict=True):
            self._lowering.alias(new, old)
        self._reach.block(again)
        outer = self._loop, self._return_flag
        self._loop, self._return_flag = _Target(), self._lowering.namer.fresh("do_return")
        fresh = self._return_flag
        on_error, jumps = self.block(again)
        normally, _ = self.block(finalbody)
        inner = self._loop
        self._loop, self._return_flag = outer
        if not jumps:  # they were unreachable
            node.body = node.body if node.handlers else body
            node.finalbody = normally
            return [node], flags
        self._read |= jumps
        made = RUN_FINALLY.statements(
            node, body=body, on_error=on_error, no_jump=none_set(jumps, node), normally=normally
        )
        self._lowering.finishing.update(made)
        starts = [self._set(flag, False, node) for flag in sorted(jumps)]
        ends, taken = self._take_over(node, inner, fresh, jumps, flags)
        return [*starts, *made, *ends], flags | taken

    def _without_finally(self, node: Any) -> tuple[list[gast.stmt], set[str]]:
        if node.handlers:
            return [node], self._protected(node)
        self._catching += 1
        body, flags = self.block(node.body)
        self._catching -= 1
        return body, flags

    def _take_over(
        self, node: Any, inner: _Target, returns: str, jumps: set[str], pending: set[str]
    ) -> tuple[list[gast.stmt], set[str]]:
        """Says in the flags around the statement which jump the `finally` made."""
        taken: set[str] = set()
        statements: list[gast.stmt] = []
        for flag in sorted(jumps):
            target = self._outer_flag(flag, inner, returns)
            taken.add(target)
            clear = [self._set(f, False, node) for f in sorted(pending - {target})]
            body = [*clear, self._set(target, True, node)]
            statements.append(if_statement(name(flag, node), body, [], node))
        return statements, taken

    def _outer_flag(self, flag: str, inner: _Target, returns: str) -> str:
        fresh = self._lowering.namer.fresh
        if flag == returns:
            assert self._lowering.return_flag is not None
            return self._return_flag or self._lowering.return_flag
        if flag == inner.breaks:
            self._loop.breaks = self._loop.breaks or fresh("break_")
            return self._loop.breaks
        self._loop.continues = self._loop.continues or fresh("continue_")
        self._read.add(self._loop.continues)
        return self._loop.continues
