"""LLVM: from IR text to the addresses of functions. The only module that imports `llvmlite`."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
import threading
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

import numpy as np

from runtime.execute.native import objects
from runtime.execute.native.together import together
from runtime.execute.native.versions import version

__all__ = [
    "APART",
    "MAIN",
    "QUICK",
    "SCALAR",
    "SCHEDULED",
    "Loaded",
    "Unavailable",
    "assembly",
    "compile_text",
    "has_slow_subnormals",
    "has_whole_products",
    "is_in_use",
    "load",
    "problem",
    "target",
    "vector_bytes",
]

# What LLVM does for a text: its passes of level 1, and vectors (those of level 2 take longer, by a
# fifth, and made nothing faster); and none, with no more for the instructions.
MAIN, QUICK = 1, -1
# Vectors are made of loops only. Of scalars side by side (`slp`), LLVM 22 makes code that reads a
# mask which nothing has set, where the processor has AVX-512: sines had the wrong sign.
_VECTORS = {"loop_vectorization": True, "slp_vectorization": False}
# Behind such a line of a text is another module, which is compiled alone. Behind the second kind
# are functions that are written as the machine is to do it: only a few passes have any work. Behind
# the third are functions without a loop over elements, for which more of them are as good as all. A
# text may begin with one of these.
APART = "; ---- another module --------------------------------------------------------------\n"
SCHEDULED = "; ---- another module, scheduled ---------------------------------------------------\n"
SCALAR = "; ---- another module, of scalars --------------------------------------------------\n"
_PASSES = {
    SCHEDULED: ("sroa", "instruction_combine", "loop_rotate", "simplify_cfg"),
    SCALAR: (
        "sroa", "simplify_cfg", "sccp", "instruction_combine", "simplify_cfg",
        "loop_rotate", "sccp", "instruction_combine", "simplify_cfg",
    ),
}  # fmt: skip
# About how much less time LLVM takes for a line of these.
_LESS = {APART: 1, SCHEDULED: 3, SCALAR: 2}
_MARKS = re.compile("|".join(map(re.escape, _LESS)))

_R = TypeVar("_R")
_lock = threading.Lock()


class Unavailable(Exception):
    """There is no LLVM here."""


@cache
def _package() -> Any:
    """llvmlite, without LLVM itself; the reason as text where there is none."""
    try:
        return import_module("llvmlite")
    except (ImportError, OSError) as error:
        return f"llvmlite cannot be imported: {error}"


@cache
def _binding() -> Any:
    """LLVM; the reason as text where it cannot be had."""
    try:
        binding = import_module("llvmlite.binding")
    except (ImportError, OSError) as error:
        return f"llvmlite cannot be imported: {error}"
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def _llvm() -> Any:
    """LLVM; raises Unavailable."""
    found = _binding()
    if isinstance(found, str):
        raise Unavailable(found)
    return found


def problem() -> str | None:
    """Why there is no LLVM here; None where there is, as far as one knows without importing it."""
    found = _binding() if is_in_use() else _package()
    return found if isinstance(found, str) else None


def is_in_use() -> bool:
    """Whether LLVM was asked for in this process: most find all that they need compiled."""
    return _binding.cache_info().currsize > 0


@cache
def target() -> str:
    """What compiled code depends on besides its text: LLVM, the processor, and NumPy's layouts.

    LLVM is named by the version of llvmlite and by its file, since importing it takes longer than
    loading cached code.
    """
    package = _package()
    if isinstance(package, str):
        raise Unavailable(package)
    try:
        files = [version(os.path.join(path, "binding"), _is_llvm) for path in package.__path__]
    except OSError as error:
        raise Unavailable(f"the files of llvmlite cannot be found: {error}") from error
    parts = (package.__version__, files, sys.platform, platform.machine(), _processor())
    return repr((*parts, np.__version__, _OPTIONS, _FEATURES, _VECTORS, _PASSES))


def _is_llvm(name: str) -> bool:
    """Whether a file of llvmlite has LLVM in it."""
    return name.startswith(("libllvmlite.", "llvmlite."))


def _processor() -> str:
    """Name and features of the processor."""
    if sys.platform == "linux" and platform.machine() == "x86_64":
        lines = _lines("/proc/cpuinfo")
        known = ("vendor_id", "cpu family", "model", "stepping", "flags")
        found = [line for line in lines if line.partition("\t")[0].rstrip(" :") in known]
        if len(found) == len(known):
            return "\n".join(found)
    llvm = _llvm()
    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


@cache
def vector_bytes() -> int:
    """The bytes of the vectors that sums of products are written for."""
    found = set(_processor().replace(",+", " ").split())
    if {"avx512f", "avx512vl"} <= found:
        return 64
    return 32 if "avx" in found else 16


@cache
def has_slow_subnormals() -> bool:
    """Whether the processor is of Intel, to which a float next to 0 is an exception."""
    return "GenuineIntel" in _processor()


@cache
def has_whole_products() -> bool:
    """Whether the processor is of AMD, to which a vector of products of 64 bits is one step."""
    return "AuthenticAMD" in _processor()


def _lines(path: str) -> list[str]:
    """The lines of a file of the system up to the first that is empty."""
    try:
        with open(path, "rb", buffering=0) as file:
            text = file.read(1 << 14).decode(errors="replace")
    except OSError:
        return []
    return text.partition("\n\n")[0].splitlines()


_OPTIONS: dict[str, Any] = {"opt": 2, "reloc": "pic", "codemodel": "small"}
# LLVM uses half of the vectors of Intel's processors with AVX-512, some of which slowed down for
# whole ones once; with whole ones, exponential functions take two thirds of the time.
_FEATURES = ",-prefer-256-bit" if platform.machine() in ("x86_64", "AMD64") else ""


# Machines that no thread uses.
_idle: list[Any] = []


def _idle_machine() -> Any:
    """A machine that no other thread uses."""
    try:
        return _idle.pop()
    except IndexError:
        return _new_machine()


@cache
def _quick_machine() -> Any:
    return _new_machine(0)


def _new_machine(effort: int = 2) -> Any:
    """The machine that texts are compiled for; with effort 0, instructions are found quickly."""
    llvm = _llvm()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten() + _FEATURES,
        **{**_OPTIONS, "opt": effort},
    )


class _Text(NamedTuple):
    """The text of a module, and the line that says of which kind it is."""

    text: str
    mark: str


def _modules(text: str) -> list[_Text]:
    """The modules of a text."""
    first, *others = _MARKS.split(text)
    marked = zip(others, _MARKS.findall(text), strict=True)
    return [*([_Text(first, APART)] if first else []), *(_Text(*pair) for pair in marked)]


def _each(text: str, result: Callable[[Any, Any], _R], level: int) -> list[_R]:
    """`result` of the machine and each module of a text, after LLVM's passes; at the same time."""

    def of(module: _Text) -> _R:
        # Threads share no context and no machine.
        machine = _idle_machine()
        with (
            _llvm().create_context() as context,
            _parsed(module.text, machine, context) as parsed,
        ):
            if module.mark == APART:
                _improve(parsed, machine, level)
            else:
                _tidy(parsed, machine, module.mark)
            found = result(machine, parsed)
        _idle.append(machine)
        return found

    modules = _modules(text)
    # What takes the longest time is begun first.
    weights = [len(m.text) // _LESS[m.mark] for m in modules]
    order = sorted(range(len(modules)), key=lambda k: -weights[k])
    found = together([partial(of, modules[k]) for k in order])
    return [found[order.index(k)] for k in range(len(modules))]


def _parsed(text: str, machine: Any, context: Any = None) -> Any:
    llvm = _llvm()
    module = llvm.parse_assembly(text, context)
    module.triple = llvm.get_default_triple()
    module.data_layout = str(machine.target_data)
    return module


def _unlocked(name: str) -> Any:
    """A function of LLVM that waits for no other one: llvmlite has a lock round all of them."""
    found = getattr(_llvm().ffi.lib, name)
    return getattr(found, "_cfn", found)


def _tidy(module: Any, machine: Any, mark: str) -> None:
    """Values instead of variables, and little more."""
    llvm = _llvm()
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    builder = llvm.create_pass_builder(machine, options)
    if mark == SCALAR:
        inlining = llvm.create_new_module_pass_manager()
        inlining.add_always_inliner_pass()
        _unlocked("LLVMPY_RunNewModulePassManager")(inlining, module, builder)
    passes = llvm.create_new_function_pass_manager()
    for name in _PASSES[mark]:
        getattr(passes, f"add_{name}_pass")()
    run = _unlocked("LLVMPY_RunNewFunctionPassManager")
    for function in module.functions:
        if not function.is_declaration:
            run(passes, function, builder)


def _improve(module: Any, machine: Any, level: int) -> None:
    """LLVM's own passes; level 0 does next to nothing."""
    llvm = _llvm()
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    for name, wanted in _VECTORS.items():
        setattr(options, name, wanted and level > 0)
    builder = llvm.create_pass_builder(machine, options)
    run = _unlocked("LLVMPY_RunNewModulePassManager")
    run(builder.getModulePassManager(), module, builder)


def _object(machine: Any, module: Any) -> bytes:
    """The object file of a module, as `emit_object` of llvmlite gives it."""
    ffi = _llvm().ffi
    with ffi.OutputString() as error:
        buffer = _unlocked("LLVMPY_TargetMachineEmitToMemory")(machine, module, 1, error)
        if not buffer:
            raise RuntimeError(str(error))
    try:
        start, size = ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer)
        return ctypes.string_at(start, size)
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


def assembly(text: str) -> str:
    """The machine's instructions, as text."""
    return "\n".join(_each(text, lambda machine, m: str(machine.emit_assembly(m)), MAIN))


def compile_text(text: str, level: int = MAIN) -> bytes:
    """IR text as object files for this machine; raises Unavailable where there is no LLVM."""
    if level != QUICK:
        return objects.joined(_each(text, _object, level))
    with _lock:
        machine = _quick_machine()
        return _object(machine, _parsed(text, machine))


class Loaded:
    """Object files in memory, linked by LLVM; they are there as long as this is."""

    def __init__(self, code: bytes) -> None:
        llvm = _llvm()
        # The engine takes its machine over, and destroys it in the end.
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_machine())
        for part in objects.parts(code):
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(part))
        self._engine.finalize_object()

    def address(self, function: str) -> int:
        """The address of a function, 0 if there is none of the name."""
        return int(self._engine.get_function_address(function))


def load(code: bytes) -> Loaded | objects.Linked:
    """Object files as code that can run; without LLVM where we can."""
    if objects.is_supported():
        try:
            return objects.Linked(code)
        except objects.Unsupported:
            pass
    with _lock:
        return Loaded(code)
