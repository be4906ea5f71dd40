"""Forces of contacts stay within cones, so that feet do not slip."""

from __future__ import annotations

from screwgraph.motion.control.affine import combine_affine
from screwgraph.motion.control.contacts import HeldContact, Rows
from screwgraph.motion.control.contacts.base import ROUND
from screwgraph.motion.control.limits.base import FREE, PRIORITIES, Limit, LimitedState, LimitRow
from screwgraph.motion.control.limits.control_limits import ControlLimits
from screwgraph.motion.control.reduced_motion import ReducedMotion
from screwgraph.optimize.active_set import RoundCone
from screwgraph.optimize.active_set.round_cones import ROWS
from screwgraph.tape import Number


class ForceLimit(Limit):
    """Forces without slip, and normal ones of `ControlLimits.normal_force` (N) at least, of contacts that are on."""

    def name_rows(self, own: ReducedMotion, limits: ControlLimits) -> list[str]:
        """Return the names of contacts, each as often as it has rows."""
        found = list[str]()
        for contact in own.contacts:
            found += [f"friction of {contact.frame}"] * len(list_cone_rows(contact, limits, 1.0)[0])
            found.append(f"load of {contact.frame}")
        return found

    def rows(self, own: ReducedMotion, limits: ControlLimits, state: LimitedState) -> list[LimitRow]:
        """Return rows of forces in units of the robot's weight; those of feet in the air are empty."""
        found, unit = list[LimitRow](), 9.81 * own.controlled_model.mass
        each = zip(own.contacts, state.motion.forces, state.on, state.frictions, strict=True)
        for contact, forces, flag, friction in each:
            rows, normal = list_cone_rows(contact, limits, friction)
            least = flag * (limits.normal_force / unit)
            for row, low in (*((row, 0.0) for row in rows), (normal, least)):
                value = combine_affine([(x * (1.0 / unit), f) for x, f in zip(row, forces, strict=True)], 0.0)
                found.append(LimitRow(value, flag - 1.0 + low, FREE, PRIORITIES["friction"]))
        return found

    def list_round_cones(self, own: ReducedMotion, limits: ControlLimits, start: int) -> list[RoundCone]:
        """Return the round cones of contacts."""
        found = list[RoundCone]()
        for contact, leg in zip(own.contacts, own.legs, strict=True):
            if has_round_cone(contact, limits):
                axis, first, second = (own.place[i] for i in leg.own)
                found.append(RoundCone((axis, first, second), start))
            start += len(list_cone_rows(contact, limits, 1.0)[0]) + 1
        return found


def list_cone_rows(contact: HeldContact, limits: ControlLimits, friction: Number) -> tuple[Rows, list[Number]]:
    """Return rows (k, n) with row f >= 0 of forces without slip, and the row of the normal force.

    Those of a round cone are the square around it, and planes that do not touch it yet (`RoundCone`).
    """
    if not has_round_cone(contact, limits):
        return contact.cone(friction)
    square, normal = contact.cone(friction * (1.0 / ROUND))
    return [*square, *([friction * x for x in normal] for _ in range(ROWS - len(square)))], normal


def has_round_cone(contact: HeldContact, limits: ControlLimits) -> bool:
    """Whether the force of a contact stays within a round cone."""
    return limits.round_cones and contact.has_round_cone
