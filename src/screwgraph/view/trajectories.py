"""A motion of a robot or a planar mechanism as a scene."""

from __future__ import annotations

from typing import Any

from screwgraph.mechanism import Mechanism
from screwgraph.simulation import Trajectory
from screwgraph.view.mechanisms import mechanism_scene
from screwgraph.view.robots import robot_scene
from screwgraph.view.scene import Scene
from screwgraph.view.thin import RATE


def trajectory_scene(motion: Trajectory, title: str = "", *, rate: float = RATE, **beside: Any) -> Scene:
    """Return a motion as a scene, about `rate` states a second; `beside` a robot may stand what `robot_scene` takes.

    Raises:
        InputError: as `robot_scene` and `mechanism_scene`.
    """
    if isinstance(motion.model, Mechanism):
        return mechanism_scene(motion.model, motion.t, motion.q, title, rate=rate)
    return robot_scene(motion.model, motion.t, motion.q, title, rate=rate, **beside)
