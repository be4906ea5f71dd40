"""Equations of motion solved for what a controller chooses: few unknowns u, accelerations and efforts affine in them.

Of a robot without contacts, u are the accelerations of its joints. Of a foot on a leg of three joints, u are the forces
on it where it is in contact, which keep it there, else the accelerations of the leg's joints: as many either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics import bias_forces, mass_matrix
from screwgraph.mechanics.kinematics import forward_kinematics, frame_acceleration, frame_jacobian
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation.contacts import Contact, Plane
from screwgraph.spatial import choose, cross, maximum, rotation
from screwgraph.tape import Number, Row, dot, is_zero
from screwgraph.tape.sparse_rows import add_entry

BASE, LEG = 6, 3
"""Velocity coordinates of a floating base, and of a leg."""
STRAIGHT = 0.02
"""Volume of a leg's Jacobian, of the largest that is usual, below which a foot is held with damped least squares."""
LEVELLED = 1e-3
"""Part of its value without legs that a pivot of the base's inertia has at least."""

Affine = tuple[Row, Number]
"""A number that is affine in u: what multiplies u, and what is added."""


@dataclass(frozen=True, eq=False)
class Leg:
    """A contact, and the velocity coordinates of the joints that carry it alone."""

    contact: Contact
    own: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Motion:
    """Accelerations and efforts (of joints behind a floating base) as u determines them; forces in contacts' axes.

    `forces[c][k]` is affine in u, zero where the contact is off.
    """

    accelerations: list[Affine]
    efforts: list[Affine]
    forces: list[list[Affine]]


@dataclass(frozen=True, eq=False)
class ReducedMotion:
    """A robot, a tree that stands or floats, and its contacts."""

    __repr__ = one_line

    robot: Robot
    contacts: tuple[Contact, ...]
    ground: Plane

    @cached_property
    def floats(self) -> bool:
        """Whether the base is free: its coordinates come first."""
        return bool(self.robot.joints) and self.robot.joints[0].type.nv == BASE

    @cached_property
    def axes(self) -> Float[np.ndarray, "3 3"]:
        """The ground's axes by rows: normal, tangents."""
        return np.asarray(self.ground.touch(np.zeros(3))[1])

    @property
    def driven(self) -> range:
        """The velocity coordinates with efforts."""
        return range(BASE if self.floats else 0, self.robot.nv)

    @cached_property
    def legs(self) -> list[Leg]:
        """The legs of all contacts.

        Raises:
            InputError: a contact has other than three coordinates of its own, or the base does not float.
        """
        paths = [self._path(contact) for contact in self.contacts]
        found = list[Leg]()
        for c, contact in enumerate(self.contacts):
            others = {i for k, path in enumerate(paths) if k != c for i in path}
            own = tuple(i for i in paths[c] if i not in others)
            if not self.floats or len(own) != LEG or len(others | set(own)) < len(others | set(paths[c])):
                raise InputError(
                    f"the contact of {contact.frame!r} has {len(own)} joint coordinates of its own"
                    if self.floats
                    else f"the contact of {contact.frame!r} is one of a robot that stands",
                    why="feet are of floating robots, each on three joints that carry no other foot",
                    fix="" if self.floats else 'load it with base="floating"',
                )
            found.append(Leg(contact, own))
        return found

    def _path(self, contact: Contact) -> list[int]:
        robot = self.robot
        slices = [robot.v_slices[joint.name] for joint in robot.joints_to_base(robot.frame(contact.frame).link)]
        return sorted(i for own in slices for i in range(own.start, own.stop) if i in self.driven)

    @cached_property
    def place(self) -> dict[int, int]:
        """Which of u stands for the acceleration of each driven coordinate, where no foot is on the ground."""
        legged = [i for leg in self.legs for i in leg.own]
        return {i: k for k, i in enumerate([*legged, *(i for i in self.driven if i not in legged)])}

    @cached_property
    def usual_volume(self) -> list[float]:
        """A large volume (m^3) of the Jacobian of each leg, over random positions."""
        robot, rng = self.robot, np.random.default_rng(0)
        positions = [robot.random(rng) for _ in range(64)]
        found = list[float]()
        for leg in self.legs:
            own = [_point(robot, leg.contact, self.axes[0], q)[0][:, leg.own] for q in positions]
            found.append(float(np.quantile(abs(np.linalg.det(own)), 0.9)))
        return found

    def solve(self, q: Any, qd: Any, on: Sequence[Number], drag: float) -> Motion:
        """Return the motion; `on` is 1 of contacts that are on, and `drag` (1/s) slows feet that glide."""
        robot, n = self.robot, self.robot.nv
        M, h = np.asarray(mass_matrix(robot)(q)), bias_forces(robot)(q, qd)
        feet = [self._foot(c, leg, q, qd, drag) for c, leg in enumerate(self.legs)]
        accelerations: list[Affine] = [({}, 0.0)] * n
        for i in self.driven:
            accelerations[i] = ({self.place[i]: 1.0}, 0.0)
        if self.floats:
            base = self._base(M, h, feet, on)
            accelerations[:BASE] = base
            for foot, flag in zip(feet, on, strict=True):
                for r, i in enumerate(foot.leg.own):
                    held = combine_affine([(-foot.K[r, k], base[k]) for k in range(BASE)], -foot.k[r])
                    accelerations[i] = _blend(flag, held, accelerations[i])
        forces: list[list[Affine]] = []
        for foot, flag in zip(feet, on, strict=True):
            forces.append([({self.place[i]: flag}, 0.0) for i in foot.leg.own])
        efforts = list[Affine]()
        for i in self.driven:
            terms = [(M[i, j], accelerations[j]) for j in range(n) if not is_zero(M[i, j])]
            for foot, own in zip(feet, forces, strict=True):
                if i in foot.leg.own:
                    terms += [(-foot.J[r, i], own[r]) for r in range(LEG)]
            efforts.append(combine_affine(terms, h[i]))
        return Motion(accelerations, efforts, forces)

    def _foot(self, c: int, leg: Leg, q: Any, qd: Any, drag: float) -> Foot:
        """Return how a foot that is held ties its leg's accelerations to the base's: a_leg = -K a_base - k."""
        linear, drift = _point(self.robot, leg.contact, self.axes[0], q, qd)
        J, drift = self.axes @ linear, self.axes @ (drift + drag * (linear @ qd))
        own, base = J[:, leg.own], J[:, :BASE]
        volume = _determinant(own)
        share = volume * (1.0 / (STRAIGHT * self.usual_volume[c]))
        size = (STRAIGHT * self.usual_volume[c] ** (1.0 / 3.0)) ** 2
        damping = size * maximum(1.0 - share * share, 0.0)
        square = own.T @ own + damping * np.eye(LEG)
        solved = _inverse(square) @ own.T
        return Foot(leg, J, solved @ base, solved @ drift)

    def _base(self, M: Any, h: Any, feet: Sequence[Foot], on: Sequence[Number]) -> list[Affine]:
        """Solve the equations of the base, whose efforts are zero, for its accelerations."""
        rows: list[Row] = [{} for _ in range(BASE)]
        added = [-h[i] for i in range(BASE)]
        W = [[M[i, j] for j in range(BASE)] for i in range(BASE)]
        legged = {i for foot in feet for i in foot.leg.own}
        for i in range(BASE):
            for j in self.driven:
                if j not in legged:
                    add_entry(rows[i], self.place[j], -M[i, j])
            for foot, flag in zip(feet, on, strict=True):
                for r, j in enumerate(foot.leg.own):
                    add_entry(rows[i], self.place[j], choose(flag > 0.5, foot.J[r, i], -M[i, j]))
                    held = flag * M[i, j]
                    added[i] = added[i] + held * foot.k[r]
                    for k in range(BASE):
                        W[i][k] = W[i][k] - held * foot.K[r, k]
        return _solve_square(W, [M[i, i] for i in range(BASE)], list(zip(rows, added, strict=True)))


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot: its Jacobian along the ground's axes, and K, k that hold it: a_leg = -K a_base - k."""

    leg: Leg
    J: Any
    K: Any
    k: Any


def _point(robot: Robot, contact: Contact, normal: Any, q: Any, qd: Any = None) -> tuple[Any, Any]:
    """Return the Jacobian (3, nv) of where a contact touches, in the base's axes, and its acceleration without qdd.

    A ball rolls: what is held is the velocity of the point below its centre, which is another one at each instant.
    """
    J = np.asarray(frame_jacobian(robot, contact.frame, reference=ALIGNED)(q))
    arm = list(rotation(np.asarray(forward_kinematics(robot, contact.frame)(q))) @ np.array(contact.at))
    below = [x - contact.radius * n for x, n in zip(arm, normal, strict=True)]
    linear = np.array([J[3:, i] + np.array(cross(list(J[:3, i]), below)) for i in range(robot.nv)]).T
    if qd is None:
        return linear, None
    drift = frame_acceleration(robot, contact.frame, reference=ALIGNED)(q, qd, np.zeros(robot.nv))
    spin = list(J[:3] @ qd)
    turning = np.array(cross(list(drift[:3]), below)) + np.array(cross(spin, cross(spin, arm)))
    return linear, drift[3:] + turning


def combine_affine(terms: Sequence[tuple[Number, Affine]], added: Number) -> Affine:
    """Return a sum of affine numbers, each times a number."""
    row: Row = {}
    for factor, (own, constant) in terms:
        if is_zero(factor):
            continue
        for k, x in own.items():
            add_entry(row, k, factor * x)
        added = added + factor * constant
    return row, added


def scale_affine(own: Affine, factor: Number) -> Affine:
    """Return a multiple of an affine number."""
    return combine_affine([(factor, own)], 0.0)


def _blend(flag: Number, yes: Affine, no: Affine) -> Affine:
    """Return one affine number where a flag is 1, the other where it is 0."""
    row: Row = {}
    for k in {**yes[0], **no[0]}:
        add_entry(row, k, choose(flag > 0.5, yes[0].get(k, 0.0), no[0].get(k, 0.0)))
    return row, choose(flag > 0.5, yes[1], no[1])


def _determinant(a: Any) -> Number:
    return dot(a[0], cross(a[1], a[2]))


def _inverse(a: Any) -> Any:
    """Return the inverse of a symmetric 3 x 3 matrix."""
    columns = np.array([cross(a[(i + 1) % 3], a[(i + 2) % 3]) for i in range(3)])
    return columns * (1.0 / dot(a[0], columns[0]))


def _solve_square(W: list[list[Number]], usual: Sequence[Number], right: Sequence[Affine]) -> list[Affine]:
    """Return the x with W x = b, from the last unknown to the first; a pivot that vanishes is made larger."""
    rows, n = [dict(row) for row, _ in right], len(W)
    added = [x for _, x in right]
    for p in reversed(range(n)):
        least = LEVELLED * usual[p]
        pivot = choose(abs(W[p][p]) > least, W[p][p], least)
        inverse = 1.0 / pivot
        for i in range(p):
            share = W[i][p] * inverse
            if is_zero(share):
                continue
            for j in range(p):
                W[i][j] = W[i][j] - share * W[p][j]
            for k, x in rows[p].items():
                add_entry(rows[i], k, -(share * x))
            added[i] = added[i] - share * added[p]
        W[p][p] = inverse
    found = list[Affine]()
    for p in range(n):
        terms = [(-(W[p][p] * W[p][j]), found[j]) for j in range(p)]
        row, constant = combine_affine([(W[p][p], (rows[p], added[p])), *terms], 0.0)
        found.append((row, constant))
    return found
