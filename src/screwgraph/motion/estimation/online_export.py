"""What an update of a robot's window takes in other programs: columns of readings, and torques."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler import Argument
from screwgraph.motion.estimation.online_sensors import Readings
from screwgraph.motion.estimation.sensor_models import BaseFrameForces
from screwgraph.optimize.smoothers import UpdateInputs
from screwgraph.spatial import Array
from screwgraph.tape import apply


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
    columns, labels = list(readings.columns_in_order), readings.motion.mechanics.labels
    free = [i for i in range(len(labels)) if i not in readings.motion.inputs]

    def read_parameters(values: Array, *tau: Array) -> Mapping[tuple[str, str], Array]:
        given = dict(zip(columns, values, strict=True))
        known = readings.known(given, {c: apply("eq", x, x) for c, x in given.items()})
        own = {(group, name): array for group, named in known.items() for name, array in named.items()}
        every = np.zeros(len(labels), dtype=object)
        every[free] = np.concatenate([np.zeros(0), *tau])
        return {**own, ("dynamics", "tau"): every}

    shared, told = readings.motion.parameters, BaseFrameForces(readings.motion.mechanics, readings.motion.pushed)

    def to_reported(values: Mapping[str, Array]) -> Mapping[str, Array]:
        found = dict(values)
        if shared.names:
            found["parameters"] = found["parameters"] * shared.scale
        if told.pushed:
            found["forces"] = told(values["q"], values["forces"])
        return found

    arguments = [Argument("readings", (len(columns),), tuple(columns))]
    values = [np.zeros(len(columns))]
    if free:
        arguments.append(Argument("tau", (len(free),), tuple(f"tau:{labels[i]}" for i in free)))
        values.append(last[free])
    question = (columns, free, list(readings.late.items()), shared.scale.tolist(), told.pushed)
    return UpdateInputs(tuple(arguments), read_parameters, tuple(values), question, to_reported)
