"""Random branches and loops. They end by construction: each round of a `while` costs fuel."""

from __future__ import annotations

from tests.random_programs.kinds import F8, FLOAT, I8, INT, Kind
from tests.random_programs.scope import LIMIT
from tests.random_programs.statements import Place, Statements

FUEL = 12


def branch(s: Statements, place: Place, test: str | None = None) -> bool:
    """`if`, `elif`, `else`."""
    s.block(f"if {test or s.write.condition(1)}:", place.below())
    while s.chance(0.2) and s.budget > 0:
        s.block(f"elif {s.write.condition(1)}:", place.below())
    if s.chance(0.6):
        s.block("else:", place.below())
    return True


def match(s: Statements, place: Place) -> bool:
    """`match` on a number."""
    subject = s.write.number(s.random.choice([INT, I8]), 1).text
    with s.text.block(f"match {subject} % 4:"):
        s.block("case 0:", place.below())
        guard = f" if {s.write.condition(0)}" if s.chance(0.5) else ""
        s.block(f"case 1 | 2{guard}:", place.below())
        if s.chance(0.6):
            s.block("case _:", place.below())
    return True


def while_(s: Statements, place: Place, test: str | None = None) -> bool:
    """`while`; fuel ends it."""
    form = 0.0 if test else s.random.random()
    test = test or s.write.condition(1)
    if form < 0.6:
        both = [test, "fuel > 0"]
        s.random.shuffle(both)
        s.block(f"while {' and '.join(both)}:", place.below(loop=True), "fuel -= 1")
    elif form < 0.8:
        stop = f"if fuel <= 0 or not ({test}): break"
        s.block("while True:", place.below(loop=True), stop, "fuel -= 1")
    elif form < 0.9:
        s.block(f"while (fuel := fuel - 1) > 0 and ({test}):", place.below(loop=True))
    else:
        stop = f"if not ({test}): fuel = 0"
        s.block("while (fuel := fuel - 1) > 0:", place.below(loop=True), stop)
    _otherwise(s, place)
    return True


def for_(s: Statements, place: Place) -> bool:
    """`for` over ranges, arrays, containers and their combinations."""
    over = s.random.choice([_over_range, _over_range, _over_array, _over_items, _over_items,
                            _over_rows, _over_generator])  # fmt: skip
    found = over(s, place)
    if found is None:
        return False
    target, iterable, kinds = found
    with s.scope.inner():
        for name, kind in kinds.items():
            s.scope.hold(name, kind)
            if kind.is_array:
                s.scope.fixed.add(name)
        if over is _over_items or over is _over_array:
            # A list is written at no position by data while `zip` and its kin go through it.
            s.scope.frozen |= {f"{name}[0]" for name in s.scope.shapes if name in iterable}
        s.block(f"for {target} in {iterable}:", place.below(loop=True))
    _otherwise(s, place)
    return True


def _otherwise(s: Statements, place: Place) -> None:
    """At times, the `else` of a loop."""
    if s.chance(0.3):
        s.block("else:", place.below())


Iteration = tuple[str, str, dict[str, Kind]]
"""Text of the target, text of what it goes over, kinds of the names of the target."""


def _over_range(s: Statements, place: Place) -> Iteration | None:
    i, bound = s.fresh("i"), f"{s.write.number(s.random.choice([INT, I8]), 1).text} % 4"
    iterables = [f"range({bound})", f"range({bound})", f"range({bound}, -1, -1)", "range(3)",
                 f"reversed(range({bound}))", f"range(1, {bound}, 2)"]  # fmt: skip
    return i, s.random.choice(iterables), {i: INT}


def _over_array(s: Statements, place: Place) -> Iteration | None:
    """The items of an array, with their numbers, or beside other items."""
    arrays = s.scope.arrays()
    if not arrays:
        return None
    i, v, a = s.fresh("i"), s.fresh("v"), s.random.choice(arrays)
    kind = s.scope.names[a].scalar
    others = [(n, k) for k in (INT, FLOAT, I8, F8) for n, _ in s.scope.groups(k)]
    other, its_kind = s.random.choice(others)
    turned = s.random.choice([a, f"{a}[::-1]", f"reversed({a})", f"{a} * 2 % 7"])
    return s.random.choice(
        [(v, turned, {v: kind}), (v, turned, {v: kind}),
         (f"{i}, {v}", f"enumerate({turned})", {i: INT, v: kind}),
         (f"{i}, {v}", f"enumerate({a}, start=2)", {i: INT, v: kind}),
         (f"{i}, {v}", f"zip({other}, {turned})", {i: its_kind, v: kind}),
         (f"{i}, ({v}, {v}_)", f"enumerate(zip({a}, {other}))",
          {i: INT, v: kind, f"{v}_": its_kind}),
         (i, f"range(len({a}))", {i: INT})]
    )  # fmt: skip


def _over_items(s: Statements, place: Place) -> Iteration | None:
    """The items of a list, tuple or dict, which have one kind."""
    groups = [(n, k) for k in (INT, FLOAT, I8, F8) for n, _ in s.scope.groups(k)]
    groups = [(n, k) for n, k in groups if n not in s.scope.names]
    i, v = s.fresh("i"), s.fresh("v")
    if not groups:
        return v, s.random.choice(["(0.5, 1.5)", "[2.0, 0.25, 1.0]"]), {v: FLOAT}
    (items, kind), (others, other) = s.random.choice(groups), s.random.choice(groups)
    if items.endswith(".values()"):
        pairs = items.replace(".values()", ".items()")
        return s.random.choice([(v, items, {v: kind}), (f"{i}, {v}", pairs, {v: kind})])
    return s.random.choice(
        [(v, items, {v: kind}), (v, f"reversed({items})", {v: kind}),
         (f"{i}, {v}", f"enumerate({items})", {i: INT, v: kind}),
         (f"{i}, {v}", f"zip({others}, {items})", {i: other, v: kind}),
         (f"{i}, {v}", f"list(zip({items}, {others}))[::-1]", {i: kind, v: other})]
    )  # fmt: skip


def _over_rows(s: Statements, place: Place) -> Iteration | None:
    """The rows of a matrix; writes into a row are writes into the matrix."""
    matrices = [(n, shape) for n, shape in s.scope.shapes.items() if shape.form == "matrix"]
    if not matrices:
        return None
    name, shape = s.random.choice(matrices)
    row, i, kind = s.fresh("row"), s.fresh("i"), shape.item
    assert isinstance(kind, Kind)
    if s.chance(0.3):
        return f"{i}, {row}", f"enumerate({name})", {i: INT, row: kind}
    return row, s.random.choice([name, name, f"{name}[::-1]", f"{name}.T.T"]), {row: kind}


def _generator(s: Statements, target: str) -> Iteration:
    """A target and the call of a generator."""
    name = s.random.choice(sorted(s.scope.generators))
    kinds, given = s.scope.generators[name]
    arguments = ", ".join(s.write.argument(kind, 1) for kind in kinds)
    return target, f"{name}({arguments})", {target: given}


def _over_generator(s: Statements, place: Place) -> Iteration | None:
    """Generators may not stop depending on data where an error in a `try` would go through them."""
    if not s.scope.generators or place.in_try:
        return None
    return _generator(s, s.fresh("v"))


def over_generator(s: Statements, place: Place) -> bool:
    """`for` over a generator, mostly left on a condition."""
    target, iterable, kinds = _generator(s, s.fresh("v"))
    kept = s.target(kinds[target])
    with s.scope.inner(), s.text.block(f"for {target} in {iterable}:"):
        s.scope.names |= kinds
        if kept is not None:
            s.text(f"{kept} = {target}")
        if s.chance(0.7):
            word = s.random.choice(["break", "break", f"return {s.returns()}"])
            s.text(f"if {s.write.condition(1)}: {word}")
        s.some(place.below(loop=True))
    _otherwise(s, place)
    return True


def best(s: Statements, place: Place) -> bool:
    """The largest item so far, None before the first."""
    groups = s.scope.groups(F8)
    kept = s.target(F8)
    if not groups or kept is None:
        return False
    (items, _), name, v = s.random.choice(groups), s.fresh("best"), s.fresh("v")
    sign = s.random.choice("<>")
    s.text(f"{name} = None")
    with s.text.block(f"for {v} in {items}:"):
        with s.text.block(f"if {name} is None or {v} {sign} {name}:"):
            s.text(f"{name} = {v}")
    s.text(f"{kept} = {name}")
    return True


assert LIMIT > FUEL
