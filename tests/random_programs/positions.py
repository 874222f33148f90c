"""Random statements at positions that are data: items and slices of lists, dicts and arrays."""

from __future__ import annotations

from tests.random_programs.kinds import BELOW, FLOAT, I8, INT, SCALARS, Kind, Shape
from tests.random_programs.statements import Place, Statements


def item(s: Statements, place: Place) -> bool:
    """An item of a list is written, or changed, at a position that is data."""
    found = _list(s)
    if found is None:
        return False
    name, kind, count = found
    at = s.write.index(count)
    if s.chance(0.5):
        s.text(f"{name}[{at}] = {s.write.wrapped(kind, 1)}")
        return True
    operand = s.random.choice(BELOW[kind] if kind is not FLOAT else (INT, FLOAT))
    s.text(f"{name}[{at}] {s.random.choice(['+=', '-=', '*='])} {s.write.number(operand, 1).text}")
    s.text(f"{name}[{at}] %= {kind.literal(s.random.choice([11, 19, 37]))}")
    return True


def swapped(s: Statements, place: Place) -> bool:
    """Two items of a list change places."""
    found = _list(s)
    if found is None:
        return False
    name, _, count = found
    one, other = s.write.index(count), s.write.index(count)
    s.text(f"{name}[{one}], {name}[{other}] = {name}[{other}], {name}[{one}]")
    return True


def part(s: Statements, place: Place) -> bool:
    """A slice of a list is read, or written with as many items."""
    found = _list(s)
    if found is None:
        return False
    name, kind, count = found
    cut = s.random.randrange(1, count) if count > 1 else 0
    if s.chance(0.4):
        new = ", ".join(s.write.wrapped(kind, 1) for _ in range(count - cut))
        s.text(f"{name}[{cut}:] = {s.random.choice(['[{}]', '({},)']).format(new)}")
        return True
    kept = s.target(kind)
    if kept is None:
        return False
    start = s.write.wrapped(kind, 0)
    sliced = s.random.choice([f"{name}[{cut}:]", f"{name}[::-1]", f"{name}[:{s.write.index(count)}]",
                              f"{name}[{s.write.index(count)}:]"])  # fmt: skip
    s.text(f"{kept} = sum({sliced}, {start}) % {kind.literal(31)}")
    return True


def arranged(s: Statements, place: Place) -> bool:
    """The items of a list are put in another order, or some of them in again."""
    found = _list(s)
    if found is None:
        return False
    name, kind, count = found
    form = s.random.choice(["reverse", "sort", "turn", "insert", "extend"])
    if form in ("reverse", "sort"):
        s.text(f"{name}.{form}({'reverse=True' if form == 'sort' and s.chance(0.3) else ''})")
    elif form == "turn":
        s.text(f"{name}.append({name}.pop(0))")
    elif form == "insert":
        s.text(f"{name}.insert({s.random.randrange(-count, count)}, {s.write.wrapped(kind, 1)})")
        s.text(f"del {name}[{s.random.choice([-1, 0])}]")
    else:
        s.text(f"{name}.extend(({s.write.wrapped(kind, 1)}, {s.write.wrapped(kind, 0)}))")
        s.text(
            f"del {name}[{s.random.choice([':2', '-2:', '::2'] if count == 2 else [':2', '-2:'])}]"
        )
    return True


def cell(s: Statements, place: Place) -> bool:
    """A cell or a column of a matrix is written."""
    matrices = [(n, shape) for n, shape in s.scope.shapes.items() if shape.form == "matrix"]
    if not matrices:
        return False
    name, shape = s.random.choice(matrices)
    row = shape.item
    assert isinstance(row, Kind)
    places = [f"{s.write.index(2)}, {s.write.index(row.length)}", f":, {s.write.index(row.length)}",
              f"{s.write.index(2)}, 1:", "::-1, ::2"]  # fmt: skip
    number = s.write.wrapped(s.random.choice(SCALARS), 1)
    s.text(f"{name}[{s.random.choice(places)}] {s.random.choice(['=', '+='])} {number}")
    s.text(f"{name}[:] %= 37.0")
    return True


def stretch(s: Statements, place: Place) -> bool:
    """A slice of an array, with bounds that are data, is written or summed."""
    arrays = s.scope.arrays()
    if not arrays:
        return False
    name = s.random.choice(arrays)
    kind = s.scope.names[name]
    low, bounds = s.write.index(kind.length), [f":{s.write.index(kind.length)}"]
    bounds += [f"{low}:", f"{low}:{s.write.index(kind.length)}"]
    where = f"{name}[{s.random.choice(bounds)}]"
    kept = s.target(kind.scalar)
    if kept is not None and s.chance(0.4):
        s.text(f"{kept} = {where}.sum() % {kind.literal(31)}")
        return True
    number = s.write.wrapped(s.random.choice(SCALARS if kind.is_float else (INT, I8)), 1)
    s.text(f"{where} {s.random.choice(['=', '+='])} {number}")
    s.text(f"{name}[:] %= {kind.literal(37)}")
    return True


def _list(s: Statements) -> tuple[str, Kind, int] | None:
    """A list of numbers of one kind that may be written here, its kind, how many there are."""
    lists = [(n, shape) for n, shape in s.scope.shapes.items()
             if shape.form == "list" and shape.item in SCALARS and f"{n}[0]" not in s.scope.frozen]  # fmt: skip
    if not lists:
        return None
    name, shape = s.random.choice(lists)
    assert isinstance(shape, Shape) and isinstance(shape.item, Kind)
    return name, shape.item, len(shape.fields)
