"""Positions of mechanisms from those of their independent coordinates."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import finite_displacement, velocity_problem


@pytest.mark.parametrize("name", ["four_bar_angle", "slider_crank"])
def test_it_is_the_branch_of_the_guess(name):
    model = sg.load_mechanism(name)
    (z,), f = model.freedom.independent, sg.closed_positions(model)
    path = finite_displacement(model, model.home, {model.coordinates[z]: model.home[z] + 0.6}, 6)
    np.testing.assert_allclose(f(path[1:, [z]], path[:-1]), path[1:], atol=1e-11)
    slope = f.jacobian("q")(path[3, [z]], path[2])[:, 0]
    velocity = velocity_problem(model, path[3], {model.coordinates[z]: 1.0})
    np.testing.assert_allclose(slope, velocity, atol=1e-8)


def test_what_does_not_close_is_no_number():
    model = sg.load_mechanism("slider_crank")
    stretched = sg.load_mechanism(
        "points: [{name: O, x: 0, y: 0, fixed: true}, {name: A, x: 1, y: 1}, {name: B, x: 2, y: 0}, "
        "{name: G, x: 9, y: 0, fixed: true}]\n"
        "bodies: [{points: [O, A], mass: 1, I0: 1, cog: [0.5, 0]}, {points: [A, B], mass: 1, I0: 1, cog: [0.5, 0]}]\n"
        "sliders: [{slider: s, point: B, along: [O, G]}]\nindependent: [x:B]"
    )
    with pytest.warns(RuntimeWarning, match="closed_positions: no number"):
        found = sg.closed_positions(stretched)([3.5], stretched.home)
    assert np.isnan(found[:2]).all()
    with pytest.raises(sg.InputError, match="of the lengths in its file"):
        sg.closed_positions(model, parameters=["l"])
