"""Steps that sweeps do not solve: feet and fingers that press against one another, where Newton's method goes on."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import screwgraph as sg
from screwgraph.motion.simulation.contacts.laws.laws import Cone, DryFriction, Range, SearchedCone
from screwgraph.motion.simulation.contacts.laws.newton import rotate_row, substitute_back
from screwgraph.motion.simulation.contacts.laws.rubbing_range import RubbingRange
from screwgraph.motion.simulation.contacts.laws.sweeps import PATIENT
from tests.motion.simulation.contacts.bodies import feet, quadruped, standing

DT, STEP = 1e-3, 1e-7
LAWS = (
    (Cone(), [0.6]),
    (SearchedCone(), [0.6]),
    (Range(), [-0.3, 0.4]),
    (DryFriction(), [0.2]),
    (RubbingRange(), [-0.3, 0.4, 0.2]),
)


@given(st.integers(0, 2**32 - 1), st.sampled_from(LAWS))
def test_slopes_are_derivatives_of_residuals(seed, pair):
    (law, values), rng = pair, np.random.default_rng(seed)
    n = law.rows
    half = rng.normal(size=(n, n))
    G = half @ half.T + 0.3 * np.eye(n)
    prepared = law.prepare([list(G[i, : i + 1]) for i in range(n)])
    x, w = rng.normal(size=(2, n))

    def residual(x, w):
        return np.array(law.residual(x, w, values, prepared))

    def slope(vary, step):
        return np.stack([(vary(step * e) - vary(-step * e)) / (2.0 * step) for e in np.eye(n)], axis=1)

    compared = 0
    for vary, own in zip(
        (lambda e: residual(x + e, w), lambda e: residual(x, w + e)), law.slopes(x, w, values, prepared), strict=True
    ):
        found = slope(vary, STEP)
        if np.abs(found - slope(vary, STEP / 3.0)).max() < 1e-5:  # no kink is near
            np.testing.assert_allclose(np.array(own, dtype=float), found, atol=1e-5)
            compared += 1
    assert compared


def test_rotated_rows_are_solved_by_least_squares():
    """Of a matrix whose condition is 1e11: its normal equations have none of these digits."""
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(5, 5)), rng.normal(size=5)
    A[4] = A[3] + 1e-11 * A[4]
    share = 1e-13
    triangle = np.hstack([share * np.eye(5), np.zeros((5, 1))])
    for row in np.hstack([A, b[:, None]]):
        triangle = np.reshape(rotate_row(triangle.tolist(), row.tolist()), (5, 6))
    found = substitute_back(triangle.tolist())
    expected = np.linalg.lstsq(np.vstack([A, share * np.eye(5)]), np.concatenate([b, np.zeros(5)]), rcond=None)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_feet_that_press_against_one_another():
    """Quadrupeds whose feet do not slide as they sink; Delassus matrices have eigenvalues from 1e-10 to 16.

    Sweeps alone leave up to 1e-5 m/s in a tenth of the steps. In batches hard steps go beside easy ones; each motion is
    the same as alone, to the last bit.
    """
    robot, heights = quadruped(), np.linspace(0.33, 0.37, 9)
    heavy = {"body.mass": 9.0, "a_hip.damping": 2.0, "b_knee.armature": 0.05, "gravity": [0.5, 0.0, -9.0]}
    starts = np.array([standing(robot, height) for height in heights])
    batch = sg.Simulator(robot, DT, starts, contacts=feet(), parameters=heavy)
    hard = unsolved = 0
    for _ in range(150):
        batch.step()
        assert batch.residual.max() < 1e-6
        unsolved += int((batch.residual > 1e-9).sum())
        hard += int((batch._solution[:, 1] > PATIENT).sum())
    assert hard > 40
    assert unsolved < 0.1 * hard
    for i in (0, 4):
        one = sg.Simulator(robot, DT, starts[i], contacts=feet(), parameters=heavy)
        one.step(steps=150)
        np.testing.assert_array_equal(one.q, batch.q[i])
        np.testing.assert_array_equal(one.forces, batch.forces[i])
