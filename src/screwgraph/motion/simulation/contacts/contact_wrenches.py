"""Contacts along a motion: forces as wrenches on frames, and what is doubtful."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation.contacts.contact import Contact
from screwgraph.motion.simulation.contacts.ground import Ground

DEEP = 1e-3
"""Depth (m) in the ground at which a motion does not begin."""
UNSOLVED = 1e-6
"""Velocity (m/s) by which a law is not obeyed from which on it is said."""


@dataclass
class ContactRecord:
    """Contacts' forces (N) in each step of a motion, gaps (m) at its beginning, the largest residual (m/s)."""

    __repr__ = one_line

    forces: list[Float[np.ndarray, "k 3"]] = field(default_factory=list)
    gaps: Float[np.ndarray, " k"] = field(default_factory=lambda: np.zeros(0))
    residual: float = 0.0

    def add(self, forces: Float[np.ndarray, "k 3"], gaps: Float[np.ndarray, " k"], residual: float) -> None:
        """Add a step."""
        if not self.forces:
            self.gaps = gaps
        self.forces.append(forces)
        self.residual = max(self.residual, residual)

    def doubts(self, contacts: Sequence[Contact]) -> tuple[str, ...]:
        """Return what is doubtful of a motion."""
        found = list[str]()
        if len(self.gaps) and self.gaps.min() < -DEEP:
            contact = contacts[int(self.gaps.argmin())]
            found.append(f"the contact of {contact.frame!r} begins {-self.gaps.min():.3g} m within the ground")
        if self.residual > UNSOLVED:
            found.append(f"laws of contacts are not obeyed by up to {self.residual:.3g} m/s (take a smaller dt)")
        return tuple(found)


def contact_wrenches(
    robot: Robot,
    contacts: Sequence[Contact],
    ground: Ground,
    q: Float[np.ndarray, "N nq"],
    forces: Sequence[Float[np.ndarray, "k 3"]],
) -> Mapping[str, Float[np.ndarray, "N 6"]]:
    """Return the wrenches (moment, force) on the frames of contacts, in the axes of these, at positions q.

    `forces` (N) are in the base's axes, at the points that touch the ground.
    """
    found = {contact.frame: np.zeros((len(q), 6)) for contact in contacts}
    poses = np.asarray(forward_kinematics(robot, list(found))(q))
    places = {name: k for k, name in enumerate(found)}
    own = np.array([places[contact.frame] for contact in contacts])
    poses = poses[:, own]
    R, p = poses[..., :3, :3], poses[..., :3, 3]
    arms = np.einsum("nkij,kj->nki", R, np.array([contact.at for contact in contacts]))
    radii = np.array([contact.radius for contact in contacts])
    normals = ground.tangent_planes(p + arms, radii)[..., :3]
    F = np.asarray(forces)
    moments = np.cross(arms - radii[:, None] * normals, F)
    wrenches = np.concatenate([np.einsum("nkij,nki->nkj", R, x) for x in (moments, F)], axis=-1)
    for contact, wrench in zip(contacts, np.swapaxes(wrenches, 0, 1), strict=True):
        found[contact.frame] += wrench
    return found
