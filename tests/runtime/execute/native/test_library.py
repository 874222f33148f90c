"""Tests of the functions of LLVM."""

import ctypes
import importlib
import subprocess
import sys
import threading
from types import ModuleType

import pytest

from runtime import config
from runtime.execute.native import engine, library, processor
from runtime.execute.native.library import opened, told

llvmlite = pytest.importorskip("llvmlite", exc_type=ImportError)


def package(version=llvmlite.__version__, path=llvmlite.__path__[0]):
    module = ModuleType("llvmlite")
    module.__version__, module.__path__ = version, [str(path)]
    return module


def test_the_functions_are_as_llvmlite_describes_them():
    library._compare(llvmlite.__version__)


def test_a_version_that_describes_the_same_is_taken():
    llvm = opened(package("99.0"))
    assert "-" in told(llvm, llvm.GetDefaultTargetTriple)[1]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("ParseAssembly", (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)),
        ("CreateObjectFile", (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)),
        ("GetFunctionAddress", (ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)),
    ],
)
def test_a_version_that_describes_another_function_is_not(monkeypatch, name, other):
    monkeypatch.setitem(library._FUNCTIONS, name, other)
    with pytest.raises(ImportError, match=f"version 99.0 has another `{name}`"):
        opened(package("99.0"))


def test_a_library_that_lacks_a_function_is_told(monkeypatch):
    monkeypatch.setitem(library._FUNCTIONS, "NoSuchFunction", (None,))
    with pytest.raises(ImportError, match="has no `NoSuchFunction`"):
        opened(package())


def test_a_library_that_is_not_there_is_told(tmp_path):
    with pytest.raises(OSError, match=r"(?i)llvmlite"):
        opened(package(path=tmp_path))


def test_texts_are_given_and_what_is_wrong_with_one_is_told():
    llvm = opened(llvmlite)
    context = llvm.ContextCreate()
    module, text = told(llvm, llvm.ParseAssembly, context, b"define void @f() {\n  ret i32 1\n}")
    assert not module and "error" in text and "ret i32 1" in text
    module, text = told(llvm, llvm.ParseAssembly, context, b"")
    assert module and text == ""
    llvm.DisposeModule(module)
    llvm.ContextDispose(context)
    with pytest.raises(RuntimeError, match="ret i32 1"):
        engine.compile_text("define void @f() {\n  ret i32 1\n}")


def test_code_is_that_of_llvmlites_own_binding():
    binding = importlib.import_module("llvmlite.binding")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    text = (
        "define void @enter(ptr %p, i64 %n) {\nentry:\n  br label %head\nhead:\n"
        "  %i = phi i64 [0, %entry], [%j, %head]\n  %q = getelementptr double, ptr %p, i64 %i\n"
        "  %x = load double, ptr %q\n  %y = fmul double %x, %x\n  store double %y, ptr %q\n"
        "  %j = add i64 %i, 1\n  %m = icmp slt i64 %j, %n\n  br i1 %m, label %head, label %done\n"
        "done:\n  ret void\n}"
    )
    features = binding.get_host_cpu_features().flatten()
    assert processor._host() == (binding.get_host_cpu_name(), features)
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=f"{features},{processor._PREFERENCES}",
        opt=2,
        reloc="pic",
        codemodel="small",
    )
    module = binding.parse_assembly(text)
    module.triple = binding.get_default_triple()
    module.data_layout = str(machine.target_data)
    options = binding.create_pipeline_tuning_options(speed_level=1)
    options.loop_vectorization, options.slp_vectorization = True, False
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    with config.cpu.using("native"):
        assert engine.assembly(text) == machine.emit_assembly(module)
        assert engine.compile_text(text) == machine.emit_object(module)


@pytest.mark.skipif(sys.platform != "linux", reason="only there it is told what is loaded")
def test_other_threads_run_while_the_library_is_loaded():
    """The C library's `dlopen` is asked first, by a call that gives the interpreter's lock away."""
    program = (
        "import ctypes, sys, threading, llvmlite\n"
        "from runtime.execute.native import library\n"
        "is_there, opened = [], ctypes.CDLL.__init__\n"
        "def counted(self, name, **others):\n"
        "    if name is not None and not others:\n"
        "        is_there.append('libllvmlite' in open('/proc/self/maps').read())\n"
        "    opened(self, name, **others)\n"
        "ctypes.CDLL.__init__ = counted\n"
        "library.opened(llvmlite)\n"
        "print(is_there, 'llvmlite.binding' in sys.modules)\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[True] False\n"


def test_threads_may_open_it_at_the_same_time():
    found = []
    threads = [threading.Thread(target=lambda: found.append(opened(llvmlite))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({told(llvm, llvm.GetHostCPUName)[1] for llvm in found}) == 1 and len(found) == 4
