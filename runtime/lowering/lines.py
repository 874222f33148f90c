"""Lines of LLVM IR: the names of values, labels, metadata, loops."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from runtime.execute.native.context import word
from runtime.lowering.kernel import Register
from runtime.lowering.scalar import Expr

__all__ = ["AS_IT_IS", "FEW_ROUNDS", "Lines"]

# Facts of loops: their rounds are not to be written out; they are too few for vectors, too.
AS_IT_IS = ('!"llvm.loop.unroll.disable"',)
FEW_ROUNDS = (*AS_IT_IS, '!"llvm.loop.vectorize.enable", i1 false')

_FOLDED = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "sdiv": operator.floordiv,
    "srem": operator.mod,
}
# What 1 is on the right of.
_OF_ONE = ("mul", "sdiv", "srem")


def _is_number(text: str) -> bool:
    return not text.startswith("%")


class Lines:
    """The lines of one function."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.first: list[str] = []
        self.metadata: list[str] = []
        # Facts of loops that are told already, by their text.
        self.facts: dict[str, int] = {}
        self.intrinsics: set[str] = set()
        self.count = 0
        self.label = "start"
        self.places: dict[Register, str] = {}
        self.known: dict[Expr, str] = {}
        self.rare: int | None = None

    def add(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def _do(self, text: str) -> str:
        name = self.name()
        self.add(f"{name} = {text}")
        return name

    def labels(self, *stems: str) -> list[str]:
        self.count += 1
        return [f"{stem}{self.count}" for stem in stems]

    def begin(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.label = label

    def intrinsic(self, declaration: str) -> None:
        self.intrinsics.add(declaration)

    def meta(self, text: str) -> int:
        self.metadata.append(f"!{len(self.metadata)} = {text}")
        return len(self.metadata) - 1

    def _loop_facts(self, *facts: str) -> str:
        """What LLVM is told of a loop, as the end of its last branch."""
        if not facts:
            return ""
        parts = []
        for fact in facts:
            if fact not in self.facts:
                self.facts[fact] = self.meta(f"!{{{fact}}}")
            parts.append(f"!{self.facts[fact]}")
        own = len(self.metadata)
        self.meta(f"distinct !{{!{own}, {', '.join(parts)}}}")
        return f", !llvm.loop !{own}"

    def context(self, name: str) -> str:
        """Source of a load of a word of the context."""
        at = self.name()
        self.add(f"{at} = getelementptr ptr, ptr %ctx, i64 {word(name)}")
        return f"load ptr, ptr {at}"

    def _rarely(self) -> str:
        if self.rare is None:
            self.rare = self.meta('!{!"branch_weights", i32 1, i32 100000}')
        return f", !prof !{self.rare}"

    def _leave(self, status: str) -> None:
        self.add(f"store i64 {status}, ptr %status")
        self.add("br label %leave")

    def _whole(self, op: str, a: str, b: str) -> str:
        """`op` of two numbers that are not negative; what is known is computed here."""
        if _is_number(a) and _is_number(b):
            return str(_FOLDED[op](int(a), int(b)))
        if b == "1" and op in _OF_ONE:
            return "0" if op == "srem" else a
        return self._do(f"{op} i64 {a}, {b}")

    def _least(self, a: str, b: str) -> str:
        if _is_number(a) and _is_number(b):
            return str(min(int(a), int(b)))
        self.intrinsic("i64 @llvm.smin.i64(i64, i64)")
        return self._do(f"call i64 @llvm.smin.i64(i64 {a}, i64 {b})")

    def _most(self, a: str, b: str) -> str:
        if _is_number(a) and _is_number(b):
            return str(max(int(a), int(b)))
        self.intrinsic("i64 @llvm.smax.i64(i64, i64)")
        return self._do(f"call i64 @llvm.smax.i64(i64 {a}, i64 {b})")

    @contextmanager
    def _counted(
        self, index: Register, first: str, size: str, step: int, facts: Sequence[str] = ()
    ) -> Iterator[None]:
        """A loop `for index in range(first, size, step)`."""
        head, body, done = self.labels("head", "body", "done")
        before, i, following, going = self.label, self.name(), self.name(), self.name()
        self.add(f"br label %{head}")
        self.begin(head)
        at = len(self.lines)
        self.add(f"{going} = icmp slt i64 {i}, {size}")
        self.add(f"br i1 {going}, label %{body}, label %{done}")
        self.begin(body)
        self.places[index] = i
        yield
        self.known.clear()
        self.add(f"{following} = add nsw i64 {i}, {step}")
        self.lines.insert(at, f"  {i} = phi i64 [{first}, %{before}], [{following}, %{self.label}]")
        self.add(f"br label %{head}{self._loop_facts(*facts)}")
        self.begin(done)
