"""Arrows of forces: heads point along them, bodies do not hide them."""

import numpy as np

import screwgraph as sg
from screwgraph.ui import view
from screwgraph.ui.view.arrows import HEAD, WIDE, make_arrows
from screwgraph.ui.view.page import as_json


def test_heads_are_symmetric_about_their_arrows():
    rng = np.random.default_rng(3)
    starts, tips = rng.normal(size=(2, 5, 3, 3))
    tips[0, 1] = np.nan
    shafts, heads = make_arrows("forces", starts, tips)
    assert (shafts.name, heads.name) == ("forces", "")
    for k in range(5):
        for start, tip, head in zip(starts[k], tips[k], heads.points[k].reshape(3, 8, 3), strict=True):
            if np.isnan(tip).any():
                assert np.isnan(head).all()
                continue
            along, sides = tip - start, head[[0, 2, 4, 6]] - tip
            np.testing.assert_allclose(head[[1, 5]], [tip, tip])
            np.testing.assert_allclose(sides @ along, -HEAD * along @ along)
            np.testing.assert_allclose(sides.mean(axis=0), -HEAD * along)
            beside = sides + HEAD * along
            np.testing.assert_allclose(np.linalg.norm(beside, axis=1), WIDE * np.linalg.norm(along))


def fallen():
    """Return the motion of a cube of 0.2 m that falls from 0.2 m and stays."""
    shape = "mass: 1, inertia: [2e-3, 2e-3, 2e-3], shapes: [{box: [0.2, 0.2, 0.2]}]"
    cube = sg.load(f"name: cube\nbodies: [{{link: cube, type: floating, {shape}}}]\n")
    return sg.simulate(cube, [0, 0, 0.3, 0, 0, 0, 1], time=0.6, contacts="collisions")


def test_arrows_are_as_long_as_a_body_is_large_of_impacts_too():
    run = fallen()
    (forces, _) = view.trajectory_scene(run, rate=1000.0).lines
    size = 0.2 * np.sqrt(3.0)
    length = np.linalg.norm(forces.points[:, 1] - forces.points[:, 0], axis=1)
    assert run.external_wrenches["cube"][:, 5].max() > 100.0
    assert np.nanmax(length) <= size * (1.0 + 1e-9)
    np.testing.assert_allclose(length[-2], 0.6 * size, rtol=1e-6)


def test_forces_within_a_cube_are_seen_through_it():
    lines = as_json(view.trajectory_scene(fallen(), paths=["cube"]))["lines"]
    assert {line["name"]: line["through"] for line in lines} == {"cube": False, "forces": True, "": True}
