"""Threads of native code: made once in a process, by native code, with no Python in them.

`void parallel(pool, function, data, count)` calls `function(data, k)` for each k below `count`. The
caller and each of the threads have a range of the numbers, of which they take the next until there
is none, and then those that others have left. So a thread that is slow, or does not run at all,
holds nobody up for longer than one call of the function takes; and what a thread has read and
written in one call, it finds in its own cache in the next. Who finds the pool in use, by another
thread of Python, does all by itself.

A thread that has nothing to do looks for work for some microseconds, then sleeps. It blocks all
signals: they are for Python's threads. A child process of a fork has none of the threads; there the
pool starts anew.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import signal
import threading
from functools import cache

from runtime import config
from runtime.execute.native.cache import compiled, is_kept
from runtime.execute.native.engine import QUICK, load
from runtime.execute.native.together import cores
from runtime.process.forks import new_after_forks

__all__ = ["address", "bring_in", "parallel", "pool_text"]

# Where the parts of the pool are, in bytes: what is written often is in cache lines of its own.
_PLACES = {
    "helpers": 0,  # how many threads may help, beside the caller
    "started": 8,  # how many there are
    "function": 16,
    "data": 24,
    "count": 32,
    "open": 40,  # whether a thread may join
    "sleepers": 48,
    "round": 128,  # the number of the call
    "ranges": 256,  # how many ranges there are of the numbers
    "numbered": 264,  # how many threads have a number of their own
    "active": 384,  # how many threads take part
    "busy": 392,
    "mutex": 512,
    "condition": 640,
    "next": 1024,  # how many of its numbers each range has given away
}
# Threads beyond so many share ranges, which are so many bytes apart.
_RANGES, _APART = 64, 128
_SIZE = _PLACES["next"] + _RANGES * _APART
# Looks for work before a thread sleeps: about 50 microseconds.
_LOOKS = 2000
# Bytes of a thread's stack: what a part needs at most, and more.
_STACK = 1 << 20
# What a thread does between two looks.
_X86, _ARM = "call void @llvm.x86.sse2.pause()", "call void @llvm.aarch64.hint(i32 1)"
_PAUSES = {"x86_64": _X86, "amd64": _X86, "aarch64": _ARM, "arm64": _ARM}


_lock = new_after_forks(threading.Lock())


def address() -> int:
    """The address of the pool, ready for use."""
    with _lock:
        return _address()


@cache
def _address() -> int:
    _reset()
    config.threads.watch(_follow)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_begin_anew)
    return ctypes.addressof(_memory())


def _begin_anew() -> None:
    """In the child of a fork, where the threads of the pool are not."""
    _reset()


@cache
def _memory() -> ctypes.Array[ctypes.c_char]:
    """The memory of the pool, which threads look at as long as the process lives."""
    found = (ctypes.c_char * (_SIZE + 128))()
    shift = -ctypes.addressof(found) % 128
    part = (ctypes.c_char * _SIZE).from_buffer(found, shift)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(part))
    return part


@cache
def _code() -> dict[str, int]:
    """The addresses of the functions; threads run them to the very end of the process."""
    code = load(compiled(pool_text(), QUICK))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))
    return {name: code.address(name) for name in ("parallel", "reset")}


def bring_in() -> None:
    """Have the functions ready, if they are kept."""
    if is_kept(pool_text(), QUICK):
        _code()


def parallel() -> int:
    """The address of the function that calls another for all numbers below one."""
    return _code()["parallel"]


def _reset() -> None:
    """No threads, nothing to do."""
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_code()["reset"])(ctypes.addressof(_memory()))
    _follow()


def _follow() -> None:
    """Let as many threads help as the setting wants."""
    wanted = (config.threads.value or cores()) - 1 if os.name == "posix" else 0
    ctypes.c_int64.from_address(ctypes.addressof(_memory()) + _PLACES["helpers"]).value = wanted


def pool_text() -> str:
    """The functions as LLVM IR; `NAME = place P` in the template is the address of a part."""
    text = re.sub(
        r"^  (%[\w.]+) = place (\w+)$",
        lambda m: f"  {m[1]} = getelementptr i8, ptr %pool, i64 {_PLACES[m[2]]}",
        _TEXT if os.name == "posix" else _ALONE,
        flags=re.MULTILINE,
    )
    pause = _PAUSES.get(platform.machine().lower(), "fence seq_cst")
    if "@" in pause:
        name = pause[pause.index("@") : pause.index("(")]
        text += f"declare void {name}({'i32' if 'i32' in pause else ''})\n"
    numbers = {
        "SETMASK": int(getattr(signal, "SIG_SETMASK", 2)),
        "LOOKS": _LOOKS,
        "STACK": _STACK,
        "PAUSE": pause,
        "SIZE": _SIZE,
        "RANGES": _RANGES,
        "APART": _APART,
    }
    return re.sub(r"\$(\w+)", lambda m: str(numbers[m[1]]), text)


_ALONE = """
define void @reset(ptr %pool) {
  ret void
}

define void @parallel(ptr %pool, ptr %function, ptr %data, i64 %count) {
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %going = icmp slt i64 %k, %count
  br i1 %going, label %body, label %done
body:
  call void %function(ptr %data, i64 %k)
  %next = add i64 %k, 1
  br label %head
done:
  ret void
}
"""

_TEXT = """
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_attr_init(ptr)
declare i32 @pthread_attr_setstacksize(ptr, i64)
declare i32 @pthread_attr_destroy(ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @sched_yield()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define void @reset(ptr %pool) {
  call void @llvm.memset.p0.i64(ptr %pool, i8 0, i64 $SIZE, i1 false)
  %mutex = place mutex
  %condition = place condition
  %one = call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  %two = call i32 @pthread_cond_init(ptr %condition, ptr null)
  ret void
}

; Takes the numbers of its own range, then of the others', until there are no more.
define internal void @drain(ptr %pool, ptr %function, ptr %data, i64 %count, i64 %own) {
entry:
  %ranges.at = place ranges
  %next.first = place next
  %ranges = load i64, ptr %ranges.at
  br label %outer
outer:
  %done.ranges = phi i64 [ 0, %entry ], [ %done.more, %following ]
  %is.left = icmp slt i64 %done.ranges, %ranges
  br i1 %is.left, label %range, label %done
range:
  %turn = add i64 %own, %done.ranges
  %mine = urem i64 %turn, %ranges
  %mine.up = add i64 %mine, 1
  %before = mul i64 %mine, %count
  %first = udiv i64 %before, %ranges
  %behind = mul i64 %mine.up, %count
  %last = udiv i64 %behind, %ranges
  %size = sub i64 %last, %first
  %line = mul i64 %mine, $APART
  %next = getelementptr i8, ptr %next.first, i64 %line
  br label %head
head:
  %given = load atomic i64, ptr %next monotonic, align 8
  %may.go = icmp slt i64 %given, %size
  br i1 %may.go, label %take, label %following
take:
  %k = atomicrmw add ptr %next, i64 1 acq_rel
  %going = icmp slt i64 %k, %size
  br i1 %going, label %body, label %following
body:
  %number = add i64 %first, %k
  call void %function(ptr %data, i64 %number)
  br label %head
following:
  %done.more = add i64 %done.ranges, 1
  br label %outer
done:
  ret void
}

define internal ptr @worker(ptr %pool) {
entry:
  %round = place round
  %mutex = place mutex
  %condition = place condition
  %sleepers = place sleepers
  %open = place open
  %active = place active
  %helpers = place helpers
  %function.at = place function
  %data.at = place data
  %count.at = place count
  %numbered = place numbered
  %others.numbered = atomicrmw add ptr %numbered, i64 1 acq_rel
  %own = add i64 %others.numbered, 1
  br label %sleep
spin:
  %seen.spin = phi i64 [ %seen.out, %finished ], [ %seen.spin, %look ]
  %looks = phi i64 [ 0, %finished ], [ %looks.next, %look ]
  %looks.next = add i64 %looks, 1
  %now = load atomic i64, ptr %round acquire, align 8
  %is.new = icmp ne i64 %now, %seen.spin
  %is.tired = icmp sgt i64 %looks, $LOOKS
  %stop = or i1 %is.new, %is.tired
  br i1 %stop, label %sleep, label %look
look:
  $PAUSE
  br label %spin
sleep:
  %seen = phi i64 [ 0, %entry ], [ %seen.spin, %spin ]
  %locked = call i32 @pthread_mutex_lock(ptr %mutex)
  br label %awake
awake:
  %round.now = load atomic i64, ptr %round acquire, align 8
  %is.same = icmp eq i64 %round.now, %seen
  br i1 %is.same, label %doze, label %join
doze:
  %asleep = load i64, ptr %sleepers
  %asleep.more = add i64 %asleep, 1
  store i64 %asleep.more, ptr %sleepers
  %woken = call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  %asleep.now = load i64, ptr %sleepers
  %asleep.less = sub i64 %asleep.now, 1
  store i64 %asleep.less, ptr %sleepers
  br label %awake
join:
  %is.open = load i64, ptr %open
  %can = icmp ne i64 %is.open, 0
  %most = load i64, ptr %helpers
  %is.room = icmp sle i64 %own, %most
  %joins = and i1 %can, %is.room
  br i1 %joins, label %work, label %leave
leave:
  %left = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %finished
work:
  %before = atomicrmw add ptr %active, i64 1 acq_rel
  %function = load ptr, ptr %function.at
  %data = load ptr, ptr %data.at
  %count = load i64, ptr %count.at
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  call void @drain(ptr %pool, ptr %function, ptr %data, i64 %count, i64 %own)
  %after = atomicrmw sub ptr %active, i64 1 acq_rel
  br label %finished
finished:
  %seen.out = phi i64 [ %round.now, %leave ], [ %round.now, %work ]
  br label %spin
}

; Makes the threads that are wanted. Where the system gives no more, it goes with those there are.
define internal void @grow(ptr %pool) {
  %helpers.at = place helpers
  %started.at = place started
  %all = alloca [256 x i8], align 16
  %old = alloca [256 x i8], align 16
  %thread = alloca [64 x i8], align 16
  %attributes = alloca [256 x i8], align 16
  %prepared = call i32 @pthread_attr_init(ptr %attributes)
  %sized = call i32 @pthread_attr_setstacksize(ptr %attributes, i64 $STACK)
  %filled = call i32 @sigfillset(ptr %all)
  %blocked = call i32 @pthread_sigmask(i32 $SETMASK, ptr %all, ptr %old)
  br label %head
head:
  %started = load i64, ptr %started.at
  %helpers = load i64, ptr %helpers.at
  %wanted = icmp slt i64 %started, %helpers
  br i1 %wanted, label %make, label %done
make:
  %code = call i32 @pthread_create(ptr %thread, ptr %attributes, ptr @worker, ptr %pool)
  %made = icmp eq i32 %code, 0
  br i1 %made, label %count, label %give.up
count:
  %more = add i64 %started, 1
  store i64 %more, ptr %started.at
  br label %head
give.up:
  store i64 %started, ptr %helpers.at
  br label %done
done:
  %destroyed = call i32 @pthread_attr_destroy(ptr %attributes)
  %restored = call i32 @pthread_sigmask(i32 $SETMASK, ptr %old, ptr null)
  ret void
}

define void @parallel(ptr %pool, ptr %function, ptr %data, i64 %count) {
entry:
  %helpers.at = place helpers
  %started.at = place started
  %function.at = place function
  %data.at = place data
  %count.at = place count
  %open = place open
  %sleepers.at = place sleepers
  %round = place round
  %next = place next
  %ranges.at = place ranges
  %active = place active
  %busy = place busy
  %mutex = place mutex
  %condition = place condition
  %helpers = load i64, ptr %helpers.at
  %has.helpers = icmp sgt i64 %helpers, 0
  %is.several = icmp sgt i64 %count, 1
  %is.wanted = and i1 %has.helpers, %is.several
  br i1 %is.wanted, label %take, label %alone
take:
  %taken = cmpxchg ptr %busy, i64 0, i64 1 acq_rel acquire
  %is.mine = extractvalue { i64, i1 } %taken, 1
  br i1 %is.mine, label %start, label %alone
alone:
  br label %head
head:
  %k = phi i64 [ 0, %alone ], [ %k.next, %body ]
  %going = icmp slt i64 %k, %count
  br i1 %going, label %body, label %done
body:
  call void %function(ptr %data, i64 %k)
  %k.next = add i64 %k, 1
  br label %head
start:
  %started = load i64, ptr %started.at
  %is.short = icmp slt i64 %started, %helpers
  br i1 %is.short, label %grow, label %begin
grow:
  call void @grow(ptr %pool)
  br label %begin
begin:
  %locked = call i32 @pthread_mutex_lock(ptr %mutex)
  store ptr %function, ptr %function.at
  store ptr %data, ptr %data.at
  store i64 %count, ptr %count.at
  %threads = add i64 %helpers, 1
  %is.few = icmp slt i64 %threads, $RANGES
  %ranges = select i1 %is.few, i64 %threads, i64 $RANGES
  store i64 %ranges, ptr %ranges.at
  br label %clear
clear:
  %range = phi i64 [ 0, %begin ], [ %range.up, %clear ]
  %line = mul i64 %range, $APART
  %next.own = getelementptr i8, ptr %next, i64 %line
  store atomic i64 0, ptr %next.own monotonic, align 8
  %range.up = add i64 %range, 1
  %is.clear = icmp sge i64 %range.up, %ranges
  br i1 %is.clear, label %publish, label %clear
publish:
  store i64 1, ptr %open
  %number = atomicrmw add ptr %round, i64 1 acq_rel
  %sleepers = load i64, ptr %sleepers.at
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  %is.asleep = icmp sgt i64 %sleepers, 0
  br i1 %is.asleep, label %wake, label %work
wake:
  %woken = call i32 @pthread_cond_broadcast(ptr %condition)
  br label %work
work:
  call void @drain(ptr %pool, ptr %function, ptr %data, i64 %count, i64 0)
  %locked.again = call i32 @pthread_mutex_lock(ptr %mutex)
  store i64 0, ptr %open
  %unlocked.again = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %wait
wait:
  %looks = phi i64 [ 0, %work ], [ %looks.next, %pause ], [ %looks.next, %yield ]
  %looks.next = add i64 %looks, 1
  %others = load atomic i64, ptr %active acquire, align 8
  %is.over = icmp eq i64 %others, 0
  br i1 %is.over, label %free, label %again
again:
  %is.long = icmp sgt i64 %looks, $LOOKS
  br i1 %is.long, label %yield, label %pause
pause:
  $PAUSE
  br label %wait
yield:
  %yielded = call i32 @sched_yield()
  br label %wait
free:
  store atomic i64 0, ptr %busy release, align 8
  br label %done
done:
  ret void
}
"""
