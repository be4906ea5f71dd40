"""What acts on a model: motors through transmissions, and wrenches at frames, as torques of its coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.compiler import Function, compile_expression, make_numbered_argument, without_metadata
from screwgraph.model.robot import Robot, actuation_torques
from screwgraph.motion.simulation.closure_code import position_argument

LEAST = 1e-13
"""Part of J J' that is added to it, so that contacts that lock each other leave no division by zero."""


@dataclass(frozen=True)
class Contact:
    """A frame, or a point, at which an unknown wrench acts, and which of its components are unknown."""

    frame: str
    unknown: tuple[bool, ...]


def compile_motor_torques(robot: Robot) -> Function:
    """Return tau(q, u) (..., nv): the torques that inputs u (..., m) of a robot's actuators cause."""
    arguments = (position_argument(robot), make_numbered_argument("effort", len(robot.actuators)))
    question = (without_metadata(robot), "motor_torques")
    return compile_expression("motor_torques", question, arguments, lambda q, u: list(actuation_torques(robot, q, u)))


@dataclass(frozen=True, eq=False)
class AppliedTorques:
    """Torques of coordinates that motors and wrenches cause; `motors` (q, effort) where efforts are none of theirs."""

    motors: Callable[..., Float[np.ndarray, "N nv"]] | None
    jacobians: Mapping[str, Callable[..., Float[np.ndarray, "N m nv"]]]

    def torques(
        self,
        q: Float[np.ndarray, "N nq"],
        effort: Float[np.ndarray, "N m"],
        wrenches: Mapping[str, Float[np.ndarray, "N m"]],
    ) -> Float[np.ndarray, "N nv"]:
        """Return torques of motors, or themselves, and J' F of wrenches; components that are NaN count as zero."""
        if self.motors is not None:
            effort = self.motors(q, effort)
        for frame, F in wrenches.items():
            effort = effort + np.einsum("Nij,Ni->Nj", self.jacobians[frame](q), np.nan_to_num(F))
        return effort


@dataclass(frozen=True, eq=False)
class WrenchElimination:
    """Unknown wrenches leave equations: torques are projected on what no such wrench changes."""

    jacobians: tuple[Callable[..., Float[np.ndarray, "N m nv"]], ...]

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
