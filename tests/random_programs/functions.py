"""Random functions within functions."""

from __future__ import annotations

from tests.random_programs.kinds import SCALARS, Kind
from tests.random_programs.plain import augment
from tests.random_programs.statements import Place, Statements


def function(s: Statements, place: Place) -> bool:
    """A lambda."""
    name, parameter = s.fresh("fn"), s.fresh("p")
    given, kind = s.random.choice(SCALARS), s.random.choice(SCALARS)
    with s.scope.inner():
        s.scope.names[parameter] = given
        s.scope.frozen |= set(s.scope.names)
        value = s.write.wrapped(kind, 2)
    s.text(f"{name} = lambda {parameter}: {value}")
    s.scope.helpers[name] = ((given,), kind)
    return True


def closure(s: Statements, place: Place) -> bool:
    """A nested function that writes a name of this one, or a global one."""
    kind = s.random.choice(SCALARS)
    shared = s.target(kind)
    if shared is None:
        return False
    name, parameter = s.fresh("step"), s.fresh("p")
    with s.scope.inner(), s.text.block(f"def {name}({parameter}):"):
        s.scope.names[parameter] = kind
        s.scope.frozen |= (set(s.scope.names) | set(s.scope.flags)) - {shared, parameter}
        if shared.isidentifier():
            s.text(f"{'global' if shared in s.scope.shared else 'nonlocal'} {shared}")
        with s.text.block(f"if {s.write.condition(1)}:"):
            s.text(f"{shared} = {s.write.wrapped(kind, 1)}")
            if s.chance(0.5):
                s.text(f"return {s.write.wrapped(kind, 1)}")
        if s.chance(0.5):
            augment(s, place)
        s.text(f"return {s.write.wrapped(kind, 1)}")
    s.scope.helpers[name] = ((kind,), kind)
    return True


def attempting(s: Statements, place: Place) -> bool:
    """A nested function that writes a name of this one within `try`, at times in a loop."""
    kind = s.random.choice(SCALARS)
    shared = next((n for n in s.scope.targets(kind) if n.isidentifier()), None)
    if shared is None:
        return False
    name, parameter, item = s.fresh("attempt"), s.fresh("p"), s.fresh("v")
    groups = s.scope.groups(kind)
    with (
        s.scope.inner(),
        s.text.block(f"def {name}({parameter}, {item}={s.write.wrapped(kind, 0)}):"),
    ):
        s.scope.names[parameter] = s.scope.names[item] = kind
        s.scope.frozen |= (set(s.scope.names) | set(s.scope.flags)) - {shared, parameter}
        s.text(f"{'global' if shared in s.scope.shared else 'nonlocal'} {shared}")
        if groups and s.chance(0.6):
            items = s.random.choice(groups)[0]
            with s.text.block(f"for {item} in {items}:"):
                _attempt(s, kind, shared, ["continue", "break", "pass", "return"])
        else:
            _attempt(s, kind, shared, ["pass", "return"])
        s.text(f"return {s.write.wrapped(kind, 1)}")
    s.scope.helpers[name] = ((kind,), kind)
    return True


def _attempt(s: Statements, kind: Kind, shared: str, jumps: list[str]) -> None:
    with s.text.block("try:"):
        s.text(f"{shared} = {s.write.wrapped(kind, 1)}")
        with s.text.block(f"if {s.write.condition(1)}:"):
            s.text('raise Odd("odd")')
        s.text(f"{shared} = {s.write.wrapped(kind, 1)}")
    with s.text.block(f"except {s.random.choice(['Odd', 'ValueError'])}:"):
        if s.chance(0.6):
            s.text(f"{shared} = {s.write.wrapped(kind, 1)}")
        jump = s.random.choice(jumps)
        s.text(f"return {s.write.wrapped(kind, 1)}" if jump == "return" else jump)
    if s.chance(0.3):
        with s.text.block("finally:"):
            s.text(f"{shared} = {shared} % {kind.literal(19)}")


def accumulator(s: Statements, place: Place) -> bool:
    """A nested function with a name of its own, which a function within it writes."""
    kind = s.random.choice(SCALARS)
    name, parameter, total = s.fresh("total"), s.fresh("p"), s.fresh("sum")
    add, given = s.fresh("add"), s.fresh("p")
    with s.scope.inner(), s.text.block(f"def {name}({parameter}):"):
        s.scope.names[parameter] = kind
        s.text(f"{total} = {s.write.wrapped(kind, 1)}")
        s.scope.frozen |= set(s.scope.names) | set(s.scope.flags)
        s.scope.names[total] = kind
        with s.scope.inner(), s.text.block(f"def {add}({given}):"):
            s.scope.names[given] = kind
            s.scope.frozen |= {given, total}
            s.text(f"nonlocal {total}")
            if s.chance(0.5):
                with s.text.block(f"if {s.write.condition(1)}:"):
                    s.text(f"{total} = {s.write.wrapped(kind, 1)}")
            else:
                s.text(f"{total} = {s.write.wrapped(kind, 1)}")
            s.text(f"return {s.write.wrapped(kind, 1)}")
        s.scope.helpers[add] = ((kind,), kind)
        for _ in range(s.random.choice([1, 2])):
            _add_to(s, add, kind)
        s.text(f"return {s.write.wrapped(kind, 1)}")
    s.scope.helpers[name] = ((kind,), kind)
    return True


def _add_to(s: Statements, add: str, kind: Kind) -> None:
    """A call of `add`: once, on a condition, or for each of some items."""
    call = f"{add}({s.write.argument(kind, 1)})"
    groups = s.scope.groups(kind)
    match s.random.choice(["once", "if", "for"]):
        case "if":
            with s.text.block(f"if {s.write.condition(1)}:"):
                s.text(call)
        case "for" if groups:
            items, _ = s.random.choice(groups)
            item = s.fresh("v")
            items = f"({item} for {item} in {items})" if s.chance(0.5) else items
            with s.text.block(f"for {item} in {items}:"):
                s.text(f"{add}({item})")
        case _:
            s.text(call)
