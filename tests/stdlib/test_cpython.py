"""Converted modules of the standard library pass CPython's own tests for them.

Each module runs in a process of its own, first as it is, then converted, with its C accelerator
blocked both times. What became of each test must be the same, and at least 80 % of the converted
functions must have run.
"""

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("substitution.py")
SHARE_EXECUTED = 0.8

STACK = "shows the frames of operators"
DEPTH = "recurses to the limit of Python, which the frames of operators reach sooner"
RUNTIME = "finds the imported runtime among the names of the module"


@dataclass(frozen=True)
class Subject:
    """Modules that are converted, the tests that are run, and what may differ and why."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    blocked: tuple[str, ...] = ()
    differences: dict[str, str] = field(default_factory=dict)


def subject(*modules, tests=None, blocked=(), differences=None):
    names = tests or (f"test_{modules[0]}",)
    return Subject(
        modules,
        tuple(f"test.{name}" for name in names),
        tuple(blocked),
        differences or {},
    )


QUICK = [
    subject("bisect", blocked=["_bisect"]),
    subject("colorsys"),
    subject("fractions"),
    subject("textwrap"),
]

LONG = [
    subject("heapq", blocked=["_heapq"]),
    subject("statistics", blocked=["_statistics"]),
    subject("difflib"),
    subject("json", "json.decoder", "json.encoder", "json.scanner", "json.tool"),
    subject("random"),
    subject("calendar"),
    subject("string"),
    subject("fnmatch"),
    subject("graphlib"),
    subject("configparser"),
    subject("csv"),
    subject("copy"),
    subject("dataclasses"),
    subject("datetime", *(["_pydatetime"] if sys.version_info >= (3, 12) else []), "_strptime"),
    subject("enum"),
    subject(
        "functools",
        blocked=["_functools"],
        differences={"test.test_functools.TestLRUPy.test_lru_recursion": DEPTH},
    ),
    subject("base64"),
    subject("ipaddress"),
    subject("optparse"),
    subject(
        "pathlib",
        *(["pathlib._local"] if sys.version_info >= (3, 13) else []),
        differences={
            f"test.test_pathlib.{name}_above_recursion_limit": DEPTH
            for name in (
                "PathTest.test_glob",
                "PathSubclassTest.test_glob",
                "PosixPathTest.test_glob",
                "WindowsPathTest.test_glob",
                "WalkTests.test_walk",
            )
        },
    ),
    subject(
        "plistlib",
        differences={"test.test_plistlib.TestBinaryPlistlib.test_deep_nesting": DEPTH},
    ),
    subject("pprint"),
    subject("reprlib"),
    subject(
        "typing",
        differences={"test.test_typing.ForwardRefTests.test_forward_recursion_actually": DEPTH},
    ),
    subject("urllib.parse", tests=["test_urlparse"]),
    subject("weakref"),
    subject("xml.etree.ElementTree", tests=["test_xml_etree"], blocked=["_elementtree"]),
    subject("zipfile"),
    subject(
        "operator",
        blocked=["_operator"],
        differences={
            "test.test_operator.COperatorTestCase.test___all__": RUNTIME,
            "test.test_operator.PyOperatorTestCase.test___all__": RUNTIME,
        },
    ),
    subject("argparse"),
    subject("cmd"),
    subject(
        "collections",
        tests=[
            "test_collections",
            "test_defaultdict",
            "test_deque",
            "test_ordered_dict",
            "test_userdict",
            "test_userlist",
            "test_userstring",
        ],
    ),
    subject(
        "contextlib",
        tests=["test_contextlib", "test_contextlib_async"],
        differences={
            "test.test_contextlib.TestExitStack.test_exit_exception_traceback": STACK,
            "test.test_contextlib_async.TestAsyncExitStack.test_exit_exception_traceback": STACK,
        },
    ),
    subject(
        "decimal",
        "_pydecimal",
        differences={"test.test_decimal.SignatureTest.test_inspect_module": RUNTIME},
    ),
    subject(
        "email.message",
        "email.header",
        "email.utils",
        "email._header_value_parser",
        tests=["test_email"],
    ),
    subject("filecmp"),
    subject("fileinput"),
    # From 3.13 on half of it is for pathlib, whose tests are another subject.
    *([subject("glob")] if sys.version_info < (3, 13) else []),
    subject("gzip"),
    subject("hmac"),
    subject("http.cookies", tests=["test_http_cookies"]),
    subject("inspect"),
    subject("linecache"),
    subject("mimetypes"),
    subject("queue", blocked=["_queue"]),
    subject("re", "re._parser", "re._compiler"),
    subject("sched"),
    subject("secrets"),
    subject("shutil"),
    subject("symtable"),
    subject("tarfile"),
    subject("timeit"),
    # From 3.12 on the tokenizer itself is C.
    *([subject("tokenize")] if sys.version_info < (3, 12) else []),
    subject("uuid"),
    subject("warnings", blocked=["_warnings"]),
    subject("pickle", blocked=["_pickle"]),
    subject("posixpath", "genericpath", tests=["test_posixpath", "test_genericpath"]),
    subject(
        "traceback",
        differences={
            "test.test_traceback.TestStack.test_custom_format_frame": STACK,
            "test.test_traceback.TestStack.test_format_locals": STACK,
            "test.test_traceback.CExcReportingTests.test_exception_group_depth_limit": DEPTH,
            "test.test_traceback.PyExcReportingTests.test_exception_group_depth_limit": DEPTH,
        },
    ),
]


def named(subjects):
    return [pytest.param(each, id=each.modules[0]) for each in subjects]


@pytest.mark.parametrize("subject", named(QUICK))
def test_converted_modules_are_as_green_as_before(subject, capsys, tmp_path):
    compare(subject, capsys, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("subject", named(LONG))
def test_more_converted_modules_are_as_green_as_before(subject, capsys, tmp_path):
    compare(subject, capsys, tmp_path)


def compare(subject, capsys, folder):
    require_tests(subject)
    before = outcomes(subject, folder, converted=False)
    after = outcomes(subject, folder, converted=True)
    share = len(after["executed"]) / len(after["converted"])
    passed = sum(outcome == "passed" for outcome in after["outcomes"].values())
    with capsys.disabled():
        print(
            f"\n{', '.join(subject.modules)}: {passed} tests passed, {len(after['executed'])} of "
            f"{len(after['converted'])} converted functions executed ({share:.0%})"
        )
    assert before["outcomes"], "no test was found"
    assert not differences(subject, before, after)
    assert share >= SHARE_EXECUTED, sorted(name for _, name, _ in not_executed(after))


def not_executed(result):
    return {tuple(each) for each in result["converted"]}.difference(map(tuple, result["executed"]))


def require_tests(subject):
    for name in ("test", *subject.tests):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"this Python comes without {name}")


def differences(subject, before, after):
    """The tests that fared otherwise, with what they said."""
    found = {}
    for name in sorted({*before["outcomes"], *after["outcomes"]}):
        plain, converted = before["outcomes"].get(name), after["outcomes"].get(name)
        if plain != converted and name not in subject.differences:
            found[name] = (plain, converted, after["details"].get(name, "")[-1500:])
    return found


def outcomes(subject, folder, *, converted):
    task = {
        "modules": subject.modules,
        "tests": subject.tests,
        "blocked": subject.blocked,
        "converted": converted,
    }
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), json.dumps(task)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])
