"""Equations of motion solved for what a controller chooses: few unknowns u, accelerations and efforts affine in them.

Of a robot without contacts, u are the accelerations of its joints. Of a contact of n components, whose leg has n joints
that carry no other contact, u are its forces where it is on, else the accelerations of these joints: as many of them.
Closed chains have the coordinates of their independent joints. Where motors are more or fewer than the coordinates that
they move, u are their efforts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import compile_expression
from screwgraph.model.model import Model
from screwgraph.motion.control.affine import Affine, blend_affine, combine_affine, scale_affine, shift_affine
from screwgraph.motion.control.contacts import HeldContact
from screwgraph.motion.control.legs import Leg, choose_own, make_leg
from screwgraph.motion.control.models import (
    ControlledModel,
    IndependentCoordinates,
    IndependentMotion,
    Motors,
    as_controlled,
)
from screwgraph.motion.control.models.base import BASE
from screwgraph.motion.control.motion_terms import Foot, Motion, StandingState
from screwgraph.motion.control.small_systems import find_pivots, make_leg_solver, solve_in_order, solve_square
from screwgraph.motion.control.turned_legs import Turn, turn_leg
from screwgraph.motion.simulation.contacts import Plane
from screwgraph.tape import Number, dot, factor_tree, is_zero
from screwgraph.tape.sparse_rows import add_entry, to_sparse_rows

UNMOVED = 1e-6
"""Entry of an arm, or of a contact's Jacobian, that is none (1, m): loops of samples are closed to 1e-7."""


@dataclass(frozen=True, eq=False)
class ReducedMotion:
    """A model and its contacts; indices are of its independent coordinates."""

    __repr__ = one_line

    model: Model
    contacts: tuple[HeldContact, ...]
    ground: Plane

    @cached_property
    def controlled_model(self) -> ControlledModel:
        """The model as controllers know it."""
        return as_controlled(self.model)

    @property
    def coordinates(self) -> IndependentCoordinates:
        """The coordinates that are independent."""
        return self.controlled_model.coordinates

    @property
    def motors(self) -> Motors:
        """The motors that drive the model."""
        return self.controlled_model.motors

    @cached_property
    def axes(self) -> Float[np.ndarray, "3 3"]:
        """The ground's axes by rows: normal, tangents."""
        return np.asarray(self.ground.touch(np.zeros(3))[1])

    @cached_property
    def _arms(self) -> Float[np.ndarray, "N n motors"]:
        """The lever arms of motors on independent coordinates at positions that are tried."""
        return np.array([G.T @ self.motors.arms(q)[0] for q, G in self.coordinates.samples])

    @cached_property
    def base(self) -> tuple[int, ...]:
        """The coordinates without efforts, such as a floating base's."""
        driven = np.abs(self._arms).max(axis=(0, 2), initial=0.0) > UNMOVED
        return tuple(i for i in range(len(driven)) if not driven[i])

    @cached_property
    def driven(self) -> tuple[int, ...]:
        """The coordinates with efforts."""
        return tuple(i for i in range(len(self.coordinates.places)) if i not in self.base)

    @cached_property
    def has_own_motors(self) -> bool:
        """Whether each driven coordinate is the only one of a motor."""
        own = np.eye(len(self.driven))
        return self.motors.drive_joints and all(np.array_equal(B[list(self.driven)], own) for B in self._arms)

    @cached_property
    def moved_coordinates(self) -> list[int]:
        """A coordinate that each motor moves, of as many motors as driven coordinates."""
        columns = {j: self.driven[i] for i, j in self.pivots}
        return [columns[j] for j in range(len(columns))]

    @cached_property
    def pivots(self) -> list[tuple[int, int]]:
        """Rows and columns in which the arms of motors on driven coordinates are solved; none where they cannot."""
        return find_pivots(self._arms[:, list(self.driven)])

    @cached_property
    def chooses_efforts(self) -> bool:
        """Whether u are efforts of motors.

        Raises:
            InputError: that is so of a robot with contacts.
        """
        floating = [i for i in self.base if i >= BASE or not self.floats]
        square = len(self.pivots) == len(self.driven) == len(self.motors.names)
        if square and (self.contacts or not floating):
            return False
        if self.contacts:
            raise InputError(
                f"a controller of {self.model.name!r} with contacts",
                why=f"its {len(self.motors.names)} motors move {len(self.driven)} independent coordinates",
                fix="list as many motors among actuated",
            )
        return True

    @property
    def unknowns(self) -> int:
        """How many u there are."""
        return len(self.motors.names) if self.chooses_efforts else len(self.driven)

    @property
    def combined(self) -> int:
        """How many numbers E u accelerations and efforts are of beside u: accelerations without efforts."""
        return 0 if self.chooses_efforts else len(self.base)

    @property
    def floats(self) -> bool:
        """Whether the base is free: its coordinates come first."""
        return self.controlled_model.floats

    @cached_property
    def legs(self) -> list[Leg]:
        """The legs of all contacts.

        Raises:
            InputError: a contact has fewer coordinates of its own than components.
        """
        samples = [self._sample_jacobians(contact) for contact in self.contacts]
        paths = [self._path(own) for own in samples]
        found = list[Leg]()
        for c, contact in enumerate(self.contacts):
            shared = {i for k, path in enumerate(paths) if k != c for i in path}
            alone = [i for i in paths[c] if i not in shared and i in self.driven]
            own, volume = choose_own(samples[c], alone, contact.size)
            if len(alone) < contact.size or volume < 1e-12:
                raise InputError(
                    f"the contact of {contact.frame!r} has {len(alone)} joint coordinates of its own",
                    why=f"it needs {contact.size} that move it in as many ways and carry no other contact",
                    fix="several points of one foot are one sole"
                    if len(alone) < len(paths[c])
                    else "a leg of five joints holds a sole of width 0, of three a point, of two a planar point"
                    if 2 <= len(alone) < contact.size
                    else "",
                )
            found.append(make_leg(contact, samples[c], own, alone, paths[c]))
        return found

    def _path(self, samples: Sequence[Float[np.ndarray, "k n"]]) -> list[int]:
        """Return the coordinates that move a contact, but for a floating base's."""
        moves = np.max([np.abs(J).max(axis=0) for J in samples], axis=0) > UNMOVED
        return [i for i in range(len(moves)) if moves[i] and (i >= BASE or not self.floats)]

    def _level(self, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " nq"]:
        """Return a position whose base, if it floats, stands as it is drawn."""
        base = self.model.neutral()[: BASE + 1] if self.floats else []
        return np.concatenate([base, q[len(base) :]])

    def _sample_jacobians(self, contact: HeldContact) -> list[Float[np.ndarray, "k n"]]:
        """Return Jacobians of a contact along independent coordinates, at the positions that are tried."""
        model, samples = self.model, [(self._level(q), G) for q, G in self.coordinates.samples]
        question = self.controlled_model.question, contact.structure, self.ground
        given = self.controlled_model.arguments[:1]

        def expression(q: Any) -> list[Number]:
            return list(np.ravel(contact.hold(model, self.axes, q).J))

        code = compile_expression("contact_jacobian", question, given, expression, branches=True).program
        entries = np.broadcast_arrays(*code.evaluate(list(np.array([q for q, _ in samples]).T)), np.zeros(len(samples)))
        J = np.array(entries[:-1]).reshape(contact.size, model.nv, len(samples))
        return [J[:, :, k] @ G for k, (_, G) in enumerate(samples)]

    @cached_property
    def place(self) -> dict[int, int]:
        """Which of u stands for the acceleration of each driven coordinate, where no foot is on the ground."""
        legged = [i for leg in self.legs for i in leg.own]
        return {i: k for k, i in enumerate([*legged, *(i for i in self.driven if i not in legged)])}

    def solve(self, q: Any, qd: Any, on: Sequence[Number], drag: float, pushes: Sequence[Any] = ()) -> Motion:
        """Return the motion; `on` is 1 of contacts that are on, and `drag` (1/s) slows feet that glide.

        `pushes` (nv,) are efforts along all velocities that others cause.
        """
        motion = self.coordinates.solve(q, qd)
        for own in motion.restrict(pushes):
            motion = replace(motion, h=np.asarray(motion.h) - own)
        if self.chooses_efforts:
            return self._push(motion, q)
        state = self.hold(motion, q, qd, on)
        bias: list[Affine] = [({}, x) for x in motion.h]
        found = self.solve_rows(state, bias, self.drifts(state, qd, drag), first=self.unknowns)
        constants = {self.unknowns + b: x for b, (_, x) in enumerate(found.base)}
        own, efforts = ([shift_affine(x, constants) for x in part] for part in (found.accelerations, found.efforts))
        alone = {i: self.place[i] for leg in self.legs if not leg.is_redundant for i in leg.own}
        return replace(
            found,
            accelerations=motion.expand(own),
            efforts=self.drive(motion, q, efforts),
            alone=alone if motion.G is None else {},
            holds=[x for one in state.held for x in zip(to_sparse_rows(one.J), one.slow_down(qd, drag), strict=True)],
        )

    def hold(self, motion: IndependentMotion, q: Any, qd: Any, on: Sequence[Number]) -> StandingState:
        """Return what contacts hold at a state, and how legs are turned."""
        held = [leg.contact.hold(self.model, self.axes, q, qd) for leg in self.legs]
        turns, jacobians = list[Turn](), list[Any]()
        for leg, one, flag in zip(self.legs, held, on, strict=True):
            J = motion.restrict(one.J)
            if leg.is_redundant:
                turn, J = turn_leg(J, leg.alone, leg.ways)
                turns.append(turn.switch(flag))
            jacobians.append(J)
        return StandingState(motion, held, on, turns, jacobians)

    def drifts(self, state: StandingState, qd: Any, drag: float) -> list[list[Affine]]:
        """Return the accelerations of contacts without those of independent coordinates."""
        found, motion = list[list[Affine]](), state.motion
        for held in state.held:
            drift = held.slow_down(qd, drag)
            if motion.G is not None:
                drift = drift + np.array([dot(row, motion.drift) for row in held.J])
            found.append([({}, x) for x in drift])
        return found

    def solve_rows(
        self,
        state: StandingState,
        bias: Sequence[Affine],
        drifts: Sequence[Sequence[Affine]],
        inputs: Sequence[Affine] | None = None,
        first: int | None = None,
    ) -> Motion:
        """Return the motion of M qdd + bias = tau + J'f, and J qdd + drift = 0 of contacts that are on.

        All are of independent coordinates. Biases and drifts may be affine in unknowns behind u, such as changes of a
        state. `inputs` are the values of u, by default u itself. With a `first` unknown, accelerations of the base are
        unknowns from there on: all others, and efforts, are affine in them.
        """
        M, n, on, bias = state.motion.M, len(self.coordinates.places), state.on, list(bias)
        for turn in state.turns:
            M, bias = turn.turn_columns(turn.turn_columns(M).T), turn.turn(bias)
        u = inputs or [({k: 1.0}, 0.0) for k in range(self.unknowns)]
        rows = zip(self.legs, state.jacobians, drifts, on, strict=True)
        feet = [self._foot(leg, J, drift, flag) for leg, J, drift, flag in rows]
        accelerations: list[Affine] = [({}, 0.0)] * n
        for i in self.driven:
            accelerations[i] = u[self.place[i]]
        base = self._base(M, bias, feet, u)
        for b, (i, found) in enumerate(zip(self.base, base, strict=True)):
            accelerations[i] = found if first is None else ({first + b: 1.0}, 0.0)
        free = dict[int, Affine]()
        for foot in feet:
            for r, i in enumerate(foot.leg.own):
                free[i] = blend_affine(foot.flag, ({}, 0.0), u[self.place[i]])
                terms = [(-foot.K[r, k], accelerations[j]) for k, j in enumerate(foot.rest)]
                accelerations[i] = combine_affine([*terms, (-1.0, foot.k[r]), (1.0, free[i])], 0.0)
        forces = [[scale_affine(u[self.place[i]], foot.flag) for i in foot.leg.own] for foot in feet]
        efforts = list[Affine]()
        for i in self.driven:
            # Accelerations of legs are replaced by those that they follow: few numbers, whatever these depend on.
            factors, terms = {j: M[i, j] for j in range(n) if not is_zero(M[i, j])}, [(1.0, bias[i])]
            for foot, own in zip(feet, forces, strict=True):
                for r, j in enumerate(foot.leg.own):
                    if j in factors:
                        m = factors.pop(j)
                        terms += [(-m, foot.k[r]), (m, free[j])]
                        for k, rest in enumerate(foot.rest):
                            add_entry(factors, rest, -(m * foot.K[r, k]))
                if i in foot.leg.own or i in foot.leg.others:
                    terms += [(-foot.J[r, i], force) for r, force in enumerate(own)]
            efforts.append(combine_affine([*terms, *((x, accelerations[j]) for j, x in factors.items())], 0.0))
        every: list[Affine] = [({}, 0.0)] * n
        for i, effort in zip(self.driven, efforts, strict=True):
            every[i] = effort
        for turn in state.turns:
            accelerations, every = turn.turn_back(accelerations), turn.turn_back(every)
        return Motion(accelerations, [every[i] for i in self.driven], forces, [one.axes for one in state.held], base)

    def list_arms(self, motion: IndependentMotion, q: Any) -> tuple[Any, Any]:
        """Return B (n, motors) and rest (n,): efforts along independent coordinates are B u + rest."""
        B, rest = self.motors.arms(q)
        return motion.restrict(B.T).T, motion.restrict([rest])[0]

    def drive(self, motion: IndependentMotion, q: Any, efforts: list[Affine]) -> list[Affine]:
        """Return the efforts of motors that cause those along driven coordinates."""
        if self.has_own_motors:
            return efforts
        arms, own = self.list_arms(motion, q)
        return self.solve_motors(arms, [(row, c - own[i]) for i, (row, c) in zip(self.driven, efforts, strict=True)])

    def solve_motors(self, arms: Any, right: Sequence[Affine]) -> list[Affine]:
        """Return the u with B u = right in the rows of driven coordinates."""
        return solve_in_order([list(arms[i]) for i in self.driven], right, self.pivots)

    def _push(self, motion: IndependentMotion, q: Any) -> Motion:
        """Return the motion that efforts of motors cause, which are u."""
        B, own = self.list_arms(motion, q)
        arms = B.T
        factor = factor_tree([dict(row) for row in to_sparse_rows(np.tril(motion.M))])
        columns = [factor.solve(list(arm)) for arm in arms]
        still = factor.solve([a - b for a, b in zip(own, motion.h, strict=True)])
        found = [({k: x[i] for k, x in enumerate(columns) if not is_zero(x[i])}, c) for i, c in enumerate(still)]
        return Motion(motion.expand(found), [({k: 1.0}, 0.0) for k in range(len(columns))], [], [])

    def _foot(self, leg: Leg, J: Any, drift: Sequence[Affine], flag: Number) -> Foot:
        """Return how a foot that is held ties its leg's accelerations to others: a_leg = -K a_rest - k."""
        rest, size = (*range(BASE if self.floats else 0), *leg.others), leg.contact.size
        solve = make_leg_solver(J[:, leg.own], size, leg.volume)
        K = np.array([flag * solve(J[:, j]) for j in rest]).T.reshape(size, len(rest))
        added, rows = flag * solve(np.array([x for _, x in drift])), [dict[int, Number]() for _ in range(size)]
        for k in dict.fromkeys(k for row, _ in drift for k in row):
            for row, x in zip(rows, flag * solve(np.array([row.get(k, 0.0) for row, _ in drift])), strict=True):
                add_entry(row, k, x)
        return Foot(leg, flag, J, rest, K, list(zip(rows, added, strict=True)))

    def _base(self, M: Any, bias: Sequence[Affine], feet: Sequence[Foot], u: Sequence[Affine]) -> list[Affine]:
        """Solve the equations of the coordinates without efforts for their accelerations."""
        base, right = self.base, list[Affine]()
        W = [[M[i, j] for j in base] for i in base]
        legged = {i for foot in feet for i in foot.leg.own}
        for b, i in enumerate(base):
            terms = [(-1.0, bias[i]), *((-M[i, j], u[self.place[j]]) for j in self.driven if j not in legged)]
            for foot in feet:
                for r, j in enumerate(foot.leg.own):
                    terms += [(foot.flag * foot.J[r, i] - (1.0 - foot.flag) * M[i, j], u[self.place[j]])]
                    terms += [(M[i, j], foot.k[r])]
                    for k, rest in enumerate(foot.rest):
                        if rest in base:
                            W[b][base.index(rest)] = W[b][base.index(rest)] - M[i, j] * foot.K[r, k]
                        else:
                            terms += [(M[i, j] * foot.K[r, k], u[self.place[rest]])]
            right.append(combine_affine(terms, 0.0))
        return solve_square(W, [M[i, i] for i in base], right)
