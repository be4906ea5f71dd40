"""Numbers of contacts that steps take beside the state: of their laws, and of the ground under each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, Result, compile_expression, make_numbered_argument
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.contact_slot import ContactSlot
from screwgraph.motion.simulation.contacts.geometry.ground import PLANE, Ground, Plane
from screwgraph.motion.simulation.contacts.geometry.ground_kernels import CompiledGround
from screwgraph.motion.simulation.contacts.geometry.moving_point import move_point
from screwgraph.motion.simulation.contacts.slot_finders import SlotFinder, make_finders
from screwgraph.motion.simulation.contacts.touching_kind import TOUCHING
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.spatial import Array

Places = tuple[int, ...]
Bound = tuple[Float[np.ndarray, "*B k 3"], Float[np.ndarray, "*B n"], Callable[[], None]]
"""Points, planes, and what writes the ones from the others."""


@dataclass(frozen=True, eq=False)
class ContactInputs:
    """Arguments of a step with k contacts: numbers of laws (4 k,), or (B, 4 k), tangent planes, points of slots.

    `finders` are the slots of each pair of shapes, by their places among contacts, and what finds their points.
    """

    __repr__ = one_line

    values: Float[np.ndarray, "*B n"]
    ground: Ground
    radii: Float[np.ndarray, " k"]
    paired: Bool[np.ndarray, " k"]
    places: Function
    fixed: Plane | None = None
    finders: tuple[tuple[Places, SlotFinder], ...] = ()

    @classmethod
    def of(cls, robot: Any, contacts: Sequence[Contact], ground: Ground) -> ContactInputs:
        """Make them for a robot. Raises InputError where numbers are for other counts of motions."""
        paired = np.array([contact.against is not None for contact in contacts])
        radii, finders = np.array([contact.radius for contact in contacts]), make_finders(robot, contacts)
        fixed = None if paired.any() or finders else ground.fixed
        made = cls(stack_values(contacts), ground, radii, paired, compile_places(robot, contacts), fixed, finders)
        if made.values.ndim == 2 and ground.motions not in (1, len(made.values)):
            raise InputError(
                f"contacts have numbers for {len(made.values)} motions, the ground for {ground.motions}",
                fix="give as many, or one",
            )
        return made

    @property
    def motions(self) -> int:
        """For how many motions they are."""
        return max(self.ground.motions, len(self.values) if self.values.ndim == 2 else 1)

    def spread(self, *states: Float[np.ndarray, "*B n"]) -> list[Float[np.ndarray, "B n"]]:
        """Return states, one for each motion. Raises InputError where there are others."""
        for x in states:
            if x.ndim == 2 and len(x) not in (1, self.motions):
                raise InputError(
                    f"contacts and ground have numbers for {self.motions} motions, states are {len(x)}",
                    fix="give as many, or one",
                )
        return [np.array(np.broadcast_to(x, (self.motions, x.shape[-1]))) for x in states]

    def astype(self, dtype: str) -> ContactInputs:
        """Return them for steps of another type."""
        return replace(self, values=self.values.astype(dtype), places=self.places.astype(dtype))

    def select(self, motions: slice) -> ContactInputs:
        """Return those of some of the motions."""
        values = self.values[motions] if self.values.ndim == 2 and len(self.values) > 1 else self.values
        return replace(self, values=values, ground=self.ground.select(motions))

    def find_arguments(self, q: Float[np.ndarray, "*B nq"]) -> tuple[Float[np.ndarray, "*B n"], ...]:
        """Return the arguments of a step that begins at q; they are valid until the next call."""
        if self.fixed:
            return (self.values,)
        batch = q.shape[:-1]
        if self._is_compiled and (self.ground.motions == 1 or batch == (self.ground.motions,)):
            if batch not in self._bound:
                self._bound.clear()
                self._bound[batch] = self._bind_arrays(batch)
            points, planes, write = self._bound[batch]
            self.places.ufunc(q, out=points)
            write()
            return self.values, planes.astype(self.places.dtype, copy=False)
        _, planes, points = self._touch(q)
        numbers = np.concatenate([x.reshape(*batch, -1) for x in (planes, *points)], axis=-1)
        return self.values, numbers.astype(self.places.dtype, copy=False)

    @cached_property
    def _is_compiled(self) -> bool:
        """Whether machine code writes planes from points; both are of double precision."""
        return isinstance(self.ground, CompiledGround) and not self.paired.any() and not self.finders

    @cached_property
    def _bound(self) -> dict[tuple[int, ...], Bound]:
        """Arrays for the number of states that was asked for last: NumPy takes a microsecond for each address."""
        return {}

    def _bind_arrays(self, batch: tuple[int, ...]) -> Bound:
        """Return points (*B, k, 3) and planes (*B, 4 k) of states, and what writes the ones from the others."""
        k, ground = len(self.radii), cast(CompiledGround, self.ground)
        points, planes, write = ground.writer(self.radii).bind_arrays(int(np.prod(batch)), k)
        # A view: contacts are apart by as much as four numbers of one.
        rows = planes.transpose(1, 2, 0).reshape(PLANE * k, -1).T
        return points.reshape(*batch, k, 3), rows.reshape(*batch, PLANE * k), write

    def planes(self, q: Float[np.ndarray, "*B nq"]) -> Float[np.ndarray, "*B k 4"]:
        """Return the tangent planes that contacts touch at q: unit normals, and heights along these (m)."""
        return self._touch(q)[1]

    def points(self, q: Float[np.ndarray, "*B nq"]) -> Float[np.ndarray, "*B k 3"]:
        """Return the points (m) at which contacts touch at q: of balls those that are nearest."""
        p, planes, _ = self._touch(q)
        return p - self.radii[:, None] * planes[..., :3]

    def gaps(self, q: Float[np.ndarray, "*B nq"]) -> Float[np.ndarray, "*B k"]:
        """Return how far contacts are above what they touch (m) at q."""
        p, planes, _ = self._touch(q)
        return (planes[..., :3] * p).sum(axis=-1) - planes[..., 3] - self.radii

    def _touch(self, q: Float[np.ndarray, "*B nq"]) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """Return points (*B, k, 3), the planes that they touch (*B, k, 4), and points of slots in their frames."""
        found = self.places.ufunc(q)
        p, others = found if self.paired.any() else (found, np.zeros((*found.shape[:-1], PLANE)))
        if not self.finders:
            planes = self.ground.tangent_planes(p, self.radii)
            return p, np.where(self.paired[:, None], others, planes) if self.paired.any() else planes, []
        q, p = np.asarray(q, dtype=float), np.array(p, dtype=float)
        planes = np.where(self.paired[:, None], others, self.ground.tangent_planes(p, self.radii)).astype(float)
        at = list[np.ndarray]()
        for places, finder in self.finders:
            own = finder.find(q, self.ground)
            p[..., places, :], planes[..., places, :] = own.p, own.planes
            at.append(own.at)
        return p, planes, at


def stack_values(contacts: Sequence[Contact]) -> Float[np.ndarray, "*B n"]:
    """Return the numbers of all contacts' laws, (4 k,), or (B, 4 k), one row a motion.

    Raises:
        InputError: contacts have numbers for other counts of motions.
    """
    values = [contact.values for contact in contacts]
    counts = sorted({len(x) for x in values if x.ndim == 2})
    if len(counts) > 1:
        raise InputError(f"contacts have numbers for {counts[0]} motions and for {counts[-1]}", fix="give as many")
    return np.concatenate([np.zeros((*counts, 0)), *(np.broadcast_to(x, (*counts, 4)) for x in values)], axis=-1)


def compile_places(robot: Any, contacts: Sequence[Contact]) -> Function:
    """Return the points, or centres of balls, of contacts (k, 3) (m) as a function of q.

    Where some touch other bodies, also the planes (k, 4) that these touch there, zero of the others.
    """
    is_paired = any(contact.against for contact in contacts)

    def expression(q: np.ndarray) -> list[object]:
        points = TOUCHING[robot.kind].locate(robot, contacts, q)
        planes = [touch_body(robot, c, p, q) for c, p in zip(contacts, points, strict=True) if is_paired]
        return [x for row in (*points, *planes) for x in row]

    question = (dynamics_of(robot).question, tuple((type(c), c.frame, c.at, c.against) for c in contacts))
    k = len(contacts)
    results = (Result("places", (k, 3)), *((Result("planes", (k, PLANE)),) if is_paired else ()))
    return compile_expression(
        "contact_places",
        question,
        (make_numbered_argument("q", robot.nq),),
        expression,
        results=results,
        branches=is_paired,
    )


def touch_body(robot: Robot, contact: Contact, p: Float[Array, "3"], q: Float[Array, " nq"]) -> list[object]:
    """Return the plane that the other body has at its point nearest to p."""
    if contact.against is None:
        return [0.0] * PLANE
    if isinstance(contact, ContactSlot):  # whose plane is found together with its point
        return [0.0] * PLANE
    frame, own = robot.frame(contact.against.frame), robot.frame(contact.frame)
    origin = move_point(robot, frame, (0.0, 0.0, 0.0), q).p
    R = np.stack([move_point(robot, frame, axis, q).p - origin for axis in np.eye(3).tolist()], axis=1)
    seen_from = move_point(robot, own, (0.0, 0.0, 0.0), q).p
    distance, direction = contact.against.distance(R.T @ (p - origin), R.T @ (seen_from - origin))
    normal = R @ np.array(direction)
    return [*normal, normal @ p - distance]
