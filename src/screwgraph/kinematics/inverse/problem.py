"""A problem of inverse kinematics: a robot, targets, and the numbers that its code takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Argument, Function, robot_arguments, without_metadata
from screwgraph.graph import Key
from screwgraph.kinematics.inverse.closure import closure_rows
from screwgraph.kinematics.query import compiled
from screwgraph.kinematics.targets import Moving, Rows, Target
from screwgraph.robot import Robot
from screwgraph.spatial import Array, maximum, minimum, translation
from screwgraph.summary import one_line

LOOPS = "loops"
SETTINGS = ("tolerance", "attempts", "steps")
"""Error (rad, m) at which a target is met; starts; steps of each."""


@dataclass(frozen=True, eq=False)
class InverseProblem:
    """Targets of a robot; joints in `held` stay where a start has them."""

    __repr__ = one_line

    robot: Robot
    targets: tuple[Target, ...]
    held: tuple[str, ...] = ()

    @cached_property
    def question(self) -> object:
        """All that its code depends on."""
        kinds = [(type(t).__name__, [getattr(t, name) for name in _fields(t)], t.weight is None) for t in self.targets]
        return "inverse kinematics", without_metadata(self.robot), kinds, self.held

    @cached_property
    def groups(self) -> tuple[tuple[int, str], ...]:
        """What is weighed as a whole: the angles and the lengths of each target, then `LOOPS`, of no target."""
        own = [(i, unit) for i, target in enumerate(self.targets) for unit in target.units]
        return (*own, *([(len(self.targets), LOOPS)] if self.robot.is_closed else []))

    def group_of(self, target: int, is_length: bool) -> int:
        """Return the group of a row of a target; of `LOOPS`, whose number follows those of targets."""
        own = [k for k, (i, _) in enumerate(self.groups) if i == target]
        return own[int(is_length)] if len(own) > 1 else own[0]

    def is_hard(self, target: int) -> bool:
        """Tell whether a target, or `LOOPS`, must be met."""
        return target == len(self.targets) or self.targets[target].weight is None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The targets' labels, numbered where two are the same."""
        labels = [t.label for t in self.targets]
        return tuple(label if labels.count(label) == 1 else f"{label} ({i + 1})" for i, label in enumerate(labels))

    @cached_property
    def parameters(self) -> tuple[Argument, ...]:
        """The arguments: values of targets, start, bounds of limited coordinates, weights of groups, settings."""
        sizes = [(name, t.shape(self.robot)) for name, t in zip(self.names, self.targets, strict=True)]
        k = (len(self.limited),)
        plain = [("lower", k), ("upper", k), ("weight", (len(self.groups),)), ("setting", (len(SETTINGS),))]
        (q,) = robot_arguments(self.robot, [("q", [Key("q", name) for name in self.robot.joint_names])])
        start = Argument("start", q.shape, tuple(f"start{name.removeprefix('q')}" for name in q.names), q.spaces)
        vectors = [Argument(name, shape, _names(name, shape)) for name, shape in (*sizes, *plain) if np.prod(shape)]
        return (*vectors[: len(sizes)], start, *vectors[len(sizes) :])

    @cached_property
    def limited(self) -> tuple[int, ...]:
        """Places in q of coordinates that have a limit."""
        joints = [j for j in self.robot.joints if j.type.nq == 1 and j.name not in self.held]
        has = [j for j in joints if j.limits.lower is not None or j.limits.upper is not None]
        return tuple(self.robot.q_slices[j.name].start for j in has)

    @cached_property
    def velocity_of(self) -> dict[int, int]:
        """The velocity coordinate of each limited one."""
        joints = {self.robot.q_slices[j.name].start: self.robot.v_slices[j.name].start for j in self.robot.joints}
        return {place: joints[place] for place in self.limited}

    @cached_property
    def bounds(self) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"]]:
        """Lower and upper limits of the limited coordinates (rad, m)."""
        at = {self.robot.q_slices[j.name].start: j.limits for j in self.robot.joints}
        lower = [at[i].lower for i in self.limited]
        upper = [at[i].upper for i in self.limited]
        return (
            np.array([-np.inf if x is None else x for x in lower], dtype=float),
            np.array([np.inf if x is None else x for x in upper], dtype=float),
        )

    @cached_property
    def moves(self) -> tuple[int, ...]:
        """The velocity coordinates that are not held."""
        held = {i for name in self.held for i in range(*self.robot.v_slices[name].indices(self.robot.nv))}
        return tuple(i for i in range(self.robot.nv) if i not in held)

    @cached_property
    def length(self) -> float:
        """A length (m) of the robot: that of its longest chain of joints, by which lengths are divided."""
        far = {self.robot.links[0].name: 0.0}
        for joint in self.robot.joints:
            far[joint.child] = far[joint.parent] + float(np.linalg.norm(translation(joint.origin)))
        for frame in self.robot.frames:
            far[frame.name] = far.get(frame.link, 0.0) + float(np.linalg.norm(translation(frame.T_lf)))
        return max(far.values()) or 1.0

    def clipped(self, q: Array, lower: Array, upper: Array) -> Array:
        """Return positions within limits."""
        found = q.copy()
        for k, i in enumerate(self.limited):
            found[i] = minimum(maximum(q[i], lower[k]), upper[k])
        return found

    @cached_property
    def motion(self) -> Function:
        """Where what targets are about is, and how it moves, one after the other: q (nq,) -> (k,)."""

        def expression(changed: Robot, q: np.ndarray) -> list:
            found = [target.moving(changed, q) for target in self.targets]
            return [x for moving in found for x in (*moving.at.tolist(), *moving.jacobian.ravel().tolist())]

        size = sum(k + rows * self.robot.nv for k, rows in self._sizes)
        frames = [getattr(t, "frame", "") for t in self.targets]
        links = {link.name for link in self.robot.links}
        keep = [name for name in frames if name in links]
        return compiled("motion of targets", self.robot, ("q",), expression, (size,), asked=self.question, keep=keep)

    @cached_property
    def _sizes(self) -> list[tuple[int, int]]:
        q = self.robot.neutral()
        found = [target.moving(self.robot, q) for target in self.targets]
        return [(len(m.at), len(m.jacobian)) for m in found]

    def moving(self, q: Array) -> list[Moving]:
        """Return how what each target is about moves, on a tape."""
        numbers, found, nv = np.asarray(self.motion(q), dtype=object), [], self.robot.nv
        for size, rows in self._sizes:
            at, numbers = numbers[:size], numbers[size:]
            jacobian, numbers = numbers[: rows * nv], numbers[rows * nv :]
            found.append(Moving(at, jacobian.reshape(rows, nv)))
        return found

    def rows(self, q: Array, values: Sequence[Array]) -> list[Rows]:
        """Return the residuals of all groups on a tape."""
        found = [t.rows(self.robot, m, v) for t, m, v in zip(self.targets, self.moving(q), values, strict=True)]
        return [*found, *([closure_rows(self.robot, q)] if self.robot.is_closed else [])]


def _fields(target: Target) -> list[str]:
    return [name for name in getattr(target, "__dataclass_fields__", {}) if name not in ("at", "weight")]


def _names(name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"{name}[{i}]" for i in range(int(np.prod(shape))))
