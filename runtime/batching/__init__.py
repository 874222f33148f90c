"""One graph for many arguments at once: what `vmap` makes of a traced function.

`lanes` says what a batched value is; `rules` and `subscripts` how an op computes all lanes in one
step; `masked` how lanes part ways in `cond` and `while`; `transform` walks a graph.
"""
