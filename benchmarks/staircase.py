"""A quadruped walks up stairs, data of the `gtsam` package: this package's smoother, and GTSAM's estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.motion.estimation.legged import LeggedSmoother

SENSOR = np.array([0.3, 0.0, 0.15])
"""Where the inertial sensor is in the body (m)."""
FEET = ("FL", "FR", "RL", "RR")
LEVEL = 8.0
"""Until when the robot walks on the ground, whose height is known (s)."""


@dataclass(frozen=True, eq=False)
class Event:
    """Inertial measurements since the event before, with how long each holds (s), and the feet in contact then."""

    readings: list[tuple[np.ndarray, np.ndarray, float]]
    contacts: dict[int, np.ndarray]
    touchdowns: list[int]
    height: float | None


@dataclass(frozen=True, eq=False)
class Walk:
    """Positions (m) after each event, and the seconds of updates and of predictions."""

    positions: Float[np.ndarray, "E 3"]
    updates: Float[np.ndarray, " E"]
    predictions: Float[np.ndarray, " E"]

    @property
    def length(self) -> float:
        """Of the path from event to event (m)."""
        return float(np.linalg.norm(np.diff(self.positions, axis=0), axis=1).sum())


def helpers() -> Any:
    """Return the module of the `gtsam` package that reads the data and has the parameters of its estimators."""
    return import_module("gtsam.examples.LeggedEstimatorExample")


def events() -> Iterator[Event]:
    """Return the first event with all feet in contact, then all behind it."""
    data = helpers().load_legged_csv_dataset()
    imu, all_feet = data["imu_samples"], len(data["foot_names"])
    times = np.array([sample.timestamp_s for sample in imu])
    begun, now = False, 0.0
    for event in data["contact_events"]:
        until, readings = event.timestamp_s, []
        begun = begun or len(event.active_contacts) == all_feet
        if not begun:
            continue
        while now and now < until:
            k = int(np.searchsorted(times, now, side="right"))
            end = min(until, times[k]) if k < len(times) else until
            readings.append((imu[k - 1].omega, imu[k - 1].specific_force, end - now))
            now = end
        now = until
        contacts = {c.foot: c.bodyPoint for c in sorted(event.active_contacts, key=lambda c: c.foot)}
        height = 0.0 if until - times[0] <= LEVEL else None
        yield Event(readings, contacts, [c.foot for c in event.active_contacts if c.touchdown], height)


def theirs(kind: str, count: int | None = None) -> Walk:
    """Walk by an estimator of GTSAM's: "fixed_lag_single_bias", "fixed_lag_combined_bias", "invariant_ekf"."""
    gtsam = import_module("gtsam")
    estimator = helpers().make_legged_estimator(kind, list(FEET))

    def update(event: Event) -> None:
        found = []
        for foot, point in event.contacts.items():
            seen = gtsam.ContactMeasurement()
            seen.foot, seen.bodyPoint, seen.touchdown = foot, point, foot in event.touchdowns
            found.append(seen)
        estimator.turnHeightPriorOff() if event.height is None else estimator.turnHeightPriorOn(event.height)
        estimator.processContacts(found)

    given = list(events())[:count]
    update(given[0])
    return walk(given[1:], estimator.predict, update, lambda: np.array(estimator.estimate().x(0)))


def ours(count: int | None = None, **options: Any) -> Walk:
    """Walk by `LeggedSmoother`, from where GTSAM's estimators begin."""
    smoother = smoother_at_start(**options)

    def update(event: Event) -> None:
        points = {FEET[i]: point for i, point in event.contacts.items()}
        smoother.update(points, touchdowns=[FEET[i] for i in event.touchdowns], height=event.height)

    return walk(list(events())[1:count], smoother.predict, update, lambda: smoother.state[2])


def walk(given: list[Event], predict: Callable, update: Callable, position: Callable) -> Walk:
    """Replay events."""
    positions, updates, predictions = [], [], []
    for event in given:
        began = process_time()
        for gyroscope, accelerometer, dt in event.readings:
            predict(gyroscope, accelerometer, dt)
        between = process_time()
        update(event)
        updates.append(process_time() - between)
        predictions.append(between - began)
        positions.append(position())
    return Walk(np.array(positions), np.array(updates), np.array(predictions))


def start() -> tuple[Any, Float[np.ndarray, "21 21"]]:
    """Return GTSAM's state at the first event, and its covariance: rotation, position, velocity, feet."""
    gtsam, known = import_module("gtsam"), helpers()
    given = known.make_legged_estimator_params(), list(FEET)
    spread = known._initial_covariance(4)
    estimator = gtsam.LeggedInvariantEKF(known._initial_state(), np.zeros((3, 4)), spread, *given)
    first, seen = next(events()), []
    for foot, point in first.contacts.items():
        contact = gtsam.ContactMeasurement()
        contact.foot, contact.bodyPoint = foot, point
        seen.append(contact)
    estimator.turnHeightPriorOn(0.0)
    estimator.processContacts(seen)
    return estimator.estimate(), estimator.covariance()


def at_least(covariance: np.ndarray, variance: float = 1e-6) -> np.ndarray:
    """Return a covariance with no direction of less variance, as GTSAM's smoothers begin."""
    values, directions = np.linalg.eigh(0.5 * (covariance + covariance.T))
    return directions @ np.diag(np.maximum(values, variance)) @ directions.T


def smoother_at_start(**options: Any) -> LeggedSmoother:
    """Return our smoother of feet 0 to 3 with GTSAM's start."""
    state, spread = start()
    R, sensor, turned = state.rotation().matrix(), np.eye(4), np.zeros((9, 9))
    sensor[:3, 3] = SENSOR
    turned[:3, :3], turned[3:6, 6:], turned[6:, 3:6] = np.eye(3), R, R
    feet = {}
    for i, name in enumerate(FEET):
        own = slice(9 + 3 * i, 12 + 3 * i)
        feet[name] = state.x(2 + i), at_least(spread[own, own])
    return LeggedSmoother(
        FEET,
        R=R,
        v=state.x(1),
        p=state.x(0),
        covariance=turned @ at_least(spread[:9, :9]) @ turned.T,
        footholds=feet,
        sensor=sensor,
        **options,
    )
