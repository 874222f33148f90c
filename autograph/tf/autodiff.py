"""`tf.autodiff`: forward mode."""

from __future__ import annotations

from autograph.tf.gradients import ForwardAccumulator, GradientTape
from autograph.tf.names import missing

__all__ = ["ForwardAccumulator", "GradientTape"]

__getattr__ = missing("tf.autodiff", globals())
