"""What a MuJoCo model has and the equations of motion lack."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.model.formats.diagnostics import Place, Warnings
from screwgraph.model.formats.mjcf_names import Names, import_mujoco


def warn_of_model(model: Any, names: Names, warnings: Warnings, at: Place) -> None:
    """Warn of springs, tendons, gravity compensation and the like, each kind once."""
    springs = [names.joints[i] for i in np.flatnonzero(model.jnt_stiffness)]
    lifted = [names.bodies[i] for i in np.flatnonzero(model.body_gravcomp)]
    kinds = {"springs of joints": springs, "gravity compensation of bodies": lifted}
    kinds["actuators that brake by themselves"] = _braking(model, names)
    for what, found in kinds.items():
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
    for count, what in (("nflex", "flexible bodies"), ("nplugin", "plugins")):
        if getattr(model, count, 0):
            warnings.add(f"{what} are not modelled", at=at)
    if model.opt.density or model.opt.viscosity:
        medium = f"density {model.opt.density:g} kg/m^3, viscosity {model.opt.viscosity:g} Pa s"
        warnings.add(f"the medium is not modelled: {medium}", at=at, why="bodies move without drag, wind and buoyancy")


def _braking(model: Any, names: Names) -> list[str]:
    """Return actuators with a force against the velocity that no command causes: kv, dampratio, damping, biasprm."""
    affine = model.actuator_biastype == import_mujoco().mjtBias.mjBIAS_AFFINE
    braking = affine & (model.actuator_biasprm[:, 2] != 0.0)
    for field in ("actuator_damping", "actuator_dampingpoly"):
        own = np.asarray(getattr(model, field, np.zeros(model.nu)), dtype=float)
        braking |= own.reshape(model.nu, -1).any(axis=1) if model.nu else False
    return [names.actuators[i] for i in np.flatnonzero(braking)]
