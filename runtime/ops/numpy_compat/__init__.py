"""What NumPy's functions and ufuncs have beyond ours: parameters, methods, writes."""
