"""Parts of arrays, read and written by subscripts and positions."""
