"""Fixed-lag estimates of a robot in a loop of fixed rate: all joints, forces of contacts, biases of sensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.estimation.factors import soft_equality
from screwgraph.estimation.motion import Motion, Sigmas, effective_inertias, mechanics_of
from screwgraph.estimation.noise import ModelNoise
from screwgraph.estimation.partial_reading import PartialReading
from screwgraph.estimation.readings import JointReading, Offset, ReleasedUnless
from screwgraph.estimation.sensors import SENSORS, Sensor, channels, pushed_by, sensors_of
from screwgraph.optimize import Factors, FixedLag, Problem, Variables, Vector, each, soft
from screwgraph.optimize.losses import Huber
from screwgraph.robot import Robot, unknown
from screwgraph.simulation import dynamics_of
from screwgraph.time import TRAPEZOIDAL

BROAD = 1e4
"""Standard deviation of accelerations (rad/s^2, m/s^2) and of multipliers of loops before anything is measured."""


RELEASED = "no force"
"""Factors of contacts that are none."""
Known = Mapping[str, Mapping[str, np.ndarray]]
"""What one update brings: by factors their own parameters."""


class RobotSmoother:
    """Estimates positions, velocities, accelerations and forces of contacts of a robot, update by update.

    The factors are those of `sg.estimate`, at instants `dt` apart, with trapezoidal integration; a window of the last
    `window` of them is kept, what is older is marginalised. An update takes one Gauss-Newton step, so that a state
    converges over the updates that it is in the window.
    """

    def __init__(
        self,
        robot: Robot,
        sensors: Sequence[Mapping[str, Any]],
        dt: float,
        *,
        window: int = 4,
        q0: Any = None,
        qd0: Any = None,
        noise: ModelNoise | None = None,
    ) -> None:
        """Begin before the first update.

        Args:
            robot: tree, floating or closed chain.
            sensors: as for `sg.estimate`; none has a delay.
            dt: time between updates (s).
            window: instants that are estimated together.
            q0: position at the first update, roughly (nq,).
            qd0: velocity at the first update, roughly (nv,).
            noise: standard deviations of the model and of the beginning.

        Raises:
            InputError: a bad argument.
        """
        if not dt > 0.0 or isinstance(window, bool) or not isinstance(window, int) or window < 2:
            raise InputError(
                f"dt = {dt!r}, window = {window!r}", fix="give a positive time (s), and 2 or more instants"
            )
        self.robot, self.dt, self.noise = robot, float(dt), noise or ModelNoise()
        mechanics = mechanics_of(robot)
        self.sensors = sensors_of(mechanics, sensors)
        late = [s.name for s in self.sensors if s.delay or s.kind == "joint_torque"]
        if late:
            raise InputError(f"sensor {late[0]!r} has a delay, or is one of torques", fix="leave it out")
        self._motion = Motion(mechanics, window, TRAPEZOIDAL, is_window=True, pushed=pushed_by(self.sensors))
        self._channels = {s.name: channels(s) for s in self.sensors}
        self._columns = {c: s.name for s in self.sensors for c in self._channels[s.name].columns}
        self._contacts = [s for s in self.sensors if s.kind == "contact"]
        self._groups = _grouped(self.sensors)
        self._start = dynamics_of(robot).start(q0, qd0)
        self._lag: FixedLag | None = None
        self._waiting: list[Known] = []
        self.count = 0
        """Updates so far."""

    @property
    def t(self) -> float:
        """Time since the first update (s)."""
        return max(self.count - 1, 0) * self.dt

    @property
    def q(self) -> Float[np.ndarray, " nq"]:
        """Position now."""
        return self._start[0].copy() if self._lag is None else self._lag.values["q"][-1]

    @property
    def qd(self) -> Float[np.ndarray, " nv"]:
        """Velocity now."""
        return self._start[1].copy() if self._lag is None else self._lag.values["qd"][-1]

    @property
    def forces(self) -> dict[str, Float[np.ndarray, "3"]]:
        """Forces of contacts now by frame (N), in the base's axes; none before the window is full."""
        if self._lag is None or not self._motion.pushed:
            return {}
        found = self._lag.values["forces"][-1].reshape(-1, 3)
        return dict(zip(self._motion.pushed, found, strict=True))

    @property
    def offsets(self) -> dict[str, Float[np.ndarray, " m"]]:
        """What sensors with a bias are off by; none before the window is full."""
        return {} if self._lag is None else {s.name: self._lag.values[_offset(s).name][0] for s in self._biased}

    def sigma(self) -> dict[str, Float[np.ndarray, " n"]]:
        """Return standard deviations now by family: q (in velocity coordinates), qd, qdd, forces, offsets.

        Raises:
            InputError: the window is not full yet, or something is not determined.
        """
        if self._lag is None:
            raise InputError("nothing is estimated yet", why=f"the window has {self._motion.count} instants")
        return {name: np.sqrt(np.diagonal(c[-1])) for name, c in self._lag.covariances().items()}

    def update(self, readings: Mapping[str, float], tau: Any = None) -> None:
        """Take what was read now, and estimate.

        Args:
            readings: by column, named as for `sg.estimate`; what is NaN or left out was not measured.
            tau: torques and forces of all coordinates (nv,), by default none.

        Raises:
            InputError: no such column, or torques of another shape.
        """
        for name in readings:
            if name not in self._columns:
                raise unknown("column of measurements", name, tuple(self._columns))
        torques = np.zeros(self.robot.nv) if tau is None else np.asarray(tau, dtype=float)
        if torques.shape != (self.robot.nv,):
            raise InputError(f"tau has the shape {torques.shape}, expected ({self.robot.nv},)")
        known = {**self._read(readings), "dynamics": {"tau": torques}}
        self.count += 1
        if self._lag is not None:
            self._lag.advance(parameters=known)
            self._lag.step()
            return
        self._waiting.append(known)
        if len(self._waiting) == self._motion.count:
            self._lag = self._begun()
            self._lag.solve()

    @property
    def _biased(self) -> list[Sensor]:
        return [s for s in self.sensors if s.bias]

    def _read(self, readings: Mapping[str, float]) -> dict[str, dict[str, np.ndarray]]:
        found: dict[str, dict[str, np.ndarray]] = {}
        for name, sensors in self._groups.items():
            read, seen = [], []
            for own in (self._channels[s.name] for s in sensors):
                values = [float(readings.get(c, np.nan)) for c in own.columns]
                there = dict(zip(own.columns, (x == x for x in values), strict=True))
                seen += [float(all(there[c] for c in needed)) for needed in own.rows.values()]
                values = [x if x == x else 0.0 for x in values]
                if own.unit and not all(there[c] for c in own.unit):
                    values[-1] = 1.0  # a unit quaternion, which is not looked at
                read += values
            found[name] = {"measured": np.array(read)}
            if sensors[0].kind != "contact":
                found[name]["seen"] = np.array(seen)
        if self._contacts:
            flags = [float(readings.get(s.name, np.nan)) for s in self._contacts]
            found[RELEASED] = {"measured": np.array([1.0 if x != x else x for x in flags])}
        return found

    def _begun(self) -> FixedLag:
        """Return a smoother of the first window."""
        motion, noise, (q0, qd0) = self._motion, self.noise, self._start
        spread = noise.dynamics * effective_inertias(self.robot, q0, self.dt)
        sigma = Sigmas(noise.integration, (noise.constraints, noise.constraints, noise.dynamics), spread)
        known = self._waiting
        tau = np.array([k["dynamics"]["tau"] for k in known])
        families = [*motion.states(), *([motion.forces] if motion.pushed else [])]
        factors = motion.factors(self.dt, tau, sigma)
        if motion.pushed:
            rate = noise.force_rate * np.sqrt(self.dt)
            f = motion.forces
            factors.append(soft(soft_equality, f[:-1], f[1:], sigma=rate, name="change of forces"))
        own = {v.name: v for v in families}
        for name, sensors in self._groups.items():
            factors.append(self._reading(name, sensors, own, known))
        if self._contacts:
            places = tuple(motion.pushed.index(s.target) for s in self._contacts)
            flags = each(np.array([k[RELEASED]["measured"] for k in known]))
            free = ReleasedUnless(places)
            factors.append(soft(free, motion.forces, sigma=noise.released, measured=flags, name=RELEASED))
        start = {"q": np.tile(q0, (motion.count, 1)), "qd": np.tile(qd0, (motion.count, 1))}
        prior: dict[str, Any] = dict.fromkeys((v.name for v in families), BROAD)
        prior |= {"q": noise.position, "qd": noise.velocity}
        if motion.pushed:
            prior["forces"] = noise.force
        prior |= {_offset(s).name: s.bias for s in self._biased}
        shared = [_offset(s) for s in self._biased]
        return FixedLag(Problem(factors, [*families, *shared]), start, prior=prior, predict=self._ahead)

    def _reading(
        self, name: str, sensors: Sequence[Sensor], own: Mapping[str, Variables], known: Sequence[Known]
    ) -> Factors:
        first, pushed = sensors[0], self._motion.pushed
        kind = SENSORS[first.kind]
        templates: list[Any] = [kind.template(self._motion.mechanics, s.target, (), pushed) for s in sensors]
        template, unknowns = templates[0], list[Any](own[family] for family in kind.of)
        if len(sensors) > 1:
            template = JointReading(tuple(c for t in templates for c in t.columns))
        if first.bias:
            template, unknowns = Offset(template), [*unknowns, _offset(first)]
        given = {key: each(np.array([k[name][key] for k in known])) for key in known[0][name]}
        template = PartialReading(template) if "seen" in given else template
        sigma = np.array([x for s in sensors for x in s.sigma])
        loss = Huber(first.huber) if first.huber else None
        spread = sigma if len(sigma) > 1 else float(sigma.sum())
        return soft(template, *unknowns, sigma=spread, loss=loss, name=name, **given)

    def _ahead(self, q: Any, qd: Any, qdd: Any, *more: Any) -> tuple[Any, ...]:
        """Predict the next instant: accelerations stay, and so do forces."""
        h = self.dt
        return self.robot.manifold.retract(q, h * qd + (0.5 * h * h) * qdd), qd + h * qdd, qdd, *more


def _grouped(sensors: Sequence[Sensor]) -> dict[str, list[Sensor]]:
    """Return sensors by the names of their factors: plain ones of joints make one factor together."""
    found: dict[str, list[Sensor]] = {}
    for sensor in sensors:
        is_plain = sensor.kind in ("joint_position", "joint_velocity") and not sensor.bias and not sensor.huber
        found.setdefault(f"all {sensor.kind}" if is_plain else f"sensor {sensor.name}", []).append(sensor)
    return found


def _offset(sensor: Sensor) -> Variables:
    return Variables(f"offset {sensor.name}", Vector(len(channels(sensor).rows)), 1)
