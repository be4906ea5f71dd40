"""Compiled code of a mechanism's equations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function, compile_graph
from screwgraph.graph import dynamics_graph, projection_graph
from screwgraph.mechanism.code import compiled_code, compiled_program
from screwgraph.models.mechanism import Mechanism
from screwgraph.models.mechanism.closing import Closing
from screwgraph.models.mechanism.equations import along, energies, forces, mass_matrix


@dataclass(frozen=True, eq=False)
class Mechanics:
    """What is computed of a mechanism again and again; functions take and return arrays (n,) or batches (N, n)."""

    mechanism: Mechanism

    @cached_property
    def closing(self) -> Closing:
        """Phi and Phi_q: (q) -> (m,), (m, n)."""
        found = self.mechanism.closing_program
        function = compiled_program("closing", self.mechanism, ("q",), found.program)
        return Closing(function, found.parts, found.places)

    @cached_property
    def mass(self) -> Float[np.ndarray, "n n"]:
        """The mass matrix."""
        return mass_matrix(self.mechanism)

    @cached_property
    def acceleration(self) -> Function:
        """Accelerations: (q, qd, force) -> (n,); `force` (n,) is added to the forces of the mechanism itself."""
        passive = replace(self.mechanism, motors=())
        graph = dynamics_graph(passive, passive.coordinates)
        return compile_graph(graph.given("q", "qd", "force"), "qdd", ordering="quasi_definite")

    @cached_property
    def projection(self) -> Function:
        """The smallest step onto the constraints, and the nearest velocity that they allow: (q, qd) -> (n,), (n,)."""
        graph = projection_graph(self.mechanism).given("q", "qd")
        return compile_graph(graph, ["step", "rate"], ordering="quasi_definite")

    @cached_property
    def rates(self) -> Function:
        """The bias c of accelerations, Phi_q qdd = c, then the generalised forces Q: (q, qd) -> (m + n,)."""

        def expression(q: list, qd: list) -> list[Any]:
            still = [0.0] * self.mechanism.n
            bias = [-value.second for value in along(self.mechanism, q, qd, still)]
            return [*bias, *forces(self.mechanism, q, qd)]

        return compiled_code("rates", self.mechanism, ("q", "qd"), expression)

    @cached_property
    def energy(self) -> Function:
        """Kinetic, potential energy (J), and power (W) of forces and torques less that of dampers: (q, qd) -> (3,)."""

        def expression(q: list, qd: list) -> list[Any]:
            return list(energies(self.mechanism, q, qd))

        return compiled_code("energy", self.mechanism, ("q", "qd"), expression)


@lru_cache(maxsize=64)
def mechanics_of(mechanism: Mechanism) -> Mechanics:
    """Return the compiled code of a mechanism; the same for the same, so that it is made once."""
    return Mechanics(mechanism)
