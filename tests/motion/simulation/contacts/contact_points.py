"""Points of robots that touch the ground, by Jacobians, poses and masses that steps with contacts do not use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import constraint_jacobian, without_loops
from screwgraph.motion.simulation.contacts.steps import second_solution
from screwgraph.motion.simulation.contacts.steps.middle_state import compile_middle_state
from screwgraph.motion.simulation.contacts.terms.coupled_velocities import find_free_velocities
from screwgraph.spatial import quaternions
from screwgraph.spatial.manifolds.gliding import turning

DT = 1e-3
STEP = 2e-4
"""Time (s) of differences along a motion."""
LIGHT = 1e-12
"""Force (N) with which a foot does not press."""


@dataclass(frozen=True, eq=False)
class Case:
    """A robot, its contacts, a position whose joints motors hold by k and d, and how far it falls at most (m).

    Gains are those of all driven joints, or one of each.
    """

    robot: sg.Robot
    contacts: Sequence[sg.Contact]
    posture: np.ndarray
    gains: tuple[np.ndarray | float, np.ndarray | float] = (0.0, 0.0)
    drop: float = 0.05

    @property
    def driven(self) -> np.ndarray:
        """Places in qd of joints that motors hold."""
        own = [j for j in self.robot.joints if j.type.nv == 1 and "rotor" not in j.name]
        return np.array([self.robot.v_slices[j.name].start for j in own], dtype=int)

    @property
    def holds(self) -> bool:
        """Whether motors hold joints."""
        return bool(np.any(self.gains[0]))


class Contacts:
    """Velocities of points that touch, and their rates, of many states at once.

    Several points of one link are where the ground is, and swing as their centre of pressure does.
    """

    def __init__(self, case: Case) -> None:
        self.robot, self.contacts = case.robot, case.contacts
        frames = {contact.frame for contact in case.contacts}
        self.jacobians = {f: sg.frame_jacobian(self.robot, f, reference="local_world_aligned") for f in frames}
        self.poses = {f: sg.forward_kinematics(self.robot, f) for f in frames}
        self.middle = compile_middle_state(self.robot)
        own = {f: [k for k, c in enumerate(case.contacts) if c.frame == f] for f in frames}
        self.soles = [ks for ks in own.values() if len(ks) > 1]

    def twists(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return twists (B, k, 6) of links of contacts at their origins, in the axes of the ground."""
        found = {f: np.einsum("bij,bj->bi", np.asarray(J(q)), qd) for f, J in self.jacobians.items()}
        return np.stack([found[c.frame] for c in self.contacts], axis=1)

    def arms(self, q: np.ndarray) -> np.ndarray:
        """Return arms (B, k, 3) from origins of links to points, or centres of balls."""
        turns = {f: np.asarray(pose(q))[:, :3, :3] for f, pose in self.poses.items()}
        return np.stack([turns[c.frame] @ np.array(c.at) for c in self.contacts], axis=1)

    def touching(self, q: np.ndarray) -> np.ndarray:
        """Return arms (B, k, 3) from origins of links to what touches."""
        arms, heights = self.arms(q), self.heights(q)
        for k, contact in enumerate(self.contacts):
            arms[:, k, 2] -= contact.radius
        for k in (k for own in self.soles for k in own):
            arms[:, k, 2] -= heights[:, k]
        return arms

    def velocities(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return velocities (B, k, 3) of what touches."""
        V = self.twists(q, qd)
        return V[..., 3:] + np.cross(V[..., :3], self.touching(q))

    def heights(self, q: np.ndarray) -> np.ndarray:
        """Return heights (B, k) of lowest points."""
        poses = {f: np.asarray(pose(q)) for f, pose in self.poses.items()}
        return np.stack([(poses[c.frame] @ [*c.at, 1.0])[:, 2] - c.radius for c in self.contacts], axis=1)

    def efforts(self, q: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Return efforts (B, nv) of forces (B, k, 3) at what touches."""
        wrenches = np.concatenate([np.cross(self.touching(q), F), F], axis=2)
        J = {f: np.asarray(jacobian(q)) for f, jacobian in self.jacobians.items()}
        parts = [np.einsum("bij,bi->bj", J[c.frame], wrenches[:, k]) for k, c in enumerate(self.contacts)]
        return np.sum(parts, axis=0)

    def slip_rates(
        self, q: np.ndarray, qd: np.ndarray, loads: np.ndarray, start: np.ndarray | None = None
    ) -> np.ndarray:
        """Return rates (B, k, 3) of `velocities` while qd stays, by differences of order 4 along the motion.

        `loads` (B, k) are the normal forces of the step before, `start` velocities then, if these are others.
        """
        loads, start = np.maximum(loads, 0.0), qd if start is None else start

        def twists(time: float) -> np.ndarray:
            return self.twists(*self.middle(q, qd, np.full((len(q), 1), -2.0 * time)))

        near, far = (twists(s) - twists(-s) for s in (STEP, 2.0 * STEP))
        rates, omega = (8.0 * near - far) / (12.0 * STEP), self.twists(q, qd)[..., :3]
        inward = np.cross(omega, np.cross(omega, self.arms(q)))
        arrives = self.heights(q) + DT * self.velocities(q, start)[..., 2] < 0.0
        for own in self.soles:
            weights = np.where(loads[:, own].sum(axis=1, keepdims=True) > LIGHT, loads[:, own], arrives[:, own])
            total = weights.sum(axis=1, keepdims=True)
            mean = np.einsum("bk,bki->bi", weights, inward[:, own]) / np.where(total > 0.0, total, 1.0)
            along = np.where(total[..., None] > 0.0, mean[:, None, :2], inward[:, own, :2])
            inward[:, own, :2] = along
        return rates[..., 3:] + np.cross(rates[..., :3], self.touching(q)) + inward


class FirstSolutions:
    """What second solutions have of first ones: velocities of arcs, and loads, by a code that solves each step once.

    A second solution has the arcs of points by velocities that the first one's impulses make, momentum finds them here.
    """

    def __init__(self, case: Case, points: Contacts) -> None:
        self.case, self.points = case, points
        tree = without_loops(case.robot)
        self.mass, self.bias = sg.mass_matrix(tree), sg.bias_forces(tree)
        self.damping = np.concatenate([np.full(j.type.nv, j.damping) for j in tree.joints])
        self.step = compile_without(case, 1.0, (second_solution, "TURN"))
        self.free = list(find_free_velocities(case.robot).free)

    def arcs(
        self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, loads: np.ndarray, *others: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return velocities (B, nv) of arcs, normal forces (B, k) that weigh these, and where a solution is second.

        Where there is none, they are velocities of the start, and `loads`, those of the step before.
        """
        after, v, F, *_ = (np.asarray(x) for x in self.step(q, qd, tau, *others))
        fastest = np.abs(np.concatenate([qd[:, self.free], start_axes(q, after, v)[:, self.free]], axis=1)).max(axis=1)
        is_second = (DT * fastest > second_solution.TURN) & (np.abs(F).max(axis=(1, 2)) > 0.0)
        found = qd.copy()
        if is_second.any():
            own = q[is_second], qd[is_second]
            found[is_second] = self._pushed(*own, tau[is_second], F[is_second])
        return found, np.where(is_second[:, None], F[..., 2], loads), is_second

    def _pushed(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, F: np.ndarray) -> np.ndarray:
        """Return velocities at the end of steps by Coriolis' forces of their start and forces of contacts."""
        robot = self.case.robot
        M = self.weigh(q)
        force = tau - np.asarray(self.bias(q, qd)) + self.points.efforts(q, F)  # bias has the damping of qd
        turned = DT * np.array([turning(robot.manifold, v) for v in qd])
        if not robot.is_closed:
            return qd + turned + DT * np.linalg.solve(M, force[..., None])[..., 0]
        swept = self.turn(q, qd)
        K = (constraint_jacobian(robot, each) for each in q)
        pushed = [respond(m, k, DT * f, -k @ t) for m, k, f, t in zip(M, K, force, turned, strict=True)]
        return qd + turned + swept + np.array(pushed)

    def weigh(self, q: np.ndarray) -> np.ndarray:
        """Return mass matrices (B, nv, nv) with dampers at the ends of steps."""
        return np.asarray(self.mass(q)) + DT * np.diag(self.damping)

    def turn(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return changes (B, nv) of velocities which loops turn by impulses along their rows at the middle of a step.

        Loops then open at -(2 K - K0) qd by rows K0 of the start. Masses are those of the middle.
        """
        robot, found = self.case.robot, list[np.ndarray]()
        middle = np.array([robot.manifold.retract(a, 0.5 * DT * b) for a, b in zip(q, qd, strict=True)])
        for a, b, v, M, M_mid in zip(q, middle, qd, self.weigh(q), self.weigh(middle), strict=True):
            K, K_mid = constraint_jacobian(robot, a), constraint_jacobian(robot, b)
            rates = -2.0 * K_mid @ v
            impulse = K_mid.T @ yield_to(M, K) @ rates
            found.append(respond(M, K, impulse + (M - M_mid) @ respond(M, K, impulse, rates), rates))
        return np.array(found)


def compile_without(case: Case, towards: float, bound: tuple[ModuleType, str]) -> sg.Function:
    """Return the code of a step that does not do what it does from a bound on.

    Its contacts are at places next to those of a case, so that its code is not taken for that of ours.
    """
    contacts = tuple(replace(c, at=tuple(np.nextafter(c.at, towards).tolist())) for c in case.contacts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(*bound, 1e30)
        simulator = sg.Simulator(case.robot, DT, case.posture, np.zeros(case.robot.nv), contacts=contacts)
        simulator.step()
    return simulator.function


def yield_to(M: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Return the impulses along rows K of loops that open them at unit rates, of independent rows or repeated ones."""
    return np.linalg.pinv(K @ np.linalg.solve(M, K.T), rcond=1e-11)


def respond(M: np.ndarray, K: np.ndarray, impulse: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return the change of velocities that an impulse makes while loops open at rates."""
    v = np.linalg.solve(M, impulse)
    return v + np.linalg.solve(M, K.T) @ (yield_to(M, K) @ (rates - K @ v))


def start_axes(q: np.ndarray, after: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return velocities (B, nv) after a step in the axes that bases had before it."""
    R, R_after = (np.array([quaternions.to_rotation(x) for x in state[:, 3:7]]) for state in (q, after))
    found = qd.copy()
    found[:, 3:6] = np.einsum("bji,bjk,bk->bi", R, R_after, qd[:, 3:6])
    return found
