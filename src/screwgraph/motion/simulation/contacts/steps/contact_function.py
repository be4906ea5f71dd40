"""The function of a time step with contacts, and its derivatives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from screwgraph.base.progress_report import report_progress
from screwgraph.compiler import (
    Argument,
    CachedCode,
    Function,
    Result,
    make_direct_provenance,
    make_function,
)
from screwgraph.motion.simulation.contacts.geometry.number_names import AXES, label_contacts, name_ground, name_numbers
from screwgraph.motion.simulation.contacts.steps.contact_slopes import ContactSlopes
from screwgraph.motion.simulation.contacts.steps.contact_step import VALUES, ContactStep
from screwgraph.motion.simulation.contacts.terms.touching_model import TouchingModel
from screwgraph.motion.simulation.step_code import make_plain_argument
from screwgraph.motion.simulation.step_efforts import StepEfforts
from screwgraph.motion.simulation.system import Dynamics
from screwgraph.tape import Memory

ABOUT = {
    "contacts": "friction, restitution, 1/stiffness (m/N), damping (N s/m) of each contact",
    "ground": "the plane that each contact touches, unit normal and height along it (m), then the point of each slot "
    "in its frame (m), as touching_points finds them for planes and boxes; a height 10 m below its point opens a slot",
    "forces": "those of the step before (N), 0 at first",
}
"""Comments of exported code on arguments."""


def compile_contact_step(model: TouchingModel, dynamics: Dynamics, efforts: StepEfforts | None = None) -> Function:
    """Return the step (q, qd, tau, dt, contacts, forces) -> (q, qd, forces, gaps, solution); what diverges is NaN.

    `contacts` are the numbers of each contact, `VALUES`; where the model's ground is no fixed plane, `ground` comes
    after them: a tangent plane for each, its unit normal and its height along that (m), then the points of slots in
    their frames (m). Numbers have names, as "friction:FR_foot", which stand in the comments of exported code. `forces`
    (N), in the axes of the base, act on the robot at each contact: those of the step before, with which the search
    begins, and those of this one; `gaps` (m) are before the step; `solution` is the largest velocity (m/s) by which a
    law is not obeyed, and the number of sweeps and of passages of Newton's method. `parameters` of the robot come last,
    where some are inputs. `efforts` has limits, and external wrenches: an
    argument after tau of a `model` that takes them as efforts. Derivatives are those of contacts that stick, slip or
    are open as they do (`ContactSlopes`); of q by its numbers. `dynamics`, the same model in motion, has states at
    which exported code is tried.
    """
    k, efforts = len(model.contacts), efforts or StepEfforts()
    labels = label_contacts([contact.frame for contact in model.contacts])
    names = {"dt": ("dt[0]",), "contacts": name_numbers(VALUES, labels)}
    names |= {} if model.plane else {"ground": name_ground(model.contacts)}
    numbers = (Argument(name, (len(own),), own, about=ABOUT.get(name, "")) for name, own in names.items())
    pushes = name_numbers([f"force_{axis}" for axis in AXES], labels)
    last = Argument("forces", (k, 3), pushes, about=ABOUT["forces"])
    vectors = (*efforts.list_arguments(model.state), *numbers, last)
    arguments = tuple(map(make_plain_argument, vectors))
    arguments += model.parameters
    shapes = {"q": model.manifold.shape, "qd": (model.manifold.dim,), "forces": (k, 3), "gaps": (k,), "solution": (2,)}
    about = {"gaps": name_numbers(["gap"], labels), "solution": ("residual", "passages"), "forces": last.names}
    results = tuple(Result(name, shape, about.get(name, ())) for name, shape in shapes.items())

    def make(_: Any) -> CachedCode:
        report_progress(f"writing a step with {k} contact{'s' if k > 1 else ''}")
        return CachedCode(ContactStep(model, arguments, efforts, Memory()).routine(), "none")

    def draw_states() -> list[Any]:
        from screwgraph.motion.simulation.contacts.step_examples import draw_examples  # which compiles where they touch

        return draw_examples(arguments, model, dynamics)

    question = ("contact step", *model.question, efforts.question)
    return make_function(
        "contact_step",
        question,
        arguments,
        make,
        lambda _: replace(
            make_direct_provenance("it is the code of a step", ContactSlopes(model, efforts)),
            examples=draw_states,
        ),
        results,
        quietly=True,
    )
