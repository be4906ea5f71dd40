"""A simulation that is stepped from outside: a controller in the loop."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, convert_numbers, validate_count, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.robot.parameters import with_payload
from screwgraph.motion.simulation.contacts import Contact, ContactInputs, Ground, find_live_names, make_contacts
from screwgraph.motion.simulation.contacts.geometry.mechanism_contacts import push_points
from screwgraph.motion.simulation.contacts.live_contacts import change_inputs, lay_live_ground, split_parameters
from screwgraph.motion.simulation.contacts.raised_start import raise_start
from screwgraph.motion.simulation.divergence import make_divergence_error
from screwgraph.motion.simulation.driven_motion import DrivenMotion, make_driven_motion
from screwgraph.motion.simulation.held_wrenches import HeldWrenches
from screwgraph.motion.simulation.initial_state import validate_seconds
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.motion.simulation.parametric_start import close_for_parameters, live_states
from screwgraph.motion.simulation.step_doubts import OpeningWatch, doubt_explicit_steps
from screwgraph.motion.simulation.step_options import StepOptions
from screwgraph.motion.simulation.step_parameters import StepValues
from screwgraph.motion.simulation.step_rules import IMPLICIT
from screwgraph.motion.simulation.stiff_gains import StiffGainWatch
from screwgraph.motion.simulation.system import Dynamics


class Simulator:
    """A model that moves by one step a call, under torques that are held during the step.

    States are single ones, q (nq,) and qd (nv,), or batches of them, (B, nq) and (B, nv). `step(tau)` takes a step,
    `reset(q, qd)` begins again; between calls, the state is `q`, `qd` and `t`. Loops and constraints stay closed.
    Coordinates that a mechanism's file drives follow their functions of time, from t = 0 at each `reset`.
    A RuntimeWarning says once where feedback is too stiff for the steps, with the step that its gain allows; where an
    explicit method amplifies what dampers take; and where loops open.
    """

    @check_arguments
    def __init__(
        self,
        model: Model,
        dt: float = 1e-3,
        q0: Any = None,
        qd0: Any = None,
        *,
        method: str = IMPLICIT,
        friction: bool = False,
        stops: bool = False,
        effort_limits: bool = False,
        springs: Mapping[str, float | Sequence[float]] | None = None,
        parameters: Sequence[str] | Mapping[str, Any] = (),
        payload: str | None = None,
        contacts: Sequence[Contact] | str = (),
        ground: Ground | None = None,
        external_wrenches: Sequence[str] | Mapping[str, Any] = (),
        dtype: str = "float64",
        threads: int = 1,
    ) -> None:
        """Make the code of a step, and begin at a state.

        Args:
            model: a robot (tree or closed chain), or a mechanism.
            dt: step (s).
            q0: initial position (nq,), or positions (B, nq); by default as of `simulate`.
            qd0: initial velocity (nv,) or (B, nv); by default rest, or that of the mechanism's file.
            method: "semi_implicit" (Euler, order 1), by which damping, friction, stops and springs of robots are
                implicit and make no step unstable; "rosenbrock" (order 2), by which damping is, though velocities that
                dampers take within the first step move positions by half that step; "rk4" or "euler", which are
                explicit as a whole.
            friction: whether joints have the Coulomb friction of the file: they stick and slip; so do dampers of
                mechanisms, whose friction is smooth otherwise.
            stops: whether joints stop, without bouncing, at the position limits of the file.
            effort_limits: whether torques and forces are cut to the effort limits of the file.
            springs: of joints, by name: stiffness (N m/rad, N/m), or stiffness and rest position (rad, m).
            parameters: numbers of the model that `set_parameters` changes: names, or names and the values to begin
                with; as for `forward_dynamics`. Damping, friction and stiffness of joints are implicit. "ground" makes
                a plane an input of the code.
            payload: the link or frame at which the parameter "payload" is a body.
            contacts: points and balls of bodies that touch the ground, "collisions", those of the shapes of a robot's
                file and of `contacts:` of a mechanism's, or the path of a YAML file, whose `parameters` are inputs,
                too; `forces`, `gaps` and `residual` are theirs.
            ground: a plane, height map or steps; by default the plane z = 0 of the base's axes.
            external_wrenches: links or frames on which wrenches act, points or angles of mechanisms on which forces do,
                as for `forward_dynamics`: names, or names and values, by default zero, of steps that are given none.
            dtype: "float64", or "float32": batches take half the time, with seven digits; torques are quickest in it.
            threads: how many threads share a batch.

        Raises:
            InputError: a bad argument.
            EliminationError: a joint moves nothing that has inertia.
            ModelError: the mechanism cannot be assembled.
        """
        self.dt = validate_seconds("dt", dt)
        of_contacts, parameters = split_parameters(parameters)
        of_file, named = split_parameters(find_live_names(model, contacts, parameters))
        of_contacts, names, own = of_file | of_contacts, with_payload(named, payload), dict(springs or {})
        self.model = model
        points, surface = make_contacts(model, contacts, ground)
        touching = points, lay_live_ground(model, points, surface, of_contacts)
        pushed = tuple(external_wrenches)
        self.options = StepOptions(method, friction, stops, effort_limits, own, names, payload, *touching, pushed)
        self.function = self.options.step_of(model, self.dt).astype(dtype)
        self._contacts = ContactInputs.of(model, *touching) if touching[0] else None
        self._dynamics, self._step_size = dynamics_of(model), np.array([self.dt], dtype)
        self._wrenches = HeldWrenches.read(
            self._dynamics, pushed, external_wrenches if isinstance(external_wrenches, Mapping) else None
        )
        self._driven = make_driven_motion(self._dynamics, None)
        self._is_moving = self._driven is not None or (self._contacts is not None and not self._contacts.fixed)
        self._threads = validate_count("threads", threads)
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self._given: StepValues | None = None
        self._is_looked_at = False
        self._set_parameters(parameters if isinstance(parameters, Mapping) else {}, of_contacts)
        self.reset(q0, qd0)

    def __repr__(self) -> str:
        batch = f"{len(self._q)} states, " if self._q.ndim == 2 else ""
        return (
            f"<simulator of {self.model.name!r} by {self.options.method}: {batch}dt = {self.dt:g} s, t = {self.t:g} s>"
        )

    def reset(self, q: Any = None, qd: Any = None) -> None:
        """Begin again at t = 0, at a position (nq,) or positions (B, nq) with velocities alike; as for `q0` and `qd0`.

        Raises:
            InputError: numbers that are no states of the model, or velocities that loops forbid.
        """
        self._q, self._qd = (x.astype(self.dtype, copy=False) for x in live_states(self.model, self._given, q, qd))
        if self._contacts is not None and self._contacts.motions > 1:
            self._q, self._qd = self._contacts.spread(self._q, self._qd)
        if self._contacts is not None and q is None:
            self._q = raise_start(self.model, self._contacts, self._q).astype(self.dtype, copy=False)
        count, batch = len(self.options.contacts), self._q.shape[:-1]
        self._forces = np.zeros((*batch, count, 3), self.dtype)
        self._gaps, self._solution = (np.full((*batch, n), np.nan, self.dtype) for n in (count, 2))
        self._idle = self._dynamics.check_efforts(None, "tau").astype(self.dtype)
        self._size = len(self._idle)
        varies = self._is_moving or self._wrenches is not None
        self._is_particular = varies or bool(self.options.parameters) or not self._size
        forces = np.abs(self._dynamics.force(np.eye(self._size)))
        axes = forces.argmax(axis=-1) if forces.size else np.zeros(0, dtype=int)
        self._steps, self._watch = 0, StiffGainWatch(axes)
        self._opening = OpeningWatch(self._dynamics_at(0), self._q)
        self._next_look = 1

    def set_parameters(self, values: Mapping[str, Any] | Float[np.ndarray, "*B k"]) -> None:
        """Go on with other values of the parameters (SI units), by name or as one vector; nothing is compiled.

        Those that a mapping does not name get the file's values. Batches (B, k) are one row a state. Where loops or
        constraints depend on one, the state moves to the nearest that they allow. "friction", "restitution",
        "stiffness" and "damping" are those of contacts, of all or (k,) of each, which need not be named before;
        "ground" is another ground.

        Raises:
            InputError: the simulator has no parameters, or none of a name; values of another shape, or lengths for
                which loops do not close nearby.
            ModelError: the mechanism does not close nearby.
        """
        own, values = split_parameters(values)
        if not self.options.parameters and (len(values) or not self.options.contacts):
            raise InputError("the simulator has no parameters", fix='make it with parameters=["link7.mass", ...]')
        self._set_parameters(values, own)
        if self._given is not None:
            closed = close_for_parameters(self.model, self._given, self._q, self._qd)
            self._q, self._qd = (x.astype(self.dtype, copy=False) for x in closed)

    def _set_parameters(self, values: Any, of_contacts: Mapping[str, Any]) -> None:
        if self._contacts is not None:
            points, ground = self.options.contacts, self.options.ground
            changed = change_inputs(self.model, self._contacts, points, ground, of_contacts)
            self._contacts = changed.astype(self.dtype)
        elif of_contacts:
            raise InputError(f"parameters {', '.join(of_contacts)} of contacts that there are not")
        if self.options.parameters:
            self._given = StepValues.from_values(self.function, self.options.parameters, self.options.payload, values)
        self._step = self.function if self._given is None else self.function.core
        self._quick = self._step.quick
        self._carried = () if self._given is None else (self._given.carried.astype(self.dtype),)
        if self._driven is not None:
            self._carried = self._lead(self._driven, 0.0)
        self._fixed = (self._step_size, *(() if self._contacts is None else (self._contacts.values,)))

    @property
    def dtype(self) -> str:
        """The type of numbers: "float64" or "float32"."""
        return self.function.dtype

    @property
    def parameters(self) -> Float[np.ndarray, "*B k"]:
        """The values of the parameters, in the order of their names; empty without any."""
        return np.zeros(0) if self._given is None else self._given.vector.copy()

    @property
    def q(self) -> Float[np.ndarray, "*B nq"]:
        """The position, or positions; read-only, and the same array until the next step."""
        self._q.setflags(write=False)
        return self._q

    @property
    def qd(self) -> Float[np.ndarray, "*B nv"]:
        """The velocity, or velocities; read-only, and the same array until the next step."""
        self._qd.setflags(write=False)
        return self._qd

    @property
    def t(self) -> float:
        """The time (s) since the last reset."""
        return self._steps * self.dt

    def step(self, tau: Any = None, steps: int = 1, external_wrenches: Mapping[str, Any] | None = None) -> None:
        """Take one step, or more, under torques, forces and external wrenches that are held.

        Args:
            tau: of all joints (N m, N), of a mechanism torques of its motors: (m,), for each state (B, m), or none.
            steps: how many; a controller with a period of 4 ms takes 4 steps of 1 ms.
            external_wrenches: (6,) by link or frame, or for each state (B, 6), in the place of those that the simulator
                was made with: moment (N m), then force (N), in the axes of the frame, which turn with it.

        Raises:
            InputError: not so many finite numbers, or the simulation diverged: at which step, joint and method.
        """
        if tau is None or steps != 1 or self._is_particular or external_wrenches is not None:
            tau = self._idle if tau is None else tau
            self._hold_wrenches(external_wrenches)
            self._take_steps(tau, steps)
        else:  # written out: a step of a robot takes two microseconds, and a call within Python a tenth of one
            if self._contacts is None:
                found = self._quick(self._q, self._qd, tau, self._step_size)
                self._q, self._qd = self._general(tau) if found is None else found
            else:
                found = self._quick(self._q, self._qd, tau, *self._fixed, self._forces)
                if found is None:
                    found = self._general(tau)
                self._q, self._qd, self._forces, self._gaps, self._solution = found
            self._steps += 1
        if self._steps >= self._next_look:
            self._look(tau, steps)

    def _take_steps(self, tau: Any, steps: int) -> None:
        """Take steps of any model: with efforts or none, wrenches, parameters, driven coordinates, uneven grounds."""
        if self._driven is not None and tau is not self._idle:
            self._driven.refuse_efforts(tau)
        if not self._size and tau is not self._idle and validate_numbers("tau", tau).shape[-1:] != (0,):
            self._dynamics.check_efforts(tau, "tau")  # which says that there are no motors
        held = (tau,) if self._size else ()
        for _ in range(1 if steps == 1 else validate_count("steps", steps)):
            found = self._quick(self._q, self._qd, *held, *self._last)
            self._q, self._qd, *touch = self._general(tau) if found is None else found
            if touch:
                self._forces, self._gaps, self._solution = touch
            self._steps += 1

    def _hold_wrenches(self, given: Mapping[str, Any] | None) -> None:
        """Let wrenches act in the next steps, those given, and the usual ones. Raises InputError."""
        if self._wrenches is not None:
            self._wrenches.hold(given, self._q.shape[:-1])
        elif given is not None:
            raise InputError("the simulator has no external wrenches", fix=f"make it with external_wrenches={[*given]}")

    def _look(self, tau: Any, steps: int) -> None:
        """Warn (RuntimeWarning) of feedback and dampers that are too stiff for steps, and of loops that open."""
        self._quick = self._step.quick  # the code itself, once it is made
        doubts = list[str]()
        if self._steps >= self._watch.next:
            doubts.append(self._watch.look(self._steps, steps * self.dt, self._q, self._qd, tau, self._dynamics_at))
        if self._steps >= self._opening.next:
            doubts += self._opening.look(self._dynamics_at(0), self._q)
        if not self._is_looked_at:
            self._is_looked_at = True
            efforts = (convert_numbers(tau),) if self._size else ()
            state = self._q, self._qd
            doubts += doubt_explicit_steps(self._step, self.options.method, self.dt, state, (*efforts, *self._last))
        self._next_look = min(self._watch.next, self._opening.next)
        for doubt in filter(None, doubts):
            warnings.warn(doubt, RuntimeWarning, stacklevel=3)

    def _follow(self) -> None:
        """Let the next step begin with what depends on time, of coordinates that are driven, and on the ground here."""
        if self._driven is not None:
            self._carried = self._lead(self._driven, self.t)
        if self._contacts is not None:
            self._fixed = (self._step_size, *self._contacts.find_arguments(self._q))

    def _lead(self, driven: DrivenMotion, t: float) -> tuple[np.ndarray]:
        """Return the argument of a step from time t (s) on by which coordinates are driven."""
        return (driven.numbers_of_steps(np.array([t]), self.dt)[0].astype(self.dtype),)

    @property
    def _last(self) -> tuple[np.ndarray, ...]:
        """The arguments of the next step after the torques."""
        if self._is_moving:
            self._follow()
        pushed = () if self._wrenches is None else (self._wrenches.last.astype(self.dtype, copy=False),)
        return (*pushed, *self._fixed, *(() if self._contacts is None else (self._forces,)), *self._carried)

    @property
    def driving_efforts(self) -> Float[np.ndarray, "*B k"]:
        """The efforts (N m, N) that coordinates which a mechanism's file drives take now, the other motors idle.

        Contacts push as in the last step; so do external wrenches.
        """
        if self._driven is None:
            return np.zeros((*self._q.shape[:-1], 0))
        idle = np.broadcast_to(self._idle, (*self._q.shape[:-1], self._size))
        t = np.full(self._q.shape[:-1], self.t)
        pushed = None
        if self._contacts is not None:
            planes = self._contacts.planes(self._q)
            pushed = push_points(self.model, self.options.contacts, self._forces, self._q, planes)
        if self._wrenches is not None:
            own = self._wrenches.find_forces(self._q)
            pushed = own if pushed is None else pushed + own
        return self._driven.complete_efforts(t, self._q, self._qd, idle, pushed)[..., self._driven.places]

    @property
    def forces(self) -> Float[np.ndarray, "*B k 3"]:
        """The forces (N) on the model at its contacts in the last step, in the base's axes."""
        return self._forces

    @property
    def gaps(self) -> Float[np.ndarray, "*B k"]:
        """The distances (m) of contacts from the ground before the last step; NaN before the first."""
        return self._gaps

    def find_ground(self, q: Any = None) -> Float[np.ndarray, "*B n"]:
        """Return the argument `ground` of `function` at q, by default now: planes (m) under contacts, points of slots.

        Raises InputError where the step takes none, as on one plane, or q is no position that loops allow.
        """
        if self._contacts is None or self._contacts.fixed:
            raise InputError("this step takes no ground", fix='make it with parameters=["ground"]')
        given = self._q if q is None else live_states(self.model, self._given, q, None)[0]
        return np.array(self._contacts.find_arguments(given)[1])

    @property
    def residual(self) -> Float[np.ndarray, "*B"]:
        """The largest velocity (m/s) by which a contact's law was not obeyed in the last step; NaN before the first."""
        return self._solution[..., 0]

    def _general(self, tau: Any) -> tuple[np.ndarray, ...]:
        """Take a step of any arrays: batches, and what is wrong."""
        try:
            efforts = convert_numbers(tau)
        except (TypeError, ValueError):
            efforts = np.empty(0)
        batch, size = self._q.shape[:-1], self._size
        if efforts.shape not in ((size,), (*batch, size)):
            expected = f"({size},)" + (f" or ({batch[0]}, {size})" if batch else "")
            raise InputError(
                f"tau: expected numbers of the shape {expected}, got {_shape_of(tau)}",
                why="it holds the torques and forces (N m, N) of all joints, or of a mechanism's motors",
            )
        with np.errstate(all="ignore"):  # what is not finite is found and said
            q, qd, *touch = self._call_step(efforts.astype(self.dtype, copy=False))
        if not np.isfinite(qd).all():
            given = (self._q, self._qd, efforts)
            why, fix = self._watch.explain(self.dt, self._q, efforts, self._dynamics_at)
            if why:
                what = f"the simulation diverged at step {self._steps}, t = {self.t:g} s"
                raise InputError(what, why=why, fix=fix)
            raise make_divergence_error(self._dynamics_at, self.options.method, self._steps, self.dt, given, qd)
        return q, qd, *touch

    def _dynamics_at(self, state: int) -> Dynamics:
        """Return the model in motion with the parameters of a state of the batch."""
        return self._dynamics if self._given is None else dynamics_of(self._given.model(self.model, state))

    def _call_step(self, tau: np.ndarray) -> tuple[np.ndarray, ...]:
        step, last = self._step.ufunc, self._last
        if self._pool is None or self._q.ndim == 1:
            return step(self._q, self._qd, *((tau,) if self._size else ()), *last)
        count = len(self._q)
        found = tuple(np.empty((count, *result.shape), self.dtype) for result in self._step.results)
        efforts, own = np.broadcast_to(tau, (count, self._size)), self._step.arguments[-len(last) :]
        edges = np.linspace(0, count, self._threads + 1).astype(int)

        def part(first: int, end: int) -> None:
            here = slice(first, end)
            with np.errstate(all="ignore"):
                held = (efforts[here],) if self._size else ()
                fixed = (x if len(x.shape) == len(a.shape) else x[here] for x, a in zip(last, own, strict=True))
                step(self._q[here], self._qd[here], *held, *fixed, out=tuple(x[here] for x in found))

        list(self._pool.map(part, edges[:-1], edges[1:]))
        return found


def _shape_of(value: Any) -> str:
    try:
        return f"the shape {np.shape(value)}"
    except ValueError:
        return "rows of different lengths"
