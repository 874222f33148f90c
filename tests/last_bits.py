"""Where native code may have other last bits than NumPy, as the guide's page of limits says."""

# Ops within two units in the last place of NumPy's results: exponentials of our own, and products
# that are summed in another order. All others have the same bits.
WITHIN_TWO_UNITS = frozenset(("exp", "log", "tanh", "sin", "cos", "pow", "matmul"))
