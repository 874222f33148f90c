"""Captured objects of libraries that others change: what a call reads of them is what they hold then."""

from __future__ import annotations

import array
import ctypes
import os
import types
from collections import ChainMap, UserDict, UserList

import numpy as np
import pytest

import autograph as ag

X = np.array([1.0, 2.0])
NUMBERS = array.array("d", [1.0, 2.0])
SAME = array.array("d", [1.0, 2.0])
BYTES = bytearray(b"\x01\x02")
WINDOW = memoryview(BYTES)
FIXED = (ctypes.c_double * 2)(1.0, 2.0)
DICT = {"a": 1.0}
PROXY = types.MappingProxyType(DICT)
KEYS, VALUES, ITEMS = DICT.keys(), DICT.values(), DICT.items()
CHAIN = ChainMap(DICT)
USER_DICT = UserDict(a=1.0)
USER_LIST = UserList([1.0])
POLY = np.poly1d([1.0, 2.0])
POLYNOMIAL = np.polynomial.Polynomial([1.0, 2.0])
SCALE = 1.0
os.environ["AUTOGRAPH_TEST_SCALE"] = "1"


def longer_environment():
    os.environ["AUTOGRAPH_TEST_SCALE"] += "1"


def scaled():
    globals()["SCALE"] += 1.0


def bigger(thing, key=0):
    def change():
        thing[key] += 1

    return change


CASES = {
    "array": (lambda x: NUMBERS[0] * x, bigger(NUMBERS)),
    "len of array": (lambda x: len(NUMBERS) * x, lambda: NUMBERS.append(1.0)),
    "sum of array": (lambda x: sum(NUMBERS) * x, bigger(NUMBERS)),
    "items of array": (lambda x: [v * x for v in NUMBERS], bigger(NUMBERS)),
    "in array": (lambda x: (9.0 in NUMBERS) * x, lambda: NUMBERS.append(9.0)),
    "== of array": (lambda x: x if NUMBERS == SAME else -x, bigger(NUMBERS)),
    "+ of array": (lambda x: len(NUMBERS + SAME) * x, lambda: NUMBERS.append(1.0)),
    "== of bytearray": (lambda x: x if BYTES == b"\x01\x02" else -x, bigger(BYTES)),
    "< of list of the user": (lambda x: x if USER_LIST < [2.0] else -x, bigger(USER_LIST)),
    "== of dict of the user": (lambda x: x if USER_DICT == {"a": 1.0} else -x, bigger(USER_DICT, "a")),
    "np.array of array": (lambda x: np.array(NUMBERS).sum() * x, bigger(NUMBERS)),
    "bytearray": (lambda x: BYTES[0] * x, bigger(BYTES)),
    "text of bytearray": (lambda x: (str(BYTES), x * 2), bigger(BYTES)),
    "memoryview": (lambda x: WINDOW[0] * x, bigger(BYTES)),
    "ctypes": (lambda x: FIXED[0] * x, bigger(FIXED)),
    "proxy": (lambda x: PROXY["a"] * x, bigger(DICT, "a")),
    "keys": (lambda x: len(KEYS) * x, lambda: DICT.setdefault(len(DICT), 2.0)),
    "values": (lambda x: sum(VALUES) * x, bigger(DICT, "a")),
    "items": (lambda x: [v * x for _, v in ITEMS], bigger(DICT, "a")),
    "chain": (lambda x: CHAIN["a"] * x, bigger(DICT, "a")),
    "dict of the user": (lambda x: USER_DICT["a"] * x, bigger(USER_DICT, "a")),
    "list of the user": (lambda x: USER_LIST[0] * x, bigger(USER_LIST)),
    "poly1d": (lambda x: POLY(3.0) * x, lambda: bigger(POLY.coeffs)()),
    "polynomial": (lambda x: POLYNOMIAL(3.0) * x, lambda: bigger(POLYNOMIAL.coef)()),
    "environment": (lambda x: float(os.environ["AUTOGRAPH_TEST_SCALE"]) * x, longer_environment),
    "get of environment": (
        lambda x: x * len(os.environ.get("AUTOGRAPH_TEST_SCALE")), longer_environment,
    ),
    "globals": (lambda x: globals()["SCALE"] * x, scaled),
    "eval": (lambda x: eval("SCALE") * x, scaled),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_e2_what_others_changed_is_seen_by_the_next_call(case):
    function, change = CASES[case]
    f = ag.convert(function)
    for traces in (1, 2):
        for _ in range(2):
            assert repr(f(X)) == repr(function(X))
        assert f.trace_count == traces
        change()
    assert repr(f(X)) == repr(function(X))
