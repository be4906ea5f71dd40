"""Planar mechanisms in motion, their states on the constraints.

Some coordinates may be functions of time. Forces at the end of a step are known to first order: Euler's linearly
implicit method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import PARAMETERS, Function, compile_expression, make_numbered_argument
from screwgraph.compiler.cache import pack_program
from screwgraph.graph import refuse_payload
from screwgraph.mechanics.dynamics import hybrid_dynamics
from screwgraph.mechanics.mechanism.mechanism_functions import CompiledMechanism, compile_mechanism
from screwgraph.mechanics.mechanism.projection import (
    Projection,
    find_initial_position,
    find_initial_velocity,
    make_projection,
    project_velocity,
)
from screwgraph.model.functions_of_time import FunctionOfTime
from screwgraph.model.mechanism import Mechanism, find_moving_parameters, find_slots, live_mechanism, without_metadata
from screwgraph.model.mechanism.closure import assemble_near, closure_errors
from screwgraph.model.mechanism.read import read_mechanism
from screwgraph.motion.simulation.auto_method import is_stiff
from screwgraph.motion.simulation.closure_code import STEPS, Closing, ClosureParameters, State, StateClosure
from screwgraph.motion.simulation.contacts.steps.contact_function import compile_contact_step
from screwgraph.motion.simulation.contacts.terms.mechanism_model import MechanismContactModel
from screwgraph.motion.simulation.driven_motion import QUANTITIES
from screwgraph.motion.simulation.methods import MotionState
from screwgraph.motion.simulation.rosenbrock import rosenbrock_of_accelerations, solve_linear
from screwgraph.motion.simulation.step_code import TracedSteps
from screwgraph.motion.simulation.step_efforts import StepEfforts
from screwgraph.motion.simulation.step_function import compile_step
from screwgraph.motion.simulation.step_law import StepLaw, as_arguments, make_explicit_law
from screwgraph.motion.simulation.step_rules import IMPLICIT, SECOND_ORDER, only_implicit
from screwgraph.motion.simulation.sticking_friction import make_sticking_law, sticking_dampers, without_friction
from screwgraph.motion.simulation.system import Dynamics, refuse_driven_steps, system_of
from screwgraph.motion.simulation.wrench_efforts import WRENCHES, WrenchEfforts, check_names
from screwgraph.spatial import finite_vector
from screwgraph.tape import Number

AXES = "xyz"
"""Axes that begin the names of points' coordinates."""

if TYPE_CHECKING:
    from screwgraph.motion.simulation.step_options import StepOptions


@dataclass(frozen=True, eq=False)
class MechanismDynamics(Dynamics):
    """A planar mechanism in motion, its states on the constraints."""

    model: Mechanism

    @property
    def compiled(self) -> CompiledMechanism:
        """Its compiled code."""
        return compile_mechanism(self.model)

    @property
    def function(self) -> Function:
        """Accelerations (n,) of q, qd and forces on all coordinates, or of batches."""
        return self.compiled.acceleration

    def start(
        self, q0: Any, qd0: Any, held: Mapping[str, tuple[float, float]] = {}
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Return where a motion begins, constraints closed. Raises InputError, ModelError."""
        values, rates = ({name: state[k] for name, state in held.items()} for k in range(2))
        q = find_initial_position(self.model, q0, given=values)
        return q, find_initial_velocity(self.model, q, qd0, given=rates)

    def hold(
        self, q: Float[np.ndarray, " n"], qd: Float[np.ndarray, " n"], held: Mapping[str, tuple[float, float]]
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Return the nearest state that constraints allow, at which coordinates have given values and rates."""
        slots, free = [self.model.index(name) for name in held], np.ones(self.model.n, dtype=bool)
        q, qd, free[slots] = q.copy(), qd.copy(), False
        q[slots], qd[slots] = np.array(list(held.values())).reshape(-1, 2).T
        code = self.compiled.closing_of_few
        q, units = assemble_near(self.model, code, q, free), code.units.coordinates
        _, J = code.in_units(q)
        qd[free] -= units[free] * np.linalg.lstsq(J[:, free], J @ (qd / units), rcond=1e-10)[0]
        return q, qd

    def check_efforts(self, tau: Any, what: str) -> Float[np.ndarray, " motors"]:
        """Return torques of the motors; None is zero. Raises InputError."""
        names = self.model.motors
        why = (
            f"torques (N m) or forces (N) of the motors {', '.join(names)}" if names else "the mechanism has no motors"
        )
        given = np.zeros(len(names)) if tau is None else tau
        return finite_vector(given, len(names), what, why, fix="motors: [coordinate, ...] in its file")

    def force(self, tau: Float[np.ndarray, "*N motors"]) -> Float[np.ndarray, "*N n"]:
        """Return the forces on all coordinates that torques of the motors are."""
        return self.model.motor_forces(tau)

    def take_wrenches(
        self, names: Sequence[str], parameters: Sequence[str] = (), payload: str | None = None
    ) -> WrenchEfforts:
        """Return forces on points (N) and moments on angles (N m) as efforts of more motors. Raises InputError."""
        check_names(names)
        slots = [find_slots(self.model, [name], WRENCHES) for name in names]
        places = find_slots(self.model, names, WRENCHES)
        more = [c for c in (self.model.coordinates[i] for i in places) if c not in self.model.motors]
        whole = replace(self.model, motors=(*self.model.motors, *more))
        at = [whole.motor_slots.index(i) for i in places]

        def expression(q: np.ndarray, forces: np.ndarray) -> list[Number]:
            return [forces[at.index(i)] if i in at else 0.0 for i in range(len(whole.motors))]

        arguments = make_numbered_argument("q", self.model.n), make_numbered_argument(WRENCHES, len(places))
        function = compile_expression("wrench_efforts", (at, len(whole.motors)), arguments, expression)
        sizes, count = tuple(map(len, slots)), len(self.model.motors)
        return WrenchEfforts(tuple(names), sizes, count, MechanismDynamics(whole), function)

    def describe_wrench(self, name: str, W: Float[np.ndarray, "N k"]) -> tuple[str, Float[np.ndarray, "N 6"]]:
        """Return forces on a point, of one coordinate too, or moments about an angle's axis, in the world's axes."""
        found = np.zeros((len(W), 6))
        axis, _, point = name.partition(":") if name in self.model.coordinates else ("", "", name)
        first = 2 if axis and not point else 3 + max(0, AXES.find(axis))
        found[:, first : first + W.shape[1]] = W
        return point or name, found

    def constraints(self, q: Float[np.ndarray, " n"]) -> Projection:
        """Return what puts states back onto the constraints."""
        return make_projection(self.model)

    def energy(self, q: Any, qd: Any, tau: Any) -> tuple[Any, Any, Any]:
        """Return kinetic and potential energy (J), and the power (W) of motors, forces and torques less dampers'."""
        found = self.compiled.energy.few(q, qd)
        return found[..., 0], found[..., 1], found[..., 2] + (tau * qd[..., self.model.motor_slots]).sum(axis=-1)

    def power(self, q: Any, qd: Any, tau: Any) -> Any:
        """Return the power (W) of motors, forces and torques less that of dampers, (N,) of batches."""
        return self.energy(q, qd, tau)[2]

    def is_passive(self, torques: Float[np.ndarray, " motors"]) -> bool:
        """Return whether it is known that no work is done under constant torques."""
        return False

    def violation(self, q: Float[np.ndarray, "N n"], found: Any = None) -> Float[np.ndarray, " N"]:
        """Return the largest distance (m, rad) of coordinates from closing a constraint."""
        return closure_errors(*self.compiled.closing_of_few(q)).max(axis=1, initial=0.0)

    def describe_opening(self, before: Float[np.ndarray, " n"], after: Float[np.ndarray, " n"]) -> tuple[str, str]:
        """Return what to do where constraints open."""
        return "", "give the mechanism the joint that they need, or weld what they hold"

    @property
    def question(self) -> Mechanism:
        """The mechanism without what no code depends on."""
        return without_metadata(self.model)

    def power_of_wrench(self, frame: str, q: np.ndarray, qd: np.ndarray, F: np.ndarray) -> NoReturn:
        """Raise InputError: wrenches act on frames of robots."""
        raise InputError(f"wrenches act at {frame!r} of a mechanism", why="it has no frames, but forces in its file")

    def doubts(self, t: np.ndarray, q: np.ndarray, tau: np.ndarray) -> tuple[str, ...]:
        """Return none: files say nothing of limits."""
        return ()

    def blame(self, error: InputError, q: Float[np.ndarray, " n"]) -> None:
        """Return none: what moves no mass is refused before."""

    def check_options(self, options: StepOptions) -> None:
        """Raise InputError where forces of joints' values but friction are chosen: mechanisms have no joints."""
        others = [name for name in options.chosen if name not in ("friction", "contacts")]
        if others:
            raise InputError(
                f"{' and '.join(others)} of a mechanism",
                why="its file says which springs and dampers act",
                fix="leave these options out",
            )

    def drive(self, functions: Mapping[str, FunctionOfTime], chosen: Sequence[str]) -> Mechanism:
        """Return the mechanism whose coordinates follow functions. Raises InputError beside friction that sticks."""
        if tuple(chosen) != ("contacts",):
            raise refuse_driven_steps(chosen)
        return replace(self.model, driven=functions)

    def compile_step(self, options: StepOptions, dt: float) -> Function:
        """Return a step of q, qd, tau, dt and parameters, meant for steps of dt (s). Raises InputError."""
        self.check_options(options)
        refuse_payload(options.payload)
        if self.model.driven and options.parameters:
            raise InputError(
                f"parameters of {self.model.name!r} with coordinates that its file drives",
                why="steps take values of one or the other",
                fix="leave out parameters=, or driven: in its file",
            )
        if options.contacts:
            return self._compile_contact_step(options)
        self._check_sticking(options)
        wrenches = self.take_wrenches(options.external_wrenches) if options.external_wrenches else None
        whole = self.model if wrenches is None else wrenches.dynamics.model
        acting = replace(self, model=without_friction(whole) if options.friction else whole)
        code = (
            compile_driven_acceleration(acting.model)
            if self.model.driven
            else compile_mechanism(acting.model, options.parameters).acceleration
        )
        inputs = [a for a in code.arguments if a.name == PARAMETERS]
        if options.method == SECOND_ORDER:
            law = rosenbrock_of_accelerations(code)
        else:
            is_fast = options.method == IMPLICIT and acting._is_stiff(dt)
            law = (make_linearly_implicit if is_fast else make_explicit_law)(code)
        if options.friction and sticking_dampers(self.model):
            law = make_sticking_law(law, code, self.model)
        lengths = self.closure_parameters(options.parameters, None)
        return compile_step(self, options.method, law, parameters=inputs, lengths=lengths, wrenches=wrenches)

    def _compile_contact_step(self, options: StepOptions) -> Function:
        """Return a step with contacts: also of their numbers and forces. Raises InputError."""
        if options.friction:
            raise InputError(f"friction that sticks, with contacts of {self.model.name!r}", fix="leave friction out")
        if options.method != IMPLICIT:
            raise only_implicit(["contacts"], options.method)
        wrenches = self.take_wrenches(options.external_wrenches) if options.external_wrenches else None
        whole = self.model if wrenches is None else wrenches.dynamics.model
        model = MechanismContactModel(whole, options.contacts, options.ground.fixed, tuple(options.parameters))
        return compile_contact_step(model, self, StepEfforts(None, wrenches))

    def _check_sticking(self, options: StepOptions) -> None:
        """Raise InputError where friction is to stick beside what such a step does not treat."""
        if not options.friction:
            return
        if options.method != IMPLICIT:
            raise only_implicit(["friction"], options.method)
        if options.parameters:
            raise InputError(
                f"friction that sticks, with parameters of {self.model.name!r}",
                why="the step has the friction of the file",
                fix="leave out parameters=, or friction=True: friction is smooth then",
            )

    def _is_stiff(self, dt: float) -> bool:
        """Return whether dampers or springs are too fast for explicit steps, where the mechanism is assembled."""
        q, qd = self.start(None, None)
        with np.errstate(all="ignore"):
            return is_stiff(system_of(self, self.check_efforts(None, "tau"), None), 0.0, MotionState(q, qd), dt)

    def closure_parameters(self, names: Sequence[str], payload: str | None) -> ClosureParameters:
        """Return those of some parameters on which constraints depend. Raises InputError."""
        refuse_payload(payload)
        if not names:
            return ClosureParameters()
        places = find_moving_parameters(self.model, names)
        return ClosureParameters((), tuple(names[i] for i in places), places)

    def step_closure(self, lengths: ClosureParameters) -> Closing:
        """Return what puts states back onto the constraints at the end of a step."""
        if self.model.driven:
            return make_driven_closing(self.model)
        function = compile_mechanism(self.model, lengths.names).projection

        def close_mechanism(space: TracedSteps, q: np.ndarray, qd: np.ndarray, values: np.ndarray) -> State:
            own = as_arguments(lengths.numbers(values))
            for _ in range(STEPS):
                q = q + function(q, qd, *own)[0]
            step, rate = function(q, qd, *own)
            return q, rate, list(step)

        return close_mechanism

    def closure_at(self, lengths: ClosureParameters, values: Float[np.ndarray, " k"]) -> StateClosure:
        """Return how states are closed for some lengths."""
        made = live_mechanism(self.model, lengths.names).with_values(values.tolist())
        code = compile_mechanism(self.model, lengths.names).closing_at(values)
        at, rate = partial(find_initial_position, made, code=code), partial(find_initial_velocity, made, code=code)
        return StateClosure(at, rate, partial(project_velocity, code))

    def at_values(self, names: Sequence[str], payload: str | None, values: Float[np.ndarray, " k"]) -> Mechanism:
        """Return the mechanism as its file says with other values."""
        source = self.model.source
        if source is None:
            return self.model
        given = dict(zip(names, values.tolist(), strict=True))
        return read_mechanism(source.data, source.file, {**dict(source.given), **given})


def compile_driven_acceleration(mechanism: Mechanism) -> Function:
    """Return accelerations: (q, qd, force, parameters) -> (n,), parameters being values, rates, accelerations (3 k,).

    Forces along driven coordinates are not read: they are what these accelerations take.
    """
    efforts = hybrid_dynamics(mechanism, list(mechanism.driven))
    motion, motors = compile_mechanism(mechanism).acceleration, list(mechanism.motor_slots)
    places, k = [mechanism.motors.index(name) for name in mechanism.driven], len(mechanism.driven)

    def expression(q: Any, qd: Any, force: Any, numbers: Any) -> list[Any]:
        given = force[motors]
        given[places] = numbers[2 * k :]
        pushed = force.copy()
        pushed[[motors[i] for i in places]] = efforts(q, qd, given)[places]
        return list(motion(q, qd, pushed))

    arguments = (*motion.arguments[:3], make_numbered_argument(PARAMETERS, QUANTITIES * k))
    question = pack_program(efforts.program), pack_program(motion.program), places
    return compile_expression("driven_acceleration", question, arguments, expression)


def make_driven_closing(mechanism: Mechanism) -> Closing:
    """Return what puts states onto the constraints, driven coordinates at their values and rates."""
    function = compile_mechanism(mechanism).projection_holding(tuple(mechanism.driven))
    held, k = [mechanism.index(name) for name in mechanism.driven], len(mechanism.driven)
    free = [i for i in range(mechanism.n) if i not in held]

    def close(space: TracedSteps, q: np.ndarray, qd: np.ndarray, numbers: np.ndarray) -> State:
        still, (values, rates) = np.zeros(k), (numbers[:k], numbers[k : 2 * k])
        q, qd = q.copy(), qd.copy()
        q[held], qd[held] = values, rates
        for _ in range(STEPS + 1):  # where driven coordinates were led to their values, one more
            q[free] = q[free] + function(q, qd, still, rates)[0]
        step, others = function(q, qd, still, rates)
        qd[free] = others
        return q, qd, list(step)

    return close


def make_linearly_implicit(code: Function) -> StepLaw:
    """Return a = (v' - v) / dt with v' the velocity at the end of a step, at which `code`, a(q, qd, force), is taken.

    (1 - dt A_v - dt^2 A_q) a = a(q, v) + dt A_q v, with the derivatives A of accelerations by positions and velocities.
    Hairer & Wanner (1996), section IV.7, for q' = q + dt v'.
    """
    slopes = code.jacobian("q", "qd")

    def accelerations(q: Any, qd: Any, force: Any, dt: Number, values: Any) -> np.ndarray:
        given = (q, qd, force, *as_arguments(values))
        A_q, A_v = (dt * A for A in slopes(*given))
        matrix = np.eye(len(qd)) - A_v - dt * A_q
        return solve_linear(matrix, code(*given) + A_q @ qd)

    return StepLaw(("linearly implicit", pack_program(code.program), pack_program(slopes.program)), accelerations)
