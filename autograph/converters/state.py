"""The state of a staged statement: functions that read and write the names it carries.

def get_state(): return (x, y)
def set_state(vars_): nonlocal x, y; (x, y) = vars_
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph.converters.conversion import Conversion
from autograph.syntax.template import (
    STORE,
    Template,
    constant,
    make,
    name,
    stored,
    tuple_of,
)

GET_STATE = Template("""
def get_state():
    return values
""")
SET_STATE = Template("""
def set_state(vars_):
    nonlocal names
    global shared
    targets = vars_
    stores
""")
SET_NOTHING = Template("""
def set_state(vars_):
    pass
""")
READ = Template("ag__.read_or_undefined(lambda: read, text)")
STORE_OR_DELETE = Template("""
if ag__.is_undefined(value):
    try:
        del target
    except NameError:
        pass
else:
    target = value
""")


class State:
    """The names that one statement carries, and the functions that hand them over."""

    def __init__(self, names: list[str], node: gast.AST, conversion: Conversion) -> None:
        self.names = names
        self.node = node
        self.conversion = conversion
        self._accessors = Accessors(names, node, conversion)
        for carried in names:
            conversion.require(carried)
        written = conversion.facts.written_in_blocks(node)
        conversion.region.local_to_parts |= written.difference(names)

    def body(self, convert: Callable[[], list[gast.stmt]]) -> list[gast.stmt]:
        """A body of the statement, which shares the names that the statement carries."""
        facts = self.conversion.facts
        writes, start = facts.written_in_blocks(self.node), facts.bound_in_blocks(self.node)
        return self.conversion.body(writes, frozenset(self.names), convert, self.node, start)

    def definitions(self) -> list[gast.stmt]:
        """The definitions of `get_state` and `set_state`."""
        return self._accessors.definitions()

    def placeholders(self) -> dict[str, Any]:
        """What templates of staged statements need to mention the state."""
        symbols = [constant(n, self.node) for n in self.names]
        return {
            "names": self._accessors.local,
            "shared": self._accessors.shared,
            "get_state": self._accessors.getter,
            "set_state": self._accessors.setter,
            "symbols": tuple_of(symbols, self.node),
        }


class Accessors:
    """A pair of functions that read and write some names."""

    def __init__(
        self, names: list[str], node: gast.AST, conversion: Conversion, stem: str = "state"
    ) -> None:
        function = conversion.function
        fresh = conversion.namer.fresh
        self._names = names
        self._node = node
        self._fresh = fresh
        self._vars = conversion.namer.fixed("vars_")
        self._outer = {n for n in names if n in function.globals or n in function.nonlocals}
        self.shared = [n for n in names if n in function.globals]
        self.local = [n for n in names if n not in function.globals]
        self.getter = fresh(f"get_{stem}")
        self.setter = fresh(f"set_{stem}")

    def definitions(self) -> list[gast.stmt]:
        """The two functions."""
        values = tuple_of([self._read(n) for n in self._names], self._node)
        getter = GET_STATE.statements(self._node, get_state=self.getter, values=values)
        return [*getter, *self._set_state()]

    def _read(self, carried: str) -> gast.expr:
        if carried not in self._outer:
            return name(carried, self._node)
        text = constant(carried, self._node)
        return READ.expression(self._node, read=carried, text=text)

    def _set_state(self) -> list[gast.stmt]:
        if not self._names:
            return SET_NOTHING.statements(self._node, set_state=self.setter, vars_=self._vars)
        targets, stores = [], []
        for carried in self._names:
            target = carried
            if carried in self._outer:
                target = self._fresh("value_")
                stores += self._store(carried, target)
            targets.append(stored(target, self._node))
        return SET_STATE.statements(
            self._node,
            set_state=self.setter,
            vars_=self._vars,
            names=self.local,
            shared=self.shared,
            targets=tuple_of(targets, self._node, STORE),
            stores=stores,
        )

    def _store(self, carried: str, value: str) -> list[gast.stmt]:
        """A name of another scope is never bound to the mark of an unbound one."""
        made = STORE_OR_DELETE.statements(self._node, target=carried, value=value)
        delete: Any = made[0]
        target = make(gast.Name, {**name(carried, self._node).__dict__, "ctx": gast.Del()})
        delete.body[0].body[0].targets = [target]
        return made
