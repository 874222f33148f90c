"""Lists, dicts, sets and deques of which data decides what is in them."""
