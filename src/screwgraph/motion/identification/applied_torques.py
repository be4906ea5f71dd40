"""What acts on a robot: motors through transmissions, and wrenches at frames, as torques of its coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function, compile_expression, without_metadata
from screwgraph.mechanics.kinematics import frame_jacobian
from screwgraph.model.robot import Robot, make_lever
from screwgraph.motion.simulation.closure_code import position_argument
from screwgraph.tape import Number

FORCE = ".force"
"""Suffix of a contact that transmits no moments."""
LEAST = 1e-13
"""Part of J J' that is added to it, so that contacts that lock each other leave no division by zero."""


@dataclass(frozen=True)
class Contact:
    """A frame at which an unknown wrench acts, and which of its components (mx, my, mz, fx, fy, fz) are unknown."""

    frame: str
    unknown: tuple[bool, ...]


def find_contacts(robot: Robot, names: Sequence[str]) -> tuple[Contact, ...]:
    """Return contacts by names of frames; "FRAME.force" transmits no moment. Raises InputError."""
    own = {frame.name for frame in robot.frames} | {link.name for link in robot.links}
    found = []
    for name in names:
        is_point = name not in own and name.endswith(FORCE)
        frame = robot.frame(name.removesuffix(FORCE) if is_point else name).name
        if frame in [contact.frame for contact in found]:
            raise InputError(f"the contact of {frame!r} is named twice", fix="name it once")
        found.append(Contact(frame, (not is_point,) * 3 + (True,) * 3))
    return tuple(found)


def compile_motor_arms(robot: Robot) -> Function:
    """Return B (..., nv * m) as a function of q, with tau = B u for the efforts u of a robot's m actuators."""

    def expression(q: np.ndarray) -> list[Number]:
        B = np.zeros((robot.nv, len(robot.actuators)), dtype=object)
        for k, actuator in enumerate(robot.actuators):
            own = make_lever(robot, actuator)
            arms = own.arms([q[robot.q_slices[joint.name]] for joint in own.joints])
            for joint, arm in zip(own.joints, arms, strict=True):
                B[robot.v_slices[joint.name], k] = arm
        return list(B.ravel())

    question = (without_metadata(robot), "motor_arms")
    return compile_expression("motor_arms", question, (position_argument(robot),), expression)


@dataclass(frozen=True, eq=False)
class AppliedTorques:
    """Torques of a robot's coordinates that motors and wrenches cause; `arms` where efforts are those of actuators."""

    arms: Function | None
    jacobians: Mapping[str, Function]

    @classmethod
    def from_robot(cls, robot: Robot, by_actuators: bool, frames: Sequence[str]) -> AppliedTorques:
        """Return what acts where a log has efforts of actuators, and wrenches at some frames."""
        return cls(
            compile_motor_arms(robot) if by_actuators else None, {name: frame_jacobian(robot, name) for name in frames}
        )

    def torques(
        self,
        q: Float[np.ndarray, "N nq"],
        effort: Float[np.ndarray, "N m"],
        wrenches: Mapping[str, Float[np.ndarray, "N 6"]],
    ) -> Float[np.ndarray, "N nv"]:
        """Return B u, or torques themselves, and J' F of the wrenches; components that are NaN count as zero."""
        if self.arms is not None:
            B = self.arms(q).reshape(len(q), -1, effort.shape[1])
            effort = np.einsum("Nij,Nj->Ni", B, effort)
        for frame, F in wrenches.items():
            effort = effort + np.einsum("Nij,Ni->Nj", self.jacobians[frame](q), np.nan_to_num(F))
        return effort


@dataclass(frozen=True, eq=False)
class WrenchElimination:
    """Unknown wrenches leave equations: torques are projected on what no such wrench changes."""

    jacobians: tuple[Function, ...]

    @classmethod
    def from_contacts(cls, robot: Robot, contacts: Sequence[Contact]) -> WrenchElimination:
        """Return the projection past contacts."""
        return cls(tuple(frame_jacobian(robot, contact.frame) for contact in contacts))

    def projection(
        self, q: Float[np.ndarray, "N nq"], unknown: Bool[np.ndarray, "N m"], G: Float[np.ndarray, "N nv n"] | None
    ) -> Float[np.ndarray, "N n n"]:
        """Return I - J' (J J')^-1 J of the rows of J whose components of wrenches are unknown; of closed chains J G."""
        J = np.concatenate([jacobian(q) for jacobian in self.jacobians], axis=1) * unknown[:, :, None]
        J = J if G is None else J @ G
        JJ = J @ J.swapaxes(1, 2)
        places = np.arange(JJ.shape[1])
        size = np.trace(JJ, axis1=1, axis2=2)[:, None]
        JJ[:, places, places] += np.where(unknown, LEAST * size, 1.0)
        P = np.eye(J.shape[2]) - J.swapaxes(1, 2) @ np.linalg.solve(JJ, J)
        return P @ P  # twice: what is left of J is squared
