"""Functions, classes and constants of ours as source that needs none of our modules.

What a function uses of our modules is written before it, itself in the same way. Names stay as they
are, where two modules do not use one for two things; annotations and examples are left out.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import keyword
import math
import operator
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from itertools import chain, count
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from runtime.errors import UnsavableError
from runtime.execute.source import literal
from runtime.export.python.on_host import SUBSTITUTES
from runtime.ops.declaration.declare import Primitive

__all__ = ["Sources"]

_OURS = ("runtime", "autograph")
# Arrays of so few elements stand in the source; others in what `weights` gives.
_SHORT = 16
_LOCK = type(threading.Lock())
_REENTRANT = type(threading.RLock())
_CACHED = type(functools.lru_cache(lambda: None))


class _Edit(NamedTuple):
    """Text in the place of what stands between two positions (line from 1 on, column) of source."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


class _Module:
    """The source of one of our modules, and where in it things are defined."""

    def __init__(self, name: str) -> None:
        self.module = sys.modules[name]
        text = inspect.getsource(self.module)
        self.lines = text.splitlines()
        self.tree = ast.parse(text)
        self.imported = {
            alias.asname or alias.name: (part.module or "", alias.name)
            for part in ast.walk(self.tree)
            if isinstance(part, ast.ImportFrom)
            for alias in part.names
        }

    def definition(self, thing: Any) -> Any:
        """The node of the syntax tree that defines a function or class."""
        if isinstance(thing, type):
            classes = [part for part in self.tree.body if isinstance(part, ast.ClassDef)]
            return next(part for part in classes if part.name == thing.__qualname__)
        code = thing.__code__
        known = self._functions.get((code.co_name, code.co_firstlineno))
        return self._lambda(code) if known is None else known

    @functools.cached_property
    def _functions(self) -> dict[tuple[str, int], ast.FunctionDef]:
        """Functions by name and first line, which is that of the first decorator."""
        found = [part for part in ast.walk(self.tree) if isinstance(part, ast.FunctionDef)]
        return {(f.name, min([f.lineno, *(d.lineno for d in f.decorator_list)])): f for f in found}

    def _lambda(self, code: Any) -> ast.Lambda:
        """A lambda: that of those in its line whose body has the place of the code."""
        at = {(p[0], p[2]) for p in code.co_positions() if p[0] is not None}
        found = [
            part
            for part in ast.walk(self.tree)
            if isinstance(part, ast.Lambda)
            and part.lineno == code.co_firstlineno
            and any(_place(x) in at for x in ast.walk(part.body))
        ]
        return max(found, key=lambda part: part.col_offset)


def _place(part: ast.AST) -> tuple[int, int] | None:
    """Line and column, where a part has them."""
    return (part.lineno, part.col_offset) if isinstance(part, ast.expr) else None


@functools.cache
def _module(name: str) -> _Module:
    return _Module(name)


class Sources:
    """Definitions in the order in which Python must meet them, and what else they need."""

    def __init__(self) -> None:
        self.definitions: list[str] = []
        self.modules: dict[str, str] = {"numpy": "np"}
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.taken = {"np", "weights", *dir(builtins), *keyword.kwlist}
        self._known: dict[Any, str] = {}
        self._kept: list[Any] = []

    # ---- names -------------------------------------------------------------------------------

    def fresh(self, stem: str) -> str:
        """A name that nothing in the file has yet."""
        name = next(n for n in chain([stem], (f"{stem}_{k}" for k in count(1))) if self._is_free(n))
        self.taken.add(name)
        return name

    def _is_free(self, name: str) -> bool:
        return name not in self.taken

    def imports(self) -> list[str]:
        """The lines that import what is not ours."""
        names = sorted(self.modules.items())
        return [f"import {m}" if m == alias else f"import {m} as {alias}" for m, alias in names]

    def module(self, name: str) -> str:
        """The name of a module that is not ours."""
        if name not in self.modules:
            self.modules[name] = name
            self.taken.add(name.partition(".")[0])
        return self.modules[name]

    # ---- values ------------------------------------------------------------------------------

    def value(self, x: Any, stem: str = "value") -> str:
        """Source of an expression that is `x`. Raises UnsavableError where there is none."""
        source = literal(x)
        if source is not None:
            return source
        for kinds, write in _VALUES:
            if isinstance(x, kinds):
                return write(self, x, stem)
        return self._record(x)

    def _items(self, items: Any) -> str:
        return ", ".join([self.value(item) for item in items])

    def _tuple(self, x: Any, stem: str) -> str:
        return f"({self._items(x)}{',' * (len(x) == 1)})"

    def _list(self, x: Any, stem: str) -> str:
        return f"[{self._items(x)}]"

    def _set(self, x: Any, stem: str) -> str:
        items = f"[{self._items(sorted(x, key=repr))}]"
        return f"{type(x).__name__}({items})"

    def _dict(self, x: Any, stem: str) -> str:
        rows = [f"{self.value(key)}: {self.value(item)}" for key, item in x.items()]
        return f"{{{', '.join(rows)}}}"

    def _number(self, x: Any, stem: str) -> str:
        """A number of Python's that has no literal."""
        if isinstance(x, complex):
            return f"complex({self._number(x.real, stem)}, {self._number(x.imag, stem)})"
        return repr(x) if math.isfinite(x) else f"float({str(x)!r})"

    def _scalar(self, x: Any, stem: str) -> str:
        return f"np.{x.dtype.type.__name__}({self.value(x.item())})"

    def _array(self, x: np.ndarray[Any, Any], stem: str) -> str:
        if x.size <= _SHORT:
            shape = f".reshape({x.shape})" if x.ndim != 1 else ""
            items = ", ".join([self.value(item) for item in x.reshape(-1).tolist()])
            return f'np.array([{items}], "{x.dtype}"){shape}'
        if id(x) not in self._known:
            name = next(n for n in chain([stem], (f"{stem}_{k}" for k in count(1)))
                        if n not in self.arrays)  # fmt: skip
            self.arrays[name] = x
            self._known[id(x)] = f"weights[{name!r}]"
        return self._known[id(x)]

    def _record(self, x: Any) -> str:
        """An object of a class of ours: a call with what it holds under the parameters' names."""
        cls = type(x)
        if cls.__module__.partition(".")[0] not in _OURS:
            raise UnsavableError(
                f"this cannot be exported: {x!r} of {cls.__module__}.{cls.__qualname__} has no "
                "source",
                "exported programs hold arrays, numbers, text and operations",
            )
        names = list(inspect.signature(cls).parameters)
        fields = ", ".join([self.value(getattr(x, name)) for name in names])
        return f"{self.thing(cls)}({fields})"

    def _partial(self, x: functools.partial[Any], stem: str) -> str:
        named = [f"{key}={self.value(item)}" for key, item in x.keywords.items()]
        given = ", ".join([self.value(x.func), *map(self.value, x.args), *named])
        return f"{self.module('functools')}.partial({given})"

    # ---- functions and classes ---------------------------------------------------------------

    def thing(self, given: Any, stem: str = "") -> str:
        """The name under which a function or class is found."""
        x: Any = SUBSTITUTES.get(given, given)
        if not _is_ours(x):
            return self._foreign(x)
        key = id(x)
        if key not in self._known:
            # With what it stands in: alone, its name may be that of a local where it is called.
            name = stem or x.__qualname__.replace(".<locals>.", "_").replace("<lambda>", "function")
            self._known[key] = self.fresh(name.replace(".", "_"))
            self._kept.append(x)
            self.definitions.append(self._defined(x, self._known[key]))
        return self._known[key]

    def shared(self, key: Any, stem: str, source: str) -> str:
        """The name of a definition that is made once for a key."""
        if id(key) not in self._known:
            self._known[id(key)] = self.fresh(stem)
            self._kept.append(key)
            self.definitions.append(f"{self._known[id(key)]} = {source}\n")
        return self._known[id(key)]

    def _foreign(self, x: Any) -> str:
        """What a function or class that is not ours is called."""
        if isinstance(x, np.ufunc):
            return f"np.{x.__name__}"
        if isinstance(x, type) and issubclass(x, BaseException) and x.__module__ != "builtins":
            return self._exception(x)
        home = str({"_operator": "operator", "builtins": ""}.get(x.__module__, x.__module__))
        if home == "":
            return str(x.__qualname__)
        name = str(x.__name__)
        if vars(np).get(name) is x:
            return f"np.{name}"
        if home.startswith("numpy.linalg"):
            return f"np.linalg.{name}"
        return f"{self.module(home)}.{x.__qualname__}"

    def _exception(self, cls: type) -> str:
        """A class of exceptions: that of NumPy or Python's library, else one of its name."""
        if cls.__module__.partition(".")[0] in ("numpy", *sys.stdlib_module_names):
            return f"{self.module(cls.__module__)}.{cls.__qualname__}"
        if id(cls) not in self._known:
            bases = ", ".join(map(self.thing, cls.__bases__))
            self._known[id(cls)] = name = self.fresh(cls.__name__)
            self._kept.append(cls)
            self.definitions.append(f"class {name}({bases}):\n    pass\n")
        return self._known[id(cls)]

    def _defined(self, x: Any, name: str) -> str:
        function: Any = inspect.unwrap(x) if not isinstance(x, type) else x
        home = _module(function.__module__)
        part = home.definition(function)
        text = self._edited(home, part, name)
        if isinstance(part, ast.Lambda):
            text = f"{name} = {text}\n"
        elif isinstance(x, _CACHED):
            text = f"@{self.module('functools')}.cache\n{text}"
        cells = getattr(function, "__closure__", None)
        if not cells:
            return text
        inner = dict(zip(function.__code__.co_freevars, cells, strict=True))
        given = ", ".join(f"{k}={self.value(c.cell_contents, k)}" for k, c in inner.items())
        made = textwrap.indent(text, "    ")
        factory = f"def {name}_of({', '.join(inner)}):\n{made}    return {name}\n"
        return f"{factory}\n\n{name} = {name}_of({given})\n"

    # ---- texts of definitions ----------------------------------------------------------------

    def _edited(self, home: _Module, part: Any, name: str) -> str:
        """The source of a definition, with the names that things have in the file."""
        edits = [*self._uses(home, part), *_left_out(home, part)]
        if not isinstance(part, ast.Lambda):
            word = "class " if isinstance(part, ast.ClassDef) else "def "
            at = (part.lineno, part.col_offset + len(word))
            edits.append(_Edit(at, (at[0], at[1] + len(part.name)), name))
        first = (part.lineno, part.col_offset)
        text = _changed(home.lines, first, (part.end_lineno, part.end_col_offset), edits)
        indent = " " * part.col_offset
        lines = [line.removeprefix(indent) for line in text.split("\n")]
        return "\n".join(lines) + ("" if isinstance(part, ast.Lambda) else "\n")

    def _uses(self, home: _Module, part: Any) -> Iterator[_Edit]:
        """What stands in the place of names of the module."""
        own = _own_names(part)
        outside = vars(home.module).keys() - own
        hidden = set(map(id, chain.from_iterable(map(ast.walk, _unevaluated(part)))))
        within: set[int] = set()
        for node in ast.walk(part):
            if id(node) in hidden or id(node) in within:
                continue
            kernel = _kernel(home, node)
            if kernel is not None:
                within |= set(map(id, ast.walk(node)))
                yield _over(node, self.thing(kernel))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                module: Any = vars(home.module).get(node.value.id)
                if node.value.id not in own and _is_our_module(module):
                    within.add(id(node.value))
                    yield _over(node, self._global(_module(module.__name__), node.attr))
            elif isinstance(node, ast.Name) and node.id in outside and id(node) not in within:
                found = self._global(home, node.id)
                assert found not in own, f"{found} is a local, too"
                if found != node.id:
                    yield _over(node, found)

    def _global(self, home: _Module, name: str) -> str:
        """What a global of a module is called in the file."""
        x = vars(home.module)[name]
        if isinstance(x, ModuleType):
            return "np" if x is np else self.module(x.__name__)
        origin, own_name = home.imported.get(name, ("", name))
        if origin and origin.partition(".")[0] not in _OURS:
            return self._imported(origin, own_name)
        if isinstance(x, (FunctionType, type, _CACHED)):
            return self.thing(x)
        if origin and origin in sys.modules and own_name in vars(sys.modules[origin]):
            return self._global(_module(origin), own_name)
        key = (home.module.__name__, name)
        if key not in self._known:
            source = self.value(x, name.strip("_").lower())
            self._known[key] = self.fresh(name)
            self.definitions.append(f"{self._known[key]} = {source}\n")
        return self._known[key]

    def _imported(self, origin: str, name: str) -> str:
        if origin == "numpy":
            return f"np.{name}"
        if origin.startswith("numpy."):
            self.module(origin)
        return f"{self.module(origin)}.{name}"


def _is_ours(x: Any) -> bool:
    home = getattr(x, "__module__", None) or ""
    return home.partition(".")[0] in _OURS and isinstance(x, (FunctionType, type, _CACHED))


def _is_our_module(x: Any) -> bool:
    return isinstance(x, ModuleType) and x.__name__.partition(".")[0] in _OURS


def _kernel(home: _Module, node: ast.AST) -> Any:
    """The kernel that `name.op.kernel` is, of an operation of a module; None for anything else."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Attribute):
        return None
    names = node.value.value, node.value.attr, node.attr
    if not isinstance(names[0], ast.Name) or names[1:] != ("op", "kernel"):
        return None
    primitive = vars(home.module).get(names[0].id)
    return primitive.op.kernel if isinstance(primitive, Primitive) else None


def _own_names(part: Any) -> set[str]:
    """Names that a definition itself gives a meaning."""
    found = set()
    for node in ast.walk(part):
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node is not part:
            found.add(node.name)
    return found


def _unevaluated(part: Any) -> Iterator[ast.AST]:
    """Annotations, and the decorators of a definition."""
    yield from getattr(part, "decorator_list", ())
    for node in ast.walk(part):
        if isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            yield node.returns


def _left_out(home: _Module, part: Any) -> Iterator[_Edit]:
    """Annotations go, and of docstrings all but the first paragraph."""
    for node in ast.walk(part):
        if isinstance(node, ast.arg) and node.annotation is not None:
            start = (node.lineno, node.col_offset + len(node.arg))
            yield _Edit(start, _end(node.annotation), "")
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield _Edit(_end(node.target), _end(node.annotation), "")
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if isinstance(node, ast.FunctionDef) and node.returns is not None:
                yield _Edit(_arrow(home, node.returns), _end(node.returns), "")
            yield from _shorter_docstring(node)


def _arrow(home: _Module, returns: ast.expr) -> tuple[int, int]:
    line = home.lines[returns.lineno - 1]
    return returns.lineno, line.rindex(" ->", 0, returns.col_offset)


def _shorter_docstring(node: ast.FunctionDef | ast.ClassDef) -> Iterator[_Edit]:
    text = ast.get_docstring(node)
    first = node.body[0]
    if text is not None:
        paragraph = " ".join(text.split("\n\n")[0].split())
        mark = 'r"""' if "\\" in paragraph else '"""'
        yield _over(first, f'{mark}{paragraph}"""')


def _over(node: Any, text: str) -> _Edit:
    return _Edit((node.lineno, node.col_offset), _end(node), text)


def _end(node: Any) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset


def _changed(
    lines: list[str], start: tuple[int, int], end: tuple[int, int], edits: list[_Edit]
) -> str:
    """The text between two positions, edited; columns are of bytes, as those of syntax trees."""
    text: list[str] = []
    at = start
    for edit in sorted(edits):
        if edit.start < at:
            continue  # within what an edit around it replaced
        text += [_between(lines, at, edit.start), edit.text]
        at = edit.end
    return "".join([*text, _between(lines, at, end)])


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    rows = [line.encode() for line in lines[start[0] - 1 : end[0]]]
    rows[-1] = rows[-1][: end[1]]
    rows[0] = rows[0][start[1] :]
    return b"\n".join(rows).decode()


def _range_or_slice(sources: Sources, x: Any, stem: str) -> str:
    parts = (x.start, x.stop, x.step)
    return f"{type(x).__name__}({', '.join([sources.value(p) for p in parts])})"


# What is not a literal, by class; the first that fits is taken.
_VALUES: tuple[tuple[Any, Callable[[Sources, Any, str], str]], ...] = (
    (np.generic, Sources._scalar),
    (np.ndarray, Sources._array),
    (np.dtype, lambda s, x, stem: f'np.dtype("{x}")'),
    ((float, complex), Sources._number),
    (tuple, Sources._tuple),
    (list, Sources._list),
    ((set, frozenset), Sources._set),
    (dict, Sources._dict),
    ((bytes, type(...)), lambda s, x, stem: repr(x)),
    ((range, slice), _range_or_slice),
    (functools.partial, Sources._partial),
    (_LOCK, lambda s, x, stem: f"{s.module('threading')}.Lock()"),
    (_REENTRANT, lambda s, x, stem: f"{s.module('threading')}.RLock()"),
    (operator.attrgetter, lambda s, x, stem: f"{s.module('operator')}{repr(x)[8:]}"),
    (MethodDescriptorType, lambda s, x, stem: x.__qualname__),
    (Primitive, lambda s, x, stem: f"{s.module('functools')}.partial({s.thing(x.op.kernel)}, np)"),
    (ModuleType, lambda s, x, stem: "np" if x is np else s.module(x.__name__)),
    ((FunctionType, BuiltinFunctionType, type, np.ufunc, _CACHED),
     lambda s, x, stem: s.thing(x)),
)  # fmt: skip
