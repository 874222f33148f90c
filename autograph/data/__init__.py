"""Data sets."""
from autograph.data.dataset import Dataset
