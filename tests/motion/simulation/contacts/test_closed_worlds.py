"""Robots with loops on height maps, a box in the same world: rebounds, at short and long steps, make no energy."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Box, constraint_jacobian, constraint_residual, without_loops
from screwgraph.motion.simulation.contacts.steps.middle_state import compile_middle_state
from tests.motion.simulation.contacts.bodies import free_body
from tests.motion.simulation.contacts.test_dropped_robots import DROP, FLOATING, G, few_contacts, free_robot
from tests.robots import robot_file
from tests.suites import in_suites

MOTIONS, TIME, HALF, SLOW, SOLVED = 5, 0.3, 0.05, 0.1, 1e-8
CORNERS = [(x, y, z) for x in (-HALF, HALF) for y in (-HALF, HALF) for z in (-HALF, HALF)]
DIGITS = 1e-7
"""How far loops of files are open at best (m): bars are of few digits."""


def world_with_box(name: str, restitution: float) -> tuple[sg.Robot, list[sg.Contact]]:
    """Return a robot and a box (0.1 m), both on the ground, and two points of the robot that touch the box."""
    robot = replace(free_robot(robot_file(name)), gravity=(0.0, 0.0, -G))
    own = [replace(c, frame=f"robot/{c.frame}", friction=0.6, restitution=restitution) for c in few_contacts(robot)[:4]]
    box = sg.OtherBody("box/body", Box((2 * HALF, 2 * HALF, 2 * HALF)))
    corners = [sg.Contact("box/body", at=at, friction=0.6, restitution=restitution) for at in CORNERS]
    both = sg.world({"robot": robot, "box": free_body(1.0, 0.01 / 6.0)})
    return both, [*own, *corners, *(replace(c, against=box) for c in own[:2])]


def random_states(world: sg.Robot, contacts: list[sg.Contact], speed: float) -> tuple[np.ndarray, ...]:
    """Return positions, the box above all points of the robot, velocities (rad/s), and heights of grounds below (m)."""
    rng, states = np.random.default_rng(5), []
    poses = {c.frame: sg.forward_kinematics(world, c.frame) for c in contacts}
    floats = [n for n in world.joint_names if n.endswith(FLOATING)]
    for k in range(MOTIONS):
        q = world.close_loops(world.random(rng))
        for name in floats:
            turn = np.array([*np.sin(0.2 * rng.normal(size=3)), 1.0])
            q[world.q_slices[name]] = [0.0, 0.0, 0.0, *turn / np.linalg.norm(turn)]
        places = [(np.asarray(poses[c.frame](q)) @ [*c.at, 1.0])[:3] - [0.0, 0.0, c.radius] for c in contacts[:4]]
        x, y, _ = places[k % len(places)]
        above = max(p[2] + 2.0 * c.radius for p, c in zip(places, contacts, strict=False)) + 2.0 * HALF
        q[world.q_slices[f"box/{FLOATING}"]] = [x, y, above, 0.0, 0.0, 0.0, 1.0]
        K, qd = constraint_jacobian(world, q), speed * rng.normal(size=world.nv)
        qd -= np.linalg.pinv(K) @ (K @ qd)
        for name in floats:
            qd[world.v_slices[name]] = SLOW * rng.normal(size=6)
        states.append((q, qd, min(p[2] for p in places) - DROP))
    q, qd, heights = map(np.array, zip(*states, strict=True))
    return q, qd, heights


@pytest.mark.parametrize(
    ("name", "restitution", "speed"),
    [
        in_suites("planar_leg_linkage.urdf", 0.9, 2.0),
        in_suites("six_bar.urdf", 0.5, 2.0),
        in_suites("cassie_simple.sdf", 0.5, 2.0),
        in_suites("cassie_v2.sdf", 0.9, 2.0),
        in_suites("cassie_wo_gearbox_spring.sdf", 0.9, 10.0),
    ],
)
def test_robots_with_loops_and_a_box_on_a_map_make_no_energy(name, restitution, speed):
    world, contacts = world_with_box(name, restitution)
    (*start, low), tree = random_states(world, contacts, speed), without_loops(world)
    mass, place, middle = sg.mass_matrix(tree), sg.center_of_mass(tree), compile_middle_state(world)
    heights = low[:, None, None] + np.random.default_rng(6).uniform(-0.02, 0.02, (MOTIONS, 60, 60))
    ground = sg.HeightMap(heights, (-3.0, -3.0), 0.1, smooth=restitution > 0.5)
    for dt in (5e-4, 5e-3):
        simulator, energies = sg.Simulator(world, dt, *start, contacts=contacts, ground=ground), list[np.ndarray]()
        touched = np.zeros((MOTIONS, len(contacts)), dtype=bool)
        for _ in range(round(TIME / dt)):
            simulator.step()
            assert simulator.residual.max() < SOLVED
            touched |= (simulator.forces != 0.0).any(axis=2)
            q, qd = middle(simulator.q, simulator.qd, [dt])
            height = np.asarray(place(q))[:, 2]
            energies.append(world.mass * G * height + 0.5 * np.einsum("bi,bij,bj->b", qd, np.asarray(mass(q)), qd))
        assert max(np.abs(constraint_residual(world, q)).max() for q in simulator.q) < DIGITS
        gain = (np.array(energies) - energies[0]).max(axis=0) / (np.abs(energies[0]) + world.mass * G * DROP)
        assert gain.max() < 1e-4
        assert touched.any(axis=1).all()
