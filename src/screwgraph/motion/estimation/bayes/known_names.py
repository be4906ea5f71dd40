"""Names of what is known of a network: which entries, at which steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.estimation.bayes.network_model import NetworkModel, Part
from screwgraph.spatial.manifolds import Manifold, Vector, product


class Quantity(NamedTuple):
    """A quantity at a step: kind "q", "qd", "qdd", "z", "zd", "zdd", "Q" (forces), "o" (observations), "C" (branch)."""

    kind: str
    step: int

    def __str__(self) -> str:
        return f"{self.kind}_{self.step}"


@dataclass(frozen=True)
class Known:
    """Some values of a kind at some steps: `columns` are their places, `entries` those of their changes.

    Of observations these are columns of sensor number `sensor`. `manifold` is that of the values.
    """

    name: str
    kind: str
    steps: tuple[int, ...]
    columns: tuple[int, ...]
    entries: tuple[int, ...]
    is_whole: bool
    manifold: Manifold
    sensor: int = -1

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of its values: without an axis for steps where there is one, nor for entries where one is named."""
        return (len(self.steps),) * (len(self.steps) > 1) + (len(self.columns),) * self.is_whole

    def values(self, given: Mapping[str, Any]) -> Float[np.ndarray, "steps columns"]:
        """Return its values, the same at all steps where they have no axis for these. Raises InputError."""
        try:
            array = convert_numbers(given[self.name])
            array = np.broadcast_to(array, self.shape)
        except (TypeError, ValueError):
            raise InputError(f"values of {self.name} are not numbers of the shape {self.shape}") from None
        if not np.isfinite(array).all():
            raise InputError(f"values of {self.name} are not finite")
        found = array.reshape(len(self.steps), len(self.columns))
        if self.manifold.is_off(found).any():
            raise InputError(f"values of {self.name} are off: they are not {self.manifold.kind}")
        return found


def parse_knowns(
    model: NetworkModel, kinds: Sequence[str], steps: int, names: Iterable[str | Quantity]
) -> tuple[Known, ...]:
    """Return what names mean.

    Raises:
        InputError: a name means nothing, or something is known twice.
    """
    found, seen = [], set[tuple[str, int, int, int]]()
    for name in names:
        for known in _meant(model, kinds, steps, str(name)):
            places = {(known.kind, known.sensor, step, entry) for step in known.steps for entry in known.entries}
            if places & seen:
                raise InputError(f"{known.name} is given twice", fix="name what is known once")
            seen |= places
            found.append(known)
    return tuple(found)


def _meant(model: NetworkModel, kinds: Sequence[str], steps: int, name: str) -> list[Known]:
    quantity, _, part = name.partition(":")
    kind, _, step = quantity.partition("_")
    if kind not in kinds:
        raise make_unknown_name_error("kind of quantity", kind, kinds)
    if step and (not step.isdecimal() or int(step) >= steps):
        raise make_unknown_name_error("quantity of the network", quantity, [f"{kind}_{i}" for i in range(steps)])
    at = (int(step),) if step else tuple(range(steps))
    if kind == "o":
        sensors = [sensor.name for sensor in model.sensors]
        if part and part not in sensors:
            raise make_unknown_name_error("sensor", part, sensors)
        found = []
        for i, sensor in enumerate(model.sensors):
            if sensor.name == part or not part:
                k = len(sensor.columns)
                places = tuple(range(k))
                found.append(Known(f"{quantity}:{sensor.name}", kind, at, places, places, k > 1, Vector(k), i))
        return found
    if kind == "C":
        return [make_known(quantity, kind, (0,), model.parts["q"], True)]
    if not part:
        return [make_known(name, kind, at, model.parts[kind], True)] if model.parts[kind] else []
    parts = model.select_parts(kind, part)
    return [make_known(name, kind, at, parts, sum(len(p.columns) for p in parts) > 1)]


def make_known(name: str, kind: str, steps: tuple[int, ...], parts: Sequence[Part], is_whole: bool) -> Known:
    """Return parts of a kind as known."""
    columns = tuple(i for part in parts for i in part.columns)
    rows = tuple(i for part in parts for i in part.rows)
    return Known(name, kind, steps, columns, rows, is_whole, product([part.manifold for part in parts]))
