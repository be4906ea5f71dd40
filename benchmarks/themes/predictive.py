"""Predictive control: horizons to their optimum, and ticks in C, beside fatrop and Crocoddyl on the same stages."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from benchmarks.bench import Entry, Tools
from benchmarks.call_parts import CLOSE, COLUMNS, TICKS, split_call
from benchmarks.drivers import build_driver
from benchmarks.horizons import Horizon, balance, reach
from benchmarks.native import find_compiler
from benchmarks.peers.horizon_solvers import Found, solve_by_crocoddyl, solve_by_fatrop
from benchmarks.tables import Remarks, Sheet
from benchmarks.trotting_horizon import TrottingHorizon
from screwgraph.ui.bench import NotMeasuredError

Solver = Callable[[], tuple[Found, list[float]]]
OURS = "screwgraph, C"
ROUNDS, MOST = 5, 200
NOTES = (
    "One core. The same stages for all (Euler's semi-implicit rule, the same squares, limits of efforts, and of the "
    "arm's states), from the start held at rest; cost and violation (of dynamics, the start, limits) are counted by "
    f"one program. Ours in C: calls until nothing changes by more than {CLOSE:g}, each a linearisation and two barrier "
    f"steps, and {TICKS} ticks from states that noise displaces; the least of {ROUNDS} rounds each. fatrop has our "
    "forward dynamics and their exact Hessian by CasADi, in C or run by CasADi; Crocoddyl's BoxFDDP has limits of "
    "states as barriers, which is why its cost may differ. The A1 trots: full dynamics, forces of feet within "
    "friction; its calls take one barrier step. Its stages are ours alone: no other solver has them. Linearising is "
    "what a call from Python that linearises twice takes more, a barrier step what one with one more takes more, and "
    "the rest is that of a call from Python: the search of a step's length, what the last call left, copies.",
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
    return Sheet("Predictive control", COLUMNS, rows, (*NOTES, *remarks.notes()))


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
