"""The frameworks that ours is compared with, and the process that each of them has to itself.

`python -m benchmarks.peers NAME` answers commands, a line each: `prepare ROW` gives milliseconds of
the first call, `block ROW COUNT` microseconds per call; each answer is a line of JSON.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.rows import named
from benchmarks.rows.row import FRAMEWORKS, Call, Compiling
from benchmarks.timing import once

__all__ = ["NAMES", "Peer", "framework", "frameworks", "has_module", "installed", "serve"]

NAMES = ("ours", "plan", "numpy", "tensorflow", "xla", "jax", "torch", "inductor", "numba")
_OWN = ("ours", "plan", "numpy")


def framework(name: str) -> Any:
    """The module of a peer, on two threads; None for those that need none. ImportError."""
    if name in _OWN:
        return None
    module: Any = importlib.import_module(FRAMEWORKS.get(name, name))
    match name:
        case "jax":
            module.config.update("jax_enable_x64", True)
        case "torch" | "inductor":
            module.set_num_threads(2)
        case "tensorflow" | "xla":
            module.config.threading.set_intra_op_parallelism_threads(2)
    if name == "xla":
        return Compiling(module, function=functools.partial(module.function, jit_compile=True))
    return Compiling(module) if name == "inductor" else module


def frameworks() -> dict[str, Any]:
    """The modules of the other frameworks that can be imported here, by name."""
    found = {}
    for name in NAMES:
        if name in _OWN or name in FRAMEWORKS:
            continue
        try:
            found[name] = framework(name)
        except ImportError:
            continue
    return found


def installed(python: str = sys.executable) -> list[str]:
    """The peers that can be imported by an interpreter."""
    names = [name for name in NAMES if name not in _OWN]
    found = _modules([FRAMEWORKS.get(name, name) for name in names], python)
    return [*_OWN, *(n for n in names if FRAMEWORKS.get(n, n) in found)]


def has_module(name: str, python: str) -> bool:
    """Whether a module can be imported by an interpreter."""
    return name in _modules([name], python)


def _modules(names: Sequence[str], python: str) -> list[str]:
    look = (
        "import importlib.util as u, sys; "
        "print(*[n for n in sys.argv[1:] if u.find_spec(n) is not None])"
    )
    command = [python, "-c", look, *names]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


class Peer:
    """A peer in a process of its own."""

    def __init__(
        self, name: str, python: str = sys.executable, module: str = "benchmarks.peers"
    ) -> None:
        self.name = name
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # modules are compiled once
        environment.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        self._process = subprocess.Popen(
            [python, "-m", module, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )

    def ask(self, *words: object) -> Any:
        """The answer to a command; RuntimeError with what went wrong there.

        Between commands the process stands still: threads that wait for more work would run on.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.send_signal(signal.SIGCONT)
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        self._process.send_signal(signal.SIGSTOP)
        answer = json.loads(line) if line else {"error": "the process ended"}
        if isinstance(answer, dict):
            raise RuntimeError(f"{self.name}: {answer['error']}")
        return answer

    def close(self) -> None:
        """End the process."""
        with self._process:  # closes the pipes, and waits
            self._process.terminate()
            self._process.send_signal(signal.SIGCONT)


# ---- in the process ------------------------------------------------------------------------------


class _Server:
    def __init__(self, name: str) -> None:
        self.name = name
        self.framework = framework(name)
        self.calls: dict[str, Call] = {}

    def prepare(self, row_name: str) -> float:
        """Make the call, and look whether its results are NumPy's; milliseconds of the first."""
        row = named(row_name)
        began = time.perf_counter()
        call = row.make(self.name, self.framework)
        made = 1e3 * (time.perf_counter() - began)
        results: list[Any] = []
        first = once(lambda: results.append(_arrays(call())))
        results += [_arrays(call()) for _ in range(row.calls - 1)]
        other = row.make("numpy" if row.has_numpy else "plan", None)
        for found in results:
            if not row.agrees(found, _arrays(other())):
                raise ValueError(f"{row_name}: another result than NumPy's")
        self.calls[row_name] = call
        return made + first

    def block(self, row_name: str, count: str) -> float:
        """Microseconds per call of so many calls."""
        call = self.calls[row_name]
        repeats = range(int(count))
        began = time.perf_counter()
        for _ in repeats:
            call()
        return 1e6 * (time.perf_counter() - began) / len(repeats)


def _arrays(result: Any) -> Any:
    if isinstance(result, tuple | list):
        return tuple(_arrays(r) for r in result)
    return np.array(result)


def serve(make: Callable[[], Any]) -> None:
    """Answer commands, which are methods of what `make` gives, until there are no more."""
    answers = sys.stdout
    sys.stdout = sys.stderr  # what frameworks print is no answer
    server = make()
    for line in sys.stdin:
        command, *words = line.split()
        try:
            answer: Any = getattr(server, command)(*words)
        except Exception as error:  # noqa: BLE001 - the other side hears of it
            answer = {"error": f"{type(error).__name__}: {error}".partition("\n")[0]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    serve(lambda: _Server(sys.argv[1]))
