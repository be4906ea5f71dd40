"""States to solve at: positions, velocities, what else is given, and external wrenches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph import Robot
from screwgraph.ui.cli.closed_states import draw_closed_positions, project_velocities


@dataclass(frozen=True, eq=False)
class State:
    """One state, or a batch of them along the leading axes; all arrays have the same leading axes.

    External `wrenches` act on the links or frames `frames`; `origin` says where the numbers come from.
    """

    q: Float[np.ndarray, "*batch nq"]
    qd: Float[np.ndarray, "*batch nv"]
    given: Float[np.ndarray, "*batch m"]
    wrenches: Float[np.ndarray, "*batch k 6"]
    frames: tuple[str, ...]
    origin: str

    @property
    def batch(self) -> tuple[int, ...]:
        """The leading axes; empty for one state."""
        return self.q.shape[:-1]


def random_state(
    robot: Robot, frames: tuple[str, ...], count: int | None, seed: int, efforts: int | None = None
) -> State:
    """Draw states: q from each joint's own distribution, everything else standard normal (SI units).

    Of closed chains, positions at which the loops close, and what these allow of velocities.
    What else is given are numbers of the velocity coordinates, or so many `efforts`.
    `count` None gives one state without leading axis; the same seed gives the same states.

    Raises:
        InputError: no position closes the loops.
    """
    rng = np.random.default_rng(seed)
    shape = () if count is None else (count,)
    closed = robot.is_closed
    positions = (
        draw_closed_positions(robot, count or 1, seed) if closed else [robot.random(rng) for _ in range(count or 1)]
    )
    q = np.array(positions).reshape(*shape, robot.nq)
    qd, given = rng.standard_normal((2, *shape, robot.nv))
    if closed:
        qd = project_velocities(robot, q.reshape(-1, robot.nq), qd.reshape(-1, robot.nv)).reshape(qd.shape)
    if efforts is not None:
        given = rng.standard_normal((*shape, efforts))
    wrenches = rng.standard_normal((*shape, len(frames), 6))
    drawn = "a random state" if count in (None, 1) else f"{count} random states"
    return State(q, qd, given, wrenches, frames, f"{drawn}, seed {seed}")
