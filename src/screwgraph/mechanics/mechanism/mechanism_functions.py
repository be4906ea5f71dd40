"""A mechanism's equations as compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS, Function, compile_expression, compile_graph, make_numbered_argument
from screwgraph.compiler.cache import pack_program
from screwgraph.graph import FactorGraph, Key, projection_graph, with_right_hand_sides
from screwgraph.model.mechanism import Mechanism, live_mechanism, without_metadata
from screwgraph.model.mechanism.closure import ClosureCode
from screwgraph.model.mechanism.equations import constraint_derivatives, energies, forces, jacobian, residual
from screwgraph.spatial import Array
from screwgraph.tape import Tape


@dataclass(frozen=True, eq=False)
class CompiledMechanism:
    """Compiled functions of a mechanism, of arrays (n,) or batches (N, n).

    Where `parameters` are named, `closing`, dynamics and `projection` take their values (k,), too, last.
    """

    __repr__ = one_line

    mechanism: Mechanism
    parameters: tuple[str, ...] = ()

    @cached_property
    def closing(self) -> ClosureCode:
        """Phi and Phi_q: (q) -> (m,), (m, n)."""
        return self.mechanism.closing_program.with_function(self._closing)

    def closing_at(self, values: Float[np.ndarray, " k"]) -> ClosureCode:
        """Return Phi and Phi_q at values of the parameters."""
        function, places = self._live_closing
        return replace(self.closing, function=lambda q: function(q, values), places=places)

    @cached_property
    def _live_closing(self) -> tuple[Function, tuple[np.ndarray, np.ndarray]]:
        """Phi and the entries of Phi_q that may differ from zero, of q and parameters, and where these stand."""
        live, n = live_mechanism(self.mechanism, self.parameters), self.mechanism.n
        tape = Tape(merge="form")
        symbols = live.with_values(list(tape.inputs("parameters", (len(self.parameters),))))
        slopes = jacobian(symbols, list(tape.inputs("q", (n,))))

        def expression(q: Array, values: Array) -> list[Any]:
            made = live.with_values(list(values))
            entries = jacobian(made, q)
            return [*residual(made, q), *(entries[place] for place in slopes)]

        arguments = (make_numbered_argument("q", n), make_numbered_argument(PARAMETERS, len(self.parameters)))
        question = (without_metadata(self.mechanism), self.parameters)
        code = compile_expression("closing", question, arguments, expression)
        rows, columns = (np.array([place[k] for place in slopes], dtype=int) for k in range(2))
        return code, (rows, columns)

    @cached_property
    def closing_of_few(self) -> ClosureCode:
        """The same, without machine code while positions are few (`Function.few`)."""
        return replace(self.closing, function=self._closing.few)

    @cached_property
    def _closing(self) -> Function:
        return self._compile_expression("closing", ("q",), self.mechanism.closing_program.program.on)

    @cached_property
    def equations(self) -> FactorGraph:
        """The equations of motion, with a right-hand side each; motors are idle."""
        graph = with_right_hand_sides(self.mechanism, self.parameters)
        return graph.given("q", "qd", "force", "drift", *(["parameter"] if self.parameters else []))

    @cached_property
    def motion(self) -> Function:
        """Accelerations and multipliers: (q, qd, force, [parameters,] drift) -> (n,), (m,).

        `force` (n,) is added to the forces of the mechanism itself, `drift` (m,) is the second time derivative of its
        constraints.
        """
        return compile_graph(self.equations, ["qdd", "lambda"])

    @cached_property
    def acceleration(self) -> Function:
        """Accelerations: (q, qd, force[, parameters]) -> (n,); `force` is added to the mechanism's own."""
        motion = self.motion
        *given, drift = motion.arguments

        def expression(*vectors: Array) -> list[Any]:
            return list(motion(*vectors, np.zeros(drift.shape))[0])

        return compile_expression("acceleration", pack_program(motion.program), tuple(given), expression)

    @cached_property
    def projection(self) -> Function:
        """The smallest step onto the constraints, and the nearest velocity that they allow.

        (q, qd[, parameters]) -> (n,), (n,).
        """
        graph = projection_graph(self.mechanism, self.parameters)
        graph = graph.given("q", "qd", *(["parameter"] if self.parameters else []))
        return compile_graph(graph, ["step", "rate"], ordering="quasi_definite")

    def projection_holding(self, names: Sequence[str]) -> Function:
        """The same where coordinates are held: (q, qd, step, rate), of these (k,), -> (n - k,), (n - k,) of the others.

        Steps of held coordinates are zero, and rates are their own, where they stand at their values already.
        """
        given = [Key(kind, name) for kind in ("step", "rate") for name in names]
        graph = projection_graph(self.mechanism, held=names).given("q", "qd", *given)
        return compile_graph(graph, ["step", "rate"], ordering="quasi_definite")

    @cached_property
    def rates(self) -> Function:
        """The bias c of accelerations, Phi_q qdd = c, then the generalised forces Q: (q, qd) -> (m + n,)."""

        def expression(q: Array, qd: Array) -> list[Any]:
            still = [0.0] * self.mechanism.n
            bias = [-value.second for value in constraint_derivatives(self.mechanism, q, qd, still)]
            return [*bias, *forces(self.mechanism, q, qd)]

        return self._compile_expression("rates", ("q", "qd"), expression)

    @cached_property
    def energy(self) -> Function:
        """Kinetic, potential energy (J), and power (W) of forces and torques less that of dampers: (q, qd) -> (3,)."""

        def expression(q: Array, qd: Array) -> list[Any]:
            return list(energies(self.mechanism, q, qd))

        return self._compile_expression("energy", ("q", "qd"), expression)

    def _compile_expression(
        self, name: str, kinds: Sequence[str], expression: Callable[..., Sequence[Any]]
    ) -> Function:
        """Return an expression of vectors (n,) as a function."""
        arguments = tuple(make_numbered_argument(kind, self.mechanism.n) for kind in kinds)
        return compile_expression(name, without_metadata(self.mechanism), arguments, expression)


@lru_cache(maxsize=64)
def compile_mechanism(mechanism: Mechanism, parameters: tuple[str, ...] = ()) -> CompiledMechanism:
    """Return the compiled code of a mechanism; the same for the same, so that it is made once."""
    return CompiledMechanism(mechanism, parameters)


def constraint_multipliers(
    mechanism: Mechanism, q: Float[np.ndarray, "*N n"], qd: Float[np.ndarray, "*N n"], tau: Any = 0.0
) -> Float[np.ndarray, "*N m"]:
    """Return Lagrange multipliers of the rows of constraints that count, along a motion under torques of all motors.

    -Phi_q' lambda are the forces of the constraints on the coordinates. Blanco-Claraco et al. (2021), eq. (5).

    Raises:
        InputError: another number of torques.
        ModelError: the mechanism cannot be assembled.
    """
    motion = compile_mechanism(mechanism).motion
    force = np.broadcast_to(mechanism.motor_forces(tau), np.shape(q))
    return motion(q, qd, force, np.zeros((*np.shape(q)[:-1], *motion.arguments[-1].shape)))[1]
