"""Kernels: a graph as statements on registers and buffers, loops and all, before any machine.

A `Program` is what `.lower("kernels")` prints, and what is rendered as LLVM IR.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any, Protocol, TypeAlias

import numpy as np

from runtime.graph.ir import Node
from runtime.lowering.kernels.record import Record
from runtime.lowering.kernels.scalar import Expr
from runtime.origins import Origin
from runtime.spec import TensorType

__all__ = [
    "Allocate",
    "Assign",
    "Attempt",
    "Axis",
    "Block",
    "Buffer",
    "Call",
    "CallOut",
    "Cell",
    "Check",
    "Contract",
    "Copy",
    "Dim",
    "Draw",
    "Escape",
    "For",
    "Function",
    "Handed",
    "If",
    "Let",
    "MakeArray",
    "Move",
    "Outside",
    "PairwiseSum",
    "Parameter",
    "Poll",
    "Program",
    "Register",
    "Reserve",
    "Result",
    "Site",
    "Statement",
    "Store",
    "Swap",
    "Tick",
    "Watcher",
    "While",
    "allocated_in",
    "assigned",
    "load",
    "product",
    "read",
    "walk",
    "written",
]


# The size of an axis: a number, or an expression in the sizes of the parameters.
Dim: TypeAlias = int | Expr
Block: TypeAlias = "list[Statement]"


class Register(Record):
    """A scalar that gets its value once."""

    name: str
    type: str


class Cell(Record):
    """A scalar that is assigned to, as the state of a loop is."""

    name: str
    type: str


class Buffer(Record):
    """Memory for an array, its last axis contiguous.

    `role` is "input", "result", "constant", "counters" (of a `Tick`), "own": memory of the call,
    which two buffers may exchange (`Swap`), or "stack": memory of the call that grows (`Reserve`).
    """

    name: str
    type: str
    shape: tuple[Dim, ...]
    role: str = "own"
    value: Any = None
    # How many elements there is memory for, where the shape is not known before the program runs.
    room: Dim | None = None


class Statement(Record):
    """What a program does. Each kind says of itself, blocks that it holds aside, what is asked."""

    # Whether statements of the kind may hold others: most do not, which `walk` passes by.
    is_around = False

    def blocks(self) -> list[Block]:
        """The blocks that it holds."""
        return []

    def computed(self) -> list[Expr]:
        """What it computes."""
        return []

    def given(self) -> Sequence[Cell]:
        """The cells that it gives values."""
        return ()

    def contents(self) -> Sequence[Buffer]:
        """The buffers whose content it may change."""
        return ()

    def sources(self) -> Sequence[Buffer]:
        """The buffers of which it takes the content, its loads aside."""
        return ()


class Let(Statement):
    """Give a register its value."""

    register: Register
    value: Expr

    def computed(self) -> list[Expr]:
        return [self.value]


class Assign(Statement):
    """Give a cell a value."""

    cell: Cell
    value: Expr

    def computed(self) -> list[Expr]:
        return [self.value]

    def given(self) -> Sequence[Cell]:
        return (self.cell,)


class Allocate(Statement):
    """Here begins the use of a buffer of its own memory."""

    buffer: Buffer

    def contents(self) -> Sequence[Buffer]:
        return (self.buffer,)


class Store(Statement):
    """Write one element."""

    buffer: Buffer
    offset: Expr
    value: Expr

    def computed(self) -> list[Expr]:
        return [self.offset, self.value]

    def contents(self) -> Sequence[Buffer]:
        return (self.buffer,)


class Reserve(Statement):
    """Make sure that a stack has room for so many elements."""

    buffer: Buffer
    size: Expr

    def computed(self) -> list[Expr]:
        return [self.size]

    def contents(self) -> Sequence[Buffer]:
        return (self.buffer,)


class Copy(Statement):
    """Copy all elements of a buffer to another of the same shape."""

    target: Buffer
    source: Buffer

    def contents(self) -> Sequence[Buffer]:
        return (self.target,)

    def sources(self) -> Sequence[Buffer]:
        return (self.source,)


class Move(Statement):
    """Copy so many elements from a place in one buffer to one in another, or apart in the same."""

    target: Buffer
    to: Expr
    source: Buffer
    begin: Expr
    size: Dim

    def computed(self) -> list[Expr]:
        return [self.to, self.begin, *_computed([self.size])]

    def contents(self) -> Sequence[Buffer]:
        return (self.target,)

    def sources(self) -> Sequence[Buffer]:
        return (self.source,)


class Swap(Statement):
    """Let two buffers exchange their memory."""

    one: Buffer
    other: Buffer

    def contents(self) -> Sequence[Buffer]:
        return (self.one, self.other)


class For(Statement):
    """Run the body for each index from 0 to `size` less 1.

    The rounds are independent unless the loop is `serial`. `most` is a limit of a size that is not
    known, where there is one.
    """

    index: Register
    size: Dim
    body: Block
    serial: bool = False
    most: int | None = None

    is_around = True

    def blocks(self) -> list[Block]:
        return [self.body]

    def computed(self) -> list[Expr]:
        return _computed([self.size])


class PairwiseSum(Statement):
    """Sum `element` over an index, in the order in which NumPy sums contiguous elements.

    With `how` = "ge" or "le", the largest or least of at least one element, in any order. Of parts
    of complex numbers NumPy has fewer sums side by side: half as many `lanes`.
    """

    cell: Cell
    index: Register
    size: Dim
    body: Block
    element: Expr
    how: str = "sum"
    lanes: int = 8

    is_around = True

    def blocks(self) -> list[Block]:
        return [self.body]

    def computed(self) -> list[Expr]:
        return [self.element, *_computed([self.size])]

    def given(self) -> Sequence[Cell]:
        return (self.cell,)


class Axis(Record):
    """An axis of a contraction: its size, and how far apart in memory its elements are.

    The steps are those of both operands and of the result; 0 where one does not have the axis.
    """

    size: Dim
    x: Dim
    y: Dim
    out: Dim


class Contract(Statement):
    """Sums of products: `target[outer, row, column] = sum of x[...] * y[...] over inner axes`.

    All steps are in elements, of complex numbers in their parts; columns lie side by side in
    `target`. `starts` are the positions of the first elements of `x`, `y` and `target`. Floats are
    added in any order that depends on the sizes alone.
    """

    target: Buffer
    x: Buffer
    y: Buffer
    outer: Sequence[Axis]
    row: Axis
    column: Axis
    inner: Sequence[Axis]
    starts: tuple[Dim, Dim, Dim] = (0, 0, 0)

    def computed(self) -> list[Expr]:
        axes = (*self.outer, self.row, self.column, *self.inner)
        return _computed([*self.starts, *(n for a in axes for n in (a.size, a.x, a.y, a.out))])

    def contents(self) -> Sequence[Buffer]:
        return (self.target,)

    def sources(self) -> Sequence[Buffer]:
        return (self.x, self.y)


class If(Statement):
    """Run one of two blocks."""

    condition: Expr
    yes: Block
    no: Block

    is_around = True

    def blocks(self) -> list[Block]:
        return [self.yes, self.no]

    def computed(self) -> list[Expr]:
        return [self.condition]


class Attempt(Statement):
    """Run the body to its end, or until one of its `Escape`."""

    name: str
    body: Block

    is_around = True

    def blocks(self) -> list[Block]:
        return [self.body]


class Escape(Statement):
    """Go on behind the `Attempt` of that name. Nothing is moved past it."""

    name: str


class While(Statement):
    """Run `test`, which gives `condition`, and the body as long as that is true."""

    test: Block
    condition: Expr
    body: Block

    is_around = True

    def blocks(self) -> list[Block]:
        return [self.test, self.body]

    def computed(self) -> list[Expr]:
        return [self.condition]


class Poll(Statement):
    """Look for signals once in a while: `cost` is about how many operations were done."""

    site: int
    cost: Expr

    def computed(self) -> list[Expr]:
        return [self.cost]


class Check(Statement):
    """Give up at a site where `failed` is true, with the operands for the message."""

    site: int
    failed: Expr
    operands: Sequence[Expr] = ()

    def computed(self) -> list[Expr]:
        return [self.failed, *self.operands]


class Handed(Record):
    """What Python is handed, or gives: a scalar, which a cell takes, or an array of some shape."""

    type: TensorType
    value: Expr | None = None
    cell: Cell | None = None
    buffer: Buffer | None = None
    shape: tuple[Dim, ...] = ()


class CallOut(Statement):
    """Have Python compute what `Program.outside` has at `number`, of copies of the operands.

    It may do anything that Python code does, so nothing is moved past it. Where it raises, the call
    ends with that exception.
    """

    number: int
    operands: Sequence[Handed]
    results: Sequence[Handed]

    def computed(self) -> list[Expr]:
        values = [h.value for h in self.operands if h.value is not None]
        handed = (*self.operands, *self.results)
        return [*values, *_computed([n for h in handed for n in h.shape])]

    def given(self) -> Sequence[Cell]:
        return [h.cell for h in self.results if h.cell is not None]

    def contents(self) -> Sequence[Buffer]:
        return [h.buffer for h in self.results if h.buffer is not None]

    def sources(self) -> Sequence[Buffer]:
        return [h.buffer for h in self.operands if h.buffer is not None]


class Draw(CallOut):
    """Draw from a generator by `sampler`, a function of NumPy's: a number, or to fill an array.

    Its operands stand behind the addresses of the bits and of a word that tells whether their lock
    is held: then Python does what `number` says first.
    """

    sampler: str


class MakeArray(Statement):
    """Make an array, a result whose size only the run tells, of what is in memory from a place on.

    Nothing that may fail comes behind these.
    """

    result: int
    buffer: Buffer
    begin: Expr
    shape: tuple[Dim, ...]

    def computed(self) -> list[Expr]:
        return [self.begin, *_computed(self.shape)]

    def sources(self) -> Sequence[Buffer]:
        return (self.buffer,)


class Function(Record):
    """A function that calls itself: scalars in, scalars out; the first says how deep the call is.

    What else it reads, it has of the program around. `values` are its results, in terms of `body`.
    """

    name: str
    parameters: list[Register]
    body: Block
    values: list[Expr]


class Call(Statement):
    """Call a function; where that fails, so does what is around.

    The call from outside `holds` the function: it stands there.
    """

    function: Function
    operands: Sequence[Expr]
    results: Sequence[Cell]
    holds: bool = False

    is_around = True

    def blocks(self) -> list[Block]:
        return [self.function.body] if self.holds else []

    def computed(self) -> list[Expr]:
        return [*self.operands, *(self.function.values if self.holds else ())]

    def given(self) -> Sequence[Cell]:
        return self.results


class Tick(Statement):
    """Here a kernel that is timed begins or ends: its row in `counters` is cycles and calls."""

    counters: Buffer
    row: int
    begins: bool

    def sources(self) -> Sequence[Buffer]:
        return (self.counters,)


class Site(Record):
    """A place that can fail: the node, and the user's positions of it."""

    node: Node
    origins: tuple[Origin, ...]
    # Whether the operands given are all that the node needs in order to raise its error.
    is_complete: bool = True
    # The class of the error, where that is known here.
    kind: type[BaseException] | None = None


class Outside(Record):
    """A node that Python computes, and the user's positions of it.

    The first operands are its own; those behind are what `pending` writes if it raises. `kept` are
    the outputs that native code takes. Where it `fails`, native code knows that it raises.
    """

    node: Node
    origins: tuple[Origin, ...]
    operands: tuple[TensorType, ...]
    kept: tuple[int, ...] = ()
    pending: Node | None = None
    fails: bool = False
    # Whether its kernel is one of ours without effects, which may look at the memory of the call.
    sees: bool = False
    # Whether it runs code of the user's, that is to change no settings.
    is_users: bool = False
    # Whether it is computed where native code cannot go on, which is next to never.
    is_rare: bool = False


class Parameter(Record):
    """One input: a register for a scalar, a buffer for an array; its sizes by axis."""

    type: TensorType
    register: Register | None = None
    buffer: Buffer | None = None


class Result(Record):
    """One output: a scalar, or the buffer that it is written into, or neither: see `MakeArray`."""

    type: TensorType
    value: Expr | None = None
    buffer: Buffer | None = None

    @property
    def is_number(self) -> bool:
        """Whether it is no array: complex numbers are in memory, too."""
        return self.buffer is None or (self.type.dtype.kind == "c" and self.type.shape == ())

    @property
    def shape(self) -> tuple[Dim, ...]:
        """The sizes of its array: the parts of complex numbers are one axis more of the buffer."""
        assert self.buffer is not None
        return self.buffer.shape[:-1] if self.type.dtype.kind == "c" else self.buffer.shape

    @property
    def is_given(self) -> bool:
        """Whether its array is made when its size is known."""
        return self.value is None and self.buffer is None


class Program(Record):
    """A graph as kernels."""

    name: str
    parameters: list[Parameter] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    body: Block = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    # Sizes of parameters that must be equal at run time.
    equal: list[tuple[Expr, Expr]] = field(default_factory=list)
    # What sizes must be at least at run time.
    least: list[tuple[Expr, int]] = field(default_factory=list)
    # Constants too large for the text: the kernel finds them by number in the context.
    constants: list[np.ndarray[Any, Any]] = field(default_factory=list)
    # Buffers in the memory of others.
    shared: dict[Buffer, Buffer] = field(default_factory=dict)
    # Parameters, by position, into which new contents are written: those are no results.
    overwritten: list[int] = field(default_factory=list)
    # Registers that hold sizes: those of the parameters' axes that are not known.
    sizes: list[tuple[Register, int, int]] = field(default_factory=list)
    # What Python computes, by number, and whether any of it may be done only once.
    outside: list[Outside] = field(default_factory=list)
    has_effects: bool = False
    # What it costs to compile, in statements on scalars.
    cost: float = 0.0


class Watcher(Protocol):
    """Who is told where statements come from, and may change the program that they make."""

    def note(self, statements: Sequence[Statement], origins: Sequence[Origin]) -> None:
        """These statements, of those not noted yet, come from a node at the user's positions."""

    def watch(self, program: Program) -> None:
        """Nothing but this changes the program any more."""


def walk(block: Block) -> list[Statement]:
    """All statements, those in loops and branches included, as they are now."""
    found: list[Statement] = []
    for statement in block:
        found.append(statement)
        if statement.is_around:
            for inner in statement.blocks():
                found += walk(inner)
    return found


def written(statements: Iterable[Statement]) -> set[Buffer]:
    """The buffers whose content statements themselves may change; blocks that they hold aside."""
    return {buffer for s in statements for buffer in s.contents()}


def assigned(statement: Statement) -> Sequence[Cell]:
    """The cells that a statement, or one that it holds, gives values."""
    if not statement.is_around:
        return statement.given()
    return [cell for s in walk([statement]) for cell in s.given()]


def allocated_in(function: Function) -> list[Buffer]:
    """The arrays that each call of a function has for itself."""
    return [s.buffer for s in walk(function.body) if isinstance(s, Allocate)]


def _computed(sizes: Sequence[Dim]) -> list[Expr]:
    return [n for n in sizes if isinstance(n, Expr)]


def read(place: Register | Cell) -> Expr:
    """The value of a register or cell."""
    return Expr("read", place.type, (), place)


def load(buffer: Buffer, offset: Expr) -> Expr:
    """An element of a buffer."""
    return Expr("load", buffer.type, (offset,), buffer)


def product(sizes: Sequence[Dim]) -> Dim:
    """A product of sizes."""
    known = 1
    unknown: Expr | None = None
    for size in sizes:
        if isinstance(size, int):
            known *= size
        else:
            unknown = size if unknown is None else Expr("mul", "i8", (unknown, size))
    if unknown is None or known == 0:
        return known
    return unknown if known == 1 else Expr("mul", "i8", (unknown, Expr("const", "i8", (), known)))
