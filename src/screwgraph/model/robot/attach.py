"""Two robots made one: a hand on an arm, an arm on a base that moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, count

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot.edit import turned_gravity
from screwgraph.model.robot.joints import Fixed
from screwgraph.model.robot.parts import Frame, Joint, Link
from screwgraph.model.robot.robot import Robot
from screwgraph.model.robot.topology import tree
from screwgraph.model.robot.weld import merge_fixed
from screwgraph.spatial.manifolds import SE3

ALIKE = 1e-9
"""How far gravities of one world are apart, relatively: bases are turned by angles of few digits."""


@check_arguments
def attach(
    robot: Robot, other: Robot, frame: str, *, T: Float[np.ndarray, "4 4"] | None = None, prefix: str = ""
) -> Robot:
    """Return a robot on which another one is mounted: its base is welded to a link or frame.

    Args:
        robot: what carries; its name, gravity and base stay.
        other: the robot to mount.
        frame: link or frame of `robot`.
        T: pose (4, 4) of the other's base in that frame; where it is left out, they coincide.
        prefix: put before all names of the other's parts, for two hands of one kind.

    Raises:
        InputError: there is no such frame, T is no pose, or a name is in both robots.
    """
    at = robot.frame(frame)
    mount = np.eye(4) if T is None else validate_numbers("attach: T", T)
    if mount.shape != (4, 4) or not np.isfinite(mount).all() or SE3().is_off(mount[None]).any():
        raise InputError("attach: T is not a pose (4, 4)", fix="sg.spatial.transform(R, p) makes one")
    other = prefix_names(other, prefix)
    _check_apart(robot, other)
    base = other.links[0].name
    weld = Joint(_free(f"{base}_mount", robot, other), Fixed(), at.link, base, at.T_lf @ mount)
    whole = tree(
        robot.name,
        (*robot.links, *other.links),
        (*robot.joints, weld, *other.joints),
        frames=(*robot.frames, *other.frames),
        gravity=robot.gravity,
        warnings=(*robot.warnings, *other.warnings),
        loops=(*robot.loops, *other.loops),
        couplings=(*robot.couplings, *other.couplings),
        independent=_independent(robot, other),
        actuators=(*robot.actuators, *other.actuators),
        T_wb=robot.T_wb,
    )
    return merge_fixed(whole)


@check_arguments
def world(robots: Mapping[str, Robot] | Sequence[Robot]) -> Robot:
    """Return robots and bodies as one model: each stands on the link "world", with its name before those of its parts.

    Parts of {"left": arm} are called "left/link1". Robots of a list have the names of their files; several of one name
    are counted: "box", "box_2". Robots with floating bases are free; bases of the others stand at the origin.

    Gravity is that of all of them in the world's axes.

    Raises:
        InputError: there is none, a name is empty, or gravity is not the same for all.
    """
    if not robots:
        raise InputError("a world without robots", fix='world({"robot": robot, "box": box})')
    if not isinstance(robots, Mapping):
        robots = _name_in_turn(robots)
    first = next(iter(robots.values()))
    gravity = turned_gravity(first)
    most = ALIKE * np.linalg.norm(np.array(gravity, dtype=float))
    whole = tree("world", (Link("world"),), (), gravity=gravity)
    for name, robot in robots.items():
        if not name:
            raise InputError("a robot of a world has an empty name", fix='world({"robot": robot})')
        own = turned_gravity(robot)
        if np.linalg.norm(np.array(own, dtype=float) - np.array(gravity, dtype=float)) > most:
            raise InputError(
                f"gravity of {name!r} is {np.asarray(own)}",
                why=f"a world has one, that of {next(iter(robots))!r} is {np.asarray(gravity)}",
                fix="sg.load(file, gravity=...) for each",
            )
        whole = attach(whole, robot, "world", T=robot.T_wb, prefix=f"{name}/")
    return whole


def _name_in_turn(robots: Sequence[Robot]) -> dict[str, Robot]:
    found = dict[str, Robot]()
    for robot in robots:
        numbers = (f"{robot.name}_{k}" for k in count(2))
        found[next(name for name in chain([robot.name], numbers) if name not in found)] = robot
    return found


def prefix_names(robot: Robot, prefix: str) -> Robot:
    """Return the robot with a prefix before the names of all of its parts."""
    if not prefix:
        return robot
    chosen = robot.independent
    return replace(
        robot,
        links=tuple(replace(link, name=prefix + link.name) for link in robot.links),
        joints=tuple(
            replace(j, name=prefix + j.name, parent=prefix + j.parent, child=prefix + j.child) for j in robot.joints
        ),
        frames=tuple(Frame(prefix + frame.name, prefix + frame.link, frame.T_lf) for frame in robot.frames),
        loops=tuple(
            replace(
                loop,
                name=prefix + loop.name,
                predecessor=prefix + loop.predecessor,
                successor=prefix + loop.successor,
            )
            for loop in robot.loops
        ),
        couplings=tuple(coupling.with_prefix(prefix) for coupling in robot.couplings),
        independent=None if chosen is None else tuple(prefix + name for name in chosen),
        actuators=tuple(actuator.with_prefix(prefix) for actuator in robot.actuators),
    )


def _independent(*robots: Robot) -> tuple[str, ...] | None:
    """Return the joints that were chosen to drive closed chains; None where nobody chose any."""
    if all(robot.independent is None for robot in robots):
        return None
    return tuple(name for robot in robots for name in robot.independent_joints)


def _check_apart(robot: Robot, other: Robot) -> None:
    kinds = {
        "link or frame": lambda r: r.frame_names,
        "joint": lambda r: r.joint_names,
        "loop or coupling": lambda r: [part.name for part in (*r.loops, *r.couplings)],
        "actuator": lambda r: [actuator.name for actuator in r.actuators],
    }
    for what, names in kinds.items():
        both = [name for name in names(other) if name in set(names(robot))]
        if both:
            raise InputError(
                f"attach: both robots have a {what} called {both[0]!r}",
                why="names tell parts apart",
                fix='prefix="left_", for instance',
            )


def _free(name: str, *robots: Robot) -> str:
    taken: set[str] = {joint for robot in robots for joint in robot.joint_names}
    while name in taken:
        name += "_"
    return name
