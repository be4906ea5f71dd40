"""Steps that go too far, or that are not solved, are taken again, half as long, until they are short enough."""

import numpy as np
import pytest

from screwgraph.motion.simulation.contacts.steps.shorter_steps import (
    FAR,
    HALVED,
    KEPT,
    RESULTS,
    SPLIT,
    UNSOLVED,
    WHOLE,
    ShorterSteps,
    split_failed_step,
)
from screwgraph.motion.simulation.contacts.terms.coupled_velocities import keep_all_velocities
from screwgraph.spatial.manifolds import Vector

DT, SPEED = 1e-3, 2.0


def take_part(part, fails):
    """Return position, velocity, length and state after a part of a step that begins at 0, of one joint."""
    steps = ShorterSteps(Vector(1), keep_all_velocities(1))
    h, residual = part * DT, 2.0 * UNSOLVED if fails else 0.0
    at = {"q": [0.0], "qd": [SPEED], "dt": [h], "forces": [0.0] * 3, f"{WHOLE}dt": [DT]}
    found = {"q'": [h * SPEED], "qd'": [SPEED], "forces'": [1.0] * 3, "gaps'": [0.0], "solution": [residual, 1.0]}
    kept = {f"{KEPT}{name}": [0.0] * len(found[name]) for name in RESULTS}
    numbers = np.array(steps.follow({**at, **found, **kept, SPLIT: [1.0, 1.0, DT, residual]}), dtype=float)
    return numbers[0], numbers[2], numbers[-4:]


@pytest.mark.parametrize(("way", "residual", "fails"), [(0.01, 0.0, 0), (2.0 * FAR, 0.0, 1), (0.01, 2.0 * UNSOLVED, 1)])
def test_a_whole_step_that_fails_goes_on(way, residual, fails):
    assert split_failed_step(way, residual, [0.0, 0.0, DT, 0.0]) == [fails, fails, DT, residual]


def test_a_part_that_fails_is_taken_again_half_as_long():
    """From where its velocity belongs to the middle of a part half as long; no time goes by."""
    q, length, (goes, _, left, _) = take_part(0.5, True)
    assert (goes, left) == (1.0, DT)
    assert length == pytest.approx(0.25 * DT)
    assert q == pytest.approx(-0.125 * DT * SPEED)


def test_a_part_that_is_solved_is_followed_by_the_rest():
    q, length, (goes, _, left, _) = take_part(0.5, False)
    assert (goes, left, length) == (1.0, 0.5 * DT, 0.5 * DT)
    assert q == pytest.approx(0.5 * DT * SPEED)


def test_the_shortest_part_stays_as_it_is():
    _, _, (goes, _, left, _) = take_part(0.5**HALVED, True)
    assert (goes, left) == (1.0, (1.0 - 0.5**HALVED) * DT)
