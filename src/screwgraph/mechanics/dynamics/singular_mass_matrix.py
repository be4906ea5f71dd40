"""Why forward dynamics is singular: joints that move nothing that has inertia."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from screwgraph.base.errors import EliminationError
from screwgraph.mechanics.dynamics.mass_matrix import mass_matrix
from screwgraph.model.robot import Robot, idle_joints, massless_links, regular_states


@contextmanager
def name_idle_joints(robot: Robot, joints: Sequence[str]) -> Iterator[None]:
    """Let an EliminationError name those of the joints that can move without inertia, where there are some."""
    try:
        yield
    except EliminationError as error:
        raise _named_singularity(robot, joints) or error from error


def _named_singularity(robot: Robot, joints: Sequence[str]) -> EliminationError | None:
    """Find the joints that can move without inertia, as loops and couplings let them; None if there are none."""
    M, massless = mass_matrix(robot), ", ".join(map(repr, massless_links(robot))) or "none"
    states = [("", regular_states(robot, 1)[0])]
    if not robot.is_closed:
        states += [(" at the neutral position", robot.neutral())]
    for where, q in states:
        if names := idle_joints(robot, q, M(q), joints):
            return EliminationError(
                f"the acceleration of joint {', '.join(map(repr, names))} is not determined{where}",
                why=f"what it moves has no inertia along it; massless links: {massless}",
                fix="give these links inertia, give the joint an armature, or lock it",
            )
    return None
