"""From loose links and joints to a checked tree, parents first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.robot.actuator import Actuator, check_actuators
from screwgraph.model.robot.closed_chain_checks import check_closed_chains, check_unique, parse_independent_name
from screwgraph.model.robot.coupling import Coupling
from screwgraph.model.robot.limit_arrays import with_sound_limits
from screwgraph.model.robot.parts import Frame, Joint, Link, Loop
from screwgraph.model.robot.robot import STANDARD_GRAVITY, Gravity, Robot

Where = Callable[[Link | Joint | Frame | Loop | Coupling | Actuator | None], object]
"""Tells where in its file a part stands (None: the robot itself); returns None where there is no file."""


def tree(
    name: str,
    links: Sequence[Link],
    joints: Sequence[Joint],
    *,
    frames: Sequence[Frame] = (),
    gravity: Gravity = STANDARD_GRAVITY,
    warnings: Sequence[str] = (),
    loops: Sequence[Loop] = (),
    couplings: Sequence[Coupling] = (),
    independent: Sequence[str] | None = None,
    actuators: Sequence[Actuator] = (),
    T_wb: Float[np.ndarray, "4 4"] | None = None,
    where: Where = lambda _: None,
) -> Robot:
    """Check that links and joints form one tree, and sort them: parents first, else as given.

    Limits in the wrong order are swapped, with a warning; see `with_sound_limits`.

    Raises:
        ModelError: double or unknown names, two parents, cycle, links without a parent; a loop or coupling that
            closes nothing or names what there is not; an actuator that drives what there is not.
    """
    _check_names(links, joints, where)
    _check_frames(links, frames, where)
    base = _find_base(links, joints, where)
    ordered = _parents_first(base, joints)
    _check_connected(base, links, ordered, where)
    by_name = {link.name: link for link in links}
    sorted_links = (by_name[base], *(by_name[j.child] for j in ordered))
    check_closed_chains(links, joints, loops, couplings, independent, where)
    sound = [with_sound_limits(joint, where(joint)) for joint in ordered]
    position = {joint.name: i for i, joint in enumerate(ordered)}
    chosen = (
        None
        if independent is None
        else sorted(independent, key=lambda n: position[parse_independent_name(n, position)[0]])
    )
    robot = Robot(
        name,
        sorted_links,
        tuple(joint for joint, _ in sound),
        tuple(frames),
        gravity,
        (*warnings, *(remark for _, remarks in sound for remark in remarks)),
        tuple(loops),
        tuple(couplings),
        None if chosen is None else tuple(chosen),
        tuple(actuators),
        np.eye(4) if T_wb is None else T_wb,
    )
    check_actuators(robot, where)
    return robot


def _check_names(links: Sequence[Link], joints: Sequence[Joint], where: Where) -> None:
    for what, parts in (("link", links), ("joint", joints)):
        for part in parts:
            if not part.name.isprintable():
                raise ModelError(
                    f"the name of {what} {part.name!r} has control characters",
                    at=where(part),
                    why="terminals would obey them",
                    fix="rename it",
                )
        check_unique(parts, f"two {what}s are", where)
    known = {link.name for link in links}
    for joint in joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in known:
                raise ModelError(
                    f"joint {joint.name!r} has the {role} {link!r}, and no link has that name",
                    at=where(joint),
                    fix=f"add the link {link!r} or correct the joint's {role}",
                )


def _check_frames(links: Sequence[Link], frames: Sequence[Frame], where: Where) -> None:
    known = {link.name for link in links}
    check_unique(frames, "a second frame or link is", where, known)
    for frame in frames:
        if frame.link not in known:
            raise ModelError(
                f"frame {frame.name!r} is on the link {frame.link!r}, and no link has that name",
                at=where(frame),
                fix="name a link of the robot",
            )


def _find_base(links: Sequence[Link], joints: Sequence[Joint], where: Where) -> str:
    parent_joint: dict[str, Any] = {}
    for joint in joints:
        if joint.parent == joint.child:
            raise ModelError(
                f"joint {joint.name!r} joins link {joint.child!r} to itself",
                at=where(joint),
                fix="name another parent",
            )
        if joint.child in parent_joint:
            raise ModelError(
                f"link {joint.child!r} has two parents, {parent_joint[joint.child].parent!r} and {joint.parent!r}",
                at=where(joint),
                why="a tree gives each link one parent",
                fix="close the loop with a <loop> element instead",
            )
        parent_joint[joint.child] = joint
    if not links:
        raise ModelError("the robot has no link", at=where(None), fix="add at least one link")
    bases = [link.name for link in links if link.name not in parent_joint]
    if not bases:
        cycle = _cycle(links[0].name, {child: j.parent for child, j in parent_joint.items()})
        raise ModelError(
            f"the joints form a cycle: {' -> '.join(cycle)}",
            at=where(parent_joint[cycle[0]]),
            why="no link is the base",
            fix="remove one joint and close the loop with a <loop> element",
        )
    parents = {joint.parent for joint in joints}
    return next((base for base in bases if base in parents), bases[0])


def _parents_first(base: str, joints: Sequence[Joint]) -> list[Joint]:
    """Keep the file's order as far as parents come first: depth first, children as listed."""
    children: dict[str, list[Joint]] = {}
    for joint in joints:
        children.setdefault(joint.parent, []).append(joint)
    ordered: list[Joint] = []
    stack = list(reversed(children.get(base, [])))
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack.extend(reversed(children.get(joint.child, [])))
    position = {joint.name: i for i, joint in enumerate(joints)}
    if all(position[j.name] > position[p.name] for j, p in _parent_pairs(ordered)):
        return sorted(ordered, key=lambda j: position[j.name])
    return ordered


def _parent_pairs(joints: Sequence[Joint]) -> list[tuple[Joint, Joint]]:
    by_child = {j.child: j for j in joints}
    return [(j, by_child[j.parent]) for j in joints if j.parent in by_child]


def _check_connected(base: str, links: Sequence[Link], joints: Sequence[Joint], where: Where) -> None:
    reached = {base, *(j.child for j in joints)}
    for link in links:
        if link.name not in reached:
            raise ModelError(
                f"link {link.name!r} is not connected to the base {base!r}",
                at=where(link),
                why="every link but the base is the child of a joint; a cycle of joints is not connected to the base",
                fix="add a joint, or a fixed one",
            )


def _cycle(start: str, parent: dict[str, str]) -> list[str]:
    path, seen = [start], {start}
    while parent[path[-1]] not in seen:
        path.append(parent[path[-1]])
        seen.add(path[-1])
    path.append(parent[path[-1]])
    return path[path.index(path[-1]) :]
