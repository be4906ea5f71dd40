"""Names of what is known of a network: which entries, at which steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.robot import make_unknown_name_error


class Quantity(NamedTuple):
    """A quantity at a step: kind "q", "qd", "qdd", "z", "zd", "zdd", "Q" (forces), "o" (observations), "C" (branch)."""

    kind: str
    step: int

    def __str__(self) -> str:
        return f"{self.kind}_{self.step}"


@dataclass(frozen=True)
class Known:
    """Some entries of a kind at some steps; of observations, `entries` are columns of sensor number `sensor`."""

    name: str
    kind: str
    steps: tuple[int, ...]
    entries: tuple[int, ...]
    is_whole: bool
    sensor: int = -1

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of its values: without an axis for steps where there is one, nor for entries where one is named."""
        return (len(self.steps),) * (len(self.steps) > 1) + (len(self.entries),) * self.is_whole

    def values(self, given: Mapping[str, Any]) -> Float[np.ndarray, "steps entries"]:
        """Return its values, the same at all steps where they have no axis for these. Raises InputError."""
        try:
            array = np.asarray(given[self.name], dtype=float)
            array = np.broadcast_to(array, self.shape)
        except (TypeError, ValueError):
            raise InputError(f"values of {self.name} are not numbers of the shape {self.shape}") from None
        if not np.isfinite(array).all():
            raise InputError(f"values of {self.name} are not finite")
        return array.reshape(len(self.steps), len(self.entries))


def parse_knowns(
    mechanism: Mechanism, kinds: Sequence[str], steps: int, names: Iterable[str | Quantity]
) -> tuple[Known, ...]:
    """Return what names mean.

    Raises:
        InputError: a name means nothing, or something is known twice.
    """
    found, seen = [], set[tuple[str, int, int, int]]()
    for name in names:
        for known in _meant(mechanism, kinds, steps, str(name)):
            places = {(known.kind, known.sensor, step, entry) for step in known.steps for entry in known.entries}
            if places & seen:
                raise InputError(f"{known.name} is given twice", fix="name what is known once")
            seen |= places
            found.append(known)
    return tuple(found)


def _meant(mechanism: Mechanism, kinds: Sequence[str], steps: int, name: str) -> list[Known]:
    quantity, _, part = name.partition(":")
    kind, _, step = quantity.partition("_")
    if kind not in kinds:
        raise make_unknown_name_error("kind of quantity", kind, kinds)
    if step and (not step.isdecimal() or int(step) >= steps):
        raise make_unknown_name_error("quantity of the network", quantity, [f"{kind}_{i}" for i in range(steps)])
    at = (int(step),) if step else tuple(range(steps))
    if kind == "o":
        sensors = [sensor.name for sensor in mechanism.sensors]
        if part and part not in sensors:
            raise make_unknown_name_error("sensor", part, sensors)
        chosen = [i for i, sensor in enumerate(sensors) if sensor == part or not part]
        sizes = {i: len(mechanism.sensors[i].columns) for i in chosen}
        return [Known(f"{quantity}:{sensors[i]}", kind, at, tuple(range(k)), k > 1, i) for i, k in sizes.items()]
    listed = label_entries(mechanism, kind)
    if not part:
        return [Known(name, kind, at, tuple(range(len(listed))), True)] if listed else []
    if part not in listed:
        raise make_unknown_name_error("motor" if kind == "Q" else "coordinate", part, listed)
    return [Known(name, kind, at, (listed.index(part),), False)]


def label_entries(mechanism: Mechanism, kind: str) -> tuple[str, ...]:
    """Return the names of a kind's entries."""
    if kind == "Q":
        return mechanism.motors
    return mechanism.independent_coordinates if kind.startswith("z") else mechanism.coordinates
