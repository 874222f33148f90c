"""Random statements without a body."""

from __future__ import annotations

from tests.random_programs.kinds import BELOW, FLOAT, I8, INT, SCALARS, Kind
from tests.random_programs.statements import Place, Statements


def assign(s: Statements, place: Place) -> bool:
    """A name or place is bound anew, at times to an array."""
    kinds = {kind for name, kind in s.scope.names.items()
             if name not in s.scope.fixed | s.scope.frozen}  # fmt: skip
    if not kinds:
        s.text("pass")
        return True
    kind = s.random.choice(sorted(kinds, key=str))
    given = s.random.choice(BELOW[kind]) if s.loose and kind in BELOW else kind
    s.text(f"{s.target(kind)} = {s.write.wrapped(given, 2)}")
    return True


def augment(s: Statements, place: Place) -> bool:
    """`x += e` and the like; what has grown is wrapped."""
    kind = s.random.choice(SCALARS)
    name = s.target(kind)
    if name is None:
        return False
    operand = s.random.choice(BELOW[kind] if kind is not FLOAT else (INT, FLOAT))
    sign = s.random.choice(["+=", "-=", "*=", "//=", "%="] + ["/="] * kind.is_float)
    if sign in ("//=", "%=", "/="):
        s.text(f"{name} {sign} {kind.literal(s.random.choice([2, 3, 7]))}")
        return True
    s.text(f"{name} {sign} {s.write.number(operand, 1).text}")
    s.text(f"{name} %= {kind.literal(s.random.choice([11, 19, 37]))}")
    return True


def swap(s: Statements, place: Place) -> bool:
    """Two names change places, or are bound at once."""
    kind = s.random.choice(SCALARS)
    names = s.scope.targets(kind)
    if len(names) < 2:
        return False
    a, b = s.random.sample(names, 2)
    right = f"{b}, {a}" if s.chance(0.6) else f"{s.write.wrapped(kind, 1)}, {a}"
    s.text(f"{a}, {b} = {right}")
    return True


def chained(s: Statements, place: Place) -> bool:
    """`a = b = e`."""
    kind = s.random.choice(SCALARS)
    names = s.scope.targets(kind)
    if len(names) < 2:
        return False
    s.text(f"{' = '.join(s.random.sample(names, 2))} = {s.write.wrapped(kind, 1)}")
    return True


def bind(s: Statements, place: Place) -> bool:
    """A name of this block only."""
    kind, name = s.random.choice(SCALARS), s.fresh("t")
    if s.chance(0.2):
        s.text(f"{name} = ({name}_ := {s.write.wrapped(kind, 1)})")
        s.scope.names[f"{name}_"] = kind
    else:
        s.text(f"{name} = {s.write.wrapped(kind, 2)}")
    s.scope.names[name] = kind
    return True


def flag(s: Statements, place: Place) -> bool:
    """A truth value is kept, in a new name or in an older one."""
    names = [name for name in s.scope.flags if name not in s.scope.frozen]
    name = s.random.choice(names) if names and s.chance(0.6) else s.fresh("flag")
    value = s.random.choice(["not ({})", "bool({})", "True if {} else False"])
    s.text(f"{name} = {value.format(s.write.condition(1))}")
    if name not in names:
        s.scope.flags.append(name)
    return True


def nested(s: Statements, place: Place) -> bool:
    """`a, (b, c) = ...`, which may bind what it reads."""
    kind = s.random.choice(SCALARS)
    names = s.scope.targets(kind)
    if len(names) < 3:
        return False
    a, b, c = s.random.sample(names, 3)
    s.text(f"{a}, ({b}, {c}) = {s.write.wrapped(kind, 1)}, ({a}, {s.random.choice([a, b, c])})")
    return True


def optional(s: Statements, place: Place) -> bool:
    """A name that is None on some paths, and what is done where it is not."""
    kind, name = s.random.choice(SCALARS), s.fresh("maybe")
    kept = s.target(kind)
    if kept is None:
        return False
    s.text(f"{name} = None")
    with s.text.block(f"if {s.write.condition(1)}:"):
        s.text(f"{name} = {s.write.wrapped(kind, 1)}")
    form = s.random.random()
    if form < 0.4:
        s.text(f"{kept} = {s.write.wrapped(kind, 0)} if {name} is None else {name}")
    elif form < 0.7:
        with s.text.block(f"if {name} is not None and {name} > {s.write.operand(0)}:"):
            s.text(f"{kept} = {name}")
    else:
        with s.text.block(f"if {name} is None:"):
            s.text("continue" if place.in_loop and s.chance(0.3) else f"{name} = {kept}")
        s.text(f"{kept} = {name}")
    return True


def word(s: Statements, place: Place) -> bool:
    """A text that data chooses is kept, and compared."""
    name, kept = s.fresh("word"), s.fresh("flag")
    s.text(f"{name} = 'low' if {s.write.condition(0)} else 'high'")
    with s.text.block(f"if {s.write.condition(1)}:"):
        s.text(f"{name} {s.random.choice(['=', '='])} {s.random.choice(['low', 'other'])!r}")
    s.text(f"{kept} = {name} {s.random.choice(['==', '!='])} {s.random.choice(['low', 'high'])!r}")
    s.scope.flags.append(kept)
    if not s.quiet and s.chance(0.4):
        s.text(f'print({name}, f"<{{{name}:>5}}>")')
    return True


# ---- arrays ----------------------------------------------------------------------------------


def store(s: Statements, place: Place) -> bool:
    """An item or a slice of an array is written."""
    arrays = s.scope.arrays()
    if not arrays:
        return False
    name = s.random.choice(arrays)
    kind = s.scope.names[name]
    number = s.random.choice(SCALARS if kind.is_float else (INT, I8))
    item = _item(s, name, kind)
    if s.chance(0.6):
        s.text(f"{item} = {s.write.wrapped(number, 2)}")
        return True
    s.text(f"{item} {s.random.choice(['+=', '-='])} {s.write.number(number, 1).text}")
    s.text(f"{name}[:] %= {kind.literal(s.random.choice([11, 19, 37]))}")
    return True


def _item(s: Statements, name: str, kind: Kind) -> str:
    """A place in an array."""
    form = s.random.random()
    if form < 0.65:
        return f"{name}[{s.write.index(kind.length)}]"
    if form < 0.9:
        cut = s.random.randrange(kind.length)
        return s.random.choice([f"{name}[{cut}:]", f"{name}[:{cut + 1}]", f"{name}[::2]"])
    return f"{name}[{name} > {kind.literal(3)}]"


def in_place(s: Statements, place: Place) -> bool:
    """A whole array is changed where it is."""
    arrays = [n for n in s.scope.arrays() if n.isidentifier() or n not in s.scope.fixed]
    if not arrays:
        return False
    name = s.random.choice(arrays)
    kind = s.scope.names[name]
    number = s.random.choice(SCALARS if kind.is_float else (INT, I8))
    s.text(f"{name} {s.random.choice(['+=', '-='])} {s.write.number(number, 1).text}")
    s.text(f"{name} %= {kind.literal(s.random.choice([11, 19, 37]))}")
    return True


def view(s: Statements, place: Place) -> bool:
    """A name for a part of an array, which is written at once or later."""
    arrays = [n for n in s.scope.arrays() if n in s.scope.fixed and s.scope.names[n].length > 1]
    if not arrays:
        return False
    of, name = s.random.choice(arrays), s.fresh("part")
    kind = s.scope.names[of]
    cut, length = s.random.choice(
        [("1:", kind.length - 1), (f":{kind.length - 1}", kind.length - 1), ("::-1", kind.length),
         ("::2", (kind.length + 1) // 2)]
    )  # fmt: skip
    s.text(f"{name} = {of}[{cut}]")
    if s.chance(0.4):
        s.text(f"{name} += {kind.literal(1)}")
        s.text(f"{of}[:] %= {kind.literal(37)}")
    s.scope.names[name] = Kind(kind.name, length)
    s.scope.fixed.add(name)
    return True


def shared(s: Statements, place: Place) -> bool:
    """A name becomes another name of an array."""
    arrays = [n for n in s.scope.arrays() if n in s.scope.fixed and "part" not in n]
    if not arrays:
        return False
    of, name = s.random.choice(arrays), s.fresh("same")
    s.text(f"{name} = {of}")
    s.scope.names[name] = s.scope.names[of]
    s.scope.fixed.add(name)
    return True


# ---- text ------------------------------------------------------------------------------------


def show(s: Statements, place: Place) -> bool:
    """`print`, with names, containers, expressions and f-strings."""
    names = s.random.sample(list(s.scope.names), min(2, len(s.scope.names)))
    form = s.random.random()
    if form < 0.4:
        s.text(f"print({', '.join(_formatted(s, name) for name in names)})")
    elif form < 0.55:
        s.text(f"print({', '.join(names)}, sep='; ', end='.\\n')")
    elif form < 0.7 and s.scope.shapes:
        # The text of an object has its address.
        kinds = {
            n: [shape, *(k for _, k in shape.places(n))] for n, shape in s.scope.shapes.items()
        }
        shapes = [n for n in kinds if all(getattr(k, "form", "") != "object" for k in kinds[n])]
        s.text(f"print({', '.join([*shapes[:1], *s.scope.flags[:1], repr('all')])})")
    else:
        s.text(f"print('{s.fresh('at ')}', {', '.join(names)}, {s.write.operand(1)})")
    return True


def _formatted(s: Statements, name: str) -> str:
    """An f-string or another way of formatting."""
    if s.scope.names[name].is_array:
        return f'f"{{{name}!r}} {{{name}}}"'
    if s.scope.names[name].is_float:
        form = s.random.choice(['f"{{{0}:.3f}} {{{0}!r:>9}}"', '"%.2f" % {0}', 'f"{{{0}=}}"',
                                '"{{:7.2f}}|".format({0})'])  # fmt: skip
    else:
        form = s.random.choice(['f"{{{0}:>4d}}"', '"%d" % {0}', 'f"{{{0}:{{3}}}}"', "str({0})"])
    return form.format(name)


# ---- jumps -----------------------------------------------------------------------------------


def jump(s: Statements, place: Place) -> bool:
    """`break`, `continue` or `return`, mostly on a condition."""
    words = ["break", "break", "continue", "continue"]
    line = s.random.choice(words + ["return"] * (not place.in_closure))
    line = f"return {s.returns()}" if line == "return" else line
    if s.chance(0.15):
        s.text(line)
        return True
    with s.text.block(f"if {s.write.condition(1)}:"):
        if s.chance(0.5):
            assign(s, place)
        s.text(line)
    return True


def skip(s: Statements, place: Place) -> bool:
    """`continue` on one condition of two, and something that is seen to be left out."""
    with s.text.block(f"if {s.write.condition(1)}:"):
        with s.text.block(f"if {s.write.condition(0)}:"):
            s.text("continue")
        assign(s, place)
    s.text("fuel -= 1")
    return True


def leave(s: Statements, place: Place) -> bool:
    """An early `return`."""
    s.text(f"return {s.returns()}")
    return True


def give(s: Statements, place: Place) -> bool:
    """`yield`, at times on a condition."""
    assert s.gives is not None
    line = f"yield {s.write.wrapped(s.gives, 1)}"
    if s.chance(0.5):
        s.text(line)
        return True
    with s.text.block(f"if {s.write.condition(1)}:"):
        s.text(line)
    return True
