"""A motion of a robot or a planar mechanism as a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.motion.simulation import Place, Trajectory, label_of, smooth_path
from screwgraph.ui.view.mechanisms import mechanism_extent, mechanism_scene
from screwgraph.ui.view.robots import robot_scene
from screwgraph.ui.view.scene import Line, Scene
from screwgraph.ui.view.skeleton import robot_extent
from screwgraph.ui.view.subsampling import MOST, RATE, select_states

FORCE, FORCE_LENGTH, SHORTEST = "#c0392b", 0.6, 1e-3
"""The colour of forces, the length of the weight and of the smallest force that is drawn, in sizes of the robot."""
SCENES: Mapping[str, Callable[..., Scene]] = {"robot": robot_scene, "mechanism": mechanism_scene}
"""Scenes of motions by kind of model."""
EXTENTS: Mapping[str, Callable[[Any], tuple[float, float]]] = {"robot": robot_extent, "mechanism": mechanism_extent}
"""Sizes (m) and weights (N) by kind of model."""


def trajectory_scene(
    motion: Trajectory, title: str = "", *, rate: float = RATE, paths: Sequence[Place] = (), **beside: Any
) -> Scene:
    """Return a motion as a scene, about `rate` states a second; `beside` a robot may stand what `robot_scene` takes.

    `paths` are frames, points or places on bodies whose curves are drawn, as `Trajectory.path` takes them. Forces on
    frames and points are lines from where they act, the model's weight as long as 0.6 of its size.

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
    every, (size, weight) = [], EXTENTS[motion.model.kind](motion.model)
    scale, shown = FORCE_LENGTH * size / (weight or 1.0), select_states(motion.t, rate)
    forces = {name: F for name, F in motion.external_wrenches.items() if F[:, 3:].any()}  # moments have no arrows
    names = list(forces)
    poses = np.asarray(forward_kinematics(motion.model, names)(motion.q[shown]))
    for place, wrenches in enumerate(forces.values()):
        arrows = np.full((len(motion.t), 3, 3), np.nan)
        for k, T in zip(shown, poses[:, place], strict=True):
            moment, force = wrenches[k, :3], wrenches[k, 3:]
            if scale * np.linalg.norm(force) < SHORTEST * size:
                continue
            at = T[:3, :3] @ (np.cross(force, moment) / (force @ force)) + T[:3, 3]
            arrows[k, :2] = at, at + scale * T[:3, :3] @ force
        every.append(arrows)
    return [Line("forces", np.concatenate(every, axis=1), FORCE, 3.0)]
