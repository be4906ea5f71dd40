"""Energy along a motion, and the work that torques and dampers did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function, compile_expression, without_metadata
from screwgraph.dynamics import mass_matrix
from screwgraph.robot import Robot, link_poses, without_loops
from screwgraph.simulation.closure_code import position_argument
from screwgraph.spatial import rotation, translation
from screwgraph.tape import Number

CHUNK = 4096
"""States at once: mass matrices take memory."""
EVEN = 1e-6
"""Differences of time steps, relative to a step, that printed digits explain."""


@dataclass(frozen=True, eq=False)
class Energy:
    """Compiled energies of a robot: `mass` is the mass matrix of the tree that carries its loops."""

    mass: Function
    potential_of: Function

    def kinetic(self, q: Float[np.ndarray, "N nq"], qd: Float[np.ndarray, "N nv"]) -> Float[np.ndarray, " N"]:
        """Return kinetic energies (J), rotors included."""
        parts = []
        for start in range(0, len(q), CHUNK):
            at, v = q[start : start + CHUNK], qd[start : start + CHUNK]
            parts.append(0.5 * np.einsum("ni,nij,nj->n", v, self.mass.few(at), v, optimize=True))
        return np.concatenate(parts)

    def potential(self, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, " N"]:
        """Return potential energies (J); they are zero at the base's origin."""
        return self.potential_of.few(q)[:, 0]


def energy_of(robot: Robot) -> Energy:
    """Return the compiled energies of a robot."""
    return Energy(mass_matrix(without_loops(robot)), potential_energy(robot))


def potential_energy(robot: Robot) -> Function:
    """Return the potential energy (J) of gravity as a function of q, (..., nq) -> (..., 1)."""

    def expression(q: np.ndarray) -> list[Number]:
        poses, energy = link_poses(robot, q), 0.0
        for link in robot.links:
            T = poses[link.name]
            moment = rotation(T) @ link.inertia.first_moment + link.inertia.mass * translation(T)
            energy = energy - sum(g * m for g, m in zip(robot.gravity, moment, strict=True))
        return [energy]

    question = without_metadata(robot)
    return compile_expression("potential_energy", question, (position_argument(robot),), expression)


def dampings(robot: Robot) -> Float[np.ndarray, " nv"]:
    """Return the viscous damping of each velocity coordinate."""
    return np.concatenate([np.zeros(0), *(np.full(j.type.nv, j.damping) for j in robot.joints)])


def integrated(power: Float[np.ndarray, " N"], t: Float[np.ndarray, " N"]) -> Float[np.ndarray, " N"]:
    """Return the work (J) since the beginning of powers (W) at times (s): by cubics where these are evenly spaced.

    Of order four in the time step where powers are smooth; of order two at uneven times.
    """
    steps = np.diff(t)
    is_even = not len(steps) or np.ptp(steps) <= EVEN * steps.mean()
    parts = _integrals(power) if is_even else (power[:-1] + power[1:]) / 2.0
    return np.concatenate([[0.0], np.cumsum(parts * (steps.mean() if is_even and len(steps) else steps))])


def uncertainty(power: Float[np.ndarray, " N"], t: Float[np.ndarray, " N"]) -> float:
    """Return by how much (J) the work of powers (W) at times (s) depends on what these are in between."""
    by_lines = np.concatenate([[0.0], np.cumsum((power[:-1] + power[1:]) / 2.0 * np.diff(t))])
    return float(np.abs(integrated(power, t) - by_lines).max())


def _integrals(f: Float[np.ndarray, " N"]) -> Float[np.ndarray, " N-1"]:
    """Integrate over each interval of length 1, by the cubic through the four values around it."""
    if len(f) < 4:
        return (f[:-1] + f[1:]) / 2.0
    inner = (13.0 * (f[1:-2] + f[2:-1]) - f[:-3] - f[3:]) / 24.0
    edge = np.array([9.0, 19.0, -5.0, 1.0]) / 24.0
    return np.concatenate([[edge @ f[:4]], inner, [edge @ f[:-5:-1]]])
