"""What a MuJoCo model has and the equations of motion lack."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.formats.diagnostics import Place, Warnings
from screwgraph.formats.mjcf_names import Names


def remark_on_model(model: Any, names: Names, warnings: Warnings, at: Place) -> None:
    """Warn of springs, tendons, gravity compensation and the like, each kind once."""
    springs = [names.joints[i] for i in np.flatnonzero(model.jnt_stiffness)]
    lifted = [names.bodies[i] for i in np.flatnonzero(model.body_gravcomp)]
    for what, found in (("springs of joints", springs), ("gravity compensation of bodies", lifted)):
        if found:
            more = ", ..." if len(found) > 4 else ""
            warnings.add(f"{what} are not modelled: {', '.join(found[:4])}{more}", at=at)
    if model.ntendon:
        several = "1 tendon is" if model.ntendon == 1 else f"{model.ntendon} tendons are"
        warnings.add(f"{several} not modelled", at=at)
    for field, what in (
        ("dof_dampingpoly", "damping that is not linear"),
        ("actuator_armature", "inertia of actuators"),
    ):
        if np.any(getattr(model, field, 0.0)):
            warnings.add(f"{what} is not modelled", at=at)
