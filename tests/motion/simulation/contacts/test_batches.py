"""Many motions with contacts at once: the same as one by one, to the last bit; numbers of contacts for each."""

import numpy as np
import pytest

import screwgraph as sg
from tests.motion.simulation.contacts.bodies import feet, quadruped, standing

DT = 1e-3
ROBOT = quadruped()
HEIGHTS = np.linspace(0.34, 0.4, 21)


def starts() -> np.ndarray:
    q = np.tile(standing(ROBOT), (len(HEIGHTS), 1))
    q[:, 2] = HEIGHTS
    return q


@pytest.mark.parametrize("threads", [1, 2])
def test_batches_are_single_motions(threads):
    friction = np.linspace(0.1, 1.0, len(HEIGHTS))
    batch = sg.Simulator(ROBOT, DT, starts(), contacts=feet(friction=friction), threads=threads)
    batch.step(steps=60)
    assert batch.residual.max() < 1e-9
    for i in (0, 7, 20):
        one = sg.Simulator(ROBOT, DT, starts()[i], contacts=feet(friction=float(friction[i])))
        one.step(steps=60)
        for name in ("q", "qd", "forces", "gaps"):
            np.testing.assert_array_equal(getattr(batch, name)[i], getattr(one, name))


def test_rollouts_are_those_of_a_simulator():
    simulator = sg.Simulator(ROBOT, DT, starts(), contacts=feet())
    simulator.step(steps=60)
    runs = sg.rollout(ROBOT, starts(), time=0.06, dt=DT, contacts=feet(), every=20)
    np.testing.assert_array_equal(runs.q[:, -1], simulator.q)
    np.testing.assert_array_equal(runs.forces[:, -1], simulator.forces)
    assert runs.forces.shape == (len(HEIGHTS), 4, 4, 3)
    assert runs.residual.max() < 1e-9
    assert not runs.forces[:, 0].any()


def test_a_simulation_has_the_wrenches_of_its_contacts():
    q0 = standing(ROBOT)
    run = sg.simulate(ROBOT, q0, time=0.2, dt=DT, contacts=feet())
    simulator = sg.Simulator(ROBOT, DT, q0, contacts=feet())
    simulator.step(steps=200)
    np.testing.assert_array_equal(run.q[-1], simulator.q)
    frames = list(run.external_wrenches)
    assert frames == ["a_calf", "b_calf", "c_calf", "d_calf"]
    assert any(np.abs(wrench).max() > 1.0 for wrench in run.external_wrenches.values())


def test_single_precision_has_seven_digits():
    exact = sg.rollout(ROBOT, starts(), time=0.05, dt=DT, contacts=feet())
    short = sg.rollout(ROBOT, starts(), time=0.05, dt=DT, contacts=feet(), dtype="float32")
    np.testing.assert_allclose(short.q[:, -1], exact.q[:, -1], atol=2e-5)
    assert short.residual.max() < 1e-4


def test_simulators_of_single_precision_stand_and_carry_their_weight():
    """One state and many, torques of either type: residuals are a few roundings of 1 m/s, and say so."""
    hold = np.concatenate([np.zeros(6), np.tile([0.0, 3.0], 4)])
    for q0 in (standing(ROBOT), np.stack([standing(ROBOT)] * 9)):
        exact = sg.Simulator(ROBOT, DT, q0, contacts=feet())
        short = sg.Simulator(ROBOT, DT, q0, contacts=feet(), dtype="float32")
        for simulator in (exact, short):
            for tau in (hold, hold.astype("float32")):
                simulator.step(tau, steps=40)
        assert short.q.dtype == short.forces.dtype == np.float32
        np.testing.assert_allclose(short.q, exact.q, atol=2e-5)
        np.testing.assert_allclose(short.forces, exact.forces, atol=1e-3 * exact.forces.max())
        assert 0.0 < np.max(short.residual) < 16 * np.finfo(np.float32).eps
