"""Steps of a horizon between calls: where changes of several solutions together vanish.

A call changes a trajectory z by a part of Gauss and Newton's step d(z), which is too long where second derivatives of
the dynamics count: steps are then cut, or turn back. Of the last steps, the combination of least squares is found,
and the next call begins there: Anderson (1965), "Iterative procedures for nonlinear integral equations", in the form
of Fang & Saad (2009), "Two classes of multisecant methods for nonlinear acceleration". It goes back where d grows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, quaternion_places
from screwgraph.motion.control.live_numbers import NO_SENSE
from screwgraph.motion.control.predictive.tick_outcome import SOLUTION

MEMORY = 8
"""Steps that are combined."""
SETTLED = 1e-5
"""Barrier up to which steps of a trajectory are those of its optimum."""
WORSE = 2.0
"""Times the smallest step from which a combination was none."""
RANK = 1e-10
"""Part of the largest change of steps that counts."""
INDEPENDENT = 1e-6
"""Part of the largest of differences of trajectories that says in which directions they are."""
AWAY = 0.1
"""Largest change of a trajectory that leaves a saddle, inputs by their largest."""


@dataclass(frozen=True)
class SolutionLayout:
    """Places in a solution: `stages` of `size` numbers behind `head`, of which the first are input and next state.

    `inputs` come first; `quaternions` begin at places behind them.
    """

    stages: int
    head: int
    inputs: int
    states: int
    quaternions: tuple[int, ...]

    @classmethod
    def of(cls, control: Function) -> SolutionLayout:
        """Return that of a controller of `mpc`."""
        shapes = {argument.name: argument.shape for argument in control.arguments}
        (instants, width), states = shapes["references"], sum(len(x.names) for x in control.arguments[:2])
        quaternions = tuple(at for _, at in quaternion_places(control.arguments[:1]))
        return cls(instants - 1, 2 + ("first" in shapes), width - states, states, quaternions)

    def read(self, solution: Float[np.ndarray, " k"]) -> Float[np.ndarray, "N nu+nx"]:
        """Return inputs and next states."""
        return solution[self.head :].reshape(self.stages, -1)[:, : self.inputs + self.states]

    def write(
        self, solution: Float[np.ndarray, " k"], trajectory: Float[np.ndarray, "N nu+nx"]
    ) -> Float[np.ndarray, " k"]:
        """Return a solution with another trajectory, whose quaternions are made unit."""
        found, values = solution.copy(), trajectory.copy()
        for at in self.quaternions:
            four = values[:, self.inputs + at : self.inputs + at + 4]
            four /= np.linalg.norm(four, axis=1, keepdims=True)
        self.read(found)[:] = values
        return found


@dataclass(frozen=True, eq=False)
class SecantSteps:
    """The last trajectories and whole steps from them; the size of the smallest, and the solution that it led to.

    `back` is the solution to go back to, where a combination was none.
    """

    __repr__ = one_line

    layout: SolutionLayout
    trajectories: tuple[Float[np.ndarray, "N nu+nx"], ...] = ()
    steps: tuple[Float[np.ndarray, "N nu+nx"], ...] = ()
    smallest: float = np.inf
    best: Float[np.ndarray, " k"] | None = None
    back: Float[np.ndarray, " k"] | None = None

    def add(
        self, last: Float[np.ndarray, " k"], found: Float[np.ndarray, " k"], solution: Float[np.ndarray, "6"]
    ) -> SecantSteps:
        """Return these and the step from a solution to the next one.

        Where it is larger than the smallest, or there is none, all are left but what that led to.
        """
        if solution[0] >= NO_SENSE:  # a combination was beyond all numbers
            return SecantSteps(self.layout, back=self.best)
        length, barrier = found[0] - 1.0, solution[SOLUTION.index("barrier")]
        if not (last[0] > 0.0 and length > 0.0 and barrier <= SETTLED):
            return replace(self, back=None)
        z = self.layout.read(last)
        step = (self.layout.read(found) - z) / length
        size = float(np.linalg.norm(step / self._units(z)))
        if not size <= WORSE * self.smallest:
            return SecantSteps(self.layout, back=self.best)
        trajectories, steps = (*self.trajectories, z)[-MEMORY:], (*self.steps, step)[-MEMORY:]
        own = replace(self, trajectories=trajectories, steps=steps, back=None)
        return replace(own, smallest=size, best=found) if size < self.smallest else own

    def begin(self, found: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        """Return the solution with which the next call begins, of the last one."""
        if len(self.steps) < 2:
            return found if self.back is None else self.back
        z, d = (np.array(x) for x in (self.trajectories, self.steps))
        units = self._units(z[-1])
        changes = (np.diff(d, axis=0) / units).reshape(len(d) - 1, -1).T
        shares = np.linalg.lstsq(changes, (d[-1] / units).ravel(), rcond=RANK)[0]
        return self.layout.write(found, z[-1] + d[-1] - np.tensordot(shares, np.diff(z + d, axis=0), 1))

    def find_descent(self) -> Float[np.ndarray, "N nu+nx"] | None:
        """Return a direction along which the cost falls from where steps vanish; none of a minimum.

        Steps d turn back along all directions from a minimum, and go on along such a one from a saddle.
        """
        if len(self.steps) < 3:
            return None
        z, d = (np.array(x) for x in (self.trajectories, self.steps))
        units = self._units(z[-1])
        ways, changes = ((np.diff(x, axis=0) / units).reshape(len(z) - 1, -1).T for x in (z, d))
        sizes = np.linalg.norm(ways, axis=0)
        Q, R = np.linalg.qr(ways / sizes)
        found = np.linalg.eig(Q.T @ (changes / sizes) @ np.linalg.pinv(R, rcond=INDEPENDENT))
        values, vectors = np.real(found.eigenvalues), np.real(found.eigenvectors)
        k = int(np.argmax(values))
        return (Q @ vectors[:, k]).reshape(z[-1].shape) * units if values[k] > 0.0 else None

    def leave(self, found: Float[np.ndarray, " k"], way: Float[np.ndarray, "N nu+nx"]) -> Float[np.ndarray, " k"]:
        """Return a solution a little way along a direction."""
        z = self.layout.read(found)
        return self.layout.write(found, z + AWAY / np.abs(way / self._units(z)).max() * way)

    def _units(self, z: Float[np.ndarray, "N nu+nx"]) -> Float[np.ndarray, " nu+nx"]:
        """Return what changes are compared with: inputs with the largest, if that is more than 1."""
        inputs = np.maximum(np.abs(z[:, : self.layout.inputs]).max(axis=0), 1.0)
        return np.concatenate([inputs, np.ones(self.layout.states)])
