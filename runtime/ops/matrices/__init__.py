"""Products, systems of equations and decompositions."""
