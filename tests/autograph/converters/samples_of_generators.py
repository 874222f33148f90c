"""Modules with a function `f` that goes through a generator in some way."""

# What is sent in, thrown in and given back, step by step.
DRIVER = """
def drive(g, *steps):
    for kind, *values in [("next",), *steps]:
        try:
            if kind == "next":
                print("gave", next(g))
            elif kind == "send":
                print("gave", g.send(*values))
            elif kind == "throw":
                print("gave", g.throw(*values))
            else:
                print("closed", g.close())
        except BaseException as error:
            print(type(error).__name__, error, type(error.__cause__).__name__)
"""

SAMPLES = [
    DRIVER + text
    for text in (
        """
def g(n):
    for i in range(n):
        for j in range(i):
            if j == 2:
                break
            got = yield i, j
            if got == "stop":
                return "stopped"
            if got:
                continue
            print("on")
        else:
            print("all of", i)
    return "done"

def f():
    drive(g(4), ("next",), ("send", 1), ("next",), ("next",), ("next",), ("next",), ("next",))
    drive(g(4), ("send", "stop"), ("next",))
    drive(g(0))
""",
        """
def g():
    k = 0
    while True:
        try:
            k += 1
            yield k
        except ValueError as error:
            print("caught", error)
            yield -k
        except KeyError as error:
            raise RuntimeError("other") from error
        else:
            print("else")
        finally:
            print("finally", k)

def f():
    drive(g(), ("throw", ValueError("a")), ("next",), ("next",), ("close",), ("next",))
    drive(g(), ("throw", KeyError("b")), ("next",))
    drive(g(), ("throw", TypeError("c")), ("next",))
    drive(g(), ("throw", ValueError("a")), ("throw", ValueError("d")), ("next",))
""",
        """
def inner(tag):
    try:
        got = yield tag
        print(tag, "got", got)
        return tag * 2
    except ValueError:
        print(tag, "caught")
        return "caught"
    finally:
        print(tag, "ends")

def g():
    a = yield from inner("a")
    b = yield from inner("b")
    c = yield from [a, b]
    return a, b, c

def f():
    drive(g(), ("send", 1), ("throw", ValueError()), ("next",), ("next",), ("next",))
    drive(g(), ("close",))
    drive(g(), ("send", 1), ("send", 2), ("send", 3))
    drive(g(), ("throw", TypeError("t")), ("next",))
""",
        """
def stops():
    yield 1
    raise StopIteration("inside")

def ignores():
    try:
        yield 1
    except GeneratorExit:
        print("no")
        yield 2
    print("ends")

def f():
    drive(stops(), ("next",), ("next",))
    drive(ignores(), ("close",), ("next",))
    drive(ignores(), ("throw", GeneratorExit()), ("next",))
    drive(stops(), ("send", 5))
    unstarted = stops()
    try:
        unstarted.send(3)
    except TypeError as error:
        print(error)
""",
        """
class Manager:
    def __enter__(self):
        print("enter")
        return self
    def __exit__(self, kind, error, traceback):
        print("exit", kind and kind.__name__)
        return kind is ValueError

class Box:
    pass

def g():
    box = Box()
    with Manager() as box.m, Manager():
        got = yield 1
        if got:
            return got
    print("after")
    yield box.m is not None
    assert (yield 2), (yield "message")
    x = (yield 3) or (yield 4)
    y = (yield 5) if x else (yield 6)
    z = 1 < (yield 7) < (yield 8)
    return [x, y, z, f"{(yield 9)}", *(yield 10)]

def f():
    drive(g(), ("throw", ValueError("v")), ("next",), ("next",))
    drive(g(), ("send", 5))
    drive(g(), ("close",))
    drive(g(), ("next",), ("next",), ("send", 1), ("send", 0), ("send", 0), ("send", 0),
          ("send", 2), ("send", 3), ("send", "t"), ("send", "uv"))
    drive(g(), ("next",), ("next",), ("send", 0), ("send", "why"))
""",
        """
def g(xs):
    for x in xs:
        match x:
            case 0:
                continue
            case [a, *rest] if rest:
                yield a
                yield from rest
            case {"k": v}:
                yield v
            case "end":
                return
            case _:
                yield x
        del x

def f():
    print(list(g([0, [1, 2, 3], {"k": 4}, 5, "end", 6])))
    numbers = g([1, 2])
    return next(numbers), sum(numbers), next(numbers, None)
""",
        """
def g():
    total = 0
    def add(n):
        nonlocal total
        total += n
        yield total
    while (n := (yield total)) is not None:
        yield from add(n)
        squares = [n * k for k in range(n) if (last := k) or True]
        print(squares, last, locals()["total"])
    lazily = (total * k for k in range(2))
    try:
        print(never)
        never = 1
    except UnboundLocalError as error:
        print(error)
    yield from lazily

def f():
    drive(g(), ("send", 2), ("next",), ("send", 3), ("next",), ("next",), ("next",), ("next",))
""",
        """
class Tree:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right
    def __iter__(self):
        if self.left is not None:
            yield from self.left
        yield self.value
        if self.right is not None:
            yield from self.right

def f():
    tree = Tree(4, Tree(2, Tree(1), Tree(3)), Tree(6))
    first, *rest = tree
    return first, rest, list(zip(tree, tree)), 3 in tree, max(tree)
""",
        """
def g(log):
    for k in range(3):
        try:
            for j in range(3):
                try:
                    yield k, j
                    if j == k:
                        continue
                    if k == 2:
                        return log.append("return") or "value"
                finally:
                    log.append((k, j))
                    if j == 1:
                        break
        finally:
            log.append(k)

def f():
    log = []
    def result():
        return (yield from g(log))
    drive(result(), *[("next",)] * 8)
    return log
""",
    )
]
