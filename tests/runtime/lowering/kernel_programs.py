"""Random small programs of array operations, and arrays of all layouts to run them on."""

from __future__ import annotations

import random
import warnings
from typing import Any, NamedTuple

import numpy as np

from autograph import Tensor
from runtime import ops
from runtime.ops.declaration.declare import REGISTRY

FLOATS = ("f4", "f8")
INTS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
# As often as programs have them.
DTYPES = [*FLOATS * 8, *("i4", "i8") * 4, *INTS, "?", "?", "f2", "c16"]
SIZES = [0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127]
LARGEST = 20_000

# By the kind of the first operand's dtype.
UNARY = {
    "f": """abs negative positive sign square sqrt exp exp2 expm1 log log1p log2 log10 cbrt sin cos
    tan asin acos atan sinh cosh tanh asinh acosh atanh floor ceil trunc rint isnan isinf isfinite
    signbit reciprocal logical_not deg2rad rad2deg nan_to_num relu sigmoid softplus erf""",
    "i": "abs negative positive sign square bitwise_invert logical_not isnan signbit sqrt exp",
    "u": "abs negative positive sign square bitwise_invert logical_not sqrt log1p",
    "b": "logical_not bitwise_invert abs isfinite exp",
    "c": "abs negative square conj",
}
BINARY = {
    "f": """add subtract multiply divide floor_divide remainder fmod maximum minimum fmax fmin
    copysign heaviside atan2 hypot pow equal not_equal less less_equal greater greater_equal
    logical_and logical_or logical_xor add subtract multiply divide""",
    "i": """add subtract multiply divide floor_divide remainder fmod maximum minimum fmax fmin
    bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift equal not_equal less
    less_equal greater greater_equal logical_and logical_or logical_xor hypot add multiply""",
    "b": """add multiply maximum minimum logical_and logical_or logical_xor bitwise_and bitwise_or
    bitwise_xor equal not_equal less""",
    "c": "add subtract multiply divide equal not_equal",
}
UNARY, BINARY = ({k: names.split() for k, names in t.items()} for t in (UNARY, BINARY))
UNARY["u"], BINARY["u"] = UNARY["u"], BINARY["i"]
REDUCTIONS = "sum prod max min mean var std any all count_nonzero".split()
_NAMES = {n for table in (UNARY, BINARY) for names in table.values() for n in names}


def _reduced(name):
    return lambda x, axis, keepdims: getattr(ops, name)(x, axis=axis, keepdims=keepdims)


def _at(function):
    """A function of positions that are any integers, made positions along the first axis."""

    def at_positions(x, positions, *rest):
        return function(x, *rest, ops.remainder(positions, ops.shape(x)[0]))

    return at_positions


FUNCTIONS = {
    **{name: getattr(ops, name, None) or REGISTRY[name] for name in _NAMES},
    **{name: _reduced(name) for name in (*REDUCTIONS, "argmax", "argmin")},
    "cumsum": lambda x, axis: ops.cumsum(x, axis=axis),
    "cumprod": lambda x, axis: ops.cumprod(x, axis=axis),
    "cast": lambda x, dtype: ops.astype(x, np.dtype(dtype)),
    "where": lambda x, y, condition: ops.where(ops.astype(condition, np.dtype(bool)), x, y),
    "clip": ops.clip,
    "permute_dims": ops.permute_dims,
    "reshape": ops.reshape,
    "expand_dims": lambda x, axis: ops.expand_dims(x, axis=axis),
    "squeeze": lambda x, axis: ops.squeeze(x, axis=axis),
    "flip": lambda x, axis: ops.flip(x, axis=axis),
    "roll": lambda x, shift, axis: ops.roll(x, shift, axis=axis),
    "broadcast_to": ops.broadcast_to,
    "concat": lambda *given: ops.concat(given[:-1], axis=given[-1]),
    "stack": lambda *given: ops.stack(given[:-1], axis=given[-1]),
    "pad": lambda x, width, mode: ops.pad(x, width, mode=mode),
    "tile": ops.tile,
    "repeat": lambda x, count, axis: ops.repeat(x, count, axis=axis),
    "diff": lambda x, axis: ops.diff(x, axis=axis),
    "tril": ops.tril,
    "triu": ops.triu,
    "matmul": ops.matmul,
    "tensordot": lambda x, y, axes: ops.tensordot(x, y, axes=axes),
    "vecdot": ops.vecdot,
    "outer": ops.outer,
    "getitem": ops.getitem,
    "update": lambda x, v, key: ops.index_update(x, v, key),
    "increase": lambda x, v, key: ops.index_add(x, v, key),
    "taken": _at(ops.getitem),
    "updated": _at(ops.index_update),
    "increased": _at(ops.index_add),
}


class Step(NamedTuple):
    """One operation: its name, the positions of its operands among all values, what is static."""

    name: str
    operands: tuple[int, ...]
    static: tuple[Any, ...]


class Program(NamedTuple):
    """Operations on inputs and Python numbers, in order; results are the values at `outputs`."""

    inputs: list[Any]
    numbers: list[Any]
    steps: list[Step]
    outputs: list[int]

    def __call__(self, *inputs):
        values = [*inputs, *self.numbers]
        for step in self.steps:
            values.append(FUNCTIONS[step.name](*(values[i] for i in step.operands), *step.static))
        return [values[i] for i in self.outputs]

    def __str__(self):
        values = [*self.inputs, *self.numbers]
        lines = [f"v{i} = {_described(value)}" for i, value in enumerate(values)]
        for i, step in enumerate(self.steps, len(values)):
            given = [*(f"v{k}" for k in step.operands), *map(repr, step.static)]
            lines.append(f"v{i} = {step.name}({', '.join(given)})")
        return "\n".join([*lines, f"return {', '.join(f'v{i}' for i in self.outputs)}"])


def _described(value):
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}"
    return repr(value)


# ---- inputs --------------------------------------------------------------------------------------


def numbers(rng, dtype, shape):
    """Numbers of a dtype: small ones, or any, with special values among them."""
    dtype = np.dtype(dtype)
    bits = np.random.default_rng(rng.randrange(2**32))
    if dtype.kind == "b":
        return bits.random(shape) < 0.5
    if dtype.kind == "c":
        parts = (numbers(rng, "f8", shape) for _ in range(2))
        return np.asarray(next(parts) + 1j * next(parts)).astype(dtype)
    kind = rng.random()
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if kind < 0.5:
            low = 0 if dtype.kind == "u" else -10
            return bits.integers(low, 10, shape).astype(dtype)
        edges = np.array([limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1], dtype)
        anything = bits.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        return np.where(bits.random(shape) < 0.3, bits.choice(edges, shape), anything)
    limits = np.finfo(dtype)
    made = bits.normal(size=shape) * (1 if kind < 0.6 else 30)
    if kind < 0.1:
        made = np.rint(made)
    elif kind > 0.9:
        made = made * np.exp2(bits.integers(-30, 30, shape))
    made = np.asarray(made).astype(dtype)
    if kind < 0.4 or kind > 0.7:
        return made
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, limits.max, -limits.max, limits.tiny]
    edges += [limits.smallest_subnormal, -limits.smallest_subnormal, -limits.tiny / 2, 0.5, 2.5]
    return np.where(bits.random(shape) < 0.3, bits.choice(np.array(edges, dtype), shape), made)


def random_shape(rng, most=LARGEST):
    """A shape of few axes, some of size 0 or 1."""
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5])
    if rank == 1 and rng.random() < 0.15:
        return (rng.choice([128, 1000, 1023, 8191, 8200, 16385]),)
    while True:
        shape = tuple(rng.choice(SIZES if rank < 4 else SIZES[1:9]) for _ in range(rank))
        if np.prod(shape, dtype=int) <= most and (0 not in shape or rng.random() < 0.3):
            return shape


def laid_out(rng, array):
    """The same numbers in memory of another layout."""
    if not isinstance(array, np.ndarray):
        return array
    kind = rng.choice("steps back columns odd fixed inner zero".split())
    if kind == "steps" and array.ndim:
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if kind == "back" and array.ndim:
        return np.flip(np.flip(array).copy())
    if kind == "columns":
        return np.asfortranarray(array)
    if kind == "odd":
        memory = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
        memory[...] = array
        return memory
    if kind == "inner" and array.ndim:
        wide = np.zeros([n + 3 for n in array.shape], array.dtype)
        part = wide[tuple(slice(1, n + 1) for n in array.shape)]
        part[...] = array
        return part
    if kind == "zero" and array.ndim and array.shape[0]:
        return np.broadcast_to(array[:1], array.shape)
    made = array.copy()
    made.flags.writeable = False
    return made


# ---- programs ------------------------------------------------------------------------------------


class _Writer:
    """Adds operations, each tried on the values that are there."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.values: list[Any] = []
        self.steps: list[Step] = []

    def shape(self, i):
        return np.shape(self.values[i])

    def dtype(self, i):
        return np.result_type(self.values[i].array if self.is_tensor(i) else self.values[i])

    def is_tensor(self, i):
        return isinstance(self.values[i], Tensor)

    def pick(self, fits=lambda i: True):
        """The position of a tensor, more often of a late one; None if none fits."""
        found = [i for i in range(len(self.values)) if self.is_tensor(i) and fits(i)]
        if not found:
            return None
        return self.rng.choice(found[-4:] if self.rng.random() < 0.6 else found)

    def partner(self, i):
        """A value that broadcasts with that at `i`: a number, or an array."""
        if self.rng.random() < 0.15:
            count = len(self.values)
            return self.rng.choice([k for k in range(count) if not self.shape(k)] or [i])

        def fits(k):
            try:
                whole = np.broadcast_shapes(self.shape(i), self.shape(k))
            except ValueError:
                return False
            return np.prod(whole, dtype=int) <= LARGEST

        return self.pick(fits)

    def add(self, name, operands, *static):
        """One more step, if it can be computed."""
        if None in operands:
            return
        step = Step(name, tuple(operands), static)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = FUNCTIONS[name](*(self.values[i] for i in operands), *static)
        except (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError):
            return
        if isinstance(result, Tensor) and result.array.size <= LARGEST:
            self.values.append(result)
            self.steps.append(step)

    def kind(self, i):
        return self.dtype(i).kind

    def axis(self, i, several=False):
        rank = len(self.shape(i))
        if not rank or (several and self.rng.random() < 0.3):
            return None
        if several and self.rng.random() < 0.3:
            return tuple(self.rng.sample(range(rank), self.rng.randrange(1, rank + 1)))
        return self.rng.randrange(-rank, rank)

    def unary(self):
        i = self.pick()
        self.add(self.rng.choice(UNARY[self.kind(i)]), [i])

    def binary(self):
        i = self.pick()
        operands = [i, self.partner(i)]
        self.rng.shuffle(operands)
        if operands[0] is not None:
            self.add(self.rng.choice(BINARY[self.kind(operands[0])]), operands)

    def cast(self):
        self.add("cast", [self.pick()], self.rng.choice(DTYPES[:-2]))

    def where(self):
        i = self.pick()
        j = self.partner(i)
        condition = self.pick(lambda k: self.kind(k) == "b" and self.shape(k) == self.shape(i))
        self.add("where", [i, j, self.partner(i) if condition is None else condition])

    def clip(self):
        i = self.pick()
        self.add("clip", [i, self.partner(i), self.partner(i)])

    def reduction(self):
        i, keeps = self.pick(), self.rng.random() < 0.3
        if self.rng.random() < 0.15:
            name = self.rng.choice(["argmax", "argmin"])
            self.add(name, [i], self.axis(i) if self.rng.random() < 0.8 else None, keeps)
        else:
            self.add(self.rng.choice(REDUCTIONS), [i], self.axis(i, True), keeps)

    def normalised(self):
        """What rows are divided by, or what is taken from them: a reduction and its use."""
        i = self.pick(lambda k: self.kind(k) == "f" and self.shape(k))
        if i is not None:
            before = len(self.values)
            self.add(self.rng.choice(["sum", "max", "mean", "var"]), [i], self.axis(i), True)
            if len(self.values) > before:
                self.add(self.rng.choice(["divide", "subtract"]), [i, before])

    def scan(self):
        i = self.pick(self.shape)
        if i is not None:
            name = self.rng.choice(["cumsum", "cumsum", "cumprod", "diff"])
            self.add(name, [i], self.axis(i) if self.rng.random() < 0.9 or name == "diff" else None)

    def layout(self):
        i = self.pick()
        shape, rng = self.shape(i), self.rng
        match rng.randrange(8):
            case 0 | 1:
                self.add("permute_dims", [i], tuple(rng.sample(range(len(shape)), len(shape))))
            case 2:
                self.add("reshape", [i], self._other_shape(shape))
            case 3:
                self.add("expand_dims", [i], rng.randrange(len(shape) + 1))
            case 4:
                ones = [k for k, n in enumerate(shape) if n == 1]
                self.add("squeeze", [i], rng.choice(ones) if ones else None)
            case 5:
                self.add("flip", [i], self.axis(i, True))
            case 6:
                self.add("roll", [i], rng.randrange(-9, 10), self.axis(i))
            case 7:
                wide = [rng.choice(SIZES[1:9]) if n == 1 else n for n in shape]
                self.add("broadcast_to", [i], (*[rng.choice([1, 2, 3])] * rng.randrange(2), *wide))

    def _other_shape(self, shape):
        sizes = [d for n in shape for d in _factors(self.rng, n)] or [1]
        while len(sizes) > 1 and self.rng.random() < 0.6:
            k = self.rng.randrange(len(sizes) - 1)
            sizes[k : k + 2] = [sizes[k] * sizes[k + 1]]
        if 0 not in sizes and self.rng.random() < 0.3:
            sizes[self.rng.randrange(len(sizes))] = -1
        return tuple(sizes)

    def joined(self):
        i = self.pick()
        shape, axis = self.shape(i), self.axis(i)
        if axis is None or self.rng.random() < 0.3:
            same = [self.pick(lambda k: self.shape(k) == shape) for _ in range(2)]
            self.add(
                "stack", [i, *same][: self.rng.randrange(2, 4)], self.rng.randrange(len(shape) + 1)
            )
            return

        def fits(k):
            other = self.shape(k)
            at = axis % len(shape)
            return len(other) == len(shape) and all(
                a == b for d, (a, b) in enumerate(zip(shape, other, strict=True)) if d != at
            )

        parts = [i, *(self.pick(fits) for _ in range(self.rng.randrange(1, 4)))]
        self.rng.shuffle(parts)
        self.add("concat", parts, axis)

    def widened(self):
        i, rng = self.pick(), self.rng
        rank = len(self.shape(i))
        match rng.randrange(5):
            case 0 | 1:
                width = tuple((rng.randrange(4), rng.randrange(4)) for _ in range(rank))
                mode = rng.choice(["constant", "constant", "edge", "reflect", "wrap", "symmetric"])
                self.add("pad", [i], width, mode)
            case 2:
                self.add("tile", [i], tuple(rng.randrange(1, 4) for _ in range(rank)))
            case 3:
                self.add("repeat", [i], rng.randrange(4), self.axis(i))
            case 4:
                self.add(rng.choice(["tril", "triu"]), [i], rng.randrange(-3, 4))

    def moved(self):
        """What is computed, moved to other places, and read there."""
        rng, i = self.rng, self.pick(self.shape)
        if i is None:
            return
        if rng.random() < 0.6:
            i = self.then(i, rng.choice(UNARY[self.kind(i)]))
        for _ in range(rng.randrange(1, 3)):
            i = self.moved_once(i)
        for _ in range(rng.randrange(1, 4)):
            i = self.read_once(i)

    def then(self, i, name, *static, beside=()):
        """The position of what an operation makes of a value; of the value where it cannot."""
        before = len(self.values)
        self.add(name, [i, *beside], *static)
        return before if len(self.values) > before else i

    def moved_once(self, i):
        rng, shape = self.rng, self.shape(i)
        rank = len(shape)
        match rng.randrange(5):
            case 0 | 1:
                order = rng.choice([range(rank)[::-1], rng.sample(range(rank), rank)])
                return self.then(i, "permute_dims", tuple(order))
            case 2:
                width = tuple((rng.randrange(3), rng.randrange(3)) for _ in range(rank))
                return self.then(i, "pad", width, "constant")
            case 3:
                fits = self.pick(lambda k: self.shape(k) == shape)
                return self.then(i, "concat", rng.randrange(-rank, rank), beside=[fits])
            case _:
                fits = self.pick(lambda k: self.shape(k) == shape)
                return self.then(i, "stack", rng.randrange(rank + 1), beside=[fits])

    def read_once(self, i):
        rng, shape = self.rng, self.shape(i)
        match rng.randrange(6):
            case 0:
                return self.then(i, rng.choice(UNARY[self.kind(i)]))
            case 1:
                return self.then(i, rng.choice(BINARY[self.kind(i)]), beside=[self.partner(i)])
            case 2:
                key = tuple(
                    slice(rng.choice([None, 0, 1, 2]), rng.choice([None, -1])) for _ in shape
                )
                return self.then(i, "getitem", key)
            case 3:  # neighbours
                ends = [(slice(1, None), slice(None, -1)) for _ in shape]
                one, other = ([end[k] for end in ends] for k in (0, 1))
                axis = rng.randrange(max(len(shape), 1))
                parts = [
                    self.then(i, "getitem", tuple(k[: axis + 1])) for k in (one, other) if shape
                ]
                return self.then(parts[0], "add", beside=parts[1:]) if parts else i
            case 4:
                name = rng.choice(REDUCTIONS)
                return self.then(i, name, self.axis(i, True), rng.random() < 0.3)
            case _:
                rows = self.pick(lambda k: shape and self.shape(k) == shape[-1:])
                return self.then(i, "matmul", beside=[rows])

    def product(self):
        i = self.pick(self.shape)
        if i is None:
            return
        inner = self.shape(i)[-1]
        fits = {
            "matmul": lambda k: (
                self.shape(k) and self.shape(k)[max(-2, -len(self.shape(k)))] == inner
            ),
            "vecdot": lambda k: self.shape(k) == self.shape(i),
            "outer": lambda k: np.prod(self.shape(k), dtype=int) < 150,
            "tensordot": lambda k: self.shape(k)[:1] == (inner,),
        }
        name = self.rng.choice(["matmul", "matmul", "matmul", *fits])
        static = (1,) if name == "tensordot" else ()
        self.add(name, [i, self.pick(fits[name])], *static)

    def key(self, shape):
        """A basic index."""
        rng, key = self.rng, []
        for n in shape[: rng.randrange(len(shape) + 1)]:
            if rng.random() < 0.25 and n:
                key.append(rng.randrange(-n, n))
            else:
                ends = [rng.choice([None, rng.randrange(-n - 2, n + 3)]) for _ in range(2)]
                key.append(slice(*ends, rng.choice([None, 1, 2, 3, -1, -2])))
            if rng.random() < 0.1:
                key.append(None)
        if rng.random() < 0.2:
            key.insert(0, Ellipsis)
        return tuple(key)

    def part(self):
        i = self.pick()
        self.add("getitem", [i], self.key(self.shape(i)))

    def written(self):
        i = self.pick()
        key = tuple(k for k in self.key(self.shape(i)) if k is not None)
        try:
            place = np.empty(self.shape(i))[key].shape
        except IndexError:
            return

        def fits(k):
            is_complex = [self.kind(n) == "c" for n in (i, k)]
            return _fits(self.shape(k), place) and is_complex != [False, True]

        self.add(self.rng.choice(["update", "increase"]), [i, self.pick(fits)], key)

    def at_positions(self):
        i = self.pick(lambda k: self.shape(k) and self.shape(k)[0])
        at = self.pick(lambda k: self.kind(k) in "iu" and np.prod(self.shape(k), dtype=int) < 300)
        if i is None or at is None:
            return
        name = self.rng.choice(["taken", "taken", "updated", "increased"])
        if name == "taken":
            self.add(name, [i, at])
            return
        place = (*self.shape(at), *self.shape(i)[1:])
        self.add(name, [i, at, self.pick(lambda k: _fits(self.shape(k), place))])

    def step(self):
        kinds = [self.unary] * 8 + [self.binary] * 14 + [self.reduction] * 4 + [self.layout] * 4
        kinds += [self.part] * 2 + [self.written, self.at_positions, self.joined] * 2
        kinds += [self.cast, self.where, self.clip, self.normalised, self.scan, self.scan]
        kinds += [self.widened, self.product, self.product, *[self.moved] * 3]
        self.rng.choice(kinds)()


def _fits(shape, place):
    try:
        return np.broadcast_shapes(shape, place) == place
    except ValueError:
        return False


def _factors(rng, n):
    choices = [d for d in range(2, n) if n % d == 0]
    if not choices or rng.random() < 0.5:
        return [n]
    d = rng.choice(choices)
    return [d, n // d]


def _inputs(rng):
    shape = random_shape(rng)
    made = []
    for _ in range(rng.randrange(1, 4)):
        if rng.random() < 0.3:
            shape = random_shape(rng)
        elif rng.random() < 0.2:
            shape = tuple(1 if rng.random() < 0.5 else n for n in shape)[rng.randrange(2) :]
        array = np.asarray(numbers(rng, rng.choice(DTYPES), shape))
        made.append(array if shape else array[()])
    if rng.random() < 0.5:
        made.append(numbers(rng, rng.choice(("i8", "i4", "u2")), (rng.choice([1, 3, 20]),)))
    return made


def random_program(seed):
    """A program, the same for the same seed."""
    writer = _Writer(seed)
    rng = writer.rng
    inputs = _inputs(rng)
    constants = [rng.choice([2, -1, 3, 0]), rng.choice([0.5, -1.0, 2.0, 1e-3])]
    writer.values = [*map(Tensor, inputs), *constants]
    wanted = rng.randrange(2, 11)
    for _ in range(40):
        writer.step()
        if len(writer.steps) >= wanted:
            break
    first = len(inputs) + len(constants)
    used = {i for step in writer.steps for i in step.operands}
    outputs = [i for i in range(first, len(writer.values)) if i not in used or rng.random() < 0.1]
    return Program(inputs, constants, writer.steps, outputs)
