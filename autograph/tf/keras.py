"""`tf.keras`: Keras 3 on this runtime, the package `keras` itself."""

import sys

from autograph.keras import load

sys.modules[__name__] = load()
