"""What holds for all tests: compiled code is kept in a folder of this run, which its processes share."""

import gc
import os
import shutil
import tempfile


def pytest_configure(config):
    if "AUTOGRAPH_CACHE_DIR" in os.environ:
        return  # of the user, or of the run that this worker belongs to
    folder = tempfile.mkdtemp(prefix="autograph-tests-")
    os.environ["AUTOGRAPH_CACHE_DIR"] = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_collection_finish(session):
    """Keep the garbage collector from the tests themselves: two million objects that stay."""
    gc.collect()
    gc.freeze()
