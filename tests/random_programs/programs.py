"""Random programs: source text of a function `f`, and several sets of arguments for it."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.random_programs.kinds import F8, FLOAT, I8, INT, SCALARS, Kind
from tests.random_programs.scope import Scope, Text
from tests.random_programs.statements import FUEL, Place, Statements

INPUTS = 6


@dataclass(frozen=True)
class Program:
    """`source` defines `f`. In a loose program the types of results may depend on data."""

    seed: int
    source: str
    inputs: tuple[tuple[Any, ...], ...]
    loose: bool = False

    def arguments(self) -> list[tuple[Any, ...]]:
        """Fresh copies of the sets of arguments."""
        return copy.deepcopy(list(self.inputs))

    def with_source(self, source: str) -> Program:
        """The same inputs for other text."""
        return replace(self, source=source)


def make_program(seed: int) -> Program:
    """The program of a seed."""
    return _Writer(seed).program()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.loose = self.random.random() < 0.15
        self.length = self.random.choice([3, 4])
        self.text = Text()

    def program(self) -> Program:
        self.text("import numpy as np")
        helpers = dict(self.helper(k) for k in range(self.random.choice([0, 0, 1, 2])))
        generators = dict(self.generator(k) for k in range(self.random.choice([0, 1])))
        parameters = self.parameters()
        scope = Scope(self.random, dict(parameters), helpers=helpers, generators=generators)
        scope.fixed |= set(scope.arrays())
        with self.text.block(f"def f({', '.join(parameters)}):"):
            self.body(scope)
        inputs = tuple(self.arguments(parameters) for _ in range(INPUTS))
        return Program(self.seed, self.text.done(), inputs, self.loose)

    def parameters(self) -> dict[str, Kind]:
        chosen = {"x": F8, "n": I8, "y": FLOAT, "a": Kind("f8", self.length)}
        more = {"c": Kind("i8", self.length), "k": INT, "z": F8}
        return chosen | {name: more[name] for name in more if self.random.random() < 0.4}

    def body(self, scope: Scope) -> None:
        self.text(f"fuel = {FUEL}")
        write = Statements(
            scope, self.text, lambda: self.result(write, kept),
            budget=self.random.randrange(10, 22), loose=self.loose, quiet=self.loose,
        )  # fmt: skip
        self.locals(scope, write)
        kept = dict(scope.names)
        place = Place()
        for statement in (write.listed, write.function):
            if self.random.random() < 0.3:
                statement(place)
        forced = [write.branch, write.while_]
        self.random.shuffle(forced)
        for statement in forced:
            statement(place, self.varying())
            if self.random.random() < 0.5:
                write.statement(place)
        self.random.choice(forced)(place, self.varying())
        if scope.generators:
            write.over_generator(place)
        while write.budget > 0:
            write.statement(place)
        self.text(f"return {', '.join(kept)}, fuel")

    def varying(self) -> str:
        """A condition that often differs between the sets of arguments."""
        name, least, most = self.random.choice(
            [("x", 0, 3), ("n", 2, 3), ("y", 0, 3), ("a[0]", 0, 3)]
        )
        return f"{name} {self.random.choice('<>')} {self.random.randint(least, most)}"

    def locals(self, scope: Scope, write: Statements) -> None:
        for kind in SCALARS:
            for _ in range(self.random.choice([0, 1, 1, 2])):
                name = write.fresh("s")
                self.text(f"{name} = {write.write.wrapped(kind, 1)}")
                scope.names[name] = kind
        if self.random.random() < 0.4:
            kind = Kind(self.random.choice(["f8", "i8"]), self.length)
            self.text(f"b = {write.write.wrapped(kind, 1)}")
            scope.names["b"] = kind
            scope.fixed.add("b")
        if self.random.random() < 0.3:
            kind = Kind("f8", self.length)
            self.text(f"e = {write.write.wrapped(kind, 1)}")
            scope.names["e"] = kind

    def result(self, write: Statements, kept: dict[str, Kind]) -> str:
        """The values of an early return: of the same kinds as those of the last one."""
        changed = self.random.choice(list(kept))
        parts = [
            write.write.wrapped(kind, 1) if name == changed and not kind.is_array else name
            for name, kind in kept.items()
        ]
        return f"{', '.join(parts)}, fuel"

    def helper(self, number: int) -> tuple[str, tuple[tuple[Kind, ...], Kind]]:
        name, result = f"g{number}", self.random.choice(SCALARS)
        kinds = tuple(self.random.choice(SCALARS) for _ in range(self.random.choice([1, 2])))
        parameters = {f"p{k}": kind for k, kind in enumerate(kinds)}
        scope = Scope(self.random, parameters | {"q": result})
        with self.text.block(f"def {name}({', '.join(parameters)}):"):
            self.text("fuel = 5")
            local = Scope(self.random, dict(parameters))
            write = Statements(local, self.text, lambda: "q", budget=1)
            self.text(f"q = {write.write.wrapped(result, 1)}")
            write = Statements(
                scope, self.text, lambda: write.write.wrapped(result, 1),
                budget=self.random.randrange(2, 6), loose=False, quiet=self.loose,
            )  # fmt: skip
            while write.budget > 0:
                write.statement(Place(depth=1, loops=1, in_closure=False))
            self.text(f"return {write.write.wrapped(result, 1)}")
        return name, (kinds, result)

    def generator(self, number: int) -> tuple[str, tuple[tuple[Kind, ...], Kind]]:
        name, given = f"h{number}", self.random.choice(SCALARS)
        kinds = tuple(self.random.choice(SCALARS) for _ in range(self.random.choice([1, 2])))
        parameters = {f"p{k}": kind for k, kind in enumerate(kinds)}
        with self.text.block(f"def {name}({', '.join(parameters)}):"):
            self.text("fuel = 4")
            write = Statements(
                Scope(self.random, parameters), self.text, lambda: "",
                budget=self.random.randrange(3, 7), quiet=self.loose, gives=given,
            )  # fmt: skip
            while write.budget > 0:
                write.statement(Place(depth=1, loops=1))
            self.text(f"yield {write.write.wrapped(given, 1)}")
        return name, (kinds, given)

    # ---- arguments ---------------------------------------------------------------------------

    def arguments(self, parameters: dict[str, Kind]) -> tuple[Any, ...]:
        return tuple(self.argument(kind) for kind in parameters.values())

    def argument(self, kind: Kind) -> Any:
        if kind.is_array:
            values = [self.argument(kind.scalar) for _ in range(kind.length)]
            return np.array(values, np.float64 if kind.is_float else np.int64)
        if kind is INT:
            return 3  # another value would be another signature
        if kind is I8:
            return np.int64(self.random.randrange(-1, 7))
        number = self.random.randrange(-8, 24) / 4
        return number if kind is FLOAT else np.float64(number)
