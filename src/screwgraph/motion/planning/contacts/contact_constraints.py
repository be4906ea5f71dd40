"""What a foot in contact obeys, as templates: heights, no slip by positions, velocities or accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.motion.planning.contacts.foot import Foot
from screwgraph.motion.planning.frame_velocity import differentiate_in_time, make_frame_twist
from screwgraph.spatial import concatenate, skew, vector


@dataclass(frozen=True)
class ContactHeight:
    """Heights of the corners above the ground (m); with `sign` -1 what must not be positive of a foot in the air."""

    foot: Foot
    sign: float = 1.0

    def __call__(self, q: Any, *, ground: Any) -> Any:
        """Return them, (1..3,)."""
        return self.sign * (self.foot.heights(q) - ground)


@dataclass(frozen=True)
class FootholdError:
    """How far the foot's centre is from the point `at`, along the surface (m)."""

    foot: Foot

    def __call__(self, q: Any, *, at: Any) -> Any:
        """Return it, (2,)."""
        return self.foot.surface[:, :2].T @ (self.foot.place(q)[1] - at)


@dataclass(frozen=True)
class NoSlip:
    """How far a foot slips from one point of time to the next (m, rad); a ball or wheel may roll as it turns."""

    foot: Foot

    def __call__(self, q: Any, q_next: Any) -> Any:
        """Return it along the surface, and about its normal where the foot has several points."""
        surface = self.foot.surface
        (R, p), (R_next, p_next) = self.foot.place(q), self.foot.place(q_next)
        turned = R_next @ R.T
        angle = 0.5 * vector(
            [turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]
        )  # third-order accurate
        rolled = skew(angle) @ (-0.5 * (self.foot.touch(R) + self.foot.touch(R_next)))
        slip = surface[:, :2].T @ (p_next - p - rolled)
        return slip if self.foot.turns else concatenate(slip, surface[:, 2:].T @ angle)


@dataclass(frozen=True)
class ZeroContactVelocity:
    """Velocities of the points that touch, and what brings heights and foothold back within the time `settling` (s).

    `sliding`: only those that nothing brings back.
    """

    foot: Foot
    settling: float
    has_foothold: bool = False
    sliding: bool = False

    def __call__(self, q: Any, qd: Any, *, ground: Any, at: Any = None) -> Any:
        """Return velocities of the corners along the normal, of the centre along the surface, about the normal."""
        rows = concatenate(*self._moving(q, qd))
        off = [self.foot.heights(q) - ground]
        if self.has_foothold:
            off.append(FootholdError(self.foot)(q, at=at))
        kept = sum(o.shape[0] for o in off)
        if self.sliding:
            return rows[kept:]
        return rows + concatenate(*off, np.zeros(rows.shape[0] - kept)) / self.settling

    def _moving(self, q: Any, qd: Any) -> list[Any]:
        foot = self.foot
        surface = foot.surface
        V = make_frame_twist(foot.mechanics, foot.frame)(q, qd)
        R, _ = foot.place(q)
        lowest = foot.touch(R)
        touching = [V[3:] + skew(V[:3]) @ (R @ c if foot.axis is None else R @ c + lowest) for c in foot.corners]
        sliding = V[3:] + skew(V[:3]) @ (R @ foot.centre + lowest)
        rows = [surface[:, 2:].T @ v for v in touching] + [surface[:, :2].T @ sliding]
        return rows if foot.turns else [*rows, surface[:, 2:].T @ V[:3]]


@dataclass(frozen=True)
class ZeroContactAcceleration:
    """Rate of `ZeroContactVelocity` and as much of it as lets both fade within `settling`. Baumgarte (1972)."""

    rest: ZeroContactVelocity

    def __call__(self, q: Any, qd: Any, qdd: Any, *, ground: Any, at: Any = None) -> Any:
        """Return accelerations (m/s^2, rad/s^2) that vanish while the contact holds."""
        parameters = {"ground": ground} if at is None else {"ground": ground, "at": at}
        values = vector([x for p in parameters.values() for x in np.ravel(p)])

        def resting(q: Any, qd: Any, values: Any) -> Any:
            return self.rest(q, qd, ground=values[0], **({} if at is None else {"at": values[1:]}))

        rate = differentiate_in_time(self.rest.foot.mechanics, self, resting, len(values))
        return rate(q, qd, qdd, values) + resting(q, qd, values) / self.rest.settling
