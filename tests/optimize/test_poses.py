import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from screwgraph.optimize import SO3, Problem, Variables, Vector, each, soft, solve
from screwgraph.optimize.value_layout import ValueLayout
from screwgraph.spatial import log3

from .graphs import pose_ring


def test_a_ring_of_exact_measurements_is_closed():
    problem, start, truth = pose_ring(6, noise=0.0)
    result = solve(problem, start)
    assert result.success
    assert result.cost < 1e-18
    assert np.abs(result.values["T"] - truth).max() < 1e-9


def test_a_noisy_ring_has_the_optimum_of_scipy_on_rotation_vectors():
    problem, start, truth = pose_ring(4, noise=0.1)
    result = solve(problem, start)
    measured = problem["relative"].each["T_ab"]
    weights = np.array([0.1, 0.1, 0.1, 0.3, 0.3, 0.3])

    def left(w):
        """What linear velocity becomes under a turn: the integral of its rotation."""
        t, W = np.linalg.norm(w), np.cross(np.eye(3), -w)
        return np.eye(3) + (1 - np.cos(t)) / t**2 * W + (t - np.sin(t)) / t**3 * W @ W

    def exp(d):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = Rotation.from_rotvec(d[:3]).as_matrix(), left(d[:3] + 1e-12) @ d[3:]
        return T

    def log(T):
        w = Rotation.from_matrix(T[:3, :3]).as_rotvec()
        return np.concatenate([w, np.linalg.solve(left(w + 1e-12), T[:3, 3])])

    def residuals(d):
        T = [P @ exp(e) for P, e in zip(truth, d.reshape(-1, 6), strict=True)]
        ties = [log(np.linalg.inv(m) @ np.linalg.inv(T[i]) @ T[(i + 1) % 4]) / weights for i, m in enumerate(measured)]
        return np.concatenate([*ties, log(np.linalg.inv(truth[0]) @ T[0]) / 0.01])

    theirs = least_squares(residuals, np.zeros(24), xtol=1e-12, ftol=1e-12)
    assert result.cost == pytest.approx(theirs.cost, rel=1e-8)


def test_the_mean_of_rotations_lies_between_them():
    turns = np.array([[0.0, 0.0, 0.4], [0.0, 0.0, -0.2], [0.0, 0.0, 0.7]])
    R = Variables("R", SO3())
    measured = np.array([SO3().retract(np.eye(3), turn) for turn in turns])
    result = solve(Problem([soft(lambda R, *, at: log3(at.T @ R), R, at=each(measured), name="near")]))
    assert np.allclose(log3(result.values["R"][0]), [0, 0, 0.3], rtol=0, atol=1e-10)


def test_families_move_along_their_own_directions_wherever_vectors_stand_beside_rotations():
    rng, vectors = (
        np.random.default_rng(2),
        [Variables(name, Vector(dim), 2) for name, dim in zip("abc", (1, 3, 2), strict=True)],
    )
    layout = ValueLayout((vectors[0], vectors[1], Variables("R", SO3(), 3), vectors[2]))
    start = {"a": rng.normal(size=(2, 1)), "b": rng.normal(size=(2, 3)), "c": rng.normal(size=(2, 2))}
    start["R"] = Rotation.random(3, random_state=4).as_matrix()
    d = rng.normal(size=layout.size)
    moved = layout.unpack(layout.retract(layout.pack(start), d))
    for name in "abc":
        np.testing.assert_array_equal(moved[name].ravel(), start[name].ravel() + d[layout.directions[name]])
    turns = Rotation.from_rotvec(d[layout.directions["R"]].reshape(3, 3)).as_matrix()
    np.testing.assert_allclose(moved["R"], start["R"] @ turns, atol=1e-12)
