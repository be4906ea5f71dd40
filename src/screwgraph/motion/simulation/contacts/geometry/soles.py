"""Soles: several points of one link that touch one plane, whose velocities along it are those of a rigid body there.

Their velocities along the plane are those of the link where the plane is: springs of contacts let bodies in by a depth
that is none of their shape, and points that arrive in a step end there. So these are v_o + omega_n n x rho, whatever
the foot's tilt: three numbers hold all points of a foot that sticks. Centripetal accelerations within the foot, which
no velocity of it cancels, are those of its centre of pressure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from jaxtyping import Float

from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.moving_point import MovingPoint, PointMotion
from screwgraph.spatial import Array
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import is_zero

Place = tuple[Number, Number]
Triple = tuple[Number, Number, Number]


class SeenGround(NamedTuple):
    """The ground at a point: how far above it that is (m), its axes, rows, and these in the axes of the point."""

    height: Number
    axes: Float[Array, "3 3"]
    seen: Float[Array, "3 3"]


@dataclass(frozen=True, eq=False)
class PointTouch:
    """A contact at one state: distance (m), axes of the ground, Jacobian along these, J' qd (m/s^2).

    Of a contact of a sole, the last two are along the normal only. `place` is where it is on the plane from the sole's
    first point (m), `arc` its centripetal acceleration about that point along the plane (m/s^2).
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
    ground: SeenGround,
    point: MovingPoint,
    motion: PointMotion,
    arms: Sequence[Float[Array, "3"]],
    radii: Sequence[float],
) -> SoleTouch:
    """Return how a sole touches a plane: its first point, how that moves, and arms from there to all its points (m).

    `ground` is that at the first point.
    """
    height, axes, seen = ground
    columns = {i: (seen @ v, seen @ point.angular[i]) for i, v in point.linear.items()}
    rates, omega = (seen @ motion.a, seen @ motion.alpha), seen @ motion.omega
    square = omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]
    contacts = list[PointTouch]()
    for arm, radius in zip(arms, radii, strict=True):
        n, x, y = d = seen @ arm
        along = omega[0] * d[0] + omega[1] * d[1] + omega[2] * d[2]
        swing, *arc = (along * w - square * u for w, u in zip(omega, d, strict=True))
        row = {i: _rise(*pair, (x, y)) for i, pair in sorted(columns.items())}
        contacts.append(
            PointTouch(
                height + n - radius,
                axes,
                [{i: entry for i, entry in row.items() if not is_zero(entry)}],
                (_rise(*rates, (x, y)) + swing,),
                (x, y),
                (arc[0], arc[1]),
            )
        )
    three = {i: _slide(*pair, height) for i, pair in sorted(columns.items())}
    rows = [{i: entries[k] for i, entries in three.items() if not is_zero(entries[k])} for k in range(3)]
    return SoleTouch(contacts, rows, _slide(*rates, height))


def touch_pair(
    ground: SeenGround,
    point: MovingPoint,
    other: MovingPoint,
    motion: PointMotion,
    arms: Sequence[Float[Array, "3"]],
    gaps: Sequence[Number],
) -> SoleTouch:
    """Return how two bodies touch that have one plane: points of one, `motion` as the other one sees the first of them.

    Both are moved at the same points; heights (m) are given, as faces are not quite parallel.
    """
    linear = subtract_columns(point.linear, other.at(point.p - other.p))
    moved = replace(point, linear=linear, angular=subtract_columns(point.angular, other.angular))
    sole = touch_sole(ground, moved, motion, arms, [0.0] * len(arms))
    return replace(sole, contacts=[replace(c, gap=gap) for c, gap in zip(sole.contacts, gaps, strict=True)])


def subtract_columns(columns: Mapping[int, Array], others: Mapping[int, Array]) -> dict[int, Array]:
    """Return the columns of one body's point less those of another one's."""
    return {i: columns.get(i, 0.0) - others.get(i, 0.0) for i in {*columns, *others}}


def _rise(v: Array, omega: Array, place: Place) -> Number:
    """Return the normal velocity of what is at a place from a point with v, in the plane's axes."""
    return v[0] + (omega[1] * place[1] - omega[2] * place[0])


def _slide(v: Array, omega: Array, height: Number) -> Triple:
    """Return two velocities along the plane of what is so far below a point with v, and omega about the normal."""
    return v[1] - omega[2] * height, v[2] + omega[1] * height, omega[0]
