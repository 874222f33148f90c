"""Arrays made, shaped, ordered and put together."""
