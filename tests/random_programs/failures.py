"""Random statements that raise, and those around what may raise."""

from __future__ import annotations

from dataclasses import replace

from tests.random_programs.kinds import F8, I8, INT
from tests.random_programs.plain import assign
from tests.random_programs.statements import Place, Statements


def check(s: Statements, place: Place) -> bool:
    """`assert` or `raise`, which seldom fail."""
    name = s.random.choice([*s.scope.of(F8), *s.scope.of(I8), "0"])
    shown = "" if s.loose else f": {{{name}}}"
    rare = f"{name} * 4 > {s.random.choice([60, 120])}"
    if s.chance(0.5):
        s.text(f'assert not ({rare}), f"large{shown}"')
        return True
    with s.text.block(f"if {rare}:"):
        s.text(f'raise {_class(s, s.random.choice(["ValueError", "Odd"]))}(f"large{shown}")')
    return True


def _class(s: Statements, name: str) -> str:
    """A class of errors; at times data chooses between that of one's own and what it extends."""
    if name == "IndexError" or s.chance(0.7):
        return name
    return f"(Odd if {s.write.condition(1)} else ValueError)"


def attempt(s: Statements, place: Place) -> bool:
    """`try` around something that often raises, with handlers, `else` and `finally`."""
    with s.scope.inner():
        _attempt(s, replace(place.below(), in_try=True))
    return True


def _attempt(s: Statements, inside: Place) -> None:
    with s.scope.inner(), s.text.block("try:"):
        if s.chance(0.6):
            s.some(inside)
        caught = s.random.choice([_raise, _raise, _index, _divide, _claim, _claim])(s)
        if s.chance(0.3):
            s.some(inside)
    others = ["ValueError", "IndexError", "AssertionError", "ZeroDivisionError"]
    named = [caught] if s.chance(0.85) else []
    named += [s.random.choice(others)] if s.chance(0.4) else []
    named = list(dict.fromkeys(named))
    for name in named:
        _handler(s, inside, name)
    if named and s.chance(0.3):
        s.block("else:", inside)
    if not named or s.chance(0.3):
        _cleanup(s, inside)


def _handler(s: Statements, place: Place, caught: str) -> None:
    """`except`; at times the error is shown or raised again."""
    error = s.fresh("error")
    lines = []
    if not s.quiet and not s.loose:
        lines = s.random.choice(
            [[f'print("caught", {error})'], [f'print(f"{{type({error}).__name__}}: {{{error}}}")'],
             []]
        )  # fmt: skip
    s.block(f"except {caught} as {error}:" if lines else f"except {caught}:", place, *lines)
    if s.chance(0.1):
        s.text.depth += 1
        again = s.random.choice(["raise", 'raise Odd("again")', 'raise Odd("none") from None'])
        s.text(again)
        s.text.depth -= 1


def _cleanup(s: Statements, place: Place) -> None:
    """`finally`, without jumps."""
    with s.text.block("finally:"):
        assign(s, place)
        if not s.quiet:
            s.text(f'print("{s.fresh("done ")}")')


def _raise(s: Statements) -> str:
    """An error of one's own under a condition."""
    name = s.random.choice(["ValueError", "Odd", "IndexError"])
    shown = s.random.choice([*s.scope.of(F8), *s.scope.of(I8), "0"])
    message = '"no"' if s.loose else f'f"no {{{shown}}}"'
    with s.text.block(f"if {s.write.condition(1)}:"):
        s.text(f"raise {_class(s, name)}({message})")
    return s.random.choice(["Odd", "ValueError"]) if name == "Odd" else name


def _index(s: Statements) -> str:
    """An index that may be out of range."""
    arrays = s.scope.arrays()
    if not arrays:
        return _raise(s)
    name, index = s.random.choice(arrays), s.write.number(s.random.choice([INT, I8]), 1).text
    kind = s.scope.names[name]
    target = s.target(kind.scalar)
    if target is None or s.chance(0.5):
        s.text(f"{name}[{index}] = {s.write.wrapped(kind.scalar, 1)}")
    else:
        s.text(f"{target} = {name}[{index}]")
    return "IndexError"


def _divide(s: Statements) -> str:
    """A division of Python numbers that may be by zero."""
    target = s.target(INT)
    if target is None:
        return _raise(s)
    sign = s.random.choice(["//", "%"])
    s.text(f"{target} = {s.write.wrapped(INT, 1)} {sign} {s.write.wrapped(INT, 1)}")
    return "ZeroDivisionError"


def _claim(s: Statements) -> str:
    """An assertion."""
    s.text(f'assert {s.write.condition(1)}, "claimed"')
    return "AssertionError"


# ---- with ------------------------------------------------------------------------------------


def with_(s: Statements, place: Place) -> bool:
    """`with`, over objects of the program's class and managers that are functions."""
    objects = [n for n, shape in s.scope.shapes.items() if shape.form == "object"]
    managers = [n for n, shape in s.scope.managers.items() if s.scope.like(shape)]
    if not objects + managers:
        return False
    with s.scope.inner():
        items = []
        for text in s.random.choices(objects + managers, k=s.random.choice([1, 1, 2])):
            if text in managers:
                text = f"{text}({s.random.choice(s.scope.like(s.scope.managers[text]))})"
            elif s.chance(0.5):
                name = s.fresh("given")
                s.scope.hold(name, s.scope.shapes[text])
                text = f"{text} as {name}"
            items.append(text)
        s.block(f"with {', '.join(items)}:", replace(place.below(), in_try=True))
    return True
