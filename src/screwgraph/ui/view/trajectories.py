"""A motion of a robot or a planar mechanism as a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.motion.simulation import Place, Trajectory, label_of, smooth_path
from screwgraph.motion.simulation.contacts import contact_wrenches
from screwgraph.ui.view.arrows import make_arrows
from screwgraph.ui.view.mechanisms import mechanism_extent, mechanism_scene
from screwgraph.ui.view.robots import robot_scene
from screwgraph.ui.view.scene import Line, Scene
from screwgraph.ui.view.skeleton import robot_extent
from screwgraph.ui.view.subsampling import MOST, RATE, select_states

FORCE_LENGTH, SHORTEST, LONGEST = 0.6, 1e-3, 1.0
"""The lengths of the weight, of the smallest force that is drawn, and of the largest arrow, in sizes of the robot."""
ROUNDING, TINY = 1e-9, 1e-300
"""Part of a wrench that is rounding of contacts' ones; the least square of a force."""
SCENES: Mapping[str, Callable[..., Scene]] = {"robot": robot_scene, "mechanism": mechanism_scene}
"""Scenes of motions by kind of model."""
EXTENTS: Mapping[str, Callable[[Any], tuple[float, float]]] = {"robot": robot_extent, "mechanism": mechanism_extent}
"""Sizes (m) and weights (N) by kind of model."""


def trajectory_scene(
    motion: Trajectory, title: str = "", *, rate: float = RATE, paths: Sequence[Place] = (), **beside: Any
) -> Scene:
    """Return a motion as a scene, about `rate` states a second; `beside` a robot may stand what `robot_scene` takes.

    `paths` are frames, points or places on bodies whose curves are drawn, as `Trajectory.path` takes them. Forces on
    frames and points are arrows from where they act, of each contact its own, the model's weight as long as 0.6 of its
    size, impacts as long as its size at most.

    Raises:
        InputError: as `robot_scene`, `mechanism_scene` and `Trajectory.path`.
    """
    curves = [_curve(motion, place) for place in paths]
    lines = [*beside.pop("lines", ()), *curves, *_force_lines(motion, rate)]
    return SCENES[motion.model.kind](motion.model, motion.t, motion.q, title, rate=rate, lines=lines, **beside)


def _curve(motion: Trajectory, place: Place) -> Line:
    """Return a curve that stands still."""
    path = smooth_path(motion, place, MOST)
    return Line(label_of(place), np.pad(path, ((0, 0), (0, 3 - path.shape[1]))), width=2.0)


def _force_lines(motion: Trajectory, rate: float) -> list[Line]:
    """Return the forces of `external_wrenches` over time; states that are not shown have none."""
    if not motion.external_wrenches and not motion.contact_forces:
        return []
    size, weight = EXTENTS[motion.model.kind](motion.model)
    scale, shown = FORCE_LENGTH * size / (weight or 1.0), select_states(motion.t, rate)
    acting = [pushed for forces in motion.contact_forces.values() for pushed in np.moveaxis(forces[shown], 1, 0)]
    acting += _other_forces(motion, shown)
    starts, tips = np.full((2, len(motion.t), len(acting), 3), np.nan)
    for place, pushed in enumerate(acting):
        lengths = scale * np.linalg.norm(pushed[:, 3:], axis=1)
        seen = lengths >= SHORTEST * size
        cut = scale * np.minimum(1.0, LONGEST * size / lengths[seen])
        starts[shown[seen], place] = pushed[seen, :3]
        tips[shown[seen], place] = pushed[seen, :3] + cut[:, None] * pushed[seen, 3:]
    return make_arrows("forces", starts, tips)


def _other_forces(motion: Trajectory, shown: Int[np.ndarray, " n"]) -> list[Float[np.ndarray, "n 6"]]:
    """Return points of lines of action, and forces, of wrenches beside those of contacts; moments have no arrows."""
    q, found = motion.q[shown], list[np.ndarray]()
    of_contacts = contact_wrenches(motion.model, q, {frame: x[shown] for frame, x in motion.contact_forces.items()})
    poses = np.asarray(forward_kinematics(motion.model, [*motion.external_wrenches])(q))
    for (frame, wrenches), T in zip(motion.external_wrenches.items(), np.moveaxis(poses, 1, 0), strict=True):
        rest = wrenches[shown] - of_contacts.get(frame, 0.0)
        moment, force = rest[:, :3], np.where(np.abs(rest[:, 3:]) > ROUNDING * np.abs(wrenches).max(), rest[:, 3:], 0.0)
        if force.any():
            arm = np.cross(force, moment) / np.maximum((force * force).sum(axis=1, keepdims=True), TINY)
            local = np.stack([arm, force], axis=1)
            turned = np.einsum("nij,nkj->nki", T[:, :3, :3], local)
            turned[:, 0] += T[:, :3, 3]
            found.append(turned.reshape(-1, 6))
    return found
