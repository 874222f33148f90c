"""`tf.config`: eager mode, devices, threads, passes."""

import autograph as _ag
from autograph.tf.config import experimental, optimizer, threading
from autograph.tf.config.devices import (
    LogicalDevice, PhysicalDevice, get_soft_device_placement, get_visible_devices,
    list_logical_devices, list_physical_devices, set_soft_device_placement, set_visible_devices,
)  # fmt: skip
from autograph.tf.names import serve as _serve

__all__ = [
    "LogicalDevice", "PhysicalDevice", "experimental", "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly", "functions_run_eagerly", "get_soft_device_placement",
    "get_visible_devices", "list_logical_devices", "list_physical_devices", "optimizer",
    "run_functions_eagerly", "set_soft_device_placement", "set_visible_devices", "threading",
]  # fmt: skip

run_functions_eagerly = _ag.config.run_functions_eagerly
functions_run_eagerly = _ag.config.functions_run_eagerly
experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly

_serve(globals())
