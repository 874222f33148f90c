# ruff: noqa: F821, F842
"""Plain functions that print what they do; each also runs converted, and must do the same."""

import contextlib
import os.path as path
from collections import OrderedDict

LIMIT = 3
counter = 0


class Box:
    """Prints what is done to it."""

    def __init__(self, name, **values):
        object.__setattr__(self, "name", name)
        self.__dict__.update(values)

    def __setattr__(self, key, value):
        print("set", self.name, key, value)
        object.__setattr__(self, key, value)

    def __getattr__(self, key):
        print("missing", self.name, key)
        raise AttributeError(key)

    def __getitem__(self, key):
        print("get", self.name, key)
        return key

    def __setitem__(self, key, value):
        print("setitem", self.name, key, value)

    def __delitem__(self, key):
        print("delitem", self.name, key)

    def __repr__(self):
        return f"<{self.name}>"


class Manager:
    """A context that prints and may swallow."""

    def __init__(self, swallow=False, broken=False):
        self.swallow = swallow
        self.broken = broken

    def __enter__(self):
        print("enter")
        return ("first", "second")

    def __exit__(self, kind, value, traceback):
        print("exit", kind and kind.__name__)
        if self.broken:
            raise OSError("exit")
        return self.swallow


def say(value):
    print("say", value)
    return value


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def guards(x):
    if x < 0:
        return "negative"
    if x == 0:
        return "zero"
    if x > 100:
        print("big")
        return
    return x


def many_guards(x):
    if x == 0:
        return 0
    if x == 1:
        return 1
    if x == 2:
        return 2
    if x == 3:
        return 3
    if x == 4:
        return 4
    if x == 5:
        return 5
    if x == 6:
        return 6
    if x == 7:
        return 7
    if x == 8:
        return 8
    if x == 9:
        return 9
    if x == 10:
        return 10
    if x == 11:
        return 11
    if x == 12:
        return 12
    if x == 13:
        return 13
    if x == 14:
        return 14
    if x == 15:
        return 15
    if x == 16:
        return 16
    if x == 17:
        return 17
    return "many"


def maybe_unbound(x):
    if x:
        y = 1
    return y


def unbound_in_loop(n):
    for i in range(n):
        if i == 1:
            found = i
    print(i)
    return found


def unbound_lazily(c):
    if c:
        y = c
    return [c and y, (lambda: y)() if c else None, y]


def bound_later(n):
    for i in range(n):
        if i:
            print(late)
        late = i
    return late


def loop_else(xs):
    for x in xs:
        if x < 0:
            break
        elif x == 0:
            continue
        print("positive", x)
    else:
        print("no negative")
        return "clean"
    return x


def while_else(n):
    while n:
        n -= 1
        if n == 2:
            break
    else:
        print("else")
        n = 10
    return n


def nested_loops(n):
    found = []
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            if (i + j) % 2:
                continue
            if i * j == 12:
                return found, i, j
            found.append((i, j))
        else:
            found.append("full")
            continue
        found.append(i)
    return found


def return_in_while_true(n):
    while True:
        n += 1
        if n % 7 == 0:
            return n


def break_in_else(xs):
    for x in xs:
        for y in x:
            if y:
                break
        else:
            break
        print("next")
    return xs


def try_return_else(x):
    try:
        if x:
            return say("try")
    except ValueError:
        return "no"
    else:
        print("else")
    finally:
        print("finally")
    return "end"


def return_in_finally(x):
    for i in range(3):
        try:
            if x == 0:
                raise KeyError(i)
            if x == 1:
                return "try"
            if x == 2:
                continue
            print("plain")
        finally:
            print("finally", i)
            if i == 1:
                return ("finally", x)
    return "end"


def break_in_finally(x):
    out = []
    for i in range(4):
        try:
            try:
                if i == x:
                    raise ValueError(i)
                if i == 2:
                    return out
            finally:
                out.append(("finally", i))
                if x == 1:
                    break
                if x == 2 and i < 3:
                    continue
                out.append("rest")
        except ValueError as e:
            out.append(repr(e))
    return "end", out


def finally_overrides(x):
    def inner():
        while True:
            try:
                return "lost"
            finally:
                print("finally")
                if x:
                    break
        return "kept"

    return inner()


def cancelled_return(x):
    try:
        try:
            return "first"
        finally:
            if x:
                raise ValueError("second")
    except ValueError as e:
        print(e)
    return "third"


def cancelled_by_exit(x):
    try:
        with Manager(broken=x):
            return "first"
    except OSError as e:
        print(e)
    return "third"


def cancelled_in_loop():
    for i in range(3):
        try:
            with Manager(broken=i == 1):
                if i == 0:
                    continue
                break
        except OSError:
            print("swallowed", i)
        print("after", i)
    return i


def swallowed(x):
    with Manager(swallow=True):
        print("in")
        if x:
            raise ValueError
        y = 2
        return y
    return "after"


def handlers(x):
    try:
        if x == 0:
            {}["a"]
        elif x == 1:
            [][1]
        elif x == 2:
            int("z")
        value = x
    except KeyError as e:
        value = repr(e)
    except (IndexError, ValueError) as e:
        value = str(e)
        if x == 1:
            raise RuntimeError("again") from e
    try:
        print(e)
    except NameError as error:
        print(type(error).__name__)
    return value


def handler_name_is_state(n):
    e = "before"
    for i in range(n):
        if i == 1:
            e = "in loop"
        try:
            if i == 2:
                raise ValueError(i)
        except ValueError as e:
            if i:
                print(repr(e))
        print(i)
    return e


def bare_reraise(x):
    try:
        try:
            raise ValueError(x)
        except ValueError:
            if x:
                raise
            print("kept")
    except ValueError as e:
        return repr(e), e.__context__
    return "done"


def state_seen_by_handler(c):
    x = 0
    try:
        if c:
            x = 1
            raise ValueError
        x = 2
    except ValueError:
        print("handled", x)
    return x


def walrus(xs):
    total = 0
    while (n := len(xs)) > 2 and (last := xs.pop()):
        total += last * n
    if (m := total) and (k := m + 1) > 3 or (k := -1):
        print(m, k)
    squares = [q := x * x for x in xs]
    print(q if squares else None)
    return total, n, k, squares, [y for x in xs if (y := x) or (z := 5)]


def walrus_everywhere(x):
    a = (b := x) + (c := b if (b := b + 1) else 0)
    assert (d := a), (e := "message")
    print(f"{(f := d)!r:{(w := 5)}}")
    t = [0, 1, 2, 3][(i := 1) : (j := 3)]
    g = lambda v: (u := v) and (u := u + 1) and u
    1 < (h := 2) < (k := 3) < (never := 0) < (not_even := 1)
    try:
        not_even
    except UnboundLocalError:
        print("unbound")
    return a, b, c, d, f, w, t, i, j, g(1), h, k, never


def walrus_conditional(x):
    y = (z := 1) if x else (z := 2)
    ok = x and (w := x) or (w := 0)
    del z
    return y, ok, w, (z := 3), x or (z := 4), z


def comprehensions(n):
    x = "outer"
    table = {x: [y for y in range(x) if y % 2] for x in range(n) if x > 1}
    pairs = {(a, b) for a in range(n) for b in range(a) if a != b}
    lazy = (x * y for x in range(n) for y in [x, -x] if x or y)
    first = [f() for f in [lambda: i for i in range(3)]]
    return x, table, sorted(pairs), list(lazy), first, [a for a, *b in [(1, 2)]]


def late_binding(n):
    functions = []
    for i in range(n):
        functions.append(lambda a=i: (a, i))

        def named():
            return i, total

        functions.append(named)
    total = "late"
    return [f() for f in functions]


def counters():
    count = 0

    def up():
        nonlocal count
        count += 1
        if count > 2:
            count = 100
        return count

    for _ in range(4):
        print(up(), count)
    return count


def global_counter(n):
    global counter
    counter = 0
    for i in range(n):
        counter += i
        if i > 2:
            del counter
            break
    try:
        return counter
    except NameError as e:
        return type(e).__name__


def deep_nonlocal():
    x = 0

    def outer():
        def inner():
            nonlocal x
            if x < 3:
                x += 1
                inner()

        inner()

    outer()
    return x


def deletion(c):
    x = [1, 2, 3]
    d = {"a": 1}
    del x[0], d["a"]
    if c:
        del x
    else:
        x = 5
    print(d)
    return x


def delete_in_loop():
    out = []
    for i in range(3):
        t = i
        del t
        try:
            t
        except UnboundLocalError:
            out.append(i)
    return out


def store_order():
    b = Box("b", a=0)

    def box(n):
        print("box", n)
        return Box(n, a=1)

    box("x").a = say(1)
    box("y")[say("k")] = say(2)
    b.a, box("z").c, (b.d, b[say(3)]) = say(4), say(5), (say(6), say(7))
    box("p").a += say(8)
    box("q")[say("i")] += say("j")
    b.a = b.e = say(9)
    x, *b.rest = say("abc")
    for b.i in range(2):
        print(b.i)
    with Manager() as (b.m, n), Manager() as b.o:
        print(n)
    del b.i, box("w")[say(0)]
    b.f: say(1) = say(2)
    g: say(3)
    (box("v").h): int
    return x, b.rest


def in_place(x):
    xs = [x]
    same = xs
    xs += [1]
    xs *= 2
    n = 7
    n -= 1
    n **= 2
    n //= 5
    n %= 4
    n <<= 3
    n >>= 1
    n |= 1
    n &= 13
    n ^= 2
    n /= 2
    d = {"k": 1}
    d["k"] += 1
    return xs is same, xs, n, d


def unpacking(v):
    a, b = v
    [c, *d] = a, b
    (e, (f, g)), h = (1, (2, 3)), 4
    i = j = (k, l) = [5, 6]
    for m, (n, *o) in [(1, "xyz"), (2, "q")]:
        print(m, n, o)
    return a, b, c, d, e, f, g, h, i, j, k, l, m, n, o


def calls(*args, key=None, **more):
    def show(*a, **k):
        return a, k

    dict_ = show(1, *args, *(2, 3), key=key, **more, **{"z": 1})
    try:
        show(a=1, **{"a": 2})
    except TypeError:
        print("twice")
    return dict_, show(), show(*[]), max(*args, 0), sorted(args, key=lambda a: -a)


def shadowed_builtins(dict):
    len = lambda x: "mine"

    def f(**k):
        return k

    return len([]), f(a=dict), LIMIT


def call_order():
    def f(n):
        print("f", n)
        return lambda *a, **k: (a, k)

    return f(1)(say(2), *[say(3)], a=say(4), **{"b": say(5)})


def comparisons(a, b, c):
    return (
        say(a) < say(b) < say(c),
        a < b,
        a in (b, c),
        a not in (b, c),
        a is None,
        a == b != c,
        1 < a <= b in (b,) is not None,
        not a,
        not (a and b or c),
    )


def conditional(a, b):
    x = say("yes") if a else say("no") if b else say("never")
    return x, (say(1) and say(0) and say(2)), (say(0) or say("") or say(3)), a and b or x


def formats(x, w):
    y = {"a": "q"}
    return f"{x!r:>{w}}|{x:>{w}.{w}}|{{}}{y['a']!s:^5}{w=}{x!a}{w:03d}", "", f"{x}tail"


def numbers(x):
    match x:
        case 0 | 1 | -1:
            return "small"
        case None | True:
            return "singleton"
        case int() | float() if x > 10:
            print("big")
        case [a, b, *rest] if a != b:
            return a, b, rest
        case {"k": v, **others}:
            return v, others
        case Box(name="n", a=value) as whole:
            return whole, value
        case str() as text:
            return text
        case (1 | 2) as y, z:
            return y, z
        case y if y == 7:
            return "seven"
        case complex(real=r):
            return r
        case _:
            return "other", y
    return "fell"


def match_in_loop(xs):
    for x in xs:
        match x:
            case "skip":
                continue
            case "stop":
                break
            case n if n == "n":
                print("n", n)
            case other:
                print("other", other)
    else:
        print("all")
    return n


def match_values(x):
    match x:
        case path.sep:
            r = "separator"
        case LIMITS.low | LIMITS.high as found:
            r = found
    return r


class LIMITS:
    low = 1
    high = 2


def classes(x):
    base = OrderedDict

    class Inner(base, metaclass=type):
        y = x
        """text"""

        def method(self):
            return x, __class__.__name__

        __private = 3
        z = [x for _ in range(2)]

    if x:

        class Late:
            value = x

        return Inner().method(), Inner._Inner__private, Inner.z, Late.value
    return Inner().method(), Inner.y


def decorated(x):
    def twice(f):
        print("decorating", f.__name__, f.__doc__)
        return lambda *a: f(*a) * 2

    @twice
    @say
    def g(a, /, b=say(x), *, c: int = 4, **k) -> "text":
        """doc"""
        return a + b + c

    return g(1)


def generators(n):
    def numbers(k):
        for i in range(k):
            if i % 2:
                yield i
            total = i
        return total

    async def coroutine():
        return n

    coroutine().close()
    return list(numbers(n)), sum(x for x in numbers(n))


def frames(x):
    y = x + 1
    if x:
        z = 3

    def g(k):
        return sorted(locals()), y

    return sorted(locals()), eval("x + y"), g(1), sorted(vars()), "z" in dir()


def frames_written_after(x):
    before = sorted(locals())
    if x:
        later = 1
        for q in range(2):
            inside = q
    return before, eval("x"), sorted(locals())


def assertions(x):
    assert x, say("message")
    assert x > 1
    return "passed"


def imports(c):
    import os.path
    from os import path as p
    from os import sep

    if c:
        import string as s
    return os.path is p, sep, s.digits


def raising(x):
    if x == 0:
        raise ValueError("zero")
    if x == 1:
        raise KeyError(x) from ValueError("cause")
    try:
        raise IndexError
    except IndexError as e:
        raise RuntimeError from e


def groups(x):
    try:
        if x:
            raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
    except* ValueError as group:
        print("values", group.exceptions)
        x = 5
    except* KeyError:
        print("keys")
    else:
        print("else")
    finally:
        print("finally")
    return x


def star_comprehension(xs):
    return [*xs, *(x + 1 for x in xs)], {**{"a": 1}, "b": 2}, {*xs}, (*xs,)


def slices(xs):
    ys = list(xs)
    ys[1:3] = [0]
    del ys[::2]
    return xs[1:], xs[:-1:2], xs[...] if not xs else xs[0], ys


def annotated(x):
    y: int
    z: list[undefined_name] = [x]
    if x:
        y: int = 3
    return y, z


def fibonacci(n):
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


def mutual(n):
    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    return even(n)


def dead_code(x):
    return x
    x = 5
    unreachable = 1


def unbound_by_dead_code(x):
    if x:
        return y
    return 1
    y = 2


def local_to_branch(x, c):
    if c:
        if c > 1:
            x = 1
        else:
            x = 2
        print(x)
        x = 3
        print(x)
    return c


def local_twice(c, n):
    for i in range(n):
        if i % 2:
            t = i
        else:
            t = -i
        print(t)
    if c:
        t = 5
    else:
        t = 6
    return t


def state_of_closure(n):
    x = 0

    def show():
        print("x is", x)

    for i in range(n):
        x = i
        show()
    if n:
        x = "end"
    show()


def closures_in_branches(c):
    if c:
        k = 1

        def g():
            return k
    else:
        g = lambda: "none"
    k = 2
    return g()


def swap(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a, _


def several_contexts(c):
    out = []
    with contextlib.suppress(ValueError), contextlib.ExitStack() as stack:
        stack.callback(out.append, "closed")
        for i in range(3):
            with contextlib.suppress(KeyError):
                if i == c:
                    raise KeyError
                if i == 2:
                    raise ValueError
                out.append(i)
                continue
            out.append("suppressed")
    return out


CASES = {
    collatz: [(1,), (7,), (27,)],
    guards: [(-1,), (0,), (5,), (101,)],
    many_guards: [(n,) for n in range(-1, 19)],
    maybe_unbound: [(0,), (1,)],
    unbound_in_loop: [(0,), (1,), (3,)],
    unbound_lazily: [(0,), (1,)],
    bound_later: [(0,), (1,), (3,)],
    loop_else: [([],), ([1, 0, 2],), ([1, -1, 3],)],
    while_else: [(0,), (2,), (5,)],
    nested_loops: [(0,), (3,), (7,)],
    return_in_while_true: [(1,), (7,)],
    break_in_else: [([],), ([[0], [1]],), ([[1], [0], [1]],)],
    try_return_else: [(0,), (1,)],
    return_in_finally: [(0,), (1,), (2,), (3,)],
    break_in_finally: [(0,), (1,), (2,), (3,), (9,)],
    finally_overrides: [(1,)],
    cancelled_return: [(0,), (1,)],
    cancelled_by_exit: [(0,), (1,)],
    cancelled_in_loop: [()],
    swallowed: [(0,), (1,)],
    handlers: [(0,), (1,), (2,), (3,)],
    handler_name_is_state: [(0,), (1,), (2,), (3,), (4,)],
    bare_reraise: [(0,), (1,)],
    state_seen_by_handler: [(0,), (1,)],
    walrus: [([1, 2, 3, 4],), ([],), ([5],)],
    walrus_everywhere: [(1,), (0,)],
    walrus_conditional: [(0,), (1,)],
    comprehensions: [(0,), (4,)],
    late_binding: [(0,), (3,)],
    counters: [()],
    global_counter: [(0,), (2,), (9,)],
    deep_nonlocal: [()],
    deletion: [(0,), (1,)],
    delete_in_loop: [()],
    store_order: [()],
    in_place: [(1,)],
    unpacking: [((1, 2),), ([1, 2, 3],), (5,), ("a",)],
    calls: [(), (1, 2), (3,)],
    shadowed_builtins: [(1,)],
    call_order: [()],
    comparisons: [(1, 2, 3), (2, 1, 3), (3, 3, 1), (0, 0, 0)],
    conditional: [(0, 0), (1, 0), (0, 1)],
    formats: [("text", 3), ("é", 1)],
    numbers: [
        (x,)
        for x in [
            0,
            -1,
            1.0,
            None,
            True,
            5,
            50,
            [1, 2, 3],
            (1, 1),
            {"k": 1, "l": 2},
            Box("n", a=3),
            "text",
            (2, 9),
            7,
            7j,
            [],
            Box("m", a=1),
        ]
    ],
    match_in_loop: [([],), (["n", "skip", "x"],), (["n", "stop", "n"],), (["stop"],)],
    match_values: [("/",), (1,), (2,), (3,)],
    classes: [(0,), (1,)],
    decorated: [(5,)],
    generators: [(0,), (5,)],
    frames: [(0,), (1,)],
    frames_written_after: [(0,), (1,)],
    assertions: [(0,), (1,), (2,)],
    imports: [(0,), (1,)],
    raising: [(0,), (1,), (2,)],
    groups: [(0,), (1,)],
    star_comprehension: [([1, 2],)],
    slices: [([1, 2, 3, 4],), ([],)],
    annotated: [(0,), (1,)],
    fibonacci: [(7,)],
    mutual: [(5,)],
    dead_code: [(1,)],
    unbound_by_dead_code: [(0,), (1,)],
    local_to_branch: [(0, 0), (0, 1), (0, 2)],
    local_twice: [(0, 3), (1, 2)],
    state_of_closure: [(0,), (2,)],
    closures_in_branches: [(0,), (1,)],
    swap: [(0,), (5,)],
    several_contexts: [(0,), (1,), (5,)],
}
