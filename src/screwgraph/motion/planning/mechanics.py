"""A robot's kinematics and dynamics as expressions that factors are made of; each is made once and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, compile_graph
from screwgraph.graph import Role
from screwgraph.model.robot import Robot, frame_pose
from screwgraph.motion.planning.models import Drive, find_coordinates, find_model_kind, label_coordinates, list_units
from screwgraph.motion.planning.vector_code import trace_function
from screwgraph.optimize import Manifold
from screwgraph.spatial import Array

Template = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Mechanics:
    """Expressions of a robot, or of the coordinates of a mechanism.

    Templates asked for with the same key are the same function: code is made once.
    """

    __repr__ = one_line

    robot: Robot
    _kept: dict[Any, Any] = field(default_factory=dict)

    @property
    def positions(self) -> Manifold:
        """The manifold of q."""
        return self.robot.manifold

    def get_or_make(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what `make` made when the key was first asked for."""
        if key not in self._kept:
            self._kept.setdefault(key, make())  # the same for threads that ask at once
        return self._kept[key]

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was made: what is loaded makes it anew."""
        return {"robot": self.robot, "_kept": {}}

    def __deepcopy__(self, _: dict[int, Any]) -> Mechanics:
        """Return itself: what was made never changes."""
        return self

    def efforts(self, frames: Sequence[str] = ()) -> Function:
        """Return the forces along all coordinates that a motion takes beside those of closed chains.

        Arguments are q, qd, qdd, wrenches on frames (k, 6), where there are any, and multipliers of a closed chain.
        """
        frames = tuple(frames)
        return self.get_or_make(("efforts", frames), lambda: _efforts(self.robot, frames))

    def pose(self, frame: str, q: Array) -> Array:
        """Return the pose (4, 4) of a link or frame in the base.

        Raises:
            InputError: there is no such frame.
        """
        return self.pose_of(frame)(q)

    def pose_of(self, frame: str) -> Any:
        """Return a function of q to the pose (4, 4) of a link or frame in the base. Raises InputError."""
        return self.get_or_make(("pose", frame), lambda: _pose(self.robot, frame))

    def columns(self, names: Sequence[str], what: str = "joint") -> tuple[int, ...]:
        """Return which velocity coordinates joints have; `joint[2]` is the third of a joint.

        Raises:
            InputError: there is no such joint.
        """
        return tuple(c for name in names for c in self.coordinates(name, what))

    def coordinates(self, name: str, what: str = "joint") -> tuple[int, ...]:
        """Return which velocity coordinates a joint has. Raises InputError where there is none of that name."""
        return find_coordinates(self.robot, name, what)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of the velocity coordinates: a joint's, with a number where it has several."""
        return label_coordinates(self.robot)

    def units(self, quantity: str) -> tuple[str, ...]:
        """Return the unit of each coordinate's "position", "velocity", "acceleration" or "force"."""
        return list_units(self.turns, quantity)

    @property
    def turns(self) -> tuple[bool, ...]:
        """Whether each velocity coordinate turns."""
        return self.get_or_make("turns", lambda: tuple(find_model_kind(self.robot).turns(self.robot)))

    def drive(self, actuated: Sequence[str] | None) -> Drive:
        """Return what drives the robot: what is named, None for all motors, actuators or joints. Raises InputError."""
        names = None if actuated is None else tuple(actuated)
        return self.get_or_make(("drive", names), lambda: find_model_kind(self.robot).drive(self.robot, names))


GIVEN = {
    Role.POSITION,
    Role.VELOCITY,
    Role.COORDINATE_ACCELERATION,
    Role.EXTERNAL_WRENCH,
    Role.MULTIPLIER,
}


def _efforts(robot: Any, frames: Sequence[str]) -> Function:
    """Eliminate all of the graph but what is unknown over time."""
    graph, asked = find_model_kind(robot).effort_graph(robot, frames)
    return compile_graph(graph.given(*(key for key in graph.variables if key.role in GIVEN)), asked)


def _pose(robot: Robot, name: str) -> Any:
    return trace_function(lambda q: frame_pose(robot, robot.frame(name), q), robot.nq)


def validate_frame(robot: Robot, name: str) -> str:
    """Return the name of a link or frame. Raises InputError where there is none."""
    if not isinstance(name, str):
        raise InputError(f"expected the name of a frame, got {name!r}", fix="give the name of a link or frame")
    return robot.frame(name).name


def list_flat_places(mechanics: Mechanics) -> dict[int, int]:
    """Return where in q the coordinates stand that are numbers as in qd."""
    robot, found = mechanics.robot, {}
    for joint in robot.joints:
        q, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        if joint.type.nq == joint.type.nv:
            found |= dict(zip(range(v.start, v.stop), range(q.start, q.stop), strict=True))
    return found
