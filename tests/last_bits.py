"""Where native code may have other last bits than NumPy, as the guide's page of limits says."""

# Sums of products in another order: some units in the last place of their largest elements.
SUMS = frozenset(
    "matmul einsum tensordot vecdot convolution convolution_input convolution_kernel".split()
)
# Ops within two units in the last place of NumPy's results: exponentials of our own, and small
# products. All others have the same bits.
_TRANSCENDENTAL = """
acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf exp exp2 expm1 float_power hypot log log10
log1p log2 pow power sigmoid sin sinh softplus tan tanh
""".split()
WITHIN_TWO_UNITS = SUMS | {*_TRANSCENDENTAL, *(f"math_{n}" for n in _TRANSCENDENTAL)}
