"""Whether a function under way holds values that no name holds: operands of a later operation.

While `g(x.items, h(x))` runs `h`, what `x.items` gave is on the stack only. It is found by going
through the code of the statement, from its beginning to the call: what is pushed, and what is used.
"""

from __future__ import annotations

import dis
import functools
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
_STEADY = ("NOP", "RESUME", "KW_NAMES", "EXTENDED_ARG", "CACHE", "SWAP", "MAKE_CELL",
           "COPY_FREE_VARS", "PUSH_EXC_INFO")  # fmt: skip


def has_pending(frame: FrameType, hidden: Collection[str] | None = None) -> bool:
    """Whether a frame holds values that no name holds; with `hidden`, those of these names."""
    operands = _operands(frame.f_code, frame.f_lasti)
    if hidden is None:
        return not all(x.is_known for x in operands)
    return any(x.name in hidden for x in operands)


@functools.lru_cache(maxsize=4096)
def _operands(code: CodeType, now: int) -> tuple[_Operand, ...]:
    """What is on the stack at an instruction that runs, and is not used by it."""
    stack: list[_Operand] = []
    prepared = 0
    # While a call runs, `now` may be at what follows its instruction for its own use.
    done = [x for x in _instructions(code) if x.offset <= now]
    for instruction in done:
        name = instruction.opname
        if name in _STEADY:
            continue
        effect = prepared + dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
        prepared = effect if name == "PRECALL" else 0
        if name == "PRECALL":  # Python 3.11 calls in two steps
            continue
        if name.startswith(_END):
            stack = []
        elif name.startswith("COPY"):
            stack += stack[-1:]
        elif name == "BEFORE_WITH":  # keeps what leaves the context, above it what entering gave
            stack[-1:] = [_Operand("")] * 2
        elif effect > 0:
            stack += [_Operand(str(instruction.argval))] * effect
        else:
            gives = not name.startswith(_TAKE)
            kept = max(len(stack) - gives + effect, 0)
            stack, used = stack[:kept], stack[kept:]
            if gives and instruction is not done[-1]:
                stack.append(_result(name, used))
    return tuple(stack)


@functools.lru_cache(maxsize=256)
def _instructions(code: CodeType) -> tuple[dis.Instruction, ...]:
    return tuple(dis.get_instructions(code))


def _result(operation: str, used: list[_Operand]) -> _Operand:
    if operation.startswith("CALL") and len(used) > 1:
        # `ag__.ld(x)` gives what `x` holds.
        is_read = any(x.name in ("ld", "ld_free") for x in used)
        return used[-1] if is_read else _UNKNOWN
    if operation.startswith(("LOAD_ATTR", "BINARY_SUBSCR", "BINARY_SLICE")):
        return _UNKNOWN
    return _Operand("") if all(x.is_known for x in used) else _UNKNOWN
