"""Slopes, steps and height maps: what balls touch there, motions on them, one ground a motion."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from tests.motion.simulation.contacts.bodies import feet, free_body, quadruped, standing

DT, G = 1e-3, 9.81
GRID = np.stack(np.meshgrid(0.1 * np.arange(12), 0.1 * np.arange(9), indexing="ij"), axis=-1)
WAVES = np.random.default_rng(0).uniform(-0.02, 0.02, (3, 40, 40))


def waves(smooth: bool = False, motions: int = 1) -> sg.HeightMap:
    return sg.HeightMap(WAVES[:motions] if motions > 1 else WAVES[0], (-2.0, -2.0), 0.1, smooth)


@pytest.mark.parametrize("smooth", [False, True])
def test_slopes_are_derivatives_of_heights(smooth):
    ground, rng = waves(smooth), np.random.default_rng(1)
    places = rng.uniform(-1.9, 1.8, (50, 2))
    slope = ground.height(places)[1]
    for i in range(2):
        step = 1e-6 * np.eye(2)[i]
        difference = (ground.height(places + step)[0] - ground.height(places - step)[0]) / 2e-6
        np.testing.assert_allclose(slope[:, i], difference, atol=1e-7)
    nodes = -2.0 + 0.1 * np.array([[3, 5], [39, 39], [0, 7]])
    np.testing.assert_allclose(ground.height(nodes)[0], [WAVES[0, 3, 5], WAVES[0, 39, 39], WAVES[0, 0, 7]], atol=1e-12)
    np.testing.assert_allclose(ground.height(np.array([9.0, -9.0]))[0], WAVES[0, 39, 0], atol=1e-12)
    assert not ground.height(np.array([9.0, -9.0]))[1].any()


def test_smooth_maps_have_continuous_slopes_and_are_exact_of_parabolas():
    x, y = GRID[..., 0], GRID[..., 1]
    ground = sg.HeightMap(0.3 * x * x - 0.2 * x * y + 0.1 * y, spacing=0.1, smooth=True)
    at = np.array([[0.43, 0.27], [0.2 - 1e-9, 0.31], [0.2 + 1e-9, 0.31]])
    z, slope = ground.height(at)
    np.testing.assert_allclose(z, 0.3 * at[:, 0] ** 2 - 0.2 * at[:, 0] * at[:, 1] + 0.1 * at[:, 1], atol=1e-12)
    np.testing.assert_allclose(slope[1], slope[2], atol=1e-7)


@pytest.mark.parametrize("smooth", [False, True])
def test_a_map_of_a_slope_is_a_slope(smooth):
    tangent = np.array([0.2, -0.1])
    ground = sg.HeightMap(GRID @ tangent + 0.05, spacing=0.1, smooth=smooth)
    n = np.array([*-tangent, 1.0]) / np.sqrt(1.0 + tangent @ tangent)
    p, radii = np.array([[[0.5, 0.4, 0.3], [0.6, 0.5, 0.2]]]), np.array([0.0, 0.1])
    np.testing.assert_allclose(ground.tangent_planes(p, radii), np.tile([*n, 0.05 * n[2]], (1, 2, 1)), atol=1e-12)
    start = np.array([0.5, 0.4, 0.05]) + [0.0, 0.0, 0.5 * tangent[0] + 0.4 * tangent[1]] + 0.1 * n
    contact = [sg.Contact("body", 0.1, friction=0.9)]
    on_map, on_plane = (
        sg.Simulator(free_body(1.0, 0.004), DT, [*start, 0, 0, 0, 1], contacts=contact, ground=surface)
        for surface in (ground, sg.Plane(n, 0.05 * n[2]))
    )
    for simulator in (on_map, on_plane):
        simulator.step(steps=300)
    np.testing.assert_allclose(on_map.q, on_plane.q, atol=1e-9)
    rolled = 5 / 7 * G * np.linalg.norm(tangent) * n[2] * 0.3  # a ball rolls with 5/7 of what pulls it
    assert np.linalg.norm(on_map.qd[3:]) == pytest.approx(rolled, rel=1e-3)


def test_a_ball_rests_in_a_hollow():
    """Where it is round to radius R about the origin, a ball swings with sqrt(5/7 g / (R - r))."""
    x, y = (0.1 * np.arange(-10, 11)[:, None], 0.1 * np.arange(-10, 11)[None])
    R, r = 4.0, 0.1
    ground = sg.HeightMap(R - np.sqrt(R * R - x * x - y * y), (-1.0, -1.0), 0.1, smooth=True)
    depth = float(ground.height(np.array([0.2, 0.0]))[0])
    start = [0.2 - r * 0.2 / R, 0.0, depth + r * np.sqrt(1 - (0.2 / R) ** 2), 0, 0, 0, 1]
    contact = [sg.Contact("body", r, friction=0.9)]
    simulator = sg.Simulator(free_body(1.0, 0.004), DT, start, contacts=contact, ground=ground)
    quarter = 0.5 * np.pi / np.sqrt(5 / 7 * G / (R - r))
    simulator.step(steps=round(quarter / DT))
    assert abs(simulator.q[0]) < 4e-3
    simulator.step(steps=round(quarter / DT))
    assert simulator.q[0] == pytest.approx(-start[0], abs=5e-3)


def test_balls_on_steps():
    ground = sg.Steps([0.0, 0.3], [0.1, -0.05])
    p = np.array([[-0.5, 2.0, 0.3], [0.1, 0.0, 0.15], [-0.05, 0.0, 0.06], [-0.03, 1.0, 0.14], [0.32, 0, -0.06]])
    planes = ground.tangent_planes(p, np.zeros(5))
    n, level = planes[:, :3], planes[:, 3]
    gaps = (n * p).sum(axis=1) - level
    np.testing.assert_allclose(gaps, [0.3, 0.05, 0.05, 0.05, -0.01], atol=1e-12)
    np.testing.assert_allclose(n, [[0, 0, 1], [0, 0, 1], [-1, 0, 0], [-0.6, 0, 0.8], [0, 0, 1]], atol=1e-12)
    contact = [sg.Contact("body", 0.04, friction=0.0)]
    start = [-0.2, 0.0, 0.04, 0, 0, 0, 1]
    simulator = sg.Simulator(free_body(1.0, 0.004), DT, start, [0, 0, 0, 1.0, 0, 0], contacts=contact, ground=ground)
    for _ in range(300):
        simulator.step()
        assert simulator.q[0] < -0.04 + 2e-3, "a riser higher than the ball stops it"
    assert abs(simulator.qd[3]) < 0.5, "it leaves the depth of a step no faster than bodies are driven apart"


def test_the_normal_under_a_ball_leads_to_its_centre():
    """A steep parabola of small curvature, which a smooth map has exactly: z = s x + c x^2 / 2."""
    x, s, c, r = 0.05 * np.arange(41)[:, None] * np.ones((1, 5)), 0.6, 0.01, 0.1
    ground = sg.HeightMap(s * x + 0.5 * c * x * x, smooth=True)  # 0.05 m apart, from the origin on
    assert ground.spacing == 0.05
    foot = 1.0
    n = np.array([-(s + c * foot), 0.0, 1.0]) / np.hypot(s + c * foot, 1.0)
    centre = np.array([foot, 0.1, s * foot + 0.5 * c * foot * foot]) + r * n
    found = ground.tangent_planes(centre[None], np.array([r]))[0]
    # Off by the change of slope over r: a part r c of r n_x, in the slope a part c of that.
    np.testing.assert_allclose(found[:3], n, atol=3.0 * r * r * c * c)
    assert found[:3] @ centre - found[3] == pytest.approx(r, abs=1e-6)


def test_distances_of_points_from_random_stairs():
    """The nearest of all treads and risers, each measured as a segment."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        edges, heights = np.sort(rng.uniform(-1.0, 1.0, 4)), np.array([0.0, *rng.uniform(-0.4, 0.4, 4)])
        corners = np.array([[x, z] for i, x in enumerate(edges) for z in heights[i : i + 2]])
        corners = np.array([[-9.0, heights[0]], *corners, [9.0, heights[-1]]])
        p = rng.uniform(-1.2, 1.2, (40, 3))
        a, d = corners[:-1], np.diff(corners, axis=0)
        off = p[:, None, ::2] - a
        along = np.clip((off * d).sum(axis=2) / (d * d).sum(axis=1), 0.0, 1.0)
        nearest = np.linalg.norm(off - along[..., None] * d, axis=2).min(axis=1)
        nearest *= np.where(p[:, 2] < heights[np.searchsorted(edges, p[:, 0])], -1.0, 1.0)
        planes = sg.Steps(edges, heights[1:]).tangent_planes(p, np.zeros(len(p)))
        np.testing.assert_allclose((planes[:, :3] * p).sum(axis=1) - planes[:, 3], nearest, atol=1e-12)


@pytest.mark.parametrize("ground", [waves(), waves(smooth=True), sg.Steps([0.18], [0.03])])
def test_legs_on_uneven_ground_gain_no_energy(ground):
    """Kinetic and potential energy, less the work of the joints' torques."""
    robot = quadruped()
    q0 = standing(robot, 0.42)
    simulator = sg.Simulator(robot, DT, q0, contacts=feet(friction=0.5), ground=ground)
    T, U = sg.kinetic_energy(robot), sg.potential_energy(robot)
    energies, work = [T(q0, np.zeros(robot.nv)) + U(q0)], 0.0
    for _ in range(600):
        tau, before = np.concatenate([np.zeros(6), 60.0 * (q0[7:] - simulator.q[7:])]), simulator.qd.copy()
        simulator.step(tau)
        work += DT * tau @ (before + simulator.qd) / 2.0
        energies.append(T(simulator.q, simulator.qd) + U(simulator.q) - work)
        assert simulator.residual < 1e-5
    highest = np.max(energies - np.minimum.accumulate(energies))
    assert highest < 0.02 * robot.mass * G * 0.1, "part of 10 cm of height; half of it is lost to steps on a plane"
    assert simulator.forces[:, 2].sum() > 0.0


@dataclass(frozen=True)
class FoundByPython:
    """Ground of one's own, as the docs say: tangent planes of another one, by NumPy's arrays."""

    ground: Any
    fixed, flat = None, False
    motions = 1

    def select(self, motions):
        return self

    def tangent_planes(self, p, radii):
        return np.array(self.ground.tangent_planes(p, radii))


@pytest.mark.parametrize("ground", [waves(), waves(smooth=True), sg.Steps([0.18], [0.03])])
def test_steps_of_one_state_take_the_planes_of_their_own_state(ground):
    """Simulators side by side; what machine code finds for one state is what arrays of many find."""
    robot = quadruped()
    runs = [
        sg.Simulator(robot, DT, standing(robot, z), contacts=feet(), ground=surface)
        for z in (0.33, 0.4)
        for surface in (ground, FoundByPython(ground))
    ]
    for _ in range(40):
        for run in runs:
            run.step()
    for fast, slow in (runs[:2], runs[2:]):
        np.testing.assert_array_equal(fast.q, slow.q)
        np.testing.assert_array_equal(fast.forces, slow.forces)
    assert not np.array_equal(runs[0].q, runs[2].q)


@pytest.mark.parametrize("ground", [waves(), waves(smooth=True), sg.Steps([0.18], [0.03])])
def test_places_far_away_and_places_that_are_none(ground):
    p = np.array([[1e12, -1e12, 0.0], [np.nan, 0.0, 0.0], [-np.inf, np.inf, 1.0]])
    planes = ground.tangent_planes(p, np.array([0.0, 0.1, 0.1]))
    np.testing.assert_allclose(planes[0, :3], [0.0, 0.0, 1.0])
    assert planes[0, 3] == (0.03 if isinstance(ground, sg.Steps) else WAVES[0, 39, 0])
    assert ground.tangent_planes(np.zeros((0, 3)), np.zeros(0)).shape == (0, 4)


def test_grounds_of_motions():
    robot = quadruped()
    q0 = standing(robot, 0.4)
    angles = np.array([0.0, 0.1, 0.2])
    slopes = sg.Plane(np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=1))
    singles = [sg.Plane(normal, height=np.zeros(1)) for normal in slopes.normal]
    maps = [sg.HeightMap(heights, (-2.0, -2.0), 0.1) for heights in WAVES]
    heights = np.array([[0.0, 0.02], [0.01, 0.0], [0.0, -0.03]])
    stairs = [sg.Steps([-0.1, 0.1], own) for own in heights]
    grounds = ((slopes, singles), (waves(motions=3), maps), (sg.Steps([-0.1, 0.1], heights), stairs))
    for ground, alone in grounds:
        batch = sg.Simulator(robot, DT, q0, contacts=feet(), ground=ground)
        batch.step(steps=150)
        runs = sg.rollout(robot, q0, time=0.15, dt=DT, contacts=feet(), ground=ground, every=150)
        np.testing.assert_array_equal(runs.q[:, -1], batch.q)
        with ThreadPoolExecutor(2) as pool:
            parts = sg.rollout(
                robot, q0, time=0.15, dt=DT, contacts=feet(), ground=ground, every=150, executor=pool, parts=2
            )
        np.testing.assert_array_equal(parts.q, runs.q)
        for i, own in enumerate(alone):
            one = sg.Simulator(robot, DT, q0, contacts=feet(), ground=own)
            one.step(steps=150)
            np.testing.assert_allclose(np.ravel(one.q), batch.q[i], rtol=0.0, atol=1e-12)


def test_a_plane_as_an_input_is_the_plane_in_the_code():
    robot = quadruped()
    live = sg.Plane((0.1, 0.0, 1.0), np.full(2, -0.05))
    batch = sg.Simulator(robot, DT, standing(robot), contacts=feet(), ground=live)
    fixed = sg.Simulator(robot, DT, standing(robot), contacts=feet(), ground=sg.Plane((0.1, 0.0, 1.0), -0.05))
    for simulator in (batch, fixed):
        simulator.step(steps=100)
    np.testing.assert_allclose(batch.q[1], fixed.q, atol=1e-9)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sg.HeightMap(np.zeros(3)), "shape"),
        (lambda: sg.HeightMap(np.full((3, 3), np.nan)), "not finite"),
        (lambda: sg.HeightMap(np.zeros((3, 3)), spacing=0.0), "spacing"),
        (lambda: sg.HeightMap(np.zeros((3, 3)), origin=(1.0,)), "origin"),
        (lambda: sg.Steps([0.2, 0.1], [0.0, 0.1]), "steps are at"),
        (lambda: sg.Steps([0.2], [0.0, 0.1]), "heights of 1 steps"),
        (lambda: sg.Plane(np.ones((3, 3)), np.zeros(2)), "3 normals and 2 heights"),
        (lambda: sg.Plane(height=np.zeros((2, 2))), "height"),
    ],
)
def test_wrong_grounds(make, said):
    with pytest.raises(InputError, match=said):
        make()


def test_counts_of_motions_agree():
    robot, some = free_body(1.0, 0.004), [sg.Contact("body", 0.1, friction=np.ones(2))]
    with pytest.raises(InputError, match="for 2 motions, the ground for 3"):
        sg.Simulator(robot, contacts=some, ground=waves(motions=3))
    with pytest.raises(InputError, match="3 motions, states are 2"):
        sg.Simulator(
            robot, DT, np.tile(robot.neutral(), (2, 1)), contacts=[sg.Contact("body")], ground=waves(motions=3)
        )


def test_files(tmp_path):
    np.savez(tmp_path / "hills.npz", heights=WAVES[0], origin=[-2.0, -2.0], spacing=0.1)
    file = tmp_path / "contacts.yaml"

    def ground(text) -> Any:
        file.write_text(f"contacts: [{{frame: body, radius: 0.1}}]\nground: {text}\n", encoding="utf-8")
        return sg.Simulator(free_body(1.0, 0.004), contacts=str(file)).options.ground

    found = ground("{height_map: {file: hills.npz, smooth: true}}")
    np.testing.assert_array_equal(found.heights, WAVES[0])
    assert found.smooth
    assert found.spacing == 0.1
    np.testing.assert_array_equal(ground("{steps: {at: [1, 2], heights: [0.1, 0.2]}}").heights, [0.1, 0.2])
    for text, said in (
        ("{height_map: {file: hill.npz}}", "hill.npz"),
        ("{height_map: {smooth: true}}", "`file`"),
        ("{height_map: {file: hills.npz, smooth: 3}}", "true or false"),
        ("{steps: {at: [1]}}", "heights is missing"),
        ("{steps: {at: [1], heights: [1, 2]}}", "heights of 1 steps"),
        ("{steps: {at: [1], heights: [1]}, height: 1}", "nothing else"),
    ):
        with pytest.raises((InputError, ModelError), match=said):
            ground(text)
