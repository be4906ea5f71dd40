"""What estimates ask of a mechanism: unknowns, factors, sensors, and how it moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError, ModelError
from screwgraph.mechanics.mechanism import follow_branch
from screwgraph.model.mechanism import Mechanism, find_slots, live_mechanism
from screwgraph.model.mechanism.sensors import SensorResidual, parse_sensors
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.model.sensors.sensor import Sensor, list_pushed
from screwgraph.motion.estimation.base_contact_forces import BaseContactForces, PointForces
from screwgraph.motion.estimation.factors import (
    Acceleration,
    ForwardDynamics,
    IndependentAcceleration,
    IndependentForwardDynamics,
    IndependentPosition,
    IndependentVelocity,
    PositionConstraints,
    VelocityConstraints,
)
from screwgraph.motion.estimation.mechanism_noise import BROAD, ModelNoise, integration_sigma
from screwgraph.motion.estimation.mechanisms.forward_graph import COORDINATES, sample_forces
from screwgraph.motion.estimation.mechanisms.templates import (
    MultiplierReading,
    ParametricTemplate,
    SymbolicMechanism,
    depends_on_parameters,
    make_symbolic_mechanism,
)
from screwgraph.motion.estimation.readings.measurements import Measurements, Samples
from screwgraph.motion.estimation.readings.trajectory_tables import merge_equal_values
from screwgraph.motion.estimation.window_rules import extrapolate_state
from screwgraph.motion.integration_rules import TRAPEZOIDAL, RateDefect, SimpsonVelocities, simpson_positions
from screwgraph.motion.simulation import dynamics_of
from screwgraph.optimize import Factors, Result, Selection, Variables, Vector, soft

STEPS = ("hermite_simpson", "trapezoidal")
"""Integration rules that estimates have."""
READ_AS_THEY_ARE = ("angle", "joint_position")
"""Kinds of sensors whose readings are coordinates."""
INDEPENDENT = ("z", "zd", "zdd")
"""Names of independent coordinates and their rates."""


@dataclass(frozen=True, eq=False)
class MechanismUnknowns:
    """q, qd, qdd at `count` samples; torques of `inputs`, forces on points `pushed`, parameters, which all share.

    Constraints, dynamics and integrators of Blanco-Claraco et al. (2021), section 6, in dependent `coordinates`
    ("spanning") or in independent ones, which have unknowns z, zd, zdd beside the others. Parameters of a window's
    factors are all its own, as these change while it moves on. Unknown parameters may be `drifting`.
    """

    parameters: SymbolicMechanism
    inputs: tuple[int, ...] = ()
    count: int = 0
    rule: str = "hermite_simpson"
    coordinates: str = "spanning"
    is_window: bool = False
    drifting: bool = False
    pushed: tuple[int, ...] = ()

    inner = ()

    @classmethod
    def from_model(cls, mechanism: Mechanism, parameters: tuple[str, ...]) -> MechanismUnknowns:
        """Return those of a mechanism with some unknown parameters. Raises InputError."""
        return cls(make_symbolic_mechanism(mechanism, parameters))

    @staticmethod
    def stiffer_models(mechanism: Mechanism, parameters: Sequence[str], q0: Any, dt: float) -> tuple[Mechanism, ...]:
        """Return none: dampers of mechanisms act between points."""
        return ()

    @property
    def model(self) -> Mechanism:
        """The mechanism with its nominal values."""
        return self.parameters.mechanism.nominal

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the motors."""
        return self.model.motors

    def states(self, node: int = 0) -> tuple[Variables, ...]:
        """Return q, qd, qdd."""
        return tuple(Variables(name, Vector(self.model.n), self.count) for name in ("q", "qd", "qdd"))

    @property
    def tau(self) -> Variables:
        """Unknown torques."""
        return Variables("tau", Vector(len(self.inputs)), self.count)

    @property
    def forces(self) -> Variables:
        """Unknown forces of contacts, along the axes of the ground."""
        return Variables("forces", Vector(self.model.dimension * len(self.pushed)), self.count)

    @property
    def efforts(self) -> tuple[tuple[Variables, tuple[int, ...]], ...]:
        """Unknown torques, and forces of contacts, each with the coordinates that they act on."""
        turned = tuple(self.model.motor_slots[i] for i in self.inputs)
        touched = find_slots(self.model, self._pushed_names, "contacts")
        return (*([(self.tau, turned)] if turned else []), *([(self.forces, touched)] if touched else []))

    @property
    def _pushed_names(self) -> tuple[str, ...]:
        return tuple(self.model.points[i].name for i in self.pushed)

    @property
    def walking(self) -> tuple[int, ...] | None:
        """Places among unknown torques of those that change little: efforts of driven coordinates may jump."""
        if not self.model.driven:
            return None
        return tuple(k for k, motor in enumerate(self.inputs) if self.labels[motor] not in self.model.driven)

    @property
    def shared(self) -> Variables:
        """Unknown parameters over their scale: one for all, or those of each instant where they drift."""
        return Variables("parameters", Vector(len(self.parameters.names)), self.count if self.drifting else 1)

    def inputs_of(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Return the numbers of motors: of names, and of what is driven. Raises InputError."""
        known = self.labels
        for name in names:
            if name not in known:
                raise (
                    make_unknown_name_error("motor", name, known)
                    if known
                    else InputError(f"there is no motor {name!r}", fix="motors:")
                )
        return tuple(sorted({known.index(name) for name in (*names, *self.model.driven)}))

    def sensors(self, given: Sequence[Mapping[str, Any]] | None, table: Any) -> tuple[Sensor, ...]:
        """Return sensors, by default those of the file. Raises InputError."""
        return self.model.sensors if given is None else parse_sensors(self.model, given)

    @staticmethod
    def default_sensors(table: Mapping[str, Any]) -> None:
        """Return none: those of the file."""

    def start(self, q0: Any, qd0: Any, held: Mapping[str, tuple[float, float]] = {}) -> tuple[np.ndarray, np.ndarray]:
        """Return position and velocity near which the motion begins. Raises InputError, ModelError."""
        return dynamics_of(self.model).start(q0, qd0, held)

    def in_window(
        self,
        count: int,
        dt: float,
        q0: np.ndarray,
        sensors: Sequence[Sensor],
        integrator: str | None,
        coordinates: str | None,
    ) -> MechanismUnknowns:
        """Return those of a window of so many instants, dt (s) apart; by default steps are trapezoidal.

        By default, independent coordinates are integrated where they are angles.

        Raises:
            InputError: an integrator or coordinates that windows do not have.
        """
        rule = integrator or "trapezoidal"
        if coordinates is None:
            are_angles = set(self.model.freedom.independent) <= set(self.model.angle_slots)
            coordinates = "independent" if are_angles and rule == "trapezoidal" else "spanning"
        if coordinates not in COORDINATES:
            raise make_unknown_name_error("kind of coordinates", coordinates, COORDINATES)
        if rule not in STEPS:
            raise make_unknown_name_error("integrator", rule, STEPS)
        if coordinates == "independent" and rule != "trapezoidal":
            raise InputError(f"{rule} integrates no independent coordinates", fix='give coordinates="spanning"')
        more = {"is_window": True, "pushed": list_pushed(sensors)}
        return replace(self, count=count, rule=rule, coordinates=coordinates, **more)

    @property
    def is_independent(self) -> bool:
        """Whether independent coordinates are integrated."""
        return self.coordinates == "independent"

    @property
    def integrated_coordinates(self) -> tuple[Variables, ...]:
        """Return the coordinates that are integrated, and their rates."""
        names = INDEPENDENT if self.is_independent else ()
        return tuple(Variables(name, Vector(self.model.dof), self.count) for name in names) or self.states()

    @property
    def families(self) -> tuple[Variables, ...]:
        """Return all unknowns of the motion itself; those that are not integrated first."""
        return (*self.states(), *self.integrated_coordinates) if self.is_independent else self.states()

    def window_values(self, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
        """Return values of a window that stays in a state but for its acceleration, by family."""
        chosen = list(self.model.freedom.independent)
        found = {"q": q, "qd": qd, "z": q[chosen], "zd": qd[chosen]}
        return {v.name: np.tile(found[v.name], (self.count, 1)) for v in self.families if v.name in found}

    def window_prior(self, noise: ModelNoise) -> dict[str, Any]:
        """Return standard deviations of the first instant of a first window, by family: independent coordinates."""
        known = {0: noise.position, 1: noise.velocity}
        prior = dict[str, Any]()
        for k, family in enumerate(self.integrated_coordinates):
            prior[family.name] = np.full(family.manifold.dim, BROAD)
            places = slice(None) if self.is_independent else list(self.model.freedom.independent)
            prior[family.name][places] = known.get(k, BROAD)
        return prior

    def make_prediction(self, dt: float, q0: np.ndarray) -> Callable[..., list[Any]]:
        """Return what gives the unknowns that follow some in a window: accelerations stay."""

        def predict(*x: Any) -> list[Any]:
            found = [*extrapolate_state(Vector(self.model.n), dt, *x[:3])]
            return [*found, *extrapolate_state(Vector(self.model.dof), dt, *x[3:6])] if self.is_independent else found

        return predict

    def make_torque_parameters(self, before: np.ndarray, now: np.ndarray) -> dict[str, dict[str, np.ndarray]]:
        """Return known torques of the last step of a window, from `before` to `now`, as parameters of its factors."""
        if len(self.inputs) == len(self.labels):
            return {}
        force, middle = (self.model.motor_forces(tau) for tau in (now, (before + now) / 2.0))
        groups = {"f_dyn": force, "f_hs qd": middle}
        return {name: {"force": x} for name, x in groups.items() if name == "f_dyn" or self.rule == STEPS[0]}

    def known_torques(self, parameters: Mapping[tuple[str, str], Any]) -> Any:
        """Return the known torques (motors,) among parameters of one step."""
        force = parameters.get(("f_dyn", "force"))
        return np.zeros(len(self.labels)) if force is None else force[list(self.model.motor_slots)]

    def model_factors(self, steps: np.ndarray, torques: np.ndarray, q0: np.ndarray, noise: ModelNoise) -> list[Factors]:
        """Return the factors of the model, of steps (s) and known torques (N, motors)."""
        mechanism, (q, qd, qdd), hold = self.parameters.mechanism, self.states(), noise.constraints
        now, between = self._force_parameters(torques)
        if self.is_independent:
            z, zd, zdd = self.integrated_coordinates
            laws = [
                ("f_pc", IndependentPosition(mechanism), (q, z), hold),
                ("f_vc", IndependentVelocity(mechanism), (q, qd, zd), hold),
                ("f_ac", IndependentAcceleration(mechanism), (q, qd, qdd, zdd), noise.dynamics),
            ]
            dynamics, moved = IndependentForwardDynamics(mechanism), (q, qd, zdd)
        else:
            laws = [
                ("f_pc", PositionConstraints(mechanism), (q,), hold),
                ("f_vc", VelocityConstraints(mechanism), (q, qd), hold),
            ]
            dynamics, moved = ForwardDynamics(mechanism), (q, qd, qdd)
        found = [self.make_reading_factors(name, law, *own, sigma=sigma) for name, law, own, sigma in laws]
        found.append(self.make_reading_factors("f_dyn", dynamics, *moved, ends=1, sigma=noise.dynamics, **now))
        return found + self._integration_factors(merge_equal_values(steps), between, noise)

    def _integration_factors(self, dt: Any, between: Mapping[str, Any], noise: ModelNoise) -> list[Factors]:
        mechanism, moved = self.parameters.mechanism, self.integrated_coordinates
        sigma: Any = noise.integration if self.is_independent else integration_sigma(mechanism, noise)
        over_step = {"dt": dt, "sigma": sigma}
        if self.rule == "trapezoidal":
            template = RateDefect(TRAPEZOIDAL)
            return [
                self.make_reading_factors(
                    f"f_ti {x.name}", template, *(part for v in (x, rate) for part in (v[:-1], v[1:])), **over_step
                )
                for x, rate in pairwise(moved)
            ]
        ends = tuple(part for x in moved for part in (x[:-1], x[1:]))
        velocities = SimpsonVelocities(Acceleration(mechanism))
        return [
            self.make_reading_factors("f_hs q", simpson_positions, *ends, **over_step),
            self.make_reading_factors("f_hs qd", velocities, *ends, ends=2, **over_step, **between),
        ]

    def reading(self, *sensors: Sensor) -> Any:
        """Return a sensor's template. Raises InputError where it needs torques that are not unknown."""
        (sensor,) = sensors
        mechanism, of = self.parameters.mechanism, sensor.form.of
        template = SensorResidual(mechanism, sensor.place, self.inputs, self.pushed)
        if "tau" in of:
            name = self.model.angles[sensor.target].name
            if self.model.motors.index(name) not in self.inputs:
                raise InputError(
                    f"the torque of motor {name!r} is measured, but not unknown", fix=f"name {name!r} among inputs="
                )
        if "multipliers" not in of:
            return template
        if len(self.inputs) < len(self.labels):
            raise InputError(
                f"sensor {sensor.name!r} reads a force, which depends on torques of motors",
                why=f"these are {', '.join(self.labels)}",
                fix="name all of them among inputs=; a sensor joint_torque says what is known of them",
            )
        if len(self.model.freedom.kept) < sum(c.rows for c in self.model.constraints):
            raise InputError(
                f"sensor {sensor.name!r} reads a force that is not determined",
                why="constraints follow from others",
                fix="leave out the bodies that are one too many",
            )
        return MultiplierReading(template, tuple(slots for _, slots in self.efforts))

    def families_of(self, sensor: Sensor) -> tuple[str, ...]:
        """Return the names of the unknowns that a sensor depends on; multipliers follow from states and torques."""
        if "multipliers" not in sensor.form.of:
            return sensor.form.of
        return ("q", "qd", "qdd", *(family.name for family, _ in self.efforts))

    def contact_factors(self, sensor: Sensor, samples: Samples, noise: ModelNoise) -> list[Factors]:
        """Return nothing: sensors of mechanisms do not say that there is no contact."""
        return []

    def first_position(self, sensors: Sequence[Sensor], table: Any, q0: np.ndarray, sigma: float) -> np.ndarray:
        """Return the closed position on the branch of q0 where angles are as first read; q0 where it is not reached."""
        slots, read = self.model.angle_slots, dict[int, float]()
        for sensor in sensors:
            values = np.asarray(table.get(sensor.name, ()), dtype=float)
            there = values[np.isfinite(values)]
            is_sure = np.hypot(max(sensor.sigma), sensor.bias) < sigma
            if isinstance(sensor.target, int) and len(there) and is_sure and sensor.kind in READ_AS_THEY_ARE:
                read[sensor.target if sensor.form.on == "coordinate" else slots[sensor.target]] = float(there[0])
        if not read:
            return q0
        try:
            return follow_branch(self.model, q0, tuple(read), np.array([[*read.values()]]))[0]
        except ModelError:  # more angles than degrees of freedom, with noise, or a position that is not reached
            return q0

    def fit_to(self, data: Measurements, q0: np.ndarray) -> MechanismUnknowns:
        """Return those with forces on points in contact."""
        return replace(self, pushed=list_pushed(data.sensors))

    @property
    def base_forces(self) -> PointForces:
        """Forces of contacts (3 n,), those of planar mechanisms with zeros, by position and unknown forces."""
        return PointForces(len(self.pushed))

    def told_forces(self, at: slice) -> BaseContactForces:
        """Return forces of contacts at some instants."""
        return BaseContactForces(self.base_forces, self._pushed_names, (self.states()[0][at], self.forces[at]))

    def contact_forces(
        self, result: Result
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Return forces (N, 3) of contacts by point, along the ground's axes, standard deviations, and wrenches."""
        if not self.pushed:
            return {}, {}, {}
        told = self.told_forces(slice(None))
        forces = told(result.values)
        sigma = told.sigma(result.values, result.covariances(self.states()[0], self.forces))
        return forces, sigma, {name: np.hstack([np.zeros_like(F), F]) for name, F in forces.items()}

    def negative(self, values: np.ndarray) -> list[str]:
        """Return bodies whose masses or inertias are negative at values of the parameters (SI units)."""
        if not self.parameters.names:
            return []
        there = live_mechanism(self.model, self.parameters.names).with_values(values.tolist())
        return [b.name for b in there.bodies if b.mass < 0.0 or np.atleast_1d(b.inertia)[:3].min() < 0.0]

    def acceleration(self, parameters: Any) -> Callable[..., np.ndarray]:
        """Return accelerations as a function of q, qd, tau; `parameters` are over their scale."""
        scaled = np.zeros(0) if parameters is None else parameters

        def moving(q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
            return self.parameters.acceleration(q, qd, self.model.motor_forces(tau), scaled)

        return moving

    def make_reading_factors(
        self, name: str, template: Any, *own: Variables | Selection, ends: int = 0, **options: Any
    ) -> Factors:
        """Make factors of a template; unknown efforts, at so many ends, and parameters are added to its unknowns."""
        known = tuple(key for key in options if key not in ("sigma", "loss"))
        sizes = tuple((x.variables if isinstance(x, Selection) else x).manifold.dim for x in own)
        is_parametric, acting = depends_on_parameters(template, self.parameters, sizes, known), ()
        efforts = list[Variables | Selection]()
        if ends:
            acting = tuple(slots for _, slots in self.efforts)
            efforts = [x for own, _ in self.efforts for x in ((own,) if ends == 1 else (own[:-1], own[1:]))]
        first = own[0]
        at = first.indices if self.drifting and isinstance(first, Selection) else slice(None)
        shared = (self.shared[at],) if is_parametric else ()
        wrapped = ParametricTemplate(template, self.parameters, acting, ends, is_parametric)
        return soft(wrapped, *own, *efforts, *shared, name=name, **options)

    def _force_parameters(self, torques: np.ndarray) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return known forces on all coordinates, at samples and half-way between, where there are any."""
        is_forced = len(self.inputs) < len(self.labels) if self.is_window else torques.any()
        return sample_forces(self.model.motor_forces(torques) if is_forced else None)
