"""IPOPT and fatrop as CasADi brings them: programs are made once, derivatives run by CasADi or compiled to C."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from benchmarks.native import FLAGS, Compiler, build
from benchmarks.peers.trajectories import Trajectory
from benchmarks.turns import take_turns

TOLERANCES: Mapping[str, Mapping[str, Any]] = {
    "ipopt": {"tol": 1e-6, "constr_viol_tol": 1e-8, "print_level": 0, "sb": "yes"},
    "fatrop": {"tol": 1e-6, "print_level": 0},
}
TRIED: Mapping[str, tuple[Mapping[str, Any], ...]] = {"ipopt": ({},), "fatrop": ({}, {"mu_init": 10.0})}
"""Options beside these, until one set leads to a solution: fatrop needs a larger barrier at times."""
ITERATIONS = 500


@dataclass(frozen=True, eq=False)
class Program:
    """A nonlinear program: what `casadi.nlpsol` takes, its bounds and start, and where x of all knots stands."""

    nlp: dict[str, Any]
    bounds: dict[str, np.ndarray]
    start: np.ndarray
    places: np.ndarray
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Solved:
    """What a solver found: cost and violation as our planner counts them, iterations, the best CPU time (s)."""

    cost: float
    violation: float
    iterations: int
    seconds: float
    status: str


def for_ipopt(trajectory: Trajectory) -> Program:
    """Return the program with efforts as unknowns, too; what is prescribed or has limits as bounds of the unknowns."""
    import casadi as ca

    t, size, efforts = trajectory, 3 * trajectory.n, len(trajectory.actuated)
    z = ca.MX.sym("z", size + efforts, t.knots)
    x, u = z[:size, :], z[size:, :]
    low, high = (np.tile(b, (t.knots, 1)) for b in t.bounds)
    for knot, values in t.fixed.items():
        low[knot, list(values)] = high[knot, list(values)] = list(values.values())
    most = np.full(efforts, np.inf) if t.largest_effort is None else t.largest_effort
    low, high = np.hstack([low, np.tile(-most, (t.knots, 1))]), np.hstack([high, np.tile(most, (t.knots, 1))])
    gaps = x[: 2 * t.n, 1:] - t.after.map(t.knots - 1)(x[:, :-1], x[2 * t.n :, 1:])[: 2 * t.n, :]
    rows = [gaps, t.laws.map(t.knots)(x, u), *([] if t.reached is None else [t.reached(x[:, -1])])]
    g = ca.vertcat(*(ca.vec(r) for r in rows))
    cost = t.weight * ca.dot(u**2, np.tile(t.weights, (efforts, 1)))
    places = np.arange(z.numel()).reshape(t.knots, -1)[:, :size]
    start = np.zeros(z.numel())
    start[places] = t.start
    none = np.zeros(g.numel())
    bounds = {"lbx": low.ravel(), "ubx": high.ravel(), "lbg": none, "ubg": none}
    return Program({"x": ca.vec(z), "f": cost, "g": g}, bounds, start, places.ravel(), {})


def for_fatrop(trajectory: Trajectory) -> Program:
    """Return the program stage by stage: x, then the acceleration that follows; constraints in the same order."""
    import casadi as ca

    t, n, size = trajectory, trajectory.n, 3 * trajectory.n
    count = t.knots * (size + n) - n
    is_state = np.arange(count) % (size + n) < size
    places = np.flatnonzero(is_state)
    z = ca.MX.sym("z", count)
    x = ca.reshape(z[places.tolist()], size, t.knots)
    w = ca.reshape(z[np.flatnonzero(~is_state).tolist()], n, t.knots - 1)
    gaps = Rows(x[:, 1:] - t.after.map(t.knots - 1)(x[:, :-1], w), np.zeros(size), np.arange(t.knots - 1))
    rows = [gaps, *_prescribed(t, x), *_laws(t, x), *_boxes(t, x)]
    knots = np.concatenate([np.repeat(r.knots, len(r.most)) for r in rows])
    order = np.argsort(knots, kind="stable")
    most = np.concatenate([np.tile(r.most, len(r.knots)) for r in rows])[order]
    g = ca.vertcat(*(ca.vec(r.matrix) for r in rows))[order.tolist()]
    moved = np.concatenate([np.arange(t.knots) < t.knots - 1]) * size
    start = np.zeros(count)
    start[places] = t.start.ravel()
    options = {
        "structure_detection": "manual",
        "N": t.knots - 1,
        "nx": [size] * t.knots,
        "nu": [n] * (t.knots - 1) + [0],
        "ng": (np.bincount(knots, minlength=t.knots) - moved).tolist(),
        "equality": (most == 0.0).tolist(),
    }
    return Program(
        {"x": z, "f": t.cost.map(t.knots)(x) @ t.weights, "g": g}, {"lbg": -most, "ubg": most}, start, places, options
    )


@dataclass(frozen=True, eq=False)
class Rows:
    """Constraints -most <= row <= most, a column for each of some knots."""

    matrix: Any
    most: np.ndarray
    knots: np.ndarray


def _laws(t: Trajectory, x: Any) -> list[Rows]:
    """Return efforts that vanish or have limits, and the pose at the end."""
    found, everywhere = [], np.arange(t.knots)
    if t.held is not None:
        found.append(Rows(t.held.map(t.knots)(x), np.zeros(len(t.passive)), everywhere))
    if t.kept is not None and t.largest_effort is not None:
        found.append(Rows(t.kept.map(t.knots)(x), t.largest_effort, everywhere))
    if t.reached is not None:
        residual = t.reached(x[:, -1])
        found.append(Rows(residual, np.zeros(residual.numel()), everywhere[-1:]))
    return found


def _prescribed(t: Trajectory, x: Any) -> list[Rows]:
    """Return what start and goals say as rows."""
    return [
        Rows(x[list(values), knot] - np.array(list(values.values())), np.zeros(len(values)), np.array([knot]))
        for knot, values in t.fixed.items()
    ]


def _boxes(t: Trajectory, x: Any) -> list[Rows]:
    """Return limits of positions and velocities as rows, where these are not prescribed."""
    low, high = t.bounds
    found = []
    for i in np.flatnonzero(np.isfinite(high)).tolist():
        knots = np.array([k for k in range(t.knots) if i not in t.fixed.get(k, {})])
        middle, half = (low[i] + high[i]) / 2, (high[i] - low[i]) / 2
        found.append(Rows(x[i, knots.tolist()] - middle, np.array([half]), knots))
    return found


PROGRAMS = {"ipopt": for_ipopt, "fatrop": for_fatrop}


def solved(trajectory: Trajectory, name: str, compiler: Compiler | None, rounds: int) -> Solved:
    """Solve from the task's guess, several times; derivatives compiled to C, or (no compiler) run by CasADi."""
    program = PROGRAMS[name](trajectory)
    first, *others = TRIED[name]
    solver = make_solver(name, program, compiler, first)
    found = solver(x0=program.start, **program.bounds)
    for options in others:
        if not solver.stats()["success"]:
            solver = make_solver(name, program, compiler, options)
            found = solver(x0=program.start, **program.bounds)
    best = np.inf
    for _ in take_turns(rounds):
        began = process_time()
        found = solver(x0=program.start, **program.bounds)
        best = min(best, process_time() - began)
    x = np.asarray(found["x"])[program.places, 0].reshape(trajectory.knots, -1)
    stats = solver.stats()
    said = "solved" if stats["success"] else f"not solved: {stats['return_status']}"
    return Solved(*trajectory.judged(x), int(stats["iter_count"]), best, said)


def make_solver(
    name: str,
    program: Program,
    compiler: Compiler | None,
    options: Mapping[str, Any],
    patience: float | None = None,
) -> Any:
    """Return a solver of CasADi's; derivatives in C, or (no compiler) run by CasADi. Raises NotMeasuredError."""
    import casadi as ca

    own = {f"{name}.{key}": value for key, value in {**TOLERANCES[name], "max_iter": ITERATIONS, **options}.items()}
    whole = {"print_time": False, "error_on_fail": False, **program.options, **own}
    if compiler is None:
        return ca.nlpsol("solver", name, program.nlp, {**whole, "expand": True})
    solver = ca.nlpsol("solver", name, program.nlp, whole)
    with TemporaryDirectory() as folder:
        # CasADi writes into the folder where it is, loads what is called *.so, and keeps it open.
        text = _generated(solver, Path(folder))
        library = build(compiler.c, [*FLAGS, "-fPIC", "-shared"], [], text, patience=patience)
        link = Path(folder) / "program.so"
        link.symlink_to(library)
        return ca.nlpsol("solver", name, str(link), whole)


def _generated(solver: Any, folder: Path) -> str:
    with contextlib.chdir(folder):
        solver.generate_dependencies("program.c")
    return (folder / "program.c").read_text()
