"""The processes that compute together, by MPI: the only module that knows mpi4py.

It is imported when it is first needed. A process that no launcher started is alone, and needs none.
Before each exchange the ranks agree on what it is, by one small message: otherwise ranks that are
at different places of a program would wait for each other for ever, or add what does not belong
together. The end of a program counts as such a place.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import os
import sys
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from runtime.process.forks import new_after_forks

__all__ = ["DistributedError", "Ranks", "ranks"]

T = TypeVar("T")

_INSTALL = "install it: pip install 'autograph-numpy[mpi]', and an MPI with `mpiexec` (pip: mpich)"
# Where launchers tell a process how many they started.
_LAUNCHED = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")
_THE_END = "the end of its program"
# Seconds that a rank waits for another one to say what went wrong for both.
_PATIENCE = 5.0
# Seconds that a launcher has to pass on what a rank wrote: what is left it drops when ranks abort.
_FORWARDED = 0.5
# For how long a rank looks for the others at once, and how often after that.
_SPINNING, _NAP = 2e-3, 2e-4


class DistributedError(RuntimeError):
    """The processes of a program cannot compute together, or are at different places of it.

    >>> import autograph as ag
    >>> issubclass(ag.distributed.DistributedError, RuntimeError)
    True
    """

    # The rank that tells of it, where several ranks know the same; None: each tells its own.
    speaker: int | None = None


class Ranks:
    """The ranks of a program and what they exchange; arrays are contiguous, of types of MPI."""

    def __init__(self, mpi: Any = None) -> None:
        self._mpi = mpi
        # One of our own: what the user's code sends on the world's is never taken for ours.
        self._comm: Any = None if mpi is None else mpi.COMM_WORLD.Dup()
        self.rank: int = 0 if self._comm is None else self._comm.rank
        self.size: int = 1 if self._comm is None else self._comm.size
        self._process = os.getpid()
        self._lock = new_after_forks(threading.RLock())
        self._failed: DistributedError | None = None
        if self.size > 1:
            atexit.register(self._end)
            sys.excepthook = functools.partial(self._stop, sys.excepthook)

    @functools.cached_property
    def local_rank(self) -> int:
        """The number of this process among those of its machine."""
        if self._comm is None:
            return 0
        return int(self._comm.Split_type(self._mpi.COMM_TYPE_SHARED).rank)

    # ---- exchanges -------------------------------------------------------------------------------

    def exchange(self, what: str, work: Callable[[], T]) -> T:
        """The result of an exchange: all ranks are at `what`, and no other thread is at one.

        Raises DistributedError where ranks are at something else, or cannot be reached.
        """
        with self._lock:
            self._agree(what)
            try:
                return work()
            except Exception as error:
                raise DistributedError(f"{what} failed: {error}") from error

    def sum(self, array: Any) -> None:
        """The sum over ranks, in place."""
        if self.size > 1:
            self._comm.Allreduce(self._mpi.IN_PLACE, array, self._mpi.SUM)

    def extreme(self, array: Any, choose: Callable[..., Any]) -> None:
        """What `np.maximum` or `np.minimum` chooses of the ranks' arrays, in place."""
        if self.size > 1:
            self._comm.Allreduce(self._mpi.IN_PLACE, array, self._operation(choose))

    def sum_at(self, array: Any, root: int) -> None:
        """The sum over ranks in place at one of them; zero at the others."""
        if self.size == 1:
            return
        if self.rank == root:
            self._comm.Reduce(self._mpi.IN_PLACE, array, self._mpi.SUM, root)
        else:
            self._comm.Reduce(array, None, self._mpi.SUM, root)
            array[...] = 0

    def broadcast(self, array: Any, root: int) -> None:
        """The array of one rank, in place."""
        if self.size > 1:
            self._comm.Bcast(array, root)

    def counts(self, count: int) -> list[int]:
        """The count of each rank."""
        return [count] if self.size == 1 else list(self._comm.allgather(count))

    def gather(self, array: Any, counts: Sequence[int], result: Any) -> None:
        """The rows of all ranks, so many of each, in their order, written into `result`."""
        if self.size == 1:
            result[...] = array
        elif result.size:
            row = result.size // len(result)
            self._comm.Allgatherv(array, [result, [count * row for count in counts]])

    @functools.cache  # noqa: B019 - there is one object, which lives as long as the process
    def _operation(self, choose: Callable[..., Any]) -> Any:
        """An operation of MPI, whose own ones for these say nothing of nan."""

        def apply(given: Any, held: Any, datatype: Any) -> None:
            dtype = np.dtype(datatype.tocode())
            into = np.frombuffer(held, dtype)
            choose(np.frombuffer(given, dtype), into, out=into)

        return self._mpi.Op.Create(apply, commute=True)

    # ---- going wrong -----------------------------------------------------------------------------

    def _agree(self, what: str) -> None:
        if self.size == 1:
            return
        if os.getpid() != self._process:
            raise DistributedError(
                f"{what} in a process that was forked from rank {self.rank}: only the processes "
                "that the launcher started are ranks"
            )
        if self._failed is not None:
            raise self._failed.with_traceback(None)
        number = _number(what)
        both = np.array([number, -number])
        self._wait(self._comm.Iallreduce(self._mpi.IN_PLACE, both, self._mpi.MAX), what)
        if both[0] != -both[1]:
            self._failed = _different(self._comm.allgather(what))
            raise self._failed

    def _wait(self, request: Any, what: str) -> None:
        """Wait for the other ranks, which may take long: let others compute, and Ctrl-C come in."""
        long = time.monotonic() + _SPINNING
        try:
            while not request.Test():
                if time.monotonic() > long:
                    time.sleep(_NAP)
        except KeyboardInterrupt:
            self._failed = DistributedError(f"{what} was interrupted on rank {self.rank}")
            raise

    def _end(self) -> None:
        """When the program ends: no rank may wait for this one in an exchange."""
        if os.getpid() != self._process or self._failed is not None:
            return
        try:
            self._agree(_THE_END)
        except Exception:  # noqa: BLE001 - the ranks that are at an exchange tell of it
            return

    def _stop(
        self,
        show: Callable[..., Any],
        kind: type[BaseException],
        error: BaseException,
        traceback: TracebackType | None,
    ) -> None:
        """Where an exception ends this rank: tell of it, and end the others, who may wait."""
        if os.getpid() != self._process:
            show(kind, error, traceback)
            return
        speaker = getattr(error, "speaker", None)
        if speaker is not None and speaker != self.rank:
            time.sleep(_PATIENCE)
        print(f"rank {self.rank} of {self.size}:", file=sys.stderr)  # noqa: T201
        show(kind, error, traceback)
        sys.stdout.flush()
        sys.stderr.flush()
        time.sleep(_FORWARDED)
        atexit.unregister(self._end)  # aborting may run what waits for the end of the program
        self._mpi.COMM_WORLD.Abort(1)


@functools.lru_cache(maxsize=1024)
def _number(what: str) -> int:
    """A number for a text, the same in every process; that of another text is another one."""
    text = what.encode()
    return zlib.crc32(text) << 31 ^ zlib.crc32(text[::-1])


def _different(told: Sequence[str]) -> DistributedError:
    """The error of ranks that are at different places; one of those still at work tells of it."""
    rows: dict[str, list[int]] = {}
    for rank, what in enumerate(told):
        rows.setdefault(what, []).append(rank)
    lines = [
        f"  rank{'s' * (len(found) > 1)} {', '.join(map(str, found))}: {what}"
        for what, found in rows.items()
    ]
    error = DistributedError(
        "\n".join(
            [
                "the ranks do not exchange the same thing:",
                *lines,
                "all ranks make the same calls of `ag.distributed` in the same order, with arrays "
                "of the same dtypes and shapes, and take the same gradients",
            ]
        )
    )
    error.speaker = next(rank for rank, what in enumerate(told) if what != _THE_END)
    return error


_finding = new_after_forks(threading.Lock())
_found: list[Ranks] = []


def ranks() -> Ranks:
    """The ranks that this process is one of.

    Raises DistributedError where a launcher started several processes that cannot find each other.
    """
    if not _found:
        with _finding:
            if not _found:
                _found.append(_find())
    return _found[0]


def _find() -> Ranks:
    launched = max((int(os.environ.get(name, 1)) for name in _LAUNCHED), default=1)
    try:
        mpi = importlib.import_module("mpi4py.MPI")
    except (ImportError, RuntimeError) as error:
        if launched == 1:
            return Ranks()
        raise DistributedError(
            f"{launched} processes were started, which compute together by mpi4py, and that cannot "
            f"be imported ({error})\n{_INSTALL}"
        ) from error
    found = Ranks(mpi)
    if found.size == 1 < launched:
        raise DistributedError(
            f"{launched} processes were started, each of which is alone: mpi4py uses another MPI "
            f"({mpi.Get_library_version().splitlines()[0]}) than the launcher\n"
            "start them with the `mpiexec` of that MPI; with Slurm, by `srun --mpi=pmi2` or "
            "`--mpi=pmix`, as that MPI was built"
        )
    return found
