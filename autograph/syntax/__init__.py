"""Python source to trees and back; knows no tensors."""
