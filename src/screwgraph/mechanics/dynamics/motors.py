"""What the motors of a mechanism can drive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.mechanism import Mechanism, find_assembled_states
from screwgraph.model.robot import make_unknown_name_error

UNDRIVEN = 1e-7
"""Part of a motion that motors must share at some assembled position, lest it counts as not driven."""
POSITIONS = 8


def with_motors(mechanism: Mechanism, actuated: Iterable[str] | None) -> Mechanism:
    """Return a mechanism with motors at other coordinates, if any are named. Raises InputError for unknown names."""
    if actuated is None:
        return mechanism
    names = [actuated] if isinstance(actuated, str) else list(dict.fromkeys(actuated))
    return replace(mechanism, motors=tuple(mechanism.coordinates[mechanism.index(name)] for name in names))


def find_driving_motors(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the names of the motors, which drive all motions.

    Raises:
        InputError: there are none, or some motion moves without them.
    """
    mechanism.check_motors()
    names = mechanism.motors
    driven = _rank(mechanism, list(mechanism.motor_slots))
    if driven < mechanism.dof:
        raise InputError(
            f"the motors {', '.join(names)} cannot drive all motions of mechanism {mechanism.name!r}",
            why=f"they drive {driven} of its {mechanism.dof} degrees of freedom",
            fix="name more coordinates under motors: in its file, or by actuated=",
        )
    return names


def find_driving_coordinates(mechanism: Mechanism) -> tuple[str, ...]:
    """Return as many coordinates as there are degrees of freedom, which drive all motions: the motors', if they do."""
    motors = mechanism.motors
    if len(motors) == mechanism.dof == _rank(mechanism, list(mechanism.motor_slots)):
        return motors
    return mechanism.independent_coordinates


def validate_weights(mechanism: Mechanism, weights: Mapping[str, float] | None) -> dict[str, float]:
    """Return a weight for each motor, 1 by default. Raises InputError for unknown motors and bad weights."""
    names = mechanism.motors
    if weights is not None and not isinstance(weights, Mapping):
        raise InputError(f"weights = {weights!r} is no mapping", fix='weights={"angle": 2.0}')
    for name, weight in (weights or {}).items():
        if name not in names:
            raise make_unknown_name_error("motor", name, names)
        number = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool)
        if not number or not 0.0 < float(weight) < np.inf:
            raise InputError(f"the weight of motor {name!r}, {weight!r}, is no positive, finite number")
    return {name: float((weights or {}).get(name, 1.0)) for name in names}


def check_free(mechanism: Mechanism, accelerations: Sequence[str]) -> None:
    """Check that the accelerations of these motors' coordinates may be given.

    Raises:
        InputError: one is no motor's coordinate, or constraints tie them.
    """
    motors = mechanism.motors
    for name in accelerations:
        if name not in motors:
            raise make_unknown_name_error("motor", str(name), motors)
    slots = [mechanism.index(name) for name in accelerations]
    if _rank(mechanism, slots) < len(slots):
        raise InputError(
            f"the accelerations of {', '.join(accelerations)} cannot all be given",
            why=f"constraints tie them; the mechanism has {mechanism.dof} degrees of freedom",
            fix="give those of fewer motors",
        )


def _rank(mechanism: Mechanism, slots: Sequence[int]) -> int:
    """Return how many independent motions some coordinates show, where these are most."""
    if not slots:
        return 0
    states = np.vstack([mechanism.home[None], find_assembled_states(mechanism, POSITIONS)])
    free = _free_motions(mechanism, states)[:, slots]
    return int((np.linalg.svd(free, compute_uv=False) > UNDRIVEN).sum(axis=1).max(initial=0))


def _free_motions(mechanism: Mechanism, q: Float[np.ndarray, "N n"]) -> Float[np.ndarray, "N n f"]:
    """Return orthonormal bases of what constraints allow."""
    J = mechanism.closing_program.interpreter(q)[1][:, list(mechanism.freedom.kept)]
    return np.linalg.qr(J.swapaxes(1, 2), mode="complete")[0][:, :, J.shape[1] :]
