"""LLVM, where it can be had: the functions that are called, in the library that `llvmlite` ships.

Importing `llvmlite.binding` takes 25 milliseconds, in which no other Python runs: it describes ten
times as many functions, and imports sixty modules. Loading the library alone takes six, in which it
does. What the functions take and give was read in one version of llvmlite; with another one, its
`llvmlite.binding` is asked whether it says the same.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from ctypes import c_bool, c_char_p, c_int, c_size_t, c_uint64, c_void_p
from functools import cache
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any, TypeAlias

__all__ = [
    "LLVM",
    "Unavailable",
    "is_in_use",
    "llvm",
    "opened",
    "package",
    "problem",
    "told",
]

# The functions by their names, without `LLVMPY_`.
LLVM: TypeAlias = SimpleNamespace

# The version of llvmlite that says this of its functions.
_VERSION = "0.50."
# Where a function writes a text, which it is told to dispose of afterwards.
_OUT = ctypes.POINTER(c_char_p)
# What each function gives (None: nothing), and what it takes.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "InitializeNativeTarget": (None,),
    "InitializeNativeAsmPrinter": (None,),
    "DisposeString": (None, c_char_p),
    # Machines.
    "GetDefaultTargetTriple": (None, _OUT),
    "GetHostCPUName": (None, _OUT),
    "GetHostCPUFeatures": (c_int, _OUT),
    "GetTargetFromTriple": (c_void_p, c_char_p, _OUT),
    "CreateTargetMachine": (
        c_void_p, c_void_p, c_char_p, c_char_p, c_char_p, c_int, c_char_p, c_char_p, c_int, c_int,
        c_char_p,
    ),
    "CreateTargetMachineData": (c_void_p, c_void_p),
    "CopyStringRepOfTargetData": (None, c_void_p, _OUT),
    "DisposeTargetData": (None, c_void_p),
    # Modules.
    "ContextCreate": (c_void_p,),
    "ContextDispose": (None, c_void_p),
    "ParseAssembly": (c_void_p, c_void_p, c_char_p, _OUT),
    "SetTarget": (None, c_void_p, c_char_p),
    "SetDataLayout": (None, c_void_p, c_char_p),
    "DisposeModule": (None, c_void_p),
    "ModuleFunctionsIter": (c_void_p, c_void_p),
    "FunctionsIterNext": (c_void_p, c_void_p),
    "DisposeFunctionsIter": (None, c_void_p),
    "IsDeclaration": (c_int, c_void_p),
    # Passes. (What disposes of their managers is spelled so.)
    "CreatePipelineTuningOptions": (c_void_p,),
    "PTOSetLoopVectorization": (None, c_void_p, c_bool),
    "PTOSetSLPVectorization": (None, c_void_p, c_bool),
    "DisposePipelineTuningOptions": (None, c_void_p),
    "CreatePassBuilder": (c_void_p, c_void_p, c_void_p),
    "DisposePassBuilder": (None, c_void_p),
    "buildPerModuleDefaultPipeline": (c_void_p, c_void_p, c_int),
    "CreateNewModulePassManager": (c_void_p,),
    "module_AddAlwaysInlinerPass": (None, c_void_p),
    "RunNewModulePassManager": (None, c_void_p, c_void_p, c_void_p),
    "DisposeNewModulePassManger": (None, c_void_p),
    "CreateNewFunctionPassManager": (c_void_p,),
    "function_AddInstCombinePass": (None, c_void_p),
    "function_AddLoopRotatePass": (None, c_void_p),
    "function_AddSCCPPass": (None, c_void_p),
    "function_AddSROAPass": (None, c_void_p),
    "function_AddSimplifyCFGPass": (None, c_void_p),
    "RunNewFunctionPassManager": (None, c_void_p, c_void_p, c_void_p),
    "DisposeNewFunctionPassManger": (None, c_void_p),
    # Machine code.
    "TargetMachineEmitToMemory": (c_void_p, c_void_p, c_void_p, c_int, _OUT),
    "GetBufferStart": (c_void_p, c_void_p),
    "GetBufferSize": (c_size_t, c_void_p),
    "DisposeMemoryBuffer": (None, c_void_p),
    # Code that LLVM links.
    "CreateMCJITCompiler": (c_void_p, c_void_p, c_void_p, c_bool, _OUT),
    "CreateObjectFile": (c_void_p, c_char_p, c_size_t),
    "MCJITAddObjectFile": (None, c_void_p, c_void_p),
    "DisposeObjectFile": (None, c_void_p),
    "FinalizeObject": (None, c_void_p),
    "GetFunctionAddress": (c_uint64, c_void_p, c_char_p),
    "DisposeExecutionEngine": (None, c_void_p),
}  # fmt: skip

# Those that take long, during which other threads have the interpreter's lock. The others keep it:
# to get it back takes five milliseconds where another thread computes.
_LONG = {
    "ParseAssembly", "RunNewModulePassManager", "RunNewFunctionPassManager",
    "TargetMachineEmitToMemory", "FinalizeObject",
}  # fmt: skip


class Unavailable(Exception):
    """There is no LLVM here."""


@cache
def package() -> Any:
    """llvmlite, without LLVM itself; the reason as text where there is none."""
    try:
        return import_module("llvmlite")
    except (ImportError, OSError) as error:
        return f"llvmlite cannot be imported: {error}"


@cache
def _library() -> LLVM | str:
    """LLVM; the reason as text where it cannot be had."""
    found = package()
    if isinstance(found, str):
        return found
    try:
        return opened(found)
    except (ImportError, OSError) as error:
        return f"llvmlite cannot be imported: {error}"


def llvm() -> LLVM:
    """LLVM; raises Unavailable."""
    found = _library()
    if isinstance(found, str):
        raise Unavailable(found)
    return found


def problem() -> str | None:
    """Why there is no LLVM here; None where there is, as far as one knows without importing it."""
    found = _library() if is_in_use() else package()
    return found if isinstance(found, str) else None


def is_in_use() -> bool:
    """Whether LLVM was asked for in this process: most find all that they need compiled."""
    return _library.cache_info().currsize > 0


def opened(package: ModuleType) -> LLVM:
    """The functions of LLVM in the library of llvmlite, with machines of this processor ready.

    Raises ImportError or OSError where there is no such library, or one with other functions.
    """
    name = import_module("llvmlite.utils").get_library_name()
    library = _loaded(os.path.join(package.__path__[0], "binding", name))
    if not package.__version__.startswith(_VERSION):
        _compare(package.__version__)
    locked = ctypes.PyDLL(library._name, handle=library._handle)
    llvm = SimpleNamespace(
        **{name: _described(library if name in _LONG else locked, name) for name in _FUNCTIONS}
    )
    llvm.InitializeNativeTarget()
    llvm.InitializeNativeAsmPrinter()
    return llvm


def _loaded(path: str) -> ctypes.CDLL:
    """A library. `ctypes` keeps the interpreter's lock while it loads one, but not for a call."""
    if sys.platform != "win32":
        with suppress(AttributeError):
            load = ctypes.CDLL(None).dlopen
            load.restype, load.argtypes = c_void_p, [c_char_p, c_int]
            load(os.fsencode(path), os.RTLD_NOW)
    return ctypes.CDLL(path)  # it is there by now, or this says why not


def _described(library: ctypes.CDLL, name: str) -> Callable[..., Any]:
    try:
        function = library[f"LLVMPY_{name}"]
    except AttributeError as error:
        raise ImportError(f"its library has no `{name}`") from error
    function.restype, *function.argtypes = _FUNCTIONS[name]
    return function


def _compare(version: str) -> None:
    """Raise ImportError if a version of llvmlite says something else of a function."""
    theirs = import_module("llvmlite.binding").ffi.lib
    for name, (gives, *takes) in _FUNCTIONS.items():
        function = getattr(theirs, f"LLVMPY_{name}")
        # What takes nothing or gives nothing, it does not describe.
        said = [_kind(given) for given in function.argtypes or ()]
        is_known = function.argtypes is None or said == [_kind(given) for given in takes]
        if not is_known or (gives is not None and _kind(function.restype) != _kind(gives)):
            raise ImportError(f"version {version} has another `{name}`")


def _kind(given: Any) -> object:
    """What tells types apart for a call: pointers are alike, whatever they point to."""
    is_pointer = given in (c_char_p, c_void_p) or issubclass(given, ctypes._Pointer)
    return "pointer" if is_pointer else given


def told(llvm: LLVM, function: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """What a function gives, and the text that it writes; the place for it is its last argument."""
    place = c_char_p()
    given = function(*arguments, ctypes.byref(place))
    written = place.value
    if written is not None:
        llvm.DisposeString(place)
    return given, "" if written is None else written.decode()
