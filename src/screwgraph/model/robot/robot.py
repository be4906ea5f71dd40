"""The robot: a tree of links and joints in a canonical order, and its coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from screwgraph.base import html_display
from screwgraph.base.argument_checks import check_arguments, check_fields, describe_value
from screwgraph.base.errors import InputError
from screwgraph.model.model import STATES, Column, Model, validate_place
from screwgraph.model.robot.actuator import Actuator
from screwgraph.model.robot.coordinate_units import label_coordinate, units
from screwgraph.model.robot.coupling import Coupling
from screwgraph.model.robot.limit_arrays import LimitArrays, limit_arrays
from screwgraph.model.robot.parts import Frame, Joint, Link, Loop
from screwgraph.spatial.manifolds import Manifold, product
from screwgraph.tape import Scalar

if TYPE_CHECKING:
    from screwgraph.model.robot.closure.mobility import Mobility

Gravity = tuple[float | Scalar, float | Scalar, float | Scalar]
"""Gravity (m/s^2) in the frame of `links[0]`; scalars where it is an input of code."""
STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, eq=False)
class Robot(Model):
    """A tree of rigid links, and the loops and couplings that tie its joints.

    `links[0]` is the base, which does not move; `joints[i]` moves `links[i + 1]`, parents first.
    `frames` are the other names that the file knows (links merged into another, for instance).
    `warnings` are one-line remarks about the file. `independent` names the joints that drive the closed chains,
    None where nobody chose them (`independent_joints` then does). `actuators` act on joints through transmissions.
    `T_wb` (4, 4) is the base's frame in the file's world; poses and `gravity` are in the base's frame. A floating joint
    before the base (`with_floating_base`) makes the file's world the base, and T_wb where the robot begins.
    Build one with `tree`, which checks and sorts.
    """

    _repr_html_ = html_display.html
    kind: ClassVar[str] = "robot"
    has_frames: ClassVar[bool] = True

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    gravity: Gravity = STANDARD_GRAVITY
    warnings: tuple[str, ...] = field(default=())
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    independent: tuple[str, ...] | None = None
    actuators: tuple[Actuator, ...] = ()
    T_wb: Float[np.ndarray, "4 4"] = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        check_fields(self)

    def __repr__(self) -> str:
        them = {"link": self.links, "joint": self.joints, "loop": self.loops, "coupling": self.couplings}
        them["actuator"] = self.actuators
        parts = [f"{len(own)} {what}{'s' * (len(own) != 1)}" for what, own in them.items() if own]
        parts += [f"nq = {self.nq}", f"nv = {self.nv}"]
        return f"<robot {self.name!r}: {', '.join(parts)}>"

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, in the order of their coordinates."""
        return tuple(j.name for j in self.joints)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, the base first."""
        return tuple(link.name for link in self.links)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """All names that stand for a place on a link: those of the links, then of the file's other frames."""
        return (*self.link_names, *(frame.name for frame in self.frames))

    @cached_property
    def limits(self) -> LimitArrays:
        """The limits of all joints as arrays: position (nq,), velocity and effort (nv,), infinite where none is."""
        return limit_arrays(self.joints)

    @property
    def effort_limits(self) -> Float[np.ndarray, " nv"]:
        """The largest effort (N m, N) along each velocity coordinate, infinite where none is."""
        return self.limits.effort

    @cached_property
    def columns(self) -> Mapping[str, tuple[Column, ...]]:
        """The columns of q, qd, qdd and tau: names `joint[i]`, labels and units."""
        found: dict[str, list[Column]] = {kind: [] for kind in STATES}
        for joint in self.joints:
            of = units(joint.type)
            for kind, own in zip(STATES, (of.position, of.velocity, of.acceleration, of.effort), strict=True):
                for i, unit in enumerate(own):
                    found[kind].append(Column(f"{joint.name}[{i}]", label_coordinate(joint, kind, i, len(own)), unit))
        return {kind: tuple(own) for kind, own in found.items()}

    @property
    def owners(self) -> tuple[str, ...]:
        """The joint that each velocity coordinate belongs to, in words."""
        return tuple(f"joint {joint.name!r}" for joint in self.joints for _ in range(joint.type.nv))

    @property
    def drivers(self) -> tuple[str, ...]:
        """The same of efforts, one along each velocity coordinate."""
        return self.owners

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return sum(j.type.nq for j in self.joints)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return sum(j.type.nv for j in self.joints)

    @property
    def mass(self) -> float:
        """Total mass (kg) of the links, the base included."""
        return sum(link.inertia.mass for link in self.links)

    @cached_property
    def manifold(self) -> Manifold:
        """Manifold of q, joint after joint."""
        return product(joint.type.manifold for joint in self.joints)

    @cached_property
    def q_slices(self) -> Mapping[str, slice]:
        """Place of each joint's position in q, by joint name."""
        return _slices((j.name, j.type.nq) for j in self.joints)

    @cached_property
    def v_slices(self) -> Mapping[str, slice]:
        """Place of each joint's velocity, acceleration and effort in qd, qdd and tau, by joint name."""
        return _slices((j.name, j.type.nv) for j in self.joints)

    @cached_property
    def _link_index(self) -> Mapping[str, int]:
        return {link.name: i for i, link in enumerate(self.links)}

    @cached_property
    def _joint_index(self) -> Mapping[str, int]:
        return {joint.name: i for i, joint in enumerate(self.joints)}

    def link(self, name: str) -> Link:
        """Return the link of that name. Raises InputError when there is none."""
        return self.links[self.link_index(name)]

    def joint(self, name: str) -> Joint:
        """Return the joint of that name. Raises InputError when there is none."""
        if not isinstance(name, str) or name not in self._joint_index:
            raise make_unknown_name_error("joint", name, self.joint_names)
        return self.joints[self._joint_index[name]]

    def link_index(self, name: str) -> int:
        """Return the number of a link, 0 for the base. Raises InputError when there is none."""
        if not isinstance(name, str) or name not in self._link_index:
            raise make_unknown_name_error("link", name, tuple(self._link_index))
        return self._link_index[name]

    def joint_of(self, link: str) -> Joint | None:
        """Return the joint that moves a link; None for the base."""
        index = self.link_index(link)
        return self.joints[index - 1] if index else None

    def joints_to_base(self, link: str) -> tuple[Joint, ...]:
        """Return the joints that carry a link, its own first. Raises InputError when there is no such link."""
        joints, joint = [], self.joint_of(link)
        while joint is not None:
            joints.append(joint)
            joint = self.joint_of(joint.parent)
        return tuple(joints)

    def children(self, link: str) -> tuple[Joint, ...]:
        """Return the joints whose parent is a link. Raises InputError when there is no such link."""
        self.link_index(link)
        return tuple(j for j in self.joints if j.parent == link)

    def frame(self, name: str) -> Frame:
        """Return a frame by name: one of `frames`, or a link's own. Raises InputError when there is none."""
        if isinstance(name, str):
            for frame in self.frames:
                if frame.name == name:
                    return frame
            if name in self._link_index:
                return Frame(name, name, np.eye(4))
        raise make_unknown_name_error("frame", name, tuple(f.name for f in self.frames) + tuple(self._link_index))

    def neutral(self) -> Float[np.ndarray, " nq"]:
        """Return where the robot stands unless a position is given.

        Joints are at zero, but for a floating base that the file draws elsewhere.
        """
        return np.concatenate([np.zeros(0), *(joint.neutral_position() for joint in self.joints)])

    def locate(self, q: Float[np.ndarray, "N nq"], name: Any, at: Sequence[float] | None) -> Float[np.ndarray, "N 3"]:
        """Return where a frame's origin, or a place (3,) in its axes, is in the base's frame (m). Raises InputError."""
        from screwgraph.model.robot.kinematics import link_poses

        place, frame = validate_place(name, at, 3), self.frame(name if isinstance(name, str) else str(name))
        offset = frame.T_lf @ np.append(place, 1.0)
        found = [(link_poses(self, state, [frame.link])[frame.link] @ offset)[:3] for state in q]
        return np.reshape(found, (len(q), 3))

    @check_arguments
    def random(self, rng: np.random.Generator) -> Float[np.ndarray, " nq"]:
        """Return a random configuration, quaternions normalised, limits not regarded."""
        return self.manifold.random(rng)

    @property
    def is_closed(self) -> bool:
        """Whether loops or couplings tie the joints."""
        return bool(self.loops or self.couplings)

    @cached_property
    def mobility(self) -> Mobility:
        """How freely the closed chains move: rank, redundant rows, singular positions. Raises InputError."""
        from screwgraph.model.robot.closure.mobility import mobility

        return mobility(self)

    @cached_property
    def independent_joints(self) -> tuple[str, ...]:
        """Names of the joints whose motion determines all others, chosen where neither file nor user did.

        `name[i]` stands for one coordinate of a joint of which the others depend.

        Raises:
            InputError: loops cannot be closed, or the joints that were named do not determine the others.
        """
        from screwgraph.model.robot.closure.independent_joints import find_independent_names

        return find_independent_names(self)

    def with_independent_joints(self, names: Iterable[str] | None) -> Robot:
        """Choose the independent joints; None leaves the choice to `independent_joints`.

        Raises:
            InputError: unknown names, too many or too few, or joints that do not determine the others.
        """
        from screwgraph.model.robot.closure.independent_joints import with_independent

        return with_independent(self, names)

    def close_loops(
        self, q_guess: ArrayLike, independent: Iterable[str] | None = None, tolerance: float = 1e-12
    ) -> Float[np.ndarray, " nq"]:
        """Return the position (nq,) near a guess (nq,) at which all loops and couplings close.

        Joints named in `independent` stay where they are. Loop-closure errors (rad, m) end below `tolerance`,
        relative to the robot's size where that exceeds 1 m.

        Raises:
            InputError: a guess of the wrong shape, or loops that do not close, with the closure error that is left.
        """
        from screwgraph.model.robot.closure.closed_positions import close_loops

        return close_loops(self, q_guess, independent, tolerance)

    def complete(self, y: ArrayLike, branch: ArrayLike | None = None) -> Float[np.ndarray, " nq"]:
        """Return the closed position (nq,) whose independent joints stand at y, near the branch (nq,).

        Without a `branch` that is the neutral position.

        Raises:
            InputError: arguments of the wrong shape, or no closed position there, with the closure error that is left.
        """
        from screwgraph.model.robot.closure.closed_positions import complete

        return complete(self, y, branch)

    def complete_velocity(self, q: ArrayLike, yd: ArrayLike) -> Float[np.ndarray, " nv"]:
        """Return all velocities (nv,) at a closed position (nq,) from those of the independent joints.

        Raises:
            InputError: arguments of the wrong shape, a position with open loops, or one where the independent joints do
                not determine the others.
        """
        from screwgraph.model.robot.closure.closed_positions import complete_velocity

        return complete_velocity(self, q, yd)

    def actuation_matrix(self, q: ArrayLike) -> Float[np.ndarray, "nv n"]:
        """Return B (nv, n) at a position (nq,): efforts of the actuators cause the joint torques tau = B effort.

        Raises:
            InputError: a position of another shape.
        """
        from screwgraph.model.robot.closure.lever_arms import actuation_matrix

        return actuation_matrix(self, q)

    def actuation_torques(self, q: ArrayLike, u: ArrayLike) -> Float[np.ndarray, " nv"]:
        """Return the joint torques (nv,) that inputs u (n,) of the actuators cause at a position (nq,).

        Inputs are efforts (N m, N), or what a law of force takes.

        Raises:
            InputError: a position or inputs of another shape.
        """
        from screwgraph.model.robot.closure.lever_arms import actuation_torques
        from screwgraph.spatial import finite_vector

        n = len(self.actuators)
        at = finite_vector(q, self.nq, "q", f"the robot has nq = {self.nq}")
        return actuation_torques(self, at, finite_vector(u, n, "u", f"the robot has {n} actuators"))

    def displacements(self, q: ArrayLike) -> Float[np.ndarray, " n"]:
        """Return the displacements (n,) of the actuators at a position (nq,): rad or m, of cables minus their lengths.

        NaN of thrusters, which have none. Raises InputError: a position of another shape.
        """
        from screwgraph.model.robot.closure.lever_arms import displacements

        return displacements(self, q)


def make_unknown_name_error(what: str, name: object, known: Iterable[str]) -> InputError:
    """Make the error for a name that does not exist, with the nearest ones that do."""
    from difflib import get_close_matches

    names = list(dict.fromkeys(known))
    near = get_close_matches(str(name), names, n=3, cutoff=0.5)
    several = f"there are {', '.join(names[:6])}{', ...' if len(names) > 6 else ''}"
    known = several if len(names) > 1 else f"there is {names[0] if names else f'no {what} at all'}"
    fix = f"did you mean {', '.join(near)}?" if near else known
    said = repr(name) if isinstance(name, str) else describe_value(name)
    return InputError(f"no {what} is called {said}", fix=fix)


def _slices(sizes: Iterable[tuple[str, int]]) -> dict[str, slice]:
    result, start = {}, 0
    for name, size in sizes:
        result[name] = slice(start, start + size)
        start += size
    return result
