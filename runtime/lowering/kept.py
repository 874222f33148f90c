"""Native code found by the graph that it was made of, before any pass or lowering.

A record stands in the folder of objects under a key of all that code depends on: what the graph
computes, the passes that are switched on, the files of this package, the machine. It names the
object by the key of its text, and has what its entry must know. The nodes that can fail are not in
it: where code fails, the graph is lowered after all, and they count if that gives the same text.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from runtime import config, control, variable
from runtime.execute import Executable, plan
from runtime.execute.native.cache import key_of, store
from runtime.execute.native.prepared import Code, Made, Native, problem
from runtime.execute.native.signature import Argument, Signature
from runtime.execute.native.stateful import Stateful, again
from runtime.execute.native.versions import version
from runtime.graph.fingerprint import fingerprint
from runtime.graph.ir import Graph, Op
from runtime.ops.declare import REGISTRY
from runtime.passes import optimize, switched_on
from runtime.random.generator import ADVANCE

__all__ = ["bring_in", "find", "keep", "key"]

Prepare = Callable[[Graph], Executable]

# Ops that are not in the registry; which exception is raised, only the node knows.
_OTHERS = frozenset((
    control.COND, control.WHILE, control.CALL, control.RAISE, variable.READ, variable.ASSIGN,
    ADVANCE,
))  # fmt: skip
_UNREAD = frozenset((control.RAISE,))
_FIELDS = {"text", "parameters", "results", "constants", "flags", "state"}
# Constants of more bytes are not written a second time.
_MOST = 1 << 20


def bring_in() -> None:
    """Find out what keys of all graphs have in common, where native code can be kept."""
    if problem() is None and store() is not None:
        _sources()
        key_of(b"")


# ---- the key -------------------------------------------------------------------------------------


def key(graph: Graph) -> bytes | None:
    """The key of the record of a graph as it was traced; None where it can have none."""
    if store() is None or problem() is not None:
        return None
    if config.check.value or config.print_passes.value or config.verbosity.value > 1:
        return None  # passes are to be looked at
    sources = _sources()
    told = None if sources is None else fingerprint(graph, _is_known, _UNREAD)
    if told is None:
        return None
    passes = [step.__name__ for step in switched_on()]
    return key_of(f"graph\n{passes}\n{sources}\n".encode() + told)


def _is_known(op: Op) -> bool:
    """Whether an op is one of ours, of which there is one of its name."""
    found = REGISTRY.get(op.name)
    is_ours = found is not None and found.op is op and found.__module__.startswith("runtime.")
    return is_ours or op in _OTHERS


@cache
def _sources() -> str | None:
    """What tells this version of the package from others; None where nothing does."""
    try:
        package = os.path.dirname(os.path.dirname(__file__))
        return version(package, lambda name: name.endswith(".py"))
    except OSError:
        return None


# ---- the record ----------------------------------------------------------------------------------


def find(key: bytes, graph: Graph, prepare: Prepare) -> Executable | None:
    """The code that is kept of a graph; `prepare` is what makes it, None where there is none."""
    kept = store()
    record = None if kept is None else kept.get(key)
    if kept is None or record is None:
        return None
    read = _read(record)
    machine = None if read is None else kept.get(bytes.fromhex(read[0]["text"]))
    if read is None or machine is None:
        return None
    fields, constants = read
    arguments = (tuple(Argument(*a) for a in fields[name]) for name in ("parameters", "results"))
    code = Code(machine, Signature(*arguments), constants, *fields["flags"])
    made = partial(_made, graph, prepare, bytes.fromhex(fields["text"]))
    as_plan = partial(_as_plan, graph)
    state = fields["state"]
    if state is None:
        return Native(code, made, as_plan, graph.name)
    run = Native(code, made, lambda: again, graph.name)
    variables, assigned, drawn = state
    return Stateful(run, as_plan, variables, assigned, drawn, len(graph.outputs))


def keep(key: bytes, made: Executable) -> None:
    """Keep the record of what was prepared, if it is native code and Python does nothing of it."""
    run = made.inner if isinstance(made, Stateful) else made
    kept = store()
    if kept is None or not isinstance(run, Native) or run.outside or run.made is None:
        return
    if isinstance(made, Stateful) and made.writes:
        return
    code = run.code
    if sum(array.nbytes for array in code.constants) > _MOST:
        return
    fields = {
        "text": key_of(run.made.text.encode()).hex(),
        "parameters": [tuple(a) for a in code.signature.parameters],
        "results": [tuple(a) for a in code.signature.results],
        "constants": [(array.dtype.str, array.shape, array.tobytes()) for array in code.constants],
        "flags": (code.repeats, code.needs_threads, code.needs_heap, code.overwritten),
        "state": (
            (made.variables, made.assigned, made.drawn) if isinstance(made, Stateful) else None
        ),
    }
    kept.put(key, marshal.dumps(fields))


def _read(record: bytes) -> tuple[dict[str, Any], list[np.ndarray[Any, Any]]] | None:
    """The fields of a record and its constants; None for what no `keep` has written."""
    try:
        fields = marshal.loads(record)
        constants: list[np.ndarray[Any, Any]] = [
            np.ndarray(shape, dtype, content).copy()
            for dtype, shape, content in fields["constants"]
        ]
    except (ValueError, EOFError, TypeError, KeyError):
        return None
    return (fields, constants) if fields.keys() == _FIELDS else None


def _as_plan(graph: Graph) -> Executable:
    return plan.prepare(optimize(graph))


def _made(graph: Graph, prepare: Prepare, text: bytes) -> Made | None:
    """What code was made of, if it is made the same again."""
    found = prepare(graph)
    run = found.inner if isinstance(found, Stateful) else found
    made = run.made if isinstance(run, Native) else None
    return made if made is not None and key_of(made.text.encode()) == text else None
