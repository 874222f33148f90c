"""The base class of Keras' layers."""

__all__ = ["AutographLayer"]


class AutographLayer:
    """Nothing: Keras' layers are ours as they are."""
