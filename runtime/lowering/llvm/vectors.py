"""Vectors of a function of LLVM IR: masked, loaded and stored, multiplied and added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from runtime.execute.native.processor import has_fma
from runtime.lowering.kernels.scalar import is_float
from runtime.lowering.llvm.lines import FunctionLines, is_number
from runtime.lowering.rewrites.narrow import halved

__all__ = ["Vectors"]

# Lines of a loop before its body, without the index.
_HEAD = 3
_KINDS = {"f4": "float", "f8": "double", "b1": "i8"}


class Vectors(FunctionLines):
    """Lines of a function whose loops go over numbers and vectors of one type.

    `type_` is that of the elements, as kernels tell it; `lanes` is how many a vector has. `fixed`:
    all sizes and steps are known. Of integers, if they are `is_narrow`, the lower halves are
    multiplied.
    """

    def __init__(
        self, type_: str, lanes: int, *, fixed: bool = False, is_narrow: bool = False
    ) -> None:
        super().__init__()
        self.fixed, self.is_narrow = fixed, is_narrow
        self.type = type_
        self.kind = _KINDS.get(type_) or f"i{8 * int(type_[1:])}"
        self.lanes = lanes
        self.vector = f"<{lanes} x {self.kind}>"

    def alloca(self, kind: str) -> str:
        """Room on the stack."""
        self.count += 1
        name = f"%a{self.count}"
        self.first.append(f"  {name} = alloca {kind}, align 64")
        return name

    @contextmanager
    def loop(self, first: str, end: str, step: int = 1) -> Iterator[str]:
        """A loop over `range(first, end, step)`, if it is more than the first round."""
        if first == "0" and end == "1":
            yield "0"
            return
        with self.counted(first, end, step) as i:
            yield i

    @contextmanager
    def walk(self, end: str, *walks: tuple[str, int]) -> Iterator[list[str]]:
        """A loop of so many rounds, in which pointers go on by so many elements each."""
        if end == "1":
            yield [start for start, _ in walks]
            return
        here = [self.name() for _ in walks]
        before = self.label
        with self.counted("0", end):
            at = len(self.lines) - _HEAD
            yield here
            there = [
                self.unseen("ptr", self.do(f"getelementptr {self.kind}, ptr {p}, i64 {step}"))
                for p, (_, step) in zip(here, walks, strict=True)
            ]
            self.lines[at:at] = [
                f"  {p} = phi ptr [{start}, %{before}], [{following}, %{self.label}]"
                for p, (start, _), following in zip(here, walks, there, strict=True)
            ]

    def following(self, i: str, step: int) -> str:
        """The index of the next round."""
        index = super().following(i, step)
        return self.unseen("i64", index) if self.fixed else index

    @property
    def all(self) -> str:
        """The mask of all lanes."""
        return f"<{', '.join(['i1 true'] * self.lanes)}>"

    @property
    def align(self) -> int:
        """How many bytes an element has."""
        return int(self.type[1:])

    @property
    def _suffix(self) -> str:
        kind = {"float": "f32", "double": "f64"}.get(self.kind, self.kind)
        return f"v{self.lanes}{kind}"

    def mask(self, v: int, left: str | None) -> str | None:
        """Which lanes of vector `v` of a row are among its `left` elements; None: all."""
        if left is None:
            return None
        start = v * self.lanes
        if is_number(left):
            there = int(left) - start
            if there >= self.lanes:
                return None
            return (
                f"<{', '.join('i1 true' if k < there else 'i1 false' for k in range(self.lanes))}>"
            )
        return self._lanes_below(self.plus(left, str(-start)))

    def _lanes_below(self, count: str) -> str:
        """The mask of the first lanes."""
        lanes = self.lanes
        one = self.do(f"insertelement <{lanes} x i64> poison, i64 {count}, i64 0")
        all_ = self.do(
            f"shufflevector <{lanes} x i64> {one}, <{lanes} x i64> poison, "
            f"<{lanes} x i32> zeroinitializer"
        )
        numbers = ", ".join(f"i64 {k}" for k in range(lanes))
        return self.do(f"icmp slt <{lanes} x i64> <{numbers}>, {all_}")

    def load(self, at: str, mask: str | None) -> str:
        """A vector from memory, 0 where the mask is not."""
        if mask is None:
            return self.do(f"load {self.vector}, ptr {at}, align {self.align}")
        name, bits = f"@llvm.masked.load.{self._suffix}.p0", f"<{self.lanes} x i1>"
        self.intrinsic(f"{self.vector} {name}(ptr, i32, {bits}, {self.vector})")
        return self.do(
            f"call {self.vector} {name}(ptr {at}, i32 {self.align}, {bits} {mask}, "
            f"{self.vector} zeroinitializer)"
        )

    def splat(self, value: str) -> str:
        """A vector of one value."""
        one = self.do(f"insertelement {self.vector} poison, {self.kind} {value}, i64 0")
        return self.do(
            f"shufflevector {self.vector} {one}, {self.vector} poison, "
            f"<{self.lanes} x i32> zeroinitializer"
        )

    def add_product(self, place: str, one: str, other: str) -> None:
        """Add a product of two vectors to the one in a place on the stack."""
        if self.is_narrow:
            one, other = self._halved(one), self._halved(other)
        old = self.do(f"load {self.vector}, ptr {place}")
        self.add(f"store {self.vector} {self._with_product(old, one, other)}, ptr {place}")

    def _with_product(self, old: str, one: str, other: str) -> str:
        """A sum and a product; of floats rounded once, as one, where the machine can do that."""
        vector = self.vector
        if is_float(self.type) and has_fma():
            fma = f"@llvm.fma.{self._suffix}"
            self.intrinsic(f"{vector} {fma}({vector}, {vector}, {vector})")
            return self.do(f"call {vector} {fma}({vector} {one}, {vector} {other}, {vector} {old})")
        times = "fmul" if is_float(self.type) else "and" if self.type == "b1" else "mul"
        return self.added(old, self.do(f"{times} {vector} {one}, {other}"))

    def _halved(self, value: str) -> str:
        """A vector of numbers of which the lower halves tell all, so that LLVM knows that."""
        up, down = halved(self.type, self.lanes, value)
        return self.do(down.replace("%up", self.do(up)))

    def added(self, a: str, b: str) -> str:
        """The sum of two vectors; of truth values, whether one is true."""
        return self.do(f"{self._plus} {self.vector} {a}, {b}")

    @property
    def _plus(self) -> str:
        return "fadd" if is_float(self.type) else "or" if self.type == "b1" else "add"

    def store(self, at: str, value: str, mask: str | None) -> None:
        """Write a vector to memory, but for where the mask is not."""
        bits = f"<{self.lanes} x i1>"
        if mask is None:
            self.add(f"store {self.vector} {value}, ptr {at}, align {self.align}")
            return
        name = f"@llvm.masked.store.{self._suffix}.p0"
        self.intrinsic(f"void {name}({self.vector}, ptr, i32, {bits})")
        self.add(
            f"call void {name}({self.vector} {value}, ptr {at}, i32 {self.align}, {bits} {mask})"
        )

    def transposed(self, rows: list[str]) -> list[str]:
        """The columns of a square of as many vectors as they have lanes: halves change places."""
        lanes, rows = self.lanes, list(rows)
        for step in [1 << k for k in range(lanes.bit_length() - 1)]:
            low = [k + lanes - step if k & step else k for k in range(lanes)]
            high = [k + lanes if k & step else k + step for k in range(lanes)]
            for k in [k for k in range(lanes) if not k & step]:
                pair = rows[k], rows[k + step]
                rows[k] = self.picked(self.vector, *pair, low)
                rows[k + step] = self.picked(self.vector, *pair, high)
        return rows

    def over_lanes(self, values: list[str]) -> tuple[str, int]:
        """A vector of the sums of the lanes of vectors, no more of them than it has, in halves.

        And how many lanes it has: more than there are sums, perhaps.
        """
        found, half, width, kind = list(values), self.lanes, self.lanes, self.vector
        while half > 1:
            half //= 2  # the lanes of a sum after this round; sums of two vectors are side by side
            lanes = range(min(len(found), 2) * width)
            low, high = ([k for k in lanes if k // half % 2 == which] for which in (0, 1))
            pairs = [(found[k], found[min(k + 1, len(found) - 1)]) for k in range(0, len(found), 2)]
            halves = [(self.picked(kind, *p, low), self.picked(kind, *p, high)) for p in pairs]
            width = len(low)
            kind = f"<{width} x {self.kind}>"
            found = [self.do(f"{self._plus} {kind} {a}, {b}") for a, b in halves]
        return found[0], width

    def picked(self, kind: str, one: str, other: str, lanes: Sequence[int]) -> str:
        """Lanes of two vectors, numbered one after the other."""
        where = f"<{len(lanes)} x i32> <{', '.join(f'i32 {k}' for k in lanes)}>"
        return self.do(f"shufflevector {kind} {one}, {kind} {other}, {where}")
