"""Robots: trees and closed chains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, Function, robot_arguments, without_metadata
from screwgraph.graph import Key
from screwgraph.mechanics.kinematics.inverse.models.base import LimitedCoordinate
from screwgraph.mechanics.kinematics.kinematic_function import compile_kinematics
from screwgraph.mechanics.kinematics.targets import Pose, Target, TargetResidual
from screwgraph.mechanics.kinematics.targets.tangent_derivatives import differentiate_along, position_rates
from screwgraph.model.robot import Joint, Robot, check_moves, constraint_residual, constraint_rows, units
from screwgraph.spatial import Array, maximum, minimum, translation
from screwgraph.spatial.manifolds import Manifold

SEED = 2026
DIGITS, ROUNDING = 2.0, 1e-9
"""How far redundant rows may be open: so many times what they are at closed positions that are known (rad, m)."""
RANDOM = 5
"""Random positions at which it is seen which rows of closures can be open."""


@dataclass(frozen=True, eq=False)
class RobotModel:
    """A robot; `held` joints stay where a start has them."""

    __repr__ = one_line

    subject: Robot
    held: tuple[str, ...] = ()

    @classmethod
    def holding(cls, robot: Robot, held: tuple[str, ...]) -> RobotModel:
        """Make one. Raises InputError where no joint moves, or there is none of a name."""
        check_moves(robot)
        return cls(robot, tuple(robot.joint(name).name for name in held))

    @property
    def name(self) -> str:
        return f"robot {self.subject.name!r}"

    @property
    def question(self) -> object:
        return without_metadata(self.subject), self.held

    @property
    def manifold(self) -> Manifold:
        return self.subject.manifold

    @property
    def start(self) -> Argument:
        (q,) = robot_arguments(self.subject, [("q", [Key("q", name) for name in self.subject.joint_names])])
        return Argument("start", q.shape, tuple(f"start{name.removeprefix('q')}" for name in q.names), q.spaces)

    @property
    def limited(self) -> tuple[LimitedCoordinate, ...]:
        return self._limited_coordinates

    @cached_property
    def _limited_coordinates(self) -> tuple[LimitedCoordinate, ...]:
        joints = [j for j in self.subject.joints if j.type.nq == 1 and j.name not in self.held]
        return tuple(self._limited_joint(j) for j in joints if (j.limits.lower, j.limits.upper) != (None, None))

    def _limited_joint(self, joint: Joint) -> LimitedCoordinate:
        low, high = joint.limits.lower, joint.limits.upper
        bounds = -np.inf if low is None else float(low), np.inf if high is None else float(high)
        places = self.subject.q_slices[joint.name].start, self.subject.v_slices[joint.name].start
        return LimitedCoordinate(joint.name, *places, *bounds, units(joint.type).position[0])

    @property
    def moves(self) -> tuple[int, ...]:
        held = {i for name in self.held for i in range(*self.subject.v_slices[name].indices(self.subject.nv))}
        return tuple(i for i in range(self.subject.nv) if i not in held)

    @property
    def length(self) -> float:
        """The length of the longest chain of joints."""
        far = {self.subject.links[0].name: 0.0}
        for joint in self.subject.joints:
            far[joint.child] = far[joint.parent] + float(np.linalg.norm(translation(joint.origin)))
        for frame in self.subject.frames:
            far[frame.name] = far.get(frame.link, 0.0) + float(np.linalg.norm(translation(frame.T_lf)))
        return max(far.values()) or 1.0

    @property
    def loops(self) -> tuple[str, ...]:
        return (*(loop.name for loop in self.subject.loops), *(coupling.name for coupling in self.subject.couplings))

    @property
    def can_open(self) -> bool:
        return self.subject.is_closed

    def target(self, name: str) -> Target:
        """Return the pose of a frame."""
        return Pose(name)

    def own(self, target: Target) -> Target:
        target.shape(self.subject)
        return target

    def motion(self, targets: Sequence[Target]) -> Function:
        def expression(changed: Robot, q: np.ndarray) -> list:
            found = [target.moving(changed, q) for target in targets]
            return [x for moving in found for x in (*moving.at.tolist(), *moving.jacobian.ravel().tolist())]

        robot, neutral = self.subject, self.subject.neutral()
        found = [target.moving(robot, neutral) for target in targets]
        size = sum(len(m.at) + m.jacobian.size for m in found)
        links = {link.name for link in robot.links}
        keep = [name for t in targets if (name := getattr(t, "frame", "")) in links]
        asked = [(type(t).__name__, t.label) for t in targets]
        return compile_kinematics("motion_of_targets", robot, ("q",), expression, (size,), asked=asked, keep=keep)

    def closure(self, q: Array) -> TargetResidual:
        """Return the closure errors of loops and couplings with exact derivatives: of independent rows as they are.

        Rows that follow from these, but for the digits of a file, count from where they are at closed positions on:
        where independent rows are closed in another way, they are open. What is closed at all positions is left out.
        """
        robot = self.subject
        kept, names, errors = robot.mobility.kept, constraint_rows(robot), constraint_residual(robot, q)
        rest = [k for k in self._open if k not in kept]
        rough = DIGITS * np.abs([constraint_residual(robot, q) for q in self._closed_positions]).max(axis=0) + ROUNDING
        loose = [errors[k] - minimum(maximum(errors[k], -float(rough[k])), float(rough[k])) for k in rest]
        values = [*errors[list(kept)], *loose]
        J = differentiate_along(values, q, position_rates(robot.manifold, q))
        return TargetResidual(values, J, [names[k].component.startswith("translation") for k in (*kept, *rest)])

    @cached_property
    def _open(self) -> tuple[int, ...]:
        """The rows that are open at some random position."""
        rng, robot = np.random.default_rng(SEED), self.subject
        errors = np.abs([constraint_residual(robot, robot.random(rng)) for _ in range(RANDOM)]).max(axis=0)
        return tuple(np.flatnonzero(errors > ROUNDING).tolist())

    @property
    def fixed(self) -> tuple[int, ...]:
        """Places in q of the joints that are held."""
        return tuple(i for name in self.held for i in range(*self.subject.q_slices[name].indices(self.subject.nq)))

    def first_start(self) -> Float[np.ndarray, " nq"]:
        """Return the middle of limits, zero where there are none; of closed chains a closed position."""
        robot = self.subject
        if robot.is_closed:
            return self._closed_positions[0].copy()
        q = robot.neutral()
        for own in self.limited:
            bounded = np.isfinite(own.upper - own.lower)
            q[own.q] = 0.5 * (own.lower + own.upper) if bounded else min(max(0.0, own.lower), own.upper)
        return q

    def later_starts(self, count: int) -> Float[np.ndarray, "count nq"]:
        """Return random positions within limits; of closed chains, every second is a closed one."""
        rng, found = np.random.default_rng(SEED), []
        for i in range(count):
            q = self.subject.random(rng)
            for own in self.limited:
                bounded = np.isfinite(own.upper - own.lower)
                q[own.q] = rng.uniform(own.lower, own.upper) if bounded else min(max(q[own.q], own.lower), own.upper)
            closed = self._closed_positions if self.subject.is_closed and i % 2 == 0 else []
            found.append(closed[(i // 2) % len(closed)] if len(closed) else q)
        return np.array(found).reshape(count, self.subject.nq)

    @cached_property
    def _closed_positions(self) -> list[Float[np.ndarray, " nq"]]:
        states = [np.asarray(q, dtype=float) for q in self.subject.mobility.states]
        return states or [self.subject.neutral()]
