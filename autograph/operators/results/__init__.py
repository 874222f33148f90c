"""What a trace hands out when the graph has run, and calls of plain Python that it makes."""
