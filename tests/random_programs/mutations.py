"""Deliberate mistakes, for each converter at least one, that the random programs must catch."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from types import ModuleType
from typing import Any
from unittest import mock

import gast

from autograph.converters import (
    asserts,
    assignments,
    branches,
    calls,
    chains,
    comparisons,
    comprehensions,
    conditional_expressions,
    contexts,
    exceptions,
    fstrings,
    functions,
    generators,
    jumps,
    lambdas,
    logic,
    loops,
    matches,
    names,
    operations,
    raises,
    returns,
    state,
)
from autograph.syntax.template import Template, constant

Patch = Callable[[], AbstractContextManager[Any]]


def _template(module: ModuleType, name: str, old: str, new: str) -> Patch:
    """A template says `new` where it says `old`."""

    def patch() -> AbstractContextManager[Any]:
        text = getattr(module, name).text
        assert old in text, text
        return mock.patch.object(module, name, Template(text.replace(old, new)))

    return patch


def _changed(table: dict[Any, Any], kind: type[gast.AST], change: Callable[[Any], None]) -> Patch:
    """Nodes of a kind are changed before they are converted."""

    def patch() -> AbstractContextManager[Any]:
        convert = table[kind]

        def wrong(node: Any, conversion: Any) -> Any:
            change(node)
            return convert(node, conversion)

        return mock.patch.dict(table, {kind: wrong})

    return patch


def _method(owner: Any, name: str, wrap: Callable[[Any], Any]) -> Patch:
    """A method or function of a converter is replaced."""
    return lambda: mock.patch.object(owner, name, wrap(getattr(owner, name)))


def _unset(kind: type[gast.AST]) -> Callable[[Any], Any]:
    """A jump of the kind does not set its flag."""

    def wrap(loop_jump: Any) -> Any:
        def wrong(self: Any, node: Any, into: Any) -> Any:
            made, flags = loop_jump(self, node, into)
            if isinstance(node, kind):
                made[0].value = constant(False, node)
            return made, flags

        return wrong

    return wrap


def _without_value(lower_return: Any) -> Any:
    def wrong(self: Any, node: Any) -> Any:
        node.value = constant(None, node)
        return lower_return(self, node)

    return wrong


def _without_else(for_or_while: Any) -> Any:
    def wrong(self: Any, node: Any) -> Any:
        node.orelse = []
        return for_or_while(self, node)

    return wrong


def _unguarded(guard: Any) -> Any:
    def wrong(self: Any, flags: Any, body: Any, at: Any) -> Any:
        made = guard(self, flags, body, at)
        made.test = constant(True, at)
        return made

    return wrong


def _else_lost(node: Any) -> None:
    node.orelse = []


def _rest_of_chain_lost() -> AbstractContextManager[Any]:
    """Chains of two are cut as long ones are, and what is left of them never runs."""
    stack = ExitStack()
    stack.enter_context(mock.patch.multiple(chains, LONGEST=1, PIECE=1))
    stack.enter_context(_template(chains, "SET", "value", "False")())
    return stack


def _last_target_lost(node: Any) -> None:
    del node.targets[1:]


def _operands_swapped(node: Any) -> None:
    node.left, node.right = node.right, node.left


def _filters_lost(node: Any) -> None:
    for generator in node.generators:
        generator.ifs = []


def _body_negated(node: Any) -> None:
    fields = {"op": gast.USub(), "operand": node.body}
    node.body = gast.copy_location(gast.UnaryOp(**fields), node.body)


def _with_one_manager(part: Any) -> Any:
    def wrong(statement: Any, lowering: Any) -> None:
        if isinstance(statement, gast.With):
            del statement.items[1:]
        part(statement, lowering)

    return wrong


def _finally_lost(node: Any) -> None:
    node.finalbody = []


MUTATIONS: dict[str, Patch] = {
    "matches-cases-inverted": _template(matches, "EQUAL", "==", "!="),
    "jumps-continue-flag-dropped": _method(jumps._Jumps, "_loop_jump", _unset(gast.Continue)),
    "jumps-break-ignored": _method(jumps._Jumps, "_loop_jump", _unset(gast.Break)),
    "jumps-return-value-lost": _method(jumps._Jumps, "_return", _without_value),
    "jumps-loop-else-ignored": _method(jumps._Jumps, "_for_or_while", _without_else),
    "jumps-rest-not-guarded": _method(jumps._Jumps, "_guard", _unguarded),
    "returns-flag-not-set": _template(returns, "RETURN", "do_return = True", "do_return = False"),
    "functions-result-lost": _template(functions, "END_RETURN", "(retval_, do_return)",
                                       "(retval_, False)"),
    "generators-item-lost": _template(generators, "CONSUME", "consumer(value)", "consumer(0)"),
    "generators-do-not-stop": _template(generators, "CONSUME", "    return", "    pass"),
    "names-slice-reversed": _template(names, "SLICE", "(lower, upper", "(upper, lower"),
    "names-item-is-the-first": _template(names, "GETITEM", "key", "0"),
    "calls-arguments-lost": _template(calls, "CALL", "arguments,", "arguments[:1],"),
    "calls-keywords-lost": _template(calls, "CALL", "keywords,", "None,"),
    "logic-and-is-or": _template(logic, "AND", "and_", "or_"),
    "logic-or-is-and": _template(logic, "OR", "or_", "and_"),
    "logic-not-dropped": _template(logic, "NOT", "ag__.not_(operand)", "operand"),
    "conditional-expressions-swapped": _template(conditional_expressions, "IF_EXP",
                                                 "body, orelse", "orelse, body"),
    "comparisons-chain-sign": lambda: mock.patch.dict(comparisons.SIGNS, {gast.Lt: ">"}),
    "comparisons-not-in-is-in": _template(comparisons, "NOT_IN", "not_in", "in_"),
    "f-strings-conversion-lost": _changed(fstrings.EXPRESSIONS, gast.JoinedStr,
                                          lambda node: node.values.pop()),
    "operations-operands-swapped": _changed(operations.EXPRESSIONS, gast.BinOp, _operands_swapped),
    "comprehensions-filter-lost": _changed(comprehensions.EXPRESSIONS, gast.ListComp,
                                           _filters_lost),
    "lambdas-negated": _changed(lambdas.EXPRESSIONS, gast.Lambda, _body_negated),
    "assignments-item-write-lost": _template(assignments, "SET_ITEM", "setitem(value, key, new)",
                                             "getitem(value, key)"),
    "assignments-second-target-lost": _changed(assignments.STATEMENTS, gast.Assign,
                                               _last_target_lost),
    "assignments-plus-is-minus": lambda: mock.patch.dict(
        assignments.IN_PLACE, {gast.Add: assignments.IN_PLACE[gast.Sub]}
    ),
    "asserts-never-fail": _template(asserts, "ASSERT", "(test,", "(True,"),
    "raises-class-not-asked-for": _template(raises, "RAISED", "ag__.raised(error)", "error"),
    "chains-rest-lost": _rest_of_chain_lost,
    "branches-swapped": _template(branches, "IF", "(test, if_body, else_body",
                                  "(test, else_body, if_body"),
    "branches-else-lost": _changed(branches.STATEMENTS, gast.If, _else_lost),
    "branches-write-lost": _template(branches, "IF", "def if_body():\n    nonlocal names",
                                     "def if_body():\n    pass"),
    "loops-write-lost": _template(loops, "WHILE", "def loop_body():\n    nonlocal names",
                                  "def loop_body():\n    pass"),
    "loops-for-ignores-break": _template(loops, "FOR", "(iterable, extra_test,",
                                         "(iterable, None,"),
    "loops-tested-write-lost": _template(loops, "WHILE", "nonlocal tested", "pass"),
    "state-not-set": _template(state, "SET_STATE", "targets = vars_", "pass"),
    "exceptions-write-lost": _template(exceptions, "TRY", "def try_body():\n    nonlocal names",
                                       "def try_body():\n    pass"),
    "managers-others-lost": _method(contexts, "_part", _with_one_manager),
    "contexts-write-lost": _template(contexts, "WITH", "def with_body(entered):\n    nonlocal names",
                                     "def with_body(entered):\n    pass"),
    "exceptions-finally-lost": _changed(exceptions.STATEMENTS, gast.Try, _finally_lost),
}  # fmt: skip
"""By converter and mistake. Directives and displays have none: they change no result."""
