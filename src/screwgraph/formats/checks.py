"""What every format checks once its links and joints are read."""

from __future__ import annotations

from collections.abc import Iterable

from screwgraph.errors import ModelError, one_line
from screwgraph.formats.diagnostics import Warnings
from screwgraph.robot import Joint, Link, Robot, implausible
from screwgraph.robot.topology import Where

_SHOWN = 4


def remark_on_parts(links: Iterable[Link], joints: Iterable[Joint], where: Where, warnings: Warnings) -> None:
    """Warn of impossible inertias, negative damping and contradicting limits."""
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


def check_mimics(joints: Iterable[Joint], where: Where) -> None:
    """Check that each mimicking joint follows another one of one coordinate, not in a circle. Raises ModelError."""
    by_name = {joint.name: joint for joint in joints}
    for joint in by_name.values():
        if joint.mimic:
            _check_mimic(joint, by_name, where)


def not_modelled(robot: Robot, file: str) -> tuple[str, ...]:
    """Say once what the robot has and its equations of motion lack."""
    lines = []
    rubbing = [joint.name for joint in robot.joints if joint.friction]
    if rubbing:
        lines.append(one_line(f"Coulomb friction of {_joints(rubbing)} is kept but not modelled", at=file))
    mimics = [joint.name for joint in robot.joints if joint.mimic]
    if mimics:
        what = f"mimic of {_joints(mimics)} is kept but not modelled"
        lines.append(one_line(what, at=file, why="each moves freely", fix="lock it to weld it"))
    return tuple(lines)


def _check_mimic(joint: Joint, by_name: dict[str, Joint], where: Where) -> None:
    path, leader = [joint.name], joint
    while leader.mimic:
        follower, name = leader, leader.mimic.joint
        if name not in by_name:
            raise ModelError(
                f"joint {follower.name!r} mimics {name!r}, and no joint has that name",
                at=where(follower),
                fix="name a joint of the robot",
            )
        leader = by_name[name]
        if leader.name in path:
            raise ModelError(
                f"joint {follower.name!r} mimics {name!r}, which follows it",
                at=where(follower),
                why="joints cannot mimic in a circle",
                fix="take out one mimic",
            )
        if leader.type.nq > 1 or follower.type.nq > 1:
            raise ModelError(
                f"joint {follower.name!r} mimics {name!r}",
                at=where(follower),
                why="a joint with several coordinates cannot",
                fix="take out the mimic",
            )
        path.append(leader.name)


def _joints(names: list[str]) -> str:
    more = ", ..." if len(names) > _SHOWN else ""
    return f"{len(names)} joint{'s' if len(names) > 1 else ''} ({', '.join(names[:_SHOWN])}{more})"
