"""Where things are in memory, in LLVM IR: cells, buffers, constants."""

from __future__ import annotations

from runtime.execute.native.context import SLOT, word
from runtime.lowering.kernels.kernel import Buffer, Cell, Program
from runtime.lowering.kernels.llvm_types import literal, llvm_type, memory_type
from runtime.lowering.llvm.lines import Lines
from runtime.lowering.rewrites.parallel import Part

__all__ = ["Places"]

# Elements of constants that are written into the text.
_IN_TEXT = 64


class Places(Lines):
    """What finds cells and elements of buffers."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
        self.globals: list[str] = []
        self.cells: dict[Cell, str] = {}
        self.pointers: dict[Buffer, str] = {}
        self.moving: set[Buffer] = set()
        self.groups: list[int] = []
        # The function around a part, and what the part has of it.
        self.around: Places | None = None
        self.part: Part | None = None

    def _cell(self, cell: Cell) -> str:
        if cell not in self.cells:
            name, kind = self.name(), llvm_type(cell.type)
            self.first.append(f"{name} = alloca {kind}")
            self.cells[cell] = name
            if self.around is not None and self.part is not None and cell in self.around.cells:
                value = self.around.do(f"load {kind}, ptr {self.around.cells[cell]}")
                self.first.append(f"store {kind} {self.part.capture(value, kind)}, ptr {name}")
        return self.cells[cell]

    def _pointer(self, buffer: Buffer) -> str:
        if buffer.role in ("constant", "counters") and buffer not in self.pointers:
            self.pointers[buffer] = self._constant(buffer)
        buffer = self.program.shared.get(buffer, buffer)
        name = self.pointers[buffer]
        if buffer not in self.moving:
            return name
        pointer = self.name()
        self.add(f"{pointer} = load ptr, ptr {name}")
        return pointer

    def _constant(self, buffer: Buffer) -> str:
        if buffer.value.size > _IN_TEXT or buffer.role == "counters":
            self.program.constants.append(buffer.value)
            name, at = self.name(), self.name()
            number = word("slot") + SLOT + len(self.program.constants) - 1
            self.first.append(f"{at} = getelementptr ptr, ptr %ctx, i64 {number}")
            self.first.append(f"{name} = load ptr, ptr {at}")
            return name
        name = f"@constant{len(self.globals)}"
        kind = memory_type(buffer.type)
        flat = buffer.value.ravel().tolist()
        of = "u1" if buffer.type == "b1" else buffer.type
        items = ", ".join(f"{kind} {literal(x, of)}" for x in flat)
        self.globals.append(
            f"{name} = internal constant [{len(flat)} x {kind}] [{items}], align 64"
        )
        return name

    def _address(self, buffer: Buffer, offset: str) -> str:
        pointer = self._pointer(buffer)
        return self.once(f"getelementptr {memory_type(buffer.type)}, ptr {pointer}, i64 {offset}")

    def _stored(self, value: str, type_: str) -> str:
        """Type and name of a value as it goes to memory."""
        if type_ != "b1":
            return f"{llvm_type(type_)} {value}"
        wide = self.name()
        self.add(f"{wide} = zext i1 {value} to i8")
        return f"i8 {wide}"

    def _group(self) -> str:
        return f", !llvm.access.group !{self.groups[-1]}" if self.groups else ""
