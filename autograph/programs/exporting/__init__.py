"""Saved programs for those who have none of our packages: Python with NumPy alone, C, ONNX."""
