"""Models of others as functions: ONNX."""
