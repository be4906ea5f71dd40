"""A robot described in plain values: what `info` prints as tables or as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from screwgraph.model.robot import Joint, Robot, massless_links, units
from screwgraph.ui.cli.describe_loops import describe_closed_chains, find_unclosable_loops


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
