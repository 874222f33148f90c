"""`tf.keras`: Keras 3 on this runtime, the package `keras` itself, over TensorFlow's tensors."""

import sys

from autograph.keras import load
from autograph.tf.tensors import Tensor

sys.modules[__name__] = load(Tensor)
