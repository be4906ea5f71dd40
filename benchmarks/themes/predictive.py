"""Predictive control: horizons to their optimum, and ticks in C, beside fatrop and Crocoddyl on the same stages."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import thread_time
from unittest.mock import patch

import numpy as np
from jaxtyping import Float

from benchmarks.bench import Entry, Tools
from benchmarks.drivers import build_driver
from benchmarks.horizons import Horizon, balance, reach
from benchmarks.native import find_compiler
from benchmarks.peers import crocoddyl
from benchmarks.peers.horizon_solvers import Found, solve_by_crocoddyl, solve_by_fatrop
from benchmarks.standing_horizons import StandingHorizon, list_standing
from benchmarks.tables import Remarks, Sheet
from benchmarks.trotting_horizon import TrottingHorizon
from screwgraph.motion.control.predictive.derivatives import Derivatives
from screwgraph.motion.control.predictive.horizon import Horizon as PredictedStages
from screwgraph.tape import Part, Window
from screwgraph.ui.bench import NotMeasuredError, fast_code

Solver = Callable[[], tuple[Found, list[float]]]
AnyHorizon = Horizon | TrottingHorizon | StandingHorizon
COLUMNS = (
    "robot, knots",
    "solver",
    "cost",
    "violation",
    "iterations",
    "to the optimum, ms",
    "an iteration, us",
    "linearising, us",
    "a barrier step, us",
    "the rest of a call, us",
    "a tick, us",
    "99 %, us",
)
OURS = "screwgraph, C"
ROUNDS, TICKS, MOST, CLOSE = 5, 200, 200, 1e-8
NOTES = (
    "One core. The same stages for all (Euler's semi-implicit rule, the same squares, limits of efforts, and of the "
    "arm's states), from the start held at rest; cost and violation (of dynamics, the start, limits) are counted by "
    f"one program. Ours in C: calls until nothing changes by more than {CLOSE:g}, each a linearisation and two barrier "
    f"steps, and {TICKS} ticks from states that noise displaces; the least of {ROUNDS} rounds each. fatrop has our "
    "forward dynamics and their exact Hessian by CasADi, in C or run by CasADi; Crocoddyl's BoxFDDP has limits of "
    "states as barriers, which is why its cost may differ. The A1 trots: full dynamics, forces of feet within "
    "friction; its calls take one barrier step. Its stages are ours alone: no other solver has them. Large robots "
    "stand on soles, balls and line feet, their base moves by 0.1 m/s forwards and sideways; they are called from "
    "Python, as machine code that LLVM made, and one call is a linearisation and one barrier step. So are, of all "
    "robots, linearising, which is what a call that linearises twice takes more, a barrier step, which is what a call "
    "with one more takes more, and the rest of a call: the search of a step's length, what the last call left, copies, "
    "Python's part. Crocoddyl's FDDP has other costs there: squares of torques, and cones of "
    "friction as barriers; rotors are locked. It is its wheel, whose code is for any processor of x86-64.",
)
DRIVER = """
#include <string.h>
#include <time.h>
int calls(const double *rows, int n, int width, double close, double *ns, double *motion, double *found)
{{
    static double last[{m}], next[{m}], results[{size}];
    memset(last, 0, sizeof last);
    for (int i = 0; i < n; ++i) {{
        const double *x = rows + (long)i * width;
        struct timespec a, b;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
        {name}({arguments}, last, {results}, next, found);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
        ns[i] = 1e9 * (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec);
        memcpy(last, next, sizeof last);
        if (found[4] < close) {{ n = i + 1; break; }}
    }}
    memcpy(motion, results, sizeof results);
    return n;
}}
"""
"""Calls one after the other; a call's change, the fifth number of its solution, ends them."""


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Solve and time a cart-pole, an arm and a quadruped; the subjects play no part."""
    rows, remarks = list[list[str]](), Remarks()
    for make in (balance, reach, TrottingHorizon):
        horizon = make()
        named = f"{horizon.robot.name}, {horizon.knots}"
        peers = list_peers(horizon, tools) if isinstance(horizon, Horizon) else {}
        peers = {OURS: lambda horizon=horizon: solve_here(horizon, tools), **peers}
        for name, solve in peers.items():
            tools.say(f"horizon of {named}: {name}")
            try:
                found, ticks = solve()
            except (NotMeasuredError, ImportError) as error:
                rows.append([named, name, *[remarks.cell(name, named, str(error))] * 10])
                continue
            cost, violation = horizon.judge(found.x, found.u, *found.forces)
            each = 1e6 * found.seconds / found.iterations
            said = "" if found.is_solved else " (not solved)"
            figures = [f"{cost:.9g}{said}", f"{violation:.1e}", str(found.iterations), f"{1e3 * found.seconds:.2f}"]
            spread = [f"{1e-3 * np.quantile(ticks, share):.1f}" if ticks else "" for share in (0.5, 0.99)]
            parts = split_call(horizon)[1:] if name == OURS else ("", "", "")
            rows.append([named, name, *figures, f"{each:.1f}", *parts, *spread])
    for standing in list_standing():
        tools.say(f"horizon of {standing.name}")
        rows.append(stand_here(standing))
        if standing.urdf is not None:
            rows.append(stand_by_crocoddyl(standing, remarks))
    return Sheet("Predictive control", COLUMNS, rows, (*NOTES, *remarks.notes()))


def stand_here(horizon: StandingHorizon) -> list[str]:
    """Return the row of a robot that stands: its calls to the optimum, and times of one, from Python."""
    with fast_code():
        count, solution, _ = call_until_settled(horizon)
        seconds, *parts = split_call(horizon)
    least, middle, most = min(seconds), *np.quantile(seconds, [0.5, 0.99])
    said = "" if solution[4] <= CLOSE and not solution[0] else " (not solved)"
    figures = [f"{solution[1]:.9g}{said}", f"{solution[2]:.1e}", str(count), f"{1e-3 * count * least:.2f}"]
    times = [f"{least:.1f}", *parts, f"{middle:.1f}", f"{most:.1f}"]
    return [f"{horizon.name}, {horizon.knots}", "screwgraph, machine code", *figures, *times]


def call_until_settled(horizon: AnyHorizon) -> tuple[int, Float[np.ndarray, "6"], Callable[[], object]]:
    """Return how many calls of machine code an optimum takes, its `solution`, and a call there."""
    f = horizon.controller
    given = [np.reshape(x, a.shape) for x, a in zip(horizon.arguments, f.arguments, strict=False)]
    previous, count, solution = np.zeros(f.arguments[-1].shape), 0, np.full(6, np.inf)
    while (solution[4] > CLOSE or solution[0]) and count < MOST:
        *_, previous, solution = f(*given, previous)
        count += 1
    return count, solution, lambda: f(*given, previous)


def split_call(horizon: AnyHorizon) -> tuple[list[float], str, str, str]:
    """Return what calls take (us), what linearising and a barrier step take, and what is left of a call.

    Calls that do one of them once more go in turns with them: other programs slow all.
    """
    steps, fresh = horizon.barrier_steps, replace(horizon)
    calls = [call_until_settled(horizon)[2]]
    with linearise_twice():
        calls.append(call_until_settled(fresh)[2])
    calls.append(call_until_settled(replace(horizon, barrier_steps=steps + 1))[2])
    seconds: tuple[list[float], ...] = ([], [], [])
    for _ in range(TICKS):
        for own, call in zip(seconds, calls, strict=True):
            begin = thread_time()
            call()
            own.append(1e6 * (thread_time() - begin))
    first, *more = (min(own) for own in seconds)
    linearising, step = (x - first for x in more)
    return seconds[0], f"{linearising:.1f}", f"{step:.1f}", f"{first - linearising - steps * step:.1f}"


@contextmanager
def linearise_twice() -> Iterator[None]:
    """Let controllers that are made meanwhile linearise all stages twice."""
    once, question = Derivatives.parts, PredictedStages.question

    def list_twice(self: Derivatives, windows: tuple[Window, ...]) -> tuple[Part, ...]:
        return 2 * once(self, windows)

    def ask(self: PredictedStages) -> tuple[object, ...]:
        return (*question.__get__(self), "twice")

    with patch.object(Derivatives, "parts", list_twice), patch.object(PredictedStages, "question", property(ask)):
        yield


def stand_by_crocoddyl(horizon: StandingHorizon, remarks: Remarks) -> list[str]:
    """Return the row of Crocoddyl's FDDP."""
    named, who = f"{horizon.name}, {horizon.knots}", "Crocoddyl"
    try:
        found = crocoddyl.stand(horizon, ROUNDS)
    except NotMeasuredError as error:
        return [named, who, *[remarks.cell(who, named, str(error))] * 9]
    said = "" if found["status"] == "converged" else " (not solved)"
    count, seconds = found["iterations"], found["seconds"]
    figures = [f"{found['cost']:.9g}{said}", "", str(count), f"{1e3 * seconds:.2f}", f"{1e6 * seconds / count:.1f}"]
    return [named, who, *figures, "", "", "", "", ""]


def list_peers(horizon: Horizon, tools: Tools) -> dict[str, Solver]:
    """Return other solvers of the same stages by name."""
    return {
        "fatrop": lambda: (solve_by_fatrop(horizon, find_compiler(tools.compiler), ROUNDS, tools.patience), []),
        "fatrop, run by CasADi": lambda: (solve_by_fatrop(horizon, None, ROUNDS), []),
        "Crocoddyl": lambda: (solve_by_crocoddyl(horizon, ROUNDS), []),
    }


def solve_here(horizon: Horizon | TrottingHorizon, tools: Tools) -> tuple[Found, list[float]]:
    """Return the optimum by calls in C, and times (ns) of ticks. Raises NotMeasuredError: no compiler."""
    f, given = horizon.controller, horizon.arguments
    library, ends = build_driver(f, DRIVER, len(f.arguments[-1].names), [len(x) for x in given], tools)
    still = np.tile(np.concatenate(given), (MOST, 1))
    moved, places = np.tile(still[0], (TICKS, 1)), list(horizon.displaced)
    moved[:, places] += 1e-2 * np.random.default_rng(0).standard_normal((TICKS, len(places)))
    motion, solution = np.empty(ends[-1]), np.empty(f.results[-1].size)

    def call(rows: Float[np.ndarray, "k width"], close: float) -> tuple[float, list[float]]:
        best = np.full(len(rows), np.inf)
        for _ in range(ROUNDS):
            ns = np.zeros(len(rows))
            pointers = [ctypes.c_void_p(x.ctypes.data) for x in (rows, ns, motion, solution)]
            size, limit = ctypes.c_int(len(rows)), ctypes.c_double(close)
            count = library.calls(pointers[0], size, ctypes.c_int(rows.shape[1]), limit, *pointers[1:])
            best = np.minimum(best[:count], ns[:count])
        return float(best.sum()), best.tolist()

    _, ticks = call(moved, -1.0)
    total, each = call(still, CLOSE)
    parts = dict(zip((r.name for r in f.results), np.split(motion, ends[1:-1]), strict=False))
    x, u = (
        parts[name].reshape(count, -1) for name, count in (("states", horizon.knots + 1), ("efforts", horizon.knots))
    )
    forces, is_solved = [parts["forces"]] if "forces" in parts else [], solution[4] < CLOSE and solution[0] == 0.0
    return Found(x, u, len(each), 1e-9 * total, bool(is_solved), tuple(forces)), ticks
