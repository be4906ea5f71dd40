"""Equations of motion in the coordinates that loops and couplings leave: those of a robot's independent joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function
from screwgraph.mechanics.dynamics import bias_forces, mass_matrix
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, compile_dependence, find_driving_joints
from screwgraph.model.robot import Robot, regular_states
from screwgraph.motion.control.affine import Affine, combine_affine
from screwgraph.tape import Number, dot

SAMPLES = 64
"""Random positions at which a robot is tried."""


@dataclass(frozen=True, eq=False)
class IndependentMotion:
    """A state: M ydd + h are efforts along the independent coordinates y, and all accelerations are G ydd + drift.

    G (nv, n) is None where all coordinates are independent.
    """

    M: Any
    h: Any
    G: Any
    drift: Any

    def restrict(self, J: Any) -> Any:
        """Return J G: how rows (k, nv) of all velocities depend on the independent ones."""
        if self.G is None:
            return J
        columns = self.G.T
        return np.array([[dot(row, column) for column in columns] for row in J]).reshape(len(J), len(columns))

    def expand(self, own: Sequence[Affine]) -> list[Affine]:
        """Return all accelerations as those of the independent coordinates determine them."""
        if self.G is None:
            return list(own)
        return [combine_affine(list(zip(row, own, strict=True)), c) for row, c in zip(self.G, self.drift, strict=True)]


@dataclass(frozen=True, eq=False)
class IndependentCoordinates:
    """The independent coordinates of a robot: of a tree all, of closed chains those of its independent joints."""

    __repr__ = one_line

    robot: Robot

    @cached_property
    def joints(self) -> list[str]:
        """The independent joints, in the robot's order."""
        names = find_driving_joints(self.robot)
        return [name for name in self.robot.joint_names if name in names]

    @cached_property
    def places(self) -> list[int]:
        """The velocity coordinates that are independent."""
        return [i for name in self.joints for i in range(self.robot.nv)[self.robot.v_slices[name]]]

    @cached_property
    def samples(self) -> list[tuple[Float[np.ndarray, " nq"], Float[np.ndarray, "nv n"]]]:
        """Positions at which loops are closed, with G."""
        robot, n = self.robot, len(self.places)
        if not robot.is_closed:
            rng = np.random.default_rng(0)
            return [(robot.random(rng), np.eye(n)) for _ in range(SAMPLES)]
        f, still = self._dependence, np.zeros(robot.nv)
        pairs = [(q, np.array([f(q, still, unit) for unit in np.eye(n)]).T) for q in regular_states(robot, SAMPLES)]
        return [(q, G) for q, G in pairs if np.isfinite(G).all()] or pairs

    def solve(self, q: Any, qd: Any) -> IndependentMotion:
        """Return the equations of motion at a state (nq,), (nv,)."""
        robot = self.robot
        if not robot.is_closed:
            return IndependentMotion(np.asarray(mass_matrix(robot)(q)), bias_forces(robot)(q, qd), None, None)
        yd, n, f = np.asarray(qd)[self.places], len(self.places), self._dependence
        M = np.asarray(mass_matrix(robot, coordinates=INDEPENDENT)(q))[np.ix_(self._order, self._order)]
        h = bias_forces(robot, coordinates=INDEPENDENT)(q, yd)
        G = np.array([f(q, np.zeros(robot.nv), unit) for unit in np.eye(n)]).T
        return IndependentMotion(M, h, G, list[Number](f(q, qd, np.zeros(n))))

    @cached_property
    def _dependence(self) -> Function:
        return compile_dependence(self.robot)

    @cached_property
    def _order(self) -> list[int]:
        """Places of the coordinates in the mass matrix, which has the joints as they were chosen."""
        robot, start, found = self.robot, 0, dict[str, range]()
        for name in find_driving_joints(robot):
            size = robot.joint(name).type.nv
            found[name], start = range(start, start + size), start + size
        return [i for name in self.joints for i in found[name]]
