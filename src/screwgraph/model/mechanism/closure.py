"""The position problem: damped Newton steps onto positions at which a mechanism closes.

A body whose lengths are not those between its points may keep a mechanism from being assembled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import dist, hypot, log
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import ModelError
from screwgraph.model.mechanism.build_constraints import constraints_of
from screwgraph.model.mechanism.constraints import coordinate_value
from screwgraph.model.mechanism.equations import jacobian, residual
from screwgraph.model.robot.closure.levenberg_marquardt import take_damped_step
from screwgraph.tape import SAMPLES, WIDE, Program, Tape, program

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism
    from screwgraph.model.mechanism.parts import Body


STEPS = 200

TURNS = 9
"""Descents while angles turn, from up to half a turn off, to their values."""

TOLERANCE = 1e-11
"""Loop-closure error, in units of the closure, at which a mechanism is closed."""

ROUGH = 1e-6
"""Loop-closure error, in these units, that redundant rows may be left with: files print few digits."""

NOTABLE = 0.05
"""Relative difference of lengths from which it is worth a word."""

FAR_MORE = 2.0
"""So many times the next body's difference, that of one body explains what does not close."""

SHORT = 1e-9


@dataclass(frozen=True, eq=False)
class ClosureUnits:
    """Units in which coordinates and rows of Phi are numbers of the order 1, whatever the size of a mechanism.

    Lengths count in its size (m), angles in rad, and rows in powers of the size.
    """

    coordinates: Float[np.ndarray, " n"]
    rows: Float[np.ndarray, " m"]


@dataclass(frozen=True, eq=False)
class ClosureCode:
    """Phi and Phi_q, the same for one position or a batch.

    `function` returns Phi, then the entries of Phi_q at `places`; `parts` is what each row stems from.
    """

    function: Callable[[Any], np.ndarray]
    parts: tuple[str, ...]
    places: tuple[np.ndarray, np.ndarray]
    units: ClosureUnits

    def __call__(self, q: Float[np.ndarray, "*batch n"]) -> tuple[np.ndarray, np.ndarray]:
        """Return Phi (..., m) and Phi_q (..., m, n)."""
        flat, m = self.function(q), len(self.parts)
        J = np.zeros((*flat.shape[:-1], m, np.shape(q)[-1]))
        J[..., *self.places] = flat[..., m:]
        return flat[..., :m], J

    def in_units(self, q: Float[np.ndarray, "*batch n"]) -> tuple[np.ndarray, np.ndarray]:
        """Return Phi (..., m) and Phi_q (..., m, n) in `units`."""
        residual, J = self(q)
        return residual / self.units.rows, J * (self.units.coordinates / self.units.rows[:, None])


@dataclass(frozen=True, eq=False)
class ClosingProgram:
    """Phi, then the entries of Phi_q at `places`, as straight-line code of the coordinates."""

    program: Program
    parts: tuple[str, ...]
    places: tuple[np.ndarray, np.ndarray]
    units: ClosureUnits

    @property
    def interpreter(self) -> ClosureCode:
        """The same without machine code: for the few positions at which a mechanism is looked at first."""
        return self.with_function(self._evaluate_batch)

    def with_function(self, function: Callable[[Any], np.ndarray]) -> ClosureCode:
        """Return the code whose numbers a function returns."""
        return ClosureCode(function, self.parts, self.places, self.units)

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
    return ClosingProgram(code, parts, (rows, columns), closure_units(mechanism))


def characteristic_length(mechanism: Mechanism) -> float:
    """Return the size (m) of a mechanism: the length of its longest body."""
    return max((float(body.length) for body in mechanism.nominal.bodies), default=1.0)


def closure_units(mechanism: Mechanism) -> ClosureUnits:
    """Return the units of a mechanism's coordinates and of its rows."""
    degrees = [c.degree for c in mechanism.constraints for _ in range(c.rows)]
    rows = np.float_power(characteristic_length(mechanism), degrees)
    return ClosureUnits(coordinate_units(mechanism), rows)


def coordinate_units(mechanism: Mechanism) -> Float[np.ndarray, " n"]:
    """Return the size of a mechanism for coordinates that are lengths, 1 for angles and parts of unit vectors."""
    size = characteristic_length(mechanism)
    return np.array([size if column.unit == "m" else 1.0 for column in mechanism.columns["q"]])


def check_ground(mechanism: Mechanism) -> None:
    """Check what ties fixed points only.

    Raises:
        ModelError: a body through fixed points is longer or shorter than they are apart.
    """
    for constraint in constraints_of(mechanism):
        if not constraint.coordinates:
            residual = max(abs(float(value)) for value in constraint(()))
            if residual > ROUGH * characteristic_length(mechanism) ** constraint.degree:
                raise ModelError(
                    f"{constraint.part} does not fit between fixed points: its constraint is off by {residual:.3g}",
                    at=mechanism.places.get(constraint.part),
                )


def closure_errors(residual: Float[np.ndarray, " m"], jacobian: Float[np.ndarray, "m n"]) -> Float[np.ndarray, " m"]:
    """Return how far coordinates are from closing each row: residuals over the lengths of their gradients."""
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
        ModelError: there is none nearby; named is the body whose lengths the drawing contradicts, or, where there is
            no such one, the part with the largest closure error.
    """
    rows = code.parts
    chosen = list(range(len(rows))) if kept is None else list(kept)
    q = descend_closure(code, guess, free, chosen)
    left, turned = _judge_ends(mechanism, code, q)
    if turned:
        q = _turn_and_descend(mechanism, code, guess, free, chosen)
        left, turned = _judge_ends(mechanism, code, q)
    if not (left <= ROUGH).all() or turned:
        worst, contradicted = [*turned, int(np.argmax(left))][0], find_inconsistent_body(mechanism)
        open_by = "ends half a turn off" if turned else f"remains violated by {closure_errors(*code(q))[worst]:.3g}"
        part, how = contradicted or (rows[worst], open_by)
        many = "lengths do not allow it, redundant constraints contradict each other, or the drawing is too far off"
        raise ModelError(
            f"mechanism {mechanism.name!r} cannot be assembled: {part} {how}",
            at=mechanism.places.get(part),
            why="nothing nearby closes with that length" if contradicted else many,
            fix="check lengths, and draw it nearer to how it closes",
        )
    return q


def find_inconsistent_body(mechanism: Mechanism) -> tuple[str, str] | None:
    """Return the part whose lengths differ from the distances of its points as drawn far more than others', and how.

    Where none does, the drawing is poor all over, or lengths contradict each other: then there is None. The part that a
    search ends farthest from closing is another matter: it is the one that gives way most easily.
    """
    q = mechanism.guess()
    found = sorted((_difference(mechanism, body, q) for body in mechanism.bodies if len(body.points) > 1), reverse=True)
    if not found or found[0][0] < NOTABLE or (len(found) > 1 and found[0][0] < FAR_MORE * found[1][0]):
        return None
    _, name, length, distance = found[0]
    return f"body {name!r}", f"is {length:.6g} m long where its points lie {distance:.6g} m apart"


def _difference(mechanism: Mechanism, body: Body, q: Float[np.ndarray, " n"]) -> tuple[float, str, float, float]:
    """Return the largest relative difference between two points of a body, its name, and both lengths."""
    found = []
    for i, j in combinations(range(len(body.points)), 2):
        length = hypot(*(float(b) - float(a) for a, b in zip(body.shape[i], body.shape[j], strict=True)))
        ends = [[float(coordinate_value(q, slot)) for slot in mechanism.point_slots[body.points[k]]] for k in (i, j)]
        distance = dist(*ends)
        found.append((abs(log(max(length, SHORT) / max(distance, SHORT))), body.name, length, distance))
    return max(found)


def descend_closure(
    code: ClosureCode,
    guess: Float[np.ndarray, " n"],
    free: Bool[np.ndarray, " n"],
    chosen: Sequence[int],
) -> Float[np.ndarray, " n"]:
    """Return where Levenberg-Marquardt steps lead, in units of the closure: the same for all sizes of a mechanism."""
    q = np.array(guess, dtype=float)
    for _ in range(STEPS):
        r, J = (part[chosen] for part in code.in_units(q))
        if closure_errors(r, J).max(initial=0.0) <= 1e-2 * TOLERANCE or not free.any():
            break
        nearer = take_damped_step(r, J[:, free], partial(_ahead, code, chosen, q, free))
        if nearer is None:
            break
        q = nearer
    return q


def _judge_ends(
    mechanism: Mechanism, code: ClosureCode, q: Float[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, " m"], list[int]]:
    """Return errors in units of the closure, and the rows of angles whose lines point the other way.

    These rows vanish half a turn off, too.
    """
    residual, J = code.in_units(q)
    return closure_errors(residual, J), [row for slot, row in mechanism.defining_rows if J[row, slot] > 0.0]


def _turn_and_descend(
    mechanism: Mechanism,
    code: ClosureCode,
    guess: Float[np.ndarray, " n"],
    free: Bool[np.ndarray, " n"],
    chosen: Sequence[int],
) -> Float[np.ndarray, " n"]:
    """Return where angles lead that turn step by step from those of their lines at a guess to their own values."""
    slots, rows = np.array(mechanism.defining_rows).T
    residual, J = code(guess)
    ahead, q = np.arctan2(residual[rows], -J[rows, slots]), guess.copy()
    q[slots] += ahead
    held, ahead = slots[~free[slots]], ahead[~free[slots]]
    for part in np.linspace(1.0, 0.0, TURNS):
        q[held] = guess[held] + part * ahead
        q = descend_closure(code, q, free, chosen)
    return q


def _ahead(
    code: ClosureCode, chosen: Sequence[int], q: np.ndarray, free: np.ndarray, change: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    there = q.copy()
    there[free] += change * code.units.coordinates[free]
    return there, (code(there)[0] / code.units.rows)[chosen]
