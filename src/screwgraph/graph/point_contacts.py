"""Points of a robot that rest on ground: equations of its motion, inequalities of its forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.graph.factor import Factor, Live, Slot
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import friction_pyramid, held_point, pure_force, switched_point
from screwgraph.graph.inequalities import check_named, with_inequality
from screwgraph.graph.live_numbers import with_argument
from screwgraph.graph.variable import Key, Variable
from screwgraph.spatial import finite_vector
from screwgraph.tape import Tape, program

CHOICE = "choice"
"""Kind of what a foot with a schedule leaves to be chosen: its force (N), in the air its acceleration (m/s^2)."""


@check_arguments
def with_point_contacts(
    graph: FactorGraph,
    *frames: str,
    friction: float | str = 0.8,
    normal: Any = (0.0, 0.0, 1.0),
    normal_force: float = 0.0,
    schedule: str = "",
    priority: int = 0,
) -> FactorGraph:
    """Return a robot's graph in which origins of frames rest on the ground: they do not accelerate, forces hold them.

    Their external wrenches have no moment; their forces are within a pyramid in Coulomb's cone.

    Args:
        graph: `sg.dynamics_graph(robot, external_wrenches=frames, poses=frames)`, before or after `given`.
        frames: links or frames.
        friction: Coulomb's coefficient, or the name of an argument that holds one for each frame.
        normal: out of the ground, in the base's axes.
        normal_force: least normal force (N).
        schedule: the name of an argument with 1 for each frame that rests, 0 for one in the air, on which no force
            acts; without a name, all rest. Three numbers of each frame are left to be chosen: its force, in the air
            the acceleration of its origin.
        priority: see `with_bounds`.

    Raises:
        InputError: no frame is named, the graph is no robot's, or has no external wrench or pose of a frame; a number
            has no sense, an argument no name.
    """
    check_named(frames, "contacts", 'sg.with_point_contacts(graph, "foot")')
    upwards = finite_vector(normal, 3, "normal", "it is a direction in space")
    length = float(np.linalg.norm(upwards))
    own_friction = 0.0 if isinstance(friction, str) else float(friction)
    if not (0.0 <= own_friction < np.inf and 0.0 <= normal_force < np.inf and 0.0 < length < np.inf):
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
        at, given = {"at": np.array(frame.T_lf[:3, 3])}, dict[str, Key]()
        for kind, argument in (("friction", friction), ("schedule", schedule)):
            if isinstance(argument, str) and argument:
                given[kind] = Key(argument, name)
                graph = with_argument(graph, given[kind], 1, index)
        if schedule:
            choice = Key(CHOICE, name)
            graph = graph.with_variables(Variable(choice, 3, index))
            motion |= {"F": F, "choice": choice, "on": given["schedule"]}
            held = Factor(switched_point, motion, 6, index, {**at, "T_lf": frame.T_lf})
        else:
            held = Factor(held_point, motion, 3, index, at)
        graph = graph.with_factors(held, Factor(pure_force, {"F": F}, 3, index))
        cone, live = _make_cone(given, own_friction, float(normal_force))
        cone |= {"normal": tuple(upwards.tolist())}
        bounded = Factor(friction_pyramid, {"F": F, "T": T}, 5, index, cone, live=live)
        graph = with_inequality(graph, bounded, priority=priority)
    return graph


def _make_cone(given: Mapping[str, Key], friction: float, least: float) -> tuple[dict[str, Any], Live | None]:
    """Return numbers of a pyramid, slots where they are of variables, and what fills these."""
    if not given:
        return {"friction": friction, "least": least}, None
    tape = Tape(merge="form")
    values = {kind: tape.input(kind) for kind in given}
    numbers = [values.get("friction", friction), values.get("schedule", 1.0) * least]
    live = Live(tuple(given.values()), program(tape, numbers))
    return {"friction": Slot(0), "least": Slot(1)}, live
