"""What every format checks once its links and joints are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from screwgraph.base.errors import one_line
from screwgraph.model.formats.diagnostics import Warnings
from screwgraph.model.formats.suspicious_values import warn_of_suspicious_values
from screwgraph.model.robot import Joint, Link, Robot, list_implausible, massless_joints
from screwgraph.model.robot.topology import Where

_SHOWN, _MOST = 4, 12


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


def warn_of_unmodelled(robot: Robot, file: str) -> tuple[str, ...]:
    """Say once what the robot has and its equations of motion lack."""
    lines = []
    rubbing = [joint.name for joint in robot.joints if joint.friction]
    if rubbing:
        lines.append(one_line(f"Coulomb friction of {_joints(rubbing)} is stored but not modelled", at=file))
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
