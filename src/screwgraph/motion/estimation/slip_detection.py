"""Feet that slip: contacts that were reported, though the rest of the measurements says that the foot moves.

In a loop of fixed rate contacts are judged when they are read, and exactly only where suspicious (`SlipTest`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.initial_guess import Unknowns
from screwgraph.motion.estimation.readings.measurements import Measurements, Samples
from screwgraph.motion.estimation.result import Slip
from screwgraph.motion.estimation.sensor_factors import compute_contact_speeds
from screwgraph.optimize import FixedLag, Result, soft
from screwgraph.optimize.batch import Batch

TURNS = 12
"""How often an estimate is searched for with other contacts, at most."""
LAST_RETURNS = 6
"""Up to this turn a contact that was judged slipping may become one that holds again: so turns end."""
UNTESTABLE = 1e-6
"""Share of a contact's variance that residuals keep, below which nothing but the contact says how the foot moves."""
Slipping = Mapping[str, Bool[np.ndarray, " k"]]
"""By sensor of contact, which of its samples were judged slipping."""
SUSPICIOUS = 0.8
"""Part of its threshold from which on a foot is tested again, by the covariance where the estimate is now."""


@dataclass(frozen=True, eq=False)
class SlipScore:
    """Of a sensor of contact, for each of its samples: speed (m/s), and distance from rest in standard deviations.

    The distance is that of the velocity which all other measurements tell, by the covariance of what they tell and of
    the contact together (Mahalanobis); zero where no contact was reported, or nothing else tells of the foot.
    """

    speed: Float[np.ndarray, " k"]
    deviations: Float[np.ndarray, " k"]


def can_slip(sensors: tuple[Sensor, ...]) -> bool:
    """Return whether some contacts may slip."""
    return any(s.slip for s in sensors)


def drop_slipping(data: Measurements, slipping: Slipping) -> Measurements:
    """Return measurements that say nothing of the velocities of feet that slip; their forces stay unknown."""
    found = list[Samples]()
    for sensor, samples in zip(data.sensors, data.samples, strict=True):
        if sensor.slip:
            holds = 1.0 - _find_slipping(slipping, sensor, samples)
            samples = replace(samples, seen=np.repeat(holds[:, None], len(samples.rows), axis=1))
        found.append(samples)
    return replace(data, samples=tuple(found))


def search_without_slips(
    unknowns: Unknowns,
    data: Measurements,
    slipping: Slipping,
    search: Callable[[Measurements, Mapping[str, np.ndarray]], tuple[Result, Mapping[str, np.ndarray]]],
    values: Mapping[str, np.ndarray],
) -> tuple[Result, Mapping[str, np.ndarray], Slipping]:
    """Search with the contacts that hold, until what is judged slipping stays; return which that is, too.

    A turn adds at each instant only the foot that is furthest from rest, as one that slips pulls the others with it.
    """
    for turn in range(TURNS):
        regarded = drop_slipping(data, slipping)
        result, values = search(regarded, values)
        if not result.success or turn == TURNS - 1:
            break
        now = _next(regarded, _judge_feet(unknowns, regarded, result), turn)
        pairs = zip(regarded.sensors, regarded.samples, strict=True)
        if all((now[s.name] == _slipping(samples)).all() for s, samples in pairs if s.name in now):
            break
        slipping = now
    return result, values, slipping


def find_slips(unknowns: Unknowns, data: Measurements, result: Result) -> tuple[Slip, ...]:
    """Return the intervals in which feet slip, of measurements without these; in the order of time."""
    found = list[Slip]()
    for name, judged in _judge_feet(unknowns, data, result).items():
        ((sensor, samples),) = [x for x in zip(data.sensors, data.samples, strict=True) if x[0].name == name]
        k = np.flatnonzero(_slipping(samples))
        for run in np.split(k, np.flatnonzero(np.diff(k) > 1) + 1):
            if len(run):
                t = data.t[samples.at[run]]
                sizes = float(judged.speed[run].max()), float(judged.deviations[run].max())
                found.append(Slip(sensor.target, float(t[0]), float(t[-1]), *sizes))
    return tuple(sorted(found, key=lambda slip: (slip.start, slip.frame)))


def _find_slipping(slipping: Slipping, sensor: Sensor, samples: Samples) -> Bool[np.ndarray, " k"]:
    """Return which samples slip; those that were not judged yet do not."""
    found, judged = np.zeros(len(samples.at), dtype=bool), slipping.get(sensor.name, np.zeros(0, dtype=bool))
    found[: len(judged)] = judged[: len(found)]
    return found


def _slipping(samples: Samples) -> Bool[np.ndarray, " k"]:
    return np.zeros(len(samples.at), dtype=bool) if samples.seen is None else samples.seen[:, 0] == 0.0


def _next(data: Measurements, judged: Mapping[str, SlipScore], turn: int) -> dict[str, Bool[np.ndarray, " k"]]:
    """Return what slips as the last search tells."""
    furthest, found = np.zeros(len(data.t)), dict[str, Bool[np.ndarray, " k"]]()
    pairs = [(s, samples) for s, samples in zip(data.sensors, data.samples, strict=True) if s.name in judged]
    for sensor, samples in pairs:
        holds = ~_slipping(samples)
        np.maximum.at(furthest, samples.at[holds], judged[sensor.name].deviations[holds])
    for sensor, samples in pairs:
        size, before = judged[sensor.name].deviations, _slipping(samples)
        stays = before & ((size > sensor.slip) | (turn >= LAST_RETURNS))
        found[sensor.name] = stays | (~before & (size > sensor.slip) & (size >= furthest[samples.at]))
    return found


def _judge_feet(unknowns: Unknowns, data: Measurements, result: Result) -> dict[str, SlipScore]:
    """Return how far feet are from rest, each told by all but its own contact at that instant."""
    joint, found = result.covariances(*unknowns.states()[:2]), dict[str, SlipScore]()
    for sensor, samples in zip(data.sensors, data.samples, strict=True):
        if not sensor.slip or not len(samples.at):
            continue
        r, J = compute_contact_speeds(
            unknowns.reading(sensor), sensor, unknowns.states()[:2], samples.at, result.values
        )
        weight = np.where(_slipping(samples), 0.0, loss_weights(sensor, r))
        away = deletion_residuals(r, J @ joint[samples.at] @ J.transpose(0, 2, 1), weight)
        told = samples.values[:, 0] > 0.0
        speed = np.linalg.norm(r * np.array(sensor.sigma), axis=1)
        found[sensor.name] = SlipScore(np.where(told, speed, 0.0), np.where(told, away, 0.0))
    return found


def loss_weights(sensor: Sensor, r: Float[np.ndarray, "k 3"]) -> Float[np.ndarray, " k"]:
    """Return the weights of residuals, in standard deviations, by the sensor's robust loss."""
    size = np.linalg.norm(r, axis=1)
    return np.minimum(1.0, sensor.huber / np.maximum(size, sensor.huber)) if sensor.huber else np.ones(len(r))


def deletion_residuals(
    r: Float[np.ndarray, "k m"], A: Float[np.ndarray, "k m m"], weight: Float[np.ndarray, " k"]
) -> Float[np.ndarray, " k"]:
    """Return normalised sizes of residuals, were their own measurements left out. Baarda (1968), multivariate.

    Args:
        r: residuals in standard deviations.
        A: the covariance of what the estimate says of these, in the same unit.
        weight: with which each measurement took part in the estimate, 0 to 1.
    """
    kept = np.eye(r.shape[1]) - weight[:, None, None] * A
    testable = np.linalg.eigvalsh(0.5 * (kept + kept.transpose(0, 2, 1))).min(axis=1) > UNTESTABLE
    kept[~testable] = np.eye(r.shape[1])
    inverse = np.linalg.inv(kept)
    away = (inverse @ r[:, :, None])[:, :, 0]
    spread = np.eye(r.shape[1]) + A @ inverse
    squares = np.einsum("ki,ki->k", away, np.linalg.solve(spread, away[:, :, None])[:, :, 0])
    return np.where(testable, np.sqrt(np.maximum(squares, 0.0)), 0.0)


@dataclass(frozen=True, eq=False)
class SlipTest:
    """Tests of some contacts at the last instant of a window of a motion."""

    unknowns: Unknowns
    contacts: Sequence[Sensor]

    def weights(self, lag: FixedLag) -> Float[np.ndarray, " m"]:
        """Return the weights of all contacts where the estimate is now, by robust losses."""
        return self._weights(self._speeds(lag.values)[0]) if self.contacts else np.zeros(0)

    def suspicious(self, lag: FixedLag, weights: Float[np.ndarray, " m"], places: Sequence[int]) -> bool:
        """Return whether some of the contacts may be beyond their thresholds.

        The covariance is that of the Gauss-Newton step that was taken last, with `weights` of contacts as it had them,
        brought to those of now: (A^-1 + W' - W)^-1. No factor of the window is evaluated for it.
        """
        r, J = self._speeds(lag.values)
        A, now = lag.spread(J.reshape(-1, J.shape[-1])), self._weights(r)
        more = np.repeat(np.where(self._are_in(places), now - weights, 0.0), 3)
        A = np.linalg.solve(np.eye(len(A)) + A * more, A)
        return bool(self._beyond(r, A, now, places).max() > SUSPICIOUS)

    def deviations(self, lag: FixedLag, places: Sequence[int]) -> Float[np.ndarray, " k"]:
        """Return how far feet are from rest now, in their thresholds; `places` are those of contacts."""
        r, J = self._speeds(lag.values)
        flat, n = J.reshape(-1, J.shape[-1]), J.shape[-1]
        return self._beyond(r, flat @ lag.covariance()[:n, :n] @ flat.T, self._weights(r), places)

    def _beyond(
        self,
        r: Float[np.ndarray, "m 3"],
        A: Float[np.ndarray, "n n"],
        weights: Float[np.ndarray, " m"],
        places: Sequence[int],
    ) -> Float[np.ndarray, " k"]:
        own, chosen = np.array([A[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] for i in places]), list(places)
        return deletion_residuals(r[chosen], own, weights[chosen]) / self._slip[chosen]

    def _are_in(self, places: Sequence[int]) -> Bool[np.ndarray, " m"]:
        found = np.zeros(len(self.contacts), dtype=bool)
        found[list(places)] = True
        return found

    @cached_property
    def _slip(self) -> Float[np.ndarray, " m"]:
        return np.array([s.slip for s in self.contacts])

    @cached_property
    def _huber(self) -> Float[np.ndarray, " m"]:
        return np.array([s.huber or np.inf for s in self.contacts])

    def _weights(self, r: Float[np.ndarray, "m 3"]) -> Float[np.ndarray, " m"]:
        size = np.linalg.norm(r, axis=1)
        return np.minimum(1.0, self._huber / np.maximum(size, 1e-300))

    def _speeds(self, values: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return velocities of the feet in their standard deviations (m, 3), derivatives by q and qd (m, 3, 2 nv)."""
        batch = self._batch
        r, J, _ = batch.factors.kernels.whitened_jacobian(*batch.inputs(dict(values)))
        return r.reshape(-1, 3), J.reshape(len(self.contacts), 3, -1)

    @cached_property
    def _batch(self) -> Batch:
        sigma = np.concatenate([np.broadcast_to(s.sigma, (3,)) for s in self.contacts])
        template = self.unknowns.reading(*self.contacts)
        states = [x[self.unknowns.count - 1] for x in self.unknowns.states()[:2]]
        factors = soft(template, *states, measured=np.ones(len(self.contacts)), sigma=sigma, name="speeds of feet")
        return Batch(factors, ((factors.name, 1),))
