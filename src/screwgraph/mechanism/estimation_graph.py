"""The factor graph of estimation: states, torques and figures from measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanism.factors import (
    Acceleration,
    ForwardDynamics,
    PositionConstraints,
    VelocityConstraints,
    prior,
    soft_equality,
)
from screwgraph.mechanism.factors.estimated import Estimated, depends_on_figures
from screwgraph.mechanism.forward_graph import State
from screwgraph.mechanism.measurements import Measurements
from screwgraph.mechanism.symbolic_parameters import Varied
from screwgraph.mechanism.trajectory import even_or_each
from screwgraph.mechanism.weights import ModelNoise, integration_sigma
from screwgraph.models.mechanism.sensors import SENSORS
from screwgraph.optimize import Factors, Problem, Selection, Variables, Vector, each, soft
from screwgraph.time import SimpsonVelocities, simpson_positions

FIGURES = "figures"


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Families of unknowns: q, v, a at each sample; torques `tau` of the motors that are inputs; `figures`, shared."""

    varied: Varied
    inputs: tuple[int, ...]
    count: int

    @property
    def slots(self) -> tuple[int, ...]:
        """Coordinates that the inputs push."""
        mechanism = self.varied.mechanism
        return tuple(mechanism.angle_slots[mechanism.motors[i]] for i in self.inputs)

    def state(self, name: str) -> Variables:
        """Return q, v or a."""
        return Variables(name, Vector(self.varied.mechanism.n), self.count)

    @property
    def tau(self) -> Variables:
        """Torques of the inputs."""
        return Variables("tau", Vector(len(self.inputs)), self.count)

    @property
    def figures(self) -> Variables:
        """Figures over their scale."""
        return Variables(FIGURES, Vector(len(self.varied.names)), 1)

    def tie(self, name: str, template: Any, *own: Variables | Selection, ends: int = 0, **options: Any) -> Factors:
        """Make factors of a template; torques, at so many ends, and figures are added to its unknowns where unknown."""
        parameters = tuple(key for key in options if key != "sigma")
        sizes = tuple((x.variables if isinstance(x, Selection) else x).manifold.dim for x in own)
        figured = depends_on_figures(template, self.varied, sizes, parameters)
        ends = ends if self.inputs else 0
        torques = () if not ends else (self.tau,) if ends == 1 else (self.tau[:-1], self.tau[1:])
        shared = (self.figures,) if figured else ()
        wrapped = Estimated(template, self.varied, self.slots if ends else (), ends, figured)
        return soft(wrapped, *own, *torques, *shared, name=name, **options)


def estimation_graph(
    unknowns: Unknowns, data: Measurements, start: State, noise: ModelNoise, figures: Any = None
) -> Problem:
    """Return the factors of all samples: the model, the sensors, and what is believed beforehand.

    `start` are position and velocity at the beginning; `figures` are others (k,) than the nominal, over their scale.
    """
    q, v, a = (unknowns.state(name) for name in "qva")
    factors = [*_model(unknowns, data, noise), *_sensors(unknowns, data)]
    for x, mean, sigma in ((q, start[0], noise.position), (v, start[1], noise.velocity)):
        factors.append(soft(prior, x[0], mean=mean, sigma=sigma, name=f"f_prior {x.name}"))
    if unknowns.inputs:
        tau = unknowns.tau
        factors.append(soft(prior, tau[0], mean=np.zeros(len(unknowns.inputs)), sigma=noise.torque, name="f_prior tau"))
        sigma = even_or_each(noise.torque_rate * np.sqrt(data.steps))
        factors.append(soft(soft_equality, tau[:-1], tau[1:], sigma=sigma, name="f_eq tau"))
    varied = unknowns.varied
    if varied.names:
        mean = varied.values / varied.scale if figures is None else figures
        factors.append(soft(prior, unknowns.figures, mean=mean, sigma=noise.figures, name="f_prior figures"))
    return Problem(factors, [q, v, a])


def _model(unknowns: Unknowns, data: Measurements, noise: ModelNoise) -> list[Factors]:
    mechanism = unknowns.varied.mechanism
    dt = even_or_each(data.steps)
    q, v, a = (unknowns.state(name) for name in "qva")
    ends = tuple(part for x in (q, v, a) for part in (x[:-1], x[1:]))
    now, between = _pushed(unknowns, data)
    integration = integration_sigma(mechanism, noise)
    return [
        unknowns.tie("f_pc", PositionConstraints(mechanism), q, sigma=noise.constraints),
        unknowns.tie("f_vc", VelocityConstraints(mechanism), q, v, sigma=noise.constraints),
        unknowns.tie("f_dyn", ForwardDynamics(mechanism), q, v, a, ends=1, sigma=noise.dynamics, **now),
        unknowns.tie("f_hs q", simpson_positions, *ends, dt=dt, sigma=integration),
        unknowns.tie(
            "f_hs v",
            SimpsonVelocities(Acceleration(mechanism)),
            *ends,
            ends=2,
            dt=dt,
            sigma=integration,
            **between,
        ),
    ]


def _pushed(unknowns: Unknowns, data: Measurements) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return known forces on all coordinates, at samples and half-way between, where there are any."""
    if not data.torques.any():
        return {}, {}
    mechanism = unknowns.varied.mechanism
    force: Float[np.ndarray, "N n"] = np.zeros((len(data.t), mechanism.n))
    force[:, [mechanism.angle_slots[i] for i in mechanism.motors]] = data.torques
    return {"force": each(force)}, {"force": each((force[:-1] + force[1:]) / 2.0)}


def _sensors(unknowns: Unknowns, data: Measurements) -> list[Factors]:
    found = []
    for sensor, samples in zip(data.sensors, data.samples, strict=True):
        kind = SENSORS[sensor.kind]
        template = kind.template(unknowns.varied.mechanism, sensor)
        own = (unknowns.state(name) for name in kind.of)
        found.append(unknowns.tie(sensor.name, template, *own, measured=each(samples), sigma=sensor.sigma))
    return found
