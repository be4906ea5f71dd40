"""Which samples are fitted, and which are kept for validation: beside least squares on just these samples."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.identification.log_pass import SHORTEST
from screwgraph.motion.identification.streamed_qr import LEAVES, TriangleAccumulator
from tests.motion.identification.motions import fourier

SAMPLES = 50 * SHORTEST + 7
NOISE = 0.05


@pytest.mark.parametrize("held_out", [0, 2, 5])
def test_every_which_block_is_held_out_and_none_at_zero(held_out):
    robot = sg.load("rr")
    _, q, qd, qdd = fourier(robot.nv, SAMPLES, 0.01)
    rng, base = np.random.default_rng(0), sg.base_parameters(robot)
    tau = sg.inverse_dynamics(robot)(q, qd, qdd)
    tau += NOISE * rng.standard_normal(tau.shape)
    found = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau}, held_out=held_out)
    block = np.arange(SAMPLES) // SHORTEST + 1
    kept = block % held_out == 0 if held_out else np.zeros(SAMPLES, dtype=bool)
    Y = sg.regressor(robot)(q, qd, qdd)[:, :, list(base.independent)]
    fitted, *_ = np.linalg.lstsq(Y[~kept].reshape(-1, base.rank), tau[~kept].ravel(), rcond=None)
    # Joints are weighted by their noise as it was found, to a percent; without one block in five, half a sigma is off.
    np.testing.assert_allclose(found.base_values, fitted, rtol=0.0, atol=0.05 * found.base_sigma.max())
    seen = kept if held_out else ~kept
    left = np.sqrt(((tau - Y @ fitted)[seen] ** 2).mean(axis=0))
    np.testing.assert_allclose([found.validation[name] for name in robot.joint_names], left, rtol=0.01)


@pytest.mark.parametrize("held_out", [0, 3])
def test_no_block_of_a_long_log_is_lost(held_out):
    """So many blocks that they are merged by eights: the squares of fitted and held-out rows are those of all."""
    rng, count = np.random.default_rng(1), 9 * LEAVES + 5
    rows = rng.standard_normal((count, 4, 1, 3))
    collected = TriangleAccumulator((np.ones(3, dtype=bool),), held_out)
    for block in rows:
        collected.add(block[..., :2], block[..., 2])
    held = np.arange(1, count + 1) % held_out == 0 if held_out else np.zeros(count, dtype=bool)
    for leaves, own in ((collected.finish(), rows[~held]), ([collected.others], rows[held])):
        kept = [leaf for leaf in leaves if leaf is not None]
        squares = sum((leaf.triangles[0].T @ leaf.triangles[0] for leaf in kept), np.zeros((3, 3)))
        np.testing.assert_allclose(squares, np.einsum("btik,btil->kl", own, own), atol=1e-12 * count)
        assert sum(leaf.counts[0] for leaf in kept) == 4 * len(own)
