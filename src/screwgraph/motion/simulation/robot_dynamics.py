"""Robots in motion: trees, and closed chains whose loops stay closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function, parameter_arguments, without_metadata
from screwgraph.mechanics.dynamics import forward_dynamics, mass_matrix
from screwgraph.mechanics.kinematics import kinetic_energy, potential_energy
from screwgraph.model.functions_of_time import FunctionOfTime
from screwgraph.model.robot import (
    Robot,
    constraint_jacobian,
    constraint_residual,
    constraint_rows,
    frame_pose,
    frame_velocity,
    loop_pose,
    without_loops,
)
from screwgraph.model.robot.parameters import Parameter, parameters_of, with_numbers, with_values
from screwgraph.motion.simulation.closure_code import (
    STEPS,
    Closing,
    ClosureParameters,
    State,
    StateClosure,
    closure_code,
    entries,
)
from screwgraph.motion.simulation.constraints import Constraints
from screwgraph.motion.simulation.contacts.geometry.contact_slot import count_slots
from screwgraph.motion.simulation.contacts.live_parameters import check_live_parameters
from screwgraph.motion.simulation.contacts.steps.contact_function import compile_contact_step
from screwgraph.motion.simulation.contacts.terms.contact_terms import ContactModel
from screwgraph.motion.simulation.implicit_forces import examples, make_implicit_forces
from screwgraph.motion.simulation.initial_state import initial_position, initial_velocity
from screwgraph.motion.simulation.joint_forces import FORCES, Forces, checked_springs, joint_forces
from screwgraph.motion.simulation.joint_limits import doubts_of_limits
from screwgraph.motion.simulation.opening_loops import describe_opening
from screwgraph.motion.simulation.projection_code import fill_matrix, project_velocity, solve_closing_step
from screwgraph.motion.simulation.rosenbrock import rosenbrock_with_dampers
from screwgraph.motion.simulation.step_code import TracedSteps
from screwgraph.motion.simulation.step_efforts import StepEfforts
from screwgraph.motion.simulation.step_function import compile_step
from screwgraph.motion.simulation.step_law import as_arguments, make_explicit_law
from screwgraph.motion.simulation.step_rules import IMPLICIT, SECOND_ORDER, only_implicit
from screwgraph.motion.simulation.system import Dynamics, refuse_driven_steps
from screwgraph.motion.simulation.wrench_efforts import SIZE, WrenchEfforts, compile_robot_efforts, live_lengths
from screwgraph.spatial import finite_vector
from screwgraph.tape import Number

if TYPE_CHECKING:
    from screwgraph.motion.simulation.step_options import StepOptions

DAMPED = {IMPLICIT: FORCES, SECOND_ORDER: ("damping",)}
"""Rules that treat forces of joints implicitly, and the kinds of parameters of these."""
MASSLESS = 1e-12
"""Inertia of a joint relative to the largest, or to its own where others yield, that is more than rounding."""


@dataclass(frozen=True, eq=False)
class RobotDynamics(Dynamics):
    """A robot in motion: a tree, or a closed chain, whose loops stay closed."""

    model: Robot

    @cached_property
    def function(self) -> Function:
        """Forward dynamics: accelerations (nv,) of q, qd, tau, or of batches."""
        return forward_dynamics(self.model)

    def start(
        self, q0: Any, qd0: Any, held: Mapping[str, tuple[float, float]] = {}
    ) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]]:
        """Return where a motion begins, loops closed. Raises InputError."""
        q = initial_position(self.model, q0)
        if held:
            q = self.hold(q, np.zeros(self.model.nv), held)[0]
        qd = initial_velocity(self.model, q, qd0) if qd0 is not None or not held else np.zeros(self.model.nv)
        return self.hold(q, qd, held) if held else (q, qd)

    def hold(
        self, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"], held: Mapping[str, tuple[float, float]]
    ) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]]:
        """Return the nearest state that loops allow, at which joints have given values and rates. Raises InputError."""
        robot, q, qd, free = self.model, q.copy(), qd.copy(), np.ones(self.model.nv, dtype=bool)
        for name, (value, rate) in held.items():
            q[robot.q_slices[name]], qd[robot.v_slices[name]], free[robot.v_slices[name]] = value, rate, False
        if robot.is_closed:
            q = robot.close_loops(q, independent=list(held))
            K = constraint_jacobian(robot, q)[list(robot.mobility.kept)]
            qd[free] -= np.linalg.lstsq(K[:, free], K @ qd, rcond=None)[0]
        return q, qd

    def check_efforts(self, tau: Any, what: str) -> Float[np.ndarray, " nv"]:
        """Return joint torques and forces; None is zero. Raises InputError."""
        n = self.model.nv
        return finite_vector(
            np.zeros(n) if tau is None else tau, n, what, "it holds the efforts of all joints (N m, N)"
        )

    def force(self, tau: Float[np.ndarray, "*N nv"]) -> Float[np.ndarray, "*N nv"]:
        """Return the forces on all velocity coordinates that joint torques and forces are: themselves."""
        return tau

    def take_wrenches(
        self, names: Sequence[str], parameters: Sequence[str] = (), payload: str | None = None
    ) -> WrenchEfforts:
        """Return the torques and forces along joints that wrenches on frames are. Raises InputError."""
        robot, live = self.model, parameters_of(self.model, parameters, payload)
        lengths, places = live_lengths(live, [len(parameter.nominal(robot)) for parameter in live])
        function = compile_robot_efforts(robot, names, lengths)
        return WrenchEfforts(tuple(names), (SIZE,) * len(names), robot.nv, self, function, places)

    def describe_wrench(self, name: str, W: Float[np.ndarray, "N 6"]) -> tuple[str, Float[np.ndarray, "N 6"]]:
        """Return wrenches on a frame as they are."""
        return name, W

    def constraints(self, q: Float[np.ndarray, " nq"]) -> Constraints | None:
        """Return what keeps loops closed, near q; None for trees."""
        return Constraints(self.model, q) if self.model.is_closed else None

    @cached_property
    def energies(self) -> tuple[Function, Function]:
        """Kinetic and potential energy."""
        return kinetic_energy(self.model), potential_energy(self.model)

    @cached_property
    def damping(self) -> Float[np.ndarray, " nv"]:
        """Viscous damping of each velocity coordinate."""
        return np.concatenate([np.zeros(0), *(np.full(j.type.nv, j.damping) for j in self.model.joints)])

    def energy(self, q: Any, qd: Any, tau: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return kinetic and potential energy (J), and the power (W) of torques less that of dampers (N,)."""
        kinetic, potential = self.energies
        return kinetic.few(q, qd), potential.few(q), self.power(q, qd, tau)

    def power(self, q: Any, qd: Any, tau: Any) -> Any:
        """Return the power (W) of torques less that of dampers, (N,) of batches."""
        return ((tau - self.damping * qd) * qd).sum(axis=-1)

    def is_passive(self, torques: Float[np.ndarray, " nv"]) -> bool:
        """Return whether no work is done under constant torques."""
        return not torques.any() and not self.damping.any()

    def violation(self, q: Float[np.ndarray, "N nq"], found: Any = None) -> Float[np.ndarray, " N"]:
        """Return the largest closure error (rad, m) of loops and couplings; as found already, where it was."""
        if found is not None or not self.model.is_closed:
            return np.zeros(len(q)) if found is None else found
        return np.array([np.abs(constraint_residual(self.model, x)).max() for x in q])

    def describe_opening(self, before: Float[np.ndarray, " nq"], after: Float[np.ndarray, " nq"]) -> tuple[str, str]:
        """Return which rows of loops open between two positions, and which joints to lock."""
        return describe_opening(self.model, before, after)

    @property
    def question(self) -> Robot:
        """The robot without what no code depends on."""
        return without_metadata(self.model)

    def power_of_wrench(self, frame: str, q: np.ndarray, qd: np.ndarray, F: np.ndarray) -> Float[np.ndarray, " N"]:
        """Return the power (W) of wrenches (N, 6) in the axes of a frame."""
        place, found = self.model.frame(frame), np.zeros(len(q))
        for i in np.flatnonzero(F.any(axis=1)):
            R, V = frame_pose(self.model, place, q[i])[:3, :3], frame_velocity(self.model, place, q[i], qd[i])
            found[i] = F[i, :3] @ (R.T @ V[:3]) + F[i, 3:] @ (R.T @ V[3:])
        return found

    def doubts(self, t: np.ndarray, q: np.ndarray, tau: np.ndarray) -> tuple[str, ...]:
        """Return doubts about a motion that leaves what the file allows joints."""
        return doubts_of_limits(self.model, t, q, tau)

    def blame(self, error: InputError, q: Float[np.ndarray, " nq"]) -> InputError | None:
        """Return an error with its reason, where a direction of motion from q has inertia only by rounding."""
        M = np.asarray(mass_matrix(without_loops(self.model))(q))
        own = np.diag(M)
        scale = 1.0 / np.sqrt(own)
        sizes, directions = np.linalg.eigh(scale[:, None] * M * scale)
        if min(sizes[0], own.min() / own.max()) > MASSLESS:
            return None
        least = np.argmax(np.abs(directions[:, 0])) if sizes[0] <= MASSLESS else np.argmin(own)
        name = [joint.name for joint in self.model.joints for _ in range(joint.type.nv)][int(least)]
        return InputError(
            error.what,
            why=f"joint {name!r} moves almost nothing that has inertia",
            fix=f"lock={[name]!r} when loading, or give the joint an armature",
        )

    def check_options(self, options: StepOptions) -> None:
        """Raise InputError where springs are none of joints; these may have friction, stops and effort limits, too."""
        checked_springs(self.model, options.springs)

    def drive(self, functions: Mapping[str, FunctionOfTime], chosen: Sequence[str]) -> NoReturn:
        """Raise InputError: steps of robots hold efforts."""
        raise refuse_driven_steps(chosen)

    def compile_step(self, options: StepOptions, dt: float) -> Function:
        """Return a step of q, qd, tau, dt and parameters. Raises InputError, EliminationError."""
        robot, method = self.model, options.method
        if options.contacts:
            return self._compile_contact_step(options)
        live = parameters_of(robot, options.parameters, options.payload)
        forces_at = _forces(options, robot, live)
        if any(forces_at(examples(robot, live))):
            law = make_implicit_forces(robot, forces_at, live)
        else:
            law = make_explicit_law(forward_dynamics(robot, parameters=options.parameters, payload=options.payload))
        if method == SECOND_ORDER:
            law = rosenbrock_with_dampers(law, robot, forces_at, live)
        limits = tuple(robot.limits.effort.tolist()) if options.effort_limits else None
        lengths = self.closure_parameters(options.parameters, options.payload)
        inputs = parameter_arguments(robot, live)
        return compile_step(self, method, law, limits, inputs, lengths, self._take_wrenches_of(options))

    def _take_wrenches_of(self, options: StepOptions) -> WrenchEfforts | None:
        if not options.external_wrenches:
            return None
        return self.take_wrenches(options.external_wrenches, options.parameters, options.payload)

    def _compile_contact_step(self, options: StepOptions) -> Function:
        """Return a step with contacts: also of their numbers and forces. Raises InputError."""
        robot = self.model
        live = parameters_of(robot, options.parameters, options.payload)
        check_live_parameters(live)
        if options.method != IMPLICIT:
            raise only_implicit(["contacts"], options.method)
        springs = _held_springs(robot, options, live)
        held = tuple((name, *spring) for name, spring in springs.items())
        is_given = count_slots(options.contacts) or any(contact.against for contact in options.contacts)
        plane = None if is_given else options.ground.fixed
        touching = options.contacts, plane, options.stops, options.friction, held, live, options.ground.flat
        model = ContactModel(robot, *touching)
        limits = tuple(robot.limits.effort.tolist()) if options.effort_limits else None
        return compile_contact_step(model, self, StepEfforts(limits, self._take_wrenches_of(options)))

    def closure_parameters(self, names: Sequence[str], payload: str | None) -> ClosureParameters:
        """Return those of some parameters on which loops depend. Raises InputError."""
        live = parameters_of(self.model, names, payload)
        sizes = [len(parameter.nominal(self.model)) for parameter in live]
        own = [i for i, p in enumerate(live) if p.moves_loops(self.model)]
        places = tuple(place for i in own for place in range(sum(sizes[:i]), sum(sizes[: i + 1])))
        return ClosureParameters(tuple(live[i] for i in own), (), places)

    def step_closure(self, lengths: ClosureParameters) -> Closing | None:
        """Return what closes loops at the end of a step; None for trees."""
        return _close_step(self.model, lengths) if self.model.is_closed else None

    def closure_at(self, lengths: ClosureParameters, values: Float[np.ndarray, " k"]) -> StateClosure:
        """Return how states are closed for some lengths."""
        robot = with_numbers(self.model, lengths.parameters, values)
        kept = list(robot.mobility.kept)

        def nearest(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
            K = constraint_jacobian(robot, q)[kept]
            return qd - np.linalg.lstsq(K, K @ qd, rcond=None)[0]

        return StateClosure(partial(initial_position, robot), partial(initial_velocity, robot), nearest)

    def at_values(self, names: Sequence[str], payload: str | None, values: Float[np.ndarray, " k"]) -> Robot:
        """Return the robot with other values of parameters, without springs along joints."""
        live = parameters_of(self.model, names, payload)
        sizes = [len(parameter.nominal(self.model)) for parameter in live]
        own = dict(zip(live, np.split(values, np.cumsum(sizes)[:-1]), strict=True))
        changed = _with_joint_levels(self.model, own)
        return with_values(changed, {p: v for p, v in own.items() if p.kind not in FORCES})


def _close_step(robot: Robot, lengths: ClosureParameters) -> Closing:
    kept, count = robot.mobility.kept, len(constraint_rows(robot))
    rows = [*kept, *(i for i in range(count) if i not in kept)]
    function, places = closure_code(robot, rows, lengths.parameters), entries(robot, rows)
    along = sum(loop.type.nv for loop in robot.loops)

    def close_robot(
        space: TracedSteps,
        q: np.ndarray,
        qd: np.ndarray,
        values: np.ndarray,
    ) -> State:
        own = lengths.numbers(values)
        made = with_numbers(robot, lengths.parameters, own)

        def linearise_closure(q: np.ndarray) -> tuple[list[Number], list[list[Number]]]:
            at = [loop.type.nearest(loop_pose(made, loop, q)) for loop in robot.loops if loop.type.nq]
            found = function(q, *([np.concatenate(at)] if at else []), *as_arguments(own))
            return list(found[:count]), fill_matrix(len(kept), robot.nv, places, found[count + along :])

        gaps, K = linearise_closure(q)
        for _ in range(STEPS):
            q = space.retract(q, solve_closing_step(K, gaps[: len(kept)]))
            gaps, ahead = linearise_closure(q)
        return q, project_velocity(ahead, qd), gaps[: len(kept)]

    return close_robot


def _with_joint_levels(robot: Robot, values: Mapping[Parameter, Any]) -> Robot:
    """Return the robot with other levels of damping and friction of its joints, numbers of any kind."""
    own = {(p.part, p.kind): value[0] for p, value in values.items() if p.kind in ("damping", "friction")}
    joints = tuple(
        replace(j, damping=own.get((j.name, "damping"), j.damping), friction=own.get((j.name, "friction"), j.friction))
        for j in robot.joints
    )
    return replace(robot, joints=joints)


def _held_springs(robot: Robot, options: StepOptions, live: Sequence[Parameter]) -> Mapping[str, tuple[float, float]]:
    """Return springs that are no parameters. Raises InputError where there are none such joints, or both have one."""
    springs = checked_springs(robot, options.springs)
    for name in {p.part for p in live if p.kind == "stiffness"}.intersection(springs):
        raise InputError(f"the spring of joint {name!r} is given by springs= and by parameters", fix="name it once")
    return springs


def _forces(
    options: StepOptions, robot: Robot, live: Sequence[Parameter]
) -> Callable[[Mapping[Parameter, Any]], Forces]:
    """Return the implicit forces along joints at values of parameters. Raises InputError."""
    chosen = [name for name in options.chosen if name != "effort_limits"]
    if options.method != IMPLICIT:
        own = [p.name for p in live if p.kind in FORCES and p.kind not in DAMPED.get(options.method, FORCES)]
        if chosen or own:
            raise only_implicit([*chosen, *own], options.method)
    if options.method not in DAMPED:
        return lambda values: ()
    if options.method == SECOND_ORDER:
        return lambda values: joint_forces(_with_joint_levels(robot, values), ["damping"], {}, np.zeros(robot.nv))
    springs, sprung = _held_springs(robot, options, live), any(p.kind == "stiffness" for p in live)
    kinds = ["damping", "friction", *(["stops"] if options.stops else [])]
    inertias = np.zeros(robot.nv)
    if springs or sprung:
        inertias = np.diag(mass_matrix(without_loops(robot))(robot.neutral()))
    if not options.friction:
        robot = replace(robot, joints=tuple(replace(joint, friction=0.0) for joint in robot.joints))

    def forces_at(values: Mapping[Parameter, Any]) -> Forces:
        own = {p.part: (v[0], v[1]) for p, v in values.items() if p.kind == "stiffness"}
        return joint_forces(_with_joint_levels(robot, values), kinds, {**springs, **own}, inertias)

    return forces_at
