"""Dynamics of a robot as code, some of whose parameters are inputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.errors import EliminationError
from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics import bias_forces, mass_matrix
from screwgraph.mechanics.kinematics import kinetic_energy
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import KINDS, ROTORS, Parameter
from screwgraph.motion.simulation.contacts.laws.row_factors import factor_rows, solve_rows
from screwgraph.tape import Number, Row, dot
from screwgraph.tape.sparse_rows import is_zero, to_sparse_rows

Spring = tuple[str, Number, Number]
"""A joint, the stiffness (N m/rad, N/m) of a spring along it, and where it rests (rad, m)."""
ROWS_OF_JOINTS = {"friction", "stiffness"}
"""Kinds of parameters that act at the end of a step."""
BASE = 6
"""Velocities of a base that floats."""


@dataclass(frozen=True, eq=False)
class LiveBody:
    """A tree of links, and springs of its joints; values of its `live` parameters are given as one vector."""

    __repr__ = one_line

    tree: Robot
    live: tuple[Parameter, ...]
    held: tuple[Spring, ...] = ()

    def mass_matrix(self, q: Any, values: Any) -> list[Row]:
        """Return the lower triangle of the mass matrix."""
        names, payload, numbers = self._select(ROTORS, values)
        M = mass_matrix(self.tree, parameters=names, payload=payload)(q, *numbers)
        return [dict(row) for row in to_sparse_rows(np.tril(M))]

    def damped_mass_matrix(self, q: Any, h: Number, values: Any) -> list[Row]:
        """Return the mass matrix with what dampers and springs add to it where they act at the end of a step h."""
        M = self.mass_matrix(q, values)
        for i, d in enumerate(self.damping(values)):
            if not is_zero(d):
                M[i][i] = M[i][i] + h * d
        for name, stiffness, _ in self.springs(values):
            i = self.tree.v_slices[name].start
            M[i][i] = M[i][i] + h * h * stiffness
        return M

    def bias(self, q: Any, qd: Any, values: Any) -> Any:
        """Return the forces that no acceleration makes, Coriolis', gravity's and dampers'."""
        names, payload, numbers = self._select(KINDS.keys() - ROWS_OF_JOINTS, values)
        return bias_forces(self.tree, parameters=names, payload=payload)(q, np.array(qd), *numbers)

    def kinetic_energy(self, q: Any, qd: Any, values: Any) -> Number:
        """Return the kinetic energy (J)."""
        names, payload, numbers = self._select(ROTORS, values)
        return kinetic_energy(self.tree, parameters=names, payload=payload)(q, np.array(qd), *numbers).item()

    def lock_joints(self, q: Any, qd: Any, values: Any) -> list[Number]:
        """Return the velocities of the same momentum with which all links move as one: zero where no base floats."""
        qd, base = list(qd), BASE if self.tree.joints[0].type.nv == BASE else 0
        lower = self.mass_matrix(q, values)
        M = [[lower[max(i, j)].get(min(i, j), 0.0) for j in range(len(qd))] for i in range(base)]
        momentum = [dot(row, qd) for row in M]
        return [*solve_rows(*factor_rows([row[:base] for row in M]), momentum), *[0.0] * (len(qd) - base)]

    def damping(self, values: Any) -> list[Number]:
        """Return the damping of each coordinate (N m s/rad, N s/m)."""
        levels = self._read_kind("damping", values)
        return [levels.get(j.name, (j.damping,))[0] for j in self.tree.joints for _ in range(j.type.nv)]

    def friction(self, values: Any) -> list[Number]:
        """Return the dry friction of each coordinate (N m, N)."""
        levels = self._read_kind("friction", values)
        return [levels.get(j.name, (j.friction,))[0] for j in self.tree.joints for _ in range(j.type.nv)]

    def springs(self, values: Any) -> list[Spring]:
        """Return the springs along joints: the name of each, stiffness (N m/rad, N/m), rest position (rad, m)."""
        return [*self.held, *((name, k, rest) for name, (k, rest) in self._read_kind("stiffness", values).items())]

    def _read_kind(self, kind: str, values: Any) -> dict[str, Any]:
        """Return the numbers of live parameters of a kind, by joints."""
        return {p.part: numbers for p, numbers in self._given(values).items() if p.kind == kind}

    def _given(self, values: Any) -> Mapping[Parameter, Any]:
        ends = np.cumsum([len(p.nominal(self.tree)) for p in self.live])
        return dict(zip(self.live, np.split(values, ends[:-1]), strict=True)) if self.live else {}

    def _select(self, kinds: Collection[str], values: Any) -> tuple[tuple[str, ...], str | None, tuple[Any, ...]]:
        """Return names of parameters of some kinds, the link with a payload, and their values as arguments."""
        given = self._given(values)
        parts = {p.name: own for p, own in given.items() if p.kind in kinds}
        payload = next((p.part for p in given if p.kind == "payload"), None)
        return tuple(parts), payload, (np.concatenate(list(parts.values())),) if parts else ()


def add_springs(robot: Robot, springs: Sequence[Spring], tau: Any, q: Any, way: Sequence[Number]) -> list[Number]:
    """Return torques with those of springs after a way from q: the joint of each, N m/rad, and where it rests."""
    force = list(tau)
    for name, stiffness, rest in springs:
        i, at = robot.v_slices[name].start, robot.q_slices[name].start
        force[i] = force[i] - stiffness * (q[at] + way[i] - rest)
    return force


def idle_joint_error(robot: Robot, place: int) -> EliminationError:
    """Return the error for a velocity coordinate that moves nothing."""
    names = [name for name, own in robot.v_slices.items() for _ in range(own.start, own.stop)]
    return EliminationError(
        f"joint {names[place]!r} moves nothing that has inertia", fix="give it an armature, or lock it"
    )
