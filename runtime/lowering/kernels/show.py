"""A program of kernels as text: what `.lower("kernels")` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Attempt,
    Axis,
    Block,
    Buffer,
    Call,
    CallOut,
    Check,
    Contract,
    Copy,
    Dim,
    Draw,
    Escape,
    For,
    Handed,
    If,
    Let,
    MakeArray,
    Move,
    PairwiseSum,
    Poll,
    Program,
    Reserve,
    Statement,
    Store,
    Swap,
    Tick,
    While,
)
from runtime.lowering.kernels.scalar import Expr

__all__ = ["text"]

INDENT = "  "
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "quotient": "/", "and": "and", "or": "or",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "product": "*",
    "shl": "<<", "ashr": ">>", "lshr": ">>>", "xor": "^",
    "fmod": "fmod", "floor_quotient": "//", "floor_remainder": "%",
}  # fmt: skip
_CHECKED = {"checked_add": "+", "checked_sub": "-", "checked_mul": "*"}


def text(program: Program) -> str:
    """All statements; loops and branches are indented."""
    parameters = ", ".join(
        f"{p.register.name}: {p.register.type}" if p.register is not None else _declared(p.buffer)
        for p in program.parameters
    )
    lines = [f"kernel {program.name}({parameters}) {{"]
    lines += [f"  require {_expr(x)} == {_expr(y)}" for x, y in program.equal]
    lines += [f"  require {_expr(x)} >= {least}" for x, least in program.least]
    lines += [f"{INDENT}{line}" for line in _lines(program.body)]
    results = [
        _expr(r.value) if r.value is not None else (r.buffer.name if r.buffer else "")
        for r in program.results
    ]
    lines += [f"  return {', '.join(results)}".rstrip(), "}"]
    return "\n".join(lines) + "\n"


def _declared(buffer: Buffer | None) -> str:
    assert buffer is not None
    return f"{buffer.name}: {buffer.type}[{', '.join(map(size_text, buffer.shape))}]"


def size_text(size: Dim) -> str:
    return str(size) if isinstance(size, int) else _expr(size)


def _lines(block: Block) -> Iterator[str]:
    for statement in block:
        yield from _SHOWN[type(statement)](statement)


def _inside(block: Block) -> Iterator[str]:
    return (f"{INDENT}{line}" for line in _lines(block))


def _let(s: Let) -> Iterator[str]:
    """A register; parts of its value that are used more than once come before it."""
    names: dict[Expr, str] = {}
    for number, part in enumerate(_shared(s.value), 1):
        name = f"{s.register.name}_{number}"
        yield f"{name}: {part.type} = {_expr(part, names)}"
        names[part] = name
    yield f"{s.register.name}: {s.register.type} = {_expr(s.value, names)}"


def _shared(x: Expr) -> list[Expr]:
    """The parts of an expression that stand in it more than once, inner ones first."""
    counts: Counter[Expr] = Counter()
    order: list[Expr] = []

    def visit(part: Expr) -> None:
        counts[part] += 1
        if counts[part] == 1:
            for inner in part.args:
                visit(inner)
            order.append(part)

    visit(x)
    return [part for part in order if counts[part] > 1 and part.args]


def _assign(s: Assign) -> Iterator[str]:
    yield f"{s.cell.name} := {_expr(s.value)}"


def _attempt(s: Attempt) -> Iterator[str]:
    yield f"{s.name}:"
    yield from _inside(s.body)


def _escape(s: Escape) -> Iterator[str]:
    yield f"go on behind {s.name}"


def _allocate(s: Allocate) -> Iterator[str]:
    where = "" if s.buffer.role == "own" else f"  # the memory of a {s.buffer.role}"
    yield f"allocate {_declared(s.buffer)}{where}"


def _store(s: Store) -> Iterator[str]:
    yield f"{s.buffer.name}[{_expr(s.offset)}] = {_expr(s.value)}"


def _move(s: Move) -> Iterator[str]:
    size = size_text(s.size)
    yield f"copy {size} to {s.target.name}[{_expr(s.to)}:] from {s.source.name}[{_expr(s.begin)}:]"


def _make_array(s: MakeArray) -> Iterator[str]:
    sizes = ", ".join(map(size_text, s.shape))
    yield f"make array of {s.buffer.name}[{_expr(s.begin)}:] as [{sizes}]"


def _reserve(s: Reserve) -> Iterator[str]:
    yield f"reserve {s.buffer.name}[{_expr(s.size)}]"


def _copy(s: Copy) -> Iterator[str]:
    yield f"copy {s.target.name} from {s.source.name}"


def _swap(s: Swap) -> Iterator[str]:
    yield f"swap {s.one.name}, {s.other.name}"


def _for(s: For) -> Iterator[str]:
    how = "for" if s.serial else "for each"
    yield f"{how} {s.index.name} < {size_text(s.size)}:"
    yield from _inside(s.body)


def _pairwise(s: PairwiseSum) -> Iterator[str]:
    how = {"sum": "sum in pairs", "ge": "largest", "le": "least"}[s.how]
    yield f"{s.cell.name} := {how} over {s.index.name} < {size_text(s.size)} of:"
    yield from _inside(s.body)
    yield f"{INDENT}{_expr(s.element)}"


def _contract(s: Contract) -> Iterator[str]:
    """The axes with their sizes, and how far elements are in both operands and the result."""
    axes = {"around": s.outer, "row": [s.row], "column": [s.column], "sum over": s.inner}
    operands = [
        buffer.name if start == 0 else f"{buffer.name} from {size_text(start)}"
        for buffer, start in zip((s.x, s.y), s.starts, strict=False)
    ]
    yield f"{s.target.name} = products of {' and '.join(operands)}:"
    for name, found in axes.items():
        for axis in found:
            yield f"{INDENT}{name} < {size_text(axis.size)}: {_steps(axis)}"


def _steps(axis: Axis) -> str:
    return ", ".join(size_text(step) for step in (axis.x, axis.y, axis.out))


def _if(s: If) -> Iterator[str]:
    yield f"if {_expr(s.condition)}:"
    yield from _inside(s.yes)
    if s.no:
        yield "else:"
        yield from _inside(s.no)


def _while(s: While) -> Iterator[str]:
    yield "loop:"
    yield from _inside(s.test)
    yield f"{INDENT}stop unless {_expr(s.condition)}"
    yield from _inside(s.body)


def _poll(s: Poll) -> Iterator[str]:
    yield f"poll  # after {_expr(s.cost)} operations"


def _check(s: Check) -> Iterator[str]:
    yield f"fail at site {s.site} if {_expr(s.failed)}"


def _call_out(s: CallOut) -> Iterator[str]:
    operands = ", ".join(map(_handed, s.operands))
    results = ", ".join(map(_handed, s.results))
    yield f"{results}{' := ' if results else ''}python call {s.number}({operands})"


def _draw(s: Draw) -> Iterator[str]:
    operands = ", ".join(map(_handed, s.operands))
    yield f"{_handed(s.results[0])} := {s.sampler}({operands})"


def _call(s: Call) -> Iterator[str]:
    function = s.function
    if s.holds:
        yield f"function {function.name}({', '.join(p.name for p in function.parameters)}):"
        yield from _inside(function.body)
        yield f"{INDENT}give {', '.join(map(_expr, function.values))}"
    results = ", ".join(cell.name for cell in s.results)
    yield f"{results} := {function.name}({', '.join(map(_expr, s.operands))})"


def _tick(s: Tick) -> Iterator[str]:
    yield f"clock {'on' if s.begins else 'off'} for {s.row}"


def _handed(h: Handed) -> str:
    if h.value is not None:
        return _expr(h.value)
    if h.cell is not None:
        return h.cell.name
    assert h.buffer is not None
    return h.buffer.name


_SHOWN: dict[type[Statement], Callable[[Any], Iterator[str]]] = {
    Let: _let,
    Assign: _assign,
    Allocate: _allocate,
    Store: _store,
    Reserve: _reserve,
    Copy: _copy,
    Swap: _swap,
    For: _for,
    PairwiseSum: _pairwise,
    Contract: _contract,
    If: _if,
    Attempt: _attempt,
    Escape: _escape,
    While: _while,
    Poll: _poll,
    Check: _check,
    CallOut: _call_out,
    Draw: _draw,
    Call: _call,
    Tick: _tick,
    Move: _move,
    MakeArray: _make_array,
}


def _expr(x: Expr, names: Mapping[Expr, str] = MappingProxyType({})) -> str:
    """An expression as one would write it; parts that have names go by them."""
    if x in names:
        return names[x]
    if x.function == "const":
        return f"{x.value}"
    if x.function == "read":
        return str(x.value.name)
    args = [_expr(a, names) for a in x.args]
    if x.function == "load":
        return f"{x.value.name}[{args[0]}]"
    if x.function in _SIGNS:
        return f"({args[0]} {_SIGNS[x.function]} {args[1]})"
    if x.function in _CHECKED:
        return f"{args[0]} {_CHECKED[x.function]} {args[1]}"
    if x.function == "first":
        return f"({args[0]})"
    if x.function == "second":
        return f"overflow({args[0]})"
    if x.function == "select":
        return f"({args[1]} if {args[0]} else {args[2]})"
    if x.function in ("cast", "bitcast"):
        return f"{x.type}({args[0]})" if x.function == "cast" else f"bits<{x.type}>({args[0]})"
    return f"{x.function}({', '.join(args)})"
