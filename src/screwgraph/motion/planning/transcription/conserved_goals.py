"""Goals that conserved momenta repeat become costs; those that they contradict prove that there is no plan.

A model that nothing drives as a whole keeps its momenta. Hard goals for all velocities say them once more, and those
for all positions the place of its centre of mass: as constraints they would be dependent, up to what collocation errs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np
from jaxtyping import Float
from scipy.linalg import qr

from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.factors.dynamics import compile_required_forces
from screwgraph.motion.planning.goals.position import PositionError
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.template_wrappers import EntryError
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.transcription.regularisation import NAME as REGULARISATION
from screwgraph.motion.planning.transcription.regularisation import list_effort_weights, measure_efforts
from screwgraph.motion.planning.transcription.symmetries import (
    find_symmetries,
    inertia_times,
    null_space,
    project,
    steady_gravity,
)
from screwgraph.optimize import Factors, equality, soft
from screwgraph.optimize.manifold_code import difference_values, retract_values

TOLERATED = 1e-3
"""Distance (SI units) from an implied goal, which collocation errs by, that costs as much as a typical motion."""
SAME = 1e-4
"""Difference (m, rad, m/s, rad/s) up to which goals agree with what is conserved."""
LOOPS, SIZE, SEED = 12, 0.5, 0
"""Closed ways along which integrals of momenta are tried, and how far (rad, m) they lead."""
NODES, PIECES = np.polynomial.legendre.leggauss(8), 16
DRIVEN = 1e-3
"""Weight of coordinates with torques where one of several goals is to be left out."""


@dataclass(frozen=True, eq=False)
class Momenta:
    """Momenta that are conserved but for a constant force of gravity: p = a(q) v, of rate `gravity`.

    `integrable` are those combinations whose integrals depend on positions alone: the way of the centre of mass.
    """

    steps: TrajectoryUnknowns
    steady: Float[np.ndarray, "s r"]
    gravity: Float[np.ndarray, " r"]
    integrable: Float[np.ndarray, "r i"]

    def rows(self, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N r nv"]:
        """Return a(q)."""
        forces, n = compile_required_forces(self.steps, ()), self.steps.mechanics.robot.nv
        fields = find_symmetries(self.steps, ())(q) @ self.steady
        every = [project(fields, inertia_times(forces, q, np.broadcast_to(e, (len(q), n)))) for e in np.eye(n)]
        return np.stack(every, axis=-1)

    def integral(self, a: Float[np.ndarray, " nq"], b: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " r"]:
        """Return the integral of the momenta along the straight way from one position to another."""
        manifold, (x, w) = self.steps.mechanics.positions, NODES
        (d,) = difference_values(manifold, a[None], b[None])
        parts = ((np.arange(PIECES)[:, None] + 0.5 * (x + 1.0)) / PIECES).ravel()
        rows = self.rows(retract_values(manifold, np.broadcast_to(a, (len(parts), a.size)), parts[:, None] * d))
        return np.tile(0.5 * w / PIECES, PIECES) @ (rows @ d)


def find_momenta(steps: TrajectoryUnknowns) -> Momenta | None:
    """Return the conserved momenta of a model that is driven, and on which nothing stands; None if there are none."""
    return steps.mechanics.get_or_make(("momenta", steps.drive), lambda: _momenta(steps))


def _momenta(steps: TrajectoryUnknowns) -> Momenta | None:
    robot, symmetries, rng = steps.mechanics.robot, find_symmetries(steps, ()), np.random.default_rng(SEED)
    if not symmetries.count:
        return None
    q = np.array([robot.manifold.random(rng) for _ in range(2 * robot.nv)])
    fields, still = symmetries(q), np.zeros((len(q), robot.nv))
    steady, gravity = steady_gravity(fields, compile_required_forces(steps, ())(q, still, still))
    if not steady.size:
        return None
    found = Momenta(steps, steady, gravity[0], np.zeros((steady.shape[1], 0)))
    loops = []
    for a in q[:LOOPS]:
        b, c = (
            retract_values(steps.mechanics.positions, a[None], SIZE * rng.standard_normal((1, robot.nv)))[0]
            for _ in "bc"
        )
        # A form a(q) dq is exact where its integral around any triangle is zero; null_space finds such combinations.
        sides = [found.integral(*ends) for ends in ((a, b), (b, c), (c, a))]
        loops.append(np.sum(sides, axis=0) / np.maximum(np.abs(sides).max(axis=0), 1e-300))
    return replace(found, integrable=null_space(np.array(loops)))


@dataclass(frozen=True, eq=False)
class Ends:
    """Hard goals for single joints at one point, by coordinate: factors, and values, NaN where there are none."""

    point: int
    time: float
    q: Float[np.ndarray, " nq"] | None
    places: Float[np.ndarray, " nv"]
    speeds: Float[np.ndarray, " nv"]


def without_conserved(
    task: Task, steps: TrajectoryUnknowns, factors: Sequence[Factors]
) -> tuple[list[Factors], tuple[str, ...], bool]:
    """Return factors whose goals are independent, proofs that these contradict what is conserved, and whether a goal
    is for coordinates that only cyclic motions of the others reach.
    """
    goals = [f for f in factors if _is_goal(f)]
    if not goals or not task.dynamics or task.contacts or not steps.start_given or not steps.drive.labels:
        return list(factors), (), False
    momenta = find_momenta(steps)
    if momenta is None:
        return list(factors), (), False
    q0, qd0 = (steps.given[family][0] for family in ("q", "qd"))
    p0 = momenta.rows(q0[None])[0] @ qd0
    if steps.duration is not None and (np.abs(p0).max() > 0.0 or np.abs(momenta.gravity).max() > 0.0):
        return list(factors), (), False
    left_out: dict[tuple[int, str], set[int]] = {}
    proofs, is_cyclic = list[str](), False
    for ends in _ends(steps, goals):
        p = p0 + momenta.gravity * ends.time
        if ends.q is not None:
            rows = momenta.integrable.T @ momenta.rows(ends.q[None])[0]
            # Integral of p along any way to the goal, less p0 t + g t^2 / 2: zero where momenta lead to the goal.
            way = momenta.integral(q0, ends.q) - p0 * ends.time - 0.5 * momenta.gravity * ends.time**2
            chosen = _chosen(steps, rows, np.ones(steps.mechanics.robot.nv, dtype=bool))
            is_cyclic |= momenta.integrable.shape[1] < len(p)
            if off := _contradiction(steps, goals, ends, "q", rows, momenta.integrable.T @ way, chosen):
                proofs.append(off)
                continue
            left_out[ends.point, "q"] = set(chosen)
        fixed, speeds = np.isfinite(ends.speeds), np.nan_to_num(ends.speeds)
        rests, is_whole = not speeds.any(), bool(fixed.all())
        if not fixed.any() or not ((rests and not p.any()) or (is_whole and (rests or ends.q is not None))):
            continue  # at rest momenta are zero wherever that is; else they hang on the position
        q = ends.q if ends.q is not None else q0
        rows = momenta.rows(q[None])[0]
        chosen = _chosen(steps, rows, fixed)
        if off := _contradiction(steps, goals, ends, "qd", rows, rows @ speeds - p, chosen) if is_whole else "":
            proofs.append(off)
            continue
        left_out[ends.point, "qd"] = set(chosen)
    typical = _typical(task, steps) if left_out else 1.0
    kept = [part for f in factors for part in (_parts(f, left_out, typical) if _is_goal(f) else (f,))]
    return kept, tuple(proofs), is_cyclic and not proofs


def _is_goal(f: Factors) -> bool:
    """Whether factors are hard goals of coordinates at one point."""
    is_hard = f.kind == "equality" and f.name.startswith("goal") and len(f.arguments[0].indices) == 1
    return is_hard and isinstance(f.template, PositionError | EntryError) and "at" in f.shared


def _ends(steps: TrajectoryUnknowns, goals: Sequence[Factors]) -> list[Ends]:
    robot, found = steps.mechanics.robot, []
    for point in sorted({int(f.arguments[0].indices[0]) for f in goals} - {0}):
        places, speeds, q = np.full(robot.nv, np.nan), np.full(robot.nv, np.nan), robot.neutral()
        for f in (f for f in goals if int(f.arguments[0].indices[0]) == point):
            columns = list(f.template.columns)
            if isinstance(f.template, EntryError) and f.arguments[0].variables.name == "qd":
                speeds[columns] = f.shared["at"]
            elif isinstance(f.template, PositionError):
                places[columns] = 1.0
                for joint in robot.joints:
                    if set(range(*robot.v_slices[joint.name].indices(robot.nv))) <= set(columns):
                        q[robot.q_slices[joint.name]] = f.shared["at"][robot.q_slices[joint.name]]
        whole = q if np.isfinite(places).all() and not robot.is_closed else None
        found.append(Ends(point, float(steps.times[point]), whole, places, speeds))
    return found


def _chosen(steps: TrajectoryUnknowns, rows: Float[np.ndarray, "r nv"], fixed: np.ndarray) -> list[int]:
    """Return the goals, one of each row, that follow from the others and what is conserved: of what nothing drives."""
    if not len(rows):
        return []
    free = rows[:, ~fixed]
    u, sizes, _ = np.linalg.svd(free) if free.size else (np.eye(len(rows)), np.zeros(0), None)
    # Combinations of momenta in which no free coordinate appears: each of these rows makes one goal follow from others.
    left = u[:, int((sizes > 1e-9 * np.abs(rows).max()).sum()) :].T @ rows
    if not len(left):
        return []
    weights = np.where(np.isin(np.arange(rows.shape[1]), steps.actuated), DRIVEN, 1.0) * fixed
    order = np.asarray(qr(left * weights, pivoting=True, mode="r")[-1])
    return order[: len(left)].tolist()


def _contradiction(
    steps: TrajectoryUnknowns,
    goals: Sequence[Factors],
    ends: Ends,
    family: str,
    rows: np.ndarray,
    off: np.ndarray,
    chosen: list[int],
) -> str:
    """Say which goal is how far from where momenta lead, nothing where they agree."""
    if not chosen:
        return ""
    away = np.linalg.solve(rows[:, chosen], off) if len(chosen) == len(off) else np.zeros(1)
    worst = int(np.abs(away).argmax())
    if abs(away[worst]) <= SAME:
        return ""
    labels, what = steps.mechanics.labels, "position" if family == "q" else "velocity"
    name = next(f.name.partition(":")[0] for f in goals if f.arguments[0].variables.name == family)
    unit = steps.mechanics.units(what)[chosen[worst]]
    return (
        f"{name}: joint {labels[chosen[worst]]!r} is {abs(away[worst]):.3g} {unit} from where momentum leads at "
        f"t = {ends.time:g} s if the other joints are at their goals: nothing drives the model as a whole"
    )


def _parts(f: Factors, left_out: dict[tuple[int, str], set[int]], typical: float) -> Iterator[Factors]:
    """Yield a goal for coordinates that stay, and a cost of those that momenta imply: collocation errs less for it."""
    family, point = f.arguments[0].variables.name, int(f.arguments[0].indices[0])
    dropped, goal = left_out.get((point, family), set()), cast("PositionError | EntryError", f.template)
    implied = np.array([c in dropped for c in goal.columns])
    if not implied.any():
        yield f
        return
    for chosen, make in ((~implied, equality), (implied, partial(soft, sigma=TOLERATED / np.sqrt(2.0 * typical)))):
        if chosen.any():
            template = replace(goal, columns=tuple(np.array(goal.columns)[chosen].tolist()))
            at = f.shared["at"] if isinstance(goal, PositionError) else f.shared["at"][chosen]
            name = f.name if make is equality else f"{REGULARISATION}: {f.name}"
            yield make(template, *f.arguments, name=name, at=at)


def _typical(task: Task, steps: TrajectoryUnknowns) -> float:
    """Return what a motion typically costs."""
    each, (holding, moving) = list_effort_weights(task, steps), measure_efforts(steps, ())
    cost = sum(p.duration for p in task.phases) * float(each @ holding + (moving @ each).sum())
    return cost if cost > 0.0 and all(isinstance(c, Effort) for c in task.costs) else max(cost, 1.0)
