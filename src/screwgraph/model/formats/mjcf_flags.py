"""What <flag> of an MJCF file switches off."""

from __future__ import annotations

from typing import Any

from screwgraph.model.formats.mjcf_names import import_mujoco

NOUGHT = {
    "GRAVITY": ("opt.gravity",),
    "DAMPER": ("dof_damping", "dof_dampingpoly", "actuator_damping", "actuator_dampingpoly"),
    "SPRING": ("jnt_stiffness", "jnt_stiffnesspoly"),
    "FRICTIONLOSS": ("dof_frictionloss",),
    "LIMIT": ("jnt_limited",),
    "EQUALITY": ("eq_active0",),
    "CONSTRAINT": ("dof_frictionloss", "jnt_limited", "eq_active0"),
    "CLAMPCTRL": ("actuator_ctrllimited",),
    "ACTUATION": ("actuator_biastype", "actuator_damping", "actuator_dampingpoly"),
}
"""Arrays of a compiled model that count for nothing where a flag is off.

The other flags are of contacts, sensors and integrators, which no robot is made of.
"""


def obey_flags(model: Any) -> None:
    """Set to zero what the flags of a compiled model switch off."""
    bits = import_mujoco().mjtDisableBit
    for name, arrays in NOUGHT.items():
        if model.opt.disableflags & getattr(bits, f"mjDSBL_{name}", 0):
            for array in arrays:
                _clear_array(model, array)


def _clear_array(model: Any, array: str) -> None:
    """Set an array to zero; older versions of MuJoCo lack some."""
    *path, last = array.split(".")
    for step in path:
        model = getattr(model, step)
    if hasattr(model, last):
        getattr(model, last)[:] = 0
