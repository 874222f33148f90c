"""For a run of Keras' tests: our backend, and the tests that are left out."""

import sys
from types import SimpleNamespace

import pytest

import autograph.keras  # noqa: F401 - before Keras
from tests.keras.test_keras import is_excluded, is_missing, missing


def skip_if_backend(given_backend, reason):
    """Of the `conftest` of Keras' repository, which its wheel lacks and its tests import."""
    return pytest.mark.skipif(given_backend == "autograph", reason=reason)


sys.modules["conftest"] = SimpleNamespace(skip_if_backend=skip_if_backend)


def pytest_ignore_collect(collection_path):
    """Leave out a file that needs at its top what is not installed."""
    if collection_path.suffix != ".py" or not collection_path.name.endswith("_test.py"):
        return None
    return True if missing(collection_path) else None


def pytest_collection_modifyitems(config, items):
    left = [item for item in items if is_excluded(_name(item))]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def _name(item):
    """A test by its file in Keras' sources."""
    return f"{item.path.as_posix().rpartition('/keras/src/')[2]}::{item.nodeid.partition('::')[2]}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Skip a test that imports in its body what is not installed."""
    report = yield
    error = call.excinfo.value if call.excinfo is not None else None
    if isinstance(error, ModuleNotFoundError) and is_missing(error.name or ""):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"Skipped: needs {error.name}")
    return report
