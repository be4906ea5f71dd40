"""Steps with a controller in the loop, and many motions at once, beside MuJoCo's own loop without contacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.subjects import SUBJECTS
from benchmarks.tables import Sheet, nanoseconds, times, verdict
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation import rolled_out
from screwgraph.ui.bench import Budget
from screwgraph.ui.bench.peers import mujoco as peer
from screwgraph.ui.bench.peers.base import import_peer
from screwgraph.ui.bench.robot_tree import make_depth_first_tree

NAMES = ("a1", "panda7")
STEPS, KEPT, DT, ROUNDS = 1000, 10, 1e-3, 5
GOALS = {"a1": 40.0}
"""Times MuJoCo's loop that are asked for."""
BEYOND = 3.0
"""Microseconds that a step from Python may take beyond the forward dynamics in it."""
COLUMNS = (
    "robot (velocities)",
    "motions x steps",
    "a step, ns",
    "float32, ns",
    "mj_step loop, ns",
    "mujoco.rollout, ns",
    "faster",
    "float32: faster",
    "asked",
    "reached",
    "step(tau), us",
    "dynamics in it, us",
    f"<= {BEYOND:g} us beyond",
)
NOTES = (
    f"CPU time on one core, once code is made; {KEPT} states of each motion are kept. mj_step loop: a loop in Python "
    "over `mj_step` of MuJoCo's compiled model with contacts and constraints disabled, semi-implicit Euler as ours. "
    "mujoco.rollout: its loop in C++, one thread. All by rounds in one run, the best of each. step(tau): a call of "
    "`Simulator.step` from Python for one state, beside one of `forward_dynamics`.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Roll out; `entries` are of no use here: there is no question."""
    rows = []
    for subject in SUBJECTS:
        robot = subject.load() if subject.name in NAMES else None
        if robot is not None:
            tools.say(f"rollouts: {subject.name}")
            rows.append(row(subject.name, robot, tools.effort))
    return Sheet("Many motions at once, and a step from Python", COLUMNS, rows, list(NOTES), named=2)


def row(name: str, robot: Robot, effort: Budget) -> list[str]:
    """Measure one robot; `effort` says how many motions and calls."""
    motions, loops = effort.batch, effort.states
    mujoco, rollout = peer._mujoco(), import_peer("mujoco.rollout", "mujoco")
    model = peer._model(mujoco, robot, make_depth_first_tree(robot))
    model.opt.timestep = DT
    data = mujoco.MjData(model)
    simulator = sg.Simulator(robot, DT)
    dynamics, (q, qd), tau = sg.forward_dynamics(robot), (simulator.q, simulator.qd), np.zeros(robot.nv)
    state = np.zeros((1, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    mujoco.mj_getState(model, data, state[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)

    def stepped() -> None:
        mujoco.mj_resetData(model, data)
        for _ in range(loops):
            mujoco.mj_step(model, data)

    def called() -> None:
        simulator.reset()  # free motions end in ever faster ones
        for _ in range(loops):
            simulator.step(tau)

    def evaluated() -> None:
        for _ in range(loops):
            dynamics(q, qd, tau)

    def of_mujoco() -> None:
        rollout.rollout(model, data, state, nstep=loops)

    work: list[tuple[Callable[[], Any], int]] = [(each, loops) for each in (stepped, of_mujoco, called, evaluated)]
    work += [(_rolling(robot, simulator, dtype, motions), motions * STEPS) for dtype in ("float64", "float32")]
    loop, native, call, alone, double, single = _best(work, min(ROUNDS, effort.rounds))
    goal, beyond = GOALS.get(name), (call - alone) / 1e3
    cells = [f"{name} ({robot.nv})", f"{motions} x {STEPS}", *map(nanoseconds, (double, single, loop, native))]
    cells += [times(loop / double), times(loop / single)]
    cells += [times(goal), verdict(loop / double >= goal)] if goal else ["", ""]
    return [*cells, f"{call / 1e3:.2f}", f"{alone / 1e3:.2f}", verdict(beyond <= BEYOND)]


def _rolling(robot: Robot, simulator: sg.Simulator, dtype: str, motions: int) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    steps = [0.3 * rng.standard_normal(robot.nv) for _ in range(motions)]
    q = np.array([robot.manifold.retract(robot.neutral(), step) for step in steps])
    function, control = simulator.function.astype(dtype), np.zeros((1, 1, robot.nv))
    t, start = DT * np.arange(STEPS + 1), (q, np.zeros((motions, robot.nv)))
    return lambda: rolled_out(function, start, control, times=t, every=STEPS // KEPT)


def _best(work: Sequence[tuple[Callable[[], Any], int]], rounds: int) -> list[float]:
    """Return the least CPU time (ns) of one of each, in rounds."""
    best = [np.inf] * len(work)
    for call, _ in work:
        call()
    for _ in range(rounds):
        for i, (call, count) in enumerate(work):
            begun = process_time()
            call()
            best[i] = min(best[i], (process_time() - begun) / count * 1e9)
    return best
