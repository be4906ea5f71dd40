"""Whole-body controllers: ticks in C, beside DAQP and ProxQP on the quadratic programs that are left in them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Float

from benchmarks.bench import Entry, Tools
from benchmarks.controller_cases import TICKS, Case, a1, g1, panda, ur5
from benchmarks.controller_programs import EXACT, Peer, Programs, make_daqp, make_proxqp, solve_programs
from benchmarks.drivers import build_driver
from benchmarks.tables import NOTHING, Remarks, Sheet
from screwgraph.motion.control import ControlLimits
from screwgraph.ui.bench import NotMeasuredError

COLUMNS = (
    "robot",
    "program",
    "passages",
    "tick in C, us",
    "99.9 %, us",
    "DAQP, us",
    "99.9 %, us",
    "cost beside DAQP's",
    "ProxQP, us",
    "cost beside ProxQP's",
    "violation",
    "of DAQP",
    "of ProxQP",
)
ROUNDS = 15
PEERS = {"DAQP": make_daqp, "ProxQP": make_proxqp}
INSTALLED = {"DAQP": "daqp", "ProxQP": "proxsuite"}
EACH = {"DAQP": 1, "ProxQP": 10}
"""Every how many ticks a peer solves."""
CASES: Mapping[str, tuple[Callable[[], Case], str]] = {
    "panda": (panda, ""),
    "ur5, a ball and the table": (ur5, ""),
    "a1": (a1, ""),
    "a1, round cones": (lambda: a1(ControlLimits(round_cones=True)), ", forces in Coulomb's round cones"),
    "g1 on soles": (g1, ""),
}
"""Cases, and what is said of their programs."""
NOTES = (
    f"{TICKS} ticks along a motion; feet of the quadruped switch as in a trot. Of each tick the least time of {ROUNDS} "
    "rounds; then the median and the 99.9th percentile over ticks. A tick is all: terms, condensing, program, "
    f"torques; it begins with the active rows of the one before. DAQP and ProxQP (tolerances {EXACT:g}) solve the "
    "quadratic program alone, from scratch, set-up included, by their own clocks; ProxQP every tenth. Costs: the "
    "largest relative difference; violations in units of limits. Round cones: programs one after the other.",
)
DRIVER = """
#include <time.h>
void ticks(const double *rows, int n, int width, double *ns, double *found)
{{
    double active[{m}] = {{0}}, after[{m}], results[{size}];
    for (int i = 0; i < n; ++i) {{
        const double *x = rows + (long)i * width;
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        {name}({arguments}, active, {results}, after, found + 3 * i);
        clock_gettime(CLOCK_MONOTONIC, &b);
        ns[i] = 1e9 * (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec);
        for (int j = 0; j < {m}; ++j) active[j] = after[j];
    }}
}}
"""


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Time controllers of arms, of a quadruped and of a humanoid; the subjects play no part."""
    rows, remarks = list[list[str]](), Remarks()
    for name, (make, program) in CASES.items():
        tools.say(f"controller of {name}")
        try:
            case = make()
            times, solutions = measure_ticks(case, tools)
        except NotMeasuredError as error:
            rows.append([name, program, *[remarks.cell("controller", name, str(error))] * (len(COLUMNS) - 2)])
            continue
        program = f"{case.body.unknowns} unknowns, {case.body.rows} rows{program}"
        passages = f"{solutions[:, 1].mean():.1f}, {solutions[:, 1].max():.0f} at most"
        daqp = proxqp = [NOTHING] * 4
        if not case.body.limits.round_cones:
            own = solve_programs(case.body, case.function, case.name_arguments())
            daqp, proxqp = (beside_peer(case, own, name, make, remarks) for name, make in PEERS.items())
        violation = f"{solutions[:, 2].max():.1e}"
        ours = [name, program, passages, *percentiles(times)]
        rows.append([*ours, *daqp[:3], proxqp[0], proxqp[2], violation, daqp[3], proxqp[3]])
    return Sheet("Controllers", COLUMNS, rows, (*NOTES, *remarks.notes()))


def measure_ticks(case: Case, tools: Tools) -> tuple[Float[np.ndarray, " ticks"], Float[np.ndarray, "ticks 3"]]:
    """Return the least time (ns) of each tick, and its status, passages and violation.

    Raises:
        NotMeasuredError: there is no compiler, or it refuses.
    """
    widths = [len(a.names) for a in case.body.given]
    library, _ = build_driver(case.function, DRIVER, case.body.carried, widths, tools)
    rows, found = np.ascontiguousarray(case.given), np.empty((TICKS, 3))
    least, times = np.full(TICKS, np.inf), np.empty(TICKS)
    address = [x.ctypes.data_as(ctypes.c_void_p) for x in (rows, times, found)]
    for _ in range(ROUNDS):
        library.ticks(address[0], TICKS, rows.shape[1], address[1], address[2])
        least = np.minimum(least, times)
    return least, found


def beside_peer(case: Case, own: Programs, name: str, make: Callable[[], Peer], remarks: Remarks) -> list[str]:
    """Return times of a peer on the same programs, the largest difference of costs, and its largest violation."""
    try:
        peer = make()
    except ImportError:
        return [remarks.cell(name, case.body.model.name, f"pip install {INSTALLED[name]}")] * 4
    chosen = range(0, TICKS, EACH[name])
    least, apart, worst, unsolved = list[float](), 0.0, 0.0, 0
    for k in chosen:
        found = [peer(own, k) for _ in range(3)]
        x, _, is_solved = found[0]
        if not is_solved:
            unsolved += 1
            continue
        best = own.cost(k, x)
        least.append(min(ns for _, ns, _ in found))
        apart = max(apart, abs(own.cost(k, own.u[k]) - best) / (1.0 + abs(best)))
        values = own.A[k] @ x
        worst = max(worst, float(np.maximum(own.lower[k] - values, values - own.upper[k]).max()))
    says = f" ({unsolved} of {len(chosen)} not solved)" if unsolved else ""
    return [*percentiles(np.array(least)), f"{apart:.1e}{says}", f"{worst:.1e}"]


def percentiles(nanoseconds: Float[np.ndarray, " ticks"]) -> list[str]:
    """Return the median and the 99.9th percentile (us)."""
    return [f"{1e-3 * np.quantile(nanoseconds, share):.1f}" for share in (0.5, 0.999)]
