"""The robot from one instant of a horizon to the next, and its derivatives, as code of one stage.

Velocities v+ = v + h qdd(q, v, S u), positions q+ = q + h v+ (semi-implicit Euler, u is held): Stewart & Trinkle's and
most simulators' step. v+ = F (x, u) + c near a state, x = (q, v); F stands in code as J does in `ChainProgram`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import compile_expression, make_numbered_argument, without_metadata
from screwgraph.mechanics.dynamics import bias_forces, forward_dynamics
from screwgraph.model.robot import Robot
from screwgraph.tape import Number, Program


@dataclass(frozen=True, eq=False)
class StageModel:
    """A tree whose positions are a vector, with efforts at some of its coordinates, held for a time `dt` (s)."""

    __repr__ = one_line

    robot: Robot
    driven: tuple[int, ...]
    dt: float

    @property
    def nx(self) -> int:
        """Numbers of a state: positions, then velocities."""
        return 2 * self.robot.nv

    @property
    def nu(self) -> int:
        """Numbers of an input."""
        return len(self.driven)

    @property
    def question(self) -> tuple[object, ...]:
        """All that code depends on."""
        return without_metadata(self.robot), self.driven, self.dt

    @cached_property
    def program(self) -> Program:
        """Code of x, u to F (by rows), c = v+ - F (x, u), and x+, one after the other."""
        given = (make_numbered_argument("x", self.nx), make_numbered_argument("u", self.nu))
        return compile_expression("stage_model", self.question, given, self._linearise).program

    @cached_property
    def resting_efforts(self) -> Program:
        """Code of q to the efforts of driven coordinates that hold the robot, of a fully driven one."""
        given = (make_numbered_argument("q", self.robot.nv),)

        def hold(q: Any) -> list[Number]:
            bias = bias_forces(self.robot)(q, np.zeros(self.robot.nv))
            return [bias[i] for i in self.driven]

        return compile_expression("stage_rest", self.question, given, hold).program

    def _linearise(self, x: Any, u: Any) -> list[Number]:
        n, h = self.robot.nv, self.dt
        q, v, tau = x[:n], x[n:], self._spread(u)
        dynamics = forward_dynamics(self.robot)
        qdd = dynamics(q, v, tau)
        by_q, by_v, by_tau = dynamics.jacobian("q", "qd", "tau")(q, v, tau)
        F, c, new = list[Number](), list[Number](), list[Number]()
        for i in range(n):
            row = [h * by_q[i, j] for j in range(n)]
            row += [h * by_v[i, j] + (1.0 if i == j else 0.0) for j in range(n)]
            row += [h * by_tau[i, j] for j in self.driven]
            new.append(v[i] + h * qdd[i])
            # v cancels: v+ - F z = h (qdd - qdd_z z)
            moved: Number = qdd[i]
            for value, derivatives in ((q, by_q), (v, by_v)):
                for j in range(n):
                    moved = moved - derivatives[i, j] * value[j]
            for k, j in enumerate(self.driven):
                moved = moved - by_tau[i, j] * u[k]
            F += row
            c.append(h * moved)
        return [*F, *c, *(a + h * b for a, b in zip(q, new, strict=True)), *new]

    def _spread(self, u: Sequence[Number]) -> np.ndarray:
        tau = np.zeros(self.robot.nv, dtype=object)
        for k, j in enumerate(self.driven):
            tau[j] = u[k]
        return tau
