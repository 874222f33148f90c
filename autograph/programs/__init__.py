"""Graphs in files: saved, loaded, and written in other languages."""
