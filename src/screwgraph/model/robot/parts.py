"""The parts of a robot: links, joints, frames, loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.joints import JointType
from screwgraph.model.robot.shapes import Visual
from screwgraph.spatial import Ad, Array, SpatialInertia, inverse
from screwgraph.spatial.manifolds import FloatingPose


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid body; `inertia` is in the link's frame, zero for a massless link.

    `visuals` are what pictures show, `collisions` what may touch something; one that is empty is as the other.
    """

    name: str
    inertia: SpatialInertia = field(default_factory=SpatialInertia)
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Visual, ...] = ()

    def __repr__(self) -> str:
        return f"<link {self.name!r}: {self.inertia.mass:g} kg>"


class JointForce(Protocol):
    """A force along the coordinates of a joint that its torque overcomes."""

    def torque(self, q: Float[Array, " nq"], qd: Float[Array, " nv"]) -> Float[Array, " nv"]:
        """Return the torque that it takes."""
        ...


@runtime_checkable
class TurningAxes(Protocol):
    """A joint type whose velocities are components in axes that turn with the child."""

    def turned_momentum(self, qd: Float[Array, " nv"], momentum: Float[Array, " nv"]) -> Float[Array, " nv"]:
        """Return the rate, as the parent sees it, of a momentum that is constant in these axes."""
        ...


@runtime_checkable
class GroupMotion(Protocol):
    """A joint type whose poses are all products of motions about axes that stand still, of one group each."""

    def motion_groups(self) -> Sequence[Float[np.ndarray, "n 6"]]:
        """Return the axes (angular part unit or zero) of groups of motions, from the parent's to the child's."""
        ...


@runtime_checkable
class DirectedMotion(Protocol):
    """A joint type whose axes are settings, so that it can be written in other frames."""

    def rotate(self, R: Float[np.ndarray, "3 3"]) -> JointType:
        """Return the same motion, its axes turned by R."""
        ...

    def reverse(self) -> JointType:
        """Return the motion of the parent as the child sees it."""
        ...


@runtime_checkable
class ShiftedZero(Protocol):
    """A joint type whose position is measured from a zero that can be moved."""

    def shift_zero(self, change: float) -> JointType:
        """Return the same motion, from where this one's position is `change`."""
        ...


@runtime_checkable
class SeenWrenches(Protocol):
    """A joint type whose wrenches follow from how its frames are turned, so that it closes loops without a position."""

    def wrenches_seen(self, R: Float[Array, "3 3"]) -> Float[Array, "6 rows"]:
        """Return the wrenches in the child's frame; R is the rotation of the joint's frame as the child sees it."""
        ...

    def rate_of_wrenches(self, R: Float[Array, "3 3"], V: Float[Array, "6"]) -> Float[Array, " rows"]:
        """Return (dW/dt)' V for the child moving by the twist V, in its own frame."""
        ...


@dataclass(frozen=True)
class Limits:
    """Bounds of a joint, None where the file gives none: position (m or rad), velocity and effort (both symmetric)."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between two links; the child's frame is the joint's frame where q is zero.

    `origin` is T_pj, the joint's frame in the parent's. `damping` (N m s/rad or N s/m) and `armature`
    (rotor inertia as seen by the joint, kg m^2 or kg) act on every coordinate of the joint; what a floating joint's
    armature resists is the rate of its momentum as the parent sees it;
    `friction` (Coulomb, N m or N) acts in `Simulator` and `rollout` if asked for, and in dynamics where it is an input.
    `forces` are laws of live parameters; joints of files have none. `neutral` is where the joint stands unless a
    position (nq,) is given: in a floating base's, the pose of the base as the file draws it; None is zero.
    """

    name: str
    type: JointType
    parent: str
    child: str
    origin: Float[np.ndarray, "4 4"] = field(default_factory=lambda: np.eye(4))
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    forces: tuple[JointForce, ...] = ()
    neutral: tuple[float, ...] | None = None

    def __repr__(self) -> str:
        return f"<joint {self.name!r}: {_word(self.type)}, {self.child!r} moves on {self.parent!r}>"

    def neutral_position(self) -> Float[np.ndarray, " nq"]:
        """Return where the joint stands unless a position is given."""
        return self.type.manifold.identity() if self.neutral is None else np.array(self.neutral)

    @property
    def motion_groups(self) -> Sequence[Float[np.ndarray, "n 6"]] | None:
        """Axes of groups of motions, from the parent's to the child's; None where the joint's type names none."""
        return self.type.motion_groups() if isinstance(self.type, GroupMotion) else None

    @property
    def single_axis(self) -> Float[np.ndarray, "6"] | None:
        """The axis about or along which alone the joint moves, which stands still; None for other motions."""
        groups = self.motion_groups
        return groups[0][0] if groups is not None and [len(axes) for axes in groups] == [1] else None

    @cached_property
    def turning_axis(self) -> Float[np.ndarray, "3"] | None:
        """The axis through the child's origin about which alone the joint turns, by its position (rad); else None."""
        axis = self._unit_screw()
        return None if axis is None or axis[3:].any() else axis[:3]

    @cached_property
    def sliding_axis(self) -> Float[np.ndarray, "3"] | None:
        """The direction along which alone the joint slides, by its position (m); else None."""
        axis = self._unit_screw()
        return None if axis is None or axis[:3].any() else axis[3:]

    @property
    def has_pose(self) -> bool:
        """Whether q is a pose (x y z, qx qy qz qw), and qd its twist."""
        return isinstance(self.type.manifold, FloatingPose)

    @property
    def is_fixed(self) -> bool:
        """Whether the joint allows no motion."""
        return self.type.nv == 0

    @property
    def is_free(self) -> bool:
        """Whether the joint allows any motion, as of a base that floats."""
        return self.type.nv == 6

    @cached_property
    def holds_its_point(self) -> bool:
        """Whether the joint is known not to move the origin of the child's frame."""
        groups = self.motion_groups
        return groups is not None and not any(axes[:, 3:].any() for axes in groups)

    def _unit_screw(self) -> Float[np.ndarray, "6"] | None:
        """Return the single axis where qd is the rate of the motion about or along it; None elsewhere."""
        axis = self.single_axis
        if axis is None or self.type.nv != 1:
            return None
        screw = np.asarray(self.type.screw_axes(self.type.manifold.identity()), dtype=float)[:, 0]
        return axis if (screw == axis).all() else None

    @property
    def has_turning_axes(self) -> bool:
        """Whether velocities are components in axes that turn, so that a rotor's momentum turns with them."""
        return isinstance(self.type, TurningAxes)

    def turned_momentum(self, qd: Float[Array, " nv"], momentum: Float[Array, " nv"]) -> Float[Array, " nv"]:
        """Return the rate of momenta of rotors that are constant along the joint's axes: zero unless these turn."""
        if isinstance(self.type, TurningAxes):
            return self.type.turned_momentum(qd, momentum)
        return np.zeros(self.type.nv)

    def T_parent_child(self, q: Float[Array, " nq"]) -> Float[Array, "4 4"]:
        """Return the pose of the child in the parent's frame."""
        return self.origin @ self.type.transform(q)

    def pose(self, T_parent: Float[Array, "4 4"], q: Float[Array, " nq"]) -> Float[Array, "4 4"]:
        """Return the child's pose in any frame from the parent's: constants first, of which most entries are 0 or 1."""
        return T_parent @ self.origin @ self.type.transform(q)

    def T_child_parent(self, q: Float[Array, " nq"]) -> Float[Array, "4 4"]:
        """Return the pose of the parent in the child's frame, the papers' T_{i,i-1}."""
        return inverse(self.T_parent_child(q))

    def twist_residual(
        self, V: Float[Array, "6"], V_parent: Float[Array, "6"], q: Float[Array, " nq"], qd: Float[Array, " nv"]
    ) -> Float[Array, "6"]:
        """Return the child's twist V less what its parent's twist and the joint make it: Lynch & Park (8.45)."""
        return V - Ad(self.T_child_parent(q)) @ V_parent - self.type.screw_axes(q) @ qd


@dataclass(frozen=True, eq=False)
class Frame:
    """A named frame on a link: `T_lf` is its pose in the link's frame."""

    name: str
    link: str
    T_lf: Float[np.ndarray, "4 4"]

    def __repr__(self) -> str:
        return f"<frame {self.name!r} on link {self.link!r}>"


@dataclass(frozen=True, eq=False)
class Loop:
    """A joint that closes a kinematic loop between two links of the tree.

    It lets the frame that `T_sf` fixes in the successor move, relative to the one that `T_pf` fixes in the
    predecessor, as a joint of its type lets a child move: T_fp_fs = type.transform(x) for some x.
    """

    name: str
    type: JointType
    predecessor: str
    successor: str
    T_pf: Float[np.ndarray, "4 4"] = field(default_factory=lambda: np.eye(4))
    T_sf: Float[np.ndarray, "4 4"] = field(default_factory=lambda: np.eye(4))

    def __repr__(self) -> str:
        return f"<loop {self.name!r}: {_word(self.type)}, {self.successor!r} moves on {self.predecessor!r}>"

    @property
    def rows(self) -> int:
        """Number of motions that the joint takes away."""
        return 6 - self.type.nv

    def moved(self, frame_of: Mapping[str, Frame]) -> Loop:
        """Hang the loop on other links: `frame_of` tells where each old link's frame lies on which link now."""
        p, s = frame_of[self.predecessor], frame_of[self.successor]
        return Loop(self.name, self.type, p.link, s.link, p.T_lf @ self.T_pf, s.T_lf @ self.T_sf)


def _word(kind: JointType) -> str:
    return type(kind).__name__.lower()
