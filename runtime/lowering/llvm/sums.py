"""Sums and extremes of many elements as LLVM IR, sums in the order in which NumPy adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from runtime.execute.native.processor import vector_bytes
from runtime.lowering.kernels.kernel import Block, PairwiseSum
from runtime.lowering.kernels.llvm_types import literal, llvm_type
from runtime.lowering.kernels.scalar import is_float, is_signed, size_in_bytes
from runtime.lowering.llvm import parts
from runtime.lowering.llvm.lines import AS_IT_IS, FEW_ROUNDS, WRITTEN_OUT, is_number
from runtime.lowering.llvm.values import LANES, Values
from runtime.lowering.rewrites.parallel import LARGE, cost, work

__all__ = ["Sums"]

_BLOCK = 16  # how often NumPy goes through all lanes before it takes halves
_DEPTH = 64
# Sums of no more are a sum for each half: of more, it takes longer to compile them.
_WRITTEN_OUT = 2 * _BLOCK * LANES
# Vectors of extremes that are found at once.
_VECTORS = 4
# From so many elements on, extremes of what takes so few operations are found in two ways.
_MANY, _CHEAP = 256, 8
# Vectors that stay in registers from one round of a `while` to the next, and the operations that
# may be written out for that.
_KEPT, _OPERATIONS = 13, 640


class Sums(Values):
    """What computes sums and extremes."""

    def _block(self, block: Block) -> None:
        raise NotImplementedError

    def _is_in_registers(self, size: int, body: Block) -> bool:
        """Whether all rounds of a loop of a `while` are written out, as they go through few bytes.

        What they leave in memory of the call stays in registers then.
        """
        return bool(self.loops) and self._is_short(size, body)

    def _is_short(self, size: int, body: Block) -> bool:
        vectors = -(-size // vector_bytes())
        if self.nested or vectors > _KEPT:
            return False
        work = cost(body)
        return isinstance(work, int) and work * vectors <= _OPERATIONS

    def _pairwisesum(self, s: PairwiseSum) -> None:
        """NumPy adds the sum to zero."""
        if s.how != "sum":
            self._extreme(s)
            return
        kind, cell = llvm_type(s.cell.type), self._cell(s.cell)
        found = work(s)
        if isinstance(s.size, int) and s.size <= _WRITTEN_OUT:
            total = self._known_halves(s, 0, s.size)
        elif isinstance(found, int) and found >= LARGE and self.around is None and s.lanes == LANES:
            total = parts.sum_of(self, s)
        else:
            self._halves(s, "0", self._size(s.size))
            total = self.do(f"load {kind}, ptr {cell}")
        whole = self.do(f"fadd {kind} {literal(0.0, s.cell.type)}, {total}")
        self.add(f"store {kind} {whole}, ptr {cell}")

    def _known_halves(self, s: PairwiseSum, begin: int, size: int) -> str:
        """The sum of few elements: that of one half need not wait for that of the other."""
        if size <= _BLOCK * s.lanes:
            return self._leaf(s, str(begin), str(size))
        first = size // 2 & -s.lanes
        parts = ((begin, first), (begin + first, size - first))
        one, other = (self._known_halves(s, *part) for part in parts)
        return self.do(f"fadd {llvm_type(s.cell.type)} {one}, {other}")

    def _halves(self, s: PairwiseSum, begin: str, size: str) -> None:
        """Halves on a stack of (start, count, sum of the left half, whether that is known)."""
        kind, cell = llvm_type(s.cell.type), self._cell(s.cell)
        names = ["starts", "counts", "sums", "known", "depth", "start", "count"]
        start_of, count_of, sum_of, known_of, depth, start, count = (
            f"%{name}{self.count}" for name in names
        )
        for name, of in ((start_of, "i64"), (count_of, "i64"), (sum_of, kind), (known_of, "i8")):
            self.first.append(f"{name} = alloca [{_DEPTH} x {of}]")
        self.first += [f"{name} = alloca i64" for name in (depth, start, count)]
        self.add(f"store i64 0, ptr {depth}")
        self.add(f"store i64 {begin}, ptr {start}")
        self.add(f"store i64 {size}, ptr {count}")
        split, halve, leaf, up, look, left, add, done = self.labels(
            "split", "halve", "leaf", "up", "look", "left", "add", "done"
        )
        self.add(f"br label %{split}")

        def get(place: str, of: str = "i64") -> str:
            name = self.name()
            self.add(f"{name} = load {of}, ptr {place}")
            return name

        def do(text: str) -> str:
            name = self.name()
            self.add(f"{name} = {text}")
            return name

        def at(array: str, position: str, of: str) -> str:
            return do(f"getelementptr {of}, ptr {array}, i64 {position}")

        self.begin(split)
        n = get(count)
        self.add(
            f"br i1 {do(f'icmp sgt i64 {n}, {_BLOCK * s.lanes}')}, label %{halve}, label %{leaf}"
        )
        self.begin(halve)
        first = do(f"and i64 {do(f'ashr i64 {n}, 1')}, {-s.lanes}")
        k, here = get(depth), get(start)
        self.add(f"store i64 {do(f'add i64 {here}, {first}')}, ptr {at(start_of, k, 'i64')}")
        self.add(f"store i64 {do(f'sub i64 {n}, {first}')}, ptr {at(count_of, k, 'i64')}")
        self.add(f"store i8 0, ptr {at(known_of, k, 'i8')}")
        self.add(f"store i64 {do(f'add i64 {k}, 1')}, ptr {depth}")
        self.add(f"store i64 {first}, ptr {count}")
        self.add(f"br label %{split}")
        self.begin(leaf)
        total = self._leaf(s, get(start), get(count))
        self.add(f"store {kind} {total}, ptr {cell}")
        self.add(f"br label %{up}")
        self.begin(up)
        k = get(depth)
        self.add(f"br i1 {do(f'icmp eq i64 {k}, 0')}, label %{done}, label %{look}")
        self.begin(look)
        top = do(f"sub i64 {k}, 1")
        is_known = do(f"icmp ne i8 {get(at(known_of, top, 'i8'), 'i8')}, 0")
        sum_at = at(sum_of, top, kind)
        self.add(f"br i1 {is_known}, label %{add}, label %{left}")
        self.begin(left)
        self.add(f"store {kind} {get(cell, kind)}, ptr {sum_at}")
        self.add(f"store i8 1, ptr {at(known_of, top, 'i8')}")
        self.add(f"store i64 {get(at(start_of, top, 'i64'))}, ptr {start}")
        self.add(f"store i64 {get(at(count_of, top, 'i64'))}, ptr {count}")
        self.add(f"br label %{split}")
        self.begin(add)
        both = do(f"fadd {kind} {get(sum_at, kind)}, {get(cell, kind)}")
        self.add(f"store {kind} {both}, ptr {cell}")
        self.add(f"store i64 {top}, ptr {depth}")
        self.add(f"br label %{up}")
        self.begin(done)

    def _extreme(self, s: PairwiseSum) -> None:
        """The largest or least element; in vectors of eight if there are so many elements.

        An element may be compared twice: the last eight are taken as they lie, whatever vectors
        they are in already.
        """
        size = self._size(s.size)
        if not size.startswith("%"):
            if int(size) >= LANES:
                self._extreme_in_lanes(s, size)
            else:
                self._extreme_one_by_one(s, size)
            return
        lanes, few, after = self.labels("lanes", "few", "after")
        is_enough = self.do(f"icmp sge i64 {size}, {LANES}")
        self.add(f"br i1 {is_enough}, label %{lanes}, label %{few}")
        self.begin(lanes)
        self._extreme_in_lanes(s, size)
        self.add(f"br label %{after}")
        self.begin(few)
        self._extreme_one_by_one(s, size)
        self.add(f"br label %{after}")
        self.begin(after)

    def _extreme_one_by_one(self, s: PairwiseSum, size: str) -> None:
        kind, cell = llvm_type(s.cell.type), self._cell(s.cell)
        self.places[s.index] = "0"
        self._block(s.body)
        self.add(f"store {kind} {self.value(s.element)}, ptr {cell}")
        self.known.clear()
        with self._counted(s.index, "1", size, 1, FEW_ROUNDS):
            self._block(s.body)
            value = self.value(s.element)
            old = self.do(f"load {kind}, ptr {cell}")
            self.add(f"store {kind} {self._better(s, kind, old, value)}, ptr {cell}")

    def _extreme_in_lanes(self, s: PairwiseSum, size: str) -> None:
        """That of eight elements or more: some vectors at once, single ones, and the last eight."""
        kind, at_once = llvm_type(s.cell.type), LANES * _VECTORS
        vector = f"<{LANES} x {kind}>"
        best = [self.name() for _ in range(_VECTORS)]
        self.first += [f"{name} = alloca {vector}" for name in best]
        end = self.whole("sub", size, str(LANES))
        self.add(f"store {vector} {self._in_lanes(s, end)}, ptr {best[0]}")
        whole = self._multiple(size, at_once)
        with self._where(size, at_once) as is_possible:
            if is_possible:
                self._by_vectors(s, best, whole)
        # Few rounds that are known are written out.
        facts = AS_IT_IS if size.startswith("%") else ()
        if size.startswith("%") or int(whole) < int(end):
            with self._counted(s.index, whole, end, LANES, facts):
                self._improve(s, best[0], self._in_lanes(s, self.places[s.index]))
        found = self._folded(
            s,
            self.do(f"load {vector}, ptr {best[0]}"),
            kind,
            lambda of, x, y: self._better(s, of, x, y),
        )
        self.add(f"store {kind} {found}, ptr {self._cell(s.cell)}")

    def _by_vectors(self, s: PairwiseSum, best: list[str], whole: str) -> None:
        """Improve the first vector by a multiple of all of them, which are at work together."""
        vector = f"<{LANES} x {llvm_type(s.cell.type)}>"
        for k, name in enumerate(best):
            value = self._in_lanes(s, str(LANES * k))
            if k:
                self.add(f"store {vector} {value}, ptr {name}")
            else:
                self._improve(s, name, value)
        at_once = LANES * len(best)
        if whole != str(at_once):
            if self._is_worth_two_ways(s, whole):
                self._by_wide_vectors(s, best, whole)
            else:
                self._by_vectors_from(s, best, str(at_once), whole)
        for name in best[1:]:
            self._improve(s, best[0], self.do(f"load {vector}, ptr {name}"))

    @staticmethod
    def _is_worth_two_ways(s: PairwiseSum, whole: str) -> bool:
        """Whether there are many elements, of which each costs little beside comparisons."""
        work = cost(s.body)
        is_cheap = isinstance(work, int) and work <= _CHEAP
        return is_float(s.cell.type) and is_cheap and (not is_number(whole) or int(whole) >= _MANY)

    def _by_vectors_from(self, s: PairwiseSum, best: list[str], first: str, whole: str) -> None:
        at_once = LANES * len(best)
        with self._counted(s.index, first, whole, at_once, AS_IT_IS):
            start = self.places[s.index]
            for k, name in enumerate(best):
                value = self._in_lanes(s, self.do(f"add i64 {start}, {LANES * k}"))
                self._improve(s, name, value)
            self.places[s.index] = start

    def _by_wide_vectors(self, s: PairwiseSum, best: list[str], whole: str) -> None:
        """As by vectors, of which some are one, as if no element were a nan.

        That is one instruction for a vector. Where any is a nan, all is done again.
        """
        kind, at_once = llvm_type(s.cell.type), LANES * len(best)
        lanes = max(LANES, vector_bytes() // size_in_bytes(s.cell.type))
        vector, truths, together = f"<{lanes} x {kind}>", f"<{lanes} x i1>", lanes // LANES
        places = [self.name() for _ in range(at_once // lanes)]
        nans = self.name()
        self.first += [f"{name} = alloca {vector}" for name in places]
        self.first.append(f"{nans} = alloca {truths}")
        self.add(f"store {truths} zeroinitializer, ptr {nans}")
        for k, name in enumerate(places):
            parts = [
                self.do(f"load <{LANES} x {kind}>, ptr {part}")
                for part in best[k * together : (k + 1) * together]
            ]
            self.add(f"store {vector} {self._joined(parts, kind)}, ptr {name}")
        with self._counted(s.index, str(at_once), whole, at_once, AS_IT_IS):
            start = self.places[s.index]
            known = self.do(f"load {truths}, ptr {nans}")
            for k, name in enumerate(places):
                value = self._in_lanes(s, self.do(f"add i64 {start}, {lanes * k}"), lanes)
                old = self.do(f"load {vector}, ptr {name}")
                strictly = s.how.replace("e", "t")
                is_better = self.do(f"fcmp o{strictly} {vector} {value}, {old}")
                new = self.do(f"select {truths} {is_better}, {vector} {value}, {vector} {old}")
                self.add(f"store {vector} {new}, ptr {name}")
                known = self.do(
                    f"or {truths} {known}, {self.do(f'fcmp uno {vector} {value}, {value}')}"
                )
            self.add(f"store {truths} {known}, ptr {nans}")
            self.places[s.index] = start
        some, none, after = self.labels("nans", "none", "after")
        reduce = f"i1 @llvm.vector.reduce.or.v{lanes}i1"
        self.intrinsic(f"{reduce}({truths})")
        is_any = self.do(f"call {reduce}({truths} {self.do(f'load {truths}, ptr {nans}')})")
        self.add(f"br i1 {is_any}, label %{some}, label %{none}")
        self.begin(some)
        self._by_vectors_from(s, best, str(at_once), whole)
        self.add(f"br label %{after}")
        self.begin(none)
        for k, part in enumerate(best):
            found = self.do(f"load {vector}, ptr {places[k // together]}")
            first = k % together * LANES
            chosen = ", ".join(f"i32 {first + j}" for j in range(LANES))
            of = f"{vector} {found}, {vector} poison, <{LANES} x i32> <{chosen}>"
            self.add(f"store <{LANES} x {kind}> {self.do(f'shufflevector {of}')}, ptr {part}")
        self.add(f"br label %{after}")
        self.begin(after)

    def _joined(self, parts: list[str], kind: str) -> str:
        """Vectors behind each other, of which there are a power of two."""
        lanes = LANES
        while len(parts) > 1:
            of, chosen = f"<{lanes} x {kind}>", ", ".join(f"i32 {j}" for j in range(2 * lanes))
            parts = [
                self.do(f"shufflevector {of} {x}, {of} {y}, <{2 * lanes} x i32> <{chosen}>")
                for x, y in zip(parts[::2], parts[1::2], strict=True)
            ]
            lanes *= 2
        return parts[0]

    def _improve(self, s: PairwiseSum, place: str, value: str) -> None:
        vector = f"<{LANES} x {llvm_type(s.cell.type)}>"
        old = self.do(f"load {vector}, ptr {place}")
        self.add(f"store {vector} {self._better(s, vector, old, value)}, ptr {place}")

    def _folded(
        self, s: PairwiseSum, x: str, kind: str, join: Callable[[str, str, str], str]
    ) -> str:
        """What a vector comes to if neighbours are joined until one value is left."""
        size = s.lanes
        while size > 1:
            halves = []
            for first in (0, 1):
                lanes = ", ".join(f"i32 {k}" for k in range(first, size, 2))
                of = f"<{size} x {kind}>"
                halves.append(
                    self.do(f"shufflevector {of} {x}, {of} poison, <{size // 2} x i32> <{lanes}>")
                )
            size //= 2
            x = join(f"<{size} x {kind}>", *halves)
        return self.do(f"extractelement <1 x {kind}> {x}, i64 0")

    def _multiple(self, size: str, of: int) -> str:
        """The largest multiple of a power of two that is not above a size."""
        return self.do(f"and i64 {size}, {-of}") if size.startswith("%") else str(int(size) & -of)

    @contextmanager
    def _where(self, size: str, least: int) -> Iterator[bool]:
        """Code for sizes from `least` on; gives whether there is such a size."""
        if not size.startswith("%"):
            yield int(size) >= least
            return
        lanes, after = self.labels("lanes", "after")
        is_enough = self.do(f"icmp sge i64 {size}, {least}")
        self.add(f"br i1 {is_enough}, label %{lanes}, label %{after}")
        self.begin(lanes)
        yield True
        self.add(f"br label %{after}")
        self.begin(after)

    def _better(self, s: PairwiseSum, kind: str, x: str, y: str) -> str:
        """The larger or the lesser of two values, or of eight pairs; a nan if there is one."""
        keeps, result = self.name(), self.name()
        truths = f"{kind.partition(' x ')[0]} x i1>" if kind.startswith("<") else "i1"
        if is_float(s.cell.type):
            is_better, is_nan = self.name(), self.name()
            self.add(f"{is_better} = fcmp o{s.how} {kind} {x}, {y}")
            self.add(f"{is_nan} = fcmp uno {kind} {x}, {x}")
            self.add(f"{keeps} = or {truths} {is_better}, {is_nan}")
        else:
            sign = "s" if is_signed(s.cell.type) else "u"
            self.add(f"{keeps} = icmp {sign}{s.how} {kind} {x}, {y}")
        self.add(f"{result} = select {truths} {keeps}, {kind} {x}, {kind} {y}")
        return result

    def _leaf(self, s: PairwiseSum, start: str, count: str) -> str:
        """The sum of few elements: by eights, then the rest one by one."""
        kind, total = llvm_type(s.cell.type), self.name()
        self.first.append(f"{total} = alloca {kind}")
        self.add(f"store {kind} {literal(-0.0, s.cell.type)}, ptr {total}")
        whole = self._multiple(count, s.lanes)
        eights, end = self.whole("add", start, whole), self.whole("add", start, count)
        with self._where(count, s.lanes) as is_possible:
            if is_possible:
                self.add(f"store {kind} {self._eights(s, start, eights)}, ptr {total}")
        if eights != end:
            with self._counted(s.index, eights, end, 1, FEW_ROUNDS):
                self._block(s.body)
                value = self.value(s.element)
                new = self.do(f"fadd {kind} {self.do(f'load {kind}, ptr {total}')}, {value}")
                self.add(f"store {kind} {new}, ptr {total}")
        return self.do(f"load {kind}, ptr {total}")

    def _eights(self, s: PairwiseSum, start: str, end: str) -> str:
        """The sum of eights: as a vector, whose lanes are added in pairs."""
        kind, sums = llvm_type(s.cell.type), self.name()
        vector = f"<{s.lanes} x {kind}>"
        self.first.append(f"{sums} = alloca {vector}")
        self.add(f"store {vector} {self._in_lanes(s, start)}, ptr {sums}")
        second = self.whole("add", start, str(s.lanes))
        if second != end:
            facts = AS_IT_IS
            if is_number(start) and is_number(end):
                size = (int(end) - int(start)) * size_in_bytes(s.cell.type)
                facts = WRITTEN_OUT if self._is_in_registers(size, s.body) else AS_IT_IS
            with self._counted(s.index, second, end, s.lanes, facts):
                value = self._in_lanes(s, self.places[s.index])
                new = self.do(f"fadd {vector} {self.do(f'load {vector}, ptr {sums}')}, {value}")
                self.add(f"store {vector} {new}, ptr {sums}")
        found = self.do(f"load {vector}, ptr {sums}")
        return self._folded(s, found, kind, lambda of, x, y: self.do(f"fadd {of} {x}, {y}"))

    def _in_lanes(self, s: PairwiseSum, start: str, lanes: int = 0) -> str:
        """Elements of all lanes at once, as a vector."""
        self.lane, self.lanes, self.places[s.index] = s.index, lanes or s.lanes, start
        self._block(s.body)
        value = self._widened(self.value(s.element), s.element.type)
        self.known.clear()
        self.lane, self.lanes = None, LANES
        return value
