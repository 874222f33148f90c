"""Random statements over lists, tuples, dicts, matrices and objects."""

from __future__ import annotations

from tests.random_programs.kinds import F8, INT, SCALARS, Kind, Shape, sequence
from tests.random_programs.statements import Place, Statements


def some_shape(s: Statements, length: int, *, nested: bool = True) -> Shape:
    """The shape of a container, with items of one kind or of several."""
    kind = s.random.choice(SCALARS)
    kinds: list[Kind | Shape] = [kind] * 3
    if s.chance(0.4):
        kinds = [s.random.choice(SCALARS) for _ in kinds]
        if s.chance(0.4):
            kinds[0] = Kind("f8", length)
        elif nested and s.chance(0.4):
            kinds[2] = some_shape(s, length, nested=False)
    form = s.random.choice(["list", "list", "dict", "dict", "tuple", "matrix"])
    if form == "matrix":
        return sequence("matrix", *[Kind("f8", length)] * 2)
    if form == "dict":
        return Shape("dict", tuple((f"['{k}']", kind) for k, kind in zip("pqr", kinds)))
    return sequence(form, *kinds)


def make(s: Statements, place: Place) -> bool:
    """A new container of this block only."""
    length = next((k.length for k in s.scope.names.values() if k.is_array), 3)
    shape = s.random.choice([*s.scope.shapes.values(), some_shape(s, length)])
    name = s.fresh("box")
    s.text(f"{name} = {s.write.made(shape, 1)}")
    s.scope.hold(name, shape)
    return True


def table(s: Statements, place: Place) -> bool:
    """A dict of lists, whose lists are gone through and written, by keys that are data at times."""
    kind, name = s.random.choice(SCALARS), s.fresh("table")
    row = sequence("list", *[kind] * 2)
    shape = Shape("dict", tuple((f"['{key}']", row) for key in "pq"))
    s.text(f"{name} = {s.write.made(shape, 1)}")
    s.scope.hold(name, shape)
    key = f"('p', 'q')[{s.write.index(2)}]"
    form = s.random.random()
    if form < 0.4:
        at = s.write.index(2)
        s.text(f"{name}[{key}][{at}] = {s.write.wrapped(kind, 1)}")
        return True
    each, label = s.fresh("row"), s.fresh("key")
    over = (
        f"for {each} in {name}.values():"
        if form < 0.7
        else f"for {label}, {each} in {name}.items():"
    )
    with s.text.block(over), s.scope.inner():
        s.scope.hold(each, row)
        s.text(f"{each}[{s.write.index(2)}] = {s.write.wrapped(kind, 1)}")
        if s.chance(0.3):
            s.text(f"if {s.write.condition(1)}: break")
        if form >= 0.7 and not s.quiet:
            s.text(f"print({label}, {each})")
    return True


def several(s: Statements, place: Place) -> bool:
    """A list of objects, which a loop changes until data stops it."""
    shapes = [shape for shape in s.scope.methods if shape.form == "object"]
    if not shapes:
        return False
    shape, name, each = s.random.choice(shapes), s.fresh("boxes"), s.fresh("each")
    s.text(f"{name} = [{s.write.made(shape, 1)}, {s.write.made(shape, 1)}]")
    access, kind = s.random.choice([f for f in shape.fields if f[1] in SCALARS])
    assert isinstance(kind, Kind)
    with s.text.block(f"for {each} in {name}:"):
        if s.chance(0.4):
            s.text(f"if {s.write.condition(1)}: {s.random.choice(['break', 'continue'])}")
        s.text(f"{each}{access} += {s.write.number(INT, 0).text}")
        s.text(f"{each}{access} %= {kind.literal(19)}")
    s.scope.hold(name, sequence("list", shape, shape))
    return True


def alias(s: Statements, place: Place) -> bool:
    """A second name of a container."""
    if not s.scope.shapes:
        return False
    of, name = s.random.choice(list(s.scope.shapes)), s.fresh("same")
    s.text(f"{name} = {of}")
    s.scope.hold(name, s.scope.shapes[of])
    return True


def unpack(s: Statements, place: Place) -> bool:
    """The items of a container become names; nested ones and the rest of them too."""
    shapes = [(n, shape) for n, shape in s.scope.shapes.items()
              if shape.form in ("list", "tuple", "matrix")]  # fmt: skip
    if not shapes:
        return False
    name, shape = s.random.choice(shapes)
    kinds = [kind for _, kind in shape.fields]
    parts = [s.fresh("part") for _ in kinds]
    if len(kinds) == 3 and s.chance(0.4):
        s.text(f"{parts[0]}, *{parts[1]} = {name}")
        s.scope.hold(parts[0], kinds[0])
        s.scope.hold(parts[1], sequence("list", *kinds[1:]))
    else:
        s.text(f"{', '.join(parts)}{',' * (len(parts) == 1)} = {name}")
        for part, kind in zip(parts, kinds, strict=True):
            s.scope.hold(part, kind)
    s.scope.fixed |= {n for n in parts if n in s.scope.names and s.scope.names[n].is_array}
    return True


def pack(s: Statements, place: Place) -> bool:
    """A tuple of values, some of them containers or arrays that have names."""
    names = s.random.sample(list(s.scope.names), min(2, len(s.scope.names)))
    things = [*names, *list(s.scope.shapes)[-1:]]
    kinds = [s.scope.names.get(n) or s.scope.shapes[n] for n in things]
    name = s.fresh("pack")
    s.text(f"{name} = {', '.join(things)},")
    s.scope.hold(name, sequence("tuple", *kinds))
    return True


def replaced(s: Statements, place: Place) -> bool:
    """All items of a list are written at once; a dict is updated."""
    shapes = [n for n, shape in s.scope.shapes.items()
              if shape.form in ("list", "dict") and all(k in SCALARS for _, k in shape.fields)]  # fmt: skip
    if not shapes:
        return False
    name = s.random.choice(shapes)
    new = s.write.made(s.scope.shapes[name], 1)
    if s.scope.shapes[name].form == "dict":
        united = [f"{name} |= {new}"] * (name not in s.scope.fixed)
        s.text(s.random.choice([f"{name}.update({new})", *united]))
    else:
        s.text(f"{name}[:] = {new}")
    return True


def grown(s: Statements, place: Place) -> bool:
    """A list that grows and shrinks again."""
    lists = [(n, sh.item) for n, sh in s.scope.shapes.items()
             if sh.form == "list" and sh.item in SCALARS]  # fmt: skip
    if not lists:
        return False
    name, kind = s.random.choice(lists)
    assert isinstance(kind, Kind)
    kept = s.target(kind)
    if kept is None:
        return False
    s.text(f"{name}.append({s.write.wrapped(kind, 1)})")
    s.text(f"{kept} = {name}.pop({s.random.choice(['', '0', '-2'])})")
    return True


def set_row(s: Statements, place: Place) -> bool:
    """A row of a matrix is written, at an index that is data."""
    matrices = [n for n, shape in s.scope.shapes.items() if shape.form == "matrix"]
    if not matrices:
        return False
    name = s.random.choice(matrices)
    row = s.scope.shapes[name].item
    assert isinstance(row, Kind)
    value = s.write.wrapped(s.random.choice([row, F8, INT]), 1)
    s.text(f"{name}[{s.write.index(2)}] {s.random.choice(['=', '=', '+='])} {value}")
    whole = f"{name}[:]" if name in s.scope.fixed else name  # an item of a tuple stays what it is
    s.text(f"{whole} %= 37.0")
    return True


def listed(s: Statements, place: Place) -> bool:
    """A list or dict by a comprehension, at times with a filter that is not data."""
    kind, name = s.random.choice(SCALARS), s.fresh("items")
    groups = [g for g in s.scope.groups(kind) if g[1] == 3]
    if groups and s.chance(0.6):
        items, value = s.random.choice(groups)[0], s.write.of_each("v", kind, 1)
        form = s.random.choice(
            ["[{0} for v in {1}]", "[{0} for _, v in zip(range(3), {1})]", "list({1})",
             "[{0} for v in reversed(list({1}))]", "{{key: {0} for key, v in zip('pqr', {1})}}",
             "[({2} := {0}) for v in {1}]"]
        )  # fmt: skip
        kept = [n for n in s.scope.targets(kind) if n.isidentifier()] or [s.fresh("last")]
        s.text(f"{name} = {form.format(value, items, kept[0])}")
        if form.startswith("{{"):
            shape = Shape("dict", tuple((f"['{k}']", kind) for k in "pqr"))
        else:
            shape = sequence("list", *[kind] * 3)
    else:
        value = s.write.of_each("j", INT, 0)
        other = s.write.pure(kind, 1)
        tail = s.random.choice(["", " if j != 1", " if j > 0", " if j % 2 and j"])
        count = sum(1 for j in range(4) if eval(tail[4:] or "True", {"j": j}))
        s.text(f"{name} = [{other} * ({value} % 2 + 1) for j in range(4){tail}]")
        shape = sequence("list", *[kind] * count)
        s.text(f"{name} = [j % {kind.literal(17)} for j in {name}]")
    s.scope.hold(name, shape)
    return True


def chosen(s: Statements, place: Place) -> bool:
    """Which of two new containers a name is depends on data; it is read."""
    kind, name = s.random.choice(SCALARS), s.fresh("one")
    shape = sequence(s.random.choice(["list", "tuple"]), *[kind] * 2)
    first, second = s.write.made(shape, 1), s.write.made(shape, 1)
    s.text(f"{name} = {first} if {s.write.condition(1)} else {second}")
    kept = s.target(kind)
    if kept is not None:
        s.text(f"{kept} = {name}[{s.random.randrange(2)}]")
    return True


def change(s: Statements, place: Place) -> bool:
    """A function or method is called for what it does to its arguments."""
    helpers = [n for n, (kinds, _) in s.scope.helpers.items() if all(map(s.write.has, kinds))]
    if not helpers:
        return False
    name = s.random.choice(helpers)
    arguments = [s.write.argument(kind, 1) for kind in s.scope.helpers[name][0]]
    s.text(f"{name}({', '.join(arguments)})")
    return True
