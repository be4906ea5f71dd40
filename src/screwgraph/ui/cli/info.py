"""`screwgraph info`: what is in a robot or a planar mechanism."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from screwgraph import Mechanism
from screwgraph.base.errors import InputError
from screwgraph.graph import clusters, dynamics_graph
from screwgraph.model.mechanism import Point
from screwgraph.model.mechanism.mechanism import AXES
from screwgraph.model.robot import Joint, Loop, Robot, is_planar, massless_links, units
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import print_json, show_progress
from screwgraph.ui.cli.description_tables import SECTIONS, print_description, print_mechanism
from screwgraph.ui.cli.model_source import ROBOT, ModelSource

HELP = """\b
Example:
  screwgraph info a1 --base floating
  screwgraph info four_bar_angle --set mass:coupler=2.5
  screwgraph info panda.urdf --lock panda_finger_joint1,panda_finger_joint2 --json
"""


def info(source: ModelSource, json: bool = False) -> None:
    """Print a robot or a mechanism as tables or as JSON."""
    if source.is_mechanism:
        content = describe_mechanism(source.load_mechanism())
        return print_json(content) if json else print_mechanism(content)
    model = source.load_robot()
    with show_progress(f"analysing {model.name}"):
        content = describe_robot(model)
    return print_json(content) if json else print_description(content)


COMMAND = Command(info, HELP, model=f"{ROBOT} values")


def describe_robot(robot: Robot) -> dict[str, Any]:
    """Describe a robot in values that JSON has, SI units."""
    return {
        "name": robot.name,
        "nq": robot.nq,
        "nv": robot.nv,
        "mass": robot.mass,
        "moving_mass": sum(link.inertia.mass for link in robot.links[1:]),
        "gravity": list(robot.gravity),
        "base": robot.links[0].name,
        "links": [
            {"index": i, "name": link.name, "mass": link.inertia.mass, "com": link.inertia.com.tolist()}
            for i, link in enumerate(robot.links)
        ],
        "joints": [{"index": i, **_joint(joint)} for i, joint in enumerate(robot.joints, start=1)],
        "frames": [{"name": frame.name, "link": frame.link} for frame in robot.frames],
        **describe_closed_chains(robot),
        "actuators": [{"name": actuator.name, "drives": actuator.text} for actuator in robot.actuators],
        "massless_links": list(massless_links(robot)),
        "unmodelled_friction": [joint.name for joint in robot.joints if joint.friction],
        "warnings": [*robot.warnings, *find_unclosable_loops(robot)],
    }


def _joint(joint: Joint) -> dict[str, Any]:
    measured = units(joint.type)
    return {
        "name": joint.name,
        "type": type(joint.type).__name__.lower(),
        "parent": joint.parent,
        "child": joint.child,
        "axis": None,
        **vars(joint.type),
        "limits": asdict(joint.limits),
        "units": asdict(measured),
        "damping": joint.damping,
        "friction": joint.friction,
        "armature": joint.armature,
    }


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


def describe_mechanism(mechanism: Mechanism) -> dict[str, Any]:
    """Describe a mechanism in values that JSON has, SI units; `home` are its coordinates as assembled.

    Raises ModelError where it cannot be assembled.
    """
    freedom, rows = mechanism.freedom, mechanism.closing_program.parts
    return {
        "name": mechanism.name,
        "n": mechanism.n,
        "dof": freedom.dof,
        "mass": sum(body.mass for body in mechanism.bodies),
        "gravity": list(mechanism.gravity),
        "dimension": mechanism.dimension,
        "points": _ends(mechanism, mechanism.points),
        "vectors": _ends(mechanism, mechanism.vectors),
        "bodies": [
            {
                "name": body.name,
                "points": [mechanism.points[i].name for i in body.points],
                "mass": body.mass,
                "inertia": list(body.inertia) if isinstance(body.inertia, tuple) else body.inertia,
                "com": list(body.com),
                "length": body.length,
            }
            for body in mechanism.bodies
        ],
        "angles": [angle.name for angle in mechanism.angles],
        **{section: [part.name for part in getattr(mechanism, section)] for section in SECTIONS},
        "coordinates": list(mechanism.coordinates),
        "home": mechanism.home.tolist(),
        "units": [column.unit for column in mechanism.columns["q"]],
        "independent": list(mechanism.independent_coordinates),
        "motors": list(mechanism.motors),
        "driven": {name: function.text for name, function in mechanism.driven.items()},
        "warnings": list(mechanism.warnings),
        "constraints": {"rows": len(rows), "redundant": [rows[i] for i in range(len(rows)) if i not in freedom.kept]},
    }


def _ends(mechanism: Mechanism, ends: Iterable[Point]) -> list[dict[str, Any]]:
    """Return names and coordinates of points or vectors."""
    axes = AXES[: mechanism.dimension]
    return [{"name": end.name, **dict(zip(axes, end.place, strict=False)), "fixed": end.fixed} for end in ends]
