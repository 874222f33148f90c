"""`match` becomes a chain of `if`s; patterns with structure are matched by a small function.

match x:                      subject_ = x
    case 0: f()               if subject_ == 0: f()
    case [a, b]: g(a, b)      else: (case_, bound_) = ag__.taken_apart(match_, ...); if case_: ...
    case [1, c]: h(c)         ... if case_: case_ = bound_[0] == 1

The subject is taken apart first; values in the pattern are compared after it, so that they may be
tensors. `match_` does so in Python; the graph has its own way, for which the pattern is a tree.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from autograph.analysis.cfg import pattern_names
from autograph.converters.lowering import Lowering, all_of, if_statement
from autograph.syntax.template import STORE, Template, constant, make, name, stored, tuple_of
from autograph.syntax.walk import place_of, statement_lists

BIND = Template("target = value")
STRUCTURE = Template("""
def match_(subject_):
    match subject_:
        case 0:
            return (True, bindings)
    return (False, ())
""")
PATTERN = Template("""
def pattern_():
    return tree
""")
TRY_STRUCTURE = Template("""
matched, bound = ag__.taken_apart(match_, pattern_, subject_, names)
""")
COMPARED = Template("compared = bound[:count]")
CAPTURED = Template("bound[count:]")
EQUAL = Template("subject_ == value")
IDENTICAL = Template("subject_ is value")


def lower_matches(function: Any, lowering: Lowering) -> None:
    """Replaces every `match` in the function."""
    _lower_block(function.body, lowering)


def _lower_block(statements: list[gast.stmt], lowering: Lowering) -> None:
    found = False
    for statement in statements:
        if isinstance(statement, gast.FunctionDef | gast.ClassDef | gast.AsyncFunctionDef):
            continue
        found |= isinstance(statement, gast.Match)
        for block in statement_lists(statement):
            _lower_block(block, lowering)
    if found:
        statements[:] = [new for old in statements for new in _lowered(old, lowering)]


def _lowered(statement: Any, lowering: Lowering) -> list[gast.stmt]:
    if not isinstance(statement, gast.Match):
        return [statement]
    subject = lowering.namer.fresh("subject_")
    taken = _bind(subject, statement.subject, statement)
    return [taken, *_Cases(subject, lowering).chain(statement.cases)]


def _bind(target: str | gast.expr, value: str | gast.expr, at: gast.AST) -> gast.stmt:
    return BIND.statements(at, target=target, value=value)[0]


class _Cases:
    def __init__(self, subject: str, lowering: Lowering) -> None:
        self._subject = subject
        self._lowering = lowering
        self._later: gast.stmt | None = None  # the branch of the case after the one at hand

    def chain(self, cases: list[Any]) -> list[gast.stmt]:
        """The statements for the cases, each later one in the `else` of the one before."""
        following: list[gast.stmt] = []
        for case in reversed(cases):
            following = self._case(case, following)
        return following

    def _case(self, case: Any, following: list[gast.stmt]) -> list[gast.stmt]:
        pattern, at = case.pattern, case.pattern
        if _is_plain(pattern):
            return self._plain_case(case, _flat_test(pattern, self._subject), following)
        matched = self._lowering.namer.fresh("case_")
        before, bindings = self._structure(pattern, matched)
        if case.guard is None:
            body = [*bindings, *case.body]
            return [*before, self._branch(name(matched, at), body, following, at)]
        guarded = self._guard(matched, [*bindings, _bind(matched, case.guard, at)], at)
        return [*before, guarded, self._branch(name(matched, at), case.body, following, at)]

    def _branch(
        self, test: gast.expr, body: list[gast.stmt], following: list[gast.stmt], at: gast.AST
    ) -> gast.stmt:
        if self._later is not None:
            self._lowering.later_cases.add(self._later)
        self._later = if_statement(test, body, following, at)
        return self._later

    def _guard(self, matched: str, body: list[gast.stmt], at: gast.AST) -> gast.stmt:
        return if_statement(name(matched, at), body, [], at)

    def _plain_case(
        self, case: Any, test: gast.expr | None, following: list[gast.stmt]
    ) -> list[gast.stmt]:
        at, guard = case.pattern, case.guard
        captures = [_bind(n, self._subject, at) for n in _plain_captures(case.pattern)]
        if captures and guard is not None:
            return self._captured_and_guarded(case, test, captures, following)
        tests = [t for t in (test, guard) if t is not None]
        if not tests:
            return [*captures, *case.body]
        condition = tests[0] if len(tests) == 1 else all_of(tests, at)
        return [self._branch(condition, [*captures, *case.body], following, at)]

    def _captured_and_guarded(
        self,
        case: Any,
        test: gast.expr | None,
        captures: list[gast.stmt],
        following: list[gast.stmt],
    ) -> list[gast.stmt]:
        at = case.pattern
        if test is None:
            return [*captures, self._branch(case.guard, case.body, following, at)]
        matched = self._lowering.namer.fresh("case_")
        tried = [*captures, _bind(matched, case.guard, at)]
        missed = [_bind(matched, constant(False, at), at)]
        return [
            if_statement(test, tried, missed, at),
            self._branch(name(matched, at), case.body, following, at),
        ]

    def _structure(self, pattern: Any, matched: str) -> tuple[list[gast.stmt], list[gast.stmt]]:
        """A call of a function that matches the pattern, and the binding of what it captured."""
        fresh = self._lowering.namer.fresh
        match_, pattern_, bound = fresh("match_"), fresh("pattern_"), fresh("bound_")
        names = list(dict.fromkeys(n for p in gast.walk(pattern) for n in pattern_names(p)))
        bare, values = self._without_values(pattern)
        helper: Any = STRUCTURE.statements(
            pattern,
            match_=match_,
            subject_=self._subject,
            bindings=tuple_of([name(n, pattern) for n in (*values, *names)], pattern),
        )[0]
        helper.body[0].cases[0].pattern = bare
        tree = PATTERN.statements(pattern, pattern_=pattern_, tree=_tree(bare))
        call = TRY_STRUCTURE.statements(
            pattern,
            matched=matched,
            bound=bound,
            match_=match_,
            pattern_=pattern_,
            subject_=self._subject,
            names=tuple_of([constant(n, pattern) for n in (*values, *names)], pattern),
        )
        self._lowering.as_is.update([helper, *tree, *call])
        compared = self._comparison(matched, bound, values, pattern)
        return [helper, *tree, *call, *compared], self._unpacked(names, len(values), bound, pattern)

    def _unpacked(self, names: list[str], first: int, bound: str, at: gast.AST) -> list[gast.stmt]:
        """The binding of the captured names, which come in `bound` from `first` on."""
        if not names:
            return []
        captured = CAPTURED.expression(at, bound=bound, count=constant(first, at))
        unpacked = _bind(tuple_of([stored(n, at) for n in names], at, STORE), captured, at)
        self._lowering.as_is.add(unpacked)
        return [unpacked]

    def _without_values(self, pattern: Any) -> tuple[Any, dict[str, Any]]:
        """The pattern with captures in the place of values, and the patterns of those values."""
        values: dict[str, Any] = {}

        def visit(part: Any) -> Any:
            if _is_compared(part):
                capture = self._lowering.namer.fresh("value_")
                values[capture] = part
                fields = {"pattern": None, "name": capture, **place_of(part)}
                return make(gast.MatchAs, fields)
            if isinstance(part, gast.MatchOr):
                return part
            part = copy.copy(part)
            for slot in ("patterns", "kwd_patterns"):
                if hasattr(part, slot):
                    setattr(part, slot, [visit(each) for each in getattr(part, slot)])
            if isinstance(part, gast.MatchAs) and part.pattern is not None:
                part.pattern = visit(part.pattern)
            return part

        return visit(pattern), values

    def _comparison(
        self, matched: str, bound: str, values: dict[str, Any], at: gast.AST
    ) -> list[gast.stmt]:
        """Of what was bound, compare the parts to compare, which come first."""
        if not values:
            return []
        split = COMPARED.statements(
            at, compared=tuple_of([stored(n, at) for n in values], at, STORE), bound=bound,
            count=constant(len(values), at),
        )  # fmt: skip
        self._lowering.as_is.update(split)
        tests = [_flat_test(part, n) for n, part in values.items()]
        result = tests[0] if len(tests) == 1 else all_of(tests, at)
        return [self._guard(matched, [*split, _bind(matched, result, at)], at)]


def _is_compared(pattern: Any) -> bool:
    """Whether it is values that the subject is compared with, and binds nothing."""
    if isinstance(pattern, gast.MatchOr):
        return all(map(_is_compared, pattern.patterns))
    return isinstance(pattern, gast.MatchValue | gast.MatchSingleton)


def _tree(pattern: Any) -> gast.expr:
    """An expression for a pattern, as `ag__.taken_apart` wants it."""

    def node(kind: str, *parts: gast.expr) -> gast.expr:
        return tuple_of([constant(kind, pattern), *parts], pattern)

    def several(patterns: list[Any]) -> gast.expr:
        return tuple_of(list(map(_tree, patterns)), pattern)

    def known(value: object) -> gast.expr:
        return constant(value, pattern)

    if isinstance(pattern, gast.MatchValue):
        return node("equal", copy.deepcopy(pattern.value))
    if isinstance(pattern, gast.MatchSingleton):
        return node("is", known(pattern.value))
    if isinstance(pattern, gast.MatchStar):
        return node("star", known(pattern.name))
    if isinstance(pattern, gast.MatchAs):
        if pattern.pattern is None:
            return node("capture", known(pattern.name))
        return node("as", _tree(pattern.pattern), known(pattern.name))
    if isinstance(pattern, gast.MatchOr):
        return node("either", several(pattern.patterns))
    if isinstance(pattern, gast.MatchSequence):
        return node("sequence", several(pattern.patterns))
    if isinstance(pattern, gast.MatchMapping):
        keys = tuple_of(list(map(copy.deepcopy, pattern.keys)), pattern)
        return node("mapping", keys, several(pattern.patterns), known(pattern.rest))
    named = zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)
    attributes = [tuple_of([known(n), _tree(p)], pattern) for n, p in named]
    cls = copy.deepcopy(pattern.cls)
    return node("class", cls, several(pattern.patterns), tuple_of(attributes, pattern))


def _is_plain(pattern: Any) -> bool:
    """Whether comparisons and one capture of the whole subject say what the pattern says."""
    if isinstance(pattern, gast.MatchValue | gast.MatchSingleton):
        return True
    if isinstance(pattern, gast.MatchAs):
        return pattern.pattern is None or _is_plain(pattern.pattern)
    return isinstance(pattern, gast.MatchOr) and all(
        isinstance(p, gast.MatchValue | gast.MatchSingleton) for p in pattern.patterns
    )


def _plain_captures(pattern: Any) -> list[str]:
    if not isinstance(pattern, gast.MatchAs):
        return []
    inner = [] if pattern.pattern is None else _plain_captures(pattern.pattern)
    return inner if pattern.name is None else [*inner, pattern.name]


def _flat_test(pattern: Any, subject: str) -> gast.expr | None:
    """The condition of a plain pattern, or None when it takes everything."""
    if isinstance(pattern, gast.MatchValue):
        return EQUAL.expression(pattern, subject_=subject, value=pattern.value)
    if isinstance(pattern, gast.MatchSingleton):
        value = constant(pattern.value, pattern)
        return IDENTICAL.expression(pattern, subject_=subject, value=value)
    if isinstance(pattern, gast.MatchAs):
        return None if pattern.pattern is None else _flat_test(pattern.pattern, subject)
    tests = [_flat_test(p, subject) for p in pattern.patterns]
    fields = {"op": gast.Or(), "values": tests, **place_of(pattern)}
    node: gast.expr = make(gast.BoolOp, fields)
    return node
