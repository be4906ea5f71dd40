"""Motions of a whole model that no actuator, spring, damper or constraint resists: their momenta are conserved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.summary import one_line
from screwgraph.model.robot import Robot, frame_pose, link_twists
from screwgraph.motion.planning.factors.dynamics import compile_required_forces
from screwgraph.motion.planning.factors.loop_closure import closure_errors
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.vector_code import compile_on_arrays
from screwgraph.optimize.manifold_code import retract_values
from screwgraph.spatial import Ad

NUDGE = 1e-5
TINY = 1e-300
SEED = 0
CONSERVED = 1e-6
"""Largest force, as a part of those that move the model, of a momentum that counts as conserved."""

Forces = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Symmetries:
    """Fields of velocities (nv, r) along which a model moves without any force but gravity and contacts.

    Some are `constant` (nv, k): coordinates on which nothing depends. Others move one link, and all that hangs on it,
    by `twists` (6, r - k) of space: its joints reach them by the inverse of the link's spatial Jacobian.
    """

    __repr__ = one_line

    constant: Float[np.ndarray, "nv k"]
    twists: Float[np.ndarray, "6 n"] | None = None
    jacobian: Callable[[np.ndarray], np.ndarray] | None = None
    coordinates: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """Number of conserved momenta."""
        return self.constant.shape[1] + (0 if self.twists is None else self.twists.shape[1])

    @property
    def turning(self) -> Bool[np.ndarray, " r"]:
        """Which fields turn a link, the last ones; others slide it, or are constant."""
        constant = np.zeros(self.constant.shape[1], dtype=bool)
        return constant if self.twists is None else np.append(constant, self.twists[:3].any(axis=0))

    def __call__(self, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N nv r"]:
        """Return the fields at positions."""
        fields = np.broadcast_to(self.constant, (len(q), *self.constant.shape))
        if self.twists is None or self.jacobian is None:
            return fields
        moving = np.zeros((len(q), len(self.constant), self.twists.shape[1]))
        J = self.jacobian(q).reshape(len(q), 6, -1)
        moving[:, list(self.coordinates)] = np.linalg.pinv(J) @ self.twists
        return np.concatenate([fields, moving], axis=2)


def find_symmetries(steps: TrajectoryUnknowns, wrenches: Sequence[Wrench]) -> Symmetries:
    """Return the symmetries of a model with its drive. Noether (1918).

    Candidates are tried at random states: along a symmetry, forces less those of gravity are the rate of the momentum.
    """
    key = ("symmetries", steps.drive)
    return steps.mechanics.get_or_make(
        key, lambda: _search(steps.mechanics, set(steps.actuated), compile_required_forces(steps, wrenches))
    )


def inertia_times(forces: Forces, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the mass matrix times v (N, nv), by inverse dynamics."""
    still = np.zeros_like(v)
    return forces(q, still, v) - forces(q, still, still)


def project(fields: Float[np.ndarray, "N nv r"], along: Float[np.ndarray, "N nv"]) -> Float[np.ndarray, "N r"]:
    """Return the components of forces or momenta along fields."""
    return np.einsum("nvr,nv->nr", fields, along)


def _search(mechanics: Mechanics, actuated: set[int], forces: Forces) -> Symmetries:
    robot = mechanics.robot
    free = [c for c in range(robot.nv) if c not in actuated]
    none = Symmetries(np.zeros((robot.nv, 0)))
    if not free:
        return none
    trial = _Trial(mechanics, sorted(actuated), forces)
    constant = np.eye(robot.nv)[:, free] @ trial.find_symmetries(Symmetries(np.eye(robot.nv)[:, free]))
    for candidate in _chains(mechanics):
        if candidate.twists is None or actuated.issuperset(candidate.coordinates):
            continue
        twists = candidate.twists @ trial.find_symmetries(candidate)
        found = replace(candidate, constant=constant, twists=twists)
        more = [c - constant.shape[1] for c in trial.independent(found) if c >= constant.shape[1]]
        if more:  # several such trees at one base are rare
            return replace(found, twists=twists[:, more])
    return Symmetries(constant)


class _Trial:
    """Random states at which candidates are tried."""

    def __init__(self, mechanics: Mechanics, actuated: Sequence[int], forces: Forces) -> None:
        robot, rng = mechanics.robot, np.random.default_rng(SEED)
        count = 2 * (robot.nv + 6)
        self.mechanics, self.actuated, self.forces = mechanics, list(actuated), forces
        self.q = np.array([robot.manifold.random(rng) for _ in range(count)])
        self.v, self.a = rng.standard_normal((2, count, robot.nv))

    def find_symmetries(self, candidate: Symmetries) -> Float[np.ndarray, "r k"]:
        """Return a basis of the combinations of a candidate's fields that are symmetries."""
        fields, still = candidate(self.q), np.zeros_like(self.v)
        if not candidate.count:
            return np.zeros((0, 0))
        moving = self.forces(self.q, self.v, self.a) - self.forces(self.q, still, still)
        size = np.abs(fields).max(axis=(0, 1)) * max(np.abs(moving).max(), TINY)
        rows = [(project(fields, moving) - self._rate(candidate)) / size]
        rows += [fields[:, c] for c in self.actuated]
        if self.mechanics.robot.is_closed:
            rows.append(self._opening(fields))
        return null_space(np.concatenate(rows))

    def _rate(self, candidate: Symmetries) -> np.ndarray:
        """Return the rates of momenta at the random motions."""
        manifold, found = self.mechanics.positions, []
        for sign in (NUDGE, -NUDGE):
            q, v = retract_values(manifold, self.q, sign * self.v), self.v + sign * self.a
            found.append(project(candidate(q), inertia_times(self.forces, q, v)))
        return (found[0] - found[1]) / (2.0 * NUDGE)

    def _opening(self, fields: np.ndarray) -> np.ndarray:
        """Return the rates at which motions along fields open loops, or break couplings."""
        mechanics, robot = self.mechanics, self.mechanics.robot
        errors = mechanics.get_or_make(
            "closure errors",
            lambda: compile_on_arrays(lambda q: closure_errors(mechanics, q), (robot.nq,), robot.mobility.rank),
        )
        columns = []
        for j in range(fields.shape[2]):
            there, back = (
                errors(retract_values(mechanics.positions, self.q, s * fields[:, :, j])) for s in (NUDGE, -NUDGE)
            )
            columns.append(((there - back) / (2.0 * NUDGE)).ravel())
        return np.stack(columns, axis=1)

    def independent(self, candidate: Symmetries) -> list[int]:
        """Return which fields are no combinations of those before."""
        fields = candidate(self.q)
        flat, chosen = fields.reshape(len(fields) * fields.shape[1], fields.shape[2]), list[int]()
        for j in range(flat.shape[1]):
            if np.linalg.matrix_rank(flat[:, [*chosen, j]], tol=CONSERVED * np.linalg.norm(flat[:, j])) > len(chosen):
                chosen.append(j)
        return chosen


def _chains(mechanics: Mechanics) -> Iterator[Symmetries]:
    """Return, for each joint at the base, the longest chain of joints from there whose motions are a group."""
    robot = mechanics.robot
    if not robot.has_frames:
        return
    for joint in robot.children(robot.links[0].name):
        groups, chain = [], [joint]
        while sum(j.type.nv for j in chain) <= 6:
            group = _group(mechanics, chain[-1].child, [c for j in chain for c in mechanics.coordinates(j.name)])
            groups += [group] if group is not None else []
            onward = robot.children(chain[-1].child)
            if len(onward) != 1:
                break
            chain.append(onward[0])
        yield from groups[-1:]


def _group(mechanics: Mechanics, link: str, coordinates: Sequence[int]) -> Symmetries | None:
    """Return the motions of a link by its joints, where they are the same twists of space at all positions."""
    robot, rng = mechanics.robot, np.random.default_rng(SEED)
    jacobian = mechanics.get_or_make(
        ("spatial Jacobian", link),
        lambda: compile_on_arrays(
            lambda q: _spatial_jacobian(robot, link, coordinates, q), (robot.nq,), 6 * len(coordinates)
        ),
    )
    q = np.array([robot.manifold.random(rng) for _ in range(4)])
    found = jacobian(q).reshape(len(q), 6, -1)
    # Columns span one space at all positions: the rank of all Jacobians side by side is that of each.
    basis, sizes, _ = np.linalg.svd(np.concatenate(list(found), axis=1))
    if (sizes > CONSERVED * sizes[0]).sum() > len(coordinates) or np.linalg.matrix_rank(found[0]) < len(coordinates):
        return None
    basis = _reduce_to_echelon(basis[:, : len(coordinates)].T).T
    return Symmetries(np.zeros((robot.nv, 0)), basis, jacobian, tuple(coordinates))


def _spatial_jacobian(robot: Robot, link: str, coordinates: Sequence[int], q: Any) -> np.ndarray:
    """Return the twists of space (6, k) at which a link moves by each coordinate. Lynch & Park (5.11)."""
    T = frame_pose(robot, robot.frame(link), q)
    columns = [Ad(T) @ link_twists(robot, q, np.eye(robot.nv)[c], [link])[link] for c in coordinates]
    return np.stack(columns, axis=1)


def steady_gravity(
    fields: Float[np.ndarray, "N nv r"], weights: Float[np.ndarray, "N nv"]
) -> tuple[Float[np.ndarray, "r k"], Float[np.ndarray, "N k"]]:
    """Return the combinations of momenta along fields of which gravity has a constant rate, and these rates.

    Args:
        fields: at N positions.
        weights: forces (N m, N) that hold the model at rest there.
    """
    gravity = -project(fields, weights)
    size = np.abs(fields).max(axis=(0, 1)) * max(np.abs(weights).max(), TINY)
    steady = null_space((gravity - gravity[0]) / size)
    return steady, gravity @ steady


def null_space(rows: Float[np.ndarray, "n r"]) -> Float[np.ndarray, "r k"]:
    """Return a basis of what rows of order 1 send to zero, with as many ones and zeros as can be."""
    _, sizes, directions = np.linalg.svd(rows)
    padded = np.zeros(rows.shape[1])
    padded[: len(sizes)] = sizes
    return _reduce_to_echelon(directions[padded <= CONSERVED * np.sqrt(len(rows))]).T


def _reduce_to_echelon(rows: Float[np.ndarray, "k r"]) -> Float[np.ndarray, "k r"]:
    """Return rows with the same span, each with a 1 where the others are 0."""
    rows, row = rows.copy(), 0
    for column in range(rows.shape[1]):
        if row == len(rows):
            break
        pivot = row + int(np.abs(rows[row:, column]).argmax())
        if abs(rows[pivot, column]) < 1e-3:
            continue
        rows[[row, pivot]] = rows[[pivot, row]]
        rows[row] /= rows[row, column]
        others = np.arange(len(rows)) != row
        rows[others] -= np.outer(rows[others, column], rows[row])
        row += 1
    rows[np.abs(rows) < 1e-9] = 0.0
    return rows
