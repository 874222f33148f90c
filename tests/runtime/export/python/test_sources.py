"""The source of each kernel of the registry, by itself, computes what the kernel does."""

import numpy as np

from runtime.export.python.sources import Sources
from runtime.ops.declaration.declare import REGISTRY
from tests.runtime.ops.test_generic import OP_CASES, assert_same


def test_the_source_of_each_kernel_computes_the_same():
    sources = Sources()
    pure = {name: primitive for name, primitive in REGISTRY.items() if not primitive.op.effect}
    names = {name: sources.thing(primitive.op.kernel) for name, primitive in pure.items()}
    text = "\n".join([*sources.imports(), *sources.definitions])
    assert "autograph" not in text and "import runtime" not in text
    scope = {"weights": sources.arrays}
    exec(compile(text, "<kernels>", "exec"), scope)
    seen = set()
    for case in OP_CASES:
        primitive, inputs, attrs = case.values if hasattr(case, "values") else case
        if primitive in seen or primitive.op.effect is not None:
            continue
        seen.add(primitive)
        given = {**primitive.attributes, **attrs}
        arrays = [np.asarray(x)[()] if isinstance(x, list) else x for x in inputs]
        with np.errstate(all="ignore"):
            wanted = primitive.op.kernel(np, *arrays, **given)
            got = scope[names[primitive.op.name]](np, *arrays, **given)
        if primitive.op.name not in ("empty", "empty_like"):
            assert_same(got, wanted)
    assert len(seen) > 200
