"""What one update of a loop of fixed rate reads: parameters of the factors of a window, instant by instant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import mul
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.estimation.measurements import Channels
from screwgraph.motion.estimation.partial_measurement import PartialReading
from screwgraph.motion.estimation.robot_motion_graph import Motion
from screwgraph.motion.estimation.sensor_models import BiasedReading, JointReading, ZeroForceUnlessContact
from screwgraph.motion.estimation.sensors import SENSORS, Sensor, bias_unknown, name_channels
from screwgraph.optimize import Factors, Variables, each, soft
from screwgraph.optimize.losses import Huber
from screwgraph.spatial import choose
from screwgraph.tape import Number

RELEASED = "no force"
"""Factors of contacts that are none."""
Known = Mapping[str, Mapping[str, np.ndarray]]
"""What one update brings: by factors their own parameters."""


@dataclass(frozen=True, eq=False)
class Readings:
    """Sensors of a loop of fixed rate, by the names of their factors, on a window of a motion's instants.

    What a sensor reads was so some instants before (`late`): its factors end that much before the window does.
    """

    motion: Motion
    groups: Mapping[str, Sequence[Sensor]]
    late: Mapping[str, int]

    @classmethod
    def from_sensors(cls, motion: Motion, sensors: Sequence[Sensor], dt: float) -> Readings:
        """Return sensors on a window, delays at the nearest of its instants, `dt` (s) apart.

        Raises:
            InputError: a delay is longer than the window.
        """
        groups: dict[str, list[Sensor]] = {}
        for sensor in sensors:
            groups.setdefault(_group(sensor), []).append(sensor)
            if sensor.kind == "contact" and sensor.delay:
                raise InputError(f"contact {sensor.name!r} has a delay", fix="give it none")
        late = {name: round(own[0].delay / dt) for name, own in groups.items()}
        for name, count in late.items():
            if count >= motion.count:
                raise InputError(
                    f"sensor {groups[name][0].name!r} has a delay of {groups[name][0].delay:g} s",
                    why=f"the window has {motion.count} instants, {(motion.count - 1) * dt:g} s",
                    fix=f"give window={count + 1} or more",
                )
        return cls(motion, groups, late)

    @cached_property
    def columns(self) -> dict[str, Channels]:
        """By sensor what it fills."""
        return {s.name: name_channels(s) for own in self.groups.values() for s in own}

    @property
    def columns_in_order(self) -> Sequence[str]:
        """All columns, sensor by sensor, each once."""
        return list(dict.fromkeys(c for own in self.columns.values() for c in own.columns))

    @cached_property
    def names(self) -> frozenset[str]:
        """All columns."""
        return frozenset(c for own in self.columns.values() for c in own.columns)

    @cached_property
    def contacts(self) -> list[Sensor]:
        """Sensors of contacts."""
        return [s for own in self.groups.values() for s in own if s.kind == "contact"]

    @property
    def biased_sensors(self) -> list[Sensor]:
        """Sensors that are off by a constant."""
        return [s for own in self.groups.values() for s in own if s.bias]

    def read(self, readings: Mapping[str, float]) -> dict[str, dict[str, np.ndarray]]:
        """Return what is read now as parameters of factors; what is NaN or left out was not measured.

        Raises:
            InputError: no such column.
        """
        for name in readings:
            if name not in self.names:
                raise make_unknown_name_error("column of measurements", name, sorted(self.names))
        values = {c: float(readings.get(c, np.nan)) for c in self.names}
        return self.known(values, {c: x == x for c, x in values.items()})

    def known(self, values: Mapping[str, Number], there: Mapping[str, Number]) -> dict[str, dict[str, np.ndarray]]:
        """Return readings of all columns as parameters of factors, floats or scalars; `there` is 1 where one is."""
        found: dict[str, dict[str, np.ndarray]] = {}
        for name, sensors in self.groups.items():
            read, seen = list[Number](), list[Number]()
            for own in (self.columns[s.name] for s in sensors):
                seen += [_all(there, needed) for needed in own.rows.values()]
                read += [choose(there[c], values[c], 0.0) for c in own.columns]
                if own.unit:  # a unit quaternion, which is not looked at if it is not there
                    read[-1] = choose(_all(there, own.unit), read[-1], 1.0)
            found[name] = {"measured": np.array(read)}
            if sensors[0].kind != "contact":
                found[name]["seen"] = np.array(seen)
        if self.contacts:
            flags = [choose(there[s.name], values[s.name], 1.0) for s in self.contacts]
            found[RELEASED] = {"measured": np.array(flags)}
        return found

    def factors(self, known: Sequence[Known], released: float) -> list[Factors]:
        """Return factors of sensors over a window, and of contacts that are none (N), as so many updates read them."""
        motion = self.motion
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
        first, motion, late = sensors[0], self.motion, self.late[name]
        kind, at = SENSORS[first.kind], slice(0, motion.count - late)
        templates: list[Any] = [kind.template(motion.mechanics, s, motion.inputs, motion.pushed) for s in sensors]
        template, unknowns = templates[0], list[Any](families[family][at] for family in kind.of)
        if len(sensors) > 1:
            template = JointReading(tuple(c for t in templates for c in t.columns))
        if first.bias:
            template, unknowns = BiasedReading(template), [*unknowns, bias_unknown(first)]
        given = {key: each(np.array([k[name][key] for k in known[late:]])) for key in known[0][name]}
        template = PartialReading(template) if "seen" in given else template
        sigma = np.array([x for s in sensors for x in s.sigma])
        loss = Huber(first.huber) if first.huber else None
        spread = sigma if len(sigma) > 1 else float(sigma.sum())
        return soft(template, *unknowns, sigma=spread, loss=loss, name=name, **given)


def _all(there: Mapping[str, Number], columns: Sequence[str]) -> Number:
    """Return 1 where all of some columns are there, else 0."""
    return reduce(mul, [there[c] for c in columns], 1.0)


def _group(sensor: Sensor) -> str:
    """Return the name of a sensor's factors: plain ones of joints make one factor together."""
    is_plain = sensor.kind.startswith("joint_") and not sensor.bias and not sensor.huber and not sensor.delay
    return f"all {sensor.kind}" if is_plain else f"sensor {sensor.name}"
