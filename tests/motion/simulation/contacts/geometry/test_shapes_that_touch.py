"""Boxes, meshes and other shapes on one another and on the ground: motions whose exact values are known."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.robot import Box, Capsule, Robot, Sphere, with_gravity, world
from screwgraph.motion.simulation.contacts import ContactInputs
from screwgraph.motion.simulation.contacts.steps.middle_state import compile_middle_state
from screwgraph.spatial import quaternions
from tests.motion.simulation.contacts.bodies import free_body, free_brick
from tests.motion.simulation.contacts.convex_shapes import make_mesh

DT, G, SIDE = 1e-3, 9.81, 0.1
CUBE = Box((SIDE, SIDE, SIDE))
FREE = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
PLATE = '<robot name="plate"><link name="base"/></robot>'


def cube_of(shape: str, tmp_path) -> object:
    """Return a cube of 0.1 m, as a box or as a mesh."""
    if shape == "box":
        return CUBE
    pytest.importorskip("coal")
    return make_mesh(tmp_path, "cube")


def on_slope(tan: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return where a cube stands on a slope, the normal of that, and its angle."""
    angle = np.arctan(tan)
    normal = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    return np.array([*(0.5 * SIDE * normal), 0.0, -np.sin(angle / 2), 0.0, np.cos(angle / 2)]), normal, angle


@pytest.mark.parametrize("shape", ["box", "mesh"])
def test_a_cube_on_a_plate_that_leans_sticks_or_slides(shape, tmp_path):
    """Under tan .4 it does not creep; under tan .6 its velocity is g (sin - mu cos) t, and it does not turn."""
    robot = world({"plate": sg.load(PLATE), "cube": free_body(1.0, SIDE**2 / 6.0)})
    for tan, is_sliding in ((0.4, False), (0.6, True)):
        q0, normal, angle = on_slope(tan)
        at = (float(-0.1 * normal[0]), 0.0, float(-0.1 * normal[2]))
        plate = sg.OtherBody("plate/base", Box((4.0, 4.0, 0.2)), at=at, rpy=(0.0, -float(angle), 0.0))
        touch = sg.Contact("cube/body", shape=cube_of(shape, tmp_path), friction=0.5, stiffness=np.inf, against=plate)
        simulator = sg.Simulator(robot, DT, q0, contacts=[touch])
        simulator.step(steps=200)
        start = simulator.q.copy()
        simulator.step(steps=200)
        if is_sliding:
            expected = 0.4 * G * (np.sin(angle) - 0.5 * np.cos(angle))
            np.testing.assert_allclose(simulator.qd[:3], 0.0, atol=1e-9)
            np.testing.assert_allclose(np.linalg.norm(simulator.qd[3:]), expected, rtol=1e-9)
        else:
            np.testing.assert_allclose(simulator.q, start, atol=0.2 * 1e-9)
        assert simulator.residual < 1e-9


def test_a_mesh_on_the_ground_moves_as_its_box_does(tmp_path):
    """Creep on a slope; a kick of 2 m/s ends after 2^2 / (2 mu g) = .40775 m, as h v more by the rule's sum."""
    robot, mesh = free_body(1.0, SIDE**2 / 6.0), make_mesh(tmp_path, "fine cube")
    q0, normal, _ = on_slope(0.4)
    simulator = sg.Simulator(
        robot, DT, q0, contacts=[sg.Contact("body", shape=mesh, friction=0.5)], ground=sg.Plane(normal)
    )
    simulator.step(steps=200)
    start = simulator.q.copy()
    simulator.step(steps=200)
    np.testing.assert_allclose(simulator.q, start, atol=0.2 * 1e-9)
    kicked, flat = [0.0, 0.0, 0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 1.0]
    contacts = [sg.Contact("body", shape=mesh, friction=0.5, stiffness=np.inf)]
    simulator = sg.Simulator(robot, DT, flat, kicked, contacts=contacts)
    simulator.step(steps=600)
    assert simulator.q[0] == pytest.approx(2.0**2 / (2 * 0.5 * G), abs=2.0 * DT)
    assert simulator.q[0] + 0.5 * DT * 2.0 == pytest.approx(0.407747, abs=1e-3)
    np.testing.assert_allclose(simulator.q[[1, 3, 4, 5]], 0.0, atol=1e-9)


@pytest.mark.parametrize("shape", ["box", "mesh"])
def test_a_cube_that_overhangs_tips_where_its_centre_is_beyond_the_edge(shape, tmp_path):
    """Rigid, on a plate: beyond the edge it turns as a rod about its end, I theta'' = m g d, for a short while."""
    robot = world({"plate": sg.load(PLATE), "cube": free_body(1.0, SIDE**2 / 6.0)})
    plate = sg.OtherBody("plate/base", Box((1.0, 1.0, 0.2)), at=(-0.5, 0.0, -0.1))
    touch = sg.Contact(
        "cube/body", shape=cube_of(shape, tmp_path), friction=0.8, stiffness=np.inf, slots=4, against=plate
    )
    for beyond in (-1e-3, 1e-3):
        q0 = np.array([beyond, 0.0, 0.5 * SIDE, 0.0, 0.0, 0.0, 1.0])
        simulator = sg.Simulator(robot, DT, q0, contacts=[touch])
        simulator.step(steps=100)
        if beyond < 0.0:
            np.testing.assert_allclose(simulator.q, q0, atol=1e-12)
            simulator.step(steps=400)
            np.testing.assert_allclose(simulator.q, q0, atol=1e-12)
        else:
            inertia = SIDE**2 / 6.0 + 0.25 * SIDE**2
            rate = np.sqrt(G * 0.5 * SIDE / inertia)  # of a pendulum that is upside down, turned by d / h at first
            turned = 2.0 * np.arcsin(simulator.q[4])
            expected = beyond / (0.5 * SIDE) * (np.cosh(rate * 0.1) - 1.0)
            assert turned == pytest.approx(expected, rel=0.02)


def test_bars_rest_edge_on_edge():
    """Bars whose diagonals are upright, at right angles: edges carry the weight; beside, the upper one rolls off."""
    length, side = 0.3, 0.04
    high = side / np.sqrt(2.0)
    robot = world({"low": sg.load(PLATE), "up": free_brick(1.0, (side, length, side))})
    low = sg.OtherBody("low/base", Box((length, side, side)), rpy=(np.pi / 4, 0.0, 0.0))
    touch = sg.Contact("up/body", shape=Box((side, length, side)), friction=0.8, slots=1, against=low)
    for beside in (0.0, 1e-4):
        q0 = np.array([0.0, beside, 2.0 * high, 0.0, np.sin(np.pi / 8), 0.0, np.cos(np.pi / 8)])
        simulator = sg.Simulator(robot, DT, q0, contacts=[touch])
        simulator.step(steps=200)
        np.testing.assert_allclose(simulator.forces[0, 2], G, rtol=1e-4)
        assert simulator.gaps[0] == pytest.approx(-G / 1e6, rel=1e-3)
        assert simulator.residual < 1e-12
        inertia = (side**2 + length**2) / 12.0 + high**2
        turned = beside / high * (np.cosh(np.sqrt(G * high / inertia) * 0.2) - 1.0)
        found = -2.0 * np.arcsin(simulator.q[3] / np.cos(np.pi / 8))
        assert found == pytest.approx(turned, rel=0.02, abs=1e-12)


def energy_of(robot: Robot):
    """Return a function of a simulator to the energy (J) amid the last step."""
    mass, centre, middle = sg.mass_matrix(robot), sg.center_of_mass(robot), compile_middle_state(robot)

    def energy(simulator: sg.Simulator) -> float:
        q, qd = middle(simulator.q, simulator.qd, [simulator.dt])
        return robot.mass * G * float(np.asarray(centre(q))[2]) + 0.5 * float(qd @ np.asarray(mass(q)) @ qd)

    return energy


@pytest.mark.parametrize("shape", ["box", "mesh"])
def test_a_turned_cube_falls_on_another_one_and_rests(shape, tmp_path):
    """Eight corners of two squares: energy only falls, weights are carried, nothing moves in the end."""
    cube = cube_of(shape, tmp_path)
    robot = world({name: free_body(1.0, SIDE**2 / 6.0) for name in ("low", "high")})
    feet = [(x, y, -0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    contacts = [sg.Contact("low/body", at=foot, friction=0.5) for foot in feet]
    contacts.append(sg.Contact("high/body", shape=cube, friction=0.5, against=sg.OtherBody("low/body", cube)))
    q0, turn = np.concatenate([FREE, FREE]), 0.5
    q0[[2, 7, 9]], q0[10:] = (0.05, 0.045, 0.155), (0.0, 0.0, np.sin(turn / 2), np.cos(turn / 2))
    simulator, energy = sg.Simulator(robot, DT, q0, contacts=contacts), energy_of(robot)
    simulator.step()
    highest = energy(simulator)
    for _ in range(400):
        simulator.step()
        assert energy(simulator) < highest + 1e-9
    np.testing.assert_allclose(simulator.qd, 0.0, atol=1e-6)
    assert simulator.q[9] == pytest.approx(0.15, abs=1e-4)
    assert simulator.forces[4:, 2].sum() == pytest.approx(G, rel=1e-4)
    assert simulator.residual < 1e-9


@pytest.mark.parametrize("shape", ["box", "mesh"])
def test_momentum_is_conserved_where_free_bodies_meet(shape, tmp_path):
    """A cube that spins flies against another one: linear and angular momentum stay, energy falls."""
    cube, masses, inertias = cube_of(shape, tmp_path), (1.0, 3.0), (0.004, 0.01)
    bodies = {name: free_body(m, i) for name, m, i in zip("ab", masses, inertias, strict=True)}
    robot = with_gravity(world(bodies), (0.0, 0.0, 0.0))
    touch = sg.Contact("a/body", shape=cube, friction=0.4, against=sg.OtherBody("b/body", cube))
    q0, qd0 = np.concatenate([FREE, FREE]), np.array([0, 1.0, 5.0, 2.0, 0, 0, 1.0, 0, 0, -0.5, 0.1, 0])
    q0[7:10] = 0.13, 0.03, 0.02
    simulator, seen = sg.Simulator(robot, DT, q0, qd0, contacts=[touch]), list[np.ndarray]()
    touched = False
    for _ in range(100):
        p, L, energy = np.zeros(3), np.zeros(3), 0.0
        for k, (m, inertia) in enumerate(zip(masses, inertias, strict=True)):
            q, qd = simulator.q[7 * k : 7 * k + 7], simulator.qd[6 * k : 6 * k + 6]
            R = quaternions.to_rotation(q[3:7])
            w, v = R @ qd[:3], R @ qd[3:]
            p, L = p + m * v, L + inertia * w + m * np.cross(q[:3], v)
            energy += 0.5 * (m * v @ v + inertia * w @ w)
        seen.append(np.array([*p, *L, energy]))
        simulator.step()
        touched |= bool(simulator.forces.any())
    momenta, energies = np.array(seen)[:, :6], np.array(seen)[:, 6]
    np.testing.assert_allclose(momenta, np.broadcast_to(momenta[0], momenta.shape), atol=1e-12)
    assert touched
    assert energies.max() < energies[0] + 1e-9
    assert energies[-1] < energies[0] - 1e-3


FINGER = (
    '<link name="{n}"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" '
    'iyz="0"/></inertial><collision><geometry><mesh filename="{file}" scale="0.2 0.3 0.4"/></geometry></collision>'
    '</link><joint name="{n}_slide" type="prismatic"><parent link="palm"/><child link="{n}"/><axis xyz="1 0 0"/>'
    '<origin xyz="{x} 0 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint>'
)


def test_fingers_that_are_meshes_hold_a_mesh(tmp_path):
    """5 N on each side and mu = .5 hold .1 kg: shapes are those of the files, without creep."""
    pytest.importorskip("coal")
    file = make_mesh(tmp_path, "cube").file
    fingers = "".join(FINGER.format(n=n, x=x, file=file) for n, x in (("left", -0.061), ("right", 0.061)))
    mass = 0.1
    held = (
        f'<robot name="held"><link name="body"><inertial><mass value="{mass}"/><inertia ixx="2e-4" iyy="2e-4" '
        f'izz="2e-4" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><mesh filename="{file}"/></geometry>'
        "</collision></link></robot>"
    )
    gripper = sg.load(f'<robot name="hand"><link name="palm"/>{fingers}</robot>')
    robot = world({"hand": gripper, "held": sg.load(held, base="floating")})
    other = sg.OtherBody("held/body", "collisions")
    contacts = [
        sg.Contact(f"hand/{side}", shape="collisions", friction=0.5, against=other) for side in ("left", "right")
    ]
    tau = np.zeros(robot.nv)
    tau[[robot.v_slices[f"hand/{side}_slide"].start for side in ("left", "right")]] = 5.0, -5.0
    simulator = sg.Simulator(robot, DT, contacts=contacts)
    simulator.step(tau, steps=300)
    start = simulator.q.copy()
    simulator.step(tau, steps=200)
    np.testing.assert_allclose(simulator.q, start, atol=1e-9)
    np.testing.assert_allclose(np.abs(simulator.forces[:, 0]).reshape(2, 4).sum(axis=1), 5.0, rtol=1e-6)
    np.testing.assert_allclose(simulator.forces[:, 2].sum(), -mass * G, rtol=1e-6)


def test_capsules_that_cross_stop_one_another():
    """The middles of two capsules meet: momentum is that of a collision without rebound."""
    pytest.importorskip("coal")
    robot = world({name: free_brick(1.0, (0.1, 0.1, 0.4)) for name in ("a", "b")})
    rod = Capsule(0.02, 0.3)
    touch = sg.Contact("b/body", shape=rod, friction=0.0, stiffness=np.inf, against=sg.OtherBody("a/body", rod))
    turn = np.sqrt(0.5)
    q0 = np.concatenate([FREE, [0.1, 0.0, 0.0, turn, 0.0, 0.0, turn]])
    qd0 = np.zeros(12)
    qd0[9] = -1.0
    simulator = sg.Simulator(robot, DT, q0, qd0, contacts=[touch])
    simulator.step(steps=150)
    np.testing.assert_allclose(simulator.qd[[3, 9]], -0.5, atol=1e-9)
    assert abs(simulator.gaps[0]) < 1e-9


@pytest.mark.parametrize("shape", ["box", "mesh"])
def test_batches_and_processes_are_single_motions(shape, tmp_path):
    """Each motion of a batch is what it is alone, to the last bit; inputs go to other processes."""
    cube = cube_of(shape, tmp_path)
    robot = world({"plate": sg.load(PLATE), "cube": free_body(1.0, SIDE**2 / 6.0)})
    plate = sg.OtherBody("plate/base", Box((1.0, 1.0, 0.2)), at=(-0.5, 0.0, -0.1))
    contacts = [sg.Contact("cube/body", shape=cube, slots=4, against=plate)]
    starts = np.tile(FREE, (3, 1))
    starts[:, 2] = 0.051, 0.06, 0.07
    starts[:, 3:] = [0.1, 0.05, 0.2, 0.9]
    starts[:, 3:] /= np.linalg.norm(starts[:, 3:], axis=1)[:, None]
    together = sg.rollout(robot, starts, time=0.05, dt=DT, contacts=contacts)
    for k, start in enumerate(starts):
        alone = sg.Simulator(robot, DT, start, contacts=contacts)
        alone.step(steps=50)
        np.testing.assert_array_equal(together.q[k, -1], alone.q)
    assert together.forces[:, :, :, 2].max() > 1.0
    inputs = ContactInputs.of(robot, alone.options.contacts, sg.Plane())
    again = pickle.loads(pickle.dumps(inputs))
    for x, y in zip(again.find_arguments(starts), inputs.find_arguments(starts), strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_mesh_of_many_corners_rolls_on_uneven_ground(tmp_path):
    """A ball of 642 corners touches with its lowest ones: it comes to rest on the ground, wherever it is."""
    robot = free_body(1.0, 0.4 * 0.05**2)
    contacts = [sg.Contact("body", shape=make_mesh(tmp_path, "ball"), friction=0.5)]
    for ground in (sg.Plane(), sg.HeightMap(np.zeros((4, 4)), (-1.0, -1.0), 1.0)):
        start = [0.0, 0.0, 0.06, 0.0, 0.0, 0.0, 1.0]
        simulator, energy = sg.Simulator(robot, DT, start, contacts=contacts, ground=ground), energy_of(robot)
        simulator.step()
        highest = energy(simulator)
        for _ in range(300):
            simulator.step()
            assert energy(simulator) < highest + 1e-9
        assert simulator.q[2] == pytest.approx(0.05, abs=3e-4)
        assert simulator.forces[:, 2].sum() == pytest.approx(G, rel=1e-3)


def test_files_name_shapes(tmp_path):
    pytest.importorskip("coal")
    mesh = make_mesh(tmp_path, "cube")
    robot = world({name: free_body(1.0, SIDE**2 / 6.0) for name in ("low", "high")})
    file = tmp_path / "contacts.yaml"
    file.write_text(
        "contacts:\n- {frame: low/body, shape: {mesh: cube.stl}}\n- {frame: high/body, slots: 3, friction: 0.3, shape: "
        "{box: [0.1, 0.1, 0.1], at: [0, 0, 0.01], rpy: [0, 0, 0.5]}, against: {frame: low/body, shape: "
        "{mesh: cube.stl, scale: [1, 1, 2]}}}\n",
        encoding="utf-8",
    )
    contacts = sg.Simulator(robot, contacts=str(file)).options.contacts
    assert len(contacts) == 8 + 3
    np.testing.assert_allclose(np.abs([contact.at for contact in contacts[:8]]), 0.05, atol=1e-8)
    last = contacts[-1]
    assert (last.shape, last.at, last.rpy, last.friction) == (CUBE, (0.0, 0.0, 0.01), (0.0, 0.0, 0.5), 0.3)
    assert last.against == sg.OtherBody("low/body", type(mesh)(mesh.file, (1.0, 1.0, 2.0)))
    for text, said in (
        ("shape: ball", "must be a mapping"),
        ("shape: {box: [1, 1, 1], scale: [1, 1, 1]}", "a box or a mesh"),
        ("shape: {mesh: cube.stl, scale: [1, 0, 1]}", "none of them 0"),
        ("shape: {mesh: none.stl}", "not found"),
        ("shape: collisions", "has no shapes"),
        ("shape: {box: [1, 1, 1]}, radius: 0.1", "a shape and a radius"),
        ("shape: {box: [1, 1, 1]}, slots: 9", "in 1 to 8 points"),
        ("shape: {box: [1, 1, 1]}, slots: 1.5", "whole number"),
        ("slots: 2", "slots go with a shape"),
    ):
        file.write_text(f"contacts: [{{frame: low/body, {text}}}]\n", encoding="utf-8")
        with pytest.raises((InputError, ModelError), match=said):
            sg.Simulator(robot, contacts=str(file))


def test_what_shapes_cannot_do_is_said(monkeypatch):
    robot = world({name: free_body(1.0, SIDE**2 / 6.0) for name in ("low", "high")})
    low = sg.OtherBody("low/body", CUBE)
    for make, said in (
        (lambda: sg.Contact("low/body", shape="boxes"), "give a shape"),
        (lambda: sg.Contact("low/body", shape=Box((0.1, -0.1, 0.1))), "sizes must be positive"),
        (lambda: sg.Contact("low/body", rpy=(0.0, 0.0, np.nan)), "three finite numbers"),
        (lambda: sg.OtherBody("low/body", 3), "give a shape"),
        (lambda: sg.Simulator(robot, contacts=[sg.Contact("low/body", shape=CUBE, against=low)]), "on the same link"),
        (lambda: sg.Simulator(robot, contacts=[sg.Contact("low/body", shape="collisions")]), "has no shapes"),
    ):
        with pytest.raises(InputError, match=said):
            make()
    monkeypatch.setitem(__import__("sys").modules, "coal", None)
    pair = sg.Contact("high/body", shape=Capsule(0.1, 0.2), against=low)
    with pytest.raises(InputError, match=r"coal is not installed.*pip install"):
        sg.Simulator(robot, contacts=[pair])
    simulator = sg.Simulator(robot, contacts=[sg.Contact("high/body", shape=Sphere(0.1), against=low)])
    assert len(simulator.options.contacts) == 1
