"""Velocities and accelerations of frames, from the factor graph of a robot's motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.elimination import Group, eliminate_rows, equations
from screwgraph.graph import Key, kinematics_graph
from screwgraph.mechanics.kinematics.kinematic_function import compile_frame_kinematics, validate_frame
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.mechanics.kinematics.reference_frames import (
    LOCAL,
    express_twist,
    express_twist_rate,
    validate_reference,
)
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot
from screwgraph.spatial import Array, from_rows, vector

KINDS = ("pose", "twist", "acceleration")


def compute_frame_motion(robot: Robot, frames: Sequence[str], q: Array, *rates: Array) -> list[tuple[Array, ...]]:
    """Return pose (4, 4) in the base's frame, body twist and acceleration (6,) of frames: as many as `rates` tell.

    `rates` are qd, or qd and qdd. The graph is eliminated from the frames to the base, and solved outwards.
    """
    graph = kinematics_graph(robot, frames, len(rates))
    whole = {"q": (q, robot.q_slices), **{k: (x, robot.v_slices) for k, x in zip(("qd", "qdd"), rates, strict=False)}}
    given = {}
    for variable in graph.variables.values():
        if variable.key.kind in whole:
            values, slices = whole[variable.key.kind]
            given[variable.key] = values[slices[variable.key.name]] if variable.dim else values[:0]
    graph = graph.given(*given)
    system = equations(graph, given)
    order = [Group(tuple((v.key, i) for i in range(v.dim))) for v in reversed(graph.unknowns)]
    solution = eliminate_rows(system.rows, order).solve()

    def value(key: Key) -> Array:
        if key in system.values:
            return system.values[key]
        return vector([solution[key, i] for i in range(graph.variables[key].dim)])

    found = []
    for name in frames:
        T, *others = (value(Key(kind, name)) for kind in KINDS[: len(rates) + 1])
        found.append((from_rows(T), *others))
    return found


@check_arguments
@answered_by(ANSWERS)
def frame_velocity(
    robot: Robot, frame: str, *, reference: str = LOCAL, parameters: Sequence[str] = (), dtype: str = "float64"
) -> Function:
    """Return V(q, qd), the velocity of a link or frame: (..., nq), (..., nv) -> (..., 6), angular part first.

    `reference` "local": the body twist, angular velocity (rad/s) and velocity of the frame's origin (m/s) in its own
    axes. "local_world_aligned": the same two in the base's axes. "world": the spatial twist, whose linear part is the
    velocity of the point of the body at the base's origin. Lynch & Park, section 3.3.2.

    Of planar mechanisms, frames are bodies (origin in the first point, x toward the second) and points (axes of the
    world), in the plane z = 0; "body:NAME" and "point:NAME" tell them apart.

    With `parameters`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link or frame, or no reference, has this name.
    """
    name, way = validate_frame(robot, frame), validate_reference(reference)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray) -> list:
        ((T, V),) = compute_frame_motion(changed, [name], q, qd)
        return list(express_twist(way, T, V))

    made = compile_frame_kinematics(
        "frame_velocity", robot, ("q", "qd"), expression, (6,), frame=name, reference=way, parameters=parameters
    )
    return made.astype(dtype)


@check_arguments
@answered_by(ANSWERS)
def frame_acceleration(
    robot: Robot, frame: str, *, reference: str = LOCAL, parameters: Sequence[str] = (), dtype: str = "float64"
) -> Function:
    """Return dV/dt(q, qd, qdd) = J qdd + dJ/dt qd of a link or frame: (..., nq), (..., nv)^2 -> (..., 6).

    It is the time derivative of `frame_velocity` with the same `reference`, angular part first (rad/s^2, m/s^2),
    without gravity. "local" and "world" are spatial accelerations; "local_world_aligned" is the angular
    acceleration, and that of the frame's origin as a point, in the base's axes. Lynch & Park, section 8.1.

    Of planar mechanisms, frames are bodies (origin in the first point, x toward the second) and points (axes of the
    world), in the plane z = 0; "body:NAME" and "point:NAME" tell them apart.

    With `parameters`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link or frame, or no reference, has this name.
    """
    name, way = validate_frame(robot, frame), validate_reference(reference)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list:
        ((T, V, Vdot),) = compute_frame_motion(changed, [name], q, qd, qdd)
        return list(express_twist_rate(way, T, V, Vdot))

    made = compile_frame_kinematics(
        "frame_acceleration",
        robot,
        ("q", "qd", "qdd"),
        expression,
        (6,),
        frame=name,
        reference=way,
        parameters=parameters,
    )
    return made.astype(dtype)
