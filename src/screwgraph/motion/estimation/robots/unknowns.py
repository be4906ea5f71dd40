"""What estimates ask of a robot: unknowns, factors, sensors, and how it moves.

Equations of motion hold up to standard deviations, one for each velocity coordinate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.dynamics import forward_dynamics
from screwgraph.model.robot import Robot
from screwgraph.model.sensors.sensor import Sensor, list_pushed
from screwgraph.motion.estimation.base_contact_forces import BaseContactForces, BaseFrameForces
from screwgraph.motion.estimation.initial_position import find_initial_position
from screwgraph.motion.estimation.mechanism_noise import BROAD, ModelNoise
from screwgraph.motion.estimation.observability import stiffer_robots
from screwgraph.motion.estimation.parameters import Parameters, find_parameters
from screwgraph.motion.estimation.readings.measurements import Measurements, Samples
from screwgraph.motion.estimation.readings.sensors import (
    SensorResidual,
    parse_sensors,
    sensors_from_columns,
)
from screwgraph.motion.estimation.readings.trajectory_tables import merge_equal_values
from screwgraph.motion.estimation.robots.motion_graph import Motion, Sigmas, get_mechanics
from screwgraph.motion.estimation.window_rules import choose_rule, decay_rates, effective_inertias, find_rule
from screwgraph.motion.integration_rules import HERMITE_SIMPSON, TRAPEZOIDAL, Rule
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.simulation import dynamics_of
from screwgraph.optimize import Factors, Result, Selection, Variables, soft

ByFrame = dict[str, np.ndarray]

FINEST = 1e-6
"""Least ratio of a law's standard deviation to what the prior of a force adds to it, where forces cancel.

Forces of several contacts on one body may cancel in the laws. Then only priors tell them apart, and normal equations,
which hold the squares of such ratios, would lose these.
"""


@dataclass(frozen=True)
class ZeroForce:
    """The force of a contact (N) that is none."""

    place: int

    def __call__(self, forces: Any) -> Any:
        """Residual (3,)."""
        return forces[3 * self.place : 3 * self.place + 3]


@dataclass(frozen=True, eq=False)
class RobotUnknowns:
    """Unknowns of `Motion` at `count` samples, and inside each step as `rule` has it; torques of `inputs`, parameters.

    The equations of motion are one factor an instant: compiled inverse dynamics.
    """

    model: Robot
    parameters: Parameters
    inputs: tuple[int, ...] = ()
    count: int = 0
    pushed: tuple[str, ...] = ()
    rule: Rule = HERMITE_SIMPSON
    is_window: bool = False
    drifting: bool = False

    @classmethod
    def from_model(cls, robot: Robot, parameters: tuple[str, ...]) -> RobotUnknowns:
        """Return those of a robot with some unknown parameters. Raises InputError."""
        return cls(robot, find_parameters(robot, parameters))

    @staticmethod
    def stiffer_models(robot: Robot, parameters: Sequence[str], q0: Any, dt: float) -> Iterator[Robot]:
        """Yield robots with stiffer unknown dampings, by which a search may begin anew: see `stiffer_robots`."""
        return stiffer_robots(robot, parameters, dynamics_of(robot).start(q0, None)[0], dt)

    @property
    def mechanics(self) -> Mechanics:
        """The robot's expressions."""
        return get_mechanics(self.model)

    @property
    def motion(self) -> Motion:
        """Its unknowns at all instants."""
        own = (self.mechanics, self.count, self.rule, self.inputs, self.parameters, self.is_window)
        return Motion(*own, pushed=self.pushed, drifting=self.drifting)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the torques."""
        return self.mechanics.labels

    @property
    def inner(self) -> tuple[float, ...]:
        """Inner points of a step of length 1."""
        return self.rule.nodes[1:-1]

    def states(self, node: int = 0) -> tuple[Variables, ...]:
        """Return q, qd, qdd, and multipliers of loops, at the instants (node 0) or at an inner point."""
        return self.motion.states(node)

    @property
    def tau(self) -> Variables:
        """Unknown torques."""
        return self.motion.tau

    @property
    def forces(self) -> Variables:
        """Unknown forces of contacts."""
        return self.motion.forces

    @property
    def shared(self) -> Variables:
        """Unknown parameters over their scale."""
        return self.motion.shared

    @property
    def walking(self) -> None:
        """Places among unknown torques of those that change little: all."""
        return

    def inputs_of(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Return the columns of the torques of joints. Raises InputError."""
        return tuple(sorted(set(self.mechanics.columns(names, "joint"))))

    def sensors(self, given: Sequence[Mapping[str, Any]] | None, table: Any) -> tuple[Sensor, ...]:
        """Return sensors, by default those that columns of a table are named after. Raises InputError."""
        given = self.default_sensors(table) if given is None and isinstance(table, Mapping) else given
        return parse_sensors(self.mechanics, given or ())

    @staticmethod
    def default_sensors(table: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return those that columns are named after."""
        return sensors_from_columns(table)

    def start(self, q0: Any, qd0: Any, held: Mapping[str, tuple[float, float]] = {}) -> tuple[np.ndarray, np.ndarray]:
        """Return position and velocity near which the motion begins. Raises InputError."""
        return dynamics_of(self.model).start(q0, qd0, held)

    def first_position(self, sensors: Sequence[Sensor], table: Any, q0: np.ndarray, sigma: float) -> np.ndarray:
        """Return the position that first readings tell, where they are surer than q0."""
        return find_initial_position(self.mechanics, sensors, table, q0, sigma)

    def in_window(
        self,
        count: int,
        dt: float,
        q0: np.ndarray,
        sensors: Sequence[Sensor],
        integrator: str | None,
        coordinates: str | None,
    ) -> RobotUnknowns:
        """Return those of a window of so many instants, dt (s) apart; by default as dampers of joints need it.

        Raises:
            InputError: an integrator or coordinates that windows do not have.
        """
        if coordinates not in ("spanning", None):
            raise InputError(
                f"windows of robots have no {coordinates} coordinates", why="they have those of all joints"
            )
        rule = find_rule(integrator) or choose_rule(self.model, q0, dt, TRAPEZOIDAL)
        return replace(self, count=count, pushed=list_pushed(sensors), rule=rule, is_window=True)

    @property
    def families(self) -> tuple[Variables, ...]:
        """All unknowns of the motion itself."""
        return tuple(x for node in (0, *self.motion.inner) for x in self.states(node))

    def window_values(self, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
        """Return values of a window that stays in a state but for its acceleration, by family."""
        pairs = [self.states(node)[:2] for node in (0, *self.motion.inner)]
        return {v.name: np.tile(x, (self.count, 1)) for pair in pairs for v, x in zip(pair, (q, qd), strict=True)}

    def window_prior(self, noise: ModelNoise) -> dict[str, Any]:
        """Return standard deviations of the first instant of a first window, by family."""
        return {**dict.fromkeys((v.name for v in self.families), BROAD), "q": noise.position, "qd": noise.velocity}

    def make_prediction(self, dt: float, q0: np.ndarray) -> Callable[..., list[Any]]:
        """Return what gives the unknowns that follow some in a window: accelerations stay, but for dampers."""
        decay, count = decay_rates(self.model, q0), len(self.states())
        return lambda *x: self.motion.predict_states(dt, decay, *x[:count])

    def make_torque_parameters(self, before: np.ndarray, now: np.ndarray) -> dict[str, dict[str, np.ndarray]]:
        """Return known torques of the last step of a window, from `before` to `now`, as parameters of its factors."""
        return self.motion.bind_torques(before, now)

    def known_torques(self, parameters: Mapping[tuple[str, str], Any]) -> Any:
        """Return the known torques (nv,) among parameters of one step."""
        return parameters["dynamics", "tau"]

    def model_factors(self, steps: np.ndarray, torques: np.ndarray, q0: np.ndarray, noise: ModelNoise) -> list[Factors]:
        """Return the factors of the model, of steps (s) and known torques (N, nv).

        `noise.dynamics` are accelerations of the inertia at q0, and of loops. Accelerations of loops that held as
        exactly as their positions would leave doubles no digits for the rest.
        """
        spread = compute_dynamics_sigma(self.mechanics, self.pushed, q0, float(np.mean(steps)), noise)
        closure = (noise.constraints, noise.constraints, noise.dynamics)
        sigma = Sigmas(noise.integration, closure, spread)
        return self.motion.factors(merge_equal_values(steps), torques, sigma)

    def reading(self, *sensors: Sensor) -> SensorResidual:
        """Return the template of sensors of one kind."""
        return SensorResidual(self.mechanics, tuple(s.place for s in sensors), self.inputs, self.pushed)

    def families_of(self, sensor: Sensor) -> tuple[str, ...]:
        """Return the names of the unknowns that a sensor depends on."""
        return sensor.form.of

    def fit_to(self, data: Measurements, q0: np.ndarray) -> RobotUnknowns:
        """Return those with forces on frames in contact, and a rule by which dampers faster than steps decay."""
        rule = choose_rule(self.model, q0, float(np.max(data.steps, initial=0.0)), HERMITE_SIMPSON)
        return replace(self, pushed=list_pushed(data.sensors), rule=rule)

    def contact_factors(self, sensor: Sensor, samples: Samples, noise: ModelNoise) -> list[Factors]:
        """Return what says that there is no force where a sensor of contact says that there is none."""
        free = samples.at[samples.values[:, 0] == 0.0] if sensor.entry.is_contact else samples.at[:0]
        if not len(free):
            return []
        template = ZeroForce(self.pushed.index(sensor.target))
        return [soft(template, self.forces[free], sigma=noise.released, name=f"prior no force {sensor.name}")]

    def make_reading_factors(self, name: str, template: Any, *own: Selection, **options: Any) -> Factors:
        """Return factors of a sensor's template."""
        return soft(template, *own, name=name, **options)

    @property
    def base_forces(self) -> BaseFrameForces:
        """Forces of contacts (3 n,) in the base's axes by position and unknown forces."""
        return BaseFrameForces(self.mechanics, self.pushed)

    def told_forces(self, at: slice) -> BaseContactForces:
        """Return forces of contacts in the base's axes at some instants."""
        return BaseContactForces(self.base_forces, self.pushed, (self.states()[0][at], self.forces[at]))

    def contact_forces(self, result: Result) -> tuple[ByFrame, ByFrame, ByFrame]:
        """Return forces (N, 3) of contacts in the base's axes by frame, standard deviations, and wrenches (N, 6)."""
        if not self.pushed:
            return {}, {}, {}
        told, forces = self.told_forces(slice(None)), result.values["forces"]
        none = np.zeros((len(forces), 3))
        wrenches = {frame: np.hstack([none, forces[:, 3 * i : 3 * i + 3]]) for i, frame in enumerate(self.pushed)}
        return (
            told(result.values),
            told.sigma(result.values, result.covariances(self.states()[0], self.forces)),
            wrenches,
        )

    def negative(self, values: np.ndarray) -> list[str]:
        """Return links whose masses are negative at values of the parameters (SI units)."""
        return self.parameters.negative_masses(values)

    def acceleration(self, parameters: Any) -> Callable[..., np.ndarray]:
        """Return accelerations of the nominal robot as a function of q, qd, tau."""
        return forward_dynamics(self.model)


def compute_dynamics_sigma(
    mechanics: Mechanics, pushed: Sequence[str], q: Float[np.ndarray, " nq"], dt: float, noise: ModelNoise
) -> Float[np.ndarray, " nv"]:
    """Return standard deviations of the equations of motion (N m, N): accelerations times inertias near q.

    Args:
        mechanics: of the robot.
        pushed: frames with unknown forces.
        q: where the motion begins.
        dt: time between instants (s).
        noise: of the model.
    """
    own = noise.dynamics * effective_inertias(mechanics.robot, q, dt)
    if not pushed:
        return own
    J = generalised_forces(mechanics, pushed, q)
    if np.linalg.matrix_rank(J) == len(J):
        return own
    return np.maximum(own, FINEST * noise.force * np.abs(J).max(axis=0))


def generalised_forces(
    mechanics: Mechanics, frames: Sequence[str], q: Float[np.ndarray, " nq"]
) -> Float[np.ndarray, "k nv"]:
    """Return what unit forces on frames add to the equations of motion, for each frame along each of its axes."""
    robot, efforts = mechanics.robot, mechanics.efforts(frames)
    still, loops = np.zeros(robot.nv), [np.zeros(robot.mobility.rank)] if robot.is_closed else []
    units = np.zeros((1 + 3 * len(frames), len(frames), 6))
    for k in range(3 * len(frames)):
        units[1 + k, k // 3, 3 + k % 3] = 1.0
    needed = np.array([efforts(q, still, still, wrenches, *loops) for wrenches in units])
    return needed[0] - needed[1:]
