"""Fixed-lag smoothing of a legged robot's base: inertial measurements, and feet that stand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.motion.estimation.legged.event_window import EventWindow
from screwgraph.motion.estimation.legged.imu import (
    CHANGE,
    SLOPES,
    compile_integration,
    compile_prediction,
    compile_whitening,
    make_preintegration,
)
from screwgraph.motion.estimation.legged.inertial_faults import (
    NEAR,
    doubted_covariance,
    saturated_variance,
    shared_error,
)
from screwgraph.motion.estimation.legged.normal_equations import compile_base_retraction
from screwgraph.motion.estimation.legged.smoother_tables import BIASES, NAVIGATION
from screwgraph.optimize.parameters import validate_array
from screwgraph.optimize.smoothers.unrolled_engine import make_single_call

ITERATIONS = 30
"""How often an update linearises at most."""


@dataclass(frozen=True)
class LeggedNoise:
    """Standard deviations of a legged robot's sensors, SI units."""

    __repr__ = one_line

    gyroscope: float = 8e-4
    """Density of the gyroscope's noise (rad/s/sqrt(Hz))."""
    accelerometer: float = 2e-2
    """Density of the accelerometer's noise (m/s^2/sqrt(Hz))."""
    integration: float = 1e-3
    """Of positions by integration (m/sqrt(s))."""
    bias: float | Sequence[float] = 1e-6
    """Of the biases of gyroscope (rad/s) and accelerometer (m/s^2) from zero: one number, or six."""
    bias_walk: float | Sequence[float] = 0.0
    """Density of the biases' random walks (rad/s/sqrt(s), m/s^2/sqrt(s)): one number, or six; 0: they are constant."""
    contact: float | Sequence[float] = (0.03, 0.03, 0.02)
    """Of a foot in the axes of the inertial sensor (m)."""
    foothold: float = 0.5
    """Of a foothold from where it is expected at touchdown (m)."""
    height: float = 0.02
    """Of the terrain's height, where it is known (m)."""
    huber: float = 0.0
    """Threshold of a robust loss of contacts, in standard deviations; 0: none."""
    slip: float = np.inf
    """A foot that is off by more standard deviations than this has slipped: a new foothold begins.

    Where all standing feet are off alike, inertial readings are doubted instead."""
    gyroscope_range: float = np.inf
    """Largest reading of the gyroscope (rad/s): at it, the sample is hardly known."""
    accelerometer_range: float = np.inf
    """Largest reading of the accelerometer (m/s^2): at it, the sample is hardly known."""


class LeggedSmoother:
    """Estimates rotation, velocity and position of an inertial sensor on a legged robot from it and standing feet.

    Bases at contact events are joined by preintegrated inertial measurements (Forster et al., 2017) with one unknown
    bias, or with biases of each event that walk from one to the next, of which the preintegration knows; each foot
    stands still from touchdown until it leaves. Events that are older than the lag are marginalised;
    what they were tied to keeps its linearisation from then on (Huang, Mourikis & Roumeliotis, 2008).
    """

    def __init__(
        self,
        feet: Sequence[str],
        *,
        R: Any = None,
        v: Any = (0.0, 0.0, 0.0),
        p: Any = (0.0, 0.0, 0.0),
        covariance: Any = 1e-2,
        footholds: Mapping[str, tuple[Any, Any]] | None = None,
        sensor: Any = None,
        noise: LeggedNoise | None = None,
        lag: float = 1.0,
        gravity: Any = (0.0, 0.0, -9.81),
        threshold: float = 1e-3,
    ) -> None:
        """Begin at rest or in motion.

        Args:
            feet: their names.
            R: rotation of the sensor in the world (3, 3); default: that of the world.
            v: velocity in the world (3,) (m/s).
            p: position in the world (3,) (m).
            covariance: of these: a variance, variances (9,), or (9, 9); rotation in the sensor's axes, then velocity
                and position in the world's.
            footholds: feet that stand already: where (3,) (m), and the covariance of that (3, 3) (m^2).
            sensor: pose (4, 4) of the inertial sensor in the base's frame; default: the same.
            noise: of sensors.
            lag: s.
            gravity: in the world (3,) (m/s^2).
            threshold: displacements (rad, m/s, m) up to which linearisations are kept; 0: none is.

        Raises:
            InputError: an array has another shape, or a number is not positive.
        """
        if len(set(feet)) != len(feet) or not feet:
            raise InputError(f"feet = {list(feet)!r}", fix="give each foot a name of its own")
        if not lag > 0.0 or not threshold >= 0.0:
            raise InputError(f"lag = {lag!r}, threshold = {threshold!r}", fix="give a positive lag (s)")
        self.noise, self.lag, self.threshold = noise or LeggedNoise(), float(lag), float(threshold)
        self.feet = tuple(feet)
        R = _array("R", np.eye(3) if R is None else R, (3, 3))
        self._now = np.concatenate([R.ravel(), _array("v", v, (3,)), _array("p", p, (3,))])
        self._sensor = _array("sensor", np.eye(4) if sensor is None else sensor, (4, 4))
        n = self.noise
        contact = 1.0 / np.broadcast_to(_array("noise.contact", n.contact), (3,))
        self._whitening, self._gravity = np.diag(contact), _array("gravity", gravity, (3,))
        root = np.linalg.cholesky(np.linalg.inv(_covariance(covariance))).T
        spread = np.broadcast_to(_array("noise.bias", n.bias), (BIASES,))
        walk = np.broadcast_to(_array("noise.bias_walk", n.bias_walk), (BIASES,))
        if (walk > 0.0).any() and not (walk > 0.0).all():
            raise InputError(f"noise.bias_walk = {walk}", why="some biases walk, others do not", fix="small ones")
        self._is_walking = bool(walk.all())
        robust = bool(n.huber)
        self._machine = EventWindow(
            len(self.feet), self._now, root, spread**-2.0, robust=robust, walking=self._is_walking
        )
        header = self._machine.header
        header["gravity"], header["contact_whitening"] = self._gravity, self._whitening.ravel()
        header["huber"], header["threshold"] = n.huber, max(self.threshold, 1e-10)
        self._touchdown = np.eye(3) * n.foothold**-2.0
        self._variances = np.array([n.gyroscope, n.accelerometer, n.integration, *walk[: 6 * self._is_walking]]) ** 2
        self._stands: list[int | None] = [None] * len(self.feet)
        self._begun, self._bias = make_preintegration(self._is_walking), np.zeros(BIASES)
        self._imu = self._begun.copy()
        self._reading, self._dt = np.zeros(6), np.zeros(1)
        self.time = 0.0
        """Since the beginning (s)."""
        self.slips = 0
        """How often a foot slipped."""
        self.doubted = 0
        """How often inertial readings were doubted, which all standing feet contradicted."""
        self._ranges = np.array([n.gyroscope_range, n.accelerometer_range], dtype=float)
        if not (self._ranges > 0.0).all():
            raise InputError(f"noise: ranges of sensors {self._ranges}", fix="give positive ones (rad/s, m/s^2)")
        self._is_ranged, self._saturated = bool(np.isfinite(self._ranges).any()), [0, 0]
        self._first: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for name, (point, around) in (footholds or {}).items():
            self._check_name(name)
            information = np.linalg.inv(_array(f"covariance of {name}", around, (3, 3)))
            self._first[name] = _array(name, point, (3,)), information

    @property
    def bias(self) -> Float[np.ndarray, "6"]:
        """Biases of gyroscope (rad/s) and accelerometer (m/s^2), at the last event where they walk."""
        return self._bias.copy()

    @property
    def bias_covariance(self) -> Float[np.ndarray, "6 6"]:
        """Their covariance."""
        return self._machine.covariance[NAVIGATION:, NAVIGATION:]

    @property
    def state(self) -> tuple[Float[np.ndarray, "3 3"], Float[np.ndarray, "3"], Float[np.ndarray, "3"]]:
        """Rotation, velocity (m/s) and position (m) of the inertial sensor now: after all that was measured."""
        now = self._predict_change(self._change())
        return now[:9].reshape(3, 3).copy(), now[9:12].copy(), now[12:].copy()

    @property
    def footholds(self) -> dict[str, Float[np.ndarray, "3"]]:
        """Positions of the feet that stand (m)."""
        known = {name: p for name, (p, _) in self._first.items()}
        standing = zip(self.feet, self._stands, strict=True)
        return known | {name: self._machine.stand(s) for name, s in standing if s is not None}

    @property
    def covariance(self) -> Float[np.ndarray, "9 9"]:
        """Covariance of the last event's base: rotation in its own axes, velocity and position in the world's."""
        return self._machine.covariance[:NAVIGATION, :NAVIGATION]

    @property
    def window(self) -> list[tuple[float, np.ndarray, np.ndarray, np.ndarray]]:
        """Time, rotation, velocity and position of each event in the window."""
        found = []
        for k in range(self._machine.first, self._machine.last + 1):
            time, base, d = self._machine.event(k)
            base = make_single_call(compile_base_retraction(self._machine.sizes), base, d)
            found.append((time, base[:9].reshape(3, 3), base[9:12], base[12:15]))
        return found

    def predict(self, gyroscope: Any, accelerometer: Any, dt: float) -> None:
        """Go on by one inertial measurement (rad/s, m/s^2), held for dt (s).

        Raises:
            InputError: dt is not positive.
        """
        if not dt > 0.0:
            raise InputError(f"dt = {dt!r}", fix="give a positive time (s)")
        self._reading[:3] = _vector("gyroscope", gyroscope)
        self._reading[3:] = _vector("accelerometer", accelerometer)
        self._dt[0] = dt
        variances = self._saturated_variances(dt) if self._is_ranged else self._variances
        self._imu = make_single_call(
            compile_integration(self._is_walking), self._imu, self._reading, self._bias, self._dt, variances
        )
        self.time += dt

    def update(
        self, contacts: Mapping[str, Any], *, touchdowns: Collection[str] = (), height: float | None = None
    ) -> None:
        """Take the feet that are in contact now.

        Args:
            contacts: by foot where it is in the frame of the base (m), by forward kinematics.
            touchdowns: feet that were set down anew, even if they stood at the event before.
            height: of the terrain (m), if it is known.

        Raises:
            InputError: a foot is unknown.
            ScrewgraphError: the motion is not determined.
        """
        for name in (*contacts, *touchdowns):
            self._check_name(name)
        machine, names = self._machine, list(contacts)
        change = self._change()
        now = self._predict_change(change)
        R, p = now[:9].reshape(3, 3), now[12:]
        points = np.array([_vector(name, contacts[name]) for name in names]).reshape(-1, 3)
        points = (points - self._sensor[:3, 3]) @ self._sensor[:3, :3]
        slipped = self._find_slipped(R, p, names, points, touchdowns) if np.isfinite(self.noise.slip) else ()
        for i, name in enumerate(self.feet):
            stand = self._stands[i]
            if stand is not None and (name in slipped or name not in contacts or name in touchdowns):
                machine.leave(stand)
                self._stands[i] = None
        first, self._first = self._first, {}
        if not contacts:
            return
        if self._imu[0]:
            machine.add_event(self.time, now)
            n = NAVIGATION + BIASES * self._is_walking
            machine.lead(change, make_single_call(compile_whitening(n), self._imu[CHANGE + SLOPES :].reshape(n, n)))
        standing = []
        for name, point in zip(names, points, strict=True):
            i = self.feet.index(name)
            stand = self._stands[i]
            if stand is None:
                start = None if name in touchdowns else first.get(name)
                where = start or (R @ point + p, self._touchdown)
                stand = self._stands[i] = machine.add_stand(*where)
            standing.append(stand)
        machine.see(standing, points, height or 0.0, 0.0 if height is None else self.noise.height**-2.0)
        machine.estimate(self.time - self.lag, ITERATIONS)
        self._now, self._bias, self._imu = machine.now, machine.bias, self._begun.copy()

    def _check_name(self, name: str) -> None:
        if name not in self.feet:
            raise InputError(f"there is no foot {name!r}", fix=f"feet are {', '.join(self.feet)}")

    def _predict_change(self, change: Float[np.ndarray, "67"]) -> Float[np.ndarray, "15"]:
        if not self._imu[0]:
            return self._now
        R, v, p = self._now[:9].reshape(3, 3), self._now[9:12], self._now[12:]
        return make_single_call(compile_prediction(), R, v, p, self._bias, change, self._gravity)

    def _change(self) -> Float[np.ndarray, "67"]:
        return np.concatenate([self._imu[: CHANGE + SLOPES], self._bias])

    def _find_slipped(
        self, R: np.ndarray, p: np.ndarray, names: list[str], points: np.ndarray, touchdowns: Collection[str]
    ) -> Collection[str]:
        """Return the feet that slipped; where the base is off instead, let its way be less certain."""
        stands = [self._stands[self.feet.index(name)] for name in names]
        held = {k: s for k, s in enumerate(stands) if s is not None and names[k] not in touchdowns}
        if not held:
            return ()
        seen = list(held)
        points, limit = points[seen], self.noise.slip
        errors = (self._machine.stand(list(held.values())) - p) @ R - points
        white = errors @ self._whitening
        off = np.sqrt((white * white).sum(axis=1))
        if off.max() * len(seen) ** 0.5 <= limit:
            return ()
        motion = shared_error(errors, points, 1.0 / np.diag(self._whitening), limit)
        if motion is not None and self._imu[0]:
            n = NAVIGATION + BIASES * self._is_walking
            covariance = self._imu[CHANGE + SLOPES :].reshape(n, n)
            covariance[range(NAVIGATION), range(NAVIGATION)] += doubted_covariance(motion, self._imu[0])
            self._machine.loosen(motion)
            self.doubted += 1
            return ()
        slipped = [names[k] for k, size in zip(seen, off.tolist(), strict=True) if size > limit]
        self.slips += len(slipped)
        return slipped

    def _saturated_variances(self, dt: float) -> Float[np.ndarray, " n"]:
        """Return spectral densities for a reading, of which saturated parts are hardly known."""
        variances = self._variances
        for i, part in enumerate((self._reading[:3], self._reading[3:])):
            is_saturated = bool((np.abs(part) >= NEAR * self._ranges[i]).any())
            self._saturated[i] = self._saturated[i] + 1 if is_saturated else 0
            if is_saturated:
                variances = variances.copy()
                variances[i] = saturated_variance(self._ranges[i], self._saturated[i], dt)
        return variances


def _vector(name: str, given: Any) -> Float[np.ndarray, "3"]:
    if type(given) is np.ndarray and given.dtype == np.float64 and given.shape == (3,):
        return given
    return _array(name, given, (3,))


def _array(name: str, given: Any, shape: tuple[int, ...] | None = None) -> np.ndarray:
    found = validate_array(name, given).astype(float)
    if shape is not None and found.shape != shape:
        raise InputError(f"{name} has the shape {found.shape}, expected {shape}")
    return np.ascontiguousarray(found)


def _covariance(given: Any) -> Float[np.ndarray, "9 9"]:
    found = _array("covariance", given)
    if found.shape in ((), (1,), (NAVIGATION,)):
        found = np.diag(np.broadcast_to(found, (NAVIGATION,)))
    if found.shape != (NAVIGATION, NAVIGATION):
        raise InputError(f"covariance has the shape {found.shape}, expected (9, 9)")
    if not np.allclose(found, found.T) or not np.linalg.eigvalsh(found)[0] > 0.0:
        raise InputError("covariance is not one", why="it is not symmetric and positive definite")
    return found
