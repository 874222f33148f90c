"""Bits of a counter, and the distributions that are drawn from them."""
