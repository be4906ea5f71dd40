"""What sensors on robots would read, less what they did: templates of their factors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.motion.planning.frame_velocity import differentiate_in_time, make_frame_twist
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.optimize.template_wrappers import flatten_residual
from screwgraph.spatial import concatenate, vector
from screwgraph.spatial.quaternions import to_rotation


@dataclass(frozen=True)
class JointReading:
    """Chosen coordinates, or torques, less what was measured."""

    columns: tuple[int, ...]

    def __call__(self, x: Any, *, measured: Any) -> Any:
        """Residual (n,)."""
        return x[list(self.columns)] - measured


@dataclass(frozen=True)
class PointReading:
    """The origin of a frame in the base (m) less what was measured."""

    mechanics: Mechanics
    frame: str

    def __call__(self, q: Any, *, measured: Any) -> Any:
        """Residual (3,)."""
        return self.mechanics.pose(self.frame, q)[:3, 3] - measured


@dataclass(frozen=True)
class HeightReading:
    """How high the origin of a frame is in the base's axes (m), less the height of the terrain under it."""

    mechanics: Mechanics
    frame: str

    def __call__(self, q: Any, *, measured: Any) -> Any:
        """Residual (1,)."""
        return self.mechanics.pose(self.frame, q)[2:3, 3] - measured


@dataclass(frozen=True)
class PoseReading:
    """The pose of a frame in the base less the measured one (x, y, z, qx, qy, qz, qw), in the frame's axes."""

    mechanics: Mechanics
    frame: str

    def __call__(self, q: Any, *, measured: Any) -> Any:
        """Residual (6,): sines of angles (rad), then displacements (m)."""
        T = self.mechanics.pose(self.frame, q)
        R = to_rotation([measured[i] for i in range(3, 7)]).T @ T[:3, :3]
        turned = [0.5 * (R[2, 1] - R[1, 2]), 0.5 * (R[0, 2] - R[2, 0]), 0.5 * (R[1, 0] - R[0, 1])]
        return concatenate(vector(turned), T[:3, :3].T @ (T[:3, 3] - measured[:3]))


@dataclass(frozen=True)
class GyroscopeReading:
    """The angular velocity of a frame (rad/s), in its axes, less what was measured."""

    mechanics: Mechanics
    frame: str

    def __call__(self, q: Any, qd: Any, *, measured: Any) -> Any:
        """Residual (3,)."""
        return (
            self.mechanics.pose(self.frame, q)[:3, :3].T @ make_frame_twist(self.mechanics, self.frame)(q, qd)[:3]
            - measured
        )


@dataclass(frozen=True)
class AccelerometerReading:
    """Specific force at a frame's origin (m/s^2), in its axes, less what was measured: acceleration minus gravity."""

    mechanics: Mechanics
    frame: str

    def __call__(self, q: Any, qd: Any, qdd: Any, *, measured: Any) -> Any:
        """Residual (3,)."""
        twist = make_frame_twist(self.mechanics, self.frame)
        rate = differentiate_in_time(
            self.mechanics, ("acceleration", self.frame), lambda q, qd, none: twist(q, qd)[3:], 0
        )
        acceleration = rate(q, qd, qdd, np.zeros(0))
        R = self.mechanics.pose(self.frame, q)[:3, :3]
        return R.T @ (acceleration - np.array(self.mechanics.robot.gravity)) - measured


@dataclass(frozen=True)
class ContactReading:
    """The velocity of a frame's origin (m/s) while it is in contact, which is where 1 was measured.

    It is in the base's axes, or in the frame's own ones: what turns with the robot does not depend on a heading that
    nothing observes. Residuals that do couple the heading to velocities, and Gauss-Newton steps then diverge.
    """

    mechanics: Mechanics
    frame: str
    in_base: bool = False

    def __call__(self, q: Any, qd: Any, *, measured: Any) -> Any:
        """Residual (3,)."""
        velocity = make_frame_twist(self.mechanics, self.frame)(q, qd)[3:]
        if not self.in_base:
            velocity = self.mechanics.pose(self.frame, q)[:3, :3].T @ velocity
        return measured[0] * velocity


@dataclass(frozen=True)
class FootVelocities:
    """The velocities of feet (m/s), one after the other."""

    feet: tuple[ContactReading, ...]

    def __call__(self, q: Any, qd: Any) -> Any:
        """Residual (3 n,)."""
        return concatenate(*(foot(q, qd, measured=np.ones(1)) for foot in self.feet))


@dataclass(frozen=True)
class ForceReading:
    """The force of a contact on a frame (N), in its axes, less what was measured."""

    place: int

    def __call__(self, forces: Any, *, measured: Any) -> Any:
        """Residual (3,)."""
        return forces[3 * self.place : 3 * self.place + 3] - measured


@dataclass(frozen=True)
class BaseFrameForces:
    """The forces of contacts on frames (N), which are in the frames' axes, in the base's."""

    mechanics: Mechanics
    pushed: tuple[str, ...]

    def __call__(self, q: Any, forces: Any) -> Any:
        """Forces (3 n,)."""
        R = [self.mechanics.pose(frame, q)[:3, :3] for frame in self.pushed]
        return concatenate(*(R[i] @ forces[3 * i : 3 * i + 3] for i in range(len(R))))


@dataclass(frozen=True)
class BiasedReading:
    """A sensor's template, with a constant that the sensor is off by as the last unknown."""

    template: Any

    def __call__(self, *unknowns: Any, **parameters: Any) -> Any:
        """Residual of the template, and the constant."""
        return flatten_residual(self.template(*unknowns[:-1], **parameters)) + unknowns[-1]


@dataclass(frozen=True)
class ZeroForce:
    """The force of a contact (N) that is none."""

    place: int

    def __call__(self, forces: Any) -> Any:
        """Residual (3,)."""
        return forces[3 * self.place : 3 * self.place + 3]


@dataclass(frozen=True)
class ZeroForceUnlessContact:
    """Forces of contacts (N) where 0 was measured of them: there are none; nothing where 1 was."""

    places: tuple[int, ...]

    def __call__(self, forces: Any, *, measured: Any) -> Any:
        """Residual (3 n,)."""
        parts = [(1.0 - measured[i]) * forces[3 * place : 3 * place + 3] for i, place in enumerate(self.places)]
        return concatenate(*parts)
