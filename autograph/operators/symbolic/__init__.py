"""What a value is to a statement in the graph: a class for each kind of value."""
