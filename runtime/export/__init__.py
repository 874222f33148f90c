"""Graphs in the languages of others: Python with NumPy alone, C, ONNX."""
