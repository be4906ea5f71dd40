"""Whole-body controllers: ticks in C, beside DAQP and ProxQP on the quadratic programs that are left in them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.controller_programs import EXACT, Peer, Programs, make_daqp, make_proxqp, solve_programs
from benchmarks.drivers import build_driver
from benchmarks.tables import NOTHING, Remarks, Sheet
from screwgraph.motion.control import ControlLimits, FrameTask, PostureTask, stack_contacts, stack_gains
from screwgraph.motion.control.controller import WholeBody, hold_contacts
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
TICKS, ROUNDS = 2000, 15
PEERS = {"DAQP": make_daqp, "ProxQP": make_proxqp}
INSTALLED = {"DAQP": "daqp", "ProxQP": "proxsuite"}
EACH = {"DAQP": 1, "ProxQP": 10}
"""Every how many ticks a peer solves."""
FEET = tuple(f"{side}_foot" for side in ("FR", "FL", "RR", "RL"))
PYRAMIDS = ControlLimits()
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
    """Time controllers of an arm and of a quadruped; the subjects play no part."""
    rows, remarks = list[list[str]](), Remarks()
    for case in (panda(), a1()):
        tools.say(f"controller of {case.body.model.name}")
        row = [case.body.model.name, f"{case.body.unknowns} unknowns, {case.body.rows} rows"]
        try:
            times, solutions = measure_ticks(case, tools)
            passages = f"{solutions[:, 1].mean():.1f}, {solutions[:, 1].max():.0f} at most"
            ours = [passages, *percentiles(times), f"{solutions[:, 2].max():.1e}"]
        except NotMeasuredError as error:
            ours = [remarks.cell("controller", row[0], str(error))] * 4
        own = solve_programs(case.body, case.function, name_arguments(case))
        daqp, proxqp = (beside_peer(case, own, name, make, remarks) for name, make in PEERS.items())
        rows.append([*row, *ours[:3], *daqp[:3], proxqp[0], proxqp[2], ours[3], daqp[3], proxqp[3]])
    tools.say("controller of a1, round cones")
    names = ["a1, round cones", "as above, forces in Coulomb's round cones"]
    try:
        times, solutions = measure_ticks(a1(ControlLimits(round_cones=True)), tools)
        passages = f"{solutions[:, 1].mean():.1f}, {solutions[:, 1].max():.0f} at most"
        rows.append(
            [*names, passages, *percentiles(times), *[NOTHING] * 5, f"{solutions[:, 2].max():.1e}", *[NOTHING] * 2]
        )
    except NotMeasuredError as error:
        rows.append([*names, *[remarks.cell("controller", names[0], str(error))] * 11])
    return Sheet("Controllers", COLUMNS, rows, (*NOTES, *remarks.notes()))


@dataclass(frozen=True, eq=False)
class Case:
    """A controller, and what it is given, tick by tick, but for the last solution."""

    body: WholeBody
    function: sg.Function
    given: Float[np.ndarray, "ticks n"]


def make_case(robot: sg.Robot, tasks: Any, contacts: Any, states: Any, limits: ControlLimits) -> Case:
    """Return the case of states (q, qd, pose, which contacts are on)."""
    function = sg.controller(robot, tasks, contacts=contacts, limits=limits)
    held, plane = hold_contacts(robot, contacts, None)
    own = WholeBody(robot, tasks, held, plane, limits)
    gains, feet = stack_gains(tasks), stack_contacts(contacts) if contacts else np.zeros((0, 2))
    given = []
    for q, qd, goal, posture, on in states:
        n = len(posture)
        switched = np.column_stack([on, feet[:, 1]]) if contacts else feet
        numbers = (q, qd, goal, np.zeros(12), posture, np.zeros(2 * n), gains, switched)
        given.append(np.concatenate([np.ravel(x) for x in numbers]))
    return Case(own, function, np.array(given))


def panda() -> Case:
    """Return the arm's."""
    robot, tasks = sg.load("panda"), (FrameTask("panda_hand_tcp", stiffness=400.0), PostureTask(weight=1e-3))
    pose, q0 = sg.forward_kinematics(robot, "panda_hand_tcp"), np.array([0.0, -0.4, 0.0, -2.2, 0.0, 1.9, 0.8])

    def state(t: float) -> tuple[Any, ...]:
        q = q0 + 0.3 * np.sin(7.0 * t + np.arange(7))
        goal = pose(q).copy()
        goal[:3, 3] += 0.1 * np.sin(11.0 * t + np.arange(3))
        return q, 0.5 * np.cos(7.0 * t + np.arange(7)), goal, q0, ()

    return make_case(robot, tasks, (), map(state, np.linspace(0.0, 2.0 * np.pi, TICKS)), ControlLimits())


def a1(limits: ControlLimits = PYRAMIDS) -> Case:
    """Return the quadruped's."""
    robot, tasks = sg.load("a1", base="floating"), (FrameTask("trunk", stiffness=200.0), PostureTask(weight=1e-4))
    contacts = tuple(sg.Contact(foot, radius=0.02, friction=0.7) for foot in FEET)
    pose, q0 = sg.forward_kinematics(robot, "trunk"), sg.neutral(robot)
    q0[2], q0[7:] = 0.27, np.tile([0.0, 0.9, -1.8], 4)

    def state(t: float) -> tuple[Any, ...]:
        q = q0.copy()
        q[2], q[7:] = q0[2] + 0.02 * np.sin(7.0 * t), q0[7:] + 0.1 * np.sin(7.0 * t + np.arange(12))
        goal = pose(q).copy()
        goal[:3, 3] += 0.05 * np.sin(11.0 * t + np.arange(3))
        first = np.sin(20.0 * t)
        on = np.array([first < 0.5, first > -0.5, first > -0.5, first < 0.5], dtype=float)
        return q, 0.3 * np.cos(7.0 * t + np.arange(18)), goal, q0[7:], on

    return make_case(robot, tasks, contacts, map(state, np.linspace(0.0, 2.0 * np.pi, TICKS)), limits)


def measure_ticks(case: Case, tools: Tools) -> tuple[Float[np.ndarray, " ticks"], Float[np.ndarray, "ticks 3"]]:
    """Return the least time (ns) of each tick, and its status, passages and violation.

    Raises:
        NotMeasuredError: there is no compiler, or it refuses.
    """
    widths = [len(a.names) for a in case.body.given]
    library, _ = build_driver(case.function, DRIVER, case.body.rows, widths, tools)
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


def name_arguments(case: Case) -> dict[str, Any]:
    """Return arguments of all ticks by name."""
    ends = np.cumsum([len(a.names) for a in case.body.given])
    pieces = np.split(case.given, ends[:-1], axis=1)
    return {a.name: x.reshape(TICKS, *a.shape) for a, x in zip(case.body.given, pieces, strict=True)}


def percentiles(nanoseconds: Float[np.ndarray, " ticks"]) -> list[str]:
    """Return the median and the 99.9th percentile (us)."""
    return [f"{1e-3 * np.quantile(nanoseconds, share):.1f}" for share in (0.5, 0.999)]
