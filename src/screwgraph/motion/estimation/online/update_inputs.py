"""What one update of a loop of fixed rate reads: parameters of the factors of a window, instant by instant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import mul
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import Argument, Function
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.initial_guess import Unknowns
from screwgraph.motion.estimation.readings.sensors import AgedReading, BiasedReading, PartialReading, bias_unknown
from screwgraph.optimize import Factors, FixedLag, Variables, each, soft
from screwgraph.optimize.losses import Huber
from screwgraph.optimize.smoothers import Own, UpdateInputs
from screwgraph.optimize.smoothers.unrolled_problem import count_numbers
from screwgraph.spatial import Array, choose, concatenate
from screwgraph.tape import Number, apply

AGE = "age:"
"""What the names of columns of ages begin with; the name of a sensor follows."""
ON_TIME = 1e-9
"""Part of a step by which delays may differ from whole steps."""
RELEASED = "no force"
"""Factors of contacts that are none."""
Known = Mapping[str, Mapping[str, np.ndarray]]
"""What one update brings: by factors their own parameters."""


@dataclass(frozen=True)
class ZeroForceUnlessContact:
    """Forces of contacts (N) where 0 was measured of them: there are none; nothing where 1 was."""

    places: tuple[int, ...]

    def __call__(self, forces: Any, *, measured: Any) -> Any:
        """Residual (3 n,)."""
        parts = [(1.0 - measured[i]) * forces[3 * place : 3 * place + 3] for i, place in enumerate(self.places)]
        return concatenate(*parts)


@dataclass(frozen=True, eq=False)
class Readings:
    """Sensors of a loop of fixed rate, by the names of their factors, on a window of a motion's instants.

    What a sensor reads was so some instants before (`late`): its factors end that much before the window does. Readings
    of sensors that are `timed` (by the names of their factors) come with an age, each of a state between two instants,
    `dt` (s) apart.
    """

    unknowns: Unknowns
    groups: Mapping[str, Sequence[Sensor]]
    late: Mapping[str, int]
    dt: float
    timed: frozenset[str] = frozenset()

    @classmethod
    def from_sensors(
        cls, unknowns: Unknowns, sensors: Sequence[Sensor], dt: float, timed: Sequence[str] = ()
    ) -> Readings:
        """Return sensors on a window: delays end at the nearest of its instants, `dt` (s) apart, or are exact if timed.

        Raises:
            InputError: a delay is longer than the window, or no sensor, or a contact, is called as a timed one.
        """
        groups: dict[str, list[Sensor]] = {}
        for name in timed:
            _check_timed(name, sensors)
        for sensor in sensors:
            groups.setdefault(_alone(sensor) if sensor.name in timed else _group(sensor), []).append(sensor)
            if sensor.entry.is_contact and sensor.delay:
                raise InputError(f"contact {sensor.name!r} has a delay", fix="give it none")
        ages = frozenset(name for name, own in groups.items() if own[0].name in timed)
        late = {name: count_steps(own[0].delay, dt, is_timed=name in ages) for name, own in groups.items()}
        for name, count in late.items():
            if count >= unknowns.count:
                raise InputError(
                    f"sensor {groups[name][0].name!r} has a delay of {groups[name][0].delay:g} s",
                    why=f"the window has {unknowns.count} instants, {(unknowns.count - 1) * dt:g} s",
                    fix=f"give window={count + 1} or more",
                )
        return cls(unknowns, groups, late, dt, ages)

    @cached_property
    def sensors(self) -> list[Sensor]:
        """All sensors, group by group."""
        return [s for own in self.groups.values() for s in own]

    @cached_property
    def names(self) -> dict[str, None]:
        """All columns, sensor by sensor, each once; then those of ages."""
        ages = [AGE + self.groups[name][0].name for name in self.groups if name in self.timed]
        return dict.fromkeys([*(c for s in self.sensors for c in s.columns), *ages])

    @cached_property
    def contacts(self) -> list[Sensor]:
        """Sensors of contacts."""
        return [s for s in self.sensors if s.entry.is_contact]

    @cached_property
    def biases(self) -> dict[str, tuple[Sensor, Variables]]:
        """By sensor that is off by something, that sensor and what it is off by."""
        return {s.name: (s, bias_unknown(s, self.unknowns.count)) for s in self.sensors if s.bias}

    def read(self, readings: Mapping[str, float]) -> dict[str, dict[str, np.ndarray]]:
        """Return what is read now as parameters of factors; what is NaN or left out was not measured.

        Raises:
            InputError: no such column.
        """
        for name in readings:
            if name not in self.names:
                raise make_unknown_name_error("column of measurements", name, sorted(self.names))
        values = {c: float(readings.get(c, np.nan)) for c in self.names}
        return self.bind_readings(values, {c: x == x for c, x in values.items()})

    def as_vector(self, readings: Mapping[str, float]) -> Float[np.ndarray, " c"]:
        """Return readings in the order of the columns, NaN where there are none. Raises InputError: no such column."""
        if not readings.keys() <= self.names.keys():
            self.read(readings)  # which says what is wrong
        return np.array([readings.get(c, np.nan) for c in self.names], dtype=float)

    def bind_readings(
        self, values: Mapping[str, Number], there: Mapping[str, Number]
    ) -> dict[str, dict[str, np.ndarray]]:
        """Return readings of all columns as parameters of factors, floats or scalars; `there` is 1 where one is."""
        found: dict[str, dict[str, np.ndarray]] = {}
        for name, sensors in self.groups.items():
            read, seen = list[Number](), list[Number]()
            for own in sensors:
                seen += [_all(there, needed) for needed in own.rows.values()]
                read += [choose(there[c], values[c], 0.0) for c in own.columns]
                if own.unit_columns:  # a unit quaternion, which is not looked at if it is not there
                    read[-1] = choose(_all(there, own.unit_columns), read[-1], 1.0)
            found[name] = {"measured": np.array(read)}
            if not sensors[0].entry.is_contact:
                found[name]["seen"] = np.array(seen)
            if name in self.timed:
                age, delay = AGE + sensors[0].name, sensors[0].delay - self.late[name] * self.dt
                found[name]["age"] = np.array([choose(there[age], values[age], 0.0) + delay])
        if self.contacts:
            flags = [choose(there[s.name], values[s.name], 1.0) for s in self.contacts]
            found[RELEASED] = {"measured": np.array(flags)}
        return found

    def factors(self, known: Sequence[Known], released: float) -> list[Factors]:
        """Return factors of sensors over a window, and of contacts that are none (N), as so many updates read them."""
        motion = self.unknowns
        families = list(motion.states())
        families += [motion.forces] if motion.pushed else []
        families += [motion.tau] if motion.inputs else []
        own = {v.name: v for v in families}
        found = [self._make_factors(name, sensors, own, known) for name, sensors in self.groups.items()]
        if self.contacts:
            free = ZeroForceUnlessContact(tuple(motion.pushed.index(s.target) for s in self.contacts))
            flags = each(np.array([k[RELEASED]["measured"] for k in known]))
            found.append(soft(free, motion.forces, sigma=released, measured=flags, name=RELEASED))
        return found

    def _make_factors(
        self, name: str, sensors: Sequence[Sensor], families: Mapping[str, Variables], known: Sequence[Known]
    ) -> Factors:
        first, late, template = sensors[0], self.late[name], self.unknowns.reading(*sensors)
        own, at, unknowns = self.unknowns.families_of(first), slice(0, self.unknowns.count - late), list[Any]()
        if name in self.timed:
            template = AgedReading(template, own, families["q"].manifold, self.dt)
            own = ("q", "qd", "qdd", *(family for family in own if family not in ("q", "qd", "qdd")))
            unknowns, at, known = [families["qdd"][: at.stop - 1]], slice(1, at.stop), known[1:]
        unknowns += [families[family][at] for family in own]
        if first.bias:
            offset = self.biases[first.name][1]
            template, unknowns = BiasedReading(template), [*unknowns, offset[at] if first.walk else offset]
        given: dict[str, Any] = {key: each(np.array([k[name][key] for k in known[late:]])) for key in known[0][name]}
        template = PartialReading(template) if "seen" in given else template
        given |= {"loss": Huber(first.huber)} if first.huber else {}
        spread = first.spread if len(sensors) == 1 else np.array([x for s in sensors for x in s.sigma])
        return self.unknowns.make_reading_factors(name, template, *unknowns, sigma=spread, **given)


class CompiledUpdates:
    """Updates of a window by one call each of its function `update`, from where `lag` stands.

    `free` are the torques that are known.
    """

    def __init__(self, lag: FixedLag, update: Function, free: Sequence[int]) -> None:
        self._update, self._free, self._state = update, np.array(free, dtype=int), lag.state
        self._lag, self._standing = lag, self._state

    @property
    def lag(self) -> FixedLag:
        """The window where it stands now."""
        if self._standing is not self._state:
            self._lag, self._standing = self._lag.standing_at(self._state), self._state
        return self._lag

    @property
    def values(self) -> Mapping[str, np.ndarray]:
        """Values of the window by family, where it stands now."""
        layout = self._lag.problem.layout
        return layout.views(self._state[: count_numbers(layout)])

    def take(self, readings: Float[np.ndarray, " c"], tau: Float[np.ndarray, " nt"]) -> Float[np.ndarray, " f"]:
        """Take what was read, and known torques; return costs of the factors that left, see `FixedLag.advance`."""
        given = (tau[self._free],) if len(self._free) else ()
        found = self._update(self._state, readings, *given)
        self._state = found[0]
        return found[-1]


def make_sensor_inputs(readings: Readings, last: np.ndarray) -> UpdateInputs:
    """Return (readings, tau) as what a window takes; `last` are torques (nv,) of an example.

    Results are in SI units, forces of contacts in the base's axes.

    Raises:
        InputError: contacts are judged slipping, which takes a search in each update.
    """
    slips = [s.name for s in readings.contacts if s.slip]
    if slips:
        raise InputError(
            f"contact {slips[0]!r} is judged slipping, which is no code of a fixed length", fix='give it "slip": 0'
        )
    columns, unknowns = list(readings.names), readings.unknowns
    labels, shared = unknowns.labels, unknowns.parameters
    free = [i for i in range(len(labels)) if i not in unknowns.inputs]

    def read_parameters(before: Own, values: Array, *tau: Array) -> Own:
        given = dict(zip(columns, values, strict=True))
        every = np.zeros(len(labels), dtype=object)
        every[free] = np.concatenate([np.zeros(0), *tau])
        known = {
            **readings.bind_readings(given, {c: apply("eq", x, x) for c, x in given.items()}),
            **unknowns.make_torque_parameters(unknowns.known_torques(before), every),
        }
        return {(group, name): array for group, named in known.items() for name, array in named.items()}

    def to_reported(values: Mapping[str, Array]) -> Mapping[str, Array]:
        found = dict(values)
        if shared.names:
            found["parameters"] = found["parameters"] * shared.scale
        if unknowns.pushed:
            found["forces"] = unknowns.base_forces(values["q"], values["forces"])
        return found

    arguments = [Argument("readings", (len(columns),), tuple(columns))]
    values = [np.zeros(len(columns))]
    if free:
        arguments.append(Argument("tau", (len(free),), tuple(f"tau:{labels[i]}" for i in free)))
        values.append(last[free])
    question = (columns, free, list(readings.late.items()), shared.scale.tolist(), unknowns.pushed)
    return UpdateInputs(tuple(arguments), read_parameters, tuple(values), question, to_reported)


def _all(there: Mapping[str, Number], columns: Sequence[str]) -> Number:
    """Return 1 where all of some columns are there, else 0."""
    return reduce(mul, [there[c] for c in columns], 1.0)


def count_steps(delay: float, dt: float, *, is_timed: bool) -> int:
    """Return how many steps after the instant that it is about a reading is taken: of timed ones, all of its delay."""
    return int(np.ceil(delay / dt - ON_TIME)) if is_timed else round(delay / dt)


def _check_timed(name: str, sensors: Sequence[Sensor]) -> None:
    """Raise InputError where a sensor that is to have ages is none, or a contact."""
    own = next((sensor for sensor in sensors if sensor.name == name), None)
    if own is None:
        raise make_unknown_name_error("sensor", name, [sensor.name for sensor in sensors])
    if own.entry.is_contact:
        raise InputError(f"contact {name!r} has times of its own", why="forces of feet are told at updates")


def _alone(sensor: Sensor) -> str:
    return f"sensor {sensor.name}"


def _group(sensor: Sensor) -> str:
    """Return the name of a sensor's factors: plain ones of joints make one factor together."""
    is_plain = sensor.form.on == "joint" and not sensor.bias and not sensor.huber and not sensor.delay
    return f"all {sensor.kind}" if is_plain else _alone(sensor)
