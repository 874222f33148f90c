"""Functions that a program computes often, each written once and called.

What `mathematics` and its neighbours compose is up to some hundred operations. Where few are used
they stand where they are needed, and LLVM sees all. Of many, that would be most of the text: each
is one function then, and one more for vectors, which loops over elements call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from runtime.execute.native.processor import vector_bytes
from runtime.lowering.kernels.kernel import (
    Block,
    Buffer,
    Program,
    Register,
    read,
    walk,
)
from runtime.lowering.kernels.llvm_types import llvm_type
from runtime.lowering.kernels.scalar import Expr, parts_of
from runtime.lowering.scalars.functions import FUNCTIONS, RARELY

__all__ = ["called", "lanes_of", "shared", "vectors_of"]

# From so many operations on, in all uses of it, a function is called: LLVM takes a tenth of
# a millisecond for each of them in a loop over elements.
_MANY = 1024
# What a call may be told: what it looks up is never written. Of one that reads memory, LLVM would
# make no vectors.
_FACTS, _OF_CALL = "noinline nounwind willreturn", " memory(none)"


def shared(program: Program) -> frozenset[str]:
    """The functions that a program calls, by their names."""
    results = [r.value for r in program.results if r.value is not None]
    uses = list(_composed(program.body, results))
    counts, one = Counter(map(_name, uses)), {_name(x): x for x in uses}
    often = (name for name, count in counts.items() if count * _operations(one[name]) >= _MANY)
    return frozenset((*often, *(f"@{name}.f8" for name in RARELY)))


def _operations(x: Expr) -> int:
    """How many a function is, those of its operands aside."""
    assert x.composed is not None
    operands = set(x.composed[1])
    return sum(1 for p in parts_of(x, whole=operands.__contains__) if p.args and p not in operands)


def _composed(
    block: Block, others: Iterable[Expr], names: frozenset[str] | None = None
) -> Iterator[Expr]:
    """What is composed as a function, as one of `names`, in statements and others, each once."""
    todo = [*others, *(x for s in walk(block) for x in s.computed())]
    seen = set[Expr]()
    while todo:
        x = todo.pop()
        if x in seen:
            continue
        seen.add(x)
        if x.composed is None or (names is not None and _name(x) not in names):
            todo += x.args
        else:
            yield x
            todo += x.composed[1]


def _name(x: Expr) -> str:
    assert x.composed is not None
    return f"@{x.composed[0]}.{x.type}"


def called(w: Any, x: Expr) -> str | None:
    """The value of a call of what `x` is composed as; None where it is to be written out."""
    if x.composed is None or _name(x) not in w.called:
        return None
    # A loop that LLVM makes vectors of has functions of vectors if all of them are as wide.
    if w.groups and w.lane is None and w.vectors != x.type:
        return None
    operands = x.composed[1]
    given = [w.value(a) for a in operands]
    is_wide = any(a in w.wide for a in given)
    if is_wide and w.lanes != lanes_of(x.type):
        return None
    if is_wide:
        given = [w._widened(a, x.type) for a in given]
    function = w.functions.get(_name(x)) or _written(w, x)
    name, kind = function.name(is_wide), function.kind(is_wide)
    listed = [f"{kind} {a}" for a in given]
    listed += [f"ptr {w._pointer(table)}" for table in function.tables]
    variant = function.variant if w.groups and not is_wide else _OF_CALL
    w.intrinsic(function.declared(is_wide))
    if variant != _OF_CALL:
        w.intrinsic(function.declared(True))
    result = str(w.once(f"call {kind} {name}({', '.join(listed)}){variant}"))
    if is_wide:
        w.wide.add(result)
    return result


def lanes_of(type_: str) -> int:
    """How many elements the vectors of functions have."""
    return vector_bytes() // int(type_[1:])


def vectors_of(w: Any, block: Block) -> str | None:
    """The type of what a loop calls functions of; None if it calls none, or those of several."""
    types = {x.type for x in _composed(block, [], w.called)}
    return types.pop() if len(types) == 1 else None


class _Function(NamedTuple):
    """A function that is called, of numbers and of vectors."""

    stem: str
    type: str
    operands: int
    tables: list[Buffer]

    def name(self, is_wide: bool) -> str:
        """What it is called."""
        return f"{self.stem}.v{lanes_of(self.type)}" if is_wide else self.stem

    def kind(self, is_wide: bool) -> str:
        """The type of its operands, and of what it gives."""
        kind = llvm_type(self.type)
        return f"<{lanes_of(self.type)} x {kind}>" if is_wide else kind

    def declared(self, is_wide: bool) -> str:
        """What a module that calls it declares."""
        kind = self.kind(is_wide)
        given = ", ".join([*[kind] * self.operands, *["ptr"] * len(self.tables)])
        return f"hidden {kind} {self.name(is_wide)}({given}) {_FACTS}"

    @property
    def variant(self) -> str:
        """What tells LLVM of the function of vectors, where the one of numbers is called."""
        given = "v" * self.operands + "u" * len(self.tables)
        mangled = f"_ZGV_LLVM_N{lanes_of(self.type)}{given}_{self.stem[1:]}({self.name(True)[1:]})"
        return f'{_OF_CALL} "vector-function-abi-variant"="{mangled}"'


def _written(w: Any, x: Expr) -> _Function:
    """Write the function, of numbers and of vectors."""
    assert x.composed is not None
    parameters = [Register(f"x{k}", x.type) for k in range(len(x.composed[1]))]
    body = FUNCTIONS[x.composed[0]](*map(read, parameters))
    tables = list(dict.fromkeys(p.value for p in parts_of(body) if p.function == "load"))
    function = w.functions[_name(x)] = _Function(_name(x), x.type, len(parameters), tables)
    for is_wide in (False, True):
        inner = w.alone()
        inner.places = {register: f"%{register.name}" for register in parameters}
        inner.pointers = {table: f"%t{k}" for k, table in enumerate(tables)}
        if is_wide:
            inner.lanes = lanes_of(x.type)
            inner.wide.update(inner.places.values())
        kind = function.kind(is_wide)
        given = [f"{kind} {place}" for place in inner.places.values()]
        if x.composed[0] in RARELY:
            _leave_unless_needed(inner, RARELY[x.composed[0]], kind, is_wide)
        result = inner.value(body)
        given += [f"ptr noalias readonly {pointer}" for pointer in inner.pointers.values()]
        head = f"define hidden {kind} {function.name(is_wide)}({', '.join(given)}) {_FACTS} {{"
        w.called_texts.append("\n".join([head, *inner.lines, f"  ret {kind} {result}", "}"]))
    return function


def _leave_unless_needed(inner: Any, least: float, kind: str, is_wide: bool) -> None:
    """Give zeros where no operand is as large as a function is needed for."""
    operand, *_ = inner.places.values()
    bound = f"splat (double {least})" if is_wide else str(least)
    is_any = inner.do(f"fcmp oge {kind} {operand}, {bound}")
    if is_wide:
        truths = f"<{inner.lanes} x i1>"
        reduce = f"i1 @llvm.vector.reduce.or.v{inner.lanes}i1"
        inner.intrinsic(f"{reduce}({truths})")
        is_any = inner.do(f"call {reduce}({truths} {is_any})")
    inner.add(f"br i1 {is_any}, label %needed, label %none")
    inner.begin("none")
    inner.add(f"ret {kind} {'zeroinitializer' if is_wide else '0.0'}")
    inner.begin("needed")
