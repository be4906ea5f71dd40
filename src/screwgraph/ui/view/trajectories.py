"""A motion of a robot or a planar mechanism as a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.motion.simulation import Place, Trajectory, label_of, smooth_path
from screwgraph.ui.view.arrows import make_arrows
from screwgraph.ui.view.mechanisms import mechanism_extent, mechanism_scene
from screwgraph.ui.view.robots import robot_scene
from screwgraph.ui.view.scene import Line, Scene
from screwgraph.ui.view.skeleton import robot_extent
from screwgraph.ui.view.subsampling import MOST, RATE, select_states

FORCE_LENGTH, SHORTEST, LONGEST = 0.6, 1e-3, 1.0
"""The lengths of the weight, of the smallest force that is drawn, and of the largest arrow, in sizes of the robot."""
SCENES: Mapping[str, Callable[..., Scene]] = {"robot": robot_scene, "mechanism": mechanism_scene}
"""Scenes of motions by kind of model."""
EXTENTS: Mapping[str, Callable[[Any], tuple[float, float]]] = {"robot": robot_extent, "mechanism": mechanism_extent}
"""Sizes (m) and weights (N) by kind of model."""


def trajectory_scene(
    motion: Trajectory, title: str = "", *, rate: float = RATE, paths: Sequence[Place] = (), **beside: Any
) -> Scene:
    """Return a motion as a scene, about `rate` states a second; `beside` a robot may stand what `robot_scene` takes.

    `paths` are frames, points or places on bodies whose curves are drawn, as `Trajectory.path` takes them. Forces on
    frames and points are arrows from where they act, the model's weight as long as 0.6 of its size, impacts as long as
    its size at most.

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
    if not motion.external_wrenches:
        return []
    size, weight = EXTENTS[motion.model.kind](motion.model)
    scale, shown = FORCE_LENGTH * size / (weight or 1.0), select_states(motion.t, rate)
    forces = {name: F for name, F in motion.external_wrenches.items() if F[:, 3:].any()}  # moments have no arrows
    starts, tips = np.full((2, len(motion.t), len(forces), 3), np.nan)
    poses = np.asarray(forward_kinematics(motion.model, [*forces])(motion.q[shown]))
    for place, wrenches in enumerate(forces.values()):
        for k, T in zip(shown, poses[:, place], strict=True):
            moment, force = wrenches[k, :3], wrenches[k, 3:]
            length = scale * np.linalg.norm(force)
            if length >= SHORTEST * size:
                starts[k, place] = T[:3, :3] @ (np.cross(force, moment) / (force @ force)) + T[:3, 3]
                cut = min(1.0, LONGEST * size / length)
                tips[k, place] = starts[k, place] + cut * scale * T[:3, :3] @ force
    return make_arrows("forces", starts, tips)
