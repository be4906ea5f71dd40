"""What every format checks once its links and joints are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from screwgraph.base.errors import one_line
from screwgraph.model.formats.diagnostics import Warnings
from screwgraph.model.robot import (
    Joint,
    Link,
    Robot,
    list_implausible,
    massless_joints,
    units,
)
from screwgraph.model.robot.inertia_checks import SHIFTING
from screwgraph.model.robot.topology import Where
from screwgraph.spatial import translation

_SHOWN, _MOST = 4, 12

TURNS = 10.0 * np.pi
"""rad; joints that stop after more than five turns are rare, stops at so many degrees are not."""

DEGREES = 720.0

DENSEST = 22_600.0
"""kg/m^3, of osmium."""

TOO_DENSE = 1e-3
"""Share of the inertia of a ball of osmium, of the same mass, below which an inertia is doubted: 0 is a point mass."""

TOO_WIDE = 3.0
"""Sizes of the robot beyond which a radius of gyration is doubted."""

SMALLEST = 0.5
"""m; a robot is taken to be no smaller."""

_MOST_NAMED = 3


def warn_of_parts(links: Sequence[Link], joints: Sequence[Joint], where: Where, warnings: Warnings) -> None:
    """Warn of impossible inertias, negative damping, and of what is probably a slip."""
    for link in links:
        for line in list_implausible(link):
            warnings.add(line, at=where(link))
    for joint in joints:
        for what in ("damping", "friction", "armature"):
            value = getattr(joint, what)
            if value < 0.0:
                warnings.add(f"joint {joint.name!r}: its {what} {value:g} is negative", at=where(joint))
    warn_of_suspicious_values(links, joints, where, warnings)


def warn_of_suspicious_values(links: Sequence[Link], joints: Sequence[Joint], where: Where, warnings: Warnings) -> None:
    """Warn of limits that look like degrees, of limits that are zero, and of inertias of a wrong scale."""
    moving = [joint for joint in joints if not joint.is_fixed]
    _remark(
        [joint for joint in moving if _is_in_degrees(joint)],
        lambda joint: f"its limits {joint.limits.lower:g} .. {joint.limits.upper:g} look like degrees",
        "angles are in rad",
        "multiply by pi/180",
        where,
        warnings,
    )
    _remark(
        [joint for joint in moving if _is_held(joint)],
        lambda joint: f"its lower and upper limits are both {joint.limits.lower:g}",
        "inverse kinematics, plans and random positions leave it there",
        'give its limits, or make it "continuous"',
        where,
        warnings,
    )
    for what, effect in (("effort", "no plan may use the joint's motor"), ("velocity", "no plan may move the joint")):
        _remark(
            [joint for joint in moving if getattr(joint.limits, what) == 0.0],
            lambda joint, what=what: f"its {what} limit is 0",
            effect,
            "give the limit, or leave it out for none",
            where,
            warnings,
        )
    size = _size(links, joints)
    for link in links:
        doubt = "" if list_implausible(link) else _doubtful_inertia(link, size)  # what is impossible has been said
        if doubt:
            warnings.add(f"link {link.name!r}: {doubt}", at=where(link), why=_UNITS, fix="give it in kg m^2")


_UNITS = "a slip of units (g mm^2, kg mm^2), or of the mass, looks like that"


def _remark(
    joints: Sequence[Joint],
    what: Callable[[Joint], str],
    why: str,
    fix: str,
    where: Where,
    warnings: Warnings,
) -> None:
    """Add one warning of all joints of a kind, at the first of them."""
    if not joints:
        return
    others = [joint.name for joint in joints[1:]]
    more = f", so {_are(others)} {', '.join(map(repr, others[:_SHOWN]))}" if others else ""
    more += ", ..." if len(others) > _MOST_NAMED else ""
    warnings.add(f"joint {joints[0].name!r}: {what(joints[0])}{more}", at=where(joints[0]), why=why, fix=fix)


def _are(names: Sequence[str]) -> str:
    return "is that of" if len(names) == 1 else f"are those of {len(names)} more:"


def _is_in_degrees(joint: Joint) -> bool:
    lower, upper = joint.limits.lower, joint.limits.upper
    if joint.type.nq != 1 or lower is None or upper is None or units(joint.type).position[0] != "rad":
        return False
    return TURNS < max(abs(lower), abs(upper)) <= DEGREES


def _is_held(joint: Joint) -> bool:
    lower, upper = joint.limits.lower, joint.limits.upper
    return joint.type.nq == 1 and lower is not None and lower == upper


def _doubtful_inertia(link: Link, size: float) -> str:
    """Say what is odd about the scale of a link's inertia, nothing where all is well."""
    mass = link.inertia.mass
    moments = np.linalg.eigvalsh(link.inertia.about_com)
    largest = float(moments[2])
    rounding = SHIFTING * float(np.abs(link.inertia.about_origin).max())
    if mass <= 0.0 or largest <= rounding:  # of a point mass, zero is left about the centre of mass, but for rounding
        return ""
    gyration = float(np.sqrt(largest / mass))
    if gyration > TOO_WIDE * size:
        return (
            f"its inertia {largest:g} kg m^2 means a radius of gyration of {gyration:.3g} m, the robot has {size:.2g} m"
        )
    radius = (mass / DENSEST * 3.0 / (4.0 * np.pi)) ** (1.0 / 3.0)
    if largest < TOO_DENSE * 0.4 * mass * radius**2:
        return f"its inertia {largest:g} kg m^2 is far too small for {mass:g} kg: no matter is so dense"
    return ""


def _size(links: Iterable[Link], joints: Iterable[Joint]) -> float:
    """Return about how large a robot is (m), rather too large: the sum of the ways between joints, and its bodies."""
    steps = sum(float(np.linalg.norm(translation(joint.origin))) for joint in joints)
    bodies = [_reach(link) for link in links]
    return max(steps + max(bodies, default=0.0), SMALLEST)


def _reach(link: Link) -> float:
    """Return how far a link's centre of mass and primitive shapes are from its origin (m)."""
    farthest = float(np.linalg.norm(link.inertia.com)) if link.inertia.mass > 0.0 else 0.0
    for visual in (*link.visuals, *link.collisions):
        farthest = max(farthest, visual.shape.reach + float(np.linalg.norm(translation(visual.T_bs))))
    return farthest


def warn_of_unmodelled(robot: Robot, file: str) -> tuple[str, ...]:
    """Say once what the robot has and its equations of motion lack."""
    lines = []
    rubbing = [joint.name for joint in robot.joints if joint.friction]
    if rubbing:
        lines.append(
            one_line(f"Coulomb friction of {_joints(rubbing)} is in simulations with friction=True only", at=file)
        )
    numbered = {f"{joint.name}[{i}]": joint.name for joint in robot.joints for i in range(joint.type.nv)}
    lines += [
        one_line(
            f"joint {joint.name!r} is called as a coordinate of joint {numbered[joint.name]!r} is",
            at=file,
            why="where coordinates are named, the joint is meant",
            fix="rename one",
        )
        for joint in robot.joints
        if joint.name in numbered
    ]
    return tuple(lines)


def without_inertia(robot: Robot, file: str, arguments: Mapping[str, str]) -> tuple[str, ...]:
    """Say once which joints move nothing with inertia; `arguments` are those of a xacro file, with their values."""
    idle = massless_joints(robot)
    if not idle:
        return ()
    known = list(arguments.items())[:_MOST]
    listed = ", ".join(f"{name}:={value}" for name, value in known) + (", ..." if len(arguments) > _MOST else "")
    who = "no joint moves" if len(idle) == len(robot.joints) else f"{_joints(list(idle))} move{'s' * (len(idle) == 1)}"
    what = "a mass or inertia" if len(idle) == len(robot.joints) else "no mass or inertia"
    fix = f"give inertias; they may hang on an argument of the xacro file: {listed}" if listed else "give inertias"
    why = "forward dynamics is undetermined there"
    return (one_line(f"{who} {what}", at=file, why=why, fix=fix),)


def _joints(names: list[str]) -> str:
    more = ", ..." if len(names) > _SHOWN else ""
    return f"{len(names)} joint{'s' if len(names) > 1 else ''} ({', '.join(names[:_SHOWN])}{more})"
