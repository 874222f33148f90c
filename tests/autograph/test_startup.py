"""Tests of what `import autograph` brings along."""

import os
import subprocess
import sys

import pytest

import autograph as ag

# Each of these would take more of the time of the import than most of our own packages.
HEAVY = {
    "argparse", "asyncio", "concurrent", "email", "hashlib", "http", "multiprocessing",
    "pandas", "scipy", "shutil", "sqlite3", "tempfile", "unittest", "urllib", "xml", "zipfile",
}  # fmt: skip


@pytest.mark.parametrize("module", ["autograph", "autograph.tf"])
def test_the_import_brings_nothing_heavy_along_but_numpy(module):
    program = (
        f"import sys, numpy; before = {{*sys.modules}}; import {module}\n"
        "print(*{name.split('.')[0] for name in {*sys.modules} - before})"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "autograph" in run.stdout.split()
    assert HEAVY.isdisjoint(run.stdout.split())


def test_the_compiler_waits_for_its_first_use():
    program = (
        "import sys, autograph as ag\n"
        "waits = {'autograph.operators', 'autograph.functions'}\n"
        "x = ag.constant([1.0, 2.0])\n"
        "assert ag.grad(lambda x: ag.sum(x * x))(x).numpy().tolist() == [2.0, 4.0]\n"
        "assert waits.isdisjoint(sys.modules)\n"
        "f = ag.convert(lambda x: x if x > 0 else -x)\n"
        "assert waits <= {*sys.modules}\n"
        "assert f(-2.0) == 2.0\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_file_of_converted_text_needs_the_operators_alone(tmp_path):
    (tmp_path / "called.py").write_text("def g(x):\n    return x + 1 if x > 0 else x\n")
    source = "import called\n\n\ndef f(x):\n    return called.g(x) * 2\n"
    (tmp_path / "caller.py").write_text(source)
    paths = os.pathsep.join([str(tmp_path), *sys.path])

    def run(*arguments):
        command = [sys.executable, *arguments]
        environment = {**os.environ, "PYTHONPATH": paths}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        return done.stdout

    (tmp_path / "dumped.py").write_text(run("-m", "autograph", "dump", f"{tmp_path}/caller.py"))
    assert run("-c", "import dumped; print(dumped.f(1.5))") == "5.0\n"


def test_the_front_end_waits_for_the_first_conversion():
    program = (
        "import sys, autograph as ag\n"
        "waits = {'gast', 'astunparse', 'autograph.converters', 'autograph.frontend.one_function'}\n"
        "assert waits.isdisjoint(sys.modules)\n"
        "ag.constant(1.0) + 1.0; ag.Variable(2.0)\n"
        "assert waits.isdisjoint(sys.modules)\n"
        "ag.convert_source('def f(x): return x')\n"
        "assert 'gast' in sys.modules and 'autograph.frontend.one_function' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_converts_waits_for_a_function_that_is_not_kept(tmp_path):
    (tmp_path / "caller.py").write_text(
        "import sys, autograph as ag\n"
        "f = ag.convert(lambda x: x * 2 if x > 0 else -x)\n"
        "print(f(-3.0), {'gast', 'astunparse', 'autograph.converters'} & {*sys.modules} or None)\n"
    )
    command = [sys.executable, str(tmp_path / "caller.py")]
    environment = os.environ | {"AUTOGRAPH_CACHE_DIR": str(tmp_path / "kept")}
    outputs = [
        subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
        for _ in range(2)
    ]
    assert outputs[0].startswith("3.0 {") and "gast" in outputs[0]
    assert outputs[1] == "3.0 None\n"


def test_names_that_wait_are_found_and_listed():
    assert ag.save.__module__ == "autograph.programs.saving"
    assert sorted({*ag.__all__, "e", "inf", "nan", "newaxis", "pi"}) == dir(ag)
    assert all(hasattr(ag, name) for name in ag.__all__)


def test_other_names_are_not_found():
    with pytest.raises(AttributeError, match="module 'autograph' has no attribute 'nonsense'"):
        ag.nonsense  # noqa: B018
