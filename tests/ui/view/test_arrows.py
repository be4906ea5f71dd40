"""Arrows of forces: heads point along them, bodies do not hide them."""

import numpy as np

import screwgraph as sg
from screwgraph.motion.simulation import read_trajectory
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


def test_each_contact_has_an_arrow_at_its_point_as_long_as_its_share_of_the_weight():
    run = fallen()
    (forces, _) = view.trajectory_scene(run, rate=1000.0).lines
    shafts, size = forces.points.reshape(len(run.t), -1, 3, 3), 0.2 * np.sqrt(3.0)
    shafts = shafts[:, ~np.isnan(shafts[-2, :, 0, 0])]  # upper corners do not touch
    corners = [[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    np.testing.assert_allclose(shafts[-2, np.lexsort(shafts[-2, :, 0, 1::-1].T), 0], corners, atol=1e-5)
    length = np.linalg.norm(shafts[:, :, 1] - shafts[:, :, 0], axis=2)
    np.testing.assert_allclose(length[-2], 0.25 * 0.6 * size, rtol=1e-6)
    assert run.external_wrenches["cube"][:, 5].max() > 100.0
    assert np.nanmax(length) <= size * (1.0 + 1e-9)


def test_wrenches_beside_those_of_contacts_have_arrows_of_their_own():
    """Of a cube that is pushed at its top's edge: by the line of action, not by the sum with what the ground does."""
    shape = "mass: 1, inertia: [2e-3, 2e-3, 2e-3], shapes: [{box: [0.2, 0.2, 0.2]}]"
    cube = sg.load(f"name: cube\nbodies: [{{link: cube, type: floating, {shape}}}]\n")
    wind = [0.0, 0.2, 0.0, 2.0, 0.0, 0.0]
    run = sg.simulate(cube, [0, 0, 0.1, 0, 0, 0, 1], time=0.01, contacts="collisions", external_wrenches={"cube": wind})
    shafts = view.trajectory_scene(run, rate=1000.0).lines[0].points.reshape(len(run.t), -1, 3, 3)
    assert (~np.isnan(shafts[3, :, 0, 0])).sum() == 5
    start, tip, _ = shafts[3, -1]
    np.testing.assert_allclose(start, [run.q[3, 0], 0.0, run.q[3, 2] + 0.1], atol=1e-4)
    np.testing.assert_allclose((tip - start) / (0.6 * 0.2 * np.sqrt(3.0)), [2.0 / 9.81, 0.0, 0.0], atol=1e-4)


def test_forces_of_contacts_are_kept_in_files_and_between_states(tmp_path):
    run = fallen()
    run.save(tmp_path / "run.npz")
    again = read_trajectory(tmp_path / "run.npz")
    np.testing.assert_array_equal(again.contact_forces["cube"], run.contact_forces["cube"])
    middle = again.at(np.array([0.5005, 0.55])).contact_forces["cube"]
    np.testing.assert_allclose(middle[0], run.contact_forces["cube"][500:502].mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(run[100:].contact_forces["cube"], run.contact_forces["cube"][100:])
    np.testing.assert_allclose(run.contact_forces["cube"][-2, :, 3:].sum(axis=0), [0, 0, 9.81], atol=1e-6)


def test_forces_within_a_cube_are_seen_through_it():
    lines = as_json(view.trajectory_scene(fallen(), paths=["cube"]))["lines"]
    assert {line["name"]: line["through"] for line in lines} == {"cube": False, "forces": True, "": True}
