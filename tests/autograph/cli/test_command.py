"""What all commands share: arguments, exit statuses, the two ways to call them."""

import subprocess
import sys

import pytest

from autograph.cli import main
from autograph.cli.command import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    assert f"autograph {name}" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["no-such"], ["dump"], ["diff", "--no-such", "x.py"]])
def test_wrong_use_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: autograph" in capsys.readouterr().err


def test_a_bad_path_is_one_line_of_error(capsys):
    assert main(["dump", "no/such.py"]) == 2
    assert capsys.readouterr().err == "autograph dump: error: no/such.py: no such file or folder\n"


def test_python_m_autograph_is_the_command(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "autograph", "dump", "no/such.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("autograph dump: error:")


def test_a_reader_that_has_gone_is_no_crash(tmp_path):
    (tmp_path / "long.py").write_text("def f(x):\n    return x\n" * 2000)
    command = [sys.executable, "-m", "autograph", "dump", str(tmp_path / "long.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        error = process.stderr.read()
    assert b"Traceback" not in error
    assert b"Exception ignored" not in error


def test_what_a_module_raises_is_one_line_and_all_on_request(tmp_path, capsys):
    file = tmp_path / "failing.py"
    file.write_text("def f(x):\n    return 1 / x\n\nf(0)\n")
    for command in ("run", "graph", "explain"):
        assert main([command, f"{file}:f"]) == 2
        told = capsys.readouterr().err
        assert told.startswith(f"autograph {command}: error: {file}:2: ZeroDivisionError: division")
        assert told.count("\n") == 1
    assert main(["run", f"{file}:f", "--traceback"]) == 2
    told = capsys.readouterr().err
    assert "Traceback (most recent call last)" in told and 'failing.py", line 4' in told
