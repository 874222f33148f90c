"""Whether a function under way holds values that no name holds: operands of a later operation.

While `g(x.items, h(x))` runs `h`, what `x.items` gave is on the stack only. It is found by going
through the code of the statement, from its beginning to the call: what is pushed, and what is used.
"""

from __future__ import annotations

import dis
import functools
import sys
from bisect import bisect_right
from collections.abc import Collection
from types import CodeType, FrameType
from typing import NamedTuple

__all__ = ["has_pending"]


class _Operand(NamedTuple):
    """A value on the stack: what a name holds or could be read of names, or what a call gave."""

    # The name that holds it, or that of a function or constant; empty where there is none.
    name: str
    is_known: bool = True


_UNKNOWN = _Operand("", is_known=False)
# They take one value, or end a path: what follows begins with nothing on the stack.
_TAKE = ("STORE_", "POP_TOP", "POP_JUMP", "DELETE_")
_END = ("JUMP_", "RETURN_", "RAISE_", "RERAISE")
_STEADY = ("NOP", "RESUME", "KW_NAMES", "CACHE", "SWAP", "MAKE_CELL", "COPY_FREE_VARS",
           "PUSH_EXC_INFO")  # fmt: skip
_READS = ("LOAD_ATTR", "BINARY_SUBSCR", "BINARY_SLICE")
# How far the number of a name stands to the left in an argument, beside flags.
_SHIFTS = {"LOAD_GLOBAL": 1}
if sys.version_info >= (3, 12):
    _SHIFTS |= {"LOAD_ATTR": 1, "LOAD_SUPER_ATTR": 2}


def has_pending(frame: FrameType, hidden: Collection[str] | None = None) -> bool:
    """Whether a frame holds values that no name holds; with `hidden`, those of these names."""
    offsets, stacks = _stacks(frame.f_code)
    # While a call runs, the frame may be at what follows its instruction for its own use.
    at = bisect_right(offsets, frame.f_lasti) - 1
    operands = stacks[at] if at >= 0 else ()
    if hidden is None:
        return not all(x.is_known for x in operands)
    return any(x.name in hidden for x in operands)


@functools.lru_cache(maxsize=256)
def _stacks(code: CodeType) -> tuple[list[int], list[tuple[_Operand, ...]]]:
    """Where instructions begin, and what is on the stack while each runs, and is not used by it."""
    offsets: list[int] = []
    stacks: list[tuple[_Operand, ...]] = []
    stack: list[_Operand] = []
    prepared = high = 0
    names = _Names(code)
    content = code.co_code
    for offset, (operation, low) in enumerate(zip(content[::2], content[1::2], strict=True)):
        argument, high = high << 8 | low, 0
        name = dis.opname[operation]
        if name == "EXTENDED_ARG":
            high = argument
        if operation == _CACHE or name == "EXTENDED_ARG":
            continue
        result: list[_Operand] = []
        if not name.startswith(_STEADY):
            own = argument if operation >= dis.HAVE_ARGUMENT else None
            effect = prepared + dis.stack_effect(operation, own, jump=False)
            prepared = effect if name == "PRECALL" else 0
            if name == "PRECALL":  # Python 3.11 calls in two steps
                pass
            elif name.startswith(_END):
                stack = []
            elif name.startswith("COPY"):
                stack = stack + stack[-1:]
            elif name == "BEFORE_WITH":  # keeps what leaves the context, above it what it gave
                stack = [*stack[:-1], _Operand(""), _Operand("")]
            elif effect > 0:
                own_names = names.of(name, operation, argument)
                stack = stack + [_Operand(x) for x in own_names] * (effect // len(own_names))
            else:
                gives = not name.startswith(_TAKE)
                kept = max(len(stack) - gives + effect, 0)
                stack, used = stack[:kept], stack[kept:]
                result = [_result(name, used)] if gives else []
        offsets.append(2 * offset)
        stacks.append(tuple(stack))
        stack += result
    return offsets, stacks


_CACHE = dis.opmap["CACHE"]
_WITH_NAMES, _WITH_VARIABLES = {*dis.hasname}, {*dis.haslocal, *dis.hasfree}


class _Names:
    """The names that the instructions of some code have, by their arguments."""

    def __init__(self, code: CodeType) -> None:
        own = code.co_varnames
        cells = [name for name in code.co_cellvars if name not in own]
        self._names, self._variables = code.co_names, (*own, *cells, *code.co_freevars)

    def of(self, name: str, operation: int, argument: int) -> tuple[str, ...]:
        """What an instruction reads; empty where that has no name, as a constant."""
        if name == "LOAD_FAST_LOAD_FAST":
            return self._variables[argument >> 4], self._variables[argument & 15]
        if operation in _WITH_NAMES:
            return (self._names[argument >> _SHIFTS.get(name, 0)],)
        return (self._variables[argument] if operation in _WITH_VARIABLES else "",)


def _result(operation: str, used: list[_Operand]) -> _Operand:
    if operation.startswith("CALL") and len(used) > 1:
        # `ag__.ld(x)` gives what `x` holds.
        is_read = any(x.name in ("ld", "ld_free") for x in used)
        return used[-1] if is_read else _UNKNOWN
    if operation.startswith(_READS):
        return _UNKNOWN
    return _Operand("") if all(x.is_known for x in used) else _UNKNOWN
