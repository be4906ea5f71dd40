"""Welding links together: fixed joints vanish, locked joints become fixed, loops and couplings follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real

import numpy as np

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.robot.closed_chain_checks import make_rigid_loop_error
from screwgraph.model.robot.closure.closing_newton import ROUGH, characteristic_length
from screwgraph.model.robot.closure.constraints import loop_residual
from screwgraph.model.robot.joints import Fixed
from screwgraph.model.robot.parts import Frame, Joint, Limits, Link, Loop
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import inverse

CLOSED = 1e-9
"""Loop-closure error (rad, m) up to which a loop or coupling whose joints are all locked counts as closed."""


def merge_fixed(robot: Robot) -> Robot:
    """Weld links that fixed joints join: inertias add exactly, the vanished links stay as frames.

    A joint that a coupling ties to fixed ones only cannot move either; it is locked too, and a closed loop within one
    rigid body has no effect and is left out; both are remarked upon.

    Raises:
        ModelError: a loop within one rigid body that is open, or a coupling of fixed joints that does not hold.
    """
    merged = _merge_links(_settle_couplings(robot, {}))
    rigid = [loop for loop in merged.loops if loop.predecessor == loop.successor]
    for loop in rigid:
        if (error := _closure_error(loop)) > ROUGH * characteristic_length(merged):
            raise make_rigid_loop_error(loop, error)
    for coupling in merged.couplings:
        if not coupling.joints:
            raise ModelError(f"coupling {coupling.name!r} is off by {-coupling.offset:g}", why="its joints are fixed")
    remarks = (f"loop {loop.name!r} joins two links of one rigid body: it is left out" for loop in rigid)
    loops = tuple(loop for loop in merged.loops if loop not in rigid)
    return replace(merged, loops=loops, warnings=(*merged.warnings, *remarks))


def lock(robot: Robot, joints: Iterable[str] | Mapping[str, float]) -> Robot:
    """Weld joints, at zero or at the positions that a mapping gives, and merge their links.

    Joints that couplings tie to locked ones only are locked too; loops and couplings without motion vanish, the latter
    with a warning where they do not hold.

    Raises:
        InputError: no such joint, a position for a joint with several coordinates, or positions that open loops.
    """
    at = dict(joints) if isinstance(joints, Mapping) else dict.fromkeys(_names(joints))
    positions = {name: _position(robot.joint(name), position) for name, position in at.items()}
    chosen = robot.independent
    if robot.is_closed and chosen is not None and not set(at) <= set(chosen):
        robot = replace(robot, independent=None)  # a dependent joint that stands still takes a freedom away
    merged = _merge_links(_settle_couplings(_with_locked(robot, positions), positions))
    off = [coupling for coupling in merged.couplings if not coupling.joints]
    remarks = (f"coupling {c.name!r} is off by {-c.offset:g} with its joints locked there: it is left out" for c in off)
    loops = tuple(loop for loop in merged.loops if not _is_idle(loop))
    merged = replace(merged, loops=loops)
    return replace(
        merged,
        actuators=tuple(a for a in merged.actuators if a.acts_on(merged)),
        couplings=tuple(coupling for coupling in merged.couplings if coupling.joints),
        warnings=(*merged.warnings, *remarks),
    )


def _merge_links(robot: Robot) -> Robot:
    frame_of = {robot.links[0].name: Frame(robot.links[0].name, robot.links[0].name, np.eye(4))}
    for joint in robot.joints:
        if joint.is_fixed:
            above = frame_of[joint.parent]
            frame_of[joint.child] = Frame(joint.child, above.link, above.T_lf @ joint.origin)
        else:
            frame_of[joint.child] = Frame(joint.child, joint.child, np.eye(4))
    inertia = {f.link: robot.link(f.link).inertia for f in frame_of.values()}
    shapes = {name: (robot.link(name).visuals, robot.link(name).collisions) for name in inertia}
    for frame in frame_of.values():
        if frame.name != frame.link:
            inertia[frame.link] = inertia[frame.link] + robot.link(frame.name).inertia.moved(frame.T_lf)
            own = robot.link(frame.name)
            moved = [tuple(v.moved(frame.T_lf) for v in some) for some in (own.visuals, own.collisions)]
            seen, touched = shapes[frame.link]
            shapes[frame.link] = (seen + moved[0], touched + moved[1])
    joints = [_reparent_joint(j, frame_of[j.parent]) for j in robot.joints if not j.is_fixed]
    merged = [f for f in frame_of.values() if f.name != f.link]
    kept = [Frame(f.name, frame_of[f.link].link, frame_of[f.link].T_lf @ f.T_lf) for f in robot.frames]
    links = [Link(link.name, inertia[link.name], *shapes[link.name]) for link in robot.links if link.name in inertia]
    fixed = {joint.name for joint in robot.joints if joint.is_fixed}
    return replace(
        robot,
        links=tuple(links),
        joints=tuple(joints),
        frames=(*merged, *kept),
        loops=tuple(loop.moved(frame_of) for loop in robot.loops),
        independent=None if robot.independent is None else tuple(n for n in robot.independent if n not in fixed),
    )


def _settle_couplings(robot: Robot, locked: Mapping[str, float]) -> Robot:
    """Take the joints that stand still out of the couplings; lock those that a coupling then leaves no motion."""
    positions = {j.name: 0.0 for j in robot.joints if j.is_fixed} | dict(locked)
    moving = [actuator.with_fixed(positions) for actuator in robot.actuators]
    robot = replace(robot, actuators=tuple(a for a in moving if a is not None))
    reduced = [coupling.with_fixed(positions) for coupling in robot.couplings]
    robot = replace(robot, couplings=tuple(c for c in reduced if c.joints or abs(c.offset) > CLOSED))
    stuck = next((c for c in robot.couplings if c.is_linear and len(c.terms) == 1), None)
    if stuck is None:
        return robot
    ((joint, coefficient),) = stuck.terms.items()
    position = stuck.offset / coefficient
    remark = f"joint {joint!r} is locked at {position:g}: coupling {stuck.name!r} leaves it no motion"
    still = {joint: position}
    return _settle_couplings(_with_locked(replace(robot, warnings=(*robot.warnings, remark)), still), positions | still)


def _is_idle(loop: Loop) -> bool:
    """Whether a loop's ends lie on one link, closed; raises InputError where they are apart."""
    if loop.predecessor != loop.successor:
        return False
    error = _closure_error(loop)
    if error > CLOSED:
        raise InputError(
            f"loop {loop.name!r} has a loop-closure error of {error:.3g} with its joints locked there",
            fix="lock fewer joints",
        )
    return True


def _closure_error(loop: Loop) -> float:
    """Return by how much a loop is open (rad, m) whose ends lie on one link."""
    return float(np.abs(loop_residual(loop, inverse(loop.T_pf) @ loop.T_sf)).max())


def _with_locked(robot: Robot, positions: Mapping[str, float]) -> Robot:
    locked = {name: _lock_joint(robot.joint(name), position) for name, position in positions.items()}
    return replace(robot, joints=tuple(locked.get(j.name, j) for j in robot.joints))


def _lock_joint(joint: Joint, position: float) -> Joint:
    q = np.array([position]) if joint.type.nq == 1 else joint.neutral_position()
    pose = joint.origin @ joint.type.transform(q)
    return replace(joint, type=Fixed(), origin=pose, limits=Limits(), damping=0.0, friction=0.0, armature=0.0)


def _position(joint: Joint, position: float | None) -> float:
    """Check the position at which a joint must be locked; zero for one of several coordinates: its neutral pose."""
    if position is None:
        return float(joint.type.manifold.identity()[0]) if joint.type.nq == 1 else 0.0
    if joint.type.nq != 1 or not isinstance(position, Real) or not np.isfinite(position):
        raise InputError(f"joint {joint.name!r} cannot be locked at {position!r}", why="it takes one finite number")
    return float(position)


def _reparent_joint(joint: Joint, parent: Frame) -> Joint:
    return (
        joint if parent.name == parent.link else replace(joint, parent=parent.link, origin=parent.T_lf @ joint.origin)
    )


def _names(joints: Iterable[str]) -> list[str]:
    if isinstance(joints, str):
        return [joints]
    if not isinstance(joints, Iterable):
        raise InputError(f"{joints!r} does not name joints", fix='lock=("joint1",) or lock={"joint1": 0.5}')
    return [_name(name) for name in joints]


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise InputError(f"{name!r} is not the name of a joint", fix='lock=("joint1",) or lock={"joint1": 0.5}')
    return name
