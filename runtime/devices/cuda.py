"""Graphics cards, by CuPy: the only module that imports it, and only when it is needed."""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager
from typing import Any, cast

import numpy as np

from runtime.process.caching import cached_property

__all__ = ["Cuda"]

_INSTALL = "install it: pip install 'autograph-numpy[cuda12]' (CUDA 12) or [cuda13] (CUDA 13)"


class Cuda:
    """`/gpu:n`: the arrays of CuPy."""

    name = "gpu"
    # The package of the arrays, so that CuPy need not be imported to know that an array is not one.
    module = "cupy"

    @cached_property
    def xp(self) -> Any:
        """CuPy."""
        return importlib.import_module("cupy")

    @cached_property
    def array_type(self) -> type:
        """`cupy.ndarray`."""
        return cast(type, self.xp.ndarray)

    @cached_property
    def _found(self) -> tuple[int, str]:
        """The number of cards, and what is missing."""
        try:
            runtime = self.xp.cuda.runtime
        except ImportError as error:
            return 0, f"CuPy is not installed ({error})\n{_INSTALL}"
        try:
            count = int(runtime.getDeviceCount())
        except runtime.CUDARuntimeError as error:
            return 0, (
                f"CuPy is installed, but CUDA finds no usable driver or card ({error})\n"
                "check with `nvidia-smi` that there is a card and a driver new enough for CuPy's "
                "CUDA"
            )
        if not count:
            return 0, "there is no CUDA card\ncheck with `nvidia-smi`, and CUDA_VISIBLE_DEVICES"
        return count, ""

    def missing(self) -> str:
        """CuPy, a driver, or a card."""
        return self._found[1]

    def count(self) -> int:
        """How many cards CUDA shows."""
        return self._found[0]

    def number_of(self, array: Any) -> int:
        """The number of the card."""
        return int(array.device.id)

    def entered(self, number: int) -> AbstractContextManager[Any]:
        """The card as CUDA's current one."""
        return cast("AbstractContextManager[Any]", self.xp.cuda.Device(number))

    def put(self, array: Any, number: int) -> Any:
        """A copy on a card."""
        with self.entered(number):
            return self.xp.array(array)

    def fetch(self, array: Any) -> np.ndarray[Any, Any]:
        """A copy in the host's memory."""
        return cast("np.ndarray[Any, Any]", array.get())

    def synchronize(self, number: int) -> None:
        """Wait for the card."""
        self.xp.cuda.Device(number).synchronize()
