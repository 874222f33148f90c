"""The backend that Keras imports as `keras.src.backend.autograph`, laid out as its own are.

Its modules and Keras' import each other: whichever is asked for first, Keras begins.
"""

import keras  # noqa: F401
