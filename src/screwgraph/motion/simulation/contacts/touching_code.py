"""Planes and points that contacts touch, as code: the argument `ground` of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function, Result, compile_expression, make_numbered_argument
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation.contacts.contact_inputs import touch_body
from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.contact_slot import ContactSlot
from screwgraph.motion.simulation.contacts.geometry.ground import Ground, Plane
from screwgraph.motion.simulation.contacts.geometry.number_names import name_ground
from screwgraph.motion.simulation.contacts.slot_finders import TracedFinder, make_finders
from screwgraph.motion.simulation.contacts.touching_kind import TOUCHING
from screwgraph.motion.simulation.model_dynamics import dynamics_of

BY_HAND = "fill `ground` from elsewhere; in Python, sg.Simulator(...).find_ground(q) returns it"


def compile_touching_points(model: Any, contacts: Sequence[Contact], ground: Ground) -> Function:
    """Return the planes and points that a step with contacts takes, ground(q): its argument of that name.

    Raises:
        InputError: there are no contacts, the ground is a height map, or points are those of meshes, which coal finds.
    """
    plane, finders = ground.fixed, make_finders(model, contacts)
    if not contacts:
        raise InputError("touching points of no contacts", fix="give contacts")
    if plane is None:
        raise InputError("planes under contacts are no code", why="the ground is no fixed plane", fix=BY_HAND)
    traced = [(places, finder) for places, finder in finders if isinstance(finder, TracedFinder)]
    for places, _ in (pair for pair in finders if pair not in traced):
        slot = contacts[places[0]]
        of = f"the shape of {slot.frame!r}" + (f" and that of {slot.against.frame!r}" if slot.against else "")
        why = "only those of two boxes are; coal finds others, in Python"
        raise InputError(f"points at which {of} touches are no code", why=why, fix=BY_HAND)

    def expression(q: np.ndarray) -> list[object]:
        points = TOUCHING[model.kind].locate(model, contacts, q)
        planes = [list(_touch(model, c, p, plane, q)) for c, p in zip(contacts, points, strict=True)]
        at = list[object]()
        for places, finder in traced:
            found = finder.trace(q)
            at += [*found.at.ravel()]
            for place, touched in zip(places, found.planes, strict=True):
                planes[place] = [*touched]
        return [x for row in planes for x in row] + at

    names = name_ground(contacts)
    question = (dynamics_of(model).question, tuple(contacts), plane)
    return compile_expression(
        "touching_points",
        question,
        (make_numbered_argument("q", model.manifold.shape[0]),),
        expression,
        results=(Result("ground", (len(names),), names),),
        branches=True,
    )


def _touch(model: Robot, contact: Contact, p: Any, plane: Plane, q: Any) -> Sequence[object]:
    """Return the plane that a contact touches: of a body, or the ground; those of slots follow."""
    if contact.against is None or isinstance(contact, ContactSlot):
        return [*plane.normal, plane.height]
    return touch_body(model, contact, p, q)
