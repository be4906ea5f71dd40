"""A robot on contacts that are switched at run time: inputs are forces of those that are on, else accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, compile_expression, make_numbered_argument
from screwgraph.mechanics.dynamics import inverse_dynamics
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, SPANNING
from screwgraph.mechanics.kinematics.manifold_functions import position_argument
from screwgraph.model.robot import Robot, constraint_jacobian
from screwgraph.motion.control.affine import Affine, combine_affine
from screwgraph.motion.control.models.base import BASE
from screwgraph.motion.control.motion_terms import Motion, StandingState
from screwgraph.motion.control.predictive.motors import StageMotors
from screwgraph.motion.control.predictive.stage_model import Bounds, StageMotion
from screwgraph.motion.control.predictive.state_coordinates import RobotStates, complete_position
from screwgraph.motion.control.reduced_motion import UNMOVED, ReducedMotion
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number, dot, is_zero
from screwgraph.tape.sparse_rows import add_entry

FAR = 1e6
"""Bounds of what has none at a stage, in units of inputs."""


@dataclass(frozen=True, eq=False)
class ContactModel:
    """A robot that stands or floats, with as many motors as independent joints, on contacts, on or off at a stage.

    States are those of independent joints; all others follow at each instant, so that loops are closed exactly. Inputs
    (nu,), as many as independent joint coordinates: of a contact's own leg its force in the ground's axes where it is
    on, else the accelerations of the leg's joints; then accelerations of all other joints. Of legs with more joints
    than components, whose contact is on, these are accelerations along turned axes that do not move it. Equations of
    motion, and of feet that do not accelerate, are eliminated: derivatives of inverse dynamics, a small matrix a leg,
    one of the base.
    `drag` (1/s) slows feet that glide; a contact's normal force is `force` (N) at most. Switches are, for each contact,
    1 or 0, and Coulomb's coefficient.
    """

    __repr__ = one_line

    coordinates: RobotStates
    motors: StageMotors
    motion: ReducedMotion
    drag: float
    force: float
    commands_efforts = False

    @property
    def robot(self) -> Robot:
        """The independent joints."""
        return self.coordinates.joints

    @property
    def nu(self) -> int:
        """Numbers of an input."""
        return len(self.motion.driven)

    @property
    def switches(self) -> int:
        """Two for each contact."""
        return 2 * len(self.motion.contacts)

    @property
    def input_weights(self) -> int:
        """How many weights inputs have: of forces, then of accelerations."""
        return 2 * self.nu

    @property
    def base(self) -> int:
        """Coordinates without efforts."""
        return len(self.motion.base)

    @property
    def own_columns(self) -> list[list[bool]]:
        """Columns of the base and of the same limb."""
        n, motion, all_limbs = self.robot.nv, self.motion, _find_limbs(self.coordinates.model, self.motion)
        limbs = [all_limbs[i] for i in motion.coordinates.places]
        found = list[list[bool]]()
        for i in (*range(n), *motion.moved_coordinates):
            own = [] if i in motion.base else [j for j in range(n) if j in motion.base or limbs[j] == limbs[i]]
            inputs = {motion.place[j] for j in own if j in motion.place}
            found.append([j % n in own for j in range(2 * n)] + [k in inputs for k in range(self.nu)])
        return found

    @property
    def question(self) -> tuple[object, ...]:
        """All that code depends on."""
        contacts = tuple(contact.structure for contact in self.motion.contacts)
        ground = tuple(map(float, self.motion.axes.ravel()))
        return *self.motors.question, contacts, ground, self.drag, self.force

    @cached_property
    def inverse(self) -> Function:
        """Code of the efforts of independent joints, of all positions, and velocities and accelerations of these."""
        model = self.coordinates.model
        return inverse_dynamics(model, coordinates=INDEPENDENT if model.is_closed else SPANNING)

    @cached_property
    def contact_terms(self) -> Function:
        """Code of -J'f, of what feet would accelerate, and of inputs along turned axes, of q, qd, qdd, f, on.

        Sizes are n, components, free coordinates of redundant legs. q are all positions (nq,), at which loops are
        closed, all others of the n independent coordinates.
        """
        own, n, model = self.motion, self.robot.nv, self.coordinates.model
        components = sum(contact.size for contact in own.contacts)
        sizes = (("qd", n), ("qdd", n), ("f", components), ("on", len(own.contacts)))
        arguments = (position_argument("q", model), *(make_numbered_argument(*x) for x in sizes))

        def compute(q: Any, qd: Any, qdd: Any, f: Any, on: Any) -> list[Number]:
            pushes, feet, start = np.zeros(n), list[Number](), 0
            full = own.coordinates.complete_velocity(q, qd)
            motion = own.coordinates.solve(q, full)
            state = own.hold(motion, q, full, list(on))
            for held, drifts in zip(state.held, own.drifts(state, full, self.drag), strict=True):
                J = motion.restrict(held.J)
                pushes = pushes - J.T @ f[start : start + len(J)]
                feet += [dot(row, qdd) + drift for row, (_, drift) in zip(J, drifts, strict=True)]
                start += len(J)
            along: list[Affine] = [({}, x) for x in qdd]
            for turn in state.turns:
                along = turn.turn(along)
            return [*pushes, *feet, *(along[i][1] for i in self._free)]

        return compile_expression("contact_terms", self.question, arguments, compute)

    def linearise(self, q: Any, v: Any, u: Any, switches: Any) -> StageMotion:
        """Return motion and derivatives, by inverse dynamics."""
        own, n = self.motion, self.robot.nv
        full, (state, now) = complete_position(self.coordinates, q), self._solve(q, v, u, list(switches[::2]))
        qdd, efforts = [x for _, x in now.accelerations], self._share(full, state, now)
        f = [x for force in now.forces for _, x in force]
        given = (full, v, np.array(qdd))
        own_changes = self.contact_terms.jacobian("q", "qd")(*given, np.array(f), np.array(state.on))
        by_q, by_v = (np.asarray(block, dtype=object) for block in own_changes)
        for block, rows_of in zip((by_q, by_v), self.inverse.jacobian("q", "qd")(*given), strict=True):
            block[:n] = block[:n] + np.asarray(rows_of, dtype=object)
        changes = np.concatenate([state.motion.restrict(by_q), by_v], axis=1)
        rows: list[Affine] = [({self.nu + j: x for j, x in enumerate(row) if not is_zero(x)}, 0.0) for row in changes]
        tilts, start = list[list[Affine]](), n
        for one in own.contacts:
            tilts.append(rows[start : start + one.size])
            start += one.size
        inputs: list[Affine] = [({k: 1.0}, 0.0) for k in range(self.nu)]
        for i, turning in zip(self._free, rows[start:], strict=True):
            k = own.place[i]
            inputs[k] = combine_affine([(1.0, inputs[k]), (-1.0, turning)], 0.0)
        first = self.nu + 2 * n
        change = own.solve_rows(state, rows[:n], tilts, inputs, first if self.base else None)
        change = replace(change, efforts=self._share_changes(full, state, efforts, change.efforts))
        order, ends = [*range(self.nu, first), *range(self.nu)], range(first, first + self.base)
        moved = change.accelerations, change.efforts, change.base
        qdd_slopes, effort_slopes, base = (
            np.array([[row.get(j, 0.0) for j in order] for row, _ in part], dtype=object) for part in moved
        )
        arms = [[row.get(j, 0.0) for j in ends] for row, _ in (*change.accelerations, *change.efforts)]
        through = (base, np.array(arms, dtype=object)) if self.base else ()
        return StageMotion(qdd, efforts, qdd_slopes, effort_slopes, *through)

    def move(self, q: Any, v: Any, u: Any, switches: Any) -> tuple[Sequence[Number], Sequence[Number]]:
        """Return accelerations and efforts."""
        state, now = self._solve(q, v, u, list(switches[::2]))
        full = complete_position(self.coordinates, q)
        return [x for _, x in now.accelerations], self._share(full, state, now)

    def _share(self, full: Any, state: StandingState, now: Motion) -> list[Number]:
        """Return the efforts of motors that cause those along driven coordinates."""
        return [x for _, x in self.motion.drive(state.motion, full, now.efforts)]

    @cached_property
    def motor_torques(self) -> Function | None:
        """Code of efforts along independent coordinates, of all positions and efforts of motors."""
        own = self.motion
        if own.has_own_motors:
            return None
        given = position_argument("q", self.coordinates.model), make_numbered_argument("effort", len(self.motors.names))

        def compute(q: Any, u: Any) -> list[Number]:
            motion = own.coordinates.solve(q, np.zeros(own.model.nv))
            arms, rest = own.list_arms(motion, q)
            return [dot(row, u) + x for row, x in zip(arms, rest, strict=True)]

        return compile_expression("motor_torques", self.question, given, compute, branches=True)

    def _share_changes(self, full: Any, state: StandingState, u: Any, changes: list[Affine]) -> list[Affine]:
        """Return changes of efforts of motors, of those along driven coordinates: B du = dtau - d(B u + rest)."""
        if self.motor_torques is None:
            return changes
        by_q = state.motion.restrict(np.asarray(self.motor_torques.jacobian("q")(full, np.array(u))))
        arms, right = self.motion.list_arms(state.motion, full)[0], list[Affine]()
        for i, (row, constant) in zip(self.motion.driven, changes, strict=True):
            moved = dict(row)
            for j, x in enumerate(by_q[i]):
                if not is_zero(x):
                    add_entry(moved, self.nu + j, -x)
            right.append((moved, constant))
        return self.motion.solve_motors(arms, right)

    def _solve(self, q: Any, v: Any, u: Any, on: Sequence[Number]) -> tuple[StandingState, Motion]:
        """Return what holds a state without inputs, and motion."""
        own, full = self.motion, complete_position(self.coordinates, q)
        qd = own.coordinates.complete_velocity(full, v)
        state = own.hold(own.coordinates.solve(full, qd), full, qd, on)
        inputs, bias = ([({}, x) for x in values] for values in (u, state.motion.h))
        return state, own.solve_rows(state, bias, own.drifts(state, qd, self.drag), inputs)

    @cached_property
    def _free(self) -> list[int]:
        """Coordinates of legs beyond the components of their contact."""
        return [i for leg in self.motion.legs for i in leg.alone[leg.contact.size :]]

    @cached_property
    def _forces(self) -> list[tuple[int, range, list[float]]]:
        """Each contact, where its inputs stand, and the direction of the normal force among them."""
        found, start = list[tuple[int, range, list[float]]](), 0
        for c, contact in enumerate(self.motion.contacts):
            normal = [float(x) for x in contact.cone(1.0)[1]]
            found.append((c, range(start, start + contact.size), normal))
            start += contact.size
        return found

    def rest(self, q: Any, switches: Any) -> list[Number]:
        """Return equal shares of the weight for contacts that are on, no accelerations."""
        del q
        model = self.coordinates.model
        weight = model.mass * float(np.linalg.norm(np.asarray(model.gravity, dtype=float)))
        count: Number = 0.0
        for flag in switches[::2]:
            count = count + flag
        share, found = weight / maximum(count, 1.0) if self._forces else 0.0, [0.0] * self.nu
        for c, own, normal in self._forces:
            for i, x in zip(own, normal, strict=True):
                found[i] = switches[2 * c] * (x * share) if x else 0.0
        return found

    def weigh_inputs(self, weights: Any, reference: Any, switches: Any) -> tuple[list[Number], list[Number]]:
        """Return weights of forces, which are compared with equal shares of the weight, or of accelerations."""
        found, values = list(weights[self.nu :]), list(reference)
        rest = self.rest(None, switches)
        for c, own, _ in self._forces:
            for i in own:
                found[i] = choose(switches[2 * c] > 0.5, weights[i], weights[self.nu + i])
                values[i] = values[i] + rest[i]
        return found, values

    def limit_inputs(self, efforts: Bounds, switches: Any) -> tuple[list[Number], list[Number]]:
        """Return bounds of forces of contacts that are on; accelerations have none."""
        del efforts
        lower, upper = [-FAR] * self.nu, [FAR] * self.nu
        for c, own, normal in self._forces:
            is_on = switches[2 * c] > 0.5
            for i, x in zip(own, normal, strict=True):
                lower[i] = choose(is_on, 0.0 if x else -self.force, -FAR)
                upper[i] = choose(is_on, self.force, FAR)
        return lower, upper

    def input_units(self, efforts: Bounds) -> list[float]:
        """Return the largest normal force, also for accelerations."""
        del efforts
        return [self.force] * self.nu

    def list_cones(self, switches: Any) -> tuple[list[list[Number]], list[Number]]:
        """Return the rows of contacts' friction."""
        rows, least = list[list[Number]](), list[Number]()
        for c, own, _ in self._forces:
            on, friction = switches[2 * c], switches[2 * c + 1]
            for row in self.motion.contacts[c].cone(friction)[0]:
                full = [0.0] * self.nu
                for i, x in zip(own, row, strict=True):
                    full[i] = 0.0 if is_zero(x) else on * x
                rows.append(full)
                least.append(choose(on > 0.5, 0.0, -FAR))
        return rows, least

    def list_forces(self, u: Any, switches: Any) -> list[Number]:
        """Return the forces of contacts."""
        return [switches[2 * c] * u[i] for c, own, _ in self._forces for i in own]

    def keep_input(self, now: Any, later: Any, share: Number, switches: Any, then: Any, rest: Any) -> list[Number]:
        """Return what lies between; at rest where a contact changes, one of both where it changed then."""
        found = [a + share * (b - a) for a, b in zip(now, later, strict=True)]
        for c, leg in enumerate(self.motion.legs):
            on, first, second = switches[2 * c], then[2 * c], then[self.switches + 2 * c]
            for i in (self.motion.place[j] for j in leg.alone):
                one = choose(abs(second - on) < 0.5, later[i], rest[i])
                one = choose(abs(first - on) < 0.5, choose(abs(second - on) < 0.5, found[i], now[i]), one)
                found[i] = one
        return found


def _find_limbs(robot: Robot, motion: ReducedMotion) -> list[int]:
    """Return the limb of each velocity coordinate: what hangs on one joint of the base; loops and motors tie limbs."""
    limbs, found = {robot.links[0].name: -1}, [-1] * robot.nv
    for number, (joint, link) in enumerate(zip(robot.joints, robot.links[1:], strict=True)):
        own = limbs[joint.parent]
        is_base = number == 0 and joint.type.nv == BASE
        limbs[link.name] = -1 if is_base else number if own < 0 else own
        v = robot.v_slices[joint.name]
        found[v] = [limbs[link.name]] * (v.stop - v.start)
    rows = list(constraint_jacobian(robot, robot.mobility.states[0])) if robot.is_closed else []
    samples = np.array([motion.motors.arms(q)[0] for q, _ in motion.coordinates.samples])
    for row in (*rows, *np.abs(samples).max(axis=0).T):
        tied = sorted({found[i] for i in np.flatnonzero(np.abs(row) > UNMOVED)} - {-1})
        found = [tied[0] if limb in tied else limb for limb in found]
    return found
