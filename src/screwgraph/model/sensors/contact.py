"""Contact of a foot."""

from typing import Any

import numpy as np

from screwgraph.model.sensors.base import XYZ, SensorForm, SensorKind, SensorPlace
from screwgraph.spatial import choose


def contact_residual(motion: Any, place: SensorPlace, measured: Any) -> Any:
    """Return the velocity of a frame's origin (m/s) while it is in contact, which is where 1 was measured (3,).

    It is in the frame's axes, in the base's only where its standard deviation differs between these: a velocity in the
    frame's axes does not depend on a heading that nothing observes. Residuals that do couple the heading to velocities,
    and Gauss-Newton steps then diverge.
    """
    velocity = motion.velocity(place.target)
    if place.is_isotropic:
        velocity = motion.rotation(place.target).T @ velocity
    return measured[0] * velocity


def find_contact(motion: Any, place: SensorPlace) -> Any:
    """Return 1 where a force acts on a frame, else 0 (1,)."""
    force = motion.force(place.target)
    return np.array([choose(sum(x * x for x in force) > 0.0, 1.0, 0.0)])


CONTACT = SensorKind(
    residual=contact_residual,
    robot=SensorForm("frame", ("q", "qd"), rows=dict.fromkeys(XYZ, ("",))),
    usual={"sigma": 1e-2, "huber": 3.0, "slip": 5.0},
    is_contact=True,
    reading=find_contact,
    disturb=lambda values, _: values,
)
"""1 where a frame's origin stands still, 0 where no force acts on it."""
