"""Random programs: source text of a function `f`, and several sets of arguments for it."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.random_programs import compound, containers, functions, plain
from tests.random_programs.compound import FUEL
from tests.random_programs.expressions import Expressions
from tests.random_programs.forms import FORMS
from tests.random_programs.kinds import F8, FLOAT, I8, INT, SCALARS, Kind, Shape
from tests.random_programs.scope import Scope, Signature, Text
from tests.random_programs.statements import Form, Place, Statements

INPUTS = 6
HEAD = ("import contextlib", "import numpy as np", "class Odd(ValueError):", "    pass")
STRAIGHT = (Form(plain.assign, 3), Form(plain.augment, 2), Form(plain.store, 2))
"""What may stand before and after the `yield` of a context manager."""


@dataclass(frozen=True)
class Program:
    """`source` defines `f`. In a loose program the types of results may depend on data.

    `state` names the globals that `f` changes.
    """

    seed: int
    source: str
    inputs: tuple[tuple[Any, ...], ...]
    loose: bool = False
    state: tuple[str, ...] = ()

    def arguments(self) -> list[tuple[Any, ...]]:
        """Fresh copies of the sets of arguments."""
        return copy.deepcopy(list(self.inputs))


def make_program(seed: int) -> Program:
    """The program of a seed."""
    return _Writer(seed).program()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.loose = self.random.random() < 0.15
        self.length = self.random.choice([3, 4])
        # For what is returned, so that the rest of a program does not depend on it.
        self.returned = random.Random(seed)
        # Whether a container is given back itself; and which ones others hold, who could tell.
        self.itself: dict[str, bool] = {}
        self.held: set[str] = set()
        self.text = Text()
        self.captured = Scope(self.random)

    def program(self) -> Program:
        for line in HEAD:
            self.text(line)
        # Shapes are few, so that helpers find arguments of theirs.
        drawing = Statements(self.captured, self.text, str, FORMS, budget=0)
        self.shapes = [containers.some_shape(drawing, self.length) for _ in range(2)]
        self.globals()
        helpers = dict(self.helper(k) for k in range(self.random.choice([0, 0, 1, 2])))
        generators = dict(self.generator(k) for k in range(self.random.choice([0, 1])))
        self.manager()
        parameters = self.parameters()
        scope = self.scope(parameters)
        scope.helpers |= helpers
        scope.generators |= generators
        scope.fixed |= set(scope.arrays())
        with self.text.block(f"def f({', '.join(parameters)}):"):
            self.body(scope, parameters)
        inputs = tuple(self.arguments(parameters) for _ in range(INPUTS))
        state = tuple(sorted(self.captured.shared))
        return Program(self.seed, self.text.done(), inputs, self.loose, state)

    # ---- what is outside of the function -----------------------------------------------------

    def globals(self) -> None:
        """At times a class, and globals that are changed: a number, a container, an object."""
        write = Expressions(self.captured)
        if self.random.random() < 0.5:
            shape = self.box()
            if self.random.random() < 0.5:
                self.text(f"thing = {write.made(shape, 0)}")
                self.captured.hold("thing", shape)
                self.captured.shared.add("thing")
        if self.random.random() < 0.2:
            kind = self.random.choice(SCALARS)
            self.text(f"total = {write.constant(kind).text}")
            self.captured.hold("total", kind)
            self.captured.shared.add("total")
        if self.random.random() < 0.2:
            self.text(f"held = {write.made(self.shapes[0], 0)}")
            self.captured.hold("held", self.shapes[0])
            self.captured.shared.add("held")

    def scope(self, parameters: dict[str, Kind | Shape]) -> Scope:
        """The scope of a function of the module."""
        scope = Scope(self.random, managers=dict(self.captured.managers))
        scope.methods, scope.shared = self.captured.methods, self.captured.shared
        outside = self.captured.names | self.captured.shapes
        known = {name: outside[name] for name in sorted(scope.shared)} | parameters
        for name, kind in known.items():
            scope.hold(name, kind)
        return scope

    def box(self) -> Shape:
        """A class with a method that changes its objects, and that are context managers."""
        kinds: list[Kind | Shape] = [F8, self.random.choice(SCALARS)]
        kinds.append(self.random.choice([INT, Kind("f8", self.length), self.shapes[0]]))
        fields = dict(zip(("left", "right", "more"), kinds, strict=True))
        shape = Shape("object", tuple((f".{name}", kind) for name, kind in fields.items()))
        self.shapes.append(shape)
        methods: dict[str, Signature] = {}
        with self.text.block("class Box:"):
            with self.text.block(f"def __init__(self, {', '.join(fields)}):"):
                for name in fields:
                    self.text(f"self.{name} = {name}")
            given, result = self.random.choice(SCALARS), self.random.choice(SCALARS)
            self.function("step", {"self": shape, "p": given}, result, 3)
            methods["step"] = ((given,), result)
            with self.text.block("def __enter__(self):"):
                self.declare({"self": shape})
                self.straight({"self": shape}, 1)
                self.text("return self")
            with self.text.block("def __exit__(self, kind, error, traceback):"):
                self.declare({"self": shape})
                with self.text.block("if kind is None:"):
                    self.straight({"self": shape}, 1)
        self.captured.methods[shape] = methods
        return shape

    def straight(self, parameters: dict[str, Kind | Shape], count: int) -> None:
        """A few statements without a body."""
        write = Statements(self.scope(parameters), self.text, str, STRAIGHT, budget=count)
        for _ in range(count):
            write.statement(Place(depth=1, in_closure=True))

    def function(
        self, name: str, parameters: dict[str, Kind | Shape], result: Kind, budget: int
    ) -> None:
        """A function of the module, or a method."""
        scope = self.scope(parameters)
        with self.text.block(f"def {name}({', '.join(parameters)}):"):
            self.declare(parameters)
            self.text("fuel = 5")
            write = Statements(
                scope, self.text, lambda: write.write.wrapped(result, 1), FORMS,
                budget=budget, quiet=self.loose,
            )  # fmt: skip
            self.text(f"q = {write.write.wrapped(result, 1)}")
            scope.names["q"] = result
            while write.budget > 0:
                write.statement(Place(depth=1, loops=1))
            self.text(f"return {write.write.wrapped(result, 1)}")

    def declare(self, parameters: dict[str, Kind | Shape]) -> None:
        for name in sorted(self.captured.shared - set(parameters)):
            self.text(f"global {name}")

    def helper(self, number: int) -> tuple[str, Signature]:
        name, result = f"g{number}", self.random.choice(SCALARS)
        kinds: list[Kind | Shape] = [self.random.choice(SCALARS)]
        if self.random.random() < 0.6:
            more = [*SCALARS, *self.shapes, *self.shapes, Kind("f8", self.length)]
            kinds.append(self.random.choice(more))
        parameters = {f"p{k}": kind for k, kind in enumerate(kinds)}
        self.function(name, parameters, result, self.random.randrange(2, 6))
        return name, (tuple(kinds), result)

    def generator(self, number: int) -> tuple[str, Signature]:
        name, given = f"h{number}", self.random.choice(SCALARS)
        kinds = tuple(self.random.choice(SCALARS) for _ in range(self.random.choice([1, 2])))
        parameters = {f"p{k}": kind for k, kind in enumerate(kinds)}
        with self.text.block(f"def {name}({', '.join(parameters)}):"):
            scope = self.scope(dict(parameters))
            self.declare(dict(parameters))
            self.text("fuel = 4")
            write = Statements(
                scope, self.text, str, FORMS,
                budget=self.random.randrange(3, 7), quiet=self.loose, gives=given,
            )  # fmt: skip
            while write.budget > 0:
                write.statement(Place(depth=1, loops=1))
            self.text(f"yield {write.write.wrapped(given, 1)}")
        return name, (kinds, given)

    def manager(self) -> None:
        """At times, a context manager that is a generator."""
        shape = self.random.choice(self.shapes)
        if self.random.random() < 0.7 or shape.form == "tuple":
            return
        self.text("@contextlib.contextmanager")
        with self.text.block("def m0(p0):"):
            self.declare({"p0": shape})
            self.straight({"p0": shape}, 1)
            self.text("yield")
            self.straight({"p0": shape}, 1)
        self.captured.managers["m0"] = shape

    # ---- the function ------------------------------------------------------------------------

    def parameters(self) -> dict[str, Kind | Shape]:
        chosen: dict[str, Kind | Shape] = {"x": F8, "n": I8, "y": FLOAT}
        chosen["a"] = Kind("f8", self.length)
        plain = [shape for shape in self.shapes if shape.form != "object"]
        more = {"c": Kind("i8", self.length), "k": INT, "z": F8, "l": self.random.choice(plain)}
        return chosen | {name: more[name] for name in more if self.random.random() < 0.4}

    def body(self, scope: Scope, parameters: dict[str, Kind | Shape]) -> None:
        self.declare(parameters)
        self.held = {*parameters, *self.captured.shared}
        self.text(f"fuel = {FUEL}")
        write = Statements(
            scope, self.text, lambda: self.result(write, results), FORMS,
            budget=self.random.randrange(10, 22), loose=self.loose, quiet=self.loose,
        )  # fmt: skip
        self.locals(scope, write)
        results: dict[str, Kind | Shape] = {
            name: what for name, what in (scope.names | scope.shapes).items()
            if name.isidentifier() and not (isinstance(what, Shape) and what.form == "object")
        }  # fmt: skip
        place = Place()
        for statement in (containers.listed, functions.function):
            if self.random.random() < 0.3:
                statement(write, place)
        forced = [compound.branch, compound.while_]
        self.random.shuffle(forced)
        for statement in forced:
            statement(write, place, self.varying())
            if self.random.random() < 0.5:
                write.statement(place)
        self.random.choice(forced)(write, place, self.varying())
        if scope.generators:
            compound.over_generator(write, place)
        while write.budget > 0:
            write.statement(place)
        last = [self.given_back(write, name, what) for name, what in results.items()]
        self.text(f"return {', '.join(last)}, fuel")

    def given_back(self, write: Statements, name: str, what: Kind | Shape) -> str:
        """What a `return` gives of a value: itself, or a copy if it is a container.

        Of one that the caller holds all give the same: which of the two it is, he could tell.
        """
        if name not in self.held or name not in self.itself:
            self.itself[name] = self.returned.random() < 0.5
        return name if self.itself[name] else write.write.copied(name, what)

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
            self.local(scope, "b", Kind(self.random.choice(["f8", "i8"]), self.length))
            scope.fixed.add("b")
        if self.random.random() < 0.3:
            self.local(scope, "e", Kind("f8", self.length))
        for name, shape in zip("dor", self.shapes):
            if self.random.random() < 0.4:
                self.local(scope, name, shape)

    def local(self, scope: Scope, name: str, what: Kind | Shape) -> None:
        self.text(f"{name} = {Expressions(scope).made(what, 1)}")
        scope.hold(name, what)

    def result(self, write: Statements, results: dict[str, Kind | Shape]) -> str:
        """The values of an early return: of the same kinds as those of the last one."""
        changed, parts = self.random.choice(list(results)), []
        for name, what in results.items():
            if name == changed and what in SCALARS:
                parts.append(write.write.made(what, 1))
            else:
                parts.append(self.given_back(write, name, what))
        return f"{', '.join(parts)}, fuel"

    # ---- arguments ---------------------------------------------------------------------------

    def arguments(self, parameters: dict[str, Kind | Shape]) -> tuple[Any, ...]:
        return tuple(self.argument(kind) for kind in parameters.values())

    def argument(self, kind: Kind | Shape) -> Any:
        if isinstance(kind, Shape):
            items = [self.argument(item) for _, item in kind.fields]
            if kind.form == "dict":
                keys = (access[2:-2] for access, _ in kind.fields)
                return dict(zip(keys, items, strict=True))
            return {"list": list, "tuple": tuple, "matrix": np.stack}[kind.form](items)
        if kind.is_array:
            values = [self.argument(kind.scalar) for _ in range(kind.length)]
            return np.array(values, np.float64 if kind.is_float else np.int64)
        if kind is INT:
            return 3  # another value would be another signature
        if kind is I8:
            return np.int64(self.random.randrange(-1, 7))
        number = self.random.randrange(-8, 24) / 4
        return number if kind is FLOAT else np.float64(number)
