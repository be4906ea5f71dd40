"""Torques and external wrenches of many motions, side by side: what steps take of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.external_wrenches import ExternalWrenches
from screwgraph.motion.simulation.wrench_efforts import WRENCHES

Controller = Callable[[float, np.ndarray, np.ndarray], Any]
"""Torques (m,) or (B, m) as a function of time (s), positions (B, nq) and velocities (B, nv)."""
Control = Float[np.ndarray, "#steps #B m"] | Controller


@dataclass(frozen=True, eq=False)
class PushedControl:
    """Torques and wrenches (B, m + n) of steps of dt (s), some of them functions of t, q (B, nq) and qd (B, nv)."""

    __repr__ = one_line

    control: Control
    wrenches: ExternalWrenches
    size: int
    dt: float

    def __call__(self, t: float, q: Float[np.ndarray, "B nq"], qd: Float[np.ndarray, "B nv"]) -> np.ndarray:
        """Return them in a step that begins at t. Raises InputError for what are no torques, or no wrenches."""
        step = round(t / self.dt)
        tau = _select_step(self.control, step)
        tau = ask_controller(tau, t, q, qd, self.size) if callable(tau) else np.broadcast_to(tau, (len(q), self.size))
        values = tuple(_select_step(value, step) for value in self.wrenches.values)
        return np.concatenate([tau, replace(self.wrenches, values=values).evaluate(t, q, qd)], axis=-1)

    def select(self, motions: slice) -> PushedControl:
        """Return those of some of the motions."""
        values = tuple(select_motions(value, motions) for value in self.wrenches.values)
        own = select_motions(self.control, motions)
        return replace(self, control=own, wrenches=replace(self.wrenches, values=values))


def add_wrenches_to(control: Control, wrenches: ExternalWrenches | None, size: int, steps: int, dt: float) -> Control:
    """Return torques and wrenches side by side, arrays where both are known. Raises InputError."""
    if wrenches is None:
        return control
    for name, value in zip(wrenches.names, wrenches.values, strict=True):
        if not callable(value) and value.ndim == 3 and value.shape[0] not in (1, steps):
            raise InputError(
                f"{WRENCHES}: that of {name!r} is for {value.shape[0]} steps, the motion has {steps}",
                fix="give one for each step, or one",
            )
    if callable(control) or wrenches.is_function:
        return PushedControl(control, wrenches, size, dt)
    acting = wrenches.stacked
    acting = acting.reshape((1,) * (3 - acting.ndim) + acting.shape)
    shape = (max(len(control), len(acting)), max(control.shape[1], acting.shape[1]))
    if any(n not in (1, shape[1]) for n in (control.shape[1], acting.shape[1])):
        raise InputError(
            f"tau is for {control.shape[1]} motions, {WRENCHES} are for {acting.shape[1]}",
            fix="give as many of both, or one",
        )
    return np.concatenate([np.broadcast_to(x, (*shape, x.shape[-1])) for x in (control, acting)], axis=-1)


def ask_controller(control: Controller, t: float, q: np.ndarray, qd: np.ndarray, size: int) -> np.ndarray:
    """Return what a controller says, which gets states that it cannot alter. Raises InputError."""
    seen = [x.view() for x in (q, qd)]
    for x in seen:
        x.setflags(write=False)
    answer = control(t, *seen)
    try:
        tau = convert_numbers(answer)
    except (TypeError, ValueError):
        tau = np.empty(0)
    if tau.shape not in ((size,), (len(q), size)):
        raise InputError(
            f"tau: the function returns {type(answer).__name__} of shape {np.shape(tau)} at t = {t:g} s",
            why="torques are numbers of all joints, or of a mechanism's motors, for all motions",
            fix=f"return an array ({size},) or ({len(q)}, {size})",
        )
    lost = ~np.isfinite(tau).all(axis=-1) & np.isfinite(qd).all(axis=1)
    if lost.any():
        where = f" of motion {int(np.argmax(lost))}" if tau.ndim == 2 else ""
        raise InputError(f"tau: what the function returns{where} at t = {t:g} s is not finite")
    return np.array(np.broadcast_to(tau, (len(q), size)))


def _select_step(value: Any, step: int) -> Any:
    """Return what acts in a step, of arrays of one axis or more: (m,), (B, m) or (N, B, m)."""
    return value if callable(value) or value.ndim < 3 else value[step if len(value) > 1 else 0]


def select_motions(value: Any, motions: slice) -> Any:
    """Return what acts on some of the motions: of functions, and of arrays of one axis or more."""
    if isinstance(value, PushedControl):
        return value.select(motions)
    if callable(value) or value.ndim < 2 or value.shape[-2] == 1:
        return value
    return value[..., motions, :]
