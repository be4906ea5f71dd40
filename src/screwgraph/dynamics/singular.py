"""Why forward dynamics is singular: joints that move nothing that has inertia."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from screwgraph.dynamics.mass_matrix import mass_matrix
from screwgraph.errors import EliminationError
from screwgraph.robot import Robot, idle_joints, massless_links, regular_states


@contextmanager
def naming_idle_joints(robot: Robot, joints: Sequence[str]) -> Iterator[None]:
    """Let an EliminationError name those of the joints that can move without inertia, where there are some."""
    try:
        yield
    except EliminationError as error:
        raise _named_singularity(robot, joints) or error from error


def _named_singularity(robot: Robot, joints: Sequence[str]) -> EliminationError | None:
    """Find the joints that can move without inertia, as loops and couplings let them; None if there are none."""
    (q,) = regular_states(robot, 1)
    names = idle_joints(robot, q, mass_matrix(robot)(q), joints)
    if not names:
        return None
    massless = ", ".join(map(repr, massless_links(robot))) or "none"
    return EliminationError(
        f"the acceleration of joint {', '.join(map(repr, names))} is not determined",
        why=f"what it moves has no inertia along it; massless links: {massless}",
        fix="give these links inertia, give the joint an armature, or lock it",
    )
