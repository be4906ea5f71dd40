"""Physical plausibility of inertias: warnings, or errors for who wants them; and whether a robot moves at all."""

from __future__ import annotations

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.model.model import Model
from screwgraph.model.robot.parts import Link
from screwgraph.model.robot.robot import Robot

ROUNDING = 1e-6
"""Relative slack: files print few digits."""

SHIFTING = 1e-13
"""Slack relative to the inertia about the origin, of which the one about the centre of mass is a difference."""


def list_implausible(link: Link) -> list[str]:
    """Return one line for each inequality that the inertia of a link violates."""
    inertia = link.inertia
    lines = []
    if inertia.mass < 0.0:
        lines.append(f"link {link.name!r}: its mass {inertia.mass:g} kg is negative")
    if inertia.mass == 0.0 and inertia.first_moment.any():
        lines.append(f"link {link.name!r}: it has no mass, but a centre of mass off its origin")
    a, b, c = np.linalg.eigvalsh(inertia.about_com)
    slack = ROUNDING * max(abs(a), abs(b), abs(c)) + SHIFTING * float(np.abs(inertia.about_origin).max())
    if a < -slack:
        lines.append(
            f"link {link.name!r}: its rotational inertia is not positive semidefinite, least principal moment {a:g} < 0"
        )
    elif a + b < c - slack:
        lines.append(
            f"link {link.name!r}: its principal moments violate the triangle inequality, {a:g} + {b:g} < {c:g}"
        )
    return lines


def massless_links(robot: Robot) -> tuple[str, ...]:
    """Return the names of the moving links without mass and inertia."""
    return tuple(link.name for link in robot.links[1:] if link.inertia.is_zero)


def massless_joints(robot: Robot) -> tuple[str, ...]:
    """Return the joints that move no inertia: no link behind them has any, nor they an armature, nor a loop more."""
    moved = {loop.predecessor for loop in robot.loops} | {loop.successor for loop in robot.loops}
    moved |= {link.name for link in robot.links if not link.inertia.is_zero}
    coupled = {name for coupling in robot.couplings for name in coupling.joints}
    found = []
    for joint in reversed(robot.joints):  # children first
        if joint.armature or joint.name in coupled:
            moved.add(joint.child)
        if joint.child in moved:
            moved.add(joint.parent)
        else:
            found.append(joint.name)
    return tuple(reversed(found))


def check_moves(robot: Model) -> None:
    """Raise InputError where no joint of a robot moves; something of a mechanism always does."""
    if not robot.nv:
        raise InputError(
            f"robot {robot.name!r} has no joint that moves", fix='load it with base="floating", or lock less'
        )
