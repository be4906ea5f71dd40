"""Coulomb friction of mechanisms' dampers that sticks: impulses of a step within their bounds, as code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function
from screwgraph.compiler.cache import pack_program
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.mechanism.forces import Motion
from screwgraph.model.mechanism.forces.damper import damper_rate
from screwgraph.model.mechanism.parts import Damper
from screwgraph.motion.simulation.contacts.laws.laws import DryFriction
from screwgraph.motion.simulation.contacts.laws.sweeps import ImpulseProblem
from screwgraph.motion.simulation.rosenbrock import solve_linear
from screwgraph.motion.simulation.step_law import StepLaw, as_arguments
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Number

SWEEPS = 12
"""Sweeps that find which dampers stick, where there are several."""
SOLVES = 2
"""Solutions for all that stick together, after the sweeps."""
SINGULAR = 1e-12
"""Part of the diagonal that is added where dampers stick whose rates depend on one another."""


def sticking_dampers(mechanism: Mechanism) -> list[Damper]:
    """Return the dampers with Coulomb friction."""
    return [damper for damper in mechanism.dampers if damper.friction]


def without_friction(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism whose dampers are viscous only."""
    return replace(mechanism, dampers=tuple(replace(damper, friction=0.0) for damper in mechanism.dampers))


def friction_power(mechanism: Mechanism, q: Any, qd: Any) -> Float[np.ndarray, " N"]:
    """Return the largest power (W) that friction takes at positions and velocities (N, n)."""
    motion = Motion(mechanism, np.asarray(q).T, np.asarray(qd).T)
    rates = [float(d.friction) * np.abs(damper_rate(motion, d)) for d in sticking_dampers(mechanism)]
    return sum(rates, start=np.zeros(len(q)))


def make_sticking_law(law: StepLaw, code: Function, mechanism: Mechanism) -> StepLaw:
    """Return accelerations of a step at whose end each damper sticks, or slips against its friction: |x| <= dt F.

    `law` are accelerations without friction, `code` those of forces on the coordinates at the beginning. Impulses x are
    those of `DryFriction`, as of joints of robots; Jean (1999).
    """
    dampers = sticking_dampers(mechanism)

    def accelerations(q: Any, qd: Any, force: Any, dt: Number, values: Any) -> Any:
        own, free = as_arguments(values), law.accelerations(q, qd, force, dt, values)
        rows = [_rate_row(mechanism, damper, q) for damper in dampers]
        still = code(q, qd, force, *own)
        columns = [code(q, qd, force + row, *own) - still for row in rows]
        G = [{j: rows[i] @ columns[j] for j in range(i + 1)} for i in range(len(rows))]
        b, bounds = [row @ (qd + dt * free) for row in rows], [dt * damper.friction for damper in dampers]
        impulses = _settle(G, b, bounds)
        return free + sum((x / dt * column for x, column in zip(impulses, columns, strict=True)), start=0.0 * free)

    return StepLaw(("sticking", law.question, pack_program(code.program), tuple(dampers)), accelerations)


def _rate_row(mechanism: Mechanism, damper: Damper, q: Any) -> np.ndarray:
    """Return the derivatives of a damper's rate by velocities, of which it is linear: forces of a unit of friction."""
    return np.array([damper_rate(Motion(mechanism, q, unit), damper) for unit in np.eye(mechanism.n)], dtype=object)


def _settle(G: list[dict[int, Number]], b: list[Number], bounds: list[Number]) -> list[Number]:
    """Return the impulses: by sweeps, and where several stick, by a solution of all of these together."""
    laws = [DryFriction() for _ in b]
    prepared = [x for i, (law, row) in enumerate(zip(laws, G, strict=True)) for x in law.prepare([[row[i]]])]
    problem, x = ImpulseProblem(laws, G, b, bounds, prepared), [0.0 for _ in b]
    for _ in range(SWEEPS if len(b) > 1 else 1):
        x, _ = problem.sweep(x, 1.0)
    for _ in range(SOLVES if len(b) > 1 else 0):
        sticks = [choose(abs(own) < bound, 1.0, 0.0) for own, bound in zip(x, bounds, strict=True)]
        A = np.array([[_entry(G, i, j, sticks) for j in range(len(b))] for i in range(len(b))], dtype=object)
        w = [stick * problem.velocity(x, i) for i, stick in enumerate(sticks)]
        ways = solve_linear(A, -np.array(w, dtype=object))
        x = [maximum(minimum(own + way, bound), -bound) for own, way, bound in zip(x, ways, bounds, strict=True)]
    return list(x)


def _entry(G: list[dict[int, Number]], i: int, j: int, sticks: list[Number]) -> Number:
    own = G[max(i, j)][min(i, j)]
    return own * (1.0 + SINGULAR) if i == j else sticks[i] * sticks[j] * own
