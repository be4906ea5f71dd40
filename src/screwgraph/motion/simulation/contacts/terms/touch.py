"""Contacts at one state, as terms of a step have them: what touches one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from screwgraph.motion.simulation.contacts.geometry.soles import PointTouch, SoleTouch
from screwgraph.spatial import Array
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import is_zero


@dataclass(frozen=True, eq=False)
class Touch:
    """Contacts at one state: distances to the ground (m), its axes, Jacobians of points along these and J' qd (m/s^2).

    The last are rates of velocities while qd stays: those of points that move on arcs. `normals` are the first row of
    each. Of contacts of soles, one after the other, `places` and `arcs` are those of `PointTouch`; `soles` and
    `sole_rates` those of `SoleTouch`.
    """

    gaps: list[Number]
    axes: list[Number]
    normals: list[Row]
    rows: list[Row]
    slip_rates: list[Number]
    places: list[Number] = field(default_factory=list)
    arcs: list[Number] = field(default_factory=list)
    soles: list[Row] = field(default_factory=list)
    sole_rates: list[Number] = field(default_factory=list)


def touch_point(
    gap: Number,
    axes: Float[Array, "3 3"],
    columns: Mapping[int, Float[Array, "3"]],
    slip_rate: Float[Array, "3"],
    seen: Float[Array, "3 3"] | None = None,
) -> PointTouch:
    """Return how a contact touches, its Jacobian given by columns; `seen` are the ground's axes in those of columns."""
    turned = axes if seen is None else seen
    along = {i: turned @ column for i, column in sorted(columns.items())}
    rows = [{i: three[k] for i, three in along.items() if not is_zero(three[k])} for k in range(3)]
    return PointTouch(gap, axes, rows, (turned @ slip_rate).tolist())


def gather_touch(
    contacts: Sequence[PointTouch], places: Sequence[Sequence[int]] = (), soles: Sequence[SoleTouch] = ()
) -> Touch:
    """Return how all contacts touch; those of soles are at some places."""
    return Touch(
        [c.gap for c in contacts],
        [x for c in contacts for x in np.ravel(c.axes)],
        [c.rows[0] for c in contacts],
        [row for c in contacts for row in c.rows],
        [x for c in contacts for x in c.slip_rate],
        [x for own in places for k in own for x in contacts[k].place],
        [x for own in places for k in own for x in contacts[k].arc],
        [row for sole in soles for row in sole.rows],
        [x for sole in soles for x in sole.slip_rate],
    )
