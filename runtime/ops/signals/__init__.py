"""Convolutions, windows, transforms, and functions of samples."""
