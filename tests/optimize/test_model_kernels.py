"""Numbers that factors have written, scaled and summed: as Python and as machine code, against NumPy."""

import numpy as np
import pytest

from screwgraph.compiler.kernels import address_of
from screwgraph.optimize.methods.model_kernels import CostNumbers, RowNumbers, compile_model_code, finish_model


def in_python(tables, *given):
    finish_model(*tables, *given)


def compiled(tables, relaxed, part, found):
    addresses = [a for table in tables for a in table.addresses]
    compile_model_code()["finish_model"](*addresses, relaxed, part, address_of(found))


def make_rows(rng, count, scaled):
    scales, slope_scales = rng.uniform(0.5, 2.0, (2, 2 * count))
    return RowNumbers(
        residuals=rng.normal(size=count),
        scaled=np.empty(count),
        slopes=rng.normal(size=2 * count),
        scales=scales,
        slope_scales=slope_scales,
        sizes=np.array([count, 2 * count, scaled, scaled]),
    )


@pytest.mark.parametrize("call", [in_python, compiled], ids=["Python", "machine code"])
@pytest.mark.parametrize("scaled", [0, 1])
def test_models_are_scaled_sums(call, scaled):
    rng = np.random.default_rng(4)
    equal, unequal = make_rows(rng, 5, scaled), make_rows(rng, 7, scaled)
    targets = np.array([0, 3, 3, 1, 0, 2, 2, 3])
    cost = CostNumbers(
        costs=rng.uniform(size=3),
        parts=rng.normal(size=8),
        targets=targets,
        gradient=np.empty(4),
        entries=rng.normal(size=6),
        units=rng.uniform(1.0, 2.0, 4),
        products=rng.uniform(1.0, 2.0, 6),
        sizes=np.array([3, 8, 4, 6, scaled]),
    )
    slopes, entries, found = equal.slopes.copy(), cost.entries.copy(), np.empty(2)
    call((equal, unequal, cost), 0.01, 0.25, found)
    scale = equal.scales[:5] if scaled else 1.0
    np.testing.assert_allclose(equal.scaled, scale * equal.residuals)
    np.testing.assert_allclose(equal.slopes, slopes * (equal.slope_scales if scaled else 1.0))
    np.testing.assert_allclose(unequal.scaled, (unequal.scales[:7] if scaled else 1.0) * (unequal.residuals - 0.01))
    gradient = 0.25 * np.bincount(targets, cost.parts)
    np.testing.assert_allclose(cost.gradient, gradient * (cost.units if scaled else 1.0))
    np.testing.assert_allclose(cost.entries, 0.25 * entries * (cost.products if scaled else 1.0))
    broken = max(np.abs(equal.residuals).max(), unequal.residuals.max())
    np.testing.assert_allclose(found, [0.25 * cost.costs.sum(), broken])
    unequal.residuals[3] = np.nan
    call((equal, unequal, cost), 0.01, 0.25, found)
    assert np.isnan(found[1])
