"""Graphs as models of ONNX, the exchange format of neural networks, and back."""
