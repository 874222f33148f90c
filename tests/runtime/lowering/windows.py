"""Windows of many sizes, and numbers to go over them: for convolution and pooling."""

import numpy as np

CASES = [
    # sizes, kernel, strides, padding, dilations
    ((12,), (3,), (1,), "valid", (1,)),
    ((13,), (4,), (3,), "same", (1,)),
    ((10, 33), (3, 3), (1, 1), "valid", (1, 1)),
    ((11, 9), (3, 2), (2, 3), "same", (1, 1)),
    ((9, 12), (2, 3), (1, 1), ((2, 0), (1, 3)), (2, 1)),
    ((12, 11), (2, 2), (3, 3), "valid", (1, 1)),  # some elements are in no window
    ((12, 13), (3, 3), (2, 2), "same", (3, 2)),
    ((5, 4, 6), (2, 1, 3), (1, 2, 2), "same", (1, 1, 1)),
]


def random(*shape, dtype="f8", seed=0):
    rng = np.random.default_rng(seed)
    if dtype[0] == "f":
        return rng.normal(size=shape).astype(dtype)
    return rng.integers(-100, 100, shape).astype(dtype)


def attributes(case):
    return dict(zip(("strides", "padding", "dilations"), case[2:], strict=True))
