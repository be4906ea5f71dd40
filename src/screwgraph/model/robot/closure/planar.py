"""Planar loops: the joints around them turn about parallel axes and slide across these."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.closure.constraints import positions_around
from screwgraph.model.robot.closure.loop_chain import chain_of
from screwgraph.model.robot.parts import Loop
from screwgraph.model.robot.robot import Robot

PARALLEL = 1e-7
"""How far (rad, relative to lengths) axes may be from parallel: files round them."""


def is_planar(robot: Robot, loop: Loop) -> bool:
    """Tell whether a loop stays in a plane: its constraints out of the plane follow from the axes of the tree's joints.

    These turn about one direction and slide across it, at two positions that `Robot.mobility` met; what joint closes
    the loop does not matter.
    """
    return all(_lies_in_a_plane(robot, loop, q) for q in robot.mobility.states[:2])


def _lies_in_a_plane(robot: Robot, loop: Loop, q: Float[np.ndarray, " nq"]) -> bool:
    chain = chain_of(robot, loop)
    around = positions_around(robot, chain, q)
    screws = chain.screws(around, chain.poses(around))
    if not screws.any():
        return False
    turns, slides = screws[:3], screws[3:]
    normal = turns[:, int(np.argmax(np.linalg.norm(turns, axis=0)))]
    if not normal.any():
        return False
    normal = normal / np.linalg.norm(normal)
    # The loop frame's origin, carried along by a joint that turns about the normal, moves across it.
    out_of_plane = np.abs(normal @ slides).max() / max(1.0, float(np.abs(slides).max()))
    off_axis = np.linalg.norm(turns - np.outer(normal, normal @ turns), axis=0).max()
    return bool(max(out_of_plane, off_axis) <= PARALLEL)
