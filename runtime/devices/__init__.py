"""Where arrays live and operations are computed: `/cpu:0` is NumPy, `/gpu:n` is CuPy."""

from __future__ import annotations

from runtime.devices.kinds import (
    HOST,
    Kind,
    copied,
    device_of,
    host_array,
    in_use,
    is_device_array,
    kind_of_device,
    list_devices,
    located_kernel,
    module_of,
    moved,
    register,
    resolve,
    synchronize,
)
from runtime.devices.placement import (
    common_device,
    device,
    placement,
    placing,
    placing_like,
    placing_on,
)

__all__ = [
    "HOST",
    "Kind",
    "common_device",
    "copied",
    "device",
    "device_of",
    "host_array",
    "in_use",
    "is_device_array",
    "kind_of_device",
    "list_devices",
    "located_kernel",
    "module_of",
    "moved",
    "placement",
    "placing",
    "placing_like",
    "placing_on",
    "register",
    "resolve",
    "synchronize",
]
