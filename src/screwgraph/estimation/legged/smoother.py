"""Fixed-lag smoothing of a legged robot's base: inertial measurements, and feet that stand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.estimation.legged.chain import BIAS, OWN, newest, packed, unpacked
from screwgraph.estimation.legged.imu import CHANGE, SLOPES, begun, integration, prediction, whitening
from screwgraph.estimation.legged.origin import Origin
from screwgraph.estimation.legged.steps import Base, Foothold, Law, Lift, Move, See, Step, Touch
from screwgraph.optimize.parameters import real_array
from screwgraph.optimize.smoothers.straight import called


@dataclass(frozen=True)
class LeggedNoise:
    """Standard deviations of a legged robot's sensors, SI units."""

    gyroscope: float = 8e-4
    """Density of the gyroscope's noise (rad/s/sqrt(Hz))."""
    accelerometer: float = 2e-2
    """Density of the accelerometer's noise (m/s^2/sqrt(Hz))."""
    integration: float = 1e-3
    """Of positions by integration (m/sqrt(s))."""
    bias: float | Sequence[float] = 1e-6
    """Of the biases of gyroscope (rad/s) and accelerometer (m/s^2) from zero: one number, or six."""
    contact: float | Sequence[float] = (0.03, 0.03, 0.02)
    """Of a foot in the axes of the inertial sensor (m)."""
    foothold: float = 0.5
    """Of a foothold from where it is expected at touchdown (m)."""
    height: float = 0.02
    """Of the terrain's height, where it is known (m)."""
    huber: float = 0.0
    """Threshold of a robust loss of contacts, in standard deviations; 0: none."""
    slip: float = np.inf
    """A foot that is off by more standard deviations than this has slipped: a new foothold begins."""


class LeggedSmoother:
    """Estimates rotation, velocity and position of an inertial sensor on a legged robot from it and standing feet.

    Bases at contact events are joined by preintegrated inertial measurements (Forster et al., 2017) with one unknown
    bias; each foot stands still from touchdown until it leaves. Events that are older than the lag are marginalised.
    What each step of the chain contributes is eliminated once, and again where its estimate has moved.
    """

    def __init__(
        self,
        feet: Sequence[str],
        *,
        R: Any = None,
        v: Any = (0.0, 0.0, 0.0),
        p: Any = (0.0, 0.0, 0.0),
        covariance: Any = 1e-2,
        sensor: Any = None,
        noise: LeggedNoise | None = None,
        lag: float = 1.0,
        gravity: Any = (0.0, 0.0, -9.81),
        threshold: float = 1e-3,
    ) -> None:
        """Begin at rest or in motion, with all feet in the air.

        Args:
            feet: their names.
            R: rotation of the sensor in the world (3, 3); default: that of the world.
            v: velocity in the world (3,) (m/s).
            p: position in the world (3,) (m).
            covariance: of these: a variance, variances (9,), or (9, 9); rotation in the sensor's axes, then velocity
                and position in the world's.
            sensor: pose (4, 4) of the inertial sensor in the base's frame; default: the same.
            noise: of sensors.
            lag: s.
            gravity: in the world (3,) (m/s^2).
            threshold: displacements (rad, m/s, m) up to which linearisations are kept; 0: of every step anew.

        Raises:
            InputError: an array has another shape, or a number is not positive.
        """
        if len(set(feet)) != len(feet) or not feet:
            raise InputError(f"feet = {list(feet)!r}", fix="give each foot a name of its own")
        if not lag > 0.0 or not threshold >= 0.0:
            raise InputError(f"lag = {lag!r}, threshold = {threshold!r}", fix="give a positive lag (s)")
        self.noise, self.lag, self.threshold = noise or LeggedNoise(), float(lag), float(threshold)
        self.feet = tuple(feet)
        base = Base(0.0, _array("R", np.eye(3) if R is None else R, (3, 3)), _array("v", v, (3,)), _array("p", p, (3,)))
        self._sensor = _array("sensor", np.eye(4) if sensor is None else sensor, (4, 4))
        n = self.noise
        contact = 1.0 / np.broadcast_to(_array("noise.contact", n.contact), (3,))
        self._law = Law(len(self.feet), n.huber, _array("gravity", gravity, (3,)), np.diag(contact), 1.0 / n.height)
        size = self._law.size
        information = np.zeros((size, size))
        information[:OWN, :OWN] = np.linalg.inv(_covariance(covariance))
        spread = np.broadcast_to(_array("noise.bias", n.bias), (BIAS,))
        information[range(OWN, OWN + BIAS), range(OWN, OWN + BIAS)] = spread**-2.0
        start = packed(information, np.zeros(size))
        self._variances = np.array([n.gyroscope, n.accelerometer, n.integration]) ** 2
        self._bases = [base]
        self._stands: list[Foothold | None] = [None] * len(self.feet)
        self._held: list[Foothold] = []
        self._bias, self._bias_moved, self._bias_largest = np.zeros(BIAS), np.zeros(BIAS), 0.0
        self._steps: list[Step] = []
        self._carries: list[np.ndarray] = [start]
        self._gains: list[np.ndarray | None] = []
        self._origin = Origin.of(start, base, self._bias, [])
        self._now, self._imu, self.time, self.slips = base.at(), begun(), 0.0, 0

    @property
    def bias(self) -> Float[np.ndarray, "6"]:
        """Biases of gyroscope (rad/s) and accelerometer (m/s^2)."""
        return self._bias + self._bias_moved

    @property
    def state(self) -> tuple[Float[np.ndarray, "3 3"], Float[np.ndarray, "3"], Float[np.ndarray, "3"]]:
        """Rotation, velocity (m/s), position (m) now: the last event's, led on by inertial measurements."""
        now = self._now
        if not self._imu[0]:
            return now.R, now.v, now.p
        found = called(prediction(), now.R, now.v, now.p, self.bias, self._change(), self._law.gravity)
        return found[:9].reshape(3, 3), found[9:12], found[12:]

    @property
    def footholds(self) -> dict[str, Float[np.ndarray, "3"]]:
        """Where the feet stand that do (m)."""
        return {name: s.p + s.moved for name, s in zip(self.feet, self._stands, strict=True) if s is not None}

    @property
    def covariance(self) -> Float[np.ndarray, "9 9"]:
        """Covariance of the last event's base: rotation in its own axes, velocity and position in the world's."""
        H, _ = unpacked(self._carries[-1], self._law.size)
        known = np.diag(H) > 0.0
        return np.linalg.inv(H[np.ix_(known, known)])[:OWN, :OWN]

    @property
    def window(self) -> list[tuple[float, np.ndarray, np.ndarray, np.ndarray]]:
        """Time, rotation, velocity and position of each event in the window."""
        return [(b.time, b.R, b.v, b.p) for b in (base.at() for base in self._bases)]

    def predict(self, gyroscope: Any, accelerometer: Any, dt: float) -> None:
        """Go on by one inertial measurement (rad/s, m/s^2), held for dt (s).

        Raises:
            InputError: dt is not positive.
        """
        if not dt > 0.0:
            raise InputError(f"dt = {dt!r}", fix="give a positive time (s)")
        reading = np.concatenate([_array("gyroscope", gyroscope, (3,)), _array("accelerometer", accelerometer, (3,))])
        self._imu = called(integration(), self._imu, reading, self.bias, np.array([dt]), self._variances)
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
        """
        unknown = {*contacts, *touchdowns} - set(self.feet)
        if unknown:
            raise InputError(f"there is no foot {sorted(unknown)[0]!r}", fix=f"feet are {', '.join(self.feet)}")
        points = np.zeros((len(self.feet), 3))
        for name, point in contacts.items():
            shifted = _array(name, point, (3,)) - self._sensor[:3, 3]
            points[self.feet.index(name)] = self._sensor[:3, :3].T @ shifted
        now, base, first = self.state, self._bases[-1], len(self._steps)
        if self._imu[0] and contacts:
            base = Base(self.time, now[0], now[1], now[2])
        for i, name in enumerate(self.feet):
            stand = self._stands[i]
            gone = stand is not None and (name not in contacts or name in touchdowns)
            if stand is not None and not gone and self._slipped(now, stand, points[i]):
                self.slips, gone = self.slips + 1, True
            if stand is not None and gone:
                self._steps.append(Lift(stand))
                self._stands[i] = None
        if contacts:
            self._add_event(base, contacts, points, height, now)
            self._solve(first)
            self._drop()

    def _slipped(self, now: tuple, stand: Foothold, point: np.ndarray) -> bool:
        r = self._law.whitening @ (now[0].T @ (stand.p + stand.moved - now[2]) - point)
        return bool(r @ r > self.noise.slip**2)

    def _add_event(self, base: Base, contacts: Mapping[str, Any], points: np.ndarray, height: float | None, now: tuple):
        if base is not self._bases[-1]:
            change, covariance = self._change(), self._imu[CHANGE + SLOPES :].reshape(9, 9)
            white = called(whitening(), covariance).reshape(9, 9)
            self._steps.append(Move(self._bases[-1], base, change, white))
            self._bases.append(base)
            self._imu = begun()
        information = self.noise.foothold**-2.0
        for i, name in enumerate(self.feet):
            if name in contacts and self._stands[i] is None:
                p = now[0] @ points[i] + now[2]
                stand = self._stands[i] = Foothold(i, p, p, information)
                self._steps.append(Touch(stand))
        seen = tuple(s if name in contacts else None for name, s in zip(self.feet, self._stands, strict=True))
        self._steps.append(See(base, seen, points, height))

    def _change(self) -> np.ndarray:
        return np.concatenate([self._imu[: CHANGE + SLOPES], self.bias])

    def _solve(self, first: int) -> None:
        """Eliminate the steps from `first` on, and again those whose estimates moved beyond the threshold."""
        for _ in range(10):
            self._eliminate(first)
            self._substitute()
            again = self._moved()
            if again is None:
                break
            first = self._settle(again)
        self._now = self._bases[-1].at()

    def _eliminate(self, first: int) -> None:
        del self._carries[first + 1 :], self._gains[first:]
        carry = self._carries[first]
        for step in self._steps[first:]:
            carry, gains = step.forward(self._law, carry, self._bias)
            self._carries.append(carry)
            self._gains.append(gains)

    def _substitute(self) -> None:
        standing = np.array([float(s is not None) for s in self._stands])
        d = called(newest(len(self.feet)), self._carries[-1], standing)
        size = np.abs(d)
        last = self._bases[-1]
        last.moved, last.largest = d[:OWN], float(size[:OWN].max())
        self._bias_moved, self._bias_largest = d[OWN : OWN + BIAS], float(size[OWN : OWN + BIAS].max())
        for stand in self._stands:
            if stand is not None:
                k = OWN + BIAS + 3 * stand.foot
                stand.moved, stand.largest = d[k : k + 3], float(size[k : k + 3].max())
        for step, gains in zip(reversed(self._steps), reversed(self._gains), strict=True):
            d = step.back(self._law, gains, d)
        for stand in self._held:
            k = OWN + BIAS + 3 * stand.foot
            stand.moved = d[k : k + 3]

    def _moved(self) -> int | None:
        """Return the first step to linearise anew: 0 if it is the start."""
        limit = max(self.threshold, 1e-10)
        if any(x.largest > limit for x in (self._bases[0], *self._held)):
            return 0
        if self._bias_largest > limit:
            return 0
        for k, step in enumerate(self._steps):
            made = step.after if isinstance(step, Move) else step.stand if isinstance(step, Touch) else None
            if made is not None and made.largest > limit:
                return k
        return None

    def _settle(self, first: int) -> int:
        """Linearise anew what begins at a step or later; where it is the first step, the start, too."""
        made = [s.after if isinstance(s, Move) else s.stand for s in self._steps[first:] if isinstance(s, Move | Touch)]
        if first == 0:
            self._bias, self._bias_moved = self.bias, np.zeros(BIAS)
            made += [self._bases[0], *self._held]
        for item in made:
            item.settle()
        if first == 0:
            self._carries[0] = self._origin.about(self._bases[0], self._bias, self._held)
        return first

    def _drop(self) -> None:
        """Let the events go that are older than the lag: what was eliminated of them stays as it is."""
        while len(self._bases) > 1 and self._bases[0].time < self.time - self.lag:
            k = next(i for i, step in enumerate(self._steps) if isinstance(step, Move)) + 1
            gone = self._steps[:k]
            lifted = {id(s.stand) for s in gone if isinstance(s, Lift)}
            touched = [s.stand for s in gone if isinstance(s, Touch)]
            self._held = [s for s in (*self._held, *touched) if id(s) not in lifted]
            del self._steps[:k], self._carries[:k], self._gains[:k], self._bases[0]
            self._origin = Origin.of(self._carries[0], self._bases[0], self._bias, self._held)


def _array(name: str, given: Any, shape: tuple[int, ...] | None = None) -> np.ndarray:
    found = real_array(name, given).astype(float)
    if shape is not None and found.shape != shape:
        raise InputError(f"{name} has the shape {found.shape}, expected {shape}")
    return np.ascontiguousarray(found)


def _covariance(given: Any) -> Float[np.ndarray, "9 9"]:
    found = _array("covariance", given)
    if found.shape in ((), (1,), (OWN,)):
        found = np.diag(np.broadcast_to(found, (OWN,)))
    if found.shape != (OWN, OWN):
        raise InputError(f"covariance has the shape {found.shape}, expected (9, 9)")
    if not np.allclose(found, found.T) or not np.linalg.eigvalsh(found)[0] > 0.0:
        raise InputError("covariance is not one", why="it is not symmetric and positive definite")
    return found
