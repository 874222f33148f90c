"""A program as LLVM IR text: the function that computes it.

`define internal i64 @kernel(ptr %ctx, <scalars and pointers of the inputs>, <sizes>, <pointers of
the results>)` gives 0, or the number of the site that failed, its operands being in the error slot;
-1 where it cannot go on and the plan must do it, -2 where an exception is set.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.execute.native.context import SLOT, word
from runtime.execute.native.entry import SET
from runtime.execute.native.processor import has_fma, vector_bytes
from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Attempt,
    Block,
    Buffer,
    Call,
    CallOut,
    Check,
    Contract,
    Draw,
    Escape,
    For,
    Function,
    Handed,
    If,
    Let,
    PairwiseSum,
    Poll,
    Program,
    Store,
    Tick,
    While,
    assigned,
    walk,
)
from runtime.lowering.kernels.llvm_types import llvm_type, memory_type
from runtime.lowering.kernels.merging import Summary
from runtime.lowering.kernels.scalar import Expr, parts_of, size_in_bytes
from runtime.lowering.llvm import drawing, outlining, parts, recursive_text, shared, vector_loops
from runtime.lowering.llvm.lines import AS_IT_IS, WRITTEN_OUT_AS_VECTORS
from runtime.lowering.llvm.memory import BUDGET, Memory
from runtime.lowering.llvm.modules import Shared, modules_text
from runtime.lowering.llvm.parts import Products
from runtime.lowering.llvm.sums import Sums
from runtime.lowering.rewrites.parallel import Part, name_of_part
from runtime.lowering.rewrites.signal_polling import goes_over_elements
from runtime.process.caching import cached_property

__all__ = ["function_text"]

# Loops of so few rounds may be written out. LLVM would do so with many more, and would write out
# loops around vectors, which takes it longer than all else and gains nothing.
_WRITTEN_OUT = 8

# The last elements of so few are a vector of which a part is masked: one by one, they would take as
# long as all others.
_FEW, _VECTOR = 256, 8
_MASKED = ('!"llvm.loop.vectorize.predicate.enable", i1 true',)


def function_text(program: Program) -> str:
    """The function `@kernel`, and what it needs besides."""
    return _Writer(program).text()


def _ends_in_vector(s: For) -> bool:
    """Whether masks serve a loop.

    They do not where it reads what it writes: a load just behind a masked store waits for memory.
    """
    if not isinstance(s.size, int) or not _WRITTEN_OUT < s.size < _FEW or not s.size % _VECTOR:
        return False
    what = Summary().add(s.body)
    if not what.is_plain or any(isinstance(x, If) for x in s.body):
        return False
    written = {a.buffer for a in what.accesses if a.is_write}
    return bool(written) and not any(a.buffer in written for a in what.accesses if not a.is_write)


def _is_twice_as_wide(s: For) -> bool:
    """Whether a loop over single precision multiplies and adds at once in double precision.

    LLVM counts that twice where vectors of doubles take two registers, and so takes half of a
    vector of floats, which takes a fifth to a third longer.
    """
    if not any(isinstance(x, Store) and x.buffer.type == "f4" for x in s.body):
        return False
    inside = parts_of(*(value for x in s.body for value in x.computed()))
    return any(x.function == "muladd" and x.type == "f8" for x in inside)


def _width(lanes: int) -> str:
    """That vectors of a loop are to have so many elements."""
    return f'!"llvm.loop.vectorize.width", i32 {lanes}'


def _written(s: For) -> set[Buffer]:
    """What a loop writes."""
    return {a.buffer for a in Summary().add(s.body).accesses if a.is_write}


def _bytes_of(s: For) -> int | None:
    """The bytes of the largest elements that a loop goes through; None where the run tells."""
    if not isinstance(s.size, int):
        return None
    sizes = [size_in_bytes(a.buffer.type) for a in Summary().add(s.body).accesses]
    return s.size * max(sizes, default=1)


class _Writer(Sums, Memory):
    def __init__(self, program: Program) -> None:
        super().__init__(program)
        # Functions that threads call, those of them with nothing left for LLVM, and others.
        self.parts: list[str] = []
        self.scheduled: set[str] = set()
        self.helpers: list[str] = []
        self.products = Products()
        # Whether all loops are written in lanes.
        self.in_lanes = False
        # What loops in a `while` leave in registers from round to round.
        self.in_registers: set[Buffer] = set()
        # Functions that long blocks are in.
        self.pieces: list[str] = []
        # Where the code behind each `Attempt` begins.
        self.ends: dict[str, str] = {}
        # The name of the function that is being written, if that is one that calls itself.
        self.recursive: dict[Function, str] = {}
        # The writer around that one, and what it takes over from there.
        self.within: tuple[_Writer, Part] | None = None

    # ---- the function ------------------------------------------------------------------------

    def text(self) -> str:
        parameters = ["ptr %ctx", *self._parameters()]
        block = self.program.body
        self.called = shared.shared(self.program)
        self.in_registers = self._written_in_registers(block)
        self.in_lanes = vector_loops.serves_all(block) and not self.in_registers
        self._memory()
        outlining.written(self, self.program.body, self._block)
        for k, result in enumerate(self.program.results):
            if result.value is not None:
                value = self.value(result.value)
                self.add(f"store {self._stored(value, result.value.type)}, ptr %out{k}")
                self.known.clear()
        self._leave("0")
        own = [text for text in self.parts if text not in self.scheduled]
        vectors = [text for text in self.parts if text in self.scheduled]
        needs_all = goes_over_elements(self.program.body)  # to make vectors of loops of the user's
        is_scalar = vector_loops.has_none(self.program.body) and not needs_all
        is_scheduled = self.in_lanes and not own and not self.pieces and not needs_all
        kernel = self._kernel(parameters, goes_through_all=not is_scalar and not is_scheduled)
        products = self.products
        declared = {
            *self.intrinsics, *products.needs, *products.declarations,
            *(f"hidden void {name_of_part(k)}(ptr, i64)" for k in range(len(self.parts))),
            *map(outlining.declared, range(len(self.pieces))),
        }  # fmt: skip
        common = Shared([*self.globals, *self.helpers], declared, self.metadata)
        if is_scalar:
            scalar = [kernel, *self.pieces, *self.called_texts]
            return modules_text(own, vectors, products.functions, common, scalar)
        own += self.pieces
        (vectors if is_scheduled else own).insert(0, kernel)
        return modules_text(own, vectors, products.functions, common, (), self.called_texts)

    def _kernel(self, parameters: list[str], *, goes_through_all: bool) -> str:
        """The kernel; whether it goes through all passes of LLVM."""
        # Loops of an unknown number of rounds were 4 % faster within `@enter`. LLVM puts a kernel
        # there behind all passes, which go over it once more then, unless it is told before.
        is_put = any(isinstance(s, While) for s in self.program.body)
        apart = " noinline" if not is_put else " alwaysinline" if goes_through_all else ""
        body = [
            f"define internal i64 @kernel({', '.join(parameters)}){apart} {{",
            "entry:",
            *(f"  {line}" for line in self.first),
            "  br label %start",
            "start:",
            *self.lines,
            "leave:",
            "  %status.out = load i64, ptr %status",
            *self._free(),
            "  ret i64 %status.out",
            "}",
        ]
        return "\n".join(body)

    @cached_property
    def uses(self) -> outlining.Uses:
        """Which statements name which registers and cells."""
        return outlining.Uses(self.program)

    def _parameters(self) -> Iterator[str]:
        self.first.append("%status = alloca i64")
        for k, parameter in enumerate(self.program.parameters):
            if parameter.register is not None:
                self.places[parameter.register] = f"%in{k}"
                yield f"{llvm_type(parameter.register.type)} %in{k}"
            elif parameter.buffer is not None:
                self.pointers[parameter.buffer] = f"%in{k}"
                # Of what is written over, the caller has seen to it that nobody else looks at it.
                yield f"ptr {'noalias' if k in self.program.overwritten else 'readonly'} %in{k}"
        for k, (register, _, _) in enumerate(self.program.sizes):
            self.places[register] = f"%size{k}"
            yield f"i64 %size{k}"
        for k, result in enumerate(self.program.results):
            if result.buffer is not None:
                self.pointers[result.buffer] = f"%out{k}"
            yield f"ptr noalias %out{k}"

    # ---- statements --------------------------------------------------------------------------

    def _block(self, block: Block) -> None:
        for statement in block:
            around = self.given_in_test
            if isinstance(statement, For | PairwiseSum):  # what they compare is no state
                self.given_in_test = None
            getattr(self, f"_{type(statement).__name__.lower()}")(statement)
            self.given_in_test = around
            self.known.clear()

    def _let(self, s: Let) -> None:
        self.places[s.register] = self.value(s.value)

    def _assign(self, s: Assign) -> None:
        value = self.value(s.value)
        self.add(f"store {llvm_type(s.cell.type)} {value}, ptr {self._cell(s.cell)}")

    def _store(self, s: Store) -> None:
        value = self.value(s.value)
        at = self._address(s.buffer, self.value(s.offset))
        if self.lane is not None:
            self._store_lanes(at, self._widened(value, s.value.type), s.value.type)
            return
        self.add(f"store {self._stored(value, s.value.type)}, ptr {at}{self._group()}")

    def _for(self, s: For) -> None:
        work = parts.work_of(self, s)
        if work is None:
            self._rounds(s, "0", self._size(s.size))
        else:
            parts.rounds(self, s, work)

    def _rounds(self, s: For, first: str, size: str) -> None:
        if self.in_lanes and vector_loops.lanes_of(s) is not None:
            vector_loops.write(self, s)
            return
        is_inner = not any(isinstance(x, For | PairwiseSum | While | Contract) for x in s.body)
        is_short = is_inner and isinstance(s.size, int) and s.size <= _WRITTEN_OUT
        facts: tuple[str, ...] = () if is_short else AS_IT_IS
        # What all rounds have in one place is none of one round alone.
        is_free = is_inner and not s.serial and not any(isinstance(x, Allocate) for x in s.body)
        bytes_ = _bytes_of(s) if is_free and not is_short else None
        if bytes_ is not None and (
            self._is_in_registers(bytes_, s.body)
            # A loop before the `while` that gives it its first values: LLVM leaves in memory what
            # is there at an index that it does not know.
            or (not self.in_registers.isdisjoint(_written(s)) and self._is_short(bytes_, s.body))
        ):
            facts = WRITTEN_OUT_AS_VECTORS
        self.vectors = shared.vectors_of(self, s.body) if is_free and not is_short else None
        if self.vectors is not None:
            facts += (_width(shared.lanes_of(self.vectors)),)
        elif is_free and _ends_in_vector(s):
            facts += _MASKED
        elif is_free and not is_short and has_fma() and _is_twice_as_wide(s):
            facts += (_width(vector_bytes() // 4),)
        if is_free:
            self.groups.append(self.meta("distinct !{}"))
            facts += (f'!"llvm.loop.parallel_accesses", !{self.groups[-1]}',)
        self.nested += 1
        with self._counted(s.index, first, size, 1, facts):
            self._block(s.body)
        self.nested -= 1
        if is_free:
            self.groups.pop()

    def _written_in_registers(self, block: Block) -> set[Buffer]:
        """What loops in a `while` of a block write that are written out: see `_is_in_registers`."""
        found: set[Buffer] = set()
        for s in block:
            if isinstance(s, For):
                size = _bytes_of(s)
                if size is not None and self._is_in_registers(size, s.body):
                    found |= _written(s)
            elif isinstance(s, While | If):
                self.loops += isinstance(s, While)
                found.update(*map(self._written_in_registers, s.blocks()))
                self.loops -= isinstance(s, While)
        return found

    def _if(self, s: If) -> None:
        condition = self.value(s.condition)
        yes, no, done = self.labels("yes", "no", "end")
        self.add(f"br i1 {condition}, label %{yes}, label %{no}")
        computed = self.computed
        for label, block in ((yes, s.yes), (no, s.no)):
            self.begin(label)
            self.known.clear()
            self._block(block)
            self.add(f"br label %{done}")
        self.begin(done, computed)

    def _attempt(self, s: Attempt) -> None:
        (self.ends[s.name],) = self.labels("caught")
        self._block(s.body)
        self.add(f"br label %{self.ends[s.name]}")
        self.begin(self.ends[s.name])
        self.known.clear()

    def _escape(self, s: Escape) -> None:
        self.add(f"br label %{self.ends[s.name]}")
        (never,) = self.labels("never")
        self.begin(never)

    def _while(self, s: While) -> None:
        test, body, done = self.labels("test", "round", "end")
        self.add(f"br label %{test}")
        self.begin(test)
        self.loops += 1
        self.given_in_test = None
        if _has_several_reasons(s.test):
            self.given_in_test = {cell for x in s.test for cell in assigned(x)}
        self._block(s.test)
        condition = self.value(s.condition)
        self.given_in_test = None
        self.known.clear()
        self.add(f"br i1 {condition}, label %{body}, label %{done}")
        self.begin(body)
        outlining.written(self, s.body, self._block)
        self.loops -= 1
        self.add(f"br label %{test}")
        self.begin(done)

    def _poll(self, s: Poll) -> None:
        cost = self.value(s.cost)
        left, rest, is_spent = self.name(), self.name(), self.name()
        poll, go, stop = self.labels("poll", "go", "stop")
        self.add(f"{left} = load i64, ptr %work")
        self.add(f"{rest} = sub i64 {left}, {cost}")
        self.add(f"store i64 {rest}, ptr %work")
        self.add(f"{is_spent} = icmp slt i64 {rest}, 0")
        self.add(f"br i1 {is_spent}, label %{poll}, label %{go}{self._rarely()}")
        computed = self.computed
        self.begin(poll)
        code, fails = self.name(), self.name()
        self.add(f"store i64 {BUDGET}, ptr %work")
        function = self.name()
        self.add(f"{function} = {self.context('poll')}")
        self.add(f"{code} = call i32 {function}(ptr %ctx, i64 {s.site})")
        self.add(f"{fails} = icmp ne i32 {code}, 0")
        self.add(f"br i1 {fails}, label %{stop}, label %{go}")
        self.begin(stop)
        self._leave(str(SET))
        self.begin(go, computed)

    def _check(self, s: Check) -> None:
        failed = self.value(s.failed)
        stop, go = self.labels("fail", "go")
        self.add(f"br i1 {failed}, label %{stop}, label %{go}{self._rarely()}")
        kept, computed = dict(self.known), self.computed
        self.begin(stop)
        for k, operand in enumerate(s.operands[:SLOT]):
            at = self.name()
            self.add(f"{at} = getelementptr i64, ptr %ctx, i64 {word('slot') + k}")
            self.add(f"store {self._stored(self.value(operand), operand.type)}, ptr {at}")
        self._leave(str(s.site))
        self.known = kept
        self.begin(go, computed)

    def _callout(self, s: CallOut) -> None:
        """Hand Python a row of words: for each operand and result its value or address, its sizes.

        `i64 call_out(ctx, number, row)` gives 0 where the results are there.
        """
        row = self.name()
        at = 0
        places = []
        for handed in (*s.operands, *s.results):
            places.append(self._word(row, at))
            at += 1
            if handed.cell is not None:
                continue
            if handed.value is not None:
                value = self._stored(self.value(handed.value), handed.value.type)
                self.add(f"store {value}, ptr {places[-1]}")
                continue
            assert handed.buffer is not None
            self.add(f"store ptr {self._pointer(handed.buffer)}, ptr {places[-1]}")
            for n in handed.shape:
                self.add(f"store i64 {self._size(n)}, ptr {self._word(row, at)}")
                at += 1
        self.first.append(f"{row} = alloca [{max(at, 1)} x i64]")
        function = self.do(self.context("call_out"))
        code = self.do(f"call i64 {function}(ptr %ctx, i64 {s.number}, ptr {row})")
        self._leave_unless_done(code)
        for handed, place in zip(s.results, places[len(s.operands) :], strict=True):
            self._taken(handed, place)

    def _draw(self, s: Draw) -> None:
        drawing.written(self, s)

    def _call(self, s: Call) -> None:
        recursive_text.written(self, s)

    def _word(self, row: str, k: int) -> str:
        return self.do(f"getelementptr i64, ptr {row}, i64 {k}")

    def _taken(self, result: Handed, place: str) -> None:
        """Put a scalar that Python gave into its cell; an array is in its buffer already."""
        if result.cell is None:
            return
        kind = result.cell.type
        value = self.do(f"load {memory_type(kind)}, ptr {place}")
        if kind == "b1":
            value = self.do(f"icmp ne i8 {value}, 0")
        self.add(f"store {llvm_type(kind)} {value}, ptr {self._cell(result.cell)}")

    # ---- the clock ---------------------------------------------------------------------------

    def _tick(self, s: Tick) -> None:
        """Take the clock off the cycles of a row, and add it when it has gone on."""
        self.intrinsic("i64 @llvm.readcyclecounter()")
        clock = self.do("call i64 @llvm.readcyclecounter()")
        self._count(s, 0, "sub" if s.begins else "add", clock)
        if not s.begins:
            self._count(s, 1, "add", "1")

    def _count(self, s: Tick, column: int, how: str, by: str) -> None:
        at = self._address(s.counters, str(2 * s.row + column))
        old = self.do(f"load i64, ptr {at}")
        self.add(f"store i64 {self.do(f'{how} i64 {old}, {by}')}, ptr {at}")

    # ---- parts -------------------------------------------------------------------------------

    def _contract(self, s: Contract) -> None:
        parts.contract(self, s)

    def _child(self, part: Part) -> _Writer:
        """The writer of a part."""
        child = _Writer(self.program)
        child.globals, child.helpers = self.globals, self.helpers
        child.called, child.functions = self.called, self.functions
        child.called_texts = self.called_texts
        child.parts, child.scheduled = self.parts, self.scheduled
        child.pieces, child.loops = self.pieces, self.loops
        child.products = self.products
        child.metadata, child.facts = self.metadata, self.facts
        child.intrinsics = self.intrinsics
        child.places = part.registers(lambda register: llvm_type(register.type))
        child.pointers = part.buffers()
        child.around, child.part, child.rare = self, part, self.rare
        return child

    def _finish(self, child: _Writer, part: Part) -> str:
        """Keep the text of a part; its name."""
        name = name_of_part(len(self.parts))
        lines = [
            f"define hidden void {name}(ptr %data, i64 %k) noinline {{",
            "entry:",
            *(f"  {line}" for line in (*part.entry, *child.first)),
            "  br label %start",
            "start:",
            *child.lines,
            "  ret void",
            "}",
        ]
        self.parts.append("\n".join(lines))
        if child.in_lanes:
            self.scheduled.add(self.parts[-1])
        return name


def _has_several_reasons(test: Block) -> bool:
    """Whether a loop ends for one reason or another, a `break` for example.

    LLVM 22 asks for one of them in the first round alone, where it takes that for enough, as in a
    loop around one whose last index is looked at: it went on for ever. So it is not to know how
    what they compare goes from round to round.
    """
    statements, seen = list(walk(test)), set[int]()
    return any(isinstance(s, If) for s in statements) or any(
        _joins(x, seen) for s in statements for x in s.computed()
    )


def _joins(x: Expr, seen: set[int]) -> bool:
    if id(x) in seen:
        return False
    seen.add(id(x))
    return x.function in ("and", "or") or any(_joins(y, seen) for y in x.args)
