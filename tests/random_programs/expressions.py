"""Random expressions of a given kind, and conditions."""

from __future__ import annotations

from tests.random_programs.kinds import F8, FLOAT, I8, INT, PAIRS, SCALARS, Kind, Shape
from tests.random_programs.scope import LIMIT, Expression, Scope

LARGEST = 1e6


class Expressions:
    """Writes expressions over the names of a scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.random = scope.random

    # ---- numbers -----------------------------------------------------------------------------

    def number(self, kind: Kind, depth: int) -> Expression:
        """An expression whose value has exactly this kind."""
        if depth <= 0 or self.random.random() < 0.2:
            return self.leaf(kind)
        forms = [self.binary] * 5 + [self.reduced, self.divided, self.signed, self.extreme]
        forms += [self.conditional, self.chosen, self.called, self.called, self.looked_up]
        forms += [self.walrus, self.consumed, self.filtered, self.asked]
        forms += {INT: [self.as_int], FLOAT: [self.as_float], I8: [self.summed],
                  F8: [self.summed, self.function, self.function]}[kind]  # fmt: skip
        return self.random.choice(forms)(kind, depth - 1)

    def leaf(self, kind: Kind) -> Expression:
        """A name, an element of an array, or a constant."""
        names = self.scope.of(kind)
        if kind in (I8, F8) and (not names or self.random.random() < 0.3):
            element = self.element(kind)
            if element is not None:
                return element
        if names and self.random.random() < 0.8:
            return Expression(self.random.choice(names), LIMIT)
        return self.constant(kind)

    def constant(self, kind: Kind) -> Expression:
        """A literal; of a NumPy scalar, with its type."""
        number = self.random.choice([0, 1, 2, 3, 5, 7]) - self.random.choice([0, 0, 2])
        text = {INT: f"{number}", FLOAT: f"{number / 2}", I8: f"np.int64({number})",
                F8: f"np.float64({number / 2})"}[kind]  # fmt: skip
        return Expression(f"({text})" if number < 0 else text, 7)

    def element(self, kind: Kind) -> Expression | None:
        """An element of some array."""
        arrays = [name for name in self.scope.arrays() if self.scope.names[name].scalar == kind]
        if not arrays:
            return None
        name = self.random.choice(arrays)
        return Expression(f"{name}[{self.index(self.scope.names[name].length)}]", LIMIT)

    def index(self, length: int) -> str:
        """An index that is in range."""
        number = self.random.choice([None, INT, I8])
        if number is None or not self.scope.of(number):
            return str(self.random.randrange(-length, length))
        return f"{self.random.choice(self.scope.of(number))} % {length}"

    def binary(self, kind: Kind, depth: int) -> Expression:
        """A sum, difference or product."""
        kinds = self.random.choice(PAIRS[kind])
        left, right = (self.number(k, depth) for k in kinds)
        sign = self.random.choice("+-*")
        if sign == "*" and left.bound * right.bound > LARGEST:
            sign = self.random.choice("+-")
        bound = left.bound * right.bound if sign == "*" else left.bound + right.bound
        return Expression(f"({left.text} {sign} {right.text})", bound)

    def reduced(self, kind: Kind, depth: int) -> Expression:
        """A remainder or a quotient rounded down."""
        part = self.number(kind, depth)
        divisor = self.random.choice([2, 3, 5, 7])
        if self.random.random() < 0.5:
            return Expression(f"({part.text} % {kind.literal(divisor)})", divisor)
        return Expression(f"({part.text} // {kind.literal(divisor)})", part.bound / divisor + 1)

    def divided(self, kind: Kind, depth: int) -> Expression:
        """A quotient."""
        if not kind.is_float:
            return self.reduced(kind, depth)
        part = self.number(self.random.choice({FLOAT: [INT, FLOAT], F8: [I8, F8]}[kind]), depth)
        return Expression(f"({part.text} / {self.random.choice(['2', '4', '3.0'])})", part.bound)

    def signed(self, kind: Kind, depth: int) -> Expression:
        """The negative or the absolute value."""
        part = self.number(kind, depth)
        text = f"(-{part.text})" if self.random.random() < 0.5 else f"abs({part.text})"
        return Expression(text, part.bound)

    def extreme(self, kind: Kind, depth: int) -> Expression:
        """The smaller or larger of two."""
        a, b = self.number(kind, depth), self.number(kind, depth)
        bound = max(a.bound, b.bound)
        return Expression(f"{self.random.choice(['min', 'max'])}({a.text}, {b.text})", bound)

    def conditional(self, kind: Kind, depth: int) -> Expression:
        """`a if c else b`."""
        a, b = self.number(kind, depth), self.number(kind, depth)
        test = self.condition(min(depth, 1))
        return Expression(f"({a.text} if {test} else {b.text})", max(a.bound, b.bound))

    def chosen(self, kind: Kind, depth: int) -> Expression:
        """`a or b`, `a and b` of numbers."""
        a, b = self.number(kind, depth), self.number(kind, depth)
        bound = max(a.bound, b.bound)
        return Expression(f"({a.text} {self.random.choice(['and', 'or'])} {b.text})", bound)

    def called(self, kind: Kind, depth: int) -> Expression:
        """A call of a function or method, which may change what it is given."""
        helpers = [
            name for name, (kinds, result) in self.scope.helpers.items()
            if result == kind and all(self.has(k) for k in kinds)
        ]  # fmt: skip
        if not helpers:
            return self.leaf(kind)
        name = self.random.choice(helpers)
        arguments = [self.argument(k, min(depth, 1)) for k in self.scope.helpers[name][0]]
        return Expression(f"{name}({', '.join(arguments)})", LIMIT)

    def has(self, what: Kind | Shape) -> bool:
        """Whether there is an argument of this sort."""
        return isinstance(what, Kind) or bool(self.scope.like(what))

    def argument(self, what: Kind | Shape, depth: int) -> str:
        """A number, an array that has a name, or a container."""
        if isinstance(what, Shape):
            return self.random.choice(self.scope.like(what))
        names = self.scope.of(what)
        if what.is_array and names and self.random.random() < 0.8:
            return self.random.choice(names)
        return self.wrapped(what, depth)

    def looked_up(self, kind: Kind, depth: int) -> Expression:
        """An item of a list, by an index that is data."""
        lists = [n for n, s in self.scope.shapes.items() if s.form == "list" and s.item == kind]
        if not lists:
            return self.leaf(kind)
        name = self.random.choice(lists)
        return Expression(f"{name}[{self.index(len(self.scope.shapes[name].fields))}]", LIMIT)

    def walrus(self, kind: Kind, depth: int) -> Expression:
        """`(name := a)`."""
        names = [name for name in self.scope.targets(kind) if name.isidentifier()]
        if not names:
            return self.leaf(kind)
        value = self.wrapped(kind, min(depth, 1))
        return Expression(f"({self.random.choice(names)} := {value})", LIMIT)

    def consumed(self, kind: Kind, depth: int) -> Expression:
        """A comprehension or generator expression, handed to `sum`, `min` or `max`."""
        groups = self.scope.groups(kind)
        if not groups:
            return self.leaf(kind)
        items, size = self.random.choice(groups)
        start = self.wrapped(kind, 0)
        value = self.of_each("v", kind, min(depth, 1))
        forms = ["sum([{0} for v in {1}], {2})", "max([{0} for v in {1}])",
                 "max([{0} for j, v in enumerate({1}) if j != 1])",
                 "sum(({0} for v in {1}), {2})", "min({0} for v in {1})"]  # fmt: skip
        form = self.random.choice(forms)
        return Expression(form.format(value, items, start), LIMIT * (size + 1))

    def filtered(self, kind: Kind, depth: int) -> Expression:
        """A comprehension whose condition depends on data, handed to `sum`, `min`, `max` or `len`."""
        groups = self.scope.groups(kind)
        if not groups:
            return self.leaf(kind)
        items, size = self.random.choice(groups)
        start, value = self.wrapped(kind, 0), self.of_each("v", kind, 0)
        test = f"v {self.random.choice(['<', '>', '!='])} {self.constant(INT).text}"
        forms = ["sum([{0} for v in {1} if {3}], {2})", "sum(({0} for v in {1} if {3}), {2})",
                 "max([{0} for v in {1} if {3}], default={2})",
                 "min(({0} for v in {1} if {3}), default={2})",
                 "sum({{j: v for j, v in enumerate({1}) if {3}}}.values(), {2})"]  # fmt: skip
        forms += ["len([v for v in {1} if {3}])", "sum(1 for v in {1} if {3})"] * (kind is INT)
        text = self.random.choice(forms).format(value, items, start, test)
        return Expression(text, LIMIT * (size + 1))

    def asked(self, kind: Kind, depth: int) -> Expression:
        """What a list or dict tells of its items."""
        lists = [(n, s) for n, s in self.scope.shapes.items() if s.item == kind]
        lists = [(n, s) for n, s in lists if s.form in ("list", "tuple", "dict")]
        if not lists:
            return self.leaf(kind)
        name, shape = self.random.choice(lists)
        if shape.form == "dict":
            keys = ", ".join(access[1:-1] for access, _ in shape.fields)
            key = f"({keys})[{self.index(len(shape.fields))}]"
            return Expression(self.random.choice([f"{name}[{key}]", f"{name}.get({key})"]), LIMIT)
        forms = [f"sorted({name})[{self.random.randrange(len(shape.fields))}]"]
        forms += [f"{name}.count({self.leaf(kind).text})", f"len({name})"] * (kind is INT)
        return Expression(self.random.choice(forms), LIMIT)

    def of_each(self, name: str, kind: Kind, depth: int) -> str:
        """An expression of the items of a comprehension."""
        with self.scope.inner():
            self.scope.names[name] = kind
            return self.pure(kind, depth)

    def pure(self, kind: Kind, depth: int) -> str:
        """An expression that binds no name.

        In a comprehension that is refused where it depends on data whether it happens.
        """
        with self.scope.inner():
            self.scope.frozen |= set(self.scope.names)
            return self.wrapped(kind, depth)

    def as_int(self, kind: Kind, depth: int) -> Expression:
        """A Python int made of another number."""
        form = self.random.choice(["int", "len", "bits"])
        arrays = self.scope.arrays()
        if form == "len" and arrays:
            return Expression(f"len({self.random.choice(arrays)})", LIMIT)
        if form == "bits":
            a, b = self.number(INT, depth), self.number(INT, depth)
            sign = self.random.choice("&|^")
            return Expression(f"({a.text} {sign} {b.text})", 2 * (a.bound + b.bound) + 2)
        part = self.number(self.random.choice([FLOAT, I8, F8]), depth)
        return Expression(f"int({part.text})", part.bound)

    def as_float(self, kind: Kind, depth: int) -> Expression:
        """A Python float made of another number."""
        part = self.number(self.random.choice([INT, I8, F8]), depth)
        return Expression(f"float({part.text})", part.bound)

    def summed(self, kind: Kind, depth: int) -> Expression:
        """A reduction of an array."""
        arrays = [name for name in self.scope.arrays() if self.scope.names[name].scalar == kind]
        if not arrays:
            return self.leaf(kind)
        name = self.random.choice(arrays)
        form = self.random.choice([".sum()", ".max()", ".min()"])
        return Expression(f"{name}{form}", LIMIT * self.scope.names[name].length)

    def function(self, kind: Kind, depth: int) -> Expression:
        """A function of NumPy."""
        part = self.number(kind, depth)
        form, bound = self.random.choice(
            [("np.sin({})", 1), ("np.tanh({})", 1), ("np.sqrt(abs({}))", part.bound + 1),
             ("np.floor({})", part.bound + 1), ("np.maximum({}, 1.5)", part.bound + 2)]
        )  # fmt: skip
        return Expression(form.format(part.text), bound)

    # ---- arrays ------------------------------------------------------------------------------

    def array(self, kind: Kind, depth: int) -> Expression:
        """A new array of exactly this kind."""
        if depth <= 0:
            return self.array_leaf(kind)
        forms = [self.array_binary] * 3 + [self.array_where, self.array_reduced]
        forms += [self.array_conditional]
        return self.random.choice(forms)(kind, depth - 1)

    def array_leaf(self, kind: Kind) -> Expression:
        """A new array without arithmetic."""
        names = self.scope.of(kind)
        if names and self.random.random() < 0.7:
            name = self.random.choice(names)
            return Expression(f"({name} + {kind.literal(1)})", LIMIT + 1)
        dtype = "" if kind.is_float else ", dtype=np.int64"
        form = self.random.choice(["np.zeros({}{})", "np.ones({}{})", "np.full({}, 2{})"])
        if form.startswith("np.full") and kind.is_float:
            form = "np.full({}, 2.0)"
        return Expression(form.format(kind.length, dtype), 2)

    def array_binary(self, kind: Kind, depth: int) -> Expression:
        """An array and a number or another array."""
        left = self.array(kind, depth)
        if self.random.random() < 0.4:
            right = self.array(kind, depth)
        else:
            right = self.number(self.random.choice(SCALARS if kind.is_float else (INT, I8)), depth)
        sign = self.random.choice("+-*")
        if sign == "*" and left.bound * right.bound > LARGEST:
            sign = "+"
        bound = left.bound * right.bound if sign == "*" else left.bound + right.bound
        return Expression(f"({left.text} {sign} {right.text})", bound)

    def array_where(self, kind: Kind, depth: int) -> Expression:
        """`np.where`."""
        a, b = self.array(kind, depth), self.array(kind, depth)
        return Expression(
            f"np.where({a.text} > {kind.literal(2)}, {b.text}, {a.text})", max(a.bound, b.bound)
        )

    def array_reduced(self, kind: Kind, depth: int) -> Expression:
        """Remainders."""
        part = self.array(kind, depth)
        return Expression(f"({part.text} % {kind.literal(5)})", 5)

    def array_conditional(self, kind: Kind, depth: int) -> Expression:
        """`a if c else b`."""
        a, b = self.array(kind, depth), self.array(kind, depth)
        text = f"({a.text} if {self.condition(0)} else {b.text})"
        return Expression(text, max(a.bound, b.bound))

    # ---- containers --------------------------------------------------------------------------

    def made(self, what: Kind | Shape, depth: int) -> str:
        """A new value of a kind or shape."""
        if isinstance(what, Kind):
            return self.wrapped(what, depth)
        return _display(what, [self.made(kind, depth) for _, kind in what.fields])

    def copied(self, name: str, what: Kind | Shape) -> str:
        """A new container with the values of another."""
        if isinstance(what, Kind) or what.form == "matrix":
            return name
        return _display(what, [self.copied(name + access, kind) for access, kind in what.fields])

    # ---- values and conditions ---------------------------------------------------------------

    def wrapped(self, kind: Kind, depth: int) -> str:
        """An expression that is small enough for a name."""
        made = self.array(kind, depth) if kind.is_array else self.number(kind, depth)
        if made.bound <= LIMIT:
            return made.text
        return f"{made.text} % {kind.literal(self.random.choice([13, 17, 31]))}"

    def operand(self, depth: int) -> str:
        """One side of a comparison."""
        return self.number(self.random.choice(SCALARS), depth).text

    def condition(self, depth: int) -> str:
        """A condition; mostly known only at run time."""
        forms = [self.comparison] * 5 + [self.chain, self.membership, self.of_array, self.parity]
        forms += [self.of_items]
        forms += [self.flag] * bool(self.scope.flags)
        if depth > 0:
            forms += [self.junction] * 4 + [self.negation]
        return self.random.choice(forms)(depth)

    def comparison(self, depth: int) -> str:
        """A comparison of a name with something."""
        names = self.scope.of(F8) + self.scope.of(I8) + self.scope.of(FLOAT) + self.scope.of(INT)
        sign = self.random.choice(["<", "<=", ">", ">=", ">", "<", "!=", "=="])
        left = self.random.choice(names) if names else self.operand(depth)
        if self.random.random() < 0.1:
            left = self.walrus(self.random.choice(SCALARS), 1).text
        right = self.operand(depth - 1) if self.random.random() < 0.5 else self.constant(INT).text
        return f"{left} {sign} {right}"

    def chain(self, depth: int) -> str:
        """`a < b <= c`."""
        text = self.operand(depth - 1)
        for _ in range(self.random.choice([2, 2, 3])):
            sign = self.random.choice(["<", "<=", ">", ">=", "!="])
            text = f"{text} {sign} {self.operand(depth - 1)}"
        return text

    def membership(self, depth: int) -> str:
        """`a in (1, 2)`."""
        member = self.number(self.random.choice([INT, I8]), depth - 1).text
        group = "(0, 1, 3)"
        if self.random.random() < 0.4:
            group = f"[{self.number(INT, 0).text}, {self.number(F8, 0).text}]"
        return f"{member} {self.random.choice(['in', 'not in'])} {group}"

    def of_array(self, depth: int) -> str:
        """A condition on an array's elements."""
        arrays = self.scope.arrays()
        if not arrays:
            return self.comparison(depth)
        name, ends = self.random.choice(arrays), self.random.choice([".any()", ".all()"])
        return f"({name} {self.random.choice('<>')} {self.constant(INT).text}){ends}"

    def of_items(self, depth: int) -> str:
        """A condition on the items of a list, tuple or dict."""
        kinds = [kind for kind in SCALARS if self.scope.groups(kind)]
        if not kinds:
            return self.comparison(depth)
        items, _ = self.random.choice(self.scope.groups(self.random.choice(kinds)))
        test = f"v {self.random.choice(['<', '>', '=='])} {self.operand(0)}"
        asked = self.random.choice(["any", "all"])
        form = self.random.choice(["{0}(v for v in {1} if v != 1)", "{0}([{2} for v in {1}])",
                                   "{0}({2} for v in {1})", "{3} in list({1})"])  # fmt: skip
        return form.format(asked, items, test, self.leaf(INT).text)

    def parity(self, depth: int) -> str:
        """An integer as a condition."""
        return f"{self.number(self.random.choice([INT, I8]), depth - 1).text} % 2"

    def flag(self, depth: int) -> str:
        """A name that holds a truth value."""
        return self.random.choice(self.scope.flags)

    def junction(self, depth: int) -> str:
        """`and` and `or`."""
        parts = [self.condition(depth - 1) for _ in range(self.random.choice([2, 2, 3]))]
        word = self.random.choice([" and ", " or "])
        return f"({word.join(parts)})"

    def negation(self, depth: int) -> str:
        """`not`."""
        return f"not ({self.condition(depth - 1)})"


def _display(shape: Shape, items: list[str]) -> str:
    """Text that makes a container."""
    if shape.form == "dict":
        keys = [access[1:-1] for access, _ in shape.fields]
        items = [f"{key}: {item}" for key, item in zip(keys, items, strict=True)]
    forms = {"list": "[{}]", "tuple": "({},)", "dict": "{{{}}}", "matrix": "np.stack([{}])",
             "object": "Box({})"}  # fmt: skip
    return forms[shape.form].format(", ".join(items))
