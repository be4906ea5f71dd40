"""Contact forces to begin with: the robot's weight, shared by the contacts of each time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns


def guess_contact_forces(steps: TrajectoryUnknowns, wrenches: Sequence[Wrench]) -> dict[str, np.ndarray]:
    """Return values of the wrenches' unknowns, by family, under which normal forces carry the weight together."""
    robot = steps.mechanics.robot
    if not wrenches:
        return {}
    weight = sum(link.inertia.mass for link in robot.links) * float(np.linalg.norm(np.array(robot.gravity)))
    acting = np.zeros(len(steps.points))
    for w in wrenches:
        acting[w.samples] += 1.0
    found = {}
    for w in wrenches:
        value = np.zeros((len(w.samples), w.unknowns.manifold.dim))
        value[:, list(w.carries)] = (weight / acting[w.samples] / max(len(w.carries), 1))[:, None]
        found[w.unknowns.name] = value
    return found
