"""How far the motion under a plan's torques leaves the plan: many steps one after the other, without feedback.

Errors of steps that all point one way add up. A motion without feedback also leaves plans that are exact, where it is
unstable; therefore it begins anew at the plan after each window, in which its errors grow little by themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.summary import one_line
from screwgraph.compiler.kernels import address_of
from screwgraph.motion.planning.accuracy.motion_scales import MotionScales, spread_by_unit
from screwgraph.motion.planning.accuracy.step_errors import integration_tolerance
from screwgraph.motion.planning.accuracy.step_flow import StepFlow
from screwgraph.motion.planning.accuracy.window_kernels import compile_window_code
from screwgraph.optimize.manifold_code import difference_values, retract_values

FREE = (1.0 + np.sqrt(5.0)) / 2.0
"""Growth of errors in free motion: the norm of ((1, 1), (0, 1)), positions by velocities times the window's time."""
GROWTH = np.e
"""How much more errors may grow within a window than in free motion."""
ROUNDS = 8
"""Most corrections of a motion."""
SETTLED = 0.02
"""Change by a correction, as a part of the accuracy, that is the last one."""

Defects = Callable[[Float[np.ndarray, "S 2nv"]], Float[np.ndarray, "S 2nv"]]


@dataclass(frozen=True, eq=False)
class OpenLoopErrors:
    """How far the motion under the planned torques leaves the plan within each of W windows.

    Args:
        begins: the step that each window begins with.
        times: begin and end (s) of each window.
        position: largest error, relative to the whole way, of turning and of sliding coordinates by themselves.
        distance: largest error of each coordinate (rad, m).
        of_window: the largest error relative to the net displacement in the window.
        shares: what each step contributes to the relative error of its window.
        of: names of the coordinates.
        units: units of their errors.
        way: what errors are relative to (rad, m).
    """

    __repr__ = one_line

    begins: Int[np.ndarray, " W"]
    times: Float[np.ndarray, "W 2"]
    position: Float[np.ndarray, " W"]
    distance: Float[np.ndarray, "W nv"]
    of_window: Float[np.ndarray, " W"]
    shares: Float[np.ndarray, " S"]
    of: tuple[str, ...]
    units: tuple[str, ...]
    way: Float[np.ndarray, " nv"]

    @property
    def worst(self) -> str:
        """The largest error in words: which coordinate, by how much, when."""
        window = int(self.position.argmax())
        c = int(np.nan_to_num(self.distance[window] / self.way, nan=np.inf).argmax())
        begin, end = self.times[window]
        return f"{self.of[c]} by {self.distance[window, c]:.2g} {self.units[c]} from {begin:.3g} to {end:.3g} s"


def find_defects(flow: StepFlow, accuracy: float) -> Defects:
    """Return what the motion of each step, begun at errors (S, 2nv) of its first point, ends from its last point by."""
    steps, manifold = flow.steps, flow.steps.mechanics.positions
    first, nv = steps.first, steps.mechanics.robot.nv
    q, v, last = flow.values["q"], flow.values["qd"], first + steps.per_step
    tolerance = integration_tolerance(flow.scales, accuracy)

    def defects(errors: np.ndarray) -> np.ndarray:
        begin = retract_values(manifold, q[first], errors[:, :nv])
        d, ended = flow.integrate(begin, v[first] + errors[:, nv:], tolerance)
        off = difference_values(manifold, q[last], retract_values(manifold, begin, np.nan_to_num(d)))
        return np.concatenate([np.where(np.isfinite(d), off, np.inf), ended - v[last]], axis=1)

    return defects


def find_open_loop_errors(
    flow: StepFlow, defects: Defects, first_defects: Float[np.ndarray, "S 2nv"], accuracy: float
) -> OpenLoopErrors:
    """Integrate the plan without feedback over windows.

    All steps are integrated at once, from where the ones before end: parallel shooting, corrected by the derivatives of
    the motion until it does not change. Chartier & Philippe (1993). `first_defects` are those of the planned points.
    """
    steps, scales, nv = flow.steps, flow.scales, flow.steps.mechanics.robot.nv
    transitions = find_transitions(flow)
    starts = find_windows(transitions, flow, scales)
    errors, found = np.zeros_like(first_defects), first_defects
    for _ in range(ROUNDS):
        ends, before = _accumulate(found, transitions, errors, starts), errors
        errors = np.where(starts[:, None] == 1, 0.0, ends[np.arange(-1, len(ends) - 1)])
        change = np.abs((errors - before)[:, :nv]) / scales.way
        if not np.isfinite(ends).all() or change.max() <= SETTLED * accuracy:
            break
        found = defects(errors)
    begins = np.flatnonzero(starts)
    closes = np.append(begins[1:], len(starts)) - 1
    q, last = flow.values["q"], steps.first[closes] + steps.per_step
    distance = np.maximum.reduceat(np.nan_to_num(np.abs(ends[:, :nv]), nan=np.inf), begins, axis=0)
    net = np.abs(difference_values(steps.mechanics.positions, q[steps.first[begins]], q[last]))
    short = np.maximum(spread_by_unit(net, scales.turns), scales.way / len(starts))
    shares = _shares(first_defects, transitions, starts, scales)
    times = np.stack([flow.t[steps.first[begins]], flow.t[last]], axis=1)
    relative = (distance / scales.way).max(axis=1), distance, (distance / short).max(axis=1)
    labels, units = steps.mechanics.labels, steps.mechanics.units("position")
    return OpenLoopErrors(begins, times, *relative, shares, labels, units, scales.way)


def find_transitions(flow: StepFlow) -> Float[np.ndarray, "S 2nv 2nv"]:
    """Return the derivatives of the state at the end of each step by that at its beginning.

    They are the stability function of Radau IIA at the linear motion in the middle: of third order, L-stable.
    """
    steps, manifold = flow.steps, flow.steps.mechanics.positions
    a, b = steps.first, steps.first + steps.per_step
    q, v = flow.values["q"], flow.values["qd"]
    middle = retract_values(manifold, q[a], 0.5 * difference_values(manifold, q[a], q[b]))
    rates = flow.lengths[:, None, None] * flow.linearize(middle, 0.5 * (v[a] + v[b]))
    rates = np.where(np.isfinite(rates), rates, 0.0)
    one = np.eye(rates.shape[1])
    return np.linalg.solve(one - (2.0 / 3.0) * rates + rates @ rates / 6.0, one + rates / 3.0)


def find_windows(
    transitions: Float[np.ndarray, "S 2nv 2nv"], flow: StepFlow, scales: MotionScales
) -> Int[np.ndarray, " S"]:
    """Return 1 for steps that begin a window: errors grow by no more than `GROWTH` times free motion within each.

    Errors of positions are measured by the whole way, those of velocities by that in the time of the window.
    """
    steps, nv = flow.steps, len(scales.way)
    times = np.ascontiguousarray([flow.t[steps.first], flow.t[steps.first + steps.per_step]])
    starts, work = np.zeros(len(transitions), dtype=np.int64), np.empty((4, 2 * nv, 2 * nv))
    given = (transitions, scales.way, *times, GROWTH * FREE, *work, starts, nv)
    _call_on_steps("find_starts", len(transitions), *given)
    return starts


def _accumulate(
    defects: np.ndarray, transitions: np.ndarray, errors: np.ndarray, starts: Int[np.ndarray, " S"]
) -> Float[np.ndarray, "S 2nv"]:
    """Return the errors at the ends of steps that begin where the ones before end, by defects at other errors."""
    ends, n = np.empty_like(defects), defects.shape[1]
    _call_on_steps("accumulate_errors", len(ends), defects, transitions, errors, starts, np.empty(n), ends, n)
    return ends


def _shares(
    defects: np.ndarray, transitions: np.ndarray, starts: Int[np.ndarray, " S"], scales: MotionScales
) -> Float[np.ndarray, " S"]:
    """Return the relative error of position at the end of a window that each step contributes."""
    nv, found = len(scales.way), np.empty(len(defects))
    work = np.empty((2, nv, 2 * nv))
    _call_on_steps("share_errors", len(found), defects, transitions, scales.way, starts, *work, found, nv)
    return np.where(np.isfinite(found), found, np.inf)


def _call_on_steps(name: str, count: int, *given: np.ndarray | float) -> None:
    """Call a kernel for so many steps with contiguous arrays and numbers."""
    numbers = [address_of(x) if isinstance(x, np.ndarray) else x for x in given]
    compile_window_code()[name](*numbers, count)
