"""Random functions within functions."""

from __future__ import annotations

from tests.random_programs.kinds import SCALARS
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
