"""LLVM: from IR text to the addresses of functions.

What LLVM makes is a number here: its address.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
import threading
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache, lru_cache, partial
from typing import NamedTuple

import numpy as np

from runtime.execute.native import library, objects, processor
from runtime.execute.native.library import LLVM, Unavailable, told
from runtime.execute.native.processor import Processor
from runtime.execute.native.together import together
from runtime.execute.native.versions import version
from runtime.process.forks import new_after_forks

__all__ = [
    "APART",
    "MAIN",
    "QUICK",
    "SCALAR",
    "SCHEDULED",
    "Loaded",
    "assembly",
    "compile_text",
    "load",
    "target",
    "warm_up",
]

# What LLVM does for a text: its passes of level 1, and vectors (those of level 2 take longer, by a
# fifth, and made nothing faster); and none, with no more for the instructions.
MAIN, QUICK = 1, -1
# Vectors are made of loops only. Of scalars side by side (`slp`), LLVM 22 makes code that reads a
# mask which nothing has set, where the processor has AVX-512: sines had the wrong sign.
_VECTORS = {"LoopVectorization": True, "SLPVectorization": False}
# Behind such a line of a text is another module, which is compiled alone. Behind the second kind
# are functions that are written as the machine is to do it: only a few passes have any work. Behind
# the third are functions without a loop over elements, for which more of them are as good as all. A
# text may begin with one of these.
APART = "; ---- another module --------------------------------------------------------------\n"
SCHEDULED = "; ---- another module, scheduled ---------------------------------------------------\n"
SCALAR = "; ---- another module, of scalars --------------------------------------------------\n"
_PASSES = {
    SCHEDULED: ("SROA", "InstCombine", "LoopRotate", "SimplifyCFG"),
    SCALAR: (
        "SROA", "SimplifyCFG", "SCCP", "InstCombine", "SimplifyCFG",
        "LoopRotate", "SCCP", "InstCombine", "SimplifyCFG",
    ),
}  # fmt: skip
# About how much less time LLVM takes for a line of these.
_LESS = {APART: 1, SCHEDULED: 3, SCALAR: 2}
_MARKS = re.compile("|".join(map(re.escape, _LESS)))

_lock = new_after_forks(threading.Lock())


def target() -> str:
    """What compiled code depends on besides its text: LLVM, the processor, and NumPy's layouts.

    LLVM is named by the version of llvmlite and by its file, since importing it takes longer than
    loading cached code. Raises Unavailable, or ValueError for another processor than there is.
    """
    return _target(processor.key())


@cache
def _target(processor: str) -> str:
    package = library.package()
    if isinstance(package, str):
        raise Unavailable(package)
    try:
        files = [version(os.path.join(path, "binding"), _is_llvm) for path in package.__path__]
    except OSError as error:
        raise Unavailable(f"the files of llvmlite cannot be found: {error}") from error
    parts = (package.__version__, files, sys.platform, platform.machine(), processor)
    return repr((*parts, np.__version__, _OPTIONS, _VECTORS, _PASSES))


def _is_llvm(name: str) -> bool:
    """Whether a file of llvmlite has LLVM in it."""
    return name.startswith(("libllvmlite.", "llvmlite."))


# Code that can lie anywhere, in one piece.
_OPTIONS = (b"pic", b"small")
# A loop as they are in kernels: LLVM makes it one over vectors.
_LOOP = """\
define void @loop(ptr %p, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%j, %head]
  %q = getelementptr double, ptr %p, i64 %i
  %x = load double, ptr %q
  %c = fcmp ogt double %x, 1.0
  %y = fmul double %x, %x
  %z = select i1 %c, double %x, double %y
  store double %z, ptr %q
  %j = add i64 %i, 1
  %m = icmp slt i64 %j, %n
  br i1 %m, label %head, label %done
done:
  ret void
}
"""
# Machines that no thread uses, by their processors.
_idle: defaultdict[Processor, list[int]] = defaultdict(list)


@contextmanager
def _machine() -> Iterator[int]:
    """A machine that no other thread uses."""
    idle = _idle[processor.for_llvm()]
    try:
        machine = idle.pop()
    except IndexError:
        machine = _new_machine(processor.for_llvm())
    yield machine
    idle.append(machine)


@cache
def _quick_machine(of: Processor) -> int:
    return _new_machine(of, 0)


@cache
def _triple() -> bytes:
    """What LLVM calls this kind of machine."""
    llvm = library.llvm()
    return told(llvm, llvm.GetDefaultTargetTriple)[1].encode()


@cache
def _layout() -> bytes:
    """How data lies in the memory of this kind of machine, as LLVM tells it."""
    llvm = library.llvm()
    data = llvm.CreateTargetMachineData(_quick_machine(processor.for_llvm()))
    _, found = told(llvm, llvm.CopyStringRepOfTargetData, data)
    llvm.DisposeTargetData(data)
    return found.encode()


def _new_machine(of: Processor, effort: int = 2) -> int:
    """A machine that texts are compiled for; with effort 0, instructions are found quickly.

    It is there as long as the process.
    """
    llvm = library.llvm()
    triple = _triple()
    found, reason = told(llvm, llvm.GetTargetFromTriple, triple)
    if not found:
        raise RuntimeError(reason)
    given = (triple, *(text.encode() for text in of), effort, *_OPTIONS)
    machine: int | None = llvm.CreateTargetMachine(found, *given, 0, 0, b"")
    if machine is None:
        raise RuntimeError(f"LLVM has no machine for {triple.decode()}")
    return machine


class _Text(NamedTuple):
    """The text of a module, and the line that says of which kind it is."""

    text: str
    mark: str


def _modules(text: str) -> list[_Text]:
    """The modules of a text."""
    first, *others = _MARKS.split(text)
    marked = zip(others, _MARKS.findall(text), strict=True)
    return [*([_Text(first, APART)] if first else []), *(_Text(*pair) for pair in marked)]


def _each(text: str, level: int, *, as_text: bool = False) -> list[bytes]:
    """The object file, or the assembly, of each module of a text; made at the same time."""

    def of(module: _Text) -> bytes:
        # Threads share no context and no machine.
        with _machine() as machine, _parsed(module.text) as parsed:
            if module.mark == APART:
                _improve(parsed, machine, level)
            else:
                _tidy(parsed, machine, module.mark)
            return _emitted(machine, parsed, as_text=as_text)

    modules = _modules(text)
    # What takes the longest time is begun first.
    weights = [len(m.text) // _LESS[m.mark] for m in modules]
    order = sorted(range(len(modules)), key=lambda k: -weights[k])
    found = together([partial(of, modules[k]) for k in order])
    return [found[order.index(k)] for k in range(len(modules))]


@contextmanager
def _parsed(text: str) -> Iterator[int]:
    """A module, in a context of its own."""
    llvm = library.llvm()
    with ExitStack() as kept:
        context = _own(kept, llvm.ContextDispose, llvm.ContextCreate())
        module, reason = told(llvm, llvm.ParseAssembly, context, text.encode())
        if not module:
            raise RuntimeError(f"LLVM cannot read a text: {reason}")
        kept.callback(llvm.DisposeModule, module)
        llvm.SetTarget(module, _triple())
        llvm.SetDataLayout(module, _layout())
        yield module


def _own(kept: ExitStack, dispose: Callable[[int], None], made: int) -> int:
    """What LLVM made, which is disposed of with what is kept."""
    kept.callback(dispose, made)
    return made


def _builder(kept: ExitStack, machine: int, vectors: Mapping[str, bool]) -> int:
    """What runs passes for a machine."""
    llvm = library.llvm()
    options = llvm.CreatePipelineTuningOptions()
    kept.callback(llvm.DisposePipelineTuningOptions, options)
    for name, wanted in vectors.items():
        getattr(llvm, f"PTOSet{name}")(options, wanted)
    return _own(kept, llvm.DisposePassBuilder, llvm.CreatePassBuilder(machine, options))


def _inline(kept: ExitStack, module: int, builder: int) -> None:
    """Put functions that say so into those that call them, ahead of other passes."""
    llvm = library.llvm()
    passes = llvm.CreateNewModulePassManager()
    kept.callback(llvm.DisposeNewModulePassManger, passes)
    llvm.module_AddAlwaysInlinerPass(passes)
    llvm.RunNewModulePassManager(passes, module, builder)


def _tidy(module: int, machine: int, mark: str) -> None:
    """Values instead of variables, and little more."""
    llvm = library.llvm()
    with ExitStack() as kept:
        builder = _builder(kept, machine, {})
        if mark == SCALAR:
            _inline(kept, module, builder)
        passes = llvm.CreateNewFunctionPassManager()
        kept.callback(llvm.DisposeNewFunctionPassManger, passes)
        for name in _PASSES[mark]:
            getattr(llvm, f"function_Add{name}Pass")(passes)
        functions = llvm.ModuleFunctionsIter(module)
        kept.callback(llvm.DisposeFunctionsIter, functions)
        while function := llvm.FunctionsIterNext(functions):
            if not llvm.IsDeclaration(function):
                llvm.RunNewFunctionPassManager(passes, function, builder)


def _improve(module: int, machine: int, level: int) -> None:
    """LLVM's own passes; level 0 does next to nothing."""
    llvm = library.llvm()
    with ExitStack() as kept:
        vectors = {name: wanted and level > 0 for name, wanted in _VECTORS.items()}
        builder = _builder(kept, machine, vectors)
        if level > 0:
            _inline(kept, module, builder)
        passes = llvm.buildPerModuleDefaultPipeline(builder, level)
        kept.callback(llvm.DisposeNewModulePassManger, passes)
        llvm.RunNewModulePassManager(passes, module, builder)


def _emitted(machine: int, module: int, *, as_text: bool = False) -> bytes:
    """The object file of a module, or its instructions as text."""
    llvm = library.llvm()
    buffer, reason = told(llvm, llvm.TargetMachineEmitToMemory, machine, module, int(not as_text))
    if not buffer:
        raise RuntimeError(reason)
    found = ctypes.string_at(llvm.GetBufferStart(buffer), llvm.GetBufferSize(buffer))
    llvm.DisposeMemoryBuffer(buffer)
    return found


def assembly(text: str) -> str:
    """The machine's instructions, as text."""
    return "\n".join(found.decode() for found in _each(text, MAIN, as_text=True))


def compile_text(text: str, level: int = MAIN) -> bytes:
    """IR text as object files for this machine; raises Unavailable where there is no LLVM."""
    if level != QUICK:
        return objects.joined(_each(text, level))
    with _lock:  # who asks for what another thread is making waits for that
        return _quickly(text, processor.for_llvm())


@lru_cache(maxsize=8)
def _quickly(text: str, of: Processor) -> bytes:
    with _parsed(text) as parsed:
        return _emitted(_quick_machine(of), parsed)


def warm_up() -> None:
    """Compile a small loop, for nothing: what LLVM does for the first time takes longer.

    Half as long again for a small kernel: its passes and tables come into memory page by page.
    """
    compile_text(_LOOP)


class Loaded:
    """Object files in memory, linked by LLVM; they are there as long as this is."""

    def __init__(self, code: bytes) -> None:
        llvm = self._llvm = library.llvm()
        context = llvm.ContextCreate()
        empty, _ = told(llvm, llvm.ParseAssembly, context, b"")
        is_arm = platform.machine().lower() in ("arm64", "aarch64")
        # It takes the module and the machine over, and destroys them in the end.
        machine = _new_machine(processor.for_llvm())
        engine, reason = told(llvm, llvm.CreateMCJITCompiler, empty, machine, is_arm)
        if not engine:
            raise RuntimeError(reason)
        self._engine = engine
        for part in objects.parts(code):
            file = llvm.CreateObjectFile(part, len(part))
            llvm.MCJITAddObjectFile(engine, file)
            llvm.DisposeObjectFile(file)
        llvm.FinalizeObject(engine)
        weakref.finalize(self, _dispose, llvm, engine, context).atexit = False

    def address(self, function: str) -> int:
        """The address of a function, 0 if there is none of the name."""
        return int(self._llvm.GetFunctionAddress(self._engine, function.encode()))


def _dispose(llvm: LLVM, engine: int, context: int) -> None:
    """Give the memory of linked code back."""
    llvm.DisposeExecutionEngine(engine)
    llvm.ContextDispose(context)


def load(code: bytes) -> Loaded | objects.Linked:
    """Object files as code that can run; without LLVM where we can."""
    if objects.is_supported():
        try:
            return objects.Linked(code)
        except objects.Unsupported:
            pass
    with _lock:
        return Loaded(code)
