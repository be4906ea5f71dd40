"""What estimates ask of a mechanism: unknowns, factors, sensors, and how it moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.model.mechanism import Mechanism, live_mechanism
from screwgraph.model.mechanism.sensors import SensorResidual, parse_sensors
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.factors import Acceleration, ForwardDynamics, PositionConstraints, VelocityConstraints
from screwgraph.motion.estimation.forward_graph import sample_forces
from screwgraph.motion.estimation.measurements import Measurements, Samples
from screwgraph.motion.estimation.mechanism_noise import ModelNoise, integration_sigma
from screwgraph.motion.estimation.symbolic_parameters import SymbolicMechanism, make_symbolic_mechanism
from screwgraph.motion.estimation.trajectory_tables import merge_equal_values
from screwgraph.motion.integration_rules import SimpsonVelocities, simpson_positions
from screwgraph.motion.simulation import dynamics_of
from screwgraph.optimize import Factors, Result, Selection, Variables, Vector, soft
from screwgraph.optimize.template_wrappers import flatten_residual
from screwgraph.tape import depends_on, substitute_scalars


@dataclass(frozen=True, eq=False)
class MechanismUnknowns:
    """q, qd, qdd at `count` samples; torques `tau` of the motors that are inputs; parameters, which all share.

    Constraints, dynamics and Hermite-Simpson integrators of Blanco-Claraco et al. (2021), section 6.
    """

    parameters: SymbolicMechanism
    inputs: tuple[int, ...] = ()
    count: int = 0

    inner = pushed = ()

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
    def shared(self) -> Variables:
        """Unknown parameters over their scale."""
        return Variables("parameters", Vector(len(self.parameters.names)), 1)

    def inputs_of(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Return the numbers of motors. Raises InputError."""
        known = self.labels
        for name in names:
            if name not in known:
                raise (
                    make_unknown_name_error("motor", name, known)
                    if known
                    else InputError(f"there is no motor {name!r}", fix="motors:")
                )
        return tuple(sorted({known.index(name) for name in names}))

    def sensors(self, given: Sequence[Mapping[str, Any]] | None, table: Any) -> tuple[Sensor, ...]:
        """Return sensors, by default those of the file. Raises InputError."""
        return self.model.sensors if given is None else parse_sensors(self.model, given)

    def start(self, q0: Any, qd0: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return position and velocity near which the motion begins. Raises InputError, ModelError."""
        return dynamics_of(self.model).start(q0, qd0)

    def model_factors(self, data: Measurements, q0: np.ndarray, noise: ModelNoise) -> list[Factors]:
        """Return the factors of the model."""
        mechanism, (q, qd, qdd), dt = self.parameters.mechanism, self.states(), merge_equal_values(data.steps)
        ends = tuple(part for x in (q, qd, qdd) for part in (x[:-1], x[1:]))
        now, between = self._force_parameters(data)
        over_step = {"dt": dt, "sigma": integration_sigma(mechanism, noise)}
        velocities = SimpsonVelocities(Acceleration(mechanism))
        return [
            self.make_reading_factors("f_pc", PositionConstraints(mechanism), q, sigma=noise.constraints),
            self.make_reading_factors("f_vc", VelocityConstraints(mechanism), q, qd, sigma=noise.constraints),
            self.make_reading_factors(
                "f_dyn", ForwardDynamics(mechanism), q, qd, qdd, ends=1, sigma=noise.dynamics, **now
            ),
            self.make_reading_factors("f_hs q", simpson_positions, *ends, **over_step),
            self.make_reading_factors("f_hs qd", velocities, *ends, ends=2, **over_step, **between),
        ]

    def reading(self, sensor: Sensor) -> SensorResidual:
        """Return a sensor's template."""
        return SensorResidual(self.parameters.mechanism, sensor.place)

    def contact_factors(self, sensor: Sensor, samples: Samples, noise: ModelNoise) -> list[Factors]:
        """Return nothing: mechanisms have no contacts."""
        return []

    def first_position(self, sensors: Sequence[Sensor], table: Any, q0: np.ndarray, sigma: float) -> np.ndarray:
        """Return q0: sensors of mechanisms do not tell all coordinates."""
        return q0

    def fit_to(self, data: Measurements, q0: np.ndarray) -> MechanismUnknowns:
        """Return these: sensors of mechanisms add no unknowns."""
        return self

    def contact_forces(
        self, result: Result
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Return no forces of contacts, no standard deviations and no wrenches."""
        return {}, {}, {}

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
        """Make factors of a template; unknown torques, at so many ends, and parameters are added to its unknowns."""
        known = tuple(key for key in options if key not in ("sigma", "loss"))
        sizes = tuple((x.variables if isinstance(x, Selection) else x).manifold.dim for x in own)
        is_parametric, slots = depends_on_parameters(template, self.parameters, sizes, known), self.model.motor_slots
        ends = ends if self.inputs else 0
        torques = () if not ends else (self.tau,) if ends == 1 else (self.tau[:-1], self.tau[1:])
        shared = (self.shared,) if is_parametric else ()
        pushed = tuple(slots[i] for i in self.inputs) if ends else ()
        wrapped = ParametricTemplate(template, self.parameters, pushed, ends, is_parametric)
        return soft(wrapped, *own, *torques, *shared, name=name, **options)

    def _force_parameters(self, data: Measurements) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return known forces on all coordinates, at samples and half-way between, where there are any."""
        return sample_forces(self.model.motor_forces(data.torques) if data.torques.any() else None)


@dataclass(frozen=True)
class ParametricTemplate:
    """A template of a varied mechanism; after its own unknowns come torques, `ends` of them, then parameters.

    Torques at both ends of a time step act with their mean, on the coordinates `inputs`. `is_parametric` says whether
    the template depends on parameters; only then they are among its unknowns.
    """

    template: Any
    varied: SymbolicMechanism
    inputs: tuple[int, ...] = ()
    ends: int = 0
    is_parametric: bool = False

    def __call__(self, *unknowns: Any, **parameters: Any) -> Any:
        """Residual of the template."""
        own = list(unknowns)
        values = own.pop() if self.is_parametric else None
        if self.ends:
            mean = sum(own[-self.ends :]) / self.ends
            own = own[: -self.ends]
            force = np.zeros(self.varied.mechanism.n, dtype=object)
            force[list(self.inputs)] = mean
            parameters["force"] = parameters.get("force", 0.0) + force
        if not self.varied.names:
            return self.template(*own, **parameters)
        # Parameters are scalars of a tape of their own: the template is written there, and moved.
        moved: dict[Any, Any] = {} if values is None else dict(zip(self.varied.symbols, values, strict=True))

        def symbol(x: Any) -> Any:
            inputs = self.varied.tape.inputs("x", np.shape(x))
            moved.update(zip(np.ravel(inputs), np.ravel(np.asarray(x, dtype=object)), strict=True))
            return inputs

        residual = self.template(*map(symbol, own), **{name: symbol(x) for name, x in parameters.items()})
        return substitute_scalars(flatten_residual(residual).tolist(), moved)


def depends_on_parameters(
    template: Any, varied: SymbolicMechanism, sizes: tuple[int, ...], parameters: tuple[str, ...]
) -> bool:
    """Return whether a template, of unknowns of such sizes and parameters of such names, depends on the parameters."""
    if not varied.names:
        return False
    own = [varied.tape.inputs("x", (size,)) for size in sizes]
    residual = template(*own, **{name: varied.tape.input(name) for name in parameters})
    return depends_on(flatten_residual(residual).tolist(), list(varied.symbols))
