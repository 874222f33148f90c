"""Data sets: elements that are gone through, in plain Python or as one loop of a graph.

>>> import autograph as ag
>>> [x.tolist() for x in ag.data.Dataset.range(5).batch(2)]
[[0, 1], [2, 3], [4]]
"""

from autograph.data.dataset import (
    AUTOTUNE,
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    Dataset,
)

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset"]
