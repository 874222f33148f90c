"""LLVM: from IR text to the addresses of functions. The only module that imports `llvmlite`."""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

__all__ = ["Loaded", "assembly", "compile_text", "load", "optimized", "problem"]

_lock = threading.Lock()


@cache
def _llvm() -> Any:
    binding = import_module("llvmlite.binding")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


@cache
def problem() -> str | None:
    """Why there is no LLVM here; None where there is."""
    try:
        _llvm()
    except (ImportError, OSError) as error:
        return f"llvmlite cannot be imported: {error}"
    return None


@cache
def _machine() -> Any:
    """The machine that texts are compiled for."""
    return _new_machine()


def _new_machine() -> Any:
    llvm = _llvm()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=2, reloc="pic", codemodel="small"
    )


def _parsed(text: str) -> Any:
    llvm = _llvm()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_default_triple()
    module.data_layout = str(_machine().target_data)
    return module


def _improve(module: Any) -> None:
    llvm = _llvm()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = True
    options.slp_vectorization = True
    builder = llvm.create_pass_builder(_machine(), options)
    builder.getModulePassManager().run(module, builder)


def optimized(text: str) -> str:
    """IR after LLVM's own passes."""
    with _lock:
        module = _parsed(text)
        _improve(module)
        return str(module)


def assembly(text: str) -> str:
    """The machine's instructions, as text."""
    with _lock:
        module = _parsed(text)
        _improve(module)
        return str(_machine().emit_assembly(module))


class Loaded:
    """Compiled code in memory; it is there as long as this is."""

    def __init__(self, code: bytes) -> None:
        llvm = _llvm()
        # The engine takes its machine over, and destroys it in the end.
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, function: str) -> int:
        """The address of a function, 0 if there is none of the name."""
        return int(self._engine.get_function_address(function))


@lru_cache(maxsize=1024)
def compile_text(text: str) -> bytes:
    """IR text as an object file for this machine.

    The same text is compiled once: it takes milliseconds, and llvmlite's pass managers keep some
    kilobytes for each module that went through them.
    """
    with _lock:
        module = _parsed(text)
        _improve(module)
        return bytes(_machine().emit_object(module))


def load(code: bytes) -> Loaded:
    """An object file as code that can run."""
    with _lock:
        return Loaded(code)
