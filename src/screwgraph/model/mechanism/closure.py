"""The position problem: damped Newton steps onto positions at which a mechanism closes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import ModelError
from screwgraph.model.mechanism.build_constraints import constraints_of
from screwgraph.model.mechanism.equations import jacobian, residual
from screwgraph.model.mechanism.inconsistent_body import find_inconsistent_body
from screwgraph.model.robot.closure.levenberg_marquardt import take_damped_step
from screwgraph.tape import SAMPLES, WIDE, Program, Tape, program

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism

STEPS = 200
TOLERANCE = 1e-11
"""Loop-closure error, relative to the size of a mechanism, at which it is closed."""
ROUGH = 1e-6
"""Loop-closure error, relative to the size, that redundant rows may be left with: files print few digits."""


@dataclass(frozen=True, eq=False)
class ClosureCode:
    """Phi and Phi_q, the same for one position or a batch.

    `function` returns Phi, then the entries of Phi_q at `places`; `parts` is what each row stems from.
    """

    function: Callable[[Any], np.ndarray]
    parts: tuple[str, ...]
    places: tuple[np.ndarray, np.ndarray]

    def __call__(self, q: Float[np.ndarray, "*batch n"]) -> tuple[np.ndarray, np.ndarray]:
        """Return Phi (..., m) and Phi_q (..., m, n)."""
        flat, m = self.function(q), len(self.parts)
        J = np.zeros((*flat.shape[:-1], m, np.shape(q)[-1]))
        J[..., *self.places] = flat[..., m:]
        return flat[..., :m], J


@dataclass(frozen=True, eq=False)
class ClosingProgram:
    """Phi, then the entries of Phi_q at `places`, as straight-line code of the coordinates."""

    program: Program
    parts: tuple[str, ...]
    places: tuple[np.ndarray, np.ndarray]

    @property
    def interpreter(self) -> ClosureCode:
        """The same without machine code: for the few positions at which a mechanism is looked at first."""
        return ClosureCode(self._evaluate_batch, self.parts, self.places)

    def _evaluate_batch(self, q: Float[np.ndarray, "*batch n"]) -> np.ndarray:
        columns = np.asarray(q, dtype=float)
        values = self.program.evaluate([columns[..., i] for i in range(columns.shape[-1])])
        return np.stack([np.broadcast_to(value, columns.shape[:-1]) for value in values], axis=-1)


def trace_closure(mechanism: Mechanism) -> ClosingProgram:
    """Return Phi(q) and Phi_q(q) as straight-line code; entries that are always zero are not computed."""
    tape, samples = Tape(), np.random.default_rng(0).standard_normal((SAMPLES + WIDE, mechanism.n))
    q = list(tape.vector([f"q[{i}]" for i in range(mechanism.n)], samples))
    slopes = jacobian(mechanism, q)
    code = program(tape, [*residual(mechanism, q), *slopes.values()])
    parts = tuple(c.part for c in mechanism.constraints for _ in range(c.rows))
    rows, columns = (np.array([place[k] for place in slopes], dtype=int) for k in range(2))
    return ClosingProgram(code, parts, (rows, columns))


def characteristic_length(mechanism: Mechanism) -> float:
    """Return the length (m) that closure errors are judged by."""
    lengths = [float(body.length) for body in mechanism.bodies]
    return max([1e-6, *lengths])


def check_ground(mechanism: Mechanism) -> None:
    """Check what ties fixed points only.

    Raises:
        ModelError: a body through fixed points is longer or shorter than they are apart.
    """
    for constraint in constraints_of(mechanism):
        if not constraint.coordinates:
            residual = max(abs(float(value)) for value in constraint(()))
            if residual > ROUGH * characteristic_length(mechanism) ** 2:
                raise ModelError(
                    f"{constraint.part} does not fit between fixed points: its constraint is off by {residual:.3g}",
                    at=mechanism.places.get(constraint.part),
                )


def closure_errors(residual: Float[np.ndarray, " m"], jacobian: Float[np.ndarray, "m n"]) -> Float[np.ndarray, " m"]:
    """Return how far (m, rad) coordinates are from closing each row: residuals over the lengths of their gradients."""
    slope = np.sqrt((jacobian * jacobian).sum(axis=-1))
    return np.abs(residual) / np.maximum(np.maximum(slope, np.sqrt(np.abs(residual))), 1e-300)


def find_assembled(mechanism: Mechanism, code: ClosureCode) -> Float[np.ndarray, " n"]:
    """Return the coordinates at the beginning: closed near the drawing, angles that are given held.

    Raises:
        ModelError: the mechanism cannot be assembled.
    """
    check_ground(mechanism)
    held = [i for i, angle in enumerate(mechanism.angles) if angle.start is not None]
    free = np.ones(mechanism.n, dtype=bool)
    free[[mechanism.angle_slots[i] for i in held]] = False
    return assemble_near(mechanism, code, mechanism.guess(), free)


def assemble_near(
    mechanism: Mechanism,
    code: ClosureCode,
    guess: Float[np.ndarray, " n"],
    free: Bool[np.ndarray, " n"],
    kept: Sequence[int] | None = None,
) -> Float[np.ndarray, " n"]:
    """Return the closed position nearest to a guess, moving the free coordinates only; the guess chooses the branch.

    `kept` are the rows that count, by default all; the others may be left with a small closure error.

    Raises:
        ModelError: there is none nearby; named is the body whose lengths the guess contradicts, or, where there is no
            such one, the part with the largest closure error.
    """
    rows = code.parts
    chosen = list(range(len(rows))) if kept is None else list(kept)
    size = characteristic_length(mechanism)
    q = descend_closure(code, guess, free, chosen, TOLERANCE * size)
    residual, jacobian = code(q)
    left = closure_errors(residual, jacobian)
    if not (left <= ROUGH * size).all():
        worst, contradicted = int(np.argmax(left)), find_inconsistent_body(mechanism, guess)
        part, how = contradicted or (rows[worst], f"remains violated by {left[worst]:.3g}")
        many = "lengths do not allow it, redundant constraints contradict each other, or the drawing is too far off"
        raise ModelError(
            f"mechanism {mechanism.name!r} cannot be assembled: {part} {how}",
            at=mechanism.places.get(part),
            why="nothing nearby closes with that length" if contradicted else many,
            fix="check lengths, and draw it nearer to how it closes",
        )
    return q


def descend_closure(
    code: ClosureCode,
    guess: Float[np.ndarray, " n"],
    free: Bool[np.ndarray, " n"],
    chosen: Sequence[int],
    tolerance: float,
) -> Float[np.ndarray, " n"]:
    """Return where Levenberg-Marquardt steps lead."""
    q = np.array(guess, dtype=float)
    for _ in range(STEPS):
        r, J = (part[chosen] for part in code(q))
        if closure_errors(r, J).max(initial=0.0) <= 1e-2 * tolerance or not free.any():
            break
        nearer = take_damped_step(r, J[:, free], partial(_ahead, code, chosen, q, free))
        if nearer is None:
            break
        q = nearer
    return q


def _ahead(
    code: ClosureCode, chosen: Sequence[int], q: np.ndarray, free: np.ndarray, change: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    there = q.copy()
    there[free] += change
    return there, code(there)[0][chosen]
