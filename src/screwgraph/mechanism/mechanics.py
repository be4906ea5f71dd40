"""A mechanism assembled: which of its constraints count, how it may move, and compiled code of its equations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function
from screwgraph.errors import InputError
from screwgraph.mechanism.closing import Closing, assembled, check_ground, constraint_code
from screwgraph.mechanism.code import compiled_code
from screwgraph.mechanism.elimination import Weights, constrained_motion, weights
from screwgraph.mechanism.equations import Equations, equations
from screwgraph.mechanism.freedom import Freedom, freedom
from screwgraph.mechanism.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Mechanics:
    """What is computed of a mechanism once; functions take and return arrays (n,) or batches (N, n)."""

    mechanism: Mechanism

    @cached_property
    def equations(self) -> Equations:
        """The equations in symbols."""
        return equations(self.mechanism)

    @cached_property
    def closing(self) -> Closing:
        """Phi and Phi_q: (q) -> (m,), (m, n)."""
        return constraint_code(self.mechanism, self.equations)

    @cached_property
    def home(self) -> Float[np.ndarray, " n"]:
        """The coordinates at the beginning, assembled.

        Raises:
            InputError: the mechanism cannot be assembled.
        """
        if self.mechanism.nominal is not None:
            return self.mechanism.nominal.mechanics.home
        check_ground(self.mechanism)
        held = [i for i, angle in enumerate(self.mechanism.angles) if angle.start is not None]
        free = np.ones(self.mechanism.n, dtype=bool)
        free[[self.mechanism.angle_slots[i] for i in held]] = False
        return assembled(self.mechanism, self.closing, self.mechanism.guess(), free)

    @cached_property
    def freedom(self) -> Freedom:
        """Rank, rows that count, degrees of freedom, independent coordinates."""
        if self.mechanism.nominal is not None:
            return self.mechanism.nominal.mechanics.freedom
        defining = [i for i, part in enumerate(self.equations.rows) if part.startswith("angle ")]
        return freedom(self.mechanism, self.closing, self.home, defining)

    @cached_property
    def mass(self) -> Float[np.ndarray, "n n"]:
        """The mass matrix."""
        import casadi as ca

        return np.array(ca.DM(ca.evalf(self.equations.mass_matrix)))

    @cached_property
    def defining(self) -> tuple[tuple[int, int], ...]:
        """Each angle's place in q, and the place of the row that defines it among those that count."""
        kept = [self.equations.rows[i] for i in self.freedom.kept]
        named = zip(self.mechanism.angle_slots, self.mechanism.angles, strict=True)
        return tuple((slot, kept.index(f"angle {angle.name!r}")) for slot, angle in named)

    def solved_motion(self, e: Equations, force: Any) -> tuple[Any, Any]:
        """Return accelerations and multipliers as expressions; `force` (n,) is added to the mechanism's own."""
        rows = list(self.freedom.kept)
        J, c = e.jacobian[rows, :], e.bias[rows]
        return constrained_motion(e.mass_matrix, J, e.force + force, c, self.weights, self.defining)

    @cached_property
    def weights(self) -> Weights:
        """What makes the mass matrix regular where relative coordinates, or points without mass, leave it singular.

        Raises:
            InputError: some motion moves no mass.
        """
        if self.mechanism.nominal is not None:
            return self.mechanism.nominal.mechanics.weights
        found = weights(self.mass, self.closing(self.home)[1][list(self.freedom.kept)], self.defining)
        if found is None:
            raise InputError(
                f"mechanism {self.mechanism.name!r} can move without moving any mass",
                why="its accelerations are not determined",
                fix="give masses and inertias to the bodies",
            )
        return found

    @cached_property
    def motion(self) -> Function:
        """Accelerations, then multipliers of the rows that count: (q, qd, force) -> (n + kept,).

        `force` (n,) is added to the forces of the mechanism itself. Blanco-Claraco et al. (2021), eqs. (5), (6).
        """

        def expression(q, qd, force):
            import casadi as ca

            return ca.vertcat(*self.solved_motion(Equations(self.mechanism, q, qd), force))

        n = self.mechanism.n
        arguments = [("q", n), ("qd", n), ("force", n)]
        return compiled_code("motion", self.mechanism, arguments, expression, self.freedom.kept, self.weights)

    @cached_property
    def acceleration(self) -> Function:
        """Accelerations alone: (q, qd, force) -> (n,)."""

        def expression(q, qd, force):
            return self.solved_motion(Equations(self.mechanism, q, qd), force)[0]

        n = self.mechanism.n
        arguments = [("q", n), ("qd", n), ("force", n)]
        return compiled_code("acceleration", self.mechanism, arguments, expression, self.freedom.kept, self.weights)

    @cached_property
    def rates(self) -> Function:
        """The bias c of accelerations, then the generalised forces Q: (q, qd) -> (m + n,)."""

        def expression(q, qd):
            import casadi as ca

            e = Equations(self.mechanism, q, qd)
            return ca.vertcat(e.bias, e.force)

        n = self.mechanism.n
        return compiled_code("rates", self.mechanism, [("q", n), ("qd", n)], expression)

    @cached_property
    def energy(self) -> Function:
        """Kinetic, potential energy (J), and power (W) of forces and torques less that of dampers: (q, qd) -> (3,)."""

        def expression(q, qd):
            import casadi as ca

            e = Equations(self.mechanism, q, qd)
            return ca.vertcat(e.kinetic, e.potential, e.power)

        n = self.mechanism.n
        return compiled_code("energy", self.mechanism, [("q", n), ("qd", n)], expression)
