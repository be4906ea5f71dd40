"""Many motions at once: the states of all, step by step."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, cast

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function
from screwgraph.model import Model
from screwgraph.motion.simulation.contacts import ContactInputs
from screwgraph.motion.simulation.divergence import make_divergence_error
from screwgraph.motion.simulation.driven_motion import DrivenMotion, make_driven_motion
from screwgraph.motion.simulation.external_wrenches import ExternalWrenches, WrenchSamples
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.motion.simulation.pushed_control import Control, Controller, ask_controller
from screwgraph.motion.simulation.pushed_motion import PushedMotion
from screwgraph.motion.simulation.simulation import simulate_dynamics
from screwgraph.motion.simulation.state_recorder import CHUNK, Watch, report_time
from screwgraph.motion.simulation.step_parameters import StepValues
from screwgraph.motion.simulation.system import Dynamics
from screwgraph.motion.simulation.trajectory import Trajectory
from screwgraph.motion.simulation.wrench_efforts import WRENCHES, WrenchEfforts

BLOCK = 512
"""Motions that go on together in double precision: their states stay in a core's cache."""
NEVER = -1


@dataclass(frozen=True, eq=False)
class Rollouts:
    """B motions of a model: K states (B, K, ...) at times t (s), torques (B, K - 1, m) in the steps that begin there.

    `diverged` (B,) is the number of the last state before a motion diverged, -1 where it did not; later ones are NaN.
    `given` are the values of the model's parameters, where some were inputs. With contacts, `forces` (N) are those on
    the model, in the base's axes, of the steps that end at the states; `residual` is the largest velocity (m/s) by
    which a law of contacts was not obeyed in a motion. `external_wrenches` are those that were given, by name.
    """

    model: Model
    method: str
    t: Float[np.ndarray, " K"]
    q: Float[np.ndarray, "B K nq"]
    qd: Float[np.ndarray, "B K nv"]
    tau: Float[np.ndarray, "B K-1 m"]
    diverged: Int[np.ndarray, " B"]
    given: StepValues | None = None
    forces: Float[np.ndarray, "B K k 3"] = field(default_factory=lambda: np.zeros((0, 0, 0, 3)))
    residual: Float[np.ndarray, " B"] = field(default_factory=lambda: np.zeros(0))
    external_wrenches: Mapping[str, Float[np.ndarray, "B K-1 k"]] = field(default_factory=dict)

    @classmethod
    def from_states(
        cls,
        model: Model,
        method: str,
        t: np.ndarray,
        found: StepStates,
        given: StepValues | None = None,
        pushed: WrenchEfforts | None = None,
    ) -> Rollouts:
        """Make them of what `rolled_out` returns; t are the times of the states, of which there may be fewer."""
        acting = dict[str, np.ndarray]()
        if pushed is not None:
            tau, *wrenches = np.split(found.tau, np.cumsum([pushed.count, *pushed.sizes])[:-1], axis=-1)
            acting = {name: np.swapaxes(x, 0, 1) for name, x in zip(pushed.names, wrenches, strict=True)}
            found = found._replace(tau=tau)
        q, qd, tau, forces = (np.swapaxes(x, 0, 1) for x in (found.q, found.qd, found.tau, found.forces))
        lost = find_first_diverged(found.qd)
        return cls(model, method, t[: q.shape[1]], q, qd, tau, lost, given, forces, found.residual, acting)

    def __repr__(self) -> str:
        lost = int((self.diverged != NEVER).sum())
        return (
            f"<{len(self.q)} motions of {self.model.name!r} by {self.method}: {len(self.t)} states each, t = 0 to "
            f"{self.t[-1]:g} s, {lost} diverged>"
        )

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, i: int) -> Trajectory:
        """Return one of the motions, with accelerations, energy and work; torques jump, so that work is not exact."""
        tau, driven = np.concatenate([self.tau[i], self.tau[i, -1:]]), make_driven_motion(self._dynamics(i), None)
        if driven is not None:
            tau = driven.complete_efforts(self.t, self.q[i], self.qd[i], tau)
        moved, dynamics = (self.t, self.q[i], self.qd[i]), self._dynamics(i)
        if not self.external_wrenches:
            return simulate_dynamics(dynamics, self.method, tau, *moved)
        samples = (np.concatenate([x[i], x[i, -1:]]) for x in self.external_wrenches.values())
        acting = tuple(WrenchSamples(self.t, x) for x in samples)
        efforts = dynamics.take_wrenches(tuple(self.external_wrenches))
        pushed = PushedMotion(dynamics, ExternalWrenches(efforts, acting))
        tau = pushed.add_along(*moved, tau)
        return pushed.separate(simulate_dynamics(pushed.whole, self.method, tau, *moved))

    def _dynamics(self, i: int) -> Dynamics:
        """Return the model of motion i, with its parameters."""
        return dynamics_of(self.model if self.given is None else self.given.model(self.model, i))


class StepStates(NamedTuple):
    """Positions, velocities, contacts' forces of all motions (K, B, ...), torques (K - 1, B, m), residuals (B,).

    Where external wrenches act, they stand beside torques, (K - 1, B, m + n).
    """

    q: Float[np.ndarray, "K B nq"]
    qd: Float[np.ndarray, "K B nv"]
    forces: Float[np.ndarray, "K B k 3"]
    tau: Float[np.ndarray, "K-1 B m"]
    residual: Float[np.ndarray, " B"]

    __repr__ = one_line


@dataclass(frozen=True, eq=False)
class _Kept:
    """Positions, velocities, forces of contacts: those after `every` so many steps, and two more, by turns, between."""

    every: int
    kept: Sequence[np.ndarray]
    between: Sequence[np.ndarray]

    @classmethod
    def empty(cls, start: Sequence[np.ndarray], steps: int, every: int) -> _Kept:
        """Return arrays for so many steps, which begin at q (B, nq), qd (B, nv) and forces (B, k, 3)."""
        kept = [np.empty((steps // every + 1, *x.shape), x.dtype) for x in start]
        for x, x0 in zip(kept, start, strict=True):
            x[0] = x0
        return cls(every, kept, [np.empty((2, *x.shape), x.dtype) for x in start])

    def states_after(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q (B, nq), qd (B, nv) and forces (B, k, 3) after k steps, to be read or written."""
        q, qd, forces = self.between if k % self.every else self.kept
        place = k % 2 if k % self.every else k // self.every
        return q[place], qd[place], forces[place]


def rolled_out(
    step: Function,
    start: tuple[np.ndarray, np.ndarray],
    control: Control,
    carried: Float[np.ndarray, "#B m"] | None = None,
    contacts: ContactInputs | None = None,
    *,
    times: Float[np.ndarray, " N+1"],
    driven: DrivenMotion | None = None,
    every: int = 1,
    threads: int = 1,
    watch: Watch | None = None,
) -> StepStates:
    """Take all steps of motions that begin at q (B, nq) and qd (B, nv), and keep the states after `every` so many.

    `carried` is the last argument of a step that has one: what its parameters determine, for all motions or each;
    `contacts` are the inputs of a step that has some.
    Numbers are of the type with which `step` computes. `watch` is called with the time (s) that all motions have
    reached, and ends them where it returns true. External wrenches stand beside torques, the last numbers of both.
    """
    count, total = len(start[0]), len(times) - 1
    watch = report_time(watch, f"simulating {count} motions", times)
    m, n = (sum(len(a.names) for a in step.arguments if a.name == name) for name in ("tau", WRENCHES))
    size = m + n
    fixed = None if carried is None else np.asarray(carried, step.dtype)
    forces = np.zeros((count, 0 if contacts is None else len(contacts.radii), 3))
    residual = np.zeros(count, step.dtype)
    states = _Kept.empty([x.astype(step.dtype) for x in (*start, forces)], total, every)
    dt = np.array([times[1] - times[0]], step.dtype)
    together = BLOCK * np.dtype(float).itemsize // np.dtype(step.dtype).itemsize
    blocks = [slice(i, i + together) for i in range(0, count, together)]
    touching = {block.start: contacts and contacts.select(block) for block in blocks}
    tau = None if callable(control) else np.broadcast_to(np.asarray(control, step.dtype), (total, count, size))
    said: list[np.ndarray] = []
    led = np.zeros((total, 0)) if driven is None else driven.numbers_of_steps(times[:-1], float(times[1] - times[0]))
    if driven is not None and tau is not None:
        driven.refuse_efforts(tau[..., :m])

    def advance(block: slice, first: int, efforts: np.ndarray) -> None:
        with np.errstate(all="ignore"):  # what is not finite is found and said
            for k, effort in enumerate(efforts, first):
                (q, qd, F), ahead = states.states_after(k), [x[block] for x in states.states_after(k + 1)]
                held = tuple(x for x in (effort[block, :m], effort[block, m:]) if x.shape[-1])
                own = touching[block.start]
                if own is None:
                    last = (*_select_block(fixed, block), *([led[k].astype(step.dtype)] if led.size else []))
                    step.ufunc(q[block], qd[block], *held, dt, *last, out=tuple(ahead[:2]))
                    continue
                last = (
                    *own.find_arguments(q[block]),
                    F[block],
                    *_select_block(fixed, block),
                    *([led[k].astype(step.dtype)] if led.size else []),
                )
                found = step.ufunc(q[block], qd[block], *held, dt, *last, out=(*ahead, None, None))
                residual[block] = np.maximum(residual[block], found[4][:, 0])

    done = 0
    with _mapping(threads) as each:
        while done < total and not watch(float(times[done])):
            if tau is None:
                efforts = ask_controller(
                    cast(Controller, control), float(times[done]), *states.states_after(done)[:2], size
                )
                efforts = efforts[None].astype(step.dtype)
                if driven is not None:
                    driven.refuse_efforts(efforts[..., :m])
                said += [] if done % every else list(efforts)
            else:
                efforts = tau[done : done + CHUNK]
            each(partial(advance, first=done, efforts=efforts), blocks)
            done += len(efforts)
    if done == total:
        watch(float(times[-1]))
    whole = done // every
    q, qd, forces = (x[: whole + 1] for x in states.kept)
    if tau is None:
        return StepStates(q, qd, forces, np.array(said[:whole], step.dtype).reshape(whole, count, size), residual)
    return StepStates(q, qd, forces, tau[: whole * every : every], residual)


def _select_block(fixed: np.ndarray | None, block: slice) -> tuple[np.ndarray, ...]:
    """Return what a block of motions takes of an array with a row for all, or one a motion."""
    return () if fixed is None else (fixed if len(fixed) == 1 else fixed[block],)


@contextmanager
def _mapping(threads: int) -> Iterator[Callable[[Callable[[slice], None], Iterable[slice]], None]]:
    """Yield what calls a function for each block, on so many threads: code of steps holds no lock of Python's."""

    def one_by_one(call: Callable[[slice], None], blocks: Iterable[slice]) -> None:
        for block in blocks:
            call(block)

    if threads == 1:
        yield one_by_one
        return
    with ThreadPoolExecutor(threads) as pool:

        def run_blocks(call: Callable[[slice], None], blocks: Iterable[slice]) -> None:
            for _ in pool.map(call, blocks):
                pass

        yield run_blocks


def join_parts(parts: Sequence[Future], watch: Watch | None, times: Float[np.ndarray, " K"]) -> StepStates:
    """Return the states of parts of the motions together; `watch` is called with the share of the time that is done."""
    watch = report_time(watch, f"simulating in {len(parts)} parts", times)
    for done, _ in enumerate(as_completed(parts), 1):
        watch(float(times[-1]) * done / len(parts))
    q, qd, forces, tau, residual = zip(*(part.result() for part in parts), strict=True)
    q, qd, forces, tau = (np.concatenate(x, axis=1) for x in (q, qd, forces, tau))
    return StepStates(q, qd, forces, tau, np.concatenate(residual))


def find_first_diverged(qd: Float[np.ndarray, "K B nv"]) -> Int[np.ndarray, " B"]:
    """Return the number of the last state before each motion diverged, -1 where it did not."""
    found = np.full(qd.shape[1], NEVER)
    for i in np.flatnonzero(~np.isfinite(qd[-1]).all(axis=1)):
        found[i] = int(np.argmin(np.isfinite(qd[:, i]).all(axis=1))) - 1
    return found


def warn_of_divergence(rollouts: Rollouts) -> None:
    """Warn (RuntimeWarning) where motions diverged: how many, and the first at which step, in which joint, and how."""
    lost = np.flatnonzero(rollouts.diverged != NEVER)
    if len(lost):
        i = int(lost[np.argmin(rollouts.diverged[lost])])
        k = int(rollouts.diverged[i])
        dt = float(rollouts.t[1] - rollouts.t[0])
        given = (rollouts.q[i, k], rollouts.qd[i, k], rollouts.tau[i, k])
        error = make_divergence_error(
            lambda _: rollouts._dynamics(i), rollouts.method, k, dt, given, rollouts.qd[i, k + 1]
        )
        warnings.warn(
            f"{len(lost)} of {len(rollouts)} motions are lost; motion {i}: {error}", RuntimeWarning, stacklevel=3
        )
