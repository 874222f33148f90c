"""What is not drawn yet, because programs with it fail. A line goes when its cause is mended."""

WITHHELD = frozenset(
    {
        # A list that is returned on one path, and changed or returned on another.
        "returned containers",
        # A list in a list that a loop changes.
        "nested containers",
        # `|=` of a dict, `[:] =` of a list, and the rest of an unpacked list, in a loop.
        "replaced contents",
        # What a generator expression reads counts as still in use after it: an object that a name
        # of it may be is not to be written then.
        "objects in generators",
    }
)
