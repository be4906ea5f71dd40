"""Horizons of random robots on feet, closed chains, planar mechanisms, of motors on joints or actuators, beside IPOPT.

It has equations of its own.
"""

import numpy as np
import pytest

pytest.importorskip("casadi")

from tests.motion.control.predictive.random_actuators import draw_driven, draw_driven_feet, draw_driven_loops
from tests.motion.control.predictive.random_feet import bend_legs, draw_standing
from tests.motion.control.predictive.random_horizons import compare, settle
from tests.motion.control.predictive.random_loops import draw_linked
from tests.motion.control.predictive.random_mechanisms import draw_planar
from tests.suites import in_suites, record

DRAW = {
    "robots on feet": draw_standing,
    "closed chains": draw_linked,
    "planar mechanisms": lambda seed, folder: draw_planar(seed),
    "trees with actuators": draw_driven,
    "robots on feet with actuators": draw_driven_feet,
    "closed chains with actuators": draw_driven_loops,
}
STRAIGHT = 0.04
"""Volume of a leg's Jacobian below which feet are held by damped least squares at some instant, as IPOPT's are not."""


@pytest.mark.parametrize(
    ("kind", "seeds"),
    [
        ("robots on feet", (10, 15)),
        ("closed chains", (4, 10)),
        ("planar mechanisms", (3, 5)),
        ("trees with actuators", (2, 4, 5)),
        ("robots on feet with actuators", (4,)),
        ("closed chains with actuators", (0, 3)),
        *(in_suites("robots on feet", tuple(range(k, k + 12))) for k in (0, 12, 24)),
        *(in_suites(kind, tuple(range(40))) for kind in ("closed chains", "planar mechanisms")),
        *(in_suites(kind, tuple(range(16))) for kind in DRAW if kind.endswith("with actuators")),
    ],
)
def test_optima_are_those_of_ipopt(kind, seeds, tmp_path):
    """Of those that converge: costs within 1e-6, first efforts within 5e-5 of their limits."""
    gaps, solved, straight = [], 0, 0
    for seed in seeds:
        drawn = DRAW[kind](seed, tmp_path)
        found = settle(drawn)
        assert all(np.isfinite(value).all() for value in found if value is not None)
        if "feet" in kind and bend_legs(drawn, found.states) < STRAIGHT:
            straight += 1
            continue
        if found.solution[0] != 0.0:
            continue
        solved += 1
        gap, apart = compare(drawn, found)
        gaps.append(gap)
        assert abs(gap) < 1e-6, (seed, gap)
        assert apart < 5e-5, (seed, apart)
    assert solved > 0.85 * (len(seeds) - straight)
    if len(seeds) > 10:
        cells = {
            "robot": f"random {kind}",
            "states": f"drawn with limits, {seeds[0]} to {seeds[-1]}",
            "starts": len(seeds) - straight,
        }
        apart = f"{np.abs(gaps).max():.0e}"
        record("horizons", **cells, **{"converged": solved, "beside IPOPT": len(gaps), "cost apart": apart})
