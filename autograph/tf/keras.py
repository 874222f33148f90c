"""`tf.keras`: Keras 3 on this runtime, the package `keras` itself."""

import sys

import autograph.keras
import keras

sys.modules[__name__] = keras
