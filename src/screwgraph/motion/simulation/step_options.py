"""What a simulation in steps regards beside the equations of motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Function
from screwgraph.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.ground import Ground, Plane
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.motion.simulation.step_rules import IMPLICIT, STEP_RULES


@dataclass(frozen=True)
class StepOptions:
    """How steps are taken, and which forces of the joints' values in the file act; see `Simulator`."""

    __repr__ = one_line

    method: str = IMPLICIT
    friction: bool = False
    stops: bool = False
    effort_limits: bool = False
    springs: Mapping[str, float | Sequence[float]] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    payload: str | None = None
    contacts: tuple[Contact, ...] = ()
    ground: Ground = field(default_factory=Plane)
    external_wrenches: tuple[str, ...] = ()

    def step_of(self, model: Model, dt: float) -> Function:
        """Return the step of a model: a function of q, qd, tau, wrenches, dt, parameters, meant for steps of dt (s).

        Raises:
            InputError: an unknown method, or options that the model or the method has no law for.
            EliminationError: a joint moves nothing that has inertia.
        """
        if not isinstance(model, Model):
            raise InputError(
                f"expected a robot or a mechanism, got {type(model).__name__}", fix="load one with sg.load(path)"
            )
        if self.method not in STEP_RULES:
            raise make_unknown_name_error("method of a step", self.method, STEP_RULES)
        return dynamics_of(model).compile_step(self, dt)

    @property
    def chosen(self) -> tuple[str, ...]:
        """Which of the joints' values in the file act."""
        return tuple(n for n in ("friction", "stops", "effort_limits", "springs", "contacts") if getattr(self, n))
