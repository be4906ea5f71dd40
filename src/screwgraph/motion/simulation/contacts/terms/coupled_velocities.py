"""Velocities that linear couplings leave free: gears, belts and followers give the others, by constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.model.robot import Robot, constraint_rows
from screwgraph.spatial import Array
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import add_entry, multiply_rows, multiply_transposed, multiply_vector

SMALL = 1e-3
"""Part of a coupling's largest coefficient from which on a joint may be given by the others."""


@dataclass(frozen=True, eq=False)
class CoupledVelocities:
    """Velocities v = S y of all coordinates by the free ones y, S constant; without couplings all are free.

    `free` are the places of y in v, `rows` is S by rows, `loops` are the places of all other constraints among those
    that are independent: of these K v = 0, K S y = 0 is left. Where joints of couplings are, q = S q_free + `offsets`.
    """

    __repr__ = one_line

    free: tuple[int, ...]
    rows: tuple[Row, ...]
    offsets: tuple[float, ...]
    loops: tuple[int, ...]

    @property
    def matrix(self) -> Float[np.ndarray, "n free"]:
        """S, dense."""
        S = np.zeros((len(self.rows), len(self.free)))
        for own, row in zip(S, self.rows, strict=True):
            own[list(row)] = list(row.values())
        return S

    def spread(self, y: Sequence[Number]) -> list[Number]:
        """Return the velocities S y of all coordinates."""
        return multiply_vector(self.rows, y)

    def select(self, v: Sequence[Number]) -> list[Number]:
        """Return the free ones of all velocities."""
        return [v[i] for i in self.free]

    def gather(self, force: Sequence[Number]) -> list[Number]:
        """Return the forces S' f along free coordinates."""
        return multiply_transposed(self.rows, force, len(self.free))

    def gather_rows(self, J: Sequence[Row]) -> list[Row]:
        """Return the rows of J S: a Jacobian by free velocities."""
        return multiply_rows(J, self.rows)

    def gather_matrix(self, M: Sequence[Row]) -> list[Row]:
        """Return S' M S of a symmetric matrix; of both, the lower triangle by rows."""
        found: list[Row] = [{} for _ in self.free]
        for i, j, x in ((i, j, x) for i, row in enumerate(M) for j, x in row.items()):
            for a, s in self.rows[i].items():
                for b, t in self.rows[j].items():
                    for upper, lower in ((a, b),) if i == j else ((a, b), (b, a)):
                        if upper >= lower:
                            add_entry(found[upper], lower, s * t * x)
        return found


def keep_all_velocities(n: int, rank: int = 0) -> CoupledVelocities:
    """Return that all of n velocities are free, of a model with so many independent constraints."""
    return CoupledVelocities(tuple(range(n)), tuple({i: 1.0} for i in range(n)), (0.0,) * n, tuple(range(rank)))


def find_free_velocities(robot: Robot) -> CoupledVelocities:
    """Return the free velocities of a robot: a linear coupling gives that of its joint which carries least.

    That is the rotor of a gear, so that the mass matrix by free velocities is as sparse as without rotors.
    """
    if not robot.couplings:
        return keep_all_velocities(robot.nv, robot.mobility.rank if robot.is_closed else 0)
    n, kept, first = robot.nv, robot.mobility.kept, len(constraint_rows(robot)) - len(robot.couplings)
    linear = {row: robot.couplings[row - first] for row in kept if row >= first}
    linear = {row: coupling for row, coupling in linear.items() if coupling.is_linear}
    carried = [len(robot.links)] * n
    for joint in robot.joints:
        carried[robot.v_slices[joint.name].start] = sum(joint in robot.joints_to_base(k.child) for k in robot.joints)
    C = np.zeros((len(linear), n + 1))  # beside each row its offset
    for row, coupling in zip(C, linear.values(), strict=True):
        row[[*(robot.v_slices[joint].start for joint in coupling.terms), n]] = *coupling.terms.values(), coupling.offset
    given = list[int]()
    for i, row in enumerate(C):
        large = np.flatnonzero(np.abs(row[:n]) > SMALL * np.abs(row[:n]).max())
        given.append(min(large.tolist(), key=lambda j: (carried[j], -j)))
        row /= row[given[-1]]
        for k in range(len(C)):
            if k != i and C[k, given[-1]]:
                C[k] -= C[k, given[-1]] * row
                C[k, given[-1]] = 0.0
    free = [i for i in range(n) if i not in given]
    rows, offsets = [dict[int, Number]() for _ in range(n)], [0.0] * n
    for k, i in enumerate(free):
        rows[i][k] = 1.0
    for i, row in zip(given, C, strict=True):
        rows[i] = {k: -float(row[j]) for k, j in enumerate(free) if row[j]}
        offsets[i] = float(row[n])
    return CoupledVelocities(
        tuple(free), tuple(rows), tuple(offsets), tuple(k for k, row in enumerate(kept) if row not in linear)
    )


def couple_positions(robot: Robot, coupled: CoupledVelocities, q: Float[Array, " nq"]) -> Float[Array, " nq"]:
    """Return positions where joints whose velocities are not free stand as linear couplings ask for."""
    given = set(range(len(coupled.rows))) - set(coupled.free)
    if not given:
        return q
    places = {robot.v_slices[j.name].start: robot.q_slices[j.name].start for j in robot.joints if j.type.nv == 1}
    found = list(q)
    for i in given:
        found[places[i]] = coupled.offsets[i] + sum(
            (x * q[places[coupled.free[k]]] for k, x in coupled.rows[i].items()), start=0.0
        )
    return np.array(found, dtype=object)
