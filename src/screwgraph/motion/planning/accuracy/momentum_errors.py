"""How far a plan breaks the conservation of momentum, where nothing drives its model as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.summary import one_line
from screwgraph.motion.planning.accuracy.motion_scales import SHORT, spread_by_unit
from screwgraph.motion.planning.accuracy.step_flow import StepFlow
from screwgraph.motion.planning.factors.dynamics import compile_required_forces, find_acting_wrenches
from screwgraph.motion.planning.transcription.symmetries import (
    Forces,
    Symmetries,
    find_symmetries,
    inertia_times,
    project,
    steady_gravity,
)
from screwgraph.optimize.manifold_code import difference_values


@dataclass(frozen=True, eq=False)
class MomentumErrors:
    """Momentum errors: changes beyond the impulse of gravity, and the drift that this hides.

    Args:
        t: times (s) of the ends of steps.
        momentum: errors of the conserved momenta (kg m/s, kg m^2/s), zero where they begin to be conserved.
        distance: how far coordinates are from where these momenta lead if joints with torques move as planned (rad, m).
        shares: what each step contributes to the drift at the end, relative as `relative`.
        relative: largest distance of a coordinate, relative to `net`.
        of: names of the coordinates.
        units: units of their distances.
        net: largest displacement from the start of a coordinate of the same unit (rad, m).
    """

    __repr__ = one_line

    t: Float[np.ndarray, " N"]
    momentum: Float[np.ndarray, "N r"]
    distance: Float[np.ndarray, "N nv"]
    shares: Float[np.ndarray, " S"]
    relative: float
    of: tuple[str, ...]
    units: tuple[str, ...]
    net: Float[np.ndarray, " nv"]

    @property
    def worst(self) -> str:
        """The largest drift in words: which coordinate, by how much, when."""
        k, c = np.unravel_index(int((self.distance / self.net).argmax()), self.distance.shape)
        return f"{self.of[c]} by {self.distance[k, c]:.2g} {self.units[c]} at {self.t[k]:.3g} s"


def find_momentum_errors(flow: StepFlow) -> MomentumErrors | None:
    """Compare the momenta at the ends of steps with the impulse of gravity; None where none is conserved.

    Momenta are conserved along symmetries, angular momentum about the centre of mass, while no contact force acts and
    where gravity is constant: its impulse is then known exactly.
    """
    steps, mechanics = flow.steps, flow.steps.mechanics
    forces, symmetries = compile_required_forces(steps, flow.wrenches), find_symmetries(steps, flow.wrenches)
    flying = _find_flight(flow)
    if not symmetries.count or not flying.any():
        return None
    knots = np.append(steps.first, steps.first[-1] + steps.per_step)
    t, q, v = flow.t[knots], flow.values["q"][knots], flow.values["qd"][knots]
    fields, still = _centre(symmetries, symmetries(q), forces, q), np.zeros_like(v)
    steady, gravity = steady_gravity(fields, forces(q, still, still))
    if not steady.size:
        return None
    fields = fields @ steady
    h, moving = np.diff(t)[:, None], inertia_times(forces, q, v)
    errors = np.diff(project(fields, moving), axis=0) - h * gravity[:-1]
    momentum = _sum_in_flight(errors, flying)
    inertia = np.stack(
        [project(fields, inertia_times(forces, q, fields[..., j])) for j in range(fields.shape[2])], axis=-1
    )
    twists = np.linalg.solve(inertia, momentum[..., None])[..., 0]
    drifts = _sum_in_flight(0.5 * h * (twists[1:] + twists[:-1]), flying)
    distance = np.abs(np.einsum("nvr,nr->nv", fields, drifts))
    scales = flow.scales
    far = np.abs(difference_values(mechanics.positions, np.broadcast_to(q[0], q.shape), q)).max(axis=0)
    net = np.maximum(spread_by_unit(far, scales.turns), SHORT)
    pushes = np.linalg.solve(inertia[1:], errors[..., None])[..., 0] * (t[-1] - t[:-1])[:, None]
    shares = (np.abs(np.einsum("nvr,nr->nv", fields[1:], pushes)) / net).max(axis=1) * flying
    relative = float(np.where(np.isfinite(distance), distance / net, np.inf).max())
    return MomentumErrors(t, momentum, distance, shares, relative, mechanics.labels, mechanics.units("position"), net)


def _find_flight(flow: StepFlow) -> Bool[np.ndarray, " S"]:
    """Return in which steps no contact force acts."""
    steps = flow.steps
    acting = find_acting_wrenches(steps, flow.wrenches)[steps.sample_at(steps.collocation.accelerated[0])]
    return np.logical_not(acting.any(axis=1))


def _centre(symmetries: Symmetries, fields: Float[np.ndarray, "N nv r"], forces: Forces, q: np.ndarray) -> np.ndarray:
    """Return fields whose rotations are orthogonal to translations by the mass matrix: about the centre of mass."""
    turning, slides = fields[..., symmetries.turning], fields[..., ~symmetries.turning]
    if not turning.size or not slides.size:
        return fields
    pulled = np.stack([inertia_times(forces, q, slides[..., j]) for j in range(slides.shape[2])], axis=-1)
    shares = np.linalg.solve(np.swapaxes(slides, 1, 2) @ pulled, np.swapaxes(pulled, 1, 2) @ turning)
    return np.concatenate([slides, turning - slides @ shares], axis=-1)


def _sum_in_flight(rows: Float[np.ndarray, "S r"], flying: Bool[np.ndarray, " S"]) -> Float[np.ndarray, "N r"]:
    """Return sums at the ends of steps, which begin anew where a flight begins."""
    found = np.zeros((len(rows) + 1, rows.shape[1]))
    for k in np.flatnonzero(flying).tolist():
        found[k + 1] = rows[k] + (found[k] if k and flying[k - 1] else 0.0)
    return found
