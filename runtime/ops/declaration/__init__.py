"""How an op is declared: its operands, types and samples, and the ops that programs are made of."""
