"""`tf.autodiff`: forward mode."""

from __future__ import annotations

from autograph.tf.derivatives import ForwardAccumulator, GradientTape
from autograph.tf.names import serve

__all__ = ["ForwardAccumulator", "GradientTape"]

serve(globals())
