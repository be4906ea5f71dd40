"""References of a robot that walks: which feet stand, where they land, and what joints do meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.argument_checks import check_arguments, check_fields, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics import integrate
from screwgraph.model.robot import Robot, make_unknown_name_error
from screwgraph.motion.control.models.base import BASE
from screwgraph.motion.control.predictive.foot_places import FootPlaces
from screwgraph.motion.control.predictive.horizon_arguments import find_argument, stack_references, stack_schedule
from screwgraph.motion.control.predictive.state_coordinates import RobotStates, check_near
from screwgraph.motion.simulation.contacts import Contact
from screwgraph.spatial import quaternions

NEWTON = 2
"""Steps of inverse kinematics of feet, from the last instant's joints."""
REACH = 0.5
"""How far from under its hip a foot may land, of the height of the base."""
UNIT = 1e-6
"""How far the length of the quaternion of a robot that stands may be from one."""
MOST_CORRECTION = 0.2
"""Part of the height of a base, or angle (rad), by which references are corrected at most."""
BEHIND = 0.25
"""Part of the way by which a base is behind that references are ahead of it."""
SOON = 0.05
"""Part of a first interval after which who stands is who stands now: clocks are rounded."""
UNMOVED = 1e-9
"""Entry of a foot's Jacobian that is none (m)."""
DAMPED = 1e-6
"""Damping of inverse kinematics where a knee is straight (m^2)."""


@dataclass(frozen=True)
class Gait:
    """A periodic schedule of feet: each stands for a part of the period, then swings.

    Args:
        period: time (s) of a step of each foot.
        duty: part of it in which a foot stands.
        offsets: of each foot, by which part of the period its landing is ahead.
        lift: height (m) of a foot in the middle of its swing.
    """

    period: float = 0.5
    duty: float = 0.6
    offsets: tuple[float, ...] = (0.0, 0.5, 0.5, 0.0)
    lift: float = 0.05

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0.0 < self.period < np.inf:
            raise InputError(f"the period of a gait is {self.period!r}", why="it must be finite and positive (s)")
        if not 0.0 < self.duty < 1.0:
            raise InputError(f"the duty of a gait is {self.duty!r}", why="feet stand and swing: between 0 and 1")
        if not 0.0 <= self.lift < np.inf:
            raise InputError(f"the lift of a gait is {self.lift!r}", why="it must be finite, from 0 on (m)")
        if not np.isfinite(self.offsets).all():
            raise InputError("the offsets of a gait", why="there are numbers that are not finite")

    def phase(self, times: Any) -> Float[np.ndarray, "*T feet"]:
        """Return the part of the period since each foot landed. Raises InputError: a time is no finite number."""
        numbers = validate_numbers("times of a gait", times)
        if not np.isfinite(numbers).all():
            raise InputError("the times of a gait", why="there are numbers that are not finite")
        return (numbers[..., None] / self.period + np.asarray(self.offsets)) % 1.0

    def stands(self, times: Any) -> Bool[np.ndarray, "*T feet"]:
        """Return which feet stand."""
        return self.phase(times) < self.duty


class WalkReferences(NamedTuple):
    """Arguments of a controller of `mpc` that walks, and the places (m) where its feet shall be."""

    __repr__ = one_line

    references: Float[np.ndarray, "N+1 nq+nv+m"]
    contacts: Float[np.ndarray, "N feet 2"]
    feet: Float[np.ndarray, "N+1 feet 3"]


@dataclass(frozen=True, eq=False)
class Walk:
    """A gait of a robot with a floating base, about a posture in which it stands on the plane z = 0.

    Feet that swing land where Raibert (1986) puts them, p + v T/2 + k (v - v*): under the hip at that time, ahead by
    half the way of a stance of T (s), and by the capture point's distance, k = sqrt(height / g), for the velocity v
    that is not the wanted one v*. They rise and land without velocity.

    Args:
        robot: a floating base with legs.
        contacts: points or balls of feet, as `mpc` has them.
        gait: who stands when.
        stand: position of the robot that stands: (nq,), of closed chains and rotors of the independent joints, as
            states of `mpc` are.
        capture: how much of the capture point's distance is taken.
        settling: time (s) in which `correct_base` takes up what the base is too low.
        near: position (nq,) of all joints near which loops are closed, as `mpc` has it.
    """

    __repr__ = one_line

    robot: Robot
    contacts: Sequence[Contact]
    gait: Gait
    stand: Float[np.ndarray, " nq"]
    capture: float = 0.5
    settling: float = 0.5
    near: Any = None

    def __post_init__(self) -> None:
        check_fields(self)
        count = len(self.gait.offsets)
        if len(self.contacts) != count:
            raise InputError(f"{len(self.contacts)} contacts", why=f"the gait has offsets of {count} feet")
        first = self.robot.joints[0] if self.robot.joints else None
        if first is None or self.robot.v_slices[first.name] != slice(0, BASE):
            raise InputError(f"{self.robot.name!r} has no floating base", fix='sg.load(file, base="floating")')
        nq = self.joints.nq
        if np.shape(self.stand) != (nq,) or not np.isfinite(self.stand).all():
            raise InputError(f"stand of the shape {np.shape(self.stand)}", fix=f"give ({nq},) finite numbers")
        if not self.stand[2] > 0.0 or abs(np.linalg.norm(self.stand[3 : BASE + 1]) - 1.0) > UNIT:
            raise InputError(
                f"stand begins with {np.round(np.asarray(self.stand[: BASE + 1]), 6).tolist()}",
                why="the base must be above z = 0, and its quaternion (x, y, z, w) unit",
            )
        if not 0.0 <= self.capture < np.inf:
            raise InputError(f"capture is {self.capture!r}", why="it must be finite, from 0 on")
        if not 0.0 < self.settling < np.inf:
            raise InputError(f"settling is {self.settling!r}", why="it must be finite and positive (s)")
        names = [contact.frame for contact in self.contacts]
        if len(set(names)) < count:
            raise InputError(f"contacts of {', '.join(names)}", why="two are of one frame")
        for contact in self.contacts:
            if contact.frame not in self.robot.frame_names:
                raise make_unknown_name_error("frame", contact.frame, self.robot.frame_names)

    @cached_property
    def states(self) -> RobotStates:
        """The coordinates that are states. Raises InputError: `near` has no sense."""
        return RobotStates(self.robot, check_near(self.robot, self.near))

    @property
    def joints(self) -> Robot:
        """The joints that are states."""
        return self.states.joints

    @cached_property
    def feet(self) -> FootPlaces:
        """Places of all feet."""
        return FootPlaces(self.states, self.contacts)

    @cached_property
    def legs(self) -> tuple[Any, ...]:
        """The coordinates of joints that move each foot."""
        slopes = np.abs(self.feet.find_slopes(self.stand)[..., BASE:]).max(axis=1)
        return tuple(np.flatnonzero(row > UNMOVED) + BASE for row in slopes)

    @cached_property
    def hips(self) -> Float[np.ndarray, "feet 2"]:
        """Feet of the robot that stands, from its base."""
        return self.feet.find_places(self.stand)[:, :2] - self.stand[:2]

    @check_arguments
    def correct_base(self, correction: Any, q: Any, qd: Any, velocity: Any, dt: float) -> Float[np.ndarray, "4"]:
        """Return integrals of what a base misses, of those of the last call: way (x, y), height (m), heading (rad).

        `references` takes them: the wanted base is then ahead by a quarter of the way and of the angle by which it is
        behind those of `velocity`, and higher by a part dt / settling more of what it is too low. So a robot that is
        heavier than its model, or whose commands come late, walks at its height and speed nevertheless. They are within
        a fifth of the height, and of a radian.

        Args:
            correction: that of the last call (4,), first zeros.
            q: position (nq,) now.
            qd: velocity (nv,) now.
            velocity: wanted, as `references` takes it.
            dt: time (s) since the last call.

        Raises:
            InputError: an argument has another shape, or a number is not finite.
        """
        last, now, rate, wanted = (
            validate_numbers(name, x)
            for name, x in (("correction", correction), ("q", q), ("qd", qd), ("velocity", velocity))
        )
        shapes, sizes = (last.shape, now.shape, rate.shape, wanted.shape), (4, self.joints.nq, self.joints.nv, 3)
        is_finite = all(np.isfinite(x).all() for x in (last, now, rate, wanted))
        if shapes != tuple((n,) for n in sizes) or not is_finite or not 0.0 < dt < np.inf:
            raise InputError(
                f"correction, q, qd, velocity of the shapes {shapes}, dt {dt!r}",
                fix=f"give finite numbers, {', '.join(f'({n},)' for n in sizes)}, dt positive",
            )
        R, height = quaternions.to_rotation(now[3:7]), float(self.stand[2])
        way, turning = (R @ rate[3:BASE])[:2], (R @ rate[:3])[2]
        ahead = _turn(np.arctan2(R[1, 0], R[0, 0]), wanted[:2]) - way
        low = (height - now[2]) / self.settling
        most = MOST_CORRECTION * np.array([height, height, height, 1.0])
        return np.clip(last + dt * np.array([*(BEHIND * ahead), low, BEHIND * (wanted[2] - turning)]), -most, most)

    @check_arguments
    def references(
        self,
        control: Function,
        dt: float,
        t: float,
        q: Any,
        qd: Any,
        velocity: Any = (0.0, 0.0, 0.0),
        states: Any = None,
        first: float | None = None,
        correction: Any = (0.0, 0.0, 0.0, 0.0),
    ) -> WalkReferences:
        """Return what a controller shall follow from time t (s) and a state on.

        Args:
            control: what `mpc` returned.
            dt: time (s) between its instants.
            t: time (s) since the gait began.
            q: position (nq,) now.
            qd: velocity (nv,) now.
            velocity: wanted: forwards, to the left (m/s), turning (rad/s), in the base's heading.
            states: those expected (N + 1, nq + nv), whose bases carry the legs; by default bases are the wanted ones.
                Joints then go on as in the last call: a robot in place bears blows (an A1 of 0.64 m/s to its side, by
                which it falls by default), but velocities follow the wanted ones late (it goes 0.40 m/s where 0.3 is
                wanted).
            first: time (s) to the first instant, where the controller takes it; by default dt. Who stands at t
                then stands in the first interval, since calls come more often; else who stands in its middle.
            correction: of the wanted base, from `correct_base`.

        Raises:
            InputError: an argument has the wrong shape, or is not finite; the controller has no contacts.
        """
        nq, nv, N = self.joints.nq, self.joints.nv, find_argument(control, "contacts").shape[0]
        now, rate = validate_numbers("q", q), validate_numbers("qd", qd)
        wanted, ahead = validate_numbers("velocity", velocity), validate_numbers("correction", correction)
        if now.shape != (nq,) or rate.shape != (nv,) or wanted.shape != (3,) or ahead.shape != (4,):
            raise InputError(
                "q, qd, velocity and correction of the shapes "
                f"{now.shape}, {rate.shape}, {wanted.shape}, {ahead.shape}",
                fix=f"give ({nq},), ({nv},), (3,) and (4,)",
            )
        expected = None if states is None else validate_numbers("states", states)
        if expected is not None and (expected.shape != (N + 1, nq + nv) or not np.isfinite(expected).all()):
            raise InputError(
                f"states of the shape {expected.shape}", fix=f"give ({N + 1}, {nq + nv}) finite numbers, or None"
            )
        is_finite = all(np.isfinite(x).all() for x in (now, rate, wanted, ahead)) and np.isfinite(t)
        if not is_finite or not 0.0 < dt < np.inf:
            raise InputError("t, dt, q, qd, velocity and correction", why="they must be finite, and dt positive")
        start = dt if first is None else first
        if not 0.0 < start < np.inf:
            raise InputError(f"first is {first!r}", why="it must be finite and positive (s)")
        times = t + np.concatenate([[0.0], start + dt * np.arange(N)])
        path, heading = self._lead_base(now, wanted, times - t, ahead)
        feet = self._lead_feet(now, rate, times, path, heading, wanted)
        bases = path if expected is None else expected[:, : BASE + 1]
        joints = self._follow_feet(now, bases, feet)
        speeds = np.zeros((N + 1, nv))
        speeds[:, 2], speeds[:, 3:5] = wanted[2], wanted[:2]
        speeds[1:, BASE:] = np.diff(joints, axis=0) / np.diff(times)[:, None]
        middles = 0.5 * (times[:-1] + times[1:])
        if first is not None:  # the command is of now: the next call comes before the first interval has gone by
            middles[0] = t + SOON * first
        on = self.gait.stands(middles)
        path[:, 2] += ahead[2]
        references = stack_references(control, np.concatenate([path, joints], axis=1), speeds)
        return WalkReferences(references, stack_schedule(control, self.contacts, on), feet)

    def _lead_base(self, q: Any, velocity: Any, times: Any, ahead: Any) -> tuple[Any, Any]:
        """Return wanted poses of the base (N + 1, 7), which begin where it is, or ahead, and headings (N + 1,)."""
        forwards = quaternions.to_rotation(q[3:7])[:, 0]
        heading = np.arctan2(forwards[1], forwards[0]) + ahead[3] + velocity[2] * times
        way = np.stack([_turn(angle, velocity[:2]) for angle in heading])
        steps = np.diff(times, prepend=0.0)[:, None] * way
        found = np.zeros((len(times), BASE + 1))
        found[:, :2], found[:, 2] = q[:2] + ahead[:2] + np.cumsum(steps, axis=0), self.stand[2]
        found[:, 5], found[:, 6] = np.sin(0.5 * heading), np.cos(0.5 * heading)
        return found, heading

    def _lead_feet(self, q: Any, qd: Any, times: Any, path: Any, heading: Any, wanted: Any) -> Any:
        """Return places (N + 1, feet, 3) of feet: those that stand stay, others go on to where they land."""
        phases, places = self.gait.phase(times), self.feet.find_places(q)
        speeds = self.feet.find_slopes(q) @ qd
        drift = (quaternions.to_rotation(q[3:7]) @ qd[3:BASE])[:2]
        found = np.empty((len(times), len(self.contacts), 3))
        for f, contact in enumerate(self.contacts):

            def land(k: int, left: float, hip: Any = self.hips[f]) -> Any:
                """Return where a foot lands that begins to swing, or swings, at instant k, `left` (s) before."""
                at = times[k] + left
                end = int(np.argmin(np.abs(times - at)))
                way = _turn(heading[end], wanted[:2])
                now = drift if k == 0 else way
                base = q[:2] + left * drift if k == 0 else path[end, :2] + (at - times[end]) * way
                return base + _turn(heading[end], hip) + self._step_out(now, way)

            found[:, f] = self._lead_foot(places[f, :2], speeds[f, :2], phases[:, f], land)
            found[:, f, 2] += float(np.max(contact.radius))
        return found

    def _lead_foot(self, place: Any, speed: Any, phases: Any, land: Callable[[int, float], Any]) -> Any:
        """Return places (N + 1, 3) of one foot above those on which it stands."""
        gait, found, goal, whole, moving = self.gait, np.zeros((len(phases), 3)), None, 0.0, speed
        for k, phase in enumerate(phases):
            if phase < gait.duty:
                place, goal = (place if goal is None else goal), None
                found[k, :2] = place
                continue
            left = (1.0 - phase) * gait.period
            if goal is None:
                goal, whole, moving = land(k, left), left, speed if k == 0 else np.zeros(2)
            s = 1.0 - left / whole if whole > 0.0 else 1.0
            rest = s * s * (3.0 - 2.0 * s)
            found[k, :2] = place + (goal - place) * rest + moving * whole * s * (1.0 - s) ** 2
            found[k, 2] = gait.lift * np.sin(np.pi * (phase - gait.duty) / (1.0 - gait.duty)) ** 2
        return found

    def _step_out(self, now: Any, wanted: Any) -> Any:
        """Return how far from under its hip a foot lands, of the velocity of the base and the wanted one."""
        height, g = self.stand[2], float(np.linalg.norm(np.asarray(self.robot.gravity, dtype=float)))
        stance = self.gait.duty * self.gait.period
        way = 0.5 * stance * now + self.capture * np.sqrt(height / g) * (now - wanted)
        return np.clip(way, -REACH * height, REACH * height)

    def _follow_feet(self, q: Any, bases: Any, feet: Any) -> Any:
        """Return positions of joints (N + 1, joints) of which feet are where they shall be."""
        found = np.concatenate(
            [bases, np.broadcast_to(self.stand[BASE + 1 :], (len(bases), len(q) - BASE - 1))], axis=1
        )
        for _ in range(NEWTON):
            (places, slopes), step = self.feet.code(found), np.zeros((len(found), self.joints.nv))
            for f, own in enumerate(self.legs):
                J = slopes[:, f][..., own]
                normal = J @ J.swapaxes(1, 2) + DAMPED * np.eye(3)
                left = (feet[:, f] - places[:, f])[..., None]
                step[:, own] = (J.swapaxes(1, 2) @ np.linalg.solve(normal, left))[..., 0]
            found = integrate(self.joints)(found, step)
        return found[:, BASE + 1 :]


def _turn(angle: float, way: Any) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * way[0] - s * way[1], s * way[0] + c * way[1]])
