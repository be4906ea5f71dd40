"""Kernels of windows against dense linear algebra of NumPy."""

import numpy as np
import pytest

from screwgraph.compiler.kernels import address_of
from screwgraph.motion.planning.accuracy.window_kernels import compile_window_code

CODE = compile_window_code()


def call(name, *given):
    return CODE[name](*[address_of(x) if isinstance(x, np.ndarray) else x for x in given])


@pytest.mark.parametrize("n", [1, 2, 4, 7, 14, 37])
def test_norms_are_compared_as_singular_values_are(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        matrix = np.ascontiguousarray(rng.normal(size=(n, n)) @ np.diag(10.0 ** rng.uniform(-2, 2, n)))
        norm = np.linalg.norm(matrix, 2)
        for most, exceeds in ((norm * (1.0 - 1e-9), 1), (norm * (1.0 + 1e-9), 0), (0.1 * norm, 1), (10.0 * norm, 0)):
            assert call("exceeds_norm", matrix, np.empty((n, n)), n, most) == exceeds


def test_what_is_no_number_exceeds():
    assert call("exceeds_norm", np.array([[np.nan, 0.0], [0.0, 1.0]]), np.empty((2, 2)), 2, 3.0) == 1


@pytest.fixture
def chain():
    """Return defects, transitions, way and times of 40 steps of three coordinates."""
    rng = np.random.default_rng(2)
    count, nv = 40, 3
    transitions = np.eye(2 * nv) + 0.2 * rng.normal(size=(count, 2 * nv, 2 * nv))
    transitions[:, :nv, nv:] *= 0.03  # in a step, positions move by velocities times its time
    times = np.cumsum(rng.uniform(0.01, 0.05, count + 1))
    return rng.normal(size=(count, 2 * nv)), transitions, rng.uniform(0.5, 2.0, nv), times


def test_windows_begin_where_products_grow_too_large(chain):
    _, transitions, way, times = chain
    count, nv, most = len(transitions), len(way), 5.0
    begin, end = np.ascontiguousarray(times[:-1]), np.ascontiguousarray(times[1:])
    starts = np.zeros(count, dtype=np.int64)
    call("find_starts", transitions, way, begin, end, most, *np.empty((4, 6, 6)), starts, nv, count)
    first = np.flatnonzero(starts)
    assert first[0] == 0
    assert 1 < len(first) < count

    def size(a, b):
        scale = np.concatenate([way, way / (end[b - 1] - begin[a])])
        product = np.linalg.multi_dot([np.eye(6), *transitions[a:b][::-1]])
        return np.linalg.norm(product * scale / scale[:, None], 2)

    for a, b in zip(first, [*first[1:], count], strict=True):
        assert b == a + 1 or size(a, b) <= most
        assert b == count or size(a, b + 1) > most


def test_errors_of_windows_are_sums_of_what_steps_contribute(chain):
    """Begun without an error, a window ends off by its defects, each carried on by the transitions after it."""
    defects, transitions, way, _ = chain
    count, nv = len(transitions), len(way)
    starts = np.zeros(count, dtype=np.int64)
    starts[[0, 9, 10, 25]] = 1
    errors, ends, shares = np.zeros_like(defects), np.empty_like(defects), np.empty(count)
    call("accumulate_errors", defects, transitions, errors, starts, np.empty(2 * nv), ends, 2 * nv, count)
    call("share_errors", defects, transitions, way, starts, *np.empty((2, nv, 2 * nv)), shares, nv, count)
    for a, b in zip([0, 9, 10, 25], [9, 10, 25, count], strict=True):
        carried = []
        for k in range(a, b):
            onward = np.linalg.multi_dot([np.eye(6), np.eye(6), *transitions[k + 1 : b][::-1]])
            carried.append(onward @ defects[k])
            assert np.isclose(shares[k], (np.abs(carried[-1][:nv]) / way).max(), rtol=1e-12)
        assert np.allclose(ends[b - 1], np.sum(carried, axis=0), rtol=1e-11, atol=1e-11)


def test_errors_at_other_beginnings_are_linear_in_how_far_these_are(chain):
    """Defects at errors e hold where steps begin at e: elsewhere they change by the transition."""
    defects, transitions, way, _ = chain
    count, n = len(transitions), 2 * len(way)
    starts = np.zeros(count, dtype=np.int64)
    starts[0] = 1
    errors, ends = np.random.default_rng(3).normal(size=(count, n)), np.empty((count, n))
    call("accumulate_errors", defects, transitions, errors, starts, np.empty(n), ends, n, count)
    before = np.vstack([np.zeros(n), ends[:-1]])
    assert np.allclose(ends, defects + np.einsum("kij,kj->ki", transitions, before - errors), rtol=1e-12)
