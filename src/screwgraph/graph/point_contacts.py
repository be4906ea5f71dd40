"""Points of a robot that rest on ground: equations of its motion, inequalities of its forces."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.graph.factor import Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import friction_pyramid, held_point, pure_force
from screwgraph.graph.inequalities import with_inequality
from screwgraph.graph.variable import Key
from screwgraph.spatial import finite_vector


@check_arguments
def with_point_contacts(
    graph: FactorGraph,
    *frames: str,
    friction: float = 0.8,
    normal: Any = (0.0, 0.0, 1.0),
    normal_force: float = 0.0,
    priority: int = 0,
) -> FactorGraph:
    """Return a robot's graph in which origins of frames rest on the ground: they do not accelerate, forces hold them.

    Their external wrenches have no moment; their forces are within a pyramid in Coulomb's cone.

    Args:
        graph: `sg.dynamics_graph(robot, external_wrenches=frames, poses=frames)`, before or after `given`.
        frames: links or frames.
        friction: Coulomb's coefficient.
        normal: out of the ground, in the base's axes.
        normal_force: least normal force (N).
        priority: see `with_bounds`.

    Raises:
        InputError: the graph is no robot's, or has no external wrench or pose of a frame; a number has no sense.
    """
    upwards = finite_vector(normal, 3, "normal", "it is a direction in space")
    length = float(np.linalg.norm(upwards))
    if not (0.0 <= friction < np.inf and 0.0 <= normal_force < np.inf and 0.0 < length < np.inf):
        raise InputError(
            f"contacts of friction {friction!r}, normal {normal!r} and normal force {normal_force!r}",
            why="the numbers must not be negative, and the normal has a direction",
        )
    if graph.model is None:
        raise InputError("contacts of a graph that is not a robot's", fix="sg.dynamics_graph(robot, ...)")
    robot = graph.model.robot
    for name in frames:
        frame, index = robot.frame(name), robot.link_index(robot.frame(name).link)
        F, T = Key("external_wrenches", name), Key("pose", name)
        if F not in graph.variables or T not in graph.variables:
            raise InputError(
                f"the graph has no external wrench and pose of {name!r}",
                fix=f"sg.dynamics_graph(robot, external_wrenches=[{name!r}], poses=[{name!r}])",
            )
        motion = {"Vdot": Key("acceleration", frame.link), "V": Key("twist", frame.link)}
        graph = graph.with_factors(
            Factor(held_point, motion, 3, index, {"at": np.array(frame.T_lf[:3, 3])}),
            Factor(pure_force, {"F": F}, 3, index),
        )
        cone = Factor(
            friction_pyramid,
            {"F": F, "T": T},
            5,
            index,
            {"friction": float(friction), "normal": tuple(upwards.tolist())},
        )
        least = np.array([0.0, 0.0, 0.0, 0.0, normal_force])
        graph = with_inequality(graph, cone, lower=least, priority=priority)
    return graph
