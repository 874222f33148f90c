"""Images: `autograph.image`. An image is `(height, width, channels)`, a batch has one axis more.

>>> import autograph as ag
>>> ag.image.resize(np.ones((4, 6, 3)), (2, 2)).shape
(2, 2, 3)
"""

from __future__ import annotations

from runtime.image.coordinates import affine_transform, map_coordinates
from runtime.image.patches import extract_patches
from runtime.image.resizing import resize

__all__ = ["affine_transform", "extract_patches", "map_coordinates", "resize"]
