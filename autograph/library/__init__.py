"""Functions of Python's library as plain Python, for converted code that calls them on data.

Python's own are written in C. These are converted, as the user's functions are; what they raise
stands at the user's line.
"""
