"""States at the middle of a step with contacts, where its velocities belong: energies are those of these."""

from __future__ import annotations

import numpy as np

from screwgraph.compiler import Function, Result, compile_expression, make_numbered_argument, without_metadata
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation.contacts.laws.sweeps import largest
from screwgraph.motion.simulation.contacts.steps.shorter_steps import choose_length
from screwgraph.motion.simulation.contacts.terms.coupled_velocities import find_free_velocities
from screwgraph.spatial.manifolds.gliding import glide
from screwgraph.tape import Number


def compile_middle_state(robot: Robot) -> Function:
    """Return (q, qd, dt) -> (q, qd): the state half a step before the end (q, qd) of a step with contacts of dt (s).

    A step goes from q to q + dt v', so that its velocity v' is that of the middle, as in the leapfrog method. Energies
    of the middle are exact to the square of the step, those of positions at its end with v' to its first power. Where a
    coordinate is fast, steps of robots with loops end half of a shorter step after their middle.
    """
    manifold, coupled = robot.manifold, find_free_velocities(robot)

    def expression(q: np.ndarray, qd: np.ndarray, dt: np.ndarray) -> list[Number]:
        length = choose_length(largest(coupled.select(list(qd))), dt[0], dt[0]) if coupled.loops else dt[0]
        back = -0.5 * length
        middle, velocity = glide(manifold, q, np.array([back * v for v in qd], dtype=object))
        return [*middle, *(v / back for v in velocity)]

    sizes = {"q": manifold.shape[0], "qd": manifold.dim, "dt": 1}
    arguments = tuple(make_numbered_argument(name, size) for name, size in sizes.items())
    results = (Result("q", manifold.shape), Result("qd", (manifold.dim,)))
    return compile_expression("middle_state", without_metadata(robot), arguments, expression, results=results)
