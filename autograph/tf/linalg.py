"""`tf.linalg`: products, norms, decompositions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.tf.arrays import eye  # noqa: F401
from autograph.tf.math import axes, cross_operands, l2_normalize, reduce_sum  # noqa: F401
from autograph.tf.names import missing
from autograph.tf.tensors import as_tensor, cast_, operands
from runtime import nn, ops  # noqa: F401
