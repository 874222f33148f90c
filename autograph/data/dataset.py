"""`Dataset`."""
from __future__ import annotations
from typing import Any
from autograph.data import stages
from autograph.data.elements import as_component, as_components, map_specs, spec_of
from autograph.data.rows import Slices, Counted
from autograph.data.stages import Stage
from runtime import tree
from runtime.spec import TensorSpec

class Dataset:
    def __init__(self, stage: Stage) -> None:
        self._stage = stage
    @classmethod
    def from_tensor_slices(cls, tensors):
        nest = as_components(tensors)
        spec = tree.map_structure(lambda x: TensorSpec(spec_of(x).shape[1:], spec_of(x).dtype), nest)
        return cls(stages.FromRows(Slices(nest), spec))
    @classmethod
    def from_generator(cls, make, output_signature):
        return cls(stages.FromPython(make, output_signature, as_component))
    def batch(self, n, drop_remainder=False):
        return type(self)(stages.Batched(self._stage, n, drop_remainder))
    def map(self, f):
        return type(self)(stages.Mapped(self._stage, f, as_component))
    def __iter__(self):
        return iter(self._stage)
