"""Estimates are as sure as they say: NEES and coverage over random robots and mechanisms with random sensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, chi2

import screwgraph as sg
from tests.motion.estimation.random_mechanisms import random_mechanism
from tests.motion.estimation.random_robots import random_robot
from tests.motion.estimation.subjects import NOISE, Subject, draw
from tests.suites import record

SURE = 1e-4
"""Probability that a consistent estimator fails a test; seeds are fixed."""
KINDS = ("tree", "floating", "loop", "mechanism")
MODELS = {"tree": 1, "floating": 1, "loop": 0, "mechanism": 0}
"""Seeds of the models that every run takes."""
RUNS, MANY, EACH = 8, 8, 8
NORMAL, COVERED = 1.96, 0.95


@dataclass(frozen=True)
class Errors:
    """Of one estimate: squares of normalised errors and their degrees of freedom, by what is estimated.

    `covered` of `of` errors of positions, decorrelated, are within 1.96 standard deviations.
    """

    squares: dict[str, tuple[float, int]]
    covered: int
    of: int


def subject(kind: str, seed: int, folder: Path) -> Subject:
    """Make a random model."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    return random_mechanism(rng, folder) if kind == "mechanism" else random_robot(rng, kind)


def errors(it: Subject, seed: int) -> Errors:
    """Draw the truth, estimate it from noisy readings, and compare, states at one of the times."""
    rng = np.random.default_rng(seed)
    true = draw(it, rng)
    start = {"q0": it.start[0], "qd0": it.start[1]}
    given = {"sensors": it.sensors, "inputs": it.inputs, "noise": NOISE, **start}
    found = sg.estimate(it.model, true.table, tuple(it.parameters), **given)
    assert found.status.value == "converged"
    assert found.model_error < 4.0
    families = {family.name: family for family in found.result.problem.families}
    k, chosen = int(rng.integers(len(found.t))), list(it.independent)
    off = {
        "q": families["q"].manifold.difference(true.run.q[k], found.q[k])[chosen],
        "qd": (found.qd - true.run.qd)[k, chosen],
    }
    spread = {name: found.result.covariances(families[name])[k][np.ix_(chosen, chosen)] for name in off}
    off["parameters"] = np.array([found.parameters[name] - value for name, value in true.parameters.items()])
    spread["parameters"] = found.covariance
    if it.inputs:
        off["torques"] = (found.tau - true.run.tau)[k][found.tau_sigma[k] > 0.0]
        spread["torques"] = found.result.covariances(families["tau"])[k]
    squares = {name: (float(e @ np.linalg.solve(spread[name], e)), len(e)) for name, e in off.items()}
    normal = np.linalg.solve(np.linalg.cholesky(spread["q"]), off["q"])
    return Errors(squares, int((np.abs(normal) < NORMAL).sum()), len(normal))


def summary(found: Sequence[Errors]) -> dict[str, tuple[float, int]]:
    """Return sums of squares and their degrees of freedom, by what is estimated."""
    names = dict.fromkeys(name for e in found for name in e.squares)
    parts = {name: [e.squares[name] for e in found if name in e.squares] for name in names}
    return {name: (sum(s for s, _ in own), sum(dof for _, dof in own)) for name, own in parts.items()}


def are_consistent(found: Sequence[Errors]) -> bool:
    """Whether sums of normalised squared errors are samples of chi square; errors of different runs are independent."""
    return all(
        chi2.ppf(SURE / 2.0, dof) < total < chi2.ppf(1.0 - SURE / 2.0, dof) for total, dof in summary(found).values()
    )


def is_covered(found: Sequence[Errors]) -> bool:
    """Whether as many errors are within 1.96 standard deviations as of independent normal numbers."""
    covered, of = sum(e.covered for e in found), sum(e.of for e in found)
    return bool(binom.ppf(SURE / 2.0, of, COVERED) <= covered <= binom.ppf(1.0 - SURE / 2.0, of, COVERED))


@pytest.mark.parametrize(
    "kind", [kind if kind == "mechanism" else pytest.param(kind, marks=pytest.mark.suite) for kind in KINDS]
)
def test_errors_are_what_covariances_say(kind, tmp_path):
    it = subject(kind, MODELS[kind], tmp_path)
    found = [errors(it, seed) for seed in range(RUNS)]
    assert are_consistent(found), summary(found)
    assert is_covered(found)


@pytest.mark.suite
@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_many_models_are_what_covariances_say(kind, tmp_path):
    """The long form: a row of docs/suites/estimate.md for each kind."""
    models = [subject(kind, seed, tmp_path) for seed in range(MANY)]
    found = [errors(it, 1000 * number + seed) for number, it in enumerate(models) for seed in range(EACH)]
    record("estimate", **row(kind, found))
    assert are_consistent(found), summary(found)
    assert is_covered(found)


def row(kind: str, found: Sequence[Errors]) -> dict[str, str]:
    """Return mean squares for each degree of freedom with the range of 95 % of such means, and the share covered."""
    cells = {"models": f"{MANY} of kind {kind!r}", "estimates": str(len(found))}
    for name, (total, dof) in summary(found).items():
        low, high = chi2.ppf([0.025, 0.975], dof) / dof
        cells[f"NEES of {name}"] = f"{total / dof:.2f} ({low:.2f} to {high:.2f})"
    return cells | {"covered": f"{sum(e.covered for e in found)} of {sum(e.of for e in found)}"}
