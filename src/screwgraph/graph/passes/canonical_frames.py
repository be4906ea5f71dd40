"""Canonical frames: joints move about or along z, links are modified Denavit-Hartenberg.

A link chooses among frames on its joint's axis by what each would cost.

A constant turn about a joint's own axis becomes part of its position.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import atan2, cos, sin
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.graph.passes.rounding import snap_inertia, snap_rotation
from screwgraph.model.robot import Frame, Joint, Link, Robot
from screwgraph.model.robot.parameters import at_sample, has_symbols
from screwgraph.model.robot.parts import DirectedMotion, ShiftedZero
from screwgraph.spatial import inverse, rotation, transform, translation

Frames = dict[str, Float[np.ndarray, "4 4"]]
"""For each link, its new frame in its old one."""

Z = np.array([0.0, 0.0, 1.0])

PARALLEL = 1e-9
"""Sine of the angle below which two axes count as parallel."""

ROUNDED = 1e-14
"""Squared sine below which rounding hides where two axes are nearest."""

FAR = 20.0
"""Axes that are parallel but for a file's digits meet far away; so many distances off, digits would be lost."""

SWEEPS = 3
"""Rounds in which links choose in turn, each knowing what its neighbours chose."""

ENTRY, LENGTH, TURN, MOMENT = 10, 12, 1, 4
"""Operations that an entry of a rotation, of a translation, an added angle, an inertial parameter cost, roughly."""

SHARP = 1e-12
"""Entries of a rotation this close to 0 or +-1 are that."""


def canonical_frames(robot: Robot, keep: Collection[str] = ()) -> Robot:
    """Choose new frames for links, so that most entries of their transforms are 0 or 1.

    z is the axis of the link's joint; origin and x are where the work is least, mostly the foot of the common normal to
    the parent's axis, and along that to a child's (Khalil & Kleinfinger, 1986). The constant angle between two such
    frames is added to the position of a revolute joint. Links of other joints keep their frames. Joint coordinates,
    torques and the frames that names mean stay as they were; twists and wrenches of links are in the new frames.
    A fixed base turns gravity with it.
    """
    del keep  # wrenches of joints only change their axes, which frames tell
    change = choose_frames(robot)
    links = tuple(Link(a.name, snap_inertia(a.inertia.moved(inverse(change[a.name])))) for a in robot.links)
    joints = tuple(remove_axial_offset(_move_joint(joint, change)) for joint in robot.joints)
    named = {frame.name for frame in robot.frames}
    frames = [replace(f, T_lf=snap_rotation(inverse(change[f.link]) @ f.T_lf)) for f in robot.frames]
    old = {link.name: Frame(link.name, link.name, inverse(change[link.name])) for link in robot.links}
    frames += [frame for name, frame in old.items() if name not in named]
    gravity = rotation(change[robot.links[0].name]).T @ np.array(robot.gravity)
    loops = tuple(loop.moved(old) for loop in robot.loops)
    return replace(
        robot, links=links, joints=joints, frames=tuple(frames), gravity=tuple(gravity.tolist()), loops=loops
    )


def remove_axial_offset(joint: Joint) -> Joint:
    """Take that part of a revolute joint's constant rotation about its axis (z) which leaves the simplest rest.

    Quarter turns only change places and signs of coordinates: they stay where they are, as do origins that are inputs.
    """
    if not isinstance(joint.type, ShiftedZero) or joint.turning_axis is None or joint.origin.dtype == object:
        return joint
    R, angle = split_axial_rotation(joint.origin)
    if angle == 0.0:
        return joint
    return replace(joint, type=joint.type.shift_zero(angle), origin=transform(R, translation(joint.origin)))


def split_axial_rotation(T: Float[np.ndarray, "4 4"]) -> tuple[Float[np.ndarray, "3 3"], float]:
    """Return the simplest rotation that, followed by a turn about z (rad), is that of T; and the turn."""
    R = rotation(T)
    if rotation_cost(R) == 0:
        return R, 0.0
    angles = [atan2(R[k, 0], R[k, 1]) for k in range(3)]
    options = [(R, 0.0), *((_turned_back(R, a), a) for a in angles)]
    return min(options, key=lambda option: rotation_cost(option[0]) + (option[1] != 0.0))


def rotation_cost(R: Float[np.ndarray, "3 3"]) -> int:
    """Count the entries of a rotation that cost a multiplication."""
    return sum(1 for entry in R.ravel().tolist() if entry not in (0.0, 1.0, -1.0))


def _turned_back(R: np.ndarray, angle: float) -> Float[np.ndarray, "3 3"]:
    c, s = cos(angle), sin(angle)
    rest = R.copy()
    rest[:, 0], rest[:, 1] = c * R[:, 0] - s * R[:, 1], s * R[:, 0] + c * R[:, 1]
    nearest = np.round(rest)
    return np.where(np.abs(rest - nearest) < SHARP, nearest, rest)


class AxisLine(NamedTuple):
    """A line: a point of it, and its direction."""

    point: Float[np.ndarray, "3"]
    direction: Float[np.ndarray, "3"]


def choose_frames(robot: Robot) -> Frames:
    """Return a new frame for every link; links of joints without a single axis keep theirs.

    Where an origin of a joint is an input, frames depend on neither of its links' axes; where inertias are, they are
    taken as they may be.
    """
    live = frozenset(joint.name for joint in robot.joints if has_symbols(joint.origin))
    robot = at_sample(robot)
    return dict(_chosen(_Choice(robot, live, _list_frame_inputs(robot))))


@dataclass(frozen=True)
class _Choice:
    """A robot and its live joints; two are equal where what frames depend on is."""

    robot: Robot = field(compare=False)
    live: frozenset[str]
    told: tuple[Any, ...]


def _list_frame_inputs(robot: Robot) -> tuple[Any, ...]:
    """Return all of a robot that frames depend on."""
    inertias = [link.inertia for link in robot.links]
    numbers = [
        np.array([j.origin for j in robot.joints]),
        *(np.array([*i.first_moment, *i.about_origin.flat]) for i in inertias),
    ]
    axes = [axis if axis is None else tuple(axis.tolist()) for axis in map(find_joint_axis, robot.joints)]
    joints = [(j.name, j.parent, j.child, _has_zero_angle(j)) for j in robot.joints]
    return tuple(link.name for link in robot.links), tuple(joints), tuple(axes), tuple(n.tobytes() for n in numbers)


@lru_cache(maxsize=8)
def _chosen(choice: _Choice) -> Frames:
    """Return the frames; of one robot, code of several questions asks for them."""
    robot, live = choice.robot, choice.live
    frames: Frames = {link.name: np.eye(4) for link in robot.links}
    movable = [joint for joint in robot.joints if find_joint_axis(joint) is not None]
    # From the base outward, as candidates depend on the parent's axis; then inward, as costs depend on children, too.
    for joint in movable:
        frames[joint.child] = next(iter(_candidates(robot, joint, frames, live)))
    for _ in range(SWEEPS):
        before = dict(frames)
        for joint in reversed(movable):
            frames[joint.child] = _cheapest(robot, joint, frames, live)
        if all(before[j.child] is frames[j.child] for j in movable):
            break
    first = robot.joints[0] if robot.joints else None
    if first is not None and find_joint_axis(first) is not None and first.name not in live:
        frames[robot.links[0].name] = first.origin @ frames[first.child]
    return frames


def find_joint_axis(joint: Joint) -> Float[np.ndarray, "3"] | None:
    """Return the axis, in the child's frame, of a joint that has just one; None for others."""
    axis = joint.turning_axis if joint.turning_axis is not None else joint.sliding_axis
    return axis if axis is not None and isinstance(joint.type, DirectedMotion) else None


def _has_zero_angle(joint: Joint) -> bool:
    """Whether the joint turns from a zero that can be moved."""
    return joint.turning_axis is not None and isinstance(joint.type, ShiftedZero)


def _cheapest(robot: Robot, joint: Joint, frames: Frames, live: Collection[str]) -> Float[np.ndarray, "4 4"]:
    """Return the best candidate for the joint's child; the one that it has wins a tie."""
    options = [frames[joint.child], *_candidates(robot, joint, frames, live)]
    costs = [_cost(robot, joint, {**frames, joint.child: option}) for option in options]
    return options[costs.index(min(costs))]


def _cost(robot: Robot, joint: Joint, frames: Mapping[str, np.ndarray]) -> int:
    """Estimate the operations that a link's frame decides: at its joint, its children's joints, and its inertia."""
    own = 0 if joint is robot.joints[0] else _joint_cost(joint, frames)
    inertia = robot.link(joint.child).inertia.moved(inverse(frames[joint.child]))
    h, about = inertia.first_moment[:2], inertia.about_origin
    moments = (*h, about[0, 1], about[0, 2], about[1, 2])
    scale = 1e-12 * max(np.abs(about).max(), np.abs(h).max(), 1e-300)
    own += MOMENT * sum(abs(m) > scale for m in moments)
    return own + sum(_joint_cost(child, frames) for child in robot.children(joint.child))


def _joint_cost(joint: Joint, frames: Mapping[str, np.ndarray]) -> int:
    T = snap_rotation(inverse(frames[joint.parent]) @ joint.origin @ frames[joint.child])
    R, angle = split_axial_rotation(T) if _has_zero_angle(joint) else (rotation(T), 0.0)
    lengths = int(np.count_nonzero(translation(T)))
    return ENTRY * rotation_cost(R) + LENGTH * lengths + TURN * (angle != 0.0)


def _candidates(
    robot: Robot, joint: Joint, frames: Frames, live: Collection[str]
) -> Iterable[Float[np.ndarray, "4 4"]]:
    """Yield frames on the joint's axis z, in the link's old frame; the classical one (Khalil & Kleinfinger) first.

    Origins: the feet of the common normals to the axes before and after, and the old one. Directions of x: along
    the common normals, toward the centre of mass, the old axes. Axes beyond `live` joints, whose
    origins are inputs, are not known.
    """
    z = find_joint_axis(joint)
    assert z is not None
    onward = [
        AxisLine(c.origin[:3, 3], rotation(c.origin) @ axis)
        for c in robot.children(joint.child)
        if (axis := find_joint_axis(c)) is not None and c.name not in live
    ]
    before = None if joint.name in live else _parent_axis(robot, joint, frames)
    lines = [*([before] if before else []), *onward]
    origins = [*(_foot(z, line) for line in lines), np.zeros(3)]
    normals = [n for line in onward if (n := _normal(z, line)) is not None]
    normals += _some_normals(z, robot, joint)
    for origin in _distinct(origins):
        for normal in _distinct([n / np.linalg.norm(n) for n in normals]):
            yield _frame(normal, z, origin)


def _parent_axis(robot: Robot, joint: Joint, frames: Frames) -> AxisLine | None:
    """Return the axis of the parent's joint, through its new origin; the base's and other joints' are none."""
    before = robot.joint_of(joint.parent)
    if before is None or find_joint_axis(before) is None:
        return None
    T = inverse(joint.origin) @ frames[joint.parent]
    return AxisLine(T[:3, 3], T[:3, 2])


def _normal(z: np.ndarray, line: AxisLine) -> np.ndarray | None:
    """Return a direction from the axis z through 0 to a line, at right angles to both; None where they are one."""
    normal = np.cross(z, line.direction)
    if np.linalg.norm(normal) < PARALLEL:
        normal = line.point - (line.point @ z) * z
    return None if np.linalg.norm(normal) < PARALLEL else normal


def _foot(z: np.ndarray, line: AxisLine) -> Float[np.ndarray, "3"]:
    """Return the point of the axis z through 0 that is nearest to a line; the height of its point if parallel."""
    point, other = line
    level = (point @ z) * z
    cosine = z @ other
    if 1.0 - cosine**2 < ROUNDED:
        return level
    # Least distance of s z and point + u other: s = (p z - (z o) (p o)) / (1 - (z o)^2).
    foot = (point @ z - cosine * (point @ other)) / (1.0 - cosine**2) * z
    return foot if np.linalg.norm(foot) <= FAR * np.linalg.norm(point) else level


def _some_normals(z: np.ndarray, robot: Robot, joint: Joint) -> list[np.ndarray]:
    """Return directions normal to z: toward the centre of mass, and the old axes that are."""
    com = robot.link(joint.child).inertia.first_moment
    off = com - (com @ z) * z
    found = [off] if np.linalg.norm(off) > 1e-9 * max(np.linalg.norm(com), 1e-12) else []
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    return [*found, x - (x @ z) * z]


def _distinct(vectors: Iterable[np.ndarray]) -> list[np.ndarray]:
    kept: list[np.ndarray] = []
    for v in vectors:
        if all(np.abs(v - k).max() > 1e-12 for k in kept):
            kept.append(v)
    return kept


def _frame(x: np.ndarray, z: np.ndarray, origin: np.ndarray) -> Float[np.ndarray, "4 4"]:
    x = x / np.linalg.norm(x)
    return snap_rotation(transform(np.stack([x, np.cross(z, x), z], axis=1), origin))


def _move_joint(joint: Joint, change: Frames) -> Joint:
    kind, axis = joint.type, find_joint_axis(joint)
    if axis is not None and isinstance(kind, DirectedMotion):
        kind = kind.rotate(np.outer(Z, axis))  # of one axis, all that matters is where it goes: exactly to z
    origin = inverse(change[joint.parent]) @ joint.origin @ change[joint.child]
    return replace(joint, type=kind, origin=snap_rotation(origin))
