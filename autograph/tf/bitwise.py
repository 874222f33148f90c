"""`tf.bitwise`: bits of integers."""

from __future__ import annotations

from autograph.tf.math.elementwise import binary, unary
from autograph.tf.names import serve
from runtime import ops

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]

bitwise_and = binary(ops.bitwise_and)
bitwise_or = binary(ops.bitwise_or)
bitwise_xor = binary(ops.bitwise_xor)
invert = unary(ops.bitwise_invert)
left_shift = binary(ops.bitwise_left_shift)
right_shift = binary(ops.bitwise_right_shift)

serve(globals())
