"""Which steps are expected to be searched for: those of contacts that slid in the step before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import Argument
from screwgraph.motion.simulation.contacts.steps.sliding_contacts import expect_search
from screwgraph.tape import Block
from tests.motion.simulation.contacts.bodies import free_body

FRICTION = 0.5
NORMAL = np.array([0.0, 0.6, 0.8])
ALONG = np.array([0.0, -0.8, 0.6])


@pytest.mark.parametrize("is_input", [False, True])
def test_forces_at_the_edge_of_their_cones_slide(is_input):
    plane = None if is_input else sg.Plane(tuple(NORMAL))
    sizes = {"contacts": 8, **({"ground": 8} if is_input else {}), "forces": 6}
    arguments = [Argument(name, (n,), tuple(f"{name}[{i}]" for i in range(n))) for name, n in sizes.items()]
    code = expect_search(arguments, plane)

    def count(*forces):
        given = [*[FRICTION, 0.0, 1e-6, 1e3] * 2, *([*NORMAL, 0.1] * 2 if is_input else []), *np.concatenate(forces)]
        return code.evaluate(given)[0]

    slides, sticks = 40.0 * (NORMAL + FRICTION * ALONG), 40.0 * (NORMAL + 0.9 * FRICTION * ALONG)
    sideways = 40.0 * (NORMAL - FRICTION * np.cross(NORMAL, ALONG))
    assert count(sticks, np.zeros(3)) == 0
    assert count(sticks, slides) == 1
    assert count(slides, sideways) == 2


def test_a_contact_without_friction_does_not_slide():
    arguments = [
        Argument(name, (n,), tuple(f"{name}[{i}]" for i in range(n))) for name, n in (("contacts", 4), ("forces", 3))
    ]
    code = expect_search(arguments, sg.Plane(tuple(NORMAL)))
    for pressed in np.linspace(1.0, 40.0, 100):  # |f|^2 less the square of the normal force is rounding, of any sign
        assert code.evaluate([0.0, 0.0, 1e-6, 1e3, *(pressed * NORMAL)])[0] == 0
    assert code.evaluate([1e-3, 0.0, 1e-6, 1e3, *(40.0 * (NORMAL + 1e-3 * ALONG))])[0] == 1


@pytest.mark.parametrize(("tangent", "is_searched"), [(0.4, False), (0.6, True)])
def test_a_body_that_slides_is_expected_to_be_searched_for(tangent, is_searched):
    """On a slope with friction 0.5, a body on one point of no radius sticks below tan 0.5, and slides above."""
    n = np.array([-tangent, 0.0, 1.0]) / np.hypot(tangent, 1.0)
    contact = [sg.Contact("body", friction=FRICTION)]
    simulator = sg.Simulator(free_body(1.0, 0.004), 1e-3, contacts=contact, ground=sg.Plane(tuple(n)))
    simulator.step(steps=20)
    given = (simulator.q, simulator.qd, np.zeros(6), [1e-3], contact[0].values, simulator.forces)
    found = simulator.function(*given)
    code: Any = simulator.function._evaluation.together
    assert bool(code.likely.evaluate(np.concatenate([np.ravel(x) for x in given]).tolist())[0]) == is_searched
    assert (found[4][1] > 1) == is_searched
    ran = set[str]()

    def compute(program, numbers):
        ran.update(block.name for block in code.every if isinstance(block, Block) and block.program is program)
        return program.evaluate(numbers)

    code._run([float(x) for vector in given for x in np.ravel(vector)], compute, [])
    assert ("stick" in ran) != is_searched  # its first solution would be in vain
    assert ("direct" in ran) == is_searched
