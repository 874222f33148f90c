"""What is not drawn yet, because programs with it fail. A line goes when its cause is mended."""

WITHHELD = frozenset(
    {
        # Lists, attributes, arrays and functions within `try`: refused, or a write is lost.
        "containers in try",
        # The text of an error that is raised at once.
        "values in errors",
        # An early return of one list, a later one of another: the content is that of before.
        "returned containers",
        # A list in a list that a loop changes becomes another list.
        "nested containers",
        # `|=` of a dict, `[:] =` of a list, and the rest of an unpacked list in a loop: they do
        # not settle.
        "replaced contents",
        # NumPy scalars and arrays in captured lists and dicts, and one in several captured places.
        "captured containers",
        # The name of a `for` is bound again in a part of an expression: it does not settle.
        "walrus of loop names",
    }
)
