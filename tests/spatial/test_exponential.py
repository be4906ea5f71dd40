import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from screwgraph.spatial import exp3, exp6, log3, log6, log_rate, log_rate_change, skew
from screwgraph.tape import Tape, jacobian, program

ANGLES = (0.0, 1e-9, 1e-3, 0.09, 0.11, 1.0, 3.0, 3.14159, 3.1415926535)


@pytest.mark.parametrize("angle", ANGLES)
def test_exponentials_and_logarithms_are_those_of_matrices(angle):
    rng = np.random.default_rng(0)
    for _ in range(20):
        w, v = rng.standard_normal(3), rng.standard_normal(3)
        w *= angle / np.linalg.norm(w)
        R = exp3(w)
        assert np.abs(R - Rotation.from_rotvec(w).as_matrix()).max() < 1e-14
        assert np.abs(log3(R) - w).max() < 1e-13
        twist = np.concatenate([w, v])
        matrix = np.zeros((4, 4))
        matrix[:3, :3], matrix[:3, 3] = skew(w), v
        T = exp6(twist)
        assert np.abs(T - expm(matrix)).max() < 1e-12
        assert np.abs(log6(T) - twist).max() < 1e-11


def test_derivatives_are_finite_and_exact_at_zero_and_elsewhere():
    tape = Tape(merge="form")
    x = tape.inputs("x", (6,))
    there_and_back = list(log6(exp6(x)))
    entries = [row.get(j, 0.0) for row in jacobian(there_and_back, list(x)) for j in range(6)]
    code = program(tape, [*there_and_back, *entries])
    for twist in (np.zeros(6), np.array([1e-5, 0, 0, 1, 2, 3]), np.array([0.3, -0.2, 2.0, 1, 2, 3])):
        found = np.array(code.evaluate(twist), dtype=float)
        assert np.abs(found[:6] - twist).max() < 1e-13
        assert np.abs(found[6:].reshape(6, 6) - np.eye(6)).max() < 1e-10


def differentiate(f, step=1e-3):
    """Return the derivative at zero by five points: the error is of the fourth order."""
    return (8.0 * (f(step) - f(-step)) - (f(2.0 * step) - f(-2.0 * step))) / (12.0 * step)


@pytest.mark.parametrize("angle", [0.02, 0.09, 0.11, 1.0, 2.5])
def test_rates_of_rotation_vectors_are_those_of_turning_bodies(angle):
    rng = np.random.default_rng(1)
    for _ in range(5):
        phi, omega, phid = rng.standard_normal((3, 3))
        phi *= angle / np.linalg.norm(phi)
        turned = differentiate(
            lambda t, phi=phi, omega=omega: (Rotation.from_rotvec(phi) * Rotation.from_rotvec(t * omega)).as_rotvec()
        )
        assert np.abs(log_rate(phi, omega) - turned).max() < 1e-9
        changed = differentiate(lambda t, phi=phi, omega=omega, phid=phid: log_rate(phi + t * phid, omega))
        assert np.abs(log_rate_change(phi, phid, omega) - changed).max() < 1e-9
