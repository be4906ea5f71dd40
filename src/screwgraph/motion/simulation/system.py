"""What every method integrates: models in motion, as accelerations on the manifold of their positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_signature
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.model import Model
from screwgraph.model.functions_of_time import FunctionOfTime
from screwgraph.spatial.manifolds import Manifold

if TYPE_CHECKING:
    from screwgraph.motion.simulation.closure_code import Closing, ClosureParameters, StateClosure
    from screwgraph.motion.simulation.step_options import StepOptions
    from screwgraph.motion.simulation.wrench_efforts import WrenchEfforts

RUNAWAY = 1e30
"""Positions and velocities (SI units) beyond which a motion has diverged: powers of them may overflow."""
Efforts = Callable[[float, np.ndarray, np.ndarray], Any]
"""Torques and forces as a function of time (s), q and qd."""

Acceleration = Callable[
    [float, Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]],
    Float[np.ndarray, " nv"],
]


class Projector(Protocol):
    """Projection of states back onto the constraints of a model."""

    def project(
        self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]
    ) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"], float]:
        """Return the nearest state that constraints allow, and the loop-closure error (rad, m). Raises InputError."""
        ...


@dataclass(frozen=True, eq=False)
class System:
    """A model in motion: accelerations as a function of t, q and qd; its `constraints`, if any.

    `powered` returns accelerations, and the power (W) of torques and forces less that of dampers, where it is known.
    `owners` names what each velocity coordinate belongs to, in messages. `of_states` returns accelerations at one time
    and several states (N, ...), where there is a quicker way than one after the other. `torques` are constant, or
    a function of t, q and qd.
    """

    manifold: Manifold
    acceleration: Acceleration
    constraints: Projector | None
    powered: Callable[[float, np.ndarray, np.ndarray], tuple[np.ndarray, float]] | None = None
    owners: tuple[str, ...] = ()
    of_states: Acceleration | None = None
    torques: Callable[[float, np.ndarray, np.ndarray], np.ndarray] | Float[np.ndarray, " m"] | None = None

    def torques_at(
        self, t: Float[np.ndarray, " N"], q: Float[np.ndarray, "N nq"], qd: Float[np.ndarray, "N nv"]
    ) -> Float[np.ndarray, "N m"]:
        """Return the torques at times and states; of no motors where they are unknown."""
        if not callable(self.torques):
            return np.tile(np.zeros(0) if self.torques is None else self.torques, (len(t), 1))
        return np.array([self.torques(*state) for state in zip(t.tolist(), q, qd, strict=True)])

    @property
    def is_driven(self) -> bool:
        """Whether torques are a function."""
        return callable(self.torques)

    def accelerations(
        self, t: float, q: Float[np.ndarray, "N nq"], qd: Float[np.ndarray, "N nv"]
    ) -> Float[np.ndarray, "N nv"]:
        """Return the accelerations at one time and several states."""
        if self.of_states is not None:
            return self.of_states(t, q, qd)
        return np.array([self.acceleration(t, *state) for state in zip(q, qd, strict=True)])

    def fastest(self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> str:
        """Return " in joint ...": where the acceleration is largest, or not finite; nothing where names are unknown."""
        return name_worst_owner(self.owners, self.acceleration(t, q, qd))


class Dynamics(Protocol):
    """A kind of model in motion: where it begins, how it moves, what keeps it closed, its energy.

    tau are its efforts (m,): torques and forces of all joints, torques of motors.
    """

    model: Any

    @property
    def question(self) -> Any:
        """The model without what no code depends on."""
        ...

    @property
    def function(self) -> Function:
        """Accelerations (nv,) of q, qd and forces on all velocity coordinates, or of batches."""
        ...

    def start(
        self, q0: Any, qd0: Any, held: Mapping[str, tuple[float, float]] = {}
    ) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]]:
        """Return where a motion begins, constraints closed, coordinates that are `held` at their values and rates.

        Raises InputError, ModelError.
        """
        ...

    def hold(
        self,
        q: Float[np.ndarray, " nq"],
        qd: Float[np.ndarray, " nv"],
        held: Mapping[str, tuple[float, float]],
    ) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]]:
        """Return the nearest state that constraints allow, at which coordinates have given values and rates.

        Raises InputError, ModelError where there is none.
        """
        ...

    def check_efforts(self, tau: Any, what: str) -> Float[np.ndarray, " m"]:
        """Return efforts; None is zero. Raises InputError."""
        ...

    def force(self, tau: Float[np.ndarray, "*N m"]) -> Float[np.ndarray, "*N nv"]:
        """Return the forces on all velocity coordinates that efforts are."""
        ...

    def take_wrenches(
        self, names: Sequence[str], parameters: Sequence[str] = (), payload: str | None = None
    ) -> WrenchEfforts:
        """Return the efforts that wrenches of some names are, of a model with live parameters.

        Raises InputError where there is no such name.
        """
        ...

    def describe_wrench(self, name: str, W: Float[np.ndarray, "N k"]) -> tuple[str, Float[np.ndarray, "N 6"]]:
        """Return on which frame, point or angle wrenches of a name act, their moments (N m) and forces (N)."""
        ...

    def constraints(self, q: Float[np.ndarray, " nq"]) -> Any:
        """Return what keeps constraints closed, near q; None without any."""
        ...

    def energy(self, q: Any, qd: Any, tau: Any) -> tuple[Any, Any, Any]:
        """Return kinetic and potential energy (J), and the power (W) of efforts less that of dampers (N,)."""
        ...

    def power(self, q: Any, qd: Any, tau: Any) -> Any:
        """Return the power (W) of efforts less that of dampers, (N,) of batches."""
        ...

    def power_of_wrench(self, frame: str, q: np.ndarray, qd: np.ndarray, F: np.ndarray) -> Float[np.ndarray, " N"]:
        """Return the power (W) of wrenches (N, 6) in the axes of a frame. Raises InputError where there is none."""
        ...

    def is_passive(self, torques: Float[np.ndarray, " m"]) -> bool:
        """Return whether it is known that no work is done under constant efforts."""
        ...

    def violation(self, q: Float[np.ndarray, "N nq"], found: Any = None) -> Float[np.ndarray, " N"]:
        """Return the largest closure error (rad, m); as found already, where it was."""
        ...

    def describe_opening(self, before: Float[np.ndarray, " nq"], after: Float[np.ndarray, " nq"]) -> tuple[str, str]:
        """Return which constraints open between two positions, and what to do; they hold to first order only."""
        ...

    def doubts(self, t: np.ndarray, q: np.ndarray, tau: np.ndarray) -> tuple[str, ...]:
        """Return doubts about a motion that leaves the limits of the model."""
        ...

    def blame(self, error: InputError, q: Float[np.ndarray, " nq"]) -> InputError | None:
        """Return an error of a motion from q with its reason, where one is found in the model."""
        ...

    def check_options(self, options: StepOptions) -> None:
        """Raise InputError for options of steps that such a model has no law for, or no part."""
        ...

    def drive(self, functions: Mapping[str, FunctionOfTime], chosen: Sequence[str]) -> Model:
        """Return the model whose coordinates follow functions in steps with these options.

        Raises InputError where such steps do not follow functions.
        """
        ...

    def compile_step(self, options: StepOptions, dt: float) -> Function:
        """Return a step of q, qd, tau, dt and parameters, meant for steps of dt (s).

        Raises:
            InputError: options that the model or the method has no law for.
            EliminationError: a joint moves nothing that has inertia.
        """
        ...

    def closure_parameters(self, names: Sequence[str], payload: str | None) -> ClosureParameters:
        """Return those of some parameters on which constraints depend. Raises InputError."""
        ...

    def step_closure(self, lengths: ClosureParameters) -> Closing | None:
        """Return what closes constraints at the end of a step, as code without loops; None where there are none."""
        ...

    def closure_at(self, lengths: ClosureParameters, values: Float[np.ndarray, " k"]) -> StateClosure:
        """Return how states are closed for some lengths."""
        ...

    def at_values(self, names: Sequence[str], payload: str | None, values: Float[np.ndarray, " k"]) -> Model:
        """Return the model with other values of its parameters."""
        ...


def refuse_driven_steps(chosen: Sequence[str]) -> InputError:
    """Return the error of steps with options by which efforts are held, where coordinates are driven."""
    return InputError(
        f"{' and '.join(chosen)} with driven coordinates",
        why="these act in steps that hold efforts, and those of driven coordinates follow the motion",
        fix="leave one of them out",
    )


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
        return dynamics.check_efforts(tau, "tau")
    check_signature("tau", tau, ("t", "q", "qd"))
    unknown = np.full_like(dynamics.check_efforts(None, "tau"), np.nan)

    def torques(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        if not max(np.abs(q).max(initial=0.0), np.abs(qd).max(initial=0.0)) < RUNAWAY:
            return unknown
        what, answer = f"what the function tau returns at t = {t:g} s", tau(t, q.copy(), qd.copy())
        if answer is None:
            raise InputError(f"{what} is None", why="it must be numbers, zeros where nothing acts", fix="return them")
        return dynamics.check_efforts(answer, what)

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
    made = (
        accelerations_under(dynamics, torques),
        constraints,
        None if is_passive else evaluate_power,
        dynamics.model.owners,
        of_states,
    )
    return System(dynamics.model.manifold, *made, torques)


def name_worst_owner(owners: Sequence[str], values: Float[np.ndarray, " nv"]) -> str:
    """Return " in ...", which names the owner of the largest value, or of one that is not finite."""
    if not len(owners):
        return ""
    return f" in {owners[int(np.argmax(np.where(np.isfinite(values), np.abs(values), np.inf)))]}"
