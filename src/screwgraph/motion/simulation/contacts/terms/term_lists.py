"""The terms of a step, of how contacts touch and what impulses do to velocities."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.motion.simulation.contacts.laws.closed_inertia import ClosedInertia
from screwgraph.motion.simulation.contacts.terms.touch import Touch
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import list_entries, multiply_vector


def make_terms(
    inertia: ClosedInertia,
    K: Sequence[Row],
    free: Sequence[Number],
    touch: Touch,
    start: tuple[Sequence[Number], Number],
    A: Sequence[Row],
) -> dict[str, list[Number]]:
    """Return the terms of a step from the velocities with which it begins and its length, see `ContactModel.terms`.

    Velocities of points are those of the middle of the step, J v + h / 2 J' v: points of links that turn move on arcs,
    and what the ground did to them along J v alone would be of the first order in h, energy without end.
    """
    (begun, h), J, n = start, touch.rows, len(free)
    b, drift = multiply_vector(J, free), multiply_vector(touch.soles, free)
    for velocities, slips in ((b, touch.slip_rates), (drift, touch.sole_rates)):
        for i, rate in enumerate(slips):
            velocities[i] = velocities[i] + 0.5 * h * rate
    return {
        "free": list(free),
        "gaps": touch.gaps,
        "axes": touch.axes,
        "rates": multiply_vector(touch.normals, begun),
        "J": list_entries(J, n),
        "factor": list_entries(inertia.factor.rows, len(inertia.factor.rows)),
        "pivots": list(inertia.factor.inverse),
        "S": list_entries(inertia.S, len(inertia.factor.rows) - len(inertia.kept)),
        "K+": list_entries(inertia.inverse, len(K)),
        "S'MK+": list_entries(inertia.pushed, len(K)),
        "K": list_entries(K, n),
        "b": b,
        "A": list_entries(A, len(A)),
        "soles": list_entries(touch.soles, n),
        "drift": drift,
        "places": touch.places,
        "arcs": [0.5 * h * x for x in touch.arcs],
        "rub": [],
    }
