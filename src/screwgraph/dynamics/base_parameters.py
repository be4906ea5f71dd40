"""Base parameters: the combinations of parameters that joint torques show, as few as there can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.arguments import checked
from screwgraph.dynamics.closed_chains import SINGULAR
from screwgraph.dynamics.regressor import linear_parameters, regressor
from screwgraph.errors import InputError
from screwgraph.robot import Robot, closed_states, constraint_jacobian, independent_coordinates
from screwgraph.robot.parameters import parameters_of
from screwgraph.summary import one_line

STATES_PER_PARAMETER = 2
"""Random states for each parameter: each gives a row or more."""
DEPENDENT = 1e-9
"""Part of a column of the regressor, of unit length, beyond others below which it depends on these."""
ROUNDING = 1e-9
"""Coefficients of combinations below this are zero."""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The combinations of parameters pi (k,) that joint torques depend on: pi_base = map @ pi, (rank,).

    `labels` names the numbers of pi, `independent` are the places of those that lead a combination, `expressions`
    writes them out. tau = Y[:, independent] @ pi_base for all motions, with Y of `regressor` for the same parameters.
    """

    __repr__ = one_line

    labels: tuple[str, ...]
    independent: tuple[int, ...]
    map: Float[np.ndarray, "rank k"]

    @property
    def rank(self) -> int:
        """How many there are."""
        return len(self.independent)

    @property
    def expressions(self) -> tuple[str, ...]:
        """The combinations as text: "link1.Izz + link2.Iyy + 0.09 link2.m"."""
        return tuple(_sum(self.labels, row, i) for row, i in zip(self.map, self.independent, strict=True))

    def __str__(self) -> str:
        return "\n".join(self.expressions)


@checked
def base_parameters(
    robot: Robot, *, parameters: Sequence[str] | None = None, payload: str | None = None
) -> BaseParameters:
    """Return the base parameters of a robot: what of its parameters joint torques can tell (SI units).

    Columns of the regressor at random states, closed ones where there are loops, are looked at from the base to the
    tips; one that depends on those before it is a combination of these. Gautier (1991). `parameters` as for
    `regressor`.

    Raises:
        InputError: as `regressor`; no position closes the loops.
    """
    names = linear_parameters(robot) if parameters is None else tuple(parameters)
    labels = tuple(label for p in parameters_of(robot, names, payload) for label in p.labels(robot))
    Y = regressor(robot, parameters=names, payload=payload)
    rows = np.concatenate(Y(*_motions(robot, STATES_PER_PARAMETER * len(labels) + 1)))
    return BaseParameters(labels, *_combinations(rows))


def _motions(robot: Robot, count: int) -> tuple[np.ndarray, ...]:
    """Return positions, closed ones where there are loops, velocities and accelerations of independent coordinates."""
    rng = np.random.default_rng(0)
    if not robot.is_closed:
        return np.array([robot.random(rng) for _ in range(count)]), *rng.standard_normal((2, count, robot.nv))
    free = independent_coordinates(robot)
    follow = np.setdiff1d(np.arange(robot.nv), free)
    q = np.array([q for q in closed_states(robot, count) if _is_regular(robot, q, follow)])
    if not len(q):
        raise InputError(
            f"robot {robot.name!r} has no base parameters",
            why="at no closed position that was found do the independent joints determine the others",
        )
    return q, *rng.standard_normal((2, len(q), len(free)))


def _is_regular(robot: Robot, q: np.ndarray, follow: np.ndarray) -> bool:
    K = constraint_jacobian(robot, q)[list(robot.mobility.kept)][:, follow]
    return bool(np.linalg.svd(K, compute_uv=False).min(initial=1.0) > 1e4 * SINGULAR)


def _combinations(Y: Float[np.ndarray, "rows k"]) -> tuple[tuple[int, ...], Float[np.ndarray, "rank k"]]:
    """Return independent columns, each with what it stands for: a row of coefficients for all columns."""
    size = np.linalg.norm(Y, axis=0)
    unit = Y / np.where(size > 0.0, size, 1.0)
    basis, found = np.zeros((len(Y), 0)), list[int]()
    for i in np.flatnonzero(size > ROUNDING * size.max(initial=0.0)):
        rest = unit[:, i] - basis @ (basis.T @ unit[:, i])
        rest = rest - basis @ (basis.T @ rest)  # twice is enough: Kahan & Parlett
        length = np.linalg.norm(rest)
        if length > DEPENDENT:
            basis, found = np.column_stack([basis, rest / length]), [*found, int(i)]
    B = np.linalg.lstsq(Y[:, found], Y, rcond=None)[0] if found else np.zeros((0, Y.shape[1]))
    B[:, found] = np.eye(len(found))
    scale = size / np.where(size[found] > 0.0, size[found], 1.0)[:, None] if found else B
    return tuple(found), np.where(np.abs(B) > ROUNDING * np.maximum(scale, 1.0), B, 0.0)


def _sum(labels: Sequence[str], row: Float[np.ndarray, " k"], first: int) -> str:
    others = [i for i in np.flatnonzero(row).tolist() if i != first]
    terms = [f"{'+' if row[i] > 0.0 else '-'} {_factor(abs(row[i]))}{labels[i]}" for i in others]
    return " ".join([labels[first], *terms])


def _factor(x: float) -> str:
    return "" if abs(x - 1.0) < ROUNDING else f"{x:.6g} "
