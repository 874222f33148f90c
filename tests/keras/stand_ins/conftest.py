"""What Keras' tests import from the `conftest` of its repository, which its wheel lacks."""

import keras
import pytest


def skip_if_backend(given_backend, reason):
    return pytest.mark.skipif(keras.backend.backend() == given_backend, reason=reason)
