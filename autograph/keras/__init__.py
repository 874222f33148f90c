"""Keras 3 with this runtime as its backend: `import autograph.keras`, then `import keras`.

With `KERAS_BACKEND=autograph` in the environment, `import autograph` is enough. Keras is another
package (`pip install 'autograph-numpy[keras]'`); this one serves it a backend while it is imported.
Raises ImportError where Keras is not installed, or was imported before with another backend.

>>> import autograph.keras  # doctest: +SKIP
>>> import keras  # doctest: +SKIP
>>> keras.config.backend()  # doctest: +SKIP
'autograph'
"""

from autograph.keras.hook import install

__all__: list[str] = []

install()
