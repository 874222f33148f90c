"""Where native code may have other last bits than NumPy, as the guide's page of limits says."""

# Sums of products in another order: some units in the last place of their largest elements.
SUMS = frozenset(
    "matmul einsum tensordot vecdot convolution convolution_input convolution_kernel".split()
)
# Ops within two units in the last place of NumPy's results: exponentials of our own, and small
# products. All others have the same bits.
_TRANSCENDENTAL = """
acos acosh angle asin asinh atan atan2 atanh cbrt cos cosh complex_modulus erf exp exp2
expm1 float_power hypot log log10
log1p log2 pow power sigmoid sin sinh softplus tan tanh
""".split()
WITHIN_TWO_UNITS = SUMS | {*_TRANSCENDENTAL, *(f"math_{n}" for n in _TRANSCENDENTAL)}


def has_other_last_bits(node):
    """Whether a node is one of these, or gives the absolute values of complex numbers."""
    is_modulus = node.op.name == "abs" and node.inputs[0].type.dtype.kind == "c"
    return is_modulus or node.op.name in WITHIN_TWO_UNITS
