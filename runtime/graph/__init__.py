"""The program as data: values, nodes, graphs. Knows no particular operation."""
