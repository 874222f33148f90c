"""Lines of LLVM IR: the names of values, labels, metadata, loops."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from runtime.execute.native.context import word
from runtime.lowering.kernels.kernel import Register
from runtime.lowering.kernels.scalar import Expr

__all__ = [
    "AS_IT_IS",
    "FEW_ROUNDS",
    "WRITTEN_OUT",
    "WRITTEN_OUT_AS_VECTORS",
    "FunctionLines",
    "Lines",
    "is_number",
]

# Facts of loops: their rounds are not to be written out; they are too few for vectors, too.
AS_IT_IS = ('!"llvm.loop.unroll.disable"',)
FEW_ROUNDS = (*AS_IT_IS, '!"llvm.loop.vectorize.enable", i1 false')
# They are written out, at once or when they are vectors, with what is left over.
WRITTEN_OUT = ('!"llvm.loop.unroll.full"',)
WRITTEN_OUT_AS_VECTORS = (
    *AS_IT_IS,
    '!"llvm.loop.vectorize.followup_all", !{!"llvm.loop.unroll.full"}',
)

_FOLDED = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "sdiv": operator.floordiv,
    "srem": operator.mod,
}
_IN_ANY_ORDER, _DIVIDING = ("add", "mul"), ("sdiv", "srem")
# What is on the right where the result is the left side, or 0.
_SAME = {("add", "0"), ("sub", "0"), ("mul", "1"), ("sdiv", "1")}
_NOTHING = {("mul", "0"), ("srem", "1")}


def is_number(text: str) -> bool:
    """Whether a value is known, not one that the function computes."""
    return not text.startswith("%")


class FunctionLines:
    """The lines of one function. What is known of whole numbers is computed here."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        # Lines before all others, as those that make room on the stack.
        self.first: list[str] = []
        self.intrinsics: set[str] = set()
        self.count = 0
        self.label = "start"
        # What was computed before here whatever way led here, by its text.
        self.computed: dict[str, str] = {}

    def add(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def do(self, text: str) -> str:
        """The name of a new value."""
        name = self.name()
        self.add(f"{name} = {text}")
        return name

    def once(self, text: str) -> str:
        """The name of a value that depends on nothing but what its text names."""
        name = self.computed.get(text)
        if name is None:
            name = self.computed[text] = self.do(text)
        return name

    def labels(self, *stems: str) -> list[str]:
        self.count += 1
        return [f"{stem}{self.count}" for stem in stems]

    def begin(self, label: str, computed: dict[str, str] | None = None) -> None:
        """Begin a block; `computed` is what was before all blocks that lead here."""
        self.lines.append(f"{label}:")
        self.label = label
        self.computed = {} if computed is None else computed

    def intrinsic(self, declaration: str) -> None:
        self.intrinsics.add(declaration)

    def whole(self, op: str, a: str, b: str) -> str:
        """`op` of two whole numbers, which are not negative where it divides."""
        if is_number(a) and is_number(b):
            return str(_FOLDED[op](int(a), int(b)))
        if is_number(a) and op in _IN_ANY_ORDER:
            a, b = b, a
        if (op, b) in _SAME:
            return a
        if (op, b) in _NOTHING:
            return "0"
        return self.do(f"{op}{'' if op in _DIVIDING else ' nsw'} i64 {a}, {b}")

    def plus(self, a: str, b: str) -> str:
        return self.whole("add", a, b)

    def times(self, a: str, b: str) -> str:
        return self.whole("mul", a, b)

    def least(self, a: str, b: str) -> str:
        return self._chosen("smin", min, a, b)

    def most(self, a: str, b: str) -> str:
        return self._chosen("smax", max, a, b)

    def _chosen(self, name: str, known: Callable[[int, int], int], a: str, b: str) -> str:
        if is_number(a) and is_number(b):
            return str(known(int(a), int(b)))
        self.intrinsic(f"i64 @llvm.{name}.i64(i64, i64)")
        return self.do(f"call i64 @llvm.{name}.i64(i64 {a}, i64 {b})")

    def unseen(self, kind: str, value: str) -> str:
        """A value of which LLVM does not know where it is from.

        It would look for other ways to count addresses, for a third of its time, and find none that
        is better.
        """
        if kind == "ptr":
            self.intrinsic("ptr @llvm.strip.invariant.group.p0(ptr)")
            return self.do(f"call ptr @llvm.strip.invariant.group.p0(ptr {value})")
        self.intrinsic("i64 @llvm.expect.i64(i64, i64)")
        return self.do(f"call i64 @llvm.expect.i64(i64 {value}, i64 1)")

    @contextmanager
    def counted(self, first: str, end: str, step: int = 1, facts: str = "") -> Iterator[str]:
        """A loop over `range(first, end, step)`; gives the name of the index."""
        head, body, done = self.labels("head", "body", "done")
        before, i, going = self.label, self.name(), self.name()
        self.add(f"br label %{head}")
        self.begin(head)
        at = len(self.lines)
        self.add(f"{going} = icmp slt i64 {i}, {end}")
        self.add(f"br i1 {going}, label %{body}, label %{done}")
        self.begin(body)
        yield i
        following = self.following(i, step)
        self.lines.insert(at, f"  {i} = phi i64 [{first}, %{before}], [{following}, %{self.label}]")
        self.add(f"br label %{head}{facts}")
        self.begin(done)

    def following(self, i: str, step: int) -> str:
        """The index of the next round."""
        return self.do(f"add nsw i64 {i}, {step}")


class Lines(FunctionLines):
    """The lines of a program: with facts for LLVM, and what stands where."""

    def __init__(self) -> None:
        super().__init__()
        self.metadata: list[str] = []
        # Facts of loops that are told already, by their text.
        self.facts: dict[str, int] = {}
        self.places: dict[Register, str] = {}
        self.known: dict[Expr, str] = {}
        self.rare: int | None = None
        # How many `while` there are around, and how many loops over elements.
        self.loops = self.nested = 0

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

    def _leave_unless_done(self, status: str) -> None:
        """Leave with the status of a call that failed."""
        failed = self.do(f"icmp ne i64 {status}, 0")
        stop, go = self.labels("stop", "go")
        self.add(f"br i1 {failed}, label %{stop}, label %{go}{self._rarely()}")
        computed = self.computed
        self.begin(stop)
        self._leave(status)
        self.begin(go, computed)

    @contextmanager
    def _counted(
        self, index: Register, first: str, size: str, step: int, facts: Sequence[str] = ()
    ) -> Iterator[None]:
        """A loop `for index in range(first, size, step)`."""
        with self.counted(first, size, step, self._loop_facts(*facts)) as i:
            self.places[index] = i
            yield
            self.known.clear()
