"""The function of a time step with contacts, and its derivatives."""

from __future__ import annotations

from typing import Any

from screwgraph.compiler import (
    CachedCode,
    Function,
    Result,
    make_direct_provenance,
    make_function,
    make_numbered_argument,
)
from screwgraph.motion.simulation.closure_code import Closing
from screwgraph.motion.simulation.contacts.contact_slopes import ContactSlopes
from screwgraph.motion.simulation.contacts.contact_step import VALUES, ContactStep
from screwgraph.motion.simulation.contacts.ground import PLANE
from screwgraph.motion.simulation.contacts.touching_model import TouchingModel
from screwgraph.motion.simulation.step_code import make_plain_argument
from screwgraph.motion.simulation.step_efforts import StepEfforts
from screwgraph.tape import Memory


def compile_contact_step(
    model: TouchingModel, closing: Closing | None = None, efforts: StepEfforts | None = None
) -> Function:
    """Return the step (q, qd, tau, dt, contacts, forces) -> (q, qd, forces, gaps, solution); what diverges is NaN.

    `contacts` are the numbers of each contact, `VALUES`; where the model's ground is no fixed plane, `ground` comes
    after them: a tangent plane for each, its unit normal and its height along that (m). `forces` (N), in the axes of
    the base, act on the robot at each contact: those of the step before, with which the search begins, and those of
    this one; `gaps` (m) are before the step; `solution` is the largest velocity (m/s) by which a law is not obeyed, and
    the number of sweeps and of passages of Newton's method. `parameters` of the robot come last, where some are inputs.
    `closing` closes loops at the end of a step; `efforts` has limits, and external wrenches: an argument after tau of
    a `model` that takes them as efforts. Derivatives
    are those of contacts that stick, slip or are open as they do (`ContactSlopes`); of q by its numbers.
    """
    k, efforts = len(model.contacts), efforts or StepEfforts()
    sizes = {"dt": 1, "contacts": len(VALUES) * k}
    sizes |= {} if model.plane else {"ground": PLANE * k}
    numbers = (make_numbered_argument(name, size) for name, size in sizes.items())
    vectors = (*efforts.list_arguments(model.state), *numbers, make_numbered_argument("forces", k, 3))
    arguments = tuple(map(make_plain_argument, vectors))
    arguments += model.parameters
    shapes = {"q": model.manifold.shape, "qd": (model.manifold.dim,), "forces": (k, 3), "gaps": (k,), "solution": (2,)}
    results = tuple(Result(name, shape) for name, shape in shapes.items())

    def make(_: Any) -> CachedCode:
        return CachedCode(ContactStep(model, arguments, closing, efforts, Memory()).routine(), "none")

    question = ("contact step", *model.question, efforts.question)
    return make_function(
        "contact_step",
        question,
        arguments,
        make,
        lambda _: make_direct_provenance("it is the code of a step", ContactSlopes(model, closing, efforts)),
        results,
        quietly=True,
    )
