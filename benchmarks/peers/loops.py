"""Pinocchio's forward dynamics of closed chains, `lcaba` and `constraintDynamics`, from Python and from C++.

Both are regularised: mu = 1e-6 and one proximal iteration, their fastest way, whose error the tables print.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.native import Compiler
from benchmarks.peers.answers import ANSWERS
from benchmarks.peers.pinocchio_cpp import built, model_text, numbers, pose_numbers, run
from screwgraph.model.robot import Robot, merge_fixed, without_loops
from screwgraph.model.robot.joints import Fixed, Spherical
from screwgraph.ui.bench import (
    Budget,
    Case,
    NotMeasuredError,
    PeerResult,
    Tree,
    import_peer,
    make_depth_first_tree,
    measure_nanoseconds,
)
from screwgraph.ui.bench.peers.pinocchio import peer_states, pinocchio_model

WAYS = ("lcaba", "constraintDynamics")
ACCURACY, MU = 1e-12, 1e-6
CONVERGED = 50
"""Proximal iterations after which `constraintDynamics` is exact but for rounding."""


@dataclass(frozen=True, eq=False)
class Constraint:
    """Frames on two bodies (numbered from 1, 0 is the base) of which 3 or all 6 relative motions are taken away."""

    rows: int
    bodies: tuple[int, int]
    frames: tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class LoopsFromPython:
    """The wheel `pin`: data and constraints allocated beforehand."""

    way: str
    iterations: int = 1

    def measure(self, case: Case, effort: Budget) -> PeerResult:
        """Time one call; answer at the first states. Raises NotMeasuredError where Pinocchio cannot."""
        pin = import_peer("pinocchio", "pin")
        bodies, constraints = opened(case.robot)
        model = pinocchio_model(pin, case.robot, bodies)
        data, models, datas = model.createData(), pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for constraint in constraints:
            models.append(_constraint_model(pin, model, constraint))
            datas.append(models[-1].createData())
        if self.way == "lcaba":
            pin.computeJointMinimalOrdering(model, data, models)
        else:
            pin.initConstraintDynamics(model, data, models, datas)
        algorithm, settings = getattr(pin, self.way), pin.ProximalSettings(ACCURACY, MU, self.iterations)
        states = peer_states(bodies, case)
        found = [np.array(algorithm(model, data, *x, models, datas, settings)) for x in zip(*states, strict=True)]
        first = [x[0] for x in states]
        time = measure_nanoseconds(effort, algorithm, model, data, *first, models, datas, settings)
        return PeerResult(time, bodies.back(np.array(found)), self.way)


@dataclass(frozen=True)
class LoopsInCpp:
    """The headers, in a program that is built once; `say` reports that."""

    way: str
    compiler: Compiler
    say: Callable[[str], None]

    def measure(self, case: Case, effort: Budget) -> PeerResult:
        """Time calls over all states; answer at all. Raises NotMeasuredError where Pinocchio cannot."""
        bodies, constraints = opened(case.robot)
        text = model_text(case.robot, bodies) + "".join(f"{_line(c)}\n" for c in constraints)
        return run(
            built("loops.cpp", self.compiler, self.say, parts=()),
            text,
            case,
            bodies,
            effort,
            self.way,
            ANSWERS["forward"],
        )


def opened(robot: Robot) -> tuple[Tree, Sequence[Constraint]]:
    """Return a closed chain as Pinocchio knows it: a tree, and constraints between frames.

    Raises:
        NotMeasuredError: it has no such constraint or joint.
    """
    if robot.couplings:
        raise NotMeasuredError("Pinocchio's rigid constraints tie frames, not joint positions as gears do")
    if any(joint.damping for joint in robot.joints):
        raise NotMeasuredError("Pinocchio has no viscous damping (load the robot with damping=False)")
    merged = merge_fixed(robot)
    bodies = make_depth_first_tree(without_loops(merged))
    number = {merged.links[0].name: 0, **{body.joint.child: i + 1 for i, body in enumerate(bodies.bodies)}}
    return bodies, [
        Constraint(rows, (number[loop.predecessor], number[loop.successor]), (loop.T_pf, loop.T_sf))
        for loop, rows in zip(merged.loops, _rows(merged), strict=True)
    ]


def _rows(robot: Robot) -> list[int]:
    """Return 6 for a welded loop, 3 for a ball joint, and for others where a ball joint takes as much away."""
    rows = [6 if isinstance(loop.type, Fixed) else 3 for loop in robot.loops]
    balls = [loop if isinstance(loop.type, Fixed) else replace(loop, type=Spherical()) for loop in robot.loops]
    if replace(robot, loops=tuple(balls)).mobility.rank != robot.mobility.rank:
        raise NotMeasuredError("Pinocchio's rigid constraints hold points or whole frames together, not hinges")
    return rows


def _constraint_model(pin: Any, model: Any, constraint: Constraint) -> Any:
    kind = pin.ContactType.CONTACT_6D if constraint.rows == 6 else pin.ContactType.CONTACT_3D
    (first, second), (T_first, T_second) = constraint.bodies, constraint.frames
    at = (first, pin.SE3(T_first), second, pin.SE3(T_second))
    return pin.RigidConstraintModel(kind, model, *at, pin.ReferenceFrame.LOCAL)


def _line(constraint: Constraint) -> str:
    """Return a constraint as `loops.cpp` reads it."""
    ends = zip(constraint.bodies, constraint.frames, strict=True)
    places = " ".join(f"{body} {numbers(pose_numbers(T))}" for body, T in ends)
    return f"loop {constraint.rows} {places}"
