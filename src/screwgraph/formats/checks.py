"""What every format checks once its links and joints are read."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.errors import one_line
from screwgraph.formats.diagnostics import Warnings
from screwgraph.formats.doubts import remark_on_doubts
from screwgraph.robot import Joint, Link, Robot, implausible
from screwgraph.robot.topology import Where

_SHOWN = 4


def remark_on_parts(links: Sequence[Link], joints: Sequence[Joint], where: Where, warnings: Warnings) -> None:
    """Warn of impossible inertias, negative damping, contradicting limits, and of what is probably a slip."""
    for link in links:
        for line in implausible(link):
            warnings.add(line, at=where(link))
    for joint in joints:
        for what in ("damping", "friction", "armature"):
            value = getattr(joint, what)
            if value < 0.0:
                warnings.add(f"joint {joint.name!r}: its {what} {value:g} is negative", at=where(joint))
        lower, upper = joint.limits.lower, joint.limits.upper
        if lower is not None and upper is not None and lower > upper:
            warnings.add(
                f"joint {joint.name!r}: its lower limit {lower:g} exceeds its upper limit {upper:g}", at=where(joint)
            )
    remark_on_doubts(links, joints, where, warnings)


def not_modelled(robot: Robot, file: str) -> tuple[str, ...]:
    """Say once what the robot has and its equations of motion lack."""
    lines = []
    rubbing = [joint.name for joint in robot.joints if joint.friction]
    if rubbing:
        lines.append(one_line(f"Coulomb friction of {_joints(rubbing)} is stored but not modelled", at=file))
    return tuple(lines)


def _joints(names: list[str]) -> str:
    more = ", ..." if len(names) > _SHOWN else ""
    return f"{len(names)} joint{'s' if len(names) > 1 else ''} ({', '.join(names[:_SHOWN])}{more})"
