"""Contacts along a motion: forces as wrenches on frames, and what is doubtful."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.model import Model
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation.contacts.contact_inputs import ContactInputs
from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.ground import Ground

ContactForces = Mapping[str, Float[np.ndarray, "N k 6"]]
"""By link or frame, of each of its k contacts: the point at which it touches (m), and the force on the link (N)."""
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


def locate_forces(
    robot: Robot,
    contacts: Sequence[Contact],
    ground: Ground,
    q: Float[np.ndarray, "N nq"],
    forces: Float[np.ndarray, "N k 3"],
) -> ContactForces:
    """Return where contacts push on the frames that have them, and with which forces, at positions q.

    `forces` (N) are in the base's axes; bodies that are touched have the opposite ones.
    """
    points = ContactInputs.of(robot, contacts, ground).points(q)
    found: dict[str, list[np.ndarray]] = {}
    for k, contact in enumerate(contacts):
        found.setdefault(contact.frame, []).append(np.concatenate([points[:, k], forces[:, k]], axis=1))
        if contact.against:
            opposite = np.concatenate([points[:, k], -forces[:, k]], axis=1)
            found.setdefault(contact.against.frame, []).append(opposite)
    return {frame: np.stack(some, axis=1) for frame, some in found.items()}


def contact_wrenches(
    model: Model, q: Float[np.ndarray, "N nq"], forces: ContactForces
) -> Mapping[str, Float[np.ndarray, "N 6"]]:
    """Return the wrenches (moment, force) on frames, in the axes of these, of forces at points at positions q."""
    if not forces:
        return {}
    found, poses = dict[str, np.ndarray](), np.asarray(forward_kinematics(model, list(forces))(q))
    for (frame, pushed), T in zip(forces.items(), np.moveaxis(poses, 1, 0), strict=True):
        arms, force = pushed[..., :3] - T[:, None, :3, 3], pushed[..., 3:]
        parts = np.cross(arms, force).sum(axis=1), force.sum(axis=1)
        found[frame] = np.concatenate([np.einsum("nij,ni->nj", T[:, :3, :3], part) for part in parts], axis=1)
    return found
