"""Finders of the points of slots at a state: for boxes as compiled code, for other convex bodies by coal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, Result, compile_expression, make_numbered_argument
from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.model.robot import Robot
from screwgraph.model.robot.shapes import Box
from screwgraph.motion.simulation.contacts.geometry.box_pairs import BoxPose, touch_boxes
from screwgraph.motion.simulation.contacts.geometry.contact_slot import ContactSlot
from screwgraph.motion.simulation.contacts.geometry.convex_body import ConvexBody, find_convex_body
from screwgraph.motion.simulation.contacts.geometry.ground import PLANE, Ground
from screwgraph.motion.simulation.contacts.geometry.hull_contacts import (
    choose_places,
    place_body,
    see_along,
    touch_hulls,
)
from screwgraph.motion.simulation.contacts.geometry.moving_point import move_point
from screwgraph.motion.simulation.contacts.geometry.touching_points import APART, SlotInputs
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.spatial import Array, dot
from screwgraph.spatial.so3 import from_rpy


class SlotFinder(Protocol):
    """A finder of the points of a pair of shapes; a new one is a class with this method."""

    def find(self, q: Float[np.ndarray, "*B nq"], ground: Ground) -> SlotInputs:
        """Return what a step that begins at q takes of its slots."""
        ...


@runtime_checkable
class TracedFinder(Protocol):
    """A finder that is code: of any kind of numbers."""

    def trace(self, q: Float[Array, " nq"]) -> SlotInputs:
        """Return what a step that begins at q takes of its slots."""
        ...


@dataclass(frozen=True, eq=False)
class BoxPairFinder:
    """Points of two boxes, by code that stands for any number of states."""

    __repr__ = one_line

    robot: Robot
    slots: tuple[ContactSlot, ...]

    def find(self, q: Float[np.ndarray, "*B nq"], ground: Ground) -> SlotInputs:
        """Return what a step that begins at q takes of its slots."""
        return SlotInputs(*self.code.ufunc(q))

    @cached_property
    def code(self) -> Function:
        """Points in the own frame (n, 3), in the axes of the base (n, 3), planes (n, 4), of q."""
        robot, slot, n = self.robot, self.slots[0], len(self.slots)

        def expression(q: np.ndarray) -> list[object]:
            return [x for array in self.trace(q) for x in array.ravel()]

        results = (Result("at", (n, 3)), Result("p", (n, 3)), Result("planes", (n, PLANE)))
        places = (slot.frame, slot.shape, slot.at, slot.rpy, slot.against)
        arguments = (make_numbered_argument("q", robot.nq),)
        question = (dynamics_of(robot).question, places, n)
        return compile_expression("box_pair", question, arguments, expression, results=results, branches=True)

    def trace(self, q: Float[Array, " nq"]) -> SlotInputs:
        """Return what a step that begins at q takes of its slots, q any kind of numbers."""
        robot, slot = self.robot, self.slots[0]
        frame = move_point(robot, robot.frame(slot.frame), (0.0, 0.0, 0.0), q)
        axes = frame.R @ robot.frame(slot.frame).T_lf[:3, :3]
        own, other = _pose_box(robot, slot, q), _pose_box(robot, slot.other, q)
        points = touch_boxes(other, own, len(self.slots))
        at, p = [axes.T @ (point.p - frame.p) for point in points], [np.asarray(point.p) for point in points]
        planes = [np.array([*x.normal, dot(x.normal, x.p) - x.gap]) for x in points]
        return SlotInputs(np.stack(at), np.stack(p), np.stack(planes))


def _pose_box(robot: Robot, placed: Any, q: Float[Array, " nq"]) -> BoxPose:
    """Return the box of a slot, or of what it touches."""
    frame = robot.frame(placed.frame)
    moved = move_point(robot, frame, placed.at, q)
    axes = moved.R @ frame.T_lf[:3, :3] @ np.asarray(from_rpy(np.asarray(placed.rpy)), dtype=float)
    return BoxPose(moved.p, axes, tuple(0.5 * x for x in placed.shape.size))


@dataclass(frozen=True, eq=False)
class HullPairFinder:
    """Points of two convex bodies, by coal, one state after the other."""

    __repr__ = one_line

    robot: Robot
    slots: tuple[ContactSlot, ...]

    def find(self, q: Float[np.ndarray, "*B nq"], ground: Ground) -> SlotInputs:
        """Return what a step that begins at q takes of its slots. Raises InputError without coal."""
        n = len(self.slots)
        poses = np.asarray(self.poses.ufunc(np.asarray(q, dtype=float)))
        p, planes = np.empty((*q.shape[:-1], n, 3)), np.empty((*q.shape[:-1], n, PLANE))
        for state in np.ndindex(q.shape[:-1]):
            own, other = (place_body(body, T @ S) for T, (body, S) in zip(poses[state], self.bodies, strict=True))
            found = touch_hulls(other, own, n) if _are_finite(poses[state]) else []
            gaps, first = np.full(n, APART), found[0] if found else (poses[state][0, :3, 3], (0.0, 0.0, 1.0), APART)
            p[state], planes[state][:, :3] = first[:2]
            for k, point in enumerate(found):
                p[state][k], planes[state][k, :3], gaps[k] = point
            planes[state][:, 3] = np.einsum("ij,ij->i", planes[state][:, :3], p[state]) - gaps
        return SlotInputs(_see_from(poses[..., 0, :, :], p), p, planes)

    @cached_property
    def bodies(self) -> tuple[tuple[ConvexBody, Float[np.ndarray, "4 4"]], ...]:
        """The own body and the other one, each with its pose in its frame."""
        return tuple((find_convex_body(x.shape), x.T) for x in (self.slots[0], self.slots[0].other))

    @cached_property
    def poses(self) -> Function:
        """The poses of the frames of both shapes."""
        return forward_kinematics(self.robot, [self.slots[0].frame, self.slots[0].other.frame])


@dataclass(frozen=True, eq=False)
class GroundHullFinder:
    """Corners of a convex body that are nearest to the ground."""

    __repr__ = one_line

    robot: Robot
    slots: tuple[ContactSlot, ...]

    def find(self, q: Float[np.ndarray, "*B nq"], ground: Ground) -> SlotInputs:
        """Return what a step that begins at q takes of its slots."""
        n, corners = len(self.slots), self.corners
        poses = np.asarray(self.pose.ufunc(np.asarray(q, dtype=float)))
        R, origin = poses[..., :3, :3], poses[..., :3, 3]
        p = np.einsum("...ij,kj->...ki", R, corners) + origin[..., None, :]
        planes = np.asarray(ground.tangent_planes(p, np.zeros(len(corners))))
        heights = (planes[..., :3] * p).sum(axis=-1) - planes[..., 3]
        chosen = np.empty((*q.shape[:-1], n), dtype=int)
        for state in np.ndindex(q.shape[:-1]):
            normal = planes[state][int(heights[state].argmin()), :3]
            chosen[state] = choose_places(see_along(p[state], normal), heights[state], n)
        return SlotInputs(corners[chosen], *(np.take_along_axis(x, chosen[..., None], axis=-2) for x in (p, planes)))

    @cached_property
    def corners(self) -> Float[np.ndarray, "k 3"]:
        """The corners of the body in its frame (m)."""
        T = self.slots[0].T
        return find_convex_body(self.slots[0].shape).points @ T[:3, :3].T + T[:3, 3]

    @cached_property
    def pose(self) -> Function:
        """The pose of the frame."""
        return forward_kinematics(self.robot, self.slots[0].frame)


def _are_finite(T: Float[np.ndarray, "2 4 4"]) -> bool:
    """Return whether a state has not diverged."""
    return bool(np.isfinite(T).all())


def _see_from(T: Float[np.ndarray, "*B 4 4"], p: Float[np.ndarray, "*B n 3"]) -> Float[np.ndarray, "*B n 3"]:
    """Return points (m) in the axes of a frame."""
    return np.einsum("...ji,...kj->...ki", T[..., :3, :3], p - T[..., None, :3, 3])


PAIRS: Mapping[tuple[type, type], Callable[[Robot, tuple[ContactSlot, ...]], SlotFinder]] = {(Box, Box): BoxPairFinder}
"""Pairs of shapes that compiled code finds the points of; coal finds those of all others."""


def needs_coal(own: Any, other: Any) -> bool:
    """Return whether coal finds the points of a pair of shapes."""
    return (type(own), type(other)) not in PAIRS


def make_finders(robot: Robot, contacts: Sequence[Any]) -> tuple[tuple[tuple[int, ...], SlotFinder], ...]:
    """Return the slots of each pair of shapes, by their places among contacts, and what finds their points."""
    groups = list[list[int]]()
    for k, contact in enumerate(contacts):
        if isinstance(contact, ContactSlot):
            groups += [[]] if contact.place == 0 else []
            groups[-1].append(k)
    found = list[tuple[tuple[int, ...], SlotFinder]]()
    for own in groups:
        slots = tuple(contacts[k] for k in own)
        if slots[0].against is None:
            make = GroundHullFinder
        else:
            make = PAIRS.get((type(slots[0].shape), type(slots[0].against.shape)), HullPairFinder)
        found.append((tuple(own), make(robot, slots)))
    return tuple(found)
