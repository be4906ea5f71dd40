"""Estimates are as sure as they say: NEES and coverage over random robots and mechanisms with random sensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, chi2

import screwgraph as sg
from screwgraph.estimation import ModelNoise
from tests.estimation.random_models import BELIEVED, Subject, subject_of_mechanism, subject_of_robot
from tests.suites import record

SURE = 1e-4
"""Probability that a consistent estimator fails a test; seeds are fixed."""
EXACT = replace(ModelNoise().times(0.1), parameters=BELIEVED)
"""True motions follow the model: what it may be off by is well below what sensors leave open."""
KINDS = ("tree", "floating", "loop", "mechanism")
MODELS = {"tree": 1, "floating": 1, "loop": 0, "mechanism": 0}
"""Seeds of the models that every run takes."""
RUNS, MANY = 8, 20
NORMAL, COVERED = 1.96, 0.95


@dataclass(frozen=True)
class Errors:
    """Of one estimate: squares of normalised errors and their degrees of freedom, by what is estimated.

    `covered` of `of` errors of positions, decorrelated, are within 1.96 standard deviations.
    """

    squares: dict[str, tuple[float, int]]
    covered: int
    of: int


def subject(kind: str, seed: int, folder: Any, off: Any = (-1.0, 1.0)) -> Subject:
    """Make a random model, with true parameters so many standard deviations from what its file says."""
    rng, z = np.random.default_rng(seed), np.array(off)
    return subject_of_mechanism(rng, folder, z) if kind == "mechanism" else subject_of_robot(rng, kind, z)


def errors(it: Subject, seed: int) -> Errors:
    """Estimate from noisy readings, and compare with the truth."""
    table = it.table(np.random.default_rng(seed))
    start = {"q0": it.run.q[0], "qd0": it.run.qd[0]}
    found = sg.estimate(it.model, table, tuple(it.truth), sensors=it.sensors, noise=EXACT, **start)
    assert found.status.value == "converged"
    assert found.model_error < 4.0
    families = {family.name: family for family in found.result.problem.families}
    manifold, chosen = families["q"].manifold, list(it.independent)
    away = np.array([manifold.difference(a, b) for a, b in zip(it.run.q, found.q, strict=True)])
    off = {"q": away, "qd": found.qd - it.run.qd}
    k, squares = len(found.t) // 2, {}
    for name, error in off.items():
        block = found.result.covariances(families[name])[k][np.ix_(chosen, chosen)]
        squares[name] = (float(error[k, chosen] @ np.linalg.solve(block, error[k, chosen])), len(chosen))
    wrong = np.array([found.parameters[name] - value for name, value in it.truth.items()])
    squares["parameters"] = (float(wrong @ np.linalg.solve(found.covariance, wrong)), len(wrong))
    covariance = found.result.covariances(families["q"])[k][np.ix_(chosen, chosen)]
    normal = np.linalg.solve(np.linalg.cholesky(covariance), off["q"][k, chosen])
    return Errors(squares, int((np.abs(normal) < NORMAL).sum()), len(normal))


def summary(found: Sequence[Errors]) -> dict[str, tuple[float, int]]:
    """Return sums of squares and their degrees of freedom, by what is estimated."""
    names = found[0].squares
    return {n: (sum(e.squares[n][0] for e in found), sum(e.squares[n][1] for e in found)) for n in names}


def are_consistent(found: Sequence[Errors]) -> bool:
    """Whether sums of normalised squared errors are samples of chi square; errors of different runs are independent."""
    return all(
        chi2.ppf(SURE / 2.0, dof) < total < chi2.ppf(1.0 - SURE / 2.0, dof) for total, dof in summary(found).values()
    )


def is_covered(found: Sequence[Errors]) -> bool:
    """Whether as many errors are within 1.96 standard deviations as of independent normal numbers."""
    covered, of = sum(e.covered for e in found), sum(e.of for e in found)
    return bool(binom.ppf(SURE / 2.0, of, COVERED) <= covered <= binom.ppf(1.0 - SURE / 2.0, of, COVERED))


@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_what_covariances_say(kind, tmp_path):
    it = subject(kind, MODELS[kind], tmp_path)
    found = [errors(it, seed) for seed in range(RUNS)]
    assert are_consistent(found), summary(found)
    assert is_covered(found)


@pytest.mark.suite
@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_many_models_are_what_covariances_say(kind, tmp_path):
    """The long form: a row of docs/suites/estimate.md for each kind."""
    drawn = np.random.default_rng(0).normal(size=(MANY, 2)).clip(-2.5, 2.5)
    found = [errors(subject(kind, seed, tmp_path, off), seed) for seed, off in enumerate(drawn)]
    record("estimate", **row(kind, found))
    assert are_consistent(found), summary(found)
    assert is_covered(found)


def row(kind: str, found: Sequence[Errors]) -> dict[str, str]:
    """Return mean squares for each degree of freedom with the range of 95 % of such means, and the share covered."""
    cells = {"models": f"{len(found)} of kind {kind!r}"}
    for name, (total, dof) in summary(found).items():
        low, high = chi2.ppf([0.025, 0.975], dof) / dof
        cells[f"NEES of {name}"] = f"{total / dof:.2f} ({low:.2f} to {high:.2f})"
    return cells | {"covered": f"{sum(e.covered for e in found)} of {sum(e.of for e in found)}"}
