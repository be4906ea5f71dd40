"""Bodies that touch one another: momentum, rebound, stacks, grippers; distances as MuJoCo finds them."""

# pyright: reportAttributeAccessIssue=false
# MuJoCo's compiled module declares no types.

import mujoco
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.robot import Box, Capsule, Robot, Sphere, with_gravity, world
from screwgraph.spatial import quaternions
from tests.motion.simulation.contacts.bodies import free_body

DT, G = 1e-3, 9.81
FREE = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
MASSES, INERTIAS = (1.0, 3.0), (0.004, 0.01)


def two_balls() -> Robot:
    a, b = (free_body(m, i) for m, i in zip(MASSES, INERTIAS, strict=True))
    return with_gravity(world({"a": a, "b": b}), (0.0, 0.0, 0.0))


def momentum(simulator: sg.Simulator) -> np.ndarray:
    """Return linear and angular momentum about the origin, and energy."""
    p, L, energy = np.zeros(3), np.zeros(3), 0.0
    for k, (m, inertia) in enumerate(zip(MASSES, INERTIAS, strict=True)):
        q, qd = simulator.q[7 * k : 7 * k + 7], simulator.qd[6 * k : 6 * k + 6]
        R = quaternions.to_rotation(q[3:7])
        w, v = R @ qd[:3], R @ qd[3:]
        p, L = p + m * v, L + inertia * w + m * np.cross(q[:3], v)
        energy += 0.5 * (m * v @ v + inertia * w @ w)
    return np.array([*p, *L, energy])


@pytest.mark.parametrize(("stiffness", "restitution"), [(np.inf, 0.0), (np.inf, 0.7), (1e5, 0.0)])
@pytest.mark.parametrize("shape", [Sphere(0.1), Capsule(0.1, 0.05), Box((0.2, 0.18, 0.22))])
def test_momentum_is_conserved(shape, stiffness, restitution):
    touch = sg.Contact(
        "a/body",
        0.1,
        friction=0.4,
        stiffness=stiffness,
        restitution=restitution,
        against=sg.OtherBody("b/body", shape),
    )
    q0 = np.concatenate([FREE, FREE])
    q0[7:10] = 0.25, 0.05, 0.03
    qd0 = np.array([0, 0, 5.0, 2.0, 0, 0, 1.0, 0, 0, -0.5, 0.1, 0])
    simulator = sg.Simulator(two_balls(), DT, q0, qd0, contacts=[touch])
    before, touched = momentum(simulator), False
    for _ in range(150):
        simulator.step()
        touched |= bool(simulator.forces.any())
        after = momentum(simulator)
        np.testing.assert_allclose(after[:6], before[:6], atol=1e-12)
        assert after[6] <= before[6] + 1e-9
    assert touched
    assert after[6] < before[6] - 1e-3, "friction and impacts take energy"
    assert simulator.residual < 1e-9


def test_balls_rebound_as_newton_says():
    """Head on and without friction: the velocity of parting is e times that of approach."""
    for e in (0.0, 0.5, 1.0):
        touch = sg.Contact(
            "a/body", 0.1, friction=0.0, restitution=e, stiffness=np.inf, against=sg.OtherBody("b/body", Sphere(0.1))
        )
        q0 = np.concatenate([FREE, FREE])
        q0[7] = 0.25
        qd0 = np.zeros(12)
        qd0[3], qd0[9] = 1.0, -0.5
        simulator = sg.Simulator(two_balls(), DT, q0, qd0, contacts=[touch])
        simulator.step(steps=200)
        common = (MASSES[0] * 1.0 - MASSES[1] * 0.5) / sum(MASSES)
        expected = common - e * 1.5 * MASSES[1] / sum(MASSES), common + e * 1.5 * MASSES[0] / sum(MASSES)
        np.testing.assert_allclose(simulator.qd[[3, 9]], expected, atol=1e-9)


def test_boxes_stand_on_one_another():
    corners = [(x, y, -0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    lower = sg.OtherBody("low/body", Box((0.1, 0.1, 0.1)))
    contacts = [
        sg.Contact(f"{name}/body", friction=0.5, at=corner, against=other)
        for name, other in (("low", None), ("high", lower))
        for corner in corners
    ]
    robot = world({name: free_body(1.0, 0.01 / 6) for name in ("low", "high")})
    q0 = np.concatenate([FREE, FREE])
    q0[[2, 9]] = 0.05, 0.15
    simulator = sg.Simulator(robot, DT, q0, contacts=contacts)
    simulator.step(steps=600)
    start = simulator.q.copy()
    np.testing.assert_allclose(simulator.forces[:, 2].reshape(2, 4).sum(axis=1), [2 * G, G], rtol=1e-8)
    simulator.step(steps=400)
    np.testing.assert_allclose(simulator.q, start, atol=1e-9)
    run = sg.simulate(robot, q0, time=0.3, dt=DT, contacts=contacts)
    np.testing.assert_allclose(run.external_wrenches["high/body"][-1], [0, 0, 0, 0, 0, G], atol=1e-5)
    np.testing.assert_allclose(run.external_wrenches["low/body"][-1], [0, 0, 0, 0, 0, G], atol=1e-5)


def gripper() -> Robot:
    finger = (
        '<link name="{n}"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" '
        'iyz="0"/></inertial></link><joint name="{n}_slide" type="prismatic"><parent link="palm"/><child link="{n}"/>'
        '<axis xyz="1 0 0"/><origin xyz="{x} 0 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint>'
    )
    fingers = "".join(finger.format(n=n, x=x) for n, x in (("left", -0.035), ("right", 0.035)))
    return sg.load(f'<robot name="hand"><link name="palm"/>{fingers}</robot>')


def test_a_gripper_holds_a_box():
    """5 N on each side and mu = 0.5 hold 0.1 kg, and no more than 2 mu F = 5 N."""
    pads = [(x, y, z) for x in (0.01,) for y in (-0.01, 0.01) for z in (-0.01, 0.01)]
    box = sg.OtherBody("box/body", Box((0.05, 0.05, 0.05)))
    contacts = [
        sg.Contact(f"hand/{side}", at=(sign * x, y, z), friction=0.5, against=box)
        for side, sign in (("left", 1.0), ("right", -1.0))
        for x, y, z in pads
    ]
    for mass, holds in ((0.1, True), (0.6, False)):
        robot = world({"hand": gripper(), "box": free_body(mass, mass * 0.05**2 / 6)})
        tau = np.zeros(robot.nv)
        tau[[robot.v_slices[f"hand/{side}_slide"].start for side in ("left", "right")]] = 5.0, -5.0
        simulator = sg.Simulator(robot, DT, contacts=contacts)
        simulator.step(tau, steps=300 if holds else 20)
        start = simulator.q.copy()
        simulator.step(tau, steps=300 if holds else 80)
        height = robot.q_slices["box/floating_base"].start + 2
        if holds:
            np.testing.assert_allclose(simulator.q, start, atol=1e-9)
            np.testing.assert_allclose(np.abs(simulator.forces[:, 0]).reshape(2, 4).sum(axis=1), 5.0, rtol=1e-6)
            np.testing.assert_allclose(simulator.forces[:, 2].sum(), -mass * G, rtol=1e-6)
        else:
            fall = (mass * G - 5.0) / mass
            way = 0.5 * fall * (0.1**2 - 0.02**2)
            assert start[height] - simulator.q[height] == pytest.approx(way, rel=0.02)


SHAPES = [
    (Sphere(0.1), 'type="sphere" size="0.1"'),
    (Capsule(0.05, 0.2), 'type="capsule" size="0.05 0.1"'),
    (Box((0.2, 0.1, 0.3)), 'type="box" size="0.1 0.05 0.15"'),
]


@pytest.mark.parametrize(("shape", "geometry"), SHAPES)
def test_distances_are_those_of_mujoco(shape, geometry):
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom name="ball" type="sphere" size="0.02"/><body name="b"><freejoint/>'
        f'<geom name="other" {geometry}/></body></worldbody></mujoco>'
    )
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    touch = sg.Contact("a/body", 0.02, against=sg.OtherBody("b/body", shape))
    robot, compared = two_balls(), 0
    for _ in range(20):
        place, turn = 0.2 * rng.normal(size=3), rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        q0 = np.concatenate([FREE, place, turn])
        simulator = sg.Simulator(robot, DT, q0, contacts=[touch])
        simulator.step()
        data.qpos[:] = [*place, turn[3], *turn[:3]]
        mujoco.mj_forward(model, data)
        ends = np.zeros(6)
        expected = mujoco.mj_geomDistance(model, data, 0, 1, 9.0, ends)
        if expected > 0.0:
            np.testing.assert_allclose(simulator.gaps[0], expected, atol=1e-6)
            compared += 1
    assert compared >= 15  # the others overlap


def test_files_and_wrong_shapes(tmp_path):
    file = tmp_path / "contacts.yaml"

    def other(text):
        file.write_text(f"contacts: [{{frame: a/body, radius: 0.1, against: {text}}}]\n", encoding="utf-8")
        return sg.Simulator(two_balls(), contacts=str(file)).options.contacts[0].against

    assert other("{frame: b/body, box: [1, 2, 3]}") == sg.OtherBody("b/body", Box((1.0, 2.0, 3.0)))
    assert other("{frame: b/body, radius: 1, at: [0, 0, 1]}") == sg.OtherBody("b/body", Sphere(1.0), (0.0, 0.0, 1.0))
    assert other("{frame: b/body, radius: 1, length: 2}") == sg.OtherBody("b/body", Capsule(1.0, 2.0))
    for text, said in (("{frame: b/body}", "a box or a radius"), ("{frame: b/bdy, radius: 1}", "b/bdy")):
        with pytest.raises((InputError, ModelError), match=said):
            other(text)
    with pytest.raises(InputError, match="on the same link"):
        sg.Simulator(two_balls(), contacts=[sg.Contact("b/body", against=sg.OtherBody("b/body", Sphere(0.1)))])
    with pytest.raises(InputError, match="sizes must be positive"):
        sg.OtherBody("b/body", Box((0.1, 0.0, 0.1)))
    with pytest.raises(InputError, match="without robots"):
        world({})
    with pytest.raises(InputError, match="empty name"):
        world({"": free_body(1.0, 0.01)})
    moon = with_gravity(free_body(1.0, 0.01), (0.0, 0.0, -1.6))
    with pytest.raises(InputError, match="a world has one"):
        world({"earth": free_body(1.0, 0.01), "moon": moon})
