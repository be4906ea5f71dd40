"""Random positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics.manifold_functions import validate_shape
from screwgraph.mechanics.kinematics.random_closed_positions import draw_closed_position
from screwgraph.model.robot import Joint, Robot


@check_arguments
def random(
    robot: Robot, shape: int | Sequence[int] = (), *, seed: int | np.random.Generator | None = None
) -> Float[np.ndarray, "... nq"]:
    """Return random positions within limits of joints, (..., nq) with `shape` in front.

    Coordinates with two limits are uniform between them, angles without limits within +-pi, rotations uniform,
    positions of floating bases within +-1 m, other lengths standard normal. Of closed chains, loops are closed from
    such positions, joints outside of their limits put back; where this fails, from positions nearer to the neutral one.
    `seed` is a number, a Generator, or None for another result each time.

    Raises:
        InputError: what is given is no robot, the shape is none, limits exclude each other, or no closed position
            within limits was found.
    """
    if isinstance(seed, int | np.integer) and seed < 0:
        raise InputError(f"seed = {seed!r} is negative", fix="give a whole number from 0 on")
    rng, sizes = np.random.default_rng(seed), validate_shape(shape)
    count = int(np.prod(sizes))
    found = np.empty((count, robot.nq))
    for i in range(count):
        found[i] = draw_closed_position(robot, rng, _free) if robot.is_closed else _free(robot, rng)
    return found.reshape(*sizes, robot.nq)


def _free(robot: Robot, rng: np.random.Generator) -> Float[np.ndarray, " nq"]:
    return np.concatenate([np.zeros(0), *(_of_joint(joint, rng) for joint in robot.joints)])


def _of_joint(joint: Joint, rng: np.random.Generator) -> Float[np.ndarray, " nq"]:
    drawn = joint.type.manifold.random(rng)
    if joint.type.nq != 1:
        return drawn
    low, high = joint.limits.lower, joint.limits.upper
    if low is not None and high is not None:
        if low > high:
            raise InputError(f"joint {joint.name!r}: its lower limit {low:g} is above the upper one {high:g}")
        return rng.uniform(low, high, 1)
    if low is not None:
        return np.array([low + abs(drawn[0])])
    return np.array([high - abs(drawn[0])]) if high is not None else drawn
