"""For a run of Keras' tests: our backend, and the tests that are left out."""

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest

import autograph.keras  # noqa: F401 - before Keras
from tests.keras.test_keras import is_excluded


def pytest_ignore_collect(collection_path):
    """Leave out a file that needs at its top what is not installed."""
    if collection_path.suffix != ".py" or not collection_path.name.endswith("_test.py"):
        return None
    return True if any(map(_is_missing, _imports(collection_path))) else None


def _imports(path: Path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _is_missing(name):
    return find_spec(name.partition(".")[0]) is None


def pytest_collection_modifyitems(config, items):
    left = [item for item in items if is_excluded(_name(item))]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def _name(item):
    """A test by its file in Keras' sources."""
    return f"{item.path.as_posix().rpartition('/keras/src/')[2]}::{item.nodeid.partition('::')[2]}"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    """Skip a test that imports in its body what is not installed."""
    error = call.excinfo.value if call.excinfo is not None else None
    if isinstance(error, ModuleNotFoundError) and _is_missing(error.name or ""):
        call.excinfo = pytest.ExceptionInfo.from_exc_info(_skipped(f"needs {error.name}"))


def _skipped(reason):
    try:
        pytest.skip(reason)
    except pytest.skip.Exception as error:
        return type(error), error, error.__traceback__
