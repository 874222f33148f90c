"""Every kind of statement, staged: loops, branches, early exits, and all their nestings."""

from __future__ import annotations

import numpy as np

from tests.language.arguments import A, I
from tests.language.harness import Samples

samples = Samples()
F = np.float64


STEPS = [(0, 10, 3), (10, 0, -3), (5, 5, 1), (-4, 9, 4), (9, -4, 1), (3, 8, -1)]
PAIRS = [(1, 2), (-1, 2), (1, -2), (-1, -2), (20, 9), (3, 9), (0, 4), (7, 0)]


# ---- branches --------------------------------------------------------------------------------


@samples("B2.02", (F(3),), (F(-3),), conds=1)
def simple_if(x):
    y = x
    if x > 0:
        y = x * 2
    return y


@samples("B2.02", (F(3),), (F(-3),), conds=1)
@samples("B2.02", (I(3),), (I(-3),), conds=1)
def if_else(x):
    if x > 0:
        y = x + 1
    else:
        y = x - 1
    return y


@samples("B1.13", (F(-2),), (F(-0.5),), (F(0.5),), (F(2),), conds=3)
def elif_chain(x):
    if x < -1:
        y = x * 10
    elif x < 0:
        y = x * 20
    elif x < 1:
        y = x * 30
    else:
        y = x * 40
    return y


@samples("B1.13", (F(1), F(2)), (F(1), F(-2)), (F(-1), F(2)), (F(-1), F(-2)), conds=3)
def nested_if(x, y):
    z = x + y
    if x > 0:
        if y > 0:
            z = x * y
        else:
            z = x - y
    elif y > 0:
        z = y - x
    return z


# ---- early return ----------------------------------------------------------------------------


@samples("B1.09", (F(1),), (F(-1),), conds=1)
def return_in_if(x):
    if x > 0:
        return x * 2
    return x


@samples("B1.09", (F(1),), (F(-1),), conds=1)
def return_in_both(x):
    if x > 0:
        return x * 2
    else:
        return x * 3


@samples("B1.09", (F(1),), (F(3),), (F(9),), (F(-9),))
def return_after_statements(x):
    y = x + 1
    if y > 3:
        z = y * 2
        if z > 10:
            return z
        y = z
    y = y + 5
    if y > 9:
        return -y
    return y


@samples("B1.09", (F(1), A(0, 0)), (F(-1), A(0, 0)))
def return_without_value(x, out):
    if x > 0:
        out[0] = x
        return
    out[1] = x


@samples("B1.09", (I(3),), (I(10),), joined=True, whiles=1)
def return_in_while(x):
    i = 0
    while i < x:
        if i * i > 20:
            return i * 100
        i += 1
    return i


@samples("B1.09", (I(3), I(5)), (I(9), I(5)), whiles=1)
def return_in_for_range(n, limit):
    for i in range(n):
        if i > limit:
            return i
    return -1


@samples("B1.09", (A(1, 2, -3, 4),), (A(1, 2, 3, 4),), whiles=1)
def return_in_for_rows(x):
    for v in x:
        if v < 0:
            return v
    return x.sum()


@samples("B1.09", (F(1),), (F(7),), (I(3),), traces=2, whiles=1)
def return_in_while_true(x):
    while True:
        x = x * 2
        if x > 100:
            return x


@samples("B1.09", (A(1, 2, 3, 4), F(11)), (A(1, 2, 3, 4), F(5)))
def return_in_nested_loops(x, limit):
    for i in range(len(x)):
        for j in range(len(x)):
            if x[i] * x[j] > limit:
                return x[i] + x[j]
    return x[0]


@samples("B1.09", (A(1, 2),), (A(1000000000.0, 3),))
def return_none_default(x):
    s = 0.0
    for v in x:
        s += v
        if s > 1e9:
            return s
    return s


@samples("B1.09", (I(10),), (I(3),), joined=True)
def return_tuple_in_loop(n):
    for i in range(n):
        for j in range(i):
            if i * j > 30:
                return i, j
    return n, n


# ---- break and continue ----------------------------------------------------------------------


@samples("B1.06", (F(1),), (F(7),), (F(0.1),), whiles=1, joined=True)
def break_in_while(x):
    i = 0
    while i < 100:
        if i * x > 50:
            break
        i += 1
    return i


@samples("B1.06", (A(1, 2, -3, 4),), (A(1, 2, 3, 4),), whiles=1)
def break_in_for(x):
    s = 0.0
    for v in x:
        if v < 0:
            break
        s = s + v
    return s


@samples("B1.06", (A(1, 2, -3, 4), I(4)), (A(1, 2, 3, 4), I(4)), (A(1, 2, 3, 4), I(0)), whiles=1)
def b1_06(x, n):
    i = -1
    for i in range(n):
        if x[i] < 0:
            break
    return i


@samples("B1.08", (A(1, 2, -3, 4),), (A(1, 2, 3, 4),), whiles=1)
def continue_in_for(x):
    s = 0.0
    for v in x:
        if v < 0:
            continue
        s = s + v
    return s


@samples("B1.08", (I(10),), (I(0),), joined=True)
def continue_in_while(n):
    i = 0
    s = 0
    while i < n:
        i += 1
        if i % 2 == 0:
            continue
        s += i
    return s


@samples("B1.08", (I(10),), (I(3),), (I(0),), joined=True, whiles=2)
def nested_break_continue(n):
    total = 0
    for i in range(n):
        if i == 7:
            break
        if i % 2:
            continue
        for j in range(n):
            if j > i:
                break
            if (i + j) % 3 == 0:
                continue
            total += i * 2 + j
    return total


@samples("B1.06", (np.array([[1.0, 2], [3, -4]]),), (np.array([[1.0, 2], [3, 4]]),))
def break_two_levels(x):
    count = 0
    done = False
    for row in x:
        for v in row:
            if v < 0:
                done = True
                break
            count += 1
        if done:
            break
    return count


@samples("B1.08", (F(1),), (F(100),), (F(-500),), joined=True)
def continue_then_break(x):
    s = x
    k = 0
    while True:
        k += 1
        if k % 3 == 0:
            continue
        s = s + k
        if s > 40:
            break
        if k > 50:
            break
    return s, k


# ---- loop else -------------------------------------------------------------------------------


@samples("B1.02", (A(1, 2, 3), F(1.5)), (A(1, 2, 3), F(9)), whiles=1)
def for_else(x, limit):
    for v in x:
        if v > limit:
            found = v
            break
    else:
        found = limit * 10
    return found


@samples("B1.02", (I(5), I(3)), (I(5), I(9)), (I(0), I(0)), joined=True)
def while_else(n, stop):
    i = 0
    while i < n:
        if i == stop:
            break
        i += 1
    else:
        i = i + 1000
    return i


@samples("B1.02", (A(1, 2, 3), F(1.5)), (A(1, 2, 3), F(9)))
def for_else_return(x, limit):
    for v in x:
        if v > limit:
            return v
    else:
        x = x * 2
    return x[0]


@samples("B1.02", (I(20),), (I(3),), whiles=2, joined=True)
def nested_for_else(n):
    primes = 0
    for p in range(2, n):
        for d in range(2, p):
            if p % d == 0:
                break
        else:
            primes += 1
    return primes


@samples("B1.02", (I(5),), (I(50),), joined=True)
def while_else_continue(n):
    i, s = 0, 0
    while i < n:
        i += 1
        if i % 2:
            continue
        s += i
        if s > 30:
            break
    else:
        s = -s
    return s


# ---- kinds of iterables ----------------------------------------------------------------------


@samples("B2.12", (np.arange(6.0).reshape(3, 2),), (np.ones((3, 2)),), whiles=1)
def over_rows(x):
    s = x[0] * 0
    for row in x:
        s = s + row * row
    return s


@samples("B3.04", (I(0), I(3), I(1)), (I(0), I(3), I(0)), joined=True)
@samples("B2.12", *[tuple(map(I, c)) for c in STEPS], whiles=1, joined=True)
def over_range_step(a, b, c):
    s = 0
    for i in range(a, b, c):
        s = s * 3 + i
    return s


@samples("B2.12", (A(1, 2, 3),), (A(3, 4, 5),), whiles=1)
def over_enumerate(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s + i * v
    return s


@samples("B2.12", (A(1, 2, 3),), (A(3, 4, 5),), whiles=1)
def over_enumerate_start(x):
    s = 0.0
    for i, v in enumerate(x, 5):
        s = s + i * v
    return s


@samples("B2.12", (A(1, 2, 3), A(4, 5)), (A(1, 2, 3), A(0, 1)), whiles=1)
def over_zip(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s = s + a * b
    return s


@samples("B2.12", (A(1, 2, 3),), (A(3, 4, 5),), whiles=1)
def over_reversed(x):
    s = 0.0
    for v in reversed(x):
        s = s * 2 + v
    return s


@samples("B2.12", (np.arange(6.0).reshape(3, 2),), (np.ones((3, 2)),), whiles=1)
def over_unpacked(x):
    s = 0.0
    for a, b in x:
        s = s + a * b
    return s


@samples("B2.12", (np.arange(9.0).reshape(3, 3),), (np.ones((3, 3)),))
def over_starred(x):
    s = 0.0
    for a, *rest in x:
        for r in rest:
            s = s + a * r
    return s


@samples("B2.12", (A(1, 2, 3), A(4, 5, 6)), (A(1, 2, 3), A(0, 1, 7)), whiles=1)
def over_nested_targets(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s = s + i * a - b
    return s


@samples("B2.13", (F(1),), (F(3),), whiles=0)
def over_list(x):
    s = x
    for k in [1, 2.5, 3]:
        s = s * k
    return s


@samples("B2.13", (F(1),), (F(3),), whiles=0)
def over_dict(x):
    s = x
    for k, v in {"a": 1.0, "b": 2.0}.items():
        s = s * v + len(k)
    return s


@samples("B2.12", (A(1, 2, 3),), (A(4, 5, 6),))
def over_attribute_target(x):
    box = Box()
    box.value = 0.0
    for box.value in x:
        pass
    return box.value


@samples("B2.12", (A(1, 2, 3),), (A(4, 5, 6),))
def over_item_target(x):
    box = [0.0]
    for box[0] in x:
        pass
    return box[0]


class Box:
    pass


# ---- match -----------------------------------------------------------------------------------


@samples("B1.03", *[(I(k),) for k in (0, 1, 2, 3, 200)], joined=True)
def match_number(x):
    match x:
        case 0:
            y = 10
        case 1 | 2:
            y = 20
        case n if n > 100:
            y = n * 3
        case _:
            y = 30
    return y


@samples("B1.03", *[(I(a), I(b)) for a, b in ((0, 0), (0, 5), (5, 0), (3, 4))], joined=True)
def match_tuple(x, y):
    match (x, y):
        case (0, 0):
            return -1
        case (0, b):
            return b
        case (a, 0):
            return a * 2
        case (a, b):
            return a * b


@samples("B1.03", ("double", F(2)), ("double", F(5)), conds=0)
@samples("B1.03", ({"scale": 3, "b": 1}, F(2)), ({"scale": 3, "b": 1}, F(5)), conds=0)
@samples("B1.03", ([4, 5, 6], F(2)), ([4, 5, 6], F(5)), conds=0)
@samples("B1.03", ("other", F(2)), ("other", F(5)), conds=0)
@samples("B1.03", (None, F(2)), (None, F(5)), conds=0)
def match_python(kind, x):
    match kind:
        case "double":
            return x * 2
        case {"scale": s, **rest}:
            return x * s + len(rest)
        case [a, *others]:
            return x * a + len(others)
        case str() | None:
            return -x
        case Point(px, y=py):
            return px * x + py


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


@samples("B1.03", (I(3),), (I(30),), (I(0),), joined=True)
def match_in_loop(n):
    a = b = c = 0
    for i in range(n):
        match i % 3:
            case 0:
                a += 1
            case 1:
                b += i
                continue
            case _:
                c += 2
        if i > 10:
            break
    return a, b, c


# ---- other statements ------------------------------------------------------------------------


def walrus(x):
    if (y := x * 2) > 4:
        return y
    while (y := y + 1) < 3:
        pass
    return y, (z := y * 2) + z


@samples("B1.13", (I(0),), (I(3),))
def walrus_binds_the_name_of_a_loop(n):
    s = 0
    for i in range(n):
        s = s + i
        i = i if n else (i := 3)
    return s


@samples("B1.13", (I(1), [I(2), I(3)]), (I(3), [I(2), I(3)]))
def walrus_in_a_part_of_a_condition(n, items):
    while n > 0:
        n -= 1
        for j, v in enumerate(items):
            flag = (s := n) > 2 and (j := s) <= items[1]
    return flag, s, v


@samples("B1.13", (I(3), F(2.5)), (I(2), F(2.5)))
def walrus_within_try(n, y):
    try:
        for v in [2.0, 0.25, 1.0]:
            y = (y := v) and (v := y)
        if n == 2:
            raise ValueError("two")
    except ZeroDivisionError:
        pass
    return y


@samples("B1.13", (I(1), {"p": I(2), "q": I(3)}), (I(3), {"p": I(2), "q": I(3)}))
def walrus_in_a_branch(n, table):
    try:
        if n > 2:
            raise ValueError("a")
    except ValueError:
        pass
    else:
        for v in table.values():
            one = [n, 1] if v > 2 else [v, (v := table["p"])]
            table["q"] = one[0]
    return table


@samples("B1.13", (F(3),), (F(9),), whiles=1)
def walrus_value(x):
    a = (y := x + 1) * y
    while (a := a / 2) > 3:
        y = y + 1
    return a, y


@samples("B1.16", (F(3),), (F(-9),), conds=1)
def deleted(x):
    y = x + 1
    if x > 0:
        del y
        y = x
    del x
    return y


@samples("B1.13", (A(1, 2, 3, 4),), (A(5, 6, 7, 8),), conds=0)
def starred_targets(x):
    a, *b, c = x
    *d, e = b
    return a * c + e + d[0]


@samples("B1.13", (F(1), F(2)), (F(3), F(4)), whiles=1)
def chained_and_swapped(x, y):
    a = b = x
    a, b = b + y, a - y
    (p, q), r = (a, b), a * b
    while p < 50:
        p, q = q + p, p + 1
    return p, q, r


@samples("B1.13", (F(3),), (F(-9),), conds=0)
def augmented(x):
    x += 1
    x -= 3
    x *= 4
    x /= 3
    x //= 1
    x **= 2
    x %= 7
    return x


counter = 0.0


@samples("B2.20", (A(1, 2, 3),), (A(4, 5, 6),), whiles=1)
def uses_global(x):
    global counter
    counter = 0.0
    for v in x:
        counter += v
    return counter


@samples("B2.20", (A(1, -2, 3),), (A(4, 5, 6),), whiles=1)
def uses_nonlocal(x):
    total = 0.0

    def add(v):
        nonlocal total
        if v > 0:
            total += v

    for v in x:
        add(v)
    return total


@samples("B1.13", (F(3),), (F(-9),), conds=1)
def annotated(x: float) -> float:
    y: float = x
    z: int  # noqa: F842
    if y > 0:
        y: float = y * 2
    return y


@samples("B1.04", (F(3),), (F(-9),), conds=2)
def with_lambda(x):
    f = lambda v, k=2: v * k if v > 0 else -v
    return f(x) + f(x, k=3)


@samples("B2.21", (F(0),), (F(1),))
def lambdas_in_loop(x):
    fs = []
    for k in range(3):
        fs.append(lambda v: v + k)
    return sum(f(x) for f in fs)


@samples("B1.04", (F(3), I(4)), (F(9), I(1)), whiles=1)
def inner_function(x, n):
    def step(v, k=3, *more, scale=1.0, **named):
        if v > k:
            return v / 2
        return v * scale + len(more) + len(named)

    for i in range(n):
        x = step(x, 5, 1, 2, scale=1.5, a=1)
    return x


@samples("B1.04", (F(3), 4), (F(-9), 4))
def recursion_in_python(x, n):
    def power(k):
        if k == 0:
            return 1.0
        return x * power(k - 1)

    return power(n) if x > 0 else power(n + 1)


@samples("B1.17", (A(1, 2, 3),), (A(4, 5, 6),))
def comprehension(x):
    a = [v * 2 for v in x]
    b = {k: v + k for k, v in enumerate(x)}
    c = [u * v for u in x for v in a if v is not None]
    return sum(a) + b[1] + sum(c) + sum(v for v in x)


@samples("B2.26", (F(3), I(7)), (F(-3), I(7)))
@samples("B2.26", (F(3.14159), 8), (F(-3), 8))
def fstrings(x, n):
    s = f"{x:.2f} {n!r:>5} {n + 1}{{}} {x=}"
    print(s)
    if x > 0:
        print(f"positive {x:{n}.1f}")
    return x


@samples("B2.18", (F(3), 1), (F(-3), 1), conds=1)
def with_manager(x, log):
    with Manager(log) as m:
        if x > 0:
            x = x * m
    return x


class Manager:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        return 3

    def __exit__(self, *details):
        return None


@samples("B2.18", (F(3),), (F(-3),))
def return_in_with(x):
    with Manager(None) as m:
        if x > 0:
            return x * m
    return -x


@samples("B2.18", (A(1, -2, 3, 11, 4),), (A(1, 2, 3, 4, 5),), whiles=1)
def loop_in_with(x):
    s = 0.0
    for v in x:
        with Manager(None) as m:
            if v < 0:
                continue
            if v > 10:
                break
            s += v * m
    return s


@samples("B2.17", (F(3),), (F(-3),), conds=1)
def try_finally(x):
    y = x
    try:
        if x > 0:
            y = x * 2
    finally:
        y = y + 1
    return y


@samples("B2.17", (F(3),), (F(-3),))
def try_except_python(x):
    try:
        y = {}["missing"]
    except KeyError as error:
        y = len(str(error))
    else:
        y = 0
    return x * y


@samples("B2.17", (F(3),), (F(-3),))
def return_in_try_finally(x):
    y = 0.0
    try:
        if x > 0:
            return x
        y = x
    finally:
        print("finally")
    return y - 1


@samples("B1.07", (F(3),), (F(-3),))
def assert_ok(x):
    assert x > -100, f"too small: {x}"
    return x * 2


@samples("B1.14", (F(3),), (F(-3),), (F(9),))
def conditional_expression(x):
    return (x if x > 0 else -x) + (1 if x > 5 else 2.5)


@samples("B1.15", *[(F(a), F(b)) for a, b in PAIRS], joined=True)
@samples("B1.15", *[(I(a), I(b)) for a, b in PAIRS], joined=True)
def boolean_operators(x, y):
    a = x > 0 and y > 0
    b = x > 0 or y > 0
    c = not a
    d = 0 < x < 10 and not y > 5
    return a, b, c, d


@samples("B1.15", *[(F(a), F(b)) for a, b in PAIRS], joined=True)
@samples("B1.15", *[(I(a), I(b)) for a, b in PAIRS], joined=True)
def and_or_values(x, y):
    return (x and y), (x or y), (x or 5), (x and 0)


@samples("B1.13", (F(3),), (F(-9),))
def pass_and_docstring(x):
    """Says nothing."""
    if x > 0:
        pass
    elif x < -5:
        ...
    else:
        "no effect"
    return x


@samples("B1.10", (F(3),), (F(-3),), conds=1)
def list_of_known_length(x):
    out = [x]
    out.append(x * 2)
    if x > 0:
        last = out.pop()
    else:
        last = out.pop(0)
    return out, last, len(out)


@samples("B1.11", (A(1, 2, 3, 4), I(2)), (A(4, 3, 2, 1), I(0)), whiles=1)
def slices_read_and_written(x, n):
    y = x[1:]
    for i in range(n):
        y[i : i + 2] = y[i + 1 : i + 3].sum()
        x[::2] += y[:2]
    return x, y[-1]


test_statement = samples.test()
