"""Damaged and hostile program files: what loading them may do, and what running them may do.

    python tests/autograph/hostile.py FIRST COUNT

loads the mutations of these numbers, and runs those that load, with little memory and time. It
fails where anything but `SavedProgramError` comes out of loading, where loading takes 5 seconds or
more than ten times the declared bytes, and where the process dies.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import json
import random
import resource
import signal
import sys
import time
import tracemalloc
import warnings
import zipfile
from typing import Any

import numpy as np

import autograph as ag
from autograph.programs.loading import unpacked
from autograph.programs.saving import packed
from runtime.ops.declaration.declare import REGISTRY

SECONDS = 5.0
# What any load takes, whatever is declared: parsers, and modules that come in lazily.
ALLOWANCE = 8_000_000
ADDRESS_SPACE = 3 * 2**30
CONTROL = (
    "cond while call try print raise read assign pending store custom_gradient error_part reraise"
).split()


class Refused(Exception):
    pass


table = np.linspace(0.0, 1.0, 50)
weights = ag.Variable(np.arange(6.0).reshape(2, 3), name="weights")


@ag.convert
def first(x, n):
    total = 0.0
    i = 0
    while i < n:
        if x[i % 3] > 0:
            total = total + x[i % 3] * table[i]
        else:
            print("negative", x[i % 3], f"{total:.2f}")
        x[0] = total
        i += 1
    if total > 100.0:
        raise Refused(f"{total} is too large", n)
    return {"total": total, "parts": (x[1:], weights @ x)}, f"<{total}>"


@ag.convert
def second(x, axis=1):
    weights.assign_add(x.sum(axis=axis, keepdims=True) * np.ones((2, 3)))
    try:
        y = np.concatenate([x.reshape(3, 2), x.T], axis=0)[::2]
        z = np.linalg.inv(y[:2])
    except np.linalg.LinAlgError as error:
        print(error)
        z = np.zeros((2, 2))
    return np.where(z > 0, z, -z), x.astype(np.float32).argsort(), np.einsum("ij,kj->ik", x, x)


@functools.cache
def programs() -> list[tuple[bytes, list[tuple[Any, ...]]]]:
    """Sound programs, each with arguments to call it with."""
    one = np.array([1.0, -2.0, 3.0])
    two = np.arange(6.0).reshape(2, 3)
    return [
        (packed(first, {"any": [ag.TensorSpec([None]), np.int64(4)], "one": [one, np.int64(4)]}),
         [(one, np.int64(5)), (np.ones(3) * 1e3, np.int64(9))]),
        (packed(second, [two]), [(two,), (ag.constant(two),)]),
    ]  # fmt: skip


# ---- mutations ---------------------------------------------------------------------------------


def mutated(number: int) -> tuple[bytes, list[tuple[Any, ...]]]:
    """Mutation `number` of a program, and arguments."""
    rng = random.Random(number)
    content, calls = programs()[number % len(programs())]
    if number % 3 == 0:
        return _bytes(content, rng), calls
    document, arrays = _taken_apart(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        _change(document, rng)
    return _put_together(document, arrays), calls


def _bytes(content: bytes, rng: random.Random) -> bytes:
    data = bytearray(content)
    kind = rng.randrange(5)
    if kind == 0:
        for _ in range(rng.choice([1, 2, 8, 64])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del data[rng.randrange(len(data)) :]
    elif kind == 2:
        at = rng.randrange(len(data))
        del data[at : at + rng.randrange(1, 200)]
    elif kind == 3:
        at = rng.randrange(len(data))
        data[at:at] = rng.randbytes(rng.randrange(1, 200))
    else:  # the directory at the end, where names and sizes are
        for _ in range(rng.choice([1, 2, 4])):
            data[-rng.randrange(1, 300)] = rng.choice([0, 255, rng.randrange(256)])
    return bytes(data)


def _taken_apart(content: bytes) -> tuple[Any, dict[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    return json.loads(entries.pop("program.json")), entries


def _put_together(document: Any, arrays: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("program.json", json.dumps(document))
        for name, data in arrays.items():
            archive.writestr(name, data)
    return stream.getvalue()


def _places(part: Any) -> list[tuple[Any, Any]]:
    """All (container, key) of a document."""
    found = []
    todo = [part]
    while todo:
        here = todo.pop()
        keys: Any = here if isinstance(here, dict) else range(len(here))
        for key in keys:
            found.append((here, key))
            if isinstance(here[key], (dict, list)):
                todo.append(here[key])
    return found


def _change(document: Any, rng: random.Random) -> None:
    places = _places(document)
    # What is deep is most of a document, but what is shallow matters as much.
    named = [p for p in places if p[1] in ("op", "types", "inputs", "attributes", "outputs", "type",
             "version", "structure", "leaves", "reads", "written", "graphs", "value")]  # fmt: skip
    here, key = rng.choice(named if rng.random() < 0.5 else places)
    old = here[key]
    kind = rng.randrange(7)
    if kind == 0:
        del here[key]
    elif kind == 1:
        other, name = rng.choice(places)
        here[key] = copy.deepcopy(other[name])
    elif kind == 2 and isinstance(old, list):
        old.insert(rng.randrange(len(old) + 1), copy.deepcopy(rng.choice(old)) if old else 0)
    elif kind == 3 and isinstance(old, list):
        rng.shuffle(old)
    elif isinstance(old, str):
        here[key] = _text(old, rng)
    elif isinstance(old, bool) or old is None:
        here[key] = rng.choice([True, False, None, 0])
    elif isinstance(old, (int, float)):
        here[key] = rng.choice([old + 1, old - 1, -old, 0, 2**31, 2**63, 10**30, 1e308, True, "1"])
    else:
        here[key] = _value(rng)


def _text(old: str, rng: random.Random) -> str:
    ops = [*sorted(REGISTRY), *CONTROL]
    types = [
        "float64[]", "float64[3]", "float64[?]", "float64[...]", "int", "float", "bool[]",
        "int64[]", "float32[2, 3]", "complex128[3]", "stack<float64[3]>", "error",
        "variable<float64[2, 3]>", "float64[1000000000000]", f"float64[{'2, ' * 70}2]",
    ]  # fmt: skip
    code = ["__import__('os').abort()", "x\n    import os", "0); import os; (0", "\x00", "a" * 5000]
    return rng.choice([*[rng.choice(ops)] * 4, *[rng.choice(types)] * 4, *code, old[:-1], old * 2])


def _value(rng: random.Random) -> Any:
    return rng.choice([
        None, True, -1, 2**40, 1.5, "", "x", [], {}, [[]], {"hole": 3}, {"float": "nan"},
        {"dtype": "float32"}, {"dtype": "object"}, {"list": [1, 2]}, {"dict": [[[], 1]]},
        {"scalar": "float64", "value": 1.0}, {"scalar": "int8", "value": 1000},
        {"array": {"type": "float64[2]", "data": [1.0, 2.0]}},
        {"array": {"type": "float64[99999]", "entry": "arrays/0_table.npy"}},
        {"range": [0, 10**18, 1]}, {"slice": [None, None, 0]}, {"type": "float64[]"},
        {"text": ["a", [{"hole": 0}, 37, "%999999999d"]]}, {"bytes": "zz"}, "operand",
        {"class": {"module": "os", "name": "system"}}, {"writes": [0, 9, -1]},
        {"exception": {"class": {"module": "builtins", "name": "SystemExit"}, "args": [0]}},
        {"exception": {"class": {"module": "builtins", "name": "KeyError"}, "args": [{"hole": 0}]}},
    ])  # fmt: skip


# ---- loading and running -----------------------------------------------------------------------


class TimeIsUp(BaseException):
    pass


def declared_bytes(content: bytes) -> int:
    """The sizes that the entries claim, together with the file."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            claimed = sum(info.file_size for info in archive.infolist())
    except Exception:
        return len(content)
    return len(content) + min(claimed, 1032 * len(content))


def loaded(content: bytes) -> ag.Program | None:
    """The program, None where it is refused; anything else raises."""
    tracemalloc.start()
    began = time.perf_counter()
    try:
        return unpacked(io.BytesIO(content))
    except ag.SavedProgramError:
        return None
    finally:
        seconds = time.perf_counter() - began
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert seconds < SECONDS, f"it took {seconds:.1f} s"
        limit = 10 * declared_bytes(content) + ALLOWANCE
        assert peak <= limit, f"it took {peak} bytes, {limit} are allowed"


def run(program: ag.Program, calls: list[tuple[Any, ...]]) -> None:
    """Call the program; whatever it raises is its own affair."""

    def stop(*details: Any) -> None:
        raise TimeIsUp

    signal.signal(signal.SIGALRM, stop)
    for arguments in calls:
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        try:
            with (
                contextlib.redirect_stdout(io.StringIO()),
                np.errstate(all="ignore"),
                warnings.catch_warnings(action="ignore"),
            ):
                program(*copy.deepcopy(arguments))
        except (Exception, TimeIsUp):
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def main(start: int, count: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    programs()
    for content, calls in programs():
        program = loaded(content)
        assert program is not None
        run(program, calls)
    good = 0
    for number in range(start, start + count):
        content, calls = mutated(number)
        try:
            program = loaded(content)
        except BaseException:
            print(f"mutation {number}", flush=True)
            raise
        if program is not None:
            good += 1
            print(f"run {number}", flush=True)
            run(program, calls)
    print(f"{count} mutations: {count - good} refused, {good} loaded")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
