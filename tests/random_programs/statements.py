"""Random statements. They end by construction: each round of a `while` costs fuel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.random_programs.expressions import Expressions
from tests.random_programs.kinds import BELOW, F8, FLOAT, I8, INT, SCALARS, Kind
from tests.random_programs.scope import LIMIT, Scope, Text

FUEL = 12


@dataclass(frozen=True)
class Place:
    """Where a statement stands."""

    depth: int = 0
    loops: int = 0
    in_loop: bool = False
    in_closure: bool = False

    def below(self, *, loop: bool = False) -> Place:
        """A block of a statement here."""
        return Place(
            self.depth + 1, self.loops + loop, self.in_loop or loop, in_closure=self.in_closure
        )


class Statements:
    """Writes the statements of one function."""

    def __init__(
        self,
        scope: Scope,
        text: Text,
        returns: Callable[[], str],
        *,
        budget: int,
        loose: bool = False,
        quiet: bool = False,
        gives: Kind | None = None,
    ) -> None:
        self.scope, self.text, self.returns = scope, text, returns
        self.random, self.write = scope.random, Expressions(scope)
        self.budget, self.loose, self.quiet, self.gives = budget, loose, quiet, gives
        self.count = 0

    def fresh(self, stem: str) -> str:
        """A new name."""
        self.count += 1
        return f"{stem}{self.count}"

    # ---- blocks ------------------------------------------------------------------------------

    def block(self, head: str, place: Place, *start: str) -> None:
        """A block under `head` that begins with the lines `start`."""
        with self.scope.inner(), self.text.block(head):
            for line in start:
                self.text(line)
            self.some(place)

    def some(self, place: Place) -> None:
        """A few statements."""
        if self.budget <= 0:
            self.assign(place)
            return
        for _ in range(self.random.choice([1, 2, 2, 3])):
            if self.budget <= 0:
                break
            self.statement(place)

    def statement(self, place: Place) -> None:
        """One statement."""
        self.budget -= 1
        self.random.choice(self.forms(place))(place)

    def forms(self, place: Place) -> list[Callable[[Place], None]]:
        """The statements that may stand here, each as often as it should come."""
        forms = [self.assign] * 4 + [self.augment] * 3 + [self.store] * 4
        forms += [self.swap, self.in_place, self.bind, self.check]
        forms += [] if self.quiet else [self.show, self.show]
        if place.depth < 4 and self.budget > 0:
            forms += [self.branch] * 5 + [self.match, self.attempt]
            if place.loops < 2:
                forms += [self.while_] * 3 + [self.for_] * 4
        if self.gives is not None and not place.in_closure:
            forms += [self.give] * 8
        if place.in_loop:
            forms += [self.jump] * 5
        elif place.depth > 0 and not place.in_closure:
            forms += [self.leave]
        if place.depth == 0:
            forms += [self.view, self.function, self.closure, self.listed]
        return forms

    # ---- plain statements --------------------------------------------------------------------

    def target(self, kind: Kind) -> str | None:
        """A name of the kind that may be bound anew."""
        names = self.scope.targets(kind)
        return self.random.choice(names) if names else None

    def assign(self, place: Place) -> None:
        """A name is bound anew, at times to an array or by a walrus."""
        kinds = list({kind for name, kind in sorted(self.scope.names.items())
                      if name not in self.scope.fixed | self.scope.frozen})  # fmt: skip
        if not kinds:
            return self.store(place)
        kind = self.random.choice(sorted(kinds, key=str))
        name = self.target(kind)
        given = self.random.choice(BELOW[kind]) if self.loose and kind in BELOW else kind
        self.text(f"{name} = {self.write.wrapped(given, 2)}")

    def augment(self, place: Place) -> None:
        """`x += e` and the like; what has grown is wrapped."""
        kind = self.random.choice(SCALARS)
        name = self.target(kind)
        if name is None:
            return
        operand = self.random.choice(BELOW[kind] if kind is not FLOAT else (INT, FLOAT))
        sign = self.random.choice(["+=", "-=", "*=", "//=", "%="] + ["/="] * kind.is_float)
        if sign in ("//=", "%=", "/="):
            self.text(f"{name} {sign} {kind.literal(self.random.choice([2, 3, 7]))}")
            return
        made = self.write.number(operand, 1)
        self.text(f"{name} {sign} {made.text}")
        if sign == "*=" or made.bound > 0:
            self.text(f"{name} %= {kind.literal(self.random.choice([11, 19, 37]))}")

    def writable(self, place: Place) -> list[str]:
        """Arrays to write into; in loops, where names may be bound anew, no such names.

        Which array such a name means would depend on data, which is refused where it is written.
        """
        arrays = self.scope.arrays()
        return [n for n in arrays if n in self.scope.fixed] if place.loops else arrays

    def store(self, place: Place) -> None:
        """An item or a slice of an array is written."""
        arrays = self.writable(place)
        if not arrays:
            return
        name = self.random.choice(arrays)
        kind = self.scope.names[name]
        number = self.random.choice(SCALARS if kind.is_float else (INT, I8))
        item = self.item(name, kind)
        if self.random.random() < 0.6:
            self.text(f"{item} = {self.write.wrapped(number, 2)}")
            return
        self.text(f"{item} {self.random.choice(['+=', '-='])} {self.write.number(number, 1).text}")
        self.text(f"{name} %= {kind.literal(self.random.choice([11, 19, 37]))}")

    def item(self, name: str, kind: Kind) -> str:
        """A place in an array."""
        form = self.random.random()
        if form < 0.65:
            return f"{name}[{self.write.index(kind.length)}]"
        if form < 0.9:
            cut = self.random.randrange(kind.length)
            return self.random.choice([f"{name}[{cut}:]", f"{name}[:{cut + 1}]", f"{name}[::2]"])
        return f"{name}[{name} > {kind.literal(3)}]"

    def in_place(self, place: Place) -> None:
        """A whole array is changed where it is."""
        arrays = self.writable(place)
        if not arrays:
            return
        name = self.random.choice(arrays)
        kind = self.scope.names[name]
        number = self.random.choice(SCALARS if kind.is_float else (INT, I8))
        self.text(f"{name} {self.random.choice(['+=', '-='])} {self.write.number(number, 1).text}")
        self.text(f"{name} %= {kind.literal(self.random.choice([11, 19, 37]))}")

    def swap(self, place: Place) -> None:
        """Two names change places, or are bound at once."""
        kind = self.random.choice(SCALARS)
        names = self.scope.targets(kind)
        if len(names) < 2:
            return self.assign(place)
        a, b = self.random.sample(names, 2)
        right = f"{b}, {a}" if self.random.random() < 0.6 else f"{self.write.wrapped(kind, 1)}, {a}"
        self.text(f"{a}, {b} = {right}")

    def bind(self, place: Place) -> None:
        """A name of this block only."""
        kind = self.random.choice(SCALARS)
        name = self.fresh("t")
        if self.random.random() < 0.2:
            self.text(f"{name} = ({name}_ := {self.write.wrapped(kind, 1)})")
            self.scope.names[f"{name}_"] = kind
        else:
            self.text(f"{name} = {self.write.wrapped(kind, 2)}")
        self.scope.names[name] = kind

    def show(self, place: Place) -> None:
        """`print`, with names, expressions and f-strings."""
        names = self.random.sample(list(self.scope.names), min(2, len(self.scope.names)))
        form = self.random.random()
        if form < 0.4:
            floats = [n for n in names if not self.scope.names[n].is_array] or ["0"]
            texts = ", ".join([f"f'{{{n}!r}} {{{floats[0]}:.3f}}'" for n in names])
            self.text(f"print({texts})")
        elif form < 0.6:
            self.text(f"print({', '.join(names)}, sep='; ', end='.\\n')")
        else:
            self.text(f"print('{self.fresh('at ')}', {', '.join(names)}, {self.write.operand(1)})")

    def check(self, place: Place) -> None:
        """`assert` or `raise`, which seldom fail."""
        if self.random.random() < 0.3:
            return self.assign(place)
        name = self.random.choice([*self.scope.of(F8), *self.scope.of(I8), "0"])
        shown = "" if self.loose else f": {{{name}}}"
        rare = f"{name} * 4 > {self.random.choice([60, 120])}"
        if self.random.random() < 0.5:
            self.text(f"assert not ({rare}), f'large{shown}'")
            return
        with self.text.block(f"if {rare}:"):
            self.text(f"raise ValueError(f'large{shown}')")

    # ---- compound statements -----------------------------------------------------------------

    def branch(self, place: Place, test: str | None = None) -> None:
        """`if`, `elif`, `else`."""
        self.block(f"if {test or self.write.condition(1)}:", place.below())
        while self.random.random() < 0.2 and self.budget > 0:
            self.block(f"elif {self.write.condition(1)}:", place.below())
        if self.random.random() < 0.6:
            self.block("else:", place.below())

    def match(self, place: Place) -> None:
        """`match` on a number."""
        subject = self.write.number(self.random.choice([INT, I8]), 1).text
        with self.text.block(f"match {subject} % 4:"):
            self.block("case 0:", place.below())
            guard = f" if {self.write.condition(0)}" if self.random.random() < 0.5 else ""
            self.block(f"case 1 | 2{guard}:", place.below())
            if self.random.random() < 0.6:
                self.block("case _:", place.below())

    def attempt(self, place: Place) -> None:
        """`try` and `finally` around what cannot raise."""
        names = self.scope.of(F8)
        target = self.target(F8)
        if target is None:
            return self.assign(place)
        with self.text.block("try:"):
            self.text(f"{target} = np.tanh({self.random.choice(names)})")
        with self.text.block("finally:"):
            self.text(f"{target} = {target} + {self.random.choice(names)} / 4")
        self.text(f"{target} %= 23.0")

    def while_(self, place: Place, test: str | None = None) -> None:
        """`while`; fuel ends it."""
        form = 0.0 if test else self.random.random()
        test = test or self.write.condition(1)
        if form < 0.6:
            both = [test, "fuel > 0"]
            self.random.shuffle(both)
            self.block(f"while {' and '.join(both)}:", place.below(loop=True), "fuel -= 1")
        elif form < 0.8:
            stop = f"if fuel <= 0 or not ({test}): break"
            self.block("while True:", place.below(loop=True), stop, "fuel -= 1")
        elif form < 0.9:
            self.block(f"while (fuel := fuel - 1) > 0 and ({test}):", place.below(loop=True))
        else:
            stop = f"if not ({test}): fuel = 0"
            self.block("while (fuel := fuel - 1) > 0:", place.below(loop=True), stop)
        self.otherwise(place)

    def for_(self, place: Place) -> None:
        """`for` over ranges, arrays and their combinations."""
        target, iterable, kinds = self.iterable()
        with self.scope.inner():
            self.scope.names |= kinds
            self.block(f"for {target} in {iterable}:", place.below(loop=True))
        self.otherwise(place)

    def otherwise(self, place: Place) -> None:
        """At times, the `else` of a loop."""
        if self.random.random() < 0.3:
            self.block("else:", place.below())

    def iterable(self) -> tuple[str, str, dict[str, Kind]]:
        """Targets and what they go over, with the kinds of the targets."""
        form, i, v = self.random.random(), self.fresh("i"), self.fresh("v")
        if self.scope.generators and self.random.random() < 0.3:
            return self.generator(v)
        bound = f"{self.write.number(self.random.choice([I8, I8, INT]), 1).text} % 5"
        if form < 0.3:
            return i, f"range({bound})", {i: INT}
        if form < 0.4:
            stop = self.random.choice([3, 4, 18])
            return i, f"range({stop})", {i: INT}
        if form < 0.5:
            turned = [
                f"range({bound}, -1, -1)",
                f"reversed(range({bound}))",
                f"range(1, {bound}, 2)",
            ]
            return i, self.random.choice(turned), {i: INT}
        if form < 0.57:
            return v, self.random.choice(["(0.5, 1.5)", "[2.0, 0.25, 1.0]"]), {v: FLOAT}
        arrays = self.scope.arrays()
        if not arrays:
            return i, f"range({bound})", {i: INT}
        a, b = self.random.choice(arrays), self.random.choice(arrays)
        kind, other = self.scope.names[a].scalar, self.scope.names[b].scalar
        if form < 0.8:
            return v, a, {v: kind}
        if form < 0.87:
            return f"{i}, {v}", f"enumerate({a})", {i: INT, v: kind}
        if form < 0.94:
            return f"{i}, {v}", f"zip({a}, {b})", {i: kind, v: other}
        return i, f"range(len({a}))", {i: INT}

    def generator(self, target: str) -> tuple[str, str, dict[str, Kind]]:
        """A target and the call of a generator."""
        name = self.random.choice(sorted(self.scope.generators))
        kinds, given = self.scope.generators[name]
        arguments = ", ".join(self.write.wrapped(kind, 1) for kind in kinds)
        return target, f"{name}({arguments})", {target: given}

    def over_generator(self, place: Place) -> None:
        """`for` over a generator, mostly left on a condition."""
        target, iterable, kinds = self.generator(self.fresh("v"))
        kept = self.target(kinds[target])
        with self.scope.inner(), self.text.block(f"for {target} in {iterable}:"):
            self.scope.names |= kinds
            if kept is not None:
                self.text(f"{kept} = {target}")
            if self.random.random() < 0.7:
                word = self.random.choice(["break", "break", f"return {self.returns()}"])
                self.text(f"if {self.write.condition(1)}: {word}")
            self.some(place.below(loop=True))
        self.otherwise(place)

    def jump(self, place: Place) -> None:
        """`break`, `continue` or `return`, mostly on a condition."""
        words = ["break", "break", "continue", "continue"]
        line = self.random.choice(words + ["return"] * (not place.in_closure))
        line = f"return {self.returns()}" if line == "return" else line
        if self.random.random() < 0.15:
            self.text(line)
            return
        with self.text.block(f"if {self.write.condition(1)}:"):
            if self.random.random() < 0.5:
                self.assign(place)
            self.text(line)

    def give(self, place: Place) -> None:
        """`yield`, at times on a condition."""
        assert self.gives is not None
        line = f"yield {self.write.wrapped(self.gives, 1)}"
        if self.random.random() < 0.5:
            self.text(line)
            return
        with self.text.block(f"if {self.write.condition(1)}:"):
            self.text(line)

    def leave(self, place: Place) -> None:
        """An early `return`."""
        self.text(f"return {self.returns()}")

    # ---- at the top of the function ----------------------------------------------------------

    def view(self, place: Place) -> None:
        """A name for a part of an array."""
        arrays = [n for n in self.scope.arrays() if n in self.scope.fixed]
        if not arrays:
            return self.assign(place)
        of, name = self.random.choice(arrays), self.fresh("part")
        length = self.scope.names[of].length
        if length < 2:
            return self.assign(place)
        cut = self.random.choice(["1:", f":{length - 1}"])
        self.text(f"{name} = {of}[{cut}]")
        self.scope.names[name] = Kind(self.scope.names[of].name, length - 1)
        self.scope.fixed.add(name)

    def function(self, place: Place) -> None:
        """A lambda."""
        name, parameter = self.fresh("fn"), self.fresh("p")
        given, kind = self.random.choice(SCALARS), self.random.choice(SCALARS)
        with self.scope.inner():
            self.scope.names[parameter] = given
            value = self.write.wrapped(kind, 2)
        self.text(f"{name} = lambda {parameter}: {value}")
        self.scope.helpers[name] = ((given,), kind)

    def closure(self, place: Place) -> None:
        """A nested function that writes a name of this one."""
        kind = self.random.choice(SCALARS)
        shared = self.target(kind)
        if shared is None:
            return self.assign(place)
        name, parameter = self.fresh("step"), self.fresh("p")
        with self.scope.inner(), self.text.block(f"def {name}({parameter}):"):
            self.scope.names = {**self.scope.names, parameter: kind}
            own = set(self.scope.names) - {shared, parameter}
            hidden, self.scope.frozen = self.scope.frozen, self.scope.frozen | own
            if not shared.startswith("p"):
                self.text(f"nonlocal {shared}")
            inside = Place(2, 2, in_closure=True)
            with self.text.block(f"if {self.write.condition(1)}:"):
                self.text(f"{shared} = {self.write.wrapped(kind, 1)}")
                if self.random.random() < 0.5:
                    self.text(f"return {self.write.wrapped(kind, 1)}")
            if self.random.random() < 0.5:
                self.augment(inside)
            self.text(f"return {self.write.wrapped(kind, 1)}")
            self.scope.frozen = hidden
        self.scope.helpers[name] = ((kind,), kind)

    def listed(self, place: Place) -> None:
        """A list, by a comprehension; its items are written too."""
        kind = self.random.choice(SCALARS)
        name, k = self.fresh("items"), self.fresh("k")
        with self.scope.inner():
            self.scope.names[k] = INT
            value = self.write.wrapped(kind, 1)
        tail = self.random.choice(["", f" if {k} != 1", f" if {k} > 0"])
        self.text(f"{name} = [{value} for {k} in range(4){tail}]")
        self.scope.lists[name] = (kind, 4 if not tail else 3)
        self.text(f"{name}[{self.random.randrange(3)}] = {self.write.wrapped(kind, 1)}")


assert LIMIT > FUEL
