"""Random calls of compiled functions with arguments of every kind, as a program of its own.

`python -m tests.runtime.execute.native.wrong_use KIND SEED COUNT` compares each call with that of
plain Python on arguments of the same kind. It prints what differs, and at the end `done`: what
ends without that has crashed.
"""

import collections
import gc
import random
import signal
import sys
import threading
import warnings

import numpy as np

import autograph as ag
from runtime.errors import StagingError

# ---- functions -----------------------------------------------------------------------------------


def scaled(x, y):
    return x * 2 + y


def summed(x, y):
    return (x + y).sum(), x.max(initial=0), y


def product(x, y):
    return x @ y


def written(x, y):
    x[0] = 7
    x += 1
    return x


def looped(x, y):
    total = x * 1.0  # of the dtype that it has after a round
    i = 0
    while (total * total).sum() < 1000.0 and i < 20:
        total = total * 1.5 + y
        i += 1
    return total, i


def picked(x, y):
    return x[y]


def filled(x, n):
    for i in range(n):
        x[i] = x[i] * 2 + i
    return x


def counted(n, x):
    steps = 0
    while n > 1 and steps < 900:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def chosen(x, y):
    if x.ndim > 1:
        return x[:, ::-1], y
    return x, x.reshape(-1)


FUNCTIONS = [scaled, summed, product, written, looped, picked, filled, counted, chosen]

# ---- arguments -----------------------------------------------------------------------------------


class Sub(np.ndarray):
    """A subclass without behaviour of its own."""


class Lying:
    """Something that says that it is an array."""

    __array_interface__ = 7

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no array")


Point = collections.namedtuple("Point", "x y")
DTYPES = "f8 f8 f4 i8 i4 u1 u8 ? f2 c16".split()
SHAPES = [
    (),
    (0,),
    (1,),
    (3,),
    (4,),
    (4,),
    (17,),
    (1000,),
    (4, 4),
    (4, 4),
    (3, 0),
    (1, 4),
    (2, 3, 4),
]


def plain(rng, shape=None):
    """An array of any dtype and shape."""
    shape = rng.choice(SHAPES) if shape is None else shape
    bits = np.random.default_rng(rng.randrange(2**32))
    return np.asarray(bits.integers(0, 5, shape)).astype(rng.choice(DTYPES))


def _strided(rng, x):
    return np.repeat(x, 3, axis=-1)[..., ::3] if x.ndim else x


def _misaligned(rng, x):
    memory = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    memory[...] = x
    return memory


def _read_only(rng, x):
    x.flags.writeable = False
    return x


LAYOUTS = [
    lambda rng, x: x,
    lambda rng, x: x,
    _strided,
    lambda rng, x: np.flip(x),
    lambda rng, x: np.asfortranarray(x),
    lambda rng, x: x.T,
    lambda rng, x: np.broadcast_to(x, (4, *x.shape)),
    _misaligned,
    _read_only,
    lambda rng, x: x.astype(x.dtype.newbyteorder(">")),
    lambda rng, x: x.reshape((1,) * rng.choice([30, 33, 60 - x.ndim]) + x.shape),
    lambda rng, x: x[()],
    lambda rng, x: x.view(np.dtype(x.dtype, metadata={"unit": "m"})),
]
NUMBERS = [0, 1, -1, 3, 2**31, 2**63 - 1, -(2**63), 2**63, 10**30, 0.5, -0.0, float("inf"), True]
NUMBERS += [float("nan"), np.int8(-128), np.uint64(2**64 - 1), np.float16(1.5), np.bool_(True)]
STRANGE = [
    lambda rng, x: None,
    lambda rng, x: "text",
    lambda rng, x: x.tolist(),
    lambda rng, x: (x, x),
    lambda rng, x: {"x": x},
    lambda rng, x: Point(x, 1),
    lambda rng, x: x.view(Sub),
    lambda rng, x: np.matrix(x.reshape(-1)),
    lambda rng, x: np.ma.masked_array(x, mask=x != 0),
    lambda rng, x: np.rec.array(np.zeros(3, "i4,f8")),
    lambda rng, x: x.astype(object),
    lambda rng, x: np.array([None, 1, "a"], object),
    lambda rng, x: x.astype("U8"),
    lambda rng, x: x.astype("M8[s]") if x.dtype.kind in "iu" else np.zeros(3, "m8[ns]"),
    lambda rng, x: np.zeros(4, "i4,f8"),
    lambda rng, x: memoryview(bytes(8)),
    lambda rng, x: Lying(),
    lambda rng, x: np.ndarray,
    lambda rng, x: np.dtype("f8"),
    lambda rng, x: slice(2),
    lambda rng, x: ...,
    lambda rng, x: object(),
    lambda rng, x: x.astype(np.longdouble),
    lambda rng, x: 1 + 2j,
]


def argument(rng, may_be_strange=True):
    """(an argument, whether it is strange)."""
    kind = rng.random()
    if kind < 0.15:
        return rng.choice(NUMBERS), False
    if kind < 0.35 and may_be_strange:
        return rng.choice(STRANGE)(rng, plain(rng)), True
    return rng.choice(LAYOUTS)(rng, plain(rng)), False


def arguments(rng, may_be_strange=True):
    """Two arguments, which may share memory, and whether one is strange."""
    if rng.random() < 0.25:
        memory = plain(rng, (40,))
        first, second = (memory[slice(k, k + 20, rng.choice([1, 2, 3, -1]))] for k in (0, 5))
        return [first, rng.choice([second, first, memory[:20], memory[4:5], memory[3]])], False
    (x, is_odd), (y, is_strange) = argument(rng, may_be_strange), argument(rng, may_be_strange)
    return [x, y], is_odd or is_strange


# ---- comparing -----------------------------------------------------------------------------------


def outcome(function, given):
    """What a call gives or raises."""
    try:
        return function(*given), None
    except Exception as error:  # noqa: BLE001 - it is compared
        return None, error


def same(a, b):
    """Whether results are the same, but for the last bits."""
    if isinstance(b, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(b, dict):
        return isinstance(a, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in b)
    if not isinstance(b, (np.ndarray, np.generic)):
        return type(a) is type(b) and (repr(a) == repr(b) or " at 0x" in repr(a))
    is_scalar = type(b) is np.ndarray and b.ndim == 0 and isinstance(a, np.generic)
    if not (type(a) is type(b) or is_scalar) or a.dtype != b.dtype or a.shape != b.shape:
        return False
    if b.dtype.kind in "fc":
        limit = 8 * np.finfo(b.dtype).eps
        return np.allclose(a, b, rtol=limit, atol=limit, equal_nan=True)
    return repr(a) == repr(b) if b.dtype.hasobject else np.array_equal(a, b)


def twins(rng_state, make):
    """The same arguments twice."""
    found = []
    for _ in range(2):
        rng = random.Random()
        rng.setstate(rng_state)
        found.append(make(rng))
    return found


def described(x):
    """An argument in a line."""
    if isinstance(x, np.ndarray):
        return f"{type(x).__name__} {x.dtype} {x.shape} {x.strides} {x.flags.writeable:d}"
    return repr(x)[:80]


def compare(function, converted, given, others, is_strange):
    """Prints where a call differs from that of plain Python."""
    shown = ", ".join(map(described, given))
    (actual, error), (expected, wrong) = outcome(converted, given), outcome(function, others)
    if wrong is not None:
        if error is None:
            tell(function, shown, f"gave {described(actual)} where Python raises {wrong!r}")
        return
    if error is not None:
        if not is_strange and not is_refusal(error):
            tell(function, shown, f"raised {error!r}")
        return
    if not same(actual, expected):
        tell(function, shown, f"gave {actual!r} for {expected!r}")
    for x, y in zip(given, others, strict=True):
        if not same(x, y):
            tell(function, shown, "left another argument behind")


def is_refusal(error):
    """Whether an error says in words what graphs cannot do."""
    words = ("does not fit in 64 bits", "boolean index did not match")  # NumPy takes an empty one
    return isinstance(error, StagingError) or any(text in str(error) for text in words)


def tell(function, shown, what):
    print(f"{function.__name__}({shown}) {what[:300]}".replace("\n", " "), flush=True)


# ---- kinds of use --------------------------------------------------------------------------------


def call_with_anything(rng, converted, count):
    for _ in range(count):
        function = rng.choice(FUNCTIONS)
        state = rng.getstate()
        (given, is_strange), (others, _) = twins(state, arguments)
        compare(function, converted[function], given, others, is_strange)
        rng.random()


def give_results_back(rng, converted, count):
    """Results as arguments, of which some are freed, resized or written before."""
    function = scaled
    for _ in range(count):
        x = plain(rng, (rng.choice([2, 3, 1000]),)).astype("f8")
        y = x.copy()
        for _ in range(6):
            compare(function, converted[function], [x, x], [y, y], False)
            x, y = converted[function](x, x), function(y, y)
            kind = rng.randrange(5)
            if kind == 0:
                size = rng.choice([1, 2, 5, 2000])
                x.resize(size, refcheck=False), y.resize(size, refcheck=False)
            elif kind == 1:
                x, y = x[::-1], y[::-1]
            elif kind == 2:
                gc.collect()
            elif kind == 3 and x.flags.owndata:
                x[0], y[0] = 5, 5
            x, y = np.minimum(x, 100), np.minimum(y, 100)


def call_from_threads(rng, converted, count):
    """The same functions from several threads at once, on arguments of their own and shared."""
    shared = [plain(rng, (50,)).astype("f8") for _ in range(3)]

    def work(seed):
        own = random.Random(seed)
        for _ in range(count):
            function = own.choice([scaled, summed, looped, counted, product])
            if own.random() < 0.3:
                given = [own.choice(shared), own.choice(shared)]
                compare(function, converted[function], given, given, False)
            else:
                state = own.getstate()
                (given, is_strange), (others, _) = twins(state, arguments)
                compare(function, converted[function], given, others, is_strange)
                own.random()

    threads = [threading.Thread(target=work, args=(rng.randrange(10**6),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def telling(x, n):
    total = x
    for i in range(n):
        total = total * 0.5 + x
        if i % 2 == 0:
            print("round", i)
    return total


class _Calling:
    """A stream that calls the function that writes to it."""

    def __init__(self, function, rng):
        self.function, self.rng, self.depth, self.stream = function, rng, 0, sys.stdout

    def write(self, text):
        if self.depth < 2 and self.rng.random() < 0.3:
            self.depth += 1
            size = self.rng.choice([2, 3, 7])
            x, n = np.arange(float(size)), np.int64(self.rng.randrange(6))
            found, expected = self.function(x, n), silent(x, int(n))
            if not same(found, expected):
                self.stream.write(f"within itself: {found!r} for {expected!r}\n")
            self.depth -= 1
        if self.rng.random() < 0.02:
            raise OSError("closed")

    def flush(self):
        pass


def silent(x, n):
    total = x
    for _ in range(n):
        total = total * 0.5 + x
    return total


def call_within_itself(rng, converted, count):
    function = ag.convert(telling)
    stream = sys.stdout
    for _ in range(count):
        x, n = np.arange(float(rng.choice([2, 3, 7]))), np.int64(rng.randrange(8))
        sys.stdout = _Calling(function, rng)
        try:
            found, error = outcome(function, (x, n))
        finally:
            sys.stdout = stream
        if error is not None and not isinstance(error, OSError):
            tell(telling, described(x), f"raised {error!r}")
        elif error is None and not same(found, silent(x, int(n))):
            tell(telling, described(x), f"gave {found!r}")


def interrupted(rng, converted, count):
    """Signals that raise come at any time; what is called next is right."""

    class Stop(Exception):
        pass

    def stop(number, frame):
        raise Stop

    signal.signal(signal.SIGALRM, stop)
    function = converted[looped]
    big, small = np.zeros((300, 300)), np.array([1.0, 2.0])
    expected = looped(small, 0.5)
    function(big, 0.0), function(small, 0.5)
    for _ in range(count):
        try:
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-5, 2e-3))
            for _ in range(50):
                function(big, 0.0)
        except Stop:
            pass
        finally:
            while True:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    break
                except Stop:
                    continue
        if not same(function(small, 0.5), expected):
            tell(looped, described(small), "is another after a signal")


USES = {
    "anything": call_with_anything,
    "results": give_results_back,
    "threads": call_from_threads,
    "within": call_within_itself,
    "signals": interrupted,
}


def main(use, seed, count):
    """Make so many calls of a kind."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    converted = {function: ag.convert(function) for function in FUNCTIONS}
    USES[use](random.Random(int(seed)), converted, int(count))
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
