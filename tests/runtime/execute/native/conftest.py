"""Tests of machine code are left out where there is no LLVM."""

import pytest


@pytest.fixture(autouse=True)
def _llvm(request):
    if request.path.stem != "test_layout":
        pytest.importorskip("llvmlite", exc_type=ImportError)
