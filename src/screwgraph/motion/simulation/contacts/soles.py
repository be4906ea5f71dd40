"""Soles: several points of one link that touch one plane, whose velocities along it are those of a rigid body there.

Their velocities along the plane are those of the link where the plane is: springs of contacts let bodies in by a depth
that is none of their shape, and points that arrive in a step end there. So these are v_o + omega_n n x rho, whatever
the foot's tilt: three numbers hold all points of a foot that sticks. Centripetal accelerations within the foot, which
no velocity of it cancels, are those of its centre of pressure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jaxtyping import Float

from screwgraph.motion.simulation.contacts.contact import Contact
from screwgraph.motion.simulation.contacts.ground import Plane
from screwgraph.motion.simulation.contacts.moving_point import MovingPoint, PointMotion
from screwgraph.spatial import Array
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import is_zero

Place = tuple[Number, Number]
Triple = tuple[Number, Number, Number]


@dataclass(frozen=True, eq=False)
class PointTouch:
    """A contact at one state: distance (m), axes of the ground, Jacobian along these, J' qd (m/s^2).

    Of a contact of a sole, `place` is where it is on the plane from the sole's first point (m), and `arc` what its
    slip rate along the plane has besides: its centripetal acceleration about that point (m/s^2).
    """

    gap: Number
    axes: Float[Array, "3 3"]
    rows: Sequence[Row]
    slip_rate: Sequence[Number]
    place: Place = (0.0, 0.0)
    arc: Place = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class SoleTouch:
    """Contacts of a sole; rows of its v_o along the plane and omega_n, below its first point; rates of these."""

    contacts: Sequence[PointTouch]
    rows: Sequence[Row]
    slip_rate: Sequence[Number]


def find_soles(contacts: Sequence[Contact], links: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return the contacts, by place, of each link that has several with the ground."""
    found = dict[str, list[int]]()
    for k, (contact, link) in enumerate(zip(contacts, links, strict=True)):
        if contact.against is None:
            found.setdefault(link, []).append(k)
    return tuple(tuple(own) for own in found.values() if len(own) > 1)


def touch_sole(
    plane: Plane,
    point: MovingPoint,
    motion: PointMotion,
    arms: Sequence[Float[Array, "3"]],
    radii: Sequence[float],
) -> SoleTouch:
    """Return how a sole touches a plane: its first point, how that moves, and arms from there to all its points (m)."""
    height, axes = plane.touch(point.p)
    columns = {i: (axes @ v, axes @ point.angular[i]) for i, v in point.linear.items()}
    rates, omega = (axes @ motion.a, axes @ motion.alpha), axes @ motion.omega
    contacts = list[PointTouch]()
    for arm, radius in zip(arms, radii, strict=True):
        n, x, y = d = axes @ arm
        gap = height + n - radius
        along = omega[0] * d[0] + omega[1] * d[1] + omega[2] * d[2]
        square = omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]
        swing, *arc = (along * w - square * u for w, u in zip(omega, d, strict=True))
        slip = _velocity(*rates, (x, y), -height)
        contacts.append(
            PointTouch(
                gap,
                axes,
                _rows({i: _velocity(*pair, (x, y), -height) for i, pair in columns.items()}),
                (slip[0] + swing, *slip[1:]),
                (x, y),
                (arc[0], arc[1]),
            )
        )
    rows = _rows({i: (*_velocity(*pair, (0.0, 0.0), -height)[1:], pair[1][0]) for i, pair in columns.items()})
    slip_rate = (*_velocity(*rates, (0.0, 0.0), -height)[1:], rates[1][0])
    return SoleTouch(contacts, rows, slip_rate)


def _velocity(v: Array, omega: Array, place: Place, above: Number) -> Triple:
    """Return v + omega x (above n + place) in the plane's axes: normal, and two along it."""
    x, y = place
    return (
        v[0] + (omega[1] * y - omega[2] * x),
        v[1] + (omega[2] * above - omega[0] * y),
        v[2] + (omega[0] * x - omega[1] * above),
    )


def _rows(columns: Mapping[int, Triple]) -> list[Row]:
    """Return three rows of columns."""
    return [{i: three[k] for i, three in sorted(columns.items()) if not is_zero(three[k])} for k in range(3)]
