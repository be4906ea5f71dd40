"""A motion of a robot or a planar mechanism as a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from screwgraph.motion.simulation import Place, Trajectory, label_of, smooth_path
from screwgraph.ui.view.mechanisms import mechanism_scene
from screwgraph.ui.view.robots import robot_scene
from screwgraph.ui.view.scene import Line, Scene
from screwgraph.ui.view.subsampling import MOST, RATE

SCENES: Mapping[str, Callable[..., Scene]] = {"robot": robot_scene, "mechanism": mechanism_scene}
"""Scenes of motions by kind of model."""


def trajectory_scene(
    motion: Trajectory, title: str = "", *, rate: float = RATE, paths: Sequence[Place] = (), **beside: Any
) -> Scene:
    """Return a motion as a scene, about `rate` states a second; `beside` a robot may stand what `robot_scene` takes.

    `paths` are frames, points or places on bodies whose curves are drawn, as `Trajectory.path` takes them.

    Raises:
        InputError: as `robot_scene`, `mechanism_scene` and `Trajectory.path`.
    """
    curves = [_curve(motion, place) for place in paths]
    lines = [*beside.pop("lines", ()), *curves]
    return SCENES[motion.model.kind](motion.model, motion.t, motion.q, title, rate=rate, lines=lines, **beside)


def _curve(motion: Trajectory, place: Place) -> Line:
    """Return a curve that stands still."""
    path = smooth_path(motion, place, MOST)
    return Line(label_of(place), np.pad(path, ((0, 0), (0, 3 - path.shape[1]))), width=2.0)
