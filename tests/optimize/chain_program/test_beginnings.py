"""What an interior point begins with."""

import pytest

from screwgraph.optimize.chain_program import Bound
from screwgraph.optimize.chain_program.bounds import Barrier
from screwgraph.optimize.chain_program.function import compile_chain_program
from screwgraph.optimize.chain_program.stage_code import StageCode


@pytest.mark.parametrize("penalty", [(1e3, 1e4), (1e-3, 1e4), (100.0, 0.0)])
@pytest.mark.parametrize("away", [2.0, 1e-3, -0.5])
@pytest.mark.parametrize("mu", [1.0, 1e-6])
@pytest.mark.parametrize("lower", [True, False])
def test_soft_bounds_begin_on_the_central_path_where_they_are_kept(penalty, away, mu, lower):
    """t = d + e, t y = mu, and y + z = l1 + l2 e, unless z would be less than e z = mu makes it."""
    v = 0.3 + (away if lower else -away)
    t, y, e, z = Barrier(Bound(0, lower, soft=True), 0.3, (), mu, penalty).begin(v)
    l1, l2 = penalty
    assert min(t, y, e, z) > 0.0
    assert t == pytest.approx(away + e, rel=1e-9, abs=1e-12)
    assert t * y == pytest.approx(mu)
    assert e * z >= mu * (1.0 - 1e-9)
    assert y + z == pytest.approx(l1 + l2 * e) or (e * z == pytest.approx(mu) and y + z > l1 + l2 * e)
    if away > 1.0:  # well within, all three hold
        assert e * z < 4.0 * mu


def test_code_of_wide_stages_is_made_of_rows_alone(monkeypatch):
    """Straight-line code of such a stage took an eighth of what a humanoid's controller took to build."""

    def make(*_):
        pytest.fail("straight-line code of a wide stage")

    for name in ("condense", "factor", "roll", "measure", "update"):
        monkeypatch.setattr(StageCode, name, make)
    bounds = tuple(Bound(i, lower) for lower in (True, False) for i in range(4))
    assert compile_chain_program(3, 12, 4, inputs=bounds).body is not None


@pytest.mark.parametrize("mu", [1e-3, 1e-4])
@pytest.mark.parametrize("last", [(20.0, 1e-6, 1e-8, 100.0), (1e-6, 5.0, 1e-8, 95.0), (1e-5, 100.0, 0.2, 1e-5)])
def test_numbers_that_go_on_follow_a_barrier_that_grows(last, mu):
    """Newton's step of a far bound has then the slope of mu / t at least; near ones keep their multipliers."""
    t, y, e, z = Barrier(Bound(0, True, soft=True), 0.3, last, mu, (100.0, 1e4)).keep()
    assert (t, e) == (last[0], last[2])
    for distance, multiplier, before in ((t, y, last[1]), (e, z, last[3])):
        assert multiplier == pytest.approx(max(before, mu / max(distance, 0.01)))
