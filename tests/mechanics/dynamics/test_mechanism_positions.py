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
    with pytest.raises(sg.InputError, match="does not depend on 'mass:crank'"):
        sg.closed_positions(model, parameters=["l", "mass:crank"])


@pytest.mark.parametrize("name", ["slider_crank", pytest.param("rssr", marks=pytest.mark.suite)])
def test_lengths_move_the_other_coordinates_as_in_a_file_with_these(name):
    model, own = sg.load_mechanism(name), {"slider_crank": ("r", "l"), "rssr": ("L", "b")}[name]
    values = np.array([dict(model.source.values)[length] for length in own]) * [1.02, 0.97]
    other = sg.load_mechanism(name, dict(zip(own, values.tolist(), strict=True)))
    z = list(other.freedom.independent)
    assert z == list(model.freedom.independent)
    y, guess = other.home[z], model.home
    np.testing.assert_allclose(sg.closed_positions(model, parameters=own)(y, values, guess), other.home, atol=1e-10)
    options = {"positions": "independent", "coordinates": "independent"}
    live = sg.inverse_dynamics(model, parameters=[own[0], "mass:crank", own[1]], **options)
    mass = dict(model.source.values)["mass:crank"]
    lighter = sg.load_mechanism(name, {**dict(zip(own, values.tolist(), strict=True)), "mass:crank": 0.9 * mass})
    expected = sg.inverse_dynamics(lighter, coordinates="independent")(other.home, [0.7], [-0.4])
    found = live(y, [0.7], [-0.4], [values[0], 0.9 * mass, values[1]], guess)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("query", [sg.forward_dynamics, sg.bias_forces, sg.mass_matrix])
def test_functions_of_independent_positions_are_those_at_the_closed_ones(query):
    model = sg.load_mechanism("slider_crank")
    (z,), whole, own = model.freedom.independent, query(model), query(model, positions="independent")
    q = finite_displacement(model, model.home, {"theta": model.home[z] + 0.4}, 2)[-1]
    given = [np.linspace(0.3, 1.0, a.shape[0]) for a in whole.arguments[1:]]
    np.testing.assert_allclose(own(q[[z]], *given, model.home), whole(q, *given), rtol=1e-9, atol=1e-11)
    slope = np.asarray(own.jacobian("q")(q[[z]], *given, q))
    h, moved = 1e-6, []
    for step in (-h, h):
        there = finite_displacement(model, q, {"theta": q[z] + step}, 1)[-1]
        moved.append(np.asarray(whole(there, *given)))
    np.testing.assert_allclose(slope.ravel(), ((moved[1] - moved[0]) / (2.0 * h)).ravel(), rtol=1e-5, atol=1e-5)
