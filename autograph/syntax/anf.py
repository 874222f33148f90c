"""Three-address code: each statement does one operation on names and constants.

y = f(a[i] + 1)     t_1 = f
                    t_2 = a[i]
                    t_3 = t_2 + 1
                    y = t_1(t_3)

What the program does, and in which order, stays exactly as it is. So a name that is read before a
computation which might bind it anew is kept first: `f` above. Parts that Python runs later, or
never, stay inside: the right operands of `and`, `or` and chained comparisons, both values of a
conditional expression, messages of assertions, bodies of lambdas and comprehensions, patterns and
guards, annotations. Class bodies are left alone except for their methods, as each name bound there
is an attribute, and so are functions that look at all of their names, as `locals()` does.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

import gast

from autograph.syntax.names import Namer
from autograph.syntax.template import Template, make, name, stored, tuple_of
from autograph.syntax.walk import place_of, statement_lists

__all__ = ["to_anf"]

ASSIGN = Template("target = value")
WHILE = Template("""
while True:
    before
    if not test:
        stop
        break
    body
""")
STOP = Template("flag = True")
START = Template("flag = False")
IF_STOPPED = Template("""
if flag:
    orelse
""")
IF_DEBUG = Template("""
if __debug__:
    checked
""")

_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef)
_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def to_anf(tree: Any) -> Any:
    """A copy of a module or function in three-address code.

    >>> from autograph.syntax.print import unparse
    >>> print(unparse(to_anf(gast.parse("y = a[i] * f(j + 1)"))).strip())
    _t_1 = a[i]
    _t_2 = f
    _t_3 = j + 1
    _t_4 = _t_2(_t_3)
    y = _t_1 * _t_4
    """
    tree = copy.deepcopy(tree)
    namer = Namer(_identifiers(tree))
    if isinstance(tree, gast.Module):
        tree.body = _Block(namer, "_t_").of(tree.body)
    elif isinstance(tree, _FUNCTIONS):
        _flatten_function(tree, namer)
    return tree


def _identifiers(tree: gast.AST) -> Iterator[str]:
    """Every text that may be a name, and the stems, so that numbers follow them."""
    yield from ("t_", "_t_")
    for node in gast.walk(tree):
        for value in vars(node).values():
            values = value if isinstance(value, list) else [value]
            yield from (each for each in values if isinstance(each, str))


def _flatten_function(function: Any, namer: Namer) -> None:
    if not any(map(_sees_all_names, gast.walk(function))):
        function.body = _Block(namer, "t_").of(function.body)


def _sees_all_names(node: Any) -> bool:
    """Whether it calls what looks at the names of the function: new ones would be found."""
    if not (isinstance(node, gast.Call) and isinstance(node.func, gast.Name)):
        return False
    if node.func.id in ("locals", "eval", "exec"):
        return True
    return node.func.id in ("vars", "dir") and not (node.args or node.keywords)


class Operand(NamedTuple):
    """An expression that is evaluated among others; `form` is `*`, `**` or nothing."""

    node: Any
    form: str = ""

    def is_trivial(self) -> bool:
        """Whether it is a name or constant."""
        return _is_trivial(self.node)


def _is_trivial(node: Any) -> bool:
    return isinstance(node, gast.Name) or _is_constant(node)


def _is_constant(node: Any) -> bool:
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        node = node.operand
    return isinstance(node, gast.Constant)


class _Expressions:
    """Takes expressions apart; `made` are the statements that compute their parts."""

    def __init__(self, namer: Namer, stem: str) -> None:
        self._namer = namer
        self._stem = stem
        self.made: list[gast.stmt] = []

    def save(self, value: Any) -> gast.expr:
        """A new name for the value."""
        fresh = self._namer.fresh(self._stem)
        self.made += ASSIGN.statements(value, target=fresh, value=value)
        return name(fresh, value)

    def atom(self, node: Any) -> gast.expr:
        """A name or constant for the value of an expression."""
        if _is_trivial(node):
            trivial: gast.expr = node
            return trivial
        if isinstance(node, gast.NamedExpr):
            value = self.kept(node.value)
            self.made += ASSIGN.statements(node, target=node.target.id, value=value)
            return value
        return self.save(self.operation(node))

    def kept(self, node: Any) -> gast.expr:
        """An atom that no later statement can change."""
        return self.unless_fixed(self.atom(node))

    def unless_fixed(self, value: Any) -> gast.expr:
        """The value itself if it is a constant or one of the new names, else a name for it."""
        if _is_constant(value):
            constant: gast.expr = value
            return constant
        if isinstance(value, gast.Name) and value.id in self._namer.generated:
            return name(value.id, value)
        return self.save(value)

    def atoms(self, operands: list[Operand]) -> list[Any]:
        """Atoms for expressions that are evaluated one after the other."""
        last = _last(not operand.is_trivial() for operand in operands)
        return [self._among(operand, number < last) for number, operand in enumerate(operands)]

    def _among(self, operand: Operand, is_before_others: bool) -> gast.expr:
        node, form = operand
        if not is_before_others:
            return self.atom(node)
        if not form:
            return self.kept(node)
        return self.save(_unpacked(self.atom(node), form))

    def operation(self, node: Any) -> Any:
        """The expression with atoms for operands."""
        if isinstance(node, _COMPREHENSIONS):
            node.generators[0].iter = self.atom(node.generators[0].iter)
            return node
        take = _OPERATIONS.get(type(node))
        if take is not None:
            take(self, node)
        return node

    def in_fields(self, node: Any, *fields: str) -> None:
        """Puts atoms in these fields of a node, evaluated in this order."""
        present = [field for field in fields if getattr(node, field) is not None]
        atoms = self.atoms([Operand(getattr(node, field)) for field in present])
        for field, atom in zip(present, atoms, strict=True):
            setattr(node, field, atom)

    def in_places(self, places: list[_Place]) -> None:
        """Puts atoms in places, evaluated in this order."""
        atoms = self.atoms([place.operand() for place in places])
        for place, atom in zip(places, atoms, strict=True):
            place.fill(atom)

    def operations_in(self, places: list[_Place]) -> None:
        """Puts operations in places, evaluated in this order, or atoms where that needs it."""
        last = _last(not _is_operation(place.operand().node) for place in places)
        for number, place in enumerate(places):
            node = place.operand().node
            if number < last:
                place.fill(self.kept(node))
            elif number == last:
                place.fill(self.operation(node))


def _last(flags: Iterator[bool] | Any) -> int:
    return max((number for number, flag in enumerate(flags) if flag), default=-1)


def _is_operation(node: Any) -> bool:
    """Whether an expression is one operation on atoms."""
    trial = _Expressions(Namer(()), "t")
    trial.operation(copy.deepcopy(node))
    return not trial.made


def _unpacked(atom: Any, form: str) -> gast.expr:
    """`[*atom]` or `{**atom}`: what it holds now."""
    place = place_of(atom)
    if form == "**":
        made: gast.expr = make(gast.Dict, {"keys": [None], "values": [atom], **place})
        return made
    starred = make(gast.Starred, {"value": atom, "ctx": gast.Load(), **place})
    made = make(gast.List, {"elts": [starred], "ctx": gast.Load(), **place})
    return made


class _Place(NamedTuple):
    """Where an operand stands: a field of a node, or an item of a list."""

    owner: Any
    key: Any

    def _content(self) -> Any:
        return self.owner[self.key] if isinstance(self.key, int) else getattr(self.owner, self.key)

    def operand(self) -> Operand:
        """The operand in the place."""
        content = self._content()
        if isinstance(content, gast.Starred):
            return Operand(content.value, "*")
        is_mapping = isinstance(self.owner, gast.keyword) and self.owner.arg is None
        return Operand(content, "**" if is_mapping else "")

    def fill(self, atom: gast.expr) -> None:
        """Puts an atom there."""
        content = self._content()
        if isinstance(content, gast.Starred):
            content.value = atom
        elif isinstance(self.key, int):
            self.owner[self.key] = atom
        else:
            setattr(self.owner, self.key, atom)


def _items(nodes: list[Any]) -> list[_Place]:
    return [_Place(nodes, number) for number, node in enumerate(nodes) if node is not None]


# ---- operations ------------------------------------------------------------------------------


def _call(expressions: _Expressions, node: Any) -> None:
    # Of `f(*xs, k=v)` Python iterates over `xs` in the call, with more arguments before it.
    alone = len(node.args) == 1 and isinstance(node.args[0], gast.Starred)
    arguments = [_Place(node.args[0], "value")] if alone else _items(node.args)
    keywords = [_Place(keyword, "value") for keyword in node.keywords]
    expressions.in_places([_Place(node, "func"), *arguments, *keywords])


def _display(expressions: _Expressions, node: Any) -> None:
    expressions.in_places(_items(node.elts))


def _dict(expressions: _Expressions, node: Any) -> None:
    operands = []
    for key, value in zip(node.keys, node.values, strict=True):
        operands += [Operand(value, "**")] if key is None else [Operand(key), Operand(value)]
    atoms = iter(expressions.atoms(operands))
    for number, key in enumerate(node.keys):
        node.keys[number] = None if key is None else next(atoms)
        node.values[number] = next(atoms)


def _subscript(expressions: _Expressions, node: Any) -> None:
    expressions.in_places([_Place(node, "value"), *_index(node)])


def _index(node: Any) -> list[_Place]:
    """The operands of an index, those inside its slices included."""
    index = node.slice
    if isinstance(index, gast.Tuple):
        return [each for item in _items(index.elts) for each in _sliced(item)]
    return _sliced(_Place(node, "slice"))


def _sliced(place: _Place) -> list[_Place]:
    node = place.operand().node
    if not isinstance(node, gast.Slice):
        return [place]
    bounds = ("lower", "upper", "step")
    return [_Place(node, bound) for bound in bounds if getattr(node, bound) is not None]


def _compare(expressions: _Expressions, node: Any) -> None:
    expressions.in_places([_Place(node, "left"), _Place(node.comparators, 0)])


def _first_value(expressions: _Expressions, node: Any) -> None:
    expressions.in_places([_Place(node.values, 0)])


def _lambda(expressions: _Expressions, node: Any) -> None:
    expressions.in_places(_defaults(node.args))


def _defaults(arguments: Any) -> list[_Place]:
    return [*_items(arguments.defaults), *_items(arguments.kw_defaults)]


def _named(expressions: _Expressions, node: Any) -> None:
    node.value = expressions.operation(node.value)


def _joined(expressions: _Expressions, node: Any) -> None:
    """Each field is formatted before the next one is computed."""
    places = [p for p in _items(node.values) if isinstance(p.operand().node, gast.FormattedValue)]
    last = _last(not _is_plain_field(place.operand().node) for place in places)
    for number, place in enumerate(places):
        field = place.operand().node
        _field(expressions, field)
        if number < last:
            text = make(gast.JoinedStr, {"values": [field], **place_of(field)})
            place.fill(_formatted(expressions.save(text)))


def _is_plain_field(node: Any) -> bool:
    return _is_trivial(node.value) and _is_plain_format(node.format_spec)


def _is_plain_format(node: Any) -> bool:
    fields = [] if node is None else node.values
    return all(_is_constant(f) or _is_plain_field(f) for f in fields)


def _field(expressions: _Expressions, field: Any) -> None:
    if _is_plain_format(field.format_spec):
        field.value = expressions.atom(field.value)
        return
    field.value, text = expressions.atoms([Operand(field.value), Operand(field.format_spec)])
    values = [_formatted(text)]
    field.format_spec = make(gast.JoinedStr, {"values": values, **place_of(text)})


def _formatted(text: gast.expr) -> gast.expr:
    fields = {"value": text, "conversion": -1, "format_spec": None, **place_of(text)}
    made: gast.expr = make(gast.FormattedValue, fields)
    return made


def _fields(*fields: str) -> Any:
    return lambda expressions, node: expressions.in_fields(node, *fields)


_OPERATIONS: dict[type[gast.AST], Any] = {
    gast.BinOp: _fields("left", "right"),
    gast.UnaryOp: _fields("operand"),
    gast.Attribute: _fields("value"),
    gast.Await: _fields("value"),
    gast.Yield: _fields("value"),
    gast.YieldFrom: _fields("value"),
    gast.IfExp: _fields("test"),
    gast.Subscript: _subscript,
    gast.Compare: _compare,
    gast.BoolOp: _first_value,
    gast.Call: _call,
    gast.Tuple: _display,
    gast.List: _display,
    gast.Set: _display,
    gast.Dict: _dict,
    gast.Lambda: _lambda,
    gast.NamedExpr: _named,
    gast.JoinedStr: _joined,
}


# ---- statements ------------------------------------------------------------------------------


class _Block:
    """Takes the statements of a block apart, one after the other."""

    def __init__(self, namer: Namer, stem: str) -> None:
        self._namer = namer
        self._stem = stem
        self._expressions = _Expressions(namer, stem)

    def of(self, statements: list[Any]) -> list[gast.stmt]:
        """The statements in three-address code."""
        found: list[gast.stmt] = []
        for statement in statements:
            found += self._statement(statement)
        return found

    def _statement(self, node: Any) -> list[gast.stmt]:
        outer, self._expressions = self._expressions, _Expressions(self._namer, self._stem)
        take = _STATEMENTS.get(type(node), _Block._compound)
        last = take(self, node)
        made = [*self._expressions.made, *last]
        self._expressions = outer
        return made

    def _compound(self, node: Any) -> list[gast.stmt]:
        """A statement without expressions that run before its blocks do."""
        for block in statement_lists(node):
            block[:] = self.of(block)
        return [node]

    def _with_value(self, node: Any) -> list[gast.stmt]:
        if node.value is not None:
            node.value = self._expressions.operation(node.value)
        return [node]

    def _raise(self, node: Any) -> list[gast.stmt]:
        parts = [_Place(node, part) for part in ("exc", "cause") if getattr(node, part)]
        self._expressions.operations_in(parts)
        return [node]

    def _assert(self, node: Any) -> list[gast.stmt]:
        node.test = self._expressions.operation(node.test)
        checked, self._expressions.made = [*self._expressions.made, node], []
        return IF_DEBUG.statements(node, checked=checked) if len(checked) > 1 else checked

    def _branch(self, node: Any) -> list[gast.stmt]:
        node.test = self._expressions.operation(node.test)
        return self._compound(node)

    def _match(self, node: Any) -> list[gast.stmt]:
        node.subject = self._expressions.operation(node.subject)
        return self._compound(node)

    def _while(self, node: Any) -> list[gast.stmt]:
        node.test = self._expressions.operation(node.test)
        before, self._expressions.made = self._expressions.made, []
        self._compound(node)
        if not before:
            return [node]
        start, stop, after = self._exhausted(node)
        loop = WHILE.statements(node, before=before, test=node.test, stop=stop, body=node.body)
        return [*start, *loop, *after]

    def _exhausted(self, node: Any) -> tuple[list[gast.stmt], list[gast.stmt], list[gast.stmt]]:
        """What keeps the `else` of a loop for when its test has failed."""
        if not node.orelse:
            return [], [], []
        flag = self._namer.fresh(self._stem)
        after = IF_STOPPED.statements(node.orelse[0], flag=flag, orelse=node.orelse)
        return START.statements(node, flag=flag), STOP.statements(node, flag=flag), after

    def _for(self, node: Any) -> list[gast.stmt]:
        node.iter = self._expressions.operation(node.iter)
        if not _is_simple_target(node.target):
            item = self._namer.fresh(self._stem)
            node.body = [_assignment(node.target, name(item, node.target)), *node.body]
            node.target = stored(item, node.target)
        return self._compound(node)

    def _with(self, node: Any) -> list[gast.stmt]:
        """A manager after the first is made when those before it have been entered."""
        first, *others = node.items
        if others:
            rest = make(type(node), {"items": others, "body": node.body, **place_of(node)})
            rest.type_comment = None
            node.items, node.body = [first], [rest]
        first.context_expr = self._expressions.operation(first.context_expr)
        target = first.optional_vars
        if target is not None and not _is_simple_target(target):
            entered = self._namer.fresh(self._stem)
            node.body = [_assignment(target, name(entered, target)), *node.body]
            first.optional_vars = stored(entered, target)
        return self._compound(node)

    def _function(self, node: Any) -> list[gast.stmt]:
        self._expressions.operations_in([*_items(node.decorator_list), *_defaults(node.args)])
        _flatten_function(node, self._namer)
        return [node]

    def _class(self, node: Any) -> list[gast.stmt]:
        places = _items(node.decorator_list)
        if not getattr(node, "type_params", None):
            bases = [_Place(keyword, "value") for keyword in node.keywords]
            places += [*_items(node.bases), *bases]
        plain = all(not place.operand().form for place in places)
        if plain:
            self._expressions.operations_in(places)
        self._methods(node)
        return [node]

    def _methods(self, node: Any) -> None:
        for block in statement_lists(node):
            for statement in block:
                if isinstance(statement, _FUNCTIONS):
                    _flatten_function(statement, self._namer)
                else:
                    self._methods(statement)

    def _delete(self, node: Any) -> list[gast.stmt]:
        if all(map(_is_simple_target, node.targets)):
            return [node]
        targets = [leaf for target in node.targets for leaf in _leaves(target)]
        for target in targets:
            self._expressions.operation(target)
            deleted = make(gast.Delete, {"targets": [target], **place_of(node)})
            self._expressions.made.append(deleted)
        return []

    # Assignments

    def _assign(self, node: Any) -> list[gast.stmt]:
        node.value = self._expressions.operation(node.value)
        if all(map(_is_simple_target, node.targets)):
            return [node]
        value = self._expressions.unless_fixed(node.value)
        for target in node.targets:
            self._store(target, value)
        return []

    def _store(self, target: Any, value: gast.expr) -> None:
        """Stores an atom; the parts of a target are computed when their turn comes."""
        if _is_simple_target(target):
            self._expressions.made.append(_assignment(target, value))
        elif isinstance(target, gast.Tuple | gast.List):
            self._store_parts(target, value)
        else:
            self._expressions.operation(target)
            self._expressions.made.append(_assignment(target, value))

    def _store_parts(self, target: Any, value: gast.expr) -> None:
        parts = [self._namer.fresh(self._stem) for _ in target.elts]
        holders = [_holder(p, each) for p, each in zip(parts, target.elts, strict=True)]
        unpacked = tuple_of(holders, target, gast.Store())
        self._expressions.made.append(_assignment(unpacked, value))
        for part, each in zip(parts, target.elts, strict=True):
            inner = each.value if isinstance(each, gast.Starred) else each
            self._store(inner, name(part, each))

    def _update(self, node: Any) -> list[gast.stmt]:
        """`a[i] += v` reads the old value before it computes `v`."""
        if not isinstance(node.target, gast.Name):
            self._keep_parts(node)
        if _is_trivial(node.value):
            return [node]
        read = copy.deepcopy(node.target)
        read.ctx = gast.Load()
        old: Any = self._expressions.save(read)
        value = self._expressions.atom(node.value)
        made = {"target": stored(old.id, node), "op": node.op, "value": value, **place_of(node)}
        self._expressions.made.append(make(gast.AugAssign, made))
        return [_assignment(node.target, old)]

    def _keep_parts(self, node: Any) -> None:
        """Atoms for the object and index of a target that is both read and stored."""
        target = node.target
        self._expressions.operation(target)
        if _is_trivial(node.value):
            return
        index = _index(target) if isinstance(target, gast.Subscript) else []
        for place in (_Place(target, "value"), *index):
            place.fill(self._expressions.kept(place.operand().node))


def _assignment(target: Any, value: gast.expr) -> gast.stmt:
    fields = {"targets": [target], "value": value, "type_comment": None, **place_of(target)}
    made: gast.stmt = make(gast.Assign, fields)
    return made


def _holder(part: str, target: Any) -> gast.expr:
    held = stored(part, target)
    if not isinstance(target, gast.Starred):
        return held
    fields = {"value": held, "ctx": gast.Store(), **place_of(target)}
    made: gast.expr = make(gast.Starred, fields)
    return made


def _leaves(target: Any) -> list[Any]:
    if isinstance(target, gast.Tuple | gast.List):
        return [leaf for each in target.elts for leaf in _leaves(each)]
    return [target]


def _is_simple_target(target: Any) -> bool:
    """Whether no part of a target computes anything but names and constants."""
    if isinstance(target, gast.Tuple | gast.List):
        return all(map(_is_simple_target, target.elts))
    if isinstance(target, gast.Starred):
        return _is_simple_target(target.value)
    return isinstance(target, gast.Name) or _is_operation(target)


_STATEMENTS: dict[type[gast.AST], Any] = {
    gast.Expr: _Block._with_value,
    gast.Return: _Block._with_value,
    gast.AnnAssign: _Block._with_value,
    gast.Assign: _Block._assign,
    gast.AugAssign: _Block._update,
    gast.Delete: _Block._delete,
    gast.Raise: _Block._raise,
    gast.Assert: _Block._assert,
    gast.If: _Block._branch,
    gast.While: _Block._while,
    gast.For: _Block._for,
    gast.AsyncFor: _Block._for,
    gast.With: _Block._with,
    gast.AsyncWith: _Block._with,
    gast.Match: _Block._match,
    gast.FunctionDef: _Block._function,
    gast.AsyncFunctionDef: _Block._function,
    gast.ClassDef: _Block._class,
}
