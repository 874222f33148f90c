"""The graph: where control goes, exceptions and jumps through `finally` included."""

import textwrap

import gast
import pytest

from autograph.analysis.activity import ActivityVisitor, Names
from autograph.analysis.cfg import build_graph
from autograph.analysis.scopes import ScopeTree


def reachable(body, start, goal):
    """Whether the statement `goal` can run after `start`; both are single names."""
    text = "def f():\n" + textwrap.indent(body, "    ")
    function = gast.parse(text).body[0]
    scopes, names = ScopeTree(function), Names()
    graph = build_graph(function.body, ActivityVisitor(names, scopes, scopes[function]), names)
    nodes = {
        statement.value.id: span.first
        for statement, span in graph.spans.items()
        if isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Name)
    }
    seen, stack = set(), [nodes[start]]
    while stack:
        node = stack.pop()
        following = [*graph.successors[node], graph.handler[node]]
        stack += [n for n in following if n is not None and n not in seen]
        seen.update(n for n in following if n is not None)
    return nodes[goal] in seen


CASES = {
    "sequence": ("a\nb", True),
    "not backwards": ("b\na", False),
    "other branch": ("if x: a\nelse: b", False),
    "after if": ("if x: a\nb", True),
    "after return": ("a\nreturn\nb", False),
    "loop goes back": ("while x:\n    b\n    a", True),
    "loop else": ("for x in y: a\nelse: b", True),
    "break skips loop else": ("for x in y:\n    a\n    break\n    c\nelse: b", False),
    "continue skips the rest": (
        "if x:\n    for x in y:\n        a\n        break\n        b",
        False,
    ),
    "handler": ("try: a\nexcept E: b", True),
    "handler not after else": ("try: x\nexcept E: b\nelse: a", False),
    "finally after return": ("try:\n    a\n    return\nfinally: b", True),
    "nothing after return and finally": (
        "try:\n    a\n    return\nfinally: x\nb",
        False,
    ),
    "break through finally": (
        "while x:\n    try:\n        a\n        break\n    finally: y\n    z\nb",
        True,
    ),
    "return in finally stops": ("try: a\nfinally: return\nb", False),
    "outer handler": ("try:\n    try: a\n    except E: x\nexcept F: b", True),
    "out of a handler": ("try:\n    try: x\n    except E: a\nexcept F: b", True),
    "finally of a handler": ("try: x\nexcept E: a\nfinally: b", True),
    "several groups": ("try: x\nexcept* E: a\nexcept* F: b", True),
    "one handler": ("try: x\nexcept E: a\nexcept F: b", False),
    "with may swallow": ("with x:\n    a\n    raise y\nb", True),
    "raise leaves": ("a\nraise x\nb", False),
    "other case": ("match x:\n    case 1: a\n    case 2: b", False),
    "no case": ("a\nmatch x:\n    case 1: y\nb", True),
    "every case returns": ("a\nmatch x:\n    case 1: return\n    case _: return\nb", False),
}


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES)
def test_b_runs_after_a(body, expected):
    assert reachable(body, "a", "b") is expected
