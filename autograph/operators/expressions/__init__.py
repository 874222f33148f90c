"""Items, attributes, in-place operators, logic, and generators."""
