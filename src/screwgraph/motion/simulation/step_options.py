"""What a simulation in steps regards beside the equations of motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS, Function, parameter_arguments
from screwgraph.graph import refuse_payload
from screwgraph.mechanics.dynamics import forward_dynamics, mass_matrix
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.robot import Robot, make_unknown_name_error, without_loops
from screwgraph.model.robot.parameters import Parameter, parameters_of
from screwgraph.motion.simulation.auto_method import is_stiff
from screwgraph.motion.simulation.closure_parameters import find_closure_parameters
from screwgraph.motion.simulation.implicit_forces import examples, make_implicit_forces
from screwgraph.motion.simulation.joint_forces import Forces, checked_springs, joint_forces
from screwgraph.motion.simulation.linearly_implicit import make_linearly_implicit
from screwgraph.motion.simulation.methods import MotionState
from screwgraph.motion.simulation.model_dynamics import MechanismDynamics, dynamics_of, system_of
from screwgraph.motion.simulation.rosenbrock import rosenbrock_of_accelerations, rosenbrock_with_dampers
from screwgraph.motion.simulation.step_function import compile_step
from screwgraph.motion.simulation.step_law import make_explicit_law
from screwgraph.motion.simulation.step_parameters import FORCES, with_joint_levels
from screwgraph.motion.simulation.step_rules import IMPLICIT, SECOND_ORDER, STEP_RULES

DAMPED = {IMPLICIT: ("damping", "friction", "stiffness"), SECOND_ORDER: ("damping",)}
"""Rules that treat forces of joints implicitly, and the kinds of parameters of these."""


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

    def step_of(self, model: Robot | Mechanism, dt: float) -> Function:
        """Return the step of a model as a function of q, qd, tau, dt and parameters, meant for steps of dt (s).

        Raises:
            InputError: an unknown method, or options that the model or the method has no law for.
            EliminationError: a joint moves nothing that has inertia.
        """
        if not isinstance(model, Robot | Mechanism):
            raise InputError(
                f"expected a robot or a mechanism, got {type(model).__name__}", fix="load one with sg.load(path)"
            )
        if self.method not in STEP_RULES:
            raise make_unknown_name_error("method of a step", self.method, STEP_RULES)
        if isinstance(model, Mechanism):
            refuse_for_mechanisms(self.chosen)
            return self._of_mechanism(model, dt)
        live = parameters_of(model, self.parameters, self.payload)
        forces_at = self._forces(model, [name for name in self.chosen if name != "effort_limits"], live)
        if any(forces_at(examples(model, live))):
            law = make_implicit_forces(model, forces_at, live)
        else:
            law = make_explicit_law(forward_dynamics(model, parameters=self.parameters, payload=self.payload))
        if self.method == SECOND_ORDER:
            law = rosenbrock_with_dampers(law, model, forces_at, live)
        limits = tuple(model.limits.effort.tolist()) if self.effort_limits else None
        inputs = parameter_arguments(model, live)
        lengths = find_closure_parameters(model, self.parameters, self.payload)
        return compile_step(dynamics_of(model), self.method, law, limits, inputs, lengths)

    @property
    def chosen(self) -> tuple[str, ...]:
        """Which of the joints' values in the file act."""
        return tuple(name for name in ("friction", "stops", "effort_limits", "springs") if getattr(self, name))

    def _of_mechanism(self, mechanism: Mechanism, dt: float) -> Function:
        refuse_payload(self.payload)
        dynamics = MechanismDynamics(mechanism)
        code = compile_mechanism(mechanism, self.parameters).acceleration
        inputs = [a for a in code.arguments if a.name == PARAMETERS]
        if self.method == SECOND_ORDER:
            law = rosenbrock_of_accelerations(code)
        else:
            is_fast = self.method == IMPLICIT and _is_stiff(dynamics, dt)
            law = (make_linearly_implicit if is_fast else make_explicit_law)(code)
        lengths = find_closure_parameters(mechanism, self.parameters)
        return compile_step(dynamics, self.method, law, parameters=inputs, lengths=lengths)

    def _forces(
        self, robot: Robot, chosen: Sequence[str], live: Sequence[Parameter]
    ) -> Callable[[Mapping[Parameter, Any]], Forces]:
        """Return the implicit forces along joints at values of parameters. Raises InputError."""
        if self.method != IMPLICIT:
            own = [p.name for p in live if p.kind in FORCES and p.kind not in DAMPED.get(self.method, FORCES)]
            if chosen or own:
                raise only_implicit([*chosen, *own], self.method)
        if self.method not in DAMPED:
            return lambda values: ()
        if self.method == SECOND_ORDER:
            return lambda values: joint_forces(with_joint_levels(robot, values), ["damping"], {}, np.zeros(robot.nv))
        springs, sprung = checked_springs(robot, self.springs), {p.part for p in live if p.kind == "stiffness"}
        for name in sprung.intersection(springs):
            raise InputError(f"the spring of joint {name!r} is given by springs= and by parameters", fix="name it once")
        kinds = ["damping", "friction", *(["stops"] if self.stops else [])]
        inertias = np.zeros(robot.nv)
        if springs or sprung:
            inertias = np.diag(mass_matrix(without_loops(robot))(robot.neutral()))
        if not self.friction:
            robot = replace(robot, joints=tuple(replace(joint, friction=0.0) for joint in robot.joints))

        def forces_at(values: Mapping[Parameter, Any]) -> Forces:
            own = {p.part: (v[0], v[1]) for p, v in values.items() if p.kind == "stiffness"}
            return joint_forces(with_joint_levels(robot, values), kinds, {**springs, **own}, inertias)

        return forces_at


def refuse_for_mechanisms(chosen: Sequence[str]) -> None:
    """Raise InputError where forces of joints' values are chosen: mechanisms have no joints."""
    if chosen:
        raise InputError(
            f"{' and '.join(chosen)} of a mechanism",
            why="its file says which springs and dampers act",
            fix="leave these options out",
        )


def only_implicit(forces: Sequence[str], method: str) -> InputError:
    """Return the error for forces that a method does not treat."""
    return InputError(
        f"{' and '.join(forces)} by method {method!r}",
        why="these forces are only treated implicitly, to order 1",
        fix=f"method={IMPLICIT!r}",
    )


def _is_stiff(dynamics: MechanismDynamics, dt: float) -> bool:
    """Return whether dampers or springs of a mechanism are too fast for explicit steps, where it is assembled."""
    q, qd = dynamics.start(None, None)
    with np.errstate(all="ignore"):
        return is_stiff(system_of(dynamics, dynamics.checked(None, "tau"), None), 0.0, MotionState(q, qd), dt)
