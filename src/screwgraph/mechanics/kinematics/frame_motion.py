"""How frames move, from the factor graph of a robot's motion."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.elimination import Group, eliminate_rows, equations
from screwgraph.graph import Key, kinematics_graph
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
