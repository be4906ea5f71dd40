"""Numbers of contacts' laws and the ground among a model's parameters: what of these are contacts'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import describe_value, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.motion.simulation.contacts.contact_inputs import ContactInputs, stack_values
from screwgraph.motion.simulation.contacts.geometry.contact import GROUND, LIVE, Contact
from screwgraph.motion.simulation.contacts.geometry.ground import Ground, Plane
from screwgraph.motion.simulation.contacts.touching_kind import TOUCHING


def split_parameters(given: Any) -> tuple[dict[str, Any], Any]:
    """Return values of contacts' numbers and the ground by name, None where there are none, and the other parameters.

    A vector, which is of other parameters alone, is returned as it is.
    """
    if isinstance(given, Mapping):
        own = {name: value for name, value in given.items() if name in LIVE}
        return own, {name: value for name, value in given.items() if name not in own}
    if isinstance(given, np.ndarray) or (len(given) and not isinstance(given[0], str)):
        return {}, given
    return {name: None for name in given if name in LIVE}, tuple(name for name in given if name not in LIVE)


def lay_live_ground(model: Model, contacts: Sequence[Contact], ground: Ground, own: Mapping[str, Any]) -> Ground:
    """Return the ground with which a simulation begins; one that is a parameter is an input of the code.

    Raises InputError where there are no contacts, or the value of the ground is none that the model can touch.
    """
    if own and not contacts:
        raise InputError(f"parameters {', '.join(own)} of contacts that there are not", fix="give contacts=")
    if own.get(GROUND) is not None:
        ground = _lay_ground(model, own[GROUND])
    fixed = ground.fixed if GROUND in own else None
    return ground if fixed is None else Plane(np.array([fixed.normal]), np.array([fixed.height]))


def _lay_ground(model: Model, value: Any) -> Ground:
    """Return a ground as a model touches it. Raises InputError for what is none, or none for the model."""
    if not isinstance(value, Ground):
        raise InputError(f"ground: expected a ground, got {describe_value(value)}", fix="sg.Plane((0, 0.1, 1))")
    return TOUCHING[model.kind].lay_ground(model, value)


def change_contacts(contacts: Sequence[Contact], numbers: Mapping[str, Any]) -> tuple[Contact, ...]:
    """Return contacts with other numbers of their laws: one for all, (k,) one each, (B, 1) or (B, k) a row a motion.

    Raises InputError for numbers that no contact has.
    """
    changed, k = list(contacts), len(contacts)
    for name, value in numbers.items():
        if name == GROUND or value is None:
            continue
        given = validate_numbers(f"parameter {name!r}", value)
        if given.ndim > 2 or (given.ndim and given.shape[-1] not in (1, k)):
            raise InputError(
                f"parameter {name!r} has the shape {given.shape}",
                fix=f"give one number, one for each of {k} contacts, or rows of these for each motion (B, 1), (B, {k})",
            )
        columns = np.broadcast_to(given, (*given.shape[:-1], k))
        changed = [replace(c, **{name: columns[..., i]}) for i, c in enumerate(changed)]
    return tuple(changed)


def change_inputs(
    model: Model, inputs: ContactInputs, contacts: Sequence[Contact], ground: Ground, own: Mapping[str, Any]
) -> ContactInputs:
    """Return the inputs of a step at other numbers of contacts, and on another ground; the others as they were.

    Raises InputError where the ground stands in the code.
    """
    if GROUND in own and inputs.fixed is not None:
        raise InputError("the ground of this simulator stands in its code", fix='make it with parameters=["ground"]')
    surface = ground if own.get(GROUND) is None else _lay_ground(model, own[GROUND])
    if inputs.ground.flat and not surface.flat:
        raise InputError(
            "a plane becomes another kind of ground", why="code knows that it is flat", fix="give that ground at first"
        )
    fixed = surface.fixed
    if inputs.fixed is None and fixed is not None:
        surface = Plane(np.array([fixed.normal]), np.array([fixed.height]))
    return replace(inputs, values=stack_values(change_contacts(contacts, own)), ground=surface)
