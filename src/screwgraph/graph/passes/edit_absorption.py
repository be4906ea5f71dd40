"""Edits that another robot states: other inertias, damping, wrenches from outside, joints that stand still."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from screwgraph.graph import TEMPLATES, EditedModel, Factor, Key, Role
from screwgraph.graph.factors import prior, torque, wrench
from screwgraph.model.robot import Frame, Robot, lock
from screwgraph.spatial import SpatialInertia, inverse

KINEMATIC = frozenset({"twist", "acceleration", "gravity", "wrench"})
"""Laws without which a graph is not a robot's any more; torques, priors and constraints may be missing."""


def absorb_edits(model: EditedModel, asked: Collection[Key]) -> EditedModel | None:
    """Return a model with as few edits as possible, of another robot; None where the graph is no robot's.

    Args:
        model: the model with its edits.
        asked: variables whose values somebody wants.
    """
    for f in model.added:
        if f.law in model.absent and f.template in (wrench, torque) and not f.sigma:
            changed = _with_wrench(model, f) if f.template is wrench else _with_torque(model, f)
            if changed is None:
                return None
            model = changed
    # Passes make gravity a constant acceleration of the base: it must be the robot's own.
    lost = any(name in KINEMATIC or key.role is Role.FIELD for name, key in model.absent)
    if lost or any(_is_loose(f) for f in model.added):
        return None
    return _with_locked(model, asked)


def _is_loose(f: Factor) -> bool:
    """Whether a law of kinematics or balance was added that belongs to no link of the robot."""
    own = ("torque", "minimum_torque", "measurement") if f.sigma else ("prior", "torque", "minimum_torque")
    return TEMPLATES.get(f.template.name) is f.template and f.template.name not in own


def _absorb_factor(model: EditedModel, f: Factor, robot: Robot) -> EditedModel:
    return replace(model, robot=robot, added=tuple(a for a in model.added if a is not f), absent=model.absent - {f.law})


def _with_torque(model: EditedModel, f: Factor) -> EditedModel | None:
    """Return the model with other damping or armature of a joint."""
    new = f.parameters["joint"]
    old = next((joint for joint in model.robot.joints if joint.name == new.name), None)
    if old is None or not _alike(old, new):
        return None
    bound = {name for name in ("qd", "qdd") if name in f.arguments}
    if (
        f.arguments.get("multipliers")
        or f.live
        or (new.armature and new.has_turning_axes and "velocity" not in f.arguments)
        or bound != {n for n, x in (("qd", new.damping), ("qdd", new.armature)) if x}
    ):
        return None
    joints = tuple(
        replace(j, damping=new.damping, armature=new.armature) if j is old else j for j in model.robot.joints
    )
    return _absorb_factor(model, f, replace(model.robot, joints=joints))


def _alike(a: object, b: object) -> bool:
    """Whether two joints are the same but for damping and armature."""
    names = ("name", "type", "parent", "child")
    return all(getattr(a, n) == getattr(b, n) for n in names) and np.array_equal(a.origin, b.origin)  # pyright: ignore[reportAttributeAccessIssue]


def _with_wrench(model: EditedModel, f: Factor) -> EditedModel | None:
    """Return the model with another inertia of a link, or more wrenches from outside on it."""
    if f.live:
        return None
    link = f.variable("F").name
    inertia = _inertia(np.asarray(f.parameters["G"], dtype=float))
    if inertia is None or f.arguments.get("multipliers"):
        return None
    robot, frames = model.robot, list(model.external_wrenches)
    external_keys = [key for name, key in f.bindings() if name == "external_wrenches"]
    for key, T_fl in zip(external_keys, f.parameters.get("T_fl", ()), strict=True):
        if key.name not in frames:
            if any(frame.name == key.name for frame in robot.frames) or key.name in {i.name for i in robot.links}:
                return None
            robot = replace(robot, frames=(*robot.frames, Frame(key.name, link, inverse(T_fl))))
            frames.append(key.name)
    links = tuple(replace(i, inertia=inertia) if i.name == link else i for i in robot.links)
    rest = tuple(v for v in model.variables if not (v.key.kind == "external_wrenches" and v.key.name in frames))
    return replace(
        _absorb_factor(model, f, replace(robot, links=links)), external_wrenches=tuple(frames), variables=rest
    )


def _inertia(G: np.ndarray) -> SpatialInertia | None:
    """Return the inertia of a matrix (6, 6); None where it is no rigid body's."""
    found = SpatialInertia(float(G[3, 3]), np.array([G[2, 4], G[0, 5], G[1, 3]]), G[:3, :3])
    return found if np.array_equal(found.matrix(), G) else None


def _with_locked(model: EditedModel, asked: Collection[Key]) -> EditedModel:
    """Return the model with the joints welded that stand still at given positions, if nobody asks for their torques."""
    robot = model.robot
    if model.actuators or model.parameters:
        return model  # they name its joints
    values = {f.keys[0]: f for f in model.added if f.template is prior and not f.sigma}
    bound = [key for f in model.added if f.keys[0] not in values or f.template is not prior for key in f.keys]
    still = {}
    for joint in robot.joints:
        q, qd, qdd, tau = (Key(kind, joint.name) for kind in ("q", "qd", "qdd", "tau"))
        loads = {tau, Key("wrench", joint.child), q, qd, qdd}
        known = {q, qd, qdd} <= values.keys() and not any(values[key].parameters["value"].any() for key in (qd, qdd))
        if (
            known
            and joint.type.nq == 1
            and not robot.is_closed
            and not loads & {*bound, *asked, *values} - {q, qd, qdd}
        ):
            still[joint.name] = float(values[q].parameters["value"][0])
    if not still:
        return model
    gone = {Key(kind, name) for name in still for kind in ("q", "qd", "qdd")}
    added = tuple(f for f in model.added if not (f.template is prior and f.keys[0] in gone))
    return replace(model, robot=lock(robot, still), added=added)
