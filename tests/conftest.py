"""What holds for all tests: what is compiled is kept in a folder of this run, which its processes share."""

import gc
import itertools
import os
import shutil
import sys
import tempfile

import pytest

from tests.samples import leave_to_long_tests


def pytest_configure(config):
    if sys.dont_write_bytecode:
        _keep_bytecode(config)
    if "AUTOGRAPH_CACHE_DIR" not in os.environ:  # of the user, or of this worker's run
        os.environ["AUTOGRAPH_CACHE_DIR"] = _folder_of_this_run(config)
    # Tests are about graphs: where Python is as fast, too.
    os.environ.setdefault("AUTOGRAPH_LEAVE_TO_PYTHON", "off")
    # What processes of tests write to stderr is compared, however busy the machine is.
    os.environ.setdefault("AUTOGRAPH_SLOW_AFTER", "3600000")


def _keep_bytecode(config):
    """Where none is to be written into the tree: it would be made anew for each child process."""
    if "PYTHONPYCACHEPREFIX" not in os.environ:
        os.environ["PYTHONPYCACHEPREFIX"] = _folder_of_this_run(config)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode, sys.pycache_prefix = False, os.environ["PYTHONPYCACHEPREFIX"]


def _folder_of_this_run(config):
    folder = tempfile.mkdtemp(prefix="autograph-tests-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    return folder


# Of the tests of a process, after how many what is left counts as what stays.
_BETWEEN = 500
_ended = itertools.count(1)


@pytest.hookimpl(tryfirst=True)  # long tests are left out by this same hook
def pytest_collection_modifyitems(items):
    leave_to_long_tests(items)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep the garbage collector from the tests themselves: two million objects that stay."""
    gc.disable()  # it would go through them again and again while they become more
    try:
        return (yield)
    finally:
        _keep_what_is_left()
        gc.enable()


def pytest_runtest_teardown(item):
    """Keep it from what tests leave, too: functions of their modules, with traces and code."""
    if next(_ended) % _BETWEEN == 0:
        _keep_what_is_left()


def _keep_what_is_left():
    gc.collect()
    gc.freeze()
