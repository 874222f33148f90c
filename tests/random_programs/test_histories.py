"""Random histories: calls of a function, and changes of what it reads, against plain Python.

What a function reads is of many kinds: names, attributes, items, cells, the code and the defaults
of functions, methods, built-ins, functions of libraries. After each change, the converted function
must do what the plain one does.
"""

from __future__ import annotations

import builtins
import functools
import linecache
import math
import random
import sys
import types
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest

import autograph as ag

PROGRAMS, STEPS = 12, 12
MANY = 400
X = np.array([1.0, 2.0, 3.0])
_numbers = count()

WORLD = """
K = 2.0
LIST = [1, 2.5]
DICT = {'a': 1.5, 'b': 2}
def twice(x): return x * 2
def lower(x): return x - 5
def shifted(x, s=1.0, *, t=2): return x + s * t
def scaled(x, s=3.0, *, t=4): return x * s - t
def helper(x): return shifted(x) + abs(-2)
def items(x):
    for v in x:
        if v > 1:
            yield v * 2
def few(x):
    for v in x:
        if v > 2:
            yield v - 1
TABLE = {'f': twice}
class Base:
    c = 3.0
    def m(self): return 2.0
class Other(Base):
    def m(self): return 5.0
class Klass(Base):
    k = 1.0
    def __init__(self): self.own = 4.0
    @property
    def p(self): return self.own + 1
    @staticmethod
    def s(x): return x + 1
    @classmethod
    def d(cls, x): return x * cls.c
    def __call__(self, x): return x * 3
    def __add__(self, x): return x + 7
    def __getitem__(self, i): return i + 1.0
    def __bool__(self): return True
OBJ = Klass()
MOD = types.ModuleType('MOD')
MOD.h, MOD.k = twice, 2.0
def maker():
    cell = 2.0
    def read(x): return x * cell
    def write(v):
        nonlocal cell
        cell = v
    return read, write
READ, WRITE = maker()
def decorate(g):
    @functools.wraps(g)
    def around(*args, **kwargs): return g(*args, **kwargs) * 2
    return around
@decorate
def decorated(x, s=2.0): return x - s
PART = functools.partial(scaled, s=2.0)
"""
# What is read, as an array of the length of `x` or a number.
READS = """x * K;x + LIST[0];x * len(LIST);x * DICT['a'];x * DICT.get('b', 1);x + sum(LIST)
x + OBJ.k;x * OBJ.m();x * OBJ.p;OBJ(x);OBJ + x;x * OBJ[1];x * 2 if OBJ else x;x + OBJ.own
x + Klass.c;Klass.s(x);Klass.d(x);Klass.k * x;twice(x);helper(x);shifted(x);scaled(x, t=1)
TABLE['f'](x);MOD.h(x);x * MOD.k;READ(x);decorated(x);PART(x);x * sum(items(x));x * sum(map(twice, LIST))
np.cos(x);np.hypot(x, 2.0);x * math.floor(2.7);x * np.pi;x + math.sqrt(x[1]);np.linalg.norm(x) * x
max(x[0], 2.0) * x;x * abs(-3);x * divmod(7, 2)[0];x * sorted([3, 1, 2])[0];x * len(sys.argv);x * a + b
x * ('a' in DICT);x if isinstance(OBJ, Other) else -x;x * (lambda v: abs(v) + K)(-1)"""
NUMBERS = (1.0, 2, 2.5, True, np.float64(3), np.float32(2), 7, -1)


class World:
    """A module with what a random function reads, and the function."""

    def __init__(self, rng: random.Random) -> None:
        reads = rng.sample(READS.replace("\n", ";").split(";"), rng.randint(3, 8))
        steps = "".join(f"    y = y + ({read})\n" for read in reads)
        text = f"{WORLD}def f(x, a=1.0, *, b=2):\n    y = x\n{steps}    return y\n"
        text += f"def f2(x, a=2.0, *, b=1):\n    y = -x\n{steps}    return y\n"
        filename = f"<history {next(_numbers)}>"
        linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
        self.text = text
        self.module: Any = types.ModuleType("history")
        vars(self.module).update(np=np, math=math, sys=sys, types=types, functools=functools)
        exec(compile(text, filename, "exec"), vars(self.module))
        self.function = self.module.f
        self.converted = ag.convert(self.function)
        self.undo: dict[Any, Callable[[], None]] = {}

    def patch(self, owner: Any, name: str, new: Any) -> None:
        """Give a name of a library, or argument of the program, another meaning; or its own back."""
        if (owner, name) in self.undo:
            self.undo.pop((owner, name))()
            return
        self.undo[owner, name] = functools.partial(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, new)

    def bind(self, name: str, new: Any) -> None:
        """Bind a name of the module that is a built-in's, or unbind it."""
        if name in vars(self.module):
            delattr(self.module, name)
        else:
            setattr(self.module, name, new)

    def release(self) -> None:
        """Give libraries their own names back."""
        for undo in self.undo.values():
            undo()


def _number(rng: random.Random) -> Any:
    return rng.choice(NUMBERS)


def _swap(one: Any, other: Any) -> None:
    one.__code__, other.__code__ = other.__code__, one.__code__


def _set_or_delete(owner: Any, name: str, value: Any) -> None:
    if name in vars(owner):
        delattr(owner, name)
    else:
        setattr(owner, name, value)


# What changes, of a world `w` with its module `m`, by a source of chance `r`.
MAKERS: dict[str, Callable[[World, Any, random.Random], Any]] = {
    "a name": lambda w, m, r: setattr(m, "K", _number(r)),
    "a name, to an array": lambda w, m, r: setattr(m, "K", r.choice((np.ones(3), np.arange(3.0)))),
    "an item of a list": lambda w, m, r: m.LIST.__setitem__(0, _number(r)),
    "the length of a list": lambda w, m, r: m.LIST.append(_number(r)) if r.random() < 0.6 or len(m.LIST) < 2 else m.LIST.pop(),
    "an item of a dict": lambda w, m, r: m.DICT.update(a=_number(r)),
    "a key of a dict": lambda w, m, r: m.DICT.pop("b") if "b" in m.DICT else m.DICT.update(b=3),
    "an attribute": lambda w, m, r: setattr(m.OBJ, "own", _number(r)),
    "an attribute beside the class": lambda w, m, r: _set_or_delete(m.OBJ, "k", _number(r)),
    "an attribute of a class": lambda w, m, r: setattr(m.Klass, r.choice("kc"), _number(r)),
    "an attribute of a base": lambda w, m, r: setattr(m.Base, "c", _number(r)),
    "a method": lambda w, m, r: _set_or_delete(m.Klass, "m", lambda self: 9.0),
    "a method of a base": lambda w, m, r: setattr(m.Base, "m", lambda self: 8.0),
    "a method of an object": lambda w, m, r: _set_or_delete(m.OBJ, "m", lambda: 6.0),
    "a property": lambda w, m, r: setattr(m.Klass, "p", property(lambda self: self.own * 3)),
    "a static method": lambda w, m, r: setattr(m.Klass, "s", staticmethod(r.choice((m.lower, m.twice)))),
    "a class method": lambda w, m, r: setattr(m.Klass, "d", classmethod(lambda cls, x: x - cls.c)),
    "__call__": lambda w, m, r: setattr(m.Klass, "__call__", r.choice((lambda self, x: x - 1, lambda self, x: x / 4))),
    "__add__": lambda w, m, r: setattr(m.Klass, "__add__", lambda self, x: x * self.own),
    "__getitem__": lambda w, m, r: setattr(m.Klass, "__getitem__", lambda self, i: self.own - i),
    "__bool__": lambda w, m, r: setattr(m.Klass, "__bool__", r.choice((lambda self: False, lambda self: True))),
    "the code of a method": lambda w, m, r: _swap(m.Base.m, m.Other.m),
    "the class of an object": lambda w, m, r: setattr(m.Klass, "__bases__", r.choice(((m.Other,), (m.Base,)))),
    "a function": lambda w, m, r: setattr(m, "twice", r.choice((m.lower, lambda x: x * 11))),
    "the code of a function": lambda w, m, r: _swap(m.twice, m.lower) if m.twice is not m.lower else None,
    "the code of a function with defaults": lambda w, m, r: _swap(m.shifted, m.scaled),
    "the code of a generator": lambda w, m, r: _swap(m.items, m.few),
    "the code of a decorated function": lambda w, m, r: setattr(m.decorated.__wrapped__, "__code__", (lambda x, s: x * s).__code__),
    "defaults": lambda w, m, r: setattr(m.shifted, "__defaults__", (_number(r),)),
    "defaults of a decorated function": lambda w, m, r: setattr(m.decorated.__wrapped__, "__defaults__", (_number(r),)),
    "no defaults": lambda w, m, r: setattr(m.scaled, "__defaults__", r.choice((None, (2.0,)))),
    "keyword defaults": lambda w, m, r: setattr(m.shifted, "__kwdefaults__", {"t": _number(r)}),
    "keyword defaults in place": lambda w, m, r: m.shifted.__kwdefaults__.update(t=_number(r)),
    "its own defaults": lambda w, m, r: setattr(w.function, "__defaults__", r.choice((None, (_number(r),), (_number(r),)))),
    "its own keyword defaults": lambda w, m, r: w.function.__kwdefaults__.update(b=_number(r)),
    "its own code": lambda w, m, r: _swap(w.function, m.f2),
    "a function in a dict": lambda w, m, r: m.TABLE.update(f=r.choice((m.lower, m.twice, m.shifted))),
    "a function of a module": lambda w, m, r: setattr(m.MOD, "h", r.choice((m.lower, m.twice))),
    "a name of a module": lambda w, m, r: setattr(m.MOD, "k", _number(r)),
    "a cell": lambda w, m, r: m.WRITE(_number(r)),
    "a cell, from outside": lambda w, m, r: setattr(m.READ.__closure__[0], "cell_contents", _number(r)),
    "what a partial holds": lambda w, m, r: m.PART.keywords.update(s=_number(r)),
    "numpy.cos": lambda w, m, r: w.patch(np, "cos", r.choice((np.sin, lambda x: x + 100))),
    "numpy.hypot": lambda w, m, r: w.patch(np, "hypot", lambda x, y: x - y),
    "numpy.linalg.norm": lambda w, m, r: w.patch(np.linalg, "norm", lambda x: 3.0),
    "numpy.pi": lambda w, m, r: w.patch(np, "pi", 3.0),
    "math.floor": lambda w, m, r: w.patch(math, "floor", lambda x: 7),
    "math.sqrt": lambda w, m, r: w.patch(math, "sqrt", lambda x: x * 2),
    "a built-in everywhere": lambda w, m, r: w.patch(builtins, "divmod", lambda a, b: (9, 9)),
    "max in the module": lambda w, m, r: w.bind("max", r.choice((min, lambda a, b: a - b))),
    "abs in the module": lambda w, m, r: w.bind("abs", lambda x: x * 100),
    "len in the module": lambda w, m, r: w.bind("len", lambda x: 6),
    "sum in the module": lambda w, m, r: w.bind("sum", lambda xs: 3.0),
    "sorted in the module": lambda w, m, r: w.bind("sorted", lambda xs: xs),
    "isinstance in the module": lambda w, m, r: w.bind("isinstance", lambda x, kind: True),
    "arguments of the program": lambda w, m, r: sys.argv.append("-x") if len(sys.argv) < 3 else sys.argv.pop(),
}  # fmt: skip


def outcome(function: Callable[..., Any]) -> Any:
    """What a call gives, or raises."""
    try:
        result = function(X.copy())
    except Exception as error:  # noqa: BLE001 - they are compared
        return type(error), str(error)
    return result


def is_same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) or isinstance(other, tuple):
        return bool(one == other)
    same = type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape
    return bool(same and np.allclose(one, other, 1e-12, 1e-12, equal_nan=True))


def check(seed: int) -> None:
    """One history."""
    rng = random.Random(seed)
    argv, world, told = list(sys.argv), World(rng), []
    try:
        for _ in range(STEPS):
            for _ in range(rng.randint(1, 3)):
                expected, found = outcome(world.function), outcome(world.converted)
                assert is_same(found, expected), (
                    f"seed {seed}: {told}\n{world.text[len(WORLD) :]}\n{found}\n{expected}"
                )
            for _ in range(rng.randint(1, 4)):
                told.append(rng.choice(list(MAKERS)))
                MAKERS[told[-1]](world, world.module, rng)
    finally:
        world.release()
        sys.argv[:] = argv


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_what_changes_between_calls_is_seen(seed):
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(PROGRAMS, MANY))
def test_what_changes_between_calls_is_seen_in_many_histories(seed):
    check(seed)
