"""Short names for the arguments of samples: an integer, arrays of floats, of integers, of rows."""

from __future__ import annotations

import numpy as np

I = np.int64


def A(*values):
    """An array of floats."""
    return np.array(values, dtype=np.float64)


def N(*values):
    """An array of integers."""
    return np.array(values, dtype=np.int64)


def M(*rows):
    """A matrix of floats."""
    return np.array(rows, dtype=np.float64)
