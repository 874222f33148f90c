"""Programs of kernels as functions of C that need no library but C's own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count
from typing import Any, NamedTuple

from runtime.errors import UnsavableError
from runtime.export.c.expressions import Expressions, c_type, literal
from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Attempt,
    Block,
    Buffer,
    CallOut,
    Cell,
    Check,
    Contract,
    Copy,
    Draw,
    Escape,
    For,
    If,
    Let,
    MakeArray,
    Move,
    PairwiseSum,
    Poll,
    Program,
    Reserve,
    Statement,
    Store,
    Swap,
    Tick,
    While,
    product,
    walk,
)
from runtime.lowering.kernels.scalar import is_float

__all__ = ["RESERVED", "Argument", "Function", "array_text", "function_of"]

# Functions of the headers that files include, each for three types of floats.
_MATHEMATICS = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp2 expm1
    fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn ldexp
    lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter
    nexttoward pow remainder remquo rint round scalb scalbln scalbn significand sin sinh sqrt tan
    tanh tgamma trunc y0 y1 yn
"""
_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while bool true false alignas alignof asm constexpr nullptr static_assert
    thread_local typeof typeof_unqual linux unix i386 NULL EOF NAN INFINITY
"""
_LIBRARY = """
    abort abs atexit atof atoi atol atoll bcmp bcopy bsearch bzero calloc clearenv div exit fclose
    ferror fflush ffs fopen fprintf fread free fwrite getc getchar getenv getline getw index labs
    ldiv llabs lldiv malloc memchr memcmp memcpy memmove memset mktemp perror printf putc puts
    putw qsort rand random realloc remove rename rewind rindex scanf select setenv setstate
    signgam sprintf srand srandom stderr stdin stdout strcat strchr strcmp strcpy strdup strlen
    strstr strtok strtol strtoll system tmpfile ungetc valloc
"""
_OUR_OWN = "main argc argv taken size_of status results leave room_for reserve checked_t"
# What no name may be: C's own words and functions, and names that each file has.
RESERVED = {
    *_WORDS.split(),
    *_LIBRARY.split(),
    *_OUR_OWN.split(),
    *(f"{name}{of}" for name in _MATHEMATICS.split() for of in ("", "f", "l")),
}


_NO_MEMORY = "{ status = -1; goto leave; }"


class Argument(NamedTuple):
    """An input: its C type and name, and which axes of an array are open.

    `shape` is None for a number. `content` is what it is where the file itself has it;
    `is_written` says that calls change it.
    """

    type: str
    name: str
    shape: tuple[int | None, ...] | None
    content: Any = None
    is_written: bool = False


class Function(NamedTuple):
    """A function of C: its text, what it needs, and its results as (type, shape or None).

    `checks` and `demands` say what the statuses from 1 up and from -2 down mean.
    """

    text: str
    helpers: set[str]
    constants: list[str]
    results: list[tuple[str, int | None]]
    checks: list[str]
    demands: list[str]


def function_of(
    program: Program, name: str, arguments: Sequence[Argument], results: Sequence[str],
    contents: Sequence[tuple[int, int]],
) -> Function:  # fmt: skip
    """The function that a program is.

    `results` are the names of fields of what it gives, for the first outputs of the program;
    `contents` say which other outputs become the contents of which arguments.
    """
    return _Writer(program, name, arguments, results, contents).function()


class _Writer(Expressions):
    def __init__(
        self, program: Program, name: str, arguments: Sequence[Argument], results: Sequence[str],
        contents: Sequence[tuple[int, int]],
    ) -> None:  # fmt: skip
        super().__init__()
        self.program = program
        self.title = name
        self.arguments, self.results, self.contents = arguments, results, contents
        self.lines: list[str] = []
        self.depth = 1
        self.taken = set(RESERVED)
        self.tails: dict[str, Iterator[int]] = {}
        self.constants: dict[str, str] = {}
        self.rooms: dict[Buffer, str] = {}
        self.ends: dict[str, str] = {}
        self.own: list[str] = []
        self.demands: list[str] = []
        for argument in arguments:
            self.taken.add(argument.name)

    # ---- lines and names ---------------------------------------------------------------------

    def add(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def block(self, head: str = "") -> Iterator[None]:
        """Lines within braces."""
        self.add(f"{head} {{".strip())
        self.depth += 1
        yield
        self.depth -= 1
        self.add("}")

    def name(self, stem: str) -> str:
        word = re.sub(r"\W", "_", stem, flags=re.ASCII).strip("_") or "v"
        word = f"v{word}" if word[0].isdigit() else word
        tails = chain([word], (f"{word}_{k}" for k in self.tails.setdefault(word, count(1))))
        found = next(n for n in tails if n not in self.taken)
        self.taken.add(found)
        return found

    def pointer(self, buffer: Any) -> str:
        buffer = self.program.shared.get(buffer, buffer)
        if buffer.role == "constant" and buffer not in self.names:
            self.names[buffer] = self._constant(buffer)
        return self.names[buffer]

    def _constant(self, buffer: Buffer) -> str:
        name = self.name(f"{self.title}_constant")
        self.constants[name] = array_text(name, buffer.type, buffer.value)
        return name

    # ---- the function ------------------------------------------------------------------------

    def function(self) -> Function:
        """All of it."""
        program = self.program
        head = self._head()
        for cell in dict.fromkeys(self._cells()):
            self.names[cell] = self.name(cell.name)
            self.add(f"{c_type(cell.type)} {self.names[cell]} = 0;")
        self._memory()
        self._block(program.body)
        self._results()
        self._end()
        body, self.lines = used(self.lines), []
        self._begin()
        text = "\n".join([head, *self.lines, *body, "}"]) + "\n"
        constants = [made for name, made in self.constants.items() if name in text]
        checks = [_description(site) for site in program.sites]
        return Function(text, self.helpers, constants, self._fields(), checks, self.demands)

    def _head(self) -> str:
        """The head of the function: numbers, and pointers to arrays with their open sizes."""
        given = []
        sizes = {(number, axis): register for register, number, axis in self.program.sizes}
        for number, (p, a) in enumerate(zip(self.program.parameters, self.arguments, strict=True)):
            place: Any = p.buffer if p.register is None else p.register
            is_own = a.content is not None
            self.names[place] = a.name
            if is_own and p.register is not None:
                self.names[place] = f"{a.name}[0]"
            if not is_own:
                const = "" if a.is_written else "const "
                given.append(f"{const}{a.type} *{a.name}" if a.shape is not None
                             else f"{a.type} {a.name}")  # fmt: skip
            for axis, _ in enumerate(a.shape or ()):
                register = sizes.get((number, axis))
                if register is not None:
                    self.names[register] = self.name(f"{a.name}_size{axis}")
                    self.indices.add(register)
                    given.append(f"int64_t {self.names[register]}")
        return f"int {self.title}({', '.join([*given, f'{self.title}_results *results'])}) {{"

    def _cells(self) -> Iterator[Cell]:
        for s in walk(self.program.body):
            if isinstance(s, Assign | PairwiseSum):
                yield s.cell

    def _memory(self) -> None:
        """Memory of the call is had at its start, and freed at its end."""
        statements = list(walk(self.program.body))
        for buffer in dict.fromkeys(s.buffer for s in statements if isinstance(s, Reserve)):
            name = self.names[buffer] = self.name(buffer.name)
            self.rooms[buffer] = self.name(f"{name}_room")
            self.own.append(name)
        allocated = [s.buffer for s in statements if isinstance(s, Allocate)]
        for buffer in dict.fromkeys(b for b in allocated if b.role == "own"):
            self._obtained(buffer, self.name(buffer.name))
            self.own.append(self.names[buffer])
        for k, result in enumerate(self.program.results):
            if result.buffer is not None and result.buffer not in self.names:
                self._obtained(result.buffer, self.name(self._result_name(k)))
                self.own.append(self.names[result.buffer])

    def _obtained(self, buffer: Buffer, name: str) -> None:
        self.names[buffer] = name
        room = buffer.shape if buffer.room is None else [buffer.room]
        size = self.value(product(room))
        self.add(f"if (!({name} = room_for({size}, sizeof *{name}))) {_NO_MEMORY}")

    def _begin(self) -> None:
        """Declarations of what is freed at the end."""
        self.add("int status = 0;")
        kinds = {self.names[b]: b.type for b in self.names if isinstance(b, Buffer)}
        for name in self.own:
            self.add(f"{c_type(kinds[name])} *{name} = NULL;")
        for room in self.rooms.values():
            self.add(f"int64_t {room} = 0;")
        self.add("memset(results, 0, sizeof *results);")
        for one, other in self.program.equal:
            self._demand(self.value(one), "==", self.value(other))
        for one, least in self.program.least:
            self._demand(self.value(one), ">=", str(least))

    def _demand(self, one: str, sign: str, other: str) -> None:
        """Take no sizes but those of which this holds: the status tells it."""
        if one != other:
            self.demands.append(f"the program takes sizes with {one} {sign} {other}")
            self.add(f"if (!({one} {sign} {other})) return -{1 + len(self.demands)};")

    def _result_name(self, k: int) -> str:
        return self.results[k] if k < len(self.results) else f"content_{k}"

    def _results(self) -> None:
        """Hand over what was computed; contents of arguments are written last."""
        copied = {output: position for position, output in self.contents}
        for k, result in enumerate(self.program.results):
            if k in copied:
                self._written(k, self.arguments[copied[k]])
            elif k >= len(self.results):
                continue
            elif result.value is not None:
                self.add(f"results->{self.results[k]} = {self.value(result.value)};")
            elif result.buffer is not None:
                field, name = self.results[k], self.names[result.buffer]
                for axis, n in enumerate(result.buffer.shape):
                    self.add(f"results->{field}_shape[{axis}] = {self.value(n)};")
                self.add(f"results->{field} = {name};")
                self.add(f"{name} = NULL;")

    def _written(self, k: int, argument: Argument) -> None:
        result = self.program.results[k]
        if result.value is not None:
            self.add(f"{argument.name}[0] = {self.value(result.value)};")
            return
        assert result.buffer is not None
        name = self.names[result.buffer]
        size = self.value(product(result.buffer.shape))
        self._bytes("memcpy", argument.name, name, size)

    def _end(self) -> None:
        self.depth -= 1
        self.add("leave:")
        self.depth += 1
        for name in self.own:
            self.add(f"free({name});")
        self.add(f"if (status) {self.title}_free(results);")
        self.add("return status;")

    def _fields(self) -> list[tuple[str, int | None]]:
        found = []
        for result in self.program.results[: len(self.results)]:
            type_ = c_type(f"{result.type.dtype.kind}{result.type.dtype.itemsize}")
            is_number = result.value is not None
            found.append((type_, None if is_number else len(result.type.shape or ())))
        return found

    # ---- statements --------------------------------------------------------------------------

    def _block(self, block: Block) -> None:
        for statement in block:
            _WRITTEN[type(statement)](self, statement)

    def _let(self, s: Let) -> None:
        value = self.value(s.value)
        name = self.names[s.register] = self.name(s.register.name)
        if self._is_index(s.value):
            self.indices.add(s.register)
        kind = "checked_t" if s.register.type == "pair" else c_type(s.register.type)
        self.add(f"const {kind} {name} = {value};")

    def _assign(self, s: Assign) -> None:
        self.add(f"{self.names[s.cell]} = {self.value(s.value)};")

    def _nothing(self, s: Statement) -> None:
        """Memory is there already; nobody looks on."""

    def _store(self, s: Store) -> None:
        offset, value = self.values([s.offset, s.value])
        self.add(f"{self.pointer(s.buffer)}[{offset}] = {value};")

    def _reserve(self, s: Reserve) -> None:
        self.helpers.add("reserve")
        name, room = self.pointer(s.buffer), self.rooms[s.buffer]
        size = self.value(s.size)
        grown = f"reserve((void **)&{name}, &{room}, {size}, sizeof *{name})"
        self.add(f"if ({size} > {room} && !{grown}) {_NO_MEMORY}")

    def _copy(self, s: Copy) -> None:
        size = self.value(product(s.source.shape))
        target = self.pointer(s.target)
        self._bytes("memcpy", target, self.pointer(s.source), size)

    def _move(self, s: Move) -> None:
        to, begin, size = self.values([s.to, s.begin, s.size])
        target, source = self.pointer(s.target), self.pointer(s.source)
        self._bytes("memmove", f"{target} + {to}", f"{source} + {begin}", size, target)

    def _bytes(self, how: str, to: str, of: str, size: str, each: str | None = None) -> None:
        """Copy elements; there may be no memory for none."""
        given = "" if size.isdigit() else f"if ({size} > 0) "
        self.add(f"{given}{how}({to}, {of}, sizeof *{each or to} * {size});")

    def _swap(self, s: Swap) -> None:
        one, other, kind = self.pointer(s.one), self.pointer(s.other), c_type(s.one.type)
        kept = self.name("kept")
        with self.block():
            self.add(f"{kind} *{kept} = {one};")
            self.add(f"{one} = {other};")
            self.add(f"{other} = {kept};")

    def _for(self, s: For) -> None:
        size = self.value(s.size)
        index = self.names[s.index] = self.name(s.index.name)
        self.indices.add(s.index)
        with self.block(f"for (int64_t {index} = 0; {index} < {size}; ++{index})"):
            self._block(s.body)

    def _pairwise(self, s: PairwiseSum) -> None:
        if s.how == "sum":
            self._sum(s)
        else:
            self._extreme(s)

    def _extreme(self, s: PairwiseSum) -> None:
        size, cell = self.value(s.size), self.names[s.cell]
        index = self.names[s.index] = self.name(s.index.name)
        self.indices.add(s.index)
        with self.block(f"for (int64_t {index} = 0; {index} < {size}; ++{index})"):
            self._block(s.body)
            found = self.name("element")
            self.add(f"const {c_type(s.cell.type)} {found} = {self.value(s.element)};")
            sign = {"ge": ">=", "le": "<="}[s.how]
            keeps = f"{cell} {sign} {found}"
            keeps += f" || {cell} != {cell}" if is_float(s.cell.type) else ""  # nan stays
            self.add(f"if ({index} == 0 || !({keeps})) {cell} = {found};")

    def _sum(self, s: PairwiseSum) -> None:
        """Halves of halves of at most 128 elements, of which eight sums are made: as NumPy adds."""
        kind, cell, size = c_type(s.cell.type), self.names[s.cell], self.value(s.size)
        names = ("at", "left", "starts", "counts", "sums", "known", "depth", "lanes", "total")
        at, left, starts, counts, sums, known, depth, lanes, total = map(self.name, names)
        index = self.names[s.index] = self.name(s.index.name)
        self.indices.add(s.index)
        half, k, eights = self.name("half"), self.name("k"), self.name("eights")
        with self.block():
            self.add(f"int64_t {at} = 0, {left} = {size}, {starts}[64], {counts}[64];")
            self.add(f"{kind} {sums}[64], {lanes}[8], {total};")
            self.add(f"bool {known}[64];")
            self.add(f"int {depth} = 0;")
            with self.block("for (;;)"):
                with self.block(f"for (; {left} > 128; {depth}++)"):
                    self.add(f"const int64_t {half} = {left} / 2 / 8 * 8;")
                    self.add(f"{starts}[{depth}] = {at} + {half};")
                    self.add(f"{counts}[{depth}] = {left} - {half};")
                    self.add(f"{known}[{depth}] = false;")
                    self.add(f"{left} = {half};")
                self.add(f"const int64_t {eights} = {left} / 8 * 8;")
                self.add(f"{total} = {literal(-0.0, s.cell.type)};")
                with self.block(f"for (int64_t {k} = 0; {k} < {left}; ++{k})"):
                    self.add(f"const int64_t {index} = {at} + {k};")
                    self._block(s.body)
                    found = self.name("element")
                    self.add(f"const {kind} {found} = {self.value(s.element)};")
                    with self.block(f"if ({k} >= {eights})"):
                        self.add(f"{total} = {total} + {found};")
                        self.add("continue;")
                    self.add(f"{lanes}[{k} % 8] = {k} < 8 ? {found} : {lanes}[{k} % 8] + {found};")
                    pairs = [f"({lanes}[{n}] + {lanes}[{n + 1}])" for n in (0, 2, 4, 6)]
                    fold = f"({pairs[0]} + {pairs[1]}) + ({pairs[2]} + {pairs[3]})"
                    self.add(f"if ({k} + 1 == {eights}) {total} = {fold};")
                with self.block(f"for (; {depth} && {known}[{depth} - 1]; {depth}--)"):
                    self.add(f"{total} = {sums}[{depth} - 1] + {total};")
                self.add(f"if (!{depth}) break;")
                self.add(f"{sums}[{depth} - 1] = {total};")
                self.add(f"{known}[{depth} - 1] = true;")
                self.add(f"{at} = {starts}[{depth} - 1];")
                self.add(f"{left} = {counts}[{depth} - 1];")
            self.add(f"{cell} = {literal(0.0, s.cell.type)} + {total};")

    def _contract(self, s: Contract) -> None:
        """A product of matrices, and all that is one: rows of the result grow by rows of `y`."""
        around = [*s.outer, s.row]
        x, y, target = map(self.pointer, (s.x, s.y, s.target))
        first = list(self.values(s.starts))
        with self._axes(around, first) as (at_x, at_y, at):
            columns, column = self.value(s.column.size), self.name("column")
            along, step, out = self.values([s.column.x, s.column.y, s.column.out])
            each = f"for (int64_t {column} = 0; {column} < {columns}; ++{column})"
            place = f"{target}[{_stepped(at, column, out)}]"
            self.add(f"{each} {place} = 0;")
            with self._axes(s.inner, [at_x, at_y, "0"]) as (in_x, in_y, _):
                one = f"{x}[{_stepped(in_x, column, along)}]"
                other = f"{y}[{_stepped(in_y, column, step)}]"
                self.add(f"{each} {place} += {self._product(s, one, other)};")

    def _product(self, s: Contract, one: str, other: str) -> str:
        """One product, in the type of the result; integers wrap."""
        kind = c_type(s.target.type)
        if kind in ("float", "double"):
            cast = "" if s.x.type == s.y.type == s.target.type else f"({kind})"
            return f"{cast}{one} * {cast}{other}"
        return f"({kind})((uint64_t){one} * (uint64_t){other})"

    @contextmanager
    def _axes(self, axes: Sequence[Any], first: list[str]) -> Iterator[list[str]]:
        """Loops over axes, and the places in both operands and the result."""
        places = list(first)
        for axis in axes:
            size, *steps = self.values([axis.size, axis.x, axis.y, axis.out])
            index = self.name("i")
            self.add(f"for (int64_t {index} = 0; {index} < {size}; ++{index}) {{")
            self.depth += 1
            places = [_stepped(at, index, step) for at, step in zip(places, steps, strict=True)]
        yield places
        for _ in axes:
            self.depth -= 1
            self.add("}")

    def _if(self, s: If) -> None:
        with self.block(f"if ({self.value(s.condition)})"):
            self._block(s.yes)
        if s.no:
            with self.block("else"):
                self._block(s.no)

    def _while(self, s: While) -> None:
        with self.block("for (;;)"):
            self._block(s.test)
            self.add(f"if (!{self.value(s.condition)}) break;")
            self._block(s.body)

    def _attempt(self, s: Attempt) -> None:
        self.ends[s.name] = self.name("after")
        with self.block():
            self._block(s.body)
        self.add(f"{self.ends[s.name]}:;")

    def _escape(self, s: Escape) -> None:
        self.add(f"goto {self.ends[s.name]};")

    def _check(self, s: Check) -> None:
        self.add(f"if ({self.value(s.failed)}) {{ status = {s.site}; goto leave; }}")

    def _make_array(self, s: MakeArray) -> None:
        """A result of which only the run tells the size."""
        field = self.results[s.result]
        for axis, n in enumerate(s.shape):
            self.add(f"results->{field}_shape[{axis}] = {self.value(n)};")
        size = self.value(product(s.shape))
        begin = self.value(s.begin)
        kind = c_type(s.buffer.type)
        self.add(f"results->{field} = room_for({size}, sizeof({kind}));")
        self.add(f"if (!results->{field}) {_NO_MEMORY}")
        self.add(f"if ({size} > 0) memcpy(results->{field}, {self.pointer(s.buffer)} + {begin}, "
                 f"sizeof({kind}) * {size});")  # fmt: skip

    def _call_out(self, s: CallOut) -> None:
        # Where there are calls of Python, errors are calls, too.
        named = (x for x in self.program.outside if not x.fails)
        outside = next(named, self.program.outside[s.number])
        what = f"`{outside.node.op.name}`, which has no native form"
        raise UnsavableError(
            f"this cannot be exported to C: {what}",
            "compute it outside of the exported function",
            outside.origins[-1] if outside.origins else outside.node.origin,
        )


def _stepped(at: str, index: str, step: str) -> str:
    """A place that so many steps of an index lead to from another."""
    if step == "0":
        return at
    far = index if step == "1" else f"{index} * {step}"
    return far if at == "0" else f"{at} + {far}"


_SET = re.compile(r"\s*(?:(?:const )?\w+ )?(\w+) = .*;")
_LABEL = re.compile(r"\s*(\w+):;?")
_WORD = re.compile(r"[A-Za-z_]\w*")


def used(lines: Sequence[str]) -> list[str]:
    """Lines without labels and names that no other line has: compilers warn of those."""
    names = [_SET.fullmatch(line) or _LABEL.fullmatch(line) for line in lines]
    own = [None if found is None else found[1] for found in names]
    words = [set(_WORD.findall(line)) for line in lines]
    counts = Counter(w for name, found in zip(own, words, strict=True) for w in found - {name})
    at: dict[str | None, list[int]] = {}
    for k, name in enumerate(own):
        at.setdefault(name, []).append(k)
    todo = [name for name in at if name is not None and not counts[name]]
    gone: set[int] = set()
    while todo:
        name = todo.pop()
        gone.update(at[name])
        for k in at[name]:
            for word in words[k] - {name}:
                counts[word] -= 1
                if not counts[word] and word in at:
                    todo.append(word)
    return [line for k, line in enumerate(lines) if k not in gone]


def array_text(name: str, type_: str, value: Any, is_state: bool = False) -> str:
    """The definition of an array of numbers."""
    items = [literal(x, type_) for x in value.ravel().tolist()] or ["0"]
    rows = [", ".join(items[k : k + 8]) for k in range(0, len(items), 8)]
    body = ",\n    ".join(rows)
    const = "" if is_state else "const "
    return f"static {const}{c_type(type_)} {name}[] = {{\n    {body}\n}};\n"


def _description(site: Any) -> str:
    """Where and what, of a place that can fail."""
    origin = site.origins[-1] if site.origins else site.node.origin
    template = site.node.attrs.get("template")
    if template is not None:
        texts = ", ".join(str(arg) for arg in template.args)
        what = f"{template.kind.__name__}: {texts}"
    else:
        what = str(site.node.attrs.get("what") or f"`{site.node.op.name}` failed")
        what = f"{site.kind.__name__}: {what}" if site.kind else what
    if origin is None:
        return what
    place = origin.filename.rpartition("/")[2].strip("<>").rpartition(": ")[2]
    return f"{place}:{origin.lineno}: {what}"


_WRITTEN: dict[type[Statement], Callable[[_Writer, Any], None]] = {
    Let: _Writer._let,
    Assign: _Writer._assign,
    Allocate: _Writer._nothing,
    Poll: _Writer._nothing,
    Tick: _Writer._nothing,
    Store: _Writer._store,
    Reserve: _Writer._reserve,
    Copy: _Writer._copy,
    Move: _Writer._move,
    Swap: _Writer._swap,
    For: _Writer._for,
    PairwiseSum: _Writer._pairwise,
    Contract: _Writer._contract,
    If: _Writer._if,
    While: _Writer._while,
    Attempt: _Writer._attempt,
    Escape: _Writer._escape,
    Check: _Writer._check,
    MakeArray: _Writer._make_array,
    CallOut: _Writer._call_out,
    Draw: _Writer._call_out,
}
