"""Functions beyond the elementary ones, by their series and approximations."""
