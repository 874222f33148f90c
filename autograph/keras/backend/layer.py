"""The base class of Keras' layers."""

from __future__ import annotations

from typing import Any

from autograph.keras.backend.users import converted_methods

__all__ = ["AutographLayer"]


class AutographLayer:
    """What layers have of us: the methods of the user's classes are converted in graphs."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        converted_methods(cls)
