"""What is drawn of links: shapes of their files, and where these have none, capsules from joint to joint."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats import face_colours, split_readable, summarise_unreadable
from screwgraph.model.robot import Box, Cylinder, Joint, Link, Mesh, Robot, Shape, Sphere, Visual, link_poses
from screwgraph.spatial import transform, translation
from screwgraph.ui.view.primitive_parts import is_inside, link_between, rotation_along

PALETTE = ("#4878b0", "#e0893a")
"""Colours of links, by turns from the base to the tips."""
BASE, JOINT = "#8a8f98", "#3f4a5a"
_SAMPLES = (0.3, 0.5, 0.7)


def collect_visuals(robot: Robot) -> dict[str, tuple[Visual, ...]]:
    """Return what is drawn of each link: the file's shapes in colour, and capsules where these cover no joint.

    Meshes that cannot be had are left out, and named in one warning (RuntimeWarning).
    """
    radius, depth = 0.018 * robot_size(robot), _depths(robot)
    result, missing = {}, []
    for whole in robot.links:
        own, wrong = split_readable(whole.visuals)
        missing += wrong
        link = replace(whole, visuals=tuple(own or split_readable(whole.collisions)[0]))
        colour = PALETTE[depth[link.name] % 2] if depth[link.name] else BASE
        own = tuple(
            Visual(v.shape, v.T_bs, v.colour or ("" if _is_coloured(v.shape) else colour)) for v in link.visuals
        )
        result[link.name] = own + tuple(_substitutes(robot, link, radius, colour))
    if missing:
        warnings.warn(f"{robot.name}: {summarise_unreadable(missing)}", RuntimeWarning, stacklevel=3)
    return result


def _is_coloured(shape: Shape) -> bool:
    """Whether the file of a shape has colours of its own."""
    return isinstance(shape, Mesh) and bool(face_colours(shape)[0])


def robot_size(robot: Robot) -> float:
    """Return how large the robot is about, at zero (m): the diagonal of the box of its links' and joints' points.

    Of a single body it is that of its largest shape, 1 m where it has none.
    """
    poses = link_poses(robot, robot.neutral())
    points = [poses[link.name][:3, 3] for link in robot.links]
    points += [(poses[link.name] @ [*p, 1.0])[:3] for link in robot.links for p in list_attachments(robot, link)]
    if len(robot.links) > 1 and (size := float(np.linalg.norm(np.ptp(points, axis=0)))):
        return size
    shapes = [visual.shape for link in robot.links for visual in (*link.visuals, *link.collisions)]
    return max((2.0 * shape.reach for shape in shapes if not isinstance(shape, Mesh)), default=0.0) or 1.0


def robot_extent(robot: Robot) -> tuple[float, float]:
    """Return the size (m) and the weight (N) of a robot."""
    return robot_size(robot), robot.mass * float(np.linalg.norm(np.array(robot.gravity, dtype=float)))


def list_attachments(robot: Robot, link: Link) -> list[Float[np.ndarray, "3"]]:
    """Return the points of a link from which others go on: joints, ends of loops, else its farthest frame or mass."""
    points = [translation(joint.origin) for joint in robot.children(link.name)]
    points += [translation(loop.T_pf) for loop in robot.loops if loop.predecessor == link.name]
    points += [translation(loop.T_sf) for loop in robot.loops if loop.successor == link.name]
    if not points:
        frames = [translation(frame.T_lf) for frame in robot.frames if frame.link == link.name]
        points = sorted(frames, key=lambda p: float(np.linalg.norm(p)))[-1:]
        if not any(p.any() for p in points) and link.inertia.mass > 0.0 and link.name != robot.links[0].name:
            points = [2.0 * link.inertia.com]  # the end of a slender rod
    return points


def _substitutes(robot: Robot, link: Link, radius: float, colour: str) -> list[Visual]:
    joint, points = robot.joint_of(link.name), list_attachments(robot, link)
    if link.visuals and joint is None:
        return []  # what stands on the ground has no rods to show
    if any(isinstance(visual.shape, Mesh) for visual in link.visuals):
        return []  # a mesh is the whole link
    rods = [link_between(np.zeros(3), p, radius, colour) for p in points if np.linalg.norm(p) > radius]
    rods = [rod for rod in rods if not _is_covered(rod, link.visuals, radius)]
    if link.visuals or joint is None:
        return rods
    box = []
    if len(points) > 2 or not (rods or robot.children(link.name)):
        box = _equal_box(link, 1.2 * _spread(points) or 60.0 * radius, colour)
    return rods + box + _joint_shape(joint, radius)


def _is_covered(rod: Visual, visuals: tuple[Visual, ...], radius: float) -> bool:
    """Whether the file's shapes are where a rod would be: it is there already, in its own shape."""
    centre, half = translation(rod.T_bs), rod.T_bs[:3, 2] * getattr(rod.shape, "length", 0.0) / 2.0
    samples = [centre + (2.0 * share - 1.0) * half for share in _SAMPLES]
    return sum(any(is_inside(visual, point, radius) for visual in visuals) for point in samples) > 1


def _spread(points: list[Float[np.ndarray, "3"]]) -> float:
    """Return the diagonal (m) of the box about a link's points, its origin among them."""
    return float(np.linalg.norm(np.ptp([np.zeros(3), *points], axis=0)))


def _equal_box(link: Link, largest: float, colour: str) -> list[Visual]:
    """Return the homogeneous box that has a link's mass and inertia, if there is one of edges up to `largest` (m)."""
    mass = link.inertia.mass
    if mass <= 0.0:
        return []
    moments, R = np.linalg.eigh(link.inertia.about_com)
    squares = 6.0 / mass * (moments.sum() - 2.0 * moments)
    if not (squares > 0.0).all() or np.sqrt(squares.max()) > largest:
        return []
    x, y, z = (float(edge) for edge in np.sqrt(squares))
    if np.linalg.det(R) < 0.0:
        R = -R
    return [Visual(Box((x, y, z)), transform(R, link.inertia.com), colour)]


def _joint_shape(joint: Joint, radius: float) -> list[Visual]:
    """Return a cylinder about the axis of a hinge, a box along that of a slider, a ball for other joints."""
    if joint.type.nv == 6:
        return []
    axis = joint.single_axis
    if axis is None or (axis[:3].any() and axis[3:].any()):
        return [Visual(Sphere(1.5 * radius), np.eye(4), JOINT)]
    turns = bool(axis[:3].any())
    T = transform(rotation_along(axis[:3] if turns else axis[3:]), np.zeros(3))
    shape = Cylinder(1.25 * radius, 3.0 * radius) if turns else Box((2.6 * radius, 2.6 * radius, 6.0 * radius))
    return [Visual(shape, T, JOINT)]


def _depths(robot: Robot) -> dict[str, int]:
    depth = {robot.links[0].name: 0}
    for joint in robot.joints:
        # A trunk that floats is grey like a base.
        depth[joint.child] = 0 if joint.type.nv == 6 and not depth[joint.parent] else depth[joint.parent] + 1
    return depth
