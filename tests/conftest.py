"""What holds for all tests: compiled code is kept in a folder of this run, which its processes share."""

import gc
import itertools
import os
import shutil
import tempfile


def pytest_configure(config):
    if "AUTOGRAPH_CACHE_DIR" in os.environ:
        return  # of the user, or of the run that this worker belongs to
    folder = tempfile.mkdtemp(prefix="autograph-tests-")
    os.environ["AUTOGRAPH_CACHE_DIR"] = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


# Of the tests of a process, after how many what is left counts as what stays.
_BETWEEN = 500
_ended = itertools.count(1)


def pytest_collection_finish(session):
    """Keep the garbage collector from the tests themselves: two million objects that stay."""
    _keep_what_is_left()


def pytest_runtest_teardown(item):
    """Keep it from what tests leave, too: functions of their modules, with traces and code."""
    if next(_ended) % _BETWEEN == 0:
        _keep_what_is_left()


def _keep_what_is_left():
    gc.collect()
    gc.freeze()
