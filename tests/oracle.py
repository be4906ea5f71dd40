"""Pinocchio as an independent oracle: its models of our robots and of files, and conversions between conventions.

Pinocchio puts linear parts first, sorts the joints of a branching file in its own way, writes continuous joints as
(cos, sin), and moves planar joints with body-frame velocities. Velocities convert as `v = E(q) qd`, hence efforts as
`tau = E' tau_pin`, mass matrices as `E' M E`, accelerations as `a = E qdd + dE/dt qd`.

In every function `model` is the Pinocchio model that the vector belongs to; without one it is that of
`pinocchio_model(robot)`.
"""

# pyright: reportAttributeAccessIssue=false
# Pinocchio's compiled module declares no types.

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

from screwgraph.model.robot import Joint, Robot
from screwgraph.model.robot.joints import Fixed, Floating, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from screwgraph.spatial import SpatialInertia

ROOT_JOINT = "root_joint"
"""Pinocchio's name for the floating joint that it puts before a file's base."""

KNOWN = (Fixed, Floating, Helical, Planar, Prismatic, Revolute, Spherical, Universal)
"""Joint types that Pinocchio has."""

Wrenches = Mapping[str, tuple[np.ndarray, np.ndarray]]
"""External wrenches by link: (moment, force) on the link, in its frame."""


@dataclass(frozen=True)
class Oracle:
    """Pinocchio's answers in our conventions; damping and rotor inertia of the robot's joints are added to them."""

    robot: Robot
    model: pin.Model
    data: pin.Data

    def inverse_dynamics(self, q, qd, qdd, wrenches: Wrenches | None = None) -> np.ndarray:
        """Joint efforts by Pinocchio's RNEA."""
        robot, model = self.robot, self.model
        tau = pin.rnea(
            model,
            self.data,
            to_pin_q(robot, q, model),
            to_pin_v(robot, q, qd, model),
            to_pin_a(robot, q, qd, qdd, model),
            _external(model, wrenches or {}),
        )
        armature, damping = _per_coordinate(robot, "armature"), _per_coordinate(robot, "damping")
        return from_pin_tau(robot, q, tau, model) + armature * qdd + damping * qd

    def mass_matrix(self, q) -> np.ndarray:
        """Joint-space mass matrix by Pinocchio's CRBA."""
        M = pin.crba(self.model, self.data, to_pin_q(self.robot, q, self.model))
        return mass_matrix_from_pin(self.robot, M, q, self.model) + np.diag(_per_coordinate(self.robot, "armature"))

    def bias_forces(self, q, qd, wrenches: Wrenches | None = None) -> np.ndarray:
        """Efforts that keep qdd zero."""
        return self.inverse_dynamics(q, qd, np.zeros(self.robot.nv), wrenches)

    def forward_dynamics(self, q, qd, tau, wrenches: Wrenches | None = None) -> np.ndarray:
        """Joint accelerations: the mass matrix solved against efforts less bias."""
        return np.linalg.solve(self.mass_matrix(q), tau - self.bias_forces(q, qd, wrenches))

    def equations(self, q, qd) -> tuple[np.ndarray, np.ndarray]:
        """Return mass matrices (N, nv, nv) and bias forces (N, nv) of a batch; conversions are done for all at once."""
        robot, model = self.robot, self.model
        if any(isinstance(joint.type, Planar) for joint in robot.joints):  # their E depends on q
            pairs = zip(q, qd, strict=True)
            return np.array([self.mass_matrix(x) for x in q]), np.array([self.bias_forces(*pair) for pair in pairs])
        E, slots = velocity_map(robot, q[0], model), _slots(robot, model)
        positions, velocities = np.zeros((len(q), model.nq)), qd @ E.T
        for joint, slot in zip(robot.joints, slots, strict=True):
            own = q[:, robot.q_slices[joint.name]]
            unbounded = slot.q.stop - slot.q.start > joint.type.nq
            positions[:, slot.q] = np.hstack([np.cos(own), np.sin(own)]) if unbounded else own
        M, h = np.zeros((len(q), robot.nv, robot.nv)), np.zeros((len(q), robot.nv))
        for i, (x, v) in enumerate(zip(positions, velocities, strict=True)):
            M[i], h[i] = pin.crba(model, self.data, x), pin.nonLinearEffects(model, self.data, x, v)
        M = E.T @ (np.triu(M) + np.triu(M, 1).transpose(0, 2, 1)) @ E
        M += np.diag(_per_coordinate(robot, "armature"))
        return M, h @ E + _per_coordinate(robot, "damping") * qd

    def pose(self, q, frame: str) -> np.ndarray:
        """Pose of a link or frame in the base's frame, 4x4."""
        pin.framesForwardKinematics(self.model, self.data, to_pin_q(self.robot, q, self.model))
        return self.data.oMf[_body_frame(self.model, frame)].homogeneous

    def energy(self, q, qd) -> float:
        """Kinetic energy, rotors included, plus potential energy (J)."""
        robot, model = self.robot, self.model
        q_pin = to_pin_q(robot, q, model)
        kinetic = pin.computeKineticEnergy(model, self.data, q_pin, to_pin_v(robot, q, qd, model))
        rotors = 0.5 * _per_coordinate(robot, "armature") @ np.square(qd)
        return kinetic + rotors + pin.computePotentialEnergy(model, self.data, q_pin)


def oracle(robot: Robot) -> Oracle:
    """Pinocchio on the same tree; independent of how we read files only if the robot was made by hand."""
    return Oracle(robot, *pinocchio_model(robot))


def file_oracle(
    robot: Robot, path: Path, floating: bool = False, *, lock: Iterable[str] | Mapping[str, float] = ()
) -> Oracle:
    """Pinocchio on its own reading of the URDF that `robot` was read from, with the robot's gravity."""
    model, data = pinocchio_from_file(path, floating, lock=lock)
    model.gravity.linear = np.array(robot.gravity)
    return Oracle(robot, model, data)


def pinocchio_from_file(
    path: Path, floating: bool = False, *, lock: Iterable[str] | Mapping[str, float] = ()
) -> tuple[pin.Model, pin.Data]:
    """Read a URDF with Pinocchio's own parser; weld joints at zero, or at the positions that a mapping gives."""
    root = (pin.JointModelFreeFlyer(),) if floating else ()
    model = pin.buildModelFromUrdf(str(path), *root)
    at = dict(lock) if isinstance(lock, Mapping) else dict.fromkeys(lock, 0.0)
    if at:
        q = pin.neutral(model)
        for name, position in at.items():
            joint = model.joints[model.getJointId(name)]
            unbounded = joint.nq == 2
            q[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(position), np.sin(position)] if unbounded else position
        model = pin.buildReducedModel(model, [model.getJointId(name) for name in at], q)
    return model, model.createData()


def pinocchio_model(robot: Robot) -> tuple[pin.Model, pin.Data]:
    """Build the robot joint by joint in Pinocchio; links become frames of type BODY, nothing is merged by us."""
    model = pin.Model()
    model.name = robot.name
    model.gravity.linear = np.array(robot.gravity)
    at = {robot.links[0].name: (0, pin.SE3.Identity())}
    _append(model, robot, robot.links[0].name, at)
    for joint in _depth_first(robot):
        parent, T_parent = at[joint.parent]
        placement = T_parent * pin.SE3(joint.origin)
        if isinstance(joint.type, Fixed):
            at[joint.child] = parent, placement
        else:
            turned = pin.SE3(_pin_axes(joint), np.zeros(3))
            before = placement * pin.SE3(_offset(joint), np.zeros(3)) * turned
            number = model.addJoint(parent, _joint_model(joint), before, joint.name)
            at[joint.child] = number, turned.inverse()
        _append(model, robot, joint.child, at)
    for frame in robot.frames:
        number, T_link = at[frame.link]
        model.addFrame(pin.Frame(frame.name, number, T_link * pin.SE3(frame.T_lf), pin.BODY), False)
    return model, model.createData()


def to_pin_q(robot: Robot, q, model: pin.Model | None = None) -> np.ndarray:
    """Joint positions in Pinocchio's order and coordinates."""
    slots = _slots(robot, model)
    result = np.zeros(sum(slot.q.stop - slot.q.start for slot in slots))
    for joint, slot in zip(robot.joints, slots, strict=True):
        own = np.asarray(q, dtype=float)[robot.q_slices[joint.name]]
        if slot.q.stop - slot.q.start > joint.type.nq:  # the angle is the last coordinate, as (cos, sin)
            own = np.concatenate([own[:-1], [np.cos(own[-1]), np.sin(own[-1])]])
        result[slot.q] = own
    return result


def to_pin_v(robot: Robot, q, qd, model: pin.Model | None = None) -> np.ndarray:
    """Joint velocities in Pinocchio's order and components."""
    return velocity_map(robot, q, model) @ qd


def to_pin_a(robot: Robot, q, qd, qdd, model: pin.Model | None = None) -> np.ndarray:
    """Joint accelerations in Pinocchio's order and components; both take the rate of the body twist for a base's."""
    result = velocity_map(robot, q, model) @ qdd
    for joint, slot in zip(robot.joints, _slots(robot, model), strict=True):
        if isinstance(joint.type, Planar):
            x_rate, y_rate, rate = np.asarray(qd)[robot.v_slices[joint.name]]
            seen = _turn(np.asarray(q)[robot.q_slices[joint.name]][2]).T @ [x_rate, y_rate]
            result[slot.v] += rate * np.array([seen[1], -seen[0], 0.0])
    return result


def from_pin_tau(robot: Robot, q, tau, model: pin.Model | None = None) -> np.ndarray:
    """Joint efforts in our order and components, from Pinocchio's."""
    return velocity_map(robot, q, model).T @ tau


def mass_matrix_from_pin(robot: Robot, M, q, model: pin.Model | None = None) -> np.ndarray:
    """Mass matrix in our order and components, from Pinocchio's, of which the upper triangle suffices."""
    E = velocity_map(robot, q, model)
    return E.T @ (np.triu(M) + np.triu(M, 1).T) @ E


@dataclass(frozen=True)
class _Slot:
    q: slice
    v: slice


def _slots(robot: Robot, model: pin.Model | None) -> list[_Slot]:
    """Where each of our joints stands in Pinocchio's vectors."""
    if model is not None:
        return [_slot_in(model, joint) for joint in robot.joints]
    slots, q, v = {}, 0, 0
    for joint in _depth_first(robot):
        nq, nv = joint.type.nq + isinstance(joint.type, Planar), joint.type.nv
        slots[joint.name] = _Slot(slice(q, q + nq), slice(v, v + nv))
        q, v = q + nq, v + nv
    return [slots[joint.name] for joint in robot.joints]


def _depth_first(robot: Robot) -> list[Joint]:
    """Pinocchio's algorithms need the joints of each subtree side by side."""

    def below(link: str) -> list[Joint]:
        return [found for joint in robot.children(link) for found in (joint, *below(joint.child))]

    return below(robot.links[0].name)


def _slot_in(model: pin.Model, joint: Joint) -> _Slot:
    if isinstance(joint.type, Fixed):
        return _Slot(slice(0, 0), slice(0, 0))
    name = joint.name if model.existJointName(joint.name) or not isinstance(joint.type, Floating) else ROOT_JOINT
    if not model.existJointName(name):
        raise KeyError(f"Pinocchio's model {model.name!r} has no joint {name!r}")
    found = model.joints[model.getJointId(name)]
    return _Slot(slice(found.idx_q, found.idx_q + found.nq), slice(found.idx_v, found.idx_v + found.nv))


def velocity_map(robot: Robot, q, model: pin.Model | None = None) -> np.ndarray:
    """Return E(q), Pinocchio's velocity = E qd."""
    E = np.zeros((robot.nv, robot.nv))
    for joint, slot in zip(robot.joints, _slots(robot, model), strict=True):
        E[slot.v, robot.v_slices[joint.name]] = _joint_velocity_map(joint, np.asarray(q)[robot.q_slices[joint.name]])
    return E


def _joint_velocity_map(joint: Joint, q) -> np.ndarray:
    E = np.eye(joint.type.nv)
    if isinstance(joint.type, Floating):
        return np.roll(E, 3, axis=0)
    if isinstance(joint.type, Planar):
        E[:2, :2] = _turn(q[2]).T
    return E


def _turn(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _joint_model(joint: Joint) -> object:
    match joint.type:
        case Revolute(axis=axis):
            return pin.JointModelRevoluteUnaligned(np.array(axis))
        case Prismatic(axis=axis):
            return pin.JointModelPrismaticUnaligned(np.array(axis))
        case Helical(axis=axis, pitch=pitch):
            return pin.JointModelHelicalUnaligned(np.array(axis), pitch)
        case Universal(axis=first, axis2=second):
            return pin.JointModelUniversal(np.array(first), np.array(second))
        case Spherical():
            return pin.JointModelSpherical()
        case Planar():
            return pin.JointModelPlanar()
        case Floating():
            return pin.JointModelFreeFlyer()
    raise TypeError(f"the oracle does not know joint type {type(joint.type).__name__}; teach it")


def _offset(joint: Joint) -> np.ndarray:
    """Pinocchio's revolute joints have no angle of their own at q = 0."""
    if not isinstance(joint.type, Revolute):
        return np.eye(3)
    return pin.AngleAxis(joint.type.offset, np.array(joint.type.axis)).toRotationMatrix()


def _pin_axes(joint: Joint) -> np.ndarray:
    """Pinocchio's planar joint has the normal z: turn its frame so that x, y, z are our directions and normal."""
    if not isinstance(joint.type, Planar):
        return np.eye(3)
    return np.column_stack([*joint.type.in_plane(), joint.type.axis])


def _append(model: pin.Model, robot: Robot, link: str, at: Mapping[str, tuple[int, pin.SE3]]) -> None:
    number, placement = at[link]
    inertia = robot.link(link).inertia
    if not inertia.is_zero:
        model.appendBodyToJoint(number, _inertia(inertia), placement)
    model.addFrame(pin.Frame(link, number, placement, pin.BODY), False)


def _inertia(inertia: SpatialInertia) -> pin.Inertia:
    """Pinocchio refuses moments of inertia that rounding in files made slightly negative, unless they are set later."""
    found = pin.Inertia(inertia.mass, inertia.com, np.eye(3))
    found.inertia = inertia.about_com
    return found


def _body_frame(model: pin.Model, name: str) -> int:
    return model.getFrameId(name, pin.BODY)


def _external(model: pin.Model, wrenches: Wrenches) -> list[pin.Force]:
    """External wrenches in the frames of Pinocchio's joints."""
    forces = pin.StdVec_Force()
    forces.extend([pin.Force.Zero()] * model.njoints)
    for link, (moment, force) in wrenches.items():
        frame = model.frames[_body_frame(model, link)]
        forces[frame.parentJoint] += frame.placement.act(pin.Force(np.asarray(force), np.asarray(moment)))
    return forces


def _per_coordinate(robot: Robot, what: str) -> np.ndarray:
    """Damping or armature of each velocity coordinate."""
    return np.concatenate([np.zeros(0), *(np.full(j.type.nv, getattr(j, what)) for j in robot.joints)])
