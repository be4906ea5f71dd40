"""What simulations ask of a model: where it begins, how it moves, what keeps it closed, its energy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_signature
from screwgraph.compiler import Function
from screwgraph.mechanics.dynamics import forward_dynamics
from screwgraph.mechanics.kinematics import kinetic_energy, potential_energy
from screwgraph.mechanics.mechanism.initial_state import find_initial_position, find_initial_velocity
from screwgraph.mechanics.mechanism.mechanism_functions import CompiledMechanism, compile_mechanism
from screwgraph.mechanics.mechanism.projection import Projection, make_projection
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.mechanism.closure import closure_errors
from screwgraph.model.robot import Robot, constraint_residual
from screwgraph.motion.simulation.constraints import Constraints
from screwgraph.motion.simulation.initial_state import initial_position, initial_velocity
from screwgraph.motion.simulation.system import Acceleration, Projector, System
from screwgraph.spatial import finite_vector
from screwgraph.spatial.manifolds import Manifold, Vector

RUNAWAY = 1e30
"""Positions and velocities (SI units) beyond which a motion has diverged: powers of them may overflow."""

Efforts = Callable[[float, np.ndarray, np.ndarray], Any]
"""Torques and forces as a function of time (s), q and qd."""


@dataclass(frozen=True, eq=False)
class RobotDynamics:
    """A robot in motion: a tree, or a closed chain, whose loops stay closed."""

    model: Robot
    kind, part = "robot", "joint"

    @property
    def manifold(self) -> Manifold:
        """The manifold of positions."""
        return self.model.manifold

    @cached_property
    def function(self) -> Function:
        """Forward dynamics: accelerations (nv,) of q, qd, tau, or of batches."""
        return forward_dynamics(self.model)

    def start(self, q0: Any, qd0: Any) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]]:
        """Return where a motion begins, loops closed. Raises InputError."""
        q = initial_position(self.model, q0)
        return q, initial_velocity(self.model, q, qd0)

    def checked(self, tau: Any, what: str) -> Float[np.ndarray, " nv"]:
        """Return joint torques and forces; None is zero. Raises InputError."""
        n = self.model.nv
        return finite_vector(
            np.zeros(n) if tau is None else tau, n, what, "it holds the efforts of all joints (N m, N)"
        )

    def force(self, tau: Float[np.ndarray, "*N nv"]) -> Float[np.ndarray, "*N nv"]:
        """Return the forces on all velocity coordinates that joint torques and forces are: themselves."""
        return tau

    def constraints(self, q: Float[np.ndarray, " nq"]) -> Constraints | None:
        """Return what keeps loops closed, near q; None for trees."""
        return Constraints(self.model, q) if self.model.is_closed else None

    @cached_property
    def energies(self) -> tuple[Function, Function]:
        """Kinetic and potential energy."""
        return kinetic_energy(self.model), potential_energy(self.model)

    @cached_property
    def damping(self) -> Float[np.ndarray, " nv"]:
        """Viscous damping of each velocity coordinate."""
        return np.concatenate([np.zeros(0), *(np.full(j.type.nv, j.damping) for j in self.model.joints)])

    def energy(self, q: Any, qd: Any, tau: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return kinetic and potential energy (J), and the power (W) of torques less that of dampers (N,)."""
        kinetic, potential = self.energies
        return kinetic.few(q, qd), potential.few(q), self.power(q, qd, tau)

    def power(self, q: Any, qd: Any, tau: Any) -> Any:
        """Return the power (W) of torques less that of dampers, (N,) of batches."""
        return ((tau - self.damping * qd) * qd).sum(axis=-1)

    @property
    def owners(self) -> tuple[str, ...]:
        """The joint that each velocity coordinate belongs to."""
        return tuple(joint.name for joint in self.model.joints for _ in range(joint.type.nv))

    def is_passive(self, torques: Float[np.ndarray, " nv"]) -> bool:
        """Return whether no work is done under constant torques."""
        return not torques.any() and not self.damping.any()

    def violation(self, q: Float[np.ndarray, "N nq"], found: Any = None) -> Float[np.ndarray, " N"]:
        """Return the largest closure error (rad, m) of loops and couplings; as found already, where it was."""
        if found is not None or not self.model.is_closed:
            return np.zeros(len(q)) if found is None else found
        return np.array([np.abs(constraint_residual(self.model, x)).max() for x in q])


@dataclass(frozen=True, eq=False)
class MechanismDynamics:
    """A planar mechanism in motion, its states on the constraints."""

    model: Mechanism
    kind, part = "mechanism", "coordinate"

    @property
    def manifold(self) -> Manifold:
        """The manifold of positions."""
        return Vector(self.model.n)

    @property
    def compiled(self) -> CompiledMechanism:
        """Its compiled code."""
        return compile_mechanism(self.model)

    @property
    def function(self) -> Function:
        """Accelerations (n,) of q, qd and forces on all coordinates, or of batches."""
        return self.compiled.acceleration

    def start(self, q0: Any, qd0: Any) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Return where a motion begins, constraints closed. Raises InputError, ModelError."""
        q = find_initial_position(self.model, q0)
        return q, find_initial_velocity(self.model, q, qd0)

    def checked(self, tau: Any, what: str) -> Float[np.ndarray, " motors"]:
        """Return torques of the motors; None is zero. Raises InputError."""
        names = self.model.motor_names
        why = f"torques (N m) of the motors {', '.join(names)}" if names else "the mechanism has no motors"
        given = np.zeros(len(names)) if tau is None else tau
        return finite_vector(given, len(names), what, why, fix="motors: [angle, ...] in its file")

    def force(self, tau: Float[np.ndarray, "*N motors"]) -> Float[np.ndarray, "*N n"]:
        """Return the forces on all coordinates that torques of the motors are."""
        return self.model.motor_forces(tau)

    def constraints(self, q: Float[np.ndarray, " n"]) -> Projection:
        """Return what puts states back onto the constraints."""
        return make_projection(self.model)

    def energy(self, q: Any, qd: Any, tau: Any) -> tuple[Any, Any, Any]:
        """Return kinetic and potential energy (J), and the power (W) of motors, forces and torques less dampers'."""
        found = self.compiled.energy.few(q, qd)
        return found[..., 0], found[..., 1], found[..., 2] + (tau * qd[..., self.model.motor_slots]).sum(axis=-1)

    def power(self, q: Any, qd: Any, tau: Any) -> Any:
        """Return the power (W) of motors, forces and torques less that of dampers, (N,) of batches."""
        return self.energy(q, qd, tau)[2]

    @property
    def owners(self) -> tuple[str, ...]:
        """The coordinate that each velocity coordinate belongs to."""
        return self.model.coordinates

    def is_passive(self, torques: Float[np.ndarray, " motors"]) -> bool:
        """Return whether it is known that no work is done under constant torques."""
        return False

    def violation(self, q: Float[np.ndarray, "N n"], found: Any = None) -> Float[np.ndarray, " N"]:
        """Return the largest distance (m, rad) of coordinates from closing a constraint."""
        return closure_errors(*self.compiled.closing_of_few(q)).max(axis=1, initial=0.0)


Dynamics = RobotDynamics | MechanismDynamics


def dynamics_of(model: Robot | Mechanism) -> Dynamics:
    """Return a model in motion."""
    return MechanismDynamics(model) if isinstance(model, Mechanism) else RobotDynamics(model)


def acceleration(dynamics: Dynamics, q: Any, qd: Any, tau: Any) -> Any:
    """Return accelerations under torques of all joints, or of the motors; of batches, too."""
    return dynamics.function(q, qd, dynamics.force(tau))


def accelerations_under(dynamics: Dynamics, tau: Float[np.ndarray, " m"] | Efforts) -> Acceleration:
    """Return accelerations as a function of t, q and qd under constant torques, or those of a function."""
    function = dynamics.function
    if callable(tau):
        return lambda t, q, qd: function(q, qd, dynamics.force(tau(t, q, qd)))
    force = dynamics.force(tau)
    return lambda t, q, qd: function(q, qd, force)


def validate_torques(dynamics: Dynamics, tau: Any) -> Float[np.ndarray, " m"] | Efforts:
    """Check what a user gives as torques: none, constant, or a function of t, q and qd.

    Raises:
        InputError: neither a function of these nor finite numbers, one for each. A function that returns anything else
            raises when it does; it gets copies of q and qd, which it may alter, and is not asked where these have
            diverged.
    """
    if not callable(tau):
        return dynamics.checked(tau, "tau")
    check_signature("tau", tau, ("t", "q", "qd"))
    unknown = np.full_like(dynamics.checked(None, "tau"), np.nan)

    def torques(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        if not max(np.abs(q).max(initial=0.0), np.abs(qd).max(initial=0.0)) < RUNAWAY:
            return unknown
        return dynamics.checked(tau(t, q.copy(), qd.copy()), f"what the function tau returns at t = {t:g} s")

    return torques


def system_of(dynamics: Dynamics, torques: Float[np.ndarray, " m"] | Efforts, constraints: Projector | None) -> System:
    """Return what methods integrate: a model under constant torques, or those of a function."""
    force = torques if callable(torques) else lambda t, q, qd: torques

    def evaluate_power(t: float, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, float]:
        tau = force(t, q, qd)
        return acceleration(dynamics, q, qd, tau), float(dynamics.power(q, qd, tau))

    def of_states(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        tau = np.array([force(t, *state) for state in zip(q, qd, strict=True)])
        return dynamics.function.few(q, qd, dynamics.force(tau))

    is_passive = not callable(torques) and dynamics.is_passive(torques)
    owners = tuple(f"{dynamics.part} {name!r}" for name in dynamics.owners)
    made = (
        accelerations_under(dynamics, torques),
        constraints,
        None if is_passive else evaluate_power,
        owners,
        of_states,
    )
    return System(dynamics.manifold, *made, torques)
