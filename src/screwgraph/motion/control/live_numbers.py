"""Numbers that are arguments of a controller: whether they have sense, as generated code finds it."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.spatial import Array, choose, cross
from screwgraph.tape import Number

NO_SENSE = 3.0
"""Status of a call whose arguments have no sense."""
ENDLESS = 1e300
"""What no finite argument reaches."""
UNIT = 1e-3
"""How far a direction or a rotation that is followed may be from one: four digits are enough."""


def have_sense(signed: Sequence[Number], finite: Sequence[Number] = (), vanishing: Sequence[Number] = ()) -> Number:
    """Return 1 where `signed` are from 0 on, `finite` are numbers and `vanishing` are nearly zero, else 0.

    Comparisons with NaN are false: a bound that is NaN would take its row away, and nothing would be said.
    """
    sense: Number = 1.0
    for x in signed:
        sense = sense * (x >= 0.0) * (x < ENDLESS)
    for x in finite:
        sense = sense * (abs(x) < ENDLESS)
    for x in vanishing:
        sense = sense * (abs(x) < UNIT)
    return sense


def keep_sense(status: Sequence[Number], values: Sequence[Number]) -> list[Number]:
    """Return numbers where the status, the first of its numbers, says that a call has sense, else zeros."""
    return [choose(status[0] < NO_SENSE, x, 0.0) for x in values]


def list_rotation_identities(R: Float[Array, "3 3"]) -> list[Number]:
    """Return what vanishes for a rotation: its columns have length 1, and are at right angles, right-handed."""
    x, y, z = R.T
    return [x @ x - 1.0, y @ y - 1.0, x @ y, *(a - b for a, b in zip(cross(x, y), z, strict=True))]
