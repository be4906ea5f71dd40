"""Equations of motion solved for what a controller chooses: few unknowns u, accelerations and efforts affine in them.

Of a robot without contacts, u are the accelerations of its joints. Of a contact of n components, whose leg has n joints
that carry no other contact, u are its forces where it is on, else the accelerations of these joints: as many of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics import bias_forces, mass_matrix
from screwgraph.model.robot import Robot
from screwgraph.motion.control.contacts import Held, HeldContact
from screwgraph.motion.simulation.contacts import Plane
from screwgraph.spatial import choose, cross, maximum
from screwgraph.tape import Number, Row, dot, is_zero
from screwgraph.tape.sparse_rows import add_entry

BASE = 6
"""Velocity coordinates of a floating base."""
STRAIGHT = 0.02
"""Volume of a leg's Jacobian, of the largest that is usual, below which a foot is held with damped least squares."""
LEVELLED = 1e-3
"""Part of its value without legs that a pivot of the base's inertia has at least."""

Affine = tuple[Row, Number]
"""A number that is affine in u: what multiplies u, and what is added."""


@dataclass(frozen=True, eq=False)
class Leg:
    """A contact, as many velocity coordinates of joints that carry it alone, and the others that move it.

    `volume` is a large one of the Jacobian of its own coordinates, over random positions.
    """

    contact: HeldContact
    own: tuple[int, ...]
    others: tuple[int, ...]
    volume: float


@dataclass(frozen=True, eq=False)
class Motion:
    """Accelerations and efforts (of joints behind a floating base) as u determines them; forces in contacts' axes.

    `forces[c][k]` is affine in u, zero where the contact is off; `axes[c]` (6, n) gives moment and force in the base's.
    """

    accelerations: list[Affine]
    efforts: list[Affine]
    forces: list[list[Affine]]
    axes: list[Any]

    def wrench(self, contact: int) -> list[Affine]:
        """Return the moment about a contact's point and the force, in the base's axes."""
        own = self.forces[contact]
        return [combine_affine(list(zip(row, own, strict=True)), 0.0) for row in self.axes[contact]]


@dataclass(frozen=True, eq=False)
class ReducedMotion:
    """A robot, a tree that stands or floats, and its contacts."""

    __repr__ = one_line

    robot: Robot
    contacts: tuple[HeldContact, ...]
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
    def base(self) -> range:
        """The velocity coordinates without efforts."""
        return range(BASE if self.floats else 0)

    @property
    def driven(self) -> range:
        """The velocity coordinates with efforts."""
        return range(len(self.base), self.robot.nv)

    @cached_property
    def legs(self) -> list[Leg]:
        """The legs of all contacts.

        Raises:
            InputError: a contact has fewer coordinates of its own than components.
        """
        paths = [self._path(contact) for contact in self.contacts]
        found = list[Leg]()
        for c, contact in enumerate(self.contacts):
            shared = {i for k, path in enumerate(paths) if k != c for i in path}
            alone = [i for i in paths[c] if i not in shared]
            own, volume = self._choose_own(contact, alone)
            if len(alone) < contact.size or volume < 1e-12:
                raise InputError(
                    f"the contact of {contact.frame!r} has {len(alone)} joint coordinates of its own",
                    why=f"it needs {contact.size} that move it in as many ways and carry no other contact",
                    fix="several points of one foot are one sg.control.Sole" if len(alone) < len(paths[c]) else "",
                )
            found.append(Leg(contact, own, tuple(i for i in paths[c] if i not in own), volume))
        return found

    def _path(self, contact: HeldContact) -> list[int]:
        robot = self.robot
        slices = [robot.v_slices[joint.name] for joint in robot.joints_to_base(robot.frame(contact.frame).link)]
        return sorted(i for own in slices for i in range(own.start, own.stop) if i in self.driven)

    def _choose_own(self, contact: HeldContact, alone: Sequence[int]) -> tuple[tuple[int, ...], float]:
        """Return those of a leg's coordinates that move its contact best, and a large volume of their Jacobian."""
        robot, rng = self.robot, np.random.default_rng(0)
        turns = [np.asarray(contact.hold(robot, self.axes, robot.random(rng)).J) for _ in range(64)]
        best, most = tuple(alone), 0.0
        for own in combinations(alone, contact.size):
            volume = float(np.quantile([abs(np.linalg.det(J[:, own])) for J in turns], 0.9))
            if volume > 1.001 * most:
                best, most = own, volume
        return best, most

    @cached_property
    def place(self) -> dict[int, int]:
        """Which of u stands for the acceleration of each driven coordinate, where no foot is on the ground."""
        legged = [i for leg in self.legs for i in leg.own]
        return {i: k for k, i in enumerate([*legged, *(i for i in self.driven if i not in legged)])}

    def solve(self, q: Any, qd: Any, on: Sequence[Number], drag: float) -> Motion:
        """Return the motion; `on` is 1 of contacts that are on, and `drag` (1/s) slows feet that glide."""
        robot, n = self.robot, self.robot.nv
        M, h = np.asarray(mass_matrix(robot)(q)), bias_forces(robot)(q, qd)
        feet = [self._foot(leg, q, qd, drag) for leg in self.legs]
        accelerations: list[Affine] = [({}, 0.0)] * n
        for i in self.driven:
            accelerations[i] = ({self.place[i]: 1.0}, 0.0)
        if self.floats:
            accelerations[:BASE] = self._base(M, h, feet, on)
        free = list(accelerations)
        for foot, flag in zip(feet, on, strict=True):
            for r, i in enumerate(foot.leg.own):
                held = combine_affine([(-foot.K[r, k], free[j]) for k, j in enumerate(foot.rest)], -foot.k[r])
                accelerations[i] = _blend(flag, held, free[i])
        forces: list[list[Affine]] = []
        for foot, flag in zip(feet, on, strict=True):
            forces.append([({self.place[i]: flag}, 0.0) for i in foot.leg.own])
        efforts = list[Affine]()
        for i in self.driven:
            terms = [(M[i, j], accelerations[j]) for j in range(n) if not is_zero(M[i, j])]
            for foot, own in zip(feet, forces, strict=True):
                if i in foot.leg.own or i in foot.leg.others:
                    terms += [(-foot.held.J[r, i], force) for r, force in enumerate(own)]
            efforts.append(combine_affine(terms, h[i]))
        return Motion(accelerations, efforts, forces, [foot.held.axes for foot in feet])

    def _foot(self, leg: Leg, q: Any, qd: Any, drag: float) -> Foot:
        """Return how a foot that is held ties its leg's accelerations to others: a_leg = -K a_rest - k."""
        held = leg.contact.hold(self.robot, self.axes, q, qd)
        rest = (*self.base, *leg.others)
        own, size = held.J[:, leg.own], leg.contact.size
        drift = held.drift + drag * (held.J @ qd)
        solve = _solver_of(own, size, leg.volume)
        K = np.array([solve(held.J[:, j]) for j in rest]).T.reshape(size, len(rest))
        return Foot(leg, held, rest, K, solve(drift))

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
                    add_entry(rows[i], self.place[j], choose(flag > 0.5, foot.held.J[r, i], -M[i, j]))
                    moved = flag * M[i, j]
                    added[i] = added[i] + moved * foot.k[r]
                    for k, rest in enumerate(foot.rest):
                        if rest in self.base:
                            W[i][rest] = W[i][rest] - moved * foot.K[r, k]
                        else:
                            add_entry(rows[i], self.place[rest], moved * foot.K[r, k])
        return _solve_square(W, [M[i, i] for i in range(BASE)], list(zip(rows, added, strict=True)))


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot: what it holds, the coordinates that move it beside its own, and K, k: a_leg = -K a_rest - k."""

    leg: Leg
    held: Held
    rest: tuple[int, ...]
    K: Any
    k: Any


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


def _solver_of(own: Any, size: int, usual: float) -> Any:
    """Return a function that solves own x = b; near singular matrices, by damped least squares."""
    if size == 3:
        volume = dot(own[0], cross(own[1], own[2]))
        inverse = _inverse(own.T @ own + _damping(volume, size, usual) * np.eye(size)) @ own.T
        return lambda b: inverse @ b
    square = own.T @ own
    volume = 1.0
    for pivot in _factor(square)[1]:
        volume = volume * pivot
    L, pivots = _factor(square + _damping(maximum(volume, 0.0) ** 0.5, size, usual) * np.eye(size))
    inverses = [1.0 / pivot for pivot in pivots]

    def solve(b: Any) -> Any:
        x = list(own.T @ b)
        for i in range(size):
            x[i] = x[i] - dot(L[i], x[:i])
        x = [a * d for a, d in zip(x, inverses, strict=True)]
        for i in reversed(range(size)):
            for j in range(i):
                x[j] = x[j] - L[i][j] * x[i]
        return np.array(x)

    return solve


def _damping(volume: Number, size: int, usual: float) -> Number:
    share = volume * (1.0 / (STRAIGHT * usual))
    return (STRAIGHT * usual ** (1.0 / size)) ** 2 * maximum(1.0 - share * share, 0.0)


def _factor(a: Any) -> tuple[list[list[Number]], list[Number]]:
    """Return L below its diagonal of ones and D with L D L' = a, symmetric and positive."""
    L, pivots = list[list[Number]](), list[Number]()
    for i in range(len(a)):
        scaled = list[Number]()
        for j in range(i):
            scaled.append(a[i][j] - dot(scaled, L[j]))
        row = [x * (1.0 / pivot) for x, pivot in zip(scaled, pivots, strict=True)]
        L.append(row)
        pivots.append(maximum(a[i][i] - dot(scaled, row), LITTLE))
    return L, pivots


LITTLE = 1e-30
"""Pivot at least of a square of a leg's Jacobian."""


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
