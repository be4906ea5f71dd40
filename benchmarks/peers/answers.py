"""How peers lay out their answers, and how they read in our conventions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from screwgraph.ui.bench import NotMeasuredError, Tree


@dataclass(frozen=True)
class Answer:
    """Rows of a question's answer by nv, as many columns as are left; `read` turns (N, rows, columns) to ours."""

    rows: Callable[[int], int]
    symmetric: bool
    """Whether the last square block of columns has only its upper triangle."""
    read: Callable[[np.ndarray, Tree], np.ndarray]

    def ours(self, numbers: np.ndarray, bodies: Tree) -> np.ndarray:
        """Return answers (N, m), a matrix row by row, in our order of coordinates."""
        count, nv = len(numbers), len(bodies.v_places)
        found = numbers.reshape(count, self.rows(nv), -1)
        if self.symmetric:
            found = np.concatenate([found[:, :, :-nv], _mirrored(found[:, :, -nv:])], axis=2)
        return self.read(found, bodies)


def answer(question: str) -> Answer:
    """Return the layout of a question's answer. Raises NotMeasuredError if Pinocchio has no algorithm for it."""
    if question not in ANSWERS:
        raise NotMeasuredError(f"Pinocchio has no algorithm for {question}")
    return ANSWERS[question]


def _mirrored(upper: np.ndarray) -> np.ndarray:
    return np.triu(upper) + np.swapaxes(np.triu(upper, 1), 1, 2)


def _vector(found: np.ndarray, bodies: Tree) -> np.ndarray:
    return bodies.back(found[:, :, 0])


def _matrices(found: np.ndarray, bodies: Tree) -> np.ndarray:
    return bodies.back(found)


def _of_space(found: np.ndarray, bodies: Tree) -> np.ndarray:
    """A column a velocity; rows of angular velocity (or momentum) come first in ours."""
    return found[:, np.r_[3:6, 0:3]][:, :, np.argsort(bodies.v_places)]


def _second_order(found: np.ndarray, bodies: Tree) -> np.ndarray:
    """Second derivatives of torques: from d2/dq dq, dq dv, dv dv, da dq to ours, by (q, qd) and then (q, qd, qdd)."""
    nv, back = len(bodies.v_places), np.argsort(bodies.v_places)
    if not np.array_equal(np.sort(back), back):
        raise NotMeasuredError("its second derivatives are read of joints in our order only")
    qq, qv, vv, aq = np.moveaxis(found.reshape(len(found), nv, 4, nv, nv), 2, 0)
    mirrored = [np.swapaxes(x, 2, 3) for x in (qv, aq)]
    return np.concatenate([qq, mirrored[0], qv, vv, mirrored[1], np.zeros_like(qq)], axis=-1)


ANSWERS: Mapping[str, Answer] = {
    "inverse": Answer(lambda nv: nv, False, _vector),
    "forward": Answer(lambda nv: nv, False, _vector),
    "mass_matrix": Answer(lambda nv: nv, True, _matrices),
    "inverse_mass_matrix": Answer(lambda nv: nv, True, _matrices),
    "inverse_derivatives": Answer(lambda nv: nv, True, _matrices),
    "forward_derivatives": Answer(lambda nv: nv, True, _matrices),
    "inverse_second_derivatives": Answer(lambda nv: nv, False, _second_order),
    "forward_kinematics": Answer(lambda nv: 4, False, lambda found, bodies: found),
    "frame_jacobian": Answer(lambda nv: 6, False, _of_space),
    "center_of_mass": Answer(lambda nv: 3, False, lambda found, bodies: found[:, :, 0]),
    "centroidal_momentum_matrix": Answer(lambda nv: 6, False, _of_space),
}
