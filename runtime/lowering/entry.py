"""What the entry needs of a program: the text of its kernel, and what its arguments are."""

from __future__ import annotations

from runtime.execute.native.engine import SCALAR, SCHEDULED
from runtime.execute.native.outside import Called
from runtime.execute.native.signature import Argument, Signature
from runtime.lowering.kernels.kernel import Dim, Program, Register
from runtime.lowering.kernels.llvm_types import llvm_type, memory_type
from runtime.lowering.llvm.programs import function_text
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.spec import TensorType, Type

__all__ = ["module_text", "outside", "signature"]


def module_text(program: Program) -> str:
    """The whole module of a program: `@kernel`, `@enter` that calls it, and `@shapes`."""
    text = function_text(program)
    mark = next((mark for mark in (SCALAR, SCHEDULED) if text.startswith(mark)), "")
    parts = [_enter(program), text.removeprefix(mark)]
    if program.sizes:
        parts.insert(0, _Shapes(program).text())
    return mark + "\n".join(parts)


def _enter(program: Program) -> str:
    """The function that takes its operands out of the rows of inputs, results and sizes."""
    lines, arguments = [], ["ptr %ctx"]
    for k, parameter in enumerate(program.parameters):
        lines.append(f"%in.at{k} = getelementptr i64, ptr %in, i64 {k}")
        if parameter.register is None:
            lines.append(f"%in{k} = load ptr, ptr %in.at{k}")
            arguments.append(f"ptr %in{k}")
            continue
        kind = parameter.register.type
        lines.append(f"%in{k} = load {memory_type(kind)}, ptr %in.at{k}")
        if kind == "b1":
            lines.append(f"%truth{k} = icmp ne i8 %in{k}, 0")
        arguments.append(f"{llvm_type(kind)} {'%truth' if kind == 'b1' else '%in'}{k}")
    for k in range(len(program.sizes)):
        lines.append(f"%size.at{k} = getelementptr i64, ptr %sizes, i64 {k}")
        lines.append(f"%size{k} = load i64, ptr %size.at{k}")
        arguments.append(f"i64 %size{k}")
    for k, result in enumerate(program.results):
        lines.append(f"%out.at{k} = getelementptr i64, ptr %out, i64 {k}")
        if result.buffer is not None:
            lines.append(f"%out{k} = load ptr, ptr %out.at{k}")
        arguments.append(f"ptr %out{k}" if result.buffer is not None else f"ptr %out.at{k}")
    lines.append(f"%status = call i64 @kernel({', '.join(arguments)})")
    body = "\n".join(f"  {line}" for line in lines)
    return (
        "define i64 @enter(ptr %ctx, ptr %in, ptr %out, ptr %sizes) {\n"
        f"{body}\n  ret i64 %status\n}}"
    )


# Where LLVM has another name for a function of sizes.
_DIVIDE = {"quotient": "sdiv"}


class _Shapes:
    """`@shapes`: whether sizes that must be equal are, and the sizes of the results' axes."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.known: dict[Register, str] = {}

    def do(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def text(self) -> str:
        for k, (register, _, _) in enumerate(self.program.sizes):
            at = self.do(f"getelementptr i64, ptr %sizes, i64 {k}")
            self.known[register] = self.do(f"load i64, ptr {at}")
        truth = "true"
        for one, other in self.program.equal:
            same = self.do(f"icmp eq i64 {self.size(one)}, {self.size(other)}")
            truth = self.do(f"and i1 {truth}, {same}")
        for one, least in self.program.least:
            enough = self.do(f"icmp sge i64 {self.size(one)}, {least}")
            truth = self.do(f"and i1 {truth}, {enough}")
        dims = [n for r in self.program.results if r.buffer is not None for n in r.shape]
        for k, size in enumerate(dims):
            found = self.size(size)
            at = self.do(f"getelementptr i64, ptr %dims, i64 {k}")
            self.lines.append(f"  store i64 {found}, ptr {at}")
        body = "\n".join([*self.lines, f"  ret i1 {truth}"])
        return f"define i1 @shapes(ptr %sizes, ptr %dims) {{\n{body}\n}}"

    def size(self, size: Dim) -> str:
        """A size, out of those of the arguments."""
        if isinstance(size, int):
            return str(size)
        if size.function == "const":
            return str(size.value)
        if size.function == "read":
            return self.known[size.value]
        one, other = (self.size(x) for x in size.args)
        return self.do(f"{_DIVIDE.get(size.function, size.function)} i64 {one}, {other}")


def signature(program: Program) -> Signature:
    """The arguments and results of a program."""
    parameters = [_handed(p.type) for p in program.parameters]
    results = [
        _argument(r.type, None if r.is_number else tuple(map(_known, r.shape)))
        for r in program.results
    ]
    results = [
        found._replace(is_given=r.is_given)
        for r, found in zip(program.results, results, strict=True)
    ]
    return Signature(tuple(parameters), tuple(results))


def outside(program: Program, repeats: bool) -> list[Called]:
    """What Python computes for a program; `repeats`: errors are raised by running the plan."""
    return [
        Called(
            found.node,
            found.origins,
            tuple(map(_handed, found.operands)),
            tuple(_handed(found.node.outputs[k].type) for k in found.kept),
            found.kept,
            found.pending,
            found.fails,
            program.has_effects,
            repeats,
            found.sees,
            found.is_users,
            found.is_rare,
        )
        for found in program.outside
    ]


def _handed(type_: Type) -> Argument:
    """A scalar, or an array whose sizes stand beside it."""
    found = tensor_type(type_)
    return _argument(found, found.shape or None)


def _known(size: Dim) -> int | None:
    return size if isinstance(size, int) else None


def _argument(type_: TensorType, shape: tuple[int | None, ...] | None) -> Argument:
    return Argument(machine_type(type_.dtype), type_.weak, shape)
