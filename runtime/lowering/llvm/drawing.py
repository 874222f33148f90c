"""Draws from NumPy's generators as LLVM IR: calls of functions whose addresses the context has.

A draw is made with Python's lock held. Who holds the lock of the generator at that time is drawing
without Python's lock, or told it to wait: then Python waits for the generator first.
"""

from __future__ import annotations

from typing import Any

from runtime.execute.native.context import OWN_SAMPLER, SAMPLER
from runtime.execute.native.samplers import (
    MASKED,
    ONE_BY_ONE,
    ORDERING,
    OTHERS,
    OWN,
    RANGES,
    Sampler,
)
from runtime.lowering.kernels.kernel import CallOut, Draw, product
from runtime.lowering.kernels.llvm_types import llvm_type

__all__ = ["written"]

_KNOWN = {sampler.name: sampler for sampler in (*ONE_BY_ONE.values(), *OTHERS.values())}
_KNOWN["python_below"] = Sampler("python_below", "q", "i8")
_FILLING = frozenset((*RANGES.values(), *MASKED.values()))
_ARGUMENTS = {"d": "double", "q": "i64"}
# What a function of NumPy's remembers of its last operands, in bytes.
_MEMORY = 256


def written(writer: Any, s: Draw) -> None:
    """Write a draw."""
    w = writer
    (result,) = s.results
    address, lock, third, *values = (w.value(handed.value) for handed in s.operands)
    _wait(w, s, lock)
    is_own = s.sampler in OWN
    bits = f"{OWN_SAMPLER if is_own else SAMPLER}{w.count}"
    w.count += 1
    w.add(f"{bits} = inttoptr i64 {address} to ptr")
    function = w.do(w.context(s.sampler))
    count = "1" if result.cell is not None else w._size(product(result.shape))
    place = w._cell(result.cell) if result.cell is not None else w._pointer(result.buffer)
    if s.sampler == ORDERING:
        _order(w, function, bits, place, count)
    elif s.sampler in _FILLING:
        is_masked = s.sampler in MASKED.values()
        size = result.type.dtype.itemsize * 8
        _fill(w, function, bits, values, (place, count, size), is_masked=is_masked)
    else:
        given = [f"ptr {bits}"]
        if is_own:
            given += ["ptr %ctx", f"ptr {w.do(f'inttoptr i64 {third} to ptr')}"]
        _each(w, s, (function, given), values, (place, count))


def _wait(w: Any, s: Draw, lock: str) -> None:
    """Have Python wait where the word of the lock says that somebody holds it."""
    held = w.do(f"load volatile i64, ptr {w.do(f'inttoptr i64 {lock} to ptr')}")
    wait, go = w.labels("wait", "go")
    w.add(f"br i1 {w.do(f'icmp ne i64 {held}, 0')}, label %{wait}, label %{go}{w._rarely()}")
    computed = w.computed
    w.begin(wait)
    w._callout(CallOut(s.number, [s.operands[0], s.operands[2]], ()))
    w.add(f"br label %{go}")
    w.begin(go, computed)


def _each(
    w: Any, s: Draw, called: tuple[str, list[str]], values: list[str], where: tuple[str, str]
) -> None:
    """Numbers drawn one after the other."""
    (function, given), (place, count) = called, where
    own = _KNOWN[s.sampler]
    given = given + [f"{_ARGUMENTS[k]} {x}" for k, x in zip(own.arguments, values, strict=False)]
    if "s" in own.arguments:
        given.append(f"ptr {_memory(w)}")
    kind = llvm_type(own.result)
    text = f"call {kind} {function}({', '.join(given)})"
    if count == "1":
        w.add(f"store {kind} {w.do(text)}, ptr {place}")
        return
    with w.counted("0", count) as i:
        at = w.do(f"getelementptr {kind}, ptr {place}, i64 {i}")
        w.add(f"store {kind} {w.do(text)}, ptr {at}")


def _memory(w: Any) -> str:
    """Where a function remembers something, which is nothing at first."""
    name: str = w.name()
    w.intrinsic("void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
    w.first.append(f"{name} = alloca [{_MEMORY} x i8], align 16")
    w.first.append(f"call void @llvm.memset.p0.i64(ptr {name}, i8 0, i64 {_MEMORY}, i1 false)")
    return name


def _fill(
    w: Any,
    function: str,
    bits: str,
    values: list[str],
    where: tuple[str, str, int],
    *,
    is_masked: bool,
) -> None:
    """Whole numbers from the first of two values on, of which the other is how many more."""
    place, count, size = where
    kind = f"i{size}"
    if size < 64:
        values = [w.do(f"trunc i64 {x} to {kind}") for x in values]
    wide = f"{kind} zeroext" if size < 32 else kind
    low, more = (f"{wide} {x}" for x in values)
    given = (
        f"ptr {bits}, {low}, {more}, i64 {count}, i1 zeroext {str(is_masked).lower()}, ptr {place}"
    )
    w.add(f"call void {function}({given})")


def _order(w: Any, function: str, bits: str, place: str, count: str) -> None:
    """The numbers from 0 on; the last is exchanged with one that is drawn, then that before it."""
    with w.counted("0", count) as i:
        w.add(f"store i64 {i}, ptr {w.do(f'getelementptr i64, ptr {place}, i64 {i}')}")
    with w.counted("1", count) as i:
        last = w.do(f"sub i64 {count}, {i}")
        other = w.do(f"call i64 {function}(ptr {bits}, i64 {last})")
        one_at = w.do(f"getelementptr i64, ptr {place}, i64 {last}")
        other_at = w.do(f"getelementptr i64, ptr {place}, i64 {other}")
        one, two = w.do(f"load i64, ptr {one_at}"), w.do(f"load i64, ptr {other_at}")
        w.add(f"store i64 {two}, ptr {one_at}")
        w.add(f"store i64 {one}, ptr {other_at}")
