"""LLVM: from IR text to the addresses of functions. The only module that imports `llvmlite`."""

from __future__ import annotations

import os
import platform
import sys
import threading
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from runtime.execute.native import objects
from runtime.execute.native.versions import version

__all__ = [
    "MAIN",
    "QUICK",
    "SCHEDULED",
    "Loaded",
    "Unavailable",
    "assembly",
    "compile_text",
    "has_slow_subnormals",
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
# Behind this line of a text is another module: functions that are written as the machine is to do
# it, so that only these passes have anything to do.
SCHEDULED = "; ---- another module --------------------------------------------------------------\n"
_TIDYING = ("sroa", "instruction_combine", "loop_rotate", "simplify_cfg")

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
    return repr((*parts, np.__version__, _OPTIONS, _FEATURES, _VECTORS, _TIDYING))


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


@cache
def _machine(effort: int = 2) -> Any:
    """The machine that texts are compiled for; with effort 0, instructions are found quickly."""
    return _new_machine(effort)


def _new_machine(effort: int = 2) -> Any:
    llvm = _llvm()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten() + _FEATURES,
        **{**_OPTIONS, "opt": effort},
    )


def _module(text: str, level: int) -> Any:
    """The module of a text, after LLVM's passes."""
    own, _, scheduled = text.partition(SCHEDULED)
    module = _parsed(own)
    _improve(module, level)
    if scheduled:
        other = _parsed(scheduled)
        _tidy(other)
        module.link_in(other)
    return module


def _parsed(text: str) -> Any:
    llvm = _llvm()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_default_triple()
    module.data_layout = str(_machine().target_data)
    return module


def _tidy(module: Any) -> None:
    """Values instead of variables, and no more."""
    llvm = _llvm()
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    builder = llvm.create_pass_builder(_machine(), options)
    passes = llvm.create_new_function_pass_manager()
    for name in _TIDYING:
        getattr(passes, f"add_{name}_pass")()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def _improve(module: Any, level: int) -> None:
    """LLVM's own passes; level 0 does next to nothing."""
    llvm = _llvm()
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    for name, wanted in _VECTORS.items():
        setattr(options, name, wanted and level > 0)
    builder = llvm.create_pass_builder(_machine(), options)
    builder.getModulePassManager().run(module, builder)


def assembly(text: str) -> str:
    """The machine's instructions, as text."""
    with _lock:
        module = _module(text, MAIN)
        return str(_machine().emit_assembly(module))


def compile_text(text: str, level: int = MAIN) -> bytes:
    """IR text as an object file for this machine; raises Unavailable where there is no LLVM."""
    with _lock:
        if level == QUICK:
            return bytes(_machine(0).emit_object(_parsed(text)))
        return bytes(_machine().emit_object(_module(text, level)))


class Loaded:
    """Compiled code in memory, linked by LLVM; it is there as long as this is."""

    def __init__(self, code: bytes) -> None:
        llvm = _llvm()
        # The engine takes its machine over, and destroys it in the end.
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, function: str) -> int:
        """The address of a function, 0 if there is none of the name."""
        return int(self._engine.get_function_address(function))


def load(code: bytes) -> Loaded | objects.Linked:
    """An object file as code that can run; without LLVM where we can."""
    if objects.is_supported():
        try:
            return objects.Linked(code)
        except objects.Unsupported:
            pass
    with _lock:
        return Loaded(code)
