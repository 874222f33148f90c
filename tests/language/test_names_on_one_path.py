"""Names that only one path binds, or binds to None."""

from __future__ import annotations

import numpy as np

from tests.language.harness import Samples

samples = Samples()
I = np.int64
F = np.float64


def A(*values):
    return np.array(values, dtype=np.float64)


# ---- names bound on one path (B2.03, S12) ----------------------------------------------------


@samples("B2.03", (F(2),), (F(-2),), conds=1)
def bound_in_one_branch_and_dead(x):
    if x > 0:
        t = x * 2
        y = t + 1
    else:
        y = x
    return y


@samples("B2.03", (F(2),), (F(-2),))
def cond_undefined_later_used_guarded(x):
    if x > 0:
        y = x * 7
    z = F(0)
    if x > 0:
        z = y
    return z


@samples("B2.03", (F(2),), (F(-2),))
def undefined_read(x):
    if x > 0:
        y = x * 7
    return y


@samples("B2.03", (F(2),), (F(-2),))
def undefined_read_in_else(x):
    if x > 0:
        y = x
    if x > 0:
        z = 1.0
    else:
        z = y
    return x * z


@samples("B2.03", (F(2),), (F(-2),))
def deleted_in_branch(x):
    y = x * 3
    if x > 0:
        del y
    return y


@samples("B2.03", (F(2),), (F(-2),))
def undefined_augmented(x):
    if x > 0:
        total = x
    total += 1
    return total


@samples("B2.03", (A(1, 2), F(0)), (A(1, -2), F(0)), (A(-1, -2), F(0)))
def undefined_in_loop(x, s):
    for v in x:
        if v > 0:
            last = v
        s = s + last
    return s


@samples("B2.09", (I(3), F(1)), (I(0), F(1)), whiles=1)
def bound_in_loop_only(n, x):
    for i in range(n):
        y = x * i
    return y


@samples("B2.09", (I(3), F(1)), (I(0), F(1)), whiles=1)
def loop_target_after_loop(n, x):
    for i in range(n):
        x = x + i
    return i, x


@samples("B2.09", (F(9), F(1)), (F(0), F(1)), whiles=1)
def bound_in_while_only(n, x):
    while n > 1:
        n = n / 2
        y = x + n
    return y


# ---- None on one path (B2.04) ----------------------------------------------------------------


@samples("B2.04", (F(2),), (F(-2),))
def none_on_both(x):
    y = None
    if x > 0:
        z = x
    else:
        z = -x
    return z if y is None else y


@samples("B2.04", (F(2),), (F(-2),))
def none_replaced_on_both(x):
    y = None
    if x > 0:
        y = x
    else:
        y = -x
    return y


@samples("B2.04", (F(2),), (F(-2),))
def none_unused_afterwards(x):
    y = None
    if x > 0:
        y = x * 2
        x = y
    return x


test_names_on_one_path = samples.test()
