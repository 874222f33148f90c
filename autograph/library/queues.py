"""The methods of the classes of `queue`, on a queue that the converted function made.

Nobody else sees it: no lock is needed, and there is nobody to wait for. Where Python would wait for
ever, these raise at once.
"""

from __future__ import annotations

import queue
from typing import Any

from autograph.library.heaps import heappop, heappush

__all__ = ["CLASSES", "METHODS"]


def _put(self: Any, item: Any, block: bool = True, timeout: float | None = None) -> None:
    if 0 < self.maxsize <= len(self.queue):
        raise queue.Full
    if type(self) is queue.PriorityQueue:
        heappush(self.queue, item)
    else:
        self.queue.append(item)
    self.unfinished_tasks += 1


def _get(self: Any, block: bool = True, timeout: float | None = None) -> Any:
    if len(self.queue) == 0:
        raise queue.Empty
    if type(self) is queue.PriorityQueue:
        return heappop(self.queue)
    return self.queue.pop() if type(self) is queue.LifoQueue else self.queue.popleft()


def _put_nowait(self: Any, item: Any) -> None:
    _put(self, item)


def _get_nowait(self: Any) -> Any:
    return _get(self)


def _qsize(self: Any) -> int:
    return len(self.queue)


def _empty(self: Any) -> bool:
    return len(self.queue) == 0


def _full(self: Any) -> Any:
    return 0 < self.maxsize <= len(self.queue)


def _task_done(self: Any) -> None:
    if self.unfinished_tasks <= 0:
        raise ValueError("task_done() called too many times")
    self.unfinished_tasks -= 1


CLASSES = (queue.Queue, queue.LifoQueue, queue.PriorityQueue)
METHODS = {
    queue.Queue.put: _put, queue.Queue.get: _get, queue.Queue.put_nowait: _put_nowait,
    queue.Queue.get_nowait: _get_nowait, queue.Queue.qsize: _qsize, queue.Queue.empty: _empty,
    queue.Queue.full: _full, queue.Queue.task_done: _task_done,
}  # fmt: skip
