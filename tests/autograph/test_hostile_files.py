"""What `load` does with files that are damaged or made to do harm. Rows A04, E12."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.programs.loading import unpacked
from autograph.programs.saving import packed
from runtime import config

SCRIPT = Path(__file__).with_name("hostile.py")


def hostile(first: int, count: int) -> str:
    """Mutations in a process of their own, which must come to its end."""
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(first), str(count)], env=environment,
        capture_output=True, text=True, timeout=3000, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2000:]
    return done.stdout.splitlines()[-1]


@pytest.mark.skipif(importlib.util.find_spec("resource") is None, reason="POSIX only")
def test_mutations_neither_crash_nor_hang_nor_take_memory():
    words = hostile(0, 100).split()
    refused, good = int(words[2]), int(words[4])
    assert refused > 66 and good > 3


@pytest.mark.long
def test_ten_thousand_mutations():
    assert hostile(0, 10_000).startswith("10000 mutations")


# ---- particular files --------------------------------------------------------------------------

TABLE = np.linspace(0.0, 1.0, 50)


@ag.convert
def sample(x, n):
    i = 0
    while i < n:
        x = x[::-1] * TABLE[i]
        i += 1
    if x.sum() > 100.0:
        raise ValueError(f"{x} is too large")
    return x


@pytest.fixture(scope="module")
def parts() -> tuple[Any, dict[str, bytes]]:
    content = packed(sample, [ag.TensorSpec([None]), np.int64(1)])
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    return entries.pop("program.json"), entries


def archive_of(entries: list[tuple[str, bytes]], compression: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return stream.getvalue()


def refusal(content: bytes) -> str:
    with pytest.raises(ag.SavedProgramError) as caught:
        unpacked(io.BytesIO(content), "the/file.agz")
    assert caught.value.path == "the/file.agz"
    assert str(caught.value).startswith("the/file.agz: ")
    return caught.value.reason


def changed(parts: Any, change: Any) -> bytes:
    document, arrays = json.loads(parts[0]), parts[1]
    change(document)
    return archive_of([("program.json", json.dumps(document).encode()), *arrays.items()])


def nodes(document: Any, op: str) -> Any:
    """The first node of an op, in whatever graph."""
    todo = [document["signatures"][0]["graph"]]
    while todo:
        graph = todo.pop()
        for node in graph["nodes"]:
            if node["op"] == op:
                return node
            todo += node.get("graphs", [])
    raise AssertionError(op)


def test_other_files_are_no_programs(tmp_path):
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with pytest.raises(ag.SavedProgramError, match=r"image\.png: it is not a zip file"):
        ag.load(tmp_path / "image.png")
    with pytest.raises(ag.SavedProgramError, match="not a regular file"):
        ag.load("/dev/null")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.agz")
        with pytest.raises(ag.SavedProgramError, match="not a regular file"):
            ag.load(tmp_path / "pipe.agz")
    with pytest.raises(FileNotFoundError):
        ag.load(tmp_path / "nothing.agz")
    ag.Checkpoint(v=ag.Variable(1.0)).save(tmp_path / "v.agc")
    with pytest.raises(
        ag.SavedProgramError, match="of the format .autograph checkpoint., not .autograph program"
    ):
        ag.load(tmp_path / "v.agc")


@pytest.mark.parametrize(
    "name", ["../up.npy", "/etc/passwd", "a//b", "C:\\x", "a\\..\\b", "dir/", ""]
)
def test_names_that_lead_elsewhere_are_refused(parts, name):
    content = archive_of([("program.json", parts[0]), *parts[1].items()])
    extra = archive_of([("program.json", parts[0]), *parts[1].items(), (name or "x" * 300, b"")])
    assert unpacked(io.BytesIO(content))
    assert "name" in refusal(extra)


def test_an_entry_twice_is_refused(parts):
    with pytest.warns(UserWarning, match="Duplicate"):
        content = archive_of([("program.json", parts[0])] * 2)
    assert refusal(content) == "it is there twice"


def test_an_entry_that_nothing_refers_to_is_refused(parts):
    content = archive_of([("program.json", parts[0]), *parts[1].items(), ("run.py", b"import os")])
    assert refusal(content) == "nothing refers to its entry run.py"


def test_a_bomb_is_not_unpacked(parts):
    packed_zeros = archive_of([("program.json", b" " * 300_000_000)], zipfile.ZIP_DEFLATED)
    assert "more than the limit of" in refusal(packed_zeros)
    with config.max_saved_bytes.using(10_000):
        assert "AUTOGRAPH_MAX_SAVED_BYTES" in refusal(
            archive_of([("program.json", parts[0]), *parts[1].items()])
        )


def test_sizes_that_cannot_be_are_refused(parts):
    content = bytearray(archive_of([("program.json", parts[0]), *parts[1].items()]))
    directory = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, directory + 24, 2**31)
    assert "its size cannot be" in refusal(bytes(content))


def test_encrypted_entries_are_refused(parts):
    content = bytearray(archive_of([("program.json", parts[0])]))
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    assert refusal(bytes(content)) == "it is encrypted"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"format": NaN}', "NaN is no JSON"),
        (b'{"format": "autograph program", "format": "x"}', "the same key twice"),
        (b"\xff\xfe\x00", "invalid start byte"),
        (b"", "Expecting value"),
        (b"[]", "it does not say what the file is"),
        (b'{"format": "autograph program", "version": 99}', "it has version 99; this release"),
        (b'{"format": "autograph program", "version": 1e999}', "it has version inf"),
        (b'{"format": "autograph program", "version": ' + b"9" * 5000 + b"}", "digit"),
    ],
)  # fmt: skip
def test_documents_that_are_none(text, reason):
    assert reason in refusal(archive_of([("program.json", text)], zipfile.ZIP_DEFLATED))


def test_graphs_that_are_nested_too_deeply(parts):
    def change(document: Any) -> None:
        graph: Any = {"name": "g", "inputs": [], "nodes": [], "outputs": []}
        for _ in range(150):
            node = {"name": "c", "op": "call", "types": [], "graphs": [graph]}
            graph = {"name": "g", "inputs": [], "nodes": [node], "outputs": []}
        document["signatures"][0]["graph"]["nodes"][:0] = graph["nodes"]

    assert "nested too deeply" in refusal(changed(parts, change))


CODE = "__import__('os').abort()"


def set_attribute(op: str, name: str, value: Any) -> Any:
    def change(document: Any) -> None:
        nodes(document, op).setdefault("attributes", {})[name] = value

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (set_attribute("while", "maximum", CODE), "'maximum' of op `while` cannot be"),
        (set_attribute("while", "captures", -1), "expected at most"),
        (set_attribute("while", "captures", 10**9), "expected at most"),
        (set_attribute("while", f"x=1, y={CODE}", 1), "has no attribute"),
        (set_attribute("multiply", "xp", 1), "has no attribute"),
        (set_attribute("getitem", "index", [["int", CODE]]), "'index' of op `getitem` cannot be"),
        (set_attribute("getitem", "index", [["slice", CODE, None, None]]), "'index' of op"),
        (set_attribute("getitem", "index", [[CODE]]), "'index' of op `getitem` cannot be"),
        (set_attribute("sum", "axis", CODE), "'axis' of op `sum` cannot be"),
        (set_attribute("sum", "axis", 7), "its type rule refuses"),
        (set_attribute("sum", "axis", [0] * 5000), "its type rule refuses"),
        (set_attribute("sum", "dtype", {"dtype": "object"}), "there is no dtype 'object'"),
        (set_attribute("raise", "template", {"line": [[], " ", ""]}), "'template' of op"),
        (set_attribute("constant", "value", "text"), "'value' of op `constant` cannot be"),
        (set_attribute("constant", "value", [1, 2]), "'value' of op `constant` cannot be"),
        (lambda d: nodes(d, "sum").update(op="store"), "no operation of this version"),
        (lambda d: nodes(d, "sum").update(op="eval"), "no operation of this version"),
        (lambda d: nodes(d, "sum").update(op="argsort"), "of op `argsort` cannot be None"),
        (lambda d: nodes(d, "multiply").update(op="matmul"), "its type rule refuses"),
        (lambda d: nodes(d, "sum").update(types=["float32[]"]), "expected float32[], found float"),
        (lambda d: nodes(d, "sum").update(types=["float64[]"] * 2), "expected 2 results, found 1"),
        (lambda d: nodes(d, "sum").update(inputs=["sum"]), "used before it is defined"),
        (lambda d: nodes(d, "sum").update(graphs=[dict(nodes(d, "cond"))]), "graphs of op"),
        (lambda d: nodes(d, "cond").update(graphs=[]), "graphs of op `cond` is wrong"),
        (lambda d: nodes(d, "sum").update(types=["float64[9999999999999999999999]"]), "no shape"),
        (lambda d: nodes(d, "sum").update(types=[f"float64[{'1, ' * 99}1]"]), "no shape"),
        (lambda d: nodes(d, "sum").update(types=["stack<" * 50 + "int" + ">" * 50]), "too deeply"),
        (lambda d: nodes(d, "sum").update(at=[0, 10**9, "f"]), "line of a place"),
        (lambda d: nodes(d, "sum").update(at=[0, 1, "f\x1b[2J"]), "no such name"),
        (lambda d: d["files"][0].update(name="/dev/zero"), "a file has no such name"),
        (lambda d: d["files"][0]["lines"].update({"5": "\x1b[2J"}), "is no line of text"),
        (lambda d: d["files"][0]["lines"].update({"99999999999": ""}), "is no number of a line"),
        (lambda d: d["captured"].append(d["captured"][0]), "have the same array"),
        (lambda d: d["signatures"][0].update(written=[0]), "outputs"),
        (lambda d: d["signatures"][0].update(identities=[[0, 99]]), "position of an input"),
        (lambda d: d["signatures"][0].update(outputs=-1), "number of results"),
        (lambda d: d["signatures"].append(d["signatures"][0]), "the same name"),
        (lambda d: d["parameters"].reverse(), "not those of the function"),
        (lambda d: d["parameters"][0].update(name="x: 1"), "is no parameter"),
        (lambda d: d.update(signatures=[]), "a name and signatures"),
        (lambda d: d.update(name="\n"), "a name and signatures"),
        (lambda d: d.update(extra=1), "unknown member 'extra'"),
    ],
)  # fmt: skip
def test_documents_with_one_wrong_part(parts, change, reason):
    found = refusal(changed(parts, change))
    assert any(words in found for words in reason.split("|")), found


# One value of each type that a document can hold.
OF_ALL_TYPES = (
    None, True, 3, 10**30, 1.5, "x", [], [1], [["a"]], {"float": "nan"}, {"complex": [1.0, 2.0]},
    {"dtype": "float32"}, {"list": [1]}, {"dict": [["a", 1]]}, {"set": [1]}, {"bytes": "00"},
    {"slice": [None, None, 0]}, {"range": [0, 3, 1]}, {"ellipsis": True}, {"type": "float64[]"},
    {"scalar": "float64", "value": 1.0}, {"array": {"type": "float64[1]", "data": [1.0]}},
    {"line": [["a"], " ", ""]}, {"summary": [["a"], " ", "", 3]}, {"writes": []}, {"text": ["a"]},
    {"class": {"module": "builtins", "name": "ValueError"}},
    {"exception": {"class": {"module": "builtins", "name": "KeyError"}, "args": []}},
)  # fmt: skip


@ag.convert
def with_many_nodes(x, n):
    print("a line", x[0], f"{n:>4}")
    try:
        x[0] = 2.0
        if x[1] > 100.0:
            raise ValueError("too large", n)
        y = np.cumsum(x.reshape(2, -1)[:, ::-1], axis=1)
    except ValueError:
        y = np.ones((2, 2)) * n
    for i in range(20):
        y = np.roll(y, 1, axis=0).clip(0, 50 + i) + np.zeros((2, 2))
    return np.concatenate([y, y.astype(np.float32)], axis=0).sum(axis=0, keepdims=True)


def test_attributes_of_every_type_are_refused_or_run(capsys):
    """What is loaded does what its operations do, or raises what they raise: of values, not types."""
    content = packed(with_many_nodes, [np.arange(4.0), np.int64(2)])
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        arrays = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(arrays.pop("program.json"))
    todo, seen = [document["signatures"][0]["graph"]], set()
    while todo:
        for node in todo.pop()["nodes"]:
            todo += node.get("graphs", [])
            for name, value in node.get("attributes", {}).items():
                if (node["op"], name) in seen:
                    continue
                seen.add((node["op"], name))
                for other in OF_ALL_TYPES:
                    node["attributes"][name] = other
                    text = json.dumps(document).encode()
                    made = archive_of([("program.json", text), *arrays.items()])
                    _refused_or_run(made, f"{node['op']}.{name} = {other}")
                node["attributes"][name] = value
    assert {
        ("print", "file"),
        ("print", "render"),
        ("pending", "write"),
        ("try", "clauses"),
    } <= seen


def _refused_or_run(content: bytes, what: str) -> None:
    try:
        unpacked(io.BytesIO(content))(np.arange(4.0), np.int64(2))
    except (ag.SavedProgramError, ArithmeticError, ValueError, LookupError):
        return  # it is refused, or an operation refuses a value
    except Exception as error:
        raise AssertionError(what) from error


def test_an_array_that_is_another_one_is_refused(parts):
    (name,) = parts[1]
    for other, reason in [
        (np.zeros(50, np.float32), "expected an array of float64 (50,), found one of float32"),
        (np.zeros(51), "found one of float64 (51,)"),
        (np.array([None] * 50), "header of the array is damaged"),
    ]:
        stream = io.BytesIO()
        np.save(stream, other, allow_pickle=True)
        content = archive_of([("program.json", parts[0]), (name, stream.getvalue())])
        assert reason in refusal(content)
    cut = archive_of([("program.json", parts[0]), (name, parts[1][name][:-8])])
    assert "expected 400 bytes of an array, found 392" in refusal(cut)


@pytest.mark.parametrize("module", ["os", "subprocess", "builtins"])
@pytest.mark.parametrize("name", ["system", "Popen", "SystemExit", "eval", "path.join"])
def test_only_classes_of_exceptions_are_raised(parts, module, name):
    template = {"exception": {"class": {"module": module, "name": name}, "args": ["true"]}}

    def change(document: Any) -> None:
        nodes(document, "raise")["attributes"]["template"] = template

    content = changed(parts, change)
    if (module, name) == ("builtins", "SystemExit"):
        assert "is no Exception" in refusal(content)
        return
    with pytest.raises(ag.ForeignError):
        unpacked(io.BytesIO(content))(np.full(3, 1e9), np.int64(0))


def test_lookups_of_classes_run_no_code_of_modules(parts, monkeypatch):
    module = type(sys)("lazy")
    module.__getattr__ = lambda name: os.abort()  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "lazy", module)
    template = {"exception": {"class": {"module": "lazy", "name": "Error.Inner"}, "args": []}}
    content = changed(parts, set_attribute("raise", "template", template))
    with pytest.raises(ag.ForeignError):
        unpacked(io.BytesIO(content))(np.full(3, 1e9), np.int64(0))


def test_names_cannot_become_code(parts):
    """Names of values, graphs and functions are free, and generated code is made of safe ones."""

    def change(document: Any) -> None:
        graph = document["signatures"][0]["graph"]
        graph["name"] = f"f(): pass; {CODE}; def g"
        for row in graph["inputs"]:
            row["names"] = [f"x, {CODE}"]
        for node in graph["nodes"]:
            node["names"] = [f"v = {CODE} #"] * len(node["types"])
            if "at" in node:
                node["at"][2] = f"f; {CODE}"

    program = unpacked(io.BytesIO(changed(parts, change)))
    x = np.arange(3.0)
    np.testing.assert_array_equal(program(x, np.int64(2)), sample(x, np.int64(2)))
    assert "abort()" not in program.signatures["call"].lower("plan")


def test_texts_cannot_become_code(parts):
    def change(document: Any) -> None:
        found = nodes(document, "raise")["attributes"]["template"]["exception"]
        found["args"] = [f"' + {CODE} + '", "\\", '"""', "\ud800", "{0.__class__}"]

    program = unpacked(io.BytesIO(changed(parts, change)))
    with pytest.raises(ValueError) as caught:
        program(np.full(3, 1e9), np.int64(0))
    assert caught.value.args == (f"' + {CODE} + '", "\\", '"""', "\ud800", "{0.__class__}")


def test_loading_runs_nothing(parts, monkeypatch):
    """Constant expressions of a file are computed when it runs, not before."""
    content = archive_of([("program.json", parts[0]), *parts[1].items()])
    run = "runtime.autodiff.compiled.Differentiable.run"
    monkeypatch.setattr(run, property(lambda self: os.abort()))
    unpacked(io.BytesIO(content))


def test_a_refused_file_leaves_no_trace(parts):
    import linecache

    before = dict(linecache.cache)
    refusal(changed(parts, lambda d: d["signatures"][0].update(outputs=99)))
    assert {k for k in linecache.cache if k.startswith("<file.agz")} == {
        k for k in before if k.startswith("<file.agz")
    }  # fmt: skip
