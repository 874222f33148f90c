"""Tests of what is brought in ahead of the first graph, each in a process of its own."""

import os
import subprocess
import sys
import threading

import pytest

from runtime import warm_up

BEGIN = "import sys, threading, autograph as ag\nf = ag.convert(lambda x: x * x + 2.0)\n"


def run(program, **environment):
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    assert done.stderr == ""
    return done.stdout


def test_the_first_conversion_brings_the_native_backend_in(tmp_path):
    program = (
        f"{BEGIN}"
        "from runtime import warm_up\n"
        "warm_up.finish()\n"
        "from runtime.execute.native import library\n"
        "print(library.is_in_use(), 'runtime.lowering.prepare' in sys.modules)\n"
        "assert 'runtime.lowering.kept' in sys.modules\n"
        "before = {*sys.modules}\n"
        "kept = sys.modules['runtime.lowering.kept']\n"
        "assert kept._sources.cache_info().currsize == 1\n"
        "assert f(3.0) == 11.0\n"
        "print([name for name in {*sys.modules} - before if name.startswith('runtime')])\n"
    )
    # Nothing was kept, so the graph has to be lowered.
    cold = run(program, AUTOGRAPH_CACHE_DIR=str(tmp_path / "new")).splitlines()
    assert cold == ["True True", "[]"]
    # The entry and the graph are there now: nothing is left for LLVM, and nothing is lowered.
    assert run(program, AUTOGRAPH_CACHE_DIR=str(tmp_path / "new")) == "False False\n[]\n"
    # Of another graph it is not known before it is traced whether it has to be lowered.
    other = program.replace("x * x + 2.0", "x * x * x + 2.0").replace("== 11.0", "== 29.0")
    mixed = run(other, AUTOGRAPH_CACHE_DIR=str(tmp_path / "new")).splitlines()
    assert mixed[0] == "False False" and "runtime.lowering.prepare" in mixed[1]


def test_who_waits_for_llvm_imports_what_lowers_graphs(tmp_path):
    program = (
        "import sys, threading\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'runtime.lowering.prepare':\n"
        "            print(threading.current_thread() is threading.main_thread())\n"
        "sys.meta_path.insert(0, Finder())\n"
        # The thread compiles the entry when this one asks for what it brings in.
        "from runtime.execute.native import prepared\n"
        "asked, make = threading.Event(), prepared.entry\n"
        "prepared.entry = lambda: (asked.wait(60), make())[1]\n"
        f"{BEGIN}"
        "from runtime import warm_up\n"
        "ask = warm_up._is_ready.wait\n"
        "warm_up._is_ready.wait = lambda: (asked.set(), ask())\n"
        "print(f(3.0))\n"
    )
    folder = {"AUTOGRAPH_CACHE_DIR": str(tmp_path / "new")}
    assert run(program, **folder) == "True\n11.0\n"
    # The entry and the graph are kept now.
    assert run(program.replace("asked.wait(60)", "0"), **folder) == "11.0\n"


def test_what_large_graphs_need_is_ready_where_it_is_kept(tmp_path):
    ready = (
        f"{BEGIN}from runtime import warm_up\nwarm_up.wait()\n"
        "from runtime.execute.native import blocks, library, pool\n"
        "print([m._code.cache_info().currsize for m in (pool, blocks)], library.is_in_use())\n"
    )
    small = (
        "from runtime.execute.native import prepared\n"
        "prepared.bring_in_more = lambda *asked: None\n"
        f"{BEGIN}f(3.0)\n"
    )
    large = (
        "import numpy as np, autograph as ag\n"
        "x = np.ones((700, 700))\n"
        "g = ag.convert(lambda x: np.cumsum(x @ x, axis=0).T @ x)\n"
        "assert g(x)[0, 0] == 700 * 701 / 2 * 700\n"
    )
    folder = {"AUTOGRAPH_CACHE_DIR": str(tmp_path / "new")}
    run(small, **folder)
    assert run(ready, **folder) == "[0, 0] False\n"
    run(large, **folder)
    assert run(ready, **folder) == "[1, 1] False\n"


def test_a_program_that_calls_at_once_has_what_large_graphs_need_made_meanwhile(tmp_path):
    """The second processor is not used until the first graph is lowered."""
    begin = "from runtime.execute.native import prepared\nprepared.cores = lambda: 2\n"
    finish = "from runtime import warm_up\nwarm_up.finish()\n"
    folder = {"AUTOGRAPH_CACHE_DIR": str(tmp_path / "new")}
    run(f"{begin}{BEGIN}f(3.0)\n{finish}", **folder)
    count = (
        f"{BEGIN}f(3.0)\nfrom runtime.execute.native import blocks, pool\n"
        "print([m._code.cache_info().currsize for m in (pool, blocks)])\n"
    )
    assert run(count, **folder) == "[1, 1]\n"


def test_the_end_of_a_program_does_not_wait_for_what_nobody_needs(tmp_path):
    program = (
        "import threading\n"
        "from runtime.execute.native import engine, prepared\n"
        "prepared.cores = lambda: 2\n"
        "engine.warm_up = lambda: threading.main_thread().join()\n"
        "prepared._quickly = lambda text: print('is made')\n"
        f"{BEGIN}print(f(3.0))\n"
    )
    assert run(program, AUTOGRAPH_CACHE_DIR=str(tmp_path / "new")) == "11.0\n"


def test_what_large_graphs_need_is_made_where_there_is_time(tmp_path):
    finish = f"{BEGIN}from runtime import warm_up\nwarm_up.finish()\n"
    count = (
        "from runtime.execute.native import blocks, pool\n"
        "print([m._code.cache_info().currsize for m in (pool, blocks)])\n"
    )
    folder = {"AUTOGRAPH_CACHE_DIR": str(tmp_path / "new")}
    assert run(finish + count, **folder) == "[0, 0]\n"  # compiled, not loaded
    assert run(finish + count, **folder) == "[1, 1]\n"


@pytest.mark.parametrize("switch", [{"AUTOGRAPH_NATIVE": "0"}, {"AUTOGRAPH_BACKEND": "plan"}])
def test_no_thread_is_started_where_native_code_is_off(switch):
    count = "print(threading.active_count(), 'runtime.lowering' in sys.modules, f(3.0))\n"
    assert run(BEGIN + count, **switch) == "1 False 11.0\n"


def test_the_import_and_eager_use_start_no_thread():
    program = (
        "import threading, autograph as ag\n"
        "from autograph import convert\n"
        "ag.sum(ag.constant([1.0, 2.0]))\n"
        "print(threading.active_count())\n"
    )
    assert run(program) == "1\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_child_that_is_forked_at_once_can_call(tmp_path):
    program = (
        f"import os\n{BEGIN}"
        "child = os.fork()\n"
        # One write each: what two processes print is otherwise mixed, where output is not buffered.
        "os.write(1, f'{f(3.0)}\\n'.encode())\n"
        "if child:\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
    )
    for k in range(3):
        assert run(program, AUTOGRAPH_CACHE_DIR=str(tmp_path / str(k))) == "11.0\n11.0\n"


def test_what_fails_ahead_is_told_where_it_is_needed():
    program = (
        "import sys\nsys.modules['llvmlite'] = None\n"
        f"{BEGIN}print(f(3.0), 'llvmlite cannot be imported' in str(f.explain(3.0)))\n"
    )
    assert run(program) == "11.0 True\n"


def test_a_thread_that_cannot_be_started_is_not_missed(monkeypatch):
    def start(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    warm_up._begun.cache_clear()
    try:
        warm_up.begin()
        warm_up.wait()
    finally:
        warm_up._begun.cache_clear()
