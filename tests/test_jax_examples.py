"""The examples with JAX: gradients are those of differences; short runs lower the cost, long ones reach their goals."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg

jax = pytest.importorskip("jax", reason="pip install 'screwgraph[jax]'")

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture(autouse=True)
def _beside_the_scripts(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.chdir(tmp_path)
    with jax.enable_x64(True):
        yield


def run(script, monkeypatch, capsys, *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", [script.__name__, *arguments])
    script.main()
    return capsys.readouterr().out


def number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    assert found, text
    return float(found[1])


@pytest.mark.suite
def test_the_policy_gradient_is_that_of_differences(monkeypatch):
    import jax_policy_gradient as script

    monkeypatch.setattr(script, "STEPS", 20)
    forward = sg.forward_dynamics(sg.load("cart_pole")).jax()
    params = script.network(np.random.default_rng(1))
    starts = script.starts(np.random.default_rng(2), 2)
    cost = jax.jit(lambda p: script.cost(forward, p, starts))
    slope = jax.jit(jax.grad(cost))(params)
    along = jax.tree.map(lambda s: s / np.sqrt(sum((x**2).sum() for x in jax.tree.leaves(slope))), slope)
    high, low = (cost(jax.tree.map(lambda p, d, h=h: p + h * d, params, along)) for h in (1e-5, -1e-5))
    steepness = sum((s * d).sum() for s, d in zip(jax.tree.leaves(slope), jax.tree.leaves(along), strict=True))
    assert (high - low) / 2e-5 == pytest.approx(float(steepness), rel=1e-6)


def test_a_policy_improves_and_is_drawn(monkeypatch, capsys):
    import jax_policy_gradient as script

    printed = run(script, monkeypatch, capsys, "--iterations", "20")
    assert number(r"iteration  19: cost ([\d.]+)", printed) < 0.5 * number(r"iteration   0: cost ([\d.]+)", printed)
    assert Path("out/jax-policy-gradient.svg").exists()


@pytest.mark.suite
def test_a_policy_learns_to_swing_up(monkeypatch, capsys):
    import jax_policy_gradient as script

    assert number(r"rad: (\d+) of 100", run(script, monkeypatch, capsys)) >= 80


@pytest.mark.suite
def test_a_trajectory_nears_its_goal_and_is_drawn(monkeypatch, capsys):
    import jax_trajectory as script

    monkeypatch.setattr(script, "WEIGHTS", (10.0,))
    printed = run(script, monkeypatch, capsys, "--iterations", "40")
    assert number(r"at the end ([\d.]+) mm", printed) < 300.0  # 510 mm at the start
    assert Path("out/jax-trajectory.svg").exists()


@pytest.mark.suite
def test_a_trajectory_reaches_its_goal_past_the_ball(monkeypatch, capsys):
    import jax_trajectory as script

    printed = run(script, monkeypatch, capsys)
    assert number(r"at the end ([\d.]+) mm", printed) < 2.0
    assert number(r"ball: (-?[\d.]+) mm", printed) > -1.0
