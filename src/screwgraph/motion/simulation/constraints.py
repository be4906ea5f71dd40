"""Keeping closed chains closed: projections of positions and velocities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import CompiledStepLoop, StepLoop, compile_step_loop
from screwgraph.model.robot import JointType, Robot, constraint_jacobian, constraint_rows, loop_pose
from screwgraph.model.robot.closure.closing_newton import close_by_newton
from screwgraph.motion.simulation import projection_code
from screwgraph.motion.simulation.closure_code import closure_code, entries
from screwgraph.motion.simulation.projection_code import make_bound_test
from screwgraph.motion.simulation.step_code import TracedSteps
from screwgraph.tape import Memory, Part

NEAR = 1e-8
"""Error (rad, m) of a loop joint's own position with which closure errors may be computed: it enters them squared."""
FAR = 0.05
"""The same for joints that only turn, or only slide, about axes that stay: their own motion opens no loop."""
FINITE = 1e300


class Constraints:
    """The loops and couplings of a robot; remembers where the loop joints stood last: they are not far from there.

    `function` is their compiled code, whose entries of K have `places`; the first `kept` of its `rows` gaps are those
    of independent rows. `x` are the loop joints' positions, which may be off by `bound`.
    """

    def __init__(self, robot: Robot, q: Float[np.ndarray, " nq"]) -> None:
        self.robot = robot
        kept = robot.mobility.kept
        every = range(len(constraint_rows(robot)))
        rows = [*kept, *(i for i in every if i not in kept)]
        self.function, self.places = closure_code(robot, rows), tuple(map(np.array, entries(robot, rows)))
        self.kept, self.rows = len(kept), len(every)
        self.x = _loop_positions(robot, q)
        self.bound = np.array([_distance_bound(loop.type) for loop in robot.loops for _ in range(loop.type.nv)])
        self._code: tuple[Memory, CompiledStepLoop] | None = None

    def project(
        self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]
    ) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"], float]:
        """Return the nearest position and velocity that constraints allow, and the loop-closure error (rad, m).

        Raises:
            InputError: the position is too far from one at which the loops close.
        """
        if not (np.isfinite(q).all() and np.isfinite(qd).all()):
            return q, np.full_like(qd, np.nan), np.nan
        if self._code is None:
            self._code = _projection(self)
        memory, code = self._code
        numbers = memory.fill(q=q, qd=qd, x=self.x)
        found = np.empty((1, self.robot.nq + self.robot.nv + self.rows))
        if not code(numbers, found):
            return self._plainly(t, q, qd)
        at = memory.places("x")
        self.x = numbers[at.start : at.stop].copy()
        ends = np.cumsum([self.robot.nq, self.robot.nv])
        q, qd, gaps = np.split(found[0], ends)
        return q, qd, float(np.abs(gaps).max(initial=0.0))

    def _plainly(self, t: float, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Do the same by damped steps and least squares: near singular positions, where Newton's fail."""
        steps = projection_code.ITERATIONS
        free = np.ones(self.robot.nv, dtype=bool)
        end = close_by_newton(self.robot, q, free, projection_code.TOLERANCE, nudges=0, steps=steps)
        if not end.error <= projection_code.TOLERANCE:
            raise InputError(
                f"at t = {t:g} s the loop-closure error is {end.error:.3g}, and Newton's method does not reduce it",
                why="a step led too far, or to a singular position",
                fix="take a smaller dt",
            )
        self.x = _loop_positions(self.robot, end.q)
        K = constraint_jacobian(self.robot, end.q)[list(self.robot.mobility.kept)]
        return end.q, qd - np.linalg.lstsq(K, K @ qd, rcond=None)[0], end.error


def _projection(constraints: Constraints) -> tuple[Memory, CompiledStepLoop]:
    """Return machine code that puts a state back onto the constraints, and the memory that it works in."""
    robot, memory = constraints.robot, Memory()
    sizes = {"q": robot.nq, "qd": robot.nv, "gaps": constraints.rows, "x": len(constraints.x)}
    for name, size in sizes.items():
        memory.add(name, size)
    parts = projection_code.make_projection(constraints, TracedSteps(robot.manifold), memory)
    return memory, compile_step_loop(make_step_loop(parts, memory))


def make_step_loop(parts: Sequence[Part], memory: Memory) -> StepLoop:
    """Return a step, which keeps q, qd and gaps, where these are finite, loops closed, and turns less than 1 rad."""
    bounds = [(place, FINITE) for name in ("q", "qd", "gaps") for place in memory.places(name)]
    bounds += [(place, 1.0) for name in memory.names if name.startswith("turns") for place in memory.places(name)]
    bounds += [(place, 0.0) for name in memory.names if name == "open" for place in memory.places(name)]
    (counts,) = memory.add("counts", 1)
    return StepLoop((*parts, make_bound_test(bounds, counts)), counts, range(memory.places("gaps").stop))


def _distance_bound(joint: JointType) -> float:
    A = np.asarray(joint.screw_axes(joint.manifold.identity()), dtype=float)
    is_screw = (A[:3].any(axis=0) & A[3:].any(axis=0)).any()
    # A ball joint that is taken some way off has its error in turned axes.
    return FAR if joint.constant_axes and joint.nv == 1 and not is_screw else NEAR


def _loop_positions(robot: Robot, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " n"]:
    return np.concatenate([np.zeros(0), *(loop.type.nearest(loop_pose(robot, loop, q)) for loop in robot.loops)])
