"""Loops and couplings of a robot, and what they leave free, in plain values."""

from __future__ import annotations

from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.graph import clusters, dynamics_graph
from screwgraph.model.robot import Loop, Robot, is_planar


def describe_closed_chains(robot: Robot) -> dict[str, Any]:
    """Describe loops, couplings and mobility; `mobility` is None for a tree, and where no closed position is found."""
    return {
        "loops": [
            {
                "name": loop.name,
                "type": type(loop.type).__name__.lower(),
                "predecessor": loop.predecessor,
                "successor": loop.successor,
                "axis": None,
                **vars(loop.type),
            }
            for loop in robot.loops
        ],
        "couplings": [
            {"name": coupling.name, "equation": coupling.text(), "linear": coupling.is_linear}
            for coupling in robot.couplings
        ],
        "mobility": _mobility(robot) if robot.is_closed and not _complaint(robot) else None,
    }


def find_unclosable_loops(robot: Robot) -> list[str]:
    """Return one line where loops do not close or the independent joints do not determine the others."""
    complaint = _complaint(robot) or _choice(robot)[1]
    return [complaint] if complaint else []


def _mobility(robot: Robot) -> dict[str, Any]:
    found = robot.mobility
    return {
        "freedom": found.freedom,
        "gruebler": found.gruebler,
        "rows": len(found.rows),
        "rank": found.rank,
        "factors": [_factor(robot, loop) for loop in robot.loops],
        "clusters": [[joint.name for joint in c.joints] for c in clusters(dynamics_graph(robot)) if c.multipliers],
        "redundant": [str(row) for row in found.redundant],
        "neglected": found.neglected,
        "states": len(found.states),
        "singular": found.singular,
        "independent_joints": list(_choice(robot)[0]),
    }


def _factor(robot: Robot, loop: Loop) -> dict[str, Any]:
    """Say which rows of a loop stay in its factor."""
    found = robot.mobility
    own = [i for i, row in enumerate(found.rows) if row.of == loop.name]
    kept = [found.rows[i].component for i in own if i in found.kept]
    return {"loop": loop.name, "rows": len(own), "kept": kept, "planar": is_planar(robot, loop)}


def _complaint(robot: Robot) -> str:
    try:
        _ = robot.mobility
    except InputError as error:
        return str(error)
    return ""


def _choice(robot: Robot) -> tuple[tuple[str, ...], str]:
    try:
        return robot.independent_joints, ""
    except InputError as error:
        return (), str(error)
