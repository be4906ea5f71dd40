"""Factors of sensors, and of what begins near an expected value and changes little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.factors import prior
from screwgraph.motion.estimation.initial_guess import Unknowns
from screwgraph.motion.estimation.mechanism_noise import ModelNoise
from screwgraph.motion.estimation.readings.measurements import Measurements, Samples
from screwgraph.motion.estimation.readings.sensors import BiasedReading, PartialReading, Walk, bias_unknown
from screwgraph.motion.estimation.readings.trajectory_tables import merge_equal_values
from screwgraph.optimize import Factors, Variables, each, soft
from screwgraph.optimize.batch import Batch
from screwgraph.optimize.losses import Huber


def random_walk_factors(walk: Walk, data: Measurements) -> list[Factors]:
    """Return the factors of a random walk that begins near zero."""
    x, spread = walk.variables, merge_equal_values(walk.rate * np.sqrt(data.steps))
    return [make_prior(x, np.zeros(x.manifold.dim), walk.sigma), *walk.change_factors(spread)]


def make_sensor_factors(
    unknowns: Unknowns, sensor: Sensor, families: Mapping[str, Variables], samples: Samples, noise: ModelNoise
) -> list[Factors]:
    """Return the factors of a sensor at the instants at which it measured something."""
    template = unknowns.reading(sensor)
    own = [families[name][samples.at] for name in unknowns.families_of(sensor)]
    known, found = dict[str, Any](measured=each(samples.values)), unknowns.contact_factors(sensor, samples, noise)
    options: dict[str, Any] = {"loss": Huber(sensor.huber)} if sensor.huber else {}
    if sensor.bias:
        offset, start = bias_unknown(sensor, unknowns.count), np.zeros(len(sensor.rows))
        template, own = BiasedReading(template), [*own, offset[samples.at] if sensor.walk else offset]
        if not sensor.walk:
            found.append(make_prior(offset, start, sensor.bias))
    if samples.seen is not None:
        template, known = PartialReading(template), {**known, "seen": each(samples.seen)}
    return [
        *found,
        unknowns.make_reading_factors(f"sensor {sensor.name}", template, *own, sigma=sensor.spread, **known, **options),
    ]


def compute_contact_speeds(
    template: Any, sensor: Sensor, states: Sequence[Variables], at: Any, values: Mapping[str, np.ndarray]
) -> tuple[Float[np.ndarray, "k 3"], Float[np.ndarray, "k 3 n"]]:
    """Return velocities of a sensor's foot in its standard deviations, and their derivatives by position and velocity.

    These are what the factors of its contact would be, did it hold at all instants `at`; `template` is that of the
    sensor, `states` the families of positions and velocities.
    """
    own = [x[at] for x in states]
    factors = soft(template, *own, sigma=sensor.spread, measured=np.ones(1), name="speed of a foot")
    views = {x.name: values[x.name] for x in states}
    r, J, _ = factors.kernels.whitened_jacobian(*Batch(factors, ((factors.name, len(factors)),)).inputs(views))
    return r, J


def make_prior(x: Variables, mean: Any, sigma: float) -> Factors:
    """Return a prior on the first of some unknowns."""
    return soft(prior, x[0], mean=mean, sigma=sigma, name=f"prior {x.name}")
