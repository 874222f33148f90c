"""Code whose text is not at hand, and code that no graph can be made of (S19)."""

import asyncio
import contextlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import innermost_line

ROOT = Path(__file__).parents[2]

# What the interactive shell of Python 3.13 does with each statement that is typed.
SHELL = """
import linecache
from _pyrepl.console import InteractiveColoredConsole

console = InteractiveColoredConsole({"__name__": "__main__"})
for number, statement in enumerate([
    "import autograph as ag",
    "@ag.convert\\ndef f(x):\\n    return x if x > 0 else -x\\n",
    "print(f(-2.0), ag.convert(lambda x: x * 2 if x > 0 else x)(3.0))",
]):
    name = f"<python-input-{number}>"
    linecache._register_code(name, statement + "\\n", "<stdin>")
    console.push(statement, filename=name, _symbol="single")
"""


def of_nowhere(text, name):
    space = {"__name__": "nowhere"}
    exec(text, space)
    return space[name]


@pytest.mark.skipif(sys.version_info < (3, 13), reason="older shells keep no text")
def test_s19_what_is_typed_in_the_shell_is_found():
    run = subprocess.run(
        [sys.executable, "-c", SHELL], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (run.stdout, run.stderr) == ("2.0 6.0\n", "")


@pytest.mark.parametrize("kind", ["function", "lambda", "method", "class"])
def test_s19_what_has_no_text_is_refused_where_it_is_decorated(kind):
    things = {
        "function": of_nowhere("def f(x):\n    return -x if x < 0 else x\n", "f"),
        "lambda": of_nowhere("f = lambda x: -x if x < 0 else x", "f"),
        "method": of_nowhere("class C:\n    def f(self, x):\n        return x\nf = C().f", "f"),
        "class": of_nowhere("class C:\n    def __call__(self, x):\n        return x\nc = C()", "c"),
    }
    with pytest.raises(
        ag.SourceUnavailableError, match="ag.convert_source|autograph.convert_source"
    ):
        ag.convert(things[kind])(np.float64(1.0))


SAME_NAME = """\
def f(x): return x + 1
import autograph as ag
space = {}
exec("def f(x): return x * 10", space)
try:
    print(ag.convert(space["f"])(2.0))
except ag.SourceUnavailableError:
    print("no text", ag.convert(f)(2.0))
"""


def test_s19_the_text_of_the_command_line_is_not_taken_for_that_of_exec():
    # From Python 3.13 on, `linecache` has the former under the name that both have.
    run = subprocess.run(
        [sys.executable, "-c", SAME_NAME], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (run.stdout, run.stderr) == ("no text 3.0\n", "")


def test_s19_convert_source_is_the_way_out():
    text = "def f(x):\n    return -x if x < 0 else x\n"
    with pytest.raises(ag.SourceUnavailableError, match="convert_source"):
        ag.convert(of_nowhere(text, "f"))
    assert ag.convert(ag.convert_source(text).f)(np.float64(-3.0)) == 3.0


def test_s19_a_callee_without_text_runs_where_nothing_is_staged():
    callee = of_nowhere("def f(x):\n    return x[::-1]\n", "f")
    assert ag.convert(lambda text: callee(text) + "!")("abc") == "cba!"
    with pytest.raises(ag.StagingError, match=r"`f`|nowhere\.f") as caught:
        ag.convert(lambda x: callee(x) + 1.0)(np.ones(2))
    assert Path(__file__).name in str(caught.value)


@ag.do_not_convert
def sign(x):
    if x > 0:  # refused
        return 1.0
    return -1.0


def test_s19_a_tensor_as_a_bool_in_code_that_is_not_converted_is_refused():
    with pytest.raises(ag.StagingError) as caught:
        ag.convert(lambda x: x * sign(x * 2.0))(np.float64(3.0))
    text = str(caught.value)
    assert "in `sign`" in text and "`if`" in text and "known only when the graph runs" in text
    line = innermost_line(caught.value, __file__)
    assert "# refused" in Path(__file__).read_text().splitlines()[line - 1]


async def coroutine(x):
    return x


async def asynchronous(x):
    yield x


def generator(x):
    yield x


@pytest.mark.parametrize("function", [coroutine, asynchronous, generator])
def test_s19_what_gives_its_values_later_is_refused_where_it_is_decorated(function):
    with pytest.raises(ag.UnsupportedSyntaxError) as caught:
        ag.convert(function)
    line = function.__code__.co_firstlineno
    assert re.search(rf"test_no_source\.py:{line}\b", str(caught.value))
    assert f"`{function.__name__}`" in str(caught.value)


def test_s19_as_callees_they_are_what_they_were():
    async def collected():
        return [x async for x in asynchronous(3)]

    def f():
        return asyncio.run(coroutine(2)), asyncio.run(collected()), list(generator(4))

    assert ag.to_graph(f)() == f() == (2, [3], [4])


TYPED = """\
import numpy as np
import autograph as ag
@ag.convert
def f(x):
    total = 0.0
    for v in x:
        if v > 0:
            total = total + v
    return total

class C:
    def m(self, x):
        return x * 2 if x > 0 else x

print("=", f(np.array([1.0, -2.0, 3.0])), ag.convert(C().m)(np.float64(3)), end=";")
print("=", ag.convert(lambda x: x + 1 if x > 0 else x)(np.float64(1)), end=";")
exit()
"""


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="that shell keeps the text")
@pytest.mark.skipif(not importlib.util.find_spec("readline"), reason="nothing keeps what is typed")
@pytest.mark.parametrize("shell", [["-q"], ["-c", "import code, readline; code.interact('')"]])
def test_s19_what_is_typed_at_a_prompt_is_found(shell):
    ours, theirs = os.openpty()
    run = subprocess.Popen(
        [sys.executable, *shell], cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "TERM": "dumb", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, TYPED.encode())
    seen = b""
    with contextlib.suppress(OSError):  # when the shell has ended
        while part := os.read(ours, 4096):
            seen += part
    run.wait()
    os.close(ours)
    assert re.findall(r"= ([\d. ]+);", seen.decode()) == ["4.0 6.0", "2.0"], seen.decode()


@pytest.mark.parametrize("option", ["-", "-i"])
def test_s19_the_file_that_is_the_standard_input_is_found(option, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(TYPED)
    with program.open() as file:
        run = subprocess.run(
            [sys.executable, option], cwd=ROOT, stdin=file, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    assert re.findall(r"= ([\d. ]+);", run.stdout) == ["4.0 6.0", "2.0"], run.stderr


def test_s19_of_what_comes_through_a_pipe_the_message_says_what_to_type():
    run = subprocess.run(
        [sys.executable, "-"], cwd=ROOT, input=TYPED, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert run.stderr.endswith(
        "    text = '''def f(...): ...'''\n"
        "    f = autograph.convert(autograph.convert_source(text).f)\n"
    )
